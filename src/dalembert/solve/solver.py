"""Memory of implicit methods."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..kernels import memory
from .integrators._base import EXPLICIT, Tableau
from .problem import Problem
from .stepping.records import Memory, Method, Solver
from .stepping.stages import FEW

# stages of the largest implicit method
MOST_STAGES = 3


def lenience(method: Tableau, rtol: float) -> float:
    """Factor of the tolerances for the error estimate.

    With three stages the estimate is of order 3 and the method of order 5: the error that is left is far below the estimate, the more so the
    shorter the steps.  Measured on the pendulum, the double pendulum in space and the governor, this brings errors near the tolerance.
    """
    return max(1.0, 0.1 * rtol**-0.25) if method.name == "radau5" else 1.0


@cache
def no_solver() -> Solver:
    """What explicit methods are given: nothing."""
    none, whole, pairs = np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    fields: dict[str, Any] = dict.fromkeys(Solver._fields, none)
    fields |= dict.fromkeys(("code", "places", "basic", "still", "real_pivot", "pivot", "block_pivot"), whole)
    return Solver(
        **fields | dict.fromkeys(("inputs", "results", "called", "terms"), pairs) | {"term_slopes": np.zeros((0, 2))}
    )


def solver_of(p: Problem, mem: Memory, method: Method, exact: bool = False, instead: Solver | None = None) -> Solver:
    """Memory for a method on a problem; with `exact` derivatives of all forces, not of laws alone, or `instead` where these are too long."""
    if method.kind == EXPLICIT:
        return no_solver()
    assert p.slopes is not None
    made = p.slopes(exact)
    if made is None:
        assert instead is not None
        return instead
    n, nv, nz, m = len(mem.y), len(mem.v), len(mem.z), memory.sizes(p.I).rows
    width, wide = nv + nz, 2 * nv + nz
    square = width * width

    # memory for derivatives of every stage, where there may be few freedoms
    few = MOST_STAGES if nv - m + nz <= 2 * FEW else 0

    def whole(size: int) -> np.ndarray:
        return np.zeros(size, dtype=np.int64)

    return Solver(  # type: ignore[call-arg]
        made.code, made.registers.copy(), made.places, made.inputs, made.results, made.parts.copy(), made.called,
        np.zeros(2 * len(made.called)), made.terms, np.zeros((len(made.terms), 2)), np.zeros(m * nv), whole(m), whole(nv), np.zeros(nv * nv), np.zeros(width * wide),
        *(np.zeros(square) for _ in range(4)), whole(width), np.zeros(square), np.zeros(square), whole(width),
        np.zeros(nv), np.zeros(nv), np.zeros(nz), np.zeros(width), np.zeros(width), np.zeros(nv),
        np.zeros(MOST_STAGES * n), np.zeros(MOST_STAGES * width), np.zeros(MOST_STAGES * width), np.zeros(MOST_STAGES * n),
        *(np.zeros(k * few) for k in (nv * nv, width * wide, square, MOST_STAGES * FEW * FEW)), whole(few * FEW), np.zeros(few * FEW),
    )  # fmt: skip
