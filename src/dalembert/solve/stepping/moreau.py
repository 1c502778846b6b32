"""Steps of one length for many contacts: the scheme of Moreau and Jean with the midpoint rule.

One step of length h from (q, v):

    q_m  = q (+) h/2 v                      forces f = M^-1 (Q - J^T lam), rows G of contacts and frictions, their responses W, all there
    v'   = v + h f + W p                    p: the contact problem of the rates G v and G v' (`kernels/impulses.py`)
    q'   = q_m (+) h/2 v'                   then onto the joints, out of gaps that overlap, and v' onto the joints

A contact takes part where its gap would be negative at the end of the step; those that the others drive into overlap are added, and the problem is solved again.
Gravity does the work h Q . (v + v')/2, which is what potential energy loses; contacts and friction do p . (w + w')/2 <= 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernels.bodies import move, turn_by, unscale
from ...kernels.compiler import entry, kernel
from ...kernels.contact_points import FRICTION, MEASURE, gap_of, tangent, wrench_at
from ...kernels.evaluate import driven_rate, inputs, poses
from ...kernels.hold import hold
from ...kernels.impulses import dissipate, drives, rate_along, slips, solve_impulses
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import (
    ACC,
    DRIVER,
    FORCE,
    GRAVITY,
    LAM,
    LENGTH,
    MASS,
    N_BODIES,
    N_DRIVERS,
    N_LAWS,
    N_ROWS,
    PARTIAL,
    PLANE,
    PLANE_MASS,
    POWER,
    ROW,
    ROW_SIZE,
    SADDLE,
    SPACE_MASS,
    Y,
)
from ...kernels.operate import EVALUATE, ROWS, SOLVE
from ...kernels.project import position_residual
from ...kernels.rows import row_dot
from ...kernels.saddle import saddle_solve
from ...kernels.through import call
from ..status import BUDGET, BUFFER, DONE, NOT_FINITE, PROJECTION, REDETECT
from .equations import count_angles, evaluate, keep_angles
from .leaps import is_due
from .outputs import keep_step, record

# rounds in which contacts are added to a step, and in which gaps that overlap are opened; sweeps of each
ADDED, OPENED, SWEEPS = 20, 30, 100
# overlap that stays, in lengths of the model and at most in metres
DEEPEST, DEEPEST_METRES = 1e-8, 1e-7
# distance within which contacts are looked at in every step: this part of the model's length, and so many steps of its fastest point
NEAR, STEPS_AHEAD = 0.01, 10.0
# part of the rates of a step that its contact problem may leave before that is counted
LEFT = 1e-4
# what is told of a run
(
    MARGIN, TRAVEL,  # distance within which contacts are near, and how far points may have come since they were looked for
    LOST,  # energy that contacts and friction have taken, and the projection of positions
    WORST, UNSOLVED,  # what the contact problem left at most, relative to the rates of its step, and in how many steps it was not solved
    DEEPEST_GAP,  # most negative gap at the end of a step
    SWEPT, MOST_ROWS,  # sweeps in all, and rows at most
    FALL,  # rate that gravity changes in a step
    TOLD,
) = range(10)  # fmt: skip


class Touching(NamedTuple):
    """What contacts are from step to step, and a state to come back to."""

    near: np.ndarray  # contacts that are near
    active: np.ndarray  # whether each takes part in this step
    impulse: np.ndarray  # (contact, 3) of the last step
    gap: np.ndarray
    at: np.ndarray  # scratch: point and normal
    place: np.ndarray  # (element, 12): its point, normal and tangents
    lam: np.ndarray  # impulses of the joints, over the step
    driven: np.ndarray  # work of the drivers in it
    v_hat: np.ndarray  # scaled velocities at the start of the step, and without contacts at its end
    free_hat: np.ndarray
    touched: np.ndarray  # bodies that contacts touch
    told: np.ndarray
    many: np.ndarray  # contacts that are near; loads at outputs that are kept
    load_of: np.ndarray  # (output, contact) and force on j, point, forces along its rows, of each of these
    load: np.ndarray
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    impulse_before: np.ndarray
    told_before: np.ndarray
    lever: float  # of the points of bodies about their mass centres


@kernel
def scale_velocity(I, P, v, out):
    """Scaled velocity G^T v."""
    for b in range(I[N_BODIES]):
        if I[PLANE]:
            k, m = 3 * b, I[MASS] + PLANE_MASS * b
            out[k], out[k + 1], out[k + 2] = P[m + 2] * v[k], P[m + 2] * v[k + 1], P[m + 4] * v[k + 2]
        else:
            k, m = 6 * b, I[MASS] + SPACE_MASS * b
            out[k], out[k + 1], out[k + 2] = P[m + 2] * v[k], P[m + 2] * v[k + 1], P[m + 2] * v[k + 2]
            w0, w1, w2 = v[k + 3], v[k + 4], v[k + 5]
            out[k + 3] = P[m + 15] * w0 + P[m + 16] * w1 + P[m + 18] * w2
            out[k + 4] = P[m + 17] * w1 + P[m + 19] * w2
            out[k + 5] = P[m + 20] * w2


@kernel
def fastest(I, c, v):
    """How fast a point may move at most."""
    most, width, linear = 0.0, 3 if I[PLANE] else 6, 2 if I[PLANE] else 3
    for b in range(I[N_BODIES]):
        speed, spin = 0.0, 0.0
        for i in range(linear):
            speed += v[width * b + i] ** 2
        for i in range(linear, width):
            spin += v[width * b + i] ** 2
        most = max(most, math.sqrt(speed) + c.lever * math.sqrt(spin))
    return most


@kernel
def look_around(e, points, c, v, h):
    """Which contacts are near, at the body records at hand; rows of measures and friction of joints always are."""
    speed, n = fastest(e.I, c, v), 0
    c.told[MARGIN] = NEAR * e.P[e.I[LENGTH]] + STEPS_AHEAD * abs(h) * speed
    c.told[TRAVEL] = 0.0
    for k in range(points.kind.shape[0]):
        if points.kind[k] in (FRICTION, MEASURE) or gap_of(e.I, e.P, e.F, points, k, c.at) < c.told[MARGIN]:
            c.near[n] = k
            n += 1
        else:
            c.impulse[k, 0], c.impulse[k, 1], c.impulse[k, 2] = 0.0, 0.0, 0.0
    c.many[0] = n


@kernel
def put_wrench(x, r, n, body, width, wrench, sign):
    """A wrench on a body as the n-th of row r."""
    x.body[r, n] = body
    for i in range(width):
        x.wrench[r, width * n + i] = sign * wrench[i]


@kernel
def row_of_force(e, points, c, x, k, r, fx, fy, fz):
    """Row r: of a force at c.at[0:3] on j, and the opposite one on i."""
    I, F, width, n, wrench = e.I, e.F, 3 if e.I[PLANE] else 6, 0, c.at[6:12]
    i, j = points.body[k, 0], points.body[k, 1]
    if j < I[N_BODIES]:
        wrench_at(I, F, j, c.at, fx, fy, fz, wrench)
        put_wrench(x, r, n, j, width, wrench, 1.0)
        n += 1
    if i < I[N_BODIES]:
        wrench_at(I, F, i, c.at, fx, fy, fz, wrench)
        put_wrench(x, r, n, i, width, wrench, -1.0)
        n += 1
    x.on[r] = n
    return 0.0


@kernel
def row_of_measure(e, x, row, r):
    """Row r: that of a measure; returns its explicit rate."""
    I, F, width, n = e.I, e.F, 3 if e.I[PLANE] else 6, 0
    o = I[ROW] + ROW_SIZE * row
    wrench, step = I[o], I[o + 1]
    for s in range(I[o + 2], I[o + 2 + ROW_SIZE]):
        body = I[s] // width
        if body < I[N_BODIES]:
            put_wrench(x, r, n, body, width, F[wrench : wrench + width], 1.0)
            n += 1
        wrench += step
    x.on[r] = n
    return F[I[PARTIAL] + row]


@kernel
def put_row(e, points, c, x, k, r, which):
    """Row r of contact k: 0 its gap, 1 ... what slips; with the rates before the step and without contacts."""
    width, extra = 3 if e.I[PLANE] else 6, 0.0
    if points.rows[k, which] >= 0:
        extra = row_of_measure(e, x, points.rows[k, which], r)
    elif which == 0:
        extra = row_of_force(e, points, c, x, k, r, c.at[3], c.at[4], c.at[5])
    else:
        tx, ty, tz = tangent(e.I, c.at, which == 2)
        extra = row_of_force(e, points, c, x, k, r, tx, ty, tz)
    before, free = extra, extra
    for s in range(x.on[r]):
        o, w = width * x.body[r, s], width * s
        for i in range(width):
            before += x.wrench[r, w + i] * c.v_hat[o + i]
            free += x.wrench[r, w + i] * c.free_hat[o + i]
    x.before[r], x.free[r] = before, free


@kernel
def respond(e, points, x, r):
    """W of row r, with the joints holding: of bodies without joints, G."""
    I, F, width, held = e.I, e.F, 3 if e.I[PLANE] else 6, e.I[SADDLE] != 0
    for s in range(x.on[r]):
        held = held or points.jointed[x.body[r, s]] != 0
    for n in range(x.component0[x.component0.shape[0] - 1]):
        x.press[n, 1 + r] = 0.0
    if not held:
        x.moved[r] = x.on[r]
        for s in range(x.on[r]):
            x.moved_body[r, s] = x.body[r, s]
            for i in range(width):
                x.response[r, width * s + i] = x.wrench[r, width * s + i]
    else:
        acc = I[ACC]
        for i in range(width * I[N_BODIES]):
            F[acc + i] = 0.0
        for s in range(x.on[r]):
            for i in range(width):
                F[acc + width * x.body[r, s] + i] += x.wrench[r, width * s + i]
        held_by_joints(e)
        if not I[SADDLE]:
            for s in range(x.on[r]):
                for i in range(width):
                    F[acc + width * x.body[r, s] + i] += x.wrench[r, width * s + i]
        n = 0
        for b in range(I[N_BODIES]):
            some = 0.0
            for i in range(width):
                some += abs(F[acc + width * b + i])
            if some > 0.0:
                x.moved_body[r, n] = b
                for i in range(width):
                    x.response[r, width * n + i] = F[acc + width * b + i]
                n += 1
        x.moved[r] = n
        for m in range(x.component0[x.component0.shape[0] - 1]):
            for i in range(points.entry0[m], points.entry0[m + 1]):
                x.press[m, 1 + r] += points.entry_weight[i] * F[I[LAM] + points.entry_row[i]]
    total = 0.0
    for k in range(x.jump.shape[0]):
        x.jump[k] = 0.0
    for s in range(x.moved[r]):
        for i in range(width):
            x.jump[width * x.moved_body[r, s] + i] = x.response[r, width * s + i]
    for s in range(x.on[r]):
        for i in range(width):
            total += x.wrench[r, width * s + i] * x.jump[width * x.body[r, s] + i]
    # a row that nothing moves: a gap between bodies that joints hold
    x.diagonal[r] = max(total, 1e-300)
    if not total > 1e-14 * length_of(x, width, r):
        x.diagonal[r], x.on[r], x.moved[r] = 1.0, 0, 0
        x.free[r] = max(x.free[r], 0.0)
        x.before[r] = 0.0


@kernel
def length_of(x, width, r):
    """G . G."""
    total = 0.0
    for i in range(width * x.on[r]):
        total += x.wrench[r, i] ** 2
    return total


@kernel
def held_by_joints(e):
    """What joints leave of the scaled impulse at F[ACC]: they add -J^T S^-1 J of it, or the solution of the saddle-point system takes its place; multipliers."""
    I, P, F = e.I, e.P, e.F
    if I[SADDLE]:
        for r in range(I[N_ROWS]):
            F[I[Y] + r] = 0.0
        saddle_solve(I, P, F)
        return
    for r in range(I[N_ROWS]):
        F[I[Y] + r] = row_dot(I, F, r, I[ACC])
    call(e.rest, SOLVE, I, P, F, 0.0, F[:0], F[:0], F[:0], 0.0, 1)


@kernel
def add_pushes(e, points, x, n, k, h):
    """Friction of a compliant contact: what presses is minus its law."""
    for i in range(points.push0[k], points.push0[k + 1]):
        x.force[n] += h * x.mu[n] * max(0.0, -e.F[e.I[FORCE] + points.push[i]])


@kernel
def let_slip(e, points, x, width, h, scale):
    """Friction that sticks up to its static limit has that of slipping where it slips all the same; return True if there is some."""
    some = False
    for n in range(x.many[0]):
        k = x.number[n]
        sticks = points.static[k] > points.mu[k] and x.mu[n] > points.mu[k]
        sticks = sticks or (points.holding[k] > points.force[k] and x.force[n] > h * points.force[k])
        if sticks and slips(x, width, n, scale):
            x.mu[n], x.force[n] = points.mu[k], h * points.force[k]
            add_pushes(e, points, x, n, k, h)
            some = True
    return some


@kernel
def add(e, points, c, x, k, h):
    """Contact or friction k as an element; its first row, that of the gap, is there already."""
    n, r = x.many[0], x.many[1]
    gap = points.kind[k] != FRICTION
    x.number[n], x.first[n], x.normal[n], x.tangents[n] = k, r, 1 if gap else 0, points.tangents[k]
    x.mu[n], x.force[n], x.mean[n] = points.static[k], h * points.holding[k], 0
    add_pushes(e, points, x, n, k, h)
    x.pad[n, 0], x.pad[n, 1] = points.pad0[k], points.pad0[k + 1]
    for i in range(12):
        c.place[n, i] = 0.0
    if points.kind[k] < MEASURE:
        for i in range(6):
            c.place[n, i] = c.at[i]
        for which in range(1, 1 + points.tangents[k]):
            c.place[n, 3 + 3 * which], c.place[n, 4 + 3 * which], c.place[n, 5 + 3 * which] = tangent(
                e.I, c.at, which == 2
            )
    if gap:
        rebound = -points.restitution[k] * x.before[r]
        # a bounce that would be over within the step is none
        x.target[r] = -x.before[r]
        if x.before[r] < 0.0:
            x.target[r] = rebound if 2.0 * rebound > x.before[r] - x.free[r] else 0.0
        x.p[r] = c.impulse[k, 0]
        respond(e, points, x, r)
        r += 1
    for which in range(1, 1 + points.tangents[k]):
        put_row(e, points, c, x, k, r, which)
        x.p[r] = c.impulse[k, which if gap else which - 1]
        respond(e, points, x, r)
        r += 1
    c.active[k] = 1
    x.many[0], x.many[1] = n + 1, r


@kernel
def look_at(e, points, c, x, k):
    """Gap of contact k, and the row of it as the next one."""
    c.gap[k] = gap_of(e.I, e.P, e.F, points, k, c.at)
    put_row(e, points, c, x, k, x.many[1], 0)
    return c.gap[k]


@kernel
def takes_part(e, points, c, x, k, h, deepest):
    """Return True if a gap closes in this step by the free motion; what has pressed goes on to do so.

    That counts up to the way of a fall within the step, g h^2: the free motion of both bodies may be the same, and bounces without end are none.
    """
    gap, r = look_at(e, points, c, x, k), x.many[1]
    if gap + 0.5 * h * x.free[r] < deepest:
        return True
    return c.impulse[k, 0] > 0.0 and gap + 0.5 * h * x.before[r] < deepest + h * c.told[FALL]


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
        while let_slip(e, points, x, width, h, scale) or drives(x, width, scale):
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
        lift(x, c, width)
        for i in range(width * I[N_BODIES]):
            F[I[ACC] + i] = x.jump[i]
        unscale(I, P, F, I[ACC], delta)
        move(I, q, delta)
    return True


@kernel
def lift(x, c, width):
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
        if worst <= 0.1 * DEEPEST:
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


@kernel
def one_step(e, now, mem, points, c, x, t, h):
    """From (mem.q, mem.v, mem.z) with accelerations mem.a there to the state after h; return False if that fails.

    Mean accelerations of the step are left in mem.stage_v.
    """
    I, P, F, n = e.I, e.P, e.F, mem.v.shape[0]
    deepest = min(DEEPEST * P[I[LENGTH]], DEEPEST_METRES)
    speed = fastest(I, c, mem.v)
    # both bodies of a contact move
    if 2.0 * h * speed + c.told[TRAVEL] > 0.5 * c.told[MARGIN]:
        poses(I, P, F, mem.q, mem.v)
        look_around(e, points, c, mem.v, h)
    for k in range(n):
        mem.delta[k] = 0.5 * h * mem.v[k]
        mem.stage_v[k] = mem.v[k] + 0.5 * h * mem.a[k]
    turn_by(I, mem.q, mem.delta, mem.stage_q)
    for i in range(mem.z.shape[0]):
        mem.stage_z[i] = mem.z[i] + 0.5 * h * mem.new_z[i]
    evaluate(e, EVALUATE, t + 0.5 * h, mem.stage_q, mem.stage_v, mem.stage_z, mem.delta)
    now.evaluations += 1
    for i in range(mem.z.shape[0]):
        mem.z[i] += h * F[I[FORCE] + i]
    for k in range(n):
        mem.new_v[k] = mem.v[k] + h * mem.delta[k]
    if points.measured:
        inputs(I, P, F, t + 0.5 * h, mem.stage_q, True)
    contact_step(e, points, c, x, mem.v, mem.new_v, h, deepest)
    if x.many[0] > 0:
        for k in range(x.jump.shape[0]):
            F[I[ACC] + k] = x.jump[k]
        unscale(I, P, F, I[ACC], mem.delta)
        for k in range(n):
            mem.new_v[k] += mem.delta[k]
    taken = c.told[LOST]
    settle_accounts(e, c, x)
    for k in range(I[N_DRIVERS]):
        c.driven[k] = -c.lam[I[I[DRIVER] + k]] * driven_rate(I, F, k)
    for k in range(n):
        mem.stage_v[k] = (mem.new_v[k] - mem.v[k]) / h
        mem.v[k] = mem.new_v[k]
        mem.delta[k] = 0.5 * h * mem.v[k]
    turn_by(I, mem.stage_q, mem.delta, mem.q)
    c.told[TRAVEL] += h * (speed + fastest(I, c, mem.v))
    before = potential_of_gravity(I, P, mem.q)
    if not open_gaps(e, now, points, c, x, t + h, mem.q, mem.v, mem.delta, deepest):
        return False
    c.told[LOST] -= potential_of_gravity(I, P, mem.q) - before
    if c.told[LOST] < taken:
        slow_down(e, points, c, x, mem.v, taken)
    return abs(mem.v[0]) < math.inf


@kernel
def look(e, now, mem, t):
    """The equations at the state at hand: accelerations, and rates of the auxiliary states."""
    evaluate(e, EVALUATE, t, mem.q, mem.v, mem.z, mem.a)
    now.evaluations += 1
    for i in range(mem.z.shape[0]):
        mem.new_z[i] = e.F[e.I[FORCE] + i]


@kernel
def save(mem, c):
    """Keep the state, and what contacts remember."""
    for i in range(mem.q.shape[0]):
        c.q[i] = mem.q[i]
    for i in range(mem.v.shape[0]):
        c.v[i] = mem.v[i]
    for i in range(mem.z.shape[0]):
        c.z[i] = mem.z[i]
    for k in range(c.gap.shape[0]):
        for i in range(3):
            c.impulse_before[k, i] = c.impulse[k, i]
    for k in range(c.told.shape[0]):
        c.told_before[k] = c.told[k]


@kernel
def put_back(e, now, mem, c, t):
    """The state that was kept, with the equations there."""
    for i in range(mem.q.shape[0]):
        mem.q[i] = c.q[i]
    for i in range(mem.v.shape[0]):
        mem.v[i] = c.v[i]
    for i in range(mem.z.shape[0]):
        mem.z[i] = c.z[i]
    for k in range(c.gap.shape[0]):
        for i in range(3):
            c.impulse[k, i] = c.impulse_before[k, i]
    for k in range(c.told.shape[0]):
        c.told[k] = c.told_before[k]
    # contacts that are near were looked for anew, perhaps
    c.told[TRAVEL] = math.inf
    look(e, now, mem, t)


@kernel
def loads(c, x, h, k):
    """Mean forces of contacts over a step, as those of output k."""
    for n in range(x.many[0]):
        r, m = x.first[n], c.many[1]
        c.load_of[m, 0], c.load_of[m, 1] = k, x.number[n]
        for i in range(3):
            force = x.p[r] * c.place[n, 3 + i] if x.normal[n] else 0.0
            for s in range(x.tangents[n]):
                force += x.p[r + x.normal[n] + s] * c.place[n, 6 + 3 * s + i]
            c.load[m, i], c.load[m, 3 + i] = force / h, c.place[n, i]
        for i in range(4):
            c.load[m, 6 + i] = x.p[r + i] / h if i < x.normal[n] + x.tangents[n] else 0.0
        c.many[1] = m + 1


@kernel
def write_output(e, now, mem, out, c, x, t, h, k):
    """The state after a step as output k: with the mean accelerations, reactions and contact forces over that step."""
    I, F = e.I, e.F
    for i in range(mem.v.shape[0]):
        mem.delta[i] = mem.stage_v[i]
    look(e, now, mem, t)
    count_angles(e, t, mem.q, mem.v, mem.angle, mem.angle_rate)
    for r in range(I[N_ROWS]):
        F[I[LAM] + r] = c.lam[r] / h
    for n in range(I[N_DRIVERS]):
        F[I[POWER] + I[N_LAWS] + n] = c.driven[n] / h
    record(I, F, t, mem.q, mem.v, mem.z, mem.delta, out, k, mem.angle)
    loads(c, x, h, k)


@kernel
def begin(e, now, mem, out, points, c, x, h):
    """Before the first step: contacts that are near; the start as an output has the means over the first step."""
    poses(e.I, e.P, e.F, mem.q, mem.v)
    look_around(e, points, c, mem.v, h)
    look(e, now, mem, now.t)
    for k in range(e.I[N_LAWS]):
        mem.power[k] = lost_power(e.I, e.P, e.F, mem.conservative, k)
    now.stored = stored_energy(e.I, e.P, e.F, mem.conservative)
    count_angles(e, now.t, mem.q, mem.v, mem.angle, mem.angle_rate)
    keep_angles(e, now.t, mem.angle, mem.angle_rate)
    if now.next_output > 0 and now.steps == 0:
        save(mem, c)
        if one_step(e, now, mem, points, c, x, now.t, h):
            for i in range(mem.v.shape[0]):
                out.a[0, i] = mem.stage_v[i]
            for r in range(e.I[N_ROWS]):
                out.lam[0, r] = c.lam[r] / h
            loads(c, x, h, 0)
        put_back(e, now, mem, c, now.t)


@entry
def moreau(e, points, now, mem, out, kept, c, x, start: float, h: float, budget):
    """Steps until the end, the budget or a full buffer, which end at multiples of h after `start`."""
    I, P, F = e.I, e.P, e.F
    if now.fresh:
        begin(e, now, mem, out, points, c, x, h)
    now.fresh = 0
    for _ in range(budget):
        if now.t == now.t_end:
            return DONE
        if now.next_step >= kept.t.shape[0] or c.many[1] + 2 * points.kind.shape[0] > c.load.shape[0]:
            return BUFFER
        t, t_new = now.t, start + (math.floor((now.t - start) / h + 1e-6) + 1) * h
        if (t_new + 1e-9 * h - now.t_end) * h >= 0.0:
            t_new = now.t_end
        if is_due(now, out, t_new, h):
            # the end of a shorter step; then the step is made from its start
            save(mem, c)
            time = out.times[now.next_output]
            if not one_step(e, now, mem, points, c, x, t, time - t):
                return NOT_FINITE
            write_output(e, now, mem, out, c, x, time, time - t, now.next_output)
            now.next_output += 1
            put_back(e, now, mem, c, t)
            continue
        if not one_step(e, now, mem, points, c, x, t, t_new - t):
            return NOT_FINITE if not abs(mem.v[0]) < math.inf else PROJECTION
        due = now.next_output < out.times.shape[0] and (out.times[now.next_output] - t_new) * h <= 1e-9 * h * h
        if due:
            write_output(e, now, mem, out, c, x, t_new, t_new - t, now.next_output)
            now.next_output += 1
        else:
            look(e, now, mem, t_new)
            count_angles(e, t_new, mem.q, mem.v, mem.angle, mem.angle_rate)
        keep_angles(e, t_new, mem.angle, mem.angle_rate)
        many = I[N_LAWS] + I[N_DRIVERS]
        for k in range(I[N_LAWS]):
            power = lost_power(I, P, F, mem.conservative, k)
            mem.work[k] += 0.5 * (t_new - t) * (mem.power[k] + power)
            mem.power[k] = power
        for k in range(I[N_DRIVERS]):
            mem.work[I[N_LAWS] + k] += c.driven[k]
        mem.work[many] = -c.told[LOST]
        now.stored, now.t = stored_energy(I, P, F, mem.conservative), t_new
        now.steps += 1
        kept.work[now.next_step, many] = mem.work[many]
        keep_step(e, now, mem, kept)
        if now.dropped < math.inf:
            call(e.rest, ROWS, I, P, F, t_new, mem.q, mem.v, mem.delta, 0.0, 1)
            if position_residual(I, P, F)[1] > now.dropped:
                return REDETECT
    return BUDGET
