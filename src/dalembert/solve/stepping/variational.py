"""Steps of one length by discrete Hamilton's principle: constraints at every step, momenta that no step creates, energy that does not drift.

One step of length h, from (q, v) on the constraints, f = M^-1 Q the forces there (RATTLE; rotations by `kernels/momenta.py`):

    M u   = M v + h/2 (M f - J^T lam)       lam so that the new position satisfies phi = 0
    q'    = q (+) h x                       x the velocity whose momenta at the start of the step are M u
    M v'  = momenta at its end + h/2 (M f' - J'^T lam')      lam' so that J' v' = nu

The method is symplectic and symmetric, of order 2; forces without a potential act by their half impulses at both ends (discrete d'Alembert).  f may
contain any J^T of its own place: lam takes that up.  Steps in the proportions `parts` make one of order 4 (Suzuki's composition).

Outputs between two steps are the ends of a shorter step from the one before them, which is then made again in full.
"""

from __future__ import annotations

import math

from ...kernels.bodies import move
from ...kernels.compiler import entry, kernel
from ...kernels.hold import project_velocity
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import N_BODIES, N_DRIVERS, N_LAWS, N_ROWS, Y
from ...kernels.momenta import at_end, turns_of, without_gyration
from ...kernels.operate import EVALUATE, RATES, ROWS, STEP_POSITION
from ...kernels.project import position_residual
from ...kernels.through import call
from ..status import BUDGET, BUFFER, DONE, NOT_FINITE, REDETECT, UNSOLVED
from .equations import count_angles, evaluate, keep_angles
from .outputs import keep_step, record
from .tied import ENOUGH, coordinates_step, is_over, on_rates, pushed, tied

# rounds of the position, and of forces that depend on velocities
ROUNDS, FORCES = 60, 30
# scaled residual of positions that ends the rounds
TOLERANCE = 1e-15


@kernel
def forces(e, t, q, v, z, f):
    """f = M^-1 Q, with some J^T at q added; rows and their factor are left at hand."""
    evaluate(e, EVALUATE, t, q, v, z, f)
    without_gyration(e.I, e.P, v, f)


@kernel
def find_position(e, e2, mem, t_new, h):
    """The position after h, with an impulse along the rows at hand that satisfies all of them there; return whether it is found.

    mem.stage_v: u, then the velocity of the step; mem.delta: scratch; the rows at the new position are computed in the memory of e2.
    """
    I, P, F, n = e.I, e.P, e.F, mem.q.shape[0]
    u, x, q = mem.stage_v, mem.new_v, mem.new_q
    before = math.inf
    for _ in range(ROUNDS):
        turns_of(I, P, u, h, x)
        for i in range(n):
            q[i] = mem.q[i]
        for k in range(u.shape[0]):
            mem.delta[k] = h * x[k]
        move(I, q, mem.delta)
        if I[N_ROWS] == 0:
            return True
        worst = call(e.rest, ROWS, I, P, e2.F, t_new, q, x, mem.delta, 0.0, 1)
        # at the tolerance, or at the rounding below which it does not fall
        if worst <= TOLERANCE or (worst <= 1e-12 and worst > 0.5 * before):
            return True
        if not worst < 1e3 * before:
            return False
        before = worst
        for r in range(I[N_ROWS]):
            F[I[Y] + r] = e2.F[I[Y] + r]
        # wanted is the correction alone, which is left in delta
        for i in range(n):
            mem.stage_q[i] = q[i]
        call(e.rest, STEP_POSITION, I, P, F, t_new, mem.stage_q, x, mem.delta, 0.0, 1)
        for k in range(u.shape[0]):
            u[k] += mem.delta[k] / h
    return False


@kernel
def one_step(e, e2, now, mem, t, h, t_new):
    """From (mem.q, mem.v) with forces mem.a and the rows there at hand, to the same at t_new; return False if that fails."""
    I, P = e.I, e.P
    u, v, f = mem.stage_v, mem.v, mem.a
    for k in range(v.shape[0]):
        u[k] = v[k] + 0.5 * h * f[k]
    if not find_position(e, e2, mem, t_new, h):
        return False
    at_end(I, P, mem.new_v, h, u)
    for i in range(mem.q.shape[0]):
        mem.q[i] = mem.new_q[i]
    for k in range(v.shape[0]):
        v[k] = u[k] + 0.5 * h * f[k]
    rounds = FORCES if I[N_LAWS] > 0 else 1
    for _ in range(rounds):
        for k in range(v.shape[0]):
            mem.new_v[k] = v[k]
        forces(e, t_new, mem.q, mem.new_v, mem.z, f)
        now.evaluations += 1
        for k in range(v.shape[0]):
            v[k] = u[k] + 0.5 * h * f[k]
        left = project_velocity(e.rest, RATES, I, P, e.F, t_new, mem.q, v, mem.delta, 0.0, 3)
        change, size = 0.0, 0.0
        for k in range(v.shape[0]):
            change, size = max(change, abs(v[k] - mem.new_v[k])), max(size, abs(v[k]))
        if not (left < math.inf and size < math.inf):
            return False
        if change <= 1e-15 * size:
            break
    return True


@kernel
def rolling_step(e, e2, now, mem, at, t, h, t_new):
    """`one_step` with conditions on velocities (`tied.py`)."""
    I, P, n = e.I, e.P, mem.v.shape[0]
    u, before = mem.stage_v, math.inf
    for r in range(I[N_ROWS]):
        at.y[r] = 0.0
    for k in range(n):
        at.pull[k] = mem.a[k]
    for turn in range(ROUNDS):
        for k in range(n):
            u[k] = mem.v[k] + 0.5 * h * mem.a[k]
        pushed(e, mem, t, at.y, u)
        if not find_position(e, e2, mem, t_new, h):
            return False
        at_end(I, P, mem.new_v, h, u)
        change, size = 0.0, 1e-300
        if turn == 0:
            for k in range(n):
                at.end[k] = u[k] + 0.5 * h * at.pull[k]
        forces(e2, t_new, mem.new_q, at.end, mem.z, at.pull)
        now.evaluations += 1
        for k in range(n):
            at.p[k] = at.end[k]
            at.end[k] = u[k] + 0.5 * h * at.pull[k]
        worst = tied(e, e2, mem, at, t_new)
        for k in range(n):
            change, size = change + abs(at.end[k] - at.p[k]), max(size, abs(at.end[k]))
        worst += change / size
        if is_over(worst, before):
            break
        if not worst < 1e3 * before:
            return False
        before = worst
    if not worst <= ENOUGH:
        return False
    for i in range(mem.q.shape[0]):
        mem.q[i] = mem.new_q[i]
    for k in range(n):
        mem.v[k] = at.end[k]
    forces(e, t_new, mem.q, mem.v, mem.z, mem.a)
    return True


@kernel
def save(mem, into):
    """Keep the state and its forces."""
    for i in range(mem.q.shape[0]):
        into.q[i] = mem.q[i]
    for k in range(mem.v.shape[0]):
        into.v[k], into.f[k] = mem.v[k], mem.a[k]


@kernel
def put_back(e, mem, at, t):
    """The state that was kept, with the rows there at hand."""
    for i in range(mem.q.shape[0]):
        mem.q[i] = at.q[i]
    for k in range(mem.v.shape[0]):
        mem.v[k] = at.v[k]
    forces(e, t, mem.q, mem.v, mem.z, mem.a)


@kernel
def composed(e, e2, now, mem, at, parts, t, h):
    """A step of length h in its parts."""
    done, conditions = 0.0, on_rates(e.I)
    for k in range(parts.shape[0]):
        begun = t + done * h
        done += parts[k]
        t_new = t + h if k == parts.shape[0] - 1 else t + done * h
        if e.I[N_BODIES] == 0:
            arrived = coordinates_step(e, e2, now, mem, at, begun, parts[k] * h, t_new)
        elif conditions > 0:
            arrived = rolling_step(e, e2, now, mem, at, begun, parts[k] * h, t_new)
        else:
            arrived = one_step(e, e2, now, mem, begun, parts[k] * h, t_new)
        if not arrived:
            return False
    return True


@kernel
def write_output(e, now, mem, out, time):
    """The state as an output, with accelerations and multipliers computed there."""
    evaluate(e, EVALUATE, time, mem.q, mem.v, mem.z, mem.a)
    now.evaluations += 1
    count_angles(e, time, mem.q, mem.v, mem.angle, mem.angle_rate)
    record(e.I, e.F, time, mem.q, mem.v, mem.z, mem.a, out, now.next_output, mem.angle)
    now.next_output += 1
    without_gyration(e.I, e.P, mem.v, mem.a)


@entry
def leap(e, parts, now, mem, out, kept, e2, at, begin: float, h: float, budget):
    """Steps until the end, the budget or a full buffer; e2 are the same equations with a memory of their own."""
    I, P, F = e.I, e.P, e.F
    powers = I[N_LAWS] + I[N_DRIVERS]
    if now.fresh:
        forces(e, now.t, mem.q, mem.v, mem.z, mem.a)
        for k in range(powers):
            mem.power[k] = lost_power(I, P, F, mem.conservative, k)
        now.stored = stored_energy(I, P, F, mem.conservative)
        count_angles(e, now.t, mem.q, mem.v, mem.angle, mem.angle_rate)
        keep_angles(e, now.t, mem.angle, mem.angle_rate)
        keep_angles(e2, now.t, mem.angle, mem.angle_rate)
        now.fresh = 0
    for _ in range(budget):
        if now.t == now.t_end:
            return DONE
        if now.next_step >= kept.t.shape[0]:
            return BUFFER
        t, t_new = now.t, begin + (now.steps + 1) * h
        if (t_new + 1e-9 * h - now.t_end) * h >= 0.0:
            t_new = now.t_end
        save(mem, at)
        while now.next_output < out.times.shape[0] and (out.times[now.next_output] - t_new) * h < -1e-9 * h * h:
            time = out.times[now.next_output]
            if not composed(e, e2, now, mem, at, parts, t, time - t):
                return UNSOLVED
            write_output(e, now, mem, out, time)
            put_back(e, mem, at, t)
        if not composed(e, e2, now, mem, at, parts, t, t_new - t):
            return NOT_FINITE if not abs(mem.v[0]) < math.inf else UNSOLVED
        if count_angles(e, t_new, mem.q, mem.v, mem.next_angle, mem.next_rate) > 0.5 * math.pi:
            return UNSOLVED
        keep_angles(e, t_new, mem.next_angle, mem.next_rate)
        keep_angles(e2, t_new, mem.next_angle, mem.next_rate)
        for k in range(powers):
            power = lost_power(I, P, F, mem.conservative, k)
            mem.work[k] += 0.5 * (t_new - t) * (mem.power[k] + power)
            mem.power[k] = power
        now.stored = stored_energy(I, P, F, mem.conservative)
        now.t = t_new
        now.steps += 1
        keep_step(e, now, mem, kept)
        while now.next_output < out.times.shape[0] and (out.times[now.next_output] - t_new) * h <= 1e-9 * h * h:
            write_output(e, now, mem, out, out.times[now.next_output])
        if now.dropped < math.inf:
            call(e.rest, ROWS, I, P, e2.F, t_new, mem.q, mem.v, mem.delta, 0.0, 1)
            if position_residual(I, P, e2.F)[1] > now.dropped:
                return REDETECT
    return BUDGET
