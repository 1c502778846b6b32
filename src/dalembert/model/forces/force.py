"""Point force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..frame import Marker
from ..measure import Measure
from ._base import Law
from ._load import AXES, Load


@dataclass(frozen=True, eq=False, repr=False)
class PointForce(Load, tag="force"):
    """Force on a body at a point (default: its mass centre), with components fixed in space or in the body.

    Components are numbers, expressions of t, measures and parameters, or Python functions of t.
    """

    at: Any = None
    frame: Any = "space"

    external = True
    fields_are = {"value": ("number", "N")}

    def __post_init__(self) -> None:
        body = self.model.read_moving(self.asked, self.body)
        at = None if self.at is None else self.model.read_point(self.asked, "at", self.at, body)
        self.set(body=body, at=at, value=self.read_laws(self.value, 2 if self.model.plane else 3))
        self.set(frame=self.read_frame(self.frame))

    def elements(self) -> list[tuple[Measure, Law]]:
        """One constant or time law per component, on the velocity of the point along a fixed direction."""
        i, j = Marker(self.model.ground, (0.0, 0.0, 0.0)), Marker(self.body, self.at)
        found = []
        for (axis, direction), law in zip(AXES, self.value):
            measure = self.measure(axis, "velocity", i, j, direction=direction, frame=self.frame, unit="m/s")
            found.append((measure, law))
        return found
