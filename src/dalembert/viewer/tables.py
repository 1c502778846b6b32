"""What is written beside the drawing: how the run was made, its audit, the mobility of the mechanism, which reactions are unique, parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import __version__
from ..errors import DalembertError
from ..model.output_units import OutputUnits
from ..results.result import Result
from ..results.saved import SavedResult
from ..state import State
from .equations import equations_of
from .subject import Subject

if TYPE_CHECKING:
    from ..results.record import Record


# rows beyond which mobility and uniqueness are left to be asked for: they take minutes there
LARGEST = 1500


def report(about: Subject, units: OutputUnits, equations: bool = False) -> dict[str, Any]:
    """Texts and tables of the page."""
    run = about.run
    audited, named = about.kind == "run", _units(run)
    made: dict[str, Any] = {
        "status": run.status if audited else "none",
        "headline": about.headline,
        "audit": str(run.audit) if audited else "",
        "texts": [list(pair) for pair in about.texts],
        "facts": _facts(about),
        "parameters": [[n, float(x) * units.factor(named.get(n, ""))] for n, x in _parameters(run).items()],
        "units": {n: units.unit(unit) for n, unit in named.items()},
        "factors": {n: units.factor(unit) for n, unit in named.items() if units.factor(unit) != 1.0},
        "mobility": None,
        "unique": None,
        "equations": equations_of(run.model) if equations else None,
    }
    if isinstance(run, Result):
        _doctor(about, made)
    return made


def _doctor(about: Subject, made: dict[str, Any]) -> None:
    run, rows = about.run, about.run.system.n_rows
    if rows > LARGEST:
        made["mobility"] = f"not computed here for {rows} rows: ask da.mobility(m)"
        return
    from ..analyses.mobility import mobility
    from ..analyses.reactions import reactions

    names = tuple(run.system.body_names)
    state: State | None = State(float(run.t[0]), run.q[0], run.v[0], run.angles[0], names, run.z[0])
    if about.kind == "mechanism" and about.poses:
        state = None  # it may not go together: the doctor says why
    try:
        made["mobility"] = str(mobility(run.model, state))
        if not about.poses:
            found = reactions(run.model, state)
            made["unique"] = {name: [bool(x) for x in found[name].unique] for name in found.names}
    except DalembertError as error:
        # the mechanism was changed since, or the state is singular: the page says so
        made["mobility"] = made["mobility"] or str(error)


def _parameters(run: Record | SavedResult) -> dict[str, Any]:
    if isinstance(run, SavedResult):
        return run.parameters
    return dict(run.system.builder.drawing.values if isinstance(run, Result) else run.model.parameters)


def _units(run: Record | SavedResult) -> dict[str, str]:
    """Units of the parameters that have one; files of results and Lagrangian systems hold none."""
    if not isinstance(run, Result):
        return {}
    return {name: run.model[name].unit for name in run.model.parameter_names if run.model[name].unit}


def _facts(about: Subject) -> list[list[str]]:
    run = about.run
    facts = [["time", f"{run.t[0]:g} … {run.t[-1]:g} s, {len(run.t)} outputs"]] if about.kind == "run" else []
    if isinstance(run, SavedResult):
        known = run.about
    else:
        known = {name: getattr(run.problem, name, None) for name in ("rtol", "atol")}
        known["method"] = getattr(run.audit, "method", None) if about.kind == "run" else None
    if known.get("method"):
        facts.append(["method", str(known["method"])])
    for name in ("rtol", "atol"):
        value = known.get(name)
        # kinematics solves every output by itself and has none
        if isinstance(value, int | float) and value > 0:
            facts.append([name, f"{value:g}"])
    if isinstance(run, Result):
        count = lambda kind: len(run.parts(kind))  # noqa: E731
        facts.append(["bodies", str(len(run.system.body_names))])
        facts.append(["joints, drivers, force elements", f"{count('joint')}, {count('driver')}, {count('force')}"])
        gravity = run.system.builder.gravity
        facts.append(["gravity", "(" + ", ".join(f"{x:g}" for x in gravity) + ") m/s²"])
    facts.append(["written by", f"dalembert {__version__}"])
    return facts
