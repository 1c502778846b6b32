"""Verbs whose options are checked by their table."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..errors import DalembertError, MethodError, checked_call, shown
from ..model.output_units import read_units
from .option import WrongValueError
from .tables import OTHERS, TABLES

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism

# verbs that have an answer for dry friction that sticks, or need none
KNOW_FRICTION = (
    "simulate", "assemble", "mobility", "strike", "classify", "equilibrium", "holding_load", "instant", "reactions",
    "free_body", "linearize", "kinematics", "inverse_dynamics", "verify", "equations", "conserved", "compare", "sweep",
    "studio",
)  # fmt: skip
P = ParamSpec("P")
R = TypeVar("R")


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Function whose options are read by the table of its name before it is called; the rest as by `checked_call`.

    Only what was given is read: defaults are right, which a test makes sure of.
    """
    name = function.__name__
    refuses = name not in KNOW_FRICTION
    table, in_order = TABLES[name] if name in TABLES else OTHERS[name], tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> R:
        model = args[0] if args else given.get(in_order[0])
        try:
            for name, x in given.items():
                given[name] = table[name].read(name, x) if name in table else x
            for k, (name, x) in enumerate(zip(in_order[1:], args[1:]), 1):
                if name in table:
                    args = (*args[:k], table[name].read(name, x), *args[k + 1 :])
        except WrongValueError as wrong:
            asked = f"{function.__name__}({shown(getattr(model, 'name', model), 40)})"
            raise MethodError(asked, f"{name} = {shown(x)}", wrong.why, wrong.do) from None
        if refuses:
            for which in ("frictions", "soft_rubs"):
                refuse_friction(function.__name__, model, which)
        try:
            return function(*args, **given)
        except DalembertError as error:
            units = getattr(model, "units", ())
            if isinstance(units, tuple):  # of a class it is a property: the verb itself refuses that
                error.restate(read_units(function.__name__, units).in_text)
            raise

    return checked_call(call)


def refuse_one_sided(verb: str, model: Mechanism | Lagrangian) -> None:
    """Refuse a model with rigid stops, contacts or cams that may lift off: their rows come and go, and no one set of equations holds throughout."""
    found = list(dict.fromkeys(stop.part or stop.name for stop in model.stops_at_work.values()))
    if found:
        raise MethodError(
            f"{verb}({model.name!r})", f"one-sided and rigid: {', '.join(map(repr, found[:4]))}{', …' if len(found) > 4 else ''}",
            "they hold while they press and let go where they would pull, so that no one set of equations is that of the whole motion",
            f"write the motion away from them: m.open({found[0]!r}); or make them two-sided (a cam: closed=True) or compliant (a contact: stiffness=)",
        )  # fmt: skip


def refuse_friction(verb: str, model: Any, which: str) -> None:
    """Refuse a model with dry friction that sticks (`which`: "frictions", or "soft_rubs", that of compliant contacts), where only its motion in time is known."""
    found = getattr(model, which, ())
    if isinstance(found, list) and found:  # of a class it is a property: the verb itself refuses that
        raise MethodError(
            f"{verb}({model.name!r})", f"dry friction: {', '.join(repr(one.name) for one in found[:4])}",
            "what sticks is held by any force up to a limit, what slips feels the reactions: this analysis knows smooth forces only",
            "simulate, leave the friction out, or make it smooth: of a Mechanism a constant force= with speed=, of a Lagrangian a function of the rate in forces=",
        )  # fmt: skip
