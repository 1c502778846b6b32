"""Bounds of an expression over a box of its inputs: interval arithmetic on its program.

    run_ranges   lo <= f(x) <= hi  for all x with x_lo <= x <= x_hi

Every function gets an interval that contains all its values (monotonic pieces by their ends, sine and cosine by their extrema, tables by their
control points); rounding is not directed, so the bounds hold to round-off.  An input that occurs twice makes them wider than need be, never
narrower; halving the box halves the excess.  Undefined parts (a root of a negative number, a quotient by zero) give infinite bounds.
"""

from __future__ import annotations

import math

from . import functions as fn
from .compiler import kernel

HUGE = math.inf


@kernel
def range_product(a, b, c, d):
    """Bounds of x*y for a <= x <= b, c <= y <= d."""
    p, q, r, s = fn.times(a, c), fn.times(a, d), fn.times(b, c), fn.times(b, d)
    return min(min(p, q), min(r, s)), max(max(p, q), max(r, s))


@kernel
def range_cosine(a, b):
    """Bounds of the cosine: its ends, and 1 or -1 where a multiple of pi lies between them."""
    if not b - a < 2.0 * math.pi:
        return -1.0, 1.0
    low, high = min(math.cos(a), math.cos(b)), max(math.cos(a), math.cos(b))
    if math.floor(b / (2.0 * math.pi)) > math.floor(a / (2.0 * math.pi)):
        high = 1.0
    if math.floor((b - math.pi) / (2.0 * math.pi)) > math.floor((a - math.pi) / (2.0 * math.pi)):
        low = -1.0
    return low, high


@kernel
def range_whole_power(a, b, n):
    """Bounds of x**n, n a whole number."""
    if n < 0:
        if a <= 0.0 <= b:
            return -HUGE, HUGE
        p, q = fn.whole_power(a, n), fn.whole_power(b, n)
        return min(p, q), max(p, q)
    p, q = fn.whole_power(a, n), fn.whole_power(b, n)
    low, high = min(p, q), max(p, q)
    return (0.0 if n % 2 == 0 and a < 0.0 < b else low), high


@kernel
def range_one(op, a, b):
    """Bounds of a function of one argument."""
    if op == fn.NEG:
        return -b, -a
    if op == fn.COS:
        return range_cosine(a, b)
    if op == fn.SIN:
        return range_cosine(a - 0.5 * math.pi, b - 0.5 * math.pi)
    if op == fn.TAN:
        if b - a >= math.pi or math.floor(a / math.pi - 0.5) != math.floor(b / math.pi - 0.5):
            return -HUGE, HUGE
        return math.tan(a), math.tan(b)
    if op == fn.ASIN:
        return math.asin(min(1.0, max(-1.0, a))), math.asin(min(1.0, max(-1.0, b)))
    if op == fn.ACOS:
        return math.acos(min(1.0, max(-1.0, b))), math.acos(min(1.0, max(-1.0, a)))
    if op == fn.ATAN:
        return math.atan(a), math.atan(b)
    if op == fn.TANH:
        return math.tanh(a), math.tanh(b)
    if op == fn.SINH:
        return fn.value1(fn.SINH, min(a, 700.0), 0), fn.value1(fn.SINH, min(b, 700.0), 0) if b < 700.0 else HUGE
    if op == fn.COSH:
        high = max(abs(a), abs(b))
        low = 0.0 if a <= 0.0 <= b else min(abs(a), abs(b))
        return math.cosh(min(low, 700.0)), math.cosh(high) if high < 700.0 else HUGE
    if op == fn.EXP:
        return math.exp(min(a, 700.0)), math.exp(b) if b < 700.0 else HUGE
    if op in (fn.LOG, fn.LOG10):
        scale = 1.0 if op == fn.LOG else 1.0 / math.log(10.0)
        return math.log(a) * scale if a > 0.0 else -HUGE, math.log(b) * scale if b > 0.0 else HUGE
    if op == fn.SQRT:
        return math.sqrt(max(a, 0.0)), math.sqrt(max(b, 0.0))
    if op == fn.ABS:
        return (0.0 if a <= 0.0 <= b else min(abs(a), abs(b))), max(abs(a), abs(b))
    if op == fn.SIGN:
        return (1.0 if a > 0.0 else 0.0 if a == 0.0 else -1.0), (1.0 if b > 0.0 else 0.0 if b == 0.0 else -1.0)
    if op == fn.FLOOR:
        return math.floor(a) * 1.0, math.floor(b) * 1.0
    if op == fn.NOT:
        if a == 0.0 and b == 0.0:
            return 1.0, 1.0
        return 0.0, 1.0 if a <= 0.0 <= b else 0.0
    return -HUGE, HUGE


@kernel
def range_condition(op, a, b, c, d):
    """Bounds of a condition: (1, 1) where it holds for all, (0, 0) for none, (0, 1) else."""
    if op in (fn.AND, fn.OR):
        one, none = not a <= 0.0 <= b, a == 0.0 and b == 0.0
        two, nothing = not c <= 0.0 <= d, c == 0.0 and d == 0.0
        if op == fn.AND:
            return 1.0 if one and two else 0.0, 0.0 if none or nothing else 1.0
        return 1.0 if one or two else 0.0, 0.0 if none and nothing else 1.0
    if op == fn.LT:
        return 1.0 if b < c else 0.0, 0.0 if a >= d else 1.0
    if op == fn.LE:
        return 1.0 if b <= c else 0.0, 0.0 if a > d else 1.0
    apart, same = b < c or d < a, a == b and c == d and a == c
    if op == fn.EQ:
        return 1.0 if same else 0.0, 0.0 if apart else 1.0
    if op == fn.NE:
        return 1.0 if apart else 0.0, 0.0 if same else 1.0
    return 0.0, 1.0


@kernel
def range_power(a, b, c, d):
    """Bounds of x**y for x >= 0: extreme at the corners, since it is monotonic in either argument; else unknown."""
    if a < 0.0 or (a == 0.0 and c < 0.0):
        return -HUGE, HUGE
    p, q, r, s = fn.value2(fn.POW, a, c), fn.value2(fn.POW, a, d), fn.value2(fn.POW, b, c), fn.value2(fn.POW, b, d)
    return min(min(p, q), min(r, s)), max(max(p, q), max(r, s))


@kernel
def range_two(op, a, b, c, d):
    """Bounds of a function of two arguments in [a, b] and [c, d]."""
    if op == fn.ADD:
        return a + c, b + d
    if op == fn.SUB:
        return a - d, b - c
    if op == fn.MUL:
        return range_product(a, b, c, d)
    if op == fn.DIV:
        if c <= 0.0 <= d:
            return (0.0, 0.0) if a == 0.0 and b == 0.0 else (-HUGE, HUGE)
        return range_product(a, b, 1.0 / d, 1.0 / c)
    if op == fn.POW:
        if c == d and c == math.floor(c) and abs(c) < 1e6:
            return range_whole_power(a, b, int(c))
        return range_power(a, b, c, d)
    if op == fn.HYPOT:
        low = math.hypot(0.0 if a <= 0.0 <= b else min(abs(a), abs(b)), 0.0 if c <= 0.0 <= d else min(abs(c), abs(d)))
        return low, math.hypot(max(abs(a), abs(b)), max(abs(c), abs(d)))
    if op == fn.MIN:
        return min(a, c), min(b, d)
    if op == fn.MAX:
        return max(a, c), max(b, d)
    if op >= fn.LT:
        return range_condition(op, a, b, c, d)
    # the angle of a point: by the corners of a box that does not touch the cut, else all angles
    if a <= 0.0 <= b and c <= 0.0:
        return -math.pi, math.pi
    p, q, r, s = math.atan2(a, c), math.atan2(a, d), math.atan2(b, c), math.atan2(b, d)
    return min(min(p, q), min(r, s)), max(max(p, q), max(r, s))


@kernel
def range_cubic(c0, c1, c2, c3, u, w):
    """Bounds of c0 + c1 h + c2 h^2 + c3 h^3 on u <= h <= w: hull of its four control points."""
    d = (w - u) / 3.0
    f, e = c0 + u * (c1 + u * (c2 + u * c3)), c0 + w * (c1 + w * (c2 + w * c3))
    g, k = f + d * (c1 + u * (2.0 * c2 + 3.0 * u * c3)), e - d * (c1 + w * (2.0 * c2 + 3.0 * w * c3))
    return min(min(f, e), min(g, k)), max(max(f, e), max(g, k))


@kernel
def range_spline(spline_first, knots, coefficients, table, order, a, b):
    """Bounds of a table, or of its derivative, over [a, b]: of every piece that the interval touches."""
    start, stop = spline_first[table], spline_first[table + 1]
    low, high = HUGE, -HUGE
    # number of the piece at the left end: binary search
    below, above = start - 1, stop
    while above - below > 1:
        middle = (below + above) // 2
        if knots[middle] <= a:
            below = middle
        else:
            above = middle
    i = below
    while i < stop:
        k = max(i, start)
        c0, c1 = coefficients[k, 0], coefficients[k, 1]
        c2, c3 = (coefficients[k, 2], coefficients[k, 3]) if i >= start else (0.0, 0.0)
        for _ in range(order):
            c0, c1, c2, c3 = c1, 2.0 * c2, 3.0 * c3, 0.0
        right = b if i + 1 >= stop else min(b, knots[i + 1])
        u, w = range_cubic(
            c0, c1, c2, c3, max(a, knots[k]) - knots[k] if i >= start else a - knots[k], right - knots[k]
        )
        low, high = min(low, u), max(high, w)
        i += 1
        if i < stop and knots[i] > b:
            break
    return low, high


@kernel
def run_ranges(I, P, low, high, first, last, out, spline_first, spline_knots, spline_coefficients):
    """Bounds of everything that the program between two places of I computes (see `program.py`, without its fused codes), at the places of `run_program`."""
    k, o = first, out
    while k < last:
        code, count = I[k], I[k + 1]
        k += 2
        for _ in range(count):
            a = I[k]
            if code == fn.CONST:
                low[o], high[o] = P[a], P[a]
                k += 1
            elif code == fn.SELECT:
                b, c = I[k + 1], I[k + 2]
                if low[a] > 0.0 or high[a] < 0.0:
                    low[o], high[o] = low[b], high[b]
                elif low[a] == 0.0 and high[a] == 0.0:
                    low[o], high[o] = low[c], high[c]
                else:
                    low[o], high[o] = min(low[b], low[c]), max(high[b], high[c])
                k += 3
            elif code == fn.SPLINE:
                low[o], high[o] = range_spline(
                    spline_first, spline_knots, spline_coefficients, I[k + 1], I[k + 2], low[a], high[a]
                )
                k += 3
            elif code >= fn.BINARY:
                b = I[k + 1]
                if a == b and code == fn.MUL:
                    # a square: both factors are the same number
                    low[o], high[o] = range_whole_power(low[a], high[a], 2)
                elif low[a] == high[a] and low[b] == high[b]:
                    f = fn.value2(code, low[a], low[b])
                    low[o], high[o] = f, f
                else:
                    low[o], high[o] = range_two(code, low[a], high[a], low[b], high[b])
                k += 2
            elif code == fn.POWI:
                low[o], high[o] = range_whole_power(low[a], high[a], I[k + 1])
                k += 2
            else:
                low[o], high[o] = range_one(code, low[a], high[a])
                k += 1
            if not low[o] <= high[o]:
                # not a number: nothing is known
                low[o], high[o] = -HUGE, HUGE
            o += 1
