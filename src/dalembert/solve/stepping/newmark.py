"""One attempt with generalized-alpha or HHT: Newton's method on the accelerations at the end of the step.

Formulas: `integrators/generalized_alpha.py`.  Accelerations of the model solve the constraints exactly, and positions and velocities are projected at the end of
every step, in place of multipliers as unknowns at the level of positions.  When steps change, a~ - a, which stands for a shift in time, goes with them.

The error estimate compares velocities and displacements with the integrals of the parabola through the accelerations of three times; of bodies in
space also the turn in the middle of the step with that of dense output.
"""

from __future__ import annotations

import math

from ...kernels.bodies import rate_of_q, turn_by
from ...kernels.compiler import inlined, kernel
from ...kernels.operate import ACCELERATE, EVALUATE
from .equations import derivative, evaluate
from .explicit import weighted_norm
from .linear import linearize
from .many import correct_many, factor_many, linearize_many
from .newton import correct_real, factor_at, smooth

MOST, GOOD = 12, 0.1


@kernel
def move_end(e, method, mem, s, h):
    """State at the end from the rates there (K, last row): x~ of the end into `rates`, displacement into `turn`."""
    am, af, g, b = method.b[0], method.b[1], method.b[2], method.b[3]
    n, nq, nv = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0]
    width, K, end = n - nq, mem.K, 2 * n + nq
    for k in range(width):
        before = s.stages[k]
        after = ((1.0 - af) * K[end + k] + af * K[nq + k] - am * before) / (1.0 - am)
        s.rates[k] = after
        mem.new_y[nq + k] = mem.y[nq + k] + h * ((1.0 - g) * before + g * after)
        if k < nv:
            s.turn[k] = h * mem.v[k] + h * h * ((0.5 - b) * before + b * after)
    turn_by(e.I, mem.q, s.turn, mem.new_q)


@inlined
def solve_end(e, method, now, mem, s, g, t_new, h):
    """Newton's method; returns 1 if it converged, 0 if not, NaN if a number is not finite."""
    n, nq, nv, nz = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0], mem.z.shape[0]
    width, K, end = n - nq, mem.K, 2 * n + nq
    c, square = h * method.real[0], h * h * method.real[1]
    before, rest, x = 0.0, max(now.slowness, 2.0**-52) ** 0.8, s.residual[:width]
    now.contraction = 0.0
    for k in range(MOST):
        move_end(e, method, mem, s, h)
        derivative(e, ACCELERATE, t_new, mem.new_q, mem.new_v, mem.new_z, mem.error)
        now.evaluations += 1
        now.iterations += 1
        for i in range(width):
            x[i] = K[end + i] - mem.error[nq + i]
        if g.perm.shape[0] > 0:
            correct_many(e, g, nv, x)
        else:
            correct_real(s, nv, nz, now.free, c, square, x)
        size = 0.0
        for i in range(width):
            K[end + i] += x[i]
            weight = h / (now.atol * mem.scale[nq + i] + now.rtol * abs(mem.y[nq + i] - mem.scale[n + nq + i]))
            size += (x[i] * weight) ** 2
        size = math.sqrt(size / max(width, 1))
        if not size < math.inf:
            return math.nan
        if k > 0:
            theta = size / before if before > 0.0 else 0.0
            now.contraction = max(now.contraction, theta) if k > 1 else theta
            if theta >= 0.99:
                return 1.0 if size <= 0.1 * now.left else 0.0
            rest = theta / (1.0 - theta)
        before = size
        if rest * size <= now.left:
            now.slowness = rest
            return 1.0
    return 0.0


@kernel
def begin_shift(now, mem, s, h):
    """x~ at the start of this step, for its length, into `stages`; at a beginning the rates themselves."""
    n, nq = mem.y.shape[0], mem.q.shape[0]
    for k in range(n - nq):
        a = mem.K[nq + k]
        s.stages[k] = a + (s.before[k] - a) * h / now.h_before if now.h_before != 0.0 else a


@kernel
def misfit_inside(e, now, mem, s, h):
    """Norm of the difference in the middle of the step between the cubics of dense output and the turn itself: a quaternion is no cubic, (w h/2)^4/384."""
    n, nq, nv, K = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0], mem.K
    for k in range(nv):
        s.w[k] = 0.5 * s.turn[k] + h * (mem.v[k] - mem.new_v[k]) / 8.0
    turn_by(e.I, mem.q, s.w, mem.stage_q)
    for i in range(nq):
        mem.error[i] = mem.stage_q[i] - 0.5 * (mem.q[i] + mem.new_q[i]) - h * (K[i] - K[2 * n + i]) / 8.0
    for i in range(nq, n):
        mem.error[i] = 0.0
    return weighted_norm(mem.scale, now, mem.y, mem.new_y, mem.error)


@kernel
def estimate_end(e, method, now, mem, s, g, h):
    """Norm of the error estimate."""
    n, nq, nv = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0]
    width, K, end = n - nq, mem.K, 2 * n + nq
    inside = misfit_inside(e, now, mem, s, h) if nq != nv else 0.0
    ratio = h / now.h_before if now.h_before != 0.0 else 0.0
    for k in range(width):
        a0, first = K[nq + k], K[end + k] - K[nq + k]
        second = (first - (a0 - s.before[width + k]) * ratio) * ratio / (1.0 + ratio)
        mem.error[nq + k] = mem.y[nq + k] + h * (a0 + first / 2.0 - second / 6.0) - mem.new_y[nq + k]
        if k < nv:
            s.w[k] = h * mem.v[k] + h * h * (a0 / 2.0 + first / 6.0 - second / 12.0) - s.turn[k]
    rate_of_q(e.I, mem.q, s.w, mem.error[:nq])
    smooth(e, method, now, mem, s, g, h, mem.error)
    return max(weighted_norm(mem.scale, now, mem.y, mem.new_y, mem.error) / now.lenience, inside)


@kernel
def newmark(e, method, now, mem, s, g, t_new):
    """The step to t_new; returns the error norm, or NaN if numbers are not finite."""
    h, n, nq, nz = t_new - now.t, mem.y.shape[0], mem.q.shape[0], mem.z.shape[0]
    K, solved = mem.K, 0.0
    begin_shift(now, mem, s, h)
    for _ in range(2):
        for k in range(n):
            K[2 * n + k] = K[k]
        if now.linear == 0:
            move_end(e, method, mem, s, h)
            if g.perm.shape[0] > 0:
                linearize_many(e, now, g, s, t_new, mem.new_q, mem.new_v, mem.new_z, mem.delta)
            else:
                linearize(e, now, s, t_new, mem.new_q, mem.new_v, mem.new_z, mem.delta)
        if now.h_factored != h:
            if g.perm.shape[0] > 0:
                factor_many(e, g, h * method.real[0], h * h * method.real[1])
            else:
                factor_at(s, now.free + nz, 1.0, h * method.real[0], h * h * method.real[1])
            now.h_factored = h
        solved = solve_end(e, method, now, mem, s, g, t_new, h)
        if solved == 1.0 or now.linear == 1:
            break
        # derivatives of an earlier state: once more with those of this one
        now.linear = 0
    if solved != 1.0:
        now.slowness = 1.0
        now.unsolved += 1
        now.hard += 1
        now.h_hard = 0.7 * abs(h)
        return math.nan if solved != solved else 1.6**method.order
    now.hard = 0
    move_end(e, method, mem, s, h)
    rate_of_q(e.I, mem.new_q, mem.new_v, K[2 * n : 2 * n + nq])
    error = estimate_end(e, method, now, mem, s, g, h)
    for k in range(n):
        K[n + k] = (mem.new_y[k] - mem.y[k]) / h
    # the projection at the end uses the factor there
    evaluate(e, EVALUATE, t_new, mem.new_q, mem.new_v, mem.new_z, mem.delta)
    now.evaluations += 1
    return error


@kernel
def keep_end(now, mem, s, h):
    """After an accepted step, before its end becomes the start: x~ there, and the rates at its start."""
    nq, width = mem.q.shape[0], mem.y.shape[0] - mem.q.shape[0]
    for k in range(width):
        s.before[k] = s.rates[k]
        s.before[width + k] = mem.K[nq + k]
    now.h_before = h
    now.linear = 2 if now.contraction <= GOOD else 0
