"""Derivatives of the forces of a mechanism along its rows: each law by its own slopes, J_f^T (df/ds J_s du + df/ds' J_s dv).

That rows turn, with the forces that they carry, changes forces by the size of a force over a length, where laws change them by their stiffness:
left out, Newton's method needs as many corrections (measured, see docs/decisions/stiff-methods.md), and the cost is that of an evaluation.
Slopes of expressions come from their graph; those of laws in Python by differences of the law alone.
"""

from __future__ import annotations

from ...kernels import layout as at
from ...kernels.compiler import kernel
from ...kernels.operate import SLOPES
from ...kernels.residual import unscaled
from ...kernels.through import call

# arrays that inputs of the program are taken from
TIME_IN, Q_IN, V_IN, P_IN, F_IN, A_IN, LAM_IN = range(7)


@kernel
def give_inputs(e, s, t, q, v, a):
    """Inputs of the program, from where the model has them."""
    for k in range(s.inputs.shape[0]):
        kind, place = s.inputs[k, 0], s.inputs[k, 1]
        value = e.t0 + t
        if kind == Q_IN:
            value = q[place]
        elif kind == V_IN:
            value = v[place]
        elif kind == P_IN:
            value = e.P[place]
        elif kind == F_IN:
            value = e.F[place]
        elif kind == A_IN:
            value = a[place]
        elif kind == LAM_IN:
            # free rows have no multiplier
            value = e.F[e.I[at.LAM] + place] if place < e.I[at.N_ROWS] else 0.0
        s.registers[k] = value


@kernel
def fill_rows(I, P, F, s, nv):
    """True rows of all constraints and of the free rows, as they are in memory."""
    width, record = (3, at.PLANE_MASS) if I[at.PLANE] else (6, at.SPACE_MASS)
    for r in range(I[at.N_ROWS] + I[at.N_FREE]):
        o, to = I[at.ROW] + at.ROW_SIZE * r, nv * nv + r * nv
        wrench, step = I[o], I[o + 1]
        for k in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
            place = I[k]
            m = I[at.MASS] + record * (place // width)
            for c in range(width):
                s.parts[to + place + c] = unscaled(I, P, F, wrench, m, c)
            wrench += step


@kernel
def slope_of_law(I, P, F, n):
    """Derivatives of a law of its own row by value and rate: linear, stop, friction."""
    o, p = I[at.LAW] + at.LAW_RECORD * n, I[at.LAW_NUMBERS] + at.LAW_SIZE * n
    if I[o] == at.LAW_LINEAR:
        return P[p], P[p + 2]
    if I[o] == at.LAW_STOP:
        k = I[at.SIDE] + I[o + 2]
        held = F[k] * F[k + 1]
        return held * P[p], held * P[p + 1]
    rate, v0 = F[I[at.RATE] + I[o + 1]], P[p + 1]
    size = rate * rate + v0 * v0
    return 0.0, P[p] * v0 * v0 / (size * size**0.5)


@kernel
def slopes_of_terms(e, s, t, q, v):
    """Derivatives of laws by value and rate of the rows that they depend on, one pair for each term."""
    I, n_called = e.I, 0
    if s.called.shape[0] > 0:
        call(e.model, SLOPES, I, e.P, e.F, e.t0 + t, q, v, s.slopes, 0.0, 1)
    for k in range(s.terms.shape[0]):
        n = s.terms[k, 0]
        kind = I[I[at.LAW] + at.LAW_RECORD * n]
        by_value, by_rate = 0.0, 0.0
        if kind in (at.LAW_LINEAR, at.LAW_STOP, at.LAW_FRICTION):
            by_value, by_rate = slope_of_law(I, e.P, e.F, n)
        elif kind == at.LAW_CALL:
            by_value, by_rate = s.slopes[2 * n_called], s.slopes[2 * n_called + 1]
            n_called += 1
        else:
            by_value = s.registers[s.terms[k, 2]] if s.terms[k, 2] >= 0 else 0.0
            by_rate = s.registers[s.terms[k, 3]] if s.terms[k, 3] >= 0 else 0.0
        s.term_slopes[k, 0], s.term_slopes[k, 1] = by_value, by_rate


@kernel
def along_basis(s, nv, free, r, to):
    """The row r along the motions N that the rows leave free."""
    for i in range(free):
        to[i] = 0.0
    for j in range(nv):
        f = s.parts[nv * nv + r * nv + j]
        if f != 0.0:
            for i in range(free):
                to[i] += f * s.basis[j * free + i]


@kernel
def reduce_laws(e, s, nv, nz, free):
    """Response of (N^T forces, rates of states) to displacements, velocities and states, law by law; the same along N.

    A law acts along its own row, on N as (J_f N)^T, and answers the row r that it depends on: two products with N, whatever the number of bodies.
    """
    I, first, acts, moved = e.I, e.I[at.N_ROWS], s.real_y, s.imag_y
    wide, width = 2 * nv + nz, free + nz
    for k in range(width * wide):
        s.response[k] = 0.0
    for k in range(width * width):
        s.by_place[k], s.by_rate[k] = 0.0, 0.0
    for k in range(s.terms.shape[0]):
        n, r, by_value, by_rate = s.terms[k, 0], s.terms[k, 1], s.term_slopes[k, 0], s.term_slopes[k, 1]
        own = I[I[at.LAW] + at.LAW_RECORD * n + 1]
        state = r - first if r < first + I[at.N_STATES] else -1
        along_basis(s, nv, free, r, moved)
        if n >= nz and own != r:
            along_basis(s, nv, free, own, acts)
        for i in range(free if n >= nz else 1):
            # a rate of a state, or a force along the row of its law
            f = 1.0
            if n >= nz:
                f = -acts[i] if own != r else -moved[i]
            if f == 0.0:
                continue
            slot = i if n >= nz else free + n
            value, rate = f * by_value, f * by_rate
            for j in range(nv):
                x = s.parts[nv * nv + r * nv + j]
                s.response[slot * wide + j] += value * x
                s.response[slot * wide + nv + j] += rate * x
            for j in range(free):
                s.by_place[slot * width + j] += value * moved[j]
                s.by_rate[slot * width + j] += rate * moved[j]
            if state >= 0:
                s.response[slot * wide + 2 * nv + state] += value
                s.by_rate[slot * width + free + state] += value
