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
from ...kernels import operate as modes
from ...kernels.residual import unscaled
from ...kernels.scalar import SMALLEST
from ..program import Evaluation
from ..tables import Numbering
from .mechanism import TracedMechanism
from .parts import Part, parts_of
from .plain import plain
from .repeated import Formulas, Repeated
from .symbol import REPLACED, Symbol

# entries of a matrix beyond which it is sparse
DENSE = 1_000_000
Pair = tuple[str, str]


class _Equations(TracedMechanism):
    """The equations of a part as nodes: what the mode FORCES leaves in memory, put together; rows of other parts have no multipliers."""

    def __init__(self, part: Part) -> None:
        numbering = part.numbering
        super().__init__(numbering)
        I, graph = self.I, self.graph  # noqa: E741
        self.plane, self.bodies = bool(I[at.PLANE]), int(I[at.N_BODIES])
        self.width = 3 if self.plane else 6
        self.nv, self.rows = self.width * self.bodies, int(I[at.N_ROWS])
        self.all_rows = self.rows + int(I[at.N_FREE])
        self._unscale(numbering.P)
        F = self.symbols("F", len(self._blank), self._before(modes.FORCES, False))
        state, nothing = self.arrays(modes.FORCES), Symbol(graph, graph.zero)
        t, q, v, a = self.time(), state["q"], state["v"], state["a"]
        self.operate()(modes.FORCES, I, self._P, F, t, q.copy(), v.copy(), a.copy(), nothing, 1)
        lam = self.symbols("lam", self.all_rows, {r: 0.0 for r, own in enumerate(part.owned) if not own})
        true, mass = plain(unscaled, REPLACED), at.PLANE_MASS if self.plane else at.SPACE_MASS

        def wrench(place: int, k: int) -> list[Any]:
            record = int(I[at.MASS]) + mass * (k // self.width)
            return [true(I, self._P, F, place, record, c) for c in range(self.width)]

        force = [
            inertia - x
            for b in range(self.bodies)
            for inertia, x in zip(self._inertia(b, a), wrench(int(I[at.ACC]) + self.width * b, self.width * b))
        ]
        value: list[Any] = [F[I[at.VALUE] + r] for r in range(self.all_rows)]
        rate: list[Any] = [F[I[at.RATE] + r] for r in range(self.all_rows)]
        second: list[Any] = []
        for r in range(self.all_rows):
            o = int(I[at.ROW]) + at.ROW_SIZE * r
            place, speed, along = int(I[o]), 0.0, F[I[at.BIAS] + r]
            for s in range(int(I[o + 2]), int(I[o + 2 + at.ROW_SIZE])):
                k = int(I[s])
                for c, w in enumerate(wrench(place, k)):
                    force[k + c] = force[k + c] + lam[r] * w
                    speed = speed + w * v[k + c]
                    along = along + w * a[k + c]
                place += int(I[o + 1])
            if r < self.rows:
                c0, c1, c2 = (F[I[at.DRIVE] + 3 * r + n] for n in range(3))
                value[r] = value[r] - self._P[I[at.OFFSET] + r] - c0
                rate[r], along = speed + F[I[at.PARTIAL] + r] - c1, along - c2
            second.append(along)
        states = [F[I[at.FORCE] + k] for k in range(I[at.N_STATES])]  # rates of states are the first laws
        # nodes of switches, and where their sides stand in F
        self.sides: dict[int, int] = {}
        for k in range(*numbering.places["side"]):
            self.sides.setdefault(self._node(F[k]), k)
        self.sides = {node: k for node, k in self.sides.items() if graph.value(node) is None}
        self.kinds = [graph.rows[node][0] for node in self.sides]
        listed = (("force", force), ("value", value), ("rate", rate), ("second", second), ("state", states))
        self.nodes = {name: [self._node(x) for x in found] for name, found in listed}
        self.nodes["gap"] = [self._gap(*graph.rows[node][:3]) for node in self.sides]
        # a distance of zero has no direction, and no derivative: whether it is more; that of a velocity does not matter
        small = graph.number(SMALLEST)
        moving = graph.dependent(range(len(graph.rows)), [("v", k) for k in range(self.nv)])
        self.apart = {k for k, row in enumerate(graph.rows) if row[:2] == (op.LT, small) and row[2] not in moving}

    def _gap(self, code: int, a: int, b: int) -> int:
        """What a switch looks at; of a whole part how far it is from the nearest whole number."""
        graph = self.graph
        if code == op.FLOOR:
            return graph.sub(a, graph.one_argument(op.FLOOR, graph.add(a, graph.number(0.5))))
        return a if code == op.SIGN else graph.sub(b, a)

    def _inertia(self, b: int, a: np.ndarray) -> list[Any]:
        """M a of one body."""
        P, m, k = self._P, int(self.I[at.MASS]), self.width * b  # noqa: N806
        if self.plane:
            m += at.PLANE_MASS * b
            return [P[m + 5] * a[k], P[m + 5] * a[k + 1], P[m + 6] * a[k + 2]]
        m += at.SPACE_MASS * b
        tensor = ((3, 4, 5), (4, 6, 7), (5, 7, 8))
        turn = [sum((P[m + j] * a[k + 3 + c] for c, j in enumerate(row)), 0.0) for row in tensor]
        return [*(P[m + 21] * a[k + c] for c in range(3)), *turn]

    def _unscale(self, P: np.ndarray) -> None:  # noqa: N803
        """Take G = 1, as models with singular mass do: true forces and rows, and half the operations in space.  Zeros (particles) stay."""
        size, mass = (at.PLANE_MASS, 5) if self.plane else (at.SPACE_MASS, 21)
        # inverse scales, scales; in space L^-1 and L by rows of their lower triangles
        units = (1, 2, 3, 4) if self.plane else (1, 2, 9, 11, 14, 15, 17, 20)
        others = () if self.plane else (10, 12, 13, 16, 18, 19)
        for b in range(self.bodies):
            m = int(self.I[at.MASS]) + size * b
            self._P[m] = self._P[m + mass] if P[m] != 0.0 else 0.0
            for k in units:
                self._P[m + k] = 1.0 if P[m + k] != 0.0 else 0.0
            for k in others:
                self._P[m + k] = 0.0

    def directions(self, by: str) -> list[Mapping[int, int]]:
        """Inputs with their rates, for each column."""
        graph = self.graph
        if by == "q":
            return [x for b in range(self.bodies) for x in self._displacements(b)]
        if by == "v":
            return [{graph.named(("v", k)): graph.one} for k in range(self.nv)]
        if by == "t":
            return [{graph.named(("t", 0)): graph.one}]
        if by == "z":
            return [{graph.named(("F", k)): graph.one} for k in range(*self._at.places["state"])]
        if by.startswith("p"):
            return [{graph.named(("P", int(k))): graph.named(("dP", int(k))) for k in by.split()[1:]}]
        return [{graph.named(("P", int(k))): graph.one} for k in by.split()[1:]]

    def _displacements(self, b: int) -> list[dict[int, int]]:
        """Rates of q for each velocity of one body: q' = N(q) e."""
        graph = self.graph
        if self.plane:
            return [{graph.named(("q", 3 * b + c)): graph.one} for c in range(3)]
        found: list[dict[int, int]] = [{graph.named(("q", 7 * b + c)): graph.one} for c in range(3)]
        places = [graph.named(("q", 7 * b + 3 + c)) for c in range(4)]
        half = [graph.mul(graph.number(0.5), p) for p in places]
        # p' = 1/2 p * (0, e): each component is one of p, with a sign
        for parts in (
            ((1, -1), (0, 1), (3, 1), (2, -1)),
            ((2, -1), (3, -1), (0, 1), (1, 1)),
            ((3, -1), (2, 1), (1, -1), (0, 1)),
        ):
            found.append({p: half[k] if sign > 0 else graph.neg(half[k]) for p, (k, sign) in zip(places, parts)})
        return found


class _Kind:
    """Parts with the same formulas, and what of these is asked for."""

    def __init__(self, part: Part) -> None:
        self.part, self.equations = part, _Equations(part)
        self.apart = self.equations.apart
        self._entries: dict[tuple[Pair, ...], _Entries] = {}

    def entries(self, wanted: tuple[Pair, ...]) -> _Entries:
        """Derivatives as nodes."""
        if wanted not in self._entries:
            self._entries[wanted] = self._differentiated(wanted)
        return self._entries[wanted]

    def _differentiated(self, wanted: tuple[Pair, ...]) -> _Entries:
        made = self.equations
        graph, owned = made.graph, {"state": self.part.rates}
        owned |= dict.fromkeys(("value", "rate", "second"), self.part.owned)
        entries: dict[Pair, list[tuple[int, int, int]]] = {}
        for by in dict.fromkeys(by for _, by in wanted):
            names = [(what, k) for what, other in wanted if other == by for k in range(len(made.nodes[what]))]
            names = [(what, k) for what, k in names if what not in owned or owned[what][k]]
            nodes = [made.nodes[what][k] for what, k in names]
            entries |= {(what, by): [] for what, other in wanted if other == by}
            columns = [dict(enumerate(nodes))] if by == "" else graph.jacobian(nodes, made.directions(by))
            for column, found in enumerate(columns):
                for k, node in found.items():
                    if node != graph.zero:
                        entries[names[k][0], by].append((names[k][1], column, node))
        results = list(dict.fromkeys(node for listed in entries.values() for _, _, node in listed))
        inside = dict.fromkeys(graph.needed(results, made.sides))
        apart = [k for k in inside if k in made.apart]
        given = [(node, name) for name, node in graph.input.items() if node in inside]
        given += [(node, ("F", place)) for node, place in made.sides.items() if node in inside]
        return _Entries(entries, [*results, *(k for k in apart if k not in results)], apart, given)


class _Entries(NamedTuple):
    """Derivatives of a kind as nodes: (row, column, node) of each pair, all nodes, conditions that must hold, and inputs with their places."""

    of: dict[Pair, list[tuple[int, int, int]]]
    results: list[int]
    apart: list[int]
    given: list[tuple[int, tuple[str, int]]]


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
        self._lock = threading.Lock()
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
        for part in self._parts:
            made = _kind(part).equations
            for (_, place), code in zip(made.sides.items(), made.kinds):
                found.setdefault(int(part.places["F"][place]), code)
        return found

    def __call__(
        self, wanted: Sequence[Pair], numbering: Numbering, F: np.ndarray, state: Mapping[str, Any]
    ) -> list[np.ndarray] | None:
        """Matrices for pairs (what, by) at a state, or None where they are refused, or not defined: at a distance of zero.

        Parameters
        ----------
        wanted
            What and by what, see above; by "": the values themselves, in one column.
        numbering, F
            The mechanism, and its memory: counted angles, states, and sides of switches.
        state
            "t", "q", "v", and where they are needed "lam" (of all rows, and of free rows), "a" (for second, and by numbers of masses), and "dP".
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
        kept = np.flatnonzero(np.isfinite(F[int(numbering.I[at.FLOOR]) :][:n]))
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
        with self._lock:
            if wanted not in self._codes:
                self._codes[wanted] = self._write(wanted)
            return self._codes[wanted]

    def _write(self, wanted: tuple[Pair, ...]) -> _Code:
        alike: dict[Any, list[tuple[Part, dict[str, np.ndarray]]]] = {}
        pairs: dict[Any, tuple[Pair, ...]] = {}
        for part in self._parts:
            # numbers of P that are asked for, as the part calls them
            columns = {by: self._columns(part, by) for by in dict.fromkeys(by for _, by in wanted)}
            local = tuple((what, _local(part, by)) for what, by in wanted)
            key = part.kind, local
            pairs[key] = local
            alike.setdefault(key, []).append((part, columns))
        entries = {key: _kind(listed[0][0]).entries(pairs[key]) for key, listed in alike.items()}
        program = Repeated([
            Formulas(
                _kind(listed[0][0]).equations.graph, entries[key].results, [node for node, _ in entries[key].given], len(listed),
                np.array([part.places["table"] for part, _ in listed]).reshape(len(listed), -1),
            )
            for key, listed in alike.items()
        ])  # fmt: skip
        found: list[list[list[np.ndarray]]] = [[[], [], []] for _ in wanted]  # rows, columns, places
        inputs: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {}
        apart: list[np.ndarray] = []
        first = 0
        for (key, listed), place in zip(alike.items(), program.places):
            made, n = entries[key], len(listed)
            for k, (_, (name, number)) in enumerate(made.given):
                to, of = inputs.setdefault(name, ([], []))
                to.append(first + k + len(made.given) * np.arange(n))
                of.append(np.array([part.places[name][number] for part, _ in listed]))
            first += n * len(made.given)
            apart += [place[node] for node in made.apart]
            rows = {what: np.array([self._rows(part, what) for part, _ in listed]).reshape(n, -1) for what, _ in wanted}
            for (what, by), local, (r, c, p) in zip(wanted, pairs[key], found):
                column = np.array([columns[by] for _, columns in listed]).reshape(n, -1)
                for row, col, node in made.of[local]:
                    r.append(rows[what][:, row])
                    c.append(column[:, col])
                    p.append(place[node])
        parts, results = [], [np.concatenate([np.zeros(0, dtype=int), *apart])]
        for (what, by), listed in zip(wanted, found):
            r, c, p = (np.concatenate([np.zeros(0, dtype=int), *x]) for x in listed)
            shape = self._size(what), self._width(by)
            entry, which = np.unique(r * shape[1] + c, return_inverse=True)
            numbers = sum(map(len, results)) + np.arange(len(entry))
            results.append(program.summed(which, p))
            parts.append((shape, entry // shape[1], entry % shape[1], numbers))
        arrays = {name: (np.concatenate(to), np.concatenate(of)) for name, (to, of) in inputs.items()}
        values = Evaluation.of_code(
            self._numbering.I, program.code, program.memory, program.out, np.concatenate(results)
        )
        return _Code(values, first, arrays, parts, np.arange(len(results[0])))

    def _size(self, what: str) -> int:
        """How many there are of something."""
        I = self._numbering.I  # noqa: E741
        if what == "force":
            return (3 if I[at.PLANE] else 6) * int(I[at.N_BODIES])
        if what == "state":
            return int(I[at.N_STATES])
        return len(self._switches) if what == "gap" else self._numbering.n_rows + int(I[at.N_FREE])

    def _rows(self, part: Part, what: str) -> np.ndarray:
        """Where those of a part are among them."""
        if what == "gap":
            order = {place: k for k, place in enumerate(self._switches)}
            return np.array([order[int(part.places["F"][k])] for k in _kind(part).equations.sides.values()], dtype=int)
        return part.places[{"force": "v", "state": "z"}.get(what, "row")]

    def _width(self, by: str) -> int:
        """Columns of derivatives."""
        if by in ("q", "v"):
            return self._size("force")
        if by == "z":
            return self._size("state")
        return len(by.split()) - 1 if by.startswith("P") else 1

    def _columns(self, part: Part, by: str) -> np.ndarray:
        """Where those of a part are among them."""
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
    """A matrix by its entries."""
    if shape[0] * shape[1] > DENSE:
        from scipy.sparse import csr_array

        return csr_array((values, (rows, columns)), shape)
    matrix = np.zeros(shape)
    matrix[rows, columns] = values
    return matrix


_kinds: dict[Any, _Kind] = {}
# kinds of parts that are remembered
_MOST_KINDS = 1000


def _kind(part: Part) -> _Kind:
    """The formulas of the kind of a part."""
    if part.kind not in _kinds:
        if len(_kinds) >= _MOST_KINDS:
            _kinds.clear()
        _kinds[part.kind] = _Kind(part)
    return _kinds[part.kind]


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


__all__ = ["Tangents", "tangents"]
