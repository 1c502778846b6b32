"""Units inside formulas: "40 mm + r" in files and in texts of Python."""

from __future__ import annotations

import math

import pytest

import dalembert as da
from dalembert.model.expression import parse
from dalembert.model.units import split_quantity

FILE = """
name = "arm"
gravity = [0, "-9.81 m/s^2"]

[parameters]
r = "200 mm"
n = "60 rpm"
l = "{l}"

[bodies.bar]
shape = {{ rod = {{ length = "l", mass = "2 kg" }} }}
at = ["l/2", 0]

[joints.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]

[drivers.motor]
measure = "O.angle"
value = "{value}"
"""


def _read(tmp_path, l="40 mm + r", value="60 rpm*t", more=""):
    file = tmp_path / "arm.toml"
    file.write_text(FILE.format(l=l, value=value).replace("[parameters]", f"[parameters]{more}"), encoding="utf-8")
    return da.io.read_file(file)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40 mm + r", 0.24), ("r + 40 mm", 0.24), ("r - 0.1 m", 0.1), ("2*(40 mm + r)", 0.48), ("-40 mm + r", 0.16), ("40 mm*2", 0.08),
        ("3 N m", 3.0), ("9.81 m/s^2*2", 19.62), ("2 m**2", 2.0), ("(2 m)**2", 4.0), ("40 mm / r", 0.2), ("30 deg", math.pi / 6),
        ("sin(30 deg)", 0.5), ("1 kN/mm*r", 2e5), ("max(r, 300 mm)", 0.3), ("60 rpm*2", 4 * math.pi), ("10 mm/t", 0.005),
        ("1e3 mm", 1.0), ("if_(r > 100 mm, 1 kN, 0)", 1000.0),
    ],
)  # fmt: skip
def test_values_and_round_trip(text, value):
    made = parse(text)
    assert made.evaluate({"r": 0.2, "t": 2.0}) == pytest.approx(value, rel=1e-15)
    assert parse(str(made)) == made and parse(str(made)).evaluate({"r": 0.2, "t": 2.0}) == made.evaluate(
        {"r": 0.2, "t": 2.0}
    )


def test_a_slash_with_a_unit_below_is_grouped():
    made = parse("40 mm / s")
    assert str(made) == "(40 mm)/s" and parse(str(made)) == made
    assert parse("40 mm/s").evaluate({}) == 0.04 and made.evaluate({"s": 2.0}) == 0.02


@pytest.mark.parametrize("text", ["40 mmm + r", "40mm + r", "r mm", "40 mm mm^10", "40 mm(r)", "40 mm 3"])
def test_what_is_no_unit_is_refused(text):
    with pytest.raises(da.ExpressionError):
        parse(text).evaluate({"r": 1.0})


def test_a_unit_that_is_a_name_as_well_is_refused():
    with pytest.raises(da.ExpressionError, match="a unit and a name"):
        parse("2 m/h", known=["h", "t"])
    assert parse("2 m / h", known=["h", "t"]).evaluate({"h": 4.0}) == 0.5


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("40 mm", ("40", "mm")), ("2.5 kN/mm", ("2.5", "kN/mm")), ("1 N*m", ("1", "N*m")), ("3 1/s", ("3", "1/s")), ("5 m^-1", ("5", "m^-1")),
        ("40 mm + r", None), ("60 rpm*t", None), ("2 mm * sin(a)", None), ("2 kN / r", None), ("40 mm - r", None), ("10 mm/t", None),
        ("2 kN/mn", ("2", "kN/mn")),
    ],
)  # fmt: skip
def test_quantity_or_formula(text, pair):
    assert split_quantity(text) == pair


def test_files(tmp_path):
    file = _read(tmp_path)
    assert file.derived["l"].evaluate(file.model.parameters) == pytest.approx(0.24, rel=1e-15)
    assert not file.unchecked  # units tell the dimensions of all formulas
    run = da.simulate(file.model, until=0.25)
    assert run["O.angle"][-1] == pytest.approx(math.pi / 2, abs=1e-9)
    # written and read again it is the same
    da.write_model(file.model, tmp_path / "again.toml")
    again = da.read_model(tmp_path / "again.toml")
    assert da.simulate(again, until=0.25)["O.angle"][-1] == pytest.approx(math.pi / 2, abs=1e-9)
    # another value of r moves l
    longer = da.io.read_file(tmp_path / "arm.toml", {"r": "300 mm"})
    assert longer.derived["l"].evaluate(longer.model.parameters) == pytest.approx(0.34, rel=1e-15)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"l": "40 mm + n"}, "they must be alike"),
        ({"l": "4 kg + r"}, "they must be alike"),
        ({"value": "60 mm*t"}, "an angle"),
        ({"l": "40 mmm + r"}, "no unit"),
        ({"l": "2 m/h + r", "more": '\nh = "1 m"'}, "is a unit and a (name|parameter)"),
    ],
)
def test_files_refuse_what_does_not_fit(tmp_path, changes, said):
    with pytest.raises(da.DalembertError, match=said):
        _read(tmp_path, **changes)


def test_laws_in_python():
    m = da.Mechanism("slide", plane=True)
    block = m.body("block", da.block(0.1, 0.1, mass=2.0), at=(0, 0))
    m.prismatic("rail", m.ground, block, along=(1, 0))
    m.actuator("push", m["rail"].slide, force="2 kN - 1 kN")
    # 1000 N on 2 kg for 0.1 s
    assert da.simulate(m, until=0.1)["rail.slide"].rate[-1] == pytest.approx(50.0, rel=1e-9)


def test_lagrangian():
    m = da.Lagrangian("x", kinetic="2 kg*rate(x)**2/2", potential="8 N/m*x**2/2", name="spring")
    assert da.linearize(m).modes[0].frequency == pytest.approx(2.0 / (2 * math.pi))
