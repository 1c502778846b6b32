"""Revolute–translational coupler (PLANAR problem 6.6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import SlideJoint


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteTranslational(SlideJoint, tag="revolute_translational"):
    """Massless coupler with a pin on j and a slider on a line of i, at a constant `offset` from the line.

    Held: n_i . d = offset, with d from the point of i to the pin and n_i the normal of the line, 90 degrees to the left of `along`.
    """

    offset: Any = "drawn"

    planes = (True,)
    glyph = "slot"
    freedom = ("x", "turn_z")
    symmetric = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.offset, str) and self.offset == "drawn"):
            self.set(offset=self.model.read_number(self.asked, "offset", self.offset))

    def rows(self) -> list[Measure]:
        """Constant distance of the pin from the line."""
        return [self.measure("across_y", "along_body", direction="y", offset=self.offset)]

    def coordinates(self) -> dict[str, Measure]:
        """Displacement along the line and angle of j relative to i."""
        return {"slide": self.slide_measure(), "angle": self.measure("angle", "angle", unit="rad")}
