"""Fixed joint: a weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Marker, Point
from ..measure import Measure
from ._base import PairJoint, orientation_rows
from ._freedom import Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(PairJoint, tag="fixed"):
    """Weld: the bodies keep the relative pose in which they are drawn."""

    glyph = "weld"
    freedom = ()

    def _default_place(self) -> tuple[Any, Any]:
        origin = Point(self.j, (0.0, 0.0, 0.0)) if not self.j.is_ground else Point(self.i, (0.0, 0.0, 0.0))
        return origin, origin

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames at the common point."""
        return Marker(self.i, self.at[0]), Marker(self.j, self.at[1])

    def rows(self) -> list[Measure]:
        """Coincident points; no relative rotation."""
        return [self.measure("gap", "gap"), *orientation_rows(self)]

    def relaxations(self) -> tuple[Relaxation, ...]:
        """A hinge, a slider, a cross, a ball."""
        if self.model.plane:
            return Relaxation("revolute", "mz"), Relaxation("prismatic {}", "fx fy", 1)
        return (
            Relaxation("revolute", "mx my mz", 1),
            Relaxation("prismatic {}", "fx fy fz", 1),
            Relaxation("universal", "mx my mz", 2),
            Relaxation("spherical", "mx my mz"),
        )
