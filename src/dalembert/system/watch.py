"""What the time loop watches between its steps: gaps of switches, and expressions that may do something narrow.

An `Owner` is an expression of a model (a law, a driver, a row) with the place of its switches; `watch_tables` turns owners into the arrays
that `kernels/watch.py` runs.  Inputs of expressions are scalars that move with the state (a measure or a coordinate, its rate), the time, and
sides of switches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..kernels import watch
from ..kernels.watch import EVENT, IS_RATE, IS_SIDE, IS_VALUE, NARROW, Watch
from ..model.expression import Expr, Name, Number, SplineCall
from ..model.expression.switches import CONDITION, FLOOR, KNOT, SIGN, Switch, held, in_switches, is_tame, switches
from .formulas import Formulas
from .program import program, spline_tables

KINDS = {CONDITION: watch.CONDITION, SIGN: watch.SIGN, FLOOR: watch.FLOOR, KNOT: watch.KNOT}


@lru_cache(maxsize=1024)
def _written(expression: Expr) -> tuple[Expr, list[Switch]]:
    """An expression with its corners written by switches, and these."""
    written = in_switches(expression)
    return written, switches(written)


@dataclass(frozen=True)
class Owner:
    """An expression with its switches."""

    # part, role, row: part of the model; "law", "driver", "row", "measure" or "event"; row that it acts on (of an event -1)
    part: str
    role: str
    row: int
    # smooth, names: the expression with its sides as names, and the names of its inputs: t, those of `sources`, sides
    smooth: Expr
    names: list[str]
    sources: list[tuple[int, int]]  # (scalar, 1 for its rate) of the inputs after t
    held: list[Switch]  # held, numbers: switches whose sides are inputs, and their numbers in the system
    numbers: list[int]
    knots: list[Switch]  # tables, which go on by themselves beyond their points

    @classmethod
    def of(
        cls, part: str, role: str, row: int, expression: Expr, inputs: Sequence[str], sources: Sequence[tuple[int, int]],
        number: Callable[[Switch], int],
    ) -> Owner:  # fmt: skip
        """Find the switches of an expression, and give each its number."""
        written, found = _written(expression)
        own = [s for s in found if s.kind != KNOT]
        knots = [s for s in found if s.kind == KNOT]
        if not own:
            # nothing to hold: the expression as it was given
            return cls(part, role, row, expression, list(inputs), list(sources), [], [], knots)
        numbers = [number(s) for s in own]
        side = {s.node: Name.of_measure(f"side {n}") for s, n in zip(own, numbers)}
        names = [*inputs, *(name.name for name in side.values())]
        return cls(part, role, row, held(written, side.get), names, list(sources), own, numbers, knots)

    @property
    def inputs(self) -> list[str]:
        """Names of t and of the sources."""
        return self.names[: 1 + len(self.sources)]


def stop_owner(part: str, row: int, numbers: Sequence[float], first: int) -> Owner:
    """The two switches of a stop: depth > 0 and force > 0."""
    k, c, limit, side = (float(x) for x in numbers)
    s, rate = Name("s"), Name("v")
    depth = side * (s - limit)
    force = k * depth + (c * side) * rate
    both = [Switch(CONDITION, gap > Number(0.0), gap) for gap in (depth, force)]
    sources = [(row, 0), (row, 1)]
    return Owner(part, "stop", row, Number(0.0), ["t", "s", "v"], sources, both, [first, first + 1], [])


# roles of owners whose switches Python must look at
HALTING = ("driver", "row")
# directions in which an event counts, by their sign
WAYS = {0: watch.EITHER, 1: watch.UPWARD, -1: watch.DOWNWARD}
# a load as a sum: places in F of a force along a row and of a component of that row, and what the product counts
Shares = list[tuple[int, int, float]]
_Watched = tuple[str, Expr, Sequence[str], Sequence[tuple[int, int]], int]


def event_owners(
    watched: Sequence[_Watched],
    closed: Sequence[tuple[str, Sequence[tuple[int, float]]]],
    gripped: Sequence[tuple[str, Expr, Sequence[str], Sequence[tuple[int, int]]]] = (),
) -> list[Owner]:
    """Events: (name, what is watched against 0, names and sources of its inputs, direction); and stops that are closed, each with rows and weights.

    A stop presses by -lam >= 0, of several rows by their weights, and is let go where that falls through 0.  A source that is a row of the constraints is its multiplier.
    Friction that sticks (`gripped`) slips where what is left before its limit falls through 0.
    """
    made = [*watched]
    for name, shares in closed:
        names = [f"lam{k}" for k in range(len(shares))]
        press = sum((-x * Name(lam) for lam, (_, x) in zip(names, shares)), Number(0.0)).simplify()
        made.append((name, press, names, [(row, 0) for row, _ in shares], -1))
    made += [(name, left, names, sources, -1) for name, left, names, sources in gripped]
    return [
        Owner(
            name,
            "event",
            -1,
            Number(0.0),
            ["t", *names],
            list(sources),
            [Switch(CONDITION, gap > Number(0.0), gap)],
            [WAYS[way]],
            [],
        )
        for name, gap, names, sources, way in made
    ]


class _Rows:
    """The lists behind a `Watch` while they are written."""

    def __init__(self, side_at: int) -> None:
        self.side_at = side_at
        self.scalars: dict[int, int] = {}
        self.formulas = Formulas()  # of inputs by their numbers
        self.results: list[int] = []
        self.records: list[tuple[int, int, int, int, float, int]] = []
        self.inputs: list[list[tuple[int, int]]] = []

    def add(
        self, owner: Owner, number: int, expression: Expr, kind: int, side: int, gate: int = -1, weight: float = 0.0
    ) -> None:
        used = expression.names
        listed: list[tuple[int, int]] = []
        names = ["t"]
        for name, (scalar, rate) in zip(owner.inputs[1:], owner.sources):
            if name in used:
                names.append(name)
                listed.append((IS_RATE if rate else IS_VALUE, self.scalars.setdefault(scalar, len(self.scalars))))
        for n, name in zip(owner.numbers if kind != EVENT else (), owner.names[len(owner.inputs) :]):
            if name in used:
                names.append(name)
                listed.append((IS_SIDE, self.side_at + n))
        self.results.append(
            self.formulas.add_formula(expression, {x: self.formulas.named(k) for k, x in enumerate(names)})
        )
        self.inputs.append(listed)
        halts = owner.numbers[0] if kind == EVENT else int(owner.role in HALTING and kind not in (NARROW, watch.KNOT))
        self.records.append((kind, side, gate, halts, weight, number))


def _watched(owners: Sequence[Owner], side_at: int, inertia: Callable[[Owner], float]) -> _Rows:
    """What is watched: events, switches of laws and rows, points of tables, and what may be narrow inside a step."""
    rows = _Rows(side_at)
    # tables of one argument have their points in common, derivatives too
    points: set[tuple[tuple[float, ...], Expr]] = set()
    # a side that several owners share is watched for one of them, a driver or a row if there is one: velocities may jump there
    watcher: dict[int, int] = {}
    for number, owner in sorted(enumerate(owners), key=lambda one: one[1].role in HALTING):
        if owner.role != "event":
            watcher |= dict.fromkeys(owner.numbers, number)
    for number, owner in enumerate(owners):
        if owner.role == "measure":
            continue
        if owner.role == "event":
            rows.add(owner, number, owner.held[0].gap, EVENT, -1)
            continue
        for k, switch in zip(owner.numbers, owner.held):
            if watcher[k] != number:
                continue
            gate = side_at + owner.numbers[0] if owner.role == "stop" and k != owner.numbers[0] else -1
            rows.add(owner, number, switch.gap, KINDS[switch.kind], side_at + k, gate)
        for knot in owner.knots:
            assert isinstance(knot.node, SplineCall)
            if (knot.node.table.x, knot.gap) not in points:
                # a table is watched by its argument
                points.add((knot.node.table.x, knot.gap))
                rows.add(owner, number, knot.gap, KINDS[KNOT], rows.formulas.table(knot.node.table))
        if owner.role != "stop" and not is_tame(owner.smooth):
            rows.add(owner, number, owner.smooth, NARROW, -1, weight=inertia(owner) if owner.role == "law" else 0.0)
    return rows


def watch_tables(
    owners: Sequence[Owner], side_at: int, unit: Callable[[int], float], rate_only: Callable[[int], int],
    inertia: Callable[[Owner], float], loads: Callable[[int], Shares] = lambda s: [],
    turning: Callable[[int], Sequence[int]] = lambda s: (),
) -> Watch:  # fmt: skip
    """Arrays for the time loop.

    `owners`: expressions of the model; `side_at`: place of the first side in F; `unit`, `rate_only`: of a scalar: its unit in the model's length (1
    for angles), whether it has no value, or no second rate; `inertia`: of a law: the inertia that its force moves; `loads`: of a scalar that is a load, what it is the sum of; `turning`: places in v of the angular
    velocities that a scalar moves with.
    """
    rows = _watched(owners, side_at, inertia)
    if not rows.records:
        return watch.nothing_watched()
    made = rows.formulas
    leaves = {node: k for k, node in made.input.items() if node not in made.numbers}
    numbers = {node: k for k, node in enumerate([*map(made.number, list(made.constants)), *made.numbers])}
    programs = [
        program(made, [node], leaves, 1 + len(listed), numbers, fused=False) for node, listed in zip(rows.results, rows.inputs)
    ]  # fmt: skip
    ends = np.cumsum([0, *(len(p.code) for p in programs)], dtype=np.int64)
    kinds, side, gates, halts, weights, owned = zip(*rows.records)
    scalars = list(rows.scalars)
    shares = [loads(s) for s in scalars]
    n, first, knots, coefficients = len(scalars), *spline_tables(made)
    flat = [pair for listed in rows.inputs for pair in listed]
    registers = max((1 + len(listed) + p.size for listed, p in zip(rows.inputs, programs)), default=1)
    integers = lambda x: np.array(x, dtype=np.int64)  # noqa: E731
    return Watch(
        integers([x for p in programs for x in p.code]),
        np.array([*made.constants, *made.numbers.values()], dtype=float),
        ends[:-1],
        ends[1:],
        integers([p.register[node] for p, node in zip(programs, rows.results)]),
        integers(first),
        np.array(knots, dtype=float),
        np.array(coefficients, dtype=float).reshape(-1, 4),
        integers(scalars),
        integers([rate_only(s) for s in scalars]),
        np.cumsum([0, *map(len, shares)], dtype=np.int64),
        integers([pair for listed in shares for *pair, _ in listed]).reshape(-1, 2),
        np.array([x for listed in shares for *_, x in listed], dtype=float),
        np.array([unit(s) for s in scalars], dtype=float),
        integers(kinds),
        np.cumsum([0, *(len(listed) for listed in rows.inputs)], dtype=np.int64),
        integers(flat).reshape(-1, 2),
        integers(side),
        integers(gates),
        integers(halts),
        np.array(weights, dtype=float),
        integers(owned),
        integers([1] * len(kinds)),
        np.ones(len(kinds)),
        np.zeros((n, 3)),
        np.zeros((n * watch.DEPTH, 3)),
        np.zeros((n, 3)),
        np.zeros((n, 10)),
        np.zeros((n, 2)),
        np.tile([-np.inf, np.inf], (len(kinds), 1)),
        np.zeros(watch.DEPTH),
        integers(sorted({place for s in scalars for place in turning(s)})),
        np.array(watch.LOOKED),
        np.zeros(registers),
        np.zeros(registers),
        np.zeros((64, 2)),
        np.zeros(1),
    )


def fresh(watch: Watch) -> Watch:
    """The same watch with scratch of its own, for one run; where nothing is watched, nothing is written."""
    if not len(watch.kind):
        return watch
    scratch = (
        "active",
        "held",
        "scale",
        "jets0",
        "jets1",
        "left",
        "poly",
        "off",
        "seen",
        "ends",
        "low",
        "high",
        "stack",
    )
    return watch._replace(**{name: getattr(watch, name).copy() for name in scratch})
