"""Projection onto the constraints in the mass metric, with the factor at hand.

    positions:   q <- q (+) (-M^-1 J^T S^-1 phi)    repeated until |phi| is at round-off
    velocities:  v <- v - M^-1 J^T S^-1 (J v - nu)

The factor may belong to a nearby configuration: the correction is then a simplified Newton step, and the residual, which is always
evaluated afresh, decides when to stop.
"""

from __future__ import annotations

import math

from .bodies import move, normalize, unscale
from .compiler import kernel
from .evaluate import evaluate, resolve, rows_only
from .layout import (
    ACC,
    ANGLE_AT,
    BLOCK,
    BLOCK_SIZE,
    DRIVE,
    FLOOR,
    LENGTH,
    MASK,
    N_ANGLES,
    N_BLOCKS,
    N_BODIES,
    N_ROWS,
    N_UNKNOWNS,
    OFFSET,
    PARTIAL,
    PLANE,
    ROW_RATE,
    SAD_D,
    SAD_PERM,
    SAD_SIZE,
    SADDLE,
    SCALE,
    VALUE,
    VHAT,
    Y,
)
from .rows import row_dot, wrench_dot

# distance of 1 to the next number
EPSILON = 2.0**-52


@kernel
def position_residual(I, P, F):
    """Write phi of every row to y; return the largest scaled one among rows that are kept, and among those left out."""
    kept, dropped = 0.0, 0.0
    value, offset, drive, y = I[VALUE] & MASK, I[OFFSET] & MASK, I[DRIVE] & MASK, I[Y] & MASK
    rate_only, scale, floor = I[ROW_RATE] & MASK, I[SCALE] & MASK, I[FLOOR] & MASK
    for r in range(I[N_ROWS]):
        phi = 0.0  # a condition on velocities has no value
        if I[rate_only + r] == 0:
            phi = F[value + r] - P[offset + r] - F[drive + 3 * r]
        F[y + r] = phi
        size = abs(phi) * P[scale + r]
        # written so that a NaN does not pass as small
        if F[floor + r].real < math.inf:
            if not size <= kept:
                kept = size
        elif not size <= dropped:
            dropped = size
    return kept, dropped


@kernel
def velocity_residual(I, P, F):
    """Write J v - nu of every row to y; return the largest scaled one among rows that are kept."""
    worst = 0.0
    partial, drive, y = I[PARTIAL] & MASK, I[DRIVE] & MASK, I[Y] & MASK
    scale, floor = I[SCALE] & MASK, I[FLOOR] & MASK
    for r in range(I[N_ROWS]):
        rate = row_dot(I, F, r, I[VHAT]) + F[partial + r] - F[drive + 3 * r + 1]
        F[y + r] = rate
        size = abs(rate) * P[scale + r]
        if F[floor + r].real < math.inf and not size <= worst:
            worst = size
    return worst


@kernel
def rounding(I, P, F, q):
    """What the rounding of the coordinates leaves of a row, in lengths or radians: a few units in the last place of the largest.

    A row is a difference of coordinates, each rounded to 2^-52 of itself; so far from the origin, or after many turns, no choice of
    the coordinates makes it smaller.  Angles that gears count belong to the coordinates.
    """
    largest = 0.0
    width, linear = (3, 2) if I[PLANE] else (7, 3)
    for b in range(I[N_BODIES]):
        k = width * b
        for i in range(linear):
            largest = max(largest, abs(q[k + i]))
    largest /= P[I[LENGTH]]
    if I[PLANE]:
        for b in range(I[N_BODIES]):
            largest = max(largest, abs(q[3 * b + 2]))
    for k in range(I[N_ANGLES]):
        largest = max(largest, abs(F[I[ANGLE_AT] + k]))
    return 4.0 * EPSILON * largest


@kernel
def velocity_scale(I, P, v):
    """Size of velocities, in lengths or radians per second, against which their residual is judged; at least 1."""
    largest = 1.0
    width = 3 if I[PLANE] else 6
    linear = 2 if I[PLANE] else 3
    inverse = 1.0 / P[I[LENGTH]]
    for b in range(I[N_BODIES]):
        k = width * b
        for i in range(linear):
            largest = max(largest, abs(v[k + i]) * inverse)
        for i in range(linear, width):
            largest = max(largest, abs(v[k + i]))
    return largest


@kernel
def smallest_pivot(I, F):
    """Smallest pivot of the kept rows, each against its entry of J M^-1 J^T: the factor and the rows must be current.

    It falls to zero where the rows lose their independence.  In the saddle-point system each is held against the terms it is the sum of.
    """
    smallest = 1.0
    if I[SADDLE]:
        nv = (3 if I[PLANE] else 6) * I[N_BODIES]
        for i in range(I[N_UNKNOWNS]):
            inverse = -F[I[SAD_D] + i].real
            if nv <= I[I[SAD_PERM] + i] < nv + I[N_ROWS] and inverse > 0.0:
                smallest = min(smallest, 1.0 / (inverse * F[I[SAD_SIZE] + i].real))
        return smallest
    plane = I[PLANE]
    for k in range(I[N_BLOCKS]):
        o = (I[BLOCK] + BLOCK_SIZE * k) & MASK
        n, place, do = I[o], I[o + 2] & MASK, I[o + 3] & MASK
        bodies = I[o + 4 + BLOCK_SIZE] - I[o + 4]
        width = 3 if plane else 6
        for a in range(n):
            inverse = F[do + a * (a + 1) // 2 + a].real
            if inverse > 0.0:
                entry = 0.0
                for s in range(bodies):
                    row = place + (s * n + a) * width
                    entry += wrench_dot(plane, F, row, row).real
                smallest = min(smallest, 1.0 / (inverse * entry))
    return smallest


@kernel
def project_position(I, P, F, t, q, v, tolerance, limit, delta):
    """Correct q in place; return the last residual of kept rows.  Stops at the tolerance."""
    before, worst = math.inf, 0.0
    for _ in range(limit):
        rows_only(I, P, F, t, q, v)
        worst, _ = position_residual(I, P, F)
        if not worst > tolerance:
            break
        # the last correction hardly helped: the factor is too old, and the caller renews it
        if worst > 0.5 * before:
            break
        before = worst
        resolve(I, P, F)
        unscale(I, P, F, I[ACC], delta)
        move(I, q, delta)
    return worst


@kernel
def project_velocity(I, P, F, v, delta, tolerance, limit):
    """Correct v in place at the configuration whose rows are current; return the last residual."""
    before, worst = math.inf, 0.0
    n = v.shape[0]
    for _ in range(limit):
        worst = velocity_residual(I, P, F)
        if not worst > tolerance:
            break
        if worst > 0.5 * before:
            break
        before = worst
        resolve(I, P, F)
        vhat, acc = I[VHAT] & MASK, I[ACC] & MASK
        for k in range(n):
            # scaled velocities follow the correction
            F[vhat + k] += F[acc + k]
        unscale(I, P, F, I[ACC], delta)
        for k in range(n):
            v[k] += delta[k]
    return worst


@kernel
def hold(I, P, F, t, q, v, delta, tolerance, left_out):
    """Bring (q, v) onto the constraints; return False if that fails.

    The factor at hand may belong to another configuration; far from it the simplified Newton method is slow, and the factor is renewed.
    """
    normalize(I, q)
    if I[N_ROWS] == 0:
        return True
    # rows left out see what is left of the others magnified, so with such rows as little as possible is left
    aim = 0.01 * tolerance if left_out else tolerance
    # far from the origin rows cannot be satisfied better than coordinates are rounded
    rounded = rounding(I, P, F, q)
    limit = max(tolerance, rounded)
    worst = project_position(I, P, F, t, q, v, max(aim, rounded), 4, delta)
    for _ in range(3):
        if worst <= limit:
            break
        evaluate(I, P, F, t, q, v, delta)
        worst = project_position(I, P, F, t, q, v, limit, 8, delta)
    if not worst <= 10.0 * limit:
        return False
    # rows are current at the projected position; velocities of the records were those before it
    size = velocity_scale(I, P, v)
    fast = project_velocity(I, P, F, v, delta, aim * size, 4)
    for _ in range(2):
        if fast <= tolerance * size:
            break
        evaluate(I, P, F, t, q, v, delta)
        fast = project_velocity(I, P, F, v, delta, tolerance * size, 8)
    return fast <= 10.0 * tolerance * size
