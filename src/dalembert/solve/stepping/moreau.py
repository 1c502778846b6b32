"""Steps of one length for many contacts: the scheme of Moreau and Jean with the midpoint rule.

One step of length h from (q, v):

    q_m  = q (+) h/2 v                      forces f = M^-1 (Q - J^T lam), rows G of contacts and frictions, their responses W, all there
    v'   = v + h f + W p                    p: the contact problem of the rates G v and G v' (`kernels/impulses.py`)
    q'   = q_m (+) h/2 v'                   then onto the joints, out of gaps that overlap, and v' onto the joints

Gravity does the work h Q . (v + v')/2, which is what potential energy loses; contacts and friction do p . (w + w')/2 <= 0.
"""

from __future__ import annotations

import math

from ...kernels.bodies import turn_by, unscale
from ...kernels.compiler import entry, kernel
from ...kernels.evaluate import driven_rate, inputs, poses
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import (
    ACC,
    DRIVER,
    FORCE,
    LAM,
    LENGTH,
    N_DRIVERS,
    N_LAWS,
    N_ROWS,
    POWER,
)
from ...kernels.operate import EVALUATE, ROWS
from ...kernels.project import position_residual
from ...kernels.through import call
from ..status import BUDGET, BUFFER, DONE, NOT_FINITE, PROJECTION, REDETECT
from .contacts import (
    contact_step,
    open_gaps,
    potential_of_gravity,
    settle_accounts,
    slow_down,
)
from .equations import count_angles, evaluate, keep_angles
from .leaps import is_due
from .outputs import keep_step, record
from .touching import (
    LOST,
    MARGIN,
    TRAVEL,
    fastest,
    look_around,
)

# overlap that stays, in lengths of the model and at most in metres
DEEPEST, DEEPEST_METRES = 1e-8, 1e-7


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
