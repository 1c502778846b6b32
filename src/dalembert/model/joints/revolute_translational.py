"""Revolute–translational coupler (PLANAR problem 6.6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from .pin_in_slot import PinInSlot


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteTranslational(PinInSlot, tag="revolute_translational"):
    """Massless coupler with a pin on j and a slider on a line of i, at a constant `offset` from the line.

    Held: n_i . d = offset, with d from the point of i to the pin and n_i the normal of the line, 90 degrees to the left of `along`.
    """

    offset: Any = "drawn"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_numbers(offset="drawn or finite")

    def rows(self) -> list[Measure]:
        """Constant distance of the pin from the line."""
        return [self.measure("across_y", "along_body", direction="y", offset=self.offset)]
