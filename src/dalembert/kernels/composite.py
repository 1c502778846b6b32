"""Rows made of other rows: linear combinations (gear, rack, screw) and expressions f(s_1, ..., s_n, t).

    row = sum_k f_k row_k,   rate = sum_k f_k s_k' + f_t,   bias = second rate of f at zero acceleration,

the last along the path (s_k, s_k', bias_k).

A condition on velocities (nonholonomic row) is an expression w(s_1, ..., s_n, s_1', ..., s_n', t), linear in the rates:

    row = sum_k (dw/ds_k') row_k,   explicit part = w - row v,   bias = rate of w at zero acceleration,

the last along the path in which s_k moves at s_k' and s_k' at bias_k.  It has no value.

One program computes all expressions with their derivatives (`system/formulas.py`), and those of drivers c(t), c'(t), c''(t): it leaves f (nothing
for w) in VALUE, f_t or w in PARTIAL, and the second rate in BIAS of a row, the derivatives by parts in SLOPE.
"""

from __future__ import annotations

from . import layout as at
from .compiler import kernel
from .program import PROGRAM_SIZE, perform_one
from .rows import wrench_add, wrench_clear
from .scalar import is_off


@kernel
def formulas(I, P, F, t, pair):
    """Run a pair of programs: sides of switches by the state, unless they are held, and values.

    A held side makes an expression smooth: conditions, signs and whole parts are inputs of it like others, which do not change.
    """
    F[I[at.TIME]] = t
    program = I[at.PROGRAM] + 2 * PROGRAM_SIZE * pair
    if F[I[at.FROZEN]] == 0.0:
        perform_one(I, P, F, program)
    perform_one(I, P, F, program + PROGRAM_SIZE)


@kernel
def composites(I, P, F, valued):
    """Row, bias and explicit time rate of every composite, with `valued` its value and rate too; those of the parts must be current."""
    plane = I[at.PLANE]
    values, rates, biases = I[at.VALUE], I[at.RATE], I[at.BIAS]
    for c in range(I[at.N_COMPOSITES]):
        o = I[at.COMPOSITE0] + 3 * c
        r, kind, first, last = I[o], I[o + 1], I[o + 2], I[o + 5]
        if r < I[at.N_ROWS] and is_off(F[I[at.FLOOR] + r]):
            continue
        linear = kind == at.LINEAR
        value, bias, rate = 0.0, 0.0, 0.0
        if linear:
            F[I[at.PARTIAL] + r] = 0.0
        elif kind != at.ON_RATES:
            value, rate = F[values + r], F[I[at.PARTIAL] + r]
        row = I[at.ROW] + at.ROW_SIZE * r
        wrench, step = I[row], I[row + 1]
        for s in range(I[row + 2 + at.ROW_SIZE] - I[row + 2]):
            wrench_clear(plane, F, wrench + s * step)
        for p in range(first, last):
            part = I[at.PART] + 3 * p
            k = I[part]
            f = P[I[at.COEFFICIENT] + p] if linear else F[I[at.SLOPE] + p]
            if linear:
                bias += f * F[biases + k]
            # values and rates of the parts are there if somebody asked for them; what was left there before means nothing
            if valued:
                rate += f * F[rates + k]
                if linear:
                    value += f * F[values + k]
            source = I[at.ROW] + at.ROW_SIZE * k
            place, far = I[source], I[source + 1]
            for s in range(I[source + 2 + at.ROW_SIZE] - I[source + 2]):
                wrench_add(plane, F, wrench + I[part + 1 + s] * step, f, place + s * far)
        if kind == at.ON_RATES:
            # w is its rate, and what the rates do not explain of it its explicit part
            w = F[I[at.PARTIAL] + r]
            F[I[at.PARTIAL] + r] = w - rate
            rate = w
        if linear:
            F[biases + r] = bias
        if valued:
            F[rates + r] = rate
            F[values + r] = value - P[I[at.OFFSET] + r] if r >= I[at.N_ROWS] else value
