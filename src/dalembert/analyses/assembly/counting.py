"""Which initial conditions say something new, and how much freedom they take (PLANAR 6.3.26-27)."""

from __future__ import annotations

import numpy as np

from ...system.subspaces import INDEPENDENT, span


def new_in(
    rows: np.ndarray, parts: np.ndarray, given: np.ndarray, names: tuple[str, ...]
) -> tuple[tuple[str, ...], int]:
    """Names whose rows follow from the rows that are not given or from names before them, and how much freedom all names take."""
    span = basis(rows[~given])
    begun, dependent = span.shape[1], []
    for name in names:
        new = rows[given & (parts == name)]
        added = basis(new - (new @ span) @ span.T)
        if not added.shape[1]:
            dependent.append(name)
        span = np.hstack([span, added])
    return tuple(dependent), span.shape[1] - begun


def basis(rows: np.ndarray) -> np.ndarray:
    """Orthonormal basis (columns) of the span of rows of unit length, or of what others leave of them."""
    return span(rows.T, INDEPENDENT, size=1.0)
