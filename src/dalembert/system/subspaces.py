"""Rank, null space and span of matrices of floating-point numbers: the one place that decides what counts as dependent.

A singular value below RANK of the largest counts as zero.  Rows of constraints come from numbers of 16 digits and poses that are closed to
10 or more, so that dependent rows leave 1e-11 or less; independent rows that differ by 1e-9 only would give multipliers of which
nothing is right but the size.  RANK lies between the two.  Where something else is known about the matrix, another tolerance is passed by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RANK = 1e-9
# of rows of unit length, as the compiled factorization decides: it works with J M^-1 J^T, where the pivot of a dependent row is the square
# of this sine, 1e-10, and anything smaller is lost in its rounding
INDEPENDENT = 1e-5


@dataclass(frozen=True, eq=False)
class Factored:
    """Singular value decomposition A = u s vt with the rank of A."""

    u: np.ndarray
    s: np.ndarray
    vt: np.ndarray
    rank: int

    @property
    def null(self) -> np.ndarray:
        """Orthonormal columns x with A x = 0."""
        return self.vt[self.rank :].T

    @property
    def left(self) -> np.ndarray:
        """Orthonormal columns n with A^T n = 0: combinations of rows that vanish."""
        return self.u[:, self.rank :]

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Smallest x with A x = b as far as A can."""
        r = self.rank
        return np.asarray(self.vt[:r].T @ ((self.u.T @ b)[:r] / self.s[:r]))


def factor(A: np.ndarray, tolerance: float = RANK, size: float | None = None) -> Factored:
    """Decomposition of a matrix; singular values are compared with `size`, by default the largest of them."""
    if not A.size:
        return Factored(np.eye(A.shape[0]), np.zeros(0), np.eye(A.shape[1]), 0)
    u, s, vt = np.linalg.svd(A)
    return Factored(u, s, vt, _count(s, tolerance, size))


def rank(A: np.ndarray, tolerance: float = RANK, size: float | None = None) -> int:
    """Number of independent rows."""
    return _count(np.linalg.svd(A, compute_uv=False), tolerance, size) if A.size else 0


def null_space(A: np.ndarray, tolerance: float = RANK, size: float | None = None) -> np.ndarray:
    """Orthonormal columns x with A x = 0."""
    return factor(A, tolerance, size).null


def span(A: np.ndarray, tolerance: float = RANK, size: float | None = None) -> np.ndarray:
    """Orthonormal basis of the columns of a matrix."""
    if not A.size:
        return A[:, :0]
    u, s, _ = np.linalg.svd(A, full_matrices=False)
    return np.asarray(u[:, : _count(s, tolerance, size)])


def unit_rows(A: np.ndarray, least: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of unit length, and the lengths that they had; one of at most `least` says nothing and stays as it is."""
    size = np.linalg.norm(A, axis=1)
    size = np.where(size > least, size, 1.0)
    return A / size[:, None], size


def _count(s: np.ndarray, tolerance: float, size: float | None) -> int:
    return int(np.sum(s > tolerance * (max(float(s[0]), 1e-300) if size is None else size)))
