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

The programs belong to a structure and serve every mechanism that has it.  They are run by the kernel that runs Lagrangian formulas, which needs
no compilation of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels import functions as op
from ...kernels import layout as at
from ...kernels import operate as modes
from ...kernels.residual import unscaled
from ...kernels.scalar import SMALLEST
from ..program import Evaluation
from ..tables import Numbering
from .mechanism import TracedMechanism
from .plain import plain
from .symbol import REPLACED, Symbol

# operations of a program beyond which differences are cheaper than what it takes to write it
LARGEST = 20_000
# the same of a program that a time loop runs at many states
LARGEST_OF_LOOP = 60_000
# rows beyond which it is not even tried
MOST_ROWS = 300

Pair = tuple[str, str]


class TooLargeError(Exception):
    """A program that would be longer than pays."""


class _Equations(TracedMechanism):
    """The equations as nodes: what the mode FORCES leaves in memory, put together."""

    def __init__(self, numbering: Numbering) -> None:
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
        lam = self.symbols("lam", self.all_rows, {})
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
        return [{graph.named(("P", int(k))): graph.one} for k in by.removeprefix("P ").split()]

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

    def __init__(self, numbering: Numbering) -> None:
        self._lock = threading.Lock()
        self._codes: dict[tuple[Pair, ...], _Code | None] = {}
        self._equations: _Equations | None = None
        self._numbering = numbering  # any one with this structure
        self.refused = ""
        if numbering.n_rows > MOST_ROWS:
            self.refused = f"{numbering.n_rows} rows make a program that is longer than pays"
        laws = numbering.I[numbering.I[at.LAW] :][: at.LAW_RECORD * int(numbering.I[at.N_LAWS]) : at.LAW_RECORD]
        if at.LAW_CALL in laws:
            self.refused = "a law is a Python function, which has no formula"

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
        code = self._code(tuple(wanted))
        if code is None:
            return None
        inputs = np.zeros(code.size)
        arrays = {"P": numbering.P, "F": F, **state}
        for name, (to, place) in code.inputs.items():
            inputs[to] = np.atleast_1d(arrays[name])[place]
        values = code.values(inputs, numbering.P)
        if not np.all(values[code.apart]):
            return None
        found = []
        for shape, rows, columns, numbers in code.parts:
            matrix = np.zeros(shape)
            matrix[rows, columns] = values[numbers]
            found.append(matrix)
        return found

    def beyond(self, F: np.ndarray, gaps: np.ndarray, rates: np.ndarray) -> np.ndarray | None:
        """Memory with the sides that switches take where gaps change at these rates (zero: as they are); None where no gap tells a side."""
        assert self._equations is not None
        made = F.copy()
        for place, kind, gap, rate in zip(self._equations.sides.values(), self._equations.kinds, gaps, rates):
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

    def _code(self, wanted: tuple[Pair, ...]) -> _Code | None:
        if wanted not in self._codes and not self.refused:
            with self._lock:
                try:
                    self._codes[wanted] = self._write(wanted, LARGEST)
                except TooLargeError as error:
                    self._codes[wanted], self.refused = None, str(error) if self._equations is None else ""
        return self._codes.get(wanted)

    def _write(self, wanted: tuple[Pair, ...], most: int) -> _Code:
        if self._equations is None:
            made = _Equations(self._numbering)
            if len(made.graph.rows) > most:
                raise TooLargeError(f"the equations have {len(made.graph.rows)} operations, more than {most}")
            self._equations = made
        made = self._equations
        graph, start = made.graph, len(made.graph.rows)
        entries: dict[Pair, tuple[tuple[int, int], list[tuple[int, int, int]]]] = {}
        for by in dict.fromkeys(by for _, by in wanted):
            names = [what for what, other in wanted if other == by]
            nodes = [node for name in names for node in made.nodes[name]]
            directions: list[Mapping[int, int]] = [{}] if by == "" else made.directions(by)
            first = np.cumsum([0, *(len(made.nodes[name]) for name in names)])
            for k, name in enumerate(names):
                entries[name, by] = (int(first[k + 1] - first[k]), len(directions)), []
            columns = [dict(enumerate(nodes))] if by == "" else graph.jacobian(nodes, directions)
            for column, found in enumerate(columns):
                for row, node in found.items():
                    k = int(np.searchsorted(first, row, side="right")) - 1
                    entries[names[k], by][1].append((row - int(first[k]), column, node))
                if len(graph.rows) - start > most:
                    raise TooLargeError("the derivatives are longer than pays")
        results = list(dict.fromkeys(node for _, listed in entries.values() for _, _, node in listed))
        needed = graph.needed(results, made.sides)
        apart = [k for k in needed if k in made.apart]
        results += [k for k in apart if k not in results]
        if len(needed) > most:
            raise TooLargeError("the derivatives are longer than pays")
        inside = set(needed)
        used = [(node, name) for name, node in graph.input.items() if node in inside]
        used += [(node, ("F", place)) for node, place in made.sides.items() if node in inside]
        inputs: dict[str, tuple[list[int], list[int]]] = {}
        for k, (_, (name, place)) in enumerate(used):
            to, of = inputs.setdefault(name, ([], []))
            to.append(k)
            of.append(place)
        number = {node: k for k, node in enumerate(results)}
        parts = []
        for pair in wanted:
            shape, listed = entries[pair]
            at_row, at_column = (np.array([x[k] for x in listed], dtype=int) for k in range(2))
            numbers = np.array([number[node] for _, _, node in listed], dtype=int)
            parts.append((shape, at_row, at_column, numbers))
        arrays = {name: (np.array(to), np.array(of)) for name, (to, of) in inputs.items()}
        values = Evaluation(graph, results, [node for node, _ in used], self._numbering.I)
        return _Code(values, len(used), arrays, parts, np.array([number[k] for k in apart], dtype=int))


def loop_code(numbering: Numbering, wanted: Sequence[Pair]) -> _Code:
    """The program of some derivatives, with the values of laws in Python held; TooLargeError where it would be longer than pays."""
    found = tangents(numbering)
    key = tuple(wanted)
    with found._lock:
        if numbering.n_rows > MOST_ROWS:
            raise TooLargeError(found.refused)
        if found._codes.get(key) is None:
            found._codes[key] = found._write(key, LARGEST_OF_LOOP)
        code = found._codes[key]
    assert code is not None
    return code


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


__all__ = ["LARGEST", "Tangents", "tangents"]
