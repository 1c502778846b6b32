"""Variational methods: orders 2 and 4 with multipliers, energy without drift over long runs, momenta to round-off."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.soak import share

METHODS = [("variational", 2), ("variational4", 4)]
FAST, SLOW = (0.0, 150.0, -4.61538), (0.0, 1.5, -0.0461538)


def top(spin):
    """The heavy top of D02."""
    m = da.Mechanism("heavy top", plane=False, gravity=(0, 0, -9.81))
    body = m.body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), center=(0, 1, 0), spin=spin)
    m.spherical("pivot", m.ground, body, at=(0, 0, 0))
    return m


def four_bar(damping=0.0, driven=False):
    points = [(0.0, 0.0), (0.3, 0.4), (1.2, 0.9), (1.5, 0.0)]
    m = da.Mechanism("four-bar", plane=True, gravity=(0, -9.81))
    before = m.ground
    for joint, name, p, q in zip("ABC", ("crank", "coupler", "rocker"), points, points[1:]):
        bar, turned = da.rod(length=math.dist(p, q), mass=1.0), math.atan2(q[1] - p[1], q[0] - p[0])
        body = m.body(name, bar, at=tuple(np.add(p, q) / 2), angle=turned)
        m.revolute(joint, before, body, at=p)
        before = body
    if driven:
        # the loop is open at its end, and the crank is turned
        m.drive("motor", m["A"].angle, "0.5*sin(3*t)")
        return m
    m.revolute("D", before, m.ground, at=points[3])
    m.start(m["A"].angle, rate=2.0)
    if damping:
        m.damper("brake", m["A"].angle, damping=damping)
    return m


def door():
    """A panel on two hinges of one leaning axis: five rows too many."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    panel = m.body("panel", mass=20.0, inertia=(6.7, 7.7, 1.1), at=(0.4, 0.0, 1.0))
    axis = (0.0, 0.3, 1.0)
    m.revolute("lower", m.ground, panel, at=(0.0, 0.0, 0.0), axis=axis)
    m.revolute("upper", m.ground, panel, at=(0.0, 0.6, 2.0), axis=axis)
    return m


def cartesian():
    """A pendulum in Cartesian coordinates: a Lagrangian system with constant masses."""
    m = da.Lagrangian("x, y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y")
    m.constraint("rod", "x**2 + y**2 - 1")
    m.start("x", 1.0)
    m.start("y", 0.0)
    return m


MODELS = {
    "Lagrangian": (cartesian, 0.02),
    "four-bar": (four_bar, 0.01),
    "damped": (lambda: four_bar(damping=0.7), 0.01),
    "driven": (lambda: four_bar(driven=True), 0.01),
    "heavy top": (lambda: top(SLOW), 0.01),
    "redundant": (door, 0.02),
}


def check_order(build, h, method, order):
    """Positions, velocities and multipliers; half the step gives an error of 2^order less, to a twentieth of the order."""
    exact = da.simulate(build(), until=1.0, rtol=1e-12, atol=1e-13, output=[0.0, 1.0])
    errors = []
    for step in (h, h / 2):
        run = da.simulate(build(), until=1.0, method=method, step=step, output=[0.0, 1.0])
        assert run.status == "ok" and run.audit.position < 1e-13 and run.audit.velocity < 1e-13
        errors.append(
            [np.max(np.abs(getattr(run, x)[-1] - getattr(exact, x)[-1]), initial=0.0) for x in ("q", "v", "basic_lam")]
        )
    for coarse, fine in zip(*errors):
        assert coarse == 0.0 or math.log2(coarse / fine) == pytest.approx(order, abs=0.05 * order)


@pytest.mark.parametrize(("method", "order"), METHODS)
@pytest.mark.parametrize(("build", "h"), MODELS.values(), ids=MODELS)
def test_order(build, h, method, order):
    check_order(build, h, method, order)


STEPS = share(1_000_000)


def test_energy_of_a_four_bar():
    """The error of the energy, in the mean over the last tenth of a long run, is that of the first (a fifth more is the scatter of its peaks)."""
    run = da.simulate(four_bar(), until=0.002 * STEPS, method="variational", step=0.002, output=0.1)
    error = np.abs(np.asarray(run.energy.total) - run.energy.total[0])
    tenth = len(error) // 10
    assert run.status == "ok" and np.mean(error[-tenth:]) < 1.2 * np.mean(error[:tenth])
    assert np.max(error) < 1e-2 * np.max(run.energy.kinetic)
    # half the step, a quarter of the error
    finer = da.simulate(four_bar(), until=200.0, method="variational", step=0.001, output=0.1)
    assert np.max(np.abs(finer.energy.total - finer.energy.total[0])) < 0.35 * np.max(error)


def about_pivot(run):
    """Angular momentum of the top about its pivot, in space axes."""
    spin = np.einsum("kij,j,kj->ki", np.asarray(run["top"].rotation), (0.234375, 0.46875, 0.234375), run.v[:, 3:])
    return spin + 15.0 * np.cross(run.q[:, :3], run.v[:, :3])


@pytest.mark.parametrize("method", ["variational", "variational4"])
def test_heavy_top(method):
    """Energy without drift, and the angular momentum about the vertical to round-off, 1e-16 times the square root of the steps, with a margin."""
    run = da.simulate(top(FAST), until=5e-4 * STEPS, method=method, step=5e-4, output=0.05)
    error, up = np.abs(np.asarray(run.energy.total) - run.energy.total[0]), about_pivot(run)[:, 2]
    tenth = len(error) // 10
    assert np.mean(error[-tenth:]) < 1.2 * np.mean(error[:tenth]) + 1e-12 * STEPS**0.5
    assert np.max(np.abs(up - up[0])) < 1e-14 * STEPS**0.5 * abs(up[0])


def test_momenta_of_a_free_chain():
    """Two bodies on a ball joint, no forces: momentum and angular momentum, all components."""
    m = da.Mechanism("pair", plane=False)
    a = m.body("a", mass=2.0, inertia=(0.1, 0.2, 0.25), spin=(0.3, 2.0, -0.7))
    b = m.body("b", mass=1.0, inertia=(0.05, 0.04, 0.03), at=(1.0, 0.0, 0.0), spin=(1.0, 0.0, 2.0))
    m.spherical("ball", a, b, at=(0.5, 0.0, 0.0))
    run = da.simulate(m, until=100.0, method="variational", step=0.01, velocities="impulsive")
    for series in (run.momentum, run.angular_momentum(about=(0.0, 0.0, 0.0))):
        x = np.asarray(series)
        assert np.max(np.abs(x - x[0])) < 1e-11


def test_energy_of_a_lagrangian_system():
    run = da.simulate(cartesian(), until=0.01 * STEPS, method="variational", step=0.01, output=0.5)
    error = np.abs(np.asarray(run.energy.total) - run.energy.total[0])
    tenth = len(error) // 10
    assert run.status == "ok" and np.mean(error[-tenth:]) < 1.2 * np.mean(error[:tenth])


def test_what_is_refused():
    with pytest.raises(da.MethodError, match="no step"):
        da.simulate(four_bar(), until=1.0, method="variational")
    with pytest.raises(da.MethodError, match="chooses its own steps"):
        da.simulate(four_bar(), until=1.0, step=0.01)
    with pytest.raises(da.MethodError, match=r"da.Stepper\(model, step=0.01, method=5\)"):
        da.simulate(four_bar(), until=1.0, step=0.01, method=5)
