"""One step over a singular position, where rows lose their independence in one position only and the motion goes on.

Off the constraints by e, at the distance s from the position, velocities are wrong by e/s^2 and accelerations by e/s^3: what is computed close to it is
noise, of which shorter steps see more.  On the motion everything is smooth.  The smallest pivot is s^2 times a constant, its root linear in time, so that
the moment is known in advance (`foresee`), and a step by collocation (`integrators/bridge.py`) has it in the middle of its gap.

    states      y_i = y + h sum_j a_ij k_j at the nodes, projected to round-off; k_i the rates there; repeated until nothing changes
    start       the nodes before the gap alone, then their polynomial beyond it
    inside      outputs close to the position have states, accelerations, multipliers and powers by the polynomial through the nodes; multipliers
                may have a pole there (a force across the motion needs reactions ~ 1/s): then (t - t_cross) lam is the polynomial
"""

from __future__ import annotations

import math

from ...kernels.compiler import entry, kernel
from ...kernels.hold import hold as onto_constraints
from ...kernels.hold import project_position, project_velocity
from ...kernels.laws import lost_power, stored_energy
from ...kernels.layout import FLOOR, LAM, N_DRIVERS, N_LAWS, N_ROWS, POWER
from ...kernels.operate import EVALUATE, PIVOT, RATES
from ...kernels.through import call
from ...kernels.watch import WHOLE, first_switch, fit, read_scalars
from .control import allow, unknown
from .equations import count_angles, derivative, evaluate, keep_angles
from .explicit import error_norm
from .outputs import keep_step, record
from .records import AGAIN_HELD, AGAIN_LATER, MISSED

BEGIN, ROUND, JUDGE, TAKE = 0, 1, 2, 3
# rounds over the nodes before the gap, and the change, in units of the tolerance, that ends them
ROUNDS, SETTLED = 12, 0.1
# by how much floors of pivots are raised in the gap: from 1e-15 to 7e-5 of the entry of the row
COARSE = 2.0**36
# residue of a pole, against the largest value times its distance, that is none
POLE = 1e-5
# nodes beyond the gap of which one is kept as a step
KEPT_EVERY = 3
# steps ahead in which a singular position is looked for
AHEAD = 3.0


@kernel
def foresee(now, mem, h, pivot_before):
    """Whether the smallest pivot will vanish within some steps, by its root at the ends of the step h just made; `t_cross` is then when.

    Where rounding already hides velocities, however many steps ahead that is; and if no step goes over it, tolerances allow for that.
    """
    root, before = math.sqrt(max(now.pivot, 0.0)), math.sqrt(max(pivot_before, 0.0))
    if not now.careful:
        now.denied = 0
    if now.denied == MISSED and root < before:
        # motions turn into each other where they nearly meet: towards it a step goes half of the way, never over it
        ahead = 0.5 * root / (before - root) * h
        now.h = ahead if abs(ahead) < abs(now.h) else now.h
    noise = unknown(now, mem) if now.careful else 0.0
    allow(now, mem, noise if now.denied == MISSED else 0.0)
    if now.denied == MISSED or (now.denied == AGAIN_LATER and now.pivot > 0.25 * now.pivot_denied):
        return False
    if not now.careful or not root < (before if noise > 0.0 else (1.0 - 0.2 / AHEAD) * before):
        return False
    now.t_cross = now.t + root / (before - root) * h
    return noise > 0.0 or (now.t_cross - now.t) * h < AHEAD * h * h


@kernel
def settle_node(e, now, mem, over, i, t, n):
    """Project the state of node i and compute its rate; return the largest change of the rate, in units of the tolerance over a unit of time."""
    nq, nv = mem.q.shape[0], mem.v.shape[0]
    y, rate = over.y[i], over.k[i * n : (i + 1) * n]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    evaluate(e, EVALUATE, t, q, v, z, mem.delta)
    if not onto_constraints(e.rest, e.I, e.P, e.F, e.t0 + t, q, v, mem.delta, now.tolerance, True):
        return math.nan
    # to the last bit: what is left of positions counts by 1/s^3, and must not change with the way by which it came
    project_position(e.rest, e.I, e.P, e.F, e.t0 + t, q, v, 0.0, 4, mem.delta)
    project_velocity(e.rest, RATES, e.I, e.P, e.F, e.t0 + t, q, v, mem.delta, 0.0, 3)
    for r in range(n):
        mem.error[r] = rate[r]
    derivative(e, EVALUATE, t, q, v, z, rate)
    now.evaluations += 2
    change = 0.0
    for r in range(n):
        weight = now.atol * abs(mem.scale[r]) + now.rtol * abs(y[r] - mem.scale[n + r])
        difference = abs(rate[r] - mem.error[r]) / weight
        change = difference if not difference <= change else change
    over.pivot[i] = call(e.rest, PIVOT, e.I, e.P, e.F, e.t0 + t, q, v, v, 0.0, 1)
    rows, powers = e.I[N_ROWS], e.I[N_LAWS] + e.I[N_DRIVERS]
    for r in range(rows):
        over.more[i, r] = e.F[e.I[LAM] + r]
    for r in range(powers):
        over.more[i, rows + r] = e.F[e.I[POWER] + r]
        over.more[i, rows + powers + r] = lost_power(e.I, e.P, e.F, mem.conservative, r)
    return change


@kernel
def go_round(e, nodes, now, mem, over, a, first, last, t, h):
    """States at the nodes `first` to `last` from the rates of all nodes that `a` knows, and their rates; return the largest change."""
    n, worst = mem.y.shape[0], 0.0
    for i in range(first, last):
        for r in range(n):
            over.y[i, r] = mem.y[r]
        for j in range(a.shape[0]):
            f, o = h * a[i, j], j * n
            for r in range(n):
                over.y[i, r] += f * over.k[o + r]
        change = settle_node(e, now, mem, over, i, t + nodes.c[i] * h, n)
        worst = change if not change <= worst else worst
    return abs(h) * worst


@kernel
def begin_step(e, nodes, now, mem, w, over, t, h):
    """Rates at all nodes to begin with, by those before the gap alone; return NaN if that fails."""
    n, side = mem.y.shape[0], nodes.steps // 2
    nq, last_v = mem.q.shape[0], mem.q.shape[0] + mem.v.shape[0]
    for r in range(n):
        over.y[0, r] = mem.y[r]
    first = settle_node(e, now, mem, over, 0, t, n)
    if first != first:
        return math.nan
    count_angles(e, t, mem.q, mem.v, mem.angle, mem.angle_rate)
    keep_angles(e, t, mem.angle, mem.angle_rate)
    if w.kind.shape[0] > 0:
        read_scalars(e.I, e.F, w, mem.q, mem.v, over.k[nq:last_v], w.jets0, 0)
    for i in range(1, side):
        for r in range(n):
            over.k[i * n + r] = over.k[r]
    change = math.inf
    for _ in range(ROUNDS):
        change = go_round(e, nodes, now, mem, over, nodes.before, 1, side, t, h)
        if not change > SETTLED:
            break
    if change != change:
        return change
    for i in range(side, nodes.steps):
        for r in range(n):
            over.k[i * n + r] = 0.0
        for j in range(side):
            for r in range(n):
                over.k[i * n + r] += nodes.beyond[i - side, j] * over.k[j * n + r]
    return 0.0


@kernel
def weights_at(nodes, x, weight):
    """Values at x of the polynomials that are 1 at one node, by their barycentric form."""
    total = 0.0
    for i in range(nodes.steps):
        if x == nodes.c[i]:
            for j in range(nodes.steps):
                weight[j] = 1.0 if j == i else 0.0
            return
        weight[i] = nodes.bary[i] / (x - nodes.c[i])
        total += weight[i]
    for i in range(nodes.steps):
        weight[i] /= total


@kernel
def through(nodes, now, over, weight, r, t, h, x):
    """Multiplier or power r at x by the values at the nodes, with a pole at `t_cross` if there is one."""
    at_pole, pole, plain, largest = (now.t_cross - t) / h, 0.0, 0.0, 0.0
    value, total = 0.0, 0.0
    for i in range(nodes.steps):
        plain += weight[i] * over.more[i, r]
        moved = (nodes.c[i] - at_pole) * over.more[i, r]
        value += weight[i] * moved
        largest = max(largest, abs(moved))
        share = nodes.bary[i] / (at_pole - nodes.c[i])
        pole += share * moved
        total += share
    if abs(pole) <= POLE * abs(total) * largest:
        return plain
    distance = x - at_pole
    return value / (distance if abs(distance) > 1e-12 else 1e-12)


@kernel
def raise_floors(e, factor):
    """Leave out rows with pivots below larger floors: in the gap a projection by such rows brings noise, and without it they are satisfied."""
    for r in range(e.I[N_ROWS]):
        e.F[e.I[FLOOR] + r] *= factor


@kernel
def state_at(e, nodes, now, mem, over, t, h, x, weight):
    """The model at the fraction x of the step: state into stage_y, accelerations into `a`, all else into the memory of the equations."""
    n, nq, nv = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0]
    weights_at(nodes, x, weight)
    for r in range(n):
        mem.stage_y[r], mem.error[r] = 0.0, 0.0
    for i in range(nodes.steps):
        for r in range(n):
            mem.stage_y[r] += weight[i] * over.y[i, r]
            mem.error[r] += weight[i] * over.k[i * n + r]
    time, q, v, z = t + x * h, mem.stage_q, mem.stage_v, mem.stage_z
    inside = abs(time - now.t_cross) < now.zone
    raise_floors(e, COARSE if inside else 1.0)
    evaluate(e, EVALUATE, time, q, v, z, mem.a)
    good = onto_constraints(e.rest, e.I, e.P, e.F, e.t0 + time, q, v, mem.delta, now.tolerance, True) or inside
    raise_floors(e, 1.0 / COARSE if inside else 1.0)
    evaluate(e, EVALUATE, time, q, v, z, mem.a)
    now.evaluations += 2
    if inside:
        for r in range(nv):
            mem.a[r] = mem.error[nq + r]
        rows = e.I[N_ROWS]
        for r in range(rows):
            e.F[e.I[LAM] + r] = through(nodes, now, over, weight, r, t, h, x)
        for r in range(e.I[N_LAWS] + e.I[N_DRIVERS]):
            e.F[e.I[POWER] + r] = through(nodes, now, over, weight, rows + r, t, h, x)
    return good


@kernel
def changes_law(e, nodes, now, mem, w, over, h):
    """Whether a law changes inside the step."""
    if w.kind.shape[0] == 0:
        return False
    o = (nodes.steps - 1) * mem.y.shape[0] + mem.q.shape[0]
    read_scalars(e.I, e.F, w, mem.new_q, mem.new_v, over.k[o : o + mem.v.shape[0]], w.jets1, 0)
    fit(w, h)
    x, found, _ = first_switch(e.F, w, now.t, h, now.rtol, now.atol, -1, WHOLE, False)
    return x < 1.0 or found >= 0


@kernel
def judge(e, nodes, now, mem, w, over, t_new):
    """Error of the step in units of the tolerance; 8 where a turn could be lost or a law changes."""
    n, h = mem.y.shape[0], t_new - now.t
    for r in range(n):
        mem.new_y[r] = over.y[nodes.steps - 1, r]
    error = error_norm(nodes, over.k, n, h, mem.scale, now, mem.y, mem.new_y, mem.error, mem.error_low)
    turned = count_angles(e, t_new, mem.new_q, mem.new_v, mem.next_angle, mem.next_rate)
    if turned > 0.5 * math.pi or changes_law(e, nodes, now, mem, w, over, h):
        return 8.0
    return error


@kernel
def add_work(e, nodes, mem, over, share, h):
    """Work of all elements up to where `share` integrates."""
    rows, powers = e.I[N_ROWS], e.I[N_LAWS] + e.I[N_DRIVERS]
    for r in range(powers):
        for i in range(nodes.steps):
            mem.work[r] += h * share[i] * over.more[i, rows + powers + r]


@kernel
def keep_node(e, nodes, now, mem, kept, over, i, t, h):
    """Store the state at node i as that of a step."""
    n = mem.y.shape[0]
    for r in range(n):
        mem.new_y[r], mem.y[r] = mem.y[r], over.y[i, r]
    now.t = t + nodes.c[i] * h
    evaluate(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.a)
    count_angles(e, now.t, mem.q, mem.v, mem.angle, mem.angle_rate)
    keep_angles(e, now.t, mem.angle, mem.angle_rate)
    now.stored = stored_energy(e.I, e.P, e.F, mem.conservative)
    add_work(e, nodes, mem, over, nodes.a[i], h)
    keep_step(e, now, mem, kept)
    add_work(e, nodes, mem, over, nodes.a[i], -h)
    for r in range(n):
        mem.y[r] = mem.new_y[r]


@entry
def bridge(e, nodes, now, mem, out, kept, w, over, what, t_new: float):
    """One part of the step to t_new: begin it, one round, judge it; or take it up to the end of the run: outputs, work, the new state."""
    t, h = now.t, t_new - now.t
    if what == BEGIN:
        return begin_step(e, nodes, now, mem, w, over, t, h)
    if what == ROUND:
        return go_round(e, nodes, now, mem, over, nodes.a, 1, nodes.steps, t, h)
    if what == JUDGE:
        return judge(e, nodes, now, mem, w, over, t_new)
    weight, end = over.weight, t_new
    if (now.t_end - t_new) * h < 0.0:
        end = now.t_end
    while now.next_output < out.times.shape[0] and (out.times[now.next_output] - end) * h <= 0.0:
        time = out.times[now.next_output]
        state_at(e, nodes, now, mem, over, t, h, (time - t) / h, weight)
        count_angles(e, time, mem.stage_q, mem.stage_v, mem.angle, mem.angle_rate)
        record(e.I, e.F, time, mem.stage_q, mem.stage_v, mem.stage_z, mem.a, out, now.next_output, mem.angle)
        now.next_output += 1
    # states beyond the gap are kept too: the next such position may be close
    side = nodes.steps // 2
    for i in range(side, nodes.steps - 1, KEPT_EVERY):
        if now.next_step + 1 < kept.t.shape[0] and (t + nodes.c[i] * h - end) * h < 0.0:
            keep_node(e, nodes, now, mem, kept, over, i, t, h)
    add_work(e, nodes, mem, over, over.share, h)
    state_at(e, nodes, now, mem, over, t, h, (end - t) / h, weight)
    count_angles(e, end, mem.stage_q, mem.stage_v, mem.angle, mem.angle_rate)
    keep_angles(e, end, mem.angle, mem.angle_rate)
    for r in range(mem.y.shape[0]):
        mem.y[r] = mem.stage_y[r]
    now.t, now.fresh, now.stored = end, AGAIN_HELD, stored_energy(e.I, e.P, e.F, mem.conservative)
    now.steps += 1
    keep_step(e, now, mem, kept)
    return 0.0
