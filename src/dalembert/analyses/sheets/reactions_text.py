"""Text of reactions: the table of all, and one in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model.output_units import OutputUnits
from ...results.table import TextTable, aligned, ruled
from .load import component_units, numbers

if TYPE_CHECKING:
    from ..reactions import Reaction, Reactions


def _cells(one: Reaction, largest: float, factors: np.ndarray) -> list[str]:
    """Components as text: a star for what is not unique, a dot for what the joint cannot carry."""
    texts = numbers(one.values * factors, one._lengths() * factors, largest)
    marks = zip(texts, one.carried, one.unique)
    return [("· " if not carried else x + (" " if unique else "*")) for x, carried, unique in marks]


def table(found: Reactions, limit: int, units: OutputUnits) -> TextTable:
    """Table of all reactions, at most `limit` lines."""
    run, names = found.run, found.names
    time, seconds = units.of("s")
    when = f"t = {run.t[0] * seconds:g} {time}"
    title = f"reactions of {run.model.name!r} at {when}, on the second body at the joint point, in space axes"
    if not names:
        return TextTable(f"{title}\n(no joints or drivers)")
    shown_names = names[:limit]
    loads = [found[name] for name in shown_names]
    largest = max(float(np.max(np.abs(one.values) / one._lengths())) for one in loads)
    shown_units, factors = component_units(loads[0].components, units)
    heads = ["part", "on", *(f"{c} [{unit}] " for c, unit in zip(loads[0].components, shown_units))]
    lines = [heads] + [[one.name, one.body_name, *_cells(one, largest, factors)] for one in loads]
    texts = aligned(lines, left=2)
    texts.insert(1, ruled(lines))
    more = [f"… and {len(names) - limit} more"] if len(names) > limit else []
    return TextTable("\n".join([title, *texts, *more, *_legend(found, loads)]))


def _legend(found: Reactions, loads: list[Reaction]) -> list[str]:
    notes = ["·  the joint does not carry it"] if any(not one.carried.all() for one in loads) else []
    notes += [f"WARNING: {note}" for note in found.warnings]
    if not found.dependent:
        return [*notes, "every reaction is unique"]
    one = "1 load" if found.dependent == 1 else f"{found.dependent} independent loads"
    names = found.not_unique
    if not names:
        what = "how the gaps of a contact share it is not, and has no effect on the motion"
        return [*notes, f"every reaction is unique; {what} ({one})"]
    listed = ", ".join(names[:8]) + (f", … ({len(names)} in all)" if len(names) > 8 else "")
    return [
        *notes,
        f"*  not unique: the smallest that fits; {one} between {listed} can be added without effect on the motion",
    ]


def report(one: Reaction, shown_in: OutputUnits) -> str:
    """One reaction in full: components, free directions, rows."""
    units, factors = component_units(one.components, shown_in)
    cells = numbers(one.values * factors, one._lengths() * factors)
    length, factor = shown_in.of("m")
    where = ", ".join(f"{x * factor:.6g}" for x in one.point[: 2 if one.plane else 3])
    lines = [f"reaction of {one.part!r} on {one.body_name!r} at ({where}) {length}, in {one.frame_name} axes"]
    width = max(map(len, cells))
    for name, x, unit, unique, carried in zip(one.components, cells, units, one.unique, one.carried):
        word = "not carried" if not carried else "unique" if unique else "not unique"
        lines.append(f"  {name:2} {x.rjust(width)} {unit:3}  {word}")
    for free in one.free * factors:
        terms = [f"{x:+.4g} {name}" for name, x in zip(one.components, free) if x != 0.0]
        lines.append(f"  free: {' '.join(terms)}")
    return "\n".join(lines)
