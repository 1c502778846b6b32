"""A force element or driver with another law, from an event on: the same part with other arguments, on the same measures."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, nearest, shown
from .arguments import Names
from .driver import Driver
from .expression import as_expression
from .registry import registered

if TYPE_CHECKING:
    from .mechanism import Mechanism

# in the new expression of a driver: the value of its measure, and the time, at the instant of the change
PLACE, TIME = "s0", "t0"


def changed(model: Mechanism, asked: str, name: str, given: Any) -> Any:
    """The part `name` with what is given; a driver still has the names of its place and time, see `begun`."""
    part = model._parts[name]
    asked = f"{asked}: change of {name!r}"
    if isinstance(part, Driver):
        return _driver(model, asked, part, given)
    if part.sticks or part.stops or part.rubs:
        raise ModelError(
            asked, f"{part!r}", "dry friction and rigid contacts do not only act by a law: they stick, close and strike",
            "change a parameter (set=), or release this one and add another",
        )  # fmt: skip
    stated = model.given(name)
    assert stated is not None
    method, arguments = stated
    cls = registered(method)
    assert cls is not None
    if not isinstance(given, Mapping) or not given:
        do = f"give change={{{name!r}: {{{next(reversed(arguments), 'force')!r}: ...}}}}, by arguments of m.{method}"
        raise ModelError(asked, shown(given), "arguments get other values by name", do)
    known = [x for x in inspect.signature(cls).parameters if x not in ("model", "name")]
    for key in given:
        if key not in known:
            raise ModelError(asked, f"an argument {shown(key)}", nearest(key, known), f"use an argument of m.{method}")
    made = cls(model, name, **{**arguments, **given})
    before, after = ([measure.name for measure, _ in x.elements()] for x in (part, made))
    if before != after or made.sticks or made.stops or made.rubs:
        found = (
            f"it would act on {', '.join(after)} in the place of {', '.join(before)}"
            if before != after
            else f"{made!r}"
        )
        why = "a law changes, not what it acts on"
        raise ModelError(
            asked, found, why, "state another element, m.open it, and let the event release one and add the other"
        )
    return made


def _driver(model: Mechanism, asked: str, part: Driver, given: Any) -> Driver:
    given = given.get("value") if isinstance(given, Mapping) and set(given) == {"value"} else given
    law = as_expression(given, Names(model, (PLACE, TIME)), asked=asked)
    inputs = {state.name for state in model.parts("state") if state.is_input}
    other = sorted(law.names - set(model.parameter_names) - inputs - {"t", PLACE, TIME})
    if other:
        raise ModelError(
            asked, f"the expression uses {', '.join(other)}", "a driver is a function of time",
            f"use t, parameters, {PLACE} (where its measure is at that instant) and {TIME} (that instant)",
        )  # fmt: skip
    return replace(part, expression=law)


def begun(part: Any, parameters: Any, place: float, t: float) -> Any:
    """A part as it is from an instant on; names of the model's own parameters stay what they are."""
    if not isinstance(part, Driver):
        return part
    values = {name: x for name, x in ((PLACE, place), (TIME, t)) if name not in parameters}
    return replace(part, expression=part.expression.substitute(values))
