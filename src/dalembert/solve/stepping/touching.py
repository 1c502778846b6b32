"""What may touch in a time step: contacts that are near, their rows with rates before the step and without contacts, and the responses of bodies and joints."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernels.compiler import kernel
from ...kernels.contact_points import FRICTION, MEASURE, gap_of, tangent, wrench_at
from ...kernels.impulses import slips
from ...kernels.layout import (
    ACC,
    FORCE,
    LAM,
    LENGTH,
    MASS,
    N_BODIES,
    N_ROWS,
    PARTIAL,
    PLANE,
    PLANE_MASS,
    ROW,
    ROW_SIZE,
    SADDLE,
    SPACE_MASS,
    Y,
)
from ...kernels.operate import SOLVE
from ...kernels.rows import row_dot
from ...kernels.saddle import saddle_solve
from ...kernels.through import call

# distance within which contacts are looked at in every step: this part of the model's length, and so many steps of its fastest point
NEAR, STEPS_AHEAD = 0.01, 10.0
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
    x.mu[n], x.force[n], x.brakes[n] = points.static[k], h * points.holding[k], 0
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
