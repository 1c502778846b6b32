"""Runs by steps of one length for many contacts (`solve/stepping/moreau.py`): what they ask of a model, and what they refuse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from ...errors import MethodError
from ...kernels.contact_points import FRICTION, gap_of
from ...kernels.operate import INPUTS
from ...solve.moreau import NAME, in_steps_of
from ...system.contact_points import points_of

# overlap at the start beyond what such steps leave themselves [m]
OVERLAP = 1e-6

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ...solve.problem import Problem
    from ...system.system import System
    from .prepared import Prepared


def check_model(asked: str, model: Mechanism | Lagrangian, step: float | None, backward: bool) -> None:
    """Refuse models and options that these steps do not serve."""
    asked, do = f"{asked}, method = {NAME!r}", "leave method= out: runs through events serve it"
    if step is None:
        raise MethodError(
            asked, "no step", "the method has steps of one length, and no error control", "give step=0.001"
        )
    if model.kind != "mechanism":
        found = f"{model.name!r} is a Lagrangian system"
        raise MethodError(asked, found, "its contacts are those of bodies", do)
    if model.events:
        found = f"events {', '.join(map(repr, list(model.events)[:6]))}"
        raise MethodError(asked, found, "no event is located inside its steps", do)
    if backward:
        why = "what happened before an impact does not follow from what is after it"
        raise MethodError(asked, "backward=True", why, "run forward")


def step_times(t0: float, t1: float, step: float) -> np.ndarray:
    """Ends of all steps, and the start."""
    n = max(1, math.ceil((t1 - t0) / step - 1e-9))
    return np.append(t0 + step * np.arange(n), t1)


def in_steps(problem: Problem, prepared: Prepared, step: float, asked: str) -> None:
    """Let a problem be run in such steps."""
    system = cast("System", prepared.system)
    points, owners = points_of(system, asked)
    here, x = prepared.here(), np.zeros(6)
    here.operate(INPUTS)
    for k in np.flatnonzero(points.kind != FRICTION):
        gap = float(gap_of(system.I, system.P, prepared.work.F, points, k, x))
        if gap < -OVERLAP:
            raise MethodError(
                asked, f"the gap of {owners[k].name!r} is {gap:.6g} at t = {prepared.state.t:.9g} s", "bodies do not overlap: a gap is at least 0",
                "start where all gaps are open or closed",
            )  # fmt: skip
    in_steps_of(problem, step, prepared.state.t, points)
    problem.touching = owners
