"""Saddle-point solve of  [M~ J^T; J 0] [a; lam] = [Q + J^T w gamma; gamma],  M~ = M + J^T w J,  by sparse L D L^T.

Used where the range-space solve cannot serve: singular mass (M^-1 does not exist; the weights w > 0 on the rows that touch such
bodies make M~ positive definite exactly when the kinetic energy is positive on admissible velocities, PLANAR 6.3), hubs (a body with
many joints fills S), and masses so different that S loses the heavy ones beside the light ones.  For w = 0 it is the plain system.

Rows and velocities are unscaled here (G = 1).  The pattern, fill included, and the order are fixed at compile time, and chosen so
that no pivot can vanish but that of a dependent row: `system/saddle.py` has the rule and its proof.  Which rows are dependent is a
question of J alone, so it is asked with unit masses.

Unknowns: velocities, rows, then velocities of copies of bodies and the welds that hold these together; loads act on the first copy.
"""

from __future__ import annotations

import math

from .compiler import inlined, kernel
from .layout import (
    ACC,
    FLOOR,
    LAM,
    LENGTH,
    MASS,
    N_BODIES,
    N_ENTRIES,
    N_NODES,
    N_ROWS,
    N_UNKNOWNS,
    N_WELDS,
    NOWHERE,
    PLANE,
    PLANE_MASS,
    REFINE,
    ROW,
    ROW_SIZE,
    SAD,
    SAD_AT,
    SAD_BELOW,
    SAD_COL,
    SAD_D,
    SAD_FIRST,
    SAD_FORCE,
    SAD_JAC,
    SAD_JAC0,
    SAD_MASS,
    SAD_NODE,
    SAD_PAIR,
    SAD_PAIR0,
    SAD_PERM,
    SAD_PTR,
    SAD_REST,
    SAD_SIZE,
    SAD_WELD,
    SAD_X,
    SPACE_MASS,
    WEIGHT,
    Y,
)
from .rows import apply, row_dot
from .scalar import above, choose, reciprocal, vanishes


@inlined
def deposit(I, F, at, x):
    """Add x to the entry at position `at`."""
    if at >= 0:
        F[I[SAD] + at] += x
    elif at > NOWHERE:
        F[I[SAD_D] - at - 1] += x


@kernel
def fill_mass(I, P, F, unit):
    """Mass matrix: constant in (r', omega'), block diagonal, shared equally among the copies of a body.

    With `unit`, every body has mass 1 and the moments of inertia L^2 of the model's length.
    """
    at = I[SAD_MASS]
    square = P[I[LENGTH]] * P[I[LENGTH]]
    for node in range(I[N_NODES]):
        b, share = I[I[SAD_NODE] + 2 * node], 1.0 / I[I[SAD_NODE] + 2 * node + 1]
        if I[PLANE]:
            m = I[MASS] + PLANE_MASS * b
            mass = 1.0 if unit else P[m + 5]
            deposit(I, F, I[at], share * mass)
            deposit(I, F, I[at + 1], share * mass)
            deposit(I, F, I[at + 2], share * (square if unit else P[m + 6]))
            at += 3
        else:
            m = I[MASS] + SPACE_MASS * b
            mass = 1.0 if unit else P[m + 21]
            for c in range(3):
                deposit(I, F, I[at + c], share * mass)
            for c in range(6):
                if not unit:
                    deposit(I, F, I[at + 3 + c], share * P[m + 3 + c])
                elif c == 0 or c == 3 or c == 5:
                    deposit(I, F, I[at + 3 + c], share * square)
            at += 9


@kernel
def fill_rows(I, P, F, unit):
    """Rows J and the welds, and J^T w J of the weighted rows (with `unit` masses there is no need of weights)."""
    width = 3 if I[PLANE] else 6
    for r in range(I[N_ROWS]):
        o, step = I[I[ROW] + ROW_SIZE * r], I[I[ROW] + ROW_SIZE * r + 1]
        e0, count = I[I[SAD_JAC0] + r], I[I[SAD_JAC0] + r + 1] - I[I[SAD_JAC0] + r]
        for e in range(count):
            deposit(I, F, I[I[SAD_JAC] + e0 + e], F[o + (e // width) * step + e % width])
        p, w = I[I[SAD_PAIR0] + r], P[I[WEIGHT] + r]
        if I[I[SAD_PAIR0] + r + 1] > p and not unit:
            for e in range(count):
                first = w * F[o + (e // width) * step + e % width]
                for f in range(e + 1):
                    deposit(I, F, I[I[SAD_PAIR] + p], first * F[o + (f // width) * step + f % width])
                    p += 1
    for k in range(I[N_WELDS]):
        deposit(I, F, I[I[SAD_WELD] + 2 * k], 1.0)
        deposit(I, F, I[I[SAD_WELD] + 2 * k + 1], -1.0)


@kernel
def saddle_factor(I, P, F):
    """Factor of the system."""
    eliminate_rows(I, P, F, False, False, 0.0)


@kernel
def saddle_detect(I, P, F, threshold):
    """Factor of the system, and new floors.

    A row is dependent on those before it if its pivot, with unit masses, is below threshold times the terms it is the sum of.
    """
    eliminate_rows(I, P, F, True, True, threshold)
    eliminate_rows(I, P, F, False, True, threshold)


@kernel
def eliminate_rows(I, P, F, unit, detecting, threshold):
    """Row by row: u_ij = a_ij - sum_k u_ik l_jk, l_ij = u_ij / d_j, d_i = a_ii - sum_j u_ij l_ij.

    Row i is held dense in x; as soon as u_ij is known, it is taken out of the columns k of x for which l_kj is not zero.
    When detecting, with `unit` masses floors become 0 or, for a dependent row, infinite; with the true ones, those of rows that are
    kept become round-off of their pivots.
    """
    ptr, col, place, first = I[SAD_PTR], I[SAD_COL], I[SAD_AT], I[SAD_FIRST]
    below, value, d, x = I[SAD_BELOW], I[SAD], I[SAD_D], I[SAD_X]
    nv, n_rows = (3 if I[PLANE] else 6) * I[N_BODIES], I[N_ROWS]
    welds = I[N_UNKNOWNS] - I[N_WELDS]
    for k in range(I[N_ENTRIES]):
        F[value + k] = 0.0
    for k in range(I[N_UNKNOWNS]):
        F[d + k] = 0.0
        F[x + k] = 0.0
    fill_mass(I, P, F, unit)
    fill_rows(I, P, F, unit)
    for i in range(I[N_UNKNOWNS]):
        begin, end = I[ptr + i], I[ptr + i + 1]
        for e in range(begin, end):
            F[x + I[col + e]] = F[value + I[place + e]]
        pivot = F[d + i]
        size = abs(pivot)
        for e in range(begin, end):
            j, last = I[col + e], I[place + e]
            u = F[x + j]
            F[x + j] = 0.0
            for p in range(I[first + j], last):
                F[x + I[below + p]] -= F[value + p] * u
            l = u * F[d + j]
            F[value + last] = l
            pivot -= u * l
            size += abs(u * l)
        F[I[SAD_SIZE] + i] = size
        unknown = I[I[SAD_PERM] + i]
        if nv <= unknown < nv + n_rows:
            at = I[FLOOR] + unknown - nv
            if detecting:
                if unit:
                    F[at] = choose(above(-pivot, threshold * size), 0.0, math.inf)
                else:
                    F[at] = choose(above(math.inf, F[at]), 1e-15 * size, F[at])
            F[d + i] = -reciprocal(-pivot, F[at])
        elif unknown >= welds:
            F[d + i] = -reciprocal(-pivot, 0.0)
        else:
            F[d + i] = reciprocal(pivot, 0.0)


@kernel
def substitute_rows(I, P, F, force, gamma):
    """Add the solution for the force at F[force] (which is changed) and the gamma at F[gamma] to accelerations and multipliers."""
    first, below, value = I[SAD_FIRST], I[SAD_BELOW], I[SAD]
    d, x, perm = I[SAD_D], I[SAD_X], I[SAD_PERM]
    acc, lam, n = I[ACC], I[LAM], I[N_UNKNOWNS]
    nv, n_rows = (3 if I[PLANE] else 6) * I[N_BODIES], I[N_ROWS]
    # Q + J^T w gamma
    for r in range(n_rows):
        w = P[I[WEIGHT] + r]
        if not vanishes(w):
            apply(I, F, r, -w * F[gamma + r], force)
    for i in range(n):
        unknown = I[perm + i]
        if unknown < nv:
            F[x + i] = F[force + unknown]
        elif unknown < nv + n_rows:
            F[x + i] = F[gamma + unknown - nv]
        else:
            F[x + i] = 0.0
    for i in range(n):
        total = F[x + i]
        for p in range(I[first + i], I[first + i + 1]):
            F[x + I[below + p]] -= F[value + p] * total
    for i in range(n - 1, -1, -1):
        total = F[x + i] * F[d + i]
        for p in range(I[first + i], I[first + i + 1]):
            total -= F[value + p] * F[x + I[below + p]]
        F[x + i] = total
        unknown = I[perm + i]
        if unknown < nv:
            F[acc + unknown] += total
        elif unknown < nv + n_rows:
            F[lam + unknown - nv] += total


@kernel
def remainder(I, P, F, force):
    """What the solution at hand leaves of the equations: Q - M a - J^T lam over the Q at F[force], gamma - J a of rows that are kept."""
    acc, lam, y, rest = I[ACC], I[LAM], I[Y], I[SAD_REST]
    for b in range(I[N_BODIES]):
        if I[PLANE]:
            m, o = I[MASS] + PLANE_MASS * b, 3 * b
            F[force + o] -= P[m + 5] * F[acc + o]
            F[force + o + 1] -= P[m + 5] * F[acc + o + 1]
            F[force + o + 2] -= P[m + 6] * F[acc + o + 2]
        else:
            m, o = I[MASS] + SPACE_MASS * b, 6 * b
            for c in range(3):
                F[force + o + c] -= P[m + 21] * F[acc + o + c]
            a0, a1, a2 = F[acc + o + 3], F[acc + o + 4], F[acc + o + 5]
            F[force + o + 3] -= P[m + 3] * a0 + P[m + 4] * a1 + P[m + 5] * a2
            F[force + o + 4] -= P[m + 4] * a0 + P[m + 6] * a1 + P[m + 7] * a2
            F[force + o + 5] -= P[m + 5] * a0 + P[m + 7] * a1 + P[m + 8] * a2
    for r in range(I[N_ROWS]):
        apply(I, F, r, F[lam + r], force)
        F[rest + r] = choose(above(math.inf, F[I[FLOOR] + r]), F[y + r] - row_dot(I, F, r, acc), 0.0 * F[y + r])


@kernel
def saddle_solve(I, P, F):
    """From force Q and gamma (in place of the accelerations and of y) to accelerations and multipliers."""
    acc, lam, force = I[ACC], I[LAM], I[SAD_FORCE]
    nv = (3 if I[PLANE] else 6) * I[N_BODIES]
    for k in range(nv):
        F[force + k] = F[acc + k]
        F[force + nv + k] = F[acc + k]
        F[acc + k] = 0.0
    for r in range(I[N_ROWS]):
        F[lam + r] = 0.0
    substitute_rows(I, P, F, force, I[Y])
    for _ in range(I[REFINE]):
        for k in range(nv):
            F[force + k] = F[force + nv + k]
        remainder(I, P, F, force)
        substitute_rows(I, P, F, force, I[SAD_REST])
