"""Where all bodies of a scene are at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    pass


@dataclass
class Pose:
    """All bodies at one instant: origins of their frames and rotations; the run and output it belongs to, for velocities and loads."""

    t: float
    origin: np.ndarray  # (body, 3)
    rotation: np.ndarray  # (body, 3, 3)
    run: Any = None
    k: int = 0

    def put(self, body: int, points: Any) -> np.ndarray:
        """Points of a body (the ground is -1) in space; two coordinates stay two."""
        given = np.atleast_2d(np.asarray(points, dtype=float))
        if body < 0:
            return given
        n = given.shape[1]
        return self.origin[body, :n] + given @ self.rotation[body, :n, :n].T

    def at(self, place: Any) -> np.ndarray:
        """A place of the scene: (body, point)."""
        return self.put(place[0], [place[1]])[0]

    def turn(self, body: int, direction: Any) -> np.ndarray:
        """Direction on a body in space."""
        d = np.asarray(direction, dtype=float)
        return d if body < 0 else self.rotation[body, : len(d), : len(d)] @ d

    def angle(self, body: int) -> float:
        """Angle of a body in the plane."""
        return 0.0 if body < 0 else float(np.arctan2(self.rotation[body, 1, 0], self.rotation[body, 0, 0]))
