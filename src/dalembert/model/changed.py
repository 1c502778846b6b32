"""A force element, contact, stop or driver with another law, from an event on: the same part with other arguments, on the same measures."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, nearest, shown
from .arguments import Names
from .driver import Driver
from .events import NEWTON, Impact, read_restitution
from .expression import as_expression
from .registry import registered

if TYPE_CHECKING:
    from .mechanism import Mechanism

# arguments of dry friction and of rigid contacts that may change: what sticks, closes and strikes stays
SIZES = ("mu", "static", "force", "static_force", "restitution", "hypothesis")
# in the new expression of a driver: the value of its measure, and the time, at the instant of the change
PLACE, TIME = "s0", "t0"


def changed(model: Mechanism, asked: str, name: str, given: Any) -> Any:
    """The part `name` with what is given; a driver still has the names of its place and time, see `begun`."""
    part = model._parts[name]
    asked = f"{asked}: change of {name!r}"
    if isinstance(part, Driver):
        return _driver(model, asked, part, given)
    stated = model.given(name)
    assert stated is not None
    method, arguments = stated
    if isinstance(part, Impact):
        return changed_stop(asked, part, arguments, given)
    cls = registered(method)
    assert cls is not None
    known = [x for x in inspect.signature(cls).parameters if x not in ("model", "name")]
    holds = part.sticks or part.stops or part.rubs
    read_arguments(asked, name, method, given, [x for x in known if x in SIZES] if holds else known)
    _refuse_felt(model, asked, part, given)
    made = cls(model, name, **{**arguments, **given})
    before, after = _acts_on(part), _acts_on(made)
    if before != after:
        found = f"it would act on {', '.join(after) or 'nothing'} in the place of {', '.join(before) or 'nothing'}"
        why = "a law changes, not what it acts on, nor whether it sticks, closes and rubs"
        do = "state another element, m.open it, and let the event release one and add the other; for friction that is there later, begin with mu=0"
        raise ModelError(asked, found, why, do)
    return made


def read_arguments(asked: str, name: str, method: str, given: Any, known: list[str]) -> None:
    """Refuse what are no arguments of a part that may change."""
    if not isinstance(given, Mapping) or not given:
        do = f"give change={{{name!r}: {{{known[0]!r}: ...}}}}, by arguments of m.{method}"
        raise ModelError(asked, shown(given), "arguments get other values by name", do)
    for key in given:
        if key not in known:
            do = f"use an argument of m.{method} that is part of its law"
            raise ModelError(asked, f"an argument {shown(key)}", nearest(key, known), do)


def changed_stop(asked: str, part: Impact, arguments: Mapping[str, Any], given: Any) -> Impact:
    """A stop with another restitution or hypothesis."""
    read_arguments(asked, part.name, "impact", given, ["restitution", "hypothesis"])
    both = {"restitution": 0.0, "hypothesis": NEWTON, **arguments, **given}
    e = read_restitution(asked, both["restitution"], both["hypothesis"])
    return replace(part, restitution=e, hypothesis=both["hypothesis"])


def _acts_on(part: Any) -> list[str]:
    """What a force element acts on, and how, in words."""
    found = [measure.name for measure, _ in part.elements()]
    found += [f"the gap {stop.name}" for stop in part.stops]
    found += [f"{one.name} by {'a force' if one.mu is None else 'mu'}" for one in (part,) if part.sticks]
    return found + [f"{rub.name} at {', '.join(x.name for x in rub.slips)}" for rub in part.rubs]


def _refuse_felt(model: Mechanism, asked: str, part: Any, given: Mapping[str, Any]) -> None:
    """Refuse another push of a contact that friction with a name of its own feels: it would go on with the old one."""
    feeling = [
        one.name for one in model.parts("force") if one is not part and any(x.contact == part.name for x in one.rubs)
    ]
    if feeling and not set(given) <= set(SIZES):
        why = "that friction is stated on the contact as it was"
        raise ModelError(asked, f"friction {feeling[0]!r} feels it", why, "give the contact its friction itself (mu=)")


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
