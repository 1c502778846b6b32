"""Equations of motion of a Lagrangian system, dense:  M(q, t) a + J^T lam = f(q, v, t),  J a = gamma.

M = L L^T (Cholesky),  X = L^-1 J^T,  S = X^T X = J M^-1 J^T,  S lam = X^T L^-1 f - gamma,  a = L^-T (L^-1 f - X lam).

Where M is singular, M + J^T W J takes its place: it is positive definite exactly when kinetic energy is positive on all velocities that the
constraints allow, and since J a = gamma, adding J^T W gamma to f changes nothing.  Rows that depend on others have an infinite floor
and are left out: their pivot counts as zero.
"""

from __future__ import annotations

import math

from ..compiler import kernel
from ..layout import ACC, DRIVE, FLOOR, FORCE, FROZEN, LAM, N_ROWS, PARTIAL, POWER, SCALE, VHAT, Y
from ..program import perform_one
from ..project import EPSILON
from ..scalar import above, choose, larger, maximum, minimum, reciprocal, sqrt, vanishes
from . import layout as la


@kernel
def perform(I, P, F, program, t, q, v):
    """Run a program at (t, q, v) and put its results in place."""
    n, at = I[la.N], I[la.INPUTS]
    F[at] = t
    for i in range(n):
        F[at + 1 + i] = q[i]
        F[at + 1 + n + i] = v[i]
    if I[la.SIDES_PROGRAM] > 0 and F[I[FROZEN]] == 0.0:
        # conditions, signs and whole parts by the state; the time loop holds them during a step
        perform_one(I, P, F, I[la.SIDES_PROGRAM])
    perform_one(I, P, F, program)


@kernel
def finish_rows(I, F, v):
    """After the rows: their part without velocities, J v - nu - J v, and v where the projection reads it."""
    n, m = I[la.N], I[N_ROWS]
    vhat, partial, w, jac = I[VHAT], I[PARTIAL], I[la.W_AT], I[la.J_AT]
    for i in range(n):
        F[vhat + i] = v[i]
    for r in range(m):
        total = 0.0
        for i in range(n):
            total += F[jac + r * n + i] * v[i]
        F[partial + r] = F[w + r] - total


@kernel
def rows_only(I, P, F, t, q, v):
    """Constraint rows at (t, q, v), without forces and without solving."""
    perform(I, P, F, I[la.ROWS_PROGRAM], t, q, v)
    finish_rows(I, F, v)


@kernel
def factor_mass(I, P, F):
    """L of M = L L^T, row by row, with reciprocal diagonal entries."""
    n, m = I[la.N], I[N_ROWS]
    mass, low = I[la.M_AT], I[la.L_AT]
    for k in range(n * n):
        F[low + k] = F[mass + k]
    if I[la.AUGMENTED]:
        jac, weights = I[la.J_AT], I[la.WEIGHTS]
        for r in range(m):
            for i in range(n):
                f = P[weights + r] * F[jac + r * n + i]
                if not vanishes(f):
                    for j in range(i + 1):
                        F[low + i * n + j] += f * F[jac + r * n + j]
    for i in range(n):
        oi = low + i * n
        for j in range(i):
            oj = low + j * n
            total = F[oi + j]
            for k in range(j):
                total -= F[oi + k] * F[oj + k]
            F[oi + j] = total * F[oj + j]
        total = F[oi + i]
        for k in range(i):
            total -= F[oi + k] * F[oi + k]
        # not positive: no kinetic energy in some motion; infinity or NaN reaches the result and is told there
        F[oi + i] = 1.0 / sqrt(total)


@kernel
def forward_mass(I, F, x):
    """X <- L^-1 x, x a place in F."""
    n, low = I[la.N], I[la.L_AT]
    for i in range(n):
        total = F[x + i]
        for k in range(i):
            total -= F[low + i * n + k] * F[x + k]
        F[x + i] = total * F[low + i * n + i]


@kernel
def backward_mass(I, F, x):
    """X <- L^-T x."""
    n, low = I[la.N], I[la.L_AT]
    for i in range(n - 1, -1, -1):
        value = F[x + i] * F[low + i * n + i]
        F[x + i] = value
        for k in range(i):
            F[x + k] -= F[low + i * n + k] * value


@kernel
def factor_rows(I, F):
    """X = L^-1 J^T (stored by rows of J), S = X X^T and its factor; rows that are redundant or off are left out."""
    n, m = I[la.N], I[N_ROWS]
    jac, x, s, floor = I[la.J_AT], I[la.X_AT], I[la.S_AT], I[FLOOR]
    for k in range(m * n):
        F[x + k] = F[jac + k]
    for r in range(m):
        forward_mass(I, F, x + r * n)
        for p in range(r + 1):
            total = 0.0
            for i in range(n):
                total += F[x + r * n + i] * F[x + p * n + i]
            F[s + r * m + p] = total
    for r in range(m):
        for p in range(r):
            total = F[s + r * m + p]
            for k in range(p):
                total -= F[s + r * m + k] * F[s + p * m + k]
            F[s + r * m + p] = total * F[s + p * m + p]
        total = F[s + r * m + r]
        for k in range(r):
            total -= F[s + r * m + k] * F[s + r * m + k]
        F[s + r * m + r] = sqrt(reciprocal(total, F[floor + r]))


@kernel
def solve_rows(I, F):
    """S lam = y with the factor at hand; lam of rows left out is zero."""
    m, s, y, lam = I[N_ROWS], I[la.S_AT], I[Y], I[LAM]
    for r in range(m):
        total = F[y + r]
        for k in range(r):
            total -= F[s + r * m + k] * F[lam + k]
        F[lam + r] = total * F[s + r * m + r]
    for r in range(m - 1, -1, -1):
        value = F[lam + r] * F[s + r * m + r]
        F[lam + r] = value
        for k in range(r):
            F[lam + k] -= F[s + r * m + k] * value


@kernel
def evaluate(I, P, F, t, q, v, a):
    """Accelerations a and multipliers at (t, q, v)."""
    perform(I, P, F, I[la.EVALUATION], t, q, v)
    n, m, acc = I[la.N], I[N_ROWS], I[ACC]
    force, jac, gamma = I[la.F_AT], I[la.J_AT], I[la.GAMMA_AT]
    for i in range(n):
        F[acc + i] = F[force + i]
    if m > 0:
        finish_rows(I, F, v)
        if I[la.AUGMENTED]:
            for r in range(m):
                f = P[I[la.WEIGHTS] + r] * F[gamma + r]
                for i in range(n):
                    F[acc + i] += f * F[jac + r * n + i]
    factor_mass(I, P, F)
    forward_mass(I, F, acc)
    if m > 0:
        factor_rows(I, F)
        x, y, lam = I[la.X_AT], I[Y], I[LAM]
        for r in range(m):
            total = -F[gamma + r]
            for i in range(n):
                total += F[x + r * n + i] * F[acc + i]
            F[y + r] = total
        solve_rows(I, F)
        for r in range(m):
            for i in range(n):
                F[acc + i] -= F[x + r * n + i] * F[lam + r]
    backward_mass(I, F, acc)
    for i in range(n):
        a[i] = F[acc + i]
    powers(I, F, v)


@kernel
def powers(I, F, v):
    """Powers of forces without potential, of dissipation, of explicit time in L, and of moving constraints: -lam nu."""
    n, m, p, given = I[la.N], I[N_ROWS], I[POWER], I[la.Q_AT]
    applied, lost, held = 0.0, 0.0, 0.0
    for i in range(n):
        applied += F[given + i] * v[i]
        lost += F[given + n + i] * v[i]
    for r in range(m):
        held += F[I[LAM] + r] * F[I[PARTIAL] + r]
    F[p], F[p + 1], F[p + 2], F[p + 3] = applied, lost, -F[I[la.TIME_AT]], held
    for k in range(4):
        F[I[FORCE] + k] = F[p + k]


@kernel
def resolve(I, P, F):
    """Solve S lam = y with the factor at hand; the correction -M^-1 J^T lam replaces the acceleration."""
    n, m, acc = I[la.N], I[N_ROWS], I[ACC]
    x, lam = I[la.X_AT], I[LAM]
    solve_rows(I, F)
    for i in range(n):
        F[acc + i] = 0.0
    for r in range(m):
        for i in range(n):
            F[acc + i] -= F[x + r * n + i] * F[lam + r]
    backward_mass(I, F, acc)


# -- what the projection and the time loop ask of a system ------------------------------------------------------------------


@kernel
def velocity_residual(I, P, F):
    """Write J v - nu of every row to y; return the largest scaled one among rows that are kept."""
    n, worst = I[la.N], 0.0
    for r in range(I[N_ROWS]):
        rate, jac = F[I[PARTIAL] + r] - F[I[DRIVE] + 3 * r + 1], I[la.J_AT] + r * n
        for i in range(n):
            rate += F[jac + i] * F[I[VHAT] + i]
        F[I[Y] + r] = rate
        worst = choose(above(math.inf, F[I[FLOOR] + r]), larger(worst, abs(rate) * P[I[SCALE] + r]), worst)
    return worst


@kernel
def step_position(I, P, F, q):
    """One correction of q for the phi in y."""
    resolve(I, P, F)
    for i in range(q.shape[0]):
        q[i] += F[I[ACC] + i]


@kernel
def step_velocity(I, P, F, v):
    """One correction of v for the J v - nu in y."""
    resolve(I, P, F)
    for i in range(v.shape[0]):
        F[I[VHAT] + i] += F[I[ACC] + i]
        v[i] += F[I[ACC] + i]


@kernel
def velocity_scale(I, P, v):
    """Size of velocities against which their residual is judged; at least 1."""
    largest = 1.0
    for i in range(v.shape[0]):
        largest = maximum(largest, abs(v[i]))
    return largest


@kernel
def rounding(I, P, F, q):
    """What the rounding of the coordinates leaves of a row: a few units in the last place of the largest."""
    largest = 0.0
    for i in range(q.shape[0]):
        largest = maximum(largest, abs(q[i]))
    return 4.0 * EPSILON * largest


@kernel
def smallest_pivot(I, F):
    """Smallest pivot of the kept rows, each against its entry of J M^-1 J^T."""
    n, m, smallest = I[la.N], I[N_ROWS], 1.0
    x, s = I[la.X_AT], I[la.S_AT]
    for r in range(m):
        inverse = F[s + r * m + r]
        entry = 0.0
        for i in range(n):
            entry += F[x + r * n + i] * F[x + r * n + i]
        pivot = 1.0 / (inverse * inverse * entry)
        smallest = choose(above(inverse, 0.0), minimum(smallest, pivot), smallest)
    return smallest
