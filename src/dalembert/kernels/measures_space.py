"""The measures in space: value s, row (wrench on body i and on body j) and bias (second rate at zero acceleration).

Work is done in space axes, where a row is nothing but a wrench: force d and moment n about the mass centre, stored scaled as
(mu d, W n) with W = L^-1 A^T.  `u` is the vector from the mass centre to a point; the acceleration of the point at zero body
acceleration is omega x (omega x u).  The rate of a dot product of axes a on i and b on j is (omega_i - omega_j) . (a x b).
"""

from __future__ import annotations

import math

from . import layout as at
from .compiler import inlined, kernel
from .scalar import SMALLEST, above, atan2, choose, reciprocal, sqrt
from .vec import add, cross, dot, load3, matvec, neg, sub


@inlined
def store6(F, o, d, n):
    """Write a wrench."""
    F[o], F[o + 1], F[o + 2] = d[0], d[1], d[2]
    F[o + 3], F[o + 4], F[o + 5] = n[0], n[1], n[2]


@inlined
def put(F, o, b, d, n):
    """Store a scaled wrench."""
    mu = F[b + at.S_MU]
    store6(F, o, (mu * d[0], mu * d[1], mu * d[2]), matvec(F, b + at.S_W, n))


@inlined
def put_moment(F, o, b, n):
    """Store a scaled wrench without force."""
    store6(F, o, (0.0, 0.0, 0.0), matvec(F, b + at.S_W, n))


@inlined
def arm(F, P, b, p):
    """Vector A s' in space axes: from the mass centre to a point, or an axis of the body."""
    return matvec(F, b + at.S_ROT, load3(P, p))


@inlined
def gap(F, i, j, ui, uj):
    """Difference P_j - P_i."""
    return sub(add(load3(F, j + at.S_POS), uj), add(load3(F, i + at.S_POS), ui))


@inlined
def gap_rate(F, i, j, ui, uj):
    """Velocity of P_j minus velocity of P_i."""
    return sub(
        add(load3(F, j + at.S_VEL), cross(load3(F, j + at.S_OMEGA), uj)),
        add(load3(F, i + at.S_VEL), cross(load3(F, i + at.S_OMEGA), ui)),
    )


@inlined
def gap_bias(F, i, j, ui, uj):
    """Second rate of P_j - P_i at zero acceleration: w x (w x u) = (w . u) w - w^2 u."""
    wi, wj = load3(F, i + at.S_OMEGA), load3(F, j + at.S_OMEGA)
    ai, aj, ii, jj = dot(wi, ui), dot(wj, uj), dot(wi, wi), dot(wj, wj)
    return (
        aj * wj[0] - jj * uj[0] - ai * wi[0] + ii * ui[0],
        aj * wj[1] - jj * uj[1] - ai * wi[1] + ii * ui[1],
        aj * wj[2] - jj * uj[2] - ai * wi[2] + ii * ui[2],
    )


@inlined
def triple(F, o, mu, c0, c1, c2):
    """Rows of three unit forces at one point; column k of W [u]x is given by the rows (c0, c1, c2)."""
    store6(F, o, (mu, 0.0, 0.0), (c0[0], c1[0], c2[0]))
    store6(F, o + 6, (0.0, mu, 0.0), (c0[1], c1[1], c2[1]))
    store6(F, o + 12, (0.0, 0.0, mu), (c0[2], c1[2], c2[2]))


@inlined
def point_gap(F, P, i, j, p, oi, oj, s, k):
    """Rows r, r+1, r+2: P_j - P_i in space axes.  Moment of e_k at u is u x e_k; row c of W (u x e_k) is (W_c x u)_k."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 3)
    w0, w1, w2 = load3(F, i + at.S_W), load3(F, i + at.S_W + 3), load3(F, i + at.S_W + 6)
    triple(F, oi, -F[i + at.S_MU], cross(ui, w0), cross(ui, w1), cross(ui, w2))
    w0, w1, w2 = load3(F, j + at.S_W), load3(F, j + at.S_W + 3), load3(F, j + at.S_W + 6)
    triple(F, oj, F[j + at.S_MU], cross(w0, uj), cross(w1, uj), cross(w2, uj))
    d, g = gap(F, i, j, ui, uj), gap_bias(F, i, j, ui, uj)
    F[s], F[s + 1], F[s + 2] = d[0], d[1], d[2]
    F[k], F[k + 1], F[k + 2] = g[0], g[1], g[2]


@inlined
def axis_pair(F, i, j, a, c, oi, oj, s, k):
    """Row of s = a . c, axis a on i, axis c on j.

    (w x (w x a)) . c = (w . a)(w . c) - w^2 s and (w_i x a) . (w_j x c) = (w_i . w_j) s - (w_i . c)(w_j . a), so the bias
    (w_i x (w_i x a)) . c + 2 (w_i x a) . (w_j x c) + a . (w_j x (w_j x c)) needs scalar products only.
    """
    n = cross(a, c)
    put_moment(F, oi, i, n)
    put_moment(F, oj, j, neg(n))
    wi, wj = load3(F, i + at.S_OMEGA), load3(F, j + at.S_OMEGA)
    relative = sub(wi, wj)
    ic, ja = dot(wi, c), dot(wj, a)
    F[s] = dot(a, c)
    F[k] = dot(wi, a) * ic + ja * dot(wj, c) - 2.0 * ic * ja - dot(relative, relative) * F[s]


@inlined
def parallel(F, P, i, j, p, oi, oj, s, k):
    """Rows r, r+1: axis c on j stays perpendicular to the axes a1, a2 on i."""
    c = arm(F, P, j, p + 6)
    axis_pair(F, i, j, arm(F, P, i, p), c, oi, oj, s, k)
    axis_pair(F, i, j, arm(F, P, i, p + 3), c, oi + 6, oj + 6, s + 1, k + 1)


@inlined
def axis_dot(F, P, i, j, p, oi, oj, s, k):
    """s = a . c with axis a on i and axis c on j."""
    axis_pair(F, i, j, arm(F, P, i, p), arm(F, P, j, p + 3), oi, oj, s, k)


@inlined
def along_row(F, i, j, ui, uj, d, delta, rate, g, oi, oj, s, k):
    """Row of s = d . delta, delta = P_j - P_i with the rates `rate` and g, d fixed on body i.

    s' = d . delta' + w . (d x delta); bias d . g + 2 (w x d) . delta' + (w x (w x d)) . delta, the last term by scalar products as
    in `axis_pair`.
    """
    put(F, oi, i, neg(d), cross(d, add(ui, delta)))
    put(F, oj, j, d, cross(uj, d))
    wi = load3(F, i + at.S_OMEGA)
    value = dot(d, delta)
    F[s] = value
    F[k] = dot(d, g) + 2.0 * dot(cross(wi, d), rate) + dot(wi, d) * dot(wi, delta) - dot(wi, wi) * value


@inlined
def along_body(F, P, i, j, p, oi, oj, s, k):
    """s = d . (P_j - P_i) with d fixed on body i."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 3)
    delta, rate, g = gap(F, i, j, ui, uj), gap_rate(F, i, j, ui, uj), gap_bias(F, i, j, ui, uj)
    along_row(F, i, j, ui, uj, arm(F, P, i, p + 6), delta, rate, g, oi, oj, s, k)


@inlined
def along_pair(F, P, i, j, p, oi, oj, s, k):
    """Rows r, r+1: P_j - P_i along two directions fixed on body i."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 3)
    delta, rate, g = gap(F, i, j, ui, uj), gap_rate(F, i, j, ui, uj), gap_bias(F, i, j, ui, uj)
    along_row(F, i, j, ui, uj, arm(F, P, i, p + 6), delta, rate, g, oi, oj, s, k)
    along_row(F, i, j, ui, uj, arm(F, P, i, p + 9), delta, rate, g, oi + 6, oj + 6, s + 1, k + 1)


@inlined
def along_space(F, P, i, j, p, oi, oj, s, k):
    """s = d . (P_j - P_i) with d fixed in space."""
    ui, uj, d = arm(F, P, i, p), arm(F, P, j, p + 3), load3(P, p + 6)
    put(F, oi, i, neg(d), cross(d, ui))
    put(F, oj, j, d, cross(uj, d))
    F[s] = dot(d, gap(F, i, j, ui, uj))
    F[k] = dot(d, gap_bias(F, i, j, ui, uj))


@inlined
def distance(F, P, i, j, p, oi, oj, s, k):
    """s = |P_j - P_i|.  At zero length the direction is that of the relative velocity (PLANAR 6.2.15), or zero at rest."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 3)
    delta, rate = gap(F, i, j, ui, uj), gap_rate(F, i, j, ui, uj)
    square = dot(delta, delta)
    inverse = sqrt(reciprocal(square, SMALLEST))
    # where it has no direction, that of its rate
    apart, speed = above(square, SMALLEST), dot(rate, rate)
    moving = sqrt(reciprocal(speed, SMALLEST))
    e = (
        choose(apart, delta[0] * inverse, rate[0] * moving),
        choose(apart, delta[1] * inverse, rate[1] * moving),
        choose(apart, delta[2] * inverse, rate[2] * moving),
    )
    put(F, oi, i, neg(e), cross(e, ui))
    put(F, oj, j, e, cross(uj, e))
    F[s] = square * inverse
    # s'' = e . gap'' + (|gap'|^2 - (e . gap')^2) / s
    along = dot(e, rate)
    F[k] = dot(e, gap_bias(F, i, j, ui, uj)) + (dot(rate, rate) - along * along) * inverse


@inlined
def angle(F, P, i, j, p, guess, valued, oi, oj, s, k):
    """Angle of the axis c on j about the axis a x b of i, from a: tan s = (b . c) / (a . c).

    atan2 gives it up to whole turns; the turn nearest to `guess` (the angle predicted from its rate) is taken.
    It takes a third of the time and is left out where only the row is wanted (not `valued`).
    With X = a . c, Y = b . c and R = X^2 + Y^2: s' = (X Y' - Y X') / R.
    """
    a, b, c = arm(F, P, i, p), arm(F, P, i, p + 3), arm(F, P, j, p + 6)
    x, y = dot(a, c), dot(b, c)
    square = x * x + y * y
    inverse = reciprocal(square, SMALLEST)
    across = (x * b[0] - y * a[0], x * b[1] - y * a[1], x * b[2] - y * a[2])
    along = (x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2])
    # X' = (omega_i - omega_j) . (a x c), the same for Y: n is the moment on i
    n = cross((across[0] * inverse, across[1] * inverse, across[2] * inverse), c)
    put_moment(F, oi, i, n)
    put_moment(F, oj, j, neg(n))
    if valued:
        raw = atan2(y, x)
        F[s] = raw + 2.0 * math.pi * math.floor((guess - raw) / (2.0 * math.pi) + 0.5)
    # X Y'' - Y X'' with X'' and Y'' as in `axis_pair`: the terms with (omega_i - omega_j)^2 cancel
    wi, wj = load3(F, i + at.S_OMEGA), load3(F, j + at.S_OMEGA)
    relative = sub(wi, wj)
    ic, je = dot(wi, c), dot(wj, across)
    turning = dot(wi, across) * ic + je * dot(wj, c) - 2.0 * ic * je
    F[k] = (turning - 2.0 * dot(relative, n) * dot(relative, cross(along, c))) * inverse


@inlined
def rate_point(F, P, i, j, f, p, oi, oj, s, k):
    """w = d . (velocity of P_j - velocity of P_i), d fixed on body f: a force with its true line of action."""
    ui, uj, d = arm(F, P, i, p), arm(F, P, j, p + 3), arm(F, P, f, p + 6)
    put(F, oi, i, neg(d), cross(d, ui))
    put(F, oj, j, d, cross(uj, d))
    wd = cross(load3(F, f + at.S_OMEGA), d)
    F[s] = 0.0
    F[k] = dot(d, gap_bias(F, i, j, ui, uj)) + dot(wd, gap_rate(F, i, j, ui, uj))


@inlined
def rate_spin(F, P, i, j, f, p, oi, oj, s, k):
    """w = d . (omega_j - omega_i), d fixed on body f: a couple."""
    d = arm(F, P, f, p)
    put_moment(F, oi, i, neg(d))
    put_moment(F, oj, j, d)
    relative = sub(load3(F, j + at.S_OMEGA), load3(F, i + at.S_OMEGA))
    F[s] = 0.0
    F[k] = dot(cross(load3(F, f + at.S_OMEGA), d), relative)


@kernel
def carried(F, P, p, b):
    """Quaternion e m of a marker with the quaternion m at P[p], on the body with the quaternion e in its record at F[b]."""
    m0, m1, m2, m3 = P[p], P[p + 1], P[p + 2], P[p + 3]
    o = b + at.S_QUAT
    e0, e1, e2, e3 = F[o], F[o + 1], F[o + 2], F[o + 3]
    return (
        e0 * m0 - e1 * m1 - e2 * m2 - e3 * m3,
        e0 * m1 + e1 * m0 + e2 * m3 - e3 * m2,
        e0 * m2 + e2 * m0 + e3 * m1 - e1 * m3,
        e0 * m3 + e3 * m0 + e1 * m2 - e2 * m1,
    )


@kernel
def twist(F, P, i, j, p, oi, oj, s, k):
    """s = 2 r_z with the quaternion r = conj(a) b of marker j (b) seen from marker i (a): zero for a bend without twist about z.

    r' = r w / 2 with w = omega_j - omega_i in axes of marker j, so that s' = n . (omega_j - omega_i) with
    n = r_0 z_j + r_x y_j - r_y x_j, of length 1 where s = 0, at any bend.  r'' = -w^2 r / 4 + r w' / 2, and at zero acceleration
    w' is omega_j x omega_i in the same axes.  Whichever sign a body's quaternion has, all three change theirs together.
    """
    a, b = carried(F, P, p, i), carried(F, P, p + 4, j)
    r0 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    rx = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    ry = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    rz = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    x, y, z = arm(F, P, j, p + 9), arm(F, P, j, p + 12), arm(F, P, j, p + 15)
    n = (r0 * z[0] + rx * y[0] - ry * x[0], r0 * z[1] + rx * y[1] - ry * x[1], r0 * z[2] + rx * y[2] - ry * x[2])
    put_moment(F, oi, i, neg(n))
    put_moment(F, oj, j, n)
    wi, wj = load3(F, i + at.S_OMEGA), load3(F, j + at.S_OMEGA)
    relative = sub(wj, wi)
    F[s] = 2.0 * rz
    F[k] = dot(n, cross(wj, wi)) - 0.5 * dot(relative, relative) * rz


@inlined
def space_item(I, P, F, o, guess, valued, s, k):
    """Item with the record at I[o]: choose the measure by its kind; value to F[s], bias to F[k]."""
    kind, i, j, p = I[o], I[o + 1], I[o + 2], I[o + 4]
    oi, oj = I[o + 6], I[o + 7]
    if kind == at.POINT_GAP:
        point_gap(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.PARALLEL:
        parallel(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.AXIS_DOT:
        axis_dot(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.ALONG_BODY:
        along_body(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.ALONG_SPACE:
        along_space(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.DISTANCE:
        distance(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.ANGLE:
        angle(F, P, i, j, p, guess, valued, oi, oj, s, k)
    elif kind == at.ALONG_PAIR:
        along_pair(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.RATE_POINT:
        rate_point(F, P, i, j, I[o + 3], p, oi, oj, s, k)
    elif kind == at.RATE_SPIN:
        rate_spin(F, P, i, j, I[o + 3], p, oi, oj, s, k)
    elif kind == at.TWIST:
        twist(F, P, i, j, p, oi, oj, s, k)
