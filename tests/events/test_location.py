"""Events are located to the last digits, with their direction: against closed forms, for both kinds of models, in the plane and in space."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def falling(plane=True):
    m = da.Mechanism("ball", plane=plane, gravity=(0, -G) if plane else (0, -G, 0))
    m.particle("ball", mass=1.0, at=(0, 1.0) if plane else (0, 1.0, 0))
    return m, "ball.y"


def falling_coordinate():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="g*y", parameters={"g": G})
    m.start("y", 1.0)
    return m, "y"


MODELS = {"plane": lambda: falling(True), "space": lambda: falling(False), "coordinates": falling_coordinate}


@pytest.mark.parametrize("kind", MODELS)
def test_free_fall_reaches_a_height(kind):
    """y = 1 - g t^2/2 is exact for the method, so that the time is as well: sqrt(2 (1 - h)/g) within some roundings."""
    m, y = MODELS[kind]()
    m.event("half", y, level=0.5)
    m.event("floor", y, direction="down", stop=True)
    run = da.simulate(m, until=1.0)
    assert run.status == "ok" and [x.name for x in run.events] == ["half", "floor"]
    assert run.events[0].t == pytest.approx(math.sqrt(1.0 / G), abs=1e-14)
    assert run.events[1].t == pytest.approx(math.sqrt(2.0 / G), abs=1e-14)
    assert run.t[-1] == run.trace.kept.t[-1] == run.events[1].t, "the run ends there, and that is the last output"
    assert abs(run[y][-1]) < 1e-14 and run.q.shape == (len(run.t), run.system.nq) and run.audit.passed


def test_states_at_an_event_satisfy_the_condition_and_the_constraints():
    """A pendulum at 1 rad: the angle to 1e-12, the pin to rounding, and the rate by the energy, w^2 = 3 g sin(1)/L."""
    m = da.Mechanism("pendulum", gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.event("passed", "A.angle", level=-1.0)
    run = da.simulate(m, until=3.0, rtol=1e-12, atol=1e-13)
    assert len(run.events["passed"]) >= 3
    for x in run.events:
        assert abs(x.state.q[2] + 1.0) < 1e-12
        assert np.hypot(x.state.q[0] - 0.5 * math.cos(1), x.state.q[1] + 0.5 * math.sin(1)) < 1e-12
        assert x.state.v[2] ** 2 == pytest.approx(
            3.0 * G * math.sin(1.0), abs=1e-9
        )  # what the tolerance leaves of the energy
    assert np.allclose(run.crossings("A.angle", -1.0), run.events.times, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("direction", "expected"), [("up", [1.5]), ("down", [0.5, 2.5]), ("both", [0.5, 1.5, 2.5])])
def test_direction(direction, expected):
    """cos(pi t) falls through 0 at 1/2 and 5/2, and rises at 3/2."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="pi**2*x**2/2")
    m.start("x", 1.0)
    m.event("zero", "x", direction=direction)
    run = da.simulate(m, until=3.0, rtol=1e-11, atol=1e-12)
    assert run.events.times == pytest.approx(expected, abs=1e-10)


def test_a_time_is_met_to_the_last_bit():
    m, _ = falling()
    m.event("third", "t", level=1.0 / 3.0)
    assert da.simulate(m, until=1.0).events[0].t == pytest.approx(1.0 / 3.0, abs=1e-15)


def test_what_is_recorded_does_not_change_the_motion():
    m, y = falling_coordinate()
    plain = da.simulate(m, until=1.0)
    m.event("seen", y, level=0.3)
    run = da.simulate(m, until=1.0)
    assert len(run.events) == 1 and len(run.pieces) == 1
    assert np.max(np.abs(run.q - plain.q)) < 1e-11  # another step ends at the event; rtol is 1e-8


def test_a_graze_is_seen():
    """The top of a throw is 1e-9 above the level: two crossings, sqrt(8 * 1e-9 / g) apart."""
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="g*y", parameters={"g": G})
    top = 1.0**2 / (2.0 * G)
    m.start("y", 0.0, rate=1.0)
    m.event("near the top", "y", level=top - 1e-9)
    run = da.simulate(m, until=0.2)
    first, second = run.events.times
    assert second - first == pytest.approx(
        math.sqrt(8e-9 / G), rel=1e-6
    )  # the difference of heights is known to 1e-15 of 1e-9


def test_two_events_at_one_instant():
    m, y = falling_coordinate()
    m.event("one", y, direction="down")
    m.event("two", "2*y", direction="down")
    m.impact("floor", y, restitution=0.5)
    run = da.simulate(m, until=0.6)
    assert sorted(x.name for x in run.events) == ["floor", "one", "two"]
    assert len(set(run.events.times)) == 1
