"""What moves in a Lagrangian system that its rows do not determine."""

from __future__ import annotations

import numpy as np

from ...model.lagrangian import Lagrangian


def moving_coordinates(model: Lagrangian, free: np.ndarray) -> list[str]:
    """Coordinates that move most, one for each direction (column)."""
    from scipy.linalg import qr

    return [model.q[k] for k in qr(free.T, mode="r", pivoting=True)[1][: free.shape[1]]]
