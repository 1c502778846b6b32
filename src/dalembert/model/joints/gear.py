"""Gear pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError, shown
from ..measure import Measure
from ..reading import read_flag
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
    wheels = ("a", "b")
    example = {"ratio": -1.5}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_angles("a", "b")
        given = [x for x in (self.ratio, self.teeth, self.radii) if x is not None]
        if len(given) != 1:
            raise ModelError(
                self.asked, f"ratio = {shown(self.ratio, 40)}, teeth = {shown(self.teeth, 40)}, radii = {shown(self.radii, 40)}",
                "exactly one of them fixes the transmission", "give ratio=-2, or teeth=(20, 40), or radii=(0.1, 0.2)",
            )  # fmt: skip
        ratio, internal = self.ratio, read_flag(self.asked, "internal", self.internal)
        if ratio is None:
            first, second = self.model.read_pair(self.asked, "teeth or radii", given[0])
            ratio = first / second * (1.0 if internal else -1.0)
        self.set(ratio=self.model.read_number(self.asked, "ratio", ratio, "nonzero"), internal=internal)

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """angle_b - ratio angle_a."""
        return ((1.0, self.b), (-self.ratio, self.a))

    @property
    def mesh(self) -> tuple[tuple[tuple[float, Measure], ...], Any]:
        """The wheels roll by the difference of their angles; the multiplier is the torque on b."""
        return ((1.0, self.b), (-1.0, self.a)), None if self.radii is None else self.radii[1]

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """Pitch radii, or the ratio from which they follow."""
        radii = None if self.radii is None else [abs(number(r)) for r in self.radii]
        return {"glyph": self.glyph, "radii": radii, "ratio": number(self.ratio)}
