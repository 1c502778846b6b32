"""Impacts that the time loop makes by itself: smooth rigid gaps close, and all that touch open again.

With u the rates of the gaps that touch, G their rows, W = S G^T the responses to unit impulses with the joints holding, A = G W and p >= 0 (`analyses/events/contact.py`)

    Newton     0 <= p _|_ u + e u (where u < 0) + A p >= 0
    Poisson    0 <= pc _|_ uc = u + A pc >= 0,      0 <= pe - e pc _|_ uc + A pe >= 0,      p = pc + pe

and v+ = v- + W p.  Python decides everything else: contact that remains, friction, the end of bounces, events at the same instant, gaps that depend on each
other.  What is only recorded needs nobody either.  Both leave a line in the log, from which Python makes the list of what happened.
"""

from __future__ import annotations

import math
from functools import cache
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
)
from ...kernels.operate import EVALUATE, RATES
from ...kernels.rows import row_dot
from .equations import derivative
from .modes import change, respond
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
# lines that the log has room for
LINES = 500
# who attends to what is watched, besides the stops by their numbers: Python, the log, or a change of mode (`modes.py`)
PYTHON, RECORDED, MODE = -1, -2, -3
# columns of the log: time, number of what is watched, kinetic energies before and after, what the stops took of them
TIME, NUMBER, ENERGY, ENERGY_AFTER, LOST, COLUMNS = range(6)
# gaps that touch at one instant, at most; the pivot of one that does not depend on others, as a part of its own mobility
MOST, INDEPENDENT = 16, 1e-9
# of rates and impulses, as a part of the largest: what counts as zero
ROUNDING = 1e-11


class Stops(NamedTuple):
    """Rigid stops whose impacts the loop makes, and its log."""

    by: np.ndarray  # who attends to what is watched; empty where Python does to all
    row: np.ndarray  # row of the gap of each stop
    e: np.ndarray  # its coefficient of restitution
    poisson: np.ndarray  # 1: by Poisson's hypothesis, which then holds for all that touch
    unit: np.ndarray  # unit of each velocity
    shortest: np.ndarray  # flights that are none [s]; when the last impact was
    v: np.ndarray  # velocities before an impact
    touch: np.ndarray  # stops that touch
    active: np.ndarray  # 1: those among them that press
    w: np.ndarray  # responses to unit impulses at these, scaled, one in a row
    a: np.ndarray  # their mobility, and its factor
    factor: np.ndarray
    u: np.ndarray  # rates of the gaps before, and with the impulses; right side; impulses, and the least that they are
    after: np.ndarray
    right: np.ndarray
    p: np.ndarray
    least: np.ndarray
    size: np.ndarray  # what each gap changes by where the model moves by its length
    log: np.ndarray
    y: np.ndarray  # states before, and velocities after
    v_after: np.ndarray
    angle: np.ndarray
    impulse: np.ndarray  # of every stop; not a number where it does not touch
    flight: np.ndarray  # how long it stays open; 0 where that is not known
    many: np.ndarray  # how many lines there are


def stops(by: np.ndarray, row: np.ndarray, e: np.ndarray, poisson: np.ndarray, unit: np.ndarray, shortest: float, sizes: tuple[int, int, int]) -> Stops:  # fmt: skip
    """Memory of the loop for stops, and a log; `sizes`: numbers of a state, velocities and counted angles."""
    n, nv, many = len(row), len(unit), len(by) and LINES
    integers, numbers = (lambda k: np.zeros(k, dtype=np.int64)), np.zeros
    width, _, angles = sizes
    return Stops(  # type: ignore[call-arg]
        by, row, e, poisson, unit, np.array([shortest, np.nan]), numbers(nv), integers(n), integers(n), numbers((n, nv)), numbers((n, n)),
        numbers((n, n)), *(numbers(n) for _ in range(6)), numbers((many, COLUMNS)), numbers((many, width)), numbers((many, nv)), numbers((many, angles)),
        numbers((many, n)), numbers((many, n)), integers(1),
    )  # fmt: skip


@cache
def no_stops() -> Stops:
    """Everything is for Python."""
    none = np.zeros(0, dtype=np.int64)
    return stops(none, none, np.zeros(0), none, np.zeros(0), 0.0, (0, 0, 0))


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
def touching(e, b, speed):
    """How many stops touch at the state whose evaluation is current, with their numbers, rates and sizes; -1 where that is for Python."""
    I, F, m = e.I, e.F, 0
    for k in range(b.row.shape[0]):
        gap, size = F[I[VALUE] + b.row[k]], reach(I, e.P, F, b.row[k], b.unit)
        if gap < -TOUCHING * size:
            return -1
        if gap <= TOUCHING * size:
            b.touch[m], b.size[m], b.u[m] = k, size, F[I[RATE] + b.row[k]]
            m += 1
    return m if m <= MOST else -1


@kernel
def alone(F, w, b, t, h, x):
    """Return True if no other event happens at the fraction x of the step of length h from t."""
    for j in range(w.kind.shape[0]):
        if w.kind[j] == watch.EVENT and w.active[j] != 0 and (b.by[j] == PYTHON or b.by[j] == RECORDED):
            far = BESIDE * watch.tolerated(F, w, j, t, h, 0.0, 0.0)
            if abs(watch.value_at(F, w, j, t, h, x)) <= far:
                return False
    return True


@kernel
def pressing(b, m):
    """Impulses of those that press, from the right side, by Cholesky's factor of their mobility; False where they depend on each other."""
    for i in range(m):
        b.p[i] = 0.0
        if b.active[i] == 0:
            continue
        for j in range(i + 1):
            if b.active[j] == 0:
                continue
            total = b.a[i, j]
            for k in range(j):
                if b.active[k] != 0:
                    total -= b.factor[i, k] * b.factor[j, k]
            if j < i:
                b.factor[i, j] = total / b.factor[j, j]
            elif not total > INDEPENDENT * b.a[i, i]:
                return False
            else:
                b.factor[i, i] = math.sqrt(total)
        total = -b.right[i]
        for k in range(i):
            if b.active[k] != 0:
                total -= b.factor[i, k] * b.p[k]
        b.p[i] = total / b.factor[i, i]
    for i in range(m - 1, -1, -1):
        if b.active[i] != 0:
            for k in range(i + 1, m):
                if b.active[k] != 0:
                    b.p[i] -= b.factor[k, i] * b.p[k]
            b.p[i] /= b.factor[i, i]
    return True


@kernel
def complementary(b, m):
    """0 <= p _|_ right + A p >= 0, by exchanging the first gap that is wrong (Murty's rule); return False where that does not end."""
    size = 0.0
    for i in range(m):
        size = max(size, abs(b.right[i]))
        b.active[i] = 1 if b.right[i] < 0.0 else 0
    for _ in range(4 * m * m + 8):
        if not pressing(b, m):
            return False
        force, wrong = 0.0, -1
        for i in range(m):
            force = max(force, abs(b.p[i]))
        for i in range(m):
            rate = b.right[i]
            for j in range(m):
                rate += b.a[i, j] * b.p[j]
            bad = b.p[i] < -ROUNDING * force if b.active[i] != 0 else rate < -ROUNDING * size
            if bad and wrong < 0:
                wrong = i
        if wrong < 0:
            return True
        b.active[wrong] = 1 - b.active[wrong]
    return False


@kernel
def impulses(b, m):
    """Impulses of the stops that touch, and rates of the gaps after; return False where Python has to find them."""
    poisson = False
    for i in range(m):
        poisson = poisson or b.poisson[b.touch[i]] != 0
    for i in range(m):
        b.least[i] = 0.0
        b.right[i] = b.u[i]
        if not poisson and b.u[i] < 0.0:
            b.right[i] += b.e[b.touch[i]] * b.u[i]
    if not complementary(b, m):
        return False
    if poisson:
        # expansion: what it is more than e times the compression
        for i in range(m):
            b.least[i] = (1.0 + b.e[b.touch[i]]) * b.p[i]
        for i in range(m):
            b.right[i] = b.u[i]
            for j in range(m):
                b.right[i] += b.a[i, j] * b.least[j]
        if not complementary(b, m):
            return False
    for i in range(m):
        b.p[i] += b.least[i]
    for i in range(m):
        b.after[i] = b.u[i]
        for j in range(m):
            b.after[i] += b.a[i, j] * b.p[j]
    return True


@kernel
def enter(now, mem, b, m, n):
    """A line in the log with the state and the mode at hand; return its number."""
    k = b.many[0]
    b.many[0] = k + 1
    b.log[k, TIME], b.log[k, NUMBER] = now.t, n
    for i in range(mem.y.shape[0]):
        b.y[k, i] = mem.y[i]
    for i in range(mem.v.shape[0]):
        b.v_after[k, i] = mem.v[i]
    for i in range(mem.angle.shape[0]):
        b.angle[k, i] = mem.angle[i]
    for i in range(m.way.shape[0]):
        m.way_log[k, i] = m.way[i]
    for i in range(m.closed.shape[0]):
        m.closed_log[k, i] = m.closed[i]
    return k


@kernel
def by_itself(e, now, mem, w, b, m, p, kept, n, t, h, x):
    """Let happen what was located at the state at hand, the fraction x of a step of length h from t; return False where Python has to."""
    if b.by.shape[0] == 0 or b.by[n] == PYTHON:
        return False
    if b.by[n] == RECORDED:
        enter(now, mem, b, m, n)
        return True
    if b.by[n] == MODE:
        if not alone(e.F, w, b, t, h, x) or not change(e, now, mem, w, m, p, kept, n):
            return False
        enter(now, mem, b, m, n)
        return True
    return strike(e, now, mem, w, b, m, kept, n, t, h, x)


@kernel
def strike(e, now, mem, w, b, m, kept, n, t, h, x):
    """The impact of stops that open again; False, and nothing changes, where it is not so."""
    I, F, nv, speed, k = e.I, e.F, mem.v.shape[0], 1.0, b.by[n]
    if I[SADDLE] or now.t == b.shortest[1] or not alone(F, w, b, t, h, x):
        return False
    for j in range(m.closed.shape[0]):
        if m.closed[j] != 0:
            return False
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    now.evaluations += 1
    for i in range(nv):
        speed = max(speed, abs(mem.v[i]) / b.unit[i])
    many, closes = touching(e, b, speed), False
    for i in range(many):
        closes = closes or (b.touch[i] == k and b.u[i] < -STILL * b.size[i] * speed)
        if respond(e, b.row[b.touch[i]]) < 0.0:
            return False
        for c in range(nv):
            b.w[i, c] = F[I[ACC] + c]
        for j in range(many):
            b.a[j, i] = row_dot(I, F, b.row[b.touch[j]], I[ACC])
    if not closes or not impulses(b, many):
        return False
    energy, fastest = 0.0, 0.0
    for i in range(many):
        fastest = max(fastest, abs(b.u[i]))
        # what rebounds less than what counts as rest comes to rest
        if not b.after[i] > STILL * b.size[i] * speed:
            return False
    for i in range(nv):
        energy += 0.5 * F[I[VHAT] + i] ** 2
    line = enter(now, mem, b, m, n)
    after, lost, work = 0.0, 0.0, 0.0
    for i in range(nv):
        F[I[ACC] + i] = 0.0
        for j in range(many):
            F[I[ACC] + i] += b.p[j] * b.w[j, i]
        after += 0.5 * (F[I[VHAT] + i] + F[I[ACC] + i]) ** 2
    unscale(I, e.P, F, I[ACC], mem.delta)
    for i in range(nv):
        b.v[i] = mem.v[i]
        mem.v[i] += mem.delta[i]
    if I[N_ROWS] > 0:
        project_velocity(e.rest, RATES, I, e.P, F, e.t0 + now.t, mem.q, mem.v, mem.delta, 0.0, 2)
    now.fresh = START
    begin(e, now, mem, w)
    good = True
    for k in range(b.row.shape[0]):
        b.impulse[line, k], b.flight[line, k] = math.nan, 0.0
    for i in range(many):
        r = b.row[b.touch[i]]
        u, bend, flight = F[I[RATE] + r], row_dot(I, F, r, I[ACC]) + F[I[BIAS] + r], 0.0
        if bend < 0.0:
            flight = -2.0 * u / bend
            good = good and u * u > -2.0 * bend * HEIGHT * b.size[i] and flight > b.shortest[0]
        good = good and abs(u - b.after[i]) <= OFF * fastest
        b.impulse[line, b.touch[i]], b.flight[line, b.touch[i]] = b.p[i], flight
        lost -= 0.5 * b.p[i] * (b.u[i] + b.after[i])
        work += abs(b.p[i]) * (abs(b.u[i]) + abs(b.after[i]))
    if not good or lost < -ROUNDING * work:
        for i in range(nv):
            mem.v[i] = b.v[i]
        b.many[0] = line
        now.fresh = START
        return False
    b.log[line, ENERGY], b.log[line, ENERGY_AFTER], b.log[line, LOST] = energy, after, lost
    for i in range(nv):
        b.v_after[line, i] = mem.v[i]
    w.held[n] = 1.0
    now.t_switched = b.shortest[1] = now.t
    keep_step(e, now, mem, kept)
    return True
