"""What to show of a run when nothing in particular is asked for; works on runs and on results read from files."""

from __future__ import annotations

from typing import Any

import numpy as np

from .series import Series


def part_names(run: Any, kind: str) -> list[str]:
    """Names of the joints, drivers or forces."""
    if isinstance(run.model, str):
        return list(run.about[f"{kind}s"])
    return [part.name for part in run.model.parts(kind)]


def part_bodies(run: Any, name: str) -> list[str]:
    """Names of the bodies of a part."""
    if isinstance(run.model, str):
        return list(run.about["parts"][name])
    return [body.name for body in run.model[name].bodies]


def measure_names(run: Any) -> list[str]:
    """Names of all measures with a value."""
    if isinstance(run.model, str):
        return list(run._measures)
    return [name for name in run.model.measure_names() if not run.model.find_measure(name).is_rate]


def body_names(run: Any) -> list[str]:
    """Names of the moving bodies."""
    return list(run.about["bodies"]) if isinstance(run.model, str) else list(run.system.body_names)


def coordinates(run: Any, limit: int) -> list[Series]:
    """The quantities that tell most about the motion: named measures, then coordinates of joints, those on the ground first."""
    names = measure_names(run)
    found = [name for name in names if "." not in name]
    joints = part_names(run, "joint")
    grounded = [j for j in joints if "ground" in part_bodies(run, j)]
    for joint in (*grounded, *(j for j in joints if j not in grounded)):
        found += [name for name in names if name.rpartition(".")[0] == joint]
    if not found:
        # free bodies: their coordinates
        found = [name for name in names if name.rpartition(".")[0] in body_names(run)]
    if not isinstance(run.model, str):
        run.observe(run.model.find_measure(name) for name in found[:limit])
    return [run[name] for name in found[:limit]]


def reactions(run: Any, limit: int) -> list[Series]:
    """Sizes of the forces in joints, those that are zero throughout left out."""
    found: list[Series] = []
    for name in part_names(run, "joint"):
        if len(found) == limit:
            break
        size = np.linalg.norm(np.asarray(run[name].force), axis=1)
        if np.any(size > 0.0):
            found.append(Series(size, f"|{name}|", "N", (), run.t))
    return found


def efforts(run: Any, limit: int) -> list[Series]:
    """Forces or torques of drivers along what they drive."""
    found = []
    for name in part_names(run, "driver")[:limit]:
        series = run[name].effort
        found.append(Series(np.asarray(series), name, series.unit, (), run.t))
    return found
