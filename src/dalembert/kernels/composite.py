"""Rows made of other rows: linear combinations (gear, rack, screw) and expressions f(s_1, ..., s_n, t).

    row = sum_k f_k row_k,   rate = sum_k f_k s_k' + f_t,   bias = second rate of f at zero acceleration,

the last by second-order Taylor arithmetic along the path (s_k, s_k', bias_k), exact and without second derivatives of f.
"""

from __future__ import annotations

from .compiler import kernel
from .layout import (
    BIAS,
    COEFFICIENT,
    COMPOSITE0,
    DRIVE,
    DRIVER,
    N_COMPOSITES,
    N_DRIVERS,
    N_ROWS,
    OFFSET,
    PART,
    PARTIAL,
    PLANE,
    RATE,
    ROW,
    ROW_SIZE,
    VALUE,
    VHAT,
)
from .rows import row_dot
from .tape import tape_gradient, tape_jet


@kernel
def drivers(I, F, tape, t):
    """c(t), c'(t), c''(t) of every driven row."""
    x, x1, x2 = tape.x[:1], tape.x1[:1], tape.x2[:1]
    for k in range(I[N_DRIVERS]):
        x[0], x1[0], x2[0] = t, 1.0, 0.0
        c, c1, c2 = tape_jet(
            tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
            I[I[DRIVER] + 2 * k + 1], x, x1, x2, tape.reg3,
        )  # fmt: skip
        o = I[DRIVE] + 3 * I[I[DRIVER] + 2 * k]
        F[o], F[o + 1], F[o + 2] = c, c1, c2


@kernel
def gather(I, F, tape, first, last, r):
    """Add the rows of the parts, times their coefficients in `tape.grad`, into row r."""
    width = 3 if I[PLANE] else 6
    o = I[ROW] + ROW_SIZE * r
    at, step = I[o], I[o + 1]
    for s in range(I[o + 2 + ROW_SIZE] - I[o + 2]):
        for k in range(width):
            F[at + s * step + k] = 0.0
    for p in range(first, last):
        part = I[PART] + 3 * p
        source = I[ROW] + ROW_SIZE * I[part]
        f = tape.grad[1 + p - first]
        for s in range(I[source + 2 + ROW_SIZE] - I[source + 2]):
            place, target = I[source] + s * I[source + 1], at + I[part + 1 + s] * step
            for k in range(width):
                F[target + k] += f * F[place + k]


@kernel
def composites(I, P, F, tape, t):
    """Value, row, bias and explicit time rate of every composite; the rows and rates of the parts must be current."""
    for c in range(I[N_COMPOSITES]):
        o = I[COMPOSITE0] + 3 * c
        r, number, first, last = I[o], I[o + 1], I[o + 2], I[o + 5]
        n = 1 + last - first
        x, x1, x2, grad = tape.x[:n], tape.x1[:n], tape.x2[:n], tape.grad[:n]
        x[0], x1[0], x2[0] = t, 1.0, 0.0
        for p in range(1, n):
            k = I[I[PART] + 3 * (first + p - 1)]
            x[p], x1[p], x2[p] = F[I[VALUE] + k], F[I[RATE] + k], F[I[BIAS] + k]
        if number < 0:
            value, bias = 0.0 * F[I[VALUE]], 0.0 * F[I[VALUE]]
            grad[0] = 0.0
            for p in range(1, n):
                f = P[I[COEFFICIENT] + first + p - 1]
                grad[p] = f
                value += f * x[p]
                bias += f * x2[p]
        else:
            value, _, bias = tape_jet(
                tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
                number, x, x1, x2, tape.reg3,
            )  # fmt: skip
            tape_gradient(
                tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
                number, x, tape.reg, tape.adjoint, grad,
            )  # fmt: skip
        F[I[VALUE] + r], F[I[BIAS] + r], F[I[PARTIAL] + r] = value, bias, grad[0]
        if r >= I[N_ROWS]:
            F[I[VALUE] + r] -= P[I[OFFSET] + r]
        gather(I, F, tape, first, last, r)
        F[I[RATE] + r] = row_dot(I, F, r, I[VHAT]) + grad[0]
