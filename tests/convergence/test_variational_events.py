"""Variational methods with events, impacts, dry friction, auxiliary states and controllers: orders 2 and 4 through them, and energy without drift over many impacts.

Instants of a pendulum are known in closed form; other motions are compared with the default method at a tolerance of 1e-12.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ellipk

import dalembert as da
from tests.soak import share

from .models import GRAVITY, LENGTH, pendulum, rolling_disk
from .test_variational import METHODS
from .test_variational_general import double_pendulum


def stopped_pendulum(restitution=1.0):
    """A rigid stop at 2 rad below the horizontal, a little beyond the lowest position."""
    m = pendulum()
    m.impact("wall", "A.angle + 2", restitution=restitution)
    return m


def thrown_back():
    """A double pendulum in angles that hits a wall."""
    m = double_pendulum()
    m.impact("wall", "a + 0.5", restitution=0.7)
    return m


def cut_loose():
    """The pin lets go in the lowest position."""
    m = pendulum()
    m.event("cut", "A.angle", level="-pi/2", release="A")
    return m


def controlled():
    """A pendulum held by a filter and an integrator."""
    m = pendulum()
    m.state("z", rate="0.3 - A.angle - 0.2*z", start=0.5)
    m.state("y", rate="z*cos(A.angle) - 3*y")
    m.actuator("u", m["A"].angle, force="10*z + y - rate(A.angle)")
    return m


def pushed_coin():
    """A rolling coin and a state that pushes it: rows of rates."""
    m = rolling_disk()
    m.state("late", rate=f"20*({m.bodies[0].name}.x - late)")
    m.force("push", m.bodies[0], ("-0.05*late", 0, 0))
    return m


def stick_slip():
    """A block on a rough guide, pulled by a spring: sticks and slips."""
    m = da.Mechanism("stick-slip", gravity=(0, -GRAVITY))
    block = m.body("block", mass=1.0, inertia=0.1)
    guide = m.prismatic("P", m.ground, block, along=(1, 0))
    m.friction("rub", guide, mu=0.3, static=0.5)
    m.actuator("pull", guide.slide, force="50*(0.5*t - P.slide)")
    return m


def rough_pin():
    """A pendulum whose pin rubs by what it carries."""
    m = pendulum()
    m.friction("rub", "A", mu=0.2, radius=0.1)
    return m


# model, step, end, how many things happen
MODELS = {
    "impact": (stopped_pendulum, 0.01, 2.5, 2),
    "loss": (lambda: stopped_pendulum(0.5), 0.01, 2.5, 2),
    "Lagrangian": (thrown_back, 0.01, 1.8, 1),
    "release": (cut_loose, 0.01, 1.0, 1),
    "states": (controlled, 0.01, 1.0, 0),
    "rolling": (pushed_coin, 0.004, 0.5, 0),
    "stick-slip": (stick_slip, 0.01, 2.3, 5),
    "pin": (rough_pin, 0.01, 3.0, 3),
}


@pytest.mark.parametrize(("method", "order"), METHODS)
@pytest.mark.parametrize(("build", "h", "until", "many"), MODELS.values(), ids=MODELS)
def test_order(build, h, until, many, method, order):
    """Half the step gives an error of 2^order less, to a tenth of the order: instants lie elsewhere in the steps."""
    exact = da.simulate(build(), until=until, rtol=1e-12, atol=1e-13, output=[0.0, until])
    errors = []
    for step in (h, h / 2):
        run = da.simulate(build(), until=until, method=method, step=step, output=[0.0, until])
        assert run.status == "ok" and len(run.events) == len(exact.events) == many
        assert [x.what for x in run.events] == [x.what for x in exact.events]
        apart = [abs(x.t - y.t) for x, y in zip(run.events, exact.events)]
        errors.append([*(np.abs(getattr(run, x)[-1] - getattr(exact, x)[-1]).max() for x in ("q", "v")), *apart])
        if run.z.shape[1]:
            errors[-1].append(np.abs(run.z[-1] - exact.z[-1]).max())
    for coarse, fine in zip(*errors):
        # rounding of instants, and of a block that sticks until its spring is long enough: known to the last digits by any method
        assert coarse < 1e-12 or math.log2(coarse / fine) == pytest.approx(order, abs=0.1 * order)


@pytest.mark.parametrize(("method", "order"), METHODS)
def test_what_is_recorded_changes_nothing(method, order):
    """Instants against Jacobi's quarter period; the motion is that without events to the last bit, several of them in one step included."""
    quarter = ellipk(0.5) / math.sqrt(1.5 * GRAVITY / LENGTH)
    known, errors = quarter * np.array([1.0, 3.0, 5.0]), []
    for step in (0.02, 0.01):
        m = pendulum()
        m.event("low", "A.angle", level="-pi/2")
        m.event("turns", "rate(A.angle)", direction="up")
        m.event("tick", "sin(700*t)", level=0.3)
        runs = [
            da.simulate(x, until=3.0, method=method, step=step, output=0.005 if x is m else 1.0)
            for x in (m, pendulum())
        ]
        every = [np.flatnonzero(np.isclose(runs[0].t, t)) for t in runs[1].t]
        for x in ("q", "v"):
            assert np.array_equal(getattr(runs[0], x)[np.concatenate(every)], getattr(runs[1], x))
        low = [x for x in runs[0].events if x.name == "low"]
        errors.append([abs(x.t - t) for x, t in zip(low, known, strict=True)])
        assert max(abs(x.before.q[2] + math.pi / 2) for x in low) < 1e-14
        turns = [x.t for x in runs[0].events if x.name == "turns"]
        assert turns == pytest.approx(quarter * np.array([2.0, 6.0]), abs=2 * errors[-1][2])
        # sin(700 t) = 0.3 at these instants, 16 within one of the longer steps
        n = np.arange(0, 400)
        ticks = np.sort(np.concatenate([np.arcsin(0.3) + 2 * np.pi * n, np.pi - np.arcsin(0.3) + 2 * np.pi * n])) / 700
        found = [x.t for x in runs[0].events if x.name == "tick"]
        assert found == pytest.approx(ticks[ticks < 3.0], abs=1e-14)
    for coarse, fine in zip(*errors):
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.05 * order)


def test_energy_over_many_impacts():
    """Elastic impacts: the error of the energy is in the last tenth what it is in the first, and a quarter with half the step."""
    until, errors = 0.004 * share(500_000), []
    for step in (0.004, 0.002):
        run = da.simulate(stopped_pendulum(), until=until, method="variational", step=step, output=0.25)
        assert run.status == "ok" and len(run.events) == pytest.approx(0.887 * until, abs=1)
        error = np.abs(np.asarray(run.energy.total) - run.energy.total[0])
        tenth = len(error) // 10
        # with whole steps after each impact, in place of what is left of one, it is ten times as large after 1700 impacts
        assert np.mean(error[-tenth:]) < 1.2 * np.mean(error[:tenth])
        errors.append(np.max(error))
    assert errors[1] == pytest.approx(0.25 * errors[0], rel=0.1)


def test_bounces_late_in_a_run():
    """A ball thrown up at t = 1e6 s, where a time is known to 1e-10 s and a place on the way to 1e-10 m: impacts are met to rounding of the place."""
    m = da.Mechanism("ball", gravity=(0, -GRAVITY))
    m.body("ball", mass=1.0, inertia=0.1, at=(0, 1.0))
    m.impact("floor", "ball.y", restitution=1.0)
    start = replace(da.simulate(m, until=0.1, output=[0.0, 0.1]).at(0.0), t=1e6)
    run = da.simulate(m, until=1e6 + 20.0, start=start, method="variational", step=0.01)
    fall = math.sqrt(2.0 / GRAVITY)
    assert np.array([x.t for x in run.events]) - 1e6 == pytest.approx(
        np.arange(1, 2 * len(run.events), 2) * fall, abs=1e-8
    )
    assert len(run.events) == 22 and max(abs(x.before.q[1]) for x in run.events) < 1e-13


def test_a_controller_between_steps():
    """Inputs are set every 52 ms, inside steps of 10 and 5 ms, by the rule of the default method: order 2."""
    m = pendulum()
    m.input("u")
    m.actuator("motor", m["A"].angle, force="u")
    given = {"control": {"u": "-30*A.angle - 4*rate(A.angle)"}, "sample": 0.052, "output": [0.0, 1.0]}
    exact = da.simulate(m, until=1.0, rtol=1e-12, atol=1e-13, **given)
    errors = [
        np.abs(da.simulate(m, until=1.0, method="variational", step=h, **given).q[-1] - exact.q[-1]).max()
        for h in (0.01, 0.005)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)


def braked(damping):
    m = da.Mechanism("brake")
    slider = m.body("slider", mass=1.0, inertia=1.0, velocity=(1.0, 0))
    m.prismatic("P", m.ground, slider, along=(1, 0))
    m.damper("brake", m["P"].slide, damping=damping)
    return m


@pytest.mark.parametrize("damping", [10.0, 500.0, 700.0])
def test_a_damper_is_solved_to_rounding(damping):
    """Half impulses at both ends: v' = v (1 - x)/(1 + x), x = c h/(2 m)."""
    h = 0.002
    run = da.simulate(braked(damping), until=3 * h, method="variational", step=h, output=h, audit=False)
    x = 0.5 * damping * h
    assert np.asarray(run["slider"].velocity)[:, 0] == pytest.approx(((1 - x) / (1 + x)) ** np.arange(4), rel=1e-11)


@pytest.mark.parametrize("damping", [950.0, 2000.0])
def test_a_damper_that_is_too_strong_for_the_step_is_told(damping):
    with pytest.raises(da.ConvergenceError, match="smaller step than step=0.002"):
        da.simulate(braked(damping), until=0.1, method="variational", step=0.002)


@pytest.mark.parametrize("method", ["variational", "variational4"])
def test_rest(method):
    """A crate that friction has stopped, on two corners: forces cancel, and rounding is no motion."""
    m = da.Mechanism("crate", gravity=(0, -GRAVITY))
    crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(2.0, 0))
    m.contact("floor", m.ground, crate, mu=0.3)
    run = da.simulate(m, until=2.0, method=method, step=0.01, output=[0.0, 1.0, 2.0])
    assert run.status == "ok" and np.abs(run.v[1:]).max() < 1e-13
    assert run.q[-1, 0] == pytest.approx(2.0**2 / (2 * 0.3 * GRAVITY), abs=1e-12)
    (stick,) = run.events
    assert stick.t == pytest.approx(2.0 / (0.3 * GRAVITY), abs=1e-12)


@pytest.mark.parametrize(("method", "step"), [("variational", 0.01), ("variational4", 0.01), ("variational4", 0.001)])
def test_a_flat_parallelogram_is_told_as_what_it_is(method, step):
    points = [(0.0, 0.0), (0.0, 1.0), (2.0, 1.0), (2.0, 0.0)]
    m = da.Mechanism("parallelogram", gravity=(0, -GRAVITY))
    before = m.ground
    for joint, p, q in zip("ABC", points, points[1:]):
        bar = m.body(
            f"bar {joint}",
            da.rod(length=math.dist(p, q), mass=1.0),
            at=tuple(np.add(p, q) / 2),
            angle=math.atan2(q[1] - p[1], q[0] - p[0]),
        )
        m.revolute(joint, before, bar, at=p)
        before = bar
    m.revolute("D", before, m.ground, at=points[3])
    m.start(m["A"].angle, rate=4.0)
    with pytest.raises(da.ConvergenceError, match="singular position") as caught:
        da.simulate(m, until=2.0, method=method, step=step)
    assert caught.value.kind == "singular position" and "nearly depend" in caught.value.found
    assert da.simulate(m, until=2.0).status == "ok"  # what it is told to do


def test_friction_whose_direction_turns_is_told():
    m = da.Mechanism("plate", plane=False, gravity=(0, 0, -GRAVITY))
    plate = m.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1), velocity=(1.0, 0.5, 0))
    m.planar("floor", m.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction("rub", "floor", mu=0.3)
    m.spring("pull", m.ground.point(0, 1, 0), plate.point(0, 0, 0), stiffness=20.0, free_length=0.0)
    with pytest.raises(da.ConvergenceError, match="its direction turns"):
        da.simulate(m, until=3.0, method="variational", step=0.005)
