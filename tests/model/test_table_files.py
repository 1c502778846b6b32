"""Tables in text files: every usual way to write the same curve gives it, in SI units; what is not clear is refused."""

from __future__ import annotations

import math

import pytest

import dalembert as da

# T = 1250.5 N mm at half a second
SAME = {
    "semicolons and decimal commas": "t [s];T [N mm]\n0;0\n0,5;1250,5\n1;0\n",
    "commas": "t [s],T [N mm]\n0,0\n0.5,1250.5\n1,0\n",
    "semicolons and decimal points": "t [s];T [N mm]\n0;0\n0.5;1250.5\n1;0\n",
    "tabs and other units": "t [ms]\tT [Nm]\n0\t0\n500\t1,2505e0\n1000\t0\n",
    "quotes, a mark of the coding, ends of lines": '\ufeff"t [s]";"T [N mm]"\r\n"0";"0"\r\n"0,5";"1250,5"\r\n"1";"0"\r\n',
    "comments, empty lines, blanks": "# test rig 3\n\n t [s] ; T [N mm] \n0 ; 0\n0,5 ; 1250,5\n\n1 ; 0\n",
    "units in parentheses, a delimiter at the end": "t (s);T (N mm);\n0;0;\n0,5;1250,5;\n1;0;\n",
    "numbers alone are in SI units": "0;0\n0,5;1,2505\n1;0\n",
}


def _table(tmp_path, raw, file="torque.csv", model=None, **options):
    path = tmp_path / file
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return (da.Mechanism("m") if model is None else model).table(file=path, **options)


@pytest.mark.parametrize("raw", SAME.values(), ids=SAME)
def test_ways_to_write_a_table(tmp_path, raw):
    made = _table(tmp_path, raw)
    assert made.name == "torque" and made.x == (0.0, 0.5, 1.0)
    assert made.y == pytest.approx((0.0, 1.2505, 0.0), rel=1e-15)


def test_columns_by_name_and_number(tmp_path):
    raw = "Zeit [s];Winkel [°];n [rpm]\n0;0;60\n1;90;120\n2;360;30\n".encode("cp1252")
    by_name = _table(tmp_path, raw, columns=("Winkel", "n"))
    assert by_name.x == pytest.approx((0, math.pi / 2, 2 * math.pi))
    assert by_name.y == pytest.approx((2 * math.pi, 4 * math.pi, math.pi))
    assert _table(tmp_path, raw, columns=(2, 3)) == by_name


def test_the_other_arguments(tmp_path):
    raw = "phi [deg],s [mm]\n0,0\n90,10\n180,20\n270,10\n360,0\n"
    L = da.Lagrangian("q", kinetic="rate(q)**2/2")
    made = _table(tmp_path, raw, "lift.csv", L, name="cam", periodic=True)
    turn = [math.radians(x) for x in (0, 90, 180, 270, 360)]
    assert made == da.spline(turn, [0, 0.01, 0.02, 0.01, 0], periodic=True, name="cam") and L.tables == {"cam": made}


WRONG = {
    "three columns": ("a;b;c\n0;1;2\n", {}, "3 columns: 'a', 'b', 'c'"),
    "unknown column": ("a;b;c\n0;1;2\n", {"columns": ("a", "d")}, "known: a, b, c"),
    "a column twice": ("a;a\n0;1\n", {"columns": ("a", 2)}, "2 columns called 'a'"),
    "one column name": ("a;b\n0;1\n", {"columns": "a"}, "columns = 'a'"),
    "unknown unit": ("t [s];T [Nmn]\n0;1\n", {}, "the head 'T [Nmn]' in line 1"),
    "decimal commas between commas": ("t,x\n0,0\n0,5,1,5\n", {}, "put ';' between columns"),
    "two decimal marks": ("t;x\n0;0\n0,5;1.5\n", {}, "'0,5' in line 3 and '1.5' in line 3"),
    "marks between thousands": ("t;x\n0;0\n1;1.250,5\n", {}, "'1.250,5' in line 3"),
    "units in a line of their own": ("t;x\ns;mm\n0;0\n", {}, "'s' in line 2, column 't'"),
    "an empty cell": ("t;x\n0;0\n1;\n", {}, "nothing in line 3, column 'x'"),
    "no number": ("t;x\n0;0\n1;nan\n", {}, "'nan' in line 3"),
    "beyond numbers": ("t;x\n0;0\n1;1e400\n", {}, "'1e400' in line 3"),
    "not increasing": ("t;x\n1;0\n0;0\n", {}, "x must increase"),
    "no points": ("t;x\n", {}, "0 points"),
    "blanks between columns": ("t x\n0 1\n", {}, "apart by ';', ',' or tabs"),
    "nothing": ("", {}, "no line with numbers"),
    "no text": (b"\xff\xfet\x00;\x00", {}, "not a text file"),
}


@pytest.mark.parametrize(("raw", "options", "told"), WRONG.values(), ids=WRONG)
def test_mistakes_in_files(tmp_path, raw, options, told):
    with pytest.raises(da.ModelError) as error:
        _table(tmp_path, raw, **options)
    assert told in str(error.value) and "torque.csv" in str(error.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "given: nothing"),
        ({"name": "a", "x": [0, 1]}, "given: x"),
        ({"name": "a", "x": [0, 1], "y": [0, 1], "file": "a.csv"}, "given: x, y, file"),
        ({"name": "a", "x": [0, 1], "y": [0, 1], "columns": (1, 2)}, "given: x, y, columns"),
        ({"name": "a", "file": "missing.csv"}, "no such file"),
        ({"file": "two words.csv"}, "give a name"),
        ({"file": 3}, "a path is a text"),
    ],
)
def test_mistakes_in_calls(options, told):
    with pytest.raises(da.DalembertError, match=told):
        da.Mechanism("m").table(**options)


FILE = """
[tables.torque]
file = "data/torque.csv"
[tables.turned]
file = "data/all.csv"
columns = ["t", "phi"]
[bodies.b]
mass = 1
inertia = 0.5
[joints.A]
type = "revolute"
between = ["ground", "b"]
at = [0, 0]
[forces.motor]
type = "actuator"
on = "A"
force = "torque(t)"
[simulate]
until = 1
"""


def _written(tmp_path, change=("", "")):
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "torque.csv").write_text("t [s];T [N mm]\n0;0\n0,5;1250,5\n1;0\n", encoding="utf-8")
    (tmp_path / "data" / "all.csv").write_text("t [s];phi [deg];F [kN]\n0;0;1\n1;90;2\n", encoding="utf-8")
    path = tmp_path / "machine.toml"
    path.write_text(FILE.replace(*change), encoding="utf-8")
    return path


def test_tables_of_model_files(tmp_path):
    """The spin after a second is the area below the curve over the inertia."""
    file = da.io.read_file(_written(tmp_path))
    assert file.tables == ("data/torque.csv", "data/all.csv")
    assert file.model.tables["turned"].y == pytest.approx((0.0, math.pi / 2))
    run = da.simulate(file.model, **file.analyses["simulate"])
    # a natural spline through (0, 0), (h, T), (2 h, 0): 5/4 h T
    assert run["A.angle"].rate[-1] == pytest.approx(1.25 * 0.5 * 1.2505 / 0.5, rel=1e-9)
    da.write_model(file.model, tmp_path / "copy.toml")
    assert da.read_model(tmp_path / "copy.toml").tables == file.model.tables


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("data/torque.csv", "../torque.csv"), ":3: tables.torque.file: found '../torque.csv'"),
        (("data/torque.csv", "/etc/passwd"), ":3: tables.torque.file: found '/etc/passwd'"),
        (("data/torque.csv", "C:/torque.csv"), ":3: tables.torque.file"),
        (("data/torque.csv", "data/torqe.csv"), "did you mean 'torque.csv'?"),
        (('"t", "phi"', '"t", "psi"'), ":6: tables.turned.columns: "),
        (('columns = ["t", "phi"]', ""), ":5: tables.turned.file: 3 columns"),
        (('file = "data/torque.csv"', 'file = "data/torque.csv"\nx = [1, 2]'), "found points and a file"),
        (('file = "data/torque.csv"', ""), "x is missing"),
        (("torque(t)", "torque(A.angle)"), "A.angle is an angle (rad), torque is a time (s)"),
        (('force = "torque(t)"', 'force = "turned(t)"'), "an angle (rad); a torque (N m) belongs here"),
    ],
)
def test_mistakes_of_model_files(tmp_path, change, told):
    assert change[0] in FILE
    with pytest.raises(da.ModelFileError) as error:
        da.read_model(_written(tmp_path, change))
    assert told in str(error.value)


def test_a_text_in_memory_has_no_folder():
    with pytest.raises(da.ModelFileError, match="has no folder"):
        da.io.parse_text(FILE, ".toml")
