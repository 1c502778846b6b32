"""Knife edge: skate, sharp wheel, rudder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..frame import Marker, Point
from ..measure import Measure
from ._base import PairJoint


@dataclass(frozen=True, eq=False, repr=False)
class KnifeEdge(PairJoint, tag="knife_edge"):
    """A point of j moves over i along the blade of j only, never across it: skate, ideal wheel of a vehicle seen from above.

    The blade points `along`, fixed on j, at the point `at`.  In space it stands on the surface of i with the `normal`; the direction
    across, normal x along, is fixed on j.  The point itself is not held on the surface: `m.point_on_plane` or `m.planar` does that.
    """

    along: Any = None
    normal: Any = None

    glyph = "slot"
    symmetric = False

    def __post_init__(self) -> None:
        super().__post_init__()
        along = self.read_axes("along", self.along, needed=True)[1]
        if self.model.plane and self.normal is not None:
            raise ModelError(
                self.asked, f"normal = {self.normal!r}", "in the plane the normal is z", "leave normal out"
            )
        normal = self.read_axes("normal", self.normal, needed=not self.model.plane)[1]
        self.set(along=along, normal=normal)

    def _default_place(self) -> tuple[Any, Any]:
        origin = Point(self.j, (0.0, 0.0, 0.0))
        return origin, origin

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames with x along the blade and z along the normal."""
        x, z = self.along, self.normal
        return Marker(self.i, self.at[0], z=z, x=x), Marker(self.j, self.at[1], z=z, x=x)

    def rows(self) -> list[Measure]:
        """No velocity across the blade."""
        return [self.measure("across", "slip", direction="y", frame=self.j)]

    def coordinates(self) -> dict[str, Measure]:
        """Speed along the blade: a rate without a value."""
        return {"speed": self.measure("speed", "slip", direction="x", frame=self.j)}
