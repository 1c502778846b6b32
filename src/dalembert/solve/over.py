"""A run comes to a singular position: from which of its states a step over it begins, how long it is, and whether it is taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import memory as model_memory
from .integrators.bridge import SIDE, integrals, nodes, values
from .stepping.bridge import BEGIN, JUDGE, ROUND, SETTLED, TAKE, bridge
from .stepping.records import AGAIN_HELD, Over

# lengths that are tried, as parts of the first
LENGTHS = (1.0, 0.8, 0.65, 0.5, 1.25, 0.4, 1.6, 0.3, 0.2)
# rounds of the fixed point, and how many are combined
ROUNDS, DEPTH = 40, 8
# change, in units of the tolerance, that may be noise: the error estimate sees it too
NOISE = 200.0
# error that noise may leave where no length of the step gives less than the tolerance
ACCEPTED = 30.0
# part of the step within which the position must be found about its middle
MIDDLE = 0.05
# how far behind the moment may lie, as part of the length: within the gap, where the loop itself may not come away from it
BEHIND = 0.1
# rounding of positions over the cube of the distance (relative to the model) that is an acceleration as wrong as the tolerance: rounding, with a margin
ROUNDED = 1e-14


@dataclass(frozen=True, eq=False)
class Crossing:
    """A singular position that a run went through: when, the state there, how long about it accelerations and multipliers come from its sides."""

    t: float
    y: np.ndarray
    zone: float


def filled(prepared: Any, t: np.ndarray) -> np.ndarray:
    """Outputs so close to a singular position that accelerations and multipliers come from the motion on both sides of it."""
    found = np.zeros(len(t), dtype=bool)
    for crossing in getattr(prepared, "crossings", ()):
        found |= np.abs(t - crossing.t) < crossing.zone
    return found


def memory(p: Any, n: int) -> Over:
    """Memory of the step."""
    many, sizes = nodes().steps, model_memory.sizes(p.I)
    more = np.zeros((many, sizes.rows + 2 * sizes.powers))
    return Over(np.zeros((many, n)), np.zeros(many * n), more, *(np.zeros(many) for _ in range(3)))


def step_over(run: Any) -> None:
    """Step over the moment that the loop foresees; where that fails, or there is no such moment, the loop goes on by itself."""
    now, p = run.now, run.p
    run.make_room()
    over, place = memory(p, len(run.mem.y)), _Place(run)

    def perform(what: int, t_new: float) -> float:
        return float(run.enter(bridge, nodes(), run.kept, p.watch, over, what, t_new))

    t_cross, length, tried = now.t_cross, length_of(run), dict[float, float]()
    # errors below the tolerance; if there is none, and noise is the reason, the smallest
    for limit in (1.0, ACCEPTED):
        for part in sorted(LENGTHS, key=lambda x: tried.get(x, math.inf)) if limit > 1.0 else LENGTHS:
            if tried.get(part, 0.0) > limit:
                break
            t_cross = aim(perform, over, place, t_cross, 0.5 * part * length)
            if not (place.t - t_cross) * math.copysign(1.0, run.t1 - run.t0) < BEHIND * length:
                return place.leave()  # there is none, or it lies behind: one of the steps went over it unseen
            t_new = 2.0 * t_cross - now.t
            tried[part] = collocate(perform, over, t_new)
            if tried[part] < limit:
                x, slope = vanishing(over)
                if abs(x - 0.5) < MIDDLE:
                    return take(run, perform, over, place, t_new, x, slope)
    place.leave()


def take(run: Any, perform: Any, over: Over, place: _Place, t_new: float, x: float, slope: float) -> None:
    """Take the step that was made, if the motion goes on through the position."""
    now, h = run.now, t_new - run.now.t
    now.t_cross = now.t + x * h
    now.zone = (ROUNDED / run.p.rtol) ** (1.0 / 3.0) * math.sqrt(now.largest_pivot) / slope * abs(h)
    now.zone = min(now.zone, (0.5 - MIDDLE - nodes().c[SIDE - 1]) * abs(h))
    crossing = Crossing(now.t_cross, values(nodes().c, np.array([x]))[0] @ over.y, now.zone)
    if run.crossed is not None and not run.crossed(crossing):
        return place.leave()
    end = (min if h > 0.0 else max)(t_new, now.t_end)
    over.share[:] = integrals(nodes().c, np.array([(end - now.t) / h]))[0]
    run.over_length = abs(h)
    perform(TAKE, t_new)


def aim(perform: Callable[[int, float], float], over: Over, place: _Place, t_cross: float, distance: float) -> float:
    """The moment by the states before the gap of a step that begins so far before it; NaN if there is none."""
    c, now = nodes().c, place.run.now
    place.go_back(t_cross, distance)
    for _ in range(5):
        t_new = 2.0 * t_cross - now.t
        if not t_new != now.t or not math.isfinite(perform(BEGIN, t_new)):
            return math.nan
        # the inverse function through the last nodes: when its value is 0
        root, x = np.sqrt(np.maximum(over.pivot[SIDE - 4 : SIDE], 0.0)), c[SIDE - 4 : SIDE]
        if not np.all(np.diff(root) < 0.0):
            return math.nan
        found = float(np.linalg.solve(np.vander(root, increasing=True), x)[0])
        t_cross = now.t + found * (t_new - now.t)
        if abs(found - 0.5) < 0.5 * MIDDLE:
            return t_cross
    return math.nan


def vanishing(over: Over) -> tuple[float, float]:
    """Where in the step the smallest pivot vanishes, and the rate of its root there: the root changes its sign, so that it is smooth."""
    c = nodes().c
    root = np.sqrt(np.maximum(over.pivot, 0.0)) * np.where(c < 0.5, 1.0, -1.0)
    if not (np.all(np.diff(root[SIDE - 3 : SIDE]) < 0.0) and np.all(np.diff(root[SIDE : SIDE + 3]) < 0.0)):
        return math.nan, math.nan
    low, high = c[SIDE - 1], c[SIDE]
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if values(c, np.array([middle]))[0] @ root > 0.0 else (low, middle)
    return middle, float((root[SIDE - 1] - root[SIDE]) / (c[SIDE] - c[SIDE - 1]))


def collocate(perform: Callable[[int, float], float], over: Over, t_new: float) -> float:
    """Rates at the nodes that fit the states; return the error of the step in units of the tolerance, infinite if that fails.

    Rounds of the fixed point k = g(k), each from the combination of those before it that leaves the least (Anderson's acceleration).
    """
    if not math.isfinite(perform(BEGIN, t_new)):
        return math.inf
    tried: list[np.ndarray] = []
    left: list[np.ndarray] = []
    smallest, best, since = math.inf, over.k, 0
    for _ in range(ROUNDS):
        before = over.k.copy()
        change = perform(ROUND, t_new)
        if change < SETTLED:
            return perform(JUDGE, t_new)
        if not math.isfinite(change):
            break
        since = 0 if change < 0.5 * smallest else since + 1
        if change < smallest:
            smallest, best = change, before
        if since > 3 and smallest < NOISE:
            # what is left is noise: the round with the least of it once more
            over.k[:] = best
            perform(ROUND, t_new)
            return perform(JUDGE, t_new)
        tried, left = [*tried[-DEPTH:], over.k.copy()], [*left[-DEPTH:], over.k - before]
        if len(left) > 1:
            share = np.linalg.lstsq(np.diff(left, axis=0).T, left[-1], rcond=1e-10)[0]
            over.k[:] = tried[-1] - share @ np.diff(tried, axis=0)
    return math.inf


def length_of(run: Any) -> float:
    """The length that is tried first: that of the last such step, or several of the longest of the last steps (those closest may have been cut)."""
    if run.over_length > 0.0:
        return float(run.over_length)
    last = run.kept.t[max(0, run.now.next_step - 8) : run.now.next_step]
    longest = float(np.max(np.abs(np.diff(last)), initial=abs(run.now.h)))
    as_order_8 = longest * run.p.rtol ** (0.125 - 1.0 / run.method.order)
    return float(as_order_8 * min(6.0, max(1.5, -0.6 * math.log10(run.p.rtol))))


class _Place:
    """The state of the run now, and those before it that are at hand."""

    def __init__(self, run: Any) -> None:
        self.run, now = run, run.now
        self.t, self.n = now.t, now.next_step
        self.y, self.angle, self.work = run.mem.y.copy(), model_memory.angles(run.p.I, run.p.F).copy(), run.mem.work.copy()

    def go_back(self, t_cross: float, distance: float) -> None:
        """Make the last state at least so far before the moment the state of the run."""
        run, kept = self.run, self.run.kept
        # not beyond a change of laws or of the active rows
        since = min(abs(t_cross - t) for t in (run.segments[-1].t, run.now.t_switched) if math.isfinite(t))
        k = self.n - 1
        while k > 0 and abs(t_cross - kept.t[k]) < distance and abs(t_cross - kept.t[k - 1]) <= since:
            k -= 1
        self._set(kept.t[k], kept.y[k], kept.angle[k], kept.work[k], k + 1)

    def leave(self) -> None:
        """The state with which the run came, and no step over the position."""
        self._set(self.t, self.y, self.angle, self.work, self.n)
        self.run.now.denied, self.run.now.fresh = 1, AGAIN_HELD

    def _set(self, t: float, y: np.ndarray, angle: np.ndarray, work: np.ndarray, n: int) -> None:
        run = self.run
        run.now.t, run.now.next_step = float(t), n
        run.mem.y[:], run.mem.work[:] = y, work
        model_memory.count_from(run.p.I, run.p.F, t, angle)
