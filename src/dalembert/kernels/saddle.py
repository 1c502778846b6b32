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

from . import layout as at
from .compiler import inlined, kernel
from .rows import apply, row_dot
from .scalar import above, choose, is_off, reciprocal, vanishes


@inlined
def deposit(I, F, entry, x):
    """Add x to the entry at a position."""
    if entry >= 0:
        F[I[at.SAD] + entry] += x
    elif entry > at.NOWHERE:
        F[I[at.SAD_D] - entry - 1] += x


@kernel
def fill_mass(I, P, F, unit):
    """Mass matrix: constant in (r', omega'), block diagonal, shared equally among the copies of a body.

    With `unit`, every body has mass 1 and the moments of inertia L^2 of the model's length.
    """
    entry = I[at.SAD_MASS]
    square = P[I[at.LENGTH]] * P[I[at.LENGTH]]
    for node in range(I[at.N_NODES]):
        b, share = I[I[at.SAD_NODE] + 2 * node], 1.0 / I[I[at.SAD_NODE] + 2 * node + 1]
        if I[at.PLANE]:
            m = I[at.MASS] + at.PLANE_MASS * b
            mass = 1.0 if unit else P[m + 5]
            deposit(I, F, I[entry], share * mass)
            deposit(I, F, I[entry + 1], share * mass)
            deposit(I, F, I[entry + 2], share * (square if unit else P[m + 6]))
            entry += 3
        else:
            m = I[at.MASS] + at.SPACE_MASS * b
            mass = 1.0 if unit else P[m + 21]
            for c in range(3):
                deposit(I, F, I[entry + c], share * mass)
            for c in range(6):
                if not unit:
                    deposit(I, F, I[entry + 3 + c], share * P[m + 3 + c])
                elif c == 0 or c == 3 or c == 5:
                    deposit(I, F, I[entry + 3 + c], share * square)
            entry += 9


@kernel
def fill_rows(I, P, F, unit):
    """Rows J and the welds, and J^T w J of the weighted rows (with `unit` masses there is no need of weights)."""
    width = 3 if I[at.PLANE] else 6
    for r in range(I[at.N_ROWS]):
        if is_off(F[I[at.FLOOR] + r]):
            continue
        o, step = I[I[at.ROW] + at.ROW_SIZE * r], I[I[at.ROW] + at.ROW_SIZE * r + 1]
        e0, count = I[I[at.SAD_JAC0] + r], I[I[at.SAD_JAC0] + r + 1] - I[I[at.SAD_JAC0] + r]
        for e in range(count):
            deposit(I, F, I[I[at.SAD_JAC] + e0 + e], F[o + (e // width) * step + e % width])
        p, w = I[I[at.SAD_PAIR0] + r], P[I[at.WEIGHT] + r]
        if I[I[at.SAD_PAIR0] + r + 1] > p and not unit:
            for e in range(count):
                first = w * F[o + (e // width) * step + e % width]
                for f in range(e + 1):
                    deposit(I, F, I[I[at.SAD_PAIR] + p], first * F[o + (f // width) * step + f % width])
                    p += 1
    for k in range(I[at.N_WELDS]):
        deposit(I, F, I[I[at.SAD_WELD] + 2 * k], 1.0)
        deposit(I, F, I[I[at.SAD_WELD] + 2 * k + 1], -1.0)


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
    ptr, col, place, first = I[at.SAD_PTR], I[at.SAD_COL], I[at.SAD_AT], I[at.SAD_FIRST]
    below, value, d, x = I[at.SAD_BELOW], I[at.SAD], I[at.SAD_D], I[at.SAD_X]
    nv, n_rows = (3 if I[at.PLANE] else 6) * I[at.N_BODIES], I[at.N_ROWS]
    welds = I[at.N_UNKNOWNS] - I[at.N_WELDS]
    for k in range(I[at.N_ENTRIES]):
        F[value + k] = 0.0
    for k in range(I[at.N_UNKNOWNS]):
        F[d + k] = 0.0
        F[x + k] = 0.0
    fill_mass(I, P, F, unit)
    fill_rows(I, P, F, unit)
    for i in range(I[at.N_UNKNOWNS]):
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
        F[I[at.SAD_SIZE] + i] = size
        unknown = I[I[at.SAD_PERM] + i]
        if nv <= unknown < nv + n_rows:
            entry = I[at.FLOOR] + unknown - nv
            if detecting and not is_off(F[entry]):
                if unit:
                    F[entry] = choose(above(-pivot, threshold * size), 0.0, at.REDUNDANT)
                else:
                    F[entry] = choose(above(at.OFF, F[entry]), 1e-15 * size, F[entry])
            F[d + i] = -reciprocal(-pivot, F[entry])
        elif unknown >= welds:
            F[d + i] = -reciprocal(-pivot, 0.0)
        else:
            F[d + i] = reciprocal(pivot, 0.0)


@kernel
def substitute_rows(I, P, F, force, gamma):
    """Add the solution for the force at F[force] (which is changed) and the gamma at F[gamma] to accelerations and multipliers."""
    first, below, value = I[at.SAD_FIRST], I[at.SAD_BELOW], I[at.SAD]
    d, x, perm = I[at.SAD_D], I[at.SAD_X], I[at.SAD_PERM]
    acc, lam, n = I[at.ACC], I[at.LAM], I[at.N_UNKNOWNS]
    nv, n_rows = (3 if I[at.PLANE] else 6) * I[at.N_BODIES], I[at.N_ROWS]
    # Q + J^T w gamma
    for r in range(n_rows):
        w = P[I[at.WEIGHT] + r]
        if not vanishes(w) and not is_off(F[I[at.FLOOR] + r]):
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
    acc, lam, y, rest = I[at.ACC], I[at.LAM], I[at.Y], I[at.SAD_REST]
    for b in range(I[at.N_BODIES]):
        if I[at.PLANE]:
            m, o = I[at.MASS] + at.PLANE_MASS * b, 3 * b
            F[force + o] -= P[m + 5] * F[acc + o]
            F[force + o + 1] -= P[m + 5] * F[acc + o + 1]
            F[force + o + 2] -= P[m + 6] * F[acc + o + 2]
        else:
            m, o = I[at.MASS] + at.SPACE_MASS * b, 6 * b
            for c in range(3):
                F[force + o + c] -= P[m + 21] * F[acc + o + c]
            a0, a1, a2 = F[acc + o + 3], F[acc + o + 4], F[acc + o + 5]
            F[force + o + 3] -= P[m + 3] * a0 + P[m + 4] * a1 + P[m + 5] * a2
            F[force + o + 4] -= P[m + 4] * a0 + P[m + 6] * a1 + P[m + 7] * a2
            F[force + o + 5] -= P[m + 5] * a0 + P[m + 7] * a1 + P[m + 8] * a2
    for r in range(I[at.N_ROWS]):
        if is_off(F[I[at.FLOOR] + r]):
            F[rest + r] = 0.0
            continue
        apply(I, F, r, F[lam + r], force)
        F[rest + r] = choose(above(at.OFF, F[I[at.FLOOR] + r]), F[y + r] - row_dot(I, F, r, acc), 0.0 * F[y + r])


@kernel
def saddle_solve(I, P, F):
    """From force Q and gamma (in place of the accelerations and of y) to accelerations and multipliers."""
    acc, lam, force = I[at.ACC], I[at.LAM], I[at.SAD_FORCE]
    nv = (3 if I[at.PLANE] else 6) * I[at.N_BODIES]
    for k in range(nv):
        F[force + k] = F[acc + k]
        F[force + nv + k] = F[acc + k]
        F[acc + k] = 0.0
    for r in range(I[at.N_ROWS]):
        F[lam + r] = 0.0
    substitute_rows(I, P, F, force, I[at.Y])
    for _ in range(I[at.REFINE]):
        for k in range(nv):
            F[force + k] = F[force + nv + k]
        remainder(I, P, F, force)
        substitute_rows(I, P, F, force, I[at.SAD_REST])
