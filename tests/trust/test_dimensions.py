"""Dimensions go through every function of an expression; what units cannot tell is not certified.

`F = "500 rpm"` passed where a force is needed, `ramp(rail.slide, r, n)` compared metres with rad/s, and `n = 40` with "n*t" passed as
rad/s under the words "dimensions fit".
"""

import pytest

import dalembert as da
from dalembert.cli.shared.doctor import examine
from dalembert.io import parse_text
from dalembert.model.dimensions import RULES
from dalembert.model.expression.catalogue import ALL

FILE = """
gravity = [0, 0]
[parameters]
r = "200 mm"
l = "1 m"
n = "60 rpm"
F = "5 N"
T = "1 s"
k = "3 kN/m"
K = "3 N m/rad"
f = "2 Hz"
pure = 40
[tables.cam]
x = ["0 s", "100 ms", "1 s"]
y = ["0 N", "2 N", "3 N"]
[tables.bare]
x = [0, 1, 2]
y = [0, 1, 0]
[bodies.block]
mass = "1 kg"
inertia = "1 kg m^2"
[joints.rail]
type = "prismatic"
between = ["ground", "block"]
along = "x"
[measures]
twice = "2*rail.slide"
area = "rail.slide**2"
"""


def read(part: str):
    return parse_text(FILE + part, ".toml")


def push(law: str, on: str = "rail.slide"):
    return read(f'[forces.push]\ntype = "actuator"\na = "{on}"\nforce = "{law}"\n')


# for each operator and function: a force, and a mistake
CASES = {
    "+": ("F + F", "F + r"),
    "-": ("F - F", "r - F"),
    "*": ("F*l/r", "F*l"),
    "/": ("F/(l/r)", "F/l"),
    "**": ("F*(r/l)**2", "F**2"),
    "neg": ("-F", "-r"),
    "<": ("F*(r < l)", "F*(r < n)"),
    "<=": ("F*(r <= l)", "F*(r <= n)"),
    ">": ("F*(t > T)", "F*(t > r)"),
    ">=": ("F*(rail.slide >= r)", "F*(rail.slide >= T)"),
    "==": ("F*(r == l)", "F*(r == F)"),
    "!=": ("F*(r != l)", "F*(r != F)"),
    "and": ("F*(r < l and t < T)", "F*(r and t < T)"),
    "or": ("F*(r < l or t < T)", "F*(t < T or n*r)"),
    "not": ("F*(not r < l)", "F*(not r)"),
    "sin": ("F*sin(n*t)", "F*sin(r)"),
    "cos": ("F*cos(r/l)", "F*cos(n)"),
    "tan": ("F*tan(n*T)", "F*tan(F)"),
    "asin": ("F*asin(r/l)/(n*T)", "F*asin(r)"),
    "acos": ("F*sin(acos(r/l))", "F*acos(T)"),
    "atan": ("F*sin(atan(r/l))", "F*atan(l)"),
    "atan2": ("F*sin(atan2(r, l))", "F*sin(atan2(r, n))"),
    "sinh": ("F*sinh(r/l)", "F*sinh(r)"),
    "cosh": ("F*cosh(r/l)", "F*cosh(r)"),
    "tanh": ("F*tanh(rate(rail.slide)*T/l)", "F*tanh(rate(rail.slide)/l)"),
    "exp": ("F*exp(-t/T)", "F*exp(-t/r)"),
    "log": ("F*log(l/r)", "F*log(l)"),
    "log10": ("F*log10(l/r)", "F*log10(l)"),
    "sqrt": ("sqrt(F*F)", "sqrt(F)"),
    "hypot": ("hypot(F, F)", "hypot(F, r)"),
    "abs": ("abs(F)", "abs(r)"),
    "sign": ("F*sign(rate(rail.slide))", "F*sign(r - n)"),
    "floor": ("F*floor(t/T)", "F*floor(r)"),
    "min": ("min(F, 2*F, 1)", "min(F, F, r)"),
    "max": ("max(F, -F)", "max(F, n)"),
    "if_": ("if_(t > T, F, -F)", "if_(t > T, F, r)"),
    "ramp": ("F*ramp(rail.slide, r, l)", "F*ramp(rail.slide, r, n)"),
    "step": ("step(t, 0, -F, T, F)", "step(t, 0, F, T, r)"),
    "rate": ("F*T/r*rate(rail.slide)", "F/r*rate(rail.slide)"),
}


def test_every_function_has_a_rule():
    assert set(RULES) == set(ALL) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_right_and_wrong(name):
    right, wrong = CASES[name]
    assert push(right).unchecked == ()
    with pytest.raises(da.ModelFileError, match="they must be alike|belongs here"):
        push(wrong)


@pytest.mark.parametrize(
    "law",
    ["F*step(r, 0, 0, n, 1)", "F*step(t, 0, 0, r, 1)", "if_(r, F, F)", "F**r", "cam(t)*r", "cam(r)", "cam'(t)", "F*cam(t)",
     "n*step(t, 0, 0, 1, 1)", "n", "max(n, 0)", "k*s*T", "k*v", "k*rail.slide*n"],
)  # fmt: skip
def test_more_mistakes(law):
    with pytest.raises(da.ModelFileError, match="they must be alike|belongs here"):
        push(law)


@pytest.mark.parametrize(
    "law", ["cam(t)", "T*cam'(t)", "k*s", "k*T*v", "F*(1 + 3)", "F + 2", "12", "2*pi*F", "k*(s - 0.1)", "F*(r/l)**pure"]
)
def test_more_that_fits(law):
    assert push(law).unchecked == ()


def test_rotation_rate_where_a_force_is_needed():
    """By any way in: the number itself, a parameter, a parameter through a function."""
    for value in ("500 rpm", "n", "n*step(t, 0, 0, 1, 1)", "max(n, n)"):
        with pytest.raises(da.ModelFileError, match="a force .N. belongs here"):
            read(f'[forces.push]\ntype = "force"\nbody = "block"\nvalue = ["{value}", 0]\n')
    with pytest.raises(da.ModelFileError, match="belongs here"):
        push("500 rpm")
    # also where the measure is an expression: its unit follows from what it is made of
    with pytest.raises(da.ModelFileError, match="belongs here"):
        push("500 rpm", "area")
    # work over an area: N/m
    assert push("k", "area").unchecked == ()
    # power over a speed: N
    assert push("F", "twice").unchecked == ()
    with pytest.raises(da.ModelFileError, match="a force .N. belongs here"):
        push("F/r", "twice")


def test_drivers_and_starts():
    def driver(value, measure="rail.slide"):
        return read(f'[drivers.motor]\nmeasure = "{measure}"\nvalue = "{value}"\n').unchecked

    assert driver("r*sin(n*t)") == driver("r*n*t") == driver("0.1 + r") == ()
    for wrong in ("n*t", "r*t", "T"):
        with pytest.raises(da.ModelFileError, match="a length .m. belongs here"):
            driver(wrong)
    for wrong in ("r", "n*t"):
        with pytest.raises(da.ModelFileError, match="belongs here"):
            driver(wrong, "rail.slide**2")
    with pytest.raises(da.ModelFileError, match="belongs here"):
        read('[start."rail.slide"]\nrate = "n"\n')


def test_angles():
    """x/r is an angle, f*t with f in Hz counts turns, and a torsional stiffness is no torque."""
    hinge = (
        '[bodies.arm]\nmass = 1\ninertia = 1\n[joints.O]\ntype = "revolute"\nbetween = ["ground", "arm"]\nat = [0, 0]\n'
    )
    driver = hinge + '[drivers.motor]\nmeasure = "O.angle"\nvalue = "{}"\n'
    for right in ("n*t", "r/l", "r*n/l*t", "asin(r/l)", "K*T*n/(F*l)"):
        assert read(driver.format(right)).unchecked == (), right
    for wrong in ("f*t", "n", "r"):
        with pytest.raises(da.ModelFileError, match="an angle .rad. belongs here"):
            read(driver.format(wrong))
    torque = hinge + '[forces.M]\ntype = "actuator"\na = "O.angle"\nforce = "{}"\n'
    assert read(torque.format("K*O.angle + F*l")).unchecked == ()
    with pytest.raises(da.ModelFileError, match="a torque .N m. belongs here"):
        read(torque.format("K"))


def test_what_units_cannot_tell_is_not_certified():
    def told(file):
        return next(f["text"] for f in examine(file.model).data["findings"] if f["topic"] == "units")

    driver = '[drivers.motor]\nmeasure = "rail.slide"\nvalue = "{}"\n'
    assert "dimensions fit" in told(read(driver.format("r*sin(n*t)")))
    for value, why in (
        ("pure*t", "pure has no unit"),
        ("pure", "pure has no unit"),
        ("0.1*sin(40*t)", "its numbers may have units"),
        ("r*sin(t)", "t is a time"),
        ("bare(t)", "bare has no unit"),
        ("r*pure**2 + 3*t", "pure has no unit"),
    ):
        file = read(driver.format(value))
        assert why in file.unchecked[0], value
        text = told(file)
        assert "dimensions fit" not in text and f"not checked: drivers.motor.value: '{value}'" in text and why in text


def test_models_of_python():
    """Parameters with units of a model that no file made; laws that no file can hold are told as not checked."""
    m = da.Mechanism("slide", plane=True)
    n = m.parameter("n", 40.0, "rad/s")
    block = m.body("block", mass=1.0, inertia=1.0)
    rail = m.prismatic("rail", m.ground, block, along="x")
    push = m.actuator("push", rail, force=n * 2)
    text = str(examine(m).data["findings"])
    assert "dimensions fit" not in text and "its numbers may have units" in text
    assert push.name == "push"
    m.actuator("pull", rail, force=n + 0)
    text = str(examine(m).data["findings"])
    assert "an angular velocity (rad/s); a force (N) belongs here" in text
    other = da.Mechanism("slide", plane=True)
    block = other.body("block", mass=1.0, inertia=1.0)
    other.actuator("push", other.prismatic("rail", other.ground, block, along="x"), force=lambda s, v, t: 0.0)
    text = str(examine(other).data["findings"])
    assert "dimensions fit" not in text and "Python function" in text


def test_tables_of_two_dimensions():
    with pytest.raises(da.ModelFileError, match="a column of a table has one dimension"):
        parse_text('[tables.c]\nx = ["0 s", "1 m"]\ny = [0, 1]\n', ".toml")
