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
from ..kernels.operate import EVALUATE, HOLD, PIVOT, POSITION, RATES, ROWS, SOLVE, VELOCITY

_REPLACED = (
    "evaluate", "resolve", "rows_only", "unscale", "move", "row_dot", "normalize", "velocity_scale", "smallest_pivot", "rounding",
)  # fmt: skip
_PROJECTIONS = ("position_residual", "velocity_residual", "project_position", "project_velocity", "hold")


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
    if mode == EVALUATE:
        for _ in range(times):
            evaluate(I, P, F, t, q, v, a)
        return 0.0
    if mode == ROWS:
        rows_only(I, P, F, t, q, v)
        return position_residual(I, P, F)[0]
    if mode == RATES:
        rows_only(I, P, F, t, q, v)
        return velocity_residual(I, P, F)
    if mode == POSITION:
        return project_position(I, P, F, t, q, v, tolerance, times, a)
    if mode == VELOCITY:
        rows_only(I, P, F, t, q, v)
        return project_velocity(I, P, F, v, a, tolerance, times)
    if mode == HOLD:
        return 1.0 if hold(I, P, F, t, q, v, a, tolerance, times) else 0.0
    if mode == SOLVE:
        resolve(I, P, F)
        return 0.0
    return smallest_pivot(I, F) if mode == PIVOT else 0.0


evaluate, rows_only, resolve, smallest_pivot = (
    original_equations.evaluate,
    original_equations.rows_only,
    original_equations.resolve,
    original_equations.smallest_pivot,
)
_own = {name: getattr(original_equations, name) for name in _REPLACED}
_project = _again(original_project, _own)
position_residual, velocity_residual, project_position, project_velocity, hold = (
    _project[name] for name in _PROJECTIONS
)

operate = entry(_operate)


def with_formulas(perform_code: Any) -> Any:
    """The same entry with formulas of one system in machine code, compiled for this process only."""
    equations = _again(original_equations, {"perform_code": perform_code})
    own = {name: equations[name] for name in _REPLACED}
    project = _again(original_project, own)
    projections = {name: project[name] for name in _PROJECTIONS}
    return kernel(types.FunctionType(_operate.__code__, {**globals(), **own, **projections}, "operate_formulas"))
