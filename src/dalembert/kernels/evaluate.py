"""One evaluation of the equations of motion:  M a + J^T lam = Q,  J a = gamma.

Order of work, which is also the order of this file: bodies, free rows with their rates, drivers and composites, laws, then the
sweep over the blocks (rows, elimination, multipliers) and the true accelerations.
"""

from __future__ import annotations

from . import layout as at
from .bodies import plane_bodies, space_bodies, unscale
from .compiler import kernel, woven
from .composite import composites, formulas
from .laws import laws
from .rows import items, plane_row, row_dot, space_row
from .saddle import saddle_factor, saddle_solve
from .scalar import is_off
from .unroll import back_any, back_off_any, eliminate_any, factor_any, form_any, forward_any, forward_off_any


@kernel
def poses(I, P, F, q, v):
    """Body records, scaled velocities, gravity and gyroscopic terms."""
    if I[at.PLANE]:
        plane_bodies(I, P, F, q, v)
    else:
        space_bodies(I, P, F, q, v)


@kernel
def inputs(I, P, F, t, q, valued):
    """Free rows, drivers, composites: all that laws and composite constraints need.

    Without `valued`, values and rates of free rows may be left out: linear composites (gears) have rows without them.
    """
    first = I[at.ITEM0] + I[at.N_BLOCKS]
    items(I, P, F, t, q, I[first], I[first + 1], valued)
    if valued:
        value, offset, rate, vhat = I[at.VALUE], I[at.OFFSET], I[at.RATE], I[at.VHAT]
        for r in range(I[at.N_ROWS], I[at.N_ROWS] + I[at.N_FREE]):
            F[value + r] -= P[offset + r]
            F[rate + r] = row_dot(I, F, r, vhat)
        # a state has a row without bodies: its value is given, and no force acts along it
        for k in range(I[at.N_STATES]):
            F[value + I[at.N_ROWS] + k] = F[I[at.STATE_AT] + k]
    if I[at.N_DRIVERS] + I[at.N_COMPOSITES] > 0:
        formulas(I, P, F, t, 0)
        composites(I, P, F, valued)


@woven
def backward(w, I, F):
    """Multipliers from the last block to the first, and their reactions; w as in `sweep`."""
    acc, lam, blocks, floor = I[at.ACC], I[at.LAM], I[at.BLOCK], I[at.FLOOR]
    for k in range(I[at.N_BLOCKS] - 1, -1, -1):
        o = blocks + at.BLOCK_SIZE * k
        n, r = I[o], I[o + 1]
        if not is_off(F[floor + r]):
            back_any(w, n, I, F, I[o + 4], I[o + 4 + at.BLOCK_SIZE], acc, I[o + 2], I[o + 3], lam + r)
            e = I[o + 6]
            while e < I[o + 6 + at.BLOCK_SIZE]:
                back_off_any(w, I[e], n, F, I[e + 1], I[e + 4], lam + r, I[e + 5])
                e = e + at.COUPLING_SIZE


@kernel
def clear_block(I, F, k):
    """Leave nothing of the factor and the multipliers of block k: others are eliminated as if it were not there."""
    o = I[at.BLOCK] + at.BLOCK_SIZE * k
    n, r = I[o], I[o + 1]
    for a in range(n):
        F[I[at.LAM] + r + a] = 0.0
    for i in range(n * (n + 1) // 2):
        F[I[o + 3] + i] = 0.0


@kernel
def clear_blocks(I, F):
    """Leave nothing of the blocks that are off."""
    for k in range(I[at.N_BLOCKS]):
        if is_off(F[I[at.FLOOR] + I[I[at.BLOCK] + at.BLOCK_SIZE * k + 1]]):
            clear_block(I, F, k)


@woven
def sweep(w, I, P, F, t, q):
    """Rows, elimination and multipliers, block by block; scaled forces turn into scaled accelerations.

    w, the numbers in a wrench (3 in the plane, 6 in space), is a literal, so that the unrolled block routines are taken.
    Of blocks that are switched off only factors and multipliers are written, zero: so nothing of them comes into others.
    """
    acc, y, lam, floor, bias, drive = I[at.ACC], I[at.Y], I[at.LAM], I[at.FLOOR], I[at.BIAS], I[at.DRIVE]
    n_blocks, blocks = I[at.N_BLOCKS], I[at.BLOCK]
    clear_blocks(I, F)
    for k in range(n_blocks):
        o = blocks + at.BLOCK_SIZE * k
        n, r, jo, do = I[o], I[o + 1], I[o + 2], I[o + 3]
        if not is_off(F[floor + r]):
            for it in range(I[o + 5], I[o + 5 + at.BLOCK_SIZE]):
                if w == 3:
                    plane_row(I, P, F, q, it)
                else:
                    space_row(I, P, F, t, it, False)
            form_any(w, n, I, F, I[o + 4], I[o + 4 + at.BLOCK_SIZE], acc, jo, do, y + r, bias + r, drive + 3 * r)
            e = I[o + 6]
            while e < I[o + 6 + at.BLOCK_SIZE]:
                eliminate_any(
                    w, I[e], n, I, F, I[e + 2], I[e + 2 + at.COUPLING_SIZE], I[e + 3], I[e + 3 + at.COUPLING_SIZE],
                    I[e + 1], do, I[e + 4], y + r, I[e + 5],
                )  # fmt: skip
                e = e + at.COUPLING_SIZE
            factor_any(w, n, F, do, floor + r, y + r, lam + r)
    backward(w, I, F)


@kernel
def switch_block(I, F, k, floor):
    """Give all rows of block k a status: hold them with this floor, or switch them OFF."""
    o = I[at.BLOCK] + at.BLOCK_SIZE * k
    for r in range(I[o + 1], I[o + 1] + I[o]):
        F[I[at.FLOOR] + r] = floor
    clear_block(I, F, k)


@kernel
def all_rows(I, P, F, t, q, valued):
    """Value, row and bias of every row that is at work."""
    for k in range(I[at.N_BLOCKS]):
        o = I[at.BLOCK] + at.BLOCK_SIZE * k
        if not is_off(F[I[at.FLOOR] + I[o + 1]]):
            items(I, P, F, t, q, I[o + 5], I[o + 5 + at.BLOCK_SIZE], valued)


@kernel
def driven_rate(I, F, k):
    """Rate J v = c' - explicit part of driver k, whose power is -lam times it."""
    r = I[I[at.DRIVER] + k]
    return F[I[at.DRIVE] + 3 * r + 1] - F[I[at.PARTIAL] + r]


@kernel
def evaluate(I, P, F, t, q, v, a):
    """Accelerations a and multipliers at (t, q, v)."""
    poses(I, P, F, q, v)
    inputs(I, P, F, t, q, I[at.VALUED] != 0)
    if I[at.N_LAWS] > 0:
        laws(I, P, F, t)
    if I[at.SADDLE]:
        all_rows(I, P, F, t, q, False)
        for r in range(I[at.N_ROWS]):
            F[I[at.Y] + r] = 0.0
            if not is_off(F[I[at.FLOOR] + r]):
                F[I[at.Y] + r] = F[I[at.DRIVE] + 3 * r + 2] - F[I[at.BIAS] + r]
        saddle_factor(I, P, F)
        saddle_solve(I, P, F)
        for k in range(a.shape[0]):
            a[k] = F[I[at.ACC] + k]
    else:
        if I[at.PLANE]:
            sweep(3, I, P, F, t, q)
        else:
            sweep(6, I, P, F, t, q)
        unscale(I, P, F, I[at.ACC], a)
    for k in range(I[at.N_DRIVERS]):
        F[I[at.POWER] + I[at.N_LAWS] + k] = -F[I[at.LAM] + I[I[at.DRIVER] + k]] * driven_rate(I, F, k)


@kernel
def rows_only(I, P, F, t, q, v):
    """All constraint rows at (t, q, v), without forces and without solving."""
    poses(I, P, F, q, v)
    inputs(I, P, F, t, q, True)
    all_rows(I, P, F, t, q, True)


@woven
def substitute(w, I, F):
    """Forward and backward substitution with the factor at hand; w as in `sweep`."""
    y, lam, floor = I[at.Y], I[at.LAM], I[at.FLOOR]
    n_blocks, blocks = I[at.N_BLOCKS], I[at.BLOCK]
    for k in range(n_blocks):
        o = blocks + at.BLOCK_SIZE * k
        n, r = I[o], I[o + 1]
        if not is_off(F[floor + r]):
            e = I[o + 6]
            while e < I[o + 6 + at.BLOCK_SIZE]:
                forward_off_any(w, I[e], n, F, I[e + 1], y + r, I[e + 5])
                e = e + at.COUPLING_SIZE
            forward_any(w, n, F, I[o + 3], y + r, lam + r)
    backward(w, I, F)


@kernel
def resolve(I, P, F):
    """Solve S lam = y with the factor at hand; the scaled correction -J^T lam replaces the scaled acceleration."""
    width = 3 if I[at.PLANE] else 6
    acc, y = I[at.ACC], I[at.Y]
    for k in range(width * I[at.N_BODIES]):
        F[acc + k] = 0.0
    if I[at.SADDLE]:
        # the saddle system with zero force and J x = -y gives x = -M~^-1 J^T lam directly
        for r in range(I[at.N_ROWS]):
            F[y + r] = -F[y + r]
        saddle_solve(I, P, F)
    elif I[at.PLANE]:
        substitute(3, I, F)
    else:
        substitute(6, I, F)
