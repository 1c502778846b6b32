"""Point-on-plane joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Marker
from ._base import PairJoint


@dataclass(frozen=True, eq=False, repr=False)
class PointOnPlane(PairJoint, tag="point_on_plane"):
    """The point of j stays in the plane of i that contains the point of i and has the given `normal`."""

    normal: Any = None

    planes = (False,)
    glyph = "plane"
    holds = ("lift",)
    freedom = ("x", "y", "turn_x", "turn_y", "turn_z")
    leaves = ("x", "y")
    axis_is = "normal"
    symmetric = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set(normal=self.read_axes("normal", self.normal, needed=True))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames with z along the normal."""
        return Marker(self.i, self.at[0], z=self.normal[0]), Marker(self.j, self.at[1], z=self.normal[1])
