"""Equations of motion for the page, typeset as MathML: browsers show it without any library."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ..errors import DalembertError
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.model import Model

# operations written out, and bodies, up to which the equations are short enough to be read
SMALL, BODIES = 12_000, 4
# characters of markup of one form
LONGEST = 60_000
# and of all forms, where someone asked for them
ASKED = 600_000


def equations_of(model: Mechanism | Lagrangian | str) -> dict[str, Any]:
    """Forms of the equations as titles and markup, or why there are none; of a file of results only the name of the model is known."""
    if not isinstance(model, Model):
        return _none("A file of results holds numbers only; the model has its equations: da.equations(m).")
    if find_spec("sympy") is None:
        return _none('Equations are written with SymPy, which is not installed: pip install "dalembert[symbolic]".')
    if len(model.bodies) > BODIES:
        return _none(
            f"Not written out for {len(model.bodies)} bodies: nobody would read them. da.equations(m, form='absolute') gives them."
        )
    forms, reasons = [], []
    names = ("minimal", "absolute") if isinstance(model, Mechanism) else (None,)
    for name in names:
        try:
            made = _form(model, name)
        except DalembertError as error:
            reasons.append(f"{error.found}: {error.why}")
            continue
        if isinstance(made, str):
            reasons.append(made)
        else:
            forms.append(made)
    return {"forms": forms, "why": "" if forms else "; ".join(dict.fromkeys(reasons)) or "There are none to write."}


def typeset(made: Any) -> dict[str, Any]:
    """Equations that were asked for, one form or several, as titles and markup; none, with the reason, where they are too long."""
    forms = [{"title": sheet.title, "markup": sheet.html()} for sheet in made.sheets]
    if sum(len(form["markup"]) for form in forms) > ASKED:
        return _none("Too long to be typeset; they stand above as text.")
    return {"forms": forms, "why": ""}


def _form(model: Mechanism | Lagrangian, name: str | None) -> dict[str, str] | str:
    """Title and markup of one form, or why it is left out."""
    from ..analyses.equations import equations

    made = equations(model, form=name)
    size = getattr(made, "size", 0)
    if isinstance(size, int) and size > SMALL:
        return f"Not written out here: {size} operations. da.equations(m, form={name!r}) gives them."
    sheet = made.sheet
    markup = sheet.html()
    if len(markup) > LONGEST:
        return f"Not written out here: too long to be read. da.equations(m, form={name!r}) gives them."
    return {"title": sheet.title, "markup": markup}


def _none(why: str) -> dict[str, Any]:
    return {"forms": [], "why": why}
