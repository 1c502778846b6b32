"""What to show of a run when nothing in particular is asked for; works on runs and on results read from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .saved import SavedResult
from .series import Series

if TYPE_CHECKING:
    from .result import Result


def facts(run: Result | SavedResult) -> dict[str, Any]:
    """What a file says of a run: names of bodies, and of joints, drivers and forces with their bodies; length of the model."""
    return run.about if isinstance(run, SavedResult) else run.about()


def part_names(run: Result | SavedResult, kind: str) -> list[str]:
    """Names of the joints, drivers or forces."""
    return list(facts(run)[f"{kind}s"])


def measure_names(run: Result | SavedResult) -> list[str]:
    """Names of all measures with a value."""
    return list(run._measures if isinstance(run, SavedResult) else run.measures())


def coordinates(run: Result | SavedResult, limit: int) -> list[Series]:
    """The quantities that tell most about the motion: named measures, then coordinates of joints, those on the ground first."""
    names = measure_names(run)
    found = [name for name in names if "." not in name]
    joints, bodies = part_names(run, "joint"), facts(run)["parts"]
    grounded = [j for j in joints if "ground" in bodies[j]]
    for joint in (*grounded, *(j for j in joints if j not in grounded)):
        found += [name for name in names if name.rpartition(".")[0] == joint]
    if not found:
        return _positions(run, limit)
    # some more than asked for, because those that never move are left out
    found = found[: 3 * limit]
    if not isinstance(run, SavedResult):
        known = (run.model.find_measure(name) for name in found)
        run.observe(measure for measure in known if measure is not None)
    series = [run[name] for name in found]
    moving = [s for s in series if float(np.max(np.abs(s), initial=0.0)) > 1e-12 and np.ptp(s) > 0.0]
    return (moving or series)[:limit]


def _positions(run: Result | SavedResult, limit: int) -> list[Series]:
    """Without joints to tell: coordinates of bodies that move, of the mass centre where the origin rests (a top)."""
    found: list[Series] = []
    for name in facts(run)["bodies"]:
        position, what = run[name].position, name
        if (
            not isinstance(run, SavedResult)
            and float(np.max(np.ptp(position, axis=0), initial=0.0)) < 1e-9 * run.system.length
        ):
            body = run.model[name]
            position, what = run[name].point(body.center).position, f"{name}.center"
        for k, axis in enumerate("xy" if run.plane else "xyz"):
            found.append(Series(np.asarray(position)[:, k], f"{what}.{axis}", "m", (), run.t))
        if run.plane and np.any(run[name].angle != run[name].angle[0]):
            found.append(run[name].angle)
    return found[:limit]


def reactions(run: Result | SavedResult, limit: int) -> list[Series]:
    """Sizes of the forces in joints, those that are zero throughout left out."""
    found: list[Series] = []
    for name in part_names(run, "joint"):
        if len(found) == limit:
            break
        size = np.linalg.norm(np.asarray(run[name].force), axis=1)
        if np.any(size > 0.0):
            found.append(Series(size, f"|{name}|", "N", (), run.t))
    return found


def efforts(run: Result | SavedResult, limit: int) -> list[Series]:
    """Forces or torques of drivers along what they drive."""
    found = []
    for name in part_names(run, "driver")[:limit]:
        series = run[name].effort
        found.append(Series(np.asarray(series), name, series.unit, (), run.t))
    return found
