"""Exact derivatives of the equations of a mechanism, from their graph.

    force    M a + J^T lam - Q    a and lam held
    value    phi                  of the free rows: their values
    rate     J v - nu             of the free rows: their rates
    second   J a - gamma          a held
    state    z'                   of the auxiliary states
    gap      where it changes its sign a switch changes its side

by displacements ("q": like velocities, the tangent of rotations), velocities ("v"), time ("t"), auxiliary states ("z"), numbers of P ("P 7 8"), and
along a change of numbers of P ("p 7 8": dP in the state).  The mass matrix is constant in these velocities, so that a matters by numbers of P
only.  Sides of switches are given, so that derivatives are those of either side of a corner.  What follows from M a + J^T lam = Q and J a = gamma is found by solving once more
with the same matrices (`Tangents.motion`), never by differentiating an elimination.

A mechanism is differentiated part by part (`parts.py`): joints, laws and bodies of one kind share their formulas, so that what has to be written grows with the number of
kinds, and what is run with the size of the mechanism.  The programs belong to a structure and serve every mechanism that has it.  They are run by the kernel
that runs Lagrangian formulas, which needs no compilation of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...kernels import functions as op
from ...kernels import layout as at
from ..graph import Graph
from ..program import Evaluation, groups
from ..tables import Numbering
from .equations import Pair, kind_of
from .parts import Part, parts_of


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


# entries of a matrix beyond which it is sparse
DENSE = 1_000_000
# kinds of parts belong to all mechanisms: one thread writes at a time
_lock = threading.RLock()
_NONE = np.zeros(0, dtype=int)


@dataclass(frozen=True)
class _Code:
    """A program, where its inputs come from, and where its results go."""

    values: Evaluation
    size: int
    inputs: dict[str, tuple[np.ndarray, np.ndarray]]  # array -> numbers of inputs, places in the array
    parts: list[tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]]  # shape, rows, columns, numbers of results
    apart: np.ndarray  # numbers of conditions that must hold


class Tangents:
    """Derivatives of the equations of one structure.

    Attributes
    ----------
    refused
        Why there are none at all, or "".
    """

    def __init__(self, numbering: Numbering, cut: Callable[[Numbering], list[Part]] = parts_of) -> None:
        self._codes: dict[tuple[Pair, ...], _Code] = {}
        self._numbering, self._cut = numbering, cut  # any one with this structure
        laws = numbering.I[numbering.I[at.LAW] :][: at.LAW_RECORD * int(numbering.I[at.N_LAWS]) : at.LAW_RECORD]
        self.refused = "a law is a Python function, which has no formula" if at.LAW_CALL in laws else ""

    @cached_property
    def _parts(self) -> list[Part]:
        return self._cut(self._numbering)

    @cached_property
    def _switches(self) -> dict[int, int]:
        """Places of sides in F, with the codes of their switches, in the order of the gaps."""
        found: dict[int, int] = {}
        with _lock:
            for part in self._parts:
                made = kind_of(part).equations
                for place, code in zip(made.sides.values(), made.kinds):
                    found.setdefault(int(part.places["F"][place]), code)
        return found

    def __call__(
        self, wanted: Sequence[Pair], numbering: Numbering, F: np.ndarray, state: Mapping[str, Any]
    ) -> list[np.ndarray] | None:
        """Matrices for pairs (what, by), see above, at a state, or None where they are refused, or not defined: at a distance of zero.

        By "" are the values themselves, in one column.  F has counted angles, states, and sides of switches; `state` has "t", "q", "v", and where they are
        needed "lam" (of all rows, and of free rows), "a" (for second, and by numbers of masses), and "dP".
        """
        if self.refused:
            return None
        code = self.code(tuple(wanted))
        inputs = np.zeros(code.size)
        arrays = {"P": numbering.P, "F": F, **state}
        for name, (to, place) in code.inputs.items():
            inputs[to] = np.atleast_1d(arrays[name])[place]
        values = code.values(inputs, numbering.P)
        if not np.all(values[code.apart]):
            return None
        return [_matrix(shape, rows, columns, values[numbers]) for shape, rows, columns, numbers in code.parts]

    def beyond(self, F: np.ndarray, gaps: np.ndarray, rates: np.ndarray) -> np.ndarray | None:
        """Memory with the sides that switches take where gaps change at these rates (zero: as they are); None where no gap tells a side."""
        made = F.copy()
        for (place, kind), gap, rate in zip(self._switches.items(), gaps, rates):
            if kind not in (op.LT, op.LE, op.SIGN, op.FLOOR):
                return None
            if rate != 0.0:
                whole = F[place] + (gap < 0.0) if kind == op.FLOOR else 1.0
                made[place] = whole if rate > 0.0 else -1.0 if kind == op.SIGN else whole - 1.0
        return made

    def motion(
        self, by: str, mass: np.ndarray, numbering: Numbering, F: np.ndarray, state: Mapping[str, Any]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Derivatives of the accelerations and multipliers of a solution (state: with "a" and "lam"), or None where they are refused.

            M da + J^T dlam = -d(M a + J^T lam - Q),    J da = -d(J a - gamma)        at fixed a and lam on the right

        Rows that were left out as dependent keep the multiplier zero.
        """
        found = self([("rate", "v"), ("force", by), ("second", by)], numbering, F, state)
        if found is None:
            return None
        n, nv = numbering.n_rows, len(mass)
        jac, force, second = found
        kept = np.flatnonzero(F[int(numbering.I[at.FLOOR]) :][:n] < at.OFF)
        jac = jac[kept]
        matrix = np.block([[mass, jac.T], [jac, np.zeros((len(kept), len(kept)))]])
        still = np.flatnonzero(~matrix.any(axis=0))  # particles do not turn
        matrix[still, still] = 1.0
        solved = np.linalg.solve(matrix, -np.vstack([force, second[kept]]))
        lam = np.zeros((n, force.shape[1]))
        lam[kept] = solved[nv:]
        return solved[:nv], lam

    def code(self, wanted: tuple[Pair, ...]) -> _Code:
        """The program of some derivatives; values of laws in Python are held."""
        with _lock:
            if wanted not in self._codes:
                self._codes[wanted] = self._write(wanted)
            return self._codes[wanted]

    def _write(self, wanted: tuple[Pair, ...]) -> _Code:
        alike: dict[Any, list[Part]] = {}
        for part in self._parts:
            # numbers of P that are asked for, as the part calls them
            local = tuple((what, _local(part, by)) for what, by in wanted)
            alike.setdefault((part.kind, local), []).append(part)
        entries = [kind_of(parts[0]).entries(local) for (_, local), parts in alike.items()]
        program = Repeated([
            Formulas(
                kind_of(parts[0]).equations.graph, made.results, [node for node, _ in made.given], len(parts),
                np.array([part.places["table"] for part in parts]).reshape(len(parts), -1),
            )
            for made, parts in zip(entries, alike.values())
        ])  # fmt: skip
        found: list[list[list[np.ndarray]]] = [[[_NONE], [_NONE], [_NONE]] for _ in wanted]  # rows, columns, places
        inputs: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {}
        apart, first = [_NONE], 0
        for ((_, local), parts), made, place in zip(alike.items(), entries, program.places):
            for k, (_, (name, number)) in enumerate(made.given):
                to, of = inputs.setdefault(name, ([], []))
                to.append(first + k + len(made.given) * np.arange(len(parts)))
                of.append(np.array([part.places[name][number] for part in parts]))
            first += len(parts) * len(made.given)
            apart += [place[node] for node in made.apart]
            for (what, by), own, (r, c, p) in zip(wanted, local, found):
                rows = np.array([self._rows(part, what) for part in parts]).reshape(len(parts), -1)
                columns = np.array([self._columns(part, by) for part in parts]).reshape(len(parts), -1)
                for row, column, node in made.of[own]:
                    r.append(rows[:, row])
                    c.append(columns[:, column])
                    p.append(place[node])
        matrices, results = [], [np.concatenate(apart)]
        for (what, by), pieces in zip(wanted, found):
            at_row, at_column, at_place = map(np.concatenate, pieces)
            shape = self._size(what), self._width(by)
            entry, which = np.unique(at_row * shape[1] + at_column, return_inverse=True)
            matrices.append(
                (shape, entry // shape[1], entry % shape[1], sum(map(len, results)) + np.arange(len(entry)))
            )
            results.append(program.summed(which, at_place))
        arrays = {name: (np.concatenate(to), np.concatenate(of)) for name, (to, of) in inputs.items()}
        registers = np.concatenate(results)
        values = Evaluation.of_code(self._numbering.I, program.code, program.memory, program.out, registers)
        return _Code(values, first, arrays, matrices, np.arange(len(results[0])))

    def _size(self, what: str) -> int:
        I = self._numbering.I  # noqa: E741
        if what == "force":
            return (3 if I[at.PLANE] else 6) * int(I[at.N_BODIES])
        if what == "state":
            return int(I[at.N_STATES])
        return len(self._switches) if what == "gap" else self._numbering.n_rows + int(I[at.N_FREE])

    def _rows(self, part: Part, what: str) -> np.ndarray:
        if what == "gap":
            order = {place: k for k, place in enumerate(self._switches)}
            return np.array(
                [order[int(part.places["F"][k])] for k in kind_of(part).equations.sides.values()], dtype=int
            )
        return part.places[{"force": "v", "state": "z"}.get(what, "row")]

    def _width(self, by: str) -> int:
        if by in ("q", "v"):
            return self._size("force")
        if by == "z":
            return self._size("state")
        return len(by.split()) - 1 if by.startswith("P") else 1

    def _columns(self, part: Part, by: str) -> np.ndarray:
        if by in ("q", "v", "z"):
            return part.places["z" if by == "z" else "v"]
        if by.startswith("P"):
            order = {int(k): n for n, k in enumerate(by.split()[1:])}
            return np.array([order[int(k)] for k in part.places["P"] if int(k) in order], dtype=int)
        return np.zeros(1, dtype=int)


def _local(part: Part, by: str) -> str:
    """Numbers of P by their places in a part."""
    if not by.startswith(("P", "p")):
        return by
    moved = {int(k) for k in by.split()[1:]}
    return " ".join([by[0], *(str(k) for k, place in enumerate(part.places["P"]) if int(place) in moved)])


def _matrix(shape: tuple[int, int], rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> Any:
    if shape[0] * shape[1] > DENSE:
        from scipy.sparse import csr_array

        return csr_array((values, (rows, columns)), shape)
    matrix = np.zeros(shape)
    matrix[rows, columns] = values
    return matrix


_known: dict[str, Tangents] = {}
# structures that are remembered
_MOST = 100


def tangents(numbering: Numbering) -> Tangents:
    """Derivatives of the structure of a mechanism; one for all that have it."""
    from ..machine.native import structure

    key = structure(numbering)
    if key not in _known:
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = Tangents(numbering)
    return _known[key]
