"""What a run leaves: outputs at given times by dense output, projected, and the states at the ends of accepted steps."""

from __future__ import annotations

from ...kernels.compiler import inlined, kernel
from ...kernels.layout import ANGLE_AT, FORCE, LAM, N_ANGLES, N_DRIVERS, N_LAWS, N_ROWS, POWER, SIDE, USED
from ...kernels.operate import ACCELERATE, EVALUATE
from .equations import count_angles, evaluate, hold, stage
from .explicit import combine
from .landing import exchange_end


@kernel
def record(I, F, t, q, v, z, a, out, k, at):
    """Store a state with accelerations, multipliers, law forces and counted angles as output k."""
    out.t[k] = t
    for i in range(q.shape[0]):
        out.q[k, i] = q[i]
    for i in range(v.shape[0]):
        out.v[k, i] = v[i]
        out.a[k, i] = a[i]
    for i in range(z.shape[0]):
        out.z[k, i] = z[i]
    for i in range(I[N_ROWS]):
        out.lam[k, i] = F[I[LAM] + i]
    for i in range(I[N_LAWS]):
        out.force[k, i] = F[I[FORCE] + i]
    for i in range(I[N_LAWS] + I[N_DRIVERS]):
        out.power[k, i] = F[I[POWER] + i]
    for i in range(I[N_ANGLES]):
        out.angle[k, i] = at[i]
    for i in range(out.side.shape[1]):
        out.side[k, i] = F[I[USED] + i]


@kernel
def interpolate(method, K, n, h, x, y, out):
    """Dense output at the fraction x of the step."""
    for i in range(n):
        out[i] = y[i]
    for s in range(method.stages):
        weight, power = 0.0, x
        for p in range(method.dense.shape[1]):
            weight += method.dense[s, p] * power
            power *= x
        if weight != 0.0:
            f, o = h * weight, s * n
            for i in range(n):
                out[i] += f * K[o + i]


@kernel
def dense_stages(e, method, now, mem, t, h):
    """Stages that serve dense output only; False if one fails."""
    n = mem.y.shape[0]
    for s in range(method.steps + 1, method.stages):
        combine(method.a, s, h, mem.K, n, mem.y, mem.stage_y)
        rate = mem.K[s * n : (s + 1) * n]
        if not stage(e, ACCELERATE, t + method.c[s] * h, mem.stage_q, mem.stage_v, mem.stage_z, rate, mem.delta, now):
            return False
        now.evaluations += 1
    return True


@inlined
def outputs(e, method, now, mem, out, t_new, h, moved):
    """All outputs up to t_new; return False if one cannot be projected.  `h`: length of the attempt; `moved`: by how much its end was, if at all."""
    t, landed = now.t, abs(moved) > 0.0
    if landed:
        exchange_end(mem, method.steps * mem.y.shape[0])
    y, at_y, q, v, z = mem.y, mem.stage_y, mem.stage_q, mem.stage_v, mem.stage_z
    n, dense_ready = y.shape[0], False
    while now.next_output < out.times.shape[0] and (out.times[now.next_output] - t_new) * h <= 0.0:
        time = out.times[now.next_output]
        if not dense_ready and time != t_new:
            if not dense_stages(e, method, now, mem, t, h):
                return False
            dense_ready = True
        if time == t_new:
            for i in range(n):
                at_y[i] = mem.new_y[i]
        else:
            interpolate(method, mem.K, n, h, (time - t) / h, y, at_y)
            # the factor at hand belongs to the end of the step, which may be far away
            evaluate(e, EVALUATE, time, q, v, z, mem.a)
            now.evaluations += 1
            if not hold(e, time, q, v, mem.delta, now):
                return False
        evaluate(e, EVALUATE, time, q, v, z, mem.a)
        now.evaluations += 1
        count_angles(e, time, q, v, mem.angle, mem.angle_rate)
        record(e.I, e.F, time, q, v, z, mem.a, out, now.next_output, mem.angle)
        now.next_output += 1
    if landed:
        exchange_end(mem, method.steps * mem.y.shape[0])
    return True


@kernel
def keep_step(e, now, mem, kept):
    """Store the state at the end of an accepted step, for interpolation and the energy audit."""
    I, F, k = e.I, e.F, now.next_step
    kept.t[k] = now.t
    for i in range(mem.y.shape[0]):
        kept.y[k, i] = mem.y[i]
    for i in range(I[N_ANGLES]):
        kept.angle[k, i] = F[I[ANGLE_AT] + i]
    for i in range(I[N_LAWS] + I[N_DRIVERS]):
        kept.work[k, i] = mem.work[i]
    kept.stored[k] = now.stored
    for i in range(kept.side.shape[1]):
        kept.side[k, i] = F[I[SIDE] + i]
    now.next_step = k + 1
