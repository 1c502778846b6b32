"""Gear pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..measure import Measure
from ._coupling import Coupling


@dataclass(frozen=True, eq=False, repr=False)
class Gear(Coupling, tag="gear"):
    """Gear pair: angle_b = ratio * angle_a, counted from the drawn pose.

    `a` and `b` are joints with an angle, or angle measures.  Give `ratio` (negative for external gears), or `teeth=(n_a, n_b)` or
    `radii=(r_a, r_b)`: external gears, ratio -n_a/n_b, unless `internal=True`.
    """

    a: Any = None
    b: Any = None
    ratio: Any = None
    teeth: Any = None
    radii: Any = None
    internal: bool = False

    glyph = "gear"
    example = {"ratio": -1.5}

    def __post_init__(self) -> None:
        super().__post_init__()
        a, b = (self.model.read_coordinate(self.asked, x, "angle") for x in (self.a, self.b))
        given = [x for x in (self.ratio, self.teeth, self.radii) if x is not None]
        if len(given) != 1:
            raise ModelError(
                self.asked,
                f"ratio = {self.ratio!r}, teeth = {self.teeth!r}, radii = {self.radii!r}",
                "exactly one of them fixes the transmission",
                "give ratio=-2, or teeth=(20, 40), or radii=(0.1, 0.2)",
            )
        ratio = self.ratio
        if ratio is None:
            first, second = self.model.read_pair(self.asked, "teeth or radii", given[0])
            ratio = first / second * (1.0 if self.internal else -1.0)
        self.set(a=a, b=b, ratio=self.model.read_number(self.asked, "ratio", ratio))

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """angle_b - ratio angle_a."""
        return ((1.0, self.b), (-self.ratio, self.a))
