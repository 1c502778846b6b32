"""Which coordinates of a Lagrangian system are the independent ones: those in terms of which small motions are told."""

from __future__ import annotations

import numpy as np

from ..lagrangian.derivatives import sizes_of
from ..rest.coordinates import Coordinates


def independent(s: Coordinates, a: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates, and rates among theirs, that determine the others (after `factor`); a: accelerations of a motion."""
    size = sizes_of(s.mass)
    prefer = np.ones(s.nv) if a is None else _preference(s, a / size)
    z = s.displacements()
    # the rows on positions, at unit length: all that is across the displacements
    across = np.linalg.svd((z / size[:, None]).T)[2][z.shape[1] :]
    positions = np.setdiff1d(np.arange(s.nv), _pivots(across * prefer, len(across)))
    more = z.shape[1] - s.dof
    left = (s.jac @ based(z, positions)) / np.linalg.norm(s.jac * size, axis=1, keepdims=True)
    return positions, np.delete(positions, _pivots(left * (size * prefer)[positions], more))


def based(motions: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The same motions, one for a unit change of each chosen coordinate."""
    made: np.ndarray = np.linalg.solve(motions[chosen].T, motions.T).T
    return made


def _preference(s: Coordinates, a: np.ndarray) -> np.ndarray:
    """Which coordinates shall follow the others, so that a steady motion has constant coefficients where it can.

    First those that accelerate, then those whose columns in the rows stay the same along the motion: of a disk that rolls in a circle
    the place on the floor, not the roll angle.
    """
    p, v = s.pose, s.pose.v
    moving = np.abs(a) > 1e-8 * max(float(np.max(np.abs(a), initial=0.0)), 1e-300)
    fast = float(np.max(np.abs(v), initial=0.0))
    dt = 1e-2 / fast if fast > 0.0 else 0.0
    later = s.functions.values(p.t + dt, p.q + dt * v, v).jac
    change = np.max(np.abs(later - s.values.jac), axis=0, initial=0.0)
    same = change <= 1e-9 * max(float(np.max(np.abs(s.values.jac), initial=0.0)), 1e-300)
    return np.where(moving, 1e4, np.where(same, 1e2, 1.0))


def _pivots(matrix: np.ndarray, rank: int) -> np.ndarray:
    """Columns that carry the rank of a matrix."""
    from scipy.linalg import qr

    if rank == 0:
        return np.zeros(0, dtype=int)
    order: np.ndarray = qr(matrix, mode="r", pivoting=True)[1]
    return order[:rank]
