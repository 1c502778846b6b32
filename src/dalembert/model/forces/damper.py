"""Viscous damper (linear dissipation)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import Law, TwoPointForce


@dataclass(frozen=True, eq=False, repr=False)
class Damper(TwoPointForce, tag="damper"):
    """Viscous damper, f = damping * rate, between two points or on a measure; dissipation function 1/2 damping rate^2."""

    damping: Any = None

    glyph = "damper"
    example = {"damping": 3.0}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_numbers(damping="nonnegative")

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the rate."""
        return [(self.length_measure(), Law("linear", (0.0, 0.0, self.damping, 0.0)))]
