"""Text of a free-body sheet: lines of the table, and what stands under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .load import PLANE, Load, numbers

if TYPE_CHECKING:
    from ..free_body import FreeBody


def cells(sheet: FreeBody) -> tuple[list[str], list[list[str]]]:
    """Head and lines of the table: loads, their sum, and the rate of momentum unless the sum contains it."""
    plane, n = sheet.run.plane, 2 if sheet.run.plane else 3
    axes = "xyz"[:n]
    head = ["load", "kind", *(f"{c} [m]" for c in axes), *(f"F{c} [N]" for c in axes)]
    head += ["T [N m]", "M [N m]"] if plane else [*(f"T{c} [N m]" for c in axes), *(f"M{c} [N m]" for c in axes)]
    everything = [*sheet.loads, sheet.resultant()]
    length = float(sheet.run.system.length)
    largest = max([float(np.max(np.abs(x.values) / x._lengths())) for x in everything])
    lines = []
    for load in sheet.loads:
        moments = np.atleast_1d(load.moment)
        values = _marked(numbers(load.values, load._lengths(), largest), load.unique)
        # moments about the point of the sheet: a force that is not unique makes them so
        unique = sheet.resultant(load).unique[-len(moments) :]
        moved = _marked(numbers(moments, np.full(len(moments), length), largest), unique)
        lines.append([load.name, load.kind, *numbers(load.point[:n], None, length), *values, *moved])
    sums = [("sum", sheet.resultant().wrench)]
    if not (sheet.balanced or sheet.body.is_ground):
        sums.append(("rate of momentum", sheet.motion))
    for name, wrench in sums:
        six = np.concatenate([wrench.force, wrench.moment])
        six, count = (six[PLANE], 1) if plane else (six, 3)
        scale = np.array([1.0] * n + [length] * count)
        text = numbers(six, scale, largest)
        lines.append([name, "", *[""] * n, *text[:n], *[""] * count, *text[n:]])
    return head, lines


def _marked(texts: list[str], unique: np.ndarray) -> list[str]:
    return [text if ok else f"{text}*" for text, ok in zip(texts, unique)]


def notes(sheet: FreeBody) -> list[str]:
    """What stands under the table: point of moments, equivalent wrench of the reactions, marks."""
    n = 2 if sheet.run.plane else 3
    where = ", ".join(numbers(sheet.about[:n], None, float(sheet.run.system.length)))
    found = [f"M: moments about the {sheet.about_name}" + (f", ({where}) m" if "(" not in sheet.about_name else "")]
    if sheet.body.is_ground:
        found[0] = found[0].replace("mass centre of ground", "origin")
    held = [load for load in sheet.loads if load.kind in ("joint", "driver")]
    if len(held) > 1:
        found.append(f"reactions together: {_equivalent(sheet, sheet.resultant(*held))}")
    if any(not load.unique.all() for load in sheet.loads):
        found.append(
            "*: not unique, the smallest that fits; sums are" + ("" if _sums_unique(sheet) else " not") + " unique"
        )
    return found


def _sums_unique(sheet: FreeBody) -> bool:
    return bool(sheet.resultant().unique.all())


def _equivalent(sheet: FreeBody, total: Load) -> str:
    """The simplest wrench that does the same: a force on its line, with the couple along it."""
    n, length = 2 if sheet.run.plane else 3, float(sheet.run.system.length)
    size = float(np.linalg.norm(total.wrench.force))
    largest = max(float(np.max(np.abs(load.values) / load._lengths())) for load in sheet.loads)
    if size <= 1e-9 * largest:
        couple = total.wrench.moment[2:] if sheet.run.plane else total.wrench.moment
        cells = numbers(couple, np.full(len(couple), length), largest)
        return f"a couple ({', '.join(cells)}) N m" if any(cell != "0" for cell in cells) else "no load: they balance"
    axis = total.wrench.central_axis()
    point = ", ".join(numbers(axis.point[:n], None, length))
    direction = ", ".join(numbers(axis.direction[:n], None, 1.0))
    turn = axis.pitch * size
    couple_text = "" if abs(turn) <= 1e-9 * largest * length else f" and a couple of {turn:.6g} N m along it"
    return f"a force of {size:.6g} N along ({direction}) through ({point}) m{couple_text}"


def table(sheet: FreeBody) -> str:
    """Sheet as text: a line per load, then the resultants."""
    title = f"free body {sheet.body.name!r} of {sheet.model.name!r} at t = {sheet.t:g} s"
    if not sheet.loads:
        return f"{title}\n(no loads)"
    head, lines = cells(sheet)
    widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head))]
    text = [
        "  ".join(c.ljust(w) if k < 2 else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths))).rstrip()
        for line in [head, *lines]
    ]
    rule = "  ".join("-" * w for w in widths)
    n = 1 + len(sheet.loads)
    return "\n".join([title, text[0], rule, *text[1:n], rule, *text[n:], *notes(sheet)])
