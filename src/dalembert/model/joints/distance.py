"""Distance link: a massless rod with a ball or pin at each end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..body import Body
from ..frame import Marker
from ..measure import Measure
from ._base import Joint


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Joint, tag="distance"):
    """Massless link of constant `length` (default: as drawn) between two points, each given as (body, point) or body.point(...).

    The true length `|d|` is held, not its square, so that the multiplier is the force: -lam is the tension turned to a push.
    """

    a: Any = None
    b: Any = None
    length: Any = "drawn"

    glyph = "link"
    load_is = "force along the link"

    def __post_init__(self) -> None:
        super().__post_init__()
        a, b = self.model.read_ends(self.asked, self.a, self.b)
        self.set(a=a, b=b)
        self.read_numbers(length="drawn or positive")

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the two ends."""
        return (self.a.body, self.b.body)

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames at the ends."""
        return Marker(self.a.body, self.a), Marker(self.b.body, self.b)

    def rows(self) -> list[Measure]:
        """Constant distance."""
        return [self.measure("distance", "distance", offset=self.length)]

    def coordinates(self) -> dict[str, Measure]:
        """The distance itself (constant)."""
        return {"distance": self.measure("distance", "distance")}
