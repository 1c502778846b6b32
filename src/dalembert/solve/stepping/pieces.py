"""Switches and events along a step, piece by piece.

A polynomial through both ends of a step does not know what a measure does between them: a distance has a corner where centres pass, a point of a
body that spins goes up and down.  The motion itself knows: the method gives the state inside the step.

    middle      measures at the state in the middle of the step, their rows alone: how far the polynomials are off (`watch.measure_remainders`)
    pieces      what that leaves open is looked at in halves, each with the equations at its ends and in its middle, along the dense output
    turning     in one piece no body turns by more than TURN: farther, both ends and the middle may look alike

A step in which this takes more than NODES evaluations is made again up to where everything is known, or half as long.
"""

from __future__ import annotations

from ...kernels.compiler import kernel
from ...kernels.layout import RATE, STATE_AT, VALUE
from ...kernels.operate import EVALUATE, INPUTS
from ...kernels.through import call
from ...kernels.watch import (
    DEPTH,
    LAST,
    MULTIPLIER,
    NO_SECOND,
    NONE,
    PIECE,
    WHOLE,
    examine,
    fit,
    fit_piece,
    measure_remainders,
    read_scalars,
)
from .equations import evaluate

# turn of a body [rad] over a piece: a sine that differs from a quintic at both ends and in the middle
TURN = 3.0
# evaluations in one step
NODES = 200
# tolerance of states inside a step without error control, at least
KNOWN = 1e-9


@kernel
def read_rows(e, w, t, q, v, z, top, a):
    """Values and rates of what is watched at a state, by the rows of measures alone, at the place `top` of the jets."""
    I, F, n, rows = e.I, e.F, w.scalar.shape[0], False
    for k in range(n):
        rows = rows or (w.scalar[k] >= 0 and w.rate_only[k] < MULTIPLIER)
    if rows:
        for i in range(z.shape[0]):
            F[I[STATE_AT] + i] = z[i]
        call(e.rest, INPUTS, I, e.P, F, e.t0 + t, q, v, a, 0.0, 1)
    for k in range(n):
        r, jet = w.scalar[k], w.jets1[top * n + k]
        if r < 0:
            jet[0], jet[1] = q[-1 - r], v[-1 - r]
        elif w.rate_only[k] < MULTIPLIER:
            jet[0] = F[I[VALUE] + r]
            if w.rate_only[k] != NO_SECOND:
                jet[1] = F[I[RATE] + r]


@kernel
def look_in_middle(e, rtol, atol, w, t, h, q, v, z, new_q, new_v, new_z, a):
    """Polynomials over the step with their remainders by the state in its middle; what is current belongs to the end afterwards."""
    fit(w, h)
    if w.scalar.shape[0] > 0:
        read_rows(e, w, t + 0.5 * h, q, v, z, 1, a)
        measure_remainders(w, 1, h, rtol, atol)
        read_rows(e, w, t + h, new_q, new_v, new_z, 2, a)


@kernel
def arrive_again(e, now, w, t, h, q, v, z, a):
    """After pieces: what is current belongs to the end of the step, and polynomials to the whole of it."""
    evaluate(e, EVALUATE, t + h, q, v, z, a)
    now.evaluations += 1
    read_scalars(e.I, e.F, w, q, v, a, w.jets1, 0)
    fit(w, h)


@kernel
def turned(w, h, v, middle, new_v):
    """Angle by which a body that measures belong to turns over the step, at most, by its angular velocities at both ends and in the middle."""
    fast = 0.0
    for p in range(w.turning.shape[0]):
        i = w.turning[p]
        fast = max(fast, max(abs(v[i]), max(abs(middle[i]), abs(new_v[i]))))
    return fast * abs(h)


@kernel
def cubic_path(h, y, rate, new_y, new_rate, path):
    """The state along a step by cubics through both ends."""
    for i in range(y.shape[0]):
        d = new_y[i] - y[i]
        p, r = h * rate[i], h * new_rate[i]
        for k in range(path.shape[1]):
            path[i, k] = 0.0
        path[i, 0], path[i, 1], path[i, 2], path[i, 3] = y[i], p, 3.0 * d - 2.0 * p - r, p + r - 2.0 * d


@kernel
def dense_path(method, h, y, K, path):
    """The state along a step by its dense output, whose stages are at hand."""
    n = y.shape[0]
    for i in range(n):
        for k in range(path.shape[1]):
            path[i, k] = 0.0
        path[i, 0] = y[i]
    for s in range(method.stages):
        for p in range(method.dense.shape[1]):
            weight = h * method.dense[s, p]
            if weight != 0.0:
                for i in range(n):
                    path[i, p + 1] += weight * K[s * n + i]


@kernel
def place(mem, x):
    """The state at the fraction x of the path."""
    for i in range(mem.path.shape[0]):
        f = 0.0
        for k in range(mem.path.shape[1] - 1, -1, -1):
            f = mem.path[i, k] + x * f
        mem.stage_y[i] = f


@kernel
def read_node(e, now, mem, w, t, h, x, top):
    """Jets of what is watched at the fraction x of the step, along its path."""
    place(mem, x)
    evaluate(e, EVALUATE, t + x * h, mem.stage_q, mem.stage_v, mem.stage_z, mem.delta)
    now.evaluations += 1
    read_scalars(e.I, e.F, w, mem.stage_q, mem.stage_v, mem.delta, w.jets1, top)


@kernel
def look_in_pieces(e, rtol, atol, now, mem, w, t, h, angle, pending, leaving):
    """The first switch along the path of the step, or part of it that was not seen: (fraction, length of that part, number of the switch or -1)."""
    n, top, a, nodes = w.scalar.shape[0], 0, 0.0, 0
    w.ends[0] = 1.0
    for k in range(n):
        for i in range(3):
            w.left[k, i] = w.jets0[k, i]
    while top >= 0:
        b = w.ends[top]
        if nodes >= NODES or top + 1 >= DEPTH:
            return a, 1.0 - a, -1
        read_node(e, now, mem, w, t, h, 0.5 * (a + b), top + 1)
        nodes += 1
        for k in range(n):
            if w.rate_only[k] >= MULTIPLIER:
                # the parabola of a force goes through the middle of the piece
                w.jets1[top * n + k, 1] = w.jets1[(top + 1) * n + k, 0]
        length = (b - a) * h
        fit_piece(w, top, length)
        measure_remainders(w, top + 1, length, rtol, atol)
        last = b == 1.0
        x, unknown, found, doubtful = examine(
            e.F, w, t + a * h, length, rtol, atol, pending if last else -1, LAST if last else PIECE, leaving
        )
        if doubtful or angle * (b - a) > TURN:
            top += 1
            w.ends[top] = 0.5 * (a + b)
            continue
        if x < NONE:
            return a + x * (b - a), unknown * (b - a), found
        for k in range(n):
            for i in range(3):
                w.left[k, i] = w.jets1[top * n + k, i]
        a = b
        top -= 1
    return NONE, 0.0, -1


@kernel
def look_between(e, now, mem, w, t, h, y, rate, new_y, new_rate, pending, leaving):
    """The first event in a step of length h from t, along cubics between its ends, of which the second is current: (fraction, number or -1)."""
    nq = mem.q.shape[0]
    last = nq + mem.v.shape[0]
    q, v, z = new_y[:nq], new_y[nq:last], new_y[last:]
    read_scalars(e.I, e.F, w, q, v, new_rate[nq:last], w.jets1, 0)
    cubic_path(h, y, rate, new_y, new_rate, mem.path)
    place(mem, 0.5)
    angle = turned(w, h, y[nq:last], mem.stage_v, v)
    # steps without error control are known to something all the same
    rtol, atol = max(now.rtol, KNOWN), max(now.atol, KNOWN)
    look_in_middle(e, rtol, atol, w, t, h, mem.stage_q, mem.stage_v, mem.stage_z, q, v, z, mem.delta)
    x, _, found, doubtful = examine(e.F, w, t, h, rtol, atol, pending, WHOLE, leaving)
    if doubtful or angle > TURN:
        x, _, found = look_in_pieces(e, rtol, atol, now, mem, w, t, h, angle, pending, leaving)
        arrive_again(e, now, w, t, h, q, v, z, mem.delta)
    # where that takes too long, polynomials decide: such steps are not made shorter but for events
    return x if found >= 0 else NONE, found
