"""Memory of a compiled system: numbers the rows in elimination order and writes the arrays I and P of `kernels/layout.py`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..errors import MethodError, shown
from ..kernels import layout as at
from ..model.expression import Expr
from .build import Builder
from .collected import Block, Composite, Item, Row
from .formulas import Formulas, form_of
from .masses import mass_table, refinements, singular_bodies, uneven, weight_table
from .memory import Places
from .order import block_pattern, couplings, minimum_degree, updates_of, work_of
from .owners import owners_of
from .saddle import eliminated, empty_saddle, saddle_pattern
from .watch import Owner
from .writing import PARAMETERS, Memory, Writer, write_blocks, write_programs

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
    starts: np.ndarray  # of the auxiliary states
    formulas: Formulas = field(repr=False)  # expressions
    laws: dict[int, int] = field(repr=False)  # nodes of those that are laws
    numbers: dict[int, int] = field(repr=False)  # places in P of the numbers of expressions
    renewed: np.ndarray = field(repr=False)  # which of the numbers that are `written` stand there
    written: Written = field(repr=False)
    builder: Builder = field(repr=False)  # what it was made of

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

    def __getstate__(self) -> dict[str, Any]:
        # parts are views of F, which copies would part from it
        return {"_places": self._places, "F": self.F}

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


def number(builder: Builder, saddle: bool | None = None, remember: bool = True) -> Numbering:
    """Numbering and memory of a system; the solver is chosen by the cost unless asked for (a singular mass needs the saddle point).

    A structure that was numbered before, and is to be remembered, is known: then only its numbers are written.
    """
    key, written = structure_key(builder, saddle)
    known = _structures.pop(key, None)
    columns: list[list[int]] = []
    if known is None:
        order, columns, saddle = elimination(builder, saddle)
    else:
        order, saddle = known.order, known.saddle
    blocks = [builder.blocks[k] for k in order]
    listed = Listed.of(builder, blocks)
    owners = owners_of(builder, listed.rows, listed.composites, sum(len(b.rows) for b in blocks))
    if known is None:
        known = _structure(builder, order, listed, columns, saddle, owners, written)
        while remember and len(_structures) >= MOST:
            _structures.pop(next(iter(_structures)), None)
    if remember and len(known.I) <= LARGEST:
        _structures[key] = known  # the last one used is the last to go
    of_parts = (numbers for _, numbers in model_numbers(builder, listed, known.saddle))
    of_expressions = np.array([x for _, x in written.numbers], dtype=float)[known.renewed]
    P = np.concatenate([*of_parts, known.rules, of_expressions, known.splines])
    P.setflags(write=False)
    return Numbering(
        blocks, listed.rows, known.n_rows, known.I[:], P, known.places, owners, builder.state_starts, *known.expressions,
        known.renewed, written, builder,
    )  # fmt: skip


@dataclass(frozen=True)
class Structure:
    """All of a system but for the numbers of its model; never written."""

    order: list[int]  # of the blocks
    saddle: bool
    n_rows: int
    I: np.ndarray  # noqa: E741
    places: dict[str, tuple[int, int]]
    rules: np.ndarray  # end of P: numbers that derivatives brought along,
    renewed: np.ndarray  # which of the numbers of expressions stand there,
    splines: np.ndarray  # and tables
    expressions: tuple[Formulas, dict[int, int], dict[int, int]]  # as `Numbering` has them


# structures that are remembered, and entries of their tables at most
MOST, LARGEST = 64, 200_000
_structures: dict[Any, Structure] = {}


class Written(NamedTuple):
    """Expressions of a mechanism, each once, and their numbers: places of both."""

    scopes: dict[Expr, int]
    numbers: dict[tuple[int, float], int]  # of (scope, number): equal numbers of two expressions may become different


def structure_key(builder: Builder, saddle: bool | None) -> tuple[Any, Written]:
    """All that decides about a structure, and the expressions, whose numbers do not: equal keys, equal structures."""
    written = Written({}, {})

    def form(x: Expr | None) -> Any:
        if x is None:
            return None
        scope, found = written.scopes.setdefault(x, len(written.scopes)), form_of(x)
        for number in found.numbers:
            written.numbers.setdefault((scope, number), len(written.numbers))
        return scope, found.nodes

    def item(x: Item | None) -> Any:
        return x and (x.kind, x.i, x.j, x.f, len(x.par), x.rows, x.angle)

    def composite(x: Composite | None) -> Any:
        return x and (tuple(x.parts), form(x.expression), tuple(x.inputs), x.on_rates)

    blocks = tuple(
        (
            tuple(b.bodies), tuple((form(r.drive), r.rate_only) for r in b.rows),
            tuple((item(x), first) for x, first in b.items), tuple((composite(x), first) for x, first in b.composites),
        )
        for b in builder.blocks
    )  # fmt: skip
    free = tuple((f.row.rate_only, item(f.item), composite(f.composite), tuple(f.bodies)) for f in builder.free)
    laws = tuple(
        (law.row, law.law.kind, form(law.expression), tuple(law.inputs), tuple(law.names)) for law in builder.laws
    )
    masses = tuple(singular_bodies(builder)), uneven(builder), refinements(builder)
    particles = tuple(body.particle for body in builder.bodies)
    watched = tuple(item(x) for _, x, _ in builder.watched)
    counts = len(builder.angles), tuple(state.name for state in builder.states), bool(builder.events)
    return (builder.plane, saddle, masses, particles, blocks, free, laws, watched, counts), written


class Listed(NamedTuple):
    """Rows, items and composites in the order of the memory."""

    rows: list[Row]
    row_bodies: list[list[int]]
    items: list[Item]
    composites: list[tuple[Composite, int]]  # with their rows

    @classmethod
    def of(cls, builder: Builder, blocks: list[Block]) -> Listed:
        """Those of the blocks, then those of free rows, then the watched ones."""
        rows = [row for b in blocks for row in b.rows]
        bodies = [b.bodies for b in blocks for _ in b.rows]
        items = [item for b in blocks for item, _ in b.items]
        firsts = accumulate((len(b.rows) for b in blocks), initial=0)
        composites = [(composite, r + first) for r, b in zip(firsts, blocks) for composite, first in b.composites]
        for free in builder.free:
            rows.append(free.row)
            bodies.append(free.bodies)
            if free.item is not None:
                items.append(free.item)
            elif free.composite is not None:
                composites.append((free.composite, len(rows) - 1))
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
        (at.COEFFICIENT, [c for composite, _ in listed.composites for c in composite.coefficients]),
        (at.WEIGHT, weights),
        (at.LENGTH, [length]),
        (PARAMETERS, [x for item in listed.items for x in item.par]),
    ]
    return [(entry, np.asarray(x, dtype=float)) for entry, x in found]


def _structure(
    builder: Builder, order: list[int], listed: Listed, columns: list[list[int]], saddle: bool, owners: list[Owner],
    written: Written,
) -> Structure:  # fmt: skip
    blocks = [builder.blocks[k] for k in order]
    w, width, places = Writer(builder), builder.width, Places()
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
    floats = Memory(header)
    for entry, table in model_numbers(builder, listed, saddle):
        floats.put(entry, table)
    ints = Memory(header, [header], at.HEADER)
    w.write_rows(ints, floats.first[PARAMETERS], places)
    write_blocks(ints, pattern, records, slots, item0, places.of["lam"][0])
    n_switches = sum(len(owner.held) for owner in owners if owner.role != "event")
    places.know({"parts": w.write_expressions(ints, n_rows, iter(owners), written.scopes), "switches": n_switches})
    given = write_programs(w, ints, floats, places)
    for field_ in fields(sad):
        ints.put(getattr(at, field_.name.upper()), getattr(sad, field_.name))
    places.write(header)
    valued = (
        n_laws > 0
        or bool(builder.events)
        or any(composite.expression is not None for composite, _ in listed.composites)
    )
    flags = (at.PLANE, builder.plane), (at.SADDLE, saddle), (at.REFINE, refinements(builder)), (at.VALUED, valued)
    for entry, value in flags:
        header[entry] = int(value)
    I, P = np.concatenate(ints.chunks).astype(np.int64), np.concatenate(floats.chunks)  # noqa: E741
    rules, splines = P[header[at.RULE_NUMBERS] : header[at.NUMBERS]].copy(), P[header[at.SPLINE_KNOTS] :].copy()
    scope = {node: key[1] for key, node in w.formulas.input.items() if node in given}
    renewed = [written.numbers[scope[node], w.formulas.numbers[node]] for node in given]
    for constant in (I, rules, splines):
        constant.setflags(write=False)
    laws = {n: node for (_, n), node in w.wanted[3].items()}
    return Structure(
        order,
        saddle,
        n_rows,
        I,
        places.of,
        rules,
        np.array(renewed, dtype=np.int64),
        splines,
        (w.formulas, laws, given),
    )
