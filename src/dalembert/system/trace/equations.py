"""The equations of a part as nodes of a graph, and their derivatives: written once for all parts of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...kernels import functions as op
from ...kernels import layout as at
from ...kernels import operate as modes
from ...kernels.residual import unscaled
from ...kernels.scalar import SMALLEST
from .mechanism import TracedMechanism
from .parts import Part
from .symbol import REPLACED, Symbol, plain

Pair = tuple[str, str]  # what, by what


class Equations(TracedMechanism):
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


class Entries(NamedTuple):
    """Derivatives of a kind as nodes: (row, column, node) of each pair, all nodes, conditions that must hold, and inputs with their places."""

    of: dict[Pair, list[tuple[int, int, int]]]
    results: list[int]
    apart: list[int]
    given: list[tuple[int, tuple[str, int]]]


class Kind:
    """Parts with the same formulas, and what of these is asked for."""

    def __init__(self, part: Part) -> None:
        self.part, self.equations = part, Equations(part)
        self.apart = self.equations.apart
        self._entries: dict[tuple[Pair, ...], Entries] = {}

    def entries(self, wanted: tuple[Pair, ...]) -> Entries:
        """Derivatives as nodes."""
        if wanted not in self._entries:
            self._entries[wanted] = self._differentiated(wanted)
        return self._entries[wanted]

    def _differentiated(self, wanted: tuple[Pair, ...]) -> Entries:
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
        return Entries(entries, [*results, *(k for k in apart if k not in results)], apart, given)


_kinds: dict[Any, Kind] = {}
# kinds of parts that are remembered
_MOST_KINDS = 1000


def kind_of(part: Part) -> Kind:
    """The formulas of the kind of a part."""
    if part.kind not in _kinds:
        if len(_kinds) >= _MOST_KINDS:
            _kinds.clear()
        _kinds[part.kind] = Kind(part)
    return _kinds[part.kind]
