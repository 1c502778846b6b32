"""What friction of compliant contacts holds at rest: what presses follows from the gaps, so that ranges have closed forms."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def crate(angle=0.0, stiffness=0.0, mu=0.3, **more):
    """A crate of 2 kg on a soft slope, held by a force -k x through its middle."""
    m = da.Mechanism("crate", plane=True, gravity=(-G * math.sin(angle), -G * math.cos(angle)))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1 - G * math.cos(angle) / 1e5))
    m.contact("floor", m.ground, body, stiffness=1e5, exponent=1.0, mu=mu, **more)
    if stiffness:
        m.actuator("rope", m.find_measure("crate.x"), force=f"-{stiffness}*s")
    return m


@pytest.mark.parametrize("static", [None, 0.4])
def test_a_crate_on_a_rope(static):
    """k |x| <= static m g, whatever the corners share."""
    found = da.equilibrium(crate(stiffness=200.0, static=static))
    end = (static or 0.3) * 2.0 * G / 200.0
    (held,) = found
    assert (found.coordinate, held.on) == ("crate.x", ("floor",))
    assert (held.low, held.high) == pytest.approx((-end, end), rel=1e-6)
    assert [state.q[0] for state in held.states] == pytest.approx([held.low, held.high])
    assert 0.0 in found and 1.01 * end not in found


def test_a_run_agrees_at_the_end_of_the_range():
    (held,) = da.equilibrium(crate(stiffness=200.0))
    for part, stays in ((0.99, True), (1.01, False)):
        m = crate(stiffness=200.0)
        there = da.assemble(m, fixed={"crate.x": part * held.high, "crate.y": held.states[1].q[1], "crate.angle": held.states[1].q[2]}).state  # fmt: skip
        run = da.simulate(m, until=0.05, start=there)
        # what sticks shifts by the yielding of the corners
        assert (abs(run["crate"].position[-1, 0] - part * held.high) < 2e-5) == stays
        # it turns by 3e-9 rad/s, which nothing but the tolerance of positions explains: no reason to fail
        assert run.status == "ok", run.audit.failures


def test_a_crate_that_is_drawn_above_the_floor_comes_to_rest_as_it_is():
    """Of all its sides it stands on the one next to the drawing."""
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.5))
    m.contact("floor", m.ground, body, stiffness=1e5, exponent=1.0, mu=0.3)
    m.actuator("rope", m.find_measure("crate.x"), force="-200*s")
    (held,) = da.equilibrium(m)
    assert held.high == pytest.approx(0.3 * 2.0 * G / 200.0, rel=1e-6) and abs(held.states[1].q[2]) < 1e-3


@pytest.mark.parametrize(("angle", "held"), [(0.2, True), (0.29, True), (0.30, False)])
def test_a_crate_on_a_slope(angle, held):
    """Everywhere below the angle of friction, 0.2915, nowhere above."""
    found = da.equilibrium(crate(angle))
    assert [(one.low, one.high) for one in found] == ([(-math.inf, math.inf)] if held else [])


def brake(press=10.0, **more):
    """A wheel with 20 N beside its middle, and a soft pad that presses on it."""
    m = da.Mechanism("brake", plane=True)
    wheel = m.body("wheel", da.disk(0.3, mass=4.0))
    m.revolute("O", m.ground, wheel, at=(0, 0))
    m.force("weight", wheel, (0, -20.0), at=wheel.point(0.2, 0))
    m.contact("pad", m.ground, wheel, normal=(1, 0), through=(press / 1e4 - 0.3, 0), stiffness=1e4, exponent=1.0, mu=0.25, **more)  # fmt: skip
    return m


def test_a_brake_holds_a_wheel():
    """20 * 0.2 |cos| <= mu N r: around the lowest and the highest position; and the range of torques that hold it level."""
    limit = math.acos(0.25 * 10.0 * 0.3 / 4.0)
    found = da.equilibrium(brake())
    low = next(one for one in found if -math.pi / 2 in one)
    assert (low.low, low.high) == pytest.approx((limit - math.pi, -limit), abs=1e-8)
    held = da.holding_load(brake(), "O.angle")["O.angle"]
    assert (held.low, held.high, held.value) == pytest.approx((4.0 - 0.75, 4.0 + 0.75, 4.0 - 0.75), rel=1e-9)
    # two frictions of a known limit add up; one of a joint, too
    m = brake()
    m.friction("bearing", "O.angle", force=0.25)
    held = da.holding_load(m, "O.angle")["O.angle"]
    assert (held.low, held.high) == pytest.approx((3.0, 5.0), rel=1e-9)
    m = brake()
    m.open("pad")
    assert da.holding_load(m, "O.angle").value == pytest.approx(4.0)
    assert [round(e["O.angle"], 9) for e in da.equilibrium(m)] == pytest.approx([-math.pi / 2, math.pi / 2])


def test_a_pad_that_is_off_holds_nothing():
    held = da.holding_load(brake(press=-5.0), "O.angle")["O.angle"]
    assert (held.low, held.high) == pytest.approx((4.0, 4.0), rel=1e-9)
    assert all(one.low == one.high or one.high - one.low < 1e-6 for one in da.equilibrium(brake(press=-5.0)))


def test_beside_a_rigid_stop():
    """A wheel that a stop keeps from falling is held from below without end, and from above by weight and pad."""
    m = brake()
    m.impact("stop", "O.angle")
    held = da.holding_load(m, "O.angle")["O.angle"]
    assert held.low == -math.inf and held.high == pytest.approx(4.75, rel=1e-9)


def test_what_fills_more_than_a_line_is_refused():
    """A ladder on a soft floor against a soft wall rests on a surface of positions."""
    m = da.Mechanism("ladder", plane=True, gravity=(0, -G))
    s, c = math.sin(1.2), math.cos(1.2)
    bar = m.body("ladder", da.rod(length=4.0, mass=12.0), at=(2 * c, 2 * s), angle=-1.2)
    m.contact("wall", m.ground, bar, normal=(1, 0), points=[bar.start], mu=0.2, stiffness=1e6, exponent=1.0)
    m.contact("floor", m.ground, bar, points=[bar.end], mu=0.3, stiffness=1e6, exponent=1.0)
    with pytest.raises(da.MethodError, match=r"3 free motions, and friction .* with 2 components"):
        da.equilibrium(m)
    m = crate(stiffness=200.0)
    arm = m.body("arm", da.rod(length=0.2, mass=0.1), at=(0, 0.1))
    m.revolute("pin", m["crate"], arm, at=(-0.1, 0.1))
    m.friction("bearing", "pin", mu=0.1, radius=0.01)
    with pytest.raises(da.MethodError, match=r"4 free motions, and friction 'bearing', .* with 2 components"):
        da.equilibrium(m)
    m = da.Mechanism("bowl", plane=True, gravity=(0, -G))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, -0.9001))
    m.contact("bowl", m.ground, ball, radii=(1.0, 0.1), inside=True, stiffness=1e5, exponent=1.0, mu=0.3)
    with pytest.raises(da.MethodError, match="a slip that is a rate, and no coordinate"):
        da.equilibrium(m)


def test_a_bearing_that_feels_the_pad():
    """The pad presses the wheel on its bearing, and its friction of 2.5 N makes that lighter or heavier: mu r |F| besides, F = (10, 20 +- 2.5) N."""
    m, feels = brake(), 0.1 * 0.01
    m.friction("bearing", "O", mu=0.1, radius=0.01)
    low, high = (feels * math.hypot(10.0, 20.0 + x) for x in (2.5, -2.5))
    held = da.holding_load(m, "O.angle")["O.angle"]
    assert (held.low, held.high) == pytest.approx((3.25 - low, 4.75 + high), rel=1e-9)
    # at rest: 4 |cos| <= 0.75 + mu r |F|
    one = next(one for one in da.equilibrium(m) if -math.pi / 2 in one)
    for end, load in ((one.low, high), (one.high, low)):
        assert 4.0 * abs(math.cos(end)) == pytest.approx(0.75 + load, rel=1e-7)


def test_one_pose_in_space():
    """A ball on a soft floor carries no push through its middle, but a torque about the normal is not held by a point either."""
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -10))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.1 - 10 / 1e5))
    m.contact("floor", m.ground, ball, mu=0.3, stiffness=1e5, exponent=1.0)
    m.force("low", ball, (1, 0, 0), at=ball.point(0, 0, -0.1))
    held = da.holding_load(m, "low")["low"]
    # at the point that touches friction takes all of it
    assert (held.low, held.high) == pytest.approx((-3.0, 3.0), rel=1e-9)
    assert np.isfinite(held.value)
