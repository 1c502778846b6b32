"""Dry friction, regularised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import Law, MeasureForce, needed


@dataclass(frozen=True, eq=False, repr=False)
class Friction(MeasureForce, tag="friction"):
    """Dry friction of constant size on a measure, regularised: f = force v / sqrt(v^2 + speed^2).

    `force` is F0 (a torque for an angle), `speed` the rate at which 71 % of it is reached.  Below that speed the element creeps
    instead of sticking.
    """

    force: Any = None
    speed: Any = 1e-3

    glyph = "friction"
    example = {"force": 2.0, "speed": 0.5}

    def __post_init__(self) -> None:
        super().__post_init__()
        needed(self, force=self.force)
        self.set(
            force=self.model.read_number(self.asked, "force", self.force, "nonnegative"),
            speed=self.model.read_number(self.asked, "speed", self.speed, "positive"),
        )

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the rate."""
        return [(self.on, Law("friction", (self.force, self.speed)))]
