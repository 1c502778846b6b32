"""Measured order of the two explicit methods on constrained problems, with equal steps.

Steps are made equal by `max_step` with tolerances so loose that no step is ever rejected; only the first step, chosen automatically, may be
shorter.  Source: the closed form of the pendulum; for the loop in space the same motion at a tolerance of 1e-13, which
tests/reference/test_a06 checks against another program.

Tolerance: the slope of error against step in double logarithmic scale, fitted over steps between the range in which the
next order still shows and rounding; +-0.4 for order 5.  DOP853 is of order 8 with very small coefficients of its own order, so
that on these problems its slope is nearer to 9; it must not be below 7.6.
"""

import numpy as np
import pytest

import dalembert as da

from .models import double_pendulum, pendulum, pendulum_angle, shaken_loop

LOOSE = {"rtol": 0.9, "atol": 0.9, "audit": False}
SLOPES = {5: (4.6, 5.6), 8: (7.6, 10.5)}
PENDULUM_STEPS = {5: 0.05 * 2.0 ** -np.arange(0, 3.5, 0.5), 8: 0.14 * 2.0 ** -np.arange(0, 2, 0.5)}
LOOP_STEPS = {5: 0.005 * 2.0 ** -np.arange(0, 2.5, 0.5), 8: 0.02 * 2.0 ** -np.arange(0, 2, 0.5)}
DOUBLE_STEPS = {5: 0.03 * 2.0 ** -np.arange(0, 2.5, 0.5), 8: 0.12 * 2.0 ** -np.arange(0, 2, 0.5)}


def slope(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("method", [5, 8])
def test_order_on_the_pendulum(method):
    errors = []
    exact = pendulum_angle(2.0)
    for h in PENDULUM_STEPS[method]:
        run = da.simulate(pendulum(), until=2.0, max_step=h, method=method, output=[2.0], **LOOSE)
        assert run.audit.rejected == 0
        assert run.audit.steps == pytest.approx(2.0 / h, abs=3)
        errors.append(np.hypot(run["bar"].angle[-1] - exact[0], run["bar"].spin[-1] - exact[1]))
    low, high = SLOPES[method]
    assert low < slope(PENDULUM_STEPS[method], errors) < high


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("build, until, steps", [(shaken_loop, 0.4, LOOP_STEPS), (double_pendulum, 1.2, DOUBLE_STEPS)])
def test_order_in_space(build, until, steps, method):
    times = np.linspace(0.0, until, 25)
    exact = da.simulate(build(), until=until, rtol=1e-13, atol=1e-14, output=times)
    errors = []
    for h in steps[method]:
        run = da.simulate(build(), until=until, max_step=h, method=method, output=times, **LOOSE)
        assert run.audit.rejected == 0
        # the largest of many times: at a single one the error may happen to pass through zero
        errors.append(np.abs(run.q - exact.q).max())
    low, high = SLOPES[method]
    assert low < slope(steps[method], errors) < high


@pytest.mark.parametrize("method", [5, 8])
def test_order_of_outputs_between_steps(method):
    """Dense output has a local error of the order of the global one: the slope stays."""
    times = np.linspace(0.0, 2.0, 101)
    errors = []
    for h in PENDULUM_STEPS[method]:
        run = da.simulate(pendulum(), until=2.0, max_step=h, method=method, output=times, **LOOSE)
        errors.append(np.abs(run["bar"].angle - pendulum_angle(times)[0]).max())
    assert slope(PENDULUM_STEPS[method], errors) > SLOPES[method][0]


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("build, until", [(pendulum, 2.0), (shaken_loop, 0.4), (double_pendulum, 1.2)])
def test_errors_are_proportional_to_the_tolerance(build, until, method):
    times = np.linspace(0.0, until, 25)
    exact = da.simulate(build(), until=until, rtol=1e-13, atol=1e-14, output=times)
    tolerances = 10.0 ** -np.arange(5, 11)
    errors = []
    for tolerance in tolerances:
        run = da.simulate(build(), until=until, rtol=tolerance, atol=tolerance, method=method, output=times)
        errors.append(np.abs(run.q - exact.q).max())
        # growth of errors over these motions is below 100
        assert errors[-1] < 100 * tolerance
    # order 8 takes about ten steps at 1e-5, too few for a clean slope
    assert 0.75 < slope(tolerances, errors) < 1.35
