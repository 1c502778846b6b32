"""Singular positions that a run goes through: whether the motion goes on there, and what is said of it.

Where rows lose their independence in one position only, motions meet.  The run goes on along the one that it came by, whose velocity is
continuous.  Where dimensions miss the position by a little (a parallelogram with unequal sides), motions do not meet: they turn into each other nearby, and no
step goes over that.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.hold import POSITION
from ...kernels.row_status import OFF
from ...results.passed import Passed
from ...solve.over import Crossing, Verdict
from ...state import State
from ...system.subspaces import INDEPENDENT, factor, unit_rows
from .dynamics import Dynamics, view
from .prepared import Prepared

# scaled misfit of the rows in the position, up to which motions meet there: dimensions given to ten digits or more; a run that has gone through one, or past one, goes on
# so with misfits as many times larger or smaller
MEETING, ALIKE = 1e-10, 10.0
# the same up to which they nearly meet: steps of loose tolerances changed from one to the other up to 3e-8 (docs/trust.md), with a margin
NEARLY = 1e-6
# rows of a model whose dependence is looked at, and of one whose other motions are listed
SMALL, SMALLEST = 400, 60


class Positions:
    """What the loop asks before a step over a singular position."""

    def __init__(self, prepared: Prepared, asked: str) -> None:
        self.prepared, self.asked = prepared, asked
        self.known: dict[
            tuple[int, ...], tuple[str, ...]
        ] = {}  # parts of positions that are missed, by the rows that are lost

    def look(self, crossing: Crossing) -> tuple[Dynamics, list[int], float]:
        """The model in the position, the rows that are lost there, and their misfit; NaN where there are none: only the rows that were chosen lose their independence."""
        prepared = self.prepared
        q, v, z = prepared.system.parts_of(crossing.y)
        here = view(prepared.system, crossing.t, q, v)
        here.work.angle[:], here.work.state[:] = prepared.work.angle, z
        here.work.floor[:] = np.where(prepared.work.floor == OFF, OFF, 0.0)
        here.detect(self.asked)
        dropped = np.flatnonzero(here.dropped)
        if len(dropped) <= len(prepared.dropped):
            return here, [], math.nan
        lost = [int(r) for r in dropped if int(r) not in prepared.dropped]
        here.project(POSITION, 1e-15, 8)
        return here, lost, float(np.max(np.abs(here.phi[lost]) * here.scale[lost]))

    def misfit(self, crossing: Crossing) -> float:
        """By how much dimensions miss the position, relative to the model."""
        return self.look(crossing)[2]

    def __call__(self, crossing: Crossing) -> Verdict:
        """Whether it is such a position, and motions meet in it."""
        prepared = self.prepared
        here, lost, misfit = self.look(crossing)
        if not lost:
            return Verdict.NO_POSITION
        alike = ALIKE if prepared.crossings else 1.0 / ALIKE if prepared.missed else 1.0
        if not misfit <= MEETING * alike + 10.0 * here.rounding:
            if misfit < NEARLY:
                rows = tuple(lost)
                if rows not in self.known:
                    self.known[rows] = taking_part(here, lost)
                prepared.missed.append(Passed(crossing.t, 0.0, misfit * prepared.system.length, self.known[rows]))
            return Verdict.MISSED
        if misfit < crossing.misfit:
            return Verdict.UNEXPLAINED
        first = not prepared.crossings
        parts = taking_part(here, lost) if first else ()
        motions = meeting(prepared, here) if first else ""
        prepared.crossings.append(Passed(crossing.t, crossing.zone, misfit * prepared.system.length, parts, motions))
        return Verdict.MEETING


def taking_part(here: Dynamics, lost: list[int]) -> tuple[str, ...]:
    """Names of the parts whose rows depend on each other there."""
    names = here.system.row_parts
    if here.system.n_rows > SMALL:
        return tuple(dict.fromkeys(names[r] for r in lost))
    left = factor(unit_rows(here.dense_jac)[0], INDEPENDENT).left
    return tuple(dict.fromkeys(name for name, x in zip(names, np.abs(left).max(axis=1, initial=0.0)) if x > 1e-4))


def meeting(prepared: Prepared, here: Dynamics) -> str:
    """The motions that meet there, by the spins of the bodies, where there are two freedoms; else nothing."""
    from ..pose.leaving import Crossing as Branches
    from ..pose.leaving import listed

    system = prepared.system
    if not system.body_names or system.n_rows > SMALLEST:
        return ""
    state = State(here.t, here.q, here.v, here.work.angle.copy())
    dropped = [int(r) for r in np.flatnonzero(here.dropped)]
    branches = Branches(Prepared(system, here.work, state, dropped))
    # where the position is not known well enough, not even the motion of the run is found
    return "" if branches.bent(here.v) else listed(branches, here.v).removeprefix(": ")
