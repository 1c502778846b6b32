"""Steps of one length: the same work in each, for the user's own loop in real time.

A step is an explicit Runge-Kutta step without an error estimate, brought onto the constraints at its end, where the equations are evaluated for
what is read there, and for the first stage of the next step.  After something was set from outside (inputs, numbers, a state), that evaluation is made again.
"""

from __future__ import annotations

import math

from ...kernels.compiler import entry, kernel
from ...kernels.operate import ACCELERATE, EVALUATE
from ..status import DONE, NOT_FINITE, PROJECTION
from .equations import count_angles, derivative, hold, keep_angles
from .explicit import combine

# Step.fresh: the equations have to be evaluated anew; so have constraints to be met
CHANGED, MOVED = 1, 2


@kernel
def refresh(e, now, mem):
    """The equations at the state as it is; where constraints have changed, the state is brought onto them.  Return False if that fails."""
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    if now.fresh == MOVED:
        if not hold(e, now.t, mem.q, mem.v, mem.delta, now):
            return False
        derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    count_angles(e, now.t, mem.q, mem.v, mem.angle, mem.angle_rate)
    keep_angles(e, now.t, mem.angle, mem.angle_rate)
    now.evaluations += 2
    now.fresh = 0
    return True


@entry
def advance(e, a, c, stages, now, mem, begin: float, h: float, count):
    """`count` steps of length h, counted from the time `begin`; row `stages` of a has the weights of the step."""
    K, n = mem.K, mem.y.shape[0]
    if now.fresh and not refresh(e, now, mem):
        return PROJECTION
    for _ in range(count):
        t, t_new = now.t, begin + (now.steps + 1) * h
        for s in range(1, stages):
            combine(a, s, h, K, n, mem.y, mem.stage_y)
            rate = K[s * n : (s + 1) * n]
            mode = EVALUATE if s == stages - 1 else ACCELERATE
            derivative(e, mode, t + c[s] * h, mem.stage_q, mem.stage_v, mem.stage_z, rate)
        combine(a, stages, h, K, n, mem.y, mem.new_y)
        if not hold(e, t_new, mem.new_q, mem.new_v, mem.delta, now):
            return PROJECTION
        total = 0.0
        for i in range(n):
            total += abs(mem.new_y[i])
        if not total < math.inf:
            return NOT_FINITE
        for i in range(n):
            mem.y[i] = mem.new_y[i]
        derivative(e, EVALUATE, t_new, mem.q, mem.v, mem.z, K[:n])
        count_angles(e, t_new, mem.q, mem.v, mem.angle, mem.angle_rate)
        keep_angles(e, t_new, mem.angle, mem.angle_rate)
        now.t = t_new
        now.steps += 1
        now.evaluations += stages
    return DONE
