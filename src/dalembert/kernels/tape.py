"""Expressions as tapes: one array of instructions runs every formula of a model, with no compilation per model.

Instruction i is a row (op, a, b, c) of `code`.  Expression k owns the rows first[k] … last[k] - 1; row i writes register
i - first[k] and reads registers written before it in the same range (each register is written once), so `a`, `b`, `c` are
register numbers *within the range*, and one scratch array as long as the longest range serves all.  The result is the
register of the last row.

    op       a              b                c                 meaning
    CONST    index          -                -                 const[a]
    INPUT    index          -                -                 x[a]
    SELECT   condition      if not zero      if zero           one of two registers
    SPLINE   argument       table            order             derivative of that order of a cubic spline
    POWI     argument       whole exponent   -                 r[a]**b by multiplication
    others   argument(s)    second argument  -                 one of the functions below

Splines lie one after the other: table j has the knots spline_first[j] … spline_first[j+1] - 1, and row i of
`spline_coefficients` is (c0, c1, c2, c3) of the interval beginning at knot i, c0 + c1 h + c2 h^2 + c3 h^3; the row of its
last knot, and the first two numbers of its first, continue it as straight lines.

Each function is defined once: value, slope(s) and curvature(s).  From these follow, by the chain rule, the three kernels
    tape_value     f(x)
    tape_jet       f, f', f'' along a path with given x, x', x''        (second-order Taylor arithmetic)
    tape_gradient  f and df/dx_i for all i                              (reverse sweep)
Inputs may be complex (complex step); decisions are taken on real parts.  Nothing is allocated.

Degenerate cases.  A product with a factor 0 is 0 even if the other is infinite or NaN (`_times`): what does not change does
not contribute, and neither does a branch not taken.  Where a slope is infinite (sqrt at 0) and the argument momentarily at
rest, the path has a kink like |t|, and f' = f'' = 0 is taken, the middle of the two sides; with the argument moving, the
slope is infinite and returned so.  `sign` and the slope of `abs` are 0 at 0; `min` and `max` take the first of equals.
"""

from __future__ import annotations

import math

from .compiler import kernel
from .scalar import (
    acos,
    asin,
    atan,
    atan2,
    constant,
    cos,
    cosh,
    exp,
    floor,
    hypot,
    log,
    log10,
    maximum,
    minimum,
    power,
    real,
    root,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)

# leaves and what needs more than registers
CONST, INPUT, SELECT, SPLINE = 0, 1, 2, 3
# one argument
NEG, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH = 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
EXP, LOG, LOG10, SQRT, ABS, SIGN, FLOOR, NOT, POWI = 20, 21, 22, 23, 24, 25, 26, 27, 28
# two arguments
BINARY = 40  # all codes from here on
ADD, SUB, MUL, DIV, POW, ATAN2, HYPOT, MIN, MAX = 40, 41, 42, 43, 44, 45, 46, 47, 48
LT, LE, EQ, NE, AND, OR = 49, 50, 51, 52, 53, 54

_LN10 = math.log(10.0)


# ---- functions of one argument: value f, slope g = f', curvature f'' -------------------------------------------------


@kernel
def whole_power(a, n):
    """a**n for a whole n, by repeated squaring: right for negative a, and exact derivatives for complex a."""
    result, factor, m = constant(a, 1.0), a, abs(n)
    while m > 0:
        if m % 2 != 0:
            result = result * factor
        factor = factor * factor
        m //= 2
    return result if n >= 0 else 1.0 / result


@kernel
def _value1(op, a, n):
    """f(a) of the smooth functions."""
    if op == NEG:
        return -a
    if op == POWI:
        return whole_power(a, n)
    if op == SIN:
        return sin(a)
    if op == COS:
        return cos(a)
    if op == TAN:
        return tan(a)
    if op == ASIN:
        return asin(a)
    if op == ACOS:
        return acos(a)
    if op == ATAN:
        return atan(a)
    if op == SINH:
        return sinh(a)
    if op == COSH:
        return cosh(a)
    if op == TANH:
        return tanh(a)
    if op == EXP:
        return exp(a)
    if op == LOG:
        return log(a)
    if op == LOG10:
        return log10(a)
    if op == SQRT:
        return root(a)
    return _kinked1(op, a)


@kernel
def _kinked1(op, a):
    """f(a) of the functions with kinks and jumps."""
    if op == ABS:
        return sign(a) * a
    if op == SIGN:
        return constant(a, sign(a))
    if op == FLOOR:
        return constant(a, floor(a))
    if op == NOT:
        return constant(a, 1.0 if real(a) == 0.0 else 0.0)
    return constant(a, math.nan)  # no such code


@kernel
def _slope1(op, a, f, n):
    """g = f'(a); infinite where the tangent is vertical, 0 for the functions that are constant between jumps."""
    if op == NEG:
        return constant(a, -1.0)
    if op == POWI:
        return n * whole_power(a, n - 1) if n != 0 else constant(a, 0.0)
    if op == SIN:
        return cos(a)
    if op == COS:
        return -sin(a)
    if op == TAN:
        return 1.0 + f * f
    if op == ASIN:
        return _reciprocal(root(1.0 - a * a))
    if op == ACOS:
        return -_reciprocal(root(1.0 - a * a))
    if op == ATAN:
        return 1.0 / (1.0 + a * a)
    if op == SINH:
        return cosh(a)
    if op == COSH:
        return sinh(a)
    if op == TANH:
        return 1.0 - f * f
    if op == EXP:
        return f
    if op == LOG:
        return 1.0 / a
    if op == LOG10:
        return 1.0 / (_LN10 * a)
    if op == SQRT:
        return 0.5 * _reciprocal(f)
    if op == ABS:
        return constant(a, sign(a))
    return constant(a, 0.0)


@kernel
def _curve1(op, a, f, g, n):
    """f''(a), from the value f and the slope g where that is shorter."""
    if op == POWI:
        return n * (n - 1) * whole_power(a, n - 2) if n * (n - 1) != 0 else constant(a, 0.0)
    if op == SIN or op == COS:
        return -f
    if op == TAN:
        return 2.0 * f * g
    if op == ASIN or op == ACOS:
        return a * g * g * g
    if op == ATAN:
        return -2.0 * a * g * g
    if op == SINH or op == COSH or op == EXP:
        return f
    if op == TANH:
        return -2.0 * f * g
    if op == LOG or op == LOG10:
        return -g / a
    if op == SQRT:
        return -0.5 * g / a
    return constant(a, 0.0)


# ---- functions of two arguments: value f, slopes f_a, f_b, curvatures f_aa, f_ab, f_bb -------------------------------


@kernel
def _value2(op, a, b):
    """f(a, b)."""
    if op == ADD:
        return a + b
    if op == SUB:
        return a - b
    if op == MUL:
        return a * b
    if op == DIV:
        return a / b
    if op == POW:
        return power(a, b)
    if op == ATAN2:
        return atan2(a, b)
    if op == HYPOT:
        return hypot(a, b)
    if op == MIN:
        return minimum(a, b)
    if op == MAX:
        return maximum(a, b)
    return constant(a, 1.0 if _holds(op, real(a), real(b)) else 0.0)


@kernel
def _holds(op, a, b):
    """Whether a condition on two real numbers holds."""
    if op == LT:
        return a < b
    if op == LE:
        return a <= b
    if op == EQ:
        return a == b
    if op == NE:
        return a != b
    if op == AND:
        return a != 0.0 and b != 0.0
    return a != 0.0 or b != 0.0  # OR


@kernel
def _slopes2(op, a, b, f):
    """(f_a, f_b)."""
    zero, one = constant(a, 0.0), constant(a, 1.0)
    if op == ADD:
        return one, one
    if op == SUB:
        return one, -one
    if op == MUL:
        return b, a
    if op == DIV:
        return 1.0 / b, -f / b
    if op == POW:
        # f_b = f log a tends to 0 with a
        return _times(b, power(a, b - 1.0)), zero if real(f) == 0.0 else f * log(a)
    if op == ATAN2:
        square = a * a + b * b
        return b / square, -a / square
    if op == HYPOT and real(f) != 0.0:
        return a / f, b / f
    if op == MIN:
        return (one, zero) if real(a) <= real(b) else (zero, one)
    if op == MAX:
        return (one, zero) if real(a) >= real(b) else (zero, one)
    return zero, zero  # conditions; and hypot at the origin, the middle of all directions


@kernel
def _curves2(op, a, b, f, fa, fb):
    """(f_aa, f_ab, f_bb), from the value and the slopes where that is shorter."""
    zero = constant(a, 0.0)
    if op == MUL:
        return zero, constant(a, 1.0), zero
    if op == DIV:
        return zero, -fa * fa, -2.0 * fb / b
    if op == POW:
        second = _times(b * (b - 1.0), power(a, b - 2.0))
        if real(a) == 0.0:
            return second, zero, zero
        return second, power(a, b - 1.0) * (1.0 + b * log(a)), fb * log(a)
    if op == ATAN2:
        return 2.0 * fa * fb, fb * fb - fa * fa, -2.0 * fa * fb
    if op == HYPOT and real(f) != 0.0:
        return (1.0 - fa * fa) / f, -fa * fb / f, (1.0 - fb * fb) / f
    return zero, zero, zero


# ---- the chain rule --------------------------------------------------------------------------------------------------


@kernel
def _reciprocal(a):
    """1/a; plus infinity at 0, for complex numbers too."""
    return 1.0 / a if real(a) != 0.0 else constant(a, math.inf)


@kernel
def _times(a, b):
    """a*b, and 0 when one factor is 0 whatever the other is."""
    if a == 0.0 or b == 0.0:
        return constant(a, 0.0)
    return a * b


@kernel
def _bend(slope, a1, a2):
    """Contribution slope*a'' to f''; none at a kink (vertical tangent, argument at rest)."""
    if a1 == 0.0 and math.isinf(real(slope)):
        return constant(a2, 0.0)
    return _times(slope, a2)


@kernel
def spline_value(spline_first, spline_knots, spline_coefficients, table, order, s):
    """Derivative of the given order (0, 1, …) of a cubic spline at s; a straight line outside its knots."""
    start, stop = spline_first[table], spline_first[table + 1]
    # binary search: knots[low] <= s < knots[high], with low = start - 1 left of the table and stop - 1 right of it
    low, high = start - 1, stop
    while high - low > 1:
        middle = (low + high) // 2
        if spline_knots[middle] <= real(s):
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
    return constant(h, 6.0 * c3 if order == 3 else 0.0)


@kernel
def tape_value(
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, reg
):
    """Value of expression k.

    Parameters
    ----------
    code, const, first, last, spline_first, spline_knots, spline_coefficients
        The tape: (n, 4) int64, (m,), (K,) int64, (K,) int64, (S + 1,) int64, (P,), (P, 4).
    k
        Number of the expression.
    x
        Inputs (n_inputs,), real or complex.
    reg
        Scratch (at least the longest range,), of the type of x.
    """
    start = first[k]
    for i in range(start, last[k]):
        op, a, b, c = code[i, 0], code[i, 1], code[i, 2], code[i, 3]
        if op == CONST:
            reg[i - start] = const[a]
        elif op == INPUT:
            reg[i - start] = x[a]
        elif op >= BINARY:
            reg[i - start] = _value2(op, reg[a], reg[b])
        elif op == SELECT:
            reg[i - start] = reg[b] if real(reg[a]) != 0.0 else reg[c]
        elif op == SPLINE:
            reg[i - start] = spline_value(spline_first, spline_knots, spline_coefficients, b, c, reg[a])
        else:
            reg[i - start] = _value1(op, reg[a], b)
    return reg[last[k] - start - 1]


@kernel
def tape_jet(
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, x1, x2, reg
):
    """Value, first and second derivative of expression k along a path: (f, f', f'').

    With u = f(a):  u' = f_a a',  u'' = f_aa a'^2 + f_a a'';  with two arguments
    u'' = f_aa a'^2 + 2 f_ab a'b' + f_bb b'^2 + f_a a'' + f_b b''.
    Fed with measures s, their rates and their accelerations (or -gamma in place of these), and t with (t, 1, 0), it gives a
    constraint, its rate and its acceleration (or -gamma).

    Parameters
    ----------
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k
        As in `tape_value`.
    x, x1, x2
        Inputs and their first and second derivatives (n_inputs,), real or complex.
    reg
        Scratch (at least the longest range, 3), of the type of x.
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
            taken = b if real(reg[a, 0]) != 0.0 else c
            out[0], out[1], out[2] = reg[taken, 0], reg[taken, 1], reg[taken, 2]
        elif op >= BINARY:
            a0, a1, a2 = reg[a, 0], reg[a, 1], reg[a, 2]
            b0, b1, b2 = reg[b, 0], reg[b, 1], reg[b, 2]
            f = _value2(op, a0, b0)
            fa, fb = _slopes2(op, a0, b0, f)
            faa, fab, fbb = _curves2(op, a0, b0, f, fa, fb)
            out[0] = f
            out[1] = _times(fa, a1) + _times(fb, b1)
            out[2] = _times(faa, a1 * a1) + 2.0 * _times(fab, a1 * b1) + _times(fbb, b1 * b1)
            out[2] += _bend(fa, a1, a2) + _bend(fb, b1, b2)
        else:
            a0, a1, a2 = reg[a, 0], reg[a, 1], reg[a, 2]
            if op == SPLINE:
                f = spline_value(spline_first, spline_knots, spline_coefficients, b, c, a0)
                g = spline_value(spline_first, spline_knots, spline_coefficients, b, c + 1, a0)
                curve = spline_value(spline_first, spline_knots, spline_coefficients, b, c + 2, a0)
            else:
                f = _value1(op, a0, b)
                g = _slope1(op, a0, f, b)
                curve = _curve1(op, a0, f, g, b)
            out[0] = f
            out[1] = _times(g, a1)
            out[2] = _times(curve, a1 * a1) + _bend(g, a1, a2)
    result = reg[last[k] - start - 1]
    return result[0], result[1], result[2]


@kernel
def tape_gradient(
    code, const, first, last, spline_first, spline_knots, spline_coefficients, k, x, reg, adjoint, gradient
):
    """Value of expression k, and into `gradient` its derivatives with respect to all inputs.

    Reverse sweep: the adjoint of a register is d result / d register; each instruction hands its own, times its slopes, to
    its arguments.  One sweep gives all inputs, where jets would need one each.

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
        if w == 0.0 or op == CONST:
            continue
        if op == INPUT:
            gradient[a] += w
        elif op == SELECT:
            adjoint[b if real(reg[a]) != 0.0 else c] += w
        elif op >= BINARY:
            fa, fb = _slopes2(op, reg[a], reg[b], reg[r])
            adjoint[a] += _times(w, fa)
            adjoint[b] += _times(w, fb)
        elif op == SPLINE:
            g = spline_value(spline_first, spline_knots, spline_coefficients, b, c + 1, reg[a])
            adjoint[a] += _times(w, g)
        else:
            adjoint[a] += _times(w, _slope1(op, reg[a], reg[r], b))
    return value
