"""export: the functions of a model as source code or SymPy objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import MethodError, checked_call, nearest, shown
from ...model.lagrangian import Lagrangian
from ...model.mechanism import Mechanism
from ...options.call import refuse_friction, refuse_one_sided
from ...paths import whole_file
from ..functions import WHAT, Functions, lagrangian_functions, matrices
from ..mechanism.convert import ABSOLUTE, FORMS, converted
from ..mechanism.written import written
from ..symbols import need_sympy
from .c import c_source
from .numpy import numpy_source

LANGUAGES = ("c", "numpy", "sympy")


@checked_call
def export(
    model: Any,
    path: str | Path | None = None,
    *,
    language: str | None = None,
    what: Sequence[str] | None = None,
    form: str | None = None,
) -> Any:
    """Functions of the equations of motion as code: M a + J^T lam = f, J v = nu, J a = gamma, phi = 0.

    Parameters
    ----------
    model
        A mechanism or a Lagrangian system.
    path
        File to write; None: the text is returned (for "sympy": a dictionary of matrices).
    language
        "c": functions name_M(t, q, v, p, out) in C99.  "numpy": a Python module that needs NumPy only.  "sympy": SymPy matrices, or a
        module that makes them.  Default: "c" for a path that ends in .c, else "numpy".
    what
        Which of "M", "f", "phi", "J", "nu", "gamma"; default: all.
    form
        For a mechanism: "absolute" (default), with q and v as in `da.State`, or "minimal", in joint coordinates.

    Returns
    -------
    str, dict or Path
        The source; matrices by name; or the path of the file written.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
    ...                   parameters={"m": 1.0, "l": 0.5, "g": 9.81}, name="pendulum")
    >>> da.export(m, language="sympy", what=["M", "f"])["f"]
    Matrix([[-g*l*m*sin(theta)]])
    """
    asked = f"export({shown(model, 60)})"
    if not isinstance(model, Mechanism | Lagrangian):
        found = f"an object of type {type(model).__name__}"
        raise MethodError(asked, found, "code is written of models", "give a da.Mechanism or a da.Lagrangian")
    for which in ("frictions", "soft_rubs"):
        refuse_friction("export", model, which)
    refuse_one_sided("export", model)
    if language is None:
        language = "c" if str(path).endswith(".c") else "numpy"
    if language not in LANGUAGES:
        raise MethodError(
            asked, f"language = {shown(language)}", nearest(language, LANGUAGES), "use 'c', 'numpy' or 'sympy'"
        )
    wanted = _wanted(asked, what)
    acting = ", ".join(name for name, event in model.events.items() if event.acts)
    notes = (f"Between events; what these do is not in it: {acting}.",) if acting else ()
    functions = replace(functions_of(model, asked, form), notes=notes)
    if language == "sympy":
        need_sympy(asked)
        if path is None:
            return matrices(functions, wanted)
        from .sympy import sympy_source as write
    else:
        write = c_source if language == "c" else numpy_source
    text = write(functions, wanted)
    if path is None:
        return text
    with whole_file(path, asked, "w") as file:
        file.write(text)
    return Path(path)


def functions_of(model: Mechanism | Lagrangian, asked: str, form: str | None) -> Functions:
    """Functions of a mechanism or Lagrangian system."""
    if isinstance(model, Lagrangian):
        if form is not None:
            raise MethodError(
                asked, f"form = {shown(form)}", "a Lagrangian system has its own coordinates", "leave form out"
            )
        return lagrangian_functions(model, asked)
    if form not in (None, *FORMS):
        raise MethodError(asked, f"form = {shown(form)}", nearest(form, FORMS), "use 'absolute' or 'minimal'")
    if form in (None, ABSOLUTE):
        return written(model).functions
    return lagrangian_functions(converted(model).lagrangian, asked, "joint")


def _wanted(asked: str, what: Any) -> list[str]:
    if what is None:
        return list(WHAT)
    names = [what] if isinstance(what, str) else list(what) if isinstance(what, Sequence) else [what]
    for name in names:
        if not isinstance(name, str) or name not in WHAT:
            raise MethodError(asked, f"what = {shown(name)}", nearest(name, WHAT), f"use {', '.join(WHAT)}")
    return list(dict.fromkeys(names))
