"""Nothing between two steps is missed: switches and narrow expressions, along the step that was just made.

Along a piece of a step every scalar that expressions depend on (a measure, a coordinate) is a polynomial of degree 5 through its value, rate and
second rate at both ends, give or take a remainder: what it is off by in the middle of the piece, where the measure itself is known
(`solve/stepping/pieces.py`).  Bounds of the polynomials with their remainders, put into its program by interval arithmetic, bound a gap or an
expression (`kernels/ranges.py`).  A piece is a whole step at first; where bounds with remainders leave something open it is halved:

    switches   the gap stays in the band of its side over the whole step, or the first place where it leaves is found by halving
    events     the same for what a user watches, located as well as numbers allow; the side is kept here, and the limit is 0
    narrow     over every part of the step the bounds agree with the values at sampled points, or the part is halved until they do, or until a
               value is met that the step has not seen: a pulse, a wall

Time is an input like others, with exact bounds; what depends on time alone is found to the last bit.  A state is known to the tolerance of the
integration only: a gap is taken to be left when it is beyond its limit by what that tolerance makes of it, and the step then ends at the limit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .compiler import kernel
from .layout import ACC, BIAS, FORCE, LAM, N_ROWS, RATE, VALUE
from .program import run_program
from .ranges import run_ranges
from .rows import row_dot

CONDITION, SIGN, FLOOR, KNOT, NARROW, EVENT = range(6)
IS_VALUE, IS_RATE, IS_SIDE = range(3)
# Watch.rate_only: a value and a rate, but no second rate; a multiplier of a row, and a load made of forces along rows, which have a value only
NO_SECOND, MULTIPLIER, LOAD = 2, 3, 4
# Watch.halts of events: at every crossing, upward ones only, downward ones only
EITHER, UPWARD, DOWNWARD = 1, 2, 3
# what an event may be off by: this part of its inputs, and of their scales; it is missed only where it passes its limit by twenty times as little
EVENT_RTOL, EVENT_ATOL = 1e-15, 1e-14
# what polynomials go over: a whole step, a piece of it, its last piece
WHOLE, PIECE, LAST = range(3)
# an event that begins at its limit has been away from it beyond so many times what it is missed by
AWAY = 25.0
NONE = 2.0  # a fraction of the step beyond its end: nothing found
EPSILON = 2.3e-16
# where forces are looked at: at both ends and in the middle, which give a parabola, and twice between
LOOKED = (0.0, 0.23, 0.5, 0.71, 1.0)
# parts of a piece looked at for one expression, beyond which its bounds are taken to be wide for no reason
WORK = 300
# part of a step in which a gap that goes one way at five points leaves its band once
SMOOTH = 1.0 / 128.0
# ends of pieces that are kept at a time: a piece is never shorter than 2^-40 of its step
DEPTH = 41


class Watch(NamedTuple):
    """Arrays of what is watched; one row for each unless said otherwise."""

    # programs of gaps and narrow expressions, on registers behind the inputs: t and those listed below
    code: np.ndarray
    numbers: np.ndarray  # numbers that they load
    first: np.ndarray  # first place of each in the code
    last: np.ndarray
    result: np.ndarray  # register of its result
    spline_first: np.ndarray
    spline_knots: np.ndarray
    spline_coefficients: np.ndarray
    scalar: np.ndarray  # row of each scalar, or -1 - (number of a coordinate)
    rate_only: np.ndarray  # 1: the scalar has a rate and no value; NO_SECOND: a value and a rate, but no second rate; MULTIPLIER: a value only
    load0: np.ndarray  # first entry of each scalar among the loads, one more at the end
    load: np.ndarray  # (place in F of a force along a row, place in F of a component of that row, -1: none)
    share: np.ndarray  # what the product counts
    scale: np.ndarray  # of each scalar, for the absolute tolerance: metres or radians
    kind: np.ndarray
    input0: np.ndarray  # first input, one more at the end
    input: np.ndarray  # (kind, scalar or place of a side in F)
    side: np.ndarray  # place of its side in F, the table of a knot, or -1
    gate: np.ndarray  # place in F of a side that must not be 0, or -1
    # 1: Python must look at it before the run goes on (drivers and rows; of events by their direction)
    halts: np.ndarray
    weight: np.ndarray  # of narrow expressions: inertia that a force moves; 0 for positions
    owner: np.ndarray  # number of the owner
    active: np.ndarray  # 0: not in the present mode
    held: np.ndarray  # side of each event, -1 or 1; 0 while it has not been away from its limit
    # scratch: scalars with rates at the start of a step; at its end, then at the ends of the pieces that are looked at; at the start of a piece
    jets0: np.ndarray
    jets1: np.ndarray
    left: np.ndarray
    poly: np.ndarray  # scratch: their polynomials over a piece
    off: np.ndarray  # remainders of value and rate
    seen: np.ndarray  # of each expression: limits between which the step knows it, if it is narrow
    ends: np.ndarray  # fractions of the step at which pieces end
    turning: np.ndarray  # places in v of the angular velocities of bodies that measures belong to
    looked: np.ndarray  # fractions of a step at which forces are looked at
    low: np.ndarray  # registers: values, or lower bounds
    high: np.ndarray  # upper bounds
    stack: np.ndarray
    # a number: the time that the run counts from, so that a motion begun late is known as well as one begun at 0; the times of a step are counted from it
    clock: np.ndarray


def nothing_watched() -> Watch:
    """A watch on nothing."""
    none, numbers, table = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 4))
    pairs = np.zeros((0, 2), dtype=np.int64)
    jets = np.zeros((0, 3))
    return Watch(
        none, numbers, none, none, none, np.zeros(1, dtype=np.int64), numbers, table, none, none,
        np.zeros(1, dtype=np.int64), pairs, numbers, numbers, none, np.zeros(1, dtype=np.int64), pairs, none, none, none, numbers, none, none, numbers, jets, jets, jets,
        np.zeros((0, 10)), np.zeros((0, 2)), np.zeros((0, 2)), numbers, none, np.array(LOOKED), np.zeros(1), np.zeros(1), np.zeros((64, 2)), np.zeros(1),
    )  # fmt: skip


def only_events(w: Watch) -> Watch:
    """The same watch on events alone; laws that switch do so as each state says, and nothing narrow is looked for."""
    anything = np.tile([-math.inf, math.inf], (len(w.kind), 1))
    return w._replace(kind=np.where(w.kind == EVENT, w.kind, NARROW), seen=anything)


def without_events(w: Watch) -> Watch:
    """The same watch on laws alone; events, which come last, are skipped."""
    return w._replace(kind=w.kind[w.kind != EVENT])


@kernel
def force_of(I, F, w, k):
    """Scalar k that is a multiplier, or a load: the sum of forces along rows, each by a component of its row on a body."""
    if w.rate_only[k] == MULTIPLIER:
        return F[I[LAM] + w.scalar[k]]
    total = 0.0
    for p in range(w.load0[k], w.load0[k + 1]):
        along = F[w.load[p, 1]] if w.load[p, 1] >= 0 else 1.0
        total += w.share[p] * F[w.load[p, 0]] * along
    return total


@kernel
def read_scalars(I, F, w, q, v, a, jets, top):
    """Value, rate and second rate of every scalar at the state whose evaluation is current, at the place `top` of the jets."""
    for k in range(w.scalar.shape[0]):
        r, jet = w.scalar[k], jets[top * w.scalar.shape[0] + k]
        if r < 0:
            jet[0], jet[1], jet[2] = q[-1 - r], v[-1 - r], a[-1 - r]
        elif w.rate_only[k] >= MULTIPLIER:
            jet[0] = force_of(I, F, w, k)
        elif w.rate_only[k] == NO_SECOND:
            # an auxiliary state: its rate is that of its law
            jet[0], jet[1], jet[2] = F[I[VALUE] + r], F[I[FORCE] + r - I[N_ROWS]], 0.0
        else:
            jet[0], jet[1] = F[I[VALUE] + r], F[I[RATE] + r]
            jet[2] = row_dot(I, F, r, I[ACC]) + F[I[BIAS] + r]


@kernel
def fit(w, h):
    """Polynomials over the whole step."""
    for k in range(w.scalar.shape[0]):
        for i in range(3):
            w.left[k, i] = w.jets0[k, i]
    fit_piece(w, 0, h)


@kernel
def fit_piece(w, top, h):
    """Polynomials in x = 0 ... 1 of all scalars over a piece of length h, whose end is number `top`: degree 5, or 3 where there is no value, or no second rate."""
    for k in range(w.scalar.shape[0]):
        p, r = w.left[k], w.jets1[top * w.scalar.shape[0] + k]
        c = w.poly[k]
        w.off[k, 0], w.off[k, 1] = 0.0, 0.0
        if w.rate_only[k] >= MULTIPLIER:
            # a parabola through both ends and the middle, which stands among the rates at the end
            m = r[1]
            c[0], c[1], c[2], c[3], c[4], c[5] = (
                p[0],
                4.0 * m - 3.0 * p[0] - r[0],
                2.0 * (p[0] + r[0]) - 4.0 * m,
                0.0,
                0.0,
                0.0,
            )
            continue
        if w.rate_only[k]:
            # value and slope at both ends: of the rate of what has no value, of the value of what has no second rate
            o = 0 if w.rate_only[k] == NO_SECOND else 1
            d, e = r[o] - p[o] - h * p[o + 1], h * (r[o + 1] - p[o + 1])
            c[0], c[1], c[2], c[3], c[4], c[5] = p[o], h * p[o + 1], 3.0 * d - e, e - 2.0 * d, 0.0, 0.0
            continue
        c0, c1, c2 = p[0], h * p[1], 0.5 * h * h * p[2]
        d, e, f = r[0] - c0 - c1 - c2, h * r[1] - c1 - 2.0 * c2, h * h * r[2] - 2.0 * c2
        c[0], c[1], c[2] = c0, c1, c2
        c[3], c[4], c[5] = 10.0 * d - 4.0 * e + 0.5 * f, 7.0 * e - 15.0 * d - f, 6.0 * d - 3.0 * e + 0.5 * f
        # its derivative would have the rounding of values over h: rates have a cubic of their own
        d, e = r[1] - p[1] - h * p[2], h * (r[2] - p[2])
        c[6], c[7], c[8], c[9] = p[1], h * p[2], 3.0 * d - e, e - 2.0 * d


@kernel
def measure_remainders(w, top, h, rtol, atol):
    """Remainders from what was found in the middle of the piece, at the place `top` of the jets; 0 where they are within the tolerance.

    A polynomial through both ends is off most in the middle where its first missing derivative is constant.  Where a scalar has a corner its rate
    there is off as well.  Forces were compared before (`follows`).
    """
    for k in range(w.scalar.shape[0]):
        m, c, kind = w.jets1[top * w.scalar.shape[0] + k], w.poly[k], w.rate_only[k]
        if kind >= MULTIPLIER:
            continue
        o = 1 if kind == 1 else 0
        off, fast = 2.0 * abs(scalar_at(c, 0.5, IS_VALUE, kind) - m[o]), 0.0
        if kind == 0:
            fast = 2.0 * abs(scalar_at(c, 0.5, IS_RATE, kind) - m[1])
            off += 0.25 * abs(h) * fast
        # not a number, where a measure has none: nothing is known
        w.off[k, 0] = 0.0 if off <= atol * w.scale[k] + rtol * abs(m[o]) else off if off < math.inf else math.inf
        w.off[k, 1] = 0.0 if fast <= atol * w.scale[k] + rtol * abs(m[1]) else fast if fast < math.inf else math.inf


@kernel
def is_doubted(w, n):
    """Whether polynomials that what is watched under number n depends on have remainders."""
    for p in range(w.input0[n], w.input0[n + 1]):
        kind, k = w.input[p, 0], w.input[p, 1]
        if kind != IS_SIDE and w.off[k, 1 if kind == IS_RATE and not w.rate_only[k] else 0] != 0.0:
            return True
    return False


@kernel
def feels(w, n):
    """Return True if what is watched under number n at present depends on a force."""
    for p in range(w.input0[n], w.input0[n + 1]):
        if w.active[n] != 0 and w.input[p, 0] != IS_SIDE and w.rate_only[w.input[p, 1]] >= MULTIPLIER:
            return True
    return False


@kernel
def displace(w, h, x, jets):
    """Shift the parabolas of forces to what they are at the fraction x, which stands among second rates."""
    for k in range(w.scalar.shape[0]):
        if w.rate_only[k] >= MULTIPLIER:
            w.poly[k, 0] += jets[k, 2] - scalar_at(w.poly[k], x, IS_VALUE, w.rate_only[k])


@kernel
def scalar_at(c, x, kind, rate_only):
    """Value or rate of a scalar at the fraction x of the step."""
    if kind == IS_VALUE or rate_only:
        return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))
    return c[6] + x * (c[7] + x * (c[8] + x * c[9]))


@kernel
def scalar_bounds(c, x, r, kind, rate_only):
    """Bounds over the fractions x - r ... x + r: the Taylor polynomial about x, every term at its largest."""
    if kind == IS_RATE and not rate_only:
        t0, t1, t2 = (
            c[6] + x * (c[7] + x * (c[8] + x * c[9])),
            c[7] + x * (2.0 * c[8] + x * 3.0 * c[9]),
            c[8] + 3.0 * x * c[9],
        )
        spread = r * (abs(t1) + r * (abs(t2) + r * abs(c[9])))
        return t0 - spread, t0 + spread
    t0 = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))
    t1 = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * (4.0 * c[4] + x * 5.0 * c[5])))
    t2 = c[2] + x * (3.0 * c[3] + x * (6.0 * c[4] + x * 10.0 * c[5]))
    t3 = c[3] + x * (4.0 * c[4] + x * 10.0 * c[5])
    t4 = c[4] + x * 5.0 * c[5]
    spread = r * (abs(t1) + r * (abs(t2) + r * (abs(t3) + r * (abs(t4) + r * abs(c[5])))))
    return t0 - spread, t0 + spread


@kernel
def registers(w, n):
    """First register of the program of number n: behind t and its inputs."""
    return 1 + w.input0[n + 1] - w.input0[n]


@kernel
def range_of(w, n):
    """Bounds of what is watched under number n, by those of its inputs at hand."""
    run_ranges(
        w.code, w.numbers, w.low, w.high, w.first[n], w.last[n], registers(w, n),
        w.spline_first, w.spline_knots, w.spline_coefficients,
    )  # fmt: skip
    return w.low[w.result[n]], w.high[w.result[n]]


@kernel
def value_at(F, w, n, t, h, x):
    """Value of what is watched under number n at the fraction x."""
    w.low[0] = w.clock[0] + (t + x * h)
    for p in range(w.input0[n], w.input0[n + 1]):
        kind, k = w.input[p, 0], w.input[p, 1]
        o = 1 + p - w.input0[n]
        if kind == IS_SIDE:
            w.low[o] = F[k]
        else:
            w.low[o] = scalar_at(w.poly[k], x, kind, w.rate_only[k])
    run_program(
        w.code, w.numbers, w.low, w.first[n], w.last[n], registers(w, n), w.spline_first, w.spline_knots, w.spline_coefficients
    )  # fmt: skip
    return w.low[w.result[n]]


@kernel
def bounds(F, w, n, t, h, a, b, doubted):
    """Bounds of what is watched under number n over the fractions a ... b; `doubted`: with remainders."""
    w.low[0], w.high[0] = w.clock[0] + min(t + a * h, t + b * h), w.clock[0] + max(t + a * h, t + b * h)
    for p in range(w.input0[n], w.input0[n + 1]):
        kind, k = w.input[p, 0], w.input[p, 1]
        o = 1 + p - w.input0[n]
        if kind == IS_SIDE:
            w.low[o], w.high[o] = F[k], F[k]
        else:
            w.low[o], w.high[o] = scalar_bounds(w.poly[k], 0.5 * (a + b), 0.5 * (b - a), kind, w.rate_only[k])
            if doubted:
                off = w.off[k, 1] if kind == IS_RATE and not w.rate_only[k] else w.off[k, 0]
                w.low[o], w.high[o] = w.low[o] - off, w.high[o] + off
    return range_of(w, n)


@kernel
def slope_at_end(c, h, kind, rate_only):
    """Rate at the end of the piece of what `scalar_at` gives."""
    if kind == IS_VALUE or rate_only:
        return (c[1] + 2.0 * c[2] + 3.0 * c[3] + 4.0 * c[4] + 5.0 * c[5]) / h
    return (c[7] + 2.0 * c[8] + 3.0 * c[9]) / h


@kernel
def slack(F, w, n, t, h, rtol, atol):
    """By how much a gap may be beyond its limit and still be at it: what the tolerances of its inputs at the end, and the rounding of the time, make of it."""
    late = 4.0 * EPSILON * max(abs(t), abs(t + h))
    later = max(late, 4.0 * EPSILON * abs(w.clock[0] + t + h))
    w.low[0], w.high[0] = w.clock[0] + (t + h) - later, w.clock[0] + (t + h) + later
    for p in range(w.input0[n], w.input0[n + 1]):
        kind, k = w.input[p, 0], w.input[p, 1]
        o = 1 + p - w.input0[n]
        if kind == IS_SIDE:
            w.low[o], w.high[o] = F[k], F[k]
        else:
            s = scalar_at(w.poly[k], 1.0, kind, w.rate_only[k])
            wide = atol * w.scale[k] + rtol * abs(s) + late * abs(slope_at_end(w.poly[k], h, kind, w.rate_only[k]))
            w.low[o], w.high[o] = s - wide, s + wide
    low, high = range_of(w, n)
    return 0.5 * (high - low) if high - low < math.inf else 0.0


@kernel
def tolerated(F, w, n, t, h, rtol, atol):
    """The slack of a switch by the tolerances of the run, of an event by what numbers allow."""
    if w.kind[n] == EVENT:
        return 20.0 * slack(F, w, n, t, h, EVENT_RTOL, EVENT_ATOL)
    return slack(F, w, n, t, h, rtol, atol)


@kernel
def band(F, w, n, t, h):
    """Limits of the gap that belong to the side at hand."""
    kind = w.kind[n]
    if kind == KNOT:
        # the piece of the table that the step is in: the one that holds its argument a little after the start
        table = w.side[n]
        first, last = w.spline_first[table], w.spline_first[table + 1]
        u = value_at(F, w, n, t, h, 1e-6)
        low, high = first - 1, last
        while high - low > 1:
            middle = (low + high) // 2
            if w.spline_knots[middle] <= u:
                low = middle
            else:
                high = middle
        return (w.spline_knots[low] if low >= first else -math.inf, w.spline_knots[high] if high < last else math.inf)
    side = w.held[n] if kind == EVENT else F[w.side[n]]
    if kind == FLOOR:
        return side, side + 1.0
    if side == 0.0 and kind != CONDITION:
        return 0.0, 0.0
    return (0.0, math.inf) if side > 0.0 else (-math.inf, 0.0)


@kernel
def leaves_once(F, w, n, t, h, a, b, low, high):
    """Whether the gap is inside the band at a, outside at b, and goes one way between them, as far as three points tell."""
    first, last = value_at(F, w, n, t, h, a), value_at(F, w, n, t, h, b)
    if not low <= first <= high or low <= last <= high:
        return False
    way, before = 1.0 if last > first else -1.0, first
    for k in range(1, 4):
        g = value_at(F, w, n, t, h, a + 0.25 * k * (b - a))
        if not way * (g - before) > 0.0:
            return False
        before = g
    return way * (last - before) > 0.0


@kernel
def leaves(F, w, n, t, h, low, high, doubted):
    """First fraction of the piece at which the gap is outside low ... high, or NONE; by halving, from the left.

    With remainders (`doubted`) some fraction at which it may be outside.
    """
    w.stack[0, 0], w.stack[0, 1] = 0.0, 1.0
    depth, work, timed = 1, 0, w.input0[n] == w.input0[n + 1]
    smallest = EPSILON * max(abs(w.clock[0] + t), abs(w.clock[0] + t + h)) / abs(h) if timed else 1e-10
    while depth > 0:
        depth -= 1
        a, b = w.stack[depth, 0], w.stack[depth, 1]
        lo, hi = bounds(F, w, n, t, h, a, b, doubted)
        if lo >= low and hi <= high:
            continue
        work += 1
        if b - a <= smallest or depth > 60 or work > WORK:
            g = value_at(F, w, n, t, h, b)
            if doubted or g < low or g > high:
                return b
            continue
        middle = 0.5 * (a + b)
        if doubted:
            lo, hi = bounds(F, w, n, t, h, b, b, True)
            if lo < low or hi > high:
                return b
        elif not timed and b - a <= SMOOTH and leaves_once(F, w, n, t, h, a, b, low, high):
            return b
        w.stack[depth, 0], w.stack[depth, 1] = middle, b
        w.stack[depth + 1, 0], w.stack[depth + 1, 1] = a, middle
        depth += 2
    return NONE


@kernel
def first_switch(F, w, t, h, rtol, atol, pending, place, leaving):
    """The switch that the piece leaves first: (fraction, number), (NONE, -1) if there is none; and whether remainders leave that open.

    A switch that the step was made to end at (`pending`) is not looked for again when it is there.  Inside a step, where a piece of it begins or
    ends (`place`), the motion is known to the tolerance only, and so is what it leaves.  `leaving`: events that begin at their
    limit are looked for where they leave it, too.
    """
    best, found, doubtful = NONE, -1, False
    for n in range(w.kind.shape[0]):
        if w.kind[n] == NARROW or w.active[n] == 0 or (w.gate[n] >= 0 and F[w.gate[n]] == 0.0):
            continue
        low, high = band(F, w, n, t, h)
        lo, hi = bounds(F, w, n, t, h, 0.0, 1.0, True)
        if lo >= low and hi <= high:
            continue
        wide = tolerated(F, w, n, t, h, rtol, atol)
        unarmed = w.kind[n] == EVENT and w.held[n] == 0.0
        if unarmed and (n == pending or not leaving):
            continue
        # a step that was made to end at a limit comes near it
        near = place != WHOLE or n == pending
        far = max(wide, slack(F, w, n, t, h, rtol, atol)) if near else wide
        if unarmed:
            # the side is the one that it goes to, whatever rounding says at the limit
            far *= AWAY
        edge = 0.0 if n == pending else wide
        x = leaves(F, w, n, t, h, low - far, high + far, False)
        if x == NONE and near and place != PIECE and not unarmed:
            g = value_at(F, w, n, t, h, 1.0)
            there = n == pending and at_limit(F, w, n, t, h, low, high, wide)
            x = 1.0 if not there and (g < low - edge or g > high + edge) else NONE
        if x < NONE and not unarmed:
            x = surface(F, w, n, t, h, low, high, x, wide)
            if w.kind[n] == KNOT and x < 1e-3:
                # the step begins at the point of the table: nothing changes there but a third derivative
                x = NONE
        elif x == NONE and is_doubted(w, n) and leaves(F, w, n, t, h, low - far, high + far, True) < NONE:
            doubtful = True
        if x < best:
            best, found = x, n
    return best, found, doubtful


@kernel
def arm(F, w, t, h):
    """Events that began at their limit and are away from it at the end of the step get their side there."""
    for n in range(w.kind.shape[0]):
        if w.kind[n] == EVENT and w.active[n] != 0 and w.held[n] == 0.0:
            g = value_at(F, w, n, t, h, 1.0)
            if abs(g) > AWAY * tolerated(F, w, n, t, h, 0.0, 0.0):
                w.held[n] = 1.0 if g > 0.0 else -1.0


@kernel
def surface(F, w, n, t, h, low, high, x, wide):
    """Fraction at which the gap passes its limit, the last one before x, where it is beyond: back until it is inside, then by halving.

    An event that begins at its limit is inside (`wide`).
    """
    wide = wide if w.kind[n] == EVENT else 0.0
    a, back = x, 1e-9
    while a > 0.0:
        a = max(0.0, x - back)
        g = value_at(F, w, n, t, h, a)
        if low <= g <= high:
            break
        back *= 4.0
    b = x
    if a == 0.0:
        g = value_at(F, w, n, t, h, 0.0)
        if g < low - wide or g > high + wide:
            # off by rounding where the motion goes inside at first and comes back, as from a stiff wall in a part of 1e-9 of the step, or beyond from there on
            soonest = 4.0 * EPSILON * max(abs(t), abs(t + h))
            while a == 0.0:
                if b * abs(h) <= soonest:
                    return 0.0
                g = value_at(F, w, n, t, h, 0.25 * b)
                if low <= g <= high:
                    a = 0.25 * b
                else:
                    b = 0.25 * b
    # secants and halvings in turn; the ordinate of an end that stays a second time is halved (Illinois)
    g = value_at(F, w, n, t, h, b)
    limit, stays = low if g < low else high, 0
    off, left = g - limit, value_at(F, w, n, t, h, a) - limit
    for k in range(120):
        if b - a <= EPSILON * b:
            break
        x = 0.5 * (a + b)
        if k % 2 == 0 and left != off:
            secant = a + (b - a) * left / (left - off)
            x = secant if a < secant < b else x
        g = value_at(F, w, n, t, h, x)
        if low <= g <= high:
            a, left, off, stays = x, g - limit, 0.5 * off if stays > 0 else off, 1
        else:
            b, off, left, stays = x, g - limit, 0.5 * left if stays < 0 else left, -1
    if a > 0.0 and w.kind[n] == EVENT:
        g = value_at(F, w, n, t, h, a)
        if not low < g < high:
            # at its limit to the last bit, as a time often is: not an ulp later
            return a
    return b


@kernel
def at_limit(F, w, n, t, h, low, high, wide):
    """Whether the gap at the end of the step is at its limit: a twentieth of what can be known of it."""
    g = value_at(F, w, n, t, h, 1.0)
    return abs(g - low) <= 0.05 * wide or abs(g - high) <= 0.05 * wide


@kernel
def arrived(F, w, n, t, h, rtol, atol):
    """Whether the step ended at the limit of switch n, or beyond it."""
    low, high = band(F, w, n, t, h)
    g = value_at(F, w, n, t, h, 1.0)
    return g <= low or g >= high or at_limit(F, w, n, t, h, low, high, tolerated(F, w, n, t, h, rtol, atol))


@kernel
def flip(F, w, n, t, h, x):
    """Put switch n on its other side, that which its gap goes to at the fraction x; return whether Python has to look at it."""
    halts = w.halts[n]
    if w.kind[n] == KNOT:
        return halts != 0
    if w.kind[n] == EVENT:
        if w.held[n] == 0.0:
            # it has left the limit that it began at, which is no crossing
            w.held[n] = 1.0 if value_at(F, w, n, t, h, x) > 0.0 else -1.0
            return False
        w.held[n] = -w.held[n]
        return halts == EITHER or (halts == UPWARD) == (w.held[n] > 0.0)
    place = w.side[n]
    side = F[place]
    if w.kind[n] == CONDITION:
        F[place] = 0.0 if side > 0.0 else 1.0
    elif w.kind[n] == SIGN:
        g = value_at(F, w, n, t, h, x)
        F[place] = -side if side != 0.0 else 1.0 if g > 0.0 else -1.0
    else:
        g = value_at(F, w, n, t, h, x)
        F[place] = side + 1.0 if g > side + 0.5 else side - 1.0
    return halts != 0


@kernel
def learn(F, w, t, h, rtol, atol, c, stages, anew):
    """Limits between which every narrow expression stays if it does nothing that the step has not seen; narrower ones where there are some (not `anew`).

    The values at its stages (fractions c) tell what the step knows.  Outside them by more than their spread is unknown; a force also has to be large
    enough to matter: to change the rates within the step by more than ten times the tolerance.
    """
    for n in range(w.kind.shape[0]):
        if w.kind[n] != NARROW:
            continue
        least, most = math.inf, -math.inf
        for k in range(stages + 1):
            f = value_at(F, w, n, t, h, c[k])
            least, most = min(least, f), max(most, f)
        fast = 0.0
        for p in range(w.input0[n], w.input0[n + 1]):
            if w.input[p, 0] != IS_SIDE:
                k = w.input[p, 1]
                fast = max(fast, (atol * w.scale[k] + rtol * abs(w.jets1[k, 1])) / w.scale[k])
        small = 10.0 * (
            w.weight[n] * max(fast, atol) / abs(h) if w.weight[n] > 0.0 else atol + rtol * max(abs(least), abs(most))
        )
        # positions inside a step are known to some tens of tolerances, a stiff force to what that makes of it
        margin = (most - least) + small + 100.0 * slack(F, w, n, t, h, rtol, atol)
        low, high = least - margin, most + margin
        if not high - low < math.inf:
            low, high = -math.inf, math.inf
        w.seen[n, 0] = low if anew else max(low, w.seen[n, 0])
        w.seen[n, 1] = high if anew else min(high, w.seen[n, 1])


@kernel
def unseen(F, w, n, t, h):
    """A part of the piece in which a narrow expression does what the step has not seen: (where it begins, how long it is), or (NONE, 0); and whether remainders leave that open."""
    low, high, doubtful = w.seen[n, 0], w.seen[n, 1], False
    w.stack[0, 0], w.stack[0, 1] = 0.0, 1.0
    depth, work = 1, 0
    while depth > 0:
        depth -= 1
        a, b = w.stack[depth, 0], w.stack[depth, 1]
        lo, hi = bounds(F, w, n, t, h, a, b, True)
        if lo >= low and hi <= high:
            continue
        lo, hi = bounds(F, w, n, t, h, a, b, False)
        if lo >= low and hi <= high:
            doubtful = True
            continue
        work += 1
        if b - a < 1e-12 or depth > 60 or work > WORK:
            continue
        middle = 0.5 * (a + b)
        f = value_at(F, w, n, t, h, middle)
        if f < low or f > high:
            return a, b - a, False
        w.stack[depth, 0], w.stack[depth, 1] = middle, b
        w.stack[depth + 1, 0], w.stack[depth + 1, 1] = a, middle
        depth += 2
    return NONE, 0.0, doubtful


@kernel
def examine(F, w, t, h, rtol, atol, pending, place, leaving):
    """What the piece of length h from t brings first: (fraction, length of what was not seen, number of the switch or -1, whether that is open)."""
    best, found, doubtful = first_switch(F, w, t, h, rtol, atol, pending, place, leaving)
    length = 0.0
    if found >= 0:
        return best, length, found, False
    for n in range(w.kind.shape[0]):
        if w.kind[n] == NARROW:
            a, wide, unsure = unseen(F, w, n, t, h)
            doubtful = doubtful or unsure
            if a < best:
                best, length = a, wide
    return best, length, -1, doubtful and best == NONE
