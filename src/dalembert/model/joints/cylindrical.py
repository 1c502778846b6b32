"""Cylindrical joint: a shaft that turns and slides in a bushing."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import AxisJoint, Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Cylindrical(AxisJoint, tag="cylindrical"):
    """Shaft in a sleeve: common axis z.  Leaves the angle about it and the slide along it."""

    planes = (False,)
    glyph = "sleeve"
    holds = ("line", "tilt")
    freedom = ("turn_z", "z")
    leaves = ("angle", "slide")
    relaxations = (Relaxation("point_on_line along its axis", "mx my"), Relaxation("parallel_axes", "fx fy"))
