"""The entry to the equations of Lagrangian systems: the projections of mechanisms, once more around other equations.

Functions of `project.py` are taken once more, with the names of `equations.py` in place of those of mechanisms, so that nothing is written twice.
"""

from __future__ import annotations

import types
from typing import Any

from .. import project as original_project
from ..compiler import entry
from ..operate import (
    ACCELERATE,
    ARRIVE,
    EVALUATE,
    PIVOT,
    POWERS,
    RATES,
    RATES_NOW,
    ROWS,
    SOLVE,
    SPEED,
    STEP_POSITION,
    STEP_VELOCITY,
)
from . import equations as original_equations

_REPLACED = (
    "evaluate",
    "resolve",
    "rows_only",
    "unscale",
    "move",
    "row_dot",
    "velocity_scale",
    "smallest_pivot",
    "rounding",
)
_PROJECTIONS = ("position_residual", "velocity_residual", "step_position", "step_velocity")


def _again(module: Any, scope: dict[str, Any]) -> dict[str, Any]:
    """Functions of a module with other globals."""
    made: dict[str, Any] = {**vars(module), **scope, "__name__": __name__}
    for key, value in vars(module).items():
        if key not in scope and isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            made[key] = types.FunctionType(value.__code__, made, key, value.__defaults__)
            made[key].__dict__.update(value.__dict__)
    return made


@entry
def operate(mode, I, P, F, t: float, q, v, a, tolerance: float, times):
    """One operation on a system; the modes are those of mechanisms."""
    if mode in (EVALUATE, ACCELERATE, POWERS):
        for _ in range(times):
            evaluate(I, P, F, t, q, v, a)
        return 0.0
    if mode == ROWS:
        rows_only(I, P, F, t, q, v)
        return position_residual(I, P, F)[0]
    if mode == RATES:
        rows_only(I, P, F, t, q, v)
        return velocity_residual(I, P, F)
    if mode == RATES_NOW:
        return velocity_residual(I, P, F)
    if mode == STEP_POSITION:
        step_position(I, P, F, q, a)
        return 0.0
    if mode == STEP_VELOCITY:
        step_velocity(I, P, F, v, a)
        return 0.0
    if mode == ARRIVE:
        return rounding(I, P, F, q)
    if mode == SPEED:
        return velocity_scale(I, P, v)
    if mode == SOLVE:
        resolve(I, P, F)
        return 0.0
    return smallest_pivot(I, F) if mode == PIVOT else 0.0


evaluate, rows_only, resolve, smallest_pivot, rounding, velocity_scale = (
    getattr(original_equations, name)
    for name in ("evaluate", "rows_only", "resolve", "smallest_pivot", "rounding", "velocity_scale")
)
_own = {name: getattr(original_equations, name) for name in _REPLACED}
_project = _again(original_project, _own)
position_residual, velocity_residual, step_position, step_velocity = (_project[name] for name in _PROJECTIONS)
