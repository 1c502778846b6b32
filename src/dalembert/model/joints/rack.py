"""Rack and pinion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._coupling import Coupling


@dataclass(frozen=True, eq=False, repr=False)
class Rack(Coupling, tag="rack"):
    """Rack and pinion: slide = radius * angle, counted from the drawn pose.

    `pinion` is a joint with an angle, `rack` a joint with a slide (or measures).  The rack moves in its positive direction when
    the pinion turns in its positive sense; a negative radius reverses it (rack on the other side).
    """

    pinion: Any = None
    rack: Any = None
    radius: Any = None

    glyph = "rack"
    wheels = ("pinion", "rack")
    example = {"radius": 0.2}

    def __post_init__(self) -> None:
        super().__post_init__()
        pinion = self.model.read_coordinate(self.asked, self.pinion, "angle")
        rack = self.model.read_coordinate(self.asked, self.rack, "slide")
        self.check_unit("pinion", pinion, "rad", "an angle")
        self.check_unit("rack", rack, "m", "a slide")
        self.refuse_equal(pinion, rack)
        self.set(pinion=pinion, rack=rack)
        self.read_numbers(radius="nonzero")

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """Slide - radius angle."""
        return ((1.0, self.rack), (-self.radius, self.pinion))

    @property
    def mesh(self) -> tuple[tuple[tuple[float, Measure], ...], Any]:
        """The pinion rolls by its angle; the multiplier is the force along the rack."""
        return ((1.0, self.pinion),), 1.0

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """Radius of the pinion."""
        return {"glyph": self.glyph, "radius": number(self.radius)}
