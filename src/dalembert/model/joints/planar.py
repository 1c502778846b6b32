"""Planar joint: a plate that slides on a plane."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Measure
from ._base import AxisJoint
from ._freedom import Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Planar(AxisJoint, tag="planar"):
    """Plate on a plane with normal `axis`: leaves two displacements and the rotation about the normal."""

    planes = (False,)
    glyph = "plane"
    freedom = ("x", "y", "turn_z")
    leaves = ("x", "y", "angle")
    relaxations = (Relaxation("point_on_plane across its axis", "mx my"), Relaxation("parallel_axes", "fz"))

    def rows(self) -> list[Measure]:
        """No lift; parallel normals."""
        return [self.measure("lift", "along_body", direction="z"), self.measure("tilt", "parallel", unit="1")]
