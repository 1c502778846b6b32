"""What gear, rack, belt and differential share: a linear combination of coordinates of other joints is held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ...errors import ModelError
from ..body import Body
from ..frame import Marker
from ..measure import Measure
from ._base import Joint

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Joint):
    """Base of couplings: `terms()` gives pairs (coefficient, measure); the sum keeps the value it has as drawn."""

    wheels: ClassVar[tuple[str, ...]] = ()  # fields with the coordinates of what is drawn

    located = False
    load_is = "the coupling"

    @property
    def drawn_at(self) -> tuple[tuple[Marker | None, Marker | None], ...]:
        return tuple((measure.i, measure.j) for measure in (getattr(self, name) for name in self.wheels))

    def read_angles(self, *names: str) -> None:
        found = {n: self.model.read_coordinate(self.asked, getattr(self, n), "angle") for n in names}
        for n, measure in found.items():
            self.check_unit(n, measure, "rad", "an angle")
        self.refuse_equal(*found.values())
        self.set(**found)

    def check_unit(self, name: str, measure: Measure, unit: str, what: str) -> None:
        """Refuse a coordinate of another kind; expressions have no unit and pass."""
        if measure.is_rate or measure.unit not in (unit, "1"):
            raise ModelError(
                self.asked, f"{name} = {measure.name!r} in {measure.unit}",
                f"{what} is needed here", f"give a joint with {what}",
            )  # fmt: skip

    def refuse_equal(self, *measures: Measure) -> None:
        names = [measure.name for measure in measures]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(
                    self.asked, f"{name!r} twice", "it couples different coordinates", "name the other joint"
                )

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        raise NotImplementedError

    def rows(self) -> list[Measure]:
        terms = self.terms()
        unit = terms[0][1].unit
        first, last = self.markers[0], self.markers[-1]
        return [Measure(f"{self.name}.coupling", "combination", first, last, terms=terms, unit=unit, offset="drawn")]

    @property
    def bodies(self) -> tuple[Body, ...]:
        return bodies_of(self.model, [measure for _, measure in self.terms()])

    @property
    def markers(self) -> tuple[Marker, ...]:
        return tuple(m for _, measure in self.terms() for m in (measure.i, measure.j) if m is not None)


def measure_bodies(measure: Measure) -> list[Body]:
    if measure.terms:
        return [body for _, term in measure.terms for body in measure_bodies(term)]
    return [m.body for m in (measure.i, measure.j) if m is not None]


def bodies_of(model: Mechanism, measures: Iterable[Measure]) -> tuple[Body, ...]:
    found = [body for measure in measures for base in model.base_measures(measure) for body in measure_bodies(base)]
    return tuple({id(body): body for body in found}.values())
