"""The equations as the time loop calls them: rates of the state, projection, counted angles, pivots."""

from __future__ import annotations

import math

from ...kernels.bodies import rate_of_q
from ...kernels.compiler import kernel
from ...kernels.friction import slipping
from ...kernels.hold import hold as onto_constraints
from ...kernels.hold import project_position, project_velocity
from ...kernels.layout import (
    ANGLE_AT,
    ANGLE_RATE,
    ANGLE_TIME,
    FORCE,
    FROZEN,
    N_ANGLES,
    N_DRIVERS,
    N_FREE,
    N_LAWS,
    N_ROWS,
    N_STATES,
    POWER,
    SIDE,
    STATE_AT,
    USED,
    VALUE,
    VHAT,
)
from ...kernels.operate import EVALUATE, PIVOT, POWERS, RATES, WATCH
from ...kernels.rows import row_dot
from ...kernels.through import call


@kernel
def evaluate(e, mode, t, q, v, z, a):
    """Accelerations a at (t, q, v, z) by a mode of `operate.py`: EVALUATE, ACCELERATE or POWERS.

    A law need not have a value beyond its switch: sqrt(max(0, x)) with its side held is sqrt(x).  Where accelerations have none, the sides are those of
    the state; the time loop cuts the step at the switch.
    """
    I, F = e.I, e.F
    for i in range(z.shape[0]):
        F[I[STATE_AT] + i] = z[i]
    evaluate_once(e, mode, t, q, v, a)
    sides = I[FROZEN] - I[SIDE]
    if sides == 0:
        return
    side, used = F[I[SIDE] : I[FROZEN]], F[I[USED] : I[USED] + sides]
    for k in range(sides):
        used[k] = side[k]
    if F[I[FROZEN]] != 0.0 and not has_values(I, F, mode, a):
        F[I[FROZEN]] = 0.0
        evaluate_once(e, mode, t, q, v, a)
        F[I[FROZEN]] = 1.0
        for k in range(sides):
            used[k], side[k] = side[k], used[k]


@kernel
def evaluate_once(e, mode, t, q, v, a):
    """The same with sides as they are held, and the auxiliary states at hand."""
    if e.S.shape[0] > 0:
        slipping(e.model, e.S, e.X, mode, e.I, e.P, e.F, e.t0 + t, q, v, a)
    else:
        call(e.model, mode, e.I, e.P, e.F, e.t0 + t, q, v, a, 0.0, 1)


@kernel
def has_values(I, F, mode, a):
    """Return True if accelerations and rates of auxiliary states, or powers, are numbers."""
    total = 0.0
    if mode == POWERS:
        for k in range(I[N_LAWS] + I[N_DRIVERS]):
            total += abs(F[I[POWER] + k])
        return total < math.inf
    for i in range(a.shape[0]):
        total += abs(a[i])
    for i in range(I[N_STATES]):
        total += abs(F[I[FORCE] + i])
    return total < math.inf


@kernel
def derivative(e, mode, t, q, v, z, k):
    """Rate of (q, v, z) into k; rates of auxiliary states are the first laws."""
    I, F, nq, last = e.I, e.F, q.shape[0], q.shape[0] + v.shape[0]
    rate_of_q(I, q, v, k[:nq])
    evaluate(e, mode, t, q, v, z, k[nq:last])
    for i in range(z.shape[0]):
        k[last + i] = F[I[FORCE] + i]


@kernel
def hold(e, t, q, v, delta, now):
    """Bring (q, v) onto the constraints, with the factor at hand; return False if that fails."""
    if not onto_constraints(e.rest, e.I, e.P, e.F, e.t0 + t, q, v, delta, now.tolerance, now.dropped < math.inf):
        return False
    if now.allowance > 1.0:
        to_last_bit(e, t, q, v, delta)
    return True


@kernel
def to_last_bit(e, t, q, v, delta):
    """Project (q, v) as exactly as numbers allow: near a singular position what is left of positions counts by 1/s^2 and 1/s^3."""
    project_position(e.rest, e.I, e.P, e.F, e.t0 + t, q, v, 0.0, 4, delta)
    project_velocity(e.rest, RATES, e.I, e.P, e.F, e.t0 + t, q, v, delta, 0.0, 3)


@kernel
def count_angles(e, t, q, v, at, rate):
    """Counted angles and their rates at the state whose body records are current; return the largest surprise."""
    I, F = e.I, e.F
    if I[N_ANGLES] == 0:
        return 0.0
    call(e.rest, WATCH, I, e.P, F, e.t0 + t, q, v, v, 0.0, 1)
    surprise = 0.0
    row = I[N_ROWS] + I[N_FREE]
    for k in range(I[N_ANGLES]):
        at[k] = F[I[VALUE] + row + k]
        rate[k] = row_dot(I, F, row + k, I[VHAT])
        predicted = F[I[ANGLE_AT] + k] + F[I[ANGLE_RATE] + k] * (e.t0 + t - F[I[ANGLE_TIME]])
        surprise = max(surprise, abs(at[k] - predicted))
    return surprise


@kernel
def keep_angles(e, t, at, rate):
    """Counted angles from which the next ones are predicted."""
    I, F = e.I, e.F
    for k in range(I[N_ANGLES]):
        F[I[ANGLE_AT] + k], F[I[ANGLE_RATE] + k] = at[k], rate[k]
    F[I[ANGLE_TIME]] = e.t0 + t


@kernel
def watch_pivots(e, q, v, now):
    """Decide whether stage points must be projected: near a position where rows lose their independence.

    There the smallest pivot falls like s^2, s the distance from the position.  A stage point that is off the constraints by e turns into
    an error of the acceleration of e/s^2, which no step size makes small; on the constraints everything is smooth.
    """
    now.pivot = call(e.rest, PIVOT, e.I, e.P, e.F, 0.0, q, v, v, 0.0, 1)
    now.largest_pivot = max(now.largest_pivot, now.pivot)
    now.careful = 1 if now.pivot < 0.05 * now.largest_pivot or (now.again > 1 and now.pivot < 0.05) else 0


@kernel
def stage(e, mode, t, q, v, z, k, delta, now):
    """Rate of (q, v, z) at a stage point into k; near a singular position at the point projected onto the constraints.

    Returns False if that fails.
    """
    good = True
    if now.careful:
        evaluate(e, EVALUATE, t, q, v, z, delta)
        good = hold(e, t, q, v, delta, now)
    derivative(e, mode, t, q, v, z, k)
    return good
