"""The measures in the plane: value s, row (wrench on body i and on body j) and bias (second rate at zero acceleration).

Every function has the same arguments: body records and the offsets of bodies i and j, parameters and their offset, the place of
the two wrenches in `jac`, value and bias arrays and the row.  Wrench: force d, moment n about the mass centre; stored scaled as
(mu d, iota n).  `u` is the vector from the mass centre to a point, so the acceleration of the point at rest is -omega^2 u.
"""

from __future__ import annotations

from .compiler import inlined
from .layout import (
    ALONG_BODY,
    ALONG_SPACE,
    ANGLE,
    DISTANCE,
    P_MU,
    P_OMEGA,
    P_POS,
    P_VEL,
    POINT_GAP,
    RATE_POINT,
    RATE_SPIN,
)
from .scalar import real, sqrt
from .vec import cross2, dot2, load2, turn2


@inlined
def put(jac, o, body, b, d, n):
    """Store a scaled wrench."""
    jac[o] = body[b + P_MU] * d[0]
    jac[o + 1] = body[b + P_MU] * d[1]
    jac[o + 2] = body[b + P_MU + 1] * n


@inlined
def arm(body, b, par, p):
    """Vector u = R(phi) s' from the mass centre of a body to a point."""
    return turn2(body[b + 2], body[b + 3], load2(par, p))


@inlined
def gap(body, i, j, ui, uj):
    """Difference P_j - P_i."""
    ri, rj = load2(body, i + P_POS), load2(body, j + P_POS)
    return (rj[0] + uj[0] - ri[0] - ui[0], rj[1] + uj[1] - ri[1] - ui[1])


@inlined
def gap_rate(body, i, j, ui, uj):
    """Velocity of P_j minus velocity of P_i: v + omega (-u_y, u_x)."""
    vi, vj, wi, wj = load2(body, i + P_VEL), load2(body, j + P_VEL), body[i + P_OMEGA], body[j + P_OMEGA]
    return (vj[0] - wj * uj[1] - vi[0] + wi * ui[1], vj[1] + wj * uj[0] - vi[1] - wi * ui[0])


@inlined
def gap_bias(body, i, j, ui, uj):
    """Second rate of P_j - P_i at zero acceleration."""
    wi, wj = body[i + P_OMEGA] * body[i + P_OMEGA], body[j + P_OMEGA] * body[j + P_OMEGA]
    return (wi * ui[0] - wj * uj[0], wi * ui[1] - wj * uj[1])


@inlined
def point_gap(body, i, j, par, p, jac, oi, oj, value, bias, r):
    """Rows r, r+1: x and y of P_j - P_i."""
    ui, uj = arm(body, i, par, p), arm(body, j, par, p + 2)
    d, g = gap(body, i, j, ui, uj), gap_bias(body, i, j, ui, uj)
    put(jac, oi, body, i, (-1.0, 0.0), ui[1])
    put(jac, oj, body, j, (1.0, 0.0), -uj[1])
    put(jac, oi + 3, body, i, (0.0, -1.0), -ui[0])
    put(jac, oj + 3, body, j, (0.0, 1.0), uj[0])
    value[r], value[r + 1] = d[0], d[1]
    bias[r], bias[r + 1] = g[0], g[1]


@inlined
def along_body(body, i, j, par, p, jac, oi, oj, value, bias, r):
    """s = d . (P_j - P_i) with d fixed on body i.  The force d acts on both bodies along the line through P_j."""
    ui, uj = arm(body, i, par, p), arm(body, j, par, p + 2)
    d = arm(body, i, par, p + 4)
    delta, rate, g = gap(body, i, j, ui, uj), gap_rate(body, i, j, ui, uj), gap_bias(body, i, j, ui, uj)
    put(jac, oi, body, i, (-d[0], -d[1]), -cross2((ui[0] + delta[0], ui[1] + delta[1]), d))
    put(jac, oj, body, j, d, cross2(uj, d))
    wi = body[i + P_OMEGA]
    value[r] = dot2(d, delta)
    bias[r] = dot2(d, g) - wi * wi * value[r] + 2.0 * wi * cross2(d, rate)


@inlined
def along_space(body, i, j, par, p, jac, oi, oj, value, bias, r):
    """s = d . (P_j - P_i) with d fixed in space."""
    ui, uj = arm(body, i, par, p), arm(body, j, par, p + 2)
    d = load2(par, p + 4)
    put(jac, oi, body, i, (-d[0], -d[1]), -cross2(ui, d))
    put(jac, oj, body, j, d, cross2(uj, d))
    value[r] = dot2(d, gap(body, i, j, ui, uj))
    bias[r] = dot2(d, gap_bias(body, i, j, ui, uj))


@inlined
def distance(body, i, j, par, p, jac, oi, oj, value, bias, r):
    """s = |P_j - P_i|.  At zero length the direction is taken as zero: the row vanishes instead of dividing by zero."""
    ui, uj = arm(body, i, par, p), arm(body, j, par, p + 2)
    delta, rate = gap(body, i, j, ui, uj), gap_rate(body, i, j, ui, uj)
    square = dot2(delta, delta)
    inverse = 1.0 / sqrt(square) if real(square) > 1e-60 else 0.0 * square
    e = (delta[0] * inverse, delta[1] * inverse)
    put(jac, oi, body, i, (-e[0], -e[1]), -cross2(ui, e))
    put(jac, oj, body, j, e, cross2(uj, e))
    value[r] = square * inverse
    # s'' = e . gap'' + (component of the rate across e)^2 / s
    across = cross2(e, rate)
    bias[r] = dot2(e, gap_bias(body, i, j, ui, uj)) + across * across * inverse


@inlined
def angle(q, i, j, ground, jac, oi, oj, iota_i, iota_j, value, bias, r):
    """s = phi_j - phi_i; phi is never wrapped, so turns need no counting."""
    phi_i = q[3 * i + 2] if i != ground else 0.0 * q[2]
    phi_j = q[3 * j + 2] if j != ground else 0.0 * q[2]
    jac[oi], jac[oi + 1], jac[oi + 2] = 0.0, 0.0, -iota_i
    jac[oj], jac[oj + 1], jac[oj + 2] = 0.0, 0.0, iota_j
    value[r] = phi_j - phi_i
    bias[r] = 0.0


@inlined
def rate_point(body, i, j, f, par, p, jac, oi, oj, value, bias, r):
    """w = d . (velocity of P_j - velocity of P_i), d fixed on body f: a force with its true line of action."""
    ui, uj = arm(body, i, par, p), arm(body, j, par, p + 2)
    d = arm(body, f, par, p + 4)
    put(jac, oi, body, i, (-d[0], -d[1]), -cross2(ui, d))
    put(jac, oj, body, j, d, cross2(uj, d))
    value[r] = 0.0
    bias[r] = dot2(d, gap_bias(body, i, j, ui, uj)) + body[f + P_OMEGA] * cross2(d, gap_rate(body, i, j, ui, uj))


@inlined
def plane_item(kind, bi, bj, bf, ground, stride, q, body, par, p, jac, oi, oj, value, bias, r):
    """One item in the plane: choose the measure by its kind."""
    i, j = stride * bi, stride * bj
    if kind == POINT_GAP:
        point_gap(body, i, j, par, p, jac, oi, oj, value, bias, r)
    elif kind == ANGLE or kind == RATE_SPIN:
        angle(q, bi, bj, ground, jac, oi, oj, body[i + P_MU + 1], body[j + P_MU + 1], value, bias, r)
    elif kind == ALONG_BODY:
        along_body(body, i, j, par, p, jac, oi, oj, value, bias, r)
    elif kind == ALONG_SPACE:
        along_space(body, i, j, par, p, jac, oi, oj, value, bias, r)
    elif kind == DISTANCE:
        distance(body, i, j, par, p, jac, oi, oj, value, bias, r)
    elif kind == RATE_POINT:
        rate_point(body, i, j, stride * bf, par, p, jac, oi, oj, value, bias, r)
    # COMPOSITE: its row has been written by composite.py
