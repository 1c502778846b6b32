"""Prismatic (translational) joint: a slider in a guide."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import Relaxation, SlideJoint


@dataclass(frozen=True, eq=False, repr=False)
class Prismatic(SlideJoint, tag="prismatic"):
    """Slider: the bodies keep their relative orientation and the point of j stays on the line of i.  Leaves the slide."""

    glyph = "slider"
    holds = ("line", "orientation")
    leaves = ("slide",)

    @property
    def freedom(self) -> tuple[str, ...]:
        """The slide: along x of the frame in the plane, along z in space."""
        return ("x",) if self.model.plane else ("z",)

    @property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """Turning about the line, or about any axis."""
        if self.model.plane:
            return (Relaxation("pin_in_slot", "mz"),)
        return Relaxation("cylindrical", "mz"), Relaxation("point_on_line along its line", "mx my mz")
