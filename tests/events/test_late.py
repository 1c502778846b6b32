"""A motion begun late, or before the time 0, is the motion begun at 0: what happens, when, and where the machine is then."""

import numpy as np
import pytest

import dalembert as da

G = 9.81


def bouncing(t0):
    """A disk that bounces, rolls in, and rolls on."""
    m = da.Mechanism("bouncing disk", plane=True, gravity=(0, -G))
    disk = m.body("disk", da.disk(0.1, mass=1.0), at=(0, 1.0), velocity=(1.0, 0))
    m.contact("floor", m.ground, disk, mu=0.3, restitution=0.5)
    return m, 3.0


def stick_slip(t0):
    """A block that a force moves to and fro, which sticks in between."""
    m = da.Mechanism("stick-slip", plane=True)
    body = m.body("body", mass=1.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.force("push", "body", (f"8*sin(3*(t - ({t0!r})))", 0))
    m.friction("rub", "guide", force=5.0)
    return m, 5.0


def rolling(t0):
    """A disk that slides at first."""
    m = da.Mechanism("rolling disk", plane=True, gravity=(0, -G))
    disk = m.body("disk", da.disk(0.1, mass=1.0), at=(0, 0.1), velocity=(1.0, 0))
    m.contact("floor", m.ground, disk, mu=0.3)
    return m, 2.0


def swinging(t0):
    """A pendulum over a stop; an event at a time and one at a place, which change nothing."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.impact("stop", "A.angle + 2.0", restitution=0.6)
    m.event("level", "A.angle + 1.0")
    m.event("time", "t", level=t0 + 1.25)
    return m, 3.0


@pytest.mark.parametrize("build", [bouncing, stick_slip, rolling, swinging])
@pytest.mark.parametrize("t0", [-1e6, -2.0, 1e4, 1e5, 1e6])
def test_a_motion_begun_late_is_the_motion_begun_at_zero(build, t0):
    m, until = build(0.0)
    first = da.simulate(m, until=until, output=0.25)
    m, _ = build(t0)
    at = first.at(0.0)
    late = da.simulate(m, until=t0 + until, start=da.State(t0, at.q, at.v), output=t0 + first.t)
    assert first.status == late.status == "ok" and len(first.events) >= 1
    assert [(x.name, x.what) for x in late.events] == [(x.name, x.what) for x in first.events]
    # what time is rounded to, which a force that depends on it sees besides, and the tolerance of the run
    rounding = 4.0 * np.spacing(abs(t0) + until)
    assert [x.t - t0 for x in late.events] == pytest.approx([x.t for x in first.events], abs=1e-8 + 2.0 * rounding)
    assert late.q == pytest.approx(first.q, abs=1e-7 + 20.0 * rounding)
    # states at other times, across events, too
    some = np.linspace(0.03, until - 0.03, 17)
    assert late.resample(t0 + some).q == pytest.approx(first.resample(some).q, abs=1e-7 + 20.0 * rounding)
