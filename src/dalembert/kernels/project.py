"""Residuals of the constraints, and one step of the projections in the mass metric, with the factor at hand.

    positions:   q <- q (+) (-M^-1 J^T S^-1 phi)
    velocities:  v <- v - M^-1 J^T S^-1 (J v - nu)

`hold.py` repeats them until the residuals are at round-off.
"""

from __future__ import annotations

from . import layout as at
from .bodies import move, unscale
from .compiler import kernel
from .evaluate import resolve
from .rows import row_dot, wrench_dot
from .scalar import above, choose, is_off, larger, maximum, minimum

# distance of 1 to the next number
EPSILON = 2.0**-52


@kernel
def position_residual(I, P, F):
    """Write phi of every row to y; return the largest scaled one among rows that are kept, and among those left out."""
    kept, dropped = 0.0, 0.0
    value, offset, drive, y = I[at.VALUE], I[at.OFFSET], I[at.DRIVE], I[at.Y]
    rate_only, scale, floor = I[at.ROW_RATE], I[at.SCALE], I[at.FLOOR]
    for r in range(I[at.N_ROWS]):
        phi = 0.0  # a condition on velocities has no value
        if I[rate_only + r] == 0 and not is_off(F[floor + r]):
            phi = F[value + r] - P[offset + r] - F[drive + 3 * r]
        F[y + r] = phi
        size, inside = abs(phi) * P[scale + r], above(at.OFF, F[floor + r])
        kept, dropped = choose(inside, larger(kept, size), kept), choose(inside, dropped, larger(dropped, size))
    return kept, dropped


@kernel
def velocity_residual(I, P, F):
    """Write J v - nu of every row to y; return the largest scaled one among rows that are kept."""
    worst = 0.0
    partial, drive, y = I[at.PARTIAL], I[at.DRIVE], I[at.Y]
    scale, floor = I[at.SCALE], I[at.FLOOR]
    for r in range(I[at.N_ROWS]):
        rate = 0.0
        if not is_off(F[floor + r]):
            rate = row_dot(I, F, r, I[at.VHAT]) + F[partial + r] - F[drive + 3 * r + 1]
        F[y + r] = rate
        worst = choose(above(at.OFF, F[floor + r]), larger(worst, abs(rate) * P[scale + r]), worst)
    return worst


@kernel
def rounding(I, P, F, q):
    """What the rounding of the coordinates leaves of a row, in lengths or radians: a few units in the last place of the largest.

    A row is a difference of coordinates, each rounded to 2^-52 of itself; so far from the origin, or after many turns, no choice of
    the coordinates makes it smaller.  Angles that gears count belong to the coordinates.
    """
    largest = 0.0
    width, linear = (3, 2) if I[at.PLANE] else (7, 3)
    for b in range(I[at.N_BODIES]):
        k = width * b
        for i in range(linear):
            largest = maximum(largest, abs(q[k + i]))
    largest /= P[I[at.LENGTH]]
    if I[at.PLANE]:
        for b in range(I[at.N_BODIES]):
            largest = maximum(largest, abs(q[3 * b + 2]))
    for k in range(I[at.N_ANGLES]):
        largest = maximum(largest, abs(F[I[at.ANGLE_AT] + k]))
    return 4.0 * EPSILON * largest


@kernel
def velocity_scale(I, P, v):
    """Size of velocities, in lengths or radians per second, against which their residual is judged; at least 1."""
    largest = 1.0
    width = 3 if I[at.PLANE] else 6
    linear = 2 if I[at.PLANE] else 3
    inverse = 1.0 / P[I[at.LENGTH]]
    for b in range(I[at.N_BODIES]):
        k = width * b
        for i in range(linear):
            largest = maximum(largest, abs(v[k + i]) * inverse)
        for i in range(linear, width):
            largest = maximum(largest, abs(v[k + i]))
    return largest


@kernel
def smallest_pivot(I, F):
    """Smallest pivot of the kept rows, each against its entry of J M^-1 J^T: the factor and the rows must be current.

    It falls to zero where the rows lose their independence.  In the saddle-point system each is held against the terms it is the sum of.
    """
    smallest = 1.0
    if I[at.SADDLE]:
        nv = (3 if I[at.PLANE] else 6) * I[at.N_BODIES]
        for i in range(I[at.N_UNKNOWNS]):
            inverse = -F[I[at.SAD_D] + i]
            if nv <= I[I[at.SAD_PERM] + i] < nv + I[at.N_ROWS]:
                pivot = 1.0 / (inverse * F[I[at.SAD_SIZE] + i])
                smallest = choose(above(inverse, 0.0), minimum(smallest, pivot), smallest)
        return smallest
    plane = I[at.PLANE]
    for k in range(I[at.N_BLOCKS]):
        o = I[at.BLOCK] + at.BLOCK_SIZE * k
        n, place, do = I[o], I[o + 2], I[o + 3]
        bodies = I[o + 4 + at.BLOCK_SIZE] - I[o + 4]
        width = 3 if plane else 6
        for a in range(n):
            inverse = F[do + a * (a + 1) // 2 + a]
            entry = 0.0
            for s in range(bodies):
                row = place + (s * n + a) * width
                entry += wrench_dot(plane, F, row, row)
            smallest = choose(above(inverse, 0.0), minimum(smallest, 1.0 / (inverse * entry)), smallest)
    return smallest


@kernel
def step_position(I, P, F, q, delta):
    """One correction of q for the phi in y."""
    resolve(I, P, F)
    unscale(I, P, F, I[at.ACC], delta)
    move(I, q, delta)


@kernel
def step_velocity(I, P, F, v, delta):
    """One correction of v for the J v - nu in y; scaled velocities follow it."""
    resolve(I, P, F)
    vhat, acc = I[at.VHAT], I[at.ACC]
    for k in range(v.shape[0]):
        F[vhat + k] += F[acc + k]
    unscale(I, P, F, I[at.ACC], delta)
    for k in range(v.shape[0]):
        v[k] += delta[k]
