"""Steps of one length by discrete Hamilton's principle, as a run makes them (`stepping/variational.py`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .stepping.records import Held
from .stepping.variational import leap

# Suzuki's composition of a symmetric method of order 2 to order 4: no part is longer than 0.66 of the step
_PART = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
PARTS = {
    "variational": np.ones(1),
    "variational4": np.array([_PART, _PART, 1.0 - 4.0 * _PART, _PART, _PART]),
}
# what the audit of a run without error control goes by: it then allows a percent of the energy that moved
RTOL, ATOL = 1e-4, 1e-6


class Leap:
    """What such a run has besides the others: a second memory of the equations, and the state before a step."""

    def __init__(self, run: Any) -> None:
        p, mem = run.p, run.mem
        self.equations = run.equations._replace(F=p.F.copy())
        self.held = Held(np.zeros_like(mem.q), np.zeros_like(mem.v), np.zeros_like(mem.v))
        self.h = math.copysign(p.step, run.t1 - run.t0)

    def __call__(self, run: Any, budget: int) -> int:
        """A portion of steps."""
        twin = run.equations._replace(F=self.equations.F)
        return int(run.enter(leap, run.p.parts, run.kept, twin, self.held, run.t0, self.h, budget))
