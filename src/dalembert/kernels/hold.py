"""Projection onto the constraints: steps of `project.py`, repeated until the residuals are at round-off.

The factor may belong to a nearby configuration: a correction is then a simplified Newton step, and the residual, which is always
evaluated afresh, decides when to stop.  The equations are called through their address (`through.py`).
"""

from __future__ import annotations

import math

from .compiler import entry, kernel
from .layout import N_ROWS
from .operate import ARRIVE, EVALUATE, RATES, RATES_NOW, ROWS, SPEED, STEP_POSITION, STEP_VELOCITY
from .through import call

POSITION = 0  # project positions, at most `times` steps
VELOCITY = 1  # project velocities
BOTH = 2  # bring (q, v) onto the constraints; `times`: 1 where rows are left out; returns 1, or 0 if that fails


@kernel
def repeat(model, look, again, step, I, P, F, t, q, v, delta, tolerance, limit):
    """Steps of a projection until the residual is at the tolerance; return the last one.

    Residuals are those of the mode `look` at first and of `again` after a step.
    """
    before, worst = math.inf, 0.0
    for _ in range(limit):
        worst = call(model, look, I, P, F, t, q, v, delta, 0.0, 1)
        look = again
        # at the tolerance; or the last correction hardly helped: the factor is too old, and the caller renews it
        if not worst > tolerance or worst > 0.5 * before:
            break
        before = worst
        call(model, step, I, P, F, t, q, v, delta, 0.0, 1)
    return worst


@kernel
def project_position(model, I, P, F, t, q, v, tolerance, limit, delta):
    """Correct q in place; return the last residual of kept rows."""
    return repeat(model, ROWS, ROWS, STEP_POSITION, I, P, F, t, q, v, delta, tolerance, limit)


@kernel
def project_velocity(model, look, I, P, F, t, q, v, delta, tolerance, limit):
    """Correct v in place; return the last residual.  `look`: RATES_NOW where the rows are current, else RATES."""
    return repeat(model, look, RATES_NOW, STEP_VELOCITY, I, P, F, t, q, v, delta, tolerance, limit)


@kernel
def hold(model, I, P, F, t, q, v, delta, tolerance, left_out):
    """Bring (q, v) onto the constraints; return False if that fails.

    The factor at hand may belong to another configuration; far from it the simplified Newton method is slow, and the factor is renewed.
    """
    # far from the origin rows cannot be satisfied better than coordinates are rounded
    rounded = call(model, ARRIVE, I, P, F, t, q, v, delta, 0.0, 1)
    if I[N_ROWS] == 0:
        return True
    # rows left out see what is left of the others magnified, so with such rows as little as possible is left
    aim = 0.01 * tolerance if left_out else tolerance
    limit = max(tolerance, rounded)
    worst = project_position(model, I, P, F, t, q, v, max(aim, rounded), 4, delta)
    for _ in range(3):
        if worst <= limit:
            break
        call(model, EVALUATE, I, P, F, t, q, v, delta, 0.0, 1)
        worst = project_position(model, I, P, F, t, q, v, limit, 8, delta)
    if not worst <= 10.0 * limit:
        return False
    # rows are current at the projected position; velocities of the records were those before it
    size = call(model, SPEED, I, P, F, t, q, v, delta, 0.0, 1)
    fast = project_velocity(model, RATES_NOW, I, P, F, t, q, v, delta, aim * size, 4)
    for _ in range(2):
        if fast <= tolerance * size:
            break
        call(model, EVALUATE, I, P, F, t, q, v, delta, 0.0, 1)
        fast = project_velocity(model, RATES_NOW, I, P, F, t, q, v, delta, tolerance * size, 8)
    return fast <= 10.0 * tolerance * size


@entry
def project(model, what, I, P, F, t: float, q, v, delta, tolerance: float, times):
    """One projection, for Python; `model` is the address of the equations."""
    if what == POSITION:
        return project_position(model, I, P, F, t, q, v, tolerance, times, delta)
    if what == VELOCITY:
        return project_velocity(model, RATES, I, P, F, t, q, v, delta, tolerance, times)
    return 1.0 if hold(model, I, P, F, t, q, v, delta, tolerance, times) else 0.0
