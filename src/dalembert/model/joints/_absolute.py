"""What absolute_x, absolute_y and absolute_angle share: one coordinate of one body relative to the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..body import Body
from ..frame import Marker, Point
from ..measure import Measure
from ._base import Joint


@dataclass(frozen=True, eq=False, repr=False)
class AbsoluteCoordinate(Joint):
    """One coordinate of a body, or of its point `at`, is held at `value`."""

    body: Any = None
    value: Any = "drawn"
    at: Any = None

    planes = (True,)
    fields_are = {"value": ("number", "m")}
    coordinate: ClassVar[str] = "x"

    def __post_init__(self) -> None:
        super().__post_init__()
        body = self.model.read_moving(self.asked, self.body)
        at = Point(body, (0.0, 0.0, 0.0)) if self.at is None else self.model.read_point(self.asked, "at", self.at, body)
        self.set(body=body, at=at)
        self.read_numbers(value="drawn or finite")

    @property
    def bodies(self) -> tuple[Body, ...]:
        return (self.model.ground, self.body)

    @property
    def markers(self) -> tuple[Marker, ...]:
        return Marker(self.model.ground, (0.0, 0.0, 0.0)), Marker(self.body, self.at)

    def rows(self) -> list[Measure]:
        if self.coordinate == "angle":
            return [self.measure("angle", "angle", unit="rad", offset=self.value)]
        direction = (1.0, 0.0, 0.0) if self.coordinate == "x" else (0.0, 1.0, 0.0)
        return [self.measure(self.coordinate, "along_space", direction=direction, offset=self.value)]
