"""show: the page of a result, written as one file and opened."""

from __future__ import annotations

import re
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from ..errors import MethodError, checked_call, shown
from ..model.output_units import read_units
from ..results.files import whole_file, with_ending
from ..results.record import Record
from ..results.saved import SavedResult


@checked_call
def show(result: Any, path: Any = None, open: bool = True, equations: bool = True, units: Any = None) -> Path:  # noqa: A002
    """Write the page of a result: the machine moving, linked plots, audit, mobility, reactions, free bodies, equations.

    The page is one HTML file that needs no network and no other file, to be opened in any browser, mailed, printed.

    Parameters
    ----------
    result
        What `simulate`, `kinematics` or `inverse_dynamics` returned; what `linearize` returned (mode shapes that move), `equilibrium`
        (a list to click through) or `assemble` (the configurations); a mechanism (at its assembled start, with the doctor's report); or
        a result read by `load` (plots only: files hold numbers, not shapes).
    path
        File to write, ".html" if it has no ending; it is complete or not there.  Default: a new file in the folder for temporary files.
    open
        Whether to open it in the browser.
    equations
        Whether to typeset the equations of motion of small models (needs SymPy).
    units
        Units of plots and tables: "mm, kN, deg, rpm", or "SI"; default: those of the model.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import dalembert as da, tempfile, os
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> file = da.show(da.simulate(m, until=1.0), os.path.join(tempfile.mkdtemp(), "pendulum"), open=False)
    >>> file.name
    'pendulum.html'
    """
    asked = f"show({shown(result, 60)})"
    if isinstance(result, Record | SavedResult) and not len(result.t):
        raise MethodError(asked, "no outputs", "there is nothing to show", "give a run with at least one output")
    for name, given in (("open", open), ("equations", equations)):
        if not isinstance(given, bool):
            raise MethodError(asked, f"{name} = {shown(given)}", "it is True or False", f"give {name}=False")
    from .page import page
    from .subject import check_shown, subject

    about = check_shown(asked, result, subject(result, None if units is None else read_units(asked, units)))
    target = _new_file(about.name) if path is None else with_ending(f"show(path={shown(path)})", path, ".html")
    text = page(about, equations=equations)
    with whole_file(target, f"show(path={str(path)!r})", "w") as file:
        file.write(text)
    if open:
        webbrowser.open(target.resolve().as_uri())
    return target


def _new_file(name: str) -> Path:
    plain = re.sub(r"[^\w-]+", "-", name).strip("-")[:40] or "result"
    return Path(tempfile.mkdtemp(prefix="dalembert-")) / f"{plain}.html"
