"""Derivatives of the forces of a mechanism along its rows: each law by its own slopes, J_f^T (df/ds J_s du + df/ds' J_s dv).

That rows turn, with the forces that they carry, changes forces by the size of a force over a length, where laws change them by their stiffness:
left out, Newton's method needs as many corrections (measured, see docs/decisions/stiff-methods.md), and the cost is that of an evaluation.
Slopes of expressions come from their graph; those of laws in Python by differences of the law alone.
"""

from __future__ import annotations

from ...kernels.compiler import kernel
from ...kernels.layout import (
    LAM,
    LAW,
    LAW_CALL,
    LAW_FRICTION,
    LAW_LINEAR,
    LAW_NUMBERS,
    LAW_RECORD,
    LAW_SIZE,
    LAW_STOP,
    MASS,
    N_FREE,
    N_ROWS,
    N_STATES,
    PLANE,
    PLANE_MASS,
    RATE,
    ROW,
    ROW_SIZE,
    SIDE,
    SPACE_MASS,
)
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
        value = t
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
            value = e.F[e.I[LAM] + place] if place < e.I[N_ROWS] else 0.0
        s.registers[k] = value


@kernel
def fill_rows(I, P, F, s, nv):
    """True rows of all constraints and of the free rows, as they are in memory."""
    width, record = (3, PLANE_MASS) if I[PLANE] else (6, SPACE_MASS)
    for r in range(I[N_ROWS] + I[N_FREE]):
        o, to = I[ROW] + ROW_SIZE * r, nv * nv + r * nv
        at, step = I[o], I[o + 1]
        for k in range(I[o + 2], I[o + 2 + ROW_SIZE]):
            place = I[k]
            m = I[MASS] + record * (place // width)
            for c in range(width):
                s.parts[to + place + c] = unscaled(I, P, F, at, m, c)
            at += step


@kernel
def slope_of_law(I, P, F, n):
    """Derivatives of a law of its own row by value and rate: linear, stop, friction."""
    o, p = I[LAW] + LAW_RECORD * n, I[LAW_NUMBERS] + LAW_SIZE * n
    if I[o] == LAW_LINEAR:
        return P[p], P[p + 2]
    if I[o] == LAW_STOP:
        k = I[SIDE] + I[o + 2]
        held = F[k] * F[k + 1]
        return held * P[p], held * P[p + 1]
    rate, v0 = F[I[RATE] + I[o + 1]], P[p + 1]
    size = rate * rate + v0 * v0
    return 0.0, P[p] * v0 * v0 / (size * size**0.5)


@kernel
def slopes_of_terms(e, s, t, q, v):
    """Derivatives of laws by value and rate of the rows that they depend on, one pair for each term."""
    I, n_called = e.I, 0
    if s.called.shape[0] > 0:
        call(e.model, SLOPES, I, e.P, e.F, t, q, v, s.slopes, 0.0, 1)
    for k in range(s.terms.shape[0]):
        n = s.terms[k, 0]
        kind = I[I[LAW] + LAW_RECORD * n]
        by_value, by_rate = 0.0, 0.0
        if kind in (LAW_LINEAR, LAW_STOP, LAW_FRICTION):
            by_value, by_rate = slope_of_law(I, e.P, e.F, n)
        elif kind == LAW_CALL:
            by_value, by_rate = s.slopes[2 * n_called], s.slopes[2 * n_called + 1]
            n_called += 1
        else:
            by_value = s.registers[s.terms[k, 2]] if s.terms[k, 2] >= 0 else 0.0
            by_rate = s.registers[s.terms[k, 3]] if s.terms[k, 3] >= 0 else 0.0
        s.term_slopes[k, 0], s.term_slopes[k, 1] = by_value, by_rate


@kernel
def fill_by_laws(e, s, t, q, v, nv, nz):
    """`parts` from rows and laws; rows and the values of free rows must be current."""
    I, F, first = e.I, e.F, e.I[N_ROWS]
    wide, jac = 2 * nv + nz, nv * nv
    right = jac + 2 * (first + I[N_FREE]) * nv
    fill_rows(I, e.P, F, s, nv)
    slopes_of_terms(e, s, t, q, v)
    for k in range(s.terms.shape[0]):
        n, r, by_value, by_rate = s.terms[k, 0], s.terms[k, 1], s.term_slopes[k, 0], s.term_slopes[k, 1]
        own = jac + I[I[LAW] + LAW_RECORD * n + 1] * nv
        state = r - first if r < first + I[N_STATES] else -1
        for i in range(nv if n >= nz else 1):
            # a rate of a state, or a force along the row of its law
            f = 1.0 if n < nz else s.parts[own + i]
            if f == 0.0:
                continue
            o = right + (nv + n if n < nz else i) * wide
            if state >= 0:
                s.parts[o + 2 * nv + state] += f * by_value
            for j in range(nv):
                x = s.parts[jac + r * nv + j]
                s.parts[o + j] += f * by_value * x
                s.parts[o + nv + j] += f * by_rate * x
