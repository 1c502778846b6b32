"""Revolute joint: a hinge or pin."""

from __future__ import annotations

from dataclasses import dataclass

from ._base import AxisJoint, Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Revolute(AxisJoint, tag="revolute"):
    """Hinge: the two origins coincide and, in space, the two z axes stay parallel.  Leaves the angle about z."""

    glyph = "pin"
    holds = ("gap", "tilt")
    freedom = ("turn_z",)
    leaves = ("angle",)

    @property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """In the plane a slot; in space more along the axis, across it, about other axes."""
        if self.model.plane:
            return (Relaxation("pin_in_slot, slot {}", "fx fy", 1),)
        return (
            Relaxation("cylindrical", "fz"), Relaxation("universal", "mx my", 1), Relaxation("spherical", "mx my"),
            Relaxation("planar across its axis", "fx fy"), Relaxation("point_on_line along its axis", "fz mx my"),
            Relaxation("parallel_axes", "fx fy fz"), Relaxation("point_on_plane across its axis", "fx fy mx my"),
        )  # fmt: skip
