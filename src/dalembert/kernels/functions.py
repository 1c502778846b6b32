"""The functions that formulas may call, each defined once, and their codes in programs (`program.py`).

`sign` is 0 at 0; `min` and `max` take the first of equals.
"""

from __future__ import annotations

import math

from . import scalar
from .compiler import kernel

# leaves, and what has three operands
CONST, INPUT, SELECT, SPLINE, BEND = 0, 1, 2, 3, 4
# one argument
NEG, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH = 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
EXP, LOG, LOG10, SQRT, ABS, SIGN, FLOOR, NOT, POWI = 20, 21, 22, 23, 24, 25, 26, 27, 28
# two arguments
BINARY = 40  # all codes from here on
ADD, SUB, MUL, DIV, POW, ATAN2, HYPOT, MIN, MAX = 40, 41, 42, 43, 44, 45, 46, 47, 48
LT, LE, EQ, NE, AND, OR, TIMES = 49, 50, 51, 52, 53, 54, 55
# any number of arguments, which is added to it: a Python function
CALL = 1000


@kernel
def times(a, b):
    """a*b, and 0 when one factor is 0 whatever the other is: what does not change does not contribute, nor does a branch not taken."""
    if a == 0.0 or b == 0.0:
        return 0.0
    return a * b


@kernel
def bend(slope, rate, second):
    """Contribution f'(a) a'' to f''; none at a kink like that of sqrt at 0: a vertical tangent, and the argument at rest."""
    if rate == 0.0 and math.isinf(slope):
        return 0.0
    return times(slope, second)


# ---- functions of one argument, of two, of a table -----------------------------------------------------------------------


@kernel
def whole_power(a, n):
    """Multiply a**n out, by repeated squaring: right for negative a."""
    result, factor, m = 1.0, a, abs(n)
    while m > 0:
        if m % 2 != 0:
            result *= factor
        factor *= factor
        m //= 2
    return result if n >= 0 else 1.0 / result


@kernel
def value1(op, a, n):
    """f(a) of the smooth functions."""
    if op == NEG:
        return -a
    if op == POWI:
        return whole_power(a, n)
    if op == SIN:
        return scalar.sin(a)
    if op == COS:
        return scalar.cos(a)
    if op == TAN:
        return scalar.tan(a)
    if op == ASIN:
        return scalar.asin(a)
    if op == ACOS:
        return scalar.acos(a)
    if op == ATAN:
        return scalar.atan(a)
    if op == SINH:
        return scalar.sinh(a)
    if op == COSH:
        return scalar.cosh(a)
    if op == TANH:
        return scalar.tanh(a)
    if op == EXP:
        return scalar.exp(a)
    if op == LOG:
        return scalar.log(a)
    if op == LOG10:
        return scalar.log10(a)
    if op == SQRT:
        return scalar.sqrt(a)
    return _kinked1(op, a)


@kernel
def _kinked1(op, a):
    """f(a) of the functions with kinks and jumps."""
    if op == ABS:
        return scalar.sign(a) * a
    if op == SIGN:
        return scalar.sign(a)
    if op == FLOOR:
        return scalar.floor(a)
    if op == NOT:
        return scalar.choose(a, 0.0, 1.0)
    return math.nan  # no such code


@kernel
def value2(op, a, b):
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
        return scalar.power(a, b)
    if op == ATAN2:
        return scalar.atan2(a, b)
    if op == HYPOT:
        return scalar.hypot(a, b)
    if op == MIN:
        return scalar.minimum(a, b)
    if op == MAX:
        return scalar.maximum(a, b)
    if op == TIMES:
        return times(a, b)
    return 1.0 if _holds(op, a, b) else 0.0


@kernel
def _holds(op, a, b):
    """Whether a condition on two numbers holds."""
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
def spline_value(spline_first, spline_knots, spline_coefficients, table, order, s):
    """Derivative of the given order (0, 1, …) of a cubic spline at s; straight outside its knots.

    Splines lie one after the other: table j has the knots spline_first[j] … spline_first[j+1] - 1, and row i of
    `spline_coefficients` is (c0, c1, c2, c3) of the interval beginning at knot i, c0 + c1 h + c2 h^2 + c3 h^3; the row of its
    last knot, and the first two numbers of its first, continue it as straight lines.
    """
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
