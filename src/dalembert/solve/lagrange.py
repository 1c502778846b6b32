"""The entry to the equations of Lagrangian systems: the projections of mechanisms, once more around other equations.

Functions of `project.py` are taken uncompiled and compiled again with the names of `equations.py` in place of those of mechanisms, so that nothing
is written twice; `entry` keeps the machine code on disk.
"""

from __future__ import annotations

import types
from typing import Any

from ..kernels import project as original_project
from ..kernels.compiler import COMPILE, kernel
from ..kernels.lagrange import equations as original_equations
from ..kernels.lagrange.compiler import entry
from ..kernels.operate import (
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
    """Functions of a module with other globals, compiled as they were; numba looks for them in this module when it loads them."""
    made: dict[str, Any] = {**vars(module), **scope, "__name__": __name__}
    for key, value in vars(module).items():
        function = getattr(value, "py_func", value)
        if key in scope or not isinstance(function, types.FunctionType) or function.__module__ != module.__name__:
            continue
        fresh = types.FunctionType(function.__code__, made, key, function.__defaults__)
        fresh.__qualname__, fresh.__module__ = key, __name__
        made[key] = kernel(fresh) if COMPILE and value is not function else fresh
    return made


def _operate(mode, I, P, F, t, q, v, a, tolerance, times):
    """One operation on a system; the modes are those of mechanisms."""
    if mode == EVALUATE or mode == ACCELERATE or mode == POWERS:  # noqa: SIM109 - numba compiles this, not `in`
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

operate = entry(_operate)


def with_formulas(perform_code: Any) -> Any:
    """The same entry with formulas of one system in machine code, compiled for this process only."""
    equations = _again(original_equations, {"perform_code": perform_code})
    own = {name: equations[name] for name in _REPLACED}
    project = _again(original_project, own)
    projections = {name: project[name] for name in _PROJECTIONS}
    return kernel(types.FunctionType(_operate.__code__, {**globals(), **own, **projections}, "operate_formulas"))
