"""Forces of one-sided contacts at rest: sizes x >= 0 of given directions that balance a load, and how far they are determined.

A x = b,   x >= 0
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .static_forces import DEPENDENT, ROUNDING, corner, smallest_above

# sizes that have no bound, beside the largest
FAR = 1e6


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
        size, n = float(np.max(np.abs(self.x), initial=0.0)) or 1.0, len(along)
        rows, ends = np.vstack([np.eye(n), -np.eye(n), -self.free]), np.append(np.full(2 * n, FAR), self.x / size)
        none, found = ROUNDING * float(np.max(np.abs(c)) * np.max(np.abs(self.x), initial=0.0)), list[float]()
        for way in (-1.0, 1.0):
            z = corner(way * along, rows, ends, [k if x >= 0.0 else k + n for k, x in enumerate(way * along)])
            change = 0.0 if z is None else float(along @ z)
            beyond = way * change > 0.01 * FAR * float(np.max(np.abs(along)))
            found.append(way * math.inf if beyond else value + size * change)
        return (found[0] if abs(found[0]) > none else 0.0), (found[1] if abs(found[1]) > none else 0.0)


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
