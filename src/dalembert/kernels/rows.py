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
    o = I[ITEM] + ITEM_SIZE * it
    plane_item(I, P, F, q, o, I[VALUE] + I[o + 5], I[BIAS] + I[o + 5])


@inlined
def space_row(I, P, F, t, it):
    """Value, row and bias of item number `it` in space."""
    o = I[ITEM] + ITEM_SIZE * it
    guess, k = 0.0, I[o + 8]
    if k >= 0:
        guess = (F[I[ANGLE_AT] + k] + F[I[ANGLE_RATE] + k] * (t - F[I[ANGLE_TIME]])).real
    space_item(I, P, F, o, guess, I[VALUE] + I[o + 5], I[BIAS] + I[o + 5])


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
    o = I[ROW] + ROW_SIZE * r
    at, step = I[o], I[o + 1]
    total = 0.0 * F[x]
    for s in range(I[o + 2], I[o + 2 + ROW_SIZE]):
        for c in range(width):
            total += F[at + c] * F[x + I[s] + c]
        at += step
    return total


@kernel
def apply(I, F, r, f, x):
    """Add the generalized force -J^T f of row r to the scaled vector at F[x]."""
    width = 3 if I[PLANE] else 6
    o = I[ROW] + ROW_SIZE * r
    at, step = I[o], I[o + 1]
    for s in range(I[o + 2], I[o + 2 + ROW_SIZE]):
        for c in range(width):
            F[x + I[s] + c] -= F[at + c] * f
        at += step
