"""One attempt with an explicit Runge-Kutta method: stages, and the embedded error estimate.  The factor of the last stage is left at hand."""

from __future__ import annotations

import math

from ...kernels.compiler import inlined, kernel
from ...kernels.operate import ACCELERATE, EVALUATE
from .equations import derivative, stage


@kernel
def combine(a, s, h, K, n, y, out):
    """Stage point: y + h sum_r a[s, r] k_r, two stages at a time."""
    for i in range(n):
        out[i] = y[i]
    r = 0
    while r < s:
        f, o = h * a[s, r], r * n
        r += 1
        if f == 0.0:
            continue
        while r < s and a[s, r] == 0.0:
            r += 1
        if r < s:
            g, p = h * a[s, r], r * n
            r += 1
            for i in range(n):
                out[i] += f * K[o + i] + g * K[p + i]
        else:
            for i in range(n):
                out[i] += f * K[o + i]


@kernel
def as_turn(p, e, k):
    """Error e of the quaternion at place k as half a turn about the body axes: conj(p) * e, after the change of its length."""
    p0, p1, p2, p3 = p[k], p[k + 1], p[k + 2], p[k + 3]
    e0, e1, e2, e3 = e[k], e[k + 1], e[k + 2], e[k + 3]
    e[k] = p0 * e0 + p1 * e1 + p2 * e2 + p3 * e3
    e[k + 1] = p0 * e1 - p1 * e0 - p2 * e3 + p3 * e2
    e[k + 2] = p0 * e2 - p2 * e0 - p3 * e1 + p1 * e3
    e[k + 3] = p0 * e3 - p3 * e0 - p1 * e2 + p2 * e1


@kernel
def error_norm(method, K, n, h, scale, now, y, new, e, e_low):
    """Weighted root mean square of the error estimate; with a second estimate the two are combined as in DOP853.

    Weights are atol * scale + rtol * (distance from the reference), see `weigh_bodies` in `start.py`.  A negative scale marks the first
    component of a quaternion, whose error is weighed as a turn about the axes of the body.
    """
    high, low = 0.0, 0.0
    for i in range(n):
        e[i], e_low[i] = 0.0, 0.0
    for s in range(method.steps + 1 - method.two_errors):
        f, g, o = method.error[s], method.error_low[s], s * n
        if f != 0.0 or g != 0.0:
            for i in range(n):
                e[i] += f * K[o + i]
                e_low[i] += g * K[o + i]
    turns = False
    for i in range(n):
        turns = turns or scale[i] < 0.0
    atol, rtol = now.atol, now.rtol
    if turns:
        turning = 0
        for i in range(n):
            if scale[i] < 0.0:
                as_turn(y, e, i)
                as_turn(y, e_low, i)
                turning = 4
            # the four components of a unit quaternion are 1/2 each on average
            size = 0.5 if turning > 0 else max(abs(y[i] - scale[n + i]), abs(new[i] - scale[n + i]))
            turning -= 1
            weight = 1.0 / (atol * abs(scale[i]) + rtol * size)
            high += (e[i] * weight) ** 2
            low += (e_low[i] * weight) ** 2
    else:
        # the same without quaternions: a plain loop, which the compiler turns into vector instructions
        for i in range(n):
            size = max(abs(y[i] - scale[n + i]), abs(new[i] - scale[n + i]))
            weight = 1.0 / (atol * scale[i] + rtol * size)
            high += (e[i] * weight) ** 2
            low += (e_low[i] * weight) ** 2
    if high == 0.0:
        return 0.0
    if method.two_errors:
        return abs(h) * high / math.sqrt((high + 0.01 * low) * n)
    return abs(h) * math.sqrt(high / n)


@kernel
def weighted_norm(scale, now, y, new, e):
    """Weighted root mean square of an error e, with the weights of `error_norm`; e is changed."""
    n, total, turning = e.shape[0], 0.0, 0
    for i in range(n):
        if scale[i] < 0.0:
            as_turn(y, e, i)
            turning = 4
        size = 0.5 if turning > 0 else max(abs(y[i] - scale[n + i]), abs(new[i] - scale[n + i]))
        turning -= 1
        total += (e[i] / (now.atol * abs(scale[i]) + now.rtol * size)) ** 2
    return math.sqrt(total / max(n, 1))


@inlined
def explicit(e, method, now, mem, t_new):
    """Stages to t_new and the state there; returns the error norm, or NaN if a stage failed."""
    K = mem.K
    t, h = now.t, t_new - now.t
    y, new_q, new_v, new_z = mem.y, mem.new_q, mem.new_v, mem.new_z
    n, end = y.shape[0], method.steps * y.shape[0]
    for s in range(1, method.steps):
        combine(method.a, s, h, K, n, y, mem.stage_y)
        # the projection at the end uses the factor of the last stage
        mode = EVALUATE if s == method.steps - 1 else ACCELERATE
        time, rate = t + method.c[s] * h, K[s * n : (s + 1) * n]
        if not stage(e, mode, time, mem.stage_q, mem.stage_v, mem.stage_z, rate, mem.delta, now):
            return math.nan
    now.evaluations += method.steps - 1
    combine(method.a, method.steps, h, K, n, y, mem.new_y)
    if not method.two_errors:
        # the estimate of the order-5 method needs the derivative at the end of the step as well
        derivative(e, EVALUATE, t_new, new_q, new_v, new_z, K[end : end + n])
        now.evaluations += 1
    return error_norm(method, K, n, h, mem.scale, now, y, mem.new_y, mem.error, mem.error_low)
