"""Differential gear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._coupling import Coupling


@dataclass(frozen=True, eq=False, repr=False)
class Differential(Coupling, tag="differential"):
    """Differential: the carrier turns by the mean of its two outputs, angle_left + angle_right = 2 angle_carrier.

    Each argument is a joint with an angle, or an angle measure (LAGRANGE 2.2.1).
    """

    left: Any = None
    right: Any = None
    carrier: Any = None

    planes = (False,)
    glyph = "gear"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_angles("left", "right", "carrier")

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """angle_left + angle_right - 2 angle_carrier."""
        return ((1.0, self.left), (1.0, self.right), (-2.0, self.carrier))
