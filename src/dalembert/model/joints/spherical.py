"""Spherical joint: a ball in a socket."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import PairJoint, Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Spherical(PairJoint, tag="spherical"):
    """Ball and socket: the two points coincide.  Leaves all rotations."""

    planes = (False,)
    glyph = "ball"
    holds = ("gap",)
    freedom = ("turn_x", "turn_y", "turn_z")
    relaxations = (
        Relaxation("point_on_line {}", "fx fy fz", 1),
        Relaxation("point_on_plane, normal {}", "fx fy fz", 2),
    )
