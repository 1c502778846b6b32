"""Residuals of  M a + J^T lam = Q  and  J a = gamma  for given a and lam: the twin that checks every solver.

Forces and rows are taken as `evaluate` writes them; nothing is eliminated, factored or solved.  M is that of the mass records, not the
product of the scales G G^T that the solvers use.
"""

from __future__ import annotations

from . import layout as at
from .compiler import inlined, kernel


@inlined
def unscaled(I, P, F, wrench, m, c):
    """Component c of the true wrench G w, w the scaled one at F[wrench] and m the mass record of its body."""
    if I[at.PLANE]:
        return (P[m + 2] if c < 2 else P[m + 4]) * F[wrench + c]
    if c < 3:
        return P[m + 2] * F[wrench + c]
    if c == 3:
        return P[m + 15] * F[wrench + 3]
    if c == 4:
        return P[m + 16] * F[wrench + 3] + P[m + 17] * F[wrench + 4]
    return P[m + 18] * F[wrench + 3] + P[m + 19] * F[wrench + 4] + P[m + 20] * F[wrench + 5]


@kernel
def inertia_and_force(I, P, F, v, a):
    """M a - Q of every body into the residual, and the sizes of inertia, weight and gyroscopic moments."""
    width = 3 if I[at.PLANE] else 6
    nv = width * I[at.N_BODIES]
    left, size = 2 * nv, 3 * nv
    for b in range(I[at.N_BODIES]):
        k, m = width * b, I[at.MASS] + (at.PLANE_MASS if I[at.PLANE] else at.SPACE_MASS) * b
        mass = P[m + 5] if I[at.PLANE] else P[m + 21]
        for c in range(2 if I[at.PLANE] else 3):
            a[left + k + c] = mass * a[k + c]
            a[size + k + c] = abs(mass * a[k + c]) + abs(mass * P[I[at.GRAVITY] + c])
        if I[at.PLANE]:
            a[left + k + 2] = P[m + 6] * a[k + 2]
            a[size + k + 2] = abs(P[m + 6] * a[k + 2])
        else:
            xx, xy, xz, yy, yz, zz = P[m + 3], P[m + 4], P[m + 5], P[m + 6], P[m + 7], P[m + 8]
            x, y, z = a[k + 3], a[k + 4], a[k + 5]
            a[left + k + 3] = xx * x + xy * y + xz * z
            a[left + k + 4] = xy * x + yy * y + yz * z
            a[left + k + 5] = xz * x + yz * y + zz * z
            x, y, z = v[k + 3], v[k + 4], v[k + 5]
            hx, hy, hz = xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z
            a[size + k + 3] = abs(a[left + k + 3]) + abs(y * hz) + abs(z * hy)
            a[size + k + 4] = abs(a[left + k + 4]) + abs(z * hx) + abs(x * hz)
            a[size + k + 5] = abs(a[left + k + 5]) + abs(x * hy) + abs(y * hx)
        for c in range(width):
            a[left + k + c] -= unscaled(I, P, F, I[at.ACC] + k, m, c)


@kernel
def rows_in_plane(I, P, F, a):
    """J^T lam into the residuals of bodies, and J a - gamma of all rows; as `residual` says."""
    nv, rows = 3 * I[at.N_BODIES], I[at.N_ROWS]
    unit, left, size, missed = nv, 2 * nv, 3 * nv, 4 * nv
    terms, norm = missed + rows, missed + 2 * rows
    mass, table, multiplier = I[at.MASS], I[at.ROW], I[at.LAM]
    at_bias, at_drive = I[at.BIAS], I[at.DRIVE]
    for r in range(rows):
        o = table + at.ROW_SIZE * r
        lam, bias, drive = F[multiplier + r], F[at_bias + r], F[at_drive + 3 * r + 2]
        wrench, step = I[o], I[o + 1]
        total, large, square = bias - drive, abs(bias) + abs(drive), 0.0
        for s in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
            k = I[s]
            m = mass + at.PLANE_MASS * (k // 3)
            g, h = P[m + 2], P[m + 4]
            x, y, z = g * F[wrench], g * F[wrench + 1], h * F[wrench + 2]
            a[left + k] += lam * x
            a[left + k + 1] += lam * y
            a[left + k + 2] += lam * z
            a[size + k] += abs(lam * x)
            a[size + k + 1] += abs(lam * y)
            a[size + k + 2] += abs(lam * z)
            ax, ay, az = x * a[k], y * a[k + 1], z * a[k + 2]
            total += ax + ay + az
            large += abs(ax) + abs(ay) + abs(az)
            x, y, z = x * a[unit + k], y * a[unit + k + 1], z * a[unit + k + 2]
            square += x * x + y * y + z * z
            wrench = wrench + step
        a[missed + r], a[terms + r], a[norm + r] = total, large, square**0.5


@kernel
def rows_in_space(I, P, F, a):
    """The same with six velocities of every body: G = diag(g, g, g, L), L the lower factor of its inertia."""
    nv, rows = 6 * I[at.N_BODIES], I[at.N_ROWS]
    unit, left, size, missed = nv, 2 * nv, 3 * nv, 4 * nv
    terms, norm = missed + rows, missed + 2 * rows
    mass, table, multiplier = I[at.MASS], I[at.ROW], I[at.LAM]
    at_bias, at_drive = I[at.BIAS], I[at.DRIVE]
    for r in range(rows):
        o = table + at.ROW_SIZE * r
        lam, bias, drive = F[multiplier + r], F[at_bias + r], F[at_drive + 3 * r + 2]
        wrench, step = I[o], I[o + 1]
        total, large, square = bias - drive, abs(bias) + abs(drive), 0.0
        for s in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
            k = I[s]
            m = mass + at.SPACE_MASS * (k // 6)
            g, f, e, d = P[m + 2], F[wrench + 3], F[wrench + 4], F[wrench + 5]
            x, y, z = g * F[wrench], g * F[wrench + 1], g * F[wrench + 2]
            u = P[m + 15] * f
            v = P[m + 16] * f + P[m + 17] * e
            w = P[m + 18] * f + P[m + 19] * e + P[m + 20] * d
            a[left + k] += lam * x
            a[left + k + 1] += lam * y
            a[left + k + 2] += lam * z
            a[left + k + 3] += lam * u
            a[left + k + 4] += lam * v
            a[left + k + 5] += lam * w
            a[size + k] += abs(lam * x)
            a[size + k + 1] += abs(lam * y)
            a[size + k + 2] += abs(lam * z)
            a[size + k + 3] += abs(lam * u)
            a[size + k + 4] += abs(lam * v)
            a[size + k + 5] += abs(lam * w)
            ax, ay, az = x * a[k], y * a[k + 1], z * a[k + 2]
            au, av, aw = u * a[k + 3], v * a[k + 4], w * a[k + 5]
            total += ax + ay + az + au + av + aw
            large += abs(ax) + abs(ay) + abs(az) + abs(au) + abs(av) + abs(aw)
            x, y, z = x * a[unit + k], y * a[unit + k + 1], z * a[unit + k + 2]
            u, v, w = u * a[unit + k + 3], v * a[unit + k + 4], w * a[unit + k + 5]
            square += x * x + y * y + z * z + u * u + v * v + w * w
            wrench = wrench + step
        a[missed + r], a[terms + r], a[norm + r] = total, large, square**0.5


@kernel
def residual(I, P, F, v, a):
    """Residuals of both equations; scaled forces and all rows must be current, the multipliers are those in memory.

    With nv velocities and m rows, `a` holds nv accelerations and nv units, the inverse roots of inertias, and receives

        nv   M a + J^T lam - Q            nv   sums of the sizes of its terms
        m    J a - gamma                  m    sums of the sizes of its terms          m   sizes of the rows in these units
    """
    width = 3 if I[at.PLANE] else 6
    size, record = 3 * width * I[at.N_BODIES], at.PLANE_MASS if I[at.PLANE] else at.SPACE_MASS
    inertia_and_force(I, P, F, v, a)
    if I[at.PLANE]:
        rows_in_plane(I, P, F, a)
    else:
        rows_in_space(I, P, F, a)
    for n in range(I[at.N_LAWS]):
        # already in Q; forces that balance each other are compared with their parts
        o, f = I[at.ROW] + at.ROW_SIZE * I[I[at.LAW] + at.LAW_RECORD * n + 1], F[I[at.FORCE] + n]
        wrench, step = I[o], I[o + 1]
        for s in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
            k = I[s]
            m = I[at.MASS] + record * (k // width)
            for c in range(width):
                a[size + k + c] += abs(f * unscaled(I, P, F, wrench, m, c))
            wrench += step
