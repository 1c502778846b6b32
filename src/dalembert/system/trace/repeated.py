"""One program for many parts: every instruction of a kind runs for all of its parts together.

A program is groups of equal instructions (`kernels/program.py`).  A kind of which there are n parts writes its groups n times as long, and what parts
contribute to one entry is added at the end.  So the branch on the code is taken once for all parts, and writing the program is work with arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...kernels import functions as op
from ..graph import Graph
from ..program import groups


class Formulas(NamedTuple):
    """Formulas of a kind: graph, nodes wanted, inputs, number of parts, and (part, table of the kind) -> table of the whole."""

    graph: Graph
    results: Sequence[int]
    given: Sequence[int]
    parts: int
    tables: np.ndarray


class Repeated:
    """The program of some kinds.

    Attributes
    ----------
    code
        Groups of instructions.
    memory
        Memory with the constants in it: inputs first (those of the first part of the first kind, of its second part, ...), constants, registers.
    out
        First register.
    places
        For each kind, where the results of all parts are: node -> (part).
    """

    def __init__(self, kinds: Sequence[Formulas]) -> None:
        self._chunks: list[np.ndarray] = []
        n_inputs = sum(kind.parts * len(kind.given) for kind in kinds)
        constants: dict[float, int] = {}
        for kind in kinds:
            for node in kind.graph.needed(kind.results, kind.given):
                number = kind.graph.value(node)
                if number is not None:
                    constants.setdefault(number, n_inputs + len(constants))
        self.out = self._next = n_inputs + len(constants)
        self.places: list[dict[int, np.ndarray]] = []
        first = 0
        for kind in kinds:
            part = np.arange(kind.parts)
            known = {node: first + k + part * len(kind.given) for k, node in enumerate(kind.given)}
            for node in kind.graph.needed(kind.results, known):
                number = kind.graph.value(node)
                if number is not None and node not in known:
                    known[node] = np.full(kind.parts, constants[number])
            self.places.append(self._write(kind, known))
            first += kind.parts * len(kind.given)
        self._constants = np.array([*constants], dtype=float)

    def _write(self, kind: Formulas, place: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        n = kind.parts
        for code, tasks in groups(kind.graph, kind.results, place, {}):
            operands = []
            for task in tasks:
                rest = [np.full(n, x) for x in task.rest]
                if code == op.SPLINE:
                    rest[0] = kind.tables[:, task.rest[0]]
                operands.append(np.column_stack([*(place[node] for node in task.reads), *rest]).ravel())
            self._chunks += [np.array([code, n * len(tasks)]), *operands]
            for task in tasks:
                for k, node in enumerate(task.writes):
                    place[node] = self._next + k + len(task.writes) * np.arange(n)
                self._next += n * len(task.writes)
        return {node: place[node] for node in kind.results}

    def summed(self, entry: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Places of the sums of what belongs to one entry (numbers 0 ... n-1, each at least once)."""
        order = np.argsort(entry, kind="stable")
        entry, place = entry[order], place[order]
        while len(entry) and len(entry) > entry[-1] + 1:
            # the first and second, third and fourth ... of every entry
            first = np.flatnonzero(np.diff(entry, prepend=-1))
            number = np.arange(len(entry)) - np.repeat(first, np.diff(first, append=len(entry)))
            left = np.flatnonzero((number % 2 == 0) & (np.append(entry[1:], -1) == entry))
            self._chunks += [np.array([op.ADD, len(left)]), np.column_stack([place[left], place[left + 1]]).ravel()]
            place[left] = self._next + np.arange(len(left))
            self._next += len(left)
            kept = np.delete(np.arange(len(entry)), left + 1)
            entry, place = entry[kept], place[kept]
        return place

    @property
    def code(self) -> np.ndarray:
        """All that was written."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._chunks])

    @property
    def memory(self) -> np.ndarray:
        """Memory with the constants in it."""
        found = np.zeros(self._next + 2)
        found[self.out - len(self._constants) : self.out] = self._constants
        return found
