"""Forces of one-sided contacts at rest: sizes x >= 0 of given directions that balance a load, and how far they are determined.

    A x = b,   x >= 0

x = x0 + N c with A N = 0, x0 the smallest solution of either sign.  The smallest x >= 0 is then a least distance problem, min |c| with N c >= -x0, which is one of
non-negative least squares (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23); largest and smallest values of some c.x are linear programs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# part of the largest singular value, and of the largest term, below which a number counts as zero
DEPENDENT, ROUNDING = 1e-9, 1e-9


@dataclass(frozen=True)
class Combination:
    """Sizes x >= 0 that balance a load."""

    x: np.ndarray  # the smallest that do
    free: np.ndarray  # orthonormal columns: what may be added to them without effect

    def limits(self, c: np.ndarray) -> tuple[float, float]:
        """Smallest and largest value of c.x among all x >= 0 that balance the load; infinite where there is no bound."""
        value, along = float(c @ self.x), c @ self.free
        if float(np.max(np.abs(along), initial=0.0)) <= DEPENDENT * float(np.max(np.abs(c), initial=0.0)):
            return value, value
        low, high = -self._largest(-c), self._largest(c)
        none = ROUNDING * float(np.max(np.abs(c)) * np.max(np.abs(self.x), initial=0.0))
        return low if abs(low) > none else 0.0, high if abs(high) > none else 0.0

    def _largest(self, c: np.ndarray) -> float:
        from scipy.optimize import linprog

        n, along = self.free, c @ self.free
        # without end in a direction in which no size falls below 0
        away = linprog(-along, A_ub=-n, b_ub=np.zeros(len(n)), bounds=(-1.0, 1.0), method="highs")
        if away.status != 0 or -away.fun > 1e-7 * float(np.max(np.abs(along))):
            return math.inf
        size = float(np.max(np.abs(self.x), initial=0.0)) or 1.0
        made = linprog(-along, A_ub=-n, b_ub=self.x / size, bounds=(None, None), method="highs")
        if made.status != 0:
            return math.inf
        # the program ends where some sizes are 0: as exactly as these equations allow
        left = self.x / size + n @ made.x
        ends = np.flatnonzero(left <= 1e-6)
        y = made.x + np.linalg.lstsq(n[ends], -left[ends], rcond=DEPENDENT)[0]
        better = self.x / size + n @ y
        return size * float(c @ (better if better.min(initial=0.0) >= -ROUNDING else left))


def unit_columns(A: np.ndarray, full: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Columns of unit length, and the lengths that they had.

    `full`: their lengths before they were reduced to free motions; what is rounding beside that does no work, and is nothing.
    """
    size = np.linalg.norm(A, axis=0)
    works = size > (DEPENDENT * full if full is not None else 0.0)
    return np.where(works, A, 0.0) / np.where(works, size, 1.0), np.where(works, size, 1.0)


def combination(A: np.ndarray, b: np.ndarray, scale: float) -> Combination | None:
    """Sizes x >= 0 with A x = b; None where there are none.  `scale`: what b is rounding beside."""
    allowed = ROUNDING * max(scale, float(np.linalg.norm(b)))
    if not A.shape[1]:
        return Combination(np.zeros(0), np.zeros((0, 0))) if float(np.linalg.norm(b)) <= allowed else None
    u, s, vt = np.linalg.svd(A)
    rank = int(np.sum(s > DEPENDENT * max(float(s[0]), 1e-300)))
    x, free = vt[:rank].T @ ((u.T @ b)[:rank] / s[:rank]), vt[rank:].T
    if float(np.linalg.norm(A @ x - b)) > allowed:
        return None
    none = allowed / max(float(s[0]), 1e-300) + ROUNDING * float(np.max(np.abs(x), initial=0.0))
    if free.shape[1] and x.min() < -none:
        y = smallest_above(free, -x)
        if y is None:
            return None
        x = x + free @ y
    if x.min() < -none:
        return None
    return Combination(np.where(x > none, x, 0.0), free)


def smallest_above(g: np.ndarray, h: np.ndarray) -> np.ndarray | None:
    """The smallest y with G y >= h; None if there is none."""
    from scipy.optimize import nnls

    size = float(np.max(np.abs(h)))
    matrix, last = np.vstack([g.T, h / size]), np.zeros(g.shape[1] + 1)
    last[-1] = 1.0
    u, _ = nnls(matrix, last)
    r = matrix @ u - last
    return None if -r[-1] <= ROUNDING else -size * r[:-1] / r[-1]
