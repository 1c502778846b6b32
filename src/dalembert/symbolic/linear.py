"""Small symbolic linear algebra by elimination, with pivots that are plain numbers or parameters wherever there are any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import sp
from .simplify import is_zero, tidy


def _cost(x: Any, moving: set[Any]) -> tuple[int, int] | None:
    """How much a pivot is disliked: numbers first, then parameters, then short functions of the state; None for zero."""
    if x == 0:
        return None
    if x.is_number:
        return 0, int(x.count_ops())
    if not x.free_symbols & moving:
        return 1, int(x.count_ops())
    return None if is_zero(x) else (2, int(x.count_ops()))


def _candidates(work: Any, rows: Sequence[int], free: Sequence[int], moving: set[Any]) -> list[tuple[Any, int, int]]:
    """Pivots that are not zero: their costs, rows and columns."""
    return [(cost, r, c) for r in rows for c in free if (cost := _cost(work[r, c], moving)) is not None]


def pivots(A: Any, moving: set[Any]) -> list[int] | None:
    """Columns that can be solved for, one for each row; None when there are not enough.  Late columns are preferred."""
    work, found = A.copy(), []
    rows, free = list(range(A.rows)), list(range(A.cols))
    while rows:
        best = min(_candidates(work, rows, free, moving), key=lambda x: (x[0], -x[2], x[1]), default=None)
        if best is None:
            return None
        _, r, c = best
        _clear(work, r, c, rows)
        rows.remove(r)
        free.remove(c)
        found.append(c)
    return sorted(found)


def inverse(A: Any, moving: set[Any]) -> Any | None:
    """Inverse of a square matrix; None when it is singular."""
    n = A.rows
    work = A.row_join(sp.eye(n))
    rows, free, place = list(range(n)), list(range(n)), {}
    while rows:
        best = min(_candidates(work, rows, free, moving), default=None)
        if best is None:
            return None
        _, r, c = best
        pivot = work[r, c]
        for k in range(2 * n):
            work[r, k] = tidy(work[r, k] / pivot) if work[r, k] != 0 else work[r, k]
        _clear(work, r, c, list(range(n)))
        rows.remove(r)
        free.remove(c)
        place[c] = r
    return sp.Matrix(n, n, lambda i, j: work[place[i], n + j])


def _clear(work: Any, r: int, c: int, rows: Sequence[int]) -> None:
    """Subtract row r from others so that column c is zero there."""
    for k in rows:
        if k == r or work[k, c] == 0:
            continue
        factor = work[k, c] / work[r, c]
        for j in range(work.cols):
            if work[r, j] != 0:
                work[k, j] = tidy(work[k, j] - factor * work[r, j])
        work[k, c] = work[k, c] * 0
