"""A Lagrangian system whose rows on rates are replaced by their integrals: f(q, t) - c = 0 for what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ExpressionError, MethodError
from ..model.expression import Name
from ..model.lagrangian import Lagrangian
from ..symbolic.pfaffian import Numbers, Pfaffian, forms_of, independent_rows
from .assemble import assemble

if TYPE_CHECKING:
    from .classify import Classification


def integrated_system(found: Classification) -> Lagrangian:
    """The system with the integrals that were found, and with the rows on rates that say more than these."""
    model = _checked(found)
    at = dict(zip(model.q, map(float, assemble(model).state.q)))
    made, holonomic = model.as_it_is(), dict(model.holonomic)
    made._identity = object()
    constants: list[str] = []
    for integral in (x for x in found.integrals if x.row is None):
        k = len(constants) + 1
        name = f"c_{k}"
        while name in {*model.q, *model.parameters}:
            name += "_"
        made._parameters[name] = _constant(model, integral.expression, {**at, **model.parameters, "t": 0.0})
        constants.append(name)
        holonomic[f"integral {k}"] = integral.expression - Name(name)
    rows = forms_of(model.q, holonomic, model.nonholonomic)
    system = Pfaffian(model.name, model.q, rows, made.parameters, tuple(at[x] for x in model.q))
    numbers = Numbers(system)
    point = numbers.point(np.random.default_rng(11), held=False)
    kept, _ = independent_rows(numbers.forms(point[:, None])[:, :, 0], system.asked, rows)
    names = {rows[k].name for k in kept}
    made.holonomic = holonomic
    made.nonholonomic = {x: row for x, row in model.nonholonomic.items() if x in names}
    made._every = None
    return made


def _checked(found: Classification) -> Lagrangian:
    asked = f"integrated rows of {found.name!r}"
    if found.system is None:
        raise MethodError(
            asked, "a classification of rows or of a mechanism", "integrals become rows of a Lagrangian system",
            "classify a da.Lagrangian; da.lagrangian_of(mechanism) makes one",
        )  # fmt: skip
    missing = found.n_integrals - len(found.integrals)
    if missing:
        raise MethodError(
            asked, f"{missing} of {found.n_integrals} integrals without a formula", "a row needs one",
            "state the row on positions by hand: holonomic=, or m.constraint(…)",
        )  # fmt: skip
    if all(x.row is not None for x in found.integrals):
        raise MethodError(
            asked, f"rows that are {found.verdict}", "none of them has an integral", "keep the system as it is"
        )
    if found.system.frictions:
        raise MethodError(
            asked, f"dry friction {found.system.frictions[0].name!r}", "what presses it may be a row that is replaced",
            "state the rows on positions by hand: holonomic=, or m.constraint(…)",
        )  # fmt: skip
    return found.system


def _constant(model: Lagrangian, integral: object, at: dict[str, float]) -> float:
    try:
        value = float(integral.evaluate(at))  # type: ignore[attr-defined]
        if np.isfinite(value):
            return value
        found = f"it is {value}"
    except (ExpressionError, ArithmeticError, ValueError) as error:
        found = str(getattr(error, "found", error))
    raise MethodError(
        f"integrated rows of {model.name!r}", f"the integral {integral} at the start: {found}", "its constant follows from the start",
        "give m.start or m.guess where it has a value",
    )  # fmt: skip
