"""The small linear complementarity problem behind several stops at one time: w = A f + b, f >= 0, w >= 0, f w = 0."""

import itertools

import numpy as np
import pytest

from dalembert.solve.complementarity import complementary


def holds(A, b, f, w, size=1e-8):
    return (
        np.allclose(w, A @ f + b)
        and f.min() >= -size
        and w.min() >= -size
        and abs(f @ w) <= size * max(1.0, abs(b).max() ** 2)
    )


@pytest.mark.parametrize("seed", range(30))
def test_random_problems_have_the_only_solution(seed):
    """Positive definite A: there is one solution, which all active sets tried one by one find too."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 7))
    root = random.normal(size=(n, n + 1))
    A, b = root @ root.T, random.normal(size=n)
    f, w, active = complementary(A, b)
    assert holds(A, b, f, w)
    found = []
    for size in range(n + 1):
        for some in map(list, itertools.combinations(range(n), size)):
            g = np.zeros(n)
            g[some] = np.linalg.solve(A[np.ix_(some, some)], -b[some]) if some else []
            if g.min() >= 0.0 and (A @ g + b)[[k for k in range(n) if k not in some]].min(initial=0.0) >= 0.0:
                found.append(g)
    assert len(found) == 1 and f == pytest.approx(found[0], abs=1e-9)


def test_dependent_contacts_share():
    """Four feet of a stiff table: only three rows are independent, the smallest forces share the weight evenly."""
    rows = np.array([[1.0, x, y] for x in (-1, 1) for y in (-1, 1)])
    A, b = rows @ rows.T, rows @ np.array([-9.81, 0.0, 0.0])
    f, w, active = complementary(A, b, first=range(4))
    assert holds(A, b, f, w) and f == pytest.approx([9.81 / 4] * 4)


def test_partners_are_at_zero_while_their_contact_acts():
    A, b = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-1.0, 0.3])
    f, w, active = complementary(A, b, partners=[[1]])
    assert active == [0] and w == pytest.approx([0.0, 0.0], abs=1e-14) and f[0] > 0.0
    f, w, active = complementary(A, np.array([1.0, 0.3]), partners=[[1]])
    assert active == [] and not f.any() and w[1] == 0.3


def test_no_solution_is_said():
    """A rough contact that would have to pull and to close: -1 + ... with a strong coupling."""
    A, b = np.array([[1.0, 2.0], [2.0, 5.0]]), np.array([-0.1, -1.0])
    # stuck: f = -A^-1 b = (-1.5, 0.8): it pulls; open: w = -0.1: it closes
    assert complementary(A, b, partners=[[1]]) is None
