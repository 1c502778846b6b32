"""Memory of a compiled system: numbers the rows in elimination order and writes the arrays I and P of `kernels/layout.py`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import count as counting
from typing import Any, NamedTuple

import numpy as np

from ..errors import MethodError, shown
from ..kernels import layout as at
from ..model.expression import Expr
from .build import Block, Builder, Composite, Item, Row
from .formulas import Formulas
from .masses import mass_table, refinements, singular_bodies, uneven, weight_table
from .memory import Places
from .order import BlockPattern, block_pattern, couplings, minimum_degree, updates_of, work_of
from .program import program, program_records, spline_tables
from .saddle import eliminated, empty_saddle, saddle_pattern
from .watch import Owner, event_owners, stop_owner

_LAW_KINDS = {
    "linear": at.LAW_LINEAR,
    "stop": at.LAW_STOP,
    "friction": at.LAW_FRICTION,
    "expression": at.LAW_EXPRESSION,
    "callable": at.LAW_CALL,
}
# the parameters of items stand in P without an entry of the header: items know their places
PARAMETERS = -1
# a hub with more joints than this would fill S whatever the order
_HUB = 40
# the saddle-point solver costs about this many times more per multiplication than the unrolled blocks
_SADDLE_COST = 4.0
# the range-space solver keeps a record of every update of a block: at most so many
_UPDATES = 2_000_000


@dataclass(frozen=True)
class Numbering:
    """Blocks in elimination order, all rows, and the constant memory of the kernels."""

    blocks: list[Block]
    rows: list[Row]
    n_rows: int
    I: np.ndarray  # noqa: E741
    P: np.ndarray
    places: dict[str, tuple[int, int]]  # name -> (first, last) in F
    owners: list[Owner]  # expressions and stops, for the time loop to watch
    starts: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of the auxiliary states

    @property
    def n_smooth(self) -> int:
        """How many numbers of P enter the formulas smoothly; tables of splines follow, which are looked up."""
        return int(self.I[at.SPLINE_KNOTS])

    @cached_property
    def size(self) -> int:
        """Length of F."""
        return max(last for _, last in self.places.values())


class Work:
    """Scratch memory of one evaluation: the array F and its parts as views by name."""

    def __init__(self, numbering: Numbering) -> None:
        self._places, i = numbering.places, numbering.I
        self.F = np.zeros(numbering.size)
        self.F[i[at.STATE_AT] :][: i[at.N_STATES]] = numbering.starts
        # the ground: unrotated, at rest, with zero inverse mass
        ground = i[at.BODY] + i[at.N_BODIES] * (at.PLANE_BODY if i[at.PLANE] else at.SPACE_BODY)
        if i[at.PLANE]:
            self.F[ground + at.P_COS] = 1.0
        else:
            self.F[ground + at.S_ROT : ground + at.S_ROT + 9 : 4] = 1.0
            self.F[ground + at.S_QUAT] = 1.0

    def put_states(self, asked: str, z: np.ndarray) -> None:
        """Values of the auxiliary states; none: they stay at their initial values."""
        if len(z) and (len(z) != len(self.state) or not np.isfinite(z).all()):
            raise MethodError(
                asked,
                f"a state with {len(z)} auxiliary states, z = {shown(z)}",
                f"{len(self.state)} finite numbers are needed, one for each m.state",
                "use run.at(t), or leave z out: the states then have their initial values",
            )
        if len(z):
            self.state[:] = z

    def __getattr__(self, name: str) -> np.ndarray:
        """A part of the memory, made when it is asked for the first time."""
        if name.startswith("_") or name not in self._places:
            raise AttributeError(name)
        first, last = self._places[name]
        part = self.__dict__[name] = self.F[first:last]
        return part


@dataclass
class _Memory:
    """Tables of one array while they are written; `header` receives where they begin."""

    header: np.ndarray
    chunks: list[np.ndarray] = field(default_factory=list)
    size: int = 0
    first: dict[int, int] = field(default_factory=dict)

    def put(self, entry: int, values: Any) -> int:
        first = self.first[entry] = self.size
        if entry != PARAMETERS:
            self.header[entry] = first
        if len(values):  # half of all tables are empty
            chunk = np.asarray(values).ravel()
            self.chunks.append(chunk)
            self.size += len(chunk)
        return first


class _Writer:
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
        self.formulas = (
            Formulas()
        )  # of inputs ("time", 0), ("value", row), ("rate", row), ("bias", row), ("side", switch)
        # what programs compute, (array in F, number) -> node: sides and values of drivers and composites, sides and values of laws
        self.wanted: list[dict[tuple[str, int], int]] = [{}, {}, {}, {}]
        self.n_switches = 0
        self.owners: list[Owner] = []
        self.jac, self.item0 = 0, [0]

    def add_row(self, row: Row, place: int, step: int, bodies: list[int]) -> int:
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

    def expression(self, part: str, role: str, row: int, expression: Expr, inputs: list[str], sources: Any) -> int:
        """Node of an expression, with its sides as inputs behind the others; `sources` are the (row, rate) of its inputs after t."""
        named, sides = self.formulas.named, self.wanted[2 if role == "law" else 0]
        numbers = counting(self.n_switches)
        owner = Owner.of(part, role, row, expression, inputs, sources, lambda switch: next(numbers))
        self.owners.append(owner)
        keys = [
            ("time", 0),
            *(("rate" if rate else "value", r) for r, rate in sources),
            *(("side", n) for n in owner.numbers),
        ]
        names = {name: named(key) for name, key in zip(owner.names, keys)}
        for n, switch in zip(owner.numbers, owner.held):
            # a side is computed from the state, without sides
            sides["side", n] = self.formulas.add_formula(switch.node, {name: names[name] for name in inputs})
        self.n_switches += len(owner.held)
        return self.formulas.add_formula(owner.smooth, names)

    def stop(self, part: str, row: int, numbers: tuple[float, ...]) -> int:
        """Number of the first of the two switches of a stop, which knows their sides."""
        self.owners.append(stop_owner(part, row, numbers, self.n_switches))
        self.n_switches += 2
        return self.n_switches - 2

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

    def write_rows(self, ints: _Memory, par: int, places: Places) -> None:
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

    def write_expressions(self, ints: _Memory, n_rows: int) -> int:
        """Tables of drivers, composites and laws, and the expressions they use; number of parts of composites."""
        drivers: list[int] = []
        inputs = {state.name: (n_rows + k, 0) for k, state in enumerate(self.builder.states)}
        for r, one in enumerate(self.rows[:n_rows]):
            if one.drive is not None:
                drivers.append(r)
                used = [name for name in inputs if name in one.drive.names]
                sources = [inputs[name] for name in used]
                self.driver(r, self.expression(one.part, "driver", r, one.drive, ["t", *used], sources))
        ints.put(at.DRIVER, drivers)
        composites: list[int] = []
        parts: list[int] = []
        for composite, r in self.composites:
            kind = at.LINEAR
            if composite.expression is not None:
                kind = at.ON_RATES if composite.on_rates else at.EXPRESSION
                rows = [n_rows + p for p in composite.parts]
                sources = [(k, rate) for rate in (0, 1)[: 1 + composite.on_rates] for k in rows]
                role = "row" if r < n_rows else "measure"
                f = self.expression(self.rows[r].part, role, r, composite.expression, composite.inputs, sources)
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
            switch, row = -1, n_rows + law.row
            if law.expression is not None:
                sources = [(n_rows + r, int(rate)) for r, rate in law.inputs]
                f = self.expression(law.part, "law", row, law.expression, law.names, sources)
                self.wanted[3]["force", n] = f
            elif law.law.kind == "stop":
                switch = self.stop(law.part, row, law.numbers)
            laws += [_LAW_KINDS[law.law.kind], row, switch]
        ints.put(at.LAW, laws)
        names = [one.part for one in self.rows[:n_rows]]
        self.owners += event_owners(
            [
                (name, e, called, [(n_rows + r, int(rate)) for r, rate in inputs], way)
                for name, e, inputs, called, way in self.builder.events
            ],
            [(stop, names.index(stop)) for stop in self.builder.pressed],
        )
        return len(parts) // 3

    def numbers(self) -> list[int]:
        """Nodes of the numbers of expressions."""
        made = self.formulas
        return [k for k in made.needed(node for wanted in self.wanted for node in wanted.values()) if k in made.numbers]


def elimination(builder: Builder, saddle: bool | None = None) -> tuple[list[int], list[list[int]], bool]:
    """Order of the blocks, their columns in that order, and whether the saddle-point solver is the better choice (or was asked for)."""
    singular = singular_bodies(builder)
    bodies = [b.bodies for b in builder.blocks]
    degree: dict[int, int] = {}
    for touched in bodies:
        for b in touched:
            degree[b] = degree.get(b, 0) + 1
    none: list[list[int]] = [[] for _ in bodies]
    by_saddle = list(range(len(bodies))), none, True
    if singular or saddle or (saddle is None and (max(degree.values(), default=0) > _HUB or uneven(builder))):
        return by_saddle
    order, columns = minimum_degree(couplings(bodies), rows=[len(b.rows) for b in builder.blocks])
    position = {v: k for k, v in enumerate(order)}
    ordered = [sorted(position[c] for c in columns[v]) for v in order]
    work = work_of([len(builder.blocks[v].rows) for v in order], ordered)
    # as long as the work is proportional to the number of joints there is no reason to look further
    if saddle is None and work > _SADDLE_COST * 8.0 * builder.width**3 * len(bodies):
        other = eliminated(builder, builder.blocks, set(singular)).work
        if work > _SADDLE_COST * other or updates_of(ordered) > _UPDATES:
            return by_saddle
    return order, ordered, False


def number(builder: Builder, saddle: bool | None = None) -> Numbering:
    """Numbering and memory of a system; the solver is chosen by the cost unless asked for (a singular mass needs the saddle point).

    A structure that was numbered before is known: then only its numbers are written.
    """
    key = structure_key(builder, saddle)
    known = _structures.pop(key, None)
    if known is None:
        known = _structure(builder, saddle)
        while len(_structures) >= MOST:
            _structures.pop(next(iter(_structures)), None)
    if len(known.I) <= LARGEST:
        _structures[key] = known  # the last one used is the last to go
    blocks = [builder.blocks[k] for k in known.order]
    listed = Listed.of(builder, blocks)
    P = np.concatenate([*(numbers for _, numbers in model_numbers(builder, listed, known.saddle)), known.tail])
    P.setflags(write=False)
    owners = known.owners
    if any(law.law.kind == "stop" for law in builder.laws):
        stops = iter(law.numbers for law in builder.laws if law.law.kind == "stop")
        owners = [stop_owner(o.part, o.row, next(stops), o.numbers[0]) if o.role == "stop" else o for o in known.owners]
    return Numbering(blocks, listed.rows, known.n_rows, known.I[:], P, known.places, owners, builder.state_starts)


@dataclass(frozen=True)
class Structure:
    """All of a system but for the numbers of its model; never written."""

    order: list[int]  # of the blocks
    saddle: bool
    n_rows: int
    I: np.ndarray  # noqa: E741
    places: dict[str, tuple[int, int]]
    owners: list[Owner]
    tail: np.ndarray  # end of P: numbers of the expressions, which are part of the key


# structures that are remembered, and entries of their tables at most
MOST, LARGEST = 64, 200_000
_structures: dict[Any, Structure] = {}


def structure_key(builder: Builder, saddle: bool | None) -> Any:
    """All that decides about a structure: equal keys, equal structures.  Numbers of expressions belong to it, no others."""

    def item(x: Item | None) -> Any:
        return x and (x.kind, x.i, x.j, x.f, len(x.par), x.rows, x.angle)

    def composite(x: Composite | None) -> Any:
        return x and (tuple(x.parts), x.expression, tuple(x.inputs), x.on_rates)

    blocks = tuple(
        (
            tuple(b.bodies), tuple((r.part, r.drive, r.rate_only) for r in b.rows),
            tuple((item(x), first) for x, first in b.items), tuple((composite(x), first) for x, first in b.composites),
        )
        for b in builder.blocks
    )  # fmt: skip
    free = tuple(
        (f.row.part, f.row.rate_only, item(f.item), composite(f.composite), tuple(f.bodies)) for f in builder.free
    )
    laws = tuple(
        (law.part, law.row, law.law.kind, law.expression, tuple(law.inputs), tuple(law.names)) for law in builder.laws
    )
    masses = tuple(singular_bodies(builder)), uneven(builder), refinements(builder)
    particles = tuple(body.particle for body in builder.bodies)
    watched = tuple(item(x) for _, x, _ in builder.watched)
    events = tuple((name, e, tuple(rows), tuple(names), way) for name, e, rows, names, way in builder.events)
    counts = len(builder.angles), len(builder.states), tuple(builder.pressed)
    return builder.plane, saddle, masses, particles, blocks, free, laws, watched, events, counts


class Listed(NamedTuple):
    """Rows, items and composites in the order of the memory."""

    rows: list[Row]
    row_bodies: list[list[int]]
    items: list[Item]
    composites: list[Composite]

    @classmethod
    def of(cls, builder: Builder, blocks: list[Block]) -> Listed:
        """Those of the blocks, then those of free rows, then the watched ones."""
        rows = [row for b in blocks for row in b.rows]
        bodies = [b.bodies for b in blocks for _ in b.rows]
        items = [item for b in blocks for item, _ in b.items]
        composites = [composite for b in blocks for composite, _ in b.composites]
        for free in builder.free:
            rows.append(free.row)
            bodies.append(free.bodies)
            if free.item is not None:
                items.append(free.item)
            elif free.composite is not None:
                composites.append(free.composite)
        for _, item, row in builder.watched:
            rows.append(row)
            bodies.append([b for b in (item.i, item.j) if b != builder.ground])
            items.append(item)
        return cls(rows, bodies, items, composites)


def _law_numbers(builder: Builder) -> np.ndarray:
    table = np.zeros((len(builder.laws), at.LAW_SIZE))
    for k, law in enumerate(builder.laws):
        table[k, : len(law.numbers)] = law.numbers
    return table.ravel()


def with_laws(numbering: Numbering, builder: Builder) -> Numbering:
    """The same memory with the numbers of other force laws."""
    P, laws = numbering.P.copy(), _law_numbers(builder)
    P[numbering.I[at.LAW_NUMBERS] :][: len(laws)] = laws
    P.setflags(write=False)
    return replace(numbering, P=P)


def model_numbers(builder: Builder, listed: Listed, saddle: bool) -> list[tuple[int, np.ndarray]]:
    """Numbers of the model as they stand in P, each part with its entry of the header; the parameters of items have none."""
    length, n_rows = builder.drawing.extent, sum(len(b.rows) for b in builder.blocks)
    units = [row.unit for row in listed.rows]
    weights = weight_table(builder, listed.row_bodies, units[:n_rows]) if saddle else [0.0] * n_rows
    found: list[tuple[int, Any]] = [
        (at.GRAVITY, builder.gravity),
        (at.MASS, mass_table(builder, saddle)),
        (at.OFFSET, [row.offset for row in listed.rows]),
        (at.SCALE, [1.0 / length if unit == "m" else 1.0 for unit in units]),
        (at.LAW_NUMBERS, _law_numbers(builder)),
        (at.COEFFICIENT, [c for composite in listed.composites for c in composite.coefficients]),
        (at.WEIGHT, weights),
        (at.LENGTH, [length]),
        (PARAMETERS, [x for item in listed.items for x in item.par]),
    ]
    return [(entry, np.asarray(x, dtype=float)) for entry, x in found]


def _structure(builder: Builder, saddle: bool | None) -> Structure:
    order, columns, saddle = elimination(builder, saddle)
    blocks = [builder.blocks[k] for k in order]
    w, width, places = _Writer(builder), builder.width, Places()
    listed = Listed.of(builder, blocks)
    n_rows, n_all = sum(len(b.rows) for b in blocks), len(listed.rows)
    # sizes first: places in F are absolute
    sizes = [len(b.rows) for b in blocks]
    nb, n_laws = len(builder.bodies), len(builder.laws)
    n_drivers = sum(row.drive is not None for row in listed.rows[:n_rows])
    places.know({
        "bodies": nb, "bodies and ground": nb + 1, "velocities": width, "rows": n_rows, "all rows": n_all, "free": len(builder.free),
        "record": at.PLANE_BODY if builder.plane else at.SPACE_BODY, "blocks": len(blocks), "laws": n_laws, "drivers": n_drivers,
        "powers": n_laws + n_drivers, "angles": len(builder.angles), "states": len(builder.states), "composites": len(listed.composites),
        "wrenches": sum(map(len, listed.row_bodies[: n_all - len(builder.watched)])) + 2 * len(builder.watched) + 6,
        "diagonal": sum(n * (n + 1) // 2 for n in sizes),
    })  # fmt: skip
    records, slots, item0 = w.number_rows(blocks, places)
    pattern = block_pattern(
        sizes, [b.bodies for b in blocks], columns, [r[2] for r in records], width, [r[3] for r in records], places.size
    )
    singular = set(singular_bodies(builder))
    sad = saddle_pattern(builder, blocks, w.row_bodies[:n_rows], singular) if saddle else empty_saddle(n_rows)
    places.know({
        "off": pattern.size, "entries": sad.n_entries, "unknowns": sad.n_unknowns, "nodes": sad.n_nodes, "welds": sad.n_welds,
        "saddle velocities": width * nb if saddle else 0, "saddle rows": n_rows if saddle else 0,
    })  # fmt: skip
    header = np.zeros(at.HEADER, dtype=np.int64)
    floats = _Memory(header)
    for entry, numbers in model_numbers(builder, listed, saddle):
        floats.put(entry, numbers)
    ints = _Memory(header, [header], at.HEADER)
    w.write_rows(ints, floats.first[PARAMETERS], places)
    _write_blocks(ints, pattern, records, slots, item0, places.of["lam"][0])
    places.know({"parts": w.write_expressions(ints, n_rows), "switches": w.n_switches})
    head = floats.size
    _write_programs(w, ints, floats, places)
    for field_ in fields(sad):
        ints.put(getattr(at, field_.name.upper()), getattr(sad, field_.name))
    places.write(header)
    valued = n_laws > 0 or bool(builder.events) or any(composite.expression is not None for composite in listed.composites)
    flags = (at.PLANE, builder.plane), (at.SADDLE, saddle), (at.REFINE, refinements(builder)), (at.VALUED, valued)
    for entry, value in flags:
        header[entry] = int(value)
    I, numbers = np.concatenate(ints.chunks).astype(np.int64), np.concatenate(floats.chunks)  # noqa: E741
    tail = numbers[head:].copy()
    for constant in (I, tail):
        constant.setflags(write=False)
    return Structure(order, saddle, n_rows, I, places.of, w.owners, tail)


def _write_blocks(
    ints: _Memory, pattern: BlockPattern, records: list[tuple[int, ...]], slots: list[int], item0: list[int], lam: int
) -> None:
    """Tables of the blocks and of the off-diagonal blocks of their factor."""
    slot0 = ints.put(at.SLOT, slots)
    pair0 = ints.put(at.PAIR, pattern.pairs)
    upd0 = ints.put(at.UPD, pattern.updates)
    # of a column: its rows, place of its diagonal block and of its multipliers; the entry behind the last has none
    columns = [(r[0], r[3], lam + r[1]) for r in records] or [(0, 0, 0)]
    off = ints.put(
        at.OFF,
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
            for x in (*r[:4], slot0 + r[4], r[5], off + at.OFF_SIZE * first)
        ],
    )


def _write_programs(w: _Writer, ints: _Memory, floats: _Memory, places: Places) -> None:
    """Programs of all expressions, their numbers and tables."""
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
