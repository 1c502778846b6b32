"""What is reached at the very end of a run belongs to it: runs one after the other have the events of one run, each once."""

import numpy as np
import pytest

import dalembert as da


def slider(what="t", **changes):
    m = da.Mechanism("slider", plane=True)
    m.parameter("k", 1.0)
    body = m.body("body", mass=1.0, inertia=1.0, velocity=(1, 0))
    m.prismatic("P", m.ground, body, along=(1, 0))
    m.event("on", what, level=1.0, **changes)
    return m


def coordinate(what="t", **changes):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", name="coordinate")
    m.start("x", 0.0, rate=1.0)
    m.event("on", what, level=1.0, **changes)
    return m


@pytest.mark.parametrize(
    ("m", "text"),
    [
        (slider(), "recorded"), (slider("body.x"), "recorded"), (slider(set={"k": 2.0}), "k = 2"), (slider(once=True), "recorded"),
        (slider(strike={"body": (2.0, 0)}), "struck"), (slider("body.x", lock="P"), "P.slide locked"),
        (coordinate(), "recorded"), (coordinate("x", lock="x"), "x locked"),
    ],
)  # fmt: skip
def test_two_runs_have_what_one_has(m, text):
    """Events of both, and the motion: x = 1 and the velocity after the event from there."""
    one, two = da.simulate(m, until=1.0), da.simulate(m, until=2.0)
    more = da.simulate(m, until=2.0, start=one.at(1.0))
    assert [(x.t, x.text) for x in one.events] == [(pytest.approx(1.0, rel=1e-12), text)]
    assert not more.events and [x.text for x in two.events] == [text]
    assert one.status == "ok" and one.audit.passed and more.audit.passed
    assert more.q[-1] == pytest.approx(two.q[-1], abs=1e-9)
    assert one.at(1.0).v == pytest.approx(one.events[0].after.v) and one.t[-1] == 1.0


def test_each_of_many_ends_counts_once():
    """Ten runs, each of which ends at a level, or between two."""
    m = slider()
    for k in range(1, 11):
        m.event(f"t{k}", "t", level=0.1 * k)
    run, names = da.simulate(m, until=0.1), []
    for k in range(2, 21):
        names += [x.name for x in run.events]
        run = da.simulate(m, until=0.05 * (k + 1), start=run.at(run.t[-1]))
    assert sorted(names + [x.name for x in run.events]) == sorted(["on", *(f"t{k}" for k in range(1, 11))])


@pytest.mark.parametrize("changes", [{"direction": "down"}, {"what": "body.x - 1e-9"}])
def test_what_is_not_crossed_does_not_happen(changes):
    """The other direction, and a level a little beyond the end, which the next run crosses."""
    m = slider(**changes)
    run = da.simulate(m, until=1.0)
    assert not run.events
    assert len(da.simulate(m, until=2.0, start=run.at(1.0)).events) == ("what" in changes)


def test_a_blow_at_the_end_is_answered_by_the_floor():
    """A ball at rest on the floor is struck downwards: the floor gives it back with e, at the end as before it."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -9.81))
    m.particle("ball", mass=1.0, at=(0, 0))
    m.impact("floor", "ball.y", restitution=0.5)
    m.event("blow", "t", level=1.0, strike={"ball": (0, -2.0)})
    end, later = da.simulate(m, until=1.0), da.simulate(m, until=1.1)
    after = [np.round(run.events[-1].after.v, 12).tolist() for run in (end, later)]
    assert after[0] == after[1] and [x.name for x in end.events] == [x.name for x in later.events]
    assert end.at(1.0).v == pytest.approx(end.events[-1].after.v) and end.audit.passed
