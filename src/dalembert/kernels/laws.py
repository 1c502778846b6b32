"""Laws of force elements: f(s, s', t) on a measure gives the generalized force -J^T f (virtual work -f ds)."""

from __future__ import annotations

from .compiler import kernel
from .layout import (
    ACC,
    CALLED,
    FORCE,
    LAW,
    LAW_CALL,
    LAW_FRICTION,
    LAW_INPUT,
    LAW_LINEAR,
    LAW_NUMBERS,
    LAW_SIZE,
    LAW_STOP,
    N_LAWS,
    PARTIAL,
    POWER,
    RATE,
    VALUE,
)
from .rows import apply
from .scalar import real, sqrt
from .tape import tape_of, tape_value


@kernel
def stop(s, rate, k, c, limit, side):
    """One-sided spring-damper: side = +1 pushes back above the limit, -1 below it; it never pulls.

    Depth x = side (s - limit); force side * max(k x + c x', 0) while x > 0 (the tractor tyre of PLANAR 6.1.1 with c = 0).
    """
    depth = side * (s - limit)
    f = k * depth + c * side * rate
    if real(depth) <= 0.0 or real(f) <= 0.0:
        return 0.0 * s
    return side * f


@kernel
def tape_law(I, P, F, t, o):
    """Law given by an expression of t, values and rates; its record is at I[o]."""
    tape = tape_of(I, P, F)
    first, last = I[o + 3], I[o + 7]
    x = tape.x[: 1 + last - first]
    x[0] = t
    for p in range(first, last):
        k = I[LAW_INPUT] + 2 * p
        x[1 + p - first] = F[I[RATE] + I[k]] if I[k + 1] else F[I[VALUE] + I[k]]
    return tape_value(
        tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
        I[o + 2], x, tape.reg,
    )  # fmt: skip


@kernel
def law_value(I, P, F, t, n):
    """F of law n."""
    o, p = I[LAW] + 4 * n, I[LAW_NUMBERS] + LAW_SIZE * n
    kind, r = I[o], I[o + 1]
    s, rate = F[I[VALUE] + r], F[I[RATE] + r]
    if kind == LAW_LINEAR:
        return P[p] * (s - P[p + 1]) + P[p + 2] * rate + P[p + 3]
    if kind == LAW_STOP:
        return stop(s, rate, P[p], P[p + 1], P[p + 2], P[p + 3])
    if kind == LAW_FRICTION:
        # F0 v / sqrt(v^2 + v0^2): smooth, odd, |f| < F0; v0 > 0 is the speed at which 71 % is reached
        return P[p] * rate * (1.0 / sqrt(rate * rate + P[p + 1] * P[p + 1]))
    if kind == LAW_CALL:
        return F[I[CALLED] + n]
    return tape_law(I, P, F, t, o)


@kernel
def laws(I, P, F, t):
    """Forces of all laws, added to the scaled force; their powers -f J v."""
    for n in range(I[N_LAWS]):
        f = law_value(I, P, F, t, n)
        r = I[I[LAW] + 4 * n + 1]
        F[I[FORCE] + n] = f
        # virtual work is taken at fixed time: the power is -f J v, without the explicit part of the rate
        F[I[POWER] + n] = -f * (F[I[RATE] + r] - F[I[PARTIAL] + r])
        apply(I, F, r, f, I[ACC])
