"""A compiled mechanism whose joints sit a little askew on one of their bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels import layout as at
from ..model.reading import matrix_quaternion, quaternion_product
from .system import System

# which vectors among the parameters of an item are axes of the joint's frame on body i
_AXES = {at.PARALLEL: (0, 1), at.AXIS_DOT: (0,), at.ALONG_BODY: (2,), at.ALONG_SPACE: (2,), at.ALONG_PAIR: (2, 3)}


def tilted(system: System, parts: set[str], angle: float, axis: int) -> System:
    """The same mechanism with the frames of some joints on their bodies i turned about an axis of that body; in the plane about z."""
    n, size = system.numbering, 2 if system.plane else 3
    turn, before, P = _rotation(angle, axis, system.plane), n.P, n.P.copy()
    items = [(block.part, item) for block in n.blocks for item, _ in block.items]
    records = n.I[n.I[at.ITEM] :][: at.ITEM_SIZE * len(items)].reshape(-1, at.ITEM_SIZE)
    for (part, item), (par, row) in zip(items, records[:, 4:6]):
        if part not in parts:
            continue
        for k in _AXES.get(item.kind, ()):
            place = slice(par + size * k, par + size * (k + 1))
            P[place] = turn @ before[place]
        if item.kind == at.TWIST:
            P[par : par + 4] = quaternion_product(matrix_quaternion(turn), before[par : par + 4])
        if system.plane and item.is_angle:
            P[n.I[at.OFFSET] + row] += angle
    return replace(system, numbering=replace(n, P=P))


def _rotation(angle: float, axis: int, plane: bool) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    if plane:
        return np.array([[c, -s], [s, c]])
    turn = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[i, i] = turn[j, j] = c
    turn[i, j], turn[j, i] = -s, s
    return turn
