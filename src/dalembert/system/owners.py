"""Expressions and stops of a mechanism in the order of its memory, with the rows of their inputs and the numbers of their switches."""

from __future__ import annotations

from itertools import count as counting

from ..model.expression import Expr
from .build import Builder
from .collected import Composite, Row
from .watch import Owner, event_owners, stop_owner


def owners_of(builder: Builder, rows: list[Row], composites: list[tuple[Composite, int]], n_rows: int) -> list[Owner]:
    """Drivers, composites with their rows, laws, and what is watched; the first `n_rows` rows are constraints."""
    switches = counting()
    found: list[Owner] = []

    def add(part: str, role: str, row: int, expression: Expr, names: list[str], sources: list[tuple[int, int]]) -> None:
        found.append(Owner.of(part, role, row, expression, names, sources, lambda _: next(switches)))

    states = {state.name: (n_rows + k, 0) for k, state in enumerate(builder.states)}
    for r, row in enumerate(rows[:n_rows]):
        if row.drive is not None:
            used = [name for name in states if name in row.drive.names]
            add(row.part, "driver", r, row.drive, ["t", *used], [states[name] for name in used])
    for composite, r in composites:
        if composite.expression is not None:
            role = "row" if r < n_rows else "measure"
            sources = [(n_rows + p, rate) for rate in (0, 1)[: 1 + composite.on_rates] for p in composite.parts]
            add(rows[r].part, role, r, composite.expression, composite.inputs, sources)
    for law in builder.laws:
        if law.expression is not None:
            sources = [(n_rows + r, int(rate)) for r, rate in law.inputs]
            add(law.part, "law", n_rows + law.row, law.expression, law.names, sources)
        elif law.law.kind == "stop":
            found.append(stop_owner(law.part, n_rows + law.row, law.numbers, next(switches)))
            next(switches)
    return found + _watched(builder, [row.part for row in rows[:n_rows]], len(rows))


def _watched(builder: Builder, parts: list[str], behind: int) -> list[Owner]:
    """Events, stops that are closed and friction that sticks; numbers of loads begin behind those of the rows."""
    n_rows = len(parts)
    return event_owners(
        [
            (
                name,
                e,
                called,
                [
                    *((n_rows + r, int(rate)) for r, rate in inputs),
                    *((behind + builder.loads.index(x), 0) for x in called[len(inputs) :]),
                ],
                way,
            )
            for name, e, inputs, called, way in builder.events
        ],
        [(stop, [(parts.index(part), x) for part, x in shares]) for stop, shares in builder.pressed],
        [
            (
                name,
                left,
                called,
                [*((parts.index(part) + k, 0) for part, k in rows), *((n_rows + r, int(rate)) for r, rate in inputs)],
            )
            for name, left, called, rows, inputs in builder.gripped
        ],
    )
