"""Forms of the equations of a Lagrangian system; one file each."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ...errors import MethodError, nearest, shown
from ...model.lagrangian import Lagrangian
from ..as_written import as_written
from ..friction import section, slipping
from ..noncentroidal import noncentroidal
from ..symbols import need_sympy
from .base import Form, Solved
from .dalembert import DAlembert, dalembert
from .gauss import Gauss, gauss
from .gibbs_appell import GibbsAppell, gibbs_appell
from .hamilton import Hamilton, hamilton
from .hamilton_principle import HamiltonPrinciple, hamilton_principle
from .jourdain import Jourdain, jourdain
from .kane import Kane, kane
from .kinds import lagrange_1, lagrange_2
from .lagrange import Lagrange, lagrange
from .maggi import Maggi, maggi
from .multipliers import Multipliers, multipliers
from .newton_euler import NewtonEuler, newton_euler
from .reduced import Reduced, reduced
from .routh import Routh, routh
from .udwadia_kalaba import UdwadiaKalaba, udwadia_kalaba
from .variational import Variational, variational
from .virtual_work import VirtualWork, virtual_work

VARIATIONAL = "variational"
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
    VARIATIONAL: variational,
    "jourdain": jourdain,
    "maggi": maggi,
    "kane": kane,
    "gibbs-appell": gibbs_appell,
    "gauss": gauss,
    "udwadia-kalaba": udwadia_kalaba,
}
FIRST_KIND = "lagrange-1"
# second names of forms: not among those that are compared
NAMED: dict[str, Callable[..., Form]] = {FIRST_KIND: lagrange_1, "lagrange-2": lagrange_2}

NONCENTROIDAL = "noncentroidal"  # written for bodies, not for coordinates: not among the forms that are compared
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
            raise _elsewhere(asked, name)
    made = SINGLE[form](model, **given)
    return section(made) if model.rubbing else made


def _elsewhere(asked: str, name: str) -> MethodError:
    fits = [x for x, f in SINGLE.items() if name in signature(f).parameters]
    return MethodError(
        asked, f"{name}=", f"it belongs to the forms {', '.join(fits)}", "leave it out, or change the form"
    )


__all__ = [
    "FIRST_KIND", "FORMS", "NAMED", "NONCENTROIDAL", "DAlembert", "Form", "Gauss", "GibbsAppell", "Hamilton", "HamiltonPrinciple", "Jourdain", "Kane", "Lagrange",
    "Maggi", "Multipliers", "NewtonEuler", "Reduced", "Routh", "Solved", "UdwadiaKalaba", "VARIATIONAL", "Variational", "VirtualWork", "read_model", "written",
]  # fmt: skip
