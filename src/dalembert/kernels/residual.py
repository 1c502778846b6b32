"""Residuals of  M a + J^T lam = Q  and  J a = gamma  for given a and lam: the twin that checks every solver.

Forces and rows are taken as `evaluate` writes them; nothing is eliminated, factored or solved.  M is that of the mass records, not the
product of the scales G G^T that the solvers use.
"""

from __future__ import annotations

from . import layout as at
from .compiler import inlined, kernel
from .scalar import is_off


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
def rows_of_bodies(I, P, F, a):
    """J^T lam into the residuals of bodies, and J a - gamma of all rows; as `residual` says."""
    width, record = (3, at.PLANE_MASS) if I[at.PLANE] else (6, at.SPACE_MASS)
    nv, rows = width * I[at.N_BODIES], I[at.N_ROWS]
    unit, left, size, missed = nv, 2 * nv, 3 * nv, 4 * nv
    terms, norm = missed + rows, missed + 2 * rows
    for r in range(rows):
        a[missed + r], a[terms + r], a[norm + r] = 0.0, 0.0, 0.0
        if is_off(F[I[at.FLOOR] + r]):
            continue
        o = I[at.ROW] + at.ROW_SIZE * r
        lam, bias, drive = F[I[at.LAM] + r], F[I[at.BIAS] + r], F[I[at.DRIVE] + 3 * r + 2]
        wrench, step = I[o], I[o + 1]
        total, large, square = bias - drive, abs(bias) + abs(drive), 0.0
        for s in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
            k = I[s]
            m = I[at.MASS] + record * (k // width)
            rate, most, length = 0.0, 0.0, 0.0
            for c in range(width):
                x = unscaled(I, P, F, wrench, m, c)
                a[left + k + c] += lam * x
                a[size + k + c] += abs(lam * x)
                rate += x * a[k + c]
                most += abs(x * a[k + c])
                x *= a[unit + k + c]
                length += x * x
            total += rate
            large += most
            square += length
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
    rows_of_bodies(I, P, F, a)
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
