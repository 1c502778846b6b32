"""Points in which bodies may touch: gaps, places and normals, and rows of forces there on the bodies, from body records alone.

Bodies i and j; n is the unit normal at the contact, from i to j, and x the point of j that touches:

    point or ball over a plane of i     g = n . (C - P) - r                      x = C - r n
    rim of radius r, axis c             g = n . (C - P) - r sqrt(1 - (n . c)^2)  x = C - r (n - (n . c) c)/sqrt(1 - (n . c)^2)
    two balls                           g = |C_j - C_i| - (r_i + r_j)            n along C_j - C_i,  x = C_j - r n
    ball j in ball i                    g = r_i - r_j - |C_j - C_i|              n against it

A force f on j at x, and -f on i, has the row G = (f, (x - r_j) x f; -f, -(x - r_i) x f): the rate of the gap is G v for f = n, what slides G v for f along a
tangent.  The measures of the model (`model/forces/_touching.py`, `_sliding.py`) have the same values; here only those points are looked at that are near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import layout as at
from .compiler import kernel
from .scalar import sqrt

# kinds of contact points; rows of measures, and friction of joints, have rows in the tables of the system
PLANE, RIM, BALLS, MEASURE, FRICTION = range(5)
# numbers of a contact point: P or C_i on i, normal on i, C on j, axis on j (in body axes, from the mass centres), radii of i and j, 1 inside
ON_I, NORMAL, ON_J, AXIS, R_I, R_J, INSIDE = 0, 3, 6, 9, 12, 13, 14
NUMBERS = 15


class Points(NamedTuple):
    """All contact points of a model and its dry friction of joints: what does not change."""

    kind: np.ndarray
    body: np.ndarray  # numbers of i and j, the ground the last
    number: np.ndarray
    rows: np.ndarray  # (n, 4): rows of measures, of the gap and of what slips; -1: none
    tangents: np.ndarray  # how many directions of slip
    restitution: np.ndarray
    mu: np.ndarray  # coefficients of friction that slips, and that sticks
    static: np.ndarray
    force: np.ndarray  # constant sizes, likewise
    holding: np.ndarray
    pad0: np.ndarray  # what presses in a joint: first pad of each, first component of each pad, first entry of each component, and the ends
    component0: np.ndarray
    entry0: np.ndarray
    entry_row: np.ndarray  # multiplier of an entry
    entry_weight: np.ndarray
    push0: np.ndarray  # compliant contacts: first law that presses, and the end
    push: np.ndarray
    jointed: np.ndarray  # of each body, whether constraint rows act on it
    measured: int  # 1: there are rows of measures


@kernel
def turned(I, F, body, x, y, z):
    """A direction in body axes, in space axes."""
    if I[at.PLANE]:
        o = I[at.BODY] + at.PLANE_BODY * body
        c, s = F[o + at.P_COS], F[o + at.P_SIN]
        return c * x - s * y, s * x + c * y, 0.0
    o = I[at.BODY] + at.SPACE_BODY * body + at.S_ROT
    return (
        F[o] * x + F[o + 1] * y + F[o + 2] * z,
        F[o + 3] * x + F[o + 4] * y + F[o + 5] * z,
        F[o + 6] * x + F[o + 7] * y + F[o + 8] * z,
    )


@kernel
def centre(I, F, body):
    """Mass centre of a body."""
    if I[at.PLANE]:
        o = I[at.BODY] + at.PLANE_BODY * body
        return F[o], F[o + 1], 0.0
    o = I[at.BODY] + at.SPACE_BODY * body
    return F[o], F[o + 1], F[o + 2]


@kernel
def place(I, F, body, number, k, first):
    """Point of a body in space; its place in body axes stands at `first` of the numbers of contact point k."""
    x, y, z = turned(I, F, body, number[k, first], number[k, first + 1], number[k, first + 2])
    a, b, c = centre(I, F, body)
    return a + x, b + y, c + z


@kernel
def gap_of(I, P, F, points, k, x):
    """Gap of contact point k at the body records at hand; with its point and normal into x[0:6]."""
    i, j, kind, number = points.body[k, 0], points.body[k, 1], points.kind[k], points.number
    if kind == MEASURE:
        return F[I[at.VALUE] + points.rows[k, 0]]
    px, py, pz = place(I, F, i, number, k, ON_I)
    cx, cy, cz = place(I, F, j, number, k, ON_J)
    dx, dy, dz = cx - px, cy - py, cz - pz
    r = number[k, R_J]
    if kind == BALLS:
        size = sqrt(dx * dx + dy * dy + dz * dz)
        sign = -1.0 if number[k, INSIDE] != 0.0 else 1.0
        # centres in one place: any direction serves
        f = sign / size if size > 0.0 else 0.0
        nx, ny, nz = f * dx, f * dy, f * dz
        if size == 0.0:
            nx = 1.0
        gap = number[k, R_I] - r - size if number[k, INSIDE] != 0.0 else size - number[k, R_I] - r
        x[0], x[1], x[2] = cx - r * nx, cy - r * ny, cz - r * nz
    else:
        nx, ny, nz = turned(I, F, i, number[k, NORMAL], number[k, NORMAL + 1], number[k, NORMAL + 2])
        height = nx * dx + ny * dy + nz * dz
        if kind == RIM:
            ax, ay, az = turned(I, F, j, number[k, AXIS], number[k, AXIS + 1], number[k, AXIS + 2])
            d = nx * ax + ny * ay + nz * az
            across = sqrt(max(1.0 - d * d, 1e-300))
            f = r / across
            gap = height - r * across
            x[0], x[1], x[2] = cx - f * (nx - d * ax), cy - f * (ny - d * ay), cz - f * (nz - d * az)
        else:
            gap = height - r
            x[0], x[1], x[2] = cx - r * nx, cy - r * ny, cz - r * nz
    x[3], x[4], x[5] = nx, ny, nz
    return gap


@kernel
def tangent(I, x, second):
    """A tangent across the normal x[3:6]: in the plane to the right where the normal points up; in space two that are orthogonal."""
    nx, ny, nz = x[3], x[4], x[5]
    if I[at.PLANE]:
        return ny, -nx, 0.0
    # from the axis that is most inclined to the normal
    ex, ey, ez = 0.0, 0.0, 0.0
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        ex = 1.0
    elif abs(ny) <= abs(nz):
        ey = 1.0
    else:
        ez = 1.0
    ax, ay, az = ey * nz - ez * ny, ez * nx - ex * nz, ex * ny - ey * nx
    f = 1.0 / sqrt(ax * ax + ay * ay + az * az)
    ax, ay, az = f * ax, f * ay, f * az
    if second:
        return ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
    return ax, ay, az


@kernel
def wrench_at(I, F, body, x, fx, fy, fz, out):
    """Scaled wrench on a body of a force at the point x[0:3], into out."""
    a, b, c = centre(I, F, body)
    ax, ay, az = x[0] - a, x[1] - b, x[2] - c
    if I[at.PLANE]:
        o = I[at.BODY] + at.PLANE_BODY * body
        out[0], out[1] = F[o + at.P_MU] * fx, F[o + at.P_MU] * fy
        out[2] = F[o + at.P_IOTA] * (ax * fy - ay * fx)
        return
    o = I[at.BODY] + at.SPACE_BODY * body
    mx, my, mz = ay * fz - az * fy, az * fx - ax * fz, ax * fy - ay * fx
    mu, w = F[o + at.S_MU], o + at.S_W
    out[0], out[1], out[2] = mu * fx, mu * fy, mu * fz
    out[3] = F[w] * mx + F[w + 1] * my + F[w + 2] * mz
    out[4] = F[w + 3] * mx + F[w + 4] * my + F[w + 5] * mz
    out[5] = F[w + 6] * mx + F[w + 7] * my + F[w + 8] * mz
