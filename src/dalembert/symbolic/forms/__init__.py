"""Forms of the equations of a Lagrangian system; one file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

from ...errors import MethodError, nearest, shown
from ...model.lagrangian import Lagrangian
from ..symbols import need_sympy
from .base import Form, Solved
from .dalembert import DAlembert, dalembert
from .hamilton import Hamilton, hamilton
from .hamilton_principle import HamiltonPrinciple, hamilton_principle
from .lagrange import Lagrange, lagrange
from .multipliers import Multipliers, multipliers
from .newton_euler import NewtonEuler, newton_euler
from .reduced import Reduced, reduced
from .routh import Routh, routh
from .virtual_work import VirtualWork, virtual_work

FORMS: dict[str, Callable[..., Form]] = {
    "newton-euler": newton_euler,
    "dalembert": dalembert,
    "virtual-work": virtual_work,
    "lagrange": lagrange,
    "routh": routh,
    "multipliers": multipliers,
    "reduced": reduced,
    "hamilton": hamilton,
    "hamilton-principle": hamilton_principle,
}

NONCENTROIDAL = "noncentroidal"  # written for bodies, not for coordinates: not among the forms that are compared


def read_model(verb: str, model: object) -> Lagrangian:
    """The model, which must be a Lagrangian system."""
    if isinstance(model, Lagrangian):
        return model
    raise MethodError(
        f"{verb}({shown(model, 60)})", f"an object of type {type(model).__name__}",
        "this is written for systems in coordinates of one's own choice", "give a da.Lagrangian; da.lagrangian_of(mechanism) makes one",
    )  # fmt: skip


def written(
    model: Lagrangian,
    form: str | None = None,
    independent: Sequence[str] | None = None,
    quasi_velocities: Mapping[str, Any] | None = None,
    unknown: str | None = None,
    ignore: Sequence[str] | None = None,
    about: Any = None,
) -> Any:
    """Equations of a Lagrangian system in one form, or the comparison of all forms."""
    asked = f"equations({model.name!r}, form={shown(form)})"
    need_sympy(asked)
    options = {
        "independent": independent,
        "quasi_velocities": quasi_velocities,
        "unknown": unknown,
        "ignore": ignore,
        "about": about,
    }
    given = {name: x for name, x in options.items() if x is not None}
    if form is None:
        form = "multipliers" if model.holonomic or model.nonholonomic else "lagrange"
    if form == "all":
        from ..comparison import compare

        if given:
            raise MethodError(
                asked, f"{next(iter(given))}=", "it belongs to single forms", "leave it out, or name one form"
            )
        return compare(model)
    if form == NONCENTROIDAL:
        from ..noncentroidal import noncentroidal

        return noncentroidal(model, **_only(asked, given, "about"))
    if not isinstance(form, str) or form not in FORMS:
        known = [*FORMS, NONCENTROIDAL, "all"]
        raise MethodError(asked, f"form = {shown(form)}", "there is no such form", nearest(form, known))
    make = FORMS[form]
    for name in given:
        if name not in signature(make).parameters:
            raise _elsewhere(asked, name)
    return make(model, **given)


def _only(asked: str, given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Options of a form; others are refused."""
    for name in given:
        if name not in names:
            raise _elsewhere(asked, name)
    return given


def _elsewhere(asked: str, name: str) -> MethodError:
    fits = [x for x, f in FORMS.items() if name in signature(f).parameters]
    fits += [NONCENTROIDAL] if name == "about" else []
    return MethodError(
        asked, f"{name}=", f"it belongs to the forms {', '.join(fits)}", "leave it out, or change the form"
    )


__all__ = [
    "FORMS", "NONCENTROIDAL", "DAlembert", "Form", "Hamilton", "HamiltonPrinciple", "Lagrange", "Multipliers", "NewtonEuler", "Reduced",
    "Routh", "Solved", "VirtualWork", "read_model", "written",
]  # fmt: skip
