"""Laws of force elements: f(s, s', t) on a measure gives the generalized force -J^T f (virtual work -f ds)."""

from __future__ import annotations

from . import layout as at
from .compiler import kernel
from .composite import formulas
from .rows import apply
from .scalar import above, choose, sqrt


@kernel
def stop(I, F, n, s, rate, k, c, limit, side):
    """One-sided spring-damper: side = +1 pushes back above the limit, -1 below it; it never pulls.

    Depth x = side (s - limit); force side * max(k x + c x', 0) while x > 0 (the tractor tyre of PLANAR 6.1.1 with c = 0).
    Its switches n and n + 1 are x > 0 and k x + c x' > 0.
    """
    depth = side * (s - limit)
    f = k * depth + c * side * rate
    o = I[at.SIDE] + n
    if F[I[at.FROZEN]] == 0.0:
        F[o] = above(depth, 0.0)
        F[o + 1] = above(f, 0.0)
    return choose(F[o] * F[o + 1], side * f, 0.0 * s)


@kernel
def law_value(I, P, F, n):
    """f of law n; expressions have put theirs in place."""
    o, p = I[at.LAW] + at.LAW_RECORD * n, I[at.LAW_NUMBERS] + at.LAW_SIZE * n
    kind, r = I[o], I[o + 1]
    s, rate = F[I[at.VALUE] + r], F[I[at.RATE] + r]
    if kind == at.LAW_LINEAR:
        return P[p] * (s - P[p + 1]) + P[p + 2] * rate + P[p + 3]
    if kind == at.LAW_STOP:
        return stop(I, F, I[o + 2], s, rate, P[p], P[p + 1], P[p + 2], P[p + 3])
    if kind == at.LAW_FRICTION:
        # F0 v / sqrt(v^2 + v0^2): smooth, odd, |f| < F0; v0 > 0 is the speed at which 71 % is reached
        return P[p] * rate * (1.0 / sqrt(rate * rate + P[p + 1] * P[p + 1]))
    if kind == at.LAW_CALL:
        return F[I[at.CALLED] + n]
    return F[I[at.FORCE] + n]


@kernel
def laws(I, P, F, t):
    """Forces of all laws, added to the scaled force; their powers -f J v."""
    formulas(I, P, F, t, 1)
    for n in range(I[at.N_LAWS]):
        f = law_value(I, P, F, n)
        r = I[I[at.LAW] + at.LAW_RECORD * n + 1]
        F[I[at.FORCE] + n] = f
        # virtual work is taken at fixed time: the power is -f J v, without the explicit part of the rate
        F[I[at.POWER] + n] = -f * (F[I[at.RATE] + r] - F[I[at.PARTIAL] + r])
        apply(I, F, r, f, I[at.ACC])


@kernel
def stored_energy(I, P, F, conservative):
    """Potential of the laws that have one, at the state whose evaluation is current: 1/2 k (s - s0)^2 + f0 (s - s0), 1/2 k x^2 of stops."""
    total = 0.0
    for n in range(conservative.shape[0]):
        if conservative[n]:
            o, p = I[at.LAW] + at.LAW_RECORD * n, I[at.LAW_NUMBERS] + at.LAW_SIZE * n
            s = F[I[at.VALUE] + I[o + 1]]
            if I[o] == at.LAW_STOP:
                depth = P[p + 3] * (s - P[p + 2])
                total += 0.5 * P[p] * depth * depth if depth > 0.0 else 0.0
            else:
                total += 0.5 * P[p] * (s - P[p + 1]) ** 2 + P[p + 3] * (s - P[p + 1])
    return total


@kernel
def lost_power(I, P, F, conservative, n):
    """Power of law (or driver) n without that of its potential: of a spring-damper, that of the damper."""
    if n < conservative.shape[0] and conservative[n]:
        o, p = I[at.LAW] + at.LAW_RECORD * n, I[at.LAW_NUMBERS] + at.LAW_SIZE * n
        rate = F[I[at.RATE] + I[o + 1]]
        return -P[p + 2] * rate * rate if I[o] == at.LAW_LINEAR else 0.0
    return F[I[at.POWER] + n]
