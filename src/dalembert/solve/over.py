"""A run comes to a singular position: from which of its states a step over it begins, how long it is, and whether it is taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..kernels import memory as model_memory
from ..kernels.operate import EVALUATE, PIVOT
from .integrators.bridge import SIDE, integrals, nodes, values
from .stepping.bridge import BEGIN, JUDGE, ROUND, SETTLED, TAKE, bridge
from .stepping.records import AGAIN_LATER, MISSED, Over

if TYPE_CHECKING:
    from .run import _Run


# lengths that are tried, as parts of the first
LENGTHS = (1.0, 0.8, 0.65, 0.5, 1.25, 0.4, 1.6, 0.3, 0.2)
# rounds of the fixed point, and how many are combined
ROUNDS, DEPTH = 40, 8
# change that may be noise, over the tolerance: the error estimate sees it too
NOISE = 2e-8
# change, over the tolerance, that ends the rounds in any case: states in the gap are as good as those at the nodes fit each other
CLOSE = 1e-12
# error that noise may leave where no length of the step gives less than the tolerance
ACCEPTED = 30.0
# part of its fastest fall below which a root stands still; towards a zero it falls at a rate that hardly changes
STILL = 0.01
# part of the step within which the position must be found about its middle
MIDDLE = 0.05
# part by which two misfits differ that are the same
SAME = 0.2
# part of the length from which on it counts as close
NEAR = 0.01
# how far behind the moment may lie, as part of the length: within the gap, where the loop itself may not come away from it
BEHIND = 0.1
# error of the step over what a misfit of the dimensions makes of velocities at the edge of the gap, misfit/s^2, that is explained by it; largest misfit that is looked at
BY_MISFIT, LARGEST = 300.0, 1e-10
# rounding of positions over the cube of the distance (relative to the model) that is an acceleration as wrong as the tolerance: rounding, with a margin
ROUNDED = 1e-14


@dataclass(frozen=True, eq=False)
class Crossing:
    """A singular position that a run went through: when, the state there, how long about it accelerations and multipliers come from its sides.

    `misfit`: by how much dimensions, relative to the model, must at least miss the position to explain the error of the step.
    """

    t: float
    y: np.ndarray
    zone: float
    misfit: float = 0.0


class Verdict(Enum):
    """What is known of a position: motions meet in it; dimensions miss it; it is none; motions meet, but dimensions do not explain the error of the step over it."""

    MEETING, MISSED, NO_POSITION, UNEXPLAINED = range(4)


class Asked(Protocol):
    """Who tells whether a motion goes on through a position, and by how much dimensions miss it."""

    def __call__(self, crossing: Crossing) -> Verdict:
        """Whether it does."""

    def misfit(self, crossing: Crossing) -> float:
        """Relative to the model; NaN where it is no such position."""


def memory(p: Any, n: int) -> Over:
    """Memory of the step."""
    many, sizes = nodes().steps, model_memory.sizes(p.I)
    more = np.zeros((many, sizes.rows + 2 * sizes.powers))
    return Over(np.zeros((many, n)), np.zeros(many * n), more, *(np.zeros(many) for _ in range(3)))


def step_over(run: _Run) -> None:
    """Step over the moment that the loop foresees; where that fails, or there is no such moment, the loop goes on by itself."""
    now, p = run.now, run.p
    run.make_room()
    over, place = memory(p, len(run.mem.y)), _Place(run)

    def perform(what: int, t_new: float) -> float:
        return float(run.enter(bridge, nodes(), run.kept, p.watch, over, what, t_new))

    length, tried, starts, misfits = length_of(run), dict[float, float](), dict[float, float](), dict[float, float]()
    # from close by the last two states tell the moment better than nodes further away
    near = abs(now.t_cross - now.t) < NEAR * length
    t_cross = now.t_cross if near else aim(perform, over, place, length)
    # there is none, or it lies behind: one of the steps went over it unseen
    if not (place.t - t_cross) * math.copysign(1.0, run.t1 - run.t0) < BEHIND * length:
        place.leave(AGAIN_LATER)
        return
    # errors below the tolerance; if there is none, and noise is the reason, the smallest
    for limit in (1.0, ACCEPTED):
        for part in sorted(LENGTHS, key=lambda x: tried.get(x, math.inf)) if limit > 1.0 else LENGTHS:
            if tried.get(part, 0.0) > limit:
                break
            place.go_back(t_cross, 0.5 * part * length)
            t_new = 2.0 * t_cross - now.t
            if limit == 1.0 and now.t in starts:
                tried[part] = starts[now.t]  # no other state is at hand
                continue
            error = collocate(perform, over, t_new, p.rtol)
            tried[part] = -error if error < 0.0 else error if error < 1.0 else math.inf
            starts[now.t] = tried[part]
            misfits[part] = abs(error) * p.rtol * float(np.max(over.pivot[SIDE - 1 : SIDE + 1])) / BY_MISFIT
            if tried[part] < limit and take(run, perform, over, place, t_new):
                return
    # the motion itself is not smooth there by what the dimensions miss the position by: the step that asks for the smallest misfit
    part = min(misfits, key=lambda x: misfits[x])
    if misfits[part] < LARGEST:
        place.go_back(t_cross, 0.5 * part * length)
        t_new = 2.0 * t_cross - now.t
        if math.isfinite(collocate(perform, over, t_new, p.rtol)) and take(
            run, perform, over, place, t_new, misfits[part]
        ):
            return
    place.leave(MISSED if is_missed(run, perform, over, place, t_cross, length) else AGAIN_LATER)


def is_missed(run: _Run, perform: Any, over: Over, place: _Place, t_cross: float, length: float) -> bool:
    """Whether dimensions miss the position, at the state there by the nodes before the gap of short steps: two of them must tell it by the same misfit."""
    now, c, found = run.now, nodes().c[:SIDE], list[float]()
    if run.crossed is None:
        return False
    for part in (0.1, 0.2):
        place.go_back(t_cross, part * length)
        t_new = 2.0 * t_cross - now.t
        if t_new == now.t or not math.isfinite(perform(BEGIN, t_new)):
            return False
        there = Crossing(run.clock + t_cross, values(c, np.array([0.5]))[0] @ over.y[:SIDE], 0.0, math.inf)
        found.append(run.crossed.misfit(there))
    return abs(found[0] - found[1]) < SAME * found[0] and run.crossed(there) is Verdict.MISSED


def take(run: _Run, perform: Any, over: Over, place: _Place, t_new: float, misfit: float = 0.0) -> bool:
    """Take the step that was made, if the position is in its middle and the motion goes on through it; return whether that is decided."""
    now, h = run.now, t_new - run.now.t
    x, slope = vanishing(over)
    if not abs(x - 0.5) < MIDDLE:
        return False
    x = located(run, over, x, h)
    now.t_cross = now.t + x * h
    now.zone = (ROUNDED / run.p.rtol) ** (1.0 / 3.0) * math.sqrt(now.largest_pivot) / slope * abs(h)
    now.zone = min(now.zone, (0.5 - MIDDLE - nodes().c[SIDE - 1]) * abs(h))
    crossing = Crossing(run.clock + now.t_cross, values(nodes().c, np.array([x]))[0] @ over.y, now.zone, misfit)
    verdict = Verdict.MEETING if run.crossed is None else run.crossed(crossing)
    if verdict is Verdict.UNEXPLAINED:
        return False
    if verdict is not Verdict.MEETING:
        place.leave(MISSED if verdict is Verdict.MISSED else AGAIN_LATER)
        return True
    end = (min if h > 0.0 else max)(t_new, now.t_end)
    over.share[:] = integrals(nodes().c, np.array([(end - now.t) / h]))[0]
    run.over_length, run.over_t = abs(h), now.t_cross
    perform(TAKE, t_new)
    return True


def aim(perform: Callable[[int, float], float], over: Over, place: _Place, length: float) -> float:
    """The moment by the states before the gap of a shorter step; NaN if there is none.

    From too far away another pivot may be the smallest: then from closer by.
    """
    for part in (0.25, 0.1, 0.04):
        moment = aim_from(perform, over, place, part * length)
        if math.isfinite(moment):
            return moment
    return math.nan


def aim_from(perform: Callable[[int, float], float], over: Over, place: _Place, distance: float) -> float:
    """The same from a state at that distance, or further."""
    c, now = nodes().c, place.run.now
    t_cross = now.t_cross
    place.go_back(t_cross, distance)
    for k in range(8):
        t_new = 2.0 * t_cross - now.t
        if t_new == now.t or not math.isfinite(perform(BEGIN, t_new)):
            break
        root, lowest = np.sqrt(np.maximum(over.pivot[:SIDE], 0.0)), int(np.argmin(over.pivot[:SIDE]))
        if lowest < SIDE - 1:
            found = c[lowest]  # it is before the gap
        elif not _falls(root[-4:], c[SIDE - 4 : SIDE]):
            break
        else:
            # the inverse function through the last nodes: when its value is 0
            found = float(np.linalg.solve(np.vander(root[-4:], increasing=True), c[SIDE - 4 : SIDE])[0])
        if not 0.0 < found < 2.0:
            break
        moment = now.t + found * (t_new - now.t)
        if abs(found - 0.5) < 0.5 * MIDDLE:
            return moment
        # estimates from steps of another length come from either side
        t_cross = moment if k < 2 else 0.5 * (moment + t_cross)
    return math.nan


def _falls(root: np.ndarray, c: np.ndarray) -> bool:
    """Whether a root falls all the way.  Where another pivot is the smallest for a while, it stands still, and says nothing about the moment."""
    rate = -np.diff(root) / np.diff(c)
    return bool(np.min(rate) > STILL * np.max(np.abs(rate)))


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


def located(run: _Run, over: Over, x: float, h: float) -> float:
    """The fraction of the step more exactly, by roots of pivots at states on either side, which fall and rise alike."""
    p, nq, nv = run.p, len(run.mem.q), len(run.mem.v)

    def root(x: float) -> float:
        y, a = values(nodes().c, np.array([x]))[0] @ over.y, np.zeros(nv)
        state = run.clock + run.now.t + x * h, y[:nq].copy(), y[nq : nq + nv].copy(), a, 0.0, 1
        p.operate(EVALUATE, p.I, p.P, p.F, *state)
        return math.sqrt(max(float(p.operate(PIVOT, p.I, p.P, p.F, *state)), 0.0))

    for apart in (0.02, 0.002, 0.0002):
        before, after = root(x - apart), root(x + apart)
        x += apart * (before - after) / (before + after)
    return x


def collocate(perform: Callable[[int, float], float], over: Over, t_new: float, rtol: float) -> float:
    """Rates at the nodes that fit the states; return the error of the step in units of the tolerance, infinite if that fails.

    A negative number is an error that noise explains.  Rounds of the fixed point k = g(k), each from the combination of those before it that leaves the least (Anderson's acceleration).
    """
    if not math.isfinite(perform(BEGIN, t_new)):
        return math.inf
    settled, noise = min(SETTLED, CLOSE / rtol), NOISE / rtol
    tried: list[np.ndarray] = []
    left: list[np.ndarray] = []
    smallest, best, since = math.inf, over.k, 0
    for _ in range(ROUNDS):
        before = over.k.copy()
        change = perform(ROUND, t_new)
        if change < settled:
            return perform(JUDGE, t_new)
        if not math.isfinite(change):
            break
        since = 0 if change < 0.5 * smallest else since + 1
        if change < smallest:
            smallest, best = change, before
        if since > 3 and smallest < noise:
            # what is left is noise: the round with the least of it once more; errors that it explains are told by their sign
            over.k[:] = best
            perform(ROUND, t_new)
            error = perform(JUDGE, t_new)
            return error if error < 1.0 or error > max(smallest, 1.0) else -error
        tried, left = [*tried[-DEPTH:], over.k.copy()], [*left[-DEPTH:], over.k - before]
        if len(left) > 1:
            share = np.linalg.lstsq(np.diff(left, axis=0).T, left[-1], rcond=1e-10)[0]
            over.k[:] = tried[-1] - share @ np.diff(tried, axis=0)
    return math.inf


def length_of(run: _Run) -> float:
    """The length that is tried first: that of the last such step, or several of the longest of the last steps (those closest may have been cut)."""
    if run.over_length > 0.0:
        return float(run.over_length)
    last = np.concatenate([run.tail.t, run.kept.t[: run.now.next_step]])[-8:]
    longest = float(np.max(np.abs(np.diff(last)), initial=abs(run.now.h)))
    as_order_8 = longest * run.p.rtol ** (0.125 - 1.0 / run.method.order)
    return float(as_order_8 * min(6.0, max(1.5, -0.6 * math.log10(run.p.rtol))))


class _Place:
    """The state of the run now, and those before it that are at hand."""

    def __init__(self, run: _Run) -> None:
        self.run, now = run, run.now
        self.t, self.n = now.t, now.next_step
        self.F, self.jets = run.p.F.copy(), run.p.watch.jets0.copy()
        self.times = np.concatenate([run.tail.t, run.kept.t[: self.n]])
        self.y, self.angle, self.work = (
            run.mem.y.copy(),
            model_memory.angles(run.p.I, run.p.F).copy(),
            run.mem.work.copy(),
        )

    def go_back(self, t_cross: float, distance: float) -> None:
        """Make the last state at least so far before the moment the state of the run."""
        run, k = self.run, len(self.times) - 1
        # not beyond a change of laws or of the active rows, nor beyond another such position
        limits = run.segments[-1].t - run.clock, run.now.t_switched, run.over_t
        since = min(abs(t_cross - t) for t in limits if math.isfinite(t))
        while k > 0 and abs(t_cross - self.times[k]) < distance and abs(t_cross - self.times[k - 1]) <= since:
            k -= 1
        # its number in the buffer; those that were put away before stay where they are
        n = k - (len(self.times) - self.n)
        kept, at = (run.kept, n) if n >= 0 else (run.tail, k)
        self._set(kept.t[at], kept.y[at], kept.angle[at], kept.work[at], max(n + 1, 0))

    def leave(self, denied: int) -> None:
        """The state with which the run came, all of it to the last bit, and no step over the position."""
        run, now = self.run, self.run.now
        self._set(self.t, self.y, self.angle, self.work, self.n)
        run.p.F[:], run.p.watch.jets0[:] = self.F, self.jets
        now.denied, now.pivot_denied = denied, now.pivot

    def _set(self, t: float, y: np.ndarray, angle: np.ndarray, work: np.ndarray, n: int) -> None:
        run = self.run
        run.now.t, run.now.next_step = float(t), n
        run.mem.y[:], run.mem.work[:] = y, work
        model_memory.count_from(run.p.I, run.p.F, run.clock + t, angle)
