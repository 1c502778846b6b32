"""Whether forces have a potential (LAGRANGE 2.1.9): the one place that decides it, with the slopes of whoever asks.

    Q = -dV/dq  if and only if  C_ij = z_i(Q.z_j) - z_j(Q.z_i) - Q.[z_i, z_j] = 0

along all displacements z that rows on positions allow; of coordinates that is dQ_j/dq_i = dQ_i/dq_j.  Of one motion every force that depends
on positions alone has a potential.
"""

from __future__ import annotations

import math

import numpy as np

# what rounding leaves of C, as a part of the slopes and forces that it is made of
ROUNDED = 1e-11


def curl(slopes: np.ndarray, z: np.ndarray, forces: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """C along displacements z of coordinates, of the slopes dQ_i/dq_j of some forces, and what rounding leaves of it."""
    size = float(np.linalg.norm(np.abs(z.T) @ np.abs(slopes) @ np.abs(z)))
    if forces is not None:
        size += float(np.linalg.norm(np.abs(z.T) @ np.abs(forces)))
    return z.T @ (slopes.T - slopes) @ z, ROUNDED * size


def open_pair(c: np.ndarray, error: float) -> tuple[int, int] | None:
    """The two displacements of which C is largest; None where that is rounding, or forces have no value."""
    if not c.size or not math.isfinite(error) or not np.max(np.abs(c)) > error:
        return None
    i, j = np.unravel_index(int(np.argmax(np.abs(c))), c.shape)
    return int(i), int(j)
