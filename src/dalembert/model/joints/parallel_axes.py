"""Parallel-axes joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Point
from ._base import AxisJoint


@dataclass(frozen=True, eq=False, repr=False)
class ParallelAxes(AxisJoint, tag="parallel_axes"):
    """An axis of i and an axis of j stay parallel.  Leaves all displacements and the rotation about the axis."""

    planes = (False,)
    glyph = "parallel"
    holds = ("tilt",)
    freedom = ("x", "y", "z", "turn_z")
    leaves = ("angle",)

    def _default_place(self) -> tuple[Any, Any]:
        return Point(self.i, (0.0, 0.0, 0.0)), Point(self.j, (0.0, 0.0, 0.0))
