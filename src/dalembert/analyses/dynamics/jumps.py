"""A driver or a constraint that changes its law during a run: nothing jumps, or velocities do, or the motion has no meaning.

position   the new law asks for another position at the same instant: refused, no finite force does that
velocity   a driver asks for another rate: an impulsive step, M (v+ - v-) + J^T L = 0, J v+ = nu+, with its account
a constraint asks for another direction (a corner): refused, what happens there is not part of the model
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...errors import ModelError
from ...kernels.operate import RATES, ROWS
from ...system.watch import Owner
from .dynamics import view
from .prepared import Prepared

# scaled residuals above which a law has jumped: far above the rounding of the projection, far below anything that is meant
JUMP = 1e-9


def after_switch(
    prepared: Prepared, asked: str, backward: bool
) -> Callable[[float, np.ndarray, np.ndarray, int], bool]:
    """What `integrate` calls when a driver or a row has changed its law: bring v onto the new one; return whether it jumped."""
    system, work = prepared.system, prepared.work

    def switched(t: float, q: np.ndarray, v: np.ndarray, number: int) -> bool:
        owner, here = prepared.owners[number], prepared.at(t, q, v)
        off = here.operate(ROWS)
        if not math.isfinite(off):
            return False  # a law that ends: the loop tells it by its first step
        if off > JUMP:
            raise jump_of_position(asked, owner, t, off * system.length)
        speed = max(1.0, float(np.max(np.abs(v), initial=0.0)) / system.length)
        if here.operate(RATES) <= JUMP * speed:
            return False
        if backward or not here.drives(owner):
            raise jump_of_velocity(asked, owner, t, backward)
        # a few roundings later, where the new law holds whoever asks
        there = view(system, t + 16.0 * math.ulp(max(abs(t), 1e-300)), q, v)
        there.work.angle[:], there.work.state[:] = work.angle, work.state
        there.detect(asked)
        blow = there.caught(f"jump of the rate of {owner.part!r}")
        v[:] = blow.after.v
        prepared.jumps.append((t, blow))
        return True

    return switched


def jump_of_position(asked: str, owner: Owner, t: float, size: float) -> ModelError:
    """A law that asks for another position at once."""
    what = "driver" if owner.role == "driver" else "constraint"
    return ModelError(
        asked,
        f"{what} {owner.part!r} jumps by {size:.6g} (m or rad) at t = {t:.9g} s",
        "no finite force moves bodies to another place in no time",
        "make it continuous: step(t, t0, 0, t1, 1) goes from 0 to 1 between t0 and t1",
    )


def jump_of_velocity(asked: str, owner: Owner, t: float, backward: bool) -> ModelError:
    """A corner that is no impulsive step."""
    if owner.role == "driver" and backward:
        why = "the rate jumps there; velocities before a blow do not follow from those after it"
        return ModelError(
            asked,
            f"driver {owner.part!r} has a corner at t = {t:.9g} s",
            why,
            "run forward, or make its rate continuous",
        )
    return ModelError(
        asked,
        f"constraint {owner.part!r} has a corner, reached at t = {t:.9g} s",
        "its direction jumps there, and what happens to the velocities is not part of the model",
        "make it smooth, sqrt(x**2 + e**2) for abs(x), or end the run before",
    )
