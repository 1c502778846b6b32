"""The entry to the equations of Lagrangian systems, with the modes of mechanisms."""

from __future__ import annotations

from .. import operate as modes
from ..compiler import entry
from ..project import position_residual
from . import equations
from .layout import MOMENTA_PROGRAM


@entry
def operate(mode, I, P, F, t: float, q, v, a, tolerance: float, times):
    """One operation on a system; the modes are those of mechanisms."""
    if mode in (modes.EVALUATE, modes.ACCELERATE, modes.POWERS):
        for _ in range(times):
            equations.evaluate(I, P, F, t, q, v, a)
        return 0.0
    if mode == modes.ROWS:
        equations.rows_only(I, P, F, t, q, v)
        return position_residual(I, P, F)[0]
    if mode == modes.RATES:
        equations.rows_only(I, P, F, t, q, v)
        return equations.velocity_residual(I, P, F)
    if mode == modes.RATES_NOW:
        return equations.velocity_residual(I, P, F)
    if mode == modes.STEP_POSITION:
        equations.step_position(I, P, F, q)
        return 0.0
    if mode == modes.STEP_VELOCITY:
        equations.step_velocity(I, P, F, v)
        return 0.0
    if mode == modes.ARRIVE:
        return equations.rounding(I, P, F, q)
    if mode == modes.SPEED:
        return equations.velocity_scale(I, P, v)
    if mode == modes.SOLVE:
        equations.resolve(I, P, F)
        return 0.0
    if mode == modes.MOMENTA:
        equations.perform(I, P, F, I[MOMENTA_PROGRAM], t, q, v)
        return 0.0
    return equations.smallest_pivot(I, F) if mode == modes.PIVOT else 0.0
