"""Places and directions in space as drawn, in numbers; orientations that are given by expressions raise TypeError or ValueError."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .frame import Axis, Point

if TYPE_CHECKING:
    from .body import Body
    from .mechanism import Mechanism


def _drawn_rotation(model: Mechanism, body: Body) -> np.ndarray:
    if body.is_ground:
        return np.eye(3)
    if not model.plane:
        return np.eye(3) if body.rotation is None else np.array(body.rotation, dtype=float)
    c, s = np.cos(model.value(body.drawn_angle)), np.sin(model.value(body.drawn_angle))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def drawn_place(model: Mechanism, place: Any) -> np.ndarray:
    """A place in space as drawn."""
    if not isinstance(place, Point):
        return np.array([model.value(x) for x in place])
    own = np.array([model.value(x) for x in place.coordinates])
    at = np.zeros(3) if place.body.is_ground else np.array([model.value(x) for x in place.body.at])
    return np.asarray(at + _drawn_rotation(model, place.body) @ own)


def drawn_direction(model: Mechanism, d: Any) -> np.ndarray:
    """A direction in space as drawn, of length 1."""
    v = np.array([model.value(x) for x in (d.coordinates if isinstance(d, Axis) else d)])
    v = _drawn_rotation(model, d.body) @ v if isinstance(d, Axis) else v
    return np.asarray(v / np.linalg.norm(v))
