"""The compiled time loop: explicit Runge-Kutta steps, projection at every accepted step, output on the constraints.

One step
    stages      k_s = (q', a, z') at the stage points, accelerations with exact constraints, z' by the laws of auxiliary states
    error       embedded estimate against atol, rtol; a rejected step is repeated shorter
    inside      the equations at points that the method has not used: their rates against those of the step, and the work of forces
    projection  positions, then velocities, with the factor of the last stage; then the derivative at the projected end
    angles      turns of counted angles, against the angle predicted from its rate
    switches    a law that changes inside the step ends it there (`watch.py`); its side is held during the step and changed after it
    output      dense output at the times inside the step, projected, with accelerations and multipliers computed there

The equations are called through their address (`kernels/through.py`): the loop is the same for every kind of model.  `model` is two
addresses: of evaluations, into which laws written in Python may come, and of all other operations, which need none.

Python is entered when the budget of steps is used up (Ctrl-C, progress), when a buffer is full, and at the end.
"""

from __future__ import annotations

import math

from ..kernels.bodies import rate_of_q
from ..kernels.compiler import entry, inlined, kernel
from ..kernels.hold import hold as onto_constraints
from ..kernels.laws import lost_power, stored_energy
from ..kernels.layout import (
    ANGLE_AT,
    ANGLE_RATE,
    ANGLE_TIME,
    FORCE,
    FROZEN,
    LAM,
    N_ANGLES,
    N_DRIVERS,
    N_FREE,
    N_LAWS,
    N_ROWS,
    POWER,
    SIDE,
    STATE_AT,
    VALUE,
    VHAT,
)
from ..kernels.operate import ACCELERATE, EVALUATE, PIVOT, POWERS, WATCH
from ..kernels.project import position_residual
from ..kernels.rows import row_dot
from ..kernels.through import call
from ..kernels.watch import EPSILON, NONE, arrived, first_switch, first_unseen, fit, flip, read_scalars
from .status import BUDGET, BUFFER, CHATTERING, DONE, NOT_FINITE, PROJECTION, REDETECT, STEP_TOO_SMALL, SWITCHED

# places in the array of control numbers
T, H, T_END, RTOL, ATOL, TOLERANCE, H_MAX, DROPPED, H_MIN = range(9)
LAST_ERROR, LARGEST_PIVOT, PIVOT_NOW, PIVOT_CHOSEN, H_TRIED = range(9, 14)
H_UNCUT, T_SWITCHED, STORED, DEFECT, UNBALANCED, WORST_DEFECT, WORST_UNBALANCED, STORED_NEXT = range(14, 22)
N_CONTROL = 22
# places in the array of counters
STEPS, REJECTED, EVALUATIONS, NEXT_OUTPUT, NEXT_STEP, FRESH, BAD, AGAIN, CAREFUL, TRIES = range(10)
GUARD, CUT, PENDING, CUTS, SWITCHES, CHATTER, LAST_SWITCH = range(10, 17)
N_COUNT = 17
# GUARD: the equations at one point inside each step; there, and the powers of laws at two more; at three points, where drivers do work
ONE_POINT, POWERS_ONLY, THREE_POINTS = 1, 2, 3
# FRESH: the start, where sides follow from the state, or a new beginning in which they are held
START, AGAIN_HELD = 1, 2

# the defect inside a step that is taken for granted, in units of the tolerance: that of the interpolation between the stages (measured over
# one second of every machine of the gallery at rtol 1e-4 and 1e-8: up to 640, mostly below 100); beyond it a step is made again, shorter
USUAL_DEFECT = 1000.0
# change of velocities that the accelerations inside the step do not explain: quadrature leaves less than this fraction of what they explain
UNEXPLAINED = 1e-3
# switches at (nearly) one instant, after which a law is taken to jump back and forth
CHATTERS = 60


@kernel
def evaluate(model, mode, I, P, F, t, q, v, z, a):
    """Accelerations a at (t, q, v, z) by a mode of `operate.py`: EVALUATE, ACCELERATE or POWERS."""
    for i in range(z.shape[0]):
        F[I[STATE_AT] + i] = z[i]
    call(model[0], mode, I, P, F, t, q, v, a, 0.0, 1)


@kernel
def derivative(model, mode, I, P, F, t, q, v, z, k):
    """Rate of (q, v, z) into k; rates of auxiliary states are the first laws."""
    nq, last = q.shape[0], q.shape[0] + v.shape[0]
    rate_of_q(I, q, v, k[:nq])
    evaluate(model, mode, I, P, F, t, q, v, z, k[nq:last])
    for i in range(z.shape[0]):
        k[last + i] = F[I[FORCE] + i]


@kernel
def hold(model, I, P, F, t, q, v, delta, control):
    """Bring (q, v) onto the constraints, with the factor at hand; return False if that fails."""
    return onto_constraints(model[1], I, P, F, t, q, v, delta, control[TOLERANCE], control[DROPPED] < math.inf)


@kernel
def combine(a, s, h, K, n, y, out):
    """Stage point: y + h sum_r a[s, r] k_r, two stages at a time."""
    for i in range(n):
        out[i] = y[i]
    r = 0
    while r < s:
        f, o = h * a[s, r], r * n
        r += 1
        if f == 0.0:
            continue
        while r < s and a[s, r] == 0.0:
            r += 1
        if r < s:
            g, p = h * a[s, r], r * n
            r += 1
            for i in range(n):
                out[i] += f * K[o + i] + g * K[p + i]
        else:
            for i in range(n):
                out[i] += f * K[o + i]


@kernel
def as_turn(p, e, k):
    """Error e of the quaternion at place k as half a turn about the body axes: conj(p) * e, after the change of its length."""
    p0, p1, p2, p3 = p[k], p[k + 1], p[k + 2], p[k + 3]
    e0, e1, e2, e3 = e[k], e[k + 1], e[k + 2], e[k + 3]
    e[k] = p0 * e0 + p1 * e1 + p2 * e2 + p3 * e3
    e[k + 1] = p0 * e1 - p1 * e0 - p2 * e3 + p3 * e2
    e[k + 2] = p0 * e2 - p2 * e0 - p3 * e1 + p1 * e3
    e[k + 3] = p0 * e3 - p3 * e0 - p1 * e2 + p2 * e1


@kernel
def error_norm(method, K, n, h, scale, control, y, new, e, e_low):
    """Weighted root mean square of the error estimate; with a second estimate the two are combined as in DOP853.

    Weights are atol * scale + rtol * (distance from the reference), see `weights_of` in `run.py`.  A negative scale marks the first
    component of a quaternion, whose error is weighed as a turn about the axes of the body.
    """
    high, low = 0.0, 0.0
    for i in range(n):
        e[i], e_low[i] = 0.0, 0.0
    for s in range(method.steps + 1 - method.two_errors):
        f, g, o = method.error[s], method.error_low[s], s * n
        if f != 0.0 or g != 0.0:
            for i in range(n):
                e[i] += f * K[o + i]
                e_low[i] += g * K[o + i]
    turns = False
    for i in range(n):
        turns = turns or scale[i] < 0.0
    if turns:
        turning = 0
        for i in range(n):
            if scale[i] < 0.0:
                as_turn(y, e, i)
                as_turn(y, e_low, i)
                turning = 4
            # the four components of a unit quaternion are 1/2 each on average
            size = 0.5 if turning > 0 else max(abs(y[i] - scale[n + i]), abs(new[i] - scale[n + i]))
            turning -= 1
            weight = 1.0 / (control[ATOL] * abs(scale[i]) + control[RTOL] * size)
            high += (e[i] * weight) ** 2
            low += (e_low[i] * weight) ** 2
    else:
        # the same without quaternions: a plain loop, which the compiler turns into vector instructions
        for i in range(n):
            size = max(abs(y[i] - scale[n + i]), abs(new[i] - scale[n + i]))
            weight = 1.0 / (control[ATOL] * scale[i] + control[RTOL] * size)
            high += (e[i] * weight) ** 2
            low += (e_low[i] * weight) ** 2
    if high == 0.0:
        return 0.0
    if method.two_errors:
        return abs(h) * high / math.sqrt((high + 0.01 * low) * n)
    return abs(h) * math.sqrt(high / n)


@kernel
def growth_of(error, before, limit, order):
    """Next step over this one, by the errors of this step and of the one before (proportional-integral control).

    Looking at both, it does not overshoot where a mechanism passes a fast position again and again: on the Andrews squeezer one
    attempt in twelve is rejected instead of one in four.  After a rejected attempt a step does not grow (limit = 1).
    """
    if error == 0.0:
        return limit
    return min(limit, max(0.333, 0.8 * error ** (-0.8 / order) * max(before, 1e-4) ** (0.3 / order)))


@kernel
def watch(model, I, P, F, t, q, v, at, rate):
    """Counted angles and their rates at the state whose body records are current; return the largest surprise."""
    if I[N_ANGLES] == 0:
        return 0.0
    call(model[1], WATCH, I, P, F, t, q, v, v, 0.0, 1)
    surprise = 0.0
    row = I[N_ROWS] + I[N_FREE]
    for k in range(I[N_ANGLES]):
        at[k] = F[I[VALUE] + row + k]
        rate[k] = row_dot(I, F, row + k, I[VHAT])
        predicted = F[I[ANGLE_AT] + k] + F[I[ANGLE_RATE] + k] * (t - F[I[ANGLE_TIME]])
        surprise = max(surprise, abs(at[k] - predicted))
    return surprise


@kernel
def watch_pivots(model, I, P, F, q, v, control, count):
    """Decide whether stage points must be projected: near a position where rows lose their independence.

    There the smallest pivot falls like s^2, s the distance from the position.  A stage point that is off the constraints by e turns into
    an error of the acceleration of e/s^2, which no step size makes small; on the constraints everything is smooth.
    """
    pivot = call(model[1], PIVOT, I, P, F, 0.0, q, v, v, 0.0, 1)
    control[PIVOT_NOW] = pivot
    control[LARGEST_PIVOT] = max(control[LARGEST_PIVOT], pivot)
    count[CAREFUL] = 1 if pivot < 0.05 * control[LARGEST_PIVOT] or (count[AGAIN] > 1 and pivot < 0.05) else 0


@kernel
def other_step(control, count, h):
    """Another step near a singular position: shorter and longer ones in turn.

    What is rejected there is mostly the rounding of a stage that came too close to the position; a step that is a little different
    puts its stages elsewhere, whereas ever shorter ones creep towards it.
    """
    if count[TRIES] == 0:
        control[H_TRIED] = h
    count[TRIES] += 1
    power = (count[TRIES] + 1) // 2
    return control[H_TRIED] * (0.8**power if count[TRIES] % 2 == 1 else 1.25**power)


@kernel
def stage(model, mode, I, P, F, t, q, v, z, k, delta, control, count):
    """Rate of (q, v, z) at a stage point into k; near a singular position at the point projected onto the constraints.

    Returns False if that fails.
    """
    good = True
    if count[CAREFUL]:
        evaluate(model, EVALUATE, I, P, F, t, q, v, z, delta)
        good = hold(model, I, P, F, t, q, v, delta, control)
    derivative(model, mode, I, P, F, t, q, v, z, k)
    return good


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
        out.side[k, i] = F[I[SIDE] + i]


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


@inlined
def outputs(model, I, P, F, method, control, count, K, n, y, mem, out, t_new):
    """All outputs up to t_new; return False if one cannot be projected."""
    t, h = control[T], t_new - control[T]
    dense_ready = False
    k = count[NEXT_OUTPUT]
    while k < out.times.shape[0] and (out.times[k] - t_new) * h <= 0.0:
        time = out.times[k]
        if not dense_ready and time != t_new:
            # stages that serve dense output only
            for s in range(method.steps + 1, method.stages):
                combine(method.a, s, h, K, n, y, mem.y)
                good = stage(
                    model,
                    ACCELERATE,
                    I,
                    P,
                    F,
                    t + method.c[s] * h,
                    mem.q,
                    mem.v,
                    mem.z,
                    K[s * n : (s + 1) * n],
                    mem.delta,
                    control,
                    count,
                )
                if not good:
                    return False
                count[EVALUATIONS] += 1
            dense_ready = True
        if time == t_new:
            for i in range(n):
                mem.y[i] = mem.new_y[i]
        else:
            interpolate(method, K, n, h, (time - t) / h, y, mem.y)
            # the factor at hand belongs to the end of the step, which may be far away
            evaluate(model, EVALUATE, I, P, F, time, mem.q, mem.v, mem.z, mem.a)
            count[EVALUATIONS] += 1
            if not hold(model, I, P, F, time, mem.q, mem.v, mem.delta, control):
                return False
        evaluate(model, EVALUATE, I, P, F, time, mem.q, mem.v, mem.z, mem.a)
        count[EVALUATIONS] += 1
        watch(model, I, P, F, time, mem.q, mem.v, mem.angle, mem.angle_rate)
        record(I, F, time, mem.q, mem.v, mem.z, mem.a, out, k, mem.angle)
        k += 1
        count[NEXT_OUTPUT] = k
    return True


@inlined
def begin(model, I, P, F, control, count, K, n, q, v, z, mem, w):
    """Derivative and powers at the start of the first step, after a switch, or after the active rows were revised."""
    watching = w.kind.shape[0] > 0
    if count[FRESH] == START:
        F[I[FROZEN]] = 0.0
    derivative(model, EVALUATE, I, P, F, control[T], q, v, z, K[:n])
    count[EVALUATIONS] += 1
    if watching:
        F[I[FROZEN]] = 1.0
        nq, last = q.shape[0], q.shape[0] + v.shape[0]
        read_scalars(I, F, w, q, v, K[nq:last], w.jets0)
    for e in range(I[N_LAWS] + I[N_DRIVERS]):
        mem.power[e] = lost_power(I, P, F, mem.conservative, e)
    control[STORED] = stored_energy(I, P, F, mem.conservative)
    watch(model, I, P, F, control[T], q, v, mem.angle, mem.angle_rate)
    for k in range(I[N_ANGLES]):
        F[I[ANGLE_AT] + k], F[I[ANGLE_RATE] + k] = mem.angle[k], mem.angle_rate[k]
    F[I[ANGLE_TIME]] = control[T]
    control[LAST_ERROR] = 1.0
    watch_pivots(model, I, P, F, q, v, control, count)
    control[PIVOT_CHOSEN] = control[PIVOT_NOW]
    count[FRESH] = 0


@kernel
def keep_step(I, F, control, count, n, y, mem, kept):
    """Store the state at the end of an accepted step, for interpolation and the energy audit."""
    k = count[NEXT_STEP]
    kept.t[k] = control[T]
    for i in range(n):
        kept.y[k, i] = y[i]
    for i in range(I[N_ANGLES]):
        kept.angle[k, i] = F[I[ANGLE_AT] + i]
    for e in range(I[N_LAWS] + I[N_DRIVERS]):
        kept.work[k, e] = mem.work[e]
    kept.stored[k] = control[STORED]
    for i in range(kept.side.shape[1]):
        kept.side[k, i] = F[I[SIDE] + i]
    count[NEXT_STEP] = k + 1


@kernel
def weight_inside(points, j):
    """Weights on a step of Simpson's rule (one point inside) or Lobatto's (three): j = 0, 1, 2 inside, -1 for either end."""
    if points == 1:
        return 1.0 / 6.0 if j < 0 else 2.0 / 3.0
    return 0.05 if j < 0 else 49.0 / 180.0 if j != 1 else 64.0 / 180.0


@kernel
def weight_of_work(guard, j):
    """Weights of powers: at three points unless there is no work."""
    return weight_inside(1 if guard == ONE_POINT else 3, j)


@kernel
def point_inside(method, K, n, h, j, y, out):
    """State at point j inside the step."""
    for i in range(n):
        out[i] = y[i]
    for s in range(method.steps + 1):
        f, o = h * method.inside[j, s], s * n
        if f != 0.0:
            for i in range(n):
                out[i] += f * K[o + i]


@inlined
def look_inside(model, I, P, F, method, control, count, K, n, y, nq, scale, mem, t, h):
    """The equations at points inside the step that the method has not used; return the largest defect, in units of the tolerance.

    The state there comes from the stages (`inside`), the rate that the step stands for too (`slope`); the equations give another rate, and the
    difference is the defect: what the step has not seen of a force.  The powers there make the work of the step by a quadrature of its own.
    """
    worst, guard = 0.0, count[GUARD]
    for j in range(3):
        if guard == POWERS_ONLY and j != 1:
            point_inside(method, K, n, h, j, y, mem.y)
            evaluate(model, POWERS, I, P, F, t + method.inside_at[j] * h, mem.q, mem.v, mem.z, mem.delta)
        elif guard == THREE_POINTS or j == 1:
            for i in range(n):
                mem.y[i], mem.error[i] = y[i], 0.0
            for s in range(method.steps + 1):
                f, g, o = h * method.inside[j, s], method.slope[j, s], s * n
                if f != 0.0 or g != 0.0:
                    for i in range(n):
                        mem.y[i] += f * K[o + i]
                        mem.error[i] += g * K[o + i]
            mode = ACCELERATE if guard == ONE_POINT else EVALUATE
            derivative(model, mode, I, P, F, t + method.inside_at[j] * h, mem.q, mem.v, mem.z, mem.inside[j])
            for i in range(nq, n):
                weight = control[ATOL] * scale[i] + control[RTOL] * max(abs(y[i]), abs(mem.new_y[i]))
                worst = max(worst, abs(mem.inside[j, i] - mem.error[i]) * abs(h) / weight)
        if guard != ONE_POINT:
            for e in range(I[N_LAWS] + I[N_DRIVERS]):
                mem.stage_work[e] += h * weight_of_work(guard, j) * lost_power(I, P, F, mem.conservative, e)
    count[EVALUATIONS] += 3 if guard == THREE_POINTS else 1
    return worst


@kernel
def unexplained(points, method, control, K, n, nq, last, y, scale, mem, h):
    """Change of velocities over the step without the integral of the accelerations, over what quadrature may leave of it.

    A change of velocity by anything else than accelerations (a jump onto another branch of a constraint) is not explained by them.  The largest
    change without explanation goes to the audit.
    """
    large, worst, most = 0.0, 0.0, 0.0
    o = method.steps * n
    for i in range(nq, last):
        peak = max(max(abs(K[i]), abs(K[o + i])), abs(mem.inside[1, i]))
        large = max(large, peak / scale[i])
    for i in range(nq, last):
        found = weight_inside(points, -1) * (K[i] + K[o + i]) + weight_inside(points, 1) * mem.inside[1, i]
        if points == 3:
            found += weight_inside(points, 0) * (mem.inside[0, i] + mem.inside[2, i])
        left = abs(mem.new_y[i] - y[i] - h * found)
        weight = control[ATOL] * scale[i] + control[RTOL] * max(abs(y[i]), abs(mem.new_y[i]))
        worst = max(worst, left / (USUAL_DEFECT * weight + UNEXPLAINED * abs(h) * large * scale[i]))
        most = max(most, left / scale[i])
    control[UNBALANCED] = most
    return worst


@inlined
def try_step(model, I, P, F, method, control, count, K, n, y, nq, scale, mem, t_new):
    """One attempt: stages, error, projection, derivative at the end, angles.  Returns the error norm, or NaN if it failed."""
    t, h = control[T], t_new - control[T]
    new_q, new_v, new_z = mem.new_q, mem.new_v, mem.new_z
    n_power = I[N_LAWS] + I[N_DRIVERS]
    for s in range(1, method.steps):
        combine(method.a, s, h, K, n, y, mem.y)
        # the projection at the end uses the factor of the last stage
        mode = EVALUATE if s == method.steps - 1 else ACCELERATE
        good = stage(
            model, mode, I, P, F, t + method.c[s] * h, mem.q, mem.v, mem.z, K[s * n : (s + 1) * n], mem.delta, control, count
        )  # fmt: skip
        if not good:
            return math.nan
    count[EVALUATIONS] += method.steps - 1
    combine(method.a, method.steps, h, K, n, y, mem.new_y)
    if not method.two_errors:
        # the estimate of the order-5 method needs the derivative at the end of the step as well
        derivative(model, EVALUATE, I, P, F, t_new, new_q, new_v, new_z, K[method.steps * n : (method.steps + 1) * n])
        count[EVALUATIONS] += 1
    error = error_norm(method, K, n, h, scale, control, y, mem.new_y, mem.error, mem.error_low)
    if not error < 1.0:
        return error
    for e in range(n_power):
        mem.stage_work[e] = h * weight_of_work(count[GUARD], -1) * mem.power[e]
    if count[CAREFUL]:
        evaluate(model, EVALUATE, I, P, F, t_new, new_q, new_v, new_z, mem.delta)
    if not hold(model, I, P, F, t_new, new_q, new_v, mem.delta, control):
        return math.nan
    control[DEFECT], control[UNBALANCED] = 0.0, 0.0
    # next to a singular position points off the constraints say nothing
    if count[GUARD]:
        control[DEFECT] = look_inside(model, I, P, F, method, control, count, K, n, y, nq, scale, mem, t, h)
        if not (control[DEFECT] < USUAL_DEFECT or count[CAREFUL]):
            return 4.0
    derivative(model, EVALUATE, I, P, F, t_new, new_q, new_v, new_z, K[method.steps * n : (method.steps + 1) * n])
    count[EVALUATIONS] += 1
    for e in range(n_power):
        mem.power[e] = lost_power(I, P, F, mem.conservative, e)
        mem.stage_work[e] += h * weight_of_work(count[GUARD], -1) * mem.power[e]
    control[STORED_NEXT] = stored_energy(I, P, F, mem.conservative)
    points = 3 if count[GUARD] == THREE_POINTS else 1
    if count[GUARD] and not (
        unexplained(points, method, control, K, n, nq, nq + new_v.shape[0], y, scale, mem, h) < 1.0 or count[CAREFUL]
    ):
        return 4.0
    if I[N_ANGLES] > 0 and watch(model, I, P, F, t_new, new_q, new_v, mem.next_angle, mem.next_rate) > 0.5 * math.pi:
        # a turn could be lost: not an error of the solution, but the step must be shorter
        return 8.0
    return error


@kernel
def note_switch(control, count, mem, w, n, t):
    """Enter a switch into the list of the run; return False if laws jump back and forth at one instant."""
    k = count[SWITCHES]
    if k < mem.switch_time.shape[0]:
        mem.switch_time[k], mem.switch_owner[k] = t, w.owner[n]
    count[SWITCHES], count[LAST_SWITCH] = k + 1, n
    near = abs(t - control[T_SWITCHED]) <= 1e3 * control[H_MIN]
    count[CHATTER] = count[CHATTER] + 1 if near else 0
    control[T_SWITCHED] = t
    return count[CHATTER] <= CHATTERS


@entry
def integrate(model, I, P, F, method, control, count, K, y, q, v, z, scale, mem, out, kept, w, budget):
    """Run until the end time, the budget or a full buffer; the state y = (q, v, z), with its views q, v, z, stays in the arguments."""
    nq = q.shape[0]
    last = nq + v.shape[0]
    n = last + z.shape[0]
    forward = control[T_END] >= control[T]
    watching = w.kind.shape[0] > 0
    for _ in range(budget):
        if control[T] == control[T_END]:
            return DONE
        if count[FRESH]:
            begin(model, I, P, F, control, count, K, n, q, v, z, mem, w)
        if count[NEXT_STEP] >= kept.t.shape[0]:
            return BUFFER
        h = control[H]
        if abs(h) > control[H_MAX]:
            h = control[H_MAX] if forward else -control[H_MAX]
        t_new = control[T] + h
        # a last step slightly longer is better than a tiny one after it
        if (t_new + 0.01 * h - control[T_END]) * h >= 0.0 and not (count[CUT] and (t_new - control[T_END]) * h < 0.0):
            t_new = control[T_END]
        h = t_new - control[T]
        if (abs(h) < control[H_MIN] and t_new != control[T_END] and not count[CUT]) or control[T] + h == control[T]:
            return NOT_FINITE if count[BAD] > 0 else STEP_TOO_SMALL
        # powers of step 0 survive a rejected attempt
        for e in range(I[N_LAWS] + I[N_DRIVERS]):
            mem.power0[e] = mem.power[e]
        error = try_step(model, I, P, F, method, control, count, K, n, y, nq, scale, mem, t_new)
        if not error < 1.0:
            for e in range(I[N_LAWS] + I[N_DRIVERS]):
                mem.power[e] = mem.power0[e]
            count[REJECTED] += 1
            count[CUT], count[PENDING] = 0, -1
            if abs(h) <= 8.0 * EPSILON * abs(control[T]):
                # time itself has no smaller steps
                return NOT_FINITE if count[BAD] > 0 else STEP_TOO_SMALL
            if error != error:
                count[BAD] += 1
                control[H] = 0.25 * h
            else:
                control[H] = h * max(0.2, 0.8 * error ** (-1.0 / method.order))
            count[AGAIN] += 1
            if count[CAREFUL] and count[TRIES] < 12:
                control[H] = other_step(control, count, h)
            elif count[AGAIN] > 1 and I[N_ROWS] > 0:
                watch_pivots(model, I, P, F, q, v, control, count)
            continue
        if watching:
            o = method.steps * n
            read_scalars(I, F, w, mem.new_q, mem.new_v, K[o + nq : o + last], w.jets1)
            fit(w, h)
            x, found = first_switch(F, w, control[T], h, control[RTOL], control[ATOL], count[PENDING])
            if x < NONE and x * abs(h) <= 4.0 * EPSILON * abs(control[T]):
                # at the start itself: nothing to integrate before it
                flip(F, w, found, control[T], h, x)
                for e in range(I[N_LAWS] + I[N_DRIVERS]):
                    mem.power[e] = mem.power0[e]
                count[CUT], count[PENDING], count[CUTS] = 0, -1, 0
                if not note_switch(control, count, mem, w, found, control[T]):
                    return CHATTERING
                count[FRESH] = AGAIN_HELD
                if w.halts[found]:
                    return SWITCHED
                continue
            length = 0.0
            if not x < 1.0:
                x, length = first_unseen(F, w, control[T], h, control[RTOL], control[ATOL], method.c, method.steps)
                found = -1
            if (x < 1.0 or length > 0.0) and count[CUTS] < 30:
                # cut the step there: the next attempt ends at the switch, or before what was not seen
                for e in range(I[N_LAWS] + I[N_DRIVERS]):
                    mem.power[e] = mem.power0[e]
                if count[CUTS] == 0:
                    control[H_UNCUT] = h
                count[CUTS] += 1
                count[CUT], count[PENDING] = 1, found
                if length > 0.0:
                    control[H_UNCUT] = 0.5 * length * h
                    control[H] = x * h if x > 1e-3 * length else 0.5 * length * h
                else:
                    control[H] = x * h
                continue
        count[BAD] = 0
        if out.times.shape[0] > count[NEXT_OUTPUT] and not outputs(
            model, I, P, F, method, control, count, K, n, y, mem, out, t_new
        ):
            return PROJECTION
        # accept
        for i in range(n):
            y[i] = mem.new_y[i]
        for i in range(n):
            K[i] = K[method.steps * n + i]
        for k in range(I[N_ANGLES]):
            F[I[ANGLE_AT] + k], F[I[ANGLE_RATE] + k] = mem.next_angle[k], mem.next_rate[k]
        F[I[ANGLE_TIME]] = t_new
        before = control[T]
        control[T], control[STORED] = t_new, control[STORED_NEXT]
        for e in range(I[N_LAWS] + I[N_DRIVERS]):
            mem.work[e] += mem.stage_work[e]
        control[WORST_DEFECT] = max(control[WORST_DEFECT], control[DEFECT])
        control[WORST_UNBALANCED] = max(control[WORST_UNBALANCED], control[UNBALANCED])
        count[STEPS] += 1
        keep_step(I, F, control, count, n, y, mem, kept)
        control[H] = h * growth_of(error, control[LAST_ERROR], 1.0 if count[AGAIN] else 6.0, method.order)
        control[LAST_ERROR], count[AGAIN], count[TRIES] = error, 0, 0
        if watching:
            for k in range(w.scalar.shape[0]):
                w.jets0[k, 0], w.jets0[k, 1], w.jets0[k, 2] = w.jets1[k, 0], w.jets1[k, 1], w.jets1[k, 2]
            if count[CUT]:
                # the step was shortened for a reason of its own: go on with that before
                control[H] = control[H_UNCUT]
                found = count[PENDING]
                count[CUT], count[PENDING], count[CUTS] = 0, -1, 0
                if found >= 0 and arrived(F, w, found, before, h, control[RTOL], control[ATOL]):
                    flip(F, w, found, before, h, 1.0)
                    if not note_switch(control, count, mem, w, found, t_new):
                        return CHATTERING
                    count[FRESH] = AGAIN_HELD
                    if w.halts[found]:
                        return SWITCHED
                    continue
        if I[N_ROWS] > 0:
            watch_pivots(model, I, P, F, q, v, control, count)
        # rows left out no longer follow from the others, or those that are kept have become nearly dependent
        if control[DROPPED] < math.inf and (
            position_residual(I, P, F)[1] > control[DROPPED] or control[PIVOT_NOW] < 0.25 * control[PIVOT_CHOSEN]
        ):
            return REDETECT
    return BUDGET
