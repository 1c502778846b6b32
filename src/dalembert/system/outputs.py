"""Outputs of a run through the compiled pass of `kernels/outputs.py`: constraints, residuals and rows of all of them at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.memory import sizes
from ..kernels.operate import OUTPUTS, operate
from ..kernels.outputs import FOUND
from .system import System
from .tables import Work

# numbers in the records of one call
TOGETHER = 500_000


class Pass:
    """The pass over outputs of a system.

    `work`: memory whose floors say which rows are left out; everything else in it is written.  `unit`: inverse roots of inertias, the units of the
    equations; None where nobody asks for residuals.  `copied`: places (first, last) in the memory that are wanted of every output.
    """

    def __init__(
        self, system: System, work: Work, unit: np.ndarray | None = None, copied: tuple[int, int] = (0, 0)
    ) -> None:
        self.nv, self.n_rows = system.nv, system.n_rows
        self.system, self.work, self.copied = system, work, copied
        self.unit = np.ones(self.nv) if unit is None else unit
        key = f"columns of outputs, {copied[1] - copied[0]} copied"
        if key not in system.known:
            system.known[key] = self._columns()
        self.columns, self.record = system.known[key]
        self.found = self.columns[7].start + 4  # the two residuals
        self.head = 1 + 4 * self.nv + 3 * self.n_rows

    def _columns(self) -> tuple[list[slice], int]:
        """Where what is given, what is found and what is copied stand in a record, and its length."""
        many, copied = sizes(self.system.I), self.copied[1] - self.copied[0]
        edges = [0]
        for width in (1, many.angles, many.states, many.sides, many.laws, many.rows, self.nv, FOUND, copied):
            edges.append(edges[-1] + width)
        return [slice(first, last) for first, last in zip(edges, edges[1:])], edges[-1]

    @cached_property
    def _one(self) -> tuple[np.ndarray, np.ndarray, list[tuple[str, np.ndarray]]]:
        """Memory of a single output, its record, and where what is given stands there."""
        a = self._memory(1)
        a[0] = -1.0  # nothing but residuals
        record, names = a[self.head :], ("angle", "z", "side", "force", "lam", "a")
        return a, record, [(x, record[at]) for x, at in zip(names, self.columns[1:7]) if at.stop > at.start]

    def _memory(self, n: int) -> np.ndarray:
        a = np.zeros(self.head + n * self.record)
        a[0], a[1 + self.nv : 1 + 2 * self.nv] = self.copied[0], self.unit
        return a

    def worst(self, t: float, out: Any, blur: float) -> float:
        """The worst residual at the only output of `out`, in units of what is allowed."""
        (a, record, places), numbering = self._one, self.system.numbering
        record[0] = t
        for name, place in places:
            place[:] = getattr(out, name)[0]
        self.work.frozen[0] = 1.0
        operate(OUTPUTS, numbering.I, numbering.P, self.work.F, 0.0, out.q[0], out.v[0], a, blur, 1)
        return float(max(record.item(self.found), record.item(self.found + 1)))

    def __call__(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, given: tuple[Any, ...], blur: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """What is found (time, FOUND), and the copies (time, places).

        `given` are counted angles, auxiliary states, sides of switches (None: by the state), forces, multipliers and accelerations, (time, ...)
        each.
        """
        n, numbering = len(t), self.system.numbering
        found, copies = np.zeros((n, FOUND)), np.zeros((n, self.copied[1] - self.copied[0]))
        most = max(1, TOGETHER // max(self.record, 1))
        self.work.frozen[0] = 0.0 if given[2] is None else 1.0
        for first in range(0, n, most):
            some = slice(first, min(first + most, n))
            times = some.stop - first
            a = self._memory(times)
            records = a[self.head :].reshape(times, -1)
            records[:, 0] = t[some]
            for columns, x in zip(self.columns[1:], given):
                if x is not None and columns.stop > columns.start:
                    records[:, columns] = x[some]
            operate(
                OUTPUTS, numbering.I, numbering.P, self.work.F, 0.0, np.ascontiguousarray(q[some]).reshape(-1),
                np.ascontiguousarray(v[some]).reshape(-1), a, blur, times,
            )  # fmt: skip
            found[some], copies[some] = records[:, self.columns[7]], records[:, self.columns[8]]
        self.work.frozen[0] = 0.0
        return found, copies
