"""Force laws as expressions: f of a measure s pulls it down, virtual work -f ds.

linear       V = k (s - s0)^2 / 2 + f0 s,   D = c s'^2 / 2        where the measure has a value
otherwise    generalized force -f ds'/dq'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ...model.expression import Call, Expr
from ...model.expression.called import no_formula
from ...model.expression.derivative import ZERO, choose, folded, minus, over, plus, times
from ...model.forces import Law
from ...model.lagrangian.vectors import HALF
from ...model.measure import Measure
from .drawing import expression
from .measures import Measures


@dataclass(frozen=True, eq=False)
class Loaded:
    """A measure under a law: the whole force f, and its parts with potential and with dissipation function."""

    part: str
    measure: Measure
    rate: Expr
    force: Expr
    potential: Expr
    dissipation: Expr
    rest: Expr  # what is left of f without potential and dissipation


def loaded(measures: Measures, element: Any) -> list[Loaded]:
    """Laws of a force element."""
    return [_loaded(measures, element, measure, law) for measure, law in element.elements()]


def _loaded(measures: Measures, element: Any, measure: Measure, law: Law) -> Loaded:
    if law.kind == "callable":
        raise no_formula(element.asked)
    rate = measures.rate(measure)
    if law.kind == "linear":
        return _linear(measures, element, measure, law, rate)
    if law.kind == "expression":
        assert law.expression is not None
        force = measures.expanded(law.expression)
    elif law.kind == "friction":
        size, speed = (expression(x) for x in law.numbers)
        force = over(times(size, rate), folded("sqrt", plus(times(rate, rate), times(speed, speed))))
    elif law.kind == "stop":
        k, c, limit, side = (expression(x) for x in law.numbers)
        depth = times(side, minus(measures.value(measure), limit))
        push = Call("max", (plus(times(k, depth), times(c, times(side, rate))), ZERO))
        force = choose(Call(">", (depth, ZERO)), times(side, push), ZERO)
    else:
        raise ModelError(
            element.asked, f"a law of kind {law.kind!r}", "there is no formula for this kind", "leave the element out"
        )
    return Loaded(element.name, measure, rate, force, ZERO, ZERO, force)


def _linear(measures: Measures, element: Any, measure: Measure, law: Law, rate: Expr) -> Loaded:
    k, s0, c, f0 = (expression(x) for x in law.numbers)
    dissipation = times(HALF, times(c, times(rate, rate)))
    if measure.is_rate:
        return Loaded(element.name, measure, rate, plus(times(c, rate), f0), ZERO, dissipation, f0)
    if measure.kind == "distance" and s0 == ZERO and f0 == ZERO and measure.offset == 0.0:
        # k l without the root, which has no slope where the points meet
        square = measures.square_length(measure)
        potential = times(HALF, times(k, square))
        stretch = folded("sqrt", square)
    else:
        stretch = minus(measures.value(measure), s0) if (k, f0) != (ZERO, ZERO) else ZERO
        potential = times(HALF, times(k, times(stretch, stretch)))
        if f0 != ZERO:
            potential = plus(potential, times(f0, measures.value(measure)))
    force = plus(plus(times(k, stretch), times(c, rate)), f0)
    return Loaded(element.name, measure, rate, force, potential, dissipation, ZERO)
