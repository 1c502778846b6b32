"""Whether an expression is linear in the rates of measures: d'Alembert's principle needs that of a condition on velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import DalembertError, ModelError
from ..expression import Expr
from ..measure import Measure

if TYPE_CHECKING:
    from ..mechanism import Mechanism


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
