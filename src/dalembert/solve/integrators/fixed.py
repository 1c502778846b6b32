"""Explicit Runge-Kutta methods for steps of one length: weights of the stages and of the step, nodes."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...errors import MethodError, nearest
from . import method as adaptive

_A = {
    1: ((1.0,),),
    2: ((0.5,), (0.0, 1.0)),
    4: ((0.5,), (0.0, 0.5), (0.0, 0.0, 1.0), (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)),
}
ORDERS = (1, 2, 4, 5, 8)


@cache
def fixed(order: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Weights (the last row makes the step), nodes and number of stages of Euler's, the midpoint, the classical, and the adaptive methods."""
    if order not in ORDERS:
        known = [str(x) for x in ORDERS]
        raise MethodError(f"method = {order!r}", "no such method", nearest(str(order), known), "give method=4")
    if order not in _A:
        tableau = adaptive(order)
        return tableau.a, tableau.c, tableau.steps
    rows = _A[order]
    a = np.zeros((len(rows) + 1, len(rows) + 1))
    for s, row in enumerate(rows, start=1):
        a[s, : len(row)] = row
    # a stage stands at the time up to which its weights integrate
    return a, a.sum(axis=1), len(rows)
