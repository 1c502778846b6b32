"""Many outputs of a driven motion at once: phi(q, t) = 0, J v = nu, J a = gamma, and J^T lam = Q - M a.

Steps are those of `analyses/driven/path.py`, with the same limits, compiled.  J x = y is solved with (J^T J)^-1 and what is left of y, which also serves
redundant rows.  From a point a to a point b J becomes singular where pinv(J_a) J_b = 1 + E has a negative eigenvalue; with |E| < 1 it has none, and nothing
has to be looked for.  Where no step that is tried is as short as that, the way ends and `Path` goes on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import layout as at
from .bodies import move
from .compiler import entry, kernel
from .operate import FORCES, ROWS, WATCH
from .project import rounding
from .scalar import larger, sqrt
from .through import call

# smallest singular value of J, relative to its size, with which (J^T J)^-1 and what is left of y give all digits: cond(J)^2 is below 1e10
REGULAR = 1e-5
# steps and halvings between two outputs
STEPS, HALVINGS = 1000, 12


class Frame(NamedTuple):
    """What is constant: where the wrenches of the rows are, and what makes scaled rows of them."""

    row: np.ndarray  # of each wrench
    place: np.ndarray  # of its first number in F
    column: np.ndarray  # of each of its entries in J, or -1
    block: np.ndarray  # wrench in F -> entries of J
    scale: np.ndarray  # of the rows
    active: np.ndarray  # velocity of each column
    size: np.ndarray  # its unit
    force: np.ndarray  # G of each body: Q = G (force in F)
    mass: np.ndarray  # mass matrix of each body
    driven: np.ndarray  # rows of the drivers
    limits: np.ndarray  # farthest motion and largest correction of a step; what is left of phi, and of J v - nu


class Scratch(NamedTuple):
    """A point (q, v, a, counted angles, J), the one that is tried, and room for solutions."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    angle: np.ndarray
    jac: np.ndarray
    next_q: np.ndarray
    next_v: np.ndarray
    next_a: np.ndarray
    next_angle: np.ndarray
    next_jac: np.ndarray
    inverse: np.ndarray
    next_inverse: np.ndarray
    product: np.ndarray
    right: np.ndarray
    left: np.ndarray
    x: np.ndarray
    gradient: np.ndarray
    delta: np.ndarray
    counted: np.ndarray  # evaluations, steps, attempts that failed


class Points(NamedTuple):
    """Points one after another; rows of these arrays lie flat."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    angle: np.ndarray


@kernel
def put_angles(I, F, t, angle):
    """Count angles from those of a point."""
    for k in range(I[at.N_ANGLES]):
        F[I[at.ANGLE_AT] + k], F[I[at.ANGLE_RATE] + k] = angle[k], 0.0
    F[I[at.ANGLE_TIME]] = t


@kernel
def jacobian(D, F, jac):
    """Scaled J from the wrenches in memory; entries that are always zero are left."""
    n, entries = D.active.shape[0], D.column.shape[0] // D.row.shape[0]
    for s in range(D.row.shape[0]):
        for i in range(entries):
            c = D.column[s * entries + i]
            if c >= 0:
                total = 0.0
                for j in range(entries):
                    total += D.block[(s * entries + i) * entries + j] * F[D.place[s] + j]
                jac[D.row[s] * n + c] = total


@kernel
def invert(jac, rows, n, inverse):
    """(J^T J)^-1, by Gauss and Jordan; return whether J is regular enough for this."""
    for i in range(n * n):
        inverse[i] = 0.0
    for r in range(rows):
        for i in range(n):
            f = jac[r * n + i]
            if f != 0.0:
                for j in range(n):
                    inverse[i * n + j] += f * jac[r * n + j]
    size = 0.0
    for i in range(n):
        size += inverse[i * n + i]
    for k in range(n):
        pivot = inverse[k * n + k]
        if not pivot > REGULAR * REGULAR * size:
            return False
        d = 1.0 / pivot
        for j in range(n):
            inverse[k * n + j] *= d
        for i in range(n):
            f = inverse[i * n + k]
            if i != k and f != 0.0:
                for j in range(n):
                    inverse[i * n + j] -= f * inverse[k * n + j]
                inverse[i * n + k] = -f * d
        inverse[k * n + k] = d
    total = 0.0
    for i in range(n * n):
        total += inverse[i] * inverse[i]
    # 1 / sqrt(|(J^T J)^-1|) is below the smallest singular value, sqrt(size) above the largest
    return sqrt(total) * REGULAR * REGULAR * size < 1.0


@kernel
def stays_regular(W, rows, n):
    """Whether |pinv(J) (next J - J)| < 1."""
    for i in range(n * n):
        W.product[i] = 0.0
    for r in range(rows):
        for i in range(n):
            f = W.jac[r * n + i]
            if f != 0.0:
                for j in range(n):
                    W.product[i * n + j] += f * (W.next_jac[r * n + j] - W.jac[r * n + j])
    total = 0.0
    for i in range(n):
        for j in range(n):
            W.gradient[j] = 0.0
        for k in range(n):
            f = W.inverse[i * n + k]
            for j in range(n):
                W.gradient[j] += f * W.product[k * n + j]
        for j in range(n):
            total += W.gradient[j] * W.gradient[j]
    return total < 1.0


@kernel
def multiply(jac, rows, n, x, y):
    """y = J x."""
    for r in range(rows):
        total = 0.0
        for c in range(n):
            total += jac[r * n + c] * x[c]
        y[r] = total


@kernel
def transposed(jac, rows, n, y, x):
    """x = J^T y."""
    for c in range(n):
        x[c] = 0.0
    for r in range(rows):
        f = y[r]
        if f != 0.0:
            for c in range(n):
                x[c] += f * jac[r * n + c]


@kernel
def add_product(inverse, n, x, y):
    """y <- y + inverse x."""
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += inverse[i * n + j] * x[j]
        y[i] += total


@kernel
def least(W, rows, n, times):
    """Solve next J x = right in the sense of least squares; return the largest entry of x.  `times` - 1 corrections by what is left."""
    for c in range(n):
        W.x[c] = 0.0
    for k in range(times):
        for r in range(rows):
            W.left[r] = 0.0
        if k > 0:
            multiply(W.next_jac, rows, n, W.x, W.left)
        for r in range(rows):
            W.left[r] = W.right[r] - W.left[r]
        transposed(W.next_jac, rows, n, W.left, W.gradient)
        add_product(W.next_inverse, n, W.gradient, W.x)
    return largest(W.x, n)


@kernel
def largest(x, n):
    """Largest size of n numbers; not a number where one is not."""
    found = 0.0
    for i in range(n):
        found = larger(found, abs(x[i]))
    return found


@kernel
def rows_at(model, W, I, P, F, t, q, v, angle):
    """Rows at a state, with angles counted from `angle`."""
    put_angles(I, F, t, angle)
    call(model, ROWS, I, P, F, t, q, v, W.delta, 0.0, 1)
    W.counted[0] += 1.0


@kernel
def attempt(model, D, W, I, P, F, t, target):
    """One step to `target` from the point in W; return whether it was taken."""
    rows, n, h = D.scale.shape[0], D.active.shape[0], target - t
    for i in range(W.delta.shape[0]):
        W.delta[i] = 0.0
    for c in range(n):
        k = D.active[c]
        W.delta[k] = h * (W.v[k] + 0.5 * h * W.a[k])
        W.x[c] = W.delta[k] / D.size[c]
    if not largest(W.x, n) <= D.limits[0]:
        return False
    for i in range(W.q.shape[0]):
        W.next_q[i] = W.q[i]
    move(I, W.next_q, W.delta)
    rows_at(model, W, I, P, F, target, W.next_q, W.v, W.angle)
    jacobian(D, F, W.next_jac)
    if not invert(W.next_jac, rows, n, W.next_inverse):
        return False
    before, limit = math.inf, D.limits[1]
    for _ in range(12):
        for r in range(rows):
            W.right[r] = -D.scale[r] * F[I[at.Y] + r]
        size = least(W, rows, n, 1)
        if not size <= limit:
            if before < 1e-9 + 10.0 * rounding(I, P, F, W.next_q):
                break
            return False
        for c in range(n):
            W.delta[D.active[c]] = D.size[c] * W.x[c]
        move(I, W.next_q, W.delta)
        rows_at(model, W, I, P, F, target, W.next_q, W.v, W.angle)
        if size <= 1e-14:
            break
        before, limit = size, max(0.3 * size, 1e-14)
    for r in range(rows):
        W.right[r] = D.scale[r] * F[I[at.Y] + r]
    if not largest(W.right, rows) <= 1e-11 + 10.0 * (D.limits[2] + rounding(I, P, F, W.next_q)):
        return False
    jacobian(D, F, W.next_jac)
    if not (invert(W.next_jac, rows, n, W.next_inverse) and stays_regular(W, rows, n)):
        return False
    for r in range(rows):
        W.right[r] = D.scale[r] * (F[I[at.DRIVE] + 3 * r + 1] - F[I[at.PARTIAL] + r])
    least(W, rows, n, 3)
    multiply(W.next_jac, rows, n, W.x, W.left)
    size = larger(1.0, largest(W.right, rows))
    for r in range(rows):
        W.left[r] -= W.right[r]
    if not largest(W.left, rows) <= D.limits[3] * size:
        return False
    for c in range(n):
        W.next_v[D.active[c]] = D.size[c] * W.x[c]
    rows_at(model, W, I, P, F, target, W.next_q, W.next_v, W.angle)
    for r in range(rows):
        W.right[r] = D.scale[r] * (F[I[at.DRIVE] + 3 * r + 2] - F[I[at.BIAS] + r])
    if not least(W, rows, n, 3) < math.inf:
        return False
    for c in range(n):
        W.next_a[D.active[c]] = D.size[c] * W.x[c]
    if I[at.N_ANGLES] > 0:
        call(model, WATCH, I, P, F, target, W.next_q, W.next_v, W.delta, 0.0, 1)
        first = I[at.VALUE] + I[at.N_ROWS] + I[at.N_FREE]
        for k in range(I[at.N_ANGLES]):
            W.next_angle[k] = F[first + k]
    return True


@kernel
def copy(n, x, first, y, to):
    """y[to ...] = x[first ...], n numbers."""
    for i in range(n):
        y[to + i] = x[first + i]


@entry
def follow(model, D, W, I, P, F, points):
    """Fill points 1, 2, … of a motion that is known at point 0; return how many were reached."""
    rows, n = D.scale.shape[0], D.active.shape[0]
    nq, nv, angles = W.q.shape[0], W.v.shape[0], I[at.N_ANGLES]
    copy(nq, points.q, 0, W.q, 0)
    copy(nv, points.v, 0, W.v, 0)
    copy(nv, points.a, 0, W.a, 0)
    copy(angles, points.angle, 0, W.angle, 0)
    t = points.t[0]
    rows_at(model, W, I, P, F, t, W.q, W.v, W.angle)
    jacobian(D, F, W.jac)
    if not invert(W.jac, rows, n, W.inverse):
        return 0
    for k in range(1, points.t.shape[0]):
        end, halved, taken = points.t[k], 0, 0
        h = end - t
        while t != end:
            # as far as the speed allows
            for c in range(n):
                W.x[c] = W.v[D.active[c]] / D.size[c]
            h = math.copysign(min(abs(h), 0.8 * D.limits[0] / max(largest(W.x, n), 1e-300)), end - t)
            target = end if abs(end - t) <= 1.000001 * abs(h) else t + h
            if not attempt(model, D, W, I, P, F, t, target):
                halved += 1
                W.counted[2] += 1.0
                h = 0.5 * (target - t)
            else:
                taken += 1
                W.counted[1] += 1.0
                h = 2.0 * (target - t)
                t, halved = target, max(0, halved - 1)
                copy(nq, W.next_q, 0, W.q, 0)
                copy(nv, W.next_v, 0, W.v, 0)
                copy(nv, W.next_a, 0, W.a, 0)
                copy(angles, W.next_angle, 0, W.angle, 0)
                copy(rows * n, W.next_jac, 0, W.jac, 0)
                copy(n * n, W.next_inverse, 0, W.inverse, 0)
            if halved > HALVINGS or taken > STEPS:
                return k - 1
        copy(nq, W.q, 0, points.q, k * nq)
        copy(nv, W.v, 0, points.v, k * nv)
        copy(nv, W.a, 0, points.a, k * nv)
        copy(angles, W.angle, 0, points.angle, k * angles)
    return points.t.shape[0] - 1


@entry
def carried(model, D, W, I, P, F, points, lam, force, power, first):
    """Multipliers, forces and powers of elements at points `first` …; return the first at which rows are too nearly dependent for this."""
    rows, n, laws = D.scale.shape[0], D.active.shape[0], I[at.N_LAWS]
    nq, nv, angles, drivers = W.q.shape[0], W.v.shape[0], I[at.N_ANGLES], D.driven.shape[0]
    width = 3 if I[at.PLANE] else 6
    for k in range(first, points.t.shape[0]):
        t = points.t[k]
        copy(nq, points.q, k * nq, W.q, 0)
        copy(nv, points.v, k * nv, W.v, 0)
        copy(angles, points.angle, k * angles, W.angle, 0)
        put_angles(I, F, t, W.angle)
        call(model, FORCES, I, P, F, t, W.q, W.v, W.delta, 0.0, 1)
        jacobian(D, F, W.jac)
        if not invert(W.jac, rows, n, W.inverse):
            return k
        for b in range(I[at.N_BODIES]):
            for i in range(width):
                total = 0.0
                for j in range(width):
                    o = (b * width + i) * width + j
                    total += D.force[o] * F[I[at.ACC] + b * width + j] - D.mass[o] * points.a[k * nv + b * width + j]
                W.delta[b * width + i] = total
        # lam = J (J^T J)^-1 (Q - M a), the smallest that serves, and the same of what is left
        for r in range(rows):
            W.right[r] = 0.0
        for _ in range(3):
            transposed(W.jac, rows, n, W.right, W.gradient)
            for c in range(n):
                W.x[c], W.gradient[c] = 0.0, D.size[c] * W.delta[D.active[c]] - W.gradient[c]
            add_product(W.inverse, n, W.gradient, W.x)
            multiply(W.jac, rows, n, W.x, W.left)
            for r in range(rows):
                W.right[r] += W.left[r]
        for r in range(rows):
            lam[k * rows + r] = D.scale[r] * W.right[r]
        copy(laws, F, I[at.FORCE], force, k * laws)
        copy(laws, F, I[at.POWER], power, k * (laws + drivers))
        for i in range(drivers):
            r = D.driven[i]
            rate = F[I[at.DRIVE] + 3 * r + 1] - F[I[at.PARTIAL] + r]
            power[k * (laws + drivers) + laws + i] = -lam[k * rows + r] * rate
    return points.t.shape[0]
