"""One attempt with an implicit method of collocation (Radau IIA): Newton's method on the rates of all stages together.

Unknowns are the accelerations and rates of states at the stages; velocities and positions follow by the method itself, rotations by
p' = 1/2 p * (0, omega').  Accelerations of the model (constraints solved in them exactly) minus these are the residual, so that joints, drivers,
rows of rates, redundant rows and massless bodies need nothing of their own.  The matrix is that of the start of a step, kept while
Newton's method converges with it.  E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.8.
"""

from __future__ import annotations

import math

from ...kernels.bodies import rate_of_q
from ...kernels.compiler import inlined, kernel
from ...kernels.layout import PLANE
from ...kernels.operate import ACCELERATE, EVALUATE
from .equations import derivative, evaluate
from .explicit import weighted_norm
from .many import correct_many, correct_many_pair, factor_many, factor_many_pair
from .newton import correct_pair, correct_real, factor_at, factor_pair, smooth
from .stages import correct_block, factor_block, linearize_stages

# corrections by Newton's method, and their ratio below which the matrix stays
MOST, GOOD = 10, 0.005


@kernel
def factor_stages(e, method, now, mem, s, g, h):
    """Factors for the step h."""
    width, c = now.free + mem.z.shape[0], h * method.real[0]
    now.h_factored = h
    if g.perm.shape[0] > 0:
        if c != 0.0:
            factor_many(e, g, c, c * c)
        for p in range(method.pairs.shape[0]):
            c, d = h * method.pairs[p, 0], h * method.pairs[p, 1]
            factor_many_pair(e, g, c, d, g.re[p], g.im[p], g.re_d[p], g.im_d[p])
        return
    if now.block:
        factor_block(method, now, mem, s, h)
    if c != 0.0:
        factor_at(s, width, 1.0, c, c * c)
    if c == 0.0 or not now.block:
        for p in range(method.pairs.shape[0]):
            factor_pair(s, width, h * method.pairs[p, 0], h * method.pairs[p, 1], s.re[p], s.im[p], s.pivot[p])


@kernel
def predict(method, now, mem, s, h):
    """Rates at the stages: those of the step before, continued; at a beginning that of the start."""
    K, n, count = mem.K, mem.y.shape[0], method.steps
    for i in range(1, count + 1):
        x = 1.0 + method.c[i] * h / now.h_before if now.h_before != 0.0 else 0.0
        for k in range(n):
            K[i * n + k] = 0.0 if now.h_before != 0.0 else K[k]
        if now.h_before != 0.0:
            for j in range(1, count + 1):
                weight = 1.0
                for r in range(1, count + 1):
                    if r != j:
                        weight *= (x - method.c[r]) / (method.c[j] - method.c[r])
                for k in range(n):
                    K[i * n + k] += weight * s.before[(j - 1) * n + k]


@kernel
def place_stages(e, method, mem, s, h):
    """States at the stages from their rates; rates of coordinates follow from velocities (rotations: repeated, they depend on themselves)."""
    K, n, nq, nv, count = mem.K, mem.y.shape[0], mem.q.shape[0], mem.v.shape[0], method.steps
    for i in range(1, count + 1):
        # in space the first sweep takes the coordinates of the rates at hand
        place(method, mem, s, h, i, nq if e.I[PLANE] else 0, n)
    for _ in range(1 if e.I[PLANE] else 3):
        for i in range(1, count + 1):
            o = (i - 1) * n
            rate_of_q(e.I, s.stages[o : o + nq], s.stages[o + nq : o + nq + nv], K[i * n : i * n + nq])
        for i in range(1, count + 1):
            place(method, mem, s, h, i, 0, nq)


@kernel
def place(method, mem, s, h, i, first, last):
    """Numbers from `first` to `last` of the state at the stage i."""
    n = mem.y.shape[0]
    o = (i - 1) * n
    for k in range(first, last):
        s.stages[o + k] = mem.y[k]
    for j in range(1, method.steps + 1):
        f = h * method.a[i, j]
        for k in range(first, last):
            s.stages[o + k] += f * mem.K[j * n + k]


@kernel
def correct(e, method, now, mem, s, g, h):
    """One correction of the rates for the residuals of the stages: T^-1, systems, T."""
    n, nq, nv, nz, count = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0], mem.z.shape[0], method.steps
    width, K = n - nq, mem.K
    if now.block:
        correct_block(method, now, mem, s, h)
        for r in range(count):
            for i in range(width):
                K[(r + 1) * n + nq + i] += s.residual[r * width + i]
        return
    single = 1 if method.real[0] > 0.0 else 0
    for i in range(width):
        for j in range(count):
            total = 0.0
            for r in range(count):
                total += method.inverse[j, r] * s.residual[r * width + i]
            s.rates[j * width + i] = total
    if single == 1:
        c = h * method.real[0]
        if g.perm.shape[0] > 0:
            correct_many(e, g, nv, s.rates[:width])
        else:
            correct_real(s, nv, nz, now.free, c, c * c, s.rates[:width])
    for p in range(method.pairs.shape[0]):
        a, b = (single + 2 * p) * width, (single + 2 * p + 1) * width
        c, d = h * method.pairs[p, 0], h * method.pairs[p, 1]
        if g.perm.shape[0] > 0:
            correct_many_pair(e, g, nv, p, s.rates[a:b], s.rates[b : b + width])
        else:
            correct_pair(s, nv, nz, now.free, c, d, p, s.rates[a:b], s.rates[b : b + width])
    for i in range(width):
        for r in range(count):
            total = 0.0
            for j in range(count):
                total += method.transform[r, j] * s.rates[j * width + i]
            s.residual[r * width + i] = total
            K[(r + 1) * n + nq + i] += total


@kernel
def size_of_change(now, mem, s, h, count):
    """Change of velocities and states by the last correction, in units of the tolerance."""
    n, nq = mem.y.shape[0], mem.q.shape[0]
    width, total, scale = n - nq, 0.0, mem.scale
    for i in range(width):
        weight = h / (now.atol * scale[nq + i] + now.rtol * abs(mem.y[nq + i] - scale[n + nq + i]))
        for r in range(count):
            x = s.residual[r * width + i] * weight
            total += x * x
    return math.sqrt(total / max(count * width, 1))


@inlined
def find_residuals(e, method, now, mem, s, h):
    """Rates at the stages less those of the model there."""
    K, n, nq, nv = mem.K, mem.y.shape[0], mem.q.shape[0], mem.v.shape[0]
    width = n - nq
    place_stages(e, method, mem, s, h)
    for i in range(1, method.steps + 1):
        o = (i - 1) * n
        q, v, z = s.stages[o : o + nq], s.stages[o + nq : o + nq + nv], s.stages[o + nq + nv : o + n]
        derivative(e, ACCELERATE, now.t + method.c[i] * h, q, v, z, mem.error)
        for j in range(width):
            s.residual[(i - 1) * width + j] = K[i * n + nq + j] - mem.error[nq + j]
    now.evaluations += method.steps


@inlined
def solve_stages(e, method, now, mem, s, g, h, known):
    """Newton's method, with the residuals of the stages where these are known; returns 1 if it converged, 0 if not, NaN if a number is not finite."""
    before, ratio_before = 0.0, 0.0
    now.contraction = 0.0
    rest = max(now.slowness, 2.0**-52) ** 0.8
    for k in range(MOST):
        # where the derivatives of all stages were just taken, their rates are at hand
        if k > 0 or not known:
            find_residuals(e, method, now, mem, s, h)
        now.iterations += 1
        correct(e, method, now, mem, s, g, h)
        size = size_of_change(now, mem, s, h, method.steps)
        if not size < math.inf:
            return math.nan
        if k > 0:
            ratio = size / before if before > 0.0 else 0.0
            theta = ratio if k == 1 else math.sqrt(ratio * ratio_before)
            ratio_before = ratio
            now.contraction = theta
            if theta >= 0.99:
                return 1.0 if size <= 0.1 * now.left else 0.0  # rounding
            rest = theta / (1.0 - theta)
            if k > 1 and rest * size * theta ** (MOST - 1 - k) >= now.left:
                return 0.0  # at this pace it will not converge; the first ratio is not yet one
        before = size
        if rest * size <= now.left:
            now.slowness = rest
            return 1.0
    return 0.0


@kernel
def collocate(e, method, now, mem, s, g, t_new):
    """Stages to t_new and the state there; returns the error norm, or NaN if numbers are not finite."""
    h, count, n = t_new - now.t, method.steps, mem.y.shape[0]
    solved, first, nearer = 0.0, now.linear == 0, 0
    for _ in range(3):
        if not nearer:
            predict(method, now, mem, s, h)
        known = 0
        if now.linear == 0:
            place_stages(e, method, mem, s, h)
            linearize_stages(e, method, now, mem, s, g, h)
            known = now.block
        if now.h_factored != h:
            factor_stages(e, method, now, mem, s, g, h)
        solved = solve_stages(e, method, now, mem, s, g, h, known)
        if solved == 1.0:
            break
        if now.linear == 1:
            # derivatives were those of where it began: once more with those of where it has come to, if it came nearer
            if solved != solved or now.contraction >= 1.0 or nearer:
                break
            nearer = 1
        now.linear = 0
    if solved != 1.0:
        now.slowness, now.linear = 1.0, 0
        now.unsolved += 1
        now.hard += 1
        now.h_hard = 0.7 * abs(h)
        # an error for which the next attempt is half as long
        return math.nan if solved != solved else 1.6**method.order
    now.hard = 0
    place_stages(e, method, mem, s, h)
    o = (count - 1) * n
    for k in range(n):
        mem.new_y[k] = s.stages[o + k]
    error = estimate(e, method, now, mem, s, g, h, mem.K[:n])
    if error >= 1.0 and (now.again > 0 or first):
        # at a beginning the estimate is too large for what is fast: once more, with the rate at the state so corrected
        for k in range(n):
            mem.stage_y[k] = mem.y[k] + mem.error[k]
        derivative(e, ACCELERATE, now.t, mem.stage_q, mem.stage_v, mem.stage_z, mem.error_low)
        now.evaluations += 1
        error = estimate(e, method, now, mem, s, g, h, mem.error_low)
    # the projection at the end uses the factor there
    evaluate(e, EVALUATE, t_new, mem.new_q, mem.new_v, mem.new_z, mem.delta)
    now.evaluations += 1
    return error


@kernel
def estimate(e, method, now, mem, s, g, h, rate):
    """Norm of the error estimate, with `rate` at the start of the step; the estimate itself stays in `mem.error`."""
    n, K = mem.y.shape[0], mem.K
    for k in range(n):
        total = method.error[0] * rate[k]
        for j in range(1, method.steps + 1):
            total += method.error[j] * K[j * n + k]
        mem.error[k] = h * total
    smooth(e, method, now, mem, s, g, h, mem.error)
    for k in range(n):
        mem.inside[0, k] = mem.error[k]
    return weighted_norm(mem.scale, now, mem.y, mem.new_y, mem.inside[0]) / now.lenience


@kernel
def arrive_smoothly(e, method, now, mem, s, g, t_new, h):
    """Rate at the projected end, without what the projection has stirred up of terms that are fast beside the step."""
    n = mem.y.shape[0]
    end = mem.K[method.steps * n : method.steps * n + n]
    derivative(e, EVALUATE, t_new, mem.new_q, mem.new_v, mem.new_z, mem.error)
    for k in range(n):
        mem.error[k] -= end[k]
    smooth(e, method, now, mem, s, g, h, mem.error)
    for k in range(n):
        end[k] += mem.error[k]


@kernel
def keep_stages(method, now, mem, s, h):
    """After an accepted step: its rates, from which those of the next one are predicted; whether its derivatives serve once more."""
    n = mem.y.shape[0]
    for k in range(method.steps * n):
        s.before[k] = mem.K[n + k]
    now.h_before = h
    now.linear = 2 if now.contraction <= GOOD else 0
