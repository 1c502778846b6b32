"""Outputs between steps: on the constraints, as accurate as the steps, with the reactions that belong to them.

Source: closed form of the pendulum (angle, rate, force of the pin); the definitions of phi, J and nu at the output states.

Tolerance: constraints 1e-12 (scaled by the model's length and speed) as required of every output; errors of interpolation up to
ten times those at steps, since the interpolant of DOP853 is of order 7.
"""

import numpy as np
import pytest

import dalembert as da
from dalembert.solve.integrators import METHODS
from dalembert.solve.integrators import method as method_of
from dalembert.solve.integrators._base import COLLOCATION
from dalembert.solve.solver import MOST_DEGREE, MOST_STAGES

from .models import double_pendulum, pendulum, pendulum_angle, pendulum_force, shaken_loop

TIMES = np.linspace(0.0, 2.0, 301)


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
def test_accuracy_between_steps(method, tolerance):
    options = {"rtol": tolerance, "atol": tolerance, "method": method}
    dense = da.simulate(pendulum(), until=2.0, output=TIMES, **options)
    steps = da.simulate(pendulum(), until=2.0, output="steps", **options)
    angle, rate = pendulum_angle(TIMES)
    at_steps = np.abs(steps["bar"].angle - pendulum_angle(steps.t)[0]).max()
    between = np.abs(dense["bar"].angle - angle).max()
    assert between < 10 * tolerance
    # the error at the few large steps may happen to be far below the tolerance; that of the interpolant need not be
    assert between < max(20 * at_steps, tolerance)
    assert np.abs(dense["bar"].spin - rate).max() < 50 * tolerance
    # outputs do not change the steps
    assert dense.audit.steps == steps.audit.steps


@pytest.mark.parametrize("method", [5, 8])
def test_reaction_between_steps(method):
    """The multipliers are computed at the output, not interpolated: their error is that of the state, m L rate^2 times."""
    run = da.simulate(pendulum(), until=2.0, output=TIMES, rtol=1e-9, atol=1e-9, method=method)
    assert np.abs(np.asarray(run["A"].force) - pendulum_force(TIMES)).max() < 1e-6
    # equations hold at the output itself: m a = m g + force
    a = 2.0 * np.asarray(run["bar"].acceleration)
    assert a == pytest.approx(np.asarray(run["A"].force) + [0, -19.62], abs=1e-11)


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("build, until", [(pendulum, 2.0), (shaken_loop, 0.5), (double_pendulum, 1.0)])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_constraints_at_all_outputs(build, until, method, tolerance):
    """However loose the tolerance: outputs lie on the constraints, in positions and velocities."""
    m = build()
    run = da.simulate(m, until=until, output=until / 60, rtol=tolerance, atol=tolerance, method=method, audit=False)
    length = run.system.length
    for k in range(len(run.t)):
        state = da.State(float(run.t[k]), run.q[k], run.v[k], run.angles[k], tuple(run.system.body_names))
        eq = da.equations(run.system, state)
        speed = max(1.0, np.abs(run.v[k]).max())
        assert np.abs(eq.phi).max() < 1e-12 * max(1.0, length)
        assert np.abs(eq.jac @ run.v[k] - eq.nu).max() < 1e-12 * speed
    assert run.audit.position < 1e-12
    assert run.audit.velocity < 1e-12


def test_state_at_any_time_is_on_the_motion():
    run = da.simulate(pendulum(), until=2.0, rtol=1e-10, atol=1e-10, output=[0.0, 2.0])
    for t in (0.0, 0.123456, 1.0, 1.999, 2.0):
        state = run.at(t)
        assert state.q[2] == pytest.approx(pendulum_angle(t)[0], abs=1e-9)
        assert state.v[2] == pytest.approx(pendulum_angle(t)[1], abs=1e-8)


@pytest.mark.parametrize("method", [5, 8])
def test_the_same_whatever_else_is_asked_for(method):
    """Outputs at some times do not depend on outputs at others."""
    few = da.simulate(double_pendulum(), until=1.0, output=[0.5, 1.0], method=method)
    many = da.simulate(double_pendulum(), until=1.0, output=np.linspace(0, 1, 101), method=method)
    assert few.q == pytest.approx(many.q[[50, 100]], abs=1e-13)
    assert few.lam == pytest.approx(many.lam[[50, 100]], abs=1e-10)


def test_memory_holds_every_method():
    """A run may change its method on the way: what is allocated at its start is enough for all of them."""
    methods = [method_of(name) for name in METHODS]
    assert max(one.dense.shape[1] for one in methods) == MOST_DEGREE
    assert max(one.steps for one in methods if one.kind == COLLOCATION) == MOST_STAGES
