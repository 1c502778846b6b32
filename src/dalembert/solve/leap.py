"""Steps of one length by discrete Hamilton's principle, as a run makes them (`stepping/leaps.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import memory
from ..kernels.lagrange.operate import operate
from ..kernels.through import Callback, address_of, is_compiled
from ..kernels.watch import EVENT, only_events
from .stepping.leaps import leap
from .stepping.records import Held

if TYPE_CHECKING:
    from .run import _Run


# Suzuki's composition of a symmetric method of order 2 to order 4: no part is longer than 0.66 of the step
_PART = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
PARTS = {"variational": np.ones(1), "variational4": np.array([_PART, _PART, 1.0 - 4.0 * _PART, _PART, _PART])}
# what the audit of a run without error control goes by: it then allows a percent of the energy that moved
RTOL, ATOL = 1e-4, 1e-6


def in_equal_steps(problem: Any, step: float, start: float) -> None:
    """Let a problem be run in such steps, counted from the time `start`."""
    problem.steps_from = start
    problem.step, problem.parts, problem.rtol, problem.atol = step, PARTS[problem.method.name], RTOL, ATOL


class Leap:
    """What such a run has besides the others: a second memory of the equations, and the state before a step."""

    def __init__(self, run: Any, with_laws: Callable[[Any], Any]) -> None:
        p, mem = run.p, run.mem
        self.F = p.F.copy()
        # laws in Python know one memory each
        self.laws = with_laws(replace(p, F=self.F)) if isinstance(run.laws, Callback) else None
        sizes = len(mem.q), *(5 * [len(mem.v)]), memory.sizes(p.I).rows, *(4 * [len(mem.z)])
        self.held = Held._make(np.zeros(size) for size in sizes)
        self.h, self.counted = math.copysign(p.step, run.t1 - run.t0), 0
        self.start = p.steps_from
        # laws change where they change: no step ends there
        self.watch = only_events(p.watch)
        self.watching = int(np.any(p.watch.kind == EVENT))

    def __call__(self, run: _Run, budget: int) -> int:
        """A portion of steps."""
        self.F[:] = run.p.F  # rows that are left out change between two portions
        if not run.now.cut:
            # steps before this one; a piece of one that is shorter than a thousandth goes with the next
            self.counted = run.now.steps - math.floor((run.now.t - self.start) / self.h + 1e-3)
        twin = run.equations._replace(F=self.F)
        if self.laws is not None:
            twin = twin._replace(model=self.laws.address)
        if run.p.operate is operate and is_compiled(operate):
            # momenta are asked of the kernels: machine code of a structure has none
            twin = twin._replace(rest=address_of(operate, run.p.I))
        more = self.watch, twin, self.held, self.watching, self.start, self.counted, self.h
        # after an exception in a law the run is where it was entered
        budget = budget if run.laws is None else 1
        status = int(run.enter(leap, run.p.parts, run.kept, *more, budget))
        if self.laws is not None and self.laws.raised is not None:
            raise self.laws.raised
        return status
