"""A load, friction, stop, energy or generalized force of a Lagrangian system with another law, from an event on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ExpressionError, ModelError, nearest, shown
from ..changed import changed_stop, read_arguments
from ..events import Impact
from ..expression import Expr, Name
from .friction import CoordinateFriction
from .parts import Field, Load
from .vectors import rate_of

if TYPE_CHECKING:
    from .lagrangian import Lagrangian

ENERGIES = ("potential", "dissipation")
# arguments that may change, by the method that adds a part: what it acts on stays
LAWS = {
    "force": ["vector", "local"],
    "couple": ["vector", "local"],
    "actuator": ["force"],
    "field": ["vector", "moment"],
    "friction": ["force", "static_force", "mu", "static"],
}


def changed(model: Lagrangian, asked: str, name: Any, given: Any) -> Any:
    """The part, force or energy `name` with what is given."""
    name = getattr(name, "name", name)
    asked, stated = f"{asked}: change of {shown(name)}", model.given(name)
    if isinstance(name, str) and (name in model.q or (name in ENERGIES and stated is None)):
        return _expression(model, asked, name, given)
    if stated is None or stated[0] not in (*LAWS, "impact"):
        known = [*model.q, *ENERGIES, *model._loads, *model.fields, *model._frictions, *model.impacts]
        if name in model.holonomic or name in model.nonholonomic:
            why, do = "rows hold or do not hold", "release one (release=), and add another (add=)"
            raise ModelError(asked, f"{name!r} is a row", why, do)
        found = f"{shown(name)} has no law"
        raise ModelError(asked, found, nearest(name, known), "name a coordinate, an energy, a load, friction or a stop")
    method, arguments = stated
    if method == "impact":
        return changed_stop(asked, model.impacts[name], arguments, given)
    read_arguments(asked, name, method, given, LAWS[method])
    twin = model.as_it_is()
    tables: tuple[dict[str, Any], ...] = (twin._loads, twin._fields, twin._frictions)
    for table in tables:
        table.pop(name, None)
    getattr(twin, method)(name, **{**arguments, **given})
    made = next(table[name] for table in tables if name in table)
    if isinstance(made, CoordinateFriction):
        made.model = model
        if (made.mu is None) != (model._frictions[name].mu is None):
            why = "friction has a constant size, or feels a row: what presses stays"
            raise ModelError(asked, shown(dict(given)), why, "state two frictions, and release the row that presses")
    return made


def _expression(model: Lagrangian, asked: str, name: str, given: Any) -> Expr:
    if isinstance(given, Mapping):
        raise ModelError(asked, shown(dict(given)), "it is one expression", f"give change={{{name!r}: '-400*x'}}")
    made = model._law(asked, given, Name(name), rate_of(name)) if name in model.q else model._read(asked, given)
    if name == "potential":
        model._no_rates(asked, made)
    known = {*model.q, *(f"rate({x})" for x in model.q), "t", *model.parameters}
    for unknown in sorted(made.names - known):
        raise ExpressionError(asked, f"the name {unknown!r}", "nothing has this name here", nearest(unknown, known))
    return made


def put(made: Lagrangian, laws: Mapping[str, Any]) -> None:
    """Put what has changed into a system that shares its tables with another."""
    forces, energies, loads, fields = dict(made._forces), dict(made._energies), dict(made._loads), dict(made._fields)
    frictions = dict(made._frictions)
    for name, law in laws.items():
        if isinstance(law, Expr):
            (forces if name in made.q else energies)[name] = law
        elif isinstance(law, Load):
            loads[name] = law
        elif isinstance(law, Field):
            fields[name] = law
        elif not isinstance(law, Impact):
            frictions[name] = law
    made._forces, made._energies, made._loads, made._fields = forces, energies, loads, fields
    made._frictions = frictions
