"""Screw joint: a nut on a thread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import Relaxation
from .cylindrical import Cylindrical


@dataclass(frozen=True, eq=False, repr=False)
class Screw(Cylindrical, tag="screw"):
    """Nut on a thread: a cylindrical joint whose slide is `pitch` metres per turn of the angle (right-handed for pitch > 0)."""

    pitch: Any = None

    glyph = "thread"
    freedom = ("turn_z",)  # type: ignore[assignment]
    relaxations = (Relaxation("cylindrical", "fz mz"),)  # type: ignore[assignment]
    example = {"pitch": 0.3}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_numbers(pitch="finite")

    @property
    def thread(self) -> Any:
        """The pitch."""
        return self.pitch

    def rows(self) -> list[Measure]:
        """Common axis; slide tied to the angle."""
        lead = self.pitch * (1.0 / (2.0 * math.pi))
        terms = ((1.0, self.slide_measure()), (-lead, self.angle_measure()))
        return [*super().rows(), self.measure("thread", "combination", terms=terms)]
