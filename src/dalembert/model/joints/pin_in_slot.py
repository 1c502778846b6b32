"""Pin in a slot."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import SlideJoint


@dataclass(frozen=True, eq=False, repr=False)
class PinInSlot(SlideJoint, tag="pin_in_slot"):
    """A pin on body j slides in a straight slot of body i through the point `at`.  Leaves the slide and the rotation."""

    planes = (True,)
    glyph = "slot"
    holds = ("line",)
    freedom = ("x", "turn_z")
    leaves = ("slide", "angle")
    symmetric = False
