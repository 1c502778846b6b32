"""Which method the next steps are made by: what is noticed on the way, step by step.  The change itself is made between two entries (`solve/run.py`).

explicit   h |lambda| by the last two stages, both at the end of the step: |f(Y) - f(y)| / |Y - y| h.  Steps that accuracy chooses stay well
           inside the region of stability, of radius 6 (order 8) or 3.3 (order 5); a step that is held at its edge again and again is held by
           something fast that the solution does not follow; so is a shorter one in which the rates of the solution hardly change, or are none but rounding.  Hairer, Norsett, Wanner I, IV.2 (II): DOPRI5 and DOP853 decide in this way
implicit   h times the fastest rate of the derivatives at hand: where it is small again, an explicit method makes longer steps
orders     9 at tolerances that are not loose, else 5; Newton's method that fails again and again gives a lower order, ten steps without failure the next
           higher one
"""

from __future__ import annotations

import math

from ...kernels.compiler import kernel
from ...kernels.dense import factor_real, solve_real
from ...kernels.layout import PLANE, ROW, ROW_SIZE
from ...kernels.rows import wrench_dot
from ..integrators._base import EXPLICIT
from .explicit import combine

# what is asked for in `now.wanted`: the explicit method, exact derivatives of the equations, or Radau IIA with so many stages more than this
THE_EXPLICIT, EXACTLY, RADAU = 1, 2, 10
# relative tolerance up to which five stages cost less than three (measured: docs/decisions/stiff-methods.md)
FIVE_STAGES = 3.2e-5
# `now.choosing`: methods may change, orders may
ANY_METHOD, ANY_ORDER = 1, 2
# step times fastest rate beyond which an explicit step counts as held by stability, as a part of the radius of its region; below which an
# implicit step is as short as an explicit one could be
HELD, CALM = 0.85, 3.0
# the same of a step in which rates hardly change: fast terms that the solution does not follow are there, and the error estimate sees nothing else
FAST, SLOW = 0.5, 0.02
# the same at rest, where rates are rounding of positions times a stiffness: a change of them that moves states by so many tolerances over a step is nothing that
# the solution does.  Where accuracy chooses steps of FAST and more, states move by thousands
STILL = 10.0
# how often in a row; steps in between that may be otherwise; steps between two looks where nothing was noticed
OFTEN, FORGOTTEN, SELDOM = 15, 6, 10
# failures of Newton's method in a row after which the order is lowered; steps without one to raise it; so many failures, each forgotten after
# ten steps, and exact derivatives are asked for
LOWER, HIGHER, EXACT = 4, 10, 4


@kernel
def rate_times_step(method, now, mem, h):
    """|f(Y) - f(y)| / |Y - y| h of the last stage Y and the end y of an explicit step, in units of the tolerance; 0 where they hardly differ."""
    n, K, scale, last = mem.y.shape[0], mem.K, mem.scale, method.steps - 1
    combine(method.a, last, h, K, n, mem.y, mem.error)
    rates, states, a, b = 0.0, 0.0, last * n, method.steps * n
    for i in range(n):
        weight = 1.0 / (now.atol * abs(scale[i]) + now.rtol * abs(mem.y[i] - scale[n + i]))
        rates += ((K[b + i] - K[a + i]) * weight) ** 2
        states += ((mem.new_y[i] - mem.error[i]) * weight) ** 2
    # differences far below the tolerance are rounding
    return abs(h) * math.sqrt(rates / states) if states > 1e-4 * n else 0.0


@kernel
def hardly_changes(method, now, mem, h):
    """Whether a step is short beside all that the solution does: rates change by a small part of them, or states by little more than the tolerance for it."""
    n, K, scale, end = mem.y.shape[0], mem.K, mem.scale, method.steps * mem.y.shape[0]
    change, size = 0.0, 0.0
    for i in range(n):
        weight = 1.0 / (now.atol * abs(scale[i]) + now.rtol * abs(mem.y[i] - scale[n + i]))
        change += ((K[end + i] - K[i]) * weight) ** 2
        size += (K[end + i] * weight) ** 2
    return change < SLOW**2 * size or h * h * change < STILL**2 * n


@kernel
def most_stages(now):
    """Stages of the highest order that pays."""
    return 5 if now.rtol <= FIVE_STAGES else 3


@kernel
def notice_stiffness(method, now, mem, h):
    """After an explicit step: whether it was held by stability, once more."""
    if now.held == 0 and now.steps % SELDOM != 0:
        return
    radius = 6.0 if method.two_errors else 3.3
    found = rate_times_step(method, now, mem, h)
    if found > HELD * radius or (found > FAST and hardly_changes(method, now, mem, h)):
        now.held += 1
        now.other = 0
        if now.held >= now.patience:
            now.fastest, now.wanted = found / abs(h), RADAU + most_stages(now)
    elif now.held > 0:
        now.other += 1
        if now.other >= FORGOTTEN:
            now.held, now.other = 0, 0


@kernel
def largest_growth(s, a, width):
    """Size of the largest eigenvalue of unit^-1 a, by some steps of power iteration; the factor of unit is in `re`."""
    x, y, size = s.real_y, s.imag_y, 0.0
    for i in range(width):
        x[i] = 1.0 + 0.3 * (i % 3)
    for _ in range(12):
        for i in range(width):
            total = 0.0
            for j in range(width):
                total += a[i * width + j] * x[j]
            y[i] = total
        solve_real(s.re[0], width, s.pivot[0], y, 1)
        before, after = 0.0, 0.0
        for i in range(width):
            before += x[i] * x[i]
            after += y[i] * y[i]
        size = math.sqrt(after / before) if before > 0.0 else 0.0
        if not after > 0.0:
            return 0.0
        for i in range(width):
            x[i] = y[i] / math.sqrt(after)
    return size


@kernel
def find_fastest(now, s, width):
    """Fastest rate of the derivatives at hand [1/s]; the complex factors are lost."""
    for k in range(width * width):
        s.re[0, k] = s.unit[k]
    factor_real(s.re[0], width, s.pivot[0])
    now.fastest = max(largest_growth(s, s.by_rate, width), math.sqrt(largest_growth(s, s.by_place, width)))
    now.h_factored = 0.0


@kernel
def fastest_law(e, now, g):
    """Fastest rate that one law alone makes of the bodies it acts on [1/s]; rows in memory are scaled by masses."""
    I = e.I
    now.fastest = 0.0
    for k in range(g.soft.shape[0]):
        o, size = I[ROW] + ROW_SIZE * g.soft[k, 0], 0.0
        at, step = I[o], I[o + 1]
        for _ in range(I[o + 2], I[o + 2 + ROW_SIZE]):
            size += wrench_dot(I[PLANE], e.F, at, at)
            at += step
        now.fastest = max(now.fastest, max(abs(g.damping[k]) * size, math.sqrt(abs(g.stiffness[k]) * size)))


@kernel
def notice_calm(e, now, mem, s, g, h):
    """After an implicit step: whether an explicit one would be as long, once more."""
    if now.looked == 0 or now.steps - now.looked >= SELDOM:
        if g.perm.shape[0] > 0:
            fastest_law(e, now, g)
        else:
            find_fastest(now, s, now.free + mem.z.shape[0])
        now.looked = now.steps
    now.held = now.held + 1 if abs(h) * now.fastest < CALM else 0
    if now.held >= OFTEN:
        now.wanted = THE_EXPLICIT


@kernel
def notice_order(method, now):
    """After an implicit step: whether a higher order may be tried again."""
    now.quiet += 1
    if method.steps < most_stages(now) and now.quiet >= HIGHER:
        now.wanted = RADAU + (3 if method.steps < 3 else 5)


@kernel
def notice(e, method, now, mem, s, g, h):
    """After a step that is about to be accepted."""
    if method.kind == EXPLICIT:
        notice_stiffness(method, now, mem, h)
        return
    if now.choosing == ANY_METHOD:
        notice_calm(e, now, mem, s, g, h)
    if now.wanted == 0:
        notice_order(method, now)


@kernel
def notice_failure(method, now):
    """After an attempt that Newton's method did not solve."""
    now.quiet = 0
    now.trouble += HIGHER
    if now.trouble > (EXACT - 1) * HIGHER and now.exact == 0:
        now.wanted = EXACTLY
    elif now.hard >= LOWER and now.hard % LOWER == 0 and method.steps > 2 and now.choosing > 0:
        now.wanted = RADAU + (3 if method.steps == 5 else 2)
