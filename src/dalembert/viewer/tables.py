"""What is written beside the drawing: how the run was made, its audit, the mobility of the mechanism, which reactions are unique, parameters."""

from __future__ import annotations

from typing import Any

from ..errors import DalembertError
from ..state import State

# rows beyond which mobility and uniqueness are left to be asked for: they take minutes there
LARGEST = 1500


def report(run: Any) -> dict[str, Any]:
    """Texts and tables of the page."""
    saved = isinstance(run.model, str)
    made: dict[str, Any] = {
        "status": run.status,
        "audit": str(run.audit),
        "facts": _facts(run),
        "parameters": [[name, float(value)] for name, value in _parameters(run).items()],
        "mobility": None,
        "unique": None,
    }
    if saved or not hasattr(run, "kinematics"):
        return made
    rows = run.system.n_rows
    if rows > LARGEST:
        made["mobility"] = f"not computed here for {rows} rows: ask da.mobility(m)"
        return made
    from ..analyses.mobility import mobility
    from ..analyses.reactions import reactions

    state = State(float(run.t[0]), run.q[0], run.v[0], run.angles[0], tuple(run.system.body_names))
    try:
        made["mobility"] = str(mobility(run.model, state))
        found = reactions(run.model, state)
        made["unique"] = {name: [bool(x) for x in found[name].unique] for name in found.names}
    except DalembertError as error:
        # the mechanism was changed since, or the state is singular: the page says so
        made["mobility"] = made["mobility"] or str(error)
    return made


def _parameters(run: Any) -> dict[str, Any]:
    if isinstance(run.model, str):
        return dict(run.parameters)
    return dict(run.system.builder.drawing.values if hasattr(run, "kinematics") else run.model.parameters)


def _facts(run: Any) -> list[list[str]]:
    """Method, tolerances, sizes."""
    from .. import __version__

    facts = [["time", f"{run.t[0]:g} … {run.t[-1]:g} s, {len(run.t)} outputs"]]
    problem = None if isinstance(run.model, str) else run.problem
    method = run.about.get("method") if isinstance(run.model, str) else getattr(run.audit, "method", None)
    if method:
        facts.append(["method", str(method)])
    for name in ("rtol", "atol"):
        value = run.about.get(name) if problem is None and hasattr(run, "_arrays") else getattr(problem, name, None)
        if isinstance(value, int | float):
            facts.append([name, f"{value:g}"])
    if not isinstance(run.model, str) and hasattr(run, "kinematics"):
        count = lambda kind: len(run.parts(kind))  # noqa: E731
        facts.append(["bodies", str(len(run.system.body_names))])
        facts.append(["joints, drivers, force elements", f"{count('joint')}, {count('driver')}, {count('force')}"])
        gravity = run.system.builder.drawing.vector(run.model.gravity)
        facts.append(["gravity", "(" + ", ".join(f"{x:g}" for x in gravity) + ") m/s²"])
    facts.append(["written by", f"dalembert {__version__}"])
    return facts
