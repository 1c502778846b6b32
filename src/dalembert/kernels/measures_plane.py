"""The measures in the plane: value s, row (wrench on body i and on body j) and bias (second rate at zero acceleration).

Every function has the same arguments: the memory F and P, the places of the records of bodies i and j, of the parameters, of the
two wrenches, of the value and of the bias.  Wrench: force d, moment n about the mass centre; stored scaled as
(mu d, iota n).  `u` is the vector from the mass centre to a point, so the acceleration of the point at rest is -omega^2 u.
"""

from __future__ import annotations

from . import layout as at
from .compiler import inlined
from .scalar import SMALLEST, above, choose, reciprocal, sqrt
from .vec import cross2, dot2, load2, turn2


@inlined
def put(F, o, b, d, n):
    """Store a scaled wrench on the body whose record is at b."""
    F[o] = F[b + at.P_MU] * d[0]
    F[o + 1] = F[b + at.P_MU] * d[1]
    F[o + 2] = F[b + at.P_MU + 1] * n


@inlined
def arm(F, P, b, p):
    """Vector u = R(phi) s' from the mass centre of a body to a point."""
    return turn2(F[b + 2], F[b + 3], load2(P, p))


@inlined
def gap(F, i, j, ui, uj):
    """Difference P_j - P_i."""
    ri, rj = load2(F, i + at.P_POS), load2(F, j + at.P_POS)
    return (rj[0] + uj[0] - ri[0] - ui[0], rj[1] + uj[1] - ri[1] - ui[1])


@inlined
def gap_rate(F, i, j, ui, uj):
    """Velocity of P_j minus velocity of P_i: v + omega (-u_y, u_x)."""
    vi, vj, wi, wj = load2(F, i + at.P_VEL), load2(F, j + at.P_VEL), F[i + at.P_OMEGA], F[j + at.P_OMEGA]
    return (vj[0] - wj * uj[1] - vi[0] + wi * ui[1], vj[1] + wj * uj[0] - vi[1] - wi * ui[0])


@inlined
def gap_bias(F, i, j, ui, uj):
    """Second rate of P_j - P_i at zero acceleration."""
    wi, wj = F[i + at.P_OMEGA] * F[i + at.P_OMEGA], F[j + at.P_OMEGA] * F[j + at.P_OMEGA]
    return (wi * ui[0] - wj * uj[0], wi * ui[1] - wj * uj[1])


@inlined
def point_gap(F, P, i, j, p, oi, oj, s, k):
    """Rows r, r+1: x and y of P_j - P_i."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 2)
    d, g = gap(F, i, j, ui, uj), gap_bias(F, i, j, ui, uj)
    put(F, oi, i, (-1.0, 0.0), ui[1])
    put(F, oj, j, (1.0, 0.0), -uj[1])
    put(F, oi + 3, i, (0.0, -1.0), -ui[0])
    put(F, oj + 3, j, (0.0, 1.0), uj[0])
    F[s], F[s + 1] = d[0], d[1]
    F[k], F[k + 1] = g[0], g[1]


@inlined
def along_body(F, P, i, j, p, oi, oj, s, k):
    """s = d . (P_j - P_i) with d fixed on body i.  The force d acts on both bodies along the line through P_j."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 2)
    d = arm(F, P, i, p + 4)
    delta, rate, g = gap(F, i, j, ui, uj), gap_rate(F, i, j, ui, uj), gap_bias(F, i, j, ui, uj)
    put(F, oi, i, (-d[0], -d[1]), -cross2((ui[0] + delta[0], ui[1] + delta[1]), d))
    put(F, oj, j, d, cross2(uj, d))
    wi = F[i + at.P_OMEGA]
    F[s] = dot2(d, delta)
    F[k] = dot2(d, g) - wi * wi * F[s] + 2.0 * wi * cross2(d, rate)


@inlined
def along_space(F, P, i, j, p, oi, oj, s, k):
    """s = d . (P_j - P_i) with d fixed in space."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 2)
    d = load2(P, p + 4)
    put(F, oi, i, (-d[0], -d[1]), -cross2(ui, d))
    put(F, oj, j, d, cross2(uj, d))
    F[s] = dot2(d, gap(F, i, j, ui, uj))
    F[k] = dot2(d, gap_bias(F, i, j, ui, uj))


@inlined
def distance(F, P, i, j, p, oi, oj, s, k):
    """s = |P_j - P_i|.  At zero length the direction is that of the relative velocity (PLANAR 6.2.15), or zero at rest."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 2)
    delta, rate = gap(F, i, j, ui, uj), gap_rate(F, i, j, ui, uj)
    square = dot2(delta, delta)
    inverse = sqrt(reciprocal(square, SMALLEST))
    # where it has no direction, that of its rate
    apart, speed = above(square, SMALLEST), dot2(rate, rate)
    moving = sqrt(reciprocal(speed, SMALLEST))
    e = (choose(apart, delta[0] * inverse, rate[0] * moving), choose(apart, delta[1] * inverse, rate[1] * moving))
    put(F, oi, i, (-e[0], -e[1]), -cross2(ui, e))
    put(F, oj, j, e, cross2(uj, e))
    F[s] = square * inverse
    # s'' = e . gap'' + (component of the rate across e)^2 / s
    across = cross2(e, rate)
    F[k] = dot2(e, gap_bias(F, i, j, ui, uj)) + across * across * inverse


@inlined
def angle(F, q, i, j, phi_i, phi_j, oi, oj, s, k):
    """s = phi_j - phi_i, read from q (place -1: the ground); phi is never wrapped, so turns need no counting."""
    first = q[phi_i] if phi_i >= 0 else 0.0 * q[0]
    second = q[phi_j] if phi_j >= 0 else 0.0 * q[0]
    put(F, oi, i, (0.0, 0.0), -1.0)
    put(F, oj, j, (0.0, 0.0), 1.0)
    F[s] = second - first
    F[k] = 0.0


@inlined
def rate_point(F, P, i, j, f, p, oi, oj, s, k):
    """w = d . (velocity of P_j - velocity of P_i), d fixed on body f: a force with its true line of action."""
    ui, uj = arm(F, P, i, p), arm(F, P, j, p + 2)
    d = arm(F, P, f, p + 4)
    put(F, oi, i, (-d[0], -d[1]), -cross2(ui, d))
    put(F, oj, j, d, cross2(uj, d))
    F[s] = 0.0
    F[k] = dot2(d, gap_bias(F, i, j, ui, uj)) + F[f + at.P_OMEGA] * cross2(d, gap_rate(F, i, j, ui, uj))


@inlined
def plane_item(I, P, F, q, o, s, k):
    """Item with the record at I[o]: choose the measure by its kind; value to F[s], bias to F[k]."""
    kind, i, j, p = I[o], I[o + 1], I[o + 2], I[o + 4]
    oi, oj = I[o + 6], I[o + 7]
    if kind == at.POINT_GAP:
        point_gap(F, P, i, j, p, oi, oj, s, k)
    elif kind in (at.ANGLE, at.RATE_SPIN):
        angle(F, q, i, j, I[o + 9], I[o + 10], oi, oj, s, k)
    elif kind == at.ALONG_BODY:
        along_body(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.ALONG_SPACE:
        along_space(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.DISTANCE:
        distance(F, P, i, j, p, oi, oj, s, k)
    elif kind == at.RATE_POINT:
        rate_point(F, P, i, j, I[o + 3], p, oi, oj, s, k)
