"""Steps of one length for many contacts, as a run makes them (`stepping/moreau.py`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import impulses, memory
from ..kernels.contact_points import BALLS, ON_I, ON_J, R_I, R_J, Points
from ..kernels.impulses import Problem
from .leap import ATOL, RTOL
from .stepping.contacts import LEFT
from .stepping.moreau import moreau
from .stepping.touching import DEEPEST_GAP, LOST, MOST_ROWS, SWEPT, TOLD, UNSOLVED, WORST, Touching

if TYPE_CHECKING:
    from .run import _Run

NAME = "moreau"
# loads of contacts at outputs for which there is room at the start
FIRST_LOADS = 1024


def in_steps_of(problem: Any, step: float, start: float, points: Points) -> None:
    """Let a problem be run in such steps, counted from the time `start`."""
    problem.steps_from, problem.step, problem.points, problem.native = start, step, points, None
    problem.rtol, problem.atol = RTOL, ATOL


@dataclass
class Found:
    """What contacts did in a run: loads at outputs, and how well the contact problem was solved."""

    load_of: np.ndarray  # (output, contact point) of each load
    load: np.ndarray  # mean force on j, its point, mean forces along its rows
    lost: float  # energy that contacts and friction took
    deepest: float  # largest overlap
    worst: float  # what was left of a contact problem at most, relative to the rates of its step
    unsolved: int  # steps in which that was more than `LEFT`
    steps: int
    sweeps: int
    rows: int

    def __str__(self) -> str:
        left = f"; more than {LEFT:g} was left in {self.unsolved} of {self.steps} steps" if self.unsolved else ""
        return (
            f"gaps overlap by {self.deepest:.1e} m at most; impulses solved to {self.worst:.1e} of the rates of their step{left}"
            f" ({self.sweeps} sweeps, {self.rows} rows at most); {self.lost:.6g} J taken by impacts and friction"
        )


class Moreau:
    """What such a run has besides the others: its contact problem, and what contacts remember."""

    def __init__(self, run: _Run) -> None:
        p, mem, points = run.p, run.mem, run.p.points
        self.points, self.h = points, math.copysign(p.step or math.inf, run.t1 - run.t0)
        n, nv = len(points.kind), len(mem.v)
        rows = int(np.sum(1 + points.tangents)) + 1
        width = 3 if len(mem.q) == nv else 6
        bodies = nv // width
        # rows of measures may act on all bodies, and so does the response of what has joints
        on = max(2, bodies) if points.measured else 2
        many = memory.sizes(p.I)
        moved = max(2, bodies) if many.rows else on
        small, components = min(rows, impulses.EXACT), len(points.entry0) - 1

        def ints(*size: int) -> np.ndarray:
            return np.zeros(size, dtype=np.int64)

        x = np.zeros
        self.problem = Problem(  # type: ignore[call-arg]
            ints(2), *(ints(n + 1) for _ in range(4)), x(n + 1), x(n + 1), ints(n + 1, 2), ints(n + 1), ints(n + 1),
            ints(rows), ints(rows, on), x((rows, on * width)), ints(rows), ints(rows, moved), x((rows, moved * width)),
            *(x(rows) for _ in range(9)), x(width * bodies), points.component0, x((components, 1 + rows)), x(6),
            x(small * small), x(small * small), x(small), ints(small), x(small),
        )  # fmt: skip
        self.touching = Touching(
            ints(n), ints(n), x((n, 3)), x(n), x(12), x((n + 1, 12)), x(many.rows), x(many.powers - many.laws), x(width * bodies), x(2 * width * bodies),
            ints(bodies), x(TOLD), ints(2), ints(FIRST_LOADS + 4 * n, 2), x((FIRST_LOADS + 4 * n, 10)), x(len(mem.q)), x(nv), x(len(mem.z)), x((n, 3)), x(TOLD),
            lever_of(points, p.length),
        )  # fmt: skip
        self.steps = 0

    def __call__(self, run: _Run, budget: int) -> int:
        """A portion of steps."""
        c = self.touching
        if c.many[1] + 4 * len(self.points.kind) > len(c.load):
            load_of, load = (np.concatenate([a, np.zeros_like(a)]) for a in (c.load_of, c.load))
            self.touching = c = c._replace(load_of=load_of, load=load)
        # after an exception in a law the run is where it was entered
        budget = budget if run.laws is None else 1
        status = int(run.enter(moreau, self.points, run.kept, c, self.problem, run.p.steps_from, self.h, budget))
        if run.laws is not None and run.laws.raised is not None:
            raise run.laws.raised
        self.steps = run.now.steps
        return status

    def found(self) -> Found:
        """What came out."""
        c, told, n = self.touching, self.touching.told, int(self.touching.many[1])
        return Found(
            c.load_of[:n].copy(), c.load[:n].copy(), float(told[LOST]), abs(float(told[DEEPEST_GAP])), float(told[WORST]), int(told[UNSOLVED]),
            self.steps, int(told[SWEPT]), int(told[MOST_ROWS]),
        )  # fmt: skip


def lever_of(points: Points, length: float) -> float:
    """Largest distance of a point that may touch from its mass centre; of planes on bodies that turn, the length of the model."""
    x = points.number
    carried = length * float(np.any((points.kind < BALLS) & (points.body[:, 0] < len(points.jointed) - 1)))
    on_i, on_j = (np.linalg.norm(x[:, k : k + 3], axis=1) for k in (ON_I, ON_J))
    return float(max(carried, (on_i + x[:, R_I]).max(initial=0.0), (on_j + x[:, R_J]).max(initial=0.0)))
