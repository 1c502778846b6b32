"""Planar joint: a plate that slides on a plane."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import AxisJoint, Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Planar(AxisJoint, tag="planar"):
    """Plate on a plane with normal `axis`: leaves two displacements and the rotation about the normal."""

    planes = (False,)
    glyph = "plane"
    holds = ("lift", "tilt")
    freedom = ("x", "y", "turn_z")
    leaves = ("x", "y", "angle")
    relaxations = (Relaxation("point_on_plane across its axis", "mx my"), Relaxation("parallel_axes", "fz"))
