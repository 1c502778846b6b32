"""Auxiliary states z with a rate of their own, z' = f: integrators of controllers, filters, actuators with a lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import MethodError, ModelError
from .expression import Expr, Number, as_expression
from .measure import Measure

if TYPE_CHECKING:
    from .arguments import Arguments


@dataclass(frozen=True, eq=False, repr=False)
class Auxiliary(Measure):
    """A number z of a mechanism that moves by z' = f(t, measures, their rates, other states, parameters).

    It belongs to no body, has no inertia and does no work; laws and rates of states use it by its name.
    """

    law: Expr = Number(0.0)  # the expression of its rate
    start: Any = 0.0  # its value at the start
    scale: Any = 1.0  # its typical size, in which the absolute tolerance counts

    @property
    def is_input(self) -> bool:
        """Whether it has no rate: what is set from outside stays until it is set again."""
        return self.law == Number(0.0)

    def __repr__(self) -> str:
        return f"<state {self.name!r}: rate {self.law}>"


def read_rate(model: Arguments, asked: str, name: str, x: Any) -> Expr:
    """Rate of a state.  A plain name that nothing has yet may be a state to come: it is looked up when the mechanism is compiled."""
    if x is None:
        raise ModelError(asked, "rate is missing", "a state moves by its rate", f"give rate='1 - {name}', for example")
    coming = {name}
    if isinstance(x, str | Expr):
        used = {n[5:-1] if n.startswith("rate(") else n for n in as_expression(x, asked=asked).names}
        coming |= {n for n in used if "." not in n and n != "t" and n not in model.parameter_names}
        coming = {n for n in coming if model.find_measure(n) is None}
    return model.read_law(asked, x, tuple(sorted(coming)))


def refuse_states(asked: str, model: Any, why: str, do: str) -> None:
    """Refuse a mechanism or Lagrangian system with auxiliary states, where an analysis has no values for them."""
    found = [z.name for z in model.parts("state")] if model.kind == "mechanism" else list(model.states)
    if found:
        names = ", ".join(repr(name) for name in found[:4])
        raise MethodError(asked, f"the model has the state{'s' if len(found) > 1 else ''} {names}", why, do)
