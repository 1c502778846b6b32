"""One attempt at a step, by the method at hand: error estimate, projection, looks inside, the derivative at the end.  It changes nothing that is accepted."""

from __future__ import annotations

import math

from ...kernels.compiler import inlined
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import N_ANGLES, N_DRIVERS, N_LAWS
from ...kernels.operate import EVALUATE
from ..integrators._base import COLLOCATION, EXPLICIT
from .collocation import arrive_smoothly, collocate
from .equations import count_angles, derivative, evaluate, hold
from .explicit import explicit
from .inside import USUAL_DEFECT, look_inside, unexplained, weight_of_work
from .newmark import newmark
from .records import THREE_POINTS


@inlined
def attempt(e, method, now, mem, s, g, t_new):
    """Try the step to t_new.  Returns the error norm, or NaN if it failed."""
    I, P, F, K = e.I, e.P, e.F, mem.K
    t, h = now.t, t_new - now.t
    new_q, new_v, new_z = mem.new_q, mem.new_v, mem.new_z
    n, end = mem.y.shape[0], method.steps * mem.y.shape[0]
    n_power = I[N_LAWS] + I[N_DRIVERS]
    if method.kind == EXPLICIT:
        error = explicit(e, method, now, mem, t_new)
    elif method.kind == COLLOCATION:
        error = collocate(e, method, now, mem, s, g, t_new)
    else:
        error = newmark(e, method, now, mem, s, g, t_new)
    if not error < 1.0:
        return error
    for k in range(n_power):
        mem.stage_work[k] = h * weight_of_work(now.guard, -1) * mem.power[k]
    if now.careful:
        evaluate(e, EVALUATE, t_new, new_q, new_v, new_z, mem.delta)
    if not hold(e, t_new, new_q, new_v, mem.delta, now):
        return math.nan
    now.defect, now.unbalanced = 0.0, 0.0
    # next to a singular position points off the constraints say nothing
    if now.guard:
        now.defect = look_inside(e, method, now, mem, s, g, t, h)
        if not (now.defect < USUAL_DEFECT or now.careful):
            return 4.0
    if method.kind == EXPLICIT:
        derivative(e, EVALUATE, t_new, new_q, new_v, new_z, K[end : end + n])
    else:
        arrive_smoothly(e, method, now, mem, s, g, t_new, h)
    now.evaluations += 1
    for k in range(n_power):
        mem.power[k] = lost_power(I, P, F, mem.conservative, k)
        mem.stage_work[k] += h * weight_of_work(now.guard, -1) * mem.power[k]
    now.stored_next = stored_energy(I, P, F, mem.conservative)
    points = 3 if now.guard == THREE_POINTS else 1
    if now.guard and not (unexplained(points, method, now, mem, h) < 1.0 or now.careful):
        return 4.0
    if I[N_ANGLES] > 0 and count_angles(e, t_new, new_q, new_v, mem.next_angle, mem.next_rate) > 0.5 * math.pi:
        # a turn could be lost: not an error of the solution, but the step must be shorter
        return 8.0
    return error
