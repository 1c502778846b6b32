"""Singular positions that a run goes through: whether the motion goes on there, and what is said of it.

Where rows lose their independence in one position only, motions meet.  The run goes on along the one that it came by, whose velocity is
continuous.  Where dimensions miss the position by a little (a parallelogram with unequal sides), motions do not meet: they turn into each other nearby, and no
step goes over that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.hold import POSITION
from ...solve.over import Crossing
from .dynamics import view
from .prepared import Prepared

# scaled misfit of the rows in the position, up to which motions meet there: dimensions given to ten digits or more
MEETING = 1e-10


def going_through(prepared: Prepared, asked: str) -> Callable[[Crossing], bool]:
    """What the loop asks before a step over a singular position: whether it is one, and motions meet in it."""

    def crossed(crossing: Crossing) -> bool:
        q, v, z = prepared.system.parts_of(crossing.y)
        here = view(prepared.system, crossing.t, q, v)
        here.work.angle[:], here.work.state[:] = prepared.work.angle, z
        here.detect(asked)
        lost = [int(r) for r in np.flatnonzero(here.dropped) if int(r) not in prepared.dropped]
        if not lost:
            return False
        here._project(POSITION, 1e-15, 8)
        misfit = float(np.max(np.abs(here.phi[lost]) * here.scale[lost]))
        if not misfit <= MEETING + 10.0 * here.rounding:
            return False
        prepared.crossings.append(crossing)
        return True

    return crossed
