"""Combinations of coordinates of other joints: those that gear, rack, belt and differential hold, and expressions that are linear in rates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ...errors import DalembertError, ModelError
from ..body import Body
from ..expression import Expr
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


def rate_measure(model: Mechanism, asked: str, name: str, expression: Expr, unit: str = "1") -> Measure:
    """Measure w of velocities from an expression that is linear in the rates of measures."""
    model.no_states(asked, expression.names)
    check_linear(asked, expression, sorted(x for x in expression.names if x.startswith("rate(")))
    return Measure(name, "rate_expression", expression=expression, terms=terms_of(model, expression), unit=unit)


def terms_of(model: Mechanism, expression: Expr) -> tuple[tuple[Any, Measure], ...]:
    names = {name[5:-1] if name.startswith("rate(") else name for name in expression.names}
    found = [model.find_measure(name) for name in sorted(names)]
    return tuple((1.0, measure) for measure in found if measure is not None)


def check_linear(asked: str, expression: Expr, rates: list[str]) -> None:
    """Refuse rates in squares, products and functions: a derivative by a rate then depends on rates."""
    for rate in rates:
        slope = expression.diff(rate).simplify()
        others = [name for name in slope.names if name.startswith("rate(")]
        # sign and floor have no slope anywhere, and yet a value
        if others or _steps(expression, rates):
            raise ModelError(
                asked,
                f"{expression}, where the derivative by {rate} is {slope}",
                "it is not linear in the rates: d'Alembert's principle tells the force that holds a condition that is linear in "
                "velocities, and no other",
                "write a condition that is linear in the rates, such as r*rate(wheel.angle) - rate(cart.x)",
            )


def _steps(expression: Expr, rates: list[str]) -> bool:
    """Whether w(s, s') differs from w(s, 0) + sum of dw/ds' s' at places where it has values."""
    slopes = {rate: expression.diff(rate) for rate in rates}
    for size in (0.7, -1.3, 2.9):
        values = {name: 0.3 + 0.17 * k for k, name in enumerate(sorted(expression.names - set(rates)))}
        there = {**values, **{rate: size * (1.0 + 0.31 * k) for k, rate in enumerate(rates)}}
        try:
            rest = expression.evaluate({**values, **dict.fromkeys(rates, 0.0)})
            terms = [slope.evaluate(there) * there[rate] for rate, slope in slopes.items()]
            left = expression.evaluate(there) - rest - sum(terms)
        except (DalembertError, ArithmeticError):
            continue
        if abs(left) > 1e-9 * (abs(rest) + sum(map(abs, terms)) + 1.0):
            return True
    return False
