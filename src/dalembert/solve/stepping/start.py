"""Before the first step: how errors are weighed, what is looked at inside steps, the length of the first step, the start as an output."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernels import layout as at
from ...kernels import watch
from ...kernels.compiler import entry, kernel
from ...kernels.laws import lost_power, stored_energy
from ...kernels.operate import EVALUATE
from .equations import count_angles, derivative, evaluate, keep_angles, watch_pivots
from .outputs import record
from .records import ONE_POINT, POWERS_ONLY, START, THREE_POINTS

# arm of a turn, as a part of the model's length, from which on its error counts in radians
PART = 0.05


class Weighing(NamedTuple):
    """What errors are weighed by."""

    length: float  # of the model
    given: np.ndarray  # scale of the absolute tolerance for (q, v), if not that of bodies
    arms: np.ndarray  # how far a turn of 1 rad about each axis moves a body [m]; none: as far as the model is long
    states: np.ndarray  # scale for each auxiliary state


@kernel
def weigh_bodies(I, by, q, nv, nz, scale):
    """Scale of the absolute tolerance for (q, v, z), then the reference from which the relative one measures.

    Errors count by what they move.  The model's length serves positions and velocities.  Turns count in radians while they move the points
    of their body by an arm that is a part of the model; with a smaller arm, that of a thin axle about itself, they count by
    the way of those points.  A quaternion is marked by a negative scale: the change of its length, then half turns about the body axes.

    Positions are measured from a point near the start: a machine drawn far from the origin is as accurate as one drawn there.
    """
    linear, turns = (2, 1) if I[at.PLANE] else (3, 3)
    length, nq = by.length, q.shape[0]
    n = nq + nv + nz
    wide, bodies = linear + turns + (0 if I[at.PLANE] else 1), nv // (linear + turns)
    for b in range(bodies):
        place, speed = b * wide, nq + b * (linear + turns)
        for k in range(linear):
            scale[place + k], scale[speed + k] = length, length
            near = min(max(q[place + k], -length), length)
            scale[n + place + k] = q[place + k] - near
        if turns == 3:
            scale[place + linear] = -1.0
        for k in range(turns):
            spin = 1.0
            if by.arms.shape[0] > 0:
                spin = 1.0 / min(max(by.arms[b, k] / (PART * length), 1e-6), 1.0)
            scale[place + wide - turns + k], scale[speed + linear + k] = spin, spin
    for k in range(nz):
        scale[nq + nv + k] = by.states[k]


@kernel
def points_inside(I, P, conservative, bodies):
    """What is looked at inside each step: the equations at one point, and where work has to be integrated powers at two more."""
    no_work = conservative.shape[0] == I[at.N_LAWS] and I[at.N_DRIVERS] == 0
    for n in range(conservative.shape[0]):
        loses = I[I[at.LAW] + at.LAW_RECORD * n] == at.LAW_LINEAR and P[I[at.LAW_NUMBERS] + at.LAW_SIZE * n + 2] != 0.0
        if loses or not conservative[n]:
            no_work = False
    if no_work:
        return ONE_POINT
    # powers of drivers, and those of Lagrangian systems, need the multipliers
    return POWERS_ONLY if bodies and I[at.N_DRIVERS] == 0 else THREE_POINTS


@kernel
def weighed(now, y, scale, i):
    """What the component i of the state is compared with."""
    return now.atol * abs(scale[i]) + now.rtol * abs(y[i] - scale[y.shape[0] + i])


@kernel
def first_step(e, method, now, mem):
    """Automatic first step after Hairer, Norsett, Wanner II.4: h such that the local change is about a hundredth of the scale."""
    y, scale, n = mem.y, mem.scale, mem.y.shape[0]
    rate, other = mem.K[:n], mem.K[n : 2 * n]
    span, forward = abs(now.t_end - now.t), 1.0 if now.t_end >= now.t else -1.0
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, rate)
    d0, d1, d2 = 0.0, 0.0, 0.0
    for i in range(n):
        size = weighed(now, y, scale, i)
        d0 += ((y[i] - scale[n + i]) / size) ** 2
        d1 += (rate[i] / size) ** 2
    d0, d1 = math.sqrt(d0 / max(n, 1)), math.sqrt(d1 / max(n, 1))
    # a state that is zero up to rounding says nothing about the step: never below a millionth of a second (or of the run)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else max(0.01 * d0 / d1, 1e-6 * min(1.0, span))
    if not h0 > 0.0:
        # an acceleration that is not finite: the loop says so by itself
        return forward * 1e-6 * span
    h0 = min(h0, span)
    for i in range(n):
        mem.stage_y[i] = y[i] + forward * h0 * rate[i]
    derivative(e, EVALUATE, now.t + forward * h0, mem.stage_q, mem.stage_v, mem.stage_z, other)
    for i in range(n):
        d2 += ((other[i] - rate[i]) / weighed(now, y, scale, i)) ** 2
    largest = max(d1, math.sqrt(d2 / max(n, 1)) / h0)
    h1 = max(1e-6, h0 * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / method.order)
    h = min(min(100.0 * h0, h1), min(span, now.h_max))
    return forward * (h if h > 0.0 and h < math.inf else 1e-6 * span)


@kernel
def begin(e, now, mem, w):
    """Derivative and powers at the start of the first step, after a switch, or after the active rows were revised."""
    I, P, F, q, v = e.I, e.P, e.F, mem.q, mem.v
    if now.fresh == START:
        F[I[at.FROZEN]] = 0.0
    derivative(e, EVALUATE, now.t, q, v, mem.z, mem.K[: mem.y.shape[0]])
    now.evaluations += 1
    if w.kind.shape[0] > 0:
        F[I[at.FROZEN]] = 1.0
        watch.read_scalars(I, F, w, q, v, mem.K[q.shape[0] : q.shape[0] + v.shape[0]], w.jets0, 0)
    for k in range(I[at.N_LAWS] + I[at.N_DRIVERS]):
        mem.power[k] = lost_power(I, P, F, mem.conservative, k)
    now.stored = stored_energy(I, P, F, mem.conservative)
    count_angles(e, now.t, q, v, mem.angle, mem.angle_rate)
    keep_angles(e, now.t, mem.angle, mem.angle_rate)
    now.last_error, now.h_before, now.h_accepted, now.linear, now.slowness = 1.0, 0.0, 0.0, 0, 1.0
    watch_pivots(e, q, v, now)
    now.pivot_chosen = now.pivot
    now.fresh = 0


@entry
def start(e, method, now, mem, out, kept, by, bodies):
    """Weights, looks inside and the first step, where they are not given; the start as the first kept step, and as an output where it is one."""
    I, F, n = e.I, e.F, mem.y.shape[0]
    if by.given.shape[0] > 0:
        for i in range(by.given.shape[0]):
            mem.scale[i] = by.given[i]
    else:
        weigh_bodies(I, by, mem.q, mem.v.shape[0], mem.z.shape[0], mem.scale)
    if now.guard:
        now.guard = points_inside(I, e.P, mem.conservative, bodies)
    if now.h == 0.0:
        now.h = first_step(e, method, now, mem)
    evaluate(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.a)
    angles = F[I[at.ANGLE_AT] : I[at.ANGLE_AT] + I[at.N_ANGLES]]
    kept.t[0], kept.stored[0] = now.t, stored_energy(I, e.P, F, mem.conservative)
    for i in range(n):
        kept.y[0, i] = mem.y[i]
    for i in range(I[at.N_ANGLES]):
        kept.angle[0, i] = angles[i]
    for i in range(kept.side.shape[1]):
        kept.side[0, i] = F[I[at.SIDE] + i]
    now.next_step = 1
    while now.next_output < out.times.shape[0] and out.times[now.next_output] == now.t:
        record(I, F, now.t, mem.q, mem.v, mem.z, mem.a, out, now.next_output, angles)
        now.next_output += 1
