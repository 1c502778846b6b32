"""Point-on-line joint."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import Relaxation, SlideJoint


@dataclass(frozen=True, eq=False, repr=False)
class PointOnLine(SlideJoint, tag="point_on_line"):
    """The point of j stays on a line of i.  Leaves the slide and all rotations."""

    planes = (False,)
    glyph = "bead"
    holds = ("line",)
    freedom = ("z", "turn_x", "turn_y", "turn_z")
    leaves = ("slide",)
    relaxations = (Relaxation("point_on_plane", "fx fy fz", 1),)
    symmetric = False
