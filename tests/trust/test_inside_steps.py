"""Points inside a step from its own stages: the state there, and the rate that the step stands for."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert.solve.integrators import method
from dalembert.solve.integrators._base import INSIDE
from dalembert.solve.stepping.inside import weight_inside


def rate(t, y):
    return np.array([y[1], -3 * np.sin(y[0]) + 0.3 * y[2] ** 2, y[3], -2 * y[2] + y[0] * y[2] + 0.2 * np.cos(2 * t)])


START = np.array([1.0, 0.5, 0.3, -0.2])


def one_step(tableau, h):
    k = np.zeros((tableau.stages, 4))
    for s in range(tableau.steps):
        k[s] = rate(tableau.c[s] * h, START + h * (tableau.a[s, :s] @ k[:s]))
    end = START + h * (tableau.b[: tableau.steps] @ k[: tableau.steps])
    if not np.any(tableau.error_low):
        k[tableau.steps] = rate(h, end)
    return k


@pytest.mark.parametrize("order, expected", [(8, 6), (5, 5)])
def test_order_of_states_and_rates_inside(order, expected):
    """Local errors fall like h^order of the interpolation (measured between h = 0.4 and 0.1); rates lose one order in h f."""
    tableau = method(order)
    states, defects = [], []
    for h in (0.4, 0.2, 0.1):
        k = one_step(tableau, h)
        exact = solve_ivp(
            rate, (0, h), START, method="DOP853", rtol=1e-13, atol=1e-15, t_eval=[x * h for x in INSIDE]
        ).y.T
        found = START + h * tableau.inside @ k
        states.append(np.abs(found - exact).max())
        defects.append(h * max(np.abs(rate(x * h, y) - g).max() for x, y, g in zip(INSIDE, found, tableau.slope @ k)))
    for errors in (states, defects):
        slopes = np.log2(np.array(errors[:-1]) / errors[1:])
        assert slopes.min() > expected - 1.2, errors


@pytest.mark.parametrize("points, degree", [(1, 3), (3, 7)])
def test_rules_are_exact_to_their_degree(points, degree):
    rule = getattr(weight_inside, "py_func", weight_inside)
    inside = [1] if points == 1 else [0, 1, 2]
    nodes = np.array([0.0, *(INSIDE[j] for j in inside), 1.0])
    weights = np.array([rule(points, -1), *(rule(points, j) for j in inside), rule(points, -1)])
    for k in range(degree + 1):
        assert weights @ nodes**k == pytest.approx(1.0 / (k + 1), rel=1e-14)
    assert abs(weights @ nodes ** (degree + 1) - 1.0 / (degree + 2)) > 1e-6
