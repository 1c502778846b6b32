"""Parts of a run with the same active rows.

Rows that depend on others are left out, and which ones may change as a mechanism moves.  Multipliers are those of the rows that are active, so
everything that is asked of a run afterwards has to be computed with the rows of its time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .problem import Problem


@dataclass(frozen=True)
class Segment:
    """From a time on: floors of the pivots (infinite for rows left out), and the residual of rows left out that is normal."""

    t: float
    floor: np.ndarray
    dropped: float


@contextlib.contextmanager
def rows_of(problem: Problem, segments: Sequence[Segment], t: float, onward: bool = False) -> Iterator[None]:
    """Have the rows active that were so at a time (`onward`: from it on), while this lasts; without segments, those at hand."""
    if len(segments) < 2:
        yield
        return
    forward = 1.0 if segments[-1].t >= segments[0].t else -1.0
    begun = [s for s in segments if (forward * (t - s.t) >= 0.0 if onward else forward * (t - s.t) > 0.0)]
    one = begun[-1] if begun else segments[0]
    before, dropped = problem.floor.copy(), problem.dropped
    problem.floor[:], problem.dropped = one.floor, one.dropped
    try:
        yield
    finally:
        problem.floor[:], problem.dropped = before, dropped
