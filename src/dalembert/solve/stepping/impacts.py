"""Impacts that the time loop makes by itself: one smooth rigid gap closes, all others are open, and it opens again.

    u+ = -e u-        p = -(1 + e) u- / A,   A = G S G^T      v+ = v- + W p       (G the row of the gap, W = S G^T with the joints holding)

Python decides everything else: several gaps at one instant, contact that remains, friction, the end of bounces, events at the same instant.  What is
only recorded needs nobody either.  Both leave a line in the log, from which Python makes the list of what happened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels import watch
from ...kernels.bodies import unscale
from ...kernels.compiler import kernel
from ...kernels.hold import project_velocity
from ...kernels.layout import (
    ACC,
    BIAS,
    MASS,
    N_BODIES,
    N_ROWS,
    PLANE,
    PLANE_MASS,
    RATE,
    ROW,
    ROW_SIZE,
    SADDLE,
    SPACE_MASS,
    VALUE,
    VHAT,
    Y,
)
from ...kernels.operate import EVALUATE, RATES, SOLVE
from ...kernels.rows import row_dot
from ...kernels.through import call
from .equations import derivative
from .outputs import keep_step
from .records import START
from .start import begin

# a bounce below this height is the end of infinitely many: fifty times what a gap is told from 0 by; as a part of what the gap changes by where the model
# moves by its length, or turns by a radian
HEIGHT = 1e-11
# a gap that touches, in the same unit, and a rate that is none, in this unit times the largest velocity
TOUCHING, STILL = 1e-10, 1e-11
# other events that are as near their level as so many times what they are missed by happen at the same instant
BESIDE = 25.0
# what the rate after an impact may be off by, as a part of that before
OFF = 1e-9
# part of the mobility of a row without joints that they must leave
HELD = 1e-10
# who attends to what is watched, besides the stops by their numbers: Python, or the log
PYTHON, RECORDED = -1, -2
# columns of the log: time, number of what is watched, impulse, rate of the gap before, kinetic energies before and after, how long the gap stays open
TIME, NUMBER, IMPULSE, BEFORE, ENERGY, ENERGY_AFTER, FLIGHT, COLUMNS = range(8)


class Stops(NamedTuple):
    """Rigid stops whose impacts the loop makes, and its log."""

    by: np.ndarray  # who attends to what is watched; empty where Python does to all
    row: np.ndarray  # row of the gap of each stop
    e: np.ndarray  # its coefficient of restitution
    unit: np.ndarray  # unit of each velocity
    shortest: np.ndarray  # flights that are none [s]; when the last impact was
    v: np.ndarray  # velocities before an impact
    w: np.ndarray  # response to a unit impulse, scaled
    log: np.ndarray
    y: np.ndarray  # states before, and velocities after
    after: np.ndarray
    angle: np.ndarray
    many: np.ndarray  # how many lines there are


def no_stops() -> Stops:
    """Everything is for Python."""
    none, numbers, table = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    return Stops(
        none, none, numbers, numbers, numbers, numbers, numbers, table, table, table, table, np.zeros(1, dtype=np.int64)
    )


@kernel
def reach(I, P, F, r, unit):
    """What row r changes by where the model moves by its length, or a body turns by a radian, at most."""
    plane, most = I[PLANE], 1e-300
    o, width = I[ROW] + ROW_SIZE * r, 3 if I[PLANE] else 6
    w, step = I[o], I[o + 1]
    for s in range(I[o + 2], I[o + 2 + ROW_SIZE]):
        k = I[s]
        if k < width * I[N_BODIES]:
            if plane:
                m = I[MASS] + PLANE_MASS * (k // width)
                g, turn = P[m + 2], P[m + 4] * abs(F[w + 2]) * unit[k + 2]
            else:
                m = I[MASS] + SPACE_MASS * (k // width)
                g, x, y, z = P[m + 2], F[w + 3], F[w + 4], F[w + 5]
                turn = max(
                    abs(P[m + 15] * x), max(abs(P[m + 16] * x + P[m + 17] * y), abs(P[m + 18] * x + P[m + 19] * y + P[m + 20] * z))
                )  # fmt: skip
                most = max(most, abs(g * F[w + 2]) * unit[k])
            most = max(most, max(turn, max(abs(g * F[w]), abs(g * F[w + 1])) * unit[k]))
        w += step
    return most


@kernel
def is_alone(e, w, b, n, t, h, x, near, speed):
    """Whether the stop watched under number n is the only thing that happens at the state whose evaluation is current, the fraction x of a step from t."""
    I, P, F = e.I, e.P, e.F
    for j in range(b.row.shape[0]):
        gap, size = F[I[VALUE] + b.row[j]], TOUCHING * reach(I, P, F, b.row[j], b.unit)
        if gap < -size or (j != b.by[n] and gap <= size):
            return False
    for j in range(w.kind.shape[0]):
        if w.kind[j] == watch.EVENT and b.by[j] < 0:
            far = BESIDE * watch.tolerated(F, w, j, t, h, 0.0, 0.0)
            if abs(watch.value_at(F, w, j, t, h, x)) <= far:
                return False
    return True


@kernel
def respond(e, r, out):
    """W of row r, scaled, with the joints holding; return A = G W, or 0 where joints hold the row, too."""
    I, F, width, total, own = e.I, e.F, 3 if e.I[PLANE] else 6, 0.0, 0.0
    acc, nv = I[ACC], width * I[N_BODIES]
    for i in range(nv):
        out[i] = 0.0
    o = I[ROW] + ROW_SIZE * r
    wrench, step = I[o], I[o + 1]
    for s in range(I[o + 2], I[o + 2 + ROW_SIZE]):
        if I[s] < nv:
            for i in range(width):
                out[I[s] + i] += F[wrench + i]
        wrench += step
    for i in range(nv):
        own += out[i] * out[i]
        F[acc + i] = out[i]
    for k in range(I[N_ROWS]):
        F[I[Y] + k] = row_dot(I, F, k, acc)
    if I[N_ROWS] > 0:
        call(e.rest, SOLVE, I, e.P, F, 0.0, F[:0], F[:0], F[:0], 0.0, 1)
        for i in range(nv):
            out[i] += F[acc + i]
            F[acc + i] = out[i]
    total = row_dot(I, F, r, acc)
    return total if total > HELD * own else 0.0


@kernel
def enter(now, mem, b, n):
    """A line in the log with the state at hand; return its number."""
    k = b.many[0]
    b.many[0] = k + 1
    b.log[k, TIME], b.log[k, NUMBER] = now.t, n
    for i in range(mem.y.shape[0]):
        b.y[k, i] = mem.y[i]
    for i in range(mem.v.shape[0]):
        b.after[k, i] = mem.v[i]
    for i in range(mem.angle.shape[0]):
        b.angle[k, i] = mem.angle[i]
    return k


@kernel
def by_itself(e, now, mem, w, b, kept, n, t, h, x):
    """Let happen what was located at the state at hand, the fraction x of a step of length h from t; return False where Python has to."""
    if b.by.shape[0] == 0 or b.by[n] == PYTHON:
        return False
    if b.by[n] == RECORDED:
        enter(now, mem, b, n)
        return True
    return strike(e, now, mem, w, b, kept, n, t, h, x)


@kernel
def strike(e, now, mem, w, b, kept, n, t, h, x):
    """The impact of a stop that opens again; False, and nothing changes, where it is not so."""
    I, F, nv, speed = e.I, e.F, mem.v.shape[0], 1.0
    k = b.by[n]
    r, restitution = b.row[k], b.e[k]
    if I[SADDLE] or now.t == b.shortest[1]:
        return False
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    now.evaluations += 1
    for i in range(nv):
        speed = max(speed, abs(mem.v[i]) / b.unit[i])
    size, u = reach(I, e.P, F, r, b.unit), F[I[RATE] + r]
    # what rebounds less than what counts as rest comes to rest
    if not -restitution * u > STILL * size * speed or not is_alone(e, w, b, n, t, h, x, size, speed):
        return False
    mobility = respond(e, r, b.w)
    if not mobility > 0.0:
        return False
    p, energy, after = -(1.0 + restitution) * u / mobility, 0.0, 0.0
    for i in range(nv):
        energy += 0.5 * F[I[VHAT] + i] ** 2
        after += 0.5 * (F[I[VHAT] + i] + p * b.w[i]) ** 2
    line = enter(now, mem, b, n)
    unscale(I, e.P, F, I[ACC], mem.delta)
    for i in range(nv):
        b.v[i] = mem.v[i]
        mem.v[i] += p * mem.delta[i]
    if I[N_ROWS] > 0:
        project_velocity(e.rest, RATES, I, e.P, F, e.t0 + now.t, mem.q, mem.v, mem.delta, 0.0, 2)
    now.fresh = START
    begin(e, now, mem, w)
    u_after, bend, flight = F[I[RATE] + r], row_dot(I, F, r, I[ACC]) + F[I[BIAS] + r], 0.0
    if bend < 0.0:
        flight = -2.0 * u_after / bend
    ends = bend < 0.0 and (u_after * u_after <= -2.0 * bend * HEIGHT * size or flight <= b.shortest[0])
    if ends or not abs(u_after + restitution * u) <= OFF * abs(u):
        for i in range(nv):
            mem.v[i] = b.v[i]
        b.many[0] = line
        now.fresh = START
        return False
    b.log[line, IMPULSE], b.log[line, BEFORE], b.log[line, FLIGHT] = p, u, flight
    b.log[line, ENERGY], b.log[line, ENERGY_AFTER] = energy, after
    for i in range(nv):
        b.after[line, i] = mem.v[i]
    w.held[n] = 1.0
    now.t_switched = b.shortest[1] = now.t
    keep_step(e, now, mem, kept)
    return True
