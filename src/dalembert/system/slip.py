"""Friction that slips as the arrays S and X of `kernels/friction.py`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from ..kernels import friction as at
from ..model.expression import Expr, SplineCall
from ..model.expression.tree import postorder
from .formulas import Formulas
from .program import program


def slip_tables(sliding: Sequence[Any]) -> tuple[np.ndarray, np.ndarray] | None:
    """Arrays of elements that slip (`solve/friction.py`), those that feel a reaction first, by islands; None where a size is looked up in a table."""
    sizes = [one.law for one in sliding]
    if any(isinstance(node, SplineCall) for size in sizes if isinstance(size, Expr) for node in postorder(size)):
        return None
    pads = [(k, pad, one.rows) for k, one in enumerate(sliding) for pad in one.pads]
    components = [(row, rows) for _, pad, rows in pads for row in pad]
    entries = [[(float(w), r) for w, r in zip(row, rows) if w != 0.0] for row, rows in components]
    ends = np.cumsum([0, *(len(pad) for _, pad, _ in pads)])
    n, m = sum(1 for one in sliding if one.pads), len(components)
    S = list[int]([0] * at.HEADER)
    S[at.SLIDING], S[at.COUPLED], S[at.N_PADS] = len(sliding), n, len(pads)
    most = max((len(one.gaps) for one in sliding), default=0)
    # places in X
    place, x = at.FAILED_TIME + 1, list[float]()
    for entry, numbers in (
        (at.NUMBER, [y for one in sliding for y in _numbers(one)]), (at.WEIGHT, [w for listed in entries for w, _ in listed]), (at.X0, [0.0] * m),
        (at.B, [0.0] * (m * n)), (at.MATRIX, [0.0] * (n * n)), (at.STEP, [0.0] * n), (at.SIZE, [0.0] * n), (at.MU, [0.0] * n), (at.WORK, [0.0] * m),
        (at.RATE_AT, [0.0] * (1 + 2 * most)),
    ):  # fmt: skip
        S[entry] = place + len(x)
        x += numbers
    # sizes that depend on the rate, with their numbers and registers behind all that
    made = Formulas()
    named = ["v", *(f"{what}{k}" for k in range(most) for what in ("gap", "rate"))]
    inputs = {name: made.named(name) for name in named}
    results = [made.add_formula(size, inputs) if isinstance(size, Expr) else -1 for size in sizes]
    loaded = [*map(made.number, list(made.constants)), *made.numbers]
    loads = {node: place + len(x) + k for k, node in enumerate(loaded)}
    x += [*made.constants, *made.numbers.values()]
    S[at.REGISTERS] = place + len(x)
    programs = [
        None
        if node < 0
        else program(made, [node], {inputs[x]: S[at.RATE_AT] + k for k, x in enumerate(named)}, S[at.REGISTERS], loads)
        for node in results
    ]
    x += [0.0] * max((p.size for p in programs if p is not None), default=0)
    # tables of integers
    S[at.PADS] = len(S)
    S += [y for (k, _, _), first in zip(pads, ends) for y in (k, int(first))] + [0, m]
    S[at.COMPONENT] = len(S)
    S += np.cumsum([0, *map(len, entries)]).tolist()
    S[at.ENTRY] = len(S)
    S += [r for listed in entries for _, r in listed]
    S[at.PAD0] = len(S)
    S += np.cumsum([0, *(len(one.pads) for one in sliding[:n])]).tolist()
    islands = [len(list(some)) for _, some in groupby(sliding[:n], key=lambda one: one.island)]
    S[at.ISLANDS], S[at.ISLAND0] = len(islands), len(S)
    S += np.cumsum([0, *islands]).tolist()
    for entry, size in ((at.AT, len(islands)), (at.MEMBER, n), (at.PIVOT, n)):
        S[entry] = len(S)
        S += [0] * size
    gaps_at = len(S) + np.cumsum([0, *(len(one.gaps) for one in sliding)])
    S += [law for one in sliding for law in one.gaps]
    S[at.ELEMENT] = len(S)
    first = len(S) + at.ELEMENT_SIZE * len(sliding)
    code: list[int] = []
    for one, node, made_of, gaps in zip(sliding, results, programs, gaps_at.tolist()):
        laws = [*one.laws, 0, 0][:3]
        begin = first + len(code)
        code += [] if made_of is None else made_of.code
        found = (-1, -1, -1) if made_of is None else (begin, first + len(code), made_of.register[node])
        rates = [*(one.rates or one.laws), 0, 0][:3]
        S += [
            len(one.laws),
            *laws,
            0,
            *found,
            gaps,
            len(one.gaps),
            int(one.signed),
            *rates,
        ]
    return np.array(S + code, dtype=np.int64), np.array([0.0] * place + x)


def _numbers(one: Any) -> list[float]:
    """The size of an element where it is constant, its direction, and whether that is given."""
    e, status = ([], at.AGAINST_RATES) if one.direction is None else (one.direction.tolist(), at.GIVEN)
    return [0.0 if isinstance(one.law, Expr) else float(one.law), *([*e, 0.0, 0.0, 0.0][:3]), status]
