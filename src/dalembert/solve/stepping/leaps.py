"""The loop of steps of one length by discrete Hamilton's principle (`variational.py`), with outputs and events.

Outputs and events between two steps are the ends of a shorter step from the one before them, which is then made again in full: what is only looked at changes
nothing, to the last bit.  An event that changes something ends this part of a run; the next one begins there, with what is left of
the step: errors of the energy in the two pieces of a step have opposite signs where a motion is thrown back, and cancel in the mean over many impacts.

    events      polynomials of degree 5 between two states tell where one happens (`kernels/watch.py`); the step is made again to end there, until it does
"""

from __future__ import annotations

import math

from ...kernels.compiler import entry, kernel
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import N_DRIVERS, N_LAWS, N_ROWS
from ...kernels.operate import EVALUATE, ROWS
from ...kernels.project import position_residual
from ...kernels.through import call
from ...kernels.watch import EPSILON, MULTIPLIER, arm, arrived, flip, force_of, read_scalars
from ..status import BUDGET, BUFFER, DONE, NOT_FINITE, REDETECT, SWITCHED, UNSOLVED
from .equations import count_angles, derivative, evaluate, keep_angles, watch_pivots
from .loop import pass_on
from .outputs import keep_step, record
from .pieces import look_between
from .variational import composed, forces, keep_rates, put_back, save

# number of an event where there is none, and where the equations of a step could not be solved
NO_EVENT, FAILED = -1, -2
# attempts to end at events within one step
CUTS = 200


@kernel
def look(e, now, mem, time):
    """The equations at the state at hand: its rate."""
    derivative(e, EVALUATE, time, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    now.evaluations += 1
    count_angles(e, time, mem.q, mem.v, mem.next_angle, mem.next_rate)


@kernel
def remember(mem):
    """The state at hand and its rate, from which events are looked for."""
    n = mem.y.shape[0]
    for k in range(n):
        mem.error[k], mem.K[n + k] = mem.y[k], mem.K[k]


@kernel
def lead(e, e2, now, mem, at, parts, w, t, since, length):
    """The state at the end of a step of some length from t, with what is watched there and, of multipliers, half-way from `since`; False if that fails."""
    watched = False
    for k in range(w.scalar.shape[0]):
        watched = watched or w.rate_only[k] >= MULTIPLIER
    if watched:
        middle = 0.5 * (since + length)
        if not composed(e, e2, now, mem, at, parts, t, middle):
            return False
        evaluate(e, EVALUATE, t + middle, mem.q, mem.v, mem.z, mem.K[: mem.v.shape[0]])
        for k in range(w.scalar.shape[0]):
            if w.rate_only[k] >= MULTIPLIER:
                w.jets1[k, 1] = force_of(e.I, e.F, w, k)
        put_back(e, mem, at, t)
    if not composed(e, e2, now, mem, at, parts, t, length):
        return False
    look(e, now, mem, t + length)
    return True


@kernel
def lead_to_event(e, e2, now, mem, at, parts, w, t, since, full):
    """Lead a step from t to its full length, or to the first event beyond the length `since`, whose jets are at hand: (length, number of the event).

    Lengths are known to more digits than times: late in a run too, an event is met to rounding.
    """
    F, length, pending, halts = e.F, full, NO_EVENT, False
    for _ in range(CUTS):
        if not lead(e, e2, now, mem, at, parts, w, t, since, length):
            return length, FAILED
        h, n = length - since, mem.y.shape[0]
        # inside a step the motion of such methods is known too roughly to tell where an event leaves its limit
        x, found = look_between(
            e, now, mem, w, t + since, h, mem.error, mem.K[n : 2 * n], mem.y, mem.K[:n], pending, False
        )
        if found >= 0 and x * abs(h) <= 4.0 * EPSILON * abs(full):
            length, pending = since, found
        elif found >= 0 and x < 1.0 and since + x * h != length:
            length, pending = since + x * h, found
            put_back(e, mem, at, t)
            continue
        elif found >= 0:
            pending = found
        elif pending < 0:
            arm(F, w, t + since, h)
            return length, NO_EVENT
        if length == since:
            # nothing before it: the state there once more, whose jets are at hand
            halts = flip(F, w, pending, t + since, h, x)
            put_back(e, mem, at, t)
            if not lead(e, e2, now, mem, at, parts, w, t, since, length):
                return length, FAILED
        else:
            arm(F, w, t + since, h)
            if found >= 0 or arrived(F, w, pending, t + since, h, now.rtol, now.atol):
                halts = flip(F, w, pending, t + since, h, 1.0)
            else:
                pending = NO_EVENT  # short of it
            pass_on(w)
        remember(mem)
        if pending >= 0 and halts:
            return length, pending
        since, length, pending = length, full, NO_EVENT
        if since == full:
            return length, NO_EVENT
        put_back(e, mem, at, t)
    return length, FAILED


@kernel
def write_output(e, now, mem, out, time):
    """The state as an output, with accelerations and multipliers computed there."""
    a = mem.K[: mem.v.shape[0]]
    evaluate(e, EVALUATE, time, mem.q, mem.v, mem.z, a)
    now.evaluations += 1
    count_angles(e, time, mem.q, mem.v, mem.angle, mem.angle_rate)
    record(e.I, e.F, time, mem.q, mem.v, mem.z, a, out, now.next_output, mem.angle)
    now.next_output += 1


@kernel
def is_due(now, out, end, h):
    """Whether the next output lies before `end`."""
    return now.next_output < out.times.shape[0] and (out.times[now.next_output] - end) * h < -1e-9 * h * h


@kernel
def begin(e, e2, now, mem, at, w, watching):
    """Forces and powers at the start, or after the active rows were revised."""
    I, P, F = e.I, e.P, e.F
    forces(e, now.t, mem.q, mem.v, mem.z, mem.a)
    keep_rates(e, mem, at)
    for k in range(I[N_LAWS] + I[N_DRIVERS]):
        mem.power[k] = lost_power(I, P, F, mem.conservative, k)
    now.stored = stored_energy(I, P, F, mem.conservative)
    count_angles(e, now.t, mem.q, mem.v, mem.angle, mem.angle_rate)
    keep_angles(e, now.t, mem.angle, mem.angle_rate)
    keep_angles(e2, now.t, mem.angle, mem.angle_rate)
    if watching:
        look(e, now, mem, now.t)
        nq = mem.q.shape[0]
        read_scalars(I, F, w, mem.q, mem.v, mem.K[nq : nq + mem.v.shape[0]], w.jets0, 0)
        remember(mem)


@kernel
def stopped(e, now, mem, at, t):
    """Why the step from t is not made; its start is the state again."""
    finite = abs(mem.v[0]) < math.inf
    put_back(e, mem, at, t)
    if e.I[N_ROWS] > 0:
        watch_pivots(e, mem.q, mem.v, now)
    return UNSOLVED if finite else NOT_FINITE


@kernel
def one_leap(e, e2, now, mem, out, at, parts, w, watching, t, h, t_new):
    """The step that begins at t, to t_new or to an event in it, with outputs on the way: (time, number of the event)."""
    length, found, end = t_new - t, NO_EVENT, t_new
    if now.cut:
        put_back(e, mem, at, t)
    else:
        save(mem, at)
        now.h = 0.0
        for k in range(mem.work.shape[0]):
            mem.power0[k] = mem.work[k]
    if watching:
        length, found = lead_to_event(e, e2, now, mem, at, parts, w, t, now.h, length)
        now.h = length
        if found == FAILED:
            return end, FAILED
        if found >= 0:
            end = t + length
        if not is_due(now, out, end, h):
            return end, found
        put_back(e, mem, at, t)
    while is_due(now, out, end, h):
        time = out.times[now.next_output]
        if not composed(e, e2, now, mem, at, parts, t, time - t):
            return end, FAILED
        write_output(e, now, mem, out, time)
        put_back(e, mem, at, t)
    if not composed(e, e2, now, mem, at, parts, t, length):
        return end, FAILED
    return end, found


@entry
def leap(e, parts, now, mem, out, kept, w, e2, at, watching, start: float, counted, h: float, budget):
    """Steps until the end, the budget, an event or a full buffer, which end at multiples of h after `start`; e2 are the same equations with a memory of their own.

    After an event the state is that of the event, inside the step (`now.cut`), at the length `now.h` of it.
    """
    I, P, F = e.I, e.P, e.F
    if now.fresh and not now.cut:
        begin(e, e2, now, mem, at, w, watching)
    now.fresh = 0
    for _ in range(budget):
        if now.t == now.t_end:
            return DONE
        if now.next_step >= kept.t.shape[0]:
            return BUFFER
        if not now.cut:
            now.t_begun = now.t
        t, t_new = now.t_begun, start + (now.steps - counted + 1) * h
        if (t_new + 1e-9 * h - now.t_end) * h >= 0.0:
            t_new = now.t_end
        end, found = one_leap(e, e2, now, mem, out, at, parts, w, watching, t, h, t_new)
        if found == FAILED:
            return stopped(e, now, mem, at, t)
        if count_angles(e, end, mem.q, mem.v, mem.next_angle, mem.next_rate) > 0.5 * math.pi:
            return stopped(e, now, mem, at, t)
        keep_angles(e, end, mem.next_angle, mem.next_rate)
        keep_angles(e2, end, mem.next_angle, mem.next_rate)
        for k in range(I[N_LAWS] + I[N_DRIVERS]):
            power = lost_power(I, P, F, mem.conservative, k)
            mem.work[k] = mem.power0[k] + 0.5 * (end - t) * (mem.power[k] + power)
            if found == NO_EVENT:
                mem.power[k] = power
        now.stored, now.t, now.cut = stored_energy(I, P, F, mem.conservative), end, 0
        if found == NO_EVENT:
            now.steps += 1
        keep_step(e, now, mem, kept)
        while now.next_output < out.times.shape[0] and (out.times[now.next_output] - end) * h <= 1e-9 * h * h:
            write_output(e, now, mem, out, out.times[now.next_output])
        if found >= 0:
            now.cut, now.last_switch = 1, found
            return SWITCHED
        pass_on(w)
        if now.dropped < math.inf:
            call(e.rest, ROWS, I, P, e2.F, end, mem.q, mem.v, mem.delta, 0.0, 1)
            if position_residual(I, P, e2.F)[1] > now.dropped:
                return REDETECT
    return BUDGET
