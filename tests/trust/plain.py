"""Kernels as plain Python, for tests that call one of them on its own."""

from __future__ import annotations

import types
from typing import Any

import numpy as np


def plain(kernel: Any, made: dict[Any, Any] | None = None) -> Any:
    """A kernel as plain Python, with the kernels that it calls: each of them compiled on its own would take longer than it saves."""
    made = {} if made is None else made
    if kernel not in made:
        function = kernel.py_func
        scope = dict(function.__globals__)
        made[kernel] = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
        for name in function.__code__.co_names:
            if hasattr(scope.get(name), "py_func"):
                scope[name] = plain(scope[name], made)
            elif getattr(scope.get(name), "__module__", "") == "math":
                # compiled, functions of `math` give NaN outside their domain; as plain Python they would raise
                scope[name] = _FORGIVING[scope[name].__name__]
    return made[kernel]


_FORGIVING: dict[str, Any] = {
    name: getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "pow": "power"}.get(name, name))
    for name in ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "pow", "hypot")
}
