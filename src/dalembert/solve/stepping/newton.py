"""The linear systems of implicit methods: unknowns are accelerations and rates of states, x, with

    v = v0 + c x,   u = u0 + c v0 + c^2 x      =>      (1 - c d x/d(v, z) - c^2 dx/du) change = -residual

c is a step times a number of the method, real or complex.  Displacements u are eliminated: a system is as wide as velocities and states.
"""

from __future__ import annotations

from ...kernels.bodies import rate_of_q
from ...kernels.compiler import kernel
from ...kernels.dense import factor_complex, factor_real, solve_complex, solve_real
from ...kernels.layout import N_BODIES, PLANE


@kernel
def factor_at(s, width, unit, c, square):
    """Factor of unit - c by_rate - square by_place."""
    for k in range(width * width):
        s.real[k] = -c * s.by_rate[k] - square * s.by_place[k]
    for i in range(width):
        s.real[i * width + i] += unit
    factor_real(s.real, width, s.real_pivot)


@kernel
def factor_pair(s, width, c, d):
    """Factor of the same with the complex number c - i d."""
    square, cross = c * c - d * d, -2.0 * c * d
    for k in range(width * width):
        s.re[k] = -c * s.by_rate[k] - square * s.by_place[k]
        s.im[k] = d * s.by_rate[k] - cross * s.by_place[k]
    for i in range(width):
        s.re[i * width + i] += 1.0
    factor_complex(s.re, s.im, width, s.pivot)


@kernel
def turn_of(I, q, e, u):
    """Small displacement u, like a velocity, of a change e of coordinates: u = N(q)^+ e."""
    if I[PLANE]:
        for k in range(u.shape[0]):
            u[k] = e[k]
        return
    for b in range(I[N_BODIES]):
        k, i = 7 * b, 6 * b
        u[i], u[i + 1], u[i + 2] = e[k], e[k + 1], e[k + 2]
        p0, p1, p2, p3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
        e0, e1, e2, e3 = e[k + 3], e[k + 4], e[k + 5], e[k + 6]
        u[i + 3] = 2.0 * (p0 * e1 - p1 * e0 - p2 * e3 + p3 * e2)
        u[i + 4] = 2.0 * (p0 * e2 - p2 * e0 - p3 * e1 + p1 * e3)
        u[i + 5] = 2.0 * (p0 * e3 - p3 * e0 - p1 * e2 + p2 * e1)


@kernel
def smooth(e, method, mem, s, h, error):
    """Take a change of the state (q, v, z) through (1 - c f')^-1: what is fast beside the step vanishes, the rest stays.

    c is the step times the real number of the method; of a method that has only a pair, the real part of what its complex number gives.
    """
    nq, nv, n = mem.q.shape[0], mem.v.shape[0], mem.y.shape[0]
    width = n - nq
    u, x, y = s.turn, s.change, s.other
    turn_of(e.I, mem.q, error, u)
    has_real = method.real[0] > 0.0
    c, d = h * method.real[0] if has_real else h * method.pair[0], 0.0 if has_real else -h * method.pair[1]
    for i in range(width):
        total, o = 0.0, i * width
        for j in range(nv):
            total += s.by_place[o + j] * u[j]
        x[i], y[i] = error[nq + i] + c * total, d * total
    if has_real:
        solve_real(s.real, width, s.real_pivot, x, 1)
    else:
        solve_complex(s.re, s.im, width, s.pivot, x, y)
    for j in range(nv):
        u[j] += c * x[j] - (0.0 if has_real else d * y[j])
    rate_of_q(e.I, mem.q, u, error)
    for i in range(width):
        error[nq + i] = x[i]
