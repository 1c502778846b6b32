"""Forms of the equations of a Lagrangian system, by their names."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ...errors import MethodError, nearest, shown
from ...model.lagrangian import Lagrangian
from ..friction import section, slipping
from ..functions import as_written
from ..noncentroidal import noncentroidal
from ..symbols import need_sympy
from .base import Form, Solved
from .hamilton import Hamilton, HamiltonPrinciple, Routh, hamilton, hamilton_principle, routh
from .independent import Gauss, GibbsAppell, Kane, Maggi, Reduced, gauss, gibbs_appell, kane, maggi, reduced
from .lagrange import Lagrange, Multipliers, lagrange, lagrange_1, lagrange_2, multipliers
from .principles import DAlembert, Jourdain, NewtonEuler, dalembert, jourdain, newton_euler
from .udwadia_kalaba import UdwadiaKalaba, udwadia_kalaba
from .variational import Variational, VirtualWork, variational, virtual_work

VARIATIONAL, FIRST_KIND, NONCENTROIDAL = "variational", "lagrange-1", "noncentroidal"


def _by_name(*forms: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return {form.__name__.replace("_", "-"): form for form in forms}


FORMS: dict[str, Callable[..., Form]] = _by_name(
    newton_euler, dalembert, virtual_work, lagrange, routh, multipliers, reduced, hamilton, hamilton_principle, variational,
    jourdain, maggi, kane, gibbs_appell, gauss, udwadia_kalaba,
)  # fmt: skip
# not among the forms that are compared: second names of forms, and what is written for bodies and not for coordinates
NAMED: dict[str, Callable[..., Form]] = _by_name(lagrange_1, lagrange_2)
SINGLE: dict[str, Callable[..., Any]] = {**FORMS, **NAMED, NONCENTROIDAL: noncentroidal}


def read_model(verb: str, model: object) -> Lagrangian:
    """The model, which must be a Lagrangian system."""
    if isinstance(model, Lagrangian):
        return model
    raise MethodError(
        f"{verb}({shown(model, 60)})", f"an object of type {type(model).__name__}",
        "this is written for systems in coordinates of one's own choice", "give a da.Lagrangian; da.lagrangian_of(mechanism) makes one",
    )  # fmt: skip


def written(model: Lagrangian, form: str | None = None, **given: Any) -> Any:
    """Equations of a Lagrangian system in one form, with options of that form, or the comparison of all forms."""
    asked = f"equations({model.name!r}, form={shown(form)})"
    need_sympy(asked)
    if model.frictions and form in ("virtual-work", NONCENTROIDAL):
        rests = form == "virtual-work"
        why = (
            "at rest it is any force up to its limit, by which there is no equation"
            if rests
            else "what acts on single bodies is not known of friction on coordinates"
        )
        do = "da.equilibrium gives the ranges that it holds" if rests else "write another form, or leave it out"
        raise MethodError(asked, f"dry friction {model.frictions[0].name!r}", why, do)
    model = slipping(as_written(model))
    if form is None:
        form = "multipliers" if model.holonomic or model.nonholonomic else "lagrange"
    if form == "all":
        from ..comparison import compare

        if given:
            raise MethodError(
                asked, f"{next(iter(given))}=", "it belongs to single forms", "leave it out, or name one form"
            )
        return compare(model)
    if not isinstance(form, str) or form not in SINGLE:
        raise MethodError(asked, f"form = {shown(form)}", "there is no such form", nearest(form, [*SINGLE, "all"]))
    for name in given:
        if name not in signature(SINGLE[form]).parameters:
            fits = ", ".join(x for x, f in SINGLE.items() if name in signature(f).parameters)
            raise MethodError(asked, f"{name}=", f"it belongs to the forms {fits}", "leave it out, or change the form")
    made = SINGLE[form](model, **given)
    return section(made) if model.rubbing else made


__all__ = [
    "FIRST_KIND", "FORMS", "NAMED", "NONCENTROIDAL", "DAlembert", "Form", "Gauss", "GibbsAppell", "Hamilton", "HamiltonPrinciple", "Jourdain", "Kane", "Lagrange",
    "Maggi", "Multipliers", "NewtonEuler", "Reduced", "Routh", "Solved", "UdwadiaKalaba", "VARIATIONAL", "Variational", "VirtualWork", "read_model", "written",
]  # fmt: skip
