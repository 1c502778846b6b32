"""Text of free-body sheets and of reactions: lines of the tables, and what stands under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model.output_units import OutputUnits
from ...results.in_units import units_of
from ...results.table import TextTable, aligned, ruled
from .load import PLANE, Load, component_units, numbers

if TYPE_CHECKING:
    from ..free_body import FreeBody
    from ..reactions import Reaction, Reactions


# -- free-body sheets ------------------------------------------------------------------------------------------------------


def cells(sheet: FreeBody, units: OutputUnits | None = None) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the table: loads, their sum, and the rate of momentum unless the sum contains it."""
    plane, n = sheet.run.plane, 2 if sheet.run.plane else 3
    axes = "xyz"[:n]
    units = units_of("free body", sheet.run) if units is None else units
    (at, long), (force, big), (turn, strong) = (units.of(unit) for unit in ("m", "N", "N m"))
    head = ["load", "kind", *(f"{c} [{at}]" for c in axes), *(f"F{c} [{force}]" for c in axes)]
    head += [f"{m}{c} [{turn}]" for m in "TM" for c in ([""] if plane else axes)]
    everything = [*sheet.loads, sheet.resultant()]
    length = float(sheet.run.system.length)
    largest = max([float(np.max(np.abs(x.values) / x._lengths())) for x in everything])
    lines = []
    for load in sheet.loads:
        moments = np.atleast_1d(load.moment)
        scale = component_units(load.components, units)[1]
        values = _marked(numbers(load.values * scale, load._lengths() * scale, largest), load.unique)
        # moments about the point of the sheet: a force that is not unique makes them so
        unique = sheet.resultant(load).unique[-len(moments) :]
        moved = _marked(numbers(moments * strong, np.full(len(moments), length * strong), largest), unique)
        lines.append([load.name, load.kind, *numbers(load.point[:n] * long, None, length * long), *values, *moved])
    sums = [("sum", sheet.resultant().wrench)]
    if not (sheet.balanced or sheet.body.is_ground):
        sums.append(("rate of momentum", sheet.motion))
    for name, wrench in sums:
        six = np.concatenate([wrench.force, wrench.moment])
        six, count = (six[PLANE], 1) if plane else (six, 3)
        factors = np.array([big] * n + [strong] * count)
        text = numbers(six * factors, np.array([1.0] * n + [length] * count) * factors, largest)
        lines.append([name, "", *[""] * n, *text[:n], *[""] * count, *text[n:]])
    return head, lines


def _marked(texts: list[str], unique: np.ndarray) -> list[str]:
    return [text if ok else f"{text}*" for text, ok in zip(texts, unique)]


def notes(sheet: FreeBody, units: OutputUnits | None = None) -> list[str]:
    """What stands under the table: point of moments, equivalent wrench of the reactions, marks."""
    n = 2 if sheet.run.plane else 3
    units = units_of("free body", sheet.run) if units is None else units
    at, long = units.of("m")
    where = ", ".join(numbers(sheet.about[:n] * long, None, float(sheet.run.system.length) * long))
    found = [f"M: moments about the {sheet.about_name}" + (f", ({where}) {at}" if "(" not in sheet.about_name else "")]
    if sheet.body.is_ground:
        found[0] = found[0].replace("mass centre of ground", "origin")
    held = [load for load in sheet.loads if load.kind in ("joint", "driver")]
    if len(held) > 1:
        found.append(f"reactions together: {_equivalent(sheet, sheet.resultant(*held), units)}")
    if any(not load.unique.all() for load in sheet.loads):
        found.append(
            "*: not unique, the smallest that fits; sums are"
            + ("" if sheet.resultant().unique.all() else " not")
            + " unique"
        )
    return found


def _equivalent(sheet: FreeBody, total: Load, units: OutputUnits) -> str:
    """The simplest wrench that does the same: a force on its line, with the couple along it."""
    n, length = 2 if sheet.run.plane else 3, float(sheet.run.system.length)
    (at, long), (force, big), (twist, strong) = (units.of(unit) for unit in ("m", "N", "N m"))
    size = float(np.linalg.norm(total.wrench.force))
    largest = max(float(np.max(np.abs(load.values) / load._lengths())) for load in sheet.loads)
    if size <= 1e-9 * largest:
        couple = total.wrench.moment[2:] if sheet.run.plane else total.wrench.moment
        cells = numbers(couple * strong, np.full(len(couple), length * strong), largest)
        return (
            f"a couple ({', '.join(cells)}) {twist}" if any(cell != "0" for cell in cells) else "no load: they balance"
        )
    axis = total.wrench.central_axis()
    point = ", ".join(numbers(axis.point[:n] * long, None, length * long))
    direction = ", ".join(numbers(axis.direction[:n], None, 1.0))
    turn = axis.pitch * size
    couple_text = (
        "" if abs(turn) <= 1e-9 * largest * length else f" and a couple of {turn * strong:.6g} {twist} along it"
    )
    return f"a force of {size * big:.6g} {force} along ({direction}) through ({point}) {at}{couple_text}"


def table(sheet: FreeBody, units: OutputUnits) -> TextTable:
    """Sheet as text: a line per load, then the resultants."""
    time, seconds = units.of("s")
    title = f"free body {sheet.body.name!r} of {sheet.model.name!r} at t = {sheet.t * seconds:g} {time}"
    if not sheet.loads:
        return TextTable(f"{title}\n(no loads)")
    head, lines = cells(sheet, units)
    text, rule = aligned([head, *lines], left=2), ruled([head, *lines])
    n = 1 + len(sheet.loads)
    return TextTable("\n".join([title, text[0], rule, *text[1:n], rule, *text[n:], *notes(sheet, units)]))


# -- reactions: the table of all, and one in full --------------------------------------------------------------------------


def _cells(one: Reaction, largest: float, factors: np.ndarray) -> list[str]:
    """Components as text: a star for what is not unique, a dot for what the joint cannot carry."""
    texts = numbers(one.values * factors, one._lengths() * factors, largest)
    marks = zip(texts, one.carried, one.unique)
    return [("· " if not carried else x + (" " if unique else "*")) for x, carried, unique in marks]


def reactions_table(found: Reactions, limit: int, units: OutputUnits) -> TextTable:
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
