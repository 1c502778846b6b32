"""Newton's method for mechanisms of many bodies: laws are soft rows of one sparse system (`system/newton_pattern.py`), whose cost is linear in bodies.

A change of the accelerations is -residual + y with  M y + J^T mu + J_f^T phi = 0,  J y = 0,  J_f y - phi/s = b.
Laws count by their slopes along their own row; auxiliary states by their residual alone.
"""

from __future__ import annotations

from ...kernels.compiler import kernel
from ...kernels.layout import FLOOR, MASS, N_BODIES, N_ROWS, PLANE, PLANE_MASS, ROW, ROW_SIZE, SPACE_MASS
from ...kernels.operate import EVALUATE
from ...kernels.program import perform_code
from ...kernels.residual import unscaled
from ...kernels.row_status import OFF
from ...kernels.sparse import factor_sparse, factor_sparse_pair, solve_sparse, solve_sparse_pair
from .equations import evaluate
from .stiffness import give_inputs, slopes_of_terms

# a law without slope: its soft row is as good as not there
NONE = 1e-30


@kernel
def linearize_many(e, now, g, s, t, q, v, z, a):
    """Rows and slopes of laws at a state."""
    I, F = e.I, e.F
    evaluate(e, EVALUATE, t, q, v, z, a)
    now.evaluations += 1
    now.linearized += 1
    give_inputs(e, s, t, q, v, a)
    perform_code(s.code, e.P, s.registers, s.places[0], s.code.shape[0], s.places[1])
    slopes_of_terms(e, s, t, q, v)
    for k in range(g.soft.shape[0]):
        g.stiffness[k], g.damping[k] = 0.0, 0.0
    for k in range(s.terms.shape[0]):
        n = g.soft_of[k]
        if n >= 0:
            g.stiffness[n] += s.term_slopes[k, 0]
            g.damping[n] += s.term_slopes[k, 1]
    width, record, m = 3 if I[PLANE] else 6, PLANE_MASS if I[PLANE] else SPACE_MASS, I[N_ROWS]
    for r in range(m + g.soft.shape[0]):
        o = I[ROW] + ROW_SIZE * (r if r < m else g.soft[r - m, 0])
        at, step, to = I[o], I[o + 1], g.wrench[r]
        for k in range(I[o + 2], I[o + 2 + ROW_SIZE]):
            mass = I[MASS] + record * (I[k] // width)
            for c in range(width):
                g.rows_now[to + c] = unscaled(I, e.P, F, at, mass, c)
            at += step
            to += width
    now.linear, now.h_factored, now.free, now.block = 1, 0.0, 0, 0


@kernel
def put(value, d, at, x):
    """Add x to an entry: i >= 0 below the diagonal, -i-1 on it."""
    if at >= 0:
        value[at] += x
    else:
        d[-at - 1] += x


@kernel
def fill_many(e, g, value, d):
    """Masses and rows; rows left out stay empty."""
    I, P, m = e.I, e.P, e.I[N_ROWS]
    for k in range(value.shape[0]):
        value[k] = 0.0
    for k in range(d.shape[0]):
        d[k] = 0.0
    at = 0
    for b in range(I[N_BODIES]):
        if I[PLANE]:
            o = I[MASS] + PLANE_MASS * b
            put(value, d, g.mass[at], P[o + 5] + g.extra[3 * b])
            put(value, d, g.mass[at + 1], P[o + 5] + g.extra[3 * b + 1])
            put(value, d, g.mass[at + 2], P[o + 6] + g.extra[3 * b + 2])
            at += 3
        else:
            o = I[MASS] + SPACE_MASS * b
            for c in range(3):
                put(value, d, g.mass[at + c], P[o + 21] + g.extra[6 * b + c])
            for c in range(6):
                # xx, xy, xz, yy, yz, zz
                more = g.extra[6 * b + 3] if c in (0, 3, 5) else 0.0
                put(value, d, g.mass[at + 3 + c], P[o + 3 + c] + more)
            at += 9
    for r in range(m + g.soft.shape[0]):
        if r >= m or e.F[I[FLOOR] + r] < OFF:
            for k in range(g.rows[r + 1] - g.rows[r]):
                put(value, d, g.entries[g.rows[r] + k], g.rows_now[g.wrench[r] + k])


@kernel
def factor_many(e, g, c, square):
    """Factor for c and its square (of generalized-alpha a number beside it)."""
    fill_many(e, g, g.value, g.d)
    for k in range(g.soft.shape[0]):
        g.d[g.soft[k, 1]] -= 1.0 / max(abs(c * g.damping[k] + square * g.stiffness[k]), NONE)
    factor_sparse(g, g.value, g.d, g.x)


@kernel
def factor_many_pair(e, g, c, d, re, im, re_d, im_d):
    """Factor for the complex number c - i d."""
    fill_many(e, g, re, re_d)
    square, cross = c * c - d * d, -2.0 * c * d
    for k in range(im.shape[0]):
        im[k] = 0.0
    for k in range(im_d.shape[0]):
        im_d[k] = 0.0
    for k in range(g.soft.shape[0]):
        a, b = c * g.damping[k] + square * g.stiffness[k], -d * g.damping[k] + cross * g.stiffness[k]
        size = max(a * a + b * b, NONE * NONE)
        i = g.soft[k, 1]
        re_d[i] -= a / size if a != 0.0 or b != 0.0 else 1.0 / NONE
        im_d[i] += b / size
    factor_sparse_pair(g, re, im, re_d, im_d, g.x, g.y)


@kernel
def along_row(e, g, r, row, x):
    """Product of a row with a vector like velocities."""
    o, total, at = e.I[ROW] + ROW_SIZE * row, 0.0, g.wrench[r]
    width = 3 if e.I[PLANE] else 6
    for k in range(e.I[o + 2], e.I[o + 2 + ROW_SIZE]):
        for c in range(width):
            total += g.rows_now[at + c] * x[e.I[k] + c]
        at += width
    return total


@kernel
def correct_many(e, g, nv, x):
    """From a residual x to its correction, in place, with the real factor."""
    m, n = e.I[N_ROWS], g.d.shape[0]
    for i in range(n):
        g.x[i] = 0.0
    for k in range(g.soft.shape[0]):
        g.x[g.soft[k, 1]] = along_row(e, g, m + k, g.soft[k, 0], x)
    solve_sparse(g, g.value, g.d, g.x)
    for i in range(x.shape[0]):
        x[i] = -x[i]
    for i in range(n):
        if g.perm[i] < nv:
            x[g.perm[i]] += g.x[i]
        g.x[i] = 0.0


@kernel
def correct_many_pair(e, g, nv, factor, x, y):
    """The same of a complex residual, with one of the complex factors."""
    m, n = e.I[N_ROWS], g.d.shape[0]
    for i in range(n):
        g.x[i], g.y[i] = 0.0, 0.0
    for k in range(g.soft.shape[0]):
        i = g.soft[k, 1]
        g.x[i], g.y[i] = along_row(e, g, m + k, g.soft[k, 0], x), along_row(e, g, m + k, g.soft[k, 0], y)
    solve_sparse_pair(g, g.re[factor], g.im[factor], g.re_d[factor], g.im_d[factor], g.x, g.y)
    for i in range(x.shape[0]):
        x[i], y[i] = -x[i], -y[i]
    for i in range(n):
        if g.perm[i] < nv:
            x[g.perm[i]] += g.x[i]
            y[g.perm[i]] += g.y[i]
        g.x[i], g.y[i] = 0.0, 0.0


@kernel
def smooth_many(e, g, c, d, turn, dv, pair):
    """Take a change (turn, dv) through (1 - (c - i d) f')^-1, in place; with `pair` the real part, by the complex factor."""
    m, n, nv = e.I[N_ROWS], g.d.shape[0], dv.shape[0]
    for i in range(n):
        g.x[i], g.y[i] = 0.0, 0.0
    square, cross = c * c - d * d, -2.0 * c * d
    for k in range(g.soft.shape[0]):
        v, u = along_row(e, g, m + k, g.soft[k, 0], dv), along_row(e, g, m + k, g.soft[k, 0], turn)
        # -(damping v + stiffness (u + (c - i d) v)) / s
        p, q = g.damping[k] * v + g.stiffness[k] * (u + c * v), -g.stiffness[k] * d * v
        a, b = c * g.damping[k] + square * g.stiffness[k], -d * g.damping[k] + cross * g.stiffness[k]
        size, i = a * a + b * b, g.soft[k, 1]
        if size > NONE:
            g.x[i], g.y[i] = -(p * a + q * b) / size, -(q * a - p * b) / size
    if pair:
        solve_sparse_pair(g, g.re[0], g.im[0], g.re_d[0], g.im_d[0], g.x, g.y)
    else:
        solve_sparse(g, g.value, g.d, g.x)
    for i in range(n):
        j = g.perm[i]
        if j < nv:
            # dv += (c - i d)(x + i y); turn += (c - i d) dv, of which the real part
            real, imaginary = c * g.x[i] + d * g.y[i], c * g.y[i] - d * g.x[i]
            dv[j] += real
            turn[j] += c * dv[j] + d * imaginary
        g.x[i], g.y[i] = 0.0, 0.0
