"""Saddle-point solve of  [M~ J^T; J 0] [a; lam] = [Q + J^T w gamma; gamma],  M~ = M + J^T w J,  by sparse L D L^T.

Used where the range-space solve cannot serve: singular mass (M^-1 does not exist; the weights w > 0 on the rows that touch such
bodies make M~ positive definite exactly when the kinetic energy is positive on admissible velocities, PLANAR 6.3) and hubs
(a body with many joints fills S, while eliminating the joints before the hub fills nothing).  For w = 0 it is the plain system.

Rows and velocities are unscaled here (G = 1).  The pattern, fill included, and the order are fixed at compile time: a row of
constraints comes after at least one of its bodies, so that its pivot is negative; a vanishing pivot is a dependent row.
"""

from __future__ import annotations

import math

from .compiler import inlined, kernel
from .layout import (
    ACC,
    FLOOR,
    LAM,
    MASS,
    N_BODIES,
    N_ENTRIES,
    N_ROWS,
    N_UNKNOWNS,
    NOWHERE,
    PLANE,
    PLANE_MASS,
    ROW,
    ROW_SIZE,
    SAD,
    SAD_COL,
    SAD_D,
    SAD_JAC,
    SAD_JAC0,
    SAD_MASS,
    SAD_PAIR,
    SAD_PAIR0,
    SAD_PERM,
    SAD_PTR,
    SAD_X,
    SPACE_MASS,
    WEIGHT,
    Y,
)
from .rows import apply


@inlined
def deposit(I, F, at, x):
    """Add x to the entry at position `at`."""
    if at >= 0:
        F[I[SAD] + at] += x
    elif at > NOWHERE:
        F[I[SAD_D] - at - 1] += x


@kernel
def fill_mass(I, P, F):
    """Mass matrix: constant in (r', omega'), block diagonal."""
    at = I[SAD_MASS]
    for b in range(I[N_BODIES]):
        if I[PLANE]:
            m = I[MASS] + PLANE_MASS * b
            deposit(I, F, I[at + 3 * b], P[m + 5])
            deposit(I, F, I[at + 3 * b + 1], P[m + 5])
            deposit(I, F, I[at + 3 * b + 2], P[m + 6])
        else:
            m = I[MASS] + SPACE_MASS * b
            for c in range(3):
                deposit(I, F, I[at + 9 * b + c], P[m + 21])
            for c in range(6):
                deposit(I, F, I[at + 9 * b + 3 + c], P[m + 3 + c])


@kernel
def fill_rows(I, P, F):
    """Rows J, and J^T w J of the weighted ones."""
    width = 3 if I[PLANE] else 6
    for r in range(I[N_ROWS]):
        o, step = I[I[ROW] + ROW_SIZE * r], I[I[ROW] + ROW_SIZE * r + 1]
        e0, count = I[I[SAD_JAC0] + r], I[I[SAD_JAC0] + r + 1] - I[I[SAD_JAC0] + r]
        for e in range(count):
            deposit(I, F, I[I[SAD_JAC] + e0 + e], F[o + (e // width) * step + e % width])
        p, w = I[I[SAD_PAIR0] + r], P[I[WEIGHT] + r]
        if I[I[SAD_PAIR0] + r + 1] > p:
            for e in range(count):
                first = w * F[o + (e // width) * step + e % width]
                for f in range(e + 1):
                    deposit(I, F, I[I[SAD_PAIR] + p], first * F[o + (f // width) * step + f % width])
                    p += 1


@kernel
def saddle_factor(I, P, F, threshold):
    """Row by row: u_ij = a_ij - sum_k u_ik l_jk, l_ij = u_ij / d_j, d_i = a_ii - sum_j u_ij l_ij.

    With threshold > 0 the floors are set anew: a row whose pivot is below threshold times the sum of the terms it is the
    difference of is dependent on those before it.
    """
    ptr, col, value, d, x = I[SAD_PTR], I[SAD_COL], I[SAD], I[SAD_D], I[SAD_X]
    nv = (3 if I[PLANE] else 6) * I[N_BODIES]
    for k in range(I[N_ENTRIES]):
        F[value + k] = 0.0
    for k in range(I[N_UNKNOWNS]):
        F[d + k] = 0.0
    fill_mass(I, P, F)
    fill_rows(I, P, F)
    for i in range(I[N_UNKNOWNS]):
        first, last = I[ptr + i], I[ptr + i + 1]
        for e in range(first, last):
            F[x + I[col + e]] = F[value + e]
        pivot = F[d + i]
        size = 0.0
        for e in range(first, last):
            j = I[col + e]
            u = F[x + j]
            for f in range(I[ptr + j], I[ptr + j + 1]):
                u -= F[x + I[col + f]] * F[value + f]
            F[x + j] = u
            F[value + e] = u * F[d + j]
            pivot -= u * F[value + e]
            size += abs(u * F[value + e])
        for e in range(first, last):
            F[x + I[col + e]] = 0.0
        unknown = I[I[SAD_PERM] + i]
        if unknown >= nv:
            if threshold > 0.0:
                F[I[FLOOR] + unknown - nv] = math.inf if -pivot.real <= threshold * size else 1e-15 * size
            F[d + i] = 1.0 / pivot if -pivot.real > F[I[FLOOR] + unknown - nv].real else 0.0 * pivot
        else:
            F[d + i] = 1.0 / pivot if pivot.real > 0.0 else 0.0 * pivot


@kernel
def saddle_solve(I, P, F):
    """From force Q and gamma (in place of the accelerations and of y) to accelerations and multipliers."""
    ptr, col, value, d, x = I[SAD_PTR], I[SAD_COL], I[SAD], I[SAD_D], I[SAD_X]
    acc, y, lam, n = I[ACC], I[Y], I[LAM], I[N_UNKNOWNS]
    nv = (3 if I[PLANE] else 6) * I[N_BODIES]
    # Q + J^T w gamma
    for r in range(I[N_ROWS]):
        apply(I, F, r, -P[I[WEIGHT] + r] * F[y + r], acc)
    for i in range(n):
        unknown = I[I[SAD_PERM] + i]
        total = F[y + unknown - nv] if unknown >= nv else F[acc + unknown]
        for e in range(I[ptr + i], I[ptr + i + 1]):
            total -= F[value + e] * F[x + I[col + e]]
        F[x + i] = total
    for i in range(n):
        F[x + i] *= F[d + i]
    for i in range(n - 1, -1, -1):
        for e in range(I[ptr + i], I[ptr + i + 1]):
            F[x + I[col + e]] -= F[value + e] * F[x + i]
    for i in range(n):
        unknown = I[I[SAD_PERM] + i]
        if unknown >= nv:
            F[lam + unknown - nv] = F[x + i]
        else:
            F[acc + unknown] = F[x + i]
        F[x + i] = 0.0
