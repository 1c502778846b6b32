"""Turns of one length on the group, and the momenta at their ends: discrete Hamilton's principle for rigid bodies.

With R' = R cay(h x), and the kinetic energy of a step h/2 x^T J x, the momenta in body axes at its two ends are

    at the start   J x + h/2 x × J x + h²/4 (x · J x) x
    at the end     J x - h/2 x × J x + h²/4 (x · J x) x

(the transposes of the inverse derivatives of the Cayley map, I ∓ h/2 x^ + h²/4 x x^T, applied to J x).  Turned into space they are the same vector: the
angular momentum of a free body is kept exactly.  In the plane, and of translations, momenta are M v at both ends.
"""

from __future__ import annotations

from .compiler import kernel
from .layout import MASS, N_BODIES, PLANE, SPACE_MASS


@kernel
def inertia_times(P, m, x0, x1, x2):
    """J x of the body whose masses begin at m."""
    return (
        P[m + 3] * x0 + P[m + 4] * x1 + P[m + 5] * x2,
        P[m + 4] * x0 + P[m + 6] * x1 + P[m + 7] * x2,
        P[m + 5] * x0 + P[m + 7] * x1 + P[m + 8] * x2,
    )


@kernel
def solved(a00, a01, a02, a10, a11, a12, a20, a21, a22, b0, b1, b2):
    """A x = b for three unknowns, by Cramer's rule."""
    c0, c1, c2 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    d = 1.0 / (a00 * c0 + a01 * c1 + a02 * c2)
    return (
        d * (b0 * c0 + b1 * (a02 * a21 - a01 * a22) + b2 * (a01 * a12 - a02 * a11)),
        d * (b0 * c1 + b1 * (a00 * a22 - a02 * a20) + b2 * (a02 * a10 - a00 * a12)),
        d * (b0 * c2 + b1 * (a01 * a20 - a00 * a21) + b2 * (a00 * a11 - a01 * a10)),
    )


@kernel
def over_inertia(P, m, g0, g1, g2):
    """J^-1 g."""
    j00, j01, j02, j11, j12, j22 = P[m + 3], P[m + 4], P[m + 5], P[m + 6], P[m + 7], P[m + 8]
    return solved(j00, j01, j02, j01, j11, j12, j02, j12, j22, g0, g1, g2)


@kernel
def turns_of(I, P, u, h, x):
    """The velocities x of a step whose momenta at its start are M u."""
    for k in range(u.shape[0]):
        x[k] = u[k]
    if I[PLANE]:
        return
    for b in range(I[N_BODIES]):
        i, m = 6 * b + 3, I[MASS] + SPACE_MASS * b
        if P[m + 3] == 0.0:
            continue  # a particle does not turn
        p0, p1, p2 = inertia_times(P, m, u[i], u[i + 1], u[i + 2])
        x0, x1, x2 = u[i], u[i + 1], u[i + 2]
        half, quarter = 0.5 * h, 0.25 * h * h
        for _ in range(12):
            g0, g1, g2 = inertia_times(P, m, x0, x1, x2)
            e = x0 * g0 + x1 * g1 + x2 * g2
            r0 = g0 + half * (x1 * g2 - x2 * g1) + quarter * e * x0 - p0
            r1 = g1 + half * (x2 * g0 - x0 * g2) + quarter * e * x1 - p1
            r2 = g2 + half * (x0 * g1 - x1 * g0) + quarter * e * x2 - p2
            # derivative: J + h/2 (x^ J - (J x)^) + h²/4 (e + 2 x (J x)^T)
            j00, j01, j02, j11, j12, j22 = P[m + 3], P[m + 4], P[m + 5], P[m + 6], P[m + 7], P[m + 8]
            q, f = 2.0 * quarter, quarter * e
            d0, d1, d2 = solved(
                j00 + half * (x1 * j02 - x2 * j01) + f + q * x0 * g0,
                j01 + half * (x1 * j12 - x2 * j11 + g2) + q * x0 * g1,
                j02 + half * (x1 * j22 - x2 * j12 - g1) + q * x0 * g2,
                j01 + half * (x2 * j00 - x0 * j02 - g2) + q * x1 * g0,
                j11 + half * (x2 * j01 - x0 * j12) + f + q * x1 * g1,
                j12 + half * (x2 * j02 - x0 * j22 + g0) + q * x1 * g2,
                j02 + half * (x0 * j01 - x1 * j00 + g1) + q * x2 * g0,
                j12 + half * (x0 * j11 - x1 * j01 - g0) + q * x2 * g1,
                j22 + half * (x0 * j12 - x1 * j02) + f + q * x2 * g2,
                r0, r1, r2,
            )  # fmt: skip
            x0, x1, x2 = x0 - d0, x1 - d1, x2 - d2
            if abs(d0) + abs(d1) + abs(d2) <= 1e-16 * (abs(x0) + abs(x1) + abs(x2)):
                break
        x[i], x[i + 1], x[i + 2] = x0, x1, x2


@kernel
def at_end(I, P, x, h, u):
    """Velocities u with the momenta M u at the end of a step with the velocities x."""
    for k in range(u.shape[0]):
        u[k] = x[k]
    if I[PLANE]:
        return
    for b in range(I[N_BODIES]):
        i, m = 6 * b + 3, I[MASS] + SPACE_MASS * b
        if P[m + 3] == 0.0:
            continue
        x0, x1, x2 = x[i], x[i + 1], x[i + 2]
        g0, g1, g2 = inertia_times(P, m, x0, x1, x2)
        e = 0.25 * h * h * (x0 * g0 + x1 * g1 + x2 * g2)
        u[i], u[i + 1], u[i + 2] = over_inertia(
            P, m,
            g0 - 0.5 * h * (x1 * g2 - x2 * g1) + e * x0,
            g1 - 0.5 * h * (x2 * g0 - x0 * g2) + e * x1,
            g2 - 0.5 * h * (x0 * g1 - x1 * g0) + e * x2,
        )  # fmt: skip


@kernel
def without_gyration(I, P, v, a):
    """Accelerations a at the velocities v become M^-1 times forces: a + J^-1 (omega × J omega)."""
    if I[PLANE]:
        return
    for b in range(I[N_BODIES]):
        i, m = 6 * b + 3, I[MASS] + SPACE_MASS * b
        if P[m + 3] == 0.0:
            continue
        w0, w1, w2 = v[i], v[i + 1], v[i + 2]
        g0, g1, g2 = inertia_times(P, m, w0, w1, w2)
        d0, d1, d2 = over_inertia(P, m, w1 * g2 - w2 * g1, w2 * g0 - w0 * g2, w0 * g1 - w1 * g0)
        a[i], a[i + 1], a[i + 2] = a[i] + d0, a[i + 1] + d1, a[i + 2] + d2
