"""The linear systems of implicit methods.

Changes of accelerations beside the residual are along the free motions N; with those of states

    v = v0 + c x,   u = u0 + c v0 + c^2 x:      (unit - c by_rate - c^2 by_place) y = response to what is given

c is a step times a number of the method, real or complex.  A system is as wide as a model has freedoms and states.
"""

from __future__ import annotations

from ...kernels.bodies import rate_of_q
from ...kernels.compiler import kernel
from ...kernels.dense import factor_complex, factor_real, solve_complex, solve_real
from ...kernels.layout import N_BODIES, PLANE
from .many import smooth_many


@kernel
def factor_at(s, width, unit, c, square):
    """Factor of unit (1, M) - c by_rate - square by_place."""
    for k in range(width * width):
        s.real[k] = unit * s.unit[k] - c * s.by_rate[k] - square * s.by_place[k]
    factor_real(s.real, width, s.real_pivot)


@kernel
def factor_pair(s, width, c, d, re, im, pivot):
    """Factor of the same with the complex number c - i d."""
    square, cross = c * c - d * d, -2.0 * c * d
    for k in range(width * width):
        re[k] = s.unit[k] - c * s.by_rate[k] - square * s.by_place[k]
        im[k] = d * s.by_rate[k] - cross * s.by_place[k]
    factor_complex(re, im, width, pivot)


@kernel
def respond(response, nv, nz, width, u, v, z, to):
    """Response to a displacement u, a velocity v and states z."""
    wide = 2 * nv + nz
    for i in range(width):
        total, o = 0.0, i * wide
        for k in range(nv):
            total += response[o + k] * u[k] + response[o + nv + k] * v[k]
        for k in range(nz):
            total += response[o + 2 * nv + k] * z[k]
        to[i] = total


@kernel
def along_free(s, nv, free, y, to, f):
    """Add f times the motion N y."""
    for j in range(nv):
        total, o = 0.0, j * free
        for k in range(free):
            total += s.basis[o + k] * y[k]
        to[j] += f * total


@kernel
def correct_real(s, nv, nz, free, c, square, x):
    """From a residual x (accelerations, rates of states) to its correction, in place; factors are those of c and c^2."""
    u, v, z, y = s.u, s.w, s.none, s.real_y
    for j in range(nv):
        v[j], u[j] = -c * x[j], -square * x[j]
    respond(s.response, nv, nz, free + nz, u, v, z, y)
    for k in range(nz):
        y[free + k] -= x[nv + k]
    solve_real(s.real, free + nz, s.real_pivot, y, 1)
    for j in range(nv):
        x[j] = -x[j]
    along_free(s, nv, free, y, x, 1.0)
    for k in range(nz):
        x[nv + k] = y[free + k]


@kernel
def correct_pair(s, nv, nz, free, c, d, factor, x, y):
    """The same of a complex residual x + i y with c - i d and one of the complex factors."""
    u, v, z, p, r = s.u, s.w, s.none, s.real_y, s.imag_y
    square, cross = c * c - d * d, -2.0 * c * d
    for j in range(nv):
        v[j], u[j] = -c * x[j] - d * y[j], -square * x[j] + cross * y[j]
    respond(s.response, nv, nz, free + nz, u, v, z, p)
    for j in range(nv):
        v[j], u[j] = d * x[j] - c * y[j], -cross * x[j] - square * y[j]
    respond(s.response, nv, nz, free + nz, u, v, z, r)
    for k in range(nz):
        p[free + k] -= x[nv + k]
        r[free + k] -= y[nv + k]
    solve_complex(s.re[factor], s.im[factor], free + nz, s.pivot[factor], p, r)
    for j in range(nv):
        x[j], y[j] = -x[j], -y[j]
    along_free(s, nv, free, p, x, 1.0)
    along_free(s, nv, free, r, y, 1.0)
    for k in range(nz):
        x[nv + k], y[nv + k] = p[free + k], r[free + k]


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
def smooth(e, method, now, mem, s, g, h, error):
    """Take a change of the state (q, v, z) through (1 - c f')^-1: what is fast beside the step vanishes, the rest stays.

    c is the step times the real number of the method; of a method that has only a pair, the real part of what its complex number gives.
    """
    nq, nv, nz, free = mem.q.shape[0], mem.v.shape[0], mem.z.shape[0], now.free
    u, w, y, i_y = s.u, s.w, s.real_y, s.imag_y
    dv, dz = error[nq : nq + nv], error[nq + nv :]
    turn_of(e.I, mem.q, error, s.turn)
    if g.perm.shape[0] > 0:
        pair = method.real[0] == 0.0
        c, d = h * (method.pairs[0, 0] if pair else method.real[0]), h * method.pairs[0, 1] if pair else 0.0
        smooth_many(e, g, c, d, s.turn, dv, pair)
        rate_of_q(e.I, mem.q, s.turn, error[:nq])
        return
    if method.real[0] > 0.0:
        c = h * method.real[0]
        for j in range(nv):
            u[j] = s.turn[j] + c * dv[j]
        respond(s.response, nv, nz, free + nz, u, dv, dz, y)
        solve_real(s.real, free + nz, s.real_pivot, y, 1)
        along_free(s, nv, free, y, dv, c)
        for k in range(nz):
            dz[k] += c * y[free + k]
        for j in range(nv):
            u[j] = s.turn[j] + c * dv[j]
    else:
        c, d = h * method.pairs[0, 0], h * method.pairs[0, 1]
        for j in range(nv):
            u[j], w[j] = s.turn[j] + c * dv[j], 0.0
        respond(s.response, nv, nz, free + nz, u, dv, dz, y)
        for j in range(nv):
            u[j] = -d * dv[j]
        respond(s.response, nv, nz, free + nz, u, w, s.none, i_y)
        solve_complex(s.re[0], s.im[0], free + nz, s.pivot[0], y, i_y)
        # dv and its imaginary part w; real part of (c - i d)(y + i y')
        along_free(s, nv, free, y, dv, c)
        along_free(s, nv, free, i_y, dv, d)
        along_free(s, nv, free, i_y, w, c)
        along_free(s, nv, free, y, w, -d)
        for k in range(nz):
            dz[k] += c * y[free + k] + d * i_y[free + k]
        for j in range(nv):
            u[j] = s.turn[j] + c * dv[j] + d * w[j]
    rate_of_q(e.I, mem.q, u, error[:nq])
