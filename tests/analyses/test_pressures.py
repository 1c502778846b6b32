"""Sizes x >= 0 that balance a load: beside small cases by hand, and beside all bases of random ones."""

import itertools
import math

import numpy as np
import pytest

from dalembert.analyses.rest.static_forces import combination


def test_by_hand():
    # three legs on a line at -1, 0, 1 carry 1 at the middle: (a, 1 - 2 a, a)
    A = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]])
    found = combination(A, np.array([1.0, 0.0]), 1.0)
    assert found.x == pytest.approx([1 / 3] * 3)
    assert found.limits(np.array([1.0, 0, 0])) == pytest.approx((0.0, 0.5))
    assert found.limits(np.array([0, 1.0, 0])) == pytest.approx((0.0, 1.0))
    assert found.limits(np.array([1.0, 1.0, 1.0])) == pytest.approx((1.0, 1.0))
    # beyond the outer leg nothing presses
    assert combination(A, np.array([1.0, 1.1]), 1.0) is None
    # at 0.9 the smallest of either sign would pull at the first leg
    far = combination(A, np.array([1.0, 0.9]), 1.0)
    assert far.x == pytest.approx([0.0, 0.1, 0.9]) and np.linalg.lstsq(A, [1.0, 0.9], rcond=None)[0][0] < -0.1
    assert far.limits(np.array([1.0, 0, 0])) == pytest.approx((0.0, 0.05))


def test_without_end():
    # two walls squeeze with any size
    found = combination(np.array([[1.0, -1.0]]), np.array([0.5]), 1.0)
    assert found.x == pytest.approx([0.5, 0.0]) and found.limits(np.array([1.0, 0.0])) == (pytest.approx(0.5), math.inf)
    assert combination(np.zeros((2, 0)), np.zeros(2), 1.0) is not None
    assert combination(np.zeros((2, 0)), np.array([1e-3, 0.0]), 1.0) is None


@pytest.mark.parametrize("seed", range(20))
def test_limits_are_those_of_the_best_basis(seed):
    random = np.random.default_rng(seed)
    m, n = 3, 6
    A = np.vstack([random.normal(size=(m - 1, n)), np.ones(n)])  # sizes add up to a number: all bounds are finite
    b = A @ np.where(random.uniform(size=n) < 0.4, 0.0, random.uniform(size=n))
    c = random.normal(size=n)
    values = []
    for some in itertools.combinations(range(n), m):
        x = np.linalg.solve(A[:, some], b)
        if x.min() >= -1e-12:
            values.append(float(c[list(some)] @ x))
    found = combination(A, b, 1.0)
    assert found.limits(c) == pytest.approx((min(values), max(values)), abs=1e-9)
    assert found.x.min() >= 0.0 and pytest.approx(b, abs=1e-9) == A @ found.x
    # the smallest: no way to a vertex makes it shorter
    for some in itertools.combinations(range(n), m):
        x = np.zeros(n)
        x[list(some)] = np.linalg.solve(A[:, some], b)
        if x.min() >= -1e-12:
            assert found.x @ (x - found.x) >= -1e-9
