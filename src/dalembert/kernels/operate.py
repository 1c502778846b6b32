"""The one entry to the equations of a mechanism: evaluate, rows, steps of projections, detection of dependent rows.

Python calls it for single evaluations, the time loop through its address (`through.py`).  One entry with a mode, because every entry compiles
the whole evaluation once more.  Modes have no loops or branches that depend on values: each but OUTPUTS can be traced (`system/trace`).
"""

from __future__ import annotations

from . import project
from .blocks import eliminate, factor, form
from .bodies import normalize
from .compiler import kernel, plane_or_space
from .evaluate import all_rows, clear_block, evaluate, inputs, poses, resolve, rows_only
from .laws import laws
from .layout import (
    ACC,
    BIAS,
    BLOCK,
    BLOCK_SIZE,
    COUPLING_SIZE,
    DRIVE,
    FLOOR,
    ITEM0,
    LAM,
    N_BLOCKS,
    PLANE,
    REDUNDANT,
    SADDLE,
    Y,
)
from .outputs import outputs
from .residual import residual
from .rows import items
from .saddle import saddle_detect
from .scalar import choose, is_off

EVALUATE = 0  # accelerations and multipliers, `times` times
ROWS = 1  # all rows; returns the largest scaled |phi|; y = phi
RATES = 2  # all rows; returns the largest scaled |J v - nu|; y = J v - nu
RATES_NOW = 3  # J v - nu of the rows and scaled velocities at hand
ACCELERATE = 4  # accelerations, and rates of auxiliary states; all else is left undefined
SOLVE = 5  # scaled -M^-1 J^T S^-1 y with the factor at hand
DETECT = 6  # rows at (t, q), then mark dependent rows in FLOOR; tolerance is the relative threshold
INPUTS = 7  # bodies and free rows only: what Python laws need
FORCES = 8  # bodies, free rows, laws and all rows: ACC holds scaled forces, not yet accelerations
WATCH = 9  # watched rows; the body records must be current
PIVOT = 10  # smallest pivot of the factor at hand, against its row
RESIDUAL = 11  # residuals of the equations for given accelerations and multipliers, see residual.py; `a` is longer
STEP_POSITION = 12  # one correction of q for the phi in y, with the factor at hand
STEP_VELOCITY = 13  # one correction of v for the J v - nu in y
ARRIVE = 14  # quaternions to unit length; returns what rounding of the coordinates leaves of a row
SPEED = 15  # returns the size of velocities against which their residual is judged
POWERS = 16  # bodies, free rows and laws: their powers, without solving
SLOPES = 18  # slopes of laws in Python by value and rate, into `a` (answered by Python only, see solve/run.py)
MOMENTA = 19  # of a Lagrangian system: p and what changes it (for steps by discrete Hamilton's principle, never traced)
OUTPUTS = 17  # look at `times` outputs at once, see outputs.py; `a` is longer (for Python only, never traced)


@kernel
def detect(I, P, F, threshold):
    """Range-space factorization that marks dependent rows: pivot <= threshold * (original diagonal entry).

    Kept rows get a floor far below anything but an exact zero; rows that are switched off stay so.
    """
    width = 3 if I[PLANE] else 6
    y, lam, floor = I[Y], I[LAM], I[FLOOR]
    for k in range(I[N_BLOCKS]):
        o = I[BLOCK] + BLOCK_SIZE * k
        n, r, do = I[o], I[o + 1], I[o + 3]
        if is_off(F[floor + r]):
            clear_block(I, F, k)
            continue
        _form(
            n, width, I, F, I[o + 4], I[o + 4 + BLOCK_SIZE], I[ACC], I[o + 2], do, y + r, I[BIAS] + r, I[DRIVE] + 3 * r
        )
        for a in range(n):
            F[floor + r + a] = threshold * F[do + a * (a + 1) // 2 + a]
        for e in range(I[o + 6], I[o + 6 + BLOCK_SIZE], COUPLING_SIZE):
            _eliminate(
                n, I[e], width, I, F, I[e + 2], I[e + 2 + COUPLING_SIZE], I[e + 3], I[e + 3 + COUPLING_SIZE],
                I[e + 1], do, I[e + 4], y + r, I[e + 5],
            )  # fmt: skip
        _factor(n, F, do, floor + r, y + r, lam + r)
        for a in range(n):
            kept = F[floor + r + a] * (1e-15 / threshold)
            F[floor + r + a] = choose(F[do + a * (a + 1) // 2 + a], kept, REDUNDANT)


_form, _eliminate, _factor = kernel(form), kernel(eliminate), kernel(factor)


@plane_or_space
def operate(mode, I, P, F, t: float, q, v, a, tolerance: float, times):
    """One operation on a system; see the modes above.  `a` receives accelerations or serves as scratch."""
    if mode in (EVALUATE, ACCELERATE):
        for _ in range(times):
            evaluate(I, P, F, t, q, v, a)
        return 0.0
    if mode == ROWS:
        rows_only(I, P, F, t, q, v)
        return project.position_residual(I, P, F)[0]
    if mode == RATES:
        rows_only(I, P, F, t, q, v)
        return project.velocity_residual(I, P, F)
    if mode == RATES_NOW:
        return project.velocity_residual(I, P, F)
    if mode == STEP_POSITION:
        project.step_position(I, P, F, q, a)
        return 0.0
    if mode == STEP_VELOCITY:
        project.step_velocity(I, P, F, v, a)
        return 0.0
    if mode == ARRIVE:
        normalize(I, q)
        return project.rounding(I, P, F, q)
    if mode == SPEED:
        return project.velocity_scale(I, P, v)
    if mode == OUTPUTS:
        outputs(I, P, F, q, v, a, tolerance, times)
        return 0.0
    if mode == SOLVE:
        resolve(I, P, F)
        return 0.0
    if mode == PIVOT:
        return project.smallest_pivot(I, F)
    if mode == DETECT:
        rows_only(I, P, F, t, q, v)
        if I[SADDLE]:
            saddle_detect(I, P, F, tolerance)
        else:
            detect(I, P, F, tolerance)
        return 0.0
    first = I[ITEM0] + I[N_BLOCKS]
    if mode == WATCH:
        items(I, P, F, t, q, I[first + 1], I[first + 2], True)
        return 0.0
    poses(I, P, F, q, v)
    inputs(I, P, F, t, q, True)
    if mode == INPUTS:
        return 0.0
    laws(I, P, F, t)
    if mode == POWERS:
        return 0.0
    all_rows(I, P, F, t, q, True)
    if mode == RESIDUAL:
        residual(I, P, F, v, a)
    return 0.0
