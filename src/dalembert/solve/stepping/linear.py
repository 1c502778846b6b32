"""Derivatives of accelerations and of the rates of auxiliary states, from the program of the equations (`system/trace/slopes.py`).

    M da + J^T dlam = -d(M a + J^T lam - Q),    J da = 0        a and lam held on the right

in the motions N that the rows leave free, da = N x:  N^T M N x = -N^T d(...).  That rows turn as bodies move changes J a by terms of the size
of velocities and accelerations, never of stiffness: leaving them out costs no correction of Newton's method (measured), and halves the program.
"""

from __future__ import annotations

import math

from ...kernels.compiler import kernel
from ...kernels.dense import null_space
from ...kernels.layout import FLOOR, N_FREE, N_ROWS, PLANE
from ...kernels.operate import EVALUATE, SLOPES
from ...kernels.program import perform_code
from ...kernels.row_status import OFF
from ...kernels.through import call
from .equations import evaluate
from .stiffness import fill_rows, give_inputs, reduce_laws, slopes_of_terms


@kernel
def add_called(e, s, nv, nz):
    """Laws in Python: their slopes along the rows that they act on, J^T (k ds + c ds')."""
    rows, wide = e.I[N_ROWS] + e.I[N_FREE], 2 * nv + nz
    jac, moved, right = nv * nv, nv * nv + rows * nv, nv * nv + 2 * rows * nv
    for n in range(s.called.shape[0]):
        r, k, c = s.called[n, 1], s.slopes[2 * n], s.slopes[2 * n + 1]
        for i in range(nv):
            f = s.parts[jac + r * nv + i]
            if f != 0.0:
                o = right + i * wide
                for j in range(nv):
                    s.parts[o + j] += f * (k * s.parts[jac + r * nv + j] + c * s.parts[moved + r * nv + j])
                    s.parts[o + nv + j] += f * c * s.parts[jac + r * nv + j]


@kernel
def fill_parts(e, s, t, q, v, nv, nz):
    """Results of the program at a state whose accelerations and multipliers are current; constant masses stay."""
    for k in range(nv * nv + 2 * (e.I[N_ROWS] + e.I[N_FREE]) * nv, s.parts.shape[0]):
        s.parts[k] = 0.0
    for k in range(s.results.shape[0]):
        x = s.registers[s.results[k, 0]]
        # a distance of zero has no direction: that term is left out
        s.parts[s.results[k, 1]] = x if abs(x) < math.inf else 0.0
    if s.called.shape[0] > 0:
        call(e.model, SLOPES, e.I, e.P, e.F, e.t0 + t, q, v, s.slopes, 0.0, 1)
        add_called(e, s, nv, nz)


@kernel
def find_free(e, s, nv):
    """Basis N of the motions that the kept rows leave free; returns how many.  What has neither mass nor rows stays (particles do not turn)."""
    I, F, m, rows = e.I, e.F, e.I[N_ROWS], 0
    for r in range(m):
        if F[I[FLOOR] + r] < OFF:
            o, size = nv * nv + r * nv, 0.0
            for j in range(nv):
                size = max(size, abs(s.parts[o + j]))
            for j in range(nv):
                s.rows[rows * nv + j] = s.parts[o + j] / max(size, 1e-300)
            rows += 1
    for j in range(nv):
        s.still[j] = 1 if s.parts[j * nv + j] == 0.0 else 0
        for r in range(rows):
            if s.rows[r * nv + j] != 0.0:
                s.still[j] = 0
    return null_space(s.rows, rows, nv, s.basic, s.still, s.basis)


@kernel
def reduce(s, nv, nz, free, right):
    """Response of (N^T forces, rates of states) to displacements, velocities and states; the same along N."""
    wide, width = 2 * nv + nz, free + nz
    for i in range(width):
        o = i * wide
        for k in range(wide):
            s.response[o + k] = s.parts[right + (nv + i - free) * wide + k] if i >= free else 0.0
    for j in range(nv):
        for i in range(free):
            f, o = s.basis[j * free + i], i * wide
            if f != 0.0:
                for k in range(wide):
                    s.response[o + k] -= f * s.parts[right + j * wide + k]
    for i in range(width):
        o = i * wide
        for k in range(free):
            place, rate = 0.0, 0.0
            for j in range(nv):
                place += s.response[o + j] * s.basis[j * free + k]
                rate += s.response[o + nv + j] * s.basis[j * free + k]
            s.by_place[i * width + k], s.by_rate[i * width + k] = place, rate
        for k in range(nz):
            s.by_place[i * width + free + k], s.by_rate[i * width + free + k] = 0.0, s.response[o + 2 * nv + k]


@kernel
def reduce_mass(s, nv, nz, free, block):
    """N^T M N, and 1 for states; masses are in blocks along the diagonal."""
    width = free + nz
    for k in range(width * width):
        s.unit[k] = 0.0
    for i in range(nz):
        s.unit[(free + i) * width + free + i] = 1.0
    for j in range(nv):
        first = j - j % block
        for k in range(free):
            total = 0.0
            for i in range(first, first + block):
                total += s.parts[j * nv + i] * s.basis[i * free + k]
            for i in range(free):
                s.unit[i * width + k] += s.basis[j * free + i] * total


@kernel
def linearize(e, now, s, t, q, v, z, a):
    """Derivatives at a state; a is given its accelerations."""
    nv, nz = v.shape[0], z.shape[0]
    evaluate(e, EVALUATE, t, q, v, z, a)
    now.evaluations += 1
    now.linearized += 1
    give_inputs(e, s, t, q, v, a)
    perform_code(s.code, e.P, s.registers, s.places[0], s.code.shape[0], s.places[1])
    if s.terms.shape[0] > 0 or s.results.shape[0] == 0:
        fill_rows(e.I, e.P, e.F, s, nv)
        slopes_of_terms(e, s, t, q, v)
        now.free = find_free(e, s, nv)
        reduce_laws(e, s, nv, nz, now.free)
        reduce_mass(s, nv, nz, now.free, 3 if e.I[PLANE] else 6)
    else:
        fill_parts(e, s, t, q, v, nv, nz)
        now.free = find_free(e, s, nv)
        reduce(s, nv, nz, now.free, nv * nv + 2 * (e.I[N_ROWS] + e.I[N_FREE]) * nv)
        reduce_mass(s, nv, nz, now.free, nv)
    now.linear, now.h_factored = 1, 0.0
