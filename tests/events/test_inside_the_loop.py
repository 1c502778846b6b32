"""Impacts that the time loop makes by itself are those that Python would decide, to the last thing that is said of them."""

import math
import pickle

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.events import course

G = 9.81


def ball():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1))
    m.impact("floor", "ball.y", restitution=0.9)
    m.event("half", "ball.y", level=0.5, direction="up")
    m.event("first", "ball.y", level=0.25, once=True)
    return m, 3.0


def ball_with_conditions():
    """What is recorded has a condition, whose side is for Python after an impact."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1), velocity=(0.5, 0))
    m.impact("floor", "ball.y", restitution=0.9)
    m.event("zigzag", "if_(ball.y > 0.5, ball.x, 1 - ball.x) - 0.3")
    return m, 3.0


def linkage():
    """A four-bar with a redundant copy of its last pin, whose rocker meets a stop."""
    m = da.Mechanism("four-bar", plane=True, gravity=(0, -G))
    a = m.body("crank", da.rod(length=0.5, mass=1.0), at=(0, 0.25), angle=math.pi / 2)
    b = m.body("coupler", da.rod(length=1.0, mass=2.0), at=(0.5, 0.5))
    c = m.body("rocker", da.rod(length=0.5, mass=1.0), at=(1.0, 0.25), angle=math.pi / 2)
    m.revolute("O", m.ground, a, at=(0, 0))
    m.revolute("A", a, b, at=(0, 0.5))
    m.revolute("B", b, c, at=(1, 0.5))
    m.revolute("C", m.ground, c, at=(1, 0))
    m.damper("damper", "O.angle", damping=0.1)
    m.impact("stop", "O.angle + 0.8 - pi/2", restitution=0.6, hypothesis="poisson")
    m.impact("other", "2.5 + pi/2 - O.angle", restitution=0.4)
    m.start(m["O"].angle, rate=-1.0)
    return m, 2.0


def in_space():
    """A double pendulum in space whose tip meets a wall."""
    m = da.Mechanism("pendulum in space", plane=False, gravity=(0, 0, -G))
    one = m.body("one", da.box(1.0, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0))
    two = m.body("two", da.box(1.0, 0.1, 0.2, mass=2.0), at=(1.5, 0, 0))
    m.revolute("A", m.ground, one, at=(0, 0, 0), axis=(0, 1, 0))
    m.spherical("B", one, two, at=(1, 0, 0))
    m.measure("x", point=two.point(0.5, 0, 0), along=(1, 0, 0))
    m.impact("wall", "x - 0.5", restitution=0.7)
    m.start(m["A"].angle, rate=0.5)
    return m, 3.0


def pushed():
    """A mass on a spring against a wall that a driver moves; a law that changes where the mass moves the other way."""
    m = da.Mechanism("pushed", plane=True)
    wall, body = m.body("wall", mass=1.0, inertia=1.0, at=(1, 0)), m.body("body", mass=1.0, inertia=1.0)
    m.prismatic("slide", m.ground, wall, along=(1, 0), at=(1, 0))
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.drive("motor", m["slide"].slide, "0.2*sin(5*t)")
    m.spring("spring", "guide.slide", stiffness=10.0)
    m.force("drag", "body", ("4 - 0.5*if_(rate(guide.slide) > 0, 1, -2)*rate(guide.slide)", 0))
    m.impact("hit", "0.4 + slide.slide - guide.slide", restitution=0.8)
    return m, 6.0


def both(build, monkeypatch, **options):
    m, until = build()
    inside = da.simulate(m, until=until, output=0.05, rtol=1e-10, atol=1e-12, **options)
    with monkeypatch.context() as patch:
        patch.setattr(course, "stops_inside", lambda *_: None)
        outside = da.simulate(m, until=until, output=0.05, rtol=1e-10, atol=1e-12, **options)
    return inside, outside


@pytest.mark.parametrize("build", [ball, linkage, in_space, pushed])
def test_as_python_decides(build, monkeypatch):
    inside, outside = both(build, monkeypatch)
    assert inside.status == outside.status == "ok"
    impacts = inside.events.of("impact")
    assert len(inside.pieces) < 3 < len(outside.pieces) and len(impacts) >= 3
    assert [(x.name, x.what) for x in inside.events] == [(x.name, x.what) for x in outside.events]
    for one, other in zip(inside.events, outside.events):
        assert one.t == pytest.approx(other.t, abs=1e-8)
        assert one.text.split()[:3] == other.text.split()[:3]
        for name in ("energy_before", "energy_after", "dissipated"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-7)
        assert one.impulse == pytest.approx(other.impulse, abs=1e-7)
        for name in ("before", "after"):
            assert getattr(one, name).v == pytest.approx(getattr(other, name).v, abs=1e-6)
            assert getattr(one, name).q == pytest.approx(getattr(other, name).q, abs=1e-7)
        assert len(one.accounts) == len(other.accounts)
        for mine, his in zip(one.accounts, other.accounts):
            assert mine.energy_change == pytest.approx(his.energy_change, abs=1e-7)
            assert mine.after.v == pytest.approx(one.after.v, abs=1e-9)
    assert inside.q == pytest.approx(outside.q, abs=1e-6)
    assert inside.v == pytest.approx(outside.v, abs=1e-5)
    assert len(inside.impulses) == len(outside.impulses) == len(impacts)
    assert inside.audit.lost == pytest.approx(outside.audit.lost, abs=1e-7)
    assert inside.work.total[-1] == pytest.approx(outside.work.total[-1], abs=1e-6)


@pytest.mark.parametrize("build", [ball, linkage, in_space, pushed])
def test_the_run_goes_on_from_there(build, monkeypatch):
    """States at an impact are those after it, before it those before; a run that begins there is the same; other times are made from steps."""
    inside, _ = both(build, monkeypatch)
    m, until = build()
    hit = inside.events.of("impact")[1]
    assert inside.at(hit.t).v == pytest.approx(hit.after.v, abs=1e-12)
    close = inside.at(hit.t - 1e-9)
    assert close.v == pytest.approx(hit.before.v, abs=1e-5)
    assert not np.allclose(hit.before.v, hit.after.v, atol=1e-3)
    again = da.simulate(m, until=until, start=inside.at(hit.t), output=[until], rtol=1e-10, atol=1e-12)
    assert again.q[-1] == pytest.approx(inside.q[-1], abs=1e-6)
    times = np.linspace(0.01, until - 0.01, 23)
    assert inside.resample(times).q == pytest.approx(np.array([inside.at(t).q for t in times]), abs=1e-9)
    read = pickle.loads(pickle.dumps(inside))
    assert [str(x) for x in read.events] == [str(x) for x in inside.events]
    assert read.events.of("impact")[1].after.v == pytest.approx(hit.after.v, abs=0.0)


def test_many_impacts_are_one_part():
    """A thousand impacts of a ball that loses nothing: Python is not entered, and the height stays."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1))
    m.impact("floor", "ball.y", restitution=1.0)
    flight = 2.0 * math.sqrt(2.0 / G)
    run = da.simulate(m, until=1000.25 * flight, output=flight / 2)
    assert run.status == "ok" and len(run.pieces) == 1 and len(run.events) == 1000
    assert run.trace.step.steps < 3000
    assert run.events.times == pytest.approx(flight * (np.arange(1000) + 0.5), rel=1e-9)
    assert np.abs(run.energy.total - G).max() < 1e-6


def test_the_end_of_bounces_is_for_python():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1))
    m.impact("floor", "ball.y", restitution=0.5)
    run = da.simulate(m, until=3.0)
    last, first = run.events[-1], math.sqrt(2.0 / G)
    assert last.what == "rest" and run["ball"].position[-1, 1] == pytest.approx(0.0, abs=1e-10)
    # the geometric series of flights: t0 + 2 t0 e/(1 - e)
    assert last.accumulates == pytest.approx(first * (1.0 + 2.0), rel=1e-6)
    assert len(run.pieces) == 2


def cradle():
    """Two balls that come together to one that rests, between walls: three gaps at one instant, by Poisson's hypothesis."""
    m = da.Mechanism("cradle", plane=True)
    for k, (place, speed) in enumerate(((0.0, 1.0), (1.0, 0.0), (2.0, -0.5))):
        body = m.body(f"b{k}", mass=1.0 + 0.5 * k, inertia=1.0, at=(place, 0))
        m.prismatic(f"g{k}", m.ground, body, along=(1, 0), at=(place, 0))
        m.start(m[f"g{k}"].slide, rate=speed)
    m.impact("left", "2 + g0.slide", restitution=0.9, hypothesis="poisson")
    m.impact("one", "0.5 + g1.slide - g0.slide", restitution=0.8, hypothesis="poisson")
    m.impact("two", "0.25 + g2.slide - g1.slide", restitution=0.7, hypothesis="poisson")
    return m, 3.0


def flat_bar():
    """A bar that falls flat on three stops between two others, and turns after: one end bounces more."""
    m = da.Mechanism("bar", gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, 1.0))
    for name, place, e in (("left", -0.5, 0.9), ("right", 0.5, 0.9)):
        m.impact(name, m.measure(f"{name} height", point=bar.point(place, 0), along=(0, 1)), restitution=e)
    return m, 2.0


def test_events_with_conditions(monkeypatch):
    inside, outside = both(ball_with_conditions, monkeypatch)
    assert inside.status == outside.status == "ok" and len(inside.events.of("event")) > 0
    assert [(x.name, x.what) for x in inside.events] == [(x.name, x.what) for x in outside.events]
    assert inside.events.times == pytest.approx(outside.events.times, abs=1e-8)


@pytest.mark.parametrize("build", [cradle, flat_bar])
def test_several_gaps_at_one_instant(build, monkeypatch):
    inside, outside = both(build, monkeypatch)
    assert inside.status == outside.status == "ok"
    assert any(len(x.impulse) > 1 for x in inside.events) and len(inside.pieces) < len(outside.pieces)
    assert [x.what for x in inside.events] == [x.what for x in outside.events]
    for one, other in zip(inside.events, outside.events):
        assert one.t == pytest.approx(other.t, abs=1e-8)
        assert one.impulse == pytest.approx(other.impulse, abs=1e-7)
        assert one.dissipated == pytest.approx(other.dissipated, abs=1e-7)
        assert one.after.v == pytest.approx(other.after.v, abs=1e-6)
        assert [x.energy_change for x in one.accounts] == pytest.approx([x.energy_change for x in other.accounts])
    assert inside.q == pytest.approx(outside.q, abs=1e-6)


def test_gaps_that_stay_closed_are_for_python():
    """Three balls by Newton's hypothesis: the second gap stays at its place."""
    m = da.Mechanism("row", plane=True)
    for k, (place, speed) in enumerate(((0.0, 1.0), (1.0, 0.0), (2.0, 0.0))):
        body = m.body(f"b{k}", mass=1.0, inertia=1.0, at=(place, 0))
        m.prismatic(f"g{k}", m.ground, body, along=(1, 0), at=(place, 0))
        m.start(m[f"g{k}"].slide, rate=speed)
    m.impact("one", "0.5 + g1.slide - g0.slide", restitution=1.0)
    m.impact("two", "g2.slide - g1.slide", restitution=1.0)
    run = da.simulate(m, until=1.0)
    assert run.v[-1, [0, 3, 6]] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)
    assert run.status == "ok" and len(run.pieces) == 2
