"""The functions that tapes may call, each defined once: value, slope(s), curvature(s).

`sign` and the slope of `abs` are 0 at 0; `min` and `max` take the first of equals.
"""

from __future__ import annotations

import math

from .compiler import kernel
from .scalar import (
    above,
    acos,
    asin,
    atan,
    atan2,
    choose,
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
    sign,
    sin,
    sinh,
    sqrt,
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


@kernel
def times(a, b):
    """a*b, and 0 when one factor is 0 whatever the other is."""
    if a == 0.0 or b == 0.0:
        return 0.0
    return a * b


# ---- functions of one argument: value f, slope g = f', curvature f'' -------------------------------------------------


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
        return sqrt(a)
    return _kinked1(op, a)


@kernel
def _kinked1(op, a):
    """f(a) of the functions with kinks and jumps."""
    if op == ABS:
        return sign(a) * a
    if op == SIGN:
        return sign(a)
    if op == FLOOR:
        return floor(a)
    if op == NOT:
        return choose(a, 0.0, 1.0)
    return math.nan  # no such code


@kernel
def slope1(op, a, f, n):
    """Slope g = f'(a); infinite where the tangent is vertical, 0 for the functions that are constant between jumps."""
    if op == NEG:
        return -1.0
    if op == POWI:
        return n * whole_power(a, n - 1) if n != 0 else 0.0
    if op == SIN:
        return cos(a)
    if op == COS:
        return -sin(a)
    if op == TAN:
        return 1.0 + f * f
    if op == ASIN:
        return 1.0 / sqrt(1.0 - a * a)
    if op == ACOS:
        return -1.0 / sqrt(1.0 - a * a)
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
        return 0.5 / f
    if op == ABS:
        return sign(a)
    return 0.0


@kernel
def curve1(op, a, f, g, n):
    """f''(a), from the value f and the slope g where that is shorter."""
    if op == POWI:
        return n * (n - 1) * whole_power(a, n - 2) if n * (n - 1) != 0 else 0.0
    if op in (SIN, COS):
        return -f
    if op == TAN:
        return 2.0 * f * g
    if op in (ASIN, ACOS):
        return a * g * g * g
    if op == ATAN:
        return -2.0 * a * g * g
    if op in (SINH, COSH, EXP):
        return f
    if op == TANH:
        return -2.0 * f * g
    if op in (LOG, LOG10):
        return -g / a
    if op == SQRT:
        return -0.5 * g / a
    return 0.0


# ---- functions of two arguments: value f, slopes f_a, f_b, curvatures f_aa, f_ab, f_bb -------------------------------


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
        return power(a, b)
    if op == ATAN2:
        return atan2(a, b)
    if op == HYPOT:
        return hypot(a, b)
    if op == MIN:
        return minimum(a, b)
    if op == MAX:
        return maximum(a, b)
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
def slopes2(op, a, b, f):
    """(f_a, f_b)."""
    if op == ADD:
        return 1.0, 1.0
    if op == SUB:
        return 1.0, -1.0
    if op == MUL:
        return b, a
    if op == DIV:
        return 1.0 / b, -f / b
    if op == POW:
        # f_b = f log a tends to 0 with a
        return times(b, power(a, b - 1.0)), choose(f, f * log(a), 0.0)
    if op == ATAN2:
        square = a * a + b * b
        return b / square, -a / square
    if op == HYPOT:
        # at the origin the middle of all directions
        return choose(f, a / f, 0.0), choose(f, b / f, 0.0)
    if op == MIN:
        second = above(a, b)
        return choose(second, 0.0, 1.0), choose(second, 1.0, 0.0)
    if op == MAX:
        second = above(b, a)
        return choose(second, 0.0, 1.0), choose(second, 1.0, 0.0)
    return 0.0, 0.0  # conditions


@kernel
def curves2(op, a, b, f, fa, fb):
    """(f_aa, f_ab, f_bb), from the value and the slopes where that is shorter."""
    if op == MUL:
        return 0.0, 1.0, 0.0
    if op == DIV:
        return 0.0, -fa * fa, -2.0 * fb / b
    if op == POW:
        second = times(b * (b - 1.0), power(a, b - 2.0))
        return second, choose(a, power(a, b - 1.0) * (1.0 + b * log(a)), 0.0), choose(a, fb * log(a), 0.0)
    if op == ATAN2:
        return 2.0 * fa * fb, fb * fb - fa * fa, -2.0 * fa * fb
    if op == HYPOT:
        return (
            choose(f, (1.0 - fa * fa) / f, 0.0), choose(f, -fa * fb / f, 0.0), choose(f, (1.0 - fb * fb) / f, 0.0),
        )  # fmt: skip
    return 0.0, 0.0, 0.0
