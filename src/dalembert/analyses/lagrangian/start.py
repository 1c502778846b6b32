"""Positions and velocities of coordinates at their start; those that are given are columns that do not move.

Values that are not given begin at their guess, or at zero, and move as little as possible until all holonomic rows hold.  Rates that are not
given are zero, or change with the smallest kinetic energy until all rows hold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...errors import AssemblyError
from ..dynamics.consistent import TOLERANCE

if TYPE_CHECKING:
    from .point import Point


def assemble(point: Point, asked: str) -> None:
    """Move a point to coordinates that satisfy the holonomic rows, those given held."""
    system, model = point.system, point.system.model
    starts = {k: model.starts[x].value for k, x in enumerate(model.q) if x in model.starts}
    given = {k: float(value) for k, value in starts.items() if value is not None}
    point.q = np.array([given.get(k, model.guesses.get(x, 0.0)) for k, x in enumerate(model.q)], dtype=float)
    h = system.n_holonomic
    if not h:
        return
    free = free_columns(point, given)
    best = math.inf
    for _ in range(200):
        phi, jac = point.phi[:h], point.jac[:h]
        if not (np.isfinite(phi).all() and np.isfinite(jac).all()):
            break
        scaled = float(np.max(off_rows(point), initial=0.0))
        # guesses that satisfy the rows to rounding stay as they are: zeros stay zeros
        if scaled <= (1e-13 if best == math.inf else 1e-15) or (scaled <= TOLERANCE and scaled > 0.5 * best):
            break
        best = min(best, scaled)
        step = np.zeros(system.n)
        step[free] = -np.linalg.lstsq(jac[:, free], phi, rcond=1e-10)[0] if free.any() else 0.0
        # a rough guess must not jump: angles at most half a radian, other coordinates as far as they are large
        limit = float(np.max(np.abs(step) / np.maximum(0.5, np.abs(point.q)), initial=0.0))
        point.q = point.q + step / max(1.0, limit)
    residual = off_rows(point)
    if not np.max(residual, initial=0.0) <= 1e-9 + 10.0 * point.rounding:
        _refuse(point, residual, [model.q[k] for k in given], asked)


def free_columns(point: Point, given: dict[int, float]) -> np.ndarray:
    """Which coordinates may move."""
    return np.array([k not in given for k in range(point.system.n)])


def off_rows(point: Point) -> np.ndarray:
    """Residuals of the holonomic rows in units of the coordinates."""
    return (np.abs(point.phi) / point.size)[: point.system.n_holonomic]


def _refuse(point: Point, residual: np.ndarray, given: list[str], asked: str) -> None:
    names = list(point.system.model.holonomic)
    order = np.argsort(-np.nan_to_num(residual, nan=math.inf))[:3]
    listed = ", ".join(f"{names[k]!r} by {residual[k]:.6g}" for k in order if not residual[k] <= 1e-9)
    if given:
        why = f"with {', '.join(given)} as given, no values of the others satisfy them: the values contradict each other or the rows"
        do = "give fewer or other values (m.start), or better guesses for the others (m.guess)"
    else:
        why = "no values near the guesses satisfy all of them: a solution is far from them, or the rows contradict each other"
        do = "give values (m.start) or guesses (m.guess) nearer to a solution, or correct the rows"
    raise AssemblyError(asked, f"holonomic rows not satisfied: {listed}", why, do)


def given_rates(point: Point) -> dict[int, float]:
    """Rates that are given, by number of the coordinate."""
    model = point.system.model
    starts = {k: model.starts[x].rate for k, x in enumerate(model.q) if x in model.starts}
    return {k: float(rate) for k, rate in starts.items() if rate is not None}


def unsatisfiable(point: Point) -> bool:
    """Whether no rates at all satisfy the rows together at this position."""
    jac, w = point.jac / point.size[:, None], point.w / point.size
    if not len(jac):
        return False
    left = np.abs(w + jac @ np.linalg.lstsq(jac, -w, rcond=1e-10)[0])
    scale = max(1.0, float(np.max(np.abs(w - jac @ point.v), initial=0.0)))
    return bool(np.any(left > 1e-9 * scale))
