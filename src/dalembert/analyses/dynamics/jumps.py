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
from ...kernels import memory
from ...kernels.operate import RATES, ROWS
from ...system.watch import Owner
from .dynamics import Dynamics, view
from .prepared import Prepared

# scaled residuals above which a law has jumped: far above the rounding of the projection, far below anything that is meant
JUMP = 1e-9
# times before and after a switch at which sides are read, in times in which the motion changes: beyond the rounding of what switches
BESIDE = (1e-9, 1e-11, 1e-13)


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
        speed = max(1.0, float(np.max(np.abs(v), initial=0.0)) / system.length)
        if off <= JUMP and here.operate(RATES) <= JUMP * speed:
            return False
        if not _pass_together(here, owner, -1.0 if backward else 1.0, speed) and off > JUMP:
            raise jump_of_position(asked, owner, t, off * system.length)
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


def _pass_together(here: Dynamics, owner: Owner, forward: float, speed: float) -> bool:
    """Put all switches of a law that the motion passes at this instant on their new sides, if its positions go on with them; return whether they do.

    Switches are located one by one, and between two of them a law may jump: a count of turns, and the angle in its turn.
    """
    I, F, own = here.system.I, here.work.F, list(owner.numbers)  # noqa: E741
    sides, held = memory.sides(I, F), memory.sides(I, F).copy()
    for part in BESIDE:
        later = forward * (part / speed + 16.0 * math.ulp(max(abs(here.t), 1e-300)))
        memory.hold_sides(I, F, False)
        found = []
        for dt in (-later, later):
            view(here.system, here.t + dt, here.shifted(dt * here.v), here.v, here.work).operate(ROWS)
            found.append(sides[own].copy())
        memory.hold_sides(I, F, True)
        sides[:] = held
        if not np.array_equal(found[0], found[1]):
            sides[own] = found[1]
            if here.operate(ROWS) <= JUMP:
                return True
            sides[:] = held
    here.operate(ROWS)
    return False


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
