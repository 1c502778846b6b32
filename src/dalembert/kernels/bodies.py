"""Body records: pose, velocity and scaled force of every body from q and v (SOURCES: v = (r', omega'))."""

from __future__ import annotations

from .compiler import kernel
from .layout import PLANE_BODY, PLANE_MASS, SPACE_BODY, SPACE_MASS
from .scalar import cos, sin, sqrt


@kernel
def plane_bodies(tables, work, q, v):
    """Planar bodies, q = (x, y, phi), v = (x', y', phi').  Scaled force starts as gravity: sqrt(m) g."""
    body, vhat, acc, mass = work.body, work.vhat, work.acc, tables.mass
    gx, gy = tables.gravity[0], tables.gravity[1]
    for b in range(tables.n_bodies):
        o, k, m = PLANE_BODY * b, 3 * b, PLANE_MASS * b
        body[o] = q[k]
        body[o + 1] = q[k + 1]
        body[o + 2] = cos(q[k + 2])
        body[o + 3] = sin(q[k + 2])
        body[o + 4] = v[k + 2]
        body[o + 5] = mass[m + 1]
        body[o + 6] = mass[m + 3]
        body[o + 7] = v[k]
        body[o + 8] = v[k + 1]
        vhat[k] = mass[m + 2] * v[k]
        vhat[k + 1] = mass[m + 2] * v[k + 1]
        vhat[k + 2] = mass[m + 4] * v[k + 2]
        acc[k] = mass[m] * gx
        acc[k + 1] = mass[m] * gy
        acc[k + 2] = 0.0


@kernel
def space_bodies(tables, work, q, v):
    """Bodies in space, q = (r, p) with quaternion p scalar first, v = (r', omega') with omega' in body axes.

    Scaled force starts as gravity and the gyroscopic moment: (sqrt(m) g, L^-1 (-omega' x J' omega')), J' = L L^T.
    """
    body, vhat, acc, mass = work.body, work.vhat, work.acc, tables.mass
    gx, gy, gz = tables.gravity[0], tables.gravity[1], tables.gravity[2]
    for b in range(tables.n_bodies):
        o, k, i, m = SPACE_BODY * b, 7 * b, 6 * b, SPACE_MASS * b
        body[o] = q[k]
        body[o + 1] = q[k + 1]
        body[o + 2] = q[k + 2]
        # rotation matrix of the quaternion; inside a step p is unit only to the error of the stage
        e0, e1, e2, e3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
        a00 = 1.0 - 2.0 * (e2 * e2 + e3 * e3)
        a01 = 2.0 * (e1 * e2 - e0 * e3)
        a02 = 2.0 * (e1 * e3 + e0 * e2)
        a10 = 2.0 * (e1 * e2 + e0 * e3)
        a11 = 1.0 - 2.0 * (e1 * e1 + e3 * e3)
        a12 = 2.0 * (e2 * e3 - e0 * e1)
        a20 = 2.0 * (e1 * e3 - e0 * e2)
        a21 = 2.0 * (e2 * e3 + e0 * e1)
        a22 = 1.0 - 2.0 * (e1 * e1 + e2 * e2)
        body[o + 3], body[o + 4], body[o + 5] = a00, a01, a02
        body[o + 6], body[o + 7], body[o + 8] = a10, a11, a12
        body[o + 9], body[o + 10], body[o + 11] = a20, a21, a22
        # angular velocity in space axes
        w0, w1, w2 = v[i + 3], v[i + 4], v[i + 5]
        body[o + 12] = a00 * w0 + a01 * w1 + a02 * w2
        body[o + 13] = a10 * w0 + a11 * w1 + a12 * w2
        body[o + 14] = a20 * w0 + a21 * w1 + a22 * w2
        # W = L^-1 A^T turns a moment in space axes into the scaled one
        i00, i10, i11 = mass[m + 9], mass[m + 10], mass[m + 11]
        i20, i21, i22 = mass[m + 12], mass[m + 13], mass[m + 14]
        body[o + 15], body[o + 16], body[o + 17] = i00 * a00, i00 * a10, i00 * a20
        body[o + 18] = i10 * a00 + i11 * a01
        body[o + 19] = i10 * a10 + i11 * a11
        body[o + 20] = i10 * a20 + i11 * a21
        body[o + 21] = i20 * a00 + i21 * a01 + i22 * a02
        body[o + 22] = i20 * a10 + i21 * a11 + i22 * a12
        body[o + 23] = i20 * a20 + i21 * a21 + i22 * a22
        body[o + 24] = mass[m + 1]
        body[o + 25], body[o + 26], body[o + 27] = v[i], v[i + 1], v[i + 2]
        # scaled velocity (sqrt(m) r', L^T omega')
        vhat[i] = mass[m + 2] * v[i]
        vhat[i + 1] = mass[m + 2] * v[i + 1]
        vhat[i + 2] = mass[m + 2] * v[i + 2]
        vhat[i + 3] = mass[m + 15] * w0 + mass[m + 16] * w1 + mass[m + 18] * w2
        vhat[i + 4] = mass[m + 17] * w1 + mass[m + 19] * w2
        vhat[i + 5] = mass[m + 20] * w2
        # gyroscopic moment -omega' x J' omega'
        h0 = mass[m + 3] * w0 + mass[m + 4] * w1 + mass[m + 5] * w2
        h1 = mass[m + 4] * w0 + mass[m + 6] * w1 + mass[m + 7] * w2
        h2 = mass[m + 5] * w0 + mass[m + 7] * w1 + mass[m + 8] * w2
        n0 = w2 * h1 - w1 * h2
        n1 = w0 * h2 - w2 * h0
        n2 = w1 * h0 - w0 * h1
        acc[i] = mass[m] * gx
        acc[i + 1] = mass[m] * gy
        acc[i + 2] = mass[m] * gz
        acc[i + 3] = i00 * n0
        acc[i + 4] = i10 * n0 + i11 * n1
        acc[i + 5] = i20 * n0 + i21 * n1 + i22 * n2


@kernel
def unscale(tables, x, out):
    """Scaled acceleration (or displacement) to the true one: out = G^-T x."""
    mass = tables.mass
    for b in range(tables.n_bodies):
        if tables.plane:
            k, m = 3 * b, PLANE_MASS * b
            out[k] = mass[m + 1] * x[k]
            out[k + 1] = mass[m + 1] * x[k + 1]
            out[k + 2] = mass[m + 3] * x[k + 2]
        else:
            i, m = 6 * b, SPACE_MASS * b
            out[i] = mass[m + 1] * x[i]
            out[i + 1] = mass[m + 1] * x[i + 1]
            out[i + 2] = mass[m + 1] * x[i + 2]
            out[i + 3] = mass[m + 9] * x[i + 3] + mass[m + 10] * x[i + 4] + mass[m + 12] * x[i + 5]
            out[i + 4] = mass[m + 11] * x[i + 4] + mass[m + 13] * x[i + 5]
            out[i + 5] = mass[m + 14] * x[i + 5]


@kernel
def rate_of_q(tables, q, v, out):
    """q' = N(q) v: the identity in the plane; r' and p' = 1/2 p * (0, omega') in space."""
    for b in range(tables.n_bodies):
        if tables.plane:
            k = 3 * b
            out[k], out[k + 1], out[k + 2] = v[k], v[k + 1], v[k + 2]
        else:
            k, i = 7 * b, 6 * b
            out[k], out[k + 1], out[k + 2] = v[i], v[i + 1], v[i + 2]
            e0, e1, e2, e3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
            w0, w1, w2 = 0.5 * v[i + 3], 0.5 * v[i + 4], 0.5 * v[i + 5]
            out[k + 3] = -e1 * w0 - e2 * w1 - e3 * w2
            out[k + 4] = e0 * w0 + e2 * w2 - e3 * w1
            out[k + 5] = e0 * w1 + e3 * w0 - e1 * w2
            out[k + 6] = e0 * w2 + e1 * w1 - e2 * w0


@kernel
def move(tables, q, delta):
    """Displace the configuration by a small velocity-like vector: q <- q (+) delta, quaternions stay unit."""
    for b in range(tables.n_bodies):
        if tables.plane:
            k = 3 * b
            q[k] += delta[k]
            q[k + 1] += delta[k + 1]
            q[k + 2] += delta[k + 2]
        else:
            k, i = 7 * b, 6 * b
            q[k] += delta[i]
            q[k + 1] += delta[i + 1]
            q[k + 2] += delta[i + 2]
            # p <- p * (1, delta/2) / norm: exact to third order, and all corrections are small
            e0, e1, e2, e3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
            w0, w1, w2 = 0.5 * delta[i + 3], 0.5 * delta[i + 4], 0.5 * delta[i + 5]
            p0 = e0 - e1 * w0 - e2 * w1 - e3 * w2
            p1 = e1 + e0 * w0 + e2 * w2 - e3 * w1
            p2 = e2 + e0 * w1 + e3 * w0 - e1 * w2
            p3 = e3 + e0 * w2 + e1 * w1 - e2 * w0
            n = 1.0 / sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
            q[k + 3], q[k + 4], q[k + 5], q[k + 6] = p0 * n, p1 * n, p2 * n, p3 * n


@kernel
def normalize(tables, q):
    """Bring every quaternion back to unit length."""
    if tables.plane == 0:
        for b in range(tables.n_bodies):
            k = 7 * b + 3
            n = 1.0 / sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3])
            for c in range(4):
                q[k + c] *= n


@kernel
def kinetic_energy(tables, work):
    """T = 1/2 v^T M v; `vhat` must be current.  Unscaled models (saddle) use the mass table directly."""
    energy = 0.0 * work.vhat[0]
    mass, vhat = tables.mass, work.vhat
    if tables.saddle == 0:
        width = 3 if tables.plane else 6
        for k in range(width * tables.n_bodies):
            energy += vhat[k] * vhat[k]
    elif tables.plane:
        for b in range(tables.n_bodies):
            k, m = 3 * b, PLANE_MASS * b
            energy += mass[m + 5] * (vhat[k] * vhat[k] + vhat[k + 1] * vhat[k + 1])
            energy += mass[m + 6] * vhat[k + 2] * vhat[k + 2]
    else:
        for b in range(tables.n_bodies):
            k, m = 6 * b, SPACE_MASS * b
            w0, w1, w2 = vhat[k + 3], vhat[k + 4], vhat[k + 5]
            energy += mass[m + 21] * (vhat[k] * vhat[k] + vhat[k + 1] * vhat[k + 1] + vhat[k + 2] * vhat[k + 2])
            energy += w0 * (mass[m + 3] * w0 + 2.0 * mass[m + 4] * w1 + 2.0 * mass[m + 5] * w2)
            energy += w1 * (mass[m + 6] * w1 + 2.0 * mass[m + 7] * w2) + mass[m + 8] * w2 * w2
    return 0.5 * energy
