"""The measure of a part has one key in files, `on`; the names of the arguments in Python are understood too."""

from __future__ import annotations

import pytest

import dalembert as da

FILE = """
plane = true
gravity = [0, -9.81]
[bodies.b]
mass = 2
inertia = 0.1
at = [0, "300 mm"]
[joints.s]
type = "prismatic"
between = ["ground", "b"]
along = "y"
[joints.c]
type = "constraint"
{expression} = "s.slide - 0.1*sin(t)"
[drivers.d]
{measure} = "s.slide"
value = "0.2*t"
[events.e]
{what} = "s.slide"
level = "50 mm"
[impacts.i]
{gap} = "s.slide + 0.3"
"""
OLD = {"expression": "expression", "measure": "measure", "what": "what", "gap": "gap"}


def _read(text, suffix=".toml"):
    return da.io.parse_text(text, suffix).model


def test_both_keys_give_the_same_model():
    new = FILE.format(**dict.fromkeys(OLD, "on"))
    assert da.io.to_data(_read(new)) == da.io.to_data(_read(FILE.format(**OLD)))


def test_written_files_have_one_key():
    data = da.io.to_data(_read(FILE.format(**OLD)))
    for section, name in (("joints", "c"), ("drivers", "d"), ("events", "e"), ("impacts", "i")):
        assert "on" in data[section][name] and not set(OLD) & set(data[section][name])


def test_frictions_and_stops_of_a_lagrangian_system():
    text = 'kind = "lagrangian"\nq = ["x"]\nkinetic = "rate(x)**2/2"\n[frictions.f]\n{} = "x"\nforce = 2\n[impacts.i]\n{} = "x + 1"\n'
    assert da.io.to_data(_read(text.format("on", "on"))) == da.io.to_data(_read(text.format("what", "gap")))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (('on = "s.slide"\nvalue', 'on = "s.slid"\nvalue'), "drivers.d.on: "),
        (('on = "s.slide"\nvalue', "value"), "drivers.d: on is missing"),
        (('on = "s.slide"\nvalue', 'on = "s.slide"\nmeasure = "s.slide"\nvalue'), "unknown key 'measure'"),
        (('on = "s.slide"\nvalue', 'one = "s.slide"\nvalue'), "did you mean 'on'?"),
        (('on = "s.slide"\nlevel', "level"), "events.e: on is missing"),
        (('on = "s.slide + 0.3"', 'on = "s.slide + 2 kg"'), "impacts.i.on: "),
        (('on = "s.slide - 0.1*sin(t)"', 'on = "s.slide - 2 kg"'), "joints.c.on: "),
    ],
)
def test_mistakes_are_told_where_they_stand(change, line):
    text = FILE.format(**dict.fromkeys(OLD, "on"))
    assert change[0] in text
    with pytest.raises(da.ModelFileError) as error:
        _read(text.replace(*change))
    assert line in str(error.value)


def test_paths_of_old_keys_stay():
    with pytest.raises(da.ModelFileError) as error:
        _read(FILE.format(**OLD).replace('measure = "s.slide"', 'measure = "s.slid"'))
    assert "drivers.d.measure: " in str(error.value)


def test_schema_knows_both():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(da.io.schema())
    one = {"drivers": {"d": {"on": "s.slide", "value": 1}}}
    assert check.is_valid(one)
    assert check.is_valid({"drivers": {"d": {"measure": "s.slide", "value": 1}}})
    assert not check.is_valid({"drivers": {"d": {"measure": "s.slide", "on": "s.slide", "value": 1}}})
    assert not check.is_valid({"drivers": {"d": {"value": 1}}})


def test_springs_on_a_measure():
    """A spring, damper or actuator has two ends, or acts on one measure."""
    text = FILE.format(**OLD) + '[forces.k]\ntype = "spring"\n{} = "s.slide"\nstiffness = 3\n'
    new = da.io.to_data(_read(text.format("on")))
    assert new == da.io.to_data(_read(text.format("a"))) and new["forces"]["k"]["on"] == "s.slide"
    ends = FILE.format(**OLD) + '[forces.k]\ntype = "spring"\na = "b"\nb = ["ground", [0, 0]]\nstiffness = 3\n'
    assert {"a", "b"} <= da.io.to_data(_read(ends))["forces"]["k"].keys()
    with pytest.raises(da.ModelFileError, match="forces.k.stiffness: found '3 N'"):
        _read(text.format("on").replace("stiffness = 3", 'stiffness = "3 N"'))
