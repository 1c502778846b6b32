"""Body records: pose, velocity and scaled force of every body from q and v (SOURCES: v = (r', omega'))."""

from __future__ import annotations

from . import layout as at
from .compiler import kernel
from .scalar import cos_sin, sqrt


@kernel
def plane_bodies(I, P, F, q, v):
    """Planar bodies, q = (x, y, phi), v = (x', y', phi').  Scaled force starts as gravity: sqrt(m) g."""
    gx, gy = P[I[at.GRAVITY]], P[I[at.GRAVITY] + 1]
    for b in range(I[at.N_BODIES]):
        o, k, m = I[at.BODY] + at.PLANE_BODY * b, 3 * b, I[at.MASS] + at.PLANE_MASS * b
        h, f = I[at.VHAT] + k, I[at.ACC] + k
        F[o] = q[k]
        F[o + 1] = q[k + 1]
        F[o + 2], F[o + 3] = cos_sin(q[k + 2])
        F[o + 4] = v[k + 2]
        F[o + 5] = P[m + 1]
        F[o + 6] = P[m + 3]
        F[o + 7] = v[k]
        F[o + 8] = v[k + 1]
        F[h] = P[m + 2] * v[k]
        F[h + 1] = P[m + 2] * v[k + 1]
        F[h + 2] = P[m + 4] * v[k + 2]
        F[f] = P[m] * gx
        F[f + 1] = P[m] * gy
        F[f + 2] = 0.0


@kernel
def space_bodies(I, P, F, q, v):
    """Bodies in space, q = (r, p) with quaternion p scalar first, v = (r', omega') with omega' in body axes.

    Scaled force starts as gravity and the gyroscopic moment: (sqrt(m) g, L^-1 (-omega' x J' omega')), J' = L L^T.
    """
    gx, gy, gz = P[I[at.GRAVITY]], P[I[at.GRAVITY] + 1], P[I[at.GRAVITY] + 2]
    for b in range(I[at.N_BODIES]):
        o, k, i, m = I[at.BODY] + at.SPACE_BODY * b, 7 * b, 6 * b, I[at.MASS] + at.SPACE_MASS * b
        h, f = I[at.VHAT] + i, I[at.ACC] + i
        F[o] = q[k]
        F[o + 1] = q[k + 1]
        F[o + 2] = q[k + 2]
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
        F[o + 3], F[o + 4], F[o + 5] = a00, a01, a02
        F[o + 6], F[o + 7], F[o + 8] = a10, a11, a12
        F[o + 9], F[o + 10], F[o + 11] = a20, a21, a22
        # angular velocity in space axes
        w0, w1, w2 = v[i + 3], v[i + 4], v[i + 5]
        F[o + 12] = a00 * w0 + a01 * w1 + a02 * w2
        F[o + 13] = a10 * w0 + a11 * w1 + a12 * w2
        F[o + 14] = a20 * w0 + a21 * w1 + a22 * w2
        # W = L^-1 A^T turns a moment in space axes into the scaled one
        i00, i10, i11 = P[m + 9], P[m + 10], P[m + 11]
        i20, i21, i22 = P[m + 12], P[m + 13], P[m + 14]
        F[o + 15], F[o + 16], F[o + 17] = i00 * a00, i00 * a10, i00 * a20
        F[o + 18] = i10 * a00 + i11 * a01
        F[o + 19] = i10 * a10 + i11 * a11
        F[o + 20] = i10 * a20 + i11 * a21
        F[o + 21] = i20 * a00 + i21 * a01 + i22 * a02
        F[o + 22] = i20 * a10 + i21 * a11 + i22 * a12
        F[o + 23] = i20 * a20 + i21 * a21 + i22 * a22
        F[o + 24] = P[m + 1]
        F[o + 25], F[o + 26], F[o + 27] = v[i], v[i + 1], v[i + 2]
        F[o + 28], F[o + 29], F[o + 30], F[o + 31] = e0, e1, e2, e3
        # scaled velocity (sqrt(m) r', L^T omega')
        F[h] = P[m + 2] * v[i]
        F[h + 1] = P[m + 2] * v[i + 1]
        F[h + 2] = P[m + 2] * v[i + 2]
        F[h + 3] = P[m + 15] * w0 + P[m + 16] * w1 + P[m + 18] * w2
        F[h + 4] = P[m + 17] * w1 + P[m + 19] * w2
        F[h + 5] = P[m + 20] * w2
        # gyroscopic moment -omega' x J' omega'
        g0 = P[m + 3] * w0 + P[m + 4] * w1 + P[m + 5] * w2
        g1 = P[m + 4] * w0 + P[m + 6] * w1 + P[m + 7] * w2
        g2 = P[m + 5] * w0 + P[m + 7] * w1 + P[m + 8] * w2
        n0 = w2 * g1 - w1 * g2
        n1 = w0 * g2 - w2 * g0
        n2 = w1 * g0 - w0 * g1
        F[f] = P[m] * gx
        F[f + 1] = P[m] * gy
        F[f + 2] = P[m] * gz
        F[f + 3] = i00 * n0
        F[f + 4] = i10 * n0 + i11 * n1
        F[f + 5] = i20 * n0 + i21 * n1 + i22 * n2


@kernel
def unscale(I, P, F, x, out):
    """Scaled vector at F[x] (accelerations, displacements) to the true one: out = G^-T x."""
    for b in range(I[at.N_BODIES]):
        if I[at.PLANE]:
            k, m = 3 * b, I[at.MASS] + at.PLANE_MASS * b
            out[k] = P[m + 1] * F[x + k]
            out[k + 1] = P[m + 1] * F[x + k + 1]
            out[k + 2] = P[m + 3] * F[x + k + 2]
        else:
            i, m = 6 * b, I[at.MASS] + at.SPACE_MASS * b
            out[i] = P[m + 1] * F[x + i]
            out[i + 1] = P[m + 1] * F[x + i + 1]
            out[i + 2] = P[m + 1] * F[x + i + 2]
            out[i + 3] = P[m + 9] * F[x + i + 3] + P[m + 10] * F[x + i + 4] + P[m + 12] * F[x + i + 5]
            out[i + 4] = P[m + 11] * F[x + i + 4] + P[m + 13] * F[x + i + 5]
            out[i + 5] = P[m + 14] * F[x + i + 5]


@kernel
def rate_of_q(I, q, v, out):
    """q' = N(q) v: the identity in the plane and for coordinates of one's own; r' and p' = 1/2 p * (0, omega') in space."""
    if I[at.PLANE]:
        for k in range(v.shape[0]):
            out[k] = v[k]
        return
    for b in range(I[at.N_BODIES]):
        k, i = 7 * b, 6 * b
        out[k], out[k + 1], out[k + 2] = v[i], v[i + 1], v[i + 2]
        e0, e1, e2, e3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
        w0, w1, w2 = 0.5 * v[i + 3], 0.5 * v[i + 4], 0.5 * v[i + 5]
        out[k + 3] = -e1 * w0 - e2 * w1 - e3 * w2
        out[k + 4] = e0 * w0 + e2 * w2 - e3 * w1
        out[k + 5] = e0 * w1 + e3 * w0 - e1 * w2
        out[k + 6] = e0 * w2 + e1 * w1 - e2 * w0


@kernel
def move(I, q, delta):
    """Displace the configuration by a small velocity-like vector: q <- q (+) delta, quaternions stay unit."""
    for b in range(I[at.N_BODIES]):
        if I[at.PLANE]:
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
def turn_by(I, q, delta, out):
    """Displace the configuration by a velocity-like vector of any size: out = q exp(delta), rotations about the axis of delta in the body."""
    if I[at.PLANE]:
        for k in range(delta.shape[0]):
            out[k] = q[k] + delta[k]
        return
    for b in range(I[at.N_BODIES]):
        k, i = 7 * b, 6 * b
        out[k], out[k + 1], out[k + 2] = q[k] + delta[i], q[k + 1] + delta[i + 1], q[k + 2] + delta[i + 2]
        x, y, z = 0.5 * delta[i + 3], 0.5 * delta[i + 4], 0.5 * delta[i + 5]
        angle = sqrt(x * x + y * y + z * z)
        c, f = cos_sin(angle)
        f = f / angle if angle > 1e-8 else 1.0
        x, y, z = f * x, f * y, f * z
        e0, e1, e2, e3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
        out[k + 3] = e0 * c - e1 * x - e2 * y - e3 * z
        out[k + 4] = e1 * c + e0 * x + e2 * z - e3 * y
        out[k + 5] = e2 * c + e0 * y + e3 * x - e1 * z
        out[k + 6] = e3 * c + e0 * z + e1 * y - e2 * x


@kernel
def normalize(I, q):
    """Bring every quaternion back to unit length."""
    if I[at.PLANE] == 0:
        for b in range(I[at.N_BODIES]):
            k = 7 * b + 3
            n = 1.0 / sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3])
            for c in range(4):
                q[k + c] *= n
