"""Constant-velocity (homokinetic) joint."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import AxisJoint
from ._freedom import Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class ConstantVelocity(AxisJoint, tag="constant_velocity"):
    """Homokinetic joint: the points coincide and both shafts turn at the same speed about their own axes, at any bend.

    The relative rotation is a bend about an axis across the shafts: its quaternion has no component along z.  That row is regular at
    any bend, one of 180 degrees included; R_xy = R_yx, which is r_0 r_z = 0, also holds for every half turn (r_0 = 0), twist or not.
    """

    planes = (False,)
    glyph = "ball"
    freedom = ("turn_x", "turn_y", "turn_z")  # of which the row of the twist takes one
    relaxations = (Relaxation("spherical", "mx my mz"),)

    def rows(self) -> list[Measure]:
        """Coincident points; bend without twist."""
        return [self.measure("gap", "gap"), self.measure("twist", "twist", unit="1")]
