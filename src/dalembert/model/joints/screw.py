"""Screw joint: a nut on a thread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import AxisJoint
from ._freedom import Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Screw(AxisJoint, tag="screw"):
    """Nut on a thread: a cylindrical joint whose slide is `pitch` metres per turn of the angle (right-handed for pitch > 0)."""

    pitch: Any = None

    planes = (False,)
    glyph = "thread"
    freedom = ("turn_z",)
    example = {"pitch": 0.3}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set(pitch=self.model.read_number(self.asked, "pitch", self.pitch))

    def rows(self) -> list[Measure]:
        """Common axis; slide tied to the angle."""
        across = [self.measure(f"across_{a}", "along_body", direction=a) for a in ("x", "y")]
        lead = self.pitch * (1.0 / (2.0 * math.pi))
        terms = ((1.0, self.slide_measure()), (-lead, self.angle_measure()))
        return [*across, self.measure("tilt", "parallel", unit="1"), self.measure("thread", "combination", terms=terms)]

    def coordinates(self) -> dict[str, Measure]:
        """Angle and displacement, tied by the thread."""
        return {"angle": self.angle_measure(), "slide": self.slide_measure()}

    def relaxations(self) -> tuple[Relaxation, ...]:
        """Without the thread."""
        return (Relaxation("cylindrical", "fz mz"),)

    @property
    def thread(self) -> Any:
        """The pitch."""
        return self.pitch
