"""Expressions as tapes: one array of instructions runs every formula of a model, with no compilation per model.

Instruction i is a row (op, a, b, c) of `code`.  Expression k owns the rows first[k] … last[k] - 1; row i writes
register i - first[k] and reads registers written before it in the same range (each is written once).  So `a`, `b`, `c`
are register numbers *within the range*, and one scratch array as long as the longest range serves all.  The result is
the register of the last row.

    op       a              b                c                 meaning
    CONST    index          -                -                 const[a]
    INPUT    index          -                -                 x[a]
    SELECT   condition      if not zero      if zero           one of two registers
    SPLINE   argument       table            order             derivative of that order of a cubic spline
    POWI     argument       whole exponent   -                 r[a]**b by multiplication
    others   argument(s)    second argument  -                 a function of `tape_functions.py`

Splines lie one after the other: table j has the knots spline_first[j] … spline_first[j+1] - 1, and row i of
`spline_coefficients` is (c0, c1, c2, c3) of the interval beginning at knot i, c0 + c1 h + c2 h^2 + c3 h^3; the row of
its last knot, and the first two numbers of its first, continue it as straight lines.

By the chain rule, the values, slopes and curvatures of `tape_functions.py` give three kernels:
    tape_value     f(x)
    tape_jet       f, f', f'' along a path with given x, x', x''        (second-order Taylor arithmetic)
    tape_gradient  f and df/dx_i for all i                              (reverse sweep)
Nothing is allocated.

Degenerate cases.  A product with a factor 0 is 0 even if the other is infinite or NaN (`times`): what does not change
does not contribute, and neither does a branch not taken.  Where a slope is infinite (sqrt at 0) and the argument
momentarily at rest, the path has a kink like |t|, and f' = f'' = 0 is taken, the middle of the two sides; with the
argument moving, the slope is infinite and returned so.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .compiler import inlined, kernel
from .layout import (
    FROZEN,
    SIDE,
    SPLINE_COEFFICIENTS,
    SPLINE_END,
    SPLINE_FIRST,
    SPLINE_KNOTS,
    SWITCH_VALUE,
    TAPE_ADJOINT,
    TAPE_CODE,
    TAPE_CONST,
    TAPE_END,
    TAPE_FIRST,
    TAPE_GRAD,
    TAPE_LAST,
    TAPE_REG,
    TAPE_REG3,
    TAPE_SCRATCH_END,
    TAPE_SWITCH,
    TAPE_X,
    TAPE_X1,
    TAPE_X2,
)
from .scalar import choose, vanishes
from .tape_functions import (
    BINARY,
    CONST,
    INPUT,
    SELECT,
    SPLINE,
    curve1,
    curves2,
    slope1,
    slopes2,
    times,
    value1,
    value2,
)


class Tape(NamedTuple):
    """Expressions of a model and the scratch memory to run them."""

    code: Any
    const: Any
    first: Any
    last: Any
    spline_first: Any
    spline_knots: Any
    spline_coefficients: Any
    x: Any  # inputs
    x1: Any  # their first rates
    x2: Any  # their second rates at zero acceleration
    grad: Any
    reg: Any
    adjoint: Any
    reg3: Any


@inlined
def tape_of(I, P, F):
    """Expressions of a model as views of its memory.

    Made where an expression runs: handed from kernel to kernel, fourteen arrays would cost every evaluation 0.15 microseconds.
    """
    knots, coefficients, reg3 = I[SPLINE_KNOTS], I[SPLINE_COEFFICIENTS], I[TAPE_REG3]
    return Tape(
        I[I[TAPE_CODE] : I[TAPE_FIRST]].reshape(((I[TAPE_FIRST] - I[TAPE_CODE]) // 4, 4)),
        P[I[TAPE_CONST] : knots],
        I[I[TAPE_FIRST] : I[TAPE_LAST]],
        I[I[TAPE_LAST] : I[SPLINE_FIRST]],
        I[I[SPLINE_FIRST] : I[TAPE_END]],
        P[knots:coefficients],
        P[coefficients : I[SPLINE_END]].reshape(((I[SPLINE_END] - coefficients) // 4, 4)),
        F[I[TAPE_X] : I[TAPE_X1]],
        F[I[TAPE_X1] : I[TAPE_X2]],
        F[I[TAPE_X2] : I[TAPE_GRAD]],
        F[I[TAPE_GRAD] : I[TAPE_REG]],
        F[I[TAPE_REG] : I[TAPE_ADJOINT]],
        F[I[TAPE_ADJOINT] : reg3],
        F[reg3 : I[TAPE_SCRATCH_END]].reshape(((I[TAPE_SCRATCH_END] - reg3) // 3, 3)),
    )


@kernel
def _bend(slope, a1, a2):
    """Contribution slope*a'' to f''; none at a kink (vertical tangent, argument at rest)."""
    if a1 == 0.0 and math.isinf(slope):
        return 0.0
    return times(slope, a2)


@kernel
def spline_value(spline_first, spline_knots, spline_coefficients, table, order, s):
    """Evaluate the derivative of the given order (0, 1, …) of a cubic spline at s; straight outside its knots."""
    start, stop = spline_first[table], spline_first[table + 1]
    # binary search: knots[low] <= s < knots[high], with low = start - 1 left of the table and stop - 1 right of it
    low, high = start - 1, stop
    while high - low > 1:
        middle = (low + high) // 2
        if spline_knots[middle] <= s:
            low = middle
        else:
            high = middle
    i = max(low, start)
    h = s - spline_knots[i]
    c0, c1 = spline_coefficients[i, 0], spline_coefficients[i, 1]
    c2, c3 = (spline_coefficients[i, 2], spline_coefficients[i, 3]) if low >= start else (0.0, 0.0)
    if order == 0:
        return c0 + h * (c1 + h * (c2 + h * c3))
    if order == 1:
        return c1 + h * (2.0 * c2 + h * 3.0 * c3)
    if order == 2:
        return 2.0 * c2 + 6.0 * c3 * h
    return 6.0 * c3 if order == 3 else 0.0


@kernel
def tape_value(code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, reg):
    """Value of expression k.

    Parameters
    ----------
    code, const, first, last, spline_first, spline_knots, spline_coefficients
        The tape: (n, 4) int64, (m,), (K,) int64, (K,) int64, (S + 1,) int64, (P,), (P, 4).
    k
        Number of the expression.
    x
        Inputs (n_inputs,).
    reg
        Scratch (at least the longest range,).
    """
    start = first[k]
    for i in range(start, last[k]):
        op, a, b, c = code[i, 0], code[i, 1], code[i, 2], code[i, 3]
        if op == CONST:
            reg[i - start] = const[a]
        elif op == INPUT:
            reg[i - start] = x[a]
        elif op >= BINARY:
            reg[i - start] = value2(op, reg[a], reg[b])
        elif op == SELECT:
            reg[i - start] = choose(reg[a], reg[b], reg[c])
        elif op == SPLINE:
            reg[i - start] = spline_value(spline_first, spline_knots, spline_coefficients, b, c, reg[a])
        else:
            reg[i - start] = value1(op, reg[a], b)
    return reg[last[k] - start - 1]


@kernel
def tape_jet(code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, x1, x2, reg):
    """Value, first and second derivative of expression k along a path: (f, f', f'').

    With u = f(a):  u' = f_a a',  u'' = f_aa a'^2 + f_a a'';  with two arguments
    u'' = f_aa a'^2 + 2 f_ab a'b' + f_bb b'^2 + f_a a'' + f_b b''.
    Fed with measures s, their rates and their accelerations (or -gamma in place of these), and t with (t, 1, 0), it
    gives a constraint, its rate and its acceleration (or -gamma).

    Parameters
    ----------
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k
        As in `tape_value`.
    x, x1, x2
        Inputs and their first and second derivatives (n_inputs,).
    reg
        Scratch (at least the longest range, 3).
    """
    start = first[k]
    for i in range(start, last[k]):
        op, a, b, c = code[i, 0], code[i, 1], code[i, 2], code[i, 3]
        out = reg[i - start]
        if op == CONST:
            out[0], out[1], out[2] = const[a], 0.0, 0.0
        elif op == INPUT:
            out[0], out[1], out[2] = x[a], x1[a], x2[a]
        elif op == SELECT:
            for d in range(3):
                out[d] = choose(reg[a, 0], reg[b, d], reg[c, d])
        elif op >= BINARY:
            a0, a1, a2 = reg[a, 0], reg[a, 1], reg[a, 2]
            b0, b1, b2 = reg[b, 0], reg[b, 1], reg[b, 2]
            f = value2(op, a0, b0)
            fa, fb = slopes2(op, a0, b0, f)
            faa, fab, fbb = curves2(op, a0, b0, f, fa, fb)
            out[0] = f
            out[1] = times(fa, a1) + times(fb, b1)
            out[2] = times(faa, times(a1, a1)) + 2.0 * times(fab, times(a1, b1)) + times(fbb, times(b1, b1))
            out[2] += _bend(fa, a1, a2) + _bend(fb, b1, b2)
        else:
            a0, a1, a2 = reg[a, 0], reg[a, 1], reg[a, 2]
            if op == SPLINE:
                f = spline_value(spline_first, spline_knots, spline_coefficients, b, c, a0)
                g = spline_value(spline_first, spline_knots, spline_coefficients, b, c + 1, a0)
                curve = spline_value(spline_first, spline_knots, spline_coefficients, b, c + 2, a0)
            else:
                f = value1(op, a0, b)
                g = slope1(op, a0, f, b)
                curve = curve1(op, a0, f, g, b)
            out[0] = f
            out[1] = times(g, a1)
            out[2] = times(curve, times(a1, a1)) + _bend(g, a1, a2)
    result = reg[last[k] - start - 1]
    return result[0], result[1], result[2]


@kernel
def tape_gradient(
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, reg, adjoint, gradient
):
    """Value of expression k, and into `gradient` its derivatives with respect to all inputs.

    Reverse sweep: the adjoint of a register is d result / d register; each instruction hands its own, times its slopes,
    to its arguments.  One sweep gives all inputs, where jets would need one each.

    Parameters
    ----------
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, reg
        As in `tape_value`.
    adjoint
        Scratch like `reg`.
    gradient
        Output (n_inputs,), overwritten; 0 for inputs that the expression does not use.
    """
    value = tape_value(code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, reg)
    start, count = first[k], last[k] - first[k]
    for i in range(x.shape[0]):
        gradient[i] = 0.0
    for i in range(count - 1):
        adjoint[i] = 0.0
    adjoint[count - 1] = 1.0
    for r in range(count - 1, -1, -1):
        op, a, b, c = code[start + r, 0], code[start + r, 1], code[start + r, 2], code[start + r, 3]
        w = adjoint[r]
        if op == CONST or vanishes(w):
            continue
        if op == INPUT:
            gradient[a] += w
        elif op == SELECT:
            adjoint[b] += choose(reg[a], w, 0.0 * w)
            adjoint[c] += choose(reg[a], 0.0 * w, w)
        elif op >= BINARY:
            fa, fb = slopes2(op, reg[a], reg[b], reg[r])
            adjoint[a] += times(w, fa)
            adjoint[b] += times(w, fb)
        elif op == SPLINE:
            g = spline_value(spline_first, spline_knots, spline_coefficients, b, c + 1, reg[a])
            adjoint[a] += times(w, g)
        else:
            adjoint[a] += times(w, slope1(op, reg[a], reg[r], b))
    return value


@kernel
def sides(I, F, tape, k, x, n):
    """Sides of the switches of expression k, behind its n inputs x: by the state, or as they are held; return how many there are.

    A held side makes the expression smooth: conditions, signs and whole parts are inputs of it like others, which do not change.
    """
    first, last = I[I[TAPE_SWITCH] + 2 * k], I[I[TAPE_SWITCH] + 2 * k + 1]
    for s in range(first, last):
        if F[I[FROZEN]] == 0.0:
            F[I[SIDE] + s] = tape_value(
                tape.code, tape.const, tape.first, tape.last, tape.spline_first, tape.spline_knots, tape.spline_coefficients,
                I[I[SWITCH_VALUE] + s], x, tape.reg,
            )  # fmt: skip
        x[n + s - first] = F[I[SIDE] + s]
    return last - first
