"""Parts of a run with the same mode: rows that are held, and friction that slips.

Rows that depend on others are left out, and which ones may change as a mechanism moves; rows of gaps and of friction are held or off.  Multipliers are those of the rows that are
held, so everything that is asked of a run afterwards has to be computed with the mode of its time.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .problem import Problem


@dataclass(frozen=True)
class Segment:
    """From a time on: status of the rows (`kernels/layout.py`), the residual of redundant rows that is normal, which way friction slips (0: not at all), and the situation of the model that this is."""

    t: float
    floor: np.ndarray
    dropped: float
    slips: tuple[int, ...] = ()
    situation: Any = None

    @classmethod
    def now(cls, problem: Problem, t: float) -> Segment:
        """The mode at hand."""
        return cls(t, problem.floor.copy(), problem.dropped, () if problem.friction is None else problem.friction.slips)

    def put(self, problem: Problem) -> None:
        """Have this mode."""
        problem.floor[:], problem.dropped = self.floor, self.dropped
        if problem.friction is not None:
            problem.friction.slips = self.slips


def segment_at(segments: Sequence[Segment], t: float, onward: bool = False) -> Segment:
    """The segment of a time; `onward`: the one that begins there."""
    forward = 1.0 if segments[-1].t >= segments[0].t else -1.0
    count = (bisect_right if onward else bisect_left)(segments, forward * t, key=lambda s: forward * s.t)
    return segments[max(count - 1, 0)]


@contextlib.contextmanager
def rows_of(problem: Problem, segments: Sequence[Segment], t: float, onward: bool = False) -> Iterator[None]:
    """Have the mode of a time (`onward`: from it on), while this lasts; without segments, that at hand."""
    if len(segments) < 2:
        yield
        return
    before = Segment.now(problem, t)
    segment_at(segments, t, onward).put(problem)
    try:
        yield
    finally:
        before.put(problem)
