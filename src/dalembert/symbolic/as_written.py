"""A Lagrangian system as its equations are written down: rows that are open left out, inputs among the parameters."""

from __future__ import annotations

from ..model.expression.derivative import ZERO
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.vectors import Rates


def as_written(model: Lagrangian) -> Lagrangian:
    """The system with the rows that are at work at its start; inputs are parameters, since nothing in the equations moves them."""
    made = model.varied(model.situation) if model.situation.absent else model
    inputs = [name for name, rate in made.states.items() if rate == ZERO]
    if not inputs:
        return made
    made = made.as_it_is()
    for name in inputs:
        made._parameters[name] = made._starts.pop(name).value or 0.0
        del made._states[name], made.nonholonomic[f"rate of {name}"]
    made.q = tuple(name for name in made.q if name not in inputs)
    made._rates = Rates(made.q)
    return made
