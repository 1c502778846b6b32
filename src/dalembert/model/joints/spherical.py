"""Spherical joint: a ball in a socket."""

from __future__ import annotations

from dataclasses import dataclass

from ..frame import Marker
from ..measure import Measure
from ._base import PairJoint


@dataclass(frozen=True, eq=False, repr=False)
class Spherical(PairJoint, tag="spherical"):
    """Ball and socket: the two points coincide.  Leaves all rotations."""

    planes = (False,)
    glyph = "ball"

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames at the centre of the ball."""
        return Marker(self.i, self.at[0]), Marker(self.j, self.at[1])

    def rows(self) -> list[Measure]:
        """Coincident points."""
        return [self.measure("gap", "gap")]
