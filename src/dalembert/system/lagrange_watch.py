"""What the time loop watches of a Lagrangian system: switches and narrow expressions of its forces, potential, dissipation and rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..kernels import layout as at
from ..kernels.watch import MULTIPLIER, Watch
from ..model.events import Shared
from ..model.expression import Expr, FunctionCall, Number, fold
from ..model.expression.derivative import ZERO
from ..model.expression.switches import Switch, in_switches
from ..model.forces._pressing import left_before_slip
from .build import SLOW
from .lagrange import LagrangeSystem
from .watch import Owner, event_owners, watch_tables


def lagrange_watch(system: LagrangeSystem, inertia: np.ndarray) -> tuple[Watch, list[Owner]]:
    """Arrays for the time loop, and whose they are; `inertia` is the mass that belongs to each coordinate."""
    model = system.model
    numbers: dict[str, Expr | float] = {name: Number(x) for name, x in model.parameters.items()}
    first = int(system.I[at.SIDE])
    # t and all coordinates are inputs; those that an expression does not use are left out of the tables
    inputs = ["t", *model.q, *(f"rate({x})" for x in model.q)]
    sources = [(-1 - k, rate) for rate in (0, 1) for k in range(system.n)]

    absent = itertools.count()

    def owner(part: str, role: str, row: int, expression: Expr) -> Owner:
        def number(switch: Switch) -> int:
            place = system.sides.get(system.graph.add_expression(switch.node))
            # a switch that no equation contains any more (its two sides are the same there) is not held
            return -1 - next(absent) if place is None else place - first

        made = Owner.of(part, role, row, in_switches(expression), inputs, sources, number)
        kept = [k for k, n in enumerate(made.numbers) if n >= 0]
        given: Any = [Switch(made.held[k].kind, made.held[k].node, made.held[k].gap.substitute(numbers)) for k in kept]
        names = [*made.inputs, *(made.names[len(made.inputs) + k] for k in kept)]
        back = {made.names[len(made.inputs) + k]: made.held[k].node for k in range(len(made.held)) if k not in kept}
        smooth = made.smooth.substitute({**numbers, **back}).substitute(numbers)
        knots = [Switch(s.kind, s.node.substitute(numbers), s.gap.substitute(numbers)) for s in made.knots]
        return Owner(part, role, row, smooth, names, made.sources, given, [made.numbers[k] for k in kept], knots)

    owners = []
    for k, x in enumerate(model.q):
        terms = [
            (f"force on {x}", _readable(model.forces.get(x))),
            ("potential", model.potential.diff(x)),
            ("dissipation", model.dissipation.diff(f"rate({x})")),
        ]
        owners += [owner(part, "law", k, term) for part, term in terms if term is not None and term.names]
    for name, row in (*model.holonomic.items(), *model.nonholonomic.items()):
        owners.append(owner(name, "row", -1, row))
    if system.watching:
        owners += _events(system, inputs, sources, numbers)
    watch = watch_tables(
        owners,
        first,
        lambda s: 1.0,
        lambda s: MULTIPLIER if s >= 0 else 0,
        lambda one: float(inertia[one.row]) if one.row >= 0 else 0.0,
    )
    return watch, owners


def _readable(law: Expr | None) -> Expr | None:
    """A law without its Python functions, in which nothing can be seen ahead."""
    if law is None:
        return None
    return fold(
        law, lambda node, parts: ZERO if isinstance(node, FunctionCall) else node.with_children(parts)
    ).simplify()


def _events(system: LagrangeSystem, inputs: list[str], sources: list[tuple[int, int]], numbers: Any) -> list[Owner]:
    """Events and open gaps of a system, the rows of closed ones, rates of friction that slips and the multipliers of what sticks."""
    model, closed = system.model, system.model.situation.closed
    watched = [(x.name, x.expression, x.direction) for x in model.events.values()]
    watched += [(x.name, x.gap, -1) for x in model.stops_at_work.values() if x.name not in closed]
    rows, ways, gripped = list(system.row_names), dict(model.situation.slips), []
    for one in (one for one in model.frictions if one.name in ways and not isinstance(ways[one.name], Shared)):
        if ways[one.name]:
            watched.append((one.name, *one.slip_watch(ways[one.name], 0.0)))
            watched += [(one.size_name, one.size(ways[one.name]), -1)] if one.moves else []
        else:
            pressing = [rows.index(row) for row in one.pressed_by]
            names = ["own multiplier", *(f"multiplier {r}" for r in pressing)]
            left = left_before_slip(one, system.number, names[:1], names[1:]).substitute(numbers)
            held = [(r, 0) for r in (rows.index(one.name), *pressing)]
            watched.append((one.name, *one.carry_watch(SLOW)))
            gripped.append((one.name, left, [*names, *inputs[1:]], [*held, *sources]))
    # the name of a row is its multiplier, which is none where it is released
    every = {name for table in model.every_row for name in table}
    numbers = numbers | {name: Number(0.0) for name in every - set(rows)}
    felt = [(name, (k, 0)) for k, name in enumerate(rows) if name in every]
    inputs, sources = [*inputs, *(name for name, _ in felt)], [*sources, *(source for _, source in felt)]
    return event_owners(
        [(name, gap.substitute(numbers), inputs[1:], sources, way) for name, gap, way in watched],
        [(name, [(rows.index(name), 1.0)]) for name in sorted(closed)],
        gripped,
    )
