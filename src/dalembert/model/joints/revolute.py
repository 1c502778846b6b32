"""Revolute joint: a hinge or pin."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import AxisJoint


@dataclass(frozen=True, eq=False, repr=False)
class Revolute(AxisJoint, tag="revolute"):
    """Hinge: the two origins coincide and, in space, the two z axes stay parallel.  Leaves the angle about z."""

    glyph = "pin"

    def rows(self) -> list[Measure]:
        """Coincident points; parallel axes."""
        gap = [self.measure("gap", "gap")]
        return gap if self.model.plane else [*gap, self.measure("tilt", "parallel", unit="1")]

    def coordinates(self) -> dict[str, Measure]:
        """Angle of j relative to i."""
        return {"angle": self.angle_measure()}
