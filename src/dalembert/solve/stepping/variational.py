"""Steps of one length by discrete Hamilton's principle: constraints at every step, momenta that no step creates, energy that does not drift.

One step of length h, from (q, v) on the constraints, f = M^-1 Q the forces there (RATTLE; rotations by `kernels/momenta.py`):

    M u   = M v + h/2 (M f - J^T lam)       lam so that the new position satisfies phi = 0
    q'    = q (+) h x                       x the velocity whose momenta at the start of the step are M u
    M v'  = momenta at its end + h/2 (M f' - J'^T lam')      lam' so that J' v' = nu

The method is symplectic and symmetric, of order 2; forces without a potential act by their half impulses at both ends (discrete d'Alembert).  f may
contain any J^T of its own place: lam takes that up.  Auxiliary states go by the trapezoidal rule, with forces at the end by their values there: symmetric too.
Steps in the proportions `parts` make one of order 4 (Suzuki's composition).
The loop that makes them is in `leaps.py`.
"""

from __future__ import annotations

import math

from ...kernels.bodies import move
from ...kernels.compiler import kernel
from ...kernels.hold import project_velocity
from ...kernels.layout import FORCE, N_BODIES, N_LAWS, N_ROWS, Y
from ...kernels.momenta import at_end, turns_of, without_gyration
from ...kernels.operate import EVALUATE, RATES, ROWS, STEP_POSITION
from ...kernels.through import call
from .equations import evaluate
from .tied import ENOUGH, coordinates_step, is_over, on_rates, pushed, tied

# rounds of the position, and of forces that depend on velocities
ROUNDS, FORCES = 60, 100
# rounds that come no nearer, beyond which they do not come to an end
STALLS = 3
# scaled residual of positions that ends the rounds; a change that moves nothing by more within a step is rounding: where forces cancel, it is all that is left of them
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
def move_states(I, F, mem, at, h):
    """z at the end of a part by its rates at both ends; return sums of changes, over their sizes and over the scales of the states."""
    change, moved, first = 0.0, 0.0, mem.q.shape[0] + mem.v.shape[0]
    for i in range(mem.z.shape[0]):
        new = at.part_z[i] + 0.5 * h * (at.part_rate[i] + F[I[FORCE] + i])
        change += abs(new - mem.z[i]) / max(abs(new) + abs(h * F[I[FORCE] + i]), 1e-300)
        moved += abs(new - mem.z[i]) / mem.scale[first + i]
        mem.z[i] = new
    return change, moved


@kernel
def displacement(mem, v, other, h):
    """What differences of velocities move within a step, over the scales of the model."""
    moved, first = 0.0, mem.q.shape[0]
    for k in range(v.shape[0]):
        moved = max(moved, abs(h * (v[k] - other[k])) / mem.scale[first + k])
    return moved


@kernel
def one_step(e, e2, now, mem, at, t, h, t_new):
    """From (mem.q, mem.v, mem.z) with forces mem.a and the rows there at hand, to the same at t_new; return False if that fails."""
    I, P = e.I, e.P
    u, v, f, before, stalls, size = mem.stage_v, mem.v, mem.a, math.inf, 0, 1e-300
    for k in range(v.shape[0]):
        u[k] = v[k] + 0.5 * h * f[k]
    if not find_position(e, e2, mem, t_new, h):
        return False
    at_end(I, P, mem.new_v, h, u)
    for i in range(mem.q.shape[0]):
        mem.q[i] = mem.new_q[i]
    for k in range(v.shape[0]):
        v[k] = u[k] + 0.5 * h * f[k]
    for _ in range(FORCES):
        for k in range(v.shape[0]):
            mem.new_v[k] = v[k]
        forces(e, t_new, mem.q, mem.new_v, mem.z, f)
        now.evaluations += 1
        for k in range(v.shape[0]):
            v[k] = u[k] + 0.5 * h * f[k]
        left = project_velocity(e.rest, RATES, I, P, e.F, t_new, mem.q, v, mem.delta, 0.0, 3)
        change = 0.0
        for k in range(v.shape[0]):
            change, size = max(change, abs(v[k] - mem.new_v[k])), max(size, abs(v[k]))
        if not (left < math.inf and size < math.inf):
            return False
        if I[N_LAWS] == 0:
            return True
        more, moved = move_states(I, e.F, mem, at, h)
        worst = change / size + more
        if worst <= 1e-15 or is_over(worst, before):
            return True
        stalls += worst >= before
        if stalls > STALLS:
            break
        before = worst
    return displacement(mem, v, mem.new_v, h) + moved <= TOLERANCE


@kernel
def rolling_step(e, e2, now, mem, at, t, h, t_new):
    """`one_step` with conditions on velocities (`tied.py`)."""
    I, P, n = e.I, e.P, mem.v.shape[0]
    u, before, stalls = mem.stage_v, math.inf, 0
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
        more, moved = move_states(I, e2.F, mem, at, h)
        worst += more
        for k in range(n):
            change, size = change + abs(at.end[k] - at.p[k]), max(size, abs(at.end[k]))
        worst += change / size
        if is_over(worst, before):
            break
        stalls += worst >= before
        if stalls > STALLS or not worst < 1e3 * before:
            break
        before = worst
    if not (worst <= ENOUGH or displacement(mem, at.end, at.p, h) + moved <= TOLERANCE):
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
    for i in range(mem.z.shape[0]):
        into.z[i], into.rate[i] = mem.z[i], into.part_rate[i]


@kernel
def put_back(e, mem, at, t):
    """The state that was kept, with the rows there at hand, all of it to the last bit."""
    for i in range(mem.q.shape[0]):
        mem.q[i] = at.q[i]
    for k in range(mem.v.shape[0]):
        mem.v[k] = at.v[k]
    for i in range(mem.z.shape[0]):
        mem.z[i], at.part_rate[i] = at.z[i], at.rate[i]
    forces(e, t, mem.q, mem.v, mem.z, mem.a)
    for k in range(mem.v.shape[0]):
        mem.a[k] = at.f[k]


@kernel
def keep_rates(e, mem, at):
    """Rates of the auxiliary states, as they were evaluated last."""
    for i in range(mem.z.shape[0]):
        at.part_rate[i] = e.F[e.I[FORCE] + i]


@kernel
def composed(e, e2, now, mem, at, parts, t, h):
    """A step of length h in its parts."""
    done, conditions = 0.0, on_rates(e.I)
    for k in range(parts.shape[0]):
        begun = t + done * h
        done += parts[k]
        t_new = t + h if k == parts.shape[0] - 1 else t + done * h
        for i in range(mem.z.shape[0]):
            at.part_z[i] = mem.z[i]
            mem.z[i] += parts[k] * h * at.part_rate[i]
        if e.I[N_BODIES] == 0:
            arrived = coordinates_step(e, e2, now, mem, at, begun, parts[k] * h, t_new)
        elif conditions > 0:
            arrived = rolling_step(e, e2, now, mem, at, begun, parts[k] * h, t_new)
        else:
            arrived = one_step(e, e2, now, mem, at, begun, parts[k] * h, t_new)
        if not arrived:
            return False
        keep_rates(e, mem, at)
    return True
