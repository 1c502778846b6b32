"""Rows of measures: evaluation by kind, rates, and forces applied along a row."""

from __future__ import annotations

from . import layout as at
from .compiler import inlined, kernel
from .measures_plane import plane_item
from .measures_space import space_item


@inlined
def plane_row(I, P, F, q, it):
    """Value, row and bias of planar item number `it`."""
    o = I[at.ITEM] + at.ITEM_SIZE * it
    r = I[o + 5]
    plane_item(I, P, F, q, o, I[at.VALUE] + r, I[at.BIAS] + r)


@inlined
def space_row(I, P, F, t, it, valued):
    """Row and bias of item number `it` in space, and its value (if it is an angle: only if `valued`)."""
    o = I[at.ITEM] + at.ITEM_SIZE * it
    r = I[o + 5]
    guess, k = 0.0, I[o + 8]
    if valued and k >= 0:
        guess = F[I[at.ANGLE_AT] + k] + F[I[at.ANGLE_RATE] + k] * (t - F[I[at.ANGLE_TIME]])
    space_item(I, P, F, o, guess, valued, I[at.VALUE] + r, I[at.BIAS] + r)


@kernel
def items(I, P, F, t, q, first, last, valued):
    """Items first ... last-1; `valued` as in `space_row`."""
    if I[at.PLANE]:
        for it in range(first, last):
            plane_row(I, P, F, q, it)
    else:
        for it in range(first, last):
            space_row(I, P, F, t, it, valued)


@inlined
def wrench_dot(plane, F, a, b):
    """Product of the wrenches at F[a] and F[b]."""
    total = F[a] * F[b] + F[a + 1] * F[b + 1] + F[a + 2] * F[b + 2]
    if not plane:
        total += F[a + 3] * F[b + 3] + F[a + 4] * F[b + 4] + F[a + 5] * F[b + 5]
    return total


@inlined
def wrench_clear(plane, F, to):
    """Zero wrench at F[to]."""
    F[to], F[to + 1], F[to + 2] = 0.0, 0.0, 0.0
    if not plane:
        F[to + 3], F[to + 4], F[to + 5] = 0.0, 0.0, 0.0


@inlined
def wrench_add(plane, F, to, f, a):
    """Add f times the wrench at F[a] to the one at F[to]."""
    F[to] += f * F[a]
    F[to + 1] += f * F[a + 1]
    F[to + 2] += f * F[a + 2]
    if not plane:
        F[to + 3] += f * F[a + 3]
        F[to + 4] += f * F[a + 4]
        F[to + 5] += f * F[a + 5]


@kernel
def row_dot(I, F, r, x):
    """Product of row r with the scaled vector at F[x]."""
    plane = I[at.PLANE]
    o = I[at.ROW] + at.ROW_SIZE * r
    wrench, step = I[o], I[o + 1]
    total = 0.0
    for s in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
        total += wrench_dot(plane, F, wrench, x + I[s])
        wrench = wrench + step
    return total


@kernel
def apply(I, F, r, f, x):
    """Add the generalized force -J^T f of row r to the scaled vector at F[x]."""
    plane = I[at.PLANE]
    o = I[at.ROW] + at.ROW_SIZE * r
    wrench, step = I[o], I[o + 1]
    for s in range(I[o + 2], I[o + 2 + at.ROW_SIZE]):
        wrench_add(plane, F, x + I[s], -f, wrench)
        wrench = wrench + step
