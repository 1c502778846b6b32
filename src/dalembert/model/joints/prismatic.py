"""Prismatic (translational) joint: a slider in a guide."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import SlideJoint, orientation_rows


@dataclass(frozen=True, eq=False, repr=False)
class Prismatic(SlideJoint, tag="prismatic"):
    """Slider: the bodies keep their relative orientation and the point of j stays on the line of i.  Leaves the slide."""

    glyph = "slider"

    def rows(self) -> list[Measure]:
        """Point on line; no relative rotation."""
        return [*self.on_line(), *orientation_rows(self)]

    def coordinates(self) -> dict[str, Measure]:
        """Displacement along the line."""
        return {"slide": self.slide_measure()}
