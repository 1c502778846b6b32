"""Cylindrical joint: a shaft that turns and slides in a bushing."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import AxisJoint
from ._freedom import Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Cylindrical(AxisJoint, tag="cylindrical"):
    """Shaft in a sleeve: common axis z.  Leaves the angle about it and the slide along it."""

    planes = (False,)
    glyph = "sleeve"
    freedom = ("turn_z", "z")
    leaves = ("angle", "slide")
    relaxations = (Relaxation("point_on_line along its axis", "mx my"), Relaxation("parallel_axes", "fx fy"))

    def rows(self) -> list[Measure]:
        """Parallel axes; point of j on the axis of i."""
        across = [self.measure(f"across_{a}", "along_body", direction=a) for a in ("x", "y")]
        return [*across, self.measure("tilt", "parallel", unit="1")]
