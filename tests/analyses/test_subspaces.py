"""Rank, null space and span: matrices with known answers, exact integers and products of random factors."""

import numpy as np
import pytest

from dalembert.system.subspaces import INDEPENDENT, RANK, factor, null_space, rank, span, unit_rows


def product(rows, columns, inner, seed=3):
    """Random matrix of a given rank."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, inner)) @ rng.normal(size=(inner, columns))


@pytest.mark.parametrize("shape", [(4, 7, 3), (7, 4, 3), (5, 5, 5), (6, 6, 1)])
def test_rank_and_both_null_spaces(shape):
    A = product(*shape)
    f = factor(A)
    assert f.rank == rank(A) == shape[2]
    assert f.null.shape == (shape[1], shape[1] - shape[2]) and f.left.shape == (shape[0], shape[0] - shape[2])
    # rounding of a product of factors of size 1 to 3
    assert np.max(np.abs(A @ f.null), initial=0.0) < 1e-13 and np.max(np.abs(f.left.T @ A), initial=0.0) < 1e-13
    assert np.allclose(f.null.T @ f.null, np.eye(f.null.shape[1]), atol=1e-14)
    b = A @ np.arange(1.0, shape[1] + 1.0)
    assert np.allclose(f.solve(b), np.linalg.pinv(A) @ b, atol=1e-12)
    basis = span(A)
    assert basis.shape[1] == shape[2] and np.allclose(basis @ (basis.T @ A), A, atol=1e-13)


def test_where_dependence_begins():
    """Two unit rows at an angle 2a have the singular values √2 cos a and √2 sin a."""
    for angle, count in ((3.0 * RANK, 2), (0.3 * RANK, 1)):
        rows = np.array([[1.0, 0.0], [np.cos(2.0 * angle), np.sin(2.0 * angle)]])
        assert rank(rows) == count
    near = np.array([[1.0, 0.0], [1.0, 1e-6]])
    assert (rank(near), rank(near, INDEPENDENT)) == (2, 1)
    # against a size of its own a matrix of rounding has no rank; against itself it has
    rounding = 1e-15 * product(3, 3, 3)
    assert (rank(rounding), rank(rounding, size=1.0)) == (3, 0)


def test_nothing_at_all():
    assert np.array_equal(null_space(np.zeros((0, 3))), np.eye(3))
    assert null_space(np.zeros((2, 3))).shape == (3, 3) and rank(np.zeros((2, 3))) == rank(np.zeros((0, 3))) == 0
    assert span(np.zeros((3, 0))).shape == (3, 0) and span(np.zeros((3, 2))).shape == (3, 0)
    assert factor(np.zeros((0, 3))).solve(np.zeros(0)) == pytest.approx(np.zeros(3))
    unit, size = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert unit.tolist() == [[0.6, 0.8], [0.0, 0.0]] and size.tolist() == [5.0, 1.0]
