"""Rows made of other rows: linear combinations (gear, rack, screw) and expressions f(s_1, ..., s_n, t).

    row = sum_k f_k row_k,   rate = sum_k f_k s_k' + f_t,   bias = second rate of f at zero acceleration,

the last by second-order Taylor arithmetic along the path (s_k, s_k', bias_k), exact and without second derivatives of f.

A condition on velocities (nonholonomic row) is an expression w(s_1, ..., s_n, s_1', ..., s_n', t), linear in the rates:

    row = sum_k (dw/ds_k') row_k,   explicit part = w - row v,   bias = rate of w at zero acceleration,

the last by Taylor arithmetic of first order along the path in which s_k moves at s_k' and s_k' at bias_k.  It has no value.
"""

from __future__ import annotations

from .compiler import kernel
from .layout import (
    BIAS,
    COEFFICIENT,
    COMPOSITE0,
    DRIVE,
    DRIVER,
    LINEAR,
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
    TAPE_GRAD,
    VALUE,
)
from .rows import wrench_add, wrench_clear
from .tape import sides, tape_gradient, tape_jet, tape_of


@kernel
def drivers(I, P, F, t):
    """c(t), c'(t), c''(t) of every driven row."""
    tape = tape_of(I, P, F)
    x, x1, x2 = tape.x, tape.x1, tape.x2
    for k in range(I[N_DRIVERS]):
        number = I[I[DRIVER] + 2 * k + 1]
        x[0], x1[0], x2[0] = t, 1.0, 0.0
        for s in range(sides(I, F, tape, number, x, 1)):
            x1[1 + s], x2[1 + s] = 0.0, 0.0
        c, c1, c2 = tape_jet(
            tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
            number, x, x1, x2, tape.reg3,
        )  # fmt: skip
        o = I[DRIVE] + 3 * I[I[DRIVER] + 2 * k]
        F[o], F[o + 1], F[o + 2] = c, c1, c2


@kernel
def expression(I, P, F, t, number, first, last, on_rates):
    """Value and bias of a composite f(t, s_1, ..., s_n) with the parts first ... last-1; derivatives go to TAPE_GRAD.

    With `on_rates`: w(t, s_1, ..., s_n, s_1', ..., s_n') and its rate at zero acceleration.
    """
    tape = tape_of(I, P, F)
    parts = last - first
    n = 1 + (2 * parts if on_rates else parts)
    x, x1, x2 = tape.x, tape.x1, tape.x2
    x[0], x1[0], x2[0] = t, 1.0, 0.0
    for p in range(parts):
        k = I[I[PART] + 3 * (first + p)]
        value, rate, bias = F[I[VALUE] + k], F[I[RATE] + k], F[I[BIAS] + k]
        x[1 + p], x1[1 + p], x2[1 + p] = value, rate, bias
        if on_rates:
            o = 1 + parts + p
            x[o], x1[o], x2[o] = rate, bias, 0.0
    held = sides(I, F, tape, number, x, n)
    for s in range(n, n + held):
        x1[s], x2[s] = 0.0, 0.0
    value, rate, bias = tape_jet(
        tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
        number, x, x1, x2, tape.reg3,
    )  # fmt: skip
    tape_gradient(
        tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
        number, x[: n + held], tape.reg, tape.adjoint, tape.grad[: n + held],
    )  # fmt: skip
    return value, rate if on_rates else bias


@kernel
def composites(I, P, F, t, valued):
    """Row, bias and explicit time rate of every composite, with `valued` its value and rate too; those of the parts must be current."""
    plane = I[PLANE]
    values, rates, biases = I[VALUE], I[RATE], I[BIAS]
    for c in range(I[N_COMPOSITES]):
        o = I[COMPOSITE0] + 3 * c
        r, first, last = I[o], I[o + 2], I[o + 5]
        value, bias, rate = 0.0, 0.0, 0.0
        kind = I[o + 1]
        linear, on_rates = kind == LINEAR, kind < LINEAR
        slopes = I[TAPE_GRAD] + 1 - first
        if not linear:
            value, bias = expression(I, P, F, t, LINEAR - 1 - kind if on_rates else kind, first, last, on_rates)
            if on_rates:
                slopes += last - first
            else:
                rate = F[I[TAPE_GRAD]]
        F[I[PARTIAL] + r] = rate
        row = I[ROW] + ROW_SIZE * r
        at, step = I[row], I[row + 1]
        for s in range(I[row + 2 + ROW_SIZE] - I[row + 2]):
            wrench_clear(plane, F, at + s * step)
        for p in range(first, last):
            part = I[PART] + 3 * p
            k = I[part]
            f = P[I[COEFFICIENT] + p] if linear else F[slopes + p]
            if linear:
                bias += f * F[biases + k]
            # values and rates of the parts are there if somebody asked for them; what was left there before means nothing
            if valued:
                rate += f * F[rates + k]
                if linear:
                    value += f * F[values + k]
            source = I[ROW] + ROW_SIZE * k
            place, far = I[source], I[source + 1]
            for s in range(I[source + 2 + ROW_SIZE] - I[source + 2]):
                wrench_add(plane, F, at + I[part + 1 + s] * step, f, place + s * far)
        if on_rates:
            # w is its rate, and what the rates do not explain of it its explicit part
            F[I[PARTIAL] + r] = value - rate
            value, rate = 0.0, value
        F[biases + r] = bias
        if valued:
            F[rates + r] = rate
            F[values + r] = value - P[I[OFFSET] + r] if r >= I[N_ROWS] else value
