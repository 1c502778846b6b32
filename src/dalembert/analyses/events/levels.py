"""What is watched, at a state: its value against 0, its rate, and what rounding leaves of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ExpressionError
from ...kernels.watch import EVENT, EVENT_ATOL, EVENT_RTOL, IS_SIDE, MULTIPLIER, Watch, read_scalars
from ...solve.problem import evaluate_at

if TYPE_CHECKING:
    from ...model.expression import Expr
    from ...solve.problem import Problem


# of what an event may be off by, how many times the time loop takes for its limit (`kernels/watch.py`), and how many times still counts as being there
LIMIT, NEAR = 20.0, 50.0


@dataclass(frozen=True)
class Level:
    """An event at a state: its number in the watch, value, rate, and the size below which it counts as zero."""

    number: int
    name: str
    value: float
    rate: float
    near: float

    @property
    def side(self) -> float:
        """The side it is on, or goes to."""
        decides = self.value if abs(self.value) > self.near else self.rate
        return -1.0 if decides < 0.0 else 1.0


def levels(problem: Problem, owners: list[Any], t: float, q: np.ndarray, v: np.ndarray) -> list[Level]:
    """All events and stops that a run watches, at a state."""
    w, a = problem.watch, np.zeros(len(v))
    if not np.any(w.kind == EVENT):
        return []
    evaluate_at(problem, t, q, v, a)
    jets = np.zeros((len(w.scalar), 3))
    read_scalars(problem.I, problem.F, w, q, v, a, jets, 0)
    place = {int(s): k for k, s in enumerate(w.scalar)}
    found = []
    for n in np.flatnonzero((w.kind == EVENT) & (w.active[: len(w.kind)] != 0)):
        owner = owners[int(w.owner[n])]
        gap = owner.held[0].gap
        # of times that count from the clock of the run
        late = 1e-15 * abs(t - w.clock[0])
        values, rates, wide = {"t": t}, {"t": 1.0}, {"t": 1e-15 * abs(t)}
        for name, (scalar, rate) in zip(owner.inputs[1:], owner.sources):
            if name in gap.names:
                jet = jets[place[scalar]]
                values[name], rates[name] = float(jet[rate]), float(jet[rate + 1])
                wide[name] = (
                    EVENT_RTOL * abs(jet[rate]) + EVENT_ATOL * w.scale[place[scalar]] + late * abs(jet[rate + 1])
                )
        slopes = {name: _slope(gap, name, values) for name in gap.names}
        rate = sum(slopes[name] * rates[name] for name in slopes)
        near = NEAR * sum(abs(slopes[name]) * wide[name] for name in slopes)
        found.append(Level(int(n), owner.part, gap.evaluate(values), float(rate), float(near)))
    return found


def forces_in(w: Watch, number: int) -> list[int]:
    """Scalars of an event that are loads or multipliers at work."""
    some = w.input[w.input0[number] : w.input0[number + 1]]
    forces = [int(k) for kind, k in some if kind != IS_SIDE and w.rate_only[k] >= MULTIPLIER]
    return [k for k in forces if w.rate_only[k] == MULTIPLIER or w.load0[k + 1] > w.load0[k]]


def widen(w: Watch, level: Level, value: float) -> None:
    """Let an event be at its limit where it is off by a value: its inputs count in coarser units."""
    inputs = w.input[w.input0[level.number] : w.input0[level.number + 1]]
    own = inputs[inputs[:, 0] != IS_SIDE, 1]
    w.scale[own] *= max(1.0, 2.0 * value * NEAR / (LIMIT * max(level.near, 1e-300)))


@lru_cache(maxsize=4096)
def _derivative(gap: Expr, name: str) -> Expr:
    return gap.diff(name)


def _slope(gap: Expr, name: str, values: dict[str, float]) -> float:
    """Derivative of a gap; 0 where it has none, as the length of a vector at 0."""
    try:
        return float(_derivative(gap, name).evaluate(values))
    except ExpressionError:
        return 0.0
