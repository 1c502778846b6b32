"""Steps of one length: the same work in each, for the user's own loop in real time.

A step is an explicit Runge-Kutta step without an error estimate, brought onto the constraints at its end, where the equations are evaluated for
what is read there, and for the first stage of the next step.  After something was set from outside (inputs, numbers, a state), that evaluation is made again.

With events, contacts and friction (`advance_watched`) a step is cut where a level is crossed, a gap closes, a stop would pull, a slip ends or a grip is lost: there Python decides
what goes on, and the rest of the step is made with that.  How often a step is attempted is bounded.
"""

from __future__ import annotations

import math

from ...kernels.compiler import entry, inlined, kernel
from ...kernels.layout import CALLED, LAW, LAW_RECORD, RATE
from ...kernels.operate import ACCELERATE, EVALUATE
from ...kernels.watch import arrived, flip, read_scalars
from ..status import DONE, NOT_FINITE, PROJECTION, SWITCHED, TOO_MANY, TURNED
from .equations import count_angles, derivative, hold, keep_angles
from .explicit import combine
from .loop import go_on, is_at_start, watch_multipliers
from .pieces import look_between

# Step.fresh: the equations have to be evaluated anew; so have constraints to be met
CHANGED, MOVED = 1, 2
# attempts of one step with events, contacts and friction, those that end at an instant of change among them
ATTEMPTS = 200
# attempts to end at one instant: fast motions pass more in the last digit of the time than a sign is known to
CUTS = 20


@kernel
def refresh(e, now, mem):
    """The equations at the state as it is; where constraints have changed, the state is brought onto them.  Return False if that fails: it stays as it was."""
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    if now.fresh == MOVED:
        for i in range(mem.y.shape[0]):
            mem.new_y[i] = mem.y[i]
        if not hold(e, now.t, mem.q, mem.v, mem.delta, now):
            for i in range(mem.y.shape[0]):
                mem.y[i] = mem.new_y[i]
            return False
        derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    count_angles(e, now.t, mem.q, mem.v, mem.angle, mem.angle_rate)
    keep_angles(e, now.t, mem.angle, mem.angle_rate)
    now.evaluations += 2
    now.fresh = 0
    return True


@inlined
def attempt(e, a, c, stages, now, mem, t, t_new, h):
    """A step from t to t_new, of the length h, its end on the constraints; row `stages` of a has the weights of the step."""
    K, n = mem.K, mem.y.shape[0]
    for s in range(1, stages):
        combine(a, s, h, K, n, mem.y, mem.stage_y)
        rate = K[s * n : (s + 1) * n]
        mode = EVALUATE if s == stages - 1 else ACCELERATE
        derivative(e, mode, t + c[s] * h, mem.stage_q, mem.stage_v, mem.stage_z, rate)
    combine(a, stages, h, K, n, mem.y, mem.new_y)
    if not hold(e, t_new, mem.new_q, mem.new_v, mem.delta, now):
        return PROJECTION
    total = 0.0
    for i in range(n):
        total += abs(mem.new_y[i])
    return DONE if total < math.inf else NOT_FINITE


@entry
def advance(e, a, c, stages, now, mem, begin: float, h: float, count):
    """`count` steps of length h, counted from the time `begin`."""
    K, n = mem.K, mem.y.shape[0]
    if now.fresh and not refresh(e, now, mem):
        return PROJECTION
    for _ in range(count):
        t_new = begin + (now.steps + 1) * h
        status = attempt(e, a, c, stages, now, mem, now.t, t_new, h)
        if status != DONE:
            return status
        for i in range(n):
            mem.y[i] = mem.new_y[i]
        derivative(e, EVALUATE, t_new, mem.q, mem.v, mem.z, K[:n])
        count_angles(e, t_new, mem.q, mem.v, mem.angle, mem.angle_rate)
        keep_angles(e, t_new, mem.angle, mem.angle_rate)
        now.t = t_new
        now.steps += 1
        now.evaluations += stages
    return DONE


@kernel
def remember(now, mem):
    """State at the start of a step, to which it comes back if the step fails, in memory that error estimates and switches would use."""
    now.t_switched = now.t
    for i in range(mem.y.shape[0]):
        mem.error[i] = mem.y[i]
    for k in range(mem.angle.shape[0]):
        mem.next_angle[k] = mem.angle[k]


@kernel
def near_rest(e, laws, mobility, h):
    """Number of friction with several components that could end its slip within two steps, where its direction turns faster than steps follow; -1: none."""
    I, F = e.I, e.F
    for k in range(mobility.shape[0]):
        rate, force = 0.0, 0.0
        for i in range(laws.shape[1]):
            if laws[k, i] >= 0:
                u, f = F[I[RATE] + I[I[LAW] + LAW_RECORD * laws[k, i] + 1]], F[I[CALLED] + laws[k, i]]
                rate += u * u
                force += f * f
        if rate < (2.0 * h * mobility[k]) ** 2 * force:
            return k
    return -1


@entry
def advance_watched(e, a, c, stages, now, mem, w, laws, mobility, begin: float, h: float, last):
    """Steps of length h until `last` of them were made since the time `begin`.

    SWITCHED: at the instant at hand the sign number `now.last_switch` of what is watched has changed; TURNED: friction number `now.other` is near rest.
    `laws` and `mobility` are those of friction that slips in any direction: numbers of its laws (-1: none), and what a unit of its force changes its rate by, at most.
    """
    K, n, o, nq, nv = mem.K, mem.y.shape[0], stages * mem.y.shape[0], mem.q.shape[0], mem.v.shape[0]
    if now.fresh:
        if not refresh(e, now, mem):
            return PROJECTION
        read_scalars(e.I, e.F, w, mem.q, mem.v, K[nq : nq + nv], w.jets0, 0)
        now.other = near_rest(e, laws, mobility, h)
        now.cut, now.pending, now.cuts = 0, -1, 0
    while now.steps < last:
        if now.other >= 0:
            return TURNED
        if now.tries == 0:
            remember(now, mem)
        now.tries += 1
        if now.tries > ATTEMPTS:
            return TOO_MANY
        t, end = now.t, begin + (now.steps + 1) * h
        t_new = t + now.h if now.cut else end
        length = t_new - t
        status = attempt(e, a, c, stages, now, mem, t, t_new, length)
        if status != DONE:
            return status
        derivative(e, EVALUATE, t_new, mem.new_q, mem.new_v, mem.new_z, K[o : o + n])
        now.evaluations += stages
        watch_multipliers(e, o, now, mem, w, length, False)
        x, found = look_between(e, now, mem, w, t, length, mem.y, K[:n], mem.new_y, K[o : o + n], now.pending, True)
        if found >= 0 and is_at_start(now, length, x):
            halts = flip(e.F, w, found, t, length, x)
            now.last_switch = found
            if halts:
                now.fresh = CHANGED
                return SWITCHED
            now.cut, now.pending, now.cuts = 0, -1, 0
            continue
        if x < 1.0 and now.cuts < CUTS:
            now.cut, now.pending, now.h = 1, found, x * length
            now.cuts += 1
            continue
        for i in range(n):
            mem.y[i] = mem.new_y[i]
            K[i] = K[o + i]
        count_angles(e, t_new, mem.q, mem.v, mem.angle, mem.angle_rate)
        keep_angles(e, t_new, mem.angle, mem.angle_rate)
        now.t = t_new
        if t_new == end:
            now.steps += 1
            now.tries = 0
        now.other = near_rest(e, laws, mobility, h)
        found = go_on(now, w)
        if found >= 0 and arrived(e.F, w, found, t, length, now.rtol, now.atol):
            halts = flip(e.F, w, found, t, length, 1.0)
            now.last_switch = found
            if halts:
                return SWITCHED
    return DONE
