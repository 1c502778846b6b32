"""Rows of measures: evaluation by kind, rates, and forces applied along a row."""

from __future__ import annotations

from .compiler import inlined, kernel
from .layout import (
    ANGLE_AT,
    ANGLE_RATE,
    ANGLE_TIME,
    BIAS,
    ITEM,
    ITEM_SIZE,
    MASK,
    PLANE,
    ROW,
    ROW_SIZE,
    VALUE,
)
from .measures_plane import plane_item
from .measures_space import space_item


@inlined
def plane_row(I, P, F, q, it):
    """Value, row and bias of planar item number `it`."""
    o = (I[ITEM] + ITEM_SIZE * it) & MASK
    r = I[o + 5] & MASK
    plane_item(I, P, F, q, o, (I[VALUE] & MASK) + r, (I[BIAS] & MASK) + r)


@inlined
def space_row(I, P, F, t, it):
    """Value, row and bias of item number `it` in space."""
    o = (I[ITEM] + ITEM_SIZE * it) & MASK
    r = I[o + 5] & MASK
    guess, k = 0.0, I[o + 8]
    if k >= 0:
        guess = (F[I[ANGLE_AT] + k] + F[I[ANGLE_RATE] + k] * (t - F[I[ANGLE_TIME]])).real
    space_item(I, P, F, o, guess, (I[VALUE] & MASK) + r, (I[BIAS] & MASK) + r)


@kernel
def items(I, P, F, t, q, first, last):
    """Items first ... last-1."""
    if I[PLANE]:
        for it in range(first, last):
            plane_row(I, P, F, q, it)
    else:
        for it in range(first, last):
            space_row(I, P, F, t, it)


@kernel
def row_dot(I, F, r, x):
    """Product of row r with the scaled vector at F[x]."""
    width = 3 if I[PLANE] else 6
    o = (I[ROW] + ROW_SIZE * r) & MASK
    at, step = I[o] & MASK, I[o + 1] & MASK
    total = 0.0 * F[x]
    for s in range(I[o + 2] & MASK, I[o + 2 + ROW_SIZE]):
        b = (x + I[s]) & MASK
        for c in range(width):
            total += F[at + c] * F[b + c]
        at = (at + step) & MASK
    return total


@kernel
def apply(I, F, r, f, x):
    """Add the generalized force -J^T f of row r to the scaled vector at F[x]."""
    width = 3 if I[PLANE] else 6
    o = (I[ROW] + ROW_SIZE * r) & MASK
    at, step = I[o] & MASK, I[o + 1] & MASK
    for s in range(I[o + 2] & MASK, I[o + 2 + ROW_SIZE]):
        b = (x + I[s]) & MASK
        for c in range(width):
            F[b + c] -= F[at + c] * f
        at = (at + step) & MASK
