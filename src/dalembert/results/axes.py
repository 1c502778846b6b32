"""Axes in which loads are given: of space, of the body, of the joint, or turned against one of these as the user likes.

PLANAR 6.6.8 gives the reaction on body i as F'' = -C_i^T A_i^T Phi_r^T lam: A_i turns body axes into space, and C_i the axes x''-y'' of the joint, which
the user chooses, into body axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, nearest, shown
from ..model.expression.checks import plain_number
from ..model.reading import listed, read_orientation

BASES = ("space", "body", "joint")
# the axes of the joint as PLANAR writes them
OF_JOINT = ("x''y''", "x''-y''")


@dataclass(frozen=True)
class Axes:
    """Axes of space, body or joint, or such turned by a matrix C (rows), whose columns are the new axes in the old ones."""

    base: str = "space"
    turned: tuple[tuple[float, ...], ...] | None = None

    @property
    def fixed(self) -> bool:
        """Whether they are those of space, or turned against these."""
        return self.base == "space"

    def matrices(self, rotation: np.ndarray, marker: np.ndarray) -> np.ndarray:
        """Rotation matrices (time, 3, 3) whose columns are the axes in space, from those of the body and the marker of the joint on it."""
        found = {"space": np.broadcast_to(np.eye(3), rotation.shape), "body": rotation, "joint": rotation @ marker}[
            self.base
        ]
        return found if self.turned is None else found @ np.array(self.turned)

    def __str__(self) -> str:
        return self.base if self.turned is None else f"{self.base} (turned)"


SPACE = Axes()


def read_axes(asked: str, frame: Any, of: Any, plane: bool) -> Axes:
    """Axes from a word, an angle, a matrix or (in space) any rotation."""
    if isinstance(frame, Axes):
        return frame
    if isinstance(frame, str):
        if frame in OF_JOINT:
            return Axes("joint")
        if frame not in BASES:
            raise ModelError(
                asked,
                f"frame = {shown(frame)}",
                nearest(frame, BASES),
                "choose one of them, or give an angle or a matrix",
            )
        return Axes(frame)
    if of not in BASES:
        raise ModelError(asked, f"of = {shown(of)}", nearest(of, BASES), "axes are turned against one of these")
    matrix = _matrix(asked, frame, plane)
    return Axes(of, tuple(tuple(float(x) for x in row) for row in matrix))


def _matrix(asked: str, frame: Any, plane: bool) -> np.ndarray:
    number = plain_number(frame)
    if number is not None and plane and np.isfinite(number):
        c, s = np.cos(number), np.sin(number)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    rows = [listed(row) for row in listed(frame) or []]
    if plane and len(rows) == 2 and all(row is not None and len(row) == 2 for row in rows):
        frame = [[*rows[0], 0.0], [*rows[1], 0.0], [0.0, 0.0, 1.0]]  # type: ignore[misc]
    elif number is not None or not rows and not hasattr(frame, "as_matrix"):
        ways = "an angle or a 2 x 2 matrix" if plane else "a 3 x 3 matrix, a quaternion or (axis, angle)"
        raise ModelError(
            asked,
            f"frame = {shown(frame)}",
            f"axes are 'space', 'body', 'joint', or {ways}",
            "give for example .frame('joint')",
        )
    found = read_orientation(asked, frame)
    if not isinstance(found, np.ndarray):
        raise ModelError(
            asked, f"frame = {shown(frame)}", "the axes are needed in numbers", "give numbers, not parameters"
        )
    if plane and abs(found[2, 2] - 1.0) > 1e-9:
        raise ModelError(asked, f"frame = {shown(frame)}", "in the plane axes turn about z", "give an angle")
    return found
