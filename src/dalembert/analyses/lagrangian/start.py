"""Positions and velocities of coordinates at their start; those that are given are columns that do not move.

Values that are not given begin at their guess, or at zero, and move as little as possible until all holonomic rows hold.  Rates that are not
given are zero, or change with the smallest kinetic energy until all rows hold.  Conditions on expressions are further rows meanwhile:

    c(q, t) = value        w(q, q', t) = rate,  w linear in q'; w = dc/dt of a condition on coordinates
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...errors import AssemblyError
from ..dynamics.consistent import TOLERANCE

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem
    from .point import Point


class Conditions:
    """Initial conditions on expressions of a system, as rows with their names."""

    def __init__(self, system: LagrangeSystem) -> None:
        model, graph = system.model, system.graph
        q, rates = list(model.q), [f"rate({x})" for x in model.q]
        flow = {graph.input[x]: graph.input[rate] for x, rate in zip(q, rates)} | {graph.input["t"]: graph.one}
        held, moved = [], []
        self.names: list[str] = []
        self.rate_names: list[str] = []
        for one in model.conditions:
            node = graph.add_expression(one.expression)
            if one.value is not None:
                held.append(graph.sub(node, graph.number(one.value)))
                self.names.append(f"start of {one.name}")
            if one.rate is not None:
                w = node if one.expression.names & {*rates} else graph.forward([node], flow)[0]
                moved.append(graph.sub(w, graph.number(one.rate)))
                self.rate_names.append(f"rate of {one.name}" if w != node else one.name)
        self._n = len(q)
        self._held = system.function([*held, *(x for node in held for x in graph.reverse(node, q))])
        self._moved = system.function([*moved, *(x for node in moved for x in graph.reverse(node, rates))])

    def positions(self, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """c - value and its slopes dc/dq."""
        return self._split(self._held(point.t, point.q, point.v), len(self.names))

    def velocities(self, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """w - rate and its slopes dw/dq'."""
        return self._split(self._moved(point.t, point.q, point.v), len(self.rate_names))

    def _split(self, x: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
        return x[:rows], x[rows:].reshape(rows, self._n)

    def check_velocities(self, point: Point, asked: str) -> None:
        """Refuse rates that miss their conditions, by name."""
        left, slopes = self.velocities(point)
        _refuse_missed(asked, self.rate_names, left, np.abs(slopes) @ np.abs(point.v) + 1.0, "rates")


def _refuse_missed(asked: str, names: list[str], left: np.ndarray, size: np.ndarray, what: str) -> None:
    off = np.abs(left) / np.maximum(size, 1e-300)
    if np.all(off <= 1e-9):
        return
    listed = ", ".join(f"{names[k]!r} by {left[k]:.6g}" for k in np.argsort(-off)[:3] if not off[k] <= 1e-9)
    why = f"no {what} near the start satisfy them together with the rows and the other conditions: they follow from these, with other numbers"
    raise AssemblyError(asked, f"initial conditions missed: {listed}", why, "leave one out (m.start), correct its number, or give better guesses (m.guess)")  # fmt: skip


def assemble(point: Point, asked: str) -> None:
    """Move a point to coordinates that satisfy the holonomic rows and conditions on expressions, those given held."""
    system, model = point.system, point.system.model
    starts = {k: model.starts[x].value for k, x in enumerate(model.q) if x in model.starts}
    given = {k: float(value) for k, value in starts.items() if value is not None}
    point.q = np.array([given.get(k, model.guesses.get(x, 0.0)) for k, x in enumerate(model.q)], dtype=float)
    conditions, h = Conditions(system), system.n_holonomic
    if not h and not conditions.names:
        return
    free = free_columns(point, given)
    best = math.inf
    for _ in range(200):
        c, slopes = conditions.positions(point)
        phi, jac = np.concatenate([point.phi[:h], c]), np.vstack([point.jac[:h], slopes])
        if not (np.isfinite(phi).all() and np.isfinite(jac).all()):
            break
        size = np.maximum(np.linalg.norm(slopes, axis=1), 1e-300)
        scaled = float(np.max(np.concatenate([off_rows(point), np.abs(c) / size]), initial=0.0))
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
    c, slopes = conditions.positions(point)
    if np.isfinite(residual).all():
        _refuse_missed(asked, conditions.names, c, np.abs(slopes).max(axis=1, initial=0.0) * (1.0 + np.abs(point.q).max()), "values")  # fmt: skip
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
