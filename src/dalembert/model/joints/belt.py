"""Belt or chain drive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ..reading import read_flag
from ._coupling import Coupling


@dataclass(frozen=True, eq=False, repr=False)
class Belt(Coupling, tag="belt"):
    """Belt without slip over two pulleys: r_b angle_b = r_a angle_a (a crossed belt reverses the sense).

    `a` and `b` are joints with an angle, or angle measures; `radii=(r_a, r_b)` those of the pulleys.
    """

    a: Any = None
    b: Any = None
    radii: Any = None
    crossed: bool = False

    planes = (True,)
    glyph = "belt"
    wheels = ("a", "b")
    example = {"radii": (0.2, 0.3)}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_angles("a", "b")
        self.set(
            radii=self.model.read_pair(self.asked, "radii", self.radii),
            crossed=read_flag(self.asked, "crossed", self.crossed),
        )

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """r_b angle_b - (+ if crossed) r_a angle_a."""
        first = self.radii[0] if self.crossed else -self.radii[0]
        return ((self.radii[1], self.b), (first, self.a))

    def rows(self) -> list[Measure]:
        """One row, in metres of belt."""
        (row,) = super().rows()
        return [Measure(row.name, "combination", row.i, row.j, terms=row.terms, unit="m", offset="drawn")]

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """Radii of the pulleys."""
        return {"glyph": self.glyph, "radii": [abs(number(r)) for r in self.radii], "crossed": self.crossed}
