"""Derivatives of accelerations and of the rates of auxiliary states, from the program of the equations (`system/trace/slopes.py`).

    M da + J^T dlam = -d(M a + J^T lam - Q),    J da = -d(J a - gamma)        a and lam held on the right

solved once for all displacements u, velocities v and states z.  Rows left out keep the multiplier zero.
"""

from __future__ import annotations

import math

from ...kernels.compiler import kernel
from ...kernels.dense import factor_real, solve_real
from ...kernels.layout import FLOOR, LAM, N_FREE, N_ROWS
from ...kernels.operate import EVALUATE, SLOPES
from ...kernels.program import perform_code
from ...kernels.through import call
from .equations import evaluate

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
def fill_saddle(e, s, nv):
    """[M J^T; J 0] of the rows that are kept; those left out have the multiplier zero, and what does not move (particles do not turn) stays."""
    I, F, m = e.I, e.F, e.I[N_ROWS]
    n = nv + m
    for k in range(n * n):
        s.saddle[k] = 0.0
    for i in range(nv):
        for j in range(nv):
            s.saddle[i * n + j] = s.parts[i * nv + j]
    for r in range(m):
        if F[I[FLOOR] + r] < math.inf:
            for j in range(nv):
                x = s.parts[nv * nv + r * nv + j]
                s.saddle[(nv + r) * n + j], s.saddle[j * n + nv + r] = x, x
        else:
            s.saddle[(nv + r) * n + nv + r] = 1.0
    for j in range(nv):
        moves = False
        for i in range(n):
            moves = moves or s.saddle[i * n + j] != 0.0
        if not moves:
            s.saddle[j * n + j] = 1.0


@kernel
def linearize(e, now, mem, s):
    """Derivatives at the start of the step, into `by_rate` and `by_place`."""
    I, q, v, z = e.I, mem.q, mem.v, mem.z
    nv, nz, m = v.shape[0], z.shape[0], I[N_ROWS]
    rows, wide, width = m + I[N_FREE], 2 * nv + nz, nv + nz
    evaluate(e, EVALUATE, now.t, q, v, z, mem.delta)
    now.evaluations += 1
    give_inputs(e, s, now.t, q, v, mem.delta)
    perform_code(s.code, e.P, s.registers, s.places[0], s.code.shape[0], s.places[1])
    right = nv * nv + 2 * rows * nv
    # what the program does not write is zero, but constant masses
    for k in range(right, s.parts.shape[0]):
        s.parts[k] = 0.0
    for k in range(s.results.shape[0]):
        x = s.registers[s.results[k, 0]]
        # a distance of zero has no direction: that term is left out
        s.parts[s.results[k, 1]] = x if abs(x) < math.inf else 0.0
    if s.called.shape[0] > 0:
        call(e.model, SLOPES, I, e.P, e.F, now.t, q, v, s.slopes, 0.0, 1)
        add_called(e, s, nv, nz)
    fill_saddle(e, s, nv)
    n = nv + m
    factor_real(s.saddle, n, s.saddle_pivot)
    for k in range(n * wide):
        s.solved[k] = -s.parts[right + k]
    for r in range(m):
        if not e.F[I[FLOOR] + r] < math.inf:
            for k in range(wide):
                s.solved[(nv + r) * wide + k] = 0.0
    solve_real(s.saddle, n, s.saddle_pivot, s.solved, wide)
    states = right + n * wide
    for i in range(width):
        for j in range(width):
            rate, place = 0.0, 0.0
            if i < nv:
                rate = s.solved[i * wide + nv + j]
                place = s.solved[i * wide + j] if j < nv else 0.0
            else:
                o = states + (i - nv) * wide
                rate = s.parts[o + nv + j]
                place = s.parts[o + j] if j < nv else 0.0
            s.by_rate[i * width + j], s.by_place[i * width + j] = rate, place
    now.linear, now.h_factored = 1, 0.0
    now.linearized += 1
