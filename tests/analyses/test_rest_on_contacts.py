"""Rest on rigid stops and contacts, beside closed forms and other verbs."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def crate(angle=0.3):
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.5), angle=angle)
    m.contact("floor", m.ground, body)
    return m


def test_a_crate_rests_on_each_side_and_balances_on_each_corner():
    found = da.equilibrium(crate())
    flat = {tuple(sorted(e.pressures)): e for e in found if len(e.pressures) == 2}
    corners = {tuple(e.pressures): e for e in found if len(e.pressures) == 1}
    assert len(found) == 8 and len(flat) == 4 and len(corners) == 4
    # a side in the plane slides at no cost; on a corner it lets go at m g d / (J + m d^2 sin^2) with the centre above it: it slides as it falls
    assert {e.verdict for e in flat.values()} == {"degenerate"} and all(
        "indifferent" in e.reason for e in flat.values()
    )
    d, inertia = math.hypot(0.2, 0.1), 2.0 * (0.4**2 + 0.2**2) / 12
    for e in corners.values():
        assert e.verdict == "unstable" and e.eigenvalues[0] == pytest.approx(-2.0 * G * d / inertia, rel=1e-9)
        (press,) = e.pressures.values()
        assert press.value == pytest.approx(2.0 * G, rel=1e-12) and press.unique
    side = flat["floor.bottom_left", "floor.bottom_right"]
    assert [float(x) for x in side.pressures.values()] == pytest.approx([G, G], rel=1e-12)
    assert side.reactions["floor"].force == pytest.approx([0, 2 * G])
    assert da.reactions(crate(), side.state)["floor"].force == pytest.approx([0, 2 * G])


def lever(stop, load=0.0):
    """A bar of 2 kg and 1 m on a pin at its left end, its right end `stop` above a stop."""
    m = da.Mechanism("lever", plane=True, gravity=(0, -10.0))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.contact("block", m.ground, bar, points=[bar.end], through=(0, -stop))
    m.torque("hand", bar, load)
    return m


@pytest.mark.parametrize("stop", [0.0, 0.3, 0.7])
def test_a_lever_on_a_stop(stop):
    found = da.equilibrium(lever(stop))
    assert found.complete and [e.verdict for e in found] == ["stable", "stable", "unstable"]
    for e in found[:2]:
        assert math.sin(e["A.angle"]) == pytest.approx(-stop, abs=1e-12)
        assert e.pressures["block"].value == pytest.approx(10.0, rel=1e-12)  # half the weight, at any angle
        run = da.simulate(lever(stop), until=0.5, start=e.state)
        assert abs(run["A.angle"][-1] - e["A.angle"]) < 1e-9 and run["block"].force[-1, 1] == pytest.approx(10.0)


def test_a_stop_below_all_that_the_lever_reaches_does_nothing():
    found = da.equilibrium(lever(1.5))
    assert [e.verdict for e in found] == ["stable", "unstable"] and not any(e.pressures for e in found)
    # and one just where it hangs touches without pressing: the lever holds by itself
    found = da.equilibrium(lever(1.0))
    assert found[0].verdict == "stable" and found[0].pressures["block"].value == pytest.approx(0.0, abs=1e-9)
    assert "just touches block" in str(found)


def test_a_load_that_lifts_the_lever():
    # 15 N m against 10 N m: the stop at rest lets go, and no balance is left at all but where the bar leans over
    found = da.equilibrium(lever(0.3, 5.0))
    stable = [e for e in found if e.verdict == "stable"]
    assert stable[0].pressures["block"].value == pytest.approx(10.0 - 5.0 / math.sqrt(1 - 0.09), rel=1e-12)


def test_a_ball_in_a_bowl_in_the_plane_and_in_space():
    m = da.Mechanism("bowl", plane=True, gravity=(0, -10))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.2, -0.5))
    m.contact("bowl", m.ground, ball, radii=(1.0, 0.1), inside=True)
    (e,) = da.equilibrium(m)
    # it turns about itself at no cost; it swings with g/(R - r)
    assert e["ball"].position == pytest.approx([0, -0.9], abs=1e-10)
    assert e.eigenvalues == pytest.approx([0, 10 / 0.9], abs=1e-9) and e.pressures["bowl"].value == pytest.approx(10)
    m = da.Mechanism("bowl", plane=False, gravity=(0, 0, -10))
    m.particle("ball", mass=1.0, at=(0.3, 0.2, -0.4))
    m.contact("bowl", m.ground, m["ball"], radii=(1.0, 0.1), inside=True)
    (e,) = da.equilibrium(m)
    assert e.verdict == "stable" and e.eigenvalues == pytest.approx([10 / 0.9] * 2)


def test_a_wedge_carries_by_two_planes():
    # a disk in a groove of two planes at angles a and b: sines give the pressures
    a, b = 0.4, 0.9
    m = da.Mechanism("groove", plane=True, gravity=(0, -10))
    disk = m.body("disk", da.disk(0.1, mass=3.0), at=(0.0, 0.5))
    m.contact("left", m.ground, disk, normal=(math.sin(a), math.cos(a)))
    m.contact("right", m.ground, disk, normal=(-math.sin(b), math.cos(b)))
    (e,) = da.equilibrium(m)
    assert float(e.pressures["left"]) == pytest.approx(30 * math.sin(b) / math.sin(a + b), rel=1e-12)
    assert float(e.pressures["right"]) == pytest.approx(30 * math.sin(a) / math.sin(a + b), rel=1e-12)


def table(x, y):
    """A plate on four feet in space, guided upright, with a weight beside its middle."""
    m = da.Mechanism("table", plane=False, gravity=(0, 0, -10))
    top = m.body("top", da.box(1.0, 1.0, 0.1, mass=1.0), at=(0, 0, 0.05))
    m.contact("floor", m.ground, top, points=[(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)])
    m.force("weight", top, (0, 0, -90.0), at=(x, y, 0))
    return m


def test_four_feet_share_a_weight_in_more_ways_than_one():
    found = da.equilibrium(table(0.0, 0.0), starts=2)
    e = next(e for e in found if len(e.pressures) == 4)
    assert not any(x.unique for x in e.pressures.values())
    for x in e.pressures.values():
        assert (x.value, x.low, x.high) == pytest.approx((25.0, 0.0, 50.0), abs=1e-9)
    assert e.reactions.not_unique == ()  # all feet together are: a force and its moments
    assert not any(row.unique for row in e.reactions["floor"].rows.values())


def test_a_weight_near_a_corner_lifts_no_foot_that_could_press():
    # outside the kern: the smallest forces of either sign would pull at the far foot, smallest pressures do not
    e = next(e for e in da.equilibrium(table(0.3, 0.3), starts=2) if len(e.pressures) == 4)
    feet = list(e.pressures.values())
    assert min(x.value for x in feet) >= 0.0 and sum(x.value for x in feet) == pytest.approx(100.0)
    # moments about both axes through the middle: 90 * 0.3
    at = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    assert at.T @ [x.value for x in feet] == pytest.approx([27.0, 27.0])
    rows = [row.multiplier for row in e.reactions["floor"].rows.values()]
    assert max(rows) <= 1e-9  # a multiplier is minus a pressure
    assert -sum(rows) == pytest.approx(100.0)


def test_walls_that_could_squeeze_are_not_unique():
    m = da.Mechanism("between", plane=True, gravity=(0, -10))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.0, 0.1))
    m.contact("floor", m.ground, ball)
    m.contact("left", m.ground, ball, normal=(1, 0), through=(-0.1, 0))
    m.contact("right", m.ground, ball, normal=(-1, 0), through=(0.1, 0))
    (e,) = da.equilibrium(m)
    left = e.pressures["left"]
    assert (left.value, left.low, left.high) == (0.0, 0.0, math.inf) and e.pressures["floor"].unique


def test_a_contact_that_no_motion_loads_takes_no_part():
    # a guide keeps the block on the wall: the gap is closed wherever it goes, to rounding
    m = da.Mechanism("guided", plane=True, gravity=(0, -10))
    block = m.body("block", mass=1.0, inertia=0.1, at=(0.3, 0.7))
    m.prismatic("guide", m.ground, block, along=(0.6, 0.8))
    m.contact("beside", m.ground, block, normal=(0.8, -0.6), points=[(0.3, 0.7)], through=(0.3, 0.7))
    m.contact("floor", m.ground, block, points=[(0.3, 0.7)])
    (e,) = da.equilibrium(m)
    assert e.verdict == "stable" and float(e.pressures["floor"]) == pytest.approx(10.0)
    assert e["block"].position[1] == pytest.approx(0.0, abs=1e-12)


def test_borderline_is_said():
    # a saddle between two gaps that press with nothing: it falls along y, which one gap leaves one way, two gaps leave no way
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="x**2 - y**2", name="saddle")
    m.impact("up", "x - 2*y")
    (e,) = da.equilibrium(m)
    assert e.verdict == "unstable" and list(e.pressures) == ["up"]
    m.impact("down", "x + 2*y")
    (e,) = da.equilibrium(m)
    assert e.verdict == "degenerate" and "borderline: 'up', 'down' just touch and press with nothing" in e.reason
    assert [float(x) for x in e.pressures.values()] == [0.0, 0.0]
    # and where the cone of motions has a way down, it is found
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="x**2 - y**2", name="saddle")
    m.impact("up", "x + y/2")
    m.impact("down", "x - 2*y")
    (e,) = da.equilibrium(m)
    assert e.verdict == "unstable"


def test_what_nothing_holds_is_told():
    m = da.Mechanism("slope", plane=True, gravity=(0, -10))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.0, 0.5))
    m.contact("slope", m.ground, ball, normal=(math.sin(0.2), math.cos(0.2)))
    with pytest.raises(da.ConvergenceError, match="no rest position was found on 2 sets of touching gaps of 'slope'"):
        da.equilibrium(m)


def test_a_rough_floor_holds_on_a_slope():
    m = da.Mechanism("slope", plane=True, gravity=(0, -10))
    box = m.body("box", da.block(0.4, 0.2, mass=1.0), at=(0, 0.1), angle=0.0)
    m.contact("slope", m.ground, box, normal=(math.sin(0.0), 1.0), rough=True)
    m.force("wind", box, (2.0, 0), at=(0, 0.1))
    e = next(e for e in da.equilibrium(m) if len(e.pressures) == 2)
    assert e.reactions["slope"].force == pytest.approx([-2.0, 10.0])
    # the moment of the wind, 2 * 0.1, moves the pressures: 5 -+ 0.2/0.4
    assert sorted(float(x) for x in e.pressures.values()) == pytest.approx([4.5, 5.5])


def test_lagrangian_systems():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="(y + 1)**2", name="block")
    m.impact("floor", "y")
    (e,) = da.equilibrium(m)
    assert e["y"] == 0.0 and e.verdict == "stable" and float(e.pressures["floor"]) == pytest.approx(2.0)
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="10*y", name="bead")
    m.impact("bowl", "y - x**2/2")
    m.start("x", 0.3)
    m.start("y", 1.0)
    (e,) = da.equilibrium(m)
    assert (e["x"], e["y"]) == pytest.approx((0.0, 0.0), abs=1e-9) and e.eigenvalues == pytest.approx([10.0])


def test_cams_too():
    m = da.Mechanism("cam", plane=True, gravity=(0, -G))
    shaft = m.revolute("O", m.ground, m.body("wheel", da.disk(0.04, mass=1.0)), at=(0, 0))
    guide = m.prismatic("guide", m.ground, m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.05)), along=(0, 1))
    m.spring("coil", guide, stiffness=2000.0, force=20.0)
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))")
    found = da.equilibrium(m)
    # the valve rests where the lift is least, and lets go where it is largest: K = F s'' with F = m g + 20 + 2000 s
    assert [e.verdict for e in found] == ["stable", "unstable"]
    assert float(found[0].pressures["cam"]) == pytest.approx(0.3 * G + 20.0)
    assert float(found[1].pressures["cam"]) == pytest.approx(0.3 * G + 20.0 + 2000 * 0.02)


@pytest.mark.parametrize(
    "options", [{"method": "settle"}, {"along": "P", "between": (0, 1)}, {"spinning": ("A.angle", 1.0)}]
)
def test_what_is_not_known_is_refused(options):
    m = lever(0.1)
    m.parameter("P", 1.0)
    with pytest.raises(da.MethodError, match="with the rigid stop 'block'"):
        da.equilibrium(m, **options)


def test_an_arm_with_its_elbow_on_a_table():
    """Both ways to lie on the table, each with the forearm down or up, and two that touch nothing."""
    m = da.Mechanism("arm", plane=True, gravity=(0, -G))
    upper = m.body("upper", da.rod(length=1.0, mass=3.0), at=(0.5, 0))
    m.body("lower", da.rod(length=1.0, mass=2.0), at=(1.5, 0))
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, m["lower"], at=(1, 0))
    m.contact("table", m.ground, upper, points=[upper.end])
    found = da.equilibrium(m)
    assert [e.verdict for e in found] == ["stable"] * 2 + ["unstable"] * 4
    # half of the upper arm and all of the lower one
    on_it = [e for e in found if e.pressures]
    assert len(on_it) == 4 and all(float(e.pressures["table"]) == pytest.approx(3.5 * G) for e in on_it)
    assert sorted(round(math.cos(e["A.angle"])) for e in found[:2]) == [-1, 1]
    held = da.holding_load(m, ["A.angle", "B.angle"])
    assert (held["A.angle"].low, held["A.angle"].high) == (-math.inf, pytest.approx(4.5 * G))
    assert held["B.angle"].value == pytest.approx(G) and held.spread < 1e-9
