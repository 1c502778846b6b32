"""Many outputs in one pass: constraints, residuals of the equations against what is allowed, and rows, at states that are known.

Python would spend most of its time between the calls.  Everything travels in the array `a` of `operate`:

    1               place in F from which the rest of every record is copied; negative: residuals only
    scratch         memory of `residual.py`: nv accelerations (written here), nv units (given), 2 nv + 3 m residuals and sizes
    records         one for each output, all of the same length

A record is what is given, what is found, and with the room that is left a copy of memory (rows, or values and rates of measures).

    given   t, counted angles, auxiliary states, sides of switches, forces of laws, multipliers, accelerations
    found   |phi| of the rows kept and of those left out, |J v - nu| of both, all scaled; the worst residuals of M a + J^T lam = Q and J a = gamma

Residuals are in units of what is allowed; `results/residuals.py` says why it is that much, and does the same sums in its own way where it names
the worst row.
"""

from __future__ import annotations

import math

from . import layout as at
from .compiler import kernel
from .evaluate import all_rows, inputs, poses
from .laws import laws
from .project import position_residual, velocity_residual
from .residual import residual

# what a residual may be: this part of the terms of its equation, and that part of the largest term anywhere (see `results/residuals.py`)
TERMS, ROUNDING = 1e-9, 1e-12
# numbers that are found
FOUND = 6


@kernel
def part_of(x, allowed, worst):
    """The larger of |x| / allowed and the worst so far; not a number counts as infinite."""
    ratio = abs(x) / max(allowed, 1e-300)
    if ratio <= worst:
        return worst
    return ratio if ratio == ratio else math.inf


@kernel
def largest(I, P, F):
    """Largest scaled residual in y among the rows that are kept, and among those left out; infinite where one is not a number."""
    kept, left = 0.0, 0.0
    for r in range(I[at.N_ROWS]):
        off = abs(F[I[at.Y] + r]) * P[I[at.SCALE] + r]
        off = off if off == off else math.inf
        if F[I[at.FLOOR] + r] < at.OFF:
            kept = max(kept, off)
        else:
            left = max(left, off)
    return kept, left


@kernel
def judged(I, P, F, v, a, blur):
    """Worst residual of the equations of bodies, and of rows that are kept, in units of what is allowed; a is the memory of `residual`."""
    width, linear = (3, 2) if I[at.PLANE] else (6, 3)
    nv, rows = width * I[at.N_BODIES], I[at.N_ROWS]
    left, size, missed = 2 * nv, 3 * nv, 4 * nv
    terms, norm = missed + rows, missed + 2 * rows
    # E, the largest term in the metric of kinetic energy: forces, accelerations, and those that go with velocities
    rate, along = 0.0, 0.0
    for b in range(I[at.N_BODIES]):
        for k in range(width * b, width * b + linear):
            along = max(along, abs(v[k]))
        for k in range(width * b + linear, width * b + width):
            rate = max(rate, abs(v[k]))
    rate, square, most = max(rate, along / P[I[at.LENGTH]]), 0.0, 0.0
    for b in range(I[at.N_BODIES]):
        total = 0.0
        for k in range(width * b, width * b + width):
            unit = a[nv + k]
            term = a[size + k] * unit + (abs(a[k]) + rate * abs(v[k])) / unit
            total += term * term
            most = max(most, term)
        if not total <= square:
            square = total
    energy = math.sqrt(square)
    # squares of terms below 1e-162 are zero
    if energy < most:
        energy = most
    forces, kept = 0.0, 0.0
    for b in range(I[at.N_BODIES]):
        for first, last in ((width * b, width * b + linear), (width * b + linear, width * b + width)):
            most = 0.0
            for k in range(first, last):
                if not a[size + k] <= most:
                    most = a[size + k]
            for k in range(first, last):
                forces = part_of(a[left + k], TERMS * most + ROUNDING * energy / a[nv + k], forces)
    for r in range(rows):
        if F[I[at.FLOOR] + r] < at.OFF:
            allowed = (TERMS + blur) * a[terms + r] + (ROUNDING + blur) * a[norm + r] * energy
            kept = part_of(a[missed + r], allowed, kept)
    return forces, kept


@kernel
def outputs(I, P, F, q, v, a, blur, times):
    """Look at `times` outputs; q and v are those of all outputs, `a` as above."""
    width, nq = (3, 3 * I[at.N_BODIES]) if I[at.PLANE] else (6, 7 * I[at.N_BODIES])
    nv, rows = width * I[at.N_BODIES], I[at.N_ROWS]
    n_angles, n_states, n_sides, n_laws = I[at.N_ANGLES], I[at.N_STATES], I[at.FROZEN] - I[at.SIDE], I[at.N_LAWS]
    x = a[1 : 1 + 4 * nv + 3 * rows]
    first = 1 + 4 * nv + 3 * rows
    record = (a.shape[0] - first) // times
    copied = int(a[0])
    for k in range(times):
        o = first + k * record
        t, at_q, at_v = a[o], q[k * nq : (k + 1) * nq], v[k * nv : (k + 1) * nv]
        o += 1
        F[I[at.ANGLE_TIME]] = t
        for i in range(n_angles):
            F[I[at.ANGLE_AT] + i], F[I[at.ANGLE_RATE] + i] = a[o + i], 0.0
        o += n_angles
        for i in range(n_states):
            F[I[at.STATE_AT] + i] = a[o + i]
        o += n_states
        if F[I[at.FROZEN]] != 0.0:
            for i in range(n_sides):
                F[I[at.SIDE] + i] = a[o + i]
        o += n_sides
        for i in range(n_laws):
            F[I[at.CALLED] + i] = a[o + i]
        o += n_laws
        for r in range(rows):
            F[I[at.LAM] + r] = a[o + r]
        o += rows
        for i in range(nv):
            x[i] = a[o + i]
        o += nv
        poses(I, P, F, at_q, at_v)
        inputs(I, P, F, t, at_q, True)
        laws(I, P, F, t)
        all_rows(I, P, F, t, at_q, True)
        if copied >= 0:
            position_residual(I, P, F)
            a[o], a[o + 1] = largest(I, P, F)
            velocity_residual(I, P, F)
            a[o + 2], a[o + 3] = largest(I, P, F)
        residual(I, P, F, at_v, x)
        a[o + 4], a[o + 5] = judged(I, P, F, at_v, x, blur)
        o += FOUND
        for i in range(first + (k + 1) * record - o):
            a[o + i] = F[copied + i]
