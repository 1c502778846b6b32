"""A mechanism cut into parts: small mechanisms whose equations add up to those of the whole.

    body      M a - Q of one body: weight and gyroscopic moments
    block     J^T lam of the rows of one joint or driver, on bodies without mass
    law       J^T f of one force law, or the rate of one auxiliary state
    free row  J^T lam of a row that laws and expressions read, where it is held

Parts of one kind have the same structure and the same pattern of zeros, so that one program of derivatives serves all of them, each with its places
in the memory of the whole.  A mechanism of any size has few kinds: the work is linear in its size.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from ...kernels import layout as at
from ...model.expression import Expr, Name, Number
from ..build import Builder
from ..collected import Block, Composite, FreeRow, Item, LawRow
from ..tables import Listed, Numbering, Written, number, structure_key
from .mechanism import fixed_numbers

# places in F that are given from outside, by what numbers them
_GIVEN = {"state": "z", "side": "switch", "angle": "angle", "angle_rate": "angle", "angle_time": "t", "called": "law"}


@dataclass(frozen=True)
class Part:
    """A part, and where it stands in the whole."""

    kind: Any  # what parts with the same program have in common
    numbering: Numbering  # a small mechanism of this kind: numbers that are no 0 or 1 mean nothing
    # owned, rates: rows, held ones and free ones, that no part before has, and states whose rates it has
    owned: tuple[bool, ...]
    rates: tuple[bool, ...]
    # by name of an array ("q", "v", "a", "lam", "P", "F", "dP") or of a list ("row", "z", "table"): places of the whole
    places: dict[str, np.ndarray]


def whole(numbering: Numbering) -> list[Part]:
    """The mechanism as one part: the slow twin, whose program is as long as the mechanism."""
    I = numbering.I  # noqa: E741
    bodies, rows = int(I[at.N_BODIES]), numbering.n_rows + int(I[at.N_FREE])
    sizes = {
        "q": 7 * bodies,
        "v": 6 * bodies,
        "a": 6 * bodies,
        "t": 1,
        "lam": rows,
        "row": rows,
        "z": int(I[at.N_STATES]),
    }
    sizes |= {
        "P": len(numbering.P),
        "dP": len(numbering.P),
        "F": numbering.size,
        "table": len(numbering.formulas.splines),
    }
    places, fixed = {name: np.arange(size) for name, size in sizes.items()}, fixed_numbers(numbering)
    kind = "whole", I.tobytes(), fixed.tobytes(), numbering.P[fixed].tobytes()
    return [Part(kind, numbering, (True,) * rows, (True,) * sizes["z"], places)]


def parts_of(numbering: Numbering) -> list[Part]:
    """All parts of a mechanism."""
    cut = _Cut(numbering)
    return [*cut.bodies(), *cut.blocks(), *cut.laws(), *cut.rest()]


class _Cut:
    """The builder of a mechanism, and where its pieces stand in memory."""

    def __init__(self, numbering: Numbering) -> None:
        self.whole, self.builder = numbering, numbering.builder
        self.I, self.P = numbering.I, numbering.P
        builder, listed = self.builder, Listed.of(self.builder, numbering.blocks)
        self.n_rows, self.n_states = numbering.n_rows, len(builder.states)
        self.first_row = list(accumulate((len(b.rows) for b in numbering.blocks), initial=0))
        records = self.I[self.I[at.ITEM] :][: at.ITEM_SIZE * len(listed.items)].reshape(-1, at.ITEM_SIZE)
        self.parameters = {id(item): int(record[4]) for item, record in zip(listed.items, records)}
        starts = accumulate((len(c.coefficients) for c, _ in listed.composites), initial=int(self.I[at.COEFFICIENT]))
        self.coefficients = {id(c): first for (c, _), first in zip(listed.composites, starts)}
        every = replace(Block(""), rows=listed.rows[: self.n_rows])
        keys = _owners(every, range(self.n_rows), [c for c, _ in listed.composites], builder.laws)
        self.switches = {key: owner.numbers for key, owner in zip(keys, numbering.owners)}
        self.numbers = {x: k for k, x in enumerate(numbering.renewed.tolist())}
        self.mine: set[int] = set()  # rows that a part has
        self._kinds: dict[Any, Numbering] = {}

    # -- parts -----------------------------------------------------------------------------------------------------------

    def bodies(self) -> Iterator[Part]:
        for b in range(len(self.builder.bodies)):
            yield self._part([b], weightless=False)

    def blocks(self) -> Iterator[Part]:
        states = {state.name: k for k, state in enumerate(self.builder.states)}
        for block, first in zip(self.whole.blocks, self.first_row):
            read = [p for composite, _ in block.composites for p in composite.parts]
            read += [states[x] for row in block.rows if row.drive is not None for x in row.drive.names if x in states]
            yield self._part(block.bodies, block, range(first, first + len(block.rows)), read)

    def laws(self) -> Iterator[Part]:
        """Force laws and rates of states."""
        for n, law in enumerate(self.builder.laws):
            yield self._part([], read=[law.row, *(r for r, _ in law.inputs)], law=n)

    def rest(self) -> Iterator[Part]:
        """Free rows that no law and no composite reads."""
        for f in range(self.n_states, len(self.builder.free)):
            if self.n_rows + f not in self.mine:
                yield self._part([], read=[f])

    # -- one part --------------------------------------------------------------------------------------------------------

    def _part(
        self, bodies: Sequence[int], block: Block | None = None, held: Sequence[int] = (), read: Iterable[int] = (),
        law: int = -1, weightless: bool = True,
    ) -> Part:  # fmt: skip
        builder, free = self.builder, self._closed(read)
        states = [f for f in free if f < self.n_states]
        laws = [*states, law] if law >= self.n_states else states
        items = [item for item, _ in block.items] if block else []
        composites = [composite for composite, _ in block.composites] if block else []
        for row in (builder.free[f] for f in free):
            items += [] if row.item is None else [row.item]
            composites += [] if row.composite is None else [row.composite]
        touched = {*bodies, *(b for item in items for b in (item.i, item.j, item.f))} - {builder.ground}
        moving, angles = sorted(touched), sorted({item.angle for item in items if item.angle >= 0})
        renamed = _Renamed(builder, moving, angles, free)
        made = renamed.builder_of(block, laws, law)
        rows = np.array([*held, *(self.n_rows + f for f in free)], dtype=int)
        owned = tuple(int(r) not in self.mine for r in rows)
        self.mine.update(rows.tolist())
        key, written = structure_key(made, True)
        key = key, owned, tuple(n == law for n in states)
        small = self._kinds.get(key)
        if small is None:
            small = self._kinds[key] = number(made, True, remember=False)
        place = np.full(len(small.P), -1)
        numbers = self._numbers(moving, rows, len(held), laws, composites, items)
        place[: len(numbers)] = numbers
        own = [self._number(renamed.given, written, k) for k in small.renewed]
        place[int(small.I[at.NUMBERS]) :][: len(own)] = own
        P = np.where(place >= 0, self.P[place], small.P)
        if weightless:
            P[_inertia(small, len(moving))] = 0.0
        small = replace(small, P=P)
        fixed = fixed_numbers(small)
        switches = [
            n
            for k in _owners(block, held, composites, [builder.laws[law]] if law >= 0 else [])
            for n in self.switches[k]
        ]
        velocities, coordinates = (
            (width * np.array(moving, dtype=int)[:, None] + np.arange(width)).ravel()
            for width in (builder.width, 3 if builder.plane else 7)
        )
        places = {
            "q": coordinates, "v": velocities, "a": velocities, "t": np.zeros(1, dtype=int), "lam": rows, "row": rows,
            "z": np.array(states, dtype=int), "P": place, "dP": place,
            "F": self._given(small, {"z": states, "switch": switches, "angle": angles, "t": [0], "law": laws}),
            "table": np.array([self.whole.formulas.splines.index(x) for x in small.formulas.splines], dtype=int),
        }  # fmt: skip
        return Part((key, fixed.tobytes(), P[fixed].tobytes()), small, owned, key[2], places)

    def _number(self, given: dict[Expr, Expr], written: Written, k: int) -> int:
        scopes, (scope, value) = list(written.scopes), list(written.numbers)[k]
        own = self.whole.written.scopes.get(given.get(scopes[scope], scopes[scope]), -1)
        found = self.numbers.get(self.whole.written.numbers.get((own, value), -1), -1)
        return found if found < 0 else int(self.I[at.NUMBERS]) + found

    def _closed(self, read: Iterable[int]) -> list[int]:
        """Free rows with those that they are made of, states first."""
        found: set[int] = set()
        for f in read:
            composite = self.builder.free[f].composite
            found |= {f, *(composite.parts if composite is not None else ())}
        return sorted(found)

    def _numbers(
        self, bodies: list[int], rows: np.ndarray, held: int, laws: list[int], composites: list[Composite], items: list[Item]
    ) -> np.ndarray:  # fmt: skip
        """Places in P of the numbers of a part, in the order of `model_numbers`."""
        I, record = self.I, at.PLANE_MASS if self.builder.plane else at.SPACE_MASS  # noqa: E741
        pieces = [(I[at.GRAVITY], len(self.builder.gravity)), *((I[at.MASS] + record * b, record) for b in bodies)]
        pieces += [(I[entry] + r, 1) for entry in (at.OFFSET, at.SCALE) for r in rows]
        pieces += [(I[at.LAW_NUMBERS] + at.LAW_SIZE * n, at.LAW_SIZE) for n in laws]
        pieces += [(self.coefficients[id(c)], len(c.coefficients)) for c in composites]
        pieces += [(I[at.WEIGHT] + r, 1) for r in rows[:held]] + [(I[at.LENGTH], 1)]
        pieces += [(self.parameters[id(item)], len(item.par)) for item in items]
        return np.concatenate([np.arange(first, first + size) for first, size in pieces])

    def _given(self, small: Numbering, numbered: dict[str, Any]) -> np.ndarray:
        """Places in F of what is given from outside; -1 for all else."""
        found = np.full(small.size, -1)
        for name, by in _GIVEN.items():
            first, last = small.places[name]
            found[first:last] = self.whole.places[name][0] + np.array(numbered[by], dtype=int)[: last - first]
        return found


class _Renamed:
    """Bodies, angles, free rows and inputs of expressions of the whole as a part calls them."""

    def __init__(self, whole: Builder, bodies: list[int], angles: list[int], free: list[int]) -> None:
        self.whole, self.bodies, self.angles, self.free = whole, bodies, angles, free
        self.given: dict[Expr, Expr] = {}  # expressions as the whole writes them

    def builder_of(self, block: Block | None, laws: list[int], law: int) -> Builder:
        """The part as a mechanism of its own; of states, only the rate of the law that is meant counts."""
        made, whole = copy.copy(self.whole), self.whole
        made.take_bodies([whole.bodies[b] for b in self.bodies])
        made.mass_kinds = [], 1.0  # masses do not matter: nothing is solved
        made.blocks = [] if block is None else [self._block(block)]
        made.free = [self._free(whole.free[f]) for f in self.free]
        made.states = [whole.states[f] for f in self.free if f < len(whole.states)]
        made.laws = [self._law(whole.laws[n], n == law) for n in laws]
        made.angles, made.watched = {(k,): k for k in range(len(self.angles))}, []
        made.events, made.loads, made.pressed, made.gripped = [], [], [], []
        return made

    def _expression(self, expression: Expr | None, names: list[str]) -> tuple[Expr | None, list[str]]:
        if expression is None:
            return None, names
        called = ["t", *(f"input {k}" for k in range(1, len(names)))]
        made = expression.substitute({x: Name.of_measure(y) for x, y in zip(names, called)})
        self.given[made] = expression
        return made, called

    def _body(self, b: int) -> int:
        return len(self.bodies) if b == self.whole.ground else self.bodies.index(b)

    def _item(self, item: Item) -> Item:
        angle = self.angles.index(item.angle) if item.angle >= 0 else -1
        return replace(item, i=self._body(item.i), j=self._body(item.j), f=self._body(item.f), angle=angle)

    def _composite(self, composite: Composite) -> Composite:
        expression, inputs = self._expression(composite.expression, composite.inputs)
        return replace(
            composite, parts=[self.free.index(p) for p in composite.parts], expression=expression, inputs=inputs
        )

    def _block(self, block: Block) -> Block:
        return replace(
            block,
            items=[(self._item(item), first) for item, first in block.items],
            composites=[(self._composite(c), first) for c, first in block.composites],
            bodies=[self._body(b) for b in block.bodies],
        )

    def _free(self, row: FreeRow) -> FreeRow:
        return replace(
            row,
            item=None if row.item is None else self._item(row.item),
            composite=None if row.composite is None else self._composite(row.composite),
            bodies=[self._body(b) for b in row.bodies],
        )

    def _law(self, law: LawRow, meant: bool) -> LawRow:
        if not meant:
            return replace(law, row=self.free.index(law.row), expression=Number(0.0), inputs=[], names=["t"])
        expression, names = self._expression(law.expression, law.names)
        inputs = [(self.free.index(r), rate) for r, rate in law.inputs]
        return replace(law, row=self.free.index(law.row), expression=expression, inputs=inputs, names=names)


def _owners(
    block: Block | None, rows: Sequence[int], composites: Sequence[Composite], laws: Sequence[LawRow]
) -> list[tuple[str, int]]:
    found = [("driver", r) for r, row in zip(rows, block.rows if block else ()) if row.drive is not None]
    found += [("composite", id(c)) for c in composites if c.expression is not None]
    return found + [("law", id(x)) for x in laws if x.expression is not None or x.law.kind == "stop"]


def _inertia(numbering: Numbering, bodies: int) -> list[int]:
    """Places in P of masses, weights and inertias."""
    size = at.PLANE_MASS if numbering.I[at.PLANE] else at.SPACE_MASS
    own = (0, 5, 6) if numbering.I[at.PLANE] else (0, *range(3, 9), 21)
    return [int(numbering.I[at.MASS]) + size * b + k for b in range(bodies) for k in own]
