"""Universal (Cardan, Hooke) joint: a cross with one axis on each body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Marker, read_direction
from ..measure import Measure
from ..reading import read_items
from ._base import PairJoint, Relaxation


@dataclass(frozen=True, eq=False, repr=False)
class Universal(PairJoint, tag="universal"):
    """Cross: the points coincide and the axis of the cross on i stays perpendicular to the axis on j.

    `axes=(axis_on_i, axis_on_j)`, the two arms of the cross as drawn.  `angle_i` is the turn of the cross about its arm on i,
    `angle_j` that of j about its own arm; both are zero as drawn.
    """

    axes: Any = None

    planes = (False,)
    glyph = "cross"
    holds = ("gap", "square")
    freedom = ("turn_z", "turn_x")
    relaxations = (Relaxation("spherical", "mx my mz"),)
    axis_is = "axis"

    def __post_init__(self) -> None:
        super().__post_init__()
        why, do = "a cross has two arms, one on each body", "give axes=((1, 0, 0), (0, 1, 0)), first the arm on body i"
        arms = read_items(self.asked, "axes", self.axes, 2, why, do)
        self.set(axes=tuple(read_direction(self.model, self.asked, "axes", a) for a in arms))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames whose z is the arm of the cross on that body and whose x is the other arm as drawn."""
        a, b = self.axes
        return Marker(self.i, self.at[0], z=a, x=b), Marker(self.j, self.at[1], z=b, x=a)

    def coordinates(self) -> dict[str, Measure]:
        """Turns about the two arms."""
        (i, j), (a, b) = self.markers, self.axes
        # the arm on j (its z) seen about the arm on i; and the arm on i seen about the arm on j, with opposite sense
        first = Measure(f"{self.name}.angle_i", "angle", i, Marker(self.j, self.at[1], z=a, x=b), unit="rad")
        back = Measure(f"{self.name}.back", "angle", j, Marker(self.i, self.at[0], z=b, x=a), unit="rad")
        second = Measure(f"{self.name}.angle_j", "combination", i, j, terms=((-1.0, back),), unit="rad")
        return {"angle_i": first, "angle_j": second}

    def turns(self) -> tuple[tuple[float, Measure], ...]:
        """About the arm on i, and about the arm on j as seen from there."""
        found = self.coordinates()
        return (1.0, found["angle_i"]), found["angle_j"].terms[0]
