"""Steps of `variational.py` with conditions on velocities, and with coordinates of one's own, whose masses may depend on them.

Coordinates: with p = dL/dq' and g = dL/dq + forces without potential, both functions of (q, q', t),

    p(q, u)   = p + h/2 (g(q, u) - J^T lam)                lam so that phi = 0 at q'
    q'        = q + h/2 (u + w),   p(q', w) = p(q, u)
    p(q', v') = p(q', w) + h/2 (g(q', w) - J'^T lam')      lam' so that J' v' = nu

(Störmer and Verlet's method for any Hamiltonian, with constraints as in RATTLE: symplectic, symmetric, order 2.)  The momentum of a coordinate that does not
occur in L and in no row is never touched.

Rows on velocities have no position to satisfy, and one impulse more than conditions.  The free one is fixed so that a step backwards undoes a step: impulses
along these rows change J v by the same y at both ends (discrete Lagrange-d'Alembert, reversible).  Equations are solved by rounds, each of which leaves a
share of order h of the error of the one before.
"""

from __future__ import annotations

import math

from ...kernels.compiler import kernel
from ...kernels.hold import project_velocity
from ...kernels.lagrange.equations import backward_mass, forward_mass
from ...kernels.lagrange.layout import J_AT, MOMENTA_AT, PULL_AT
from ...kernels.layout import ACC, FLOOR, LAM, N_ROWS, ROW_RATE, SCALE, Y
from ...kernels.operate import EVALUATE, MOMENTA, RATES, ROWS, STEP_VELOCITY
from ...kernels.project import position_residual
from ...kernels.row_status import OFF
from ...kernels.through import call
from .equations import evaluate

ROUNDS = 100
# a sum of errors at which rounds may end; sums, since a comparison does not see what is no number
ENOUGH = 1e-12


@kernel
def is_over(worst, before):
    """Whether rounds have come to the rounding below which they do not fall."""
    return worst <= 1e-16 or (worst <= ENOUGH and worst > 0.5 * before)


@kernel
def on_rates(I):
    """Number of rows on velocities."""
    total = 0
    for r in range(I[N_ROWS]):
        total += I[I[ROW_RATE] + r]
    return total


@kernel
def pushed(e, mem, t, y, u):
    """Velocities u after an impulse along the rows at hand that changes J u by -y."""
    for r in range(e.I[N_ROWS]):
        e.F[e.I[Y] + r] = y[r]
    call(e.rest, STEP_VELOCITY, e.I, e.P, e.F, t, mem.q, u, mem.delta, 0.0, 1)


@kernel
def tied(e, e2, mem, at, t_new):
    """Bring the velocities at.end onto the rows at mem.new_q, in the memory of e2; y moves to the mean of both ends.  Return what was not tied."""
    I, worst = e.I, 0.0
    size = 1e-300
    for k in range(at.end.shape[0]):
        size = max(size, abs(at.end[k]))
    call(e.rest, RATES, I, e.P, e2.F, t_new, mem.new_q, at.end, mem.delta, 0.0, 1)
    for r in range(I[N_ROWS]):
        # rows left out have no impulse of their own
        if I[I[ROW_RATE] + r] == 1 and e2.F[I[FLOOR] + r] < OFF:
            change = e2.F[I[Y] + r] - at.y[r]
            worst += abs(change) * e.P[I[SCALE] + r]
            at.y[r] += 0.5 * change
    left = project_velocity(e.rest, RATES, I, e.P, e2.F, t_new, mem.new_q, at.end, mem.delta, 0.0, 3)
    return worst / size if left < math.inf else math.inf


@kernel
def ask_momenta(e2, mem, t, q, v):
    """Momenta and what changes them at (q, v), in the memory of e2."""
    call(e2.rest, MOMENTA, e2.I, e2.P, e2.F, t, q, v, mem.delta, 0.0, 1)


@kernel
def towards(I, F, F2, p, x):
    """x += M^-1 (p - p(x)) with the M at hand in F and p(x) in F2; return the sum of changes, against the largest of x."""
    acc, change, size = I[ACC], 0.0, 1e-300
    for k in range(x.shape[0]):
        F[acc + k] = p[k] - F2[I[MOMENTA_AT] + k]
    forward_mass(I, F, acc)
    backward_mass(I, F, acc)
    for k in range(x.shape[0]):
        x[k] += F[acc + k]
        change, size = change + abs(F[acc + k]), max(size, abs(x[k]))
    return change / size


@kernel
def take_impulse(I, F, p, share):
    """p -= J^T lam, times the share."""
    n = p.shape[0]
    for r in range(I[N_ROWS]):
        for k in range(n):
            p[k] -= share * F[I[J_AT] + r * n + k] * F[I[LAM] + r]


@kernel
def find_coordinates(e, e2, mem, at, p0, t, t_new, h):
    """mem.new_q, and at.p with the momenta that it is reached by; p0, those at the start, take up impulses of the rows.  Return whether it is found."""
    I, P, F, n = e.I, e.P, e.F, at.p.shape[0]
    u, w, before = mem.stage_v, mem.new_v, math.inf
    for _ in range(ROUNDS):
        ask_momenta(e2, mem, t, mem.q, u)
        for k in range(n):
            at.p[k] = p0[k] + 0.5 * h * e2.F[I[PULL_AT] + k]
        worst = towards(I, F, e2.F, at.p, u)
        for k in range(n):
            mem.new_q[k] = mem.q[k] + 0.5 * h * (u[k] + w[k])
        ask_momenta(e2, mem, t_new, mem.new_q, w)
        worst += towards(I, F, e2.F, at.p, w)
        if I[N_ROWS] > 0:
            call(e.rest, ROWS, I, P, e2.F, t_new, mem.new_q, w, mem.delta, 0.0, 1)
            worst += position_residual(I, P, e2.F)[0]
            for r in range(I[N_ROWS]):
                F[I[Y] + r] = e2.F[I[Y] + r] / h
            for k in range(n):
                mem.stage_q[k] = 0.0
            call(e.rest, STEP_VELOCITY, I, P, F, t, mem.q, mem.stage_q, mem.delta, 0.0, 1)
            take_impulse(I, F, p0, 1.0)
            for k in range(n):
                u[k] += mem.stage_q[k]
                w[k] += mem.stage_q[k]
        if is_over(worst, before):
            return True
        if not worst < 1e3 * before:
            return False
        before = worst
    return False


@kernel
def coordinates_step(e, e2, now, mem, at, t, h, t_new):
    """From (mem.q, mem.v) with the rows there at hand, to the same at t_new; return False if that fails."""
    I, n = e.I, mem.v.shape[0]
    p0, conditions, before = mem.a, on_rates(e.I), math.inf
    for r in range(I[N_ROWS]):
        at.y[r] = 0.0
    for k in range(n):
        mem.stage_v[k], mem.new_v[k] = mem.v[k], mem.v[k]
    for _ in range(ROUNDS):
        ask_momenta(e2, mem, t, mem.q, mem.v)
        for k in range(n):
            p0[k] = e2.F[I[MOMENTA_AT] + k]
        if conditions > 0:
            pushed(e, mem, t, at.y, mem.stage_v)
            take_impulse(I, e.F, p0, 1.0)
        if not find_coordinates(e, e2, mem, at, p0, t, t_new, h):
            return False
        # what acts at the end, and the M and rows there
        ask_momenta(e2, mem, t_new, mem.new_q, mem.new_v)
        for k in range(n):
            at.p[k] += 0.5 * h * e2.F[I[PULL_AT] + k]
            at.end[k] = mem.new_v[k]
        evaluate(e2, EVALUATE, t_new, mem.new_q, mem.new_v, mem.z, at.pull)
        now.evaluations += 1
        for _ in range(2):
            ask_momenta(e2, mem, t_new, mem.new_q, at.end)
            towards(I, e2.F, e2.F, at.p, at.end)
        worst = tied(e, e2, mem, at, t_new)
        if conditions == 0 or is_over(worst, before):
            break
        if not worst < 1e3 * before:
            return False
        before = worst
    if not worst <= ENOUGH:
        return False
    for k in range(n):
        mem.q[k], mem.v[k] = mem.new_q[k], at.end[k]
    evaluate(e, EVALUATE, t_new, mem.q, mem.v, mem.z, mem.a)
    now.evaluations += 1
    return True
