"""Times at which a quantity crosses a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import MethodError
from ..model.measure import Measure
from .series import Series


def crossings(run: Any, quantity: Any, value: Any, direction: int) -> np.ndarray:
    """Bracket on outputs and accepted steps together, then refine each bracket by the secant/bisection method of Illinois."""
    if direction not in (-1, 0, 1):
        raise MethodError("crossings", f"direction = {direction!r}", "it is -1, 0 or +1", "choose one of them")
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not np.isfinite(value)
    ):
        raise MethodError("crossings", f"value = {value!r}", "it must be a finite number", "give a number")
    value = float(value)
    function = _function(run, quantity)
    t, g = _samples(run, function)
    g = g - value
    found = []
    for k in range(len(t) - 1):
        if g[k] == 0.0 and (k == 0 or g[k - 1] != 0.0):
            if _wanted(g[k + 1], direction):
                found.append(t[k])
        elif g[k] * g[k + 1] < 0.0 and _wanted(g[k + 1], direction):
            found.append(
                _refine(lambda x: float(function(run.resample([x]))[0]) - value, t[k], t[k + 1], g[k], g[k + 1])
            )
    if len(t) and g[-1] == 0.0 and len(g) > 1 and g[-2] != 0.0 and _wanted(-g[-2], direction):
        found.append(t[-1])
    return np.array(found)


def _function(run: Any, quantity: Any) -> Callable[[Any], np.ndarray]:
    if isinstance(quantity, Series):
        if quantity.source is None or np.ndim(quantity) != 1:
            raise MethodError(
                "crossings",
                f"an array of shape {np.shape(quantity)}",
                "one quantity over time is needed",
                "choose a column, such as run['A'].force[:, 0]",
            )
        return quantity.source
    if isinstance(quantity, Measure):
        return lambda r: np.asarray(r.measure(quantity))
    if isinstance(quantity, str):
        measure = run.model.read_coordinate("crossings", quantity)
        return lambda r: np.asarray(r.measure(measure))
    if callable(quantity):
        return quantity  # type: ignore[no-any-return]
    measure = run.model.read_coordinate("crossings", quantity)
    return lambda r: np.asarray(r.measure(measure))


def _samples(run: Any, function: Callable[[Any], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Values at outputs and at accepted steps, in order of time."""
    kept = run.trace.kept
    steps = type(run)._at_states(run.prepared, run.problem, kept.t, kept.y, kept.angle)
    steps.trace = run.trace
    t = np.concatenate([run.t, steps.t])
    g = np.concatenate([_checked(function(run), run), _checked(function(steps), steps)])
    order = np.unique(t, return_index=True)[1]
    return t[order], g[order]


def _checked(values: Any, run: Any) -> np.ndarray:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != run.t.shape:
        raise MethodError(
            "crossings",
            f"values of shape {np.shape(values)}",
            f"one number for each of the {len(run.t)} times is needed",
            "return a column, such as r['A'].force[:, 0]",
        )
    return found


def _wanted(after: float, direction: int) -> bool:
    return direction == 0 or (after > 0.0) == (direction > 0)


def _refine(f: Callable[[float], float], a: float, b: float, fa: float, fb: float) -> float:
    """Root between a and b by regula falsi with halving of the stagnant end (Illinois)."""
    for _ in range(100):
        c = (a * fb - b * fa) / (fb - fa)
        if not min(a, b) < c < max(a, b):
            c = 0.5 * (a + b)
        fc = f(c)
        if fc == 0.0 or abs(b - a) <= 4e-15 * max(abs(a), abs(b)):
            return c
        if fc * fb < 0.0:
            a, fa = b, fb
        else:
            fa *= 0.5
        b, fb = c, fc
        if abs(fc) < 1e-300:
            return c
    return 0.5 * (a + b)
