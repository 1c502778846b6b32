"""What comes before the first step, against the same written with NumPy."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics.motion import problem_of
from dalembert.analyses.dynamics.start import prepare
from dalembert.kernels.bodies import rate_of_q
from dalembert.solve.integrators import method
from dalembert.solve.problem import evaluate_at
from dalembert.solve.run import _Run
from dalembert.solve.stepping.records import ONE_POINT, POWERS_ONLY, THREE_POINTS

RTOL, ATOL, END = 1e-6, 1e-8, 2.0


def pendulum(plane=True, far=0.0):
    """A thin rod, level, hinged at one end."""
    rest = () if plane else (0,)
    m = da.Mechanism("pendulum", plane=plane, gravity=(*rest, 0, -9.81))
    shape = da.rod(length=1.0, mass=1.0) if plane else da.rod(length=1.0, radius=0.001, mass=1.0)
    rod = m.body("rod", shape, at=(0.5 + far, 0, *rest))
    m.revolute("A", m.ground, rod, at=(far, 0, *rest), **({} if plane else {"axis": (0, 1, 0)}))
    return m


def started(m):
    prepared = prepare(m, 0.0, None)
    problem = problem_of(prepared, (method(8), RTOL, ATOL, math.inf))
    s = prepared.state
    return _Run(problem, 0.0, s.q, s.v, END, np.zeros(0), None, s.z), prepared


def spelled_out(m):
    """Weights and reference, by whole arrays."""
    run, prepared = started(m)
    system, q = prepared.system, run.mem.q
    linear, turns = (2, 1) if system.plane else (3, 3)
    n = len(run.mem.v) // (linear + turns)
    spins = 1.0 / (system.arms / (0.05 * system.length)).clip(1e-6, 1.0)
    speeds = np.hstack([np.full((n, linear), system.length), spins])
    places = speeds if system.plane else np.hstack([speeds[:, :3], -np.ones((n, 1)), spins])
    reference = np.zeros(len(run.mem.y))
    start = q.reshape(n, -1)[:, :linear]
    reference[: len(q)].reshape(n, -1)[:, :linear] = start - start.clip(-system.length, system.length)
    return np.concatenate([places.ravel(), speeds.ravel(), reference])


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("far", [0.0, 300.0])
def test_weights(plane, far):
    m = pendulum(plane, far)
    assert started(m)[0].mem.scale == pytest.approx(spelled_out(m), rel=1e-15)


def norm(x):
    return math.sqrt(float(x @ x) / len(x))


@pytest.mark.parametrize("plane", [True, False])
def test_the_first_step_is_that_of_hairer_norsett_wanner(plane):
    run, _ = started(pendulum(plane))
    p, mem = run.p, run.mem
    y, n = mem.y, len(mem.y)
    size = ATOL * np.abs(mem.scale[:n]) + RTOL * np.abs(y - mem.scale[n:])

    def rate(t, y):
        q, v, a, out = y[: len(mem.q)].copy(), y[len(mem.q) :].copy(), np.zeros(len(mem.v)), np.zeros(len(mem.q))
        evaluate_at(p, t, q, v, a)
        rate_of_q(p.I, q, v, out)
        return np.concatenate([out, a])

    f0 = rate(0.0, y)
    d0, d1 = norm((y - mem.scale[n:]) / size), norm(f0 / size)
    h0 = 0.01 * d0 / d1
    d2 = norm((rate(h0, y + h0 * f0) - f0) / size) / h0
    assert run.now.h == pytest.approx(min(100.0 * h0, (0.01 / max(d1, d2)) ** (1 / p.method.order), END), rel=1e-6)


def test_points_inside():
    """One where no force does work but by a potential, powers at two more where one does, three where a driver does."""
    m = pendulum()
    m.spring("s", m["A"].angle, stiffness=3.0)
    assert started(m)[0].now.guard == ONE_POINT
    m.damper("d", m["A"].angle, damping=0.1)
    assert started(m)[0].now.guard == POWERS_ONLY
    m = pendulum()
    m.drive("turn", m["A"].angle, "t")
    m.body("free", mass=1.0, inertia=1.0, at=(3, 0))
    assert started(m)[0].now.guard == THREE_POINTS
