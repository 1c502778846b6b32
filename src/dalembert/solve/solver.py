"""Memory of implicit methods."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..errors import MethodError
from ..kernels import memory
from .integrators._base import COLLOCATION, EXPLICIT, Tableau
from .problem import Problem
from .stepping.records import Many, Memory, Method, Solver
from .stepping.stages import FEW

# stages of the largest implicit method
MOST_STAGES = 5
# degree of the dense output of any method: a run may change from one to another
MOST_DEGREE = 7
MOST_PAIRS = 2


def lenience(method: Tableau, rtol: float) -> float:
    """Factor of the tolerances for the error estimate.

    With three stages the estimate is of order 3 and the method of order 5, with five of orders 5 and 9: the error that is left is far below the estimate, the
    more so the shorter the steps.  Measured on the pendulum, the double pendulum in space and the governor, this brings errors near the tolerance.  With
    five stages it could be wider still, but the polynomial between the ends of steps is of the order of the estimate, and outputs are taken from it.

    Where the estimate is that of the whole error of a step, h^(p+1) at order p, N ~ e^(-1/(p+1)) steps with an error e each, of one sign, add up to e^(p/(p+1)):
    e = rtol^(1+1/p) makes the sum fall with rtol.  The 3 brings errors of generalized-alpha near the tolerance (pendulum, springs, van der Pol).
    """
    if method.falls > method.order:
        return float(3.0 * rtol ** (1.0 / method.order))
    return max(1.0, 0.1 * rtol**-0.25) if method.steps >= 3 and method.kind == COLLOCATION else 1.0


Both = tuple[Solver, Many]


@cache
def no_solver() -> Both:
    """What explicit methods are given: nothing."""
    return _empty(Solver), _empty(Many)


def _empty(kind: Any) -> Any:
    """A record of empty arrays of the right kinds."""
    whole = (
        "code", "places", "basic", "still", "real_pivot", "block_pivot", "perm", "ptr", "col", "at", "first", "below", "mass",
        "entries", "wrench", "soft_of",
    )  # fmt: skip
    pairs = ("inputs", "results", "called", "terms", "soft")
    made = {name: np.zeros(0) for name in kind._fields}
    made |= {name: np.zeros(0, dtype=np.int64) for name in whole if name in made}
    made |= {name: np.zeros((0, 2), dtype=np.int64) for name in pairs if name in made}
    made |= {name: np.zeros((0, 0)) for name in ("re", "im", "re_d", "im_d") if name in made}
    if "pivot" in made:
        made["pivot"] = np.zeros((0, 0), dtype=np.int64)
    if kind is Many:
        made["rows"] = np.zeros(0, dtype=np.int64)
    if "term_slopes" in made:
        made["term_slopes"] = np.zeros((0, 2))
    return kind(**made)


def solver_of(p: Problem, mem: Memory, method: Method, exact: bool = False, instead: Both | None = None) -> Both:
    """Memory for a method on a problem; with `exact` derivatives of all forces, not of laws alone, or `instead` where these are too long."""
    if method.kind == EXPLICIT:
        return no_solver()
    assert p.slopes is not None
    made = p.slopes(exact)
    if made is None:
        if instead is None:
            raise MethodError(
                "an implicit method", "derivatives of more operations than pay", "the formulas of this system are too long for it",
                "use method=8, which needs no derivatives",
            )  # fmt: skip
        return instead
    n, nv, nz, m = len(mem.y), len(mem.v), len(mem.z), memory.sizes(p.I).rows
    width, wide = nv + nz, 2 * nv + nz
    pattern = made.pattern
    dense = pattern is None
    square = width * width if dense else 0
    # memory for derivatives of every stage, where there may be few freedoms
    few = MOST_STAGES if dense and nv - m + nz <= 2 * FEW else 0

    def whole(size: int) -> np.ndarray:
        return np.zeros(size, dtype=np.int64)

    fields = _empty(Solver)._asdict() | {
        "code": made.code, "registers": made.registers.copy(), "places": made.places, "inputs": made.inputs, "results": made.results,
        "parts": made.parts.copy(), "called": made.called, "slopes": np.zeros(2 * len(made.called)), "terms": made.terms,
        "term_slopes": np.zeros((len(made.terms), 2)), "u": np.zeros(nv), "w": np.zeros(nv), "none": np.zeros(nz), "real_y": np.zeros(width),
        "imag_y": np.zeros(width), "turn": np.zeros(nv), "stages": np.zeros(MOST_STAGES * n), "rates": np.zeros(MOST_STAGES * width),
        "residual": np.zeros(MOST_STAGES * width), "before": np.zeros(MOST_STAGES * n),
    }  # fmt: skip
    if dense:
        fields |= {
            "rows": np.zeros(m * nv), "basic": whole(m), "still": whole(nv), "basis": np.zeros(nv * nv), "response": np.zeros(width * wide),
            "real_pivot": whole(width), "pivot": np.zeros((MOST_PAIRS, width), dtype=np.int64), "bases": np.zeros(few * nv * nv), "responses": np.zeros(few * width * wide),
            "units": np.zeros(few * square), "blocks": np.zeros((few * FEW) ** 2), "block_pivot": whole(few * FEW), "block_y": np.zeros(few * FEW),
        } | {name: np.zeros(square) for name in ("by_rate", "by_place", "unit", "real")} | {name: np.zeros((MOST_PAIRS, square)) for name in ("re", "im")}  # fmt: skip
    return Solver(**fields), _empty(Many) if pattern is None else _many(made)


def _many(made: Any) -> Many:
    """Memory of the sparse system of a mechanism with many bodies."""
    pattern, of_row = made.pattern, {int(r): k for k, r in enumerate(made.pattern.soft[:, 0])}
    size, entries, soft = len(pattern.perm), len(pattern.col), len(pattern.soft)
    return Many(  # type: ignore[call-arg]
        *(getattr(pattern, name) for name in Many._fields[:12]), np.array([of_row.get(r, -1) for r in made.own], dtype=np.int64), np.zeros(soft),
        np.zeros(soft), np.zeros(int(pattern.wrench[-1])), np.zeros(entries), np.zeros(size),
        *(np.zeros((MOST_PAIRS, k)) for k in (entries, entries, size, size)), np.zeros(size), np.zeros(size),
    )  # fmt: skip
