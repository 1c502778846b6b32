"""Fixed joint: a weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Marker, Point
from ..measure import Measure
from ._base import PairJoint, orientation_rows


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(PairJoint, tag="fixed"):
    """Weld: the bodies keep the relative pose in which they are drawn."""

    glyph = "weld"

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
