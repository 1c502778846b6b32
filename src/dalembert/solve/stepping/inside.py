"""Looks inside a step: the equations at points that the method has not used, and the change of velocities that they explain."""

from __future__ import annotations

from ...kernels.compiler import inlined, kernel
from ...kernels.laws import lost_power
from ...kernels.layout import N_DRIVERS, N_LAWS
from ...kernels.operate import ACCELERATE, EVALUATE, POWERS
from ..integrators._base import EXPLICIT
from .equations import derivative, evaluate
from .newton import smooth
from .records import ONE_POINT, POWERS_ONLY, THREE_POINTS

# the defect inside a step that is taken for granted, in units of the tolerance: that of the interpolation between the stages (measured over
# one second of every machine of the gallery at rtol 1e-4 and 1e-8: up to 640, mostly below 100); beyond it a step is made again, shorter
USUAL_DEFECT = 1000.0
# change of velocities that the accelerations inside the step do not explain: quadrature leaves less than this fraction of what they explain
UNEXPLAINED = 1e-3


@kernel
def weight_inside(points, j):
    """Weights on a step of Simpson's rule (one point inside) or Lobatto's (three): j = 0, 1, 2 inside, -1 for either end."""
    if points == 1:
        return 1.0 / 6.0 if j < 0 else 2.0 / 3.0
    return 0.05 if j < 0 else 49.0 / 180.0 if j != 1 else 64.0 / 180.0


@kernel
def weight_of_work(guard, j):
    """Weights of powers: at three points unless there is no work."""
    return weight_inside(1 if guard == ONE_POINT else 3, j)


@kernel
def point_inside(method, K, n, h, j, y, out):
    """State at point j inside the step."""
    for i in range(n):
        out[i] = y[i]
    for s in range(method.steps + 1):
        f, o = h * method.inside[j, s], s * n
        if f != 0.0:
            for i in range(n):
                out[i] += f * K[o + i]


@kernel
def settle(e, method, now, mem, s, g, h, rate, expected):
    """Leave of a rate what differs from the one of the step in motions that are slow beside it (see `smooth`)."""
    n = mem.y.shape[0]
    for i in range(n):
        rate[i] -= expected[i]
    smooth(e, method, now, mem, s, g, h, rate)
    for i in range(n):
        rate[i] += expected[i]


@inlined
def look_inside(e, method, now, mem, s, g, t, h):
    """The equations at points inside the step that the method has not used; return the largest defect, in units of the tolerance.

    The state there comes from the stages (`inside`), the rate that the step stands for too (`slope`); the equations give another rate, and the
    difference is the defect: what the step has not seen of a force.  The powers there make the work of the step by a quadrature of its own.
    """
    I, K, y, at, scale = e.I, mem.K, mem.y, mem.stage_y, mem.scale
    n, worst, guard = y.shape[0], 0.0, now.guard
    for j in range(3):
        time = t + method.inside_at[j] * h
        if guard == POWERS_ONLY and j != 1:
            point_inside(method, K, n, h, j, y, at)
            evaluate(e, POWERS, time, mem.stage_q, mem.stage_v, mem.stage_z, mem.delta)
        elif guard == THREE_POINTS or j == 1:
            for i in range(n):
                at[i], mem.error[i] = y[i], 0.0
            for r in range(method.steps + 1):
                f, slope, o = h * method.inside[j, r], method.slope[j, r], r * n
                if f != 0.0 or slope != 0.0:
                    for i in range(n):
                        at[i] += f * K[o + i]
                        mem.error[i] += slope * K[o + i]
            mode = ACCELERATE if guard == ONE_POINT else EVALUATE
            derivative(e, mode, time, mem.stage_q, mem.stage_v, mem.stage_z, mem.inside[j])
            if method.kind != EXPLICIT:
                settle(e, method, now, mem, s, g, h, mem.inside[j], mem.error)
            for i in range(mem.q.shape[0], n):
                weight = now.atol * scale[i] + now.rtol * max(abs(y[i]), abs(mem.new_y[i]))
                worst = max(worst, abs(mem.inside[j, i] - mem.error[i]) * abs(h) / weight)
        if guard != ONE_POINT:
            for k in range(I[N_LAWS] + I[N_DRIVERS]):
                mem.stage_work[k] += h * weight_of_work(guard, j) * lost_power(I, e.P, e.F, mem.conservative, k)
    now.evaluations += 3 if guard == THREE_POINTS else 1
    return worst


@kernel
def unexplained(points, method, now, mem, h):
    """Change of velocities over the step without the integral of the accelerations, over what quadrature may leave of it.

    A change of velocity by anything else than accelerations (a jump onto another branch of a constraint) is not explained by them.  The largest
    change without explanation goes to the audit.
    """
    large, worst, most = 0.0, 0.0, 0.0
    K, y, scale, nq = mem.K, mem.y, mem.scale, mem.q.shape[0]
    o, last = method.steps * y.shape[0], nq + mem.v.shape[0]
    for i in range(nq, last):
        peak = max(max(abs(K[i]), abs(K[o + i])), abs(mem.inside[1, i]))
        large = max(large, peak / scale[i])
    for i in range(nq, last):
        found = weight_inside(points, -1) * (K[i] + K[o + i]) + weight_inside(points, 1) * mem.inside[1, i]
        if points == 3:
            found += weight_inside(points, 0) * (mem.inside[0, i] + mem.inside[2, i])
        left = abs(mem.new_y[i] - y[i] - h * found)
        weight = now.atol * scale[i] + now.rtol * max(abs(y[i]), abs(mem.new_y[i]))
        worst = max(worst, left / (USUAL_DEFECT * weight + UNEXPLAINED * abs(h) * large * scale[i]))
        most = max(most, left / scale[i])
    now.unbalanced = most
    return worst
