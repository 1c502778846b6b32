"""Memory of a compiled system: numbers the rows in elimination order and writes the arrays I and P of `kernels/layout.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count as counting
from typing import Any

import numpy as np

from ..errors import MethodError, shown
from ..kernels import layout as at
from ..model.expression import Expr
from .build import Block, Builder, Composite, Item, Row
from .formulas import Formulas
from .order import block_pattern, couplings, minimum_degree, updates_of, work_of
from .program import program, program_records, spline_tables
from .saddle import eliminated, empty_saddle, saddle_pattern
from .watch import Owner, event_owners, stop_owner

_LAW_KINDS = {
    "linear": at.LAW_LINEAR,
    "stop": at.LAW_STOP,
    "friction": at.LAW_FRICTION,
    "expression": at.LAW_EXPRESSION,
    "callable": at.LAW_CALL,
    "slip": at.LAW_CALL,
}
# a hub with more joints than this would fill S whatever the order
_HUB = 40
# the saddle-point solver costs about this many times more per multiplication than the unrolled blocks
_SADDLE_COST = 4.0
# the range-space solver keeps a record of every update of a block: at most so many
_UPDATES = 2_000_000
# masses of bodies may differ by this factor in the range space (moments of inertia by its square, for lengths differ too), where 1/m of
# the lightest body is added to that of the heaviest: so many digits of the heavy ones are lost, and the test of dependent rows sees the sum
_UNEVEN = 1e4


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
    formulas: Formulas = field(
        default_factory=Formulas, repr=False
    )  # expressions, and the nodes of those that are laws
    laws: dict[int, int] = field(default_factory=dict, repr=False)
    numbers: dict[int, int] = field(default_factory=dict, repr=False)  # places in P of the numbers of expressions

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

    def put(self, name: int, values: Any, dtype: Any) -> int:
        self.header[name] = first = self.size
        if len(values):  # half of all tables are empty
            chunk = np.asarray(values, dtype=dtype).ravel()
            self.chunks.append(chunk)
            self.size += len(chunk)
        return first


def singular_bodies(builder: Builder) -> list[int]:
    """Bodies whose mass matrix is singular: no mass, or an axis without inertia (particles excepted)."""
    found = []
    for k, body in enumerate(builder.bodies):
        p = builder.drawing.poses[id(body)].properties
        assert p is not None
        if p.mass <= 0.0:
            found.append(k)
        elif not body.particle:
            moments = [p.inertia[2, 2]] if builder.plane else np.linalg.eigvalsh(p.inertia)
            if min(moments) <= 1e-12 * max(max(moments), p.mass * builder.drawing.extent**2 * 1e-9):
                found.append(k)
    return found


def mass_table(builder: Builder, saddle: bool) -> list[float]:
    """Mass records; unscaled (G = 1) for the saddle-point solver."""
    records: list[float] = []
    for body in builder.bodies:
        p = builder.drawing.poses[id(body)].properties
        assert p is not None
        m, inertia = p.mass, np.asarray(p.inertia)
        root = math.sqrt(m)
        if builder.plane:
            polar = 0.0 if body.particle else float(inertia[2, 2])
            if saddle:
                records += [m, 1.0, 1.0, 0.0 if body.particle else 1.0, 1.0, m, polar]
            else:
                spin = math.sqrt(polar)
                records += [root, 1.0 / root, root, 0.0 if body.particle else 1.0 / spin, spin, m, polar]
            continue
        j = inertia
        upper = [j[0, 0], j[0, 1], j[0, 2], j[1, 1], j[1, 2], j[2, 2]]
        one = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
        if body.particle:
            upper, inverse, lower_part = [0.0] * 6, [0.0] * 6, [0.0] * 6
        elif saddle:
            inverse, lower_part = one, one
        else:
            # J' = L L^T; the inverse of a triangular 3x3 matrix is short
            factor = np.linalg.cholesky(j)
            back = np.linalg.inv(factor)
            inverse = [back[0, 0], back[1, 0], back[1, 1], back[2, 0], back[2, 1], back[2, 2]]
            lower_part = [factor[0, 0], factor[1, 0], factor[1, 1], factor[2, 0], factor[2, 1], factor[2, 2]]
        scale = [m, 1.0, 1.0] if saddle else [root, 1.0 / root, root]
        records += [*scale, *map(float, upper), *map(float, inverse), *map(float, lower_part), m]
    return records


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
        self.jac = 0

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

    def item_records(self, par: int, dummy: int, body: int, stride: int) -> list[int]:
        """Records of all items; see `layout.ITEM_SIZE`."""
        ground, records = self.builder.ground, []
        for item, row, oi, oj in self.items:
            bodies = (body + stride * item.i, body + stride * item.j, body + stride * item.f)
            phi = (-1 if item.i == ground else 3 * item.i + 2, -1 if item.j == ground else 3 * item.j + 2)
            places = (dummy if oi < 0 else oi, dummy if oj < 0 else oj)
            records += [item.kind, *bodies, par, row, *places, item.angle, *phi]
            par += len(item.par)
        return records

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
        ints.put(at.DRIVER, drivers, int)
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
        ints.put(at.COMPOSITE0, [*composites, 0, 0, len(parts) // 3], int)
        ints.put(at.PART, parts, int)
        n_parts = len(parts) // 3
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
        ints.put(at.LAW, laws, int)
        names = [one.part for one in self.rows[:n_rows]]
        self.owners += event_owners(
            [
                (name, e, called, [(n_rows + r, int(rate)) for r, rate in inputs], way)
                for name, e, inputs, called, way in self.builder.events
            ],
            [(stop, names.index(stop)) for stop in self.builder.pressed],
            [
                (name, left, called, [(names.index(part) + k, 0) for part, k in rows])
                for name, left, called, rows in self.builder.gripped
            ],
        )
        return n_parts

    def numbers(self) -> list[int]:
        """Nodes of the numbers of expressions."""
        made = self.formulas
        return [k for k in made.needed(node for wanted in self.wanted for node in wanted.values()) if k in made.numbers]


def mass_ratio(builder: Builder) -> float:
    """Largest mass over the smallest, or the root of this ratio of moments of inertia; of bodies that have them."""
    masses, inertias = [], []
    for body in builder.bodies:
        p = builder.drawing.poses[id(body)].properties
        assert p is not None
        masses.append(p.mass)
        if not body.particle:
            inertias.append(p.inertia[2, 2] if builder.plane else float(np.max(np.linalg.eigvalsh(p.inertia))))
    ratios = [max(x) / min(x) for x in ([y for y in z if y > 0.0] for z in (masses, inertias)) if x] + [1.0, 1.0]
    return max(ratios[0], math.sqrt(ratios[1]))


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
    if (
        singular
        or saddle
        or (saddle is None and (max(degree.values(), default=0) > _HUB or mass_ratio(builder) > _UNEVEN))
    ):
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


def _refinements(builder: Builder, singular: set[int]) -> int:
    """How often a solution of the saddle-point system is refined: each time it gains the digits that the factor has right."""
    ratio = mass_ratio(builder)
    return 3 if ratio > 1e9 else 2 if ratio > 1e6 else 1 if singular or ratio > _UNEVEN else 0


def _column(records: list[tuple[int, ...]], block: int, lam: int) -> tuple[int, int]:
    """Places of the diagonal block and of the multipliers of a column block."""
    return (records[block][3], lam + records[block][1]) if records else (0, 0)


def number(builder: Builder, saddle: bool | None = None) -> Numbering:
    """Numbering and memory of a system; the solver is chosen by the cost unless asked for (a singular mass needs the saddle point)."""
    order, columns, saddle = elimination(builder, saddle)
    blocks = [builder.blocks[k] for k in order]
    w = _Writer(builder)
    width = builder.width
    # sizes first: places in F are absolute
    n_free, n_watched = len(builder.free), len(builder.watched)
    n_rows = sum(len(b.rows) for b in blocks)
    n_all = n_rows + n_free + n_watched
    nb, n_laws = len(builder.bodies), len(builder.laws)
    n_drivers = sum(row.drive is not None for b in blocks for row in b.rows)
    header = np.zeros(at.HEADER, dtype=np.int64)
    places: dict[str, tuple[int, int]] = {}
    size = 0

    def reserve(name: str, index: int, count: int) -> int:
        nonlocal size
        header[index] = size
        places[name] = (size, size + count)
        size += count
        return int(header[index])

    stride = at.PLANE_BODY if builder.plane else at.SPACE_BODY
    body = reserve("body", at.BODY, (nb + 1) * stride)
    reserve("vhat", at.VHAT, (nb + 1) * width)
    reserve("acc", at.ACC, (nb + 1) * width)
    for name, index in (("value", at.VALUE), ("bias", at.BIAS), ("partial", at.PARTIAL), ("rate", at.RATE)):
        reserve(name, index, n_all)
    reserve("drive", at.DRIVE, 3 * n_rows)
    n_jac = (
        sum(len(b.rows) * len(b.bodies) for b in blocks) + sum(len(f.bodies) for f in builder.free) + 2 * n_watched + 6
    )
    w.jac = reserve("jac", at.JAC, n_jac * width)
    reserve("floor", at.FLOOR, n_rows)
    diag = reserve("diag", at.DIAG, sum(len(b.rows) * (len(b.rows) + 1) // 2 for b in blocks))

    records: list[tuple[int, ...]] = []
    slots: list[int] = []
    for block in blocks:
        n, r = len(block.rows), len(w.rows)
        records.append((n, r, w.jac, diag, len(slots), len(w.items)))
        diag += n * (n + 1) // 2
        slots += [width * b for b in block.bodies]
        for a, row in enumerate(block.rows):
            w.add_row(row, w.jac + a * width, n * width, block.bodies)
        for item, first in block.items:
            w.add_item(item, r + first, {b: w.jac + (s * n + first) * width for s, b in enumerate(block.bodies)})
        w.composites += [(c, r + first) for c, first in block.composites]
        w.jac += n * width * len(block.bodies)
    item0 = [r[5] for r in records] + [len(w.items)]
    for free in builder.free:
        w.add_free(free.row, free.item, free.composite, free.bodies)
    item0.append(len(w.items))
    for _, item, row in builder.watched:
        w.add_free(row, item, None, [b for b in (item.i, item.j) if b != builder.ground])
    item0.append(len(w.items))

    sizes = [len(b.rows) for b in blocks]
    places_of = [r[2] for r in records], width, [r[3] for r in records]
    pattern = block_pattern(sizes, [b.bodies for b in blocks], columns, *places_of, size)
    reserve("lower", at.LOWER, pattern.size)
    singular = set(singular_bodies(builder))
    sad = (
        saddle_pattern(builder, blocks, w.row_bodies[:n_rows], w.rows[:n_rows], singular)
        if saddle
        else empty_saddle(n_rows)
    )
    for name, index, count in (
        ("y", at.Y, n_rows), ("lam", at.LAM, n_rows), ("force", at.FORCE, n_laws), ("power", at.POWER, n_laws + n_drivers),
        ("called", at.CALLED, n_laws), ("angle", at.ANGLE_AT, len(builder.angles)), ("angle_rate", at.ANGLE_RATE, len(builder.angles)),
        ("angle_time", at.ANGLE_TIME, 1), ("sad", at.SAD, sad.n_entries), ("sad_d", at.SAD_D, sad.n_unknowns),
        ("sad_size", at.SAD_SIZE, sad.n_unknowns), ("sad_x", at.SAD_X, sad.n_unknowns),
        ("sad_force", at.SAD_FORCE, 2 * width * nb if saddle else 0), ("sad_rest", at.SAD_REST, n_rows if saddle else 0),
    ):  # fmt: skip
        reserve(name, index, count)

    floats = _Memory(header)
    floats.put(at.GRAVITY, builder.gravity, float)
    floats.put(at.MASS, mass_table(builder, saddle), float)
    length = builder.drawing.extent
    floats.put(at.OFFSET, [row.offset for row in w.rows], float)
    floats.put(at.SCALE, [1.0 / length if row.unit == "m" else 1.0 for row in w.rows], float)
    numbers = np.zeros((n_laws, at.LAW_SIZE))
    for k, law in enumerate(builder.laws):
        numbers[k, : len(law.numbers)] = law.numbers
    floats.put(at.LAW_NUMBERS, numbers, float)
    floats.put(at.COEFFICIENT, [c for composite, _ in w.composites for c in composite.coefficients], float)
    floats.put(at.WEIGHT, sad.sad_weight, float)
    floats.put(at.LENGTH, [length], float)
    par0 = floats.size
    chunk = np.array([x for item, *_ in w.items for x in item.par], dtype=float)
    floats.chunks.append(chunk)
    floats.size += len(chunk)

    ints = _Memory(header, [header], at.HEADER)
    dummy = places["jac"][1] - 6 * width
    ints.put(at.ITEM0, item0, int)
    ints.put(at.ITEM, w.item_records(par0, dummy, body, stride), int)
    starts = np.cumsum([0] + [len(b) for b in w.row_bodies])
    body0 = ints.put(at.ROW_BODY, [width * b for bodies in w.row_bodies for b in bodies], int)
    ints.put(
        at.ROW,
        [x for r in range(n_all) for x in (w.row_j[r], w.row_step[r], body0 + starts[r])] + [0, 0, body0 + starts[-1]],
        int,
    )
    ints.put(at.ROW_RATE, [int(row.rate_only) for row in w.rows], int)
    slot0 = ints.put(at.SLOT, slots, int)
    pair0 = ints.put(at.PAIR, pattern.pairs, int)
    upd0 = ints.put(at.UPD, pattern.updates, int)
    lam = int(header[at.LAM])
    off = ints.put(
        at.OFF,
        [
            x
            for c, place, p, u in pattern.offs
            for x in (sizes[c] if sizes else 0, place, pair0 + 2 * p, upd0 + 4 * u, *_column(records, c, lam))
        ],
        int,
    )
    last = (0, 0, 0, 0, len(slots), item0[len(blocks)])
    ints.put(
        at.BLOCK,
        [
            x
            for r, first in zip([*records, last], pattern.off0)
            for x in (*r[:4], slot0 + r[4], r[5], off + at.OFF_SIZE * first)
        ],
        int,
    )
    n_parts, made = w.write_expressions(ints, n_rows), w.formulas
    for name, index, count in (
        ("time", at.TIME, 1), ("slope", at.SLOPE, n_parts), ("side", at.SIDE, w.n_switches), ("frozen", at.FROZEN, 1),
        ("state", at.STATE_AT, len(builder.states)),
    ):  # fmt: skip
        reserve(name, index, count)
    opaque = w.numbers()
    table_first, knots, coefficients = spline_tables(made)
    rules = floats.put(at.RULE_NUMBERS, made.constants, float)
    given = floats.put(at.NUMBERS, [made.numbers[node] for node in opaque], float)
    for index, listed in ((at.SPLINE_KNOTS, knots), (at.SPLINE_COEFFICIENTS, coefficients), (at.SPLINE_END, [])):
        floats.put(index, listed, float)
    floats.chunks.append(np.zeros(1))  # something to read after the last table
    loaded = {node: given + k for k, node in enumerate(opaque)}
    loaded |= {made.number(x): rules + k for k, x in enumerate(list(made.constants))}
    leaves = {node: places[key[0]][0] + key[1] for key, node in made.input.items() if node not in made.numbers}
    programs = [program(made, list(wanted.values()), leaves, size, loaded) for wanted in w.wanted]
    results = [[(node, places[name][0] + k) for (name, k), node in wanted.items()] for wanted in w.wanted]
    ints.put(at.PROGRAM, program_records(programs, size, results, ints.size), int)
    reserve("register", at.REGISTER, max(p.size for p in programs))
    ints.put(at.SPLINE_FIRST, table_first, int)
    ints.put(at.SPLINE_LAST, [], int)
    for name, index in (
        ("sad_perm", at.SAD_PERM), ("sad_ptr", at.SAD_PTR), ("sad_col", at.SAD_COL), ("sad_at", at.SAD_AT),
        ("sad_first", at.SAD_FIRST), ("sad_below", at.SAD_BELOW), ("sad_node", at.SAD_NODE), ("sad_mass", at.SAD_MASS),
        ("sad_jac0", at.SAD_JAC0), ("sad_jac", at.SAD_JAC), ("sad_pair0", at.SAD_PAIR0), ("sad_pair", at.SAD_PAIR),
        ("sad_weld", at.SAD_WELD),
    ):  # fmt: skip
        ints.put(index, getattr(sad, name), int)
    for index, value in (
        (at.PLANE, builder.plane), (at.N_BODIES, nb), (at.SADDLE, saddle), (at.N_ROWS, n_rows), (at.N_FREE, n_free),
        (at.N_BLOCKS, len(blocks)), (at.N_COMPOSITES, len(w.composites)), (at.N_LAWS, n_laws), (at.N_DRIVERS, n_drivers),
        (at.N_ANGLES, len(builder.angles)), (at.N_UNKNOWNS, sad.n_unknowns), (at.N_ENTRIES, sad.n_entries),
        (at.N_NODES, sad.n_nodes), (at.N_WELDS, sad.n_welds), (at.REFINE, _refinements(builder, singular)),
        (at.N_STATES, len(builder.states)),
        (at.VALUED, n_laws > 0 or bool(builder.events) or any(composite.expression is not None for composite, _ in w.composites)),
    ):  # fmt: skip
        header[index] = int(value)
    return Numbering(
        blocks,
        w.rows,
        n_rows,
        np.concatenate(ints.chunks).astype(np.int64),
        np.concatenate(floats.chunks),
        places,
        w.owners,
        builder.state_starts,
        made,
        {n: node for (_, n), node in w.wanted[3].items()},
        {node: given + k for k, node in enumerate(opaque)},
    )
