"""What gear, rack, belt and differential share: a linear combination of coordinates of other joints is held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..body import Body
from ..frame import Marker
from ..measure import Measure
from ._base import Joint


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Joint):
    """Base of couplings: `terms()` gives pairs (coefficient, measure); the sum keeps the value it has as drawn."""

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """Coefficients and measures of the combination."""
        raise NotImplementedError

    def rows(self) -> list[Measure]:
        """One row: the combination."""
        terms = self.terms()
        unit = terms[0][1].unit
        first, last = self.markers[0], self.markers[-1]
        return [Measure(f"{self.name}.coupling", "combination", first, last, terms=terms, unit=unit, offset="drawn")]

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies of the coupled coordinates, each once."""
        found: dict[int, Body] = {}
        for _, measure in self.terms():
            for body in measure_bodies(measure):
                found.setdefault(id(body), body)
        return tuple(found.values())

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames of the coupled coordinates."""
        return tuple(m for _, measure in self.terms() for m in (measure.i, measure.j) if m is not None)


def measure_bodies(measure: Measure) -> list[Body]:
    """Bodies that a measure touches, through combinations too."""
    if measure.terms:
        return [body for _, term in measure.terms for body in measure_bodies(term)]
    return [m.body for m in (measure.i, measure.j) if m is not None]
