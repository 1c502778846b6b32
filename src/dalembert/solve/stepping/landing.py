"""The end of a step that was made to end at an event, moved along the motion until the event is there as well as numbers allow.

A step that ends near an event is not made again for the last digits: its end is moved by Newton's method, with a step of Heun's method of the length that is missing.  Its error, of
third order in a length that is a small part of the step, stays far below that of the step.
"""

from __future__ import annotations

import math

from ...kernels import watch
from ...kernels.compiler import kernel
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import N_ANGLES, N_DRIVERS, N_LAWS
from ...kernels.operate import EVALUATE
from .equations import count_angles, derivative, hold

# how far an end is moved at most, as a part of the step; the error of that, in units of the tolerance
FAR, ERROR = 0.05, 0.01
# moves; part of what an event may be missed by at which it is there; part of the step below which Euler's method is as good
MOVES, THERE, SHORT = 6, 0.04, 1e-6
# what is left of the distance after a move, at most
SHRINKS = 0.1
# part of a step over which the first rate of what is watched is taken
ASIDE = 1e-4


@kernel
def is_near(now, mem, o, h, missing):
    """Return True if an end may be moved by a time that is missing; rates at the end of the step stand at o."""
    if not abs(missing) <= FAR * abs(h):
        return False
    part = abs(missing / h) ** 3 * abs(h) / 12.0
    for i in range(mem.y.shape[0]):
        weight = now.atol * abs(mem.scale[i]) + now.rtol * abs(mem.new_y[i])
        if part * abs(mem.K[o + i] - mem.K[i]) > ERROR * weight:
            return False
    return True


@kernel
def move_end(e, now, mem, o, t_new, missing, h):
    """Move the end of the step from t_new by a time that is missing; return False where it cannot be held on the constraints."""
    I, n, m = e.I, mem.y.shape[0], e.I[N_LAWS] + e.I[N_DRIVERS]
    rate = mem.K[o : o + n]
    for i in range(n):
        mem.error[i] = mem.new_y[i]
        mem.error_low[i] = rate[i]
        mem.new_y[i] += missing * rate[i]
    if abs(missing) > SHORT * abs(h):
        derivative(e, EVALUATE, t_new + missing, mem.new_q, mem.new_v, mem.new_z, rate)
        now.evaluations += 1
        for i in range(n):
            mem.new_y[i] = mem.error[i] + 0.5 * missing * (mem.error_low[i] + rate[i])
    if not hold(e, t_new + missing, mem.new_q, mem.new_v, mem.delta, now):
        return False
    derivative(e, EVALUATE, t_new + missing, mem.new_q, mem.new_v, mem.new_z, rate)
    now.evaluations += 1
    for k in range(m):
        mem.stage_work[k] += 0.5 * missing * mem.power[k]
        mem.power[k] = lost_power(I, e.P, e.F, mem.conservative, k)
        mem.stage_work[k] += 0.5 * missing * mem.power[k]
    now.stored_next = stored_energy(I, e.P, e.F, mem.conservative)
    if I[N_ANGLES] > 0:
        count_angles(e, t_new + missing, mem.new_q, mem.new_v, mem.next_angle, mem.next_rate)
    return True


@kernel
def exchange_end(mem, o):
    """Exchange the rate at the end of a step that was moved with that of the attempt, which dense output needs; rates stand at o."""
    n, kept = mem.y.shape[0], mem.K.shape[0] - mem.y.shape[0]
    for i in range(n):
        mem.K[o + i], mem.K[kept + i] = mem.K[kept + i], mem.K[o + i]


@kernel
def land(e, method, now, mem, w, n, h):
    """Move the end of an attempt of length h to where event n happens; return by how much.

    Not a number where it stays as it was, since the event is too far; infinity where moves do not lead to it, so that the attempt has to be made again.
    """
    o, nq, total, kept = method.steps * mem.y.shape[0], mem.q.shape[0], 0.0, mem.K.shape[0] - mem.y.shape[0]
    g = watch.value_at(e.F, w, n, now.t, h, 1.0)
    slope = (g - watch.value_at(e.F, w, n, now.t, h, 1.0 - ASIDE)) / (ASIDE * h)
    for i in range(mem.y.shape[0]):
        mem.K[kept + i] = mem.K[o + i]
    for _ in range(MOVES):
        if abs(g) <= THERE * watch.tolerated(e.F, w, n, now.t, h + total, 0.0, 0.0):
            return total
        # it goes through its limit from the side that it was on
        if not slope * w.held[n] * h < 0.0:
            break
        missing, t_new = -g / slope, now.t + (h + total)
        if not is_near(now, mem, o, h, missing):
            break
        # a whole number of units of the time
        missing = (t_new + missing) - t_new
        if missing == 0.0:
            return total
        if (t_new + missing - now.t_end) * h > 0.0:
            break
        if not move_end(e, now, mem, o, t_new, missing, h):
            return math.inf
        total += missing
        watch.read_scalars(e.I, e.F, w, mem.new_q, mem.new_v, mem.K[o + nq : o + nq + mem.v.shape[0]], w.jets1, 0)
        watch.fit(w, h + total)
        before, g = g, watch.value_at(e.F, w, n, now.t, h + total, 1.0)
        if not abs(g) <= SHRINKS * abs(before):
            return total if abs(g) <= watch.tolerated(e.F, w, n, now.t, h + total, 0.0, 0.0) else math.inf
        slope = (g - before) / missing
    return math.nan if total == 0.0 else math.inf
