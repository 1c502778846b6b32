"""Loads that hold a Lagrangian system, against closed forms and the same device as a Mechanism."""

import math

import numpy as np
import pytest

import dalembert as da

EXACT = 1e-10  # linear algebra with numbers near 1


def pendulum(angle=0.4):
    m = da.Lagrangian(
        "theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
        parameters={"m": 2.0, "l": 0.5, "g": 9.81}, name="pendulum",
    )  # fmt: skip
    m.start("theta", angle)
    return m


def bead(**friction):
    m = da.Lagrangian(
        "x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y", holonomic={"hoop": "x**2 + y**2 - R**2"},
        parameters={"R": 0.5}, name="bead",
    )  # fmt: skip
    m.start("x", 0.2)
    m.guess("y", -0.4)
    if friction:
        m.friction("rub", "R*atan2(x, -y)", normal="2*R*hoop", **friction)
    return m


def test_along_a_coordinate_and_along_an_expression():
    """M g l sin, and a horizontal force m g tan."""
    torque = da.holding_load(pendulum(), "theta")
    assert torque.value == pytest.approx(2.0 * 9.81 * 0.5 * math.sin(0.4), rel=EXACT)
    assert torque.spread < EXACT and torque["theta"].unit == ""
    assert da.holding_load(pendulum(), "l*sin(theta)").value == pytest.approx(2.0 * 9.81 * math.tan(0.4), rel=EXACT)
    assert da.holding_load(bead(), "x").value == pytest.approx(9.81 * math.tan(math.asin(0.4)), rel=EXACT)


def test_the_load_holds_it():
    """With the load as a force the system does not accelerate, and a bit more sets it in motion."""
    held = da.holding_load(bead(), "x").value
    for more, still in ((0.0, True), (0.01, False)):
        twin = da.Lagrangian(
            "x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y - F*x",
            holonomic={"hoop": "x**2 + y**2 - R**2"}, parameters={"R": 0.5, "F": held + more},
        )  # fmt: skip
        twin.start("x", 0.2)
        twin.guess("y", -0.4)
        assert (abs(da.instant(twin).second_rate("x")) < 1e-9) is still


def test_rows_that_let_go():
    """A row that holds the pose is an unknown like a driver: minus its multiplier."""
    m = da.Lagrangian(
        "theta", kinetic="rate(theta)**2/2", potential="-9.81*cos(theta)", holonomic={"motor": "theta - 0.3"}
    )
    held = da.holding_load(m, "motor")
    assert held.value == pytest.approx(9.81 * math.sin(0.3), rel=EXACT)
    assert held.value == pytest.approx(-da.instant(m)["motor"], rel=EXACT)
    with pytest.raises(da.MethodError, match="hold the mechanism already|no free motion"):
        da.holding_load(m, "theta")


def slider_cranks():
    """A crank of 0.2 m and a rod of 0.7 m as a mechanism and in two angles and the place of the slider."""
    r, l, angle = 0.2, 0.7, 0.8  # noqa: E741
    m = da.Mechanism("crank", plane=True, gravity=(0, -9.81))
    tilt = -math.asin(r * math.sin(angle) / l)
    pin = (r * math.cos(angle), r * math.sin(angle))
    end = (pin[0] + l * math.cos(tilt), 0.0)
    crank = m.body("crank", da.rod(length=r, mass=1.0), at=(pin[0] / 2, pin[1] / 2), angle=angle)
    rod = m.body("rod", da.rod(length=l, mass=2.0), at=((pin[0] + end[0]) / 2, pin[1] / 2), angle=tilt)
    slider = m.body("slider", mass=3.0, inertia=0.1, at=end)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=pin)
    m.revolute("B", rod, slider, at=end)
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    other = da.Lagrangian(
        "a b s", kinetic="(rate(a)**2 + rate(b)**2 + rate(s)**2)/2", potential="9.81*(0.1*sin(a) + 2*(0.2*sin(a) + 0.35*sin(b)))",
        holonomic={"along": "0.2*cos(a) + 0.7*cos(b) - s", "across": "0.2*sin(a) + 0.7*sin(b)"},
    )  # fmt: skip
    for name, x in (("a", angle), ("b", tilt), ("s", end[0])):
        (other.start if name == "a" else other.guess)(name, x)
    return m, other


@pytest.mark.parametrize("pair", [("O.angle", "a"), ("guide.slide", "s")])
def test_as_a_mechanism(pair):
    m, other = slider_cranks()
    one, two = (da.holding_load(x, name) for x, name in zip((m, other), pair))
    assert two.value == pytest.approx(one.value, rel=1e-9) and two.freedoms == one.freedoms == 1


def test_a_load_of_a_part_gives_way():
    """The size of a force that pulls at 30 degrees, whatever size it has in the model."""
    m = da.Lagrangian("x", name="sledge")
    m.particle("sledge", mass=4.0, at=("x", 0, 0))
    m.force("rope", "sledge", (7 * math.cos(math.pi / 6), 7 * math.sin(math.pi / 6), 0))
    m.force("slope", "sledge", (-5.0, 0, 0))
    assert da.holding_load(m, "rope").value == pytest.approx(5.0 / math.cos(math.pi / 6), rel=EXACT)


def test_ranges_with_friction():
    """Of a constant size; with what presses; and across, where the load presses too: g tan(a -+ atan mu)."""
    m = pendulum()
    m.friction("rub", "theta", force=1.0, static_force=1.5)
    one = da.holding_load(m, "theta")["theta"]
    weight = 2.0 * 9.81 * 0.5 * math.sin(0.4)
    assert [one.low, one.value, one.high] == pytest.approx([weight - 1.5, weight, weight + 1.5], rel=EXACT)
    angle, mu = math.asin(0.4), math.atan(0.2)
    along = da.holding_load(bead(mu=0.2), "R*atan2(x, -y)")["R*atan2(x, -y)"]
    ends = [9.81 * (math.sin(angle) - 0.2 * math.cos(angle)), 9.81 * (math.sin(angle) + 0.2 * math.cos(angle))]
    assert [along.low, along.high] == pytest.approx(ends, rel=1e-9)
    across = da.holding_load(bead(mu=0.1, static=0.2), "x")["x"]
    ends = [9.81 * math.tan(angle - mu), 9.81 * math.tan(angle + mu)]
    assert [across.low, across.high] == pytest.approx(ends, rel=1e-9)


def test_beside_a_stop():
    """Leaning on a stop from above, anything that does not lift it holds."""
    m = pendulum(0.4)
    m.impact("peg", "theta - 0.4", restitution=0.0)
    peg = da.holding_load(m, "theta")["theta"]
    assert (peg.low, peg.high) == (-math.inf, pytest.approx(2.0 * 9.81 * 0.5 * math.sin(0.4), rel=1e-9))
    m = pendulum(0.5)
    m.impact("peg", "theta - 0.4", restitution=0.0)
    assert da.holding_load(m, "theta").value == pytest.approx(2.0 * 9.81 * 0.5 * math.sin(0.5), rel=EXACT)


def test_at_an_equilibrium_nothing_is_needed():
    low = da.equilibrium(pendulum())[0]
    assert da.holding_load(pendulum(), "theta", state=low).value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "unknown, words",
    [
        ("y + rate(x)", "without rates"),
        ("R", "rows change with it"),
        ("R + 1", "without rates"),
        ("foo", "known: x, y"),
        (3, "a holonomic row, a coordinate"),
        (["x", "y"], "shared in any proportion"),
        (["x", "x"], "twice"),
        ([], "nothing to find"),
        ("hoop", "not held"),
        ("x**2 + y**2", "no work in any free motion"),
    ],
)
def test_what_is_no_unknown(unknown, words):
    with pytest.raises(da.DalembertError) as error:
        da.holding_load(bead(), unknown)
    assert words in str(error.value)


def test_motion_that_is_refused_and_friction_of_two_motions():
    m = pendulum()
    m.start("theta", 0.4, rate=1.0)
    with pytest.raises(da.MethodError, match="belongs to a state at rest"):
        da.holding_load(m, "theta")
    m = bead()
    m.friction("belt", "x - t", force=1.0)
    with pytest.raises(da.MethodError, match="moves with time"):
        da.holding_load(m, "x")
    m = da.Lagrangian("a b", kinetic="(rate(a)**2 + rate(b)**2)/2", potential="a")
    m.friction("rub", "a", force=1.0)
    for unknown in (["a", "b"], "a"):  # b is in balance by itself
        held = da.holding_load(m, unknown)
        assert (held["a"].low, held["a"].value, held["a"].high) == pytest.approx((0.0, 1.0, 2.0), abs=EXACT)
        assert unknown == "a" or (held["b"].low, held["b"].high) == pytest.approx((0.0, 0.0), abs=EXACT)
    m.friction("both", "b - a", force=0.25)  # |1 - a + T| <= 1, |T| <= 1/4, and b = T: that of a for any b
    held = da.holding_load(m, ["a", "b"])
    assert (held["a"].low, held["a"].high) == pytest.approx((-0.25, 2.25), abs=EXACT)
    assert (held["b"].low, held["b"].high) == pytest.approx((-0.25, 0.25), abs=EXACT)


def test_rows_that_move():
    """A row that is about to move is no rest, though its rate is 0 now."""
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="y", holonomic={"cam": "x - t**2"})
    with pytest.raises(da.MethodError, match="row 'cam' moves"):
        da.holding_load(m, "y")
    assert da.holding_load(m, ["cam", "y"]).freedoms == 2


def test_arms():
    """Two angles, held by two torques: the same as of the mechanism in the docs."""
    m = da.Lagrangian(
        "a b", kinetic="(rate(a)**2 + rate(b)**2)/2", potential="9.81*(3*0.5*sin(a) + 2*(sin(a) + 0.5*sin(a + b)))"
    )
    held = da.holding_load(m, ["a", "b"])
    assert [held["a"].value, held["b"].value] == pytest.approx([4.5 * 9.81, 9.81], rel=EXACT)
    assert np.isclose(held.spread, 0.0, atol=1e-12)


def test_along_a_parameter():
    """The size of a parameter that forces are multiplied by, whatever else they are multiplied by."""
    m = da.Lagrangian("x", parameters={"Z": 3.0}, forces={"x": "Z*cos(x)"}, potential="9.81*x + x**2/2")
    m.particle("p", 1.0, at=("x", 0))
    m.start("x", 0.3)
    held = da.holding_load(m, "Z")
    assert held.value == pytest.approx((9.81 + 0.3) / math.cos(0.3), rel=EXACT) and held.spread < EXACT
    # on a hoop: Z (1, 1) beside a weight of 20 N, at x = R/2
    m = da.Lagrangian(
        "x y", parameters={"Z": 3.0, "R": 2.0, "k": 1.0}, gravity=(0, -10), holonomic={"hoop": "x**2 + y**2 - R**2"}
    )
    m.particle("p", 2.0, at=("x", "y"))
    m.force("F", "p", ("Z", "Z"))
    m.start("x", 1.0)
    m.guess("y", -1.5)
    held = da.holding_load(m, "Z")
    # along the tangent (sqrt 3, 1)/2: Z (sqrt 3 + 1) = 20
    assert held.value == pytest.approx(20.0 / (math.sqrt(3.0) + 1.0), rel=EXACT) and held.spread < EXACT
    for name, why in (("R", "rows change with it"), ("k", "no force changes with it")):
        with pytest.raises(da.MethodError, match=why):
            da.holding_load(m, name)


def test_a_parameter_must_be_a_factor():
    m = da.Lagrangian("x", parameters={"Z": 3.0}, forces={"x": "Z**2 - 4"})
    m.particle("p", 1.0, at=("x", 0))
    with pytest.raises(da.MethodError, match="forces are not linear in it"):
        da.holding_load(m, "Z")
