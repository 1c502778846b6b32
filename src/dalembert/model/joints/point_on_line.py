"""Point-on-line joint."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import SlideJoint


@dataclass(frozen=True, eq=False, repr=False)
class PointOnLine(SlideJoint, tag="point_on_line"):
    """The point of j stays on a line of i.  Leaves the slide and all rotations."""

    planes = (False,)
    glyph = "bead"
    symmetric = False

    def rows(self) -> list[Measure]:
        """Point on line."""
        return self.on_line()

    def coordinates(self) -> dict[str, Measure]:
        """Displacement along the line."""
        return {"slide": self.slide_measure()}
