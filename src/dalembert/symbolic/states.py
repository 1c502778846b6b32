"""Random states that satisfy the constraints of a system, for comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..errors import ExpressionError
from ..system.lagrange import terms_of
from . import checks
from .derivation import Derivation

_TRIES = 40
_STEPS = 30


def random_states(
    d: Derivation,
    count: int,
    seed: int,
    accept: Callable[[Mapping[str, float]], bool] = lambda values: True,
    begin: Callable[[Mapping[str, float]], dict[str, float]] | None = None,
) -> list[dict[str, float]]:
    """States with phi = 0 and J q' = nu, at which all expressions have values; fewer where such are hard to find.

    They are sought from random values, or from what `begin` makes of these.
    """
    rng = np.random.default_rng(seed)
    exprs = list(terms_of(d.model).values())
    rows = d.numbers([*d.phi, *d.J, *d.nu]) if d.row_names else None
    found: list[dict[str, float]] = []
    for _ in range(_TRIES + 2 * count):
        values = checks.random_values(d.model, rng)
        try:
            values = values if begin is None else begin(values)
            if rows is not None:
                _onto(d, values, rows)
            for expr in exprs:
                expr.evaluate(values)
            checks.check_smooth(d.model, values)
            accepted = accept(values)
        except (ExpressionError, ValueError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError):
            continue
        if accepted:
            found.append(values)
        if len(found) == count:
            break
    return found


def _onto(d: Derivation, values: dict[str, float], rows: Callable[[Mapping[str, float]], list[float]]) -> None:
    """Move a state onto its constraints: Gauss-Newton for positions, least change for rates."""
    n, m = len(d.names), len(d.phi)
    for _ in range(_STEPS):
        numbers = np.array(rows(values))
        J = numbers[m : m + len(d.row_names) * n].reshape(-1, n)
        if np.max(np.abs(numbers[:m]), initial=0.0) < 1e-13:
            break
        step = np.linalg.lstsq(J[:m], -numbers[:m], rcond=None)[0]
        for name, x in zip(d.names, step):
            values[name] += float(x)
    else:
        raise np.linalg.LinAlgError
    v = np.array([values[f"rate({x})"] for x in d.names])
    v += np.linalg.lstsq(J, numbers[m + J.size :] - J @ v, rcond=None)[0]
    for name, x in zip(d.names, v):
        values[f"rate({name})"] = float(x)
