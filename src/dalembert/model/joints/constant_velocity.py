"""Constant-velocity (homokinetic) joint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ._base import AxisJoint, Joint, Relaxation

# sine of the angle between directions, and part of the model's length between lines, that are taken for one
ALIGNED = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class ConstantVelocity(AxisJoint, tag="constant_velocity"):
    """Homokinetic joint: the points coincide and both shafts turn at the same speed about their own axes, at any bend.

    The relative rotation is a bend about an axis across the shafts: its quaternion has no component along z.  That row is regular at
    any bend, one of 180 degrees included; R_xy = R_yx, which is r_0 r_z = 0, also holds for every half turn (r_0 = 0), twist or not.

    One `axis` is that of two shafts drawn in line; shafts drawn bent have one each, `axis=(axis_of_i, axis_of_j)`.
    """

    planes = (False,)
    glyph = "ball"
    holds = ("gap", "twist")
    freedom = ("turn_x", "turn_y", "turn_z")  # of which the row of the twist takes one
    relaxations = (Relaxation("spherical", "mx my mz"),)

    def check(self, drawing: Any) -> None:
        """Refuse one axis for both shafts where one of them is seen to lie another way."""
        if self.axis[0] is not self.axis[1]:
            return
        ends = {id(end.body): end for end in drawing.attach(*self.markers) if not end.body.is_ground}
        for other in (joint for joint in self.model.parts("joint") if joint is not self and len(joint.bodies) == 2):
            for there in drawing.attach(other.markers[0], other.markers[-1]):
                mine = ends.get(id(there.body))
                if mine is None:
                    continue
                axis, shaft = mine.axes[:, 2], _shaft(other, mine, there, ALIGNED * drawing.extent)
                sine, cosine = float(np.linalg.norm(np.cross(axis, shaft))), abs(float(axis @ shaft))
                if sine > ALIGNED * cosine:
                    raise ModelError(
                        self.asked, f"one axis for both shafts; {other.name!r} shows that of {mine.body.name!r} at {math.degrees(math.atan2(sine, cosine)):.6g} degrees to it",
                        "each shaft turns about its own axis, both at the same rate; one axis is right where they are drawn in line", "give axis=(axis_of_i, axis_of_j), that of each shaft as drawn",
                    )  # fmt: skip


def _shaft(other: Joint, mine: Any, there: Any, near: float) -> np.ndarray:
    """Direction of a shaft as another joint shows it: a bearing on a line through the centre, or the centre of a joint at its other end; else z."""
    between, freedom = there.point - mine.point, set(other.freedom or ())
    if isinstance(other, ConstantVelocity):
        return between if float(np.linalg.norm(between)) > near else mine.axes[:, 2]
    bearing = "turn_z" in freedom and not freedom & {"x", "turn_x"}
    line = there.axes[:, 2]
    return line if bearing and float(np.linalg.norm(np.cross(between, line))) <= near else mine.axes[:, 2]
