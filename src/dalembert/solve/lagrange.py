"""The projection and the time loop of mechanisms, once more around the equations of Lagrangian systems.

Their functions are taken uncompiled and compiled again with the names of `equations.py` in place of those of mechanisms, so that nothing
is written twice; `entry` keeps the machine code on disk.
"""

from __future__ import annotations

import types
from typing import Any

from ..kernels import project as original_project
from ..kernels.compiler import COMPILE, kernel, woven
from ..kernels.lagrange import equations
from ..kernels.lagrange.compiler import entry
from ..kernels.operate import EVALUATE, PIVOT, POSITION, RATES, ROWS, SOLVE, VELOCITY
from . import loop as original_loop

_REPLACED = (
    "evaluate", "resolve", "rows_only", "unscale", "move", "row_dot", "normalize", "rate_of_q", "items", "velocity_scale",
    "smallest_pivot",
)  # fmt: skip


def _again(module: Any, scope: dict[str, Any]) -> dict[str, Any]:
    """Functions of a module with other globals, compiled as they were; numba looks for them in this module when it loads them."""
    made: dict[str, Any] = {**vars(module), **scope, "__name__": __name__}
    for key, value in vars(module).items():
        function = getattr(value, "py_func", value)
        if key in scope or not isinstance(function, types.FunctionType) or function.__module__ != module.__name__:
            continue
        fresh = types.FunctionType(function.__code__, made, key, function.__defaults__)
        fresh.__qualname__, fresh.__module__ = key, __name__
        if not COMPILE or value is function:
            made[key] = fresh
        elif key == "integrate":
            made[key] = entry(fresh)
        else:
            made[key] = (woven if value.targetoptions.get("inline") == "always" else kernel)(fresh)
    return made


_own = {name: getattr(equations, name) for name in _REPLACED}
_project = _again(original_project, _own)
_projections = ("position_residual", "velocity_residual", "project_position", "project_velocity")
_loop = _again(original_loop, {**_own, **{name: _project[name] for name in _projections}})

integrate = _loop["integrate"]
rate_of_q = equations.rate_of_q
_evaluate, _rows_only, _resolve, _smallest_pivot = (
    equations.evaluate,
    equations.rows_only,
    equations.resolve,
    equations.smallest_pivot,
)
_position_residual, _velocity_residual = _project["position_residual"], _project["velocity_residual"]
_project_position, _project_velocity = _project["project_position"], _project["project_velocity"]


@entry
def operate(mode, I, P, F, t, q, v, a, tolerance, times):
    """One operation on a system; the modes are those of mechanisms."""
    if mode == EVALUATE:
        for _ in range(times):
            _evaluate(I, P, F, t, q, v, a)
        return 0.0
    if mode == ROWS:
        _rows_only(I, P, F, t, q, v)
        return _position_residual(I, P, F)[0]
    if mode == RATES:
        _rows_only(I, P, F, t, q, v)
        return _velocity_residual(I, P, F)
    if mode == POSITION:
        return _project_position(I, P, F, t, q, v, tolerance, times, a)
    if mode == VELOCITY:
        _rows_only(I, P, F, t, q, v)
        return _project_velocity(I, P, F, v, a, tolerance, times)
    if mode == SOLVE:
        _resolve(I, P, F)
        return 0.0
    return _smallest_pivot(I, F) if mode == PIVOT else 0.0
