"""Measured order of the implicit methods on constrained problems, with equal steps; multipliers included.

Problems: plane (pendulum, against its closed form), space (a closed loop, a double pendulum), driven, nonholonomic (a rolling coin); without a closed form
the same motion by the explicit method of order 8 at a tolerance of 1e-13.  Errors at the end of the last step: between steps the collocation
polynomial is of order s only.  Newton's method is told to leave nothing, since the tolerances are so loose that no step is rejected.

Tolerance: slopes of error against step, fitted over steps between the range in which the next order still shows and rounding: +-0.35.
"""

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics import motion

from .models import double_pendulum, driven_arm, pendulum, pendulum_angle, pendulum_force, rolling_disk, shaken_loop

LOOSE = {"rtol": 0.9, "atol": 0.9, "audit": False}
ORDERS = {"radau1": 1, "radau3": 3, "radau5": 5, "generalized_alpha": 2, "hht": 2}
STEPS = {"radau1": 0.002, "radau3": 0.02, "radau5": 0.025, "generalized_alpha": 0.004, "hht": 0.004}
PROBLEMS = {
    pendulum: (1.0, 1.0),
    shaken_loop: (0.4, 0.12),
    double_pendulum: (1.2, 0.7),
    driven_arm: (1.0, 0.7),
    rolling_disk: (0.5, 0.7),
}


# order 9: numbers of equal steps, between those in which higher orders show and rounding
NINE = {
    shaken_loop: (48, 56, 64, 80, 96, 112),
    double_pendulum: (22, 24, 26, 28, 32),
    driven_arm: (12, 14, 16, 20),
    rolling_disk: (5, 6, 7, 8, 9),
}


@pytest.fixture(autouse=True)
def first(monkeypatch):
    """Newton's method that leaves nothing; the length of the first step, if one is put in."""
    made, length = motion.problem_of, []

    def problem_of(*given, **options):
        problem = made(*given, **options)
        problem.left = 1e-12
        problem.h_first = length[-1] if length else None
        return problem

    monkeypatch.setattr(motion, "problem_of", problem_of)
    return length


def slope(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("build", PROBLEMS, ids=[build.__name__ for build in PROBLEMS])
def test_order(build, method):
    until, factor = PROBLEMS[build]
    exact = da.simulate(build(), until=until, rtol=1e-13, atol=1e-14, method=8, output=[until])
    steps = until / np.round(until / (factor * STEPS[method] * 2.0 ** -np.arange(0, 2.5, 0.5)))
    places, forces = [], []
    for h in steps:
        run = da.simulate(build(), until=until, max_step=h * (1 + 1e-12), method=method, output=[until], **LOOSE)
        assert run.audit.rejected == 0
        assert run.audit.unsolved == 0
        places.append(max(np.abs(run.q - exact.q).max(), np.abs(run.v - exact.v).max()))
        forces.append(np.abs(run.basic_lam - exact.basic_lam).max())
    for errors in (places, forces):
        assert slope(steps, errors) == pytest.approx(ORDERS[method], abs=0.35)


@pytest.mark.parametrize("build", NINE, ids=[build.__name__ for build in NINE])
def test_order_nine(build, first):
    """Five stages; errors fall by 1e-2 to 1e-3 over the steps, whose slope the next order may change by 0.8."""
    until = PROBLEMS[build][0]
    exact = da.simulate(build(), until=until, rtol=1e-13, atol=1e-14, method=8, output=[until])
    places, forces = [], []
    for count in NINE[build]:
        first.append(until / count)
        run = da.simulate(
            build(), until=until, max_step=until / count * (1 + 1e-12), method="radau9", output=[until], **LOOSE
        )
        assert (run.audit.steps, run.audit.rejected) == (count, 0)
        places.append(max(np.abs(run.q - exact.q).max(), np.abs(run.v - exact.v).max()))
        forces.append(np.abs(run.basic_lam - exact.basic_lam).max())
    for errors in (places, forces):
        assert -slope(NINE[build], errors) == pytest.approx(9, abs=0.8)


@pytest.mark.parametrize("method", ["radau3", "radau5"])
def test_of_the_pendulum_against_its_closed_form(method):
    errors, steps = [], STEPS[method] * 2.0 ** -np.arange(0, 3)
    for h in steps:
        run = da.simulate(pendulum(), until=2.0, max_step=h, method=method, output=[2.0], **LOOSE)
        angle, rate = pendulum_angle(2.0)
        errors.append(max(abs(run["bar"].angle[-1] - angle), abs(run["bar"].spin[-1] - rate)))
        assert np.abs(run["A"].force[-1] - pendulum_force(np.array([2.0]))[0]).max() < 50 * errors[-1]
    assert slope(steps, errors) == pytest.approx(ORDERS[method], abs=0.35)


@pytest.mark.parametrize("method", ["radau", "radau3"])
@pytest.mark.parametrize("build, until", [(pendulum, 2.0), (shaken_loop, 0.4), (double_pendulum, 1.2)])
def test_errors_follow_the_tolerance(build, until, method, monkeypatch):
    monkeypatch.undo()  # Newton's method as it is
    times = np.linspace(0.0, until, 25)
    exact = da.simulate(build(), until=until, rtol=1e-13, atol=1e-14, method=8, output=times)
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = da.simulate(build(), until=until, rtol=tolerance, atol=tolerance, method=method, output=times)
        errors.append(np.abs(run.q - exact.q).max())
        assert errors[-1] < 100 * tolerance
        assert run.status == "ok"
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
