"""Rows, items and expressions of a mechanism while they are numbered, and the integer tables that are made of them (`kernels/layout.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernels import layout as at
from ..model.expression import Expr
from .build import Builder
from .collected import Block, Composite, Item, Row
from .formulas import Formulas
from .memory import Places
from .order import BlockPattern
from .program import program, program_records, spline_tables
from .watch import Owner

_LAW_KINDS = {
    "linear": at.LAW_LINEAR,
    "stop": at.LAW_STOP,
    "friction": at.LAW_FRICTION,
    "expression": at.LAW_EXPRESSION,
    "callable": at.LAW_CALL,
    "slip": at.LAW_CALL,
}
# the parameters of items stand in P without an entry of the header: items know their places
PARAMETERS = -1


@dataclass
class Memory:
    """Tables of one array while they are written; `header` receives where they begin."""

    header: np.ndarray
    chunks: list[np.ndarray] = field(default_factory=list)
    size: int = 0
    first: dict[int, int] = field(default_factory=dict)

    def put(self, entry: int, values: Any) -> int:
        """Append a table, and return where it begins."""
        first = self.first[entry] = self.size
        if entry != PARAMETERS:
            self.header[entry] = first
        if len(values):  # half of all tables are empty
            chunk = np.asarray(values).ravel()
            self.chunks.append(chunk)
            self.size += len(chunk)
        return first


class Writer:
    """Rows, items and expressions while they are numbered."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.width = builder.width
        self.rows: list[Row] = []
        self.row_j: list[int] = []
        self.row_step: list[int] = []
        self.row_bodies: list[list[int]] = []
        self.items: list[tuple[Item, int, int, int]] = []  # item, row, place on i, place on j
        self.composites: list[tuple[Composite, int]] = []
        # of inputs ("time", 0), ("value", row), ("rate", row), ("bias", row), ("side", switch)
        self.formulas = Formulas()
        # what programs compute, (array in F, number) -> node: sides and values of drivers and composites, sides and values of laws
        self.wanted: list[dict[tuple[str, int], int]] = [{}, {}, {}, {}]
        self.jac, self.item0 = 0, [0]

    def add_row(self, row: Row, place: int, step: int, bodies: list[int]) -> int:
        """Number a row, with the place of its first wrench and the distance to the next."""
        self.rows.append(row)
        self.row_j.append(place)
        self.row_step.append(step)
        self.row_bodies.append(bodies)
        return len(self.rows) - 1

    def add_item(self, item: Item, row: int, place: dict[int, int]) -> None:
        """`place` maps moving bodies to the wrench of the item's first row; the ground goes to a dummy (-1)."""
        self.items.append((item, row, place.get(item.i, -1), place.get(item.j, -1)))

    def add_free(self, row: Row, item: Item | None, composite: Composite | None, bodies: list[int]) -> None:
        """Row of its own, with its wrenches one after the other."""
        r = self.add_row(row, self.jac, self.width, bodies)
        if item is not None:
            self.add_item(item, r, {b: self.jac + s * self.width for s, b in enumerate(bodies)})
        elif composite is not None:
            self.composites.append((composite, r))
        self.jac += self.width * len(bodies)

    def expression(self, owner: Owner, scope: int) -> int:
        """Node of an expression, with its sides as inputs behind the others, and the scope of its numbers."""
        named, sides = self.formulas.named, self.wanted[2 if owner.role == "law" else 0]
        keys = [
            ("time", 0),
            *(("rate" if rate else "value", r) for r, rate in owner.sources),
            *(("side", n) for n in owner.numbers),
        ]
        names = {name: named(key) for name, key in zip(owner.names, keys)}
        for n, switch in zip(owner.numbers, owner.held):
            # a side is computed from the state, without sides
            seen = {name: names[name] for name in owner.inputs}
            sides["side", n] = self.formulas.add_formula(switch.node, seen, scope)
        return self.formulas.add_formula(owner.smooth, names, scope)

    def driver(self, r: int, c: int) -> None:
        """c(t), c'(t), c''(t) of a driven row; inputs in it are held, so that they have no rates."""
        made = self.formulas
        rates = made.jet(c, {made.named(("time", 0)): made.one}, {})
        self.wanted[1] |= {("drive", 3 * r + k): node for k, node in enumerate((c, *rates))}

    def composite(self, r: int, f: int, parts: list[int], first: int, on_rates: bool) -> None:
        """Value, explicit rate, bias and derivatives by its parts of a row that is an expression (see `kernels/composite.py`)."""
        made, t = self.formulas, ("time", 0)
        value, rate, bias = ([(kind, p) for p in parts] for kind in ("value", "rate", "bias"))
        moving = {made.named(t): made.one} | {made.named(s): made.named(v) for s, v in zip(value, rate)}
        turning = {made.named(v): made.named(b) for v, b in zip(rate, bias)}
        if on_rates:
            slopes = made.reverse(f, rate)
            found = {("partial", r): f, ("bias", r): made.jet(f, moving | turning, {})[0]}
        else:
            bend = {made.named(s): made.named(b) for s, b in zip(value, bias)}
            explicit, *slopes = made.reverse(f, [t, *value])
            found = {("value", r): f, ("partial", r): explicit, ("bias", r): made.jet(f, moving, bend)[1]}
        # parts of one row are one input: its first one has the derivative
        own = (slope if parts.index(p) == k else made.zero for k, (p, slope) in enumerate(zip(parts, slopes)))
        self.wanted[1] |= found | {("slope", first + k): slope for k, slope in enumerate(own)}

    def number_rows(self, blocks: list[Block], places: Places) -> tuple[list[tuple[int, ...]], list[int], list[int]]:
        """Number all rows and place their wrenches; records of the blocks, bodies of these, and first items."""
        builder, width = self.builder, self.width
        self.jac, diag = places.of["jac"][0], places.of["diag"][0]
        records: list[tuple[int, ...]] = []
        slots: list[int] = []
        for block in blocks:
            n, r = len(block.rows), len(self.rows)
            records.append((n, r, self.jac, diag, len(slots), len(self.items)))
            diag += n * (n + 1) // 2
            slots += [width * b for b in block.bodies]
            for a, row in enumerate(block.rows):
                self.add_row(row, self.jac + a * width, n * width, block.bodies)
            for item, first in block.items:
                place = {b: self.jac + (s * n + first) * width for s, b in enumerate(block.bodies)}
                self.add_item(item, r + first, place)
            self.composites += [(c, r + first) for c, first in block.composites]
            self.jac += n * width * len(block.bodies)
        item0 = [r[5] for r in records] + [len(self.items)]
        for free in builder.free:
            self.add_free(free.row, free.item, free.composite, free.bodies)
        item0.append(len(self.items))
        for _, item, row in builder.watched:
            self.add_free(row, item, None, [b for b in (item.i, item.j) if b != builder.ground])
        self.item0 = [*item0, len(self.items)]
        return records, slots, self.item0

    def write_rows(self, ints: Memory, par: int, places: Places) -> None:
        """Tables of items and rows; `par` is the place of the parameters of the first item in P."""
        ground, width, (body, _) = self.builder.ground, self.width, places.of["body"]
        stride, dummy, records = places.counts["record"], places.of["jac"][1] - 6 * width, []
        for item, row, oi, oj in self.items:
            bodies = (body + stride * item.i, body + stride * item.j, body + stride * item.f)
            phi = (-1 if item.i == ground else 3 * item.i + 2, -1 if item.j == ground else 3 * item.j + 2)
            place = (dummy if oi < 0 else oi, dummy if oj < 0 else oj)
            records += [item.kind, *bodies, par, row, *place, item.angle, *phi]
            par += len(item.par)
        ints.put(at.ITEM0, self.item0)
        ints.put(at.ITEM, records)
        body0 = ints.put(at.ROW_BODY, [width * b for bodies in self.row_bodies for b in bodies])
        starts = (body0 + np.cumsum([0] + [len(b) for b in self.row_bodies])).tolist()
        rows = [x for record in zip(self.row_j, self.row_step, starts) for x in record]
        ints.put(at.ROW, [*rows, 0, 0, starts[-1]])
        ints.put(at.ROW_RATE, [int(row.rate_only) for row in self.rows])

    def write_expressions(self, ints: Memory, n_rows: int, owners: Iterator[Owner], scopes: Mapping[Expr, int]) -> int:
        """Tables of drivers, composites and laws, and the expressions they use; number of parts of composites."""
        drivers: list[int] = []
        for r, row in enumerate(self.rows[:n_rows]):
            if row.drive is not None:
                drivers.append(r)
                self.driver(r, self.expression(next(owners), scopes[row.drive]))
        ints.put(at.DRIVER, drivers)
        composites: list[int] = []
        parts: list[int] = []
        for composite, r in self.composites:
            kind = at.LINEAR
            if composite.expression is not None:
                kind = at.ON_RATES if composite.on_rates else at.EXPRESSION
                rows = [n_rows + p for p in composite.parts]
                f = self.expression(next(owners), scopes[composite.expression])
                self.composite(r, f, rows, len(parts) // 3, composite.on_rates)
            composites += [r, kind, len(parts) // 3]
            slot = {b: s for s, b in enumerate(self.row_bodies[r])}
            for p in composite.parts:
                bodies = self.row_bodies[n_rows + p]
                parts += [n_rows + p, *([slot[b] for b in bodies] + [-1, -1])[:2]]
        ints.put(at.COMPOSITE0, [*composites, 0, 0, len(parts) // 3])
        ints.put(at.PART, parts)
        laws: list[int] = []
        for n, law in enumerate(self.builder.laws):
            switch = -1
            if law.expression is not None:
                self.wanted[3]["force", n] = self.expression(next(owners), scopes[law.expression])
            elif law.law.kind == "stop":
                switch = next(owners).numbers[0]
            laws += [_LAW_KINDS[law.law.kind], n_rows + law.row, switch]
        ints.put(at.LAW, laws)
        return len(parts) // 3

    def numbers(self) -> list[int]:
        """Nodes of the numbers of expressions."""
        made = self.formulas
        return [k for k in made.needed(node for wanted in self.wanted for node in wanted.values()) if k in made.numbers]


def write_blocks(
    ints: Memory, pattern: BlockPattern, records: list[tuple[int, ...]], slots: list[int], item0: list[int], lam: int
) -> None:
    """Tables of the blocks and of the off-diagonal blocks of their factor."""
    slot0 = ints.put(at.SLOT, slots)
    pair0 = ints.put(at.PAIR, pattern.pairs)
    upd0 = ints.put(at.UPD, pattern.updates)
    # of a column: its rows, place of its diagonal block and of its multipliers; the entry behind the last has none
    columns = [(r[0], r[3], lam + r[1]) for r in records] or [(0, 0, 0)]
    off = ints.put(
        at.COUPLING,
        [
            x
            for c, place, p, u in pattern.offs
            for x in (columns[c][0], place, pair0 + 2 * p, upd0 + 4 * u, *columns[c][1:])
        ],
    )
    last = (0, 0, 0, 0, len(slots), item0[len(records)])
    ints.put(
        at.BLOCK,
        [
            x
            for r, first in zip([*records, last], pattern.off0)
            for x in (*r[:4], slot0 + r[4], r[5], off + at.COUPLING_SIZE * first)
        ],
    )


def write_programs(w: Writer, ints: Memory, floats: Memory, places: Places) -> dict[int, int]:
    """Programs of all expressions, their numbers and tables; places in P of the numbers by node."""
    made, opaque = w.formulas, w.numbers()
    table_first, knots, coefficients = spline_tables(made)
    rules = floats.put(at.RULE_NUMBERS, made.constants)
    given = floats.put(at.NUMBERS, [made.numbers[node] for node in opaque])
    for entry, listed in ((at.SPLINE_KNOTS, knots), (at.SPLINE_COEFFICIENTS, coefficients), (at.SPLINE_END, [])):
        floats.put(entry, listed)
    floats.chunks.append(np.zeros(1))  # something to read after the last table
    loaded = {node: given + k for k, node in enumerate(opaque)}
    loaded |= {made.number(x): rules + k for k, x in enumerate(list(made.constants))}
    leaves = {node: places.of[key[0]][0] + key[1] for key, node in made.input.items() if node not in made.numbers}
    size = places.size
    programs = [program(made, list(wanted.values()), leaves, size, loaded) for wanted in w.wanted]
    results = [[(node, places.of[name][0] + k) for (name, k), node in wanted.items()] for wanted in w.wanted]
    ints.put(at.PROGRAM, program_records(programs, size, results, ints.size))
    places.know({"registers": max(p.size for p in programs)})
    ints.put(at.SPLINE_FIRST, table_first)
    ints.put(at.SPLINE_LAST, [])
    return {node: given + k for k, node in enumerate(opaque)}
