"""One evaluation of the equations of motion:  M a + J^T lam = Q,  J a = gamma.

Order of work, which is also the order of this file: bodies, free rows with their rates, drivers and composites, laws, then the
sweep over the blocks (rows, elimination, multipliers) and the true accelerations.
"""

from __future__ import annotations

from .blocks import back, back_off
from .bodies import plane_bodies, space_bodies, unscale
from .compiler import kernel, woven
from .composite import composites, drivers
from .laws import laws
from .layout import (
    ACC,
    BIAS,
    BLOCK,
    BLOCK_SIZE,
    DRIVE,
    DRIVER,
    FLOOR,
    ITEM0,
    LAM,
    MASK,
    N_BLOCKS,
    N_BODIES,
    N_COMPOSITES,
    N_DRIVERS,
    N_FREE,
    N_LAWS,
    N_ROWS,
    OFF_SIZE,
    OFFSET,
    PARTIAL,
    PLANE,
    POWER,
    RATE,
    SADDLE,
    VALUE,
    VHAT,
    Y,
)
from .rows import items, plane_row, row_dot, space_row
from .saddle import saddle_factor, saddle_solve
from .unroll import back_any, back_off_any, eliminate_any, factor_any, form_any


@kernel
def poses(I, P, F, q, v):
    """Body records, scaled velocities, gravity and gyroscopic terms."""
    if I[PLANE]:
        plane_bodies(I, P, F, q, v)
    else:
        space_bodies(I, P, F, q, v)


@kernel
def inputs(I, P, F, tape, t, q):
    """Free rows with their rates, drivers, composites: all that laws and composite constraints need."""
    first = I[ITEM0] + I[N_BLOCKS]
    items(I, P, F, t, q, I[first], I[first + 1])
    for r in range(I[N_ROWS], I[N_ROWS] + I[N_FREE]):
        F[I[VALUE] + r] -= P[I[OFFSET] + r]
        F[I[RATE] + r] = row_dot(I, F, r, I[VHAT])
    if I[N_DRIVERS] > 0:
        drivers(I, F, tape, t)
    if I[N_COMPOSITES] > 0:
        composites(I, P, F, tape, t)


@woven
def sweep(w, I, P, F, t, q):
    """Rows, elimination and multipliers, block by block; scaled forces turn into scaled accelerations.

    w, the numbers in a wrench (3 in the plane, 6 in space), is a literal, so that the unrolled block routines are taken.
    """
    acc, y, lam, floor, bias, drive = I[ACC], I[Y], I[LAM], I[FLOOR], I[BIAS], I[DRIVE]
    n_blocks, blocks = I[N_BLOCKS], I[BLOCK] & MASK
    y, bias, drive = y & MASK, bias & MASK, drive & MASK
    for k in range(n_blocks):
        o = (blocks + BLOCK_SIZE * k) & MASK
        n, r, jo, do = I[o], I[o + 1] & MASK, I[o + 2], I[o + 3]
        for it in range(I[o + 5], I[o + 5 + BLOCK_SIZE]):
            if w == 3:
                plane_row(I, P, F, q, it)
            else:
                space_row(I, P, F, t, it)
        # y = J a0 - gamma with gamma = c'' - bias
        for a in range(r, r + n):
            F[y + a] = F[bias + a] - F[drive + 3 * a + 2]
        form_any(w, n, I, F, I[o + 4], I[o + 4 + BLOCK_SIZE], acc, jo, do, y + r)
        for e in range(I[o + 6] & MASK, I[o + 6 + BLOCK_SIZE], OFF_SIZE):
            c = (blocks + BLOCK_SIZE * I[e]) & MASK
            eliminate_any(
                w, I[c], n, I, F, I[e + 2], I[e + 2 + OFF_SIZE], I[e + 3], I[e + 3 + OFF_SIZE],
                I[e + 1], do, I[c + 3], y + r, lam + I[c + 1],
            )  # fmt: skip
        factor_any(w, n, F, do, floor + r, y + r, lam + r)
    for k in range(n_blocks - 1, -1, -1):
        o = (blocks + BLOCK_SIZE * k) & MASK
        n, r = I[o], I[o + 1]
        back_any(w, n, I, F, I[o + 4], I[o + 4 + BLOCK_SIZE], acc, I[o + 2], I[o + 3], lam + r)
        for e in range(I[o + 6] & MASK, I[o + 6 + BLOCK_SIZE], OFF_SIZE):
            c = (blocks + BLOCK_SIZE * I[e]) & MASK
            back_off_any(w, I[c], n, F, I[e + 1], I[c + 3], lam + r, lam + I[c + 1])


@kernel
def evaluate(I, P, F, tape, t, q, v, a):
    """Accelerations a and multipliers at (t, q, v)."""
    poses(I, P, F, q, v)
    inputs(I, P, F, tape, t, q)
    if I[N_LAWS] > 0:
        laws(I, P, F, tape, t)
    if I[SADDLE]:
        items(I, P, F, t, q, 0, I[I[ITEM0] + I[N_BLOCKS]])
        for r in range(I[N_ROWS]):
            F[I[Y] + r] = F[I[DRIVE] + 3 * r + 2] - F[I[BIAS] + r]
        saddle_factor(I, P, F, 0.0)
        saddle_solve(I, P, F)
        for k in range(a.shape[0]):
            a[k] = F[I[ACC] + k]
    else:
        if I[PLANE]:
            sweep(3, I, P, F, t, q)
        else:
            sweep(6, I, P, F, t, q)
        unscale(I, P, F, I[ACC], a)
    for k in range(I[N_DRIVERS]):
        # power of a driver: -lam (J v) with J v = c' - explicit part
        r = I[I[DRIVER] + 2 * k]
        F[I[POWER] + I[N_LAWS] + k] = -F[I[LAM] + r] * (F[I[DRIVE] + 3 * r + 1] - F[I[PARTIAL] + r])


@kernel
def rows_only(I, P, F, tape, t, q, v):
    """All constraint rows at (t, q, v), without forces and without solving."""
    poses(I, P, F, q, v)
    inputs(I, P, F, tape, t, q)
    items(I, P, F, t, q, 0, I[I[ITEM0] + I[N_BLOCKS]])


@kernel
def resolve(I, P, F):
    """Solve S lam = y with the factor at hand; the scaled correction -J^T lam replaces the scaled acceleration."""
    width = 3 if I[PLANE] else 6
    acc, y, lam = I[ACC] & MASK, I[Y] & MASK, I[LAM] & MASK
    for k in range(width * I[N_BODIES]):
        F[acc + k] = 0.0
    if I[SADDLE]:
        # the saddle system with zero force and J x = -y gives x = -M~^-1 J^T lam directly
        for r in range(I[N_ROWS]):
            F[y + r] = -F[y + r]
        saddle_solve(I, P, F)
        return
    for k in range(I[N_BLOCKS]):
        o = (I[BLOCK] + BLOCK_SIZE * k) & MASK
        n, r, do = I[o], I[o + 1] & MASK, I[o + 3] & MASK
        for e in range(I[o + 6], I[o + 6 + BLOCK_SIZE], OFF_SIZE):
            c = (I[BLOCK] + BLOCK_SIZE * I[e]) & MASK
            m, lo, other = I[c] & MASK, I[e + 1] & MASK, lam + (I[c + 1] & MASK)
            for a in range(n):
                for b in range(m):
                    F[y + r + a] -= F[lo + a * m + b] * F[other + b]
        for a in range(n):
            for b in range(a):
                F[y + r + a] -= F[do + a * (a + 1) // 2 + b] * F[y + r + b]
            F[lam + r + a] = F[y + r + a] * F[do + a * (a + 1) // 2 + a]
    for k in range(I[N_BLOCKS] - 1, -1, -1):
        o = I[BLOCK] + BLOCK_SIZE * k
        n, r = I[o], I[o + 1]
        _back(n, width, I, F, I[o + 4], I[o + 4 + BLOCK_SIZE], acc, I[o + 2], I[o + 3], lam + r)
        for e in range(I[o + 6], I[o + 6 + BLOCK_SIZE], OFF_SIZE):
            c = I[BLOCK] + BLOCK_SIZE * I[e]
            _back_off(n, I[c], F, I[e + 1], I[c + 3], lam + r, lam + I[c + 1])


_back, _back_off = kernel(back), kernel(back_off)
