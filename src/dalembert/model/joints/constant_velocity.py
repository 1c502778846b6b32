"""Constant-velocity (homokinetic) joint."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import AxisJoint


@dataclass(frozen=True, eq=False, repr=False)
class ConstantVelocity(AxisJoint, tag="constant_velocity"):
    """Homokinetic joint: the points coincide and both shafts turn at the same speed about their own axes, at any bend.

    The relative rotation has no component along the shafts: R_xy = R_yx, that is x_i . y_j - y_i . x_j = 0.
    """

    planes = (False,)
    glyph = "ball"

    def rows(self) -> list[Measure]:
        """Coincident points; bend without twist."""
        xy = self.measure("xy", "dot", direction=("x", "y"), unit="1")
        yx = self.measure("yx", "dot", direction=("y", "x"), unit="1")
        twist = self.measure("twist", "combination", terms=((1.0, xy), (-1.0, yx)), unit="1")
        return [self.measure("gap", "gap"), twist]
