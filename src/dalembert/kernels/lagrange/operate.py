"""The entry to the equations of Lagrangian systems, with the modes of mechanisms."""

from __future__ import annotations

from ..compiler import entry
from ..operate import (
    ACCELERATE,
    ARRIVE,
    EVALUATE,
    MOMENTA,
    PIVOT,
    POWERS,
    RATES,
    RATES_NOW,
    ROWS,
    SOLVE,
    SPEED,
    STEP_POSITION,
    STEP_VELOCITY,
)
from ..project import position_residual
from .equations import (
    evaluate,
    perform,
    resolve,
    rounding,
    rows_only,
    smallest_pivot,
    step_position,
    step_velocity,
    velocity_residual,
    velocity_scale,
)
from .layout import MOMENTA_PROGRAM


@entry
def operate(mode, I, P, F, t: float, q, v, a, tolerance: float, times):
    """One operation on a system; the modes are those of mechanisms."""
    if mode in (EVALUATE, ACCELERATE, POWERS):
        for _ in range(times):
            evaluate(I, P, F, t, q, v, a)
        return 0.0
    if mode == ROWS:
        rows_only(I, P, F, t, q, v)
        return position_residual(I, P, F)[0]
    if mode == RATES:
        rows_only(I, P, F, t, q, v)
        return velocity_residual(I, P, F)
    if mode == RATES_NOW:
        return velocity_residual(I, P, F)
    if mode == STEP_POSITION:
        step_position(I, P, F, q)
        return 0.0
    if mode == STEP_VELOCITY:
        step_velocity(I, P, F, v)
        return 0.0
    if mode == ARRIVE:
        return rounding(I, P, F, q)
    if mode == SPEED:
        return velocity_scale(I, P, v)
    if mode == SOLVE:
        resolve(I, P, F)
        return 0.0
    if mode == MOMENTA:
        perform(I, P, F, I[MOMENTA_PROGRAM], t, q, v)
        return 0.0
    return smallest_pivot(I, F) if mode == PIVOT else 0.0
