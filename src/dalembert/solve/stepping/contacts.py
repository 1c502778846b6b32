"""The contacts of a time step: their impulses with what they take, and positions brought out of gaps that overlap.

A contact takes part where its gap would be negative at the end of the step; those that the others drive into overlap are added, and the problem is solved again.
"""

from __future__ import annotations

import math

from ...kernels.bodies import move, unscale
from ...kernels.compiler import kernel
from ...kernels.contact_points import FRICTION, gap_of
from ...kernels.evaluate import inputs, poses
from ...kernels.hold import hold
from ...kernels.impulses import dissipate, drives, rate_along, solve_impulses
from ...kernels.layout import (
    ACC,
    GRAVITY,
    LAM,
    MASS,
    N_BODIES,
    N_ROWS,
    PLANE,
    PLANE_MASS,
    SADDLE,
    SPACE_MASS,
)
from .touching import (
    DEEPEST_GAP,
    FALL,
    LOST,
    MOST_ROWS,
    SWEPT,
    UNSOLVED,
    WORST,
    add,
    held_by_joints,
    let_slip,
    look_at,
    scale_velocity,
    takes_part,
)

# rounds in which contacts are added to a step, and in which gaps that overlap are opened; sweeps of each
ADDED, OPENED, SWEEPS = 20, 30, 100
# part of the rates of a step that its contact problem may leave before that is counted
LEFT = 1e-4


@kernel
def contact_step(e, points, c, x, v, free, h, deepest):
    """Impulses of a step and the jump of velocities that they make; v, free: velocities at its start, and without contacts at its end."""
    I, P, F, width, scale = e.I, e.P, e.F, 3 if e.I[PLANE] else 6, 0.0
    scale_velocity(I, P, v, c.v_hat)
    scale_velocity(I, P, free, c.free_hat)
    x.many[0], x.many[1], square = 0, 0, 0.0
    for i in range(3):
        square += P[I[GRAVITY] + i] ** 2
    c.told[FALL] = abs(h) * math.sqrt(square)
    for m in range(x.component0[x.component0.shape[0] - 1]):
        x.press[m, 0] = 0.0
        for i in range(points.entry0[m], points.entry0[m + 1]):
            x.press[m, 0] += h * points.entry_weight[i] * F[I[LAM] + points.entry_row[i]]
    for r in range(I[N_ROWS]):
        c.lam[r] = h * F[I[LAM] + r]
    for n in range(c.many[0]):
        k = c.near[n]
        c.active[k] = 0
        if points.kind[k] == FRICTION or takes_part(e, points, c, x, k, h, deepest):
            add(e, points, c, x, k, h)
    for _ in range(ADDED):
        if x.many[0] == 0:
            return
        scale = 1e-300
        for r in range(x.many[1]):
            scale = max(scale, max(abs(x.free[r]), abs(x.before[r])))
        left, sweeps = solve_impulses(x, width, scale)
        c.told[SWEPT] += sweeps
        # both mark elements, each once
        while let_slip(e, points, x, width, h, scale) or drives(x, width, scale, c.told[FALL]):
            left, sweeps = solve_impulses(x, width, scale)
            c.told[SWEPT] += sweeps
        c.told[MOST_ROWS] = max(c.told[MOST_ROWS], x.many[1])
        more = False
        for n in range(c.many[0]):
            k = c.near[n]
            if c.active[k] == 0:
                gap, r = look_at(e, points, c, x, k), x.many[1]
                if gap + 0.5 * h * rate_along(x, width, r, x.free) < -deepest:
                    jump_kept(x, c)
                    add(e, points, c, x, k, h)
                    jump_back(x, c)
                    more = True
        if not more:
            c.told[WORST] = max(c.told[WORST], left / scale)
            if left > LEFT * scale:
                c.told[UNSOLVED] += 1.0
            break
    dissipate(x, width)


@kernel
def jump_kept(x, c):
    """Keep the jump, which `respond` uses as scratch."""
    for k in range(x.jump.shape[0]):
        c.free_hat[c.v_hat.shape[0] + k] = x.jump[k]


@kernel
def jump_back(x, c):
    """The jump that was kept."""
    for k in range(x.jump.shape[0]):
        x.jump[k] = c.free_hat[c.v_hat.shape[0] + k]


@kernel
def settle_accounts(e, c, x):
    """Energy that the elements took, their impulses for the next step, those of the joints."""
    I, F, width = e.I, e.F, 3 if e.I[PLANE] else 6
    for n in range(c.many[0]):
        k = c.near[n]
        c.impulse[k, 0], c.impulse[k, 1], c.impulse[k, 2] = 0.0, 0.0, 0.0
    for n in range(x.many[0]):
        k, r = x.number[n], x.first[n]
        for i in range(x.normal[n] + x.tangents[n]):
            rate = rate_along(x, width, r + i, x.free)
            c.told[LOST] -= 0.5 * x.p[r + i] * (x.before[r + i] + rate)
            c.impulse[k, i] = x.p[r + i]
    if I[N_ROWS] == 0 or x.many[1] == 0:
        return
    for i in range(width * I[N_BODIES]):
        F[I[ACC] + i] = 0.0
    for r in range(x.many[1]):
        for s in range(x.on[r]):
            for i in range(width):
                F[I[ACC] + width * x.body[r, s] + i] += x.p[r] * x.wrench[r, width * s + i]
    held_by_joints(e)
    for r in range(I[N_ROWS]):
        c.lam[r] += F[I[LAM] + r]


@kernel
def potential_of_gravity(I, P, q):
    """-m g . r over all bodies."""
    total, wide = 0.0, 3 if I[PLANE] else 7
    for b in range(I[N_BODIES]):
        m = P[I[MASS] + PLANE_MASS * b + 5] if I[PLANE] else P[I[MASS] + SPACE_MASS * b + 21]
        for i in range(2 if I[PLANE] else 3):
            total -= m * P[I[GRAVITY] + i] * q[wide * b + i]
    return total


@kernel
def open_gaps(e, now, points, c, x, t, q, v, delta, deepest):
    """Bring the configuration onto the joints and out of gaps that overlap; return False if the joints cannot be satisfied."""
    I, P, F, width = e.I, e.P, e.F, 3 if e.I[PLANE] else 6
    for turn in range(OPENED):
        if I[N_ROWS] > 0 and not hold(e.rest, I, P, F, t, q, v, delta, now.tolerance, now.dropped < math.inf):
            return False
        poses(I, P, F, q, v)
        if points.measured:
            inputs(I, P, F, t, q, True)
        least, lifted = 0.0, turn == OPENED - 1
        for n in range(c.many[0]):
            k = c.near[n]
            if points.kind[k] != FRICTION:
                c.gap[k] = gap_of(I, P, F, points, k, c.at)
                least = min(least, c.gap[k])
        if least >= -deepest or lifted:
            c.told[DEEPEST_GAP] = min(c.told[DEEPEST_GAP], least)
            return True
        for n in range(c.many[0]):
            k = c.near[n]
            if points.kind[k] != FRICTION and c.gap[k] < -deepest and c.active[k] == 0:
                look_at(e, points, c, x, k)
                add(e, points, c, x, k, 0.0)
        lift(x, c, width, deepest)
        for i in range(width * I[N_BODIES]):
            F[I[ACC] + i] = x.jump[i]
        unscale(I, P, F, I[ACC], delta)
        move(I, q, delta)
    return True


@kernel
def lift(x, c, width, deepest):
    """Displacement (scaled) that opens gaps: g + A p >= 0 with p >= 0, by sweeps.

    Contacts that press are not opened any further: what is lifted has then less potential energy than contacts took in the step.
    """
    for k in range(x.jump.shape[0]):
        x.jump[k] = 0.0
    for n in range(x.many[0]):
        if x.normal[n]:
            x.way[x.first[n]] = 0.0
            x.last[x.first[n]] = c.gap[x.number[n]]
    for _ in range(SWEEPS):
        worst = 0.0
        for n in range(x.many[0]):
            if x.normal[n]:
                r = x.first[n]
                gap, most = rate_along(x, width, r, x.last), max(x.last[r], 0.0)
                p = max(0.0, x.way[r] - gap / x.diagonal[r])
                if p == 0.0 and x.p[r] > 0.0:
                    p = min(0.0, x.way[r] - (gap - most) / x.diagonal[r])
                change = p - x.way[r]
                if change != 0.0:
                    worst = max(worst, x.diagonal[r] * abs(change))
                    for s in range(x.moved[r]):
                        for i in range(width):
                            x.jump[width * x.moved_body[r, s] + i] += x.response[r, width * s + i] * change
                    x.way[r] = p
        if worst <= 0.1 * deepest:
            break


@kernel
def slow_down(e, points, c, x, v, taken):
    """Take what energy contacts seem to have created in this step, which is rounding of their solution, from the velocities of bodies that they touch.

    Bodies with joints keep theirs, which the joints prescribe.  `taken`: energy that contacts had taken before the step.
    """
    I, P, width, kinetic = e.I, e.P, 3 if e.I[PLANE] else 6, 0.0
    if I[SADDLE]:
        return
    scale_velocity(I, P, v, c.v_hat)
    for b in range(I[N_BODIES]):
        c.touched[b] = 0
    for r in range(x.many[1]):
        for s in range(x.on[r]):
            c.touched[x.body[r, s]] = 1 - points.jointed[x.body[r, s]]
    for b in range(I[N_BODIES]):
        for i in range(width if c.touched[b] else 0):
            kinetic += 0.5 * c.v_hat[width * b + i] ** 2
    if not kinetic > 0.0:
        return
    part = min((taken - c.told[LOST]) / kinetic, 1.0)
    for b in range(I[N_BODIES]):
        for i in range(width if c.touched[b] else 0):
            v[width * b + i] *= math.sqrt(1.0 - part)
    c.told[LOST] += part * kinetic
