"""Tables: short ones as text (time, main coordinates, driving forces, sizes of reactions), and whole ones as files for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..model.shapes.reading import is_plain
from ..paths import whole_file
from .in_units import converted, units_of
from .overview import coordinates, efforts, reactions

if TYPE_CHECKING:
    from .result import Result
    from .saved import SavedResult


# characters in a line
WIDTH = 100
MOST_ROWS = 1_000_000


class TextTable(str):
    """Text that shows itself as it is printed: the last line of a cell of a notebook, or of a session."""

    def __repr__(self) -> str:
        return str(self)


def aligned(lines: Sequence[Sequence[str]], left: int = 0) -> list[str]:
    """Lines of cells as text, columns below each other: the first `left` columns at their left end, the others at their right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    cells = ([x.ljust(w) if k < left else x.rjust(w) for k, (x, w) in enumerate(zip(line, widths))] for line in lines)
    return ["  ".join(line).rstrip() for line in cells]


def ruled(lines: Sequence[Sequence[str]]) -> str:
    """A line below the head of such a table."""
    return "  ".join("-" * max(map(len, column)) for column in zip(*lines))


def pick_rows(asked: str, rows: Any, outputs: int) -> np.ndarray:
    """Numbers of so many outputs, first and last included; all of them where there are fewer."""
    if not is_plain(rows) or not 1 <= rows <= MOST_ROWS or rows != int(rows):
        why = f"the number of rows is a whole number from 1 to {MOST_ROWS}"
        raise MethodError(asked, f"rows = {shown(rows)}", why, "give rows=6")
    return np.unique(np.linspace(0, max(outputs - 1, 0), min(int(rows), max(outputs, 1))).round().astype(int))


def table(run: Result | SavedResult, rows: int = 6, units: Any = None) -> TextTable:
    """Text table of a run with `rows` of its outputs, first and last included; in other units than those of the model where given.

    Columns: time; named measures and coordinates of joints (up to four); force or torque of drivers (up to two);
    sizes of the forces in joints (up to four).
    """
    asked = "table"
    picks = pick_rows(asked, rows, len(run.t))
    if not len(run.t):
        return TextTable("(no outputs)")
    shown_in = units_of(asked, run, units)
    unit, factor = shown_in.of("s")
    time = [_column(f"t [{unit}]", np.asarray(run.t) * factor, picks)]
    groups = [[converted(s, shown_in) for s in g] for g in (coordinates(run, 4), efforts(run, 2), reactions(run, 4))]
    texts = [
        [_column(f"{s.name} [{s.unit}]" if s.unit else s.name, np.asarray(s), picks) for s in group if s.ndim == 1]
        for group in groups
    ]
    # one column of each group in turn, as long as the line is not too long
    counts, used = [0] * len(groups), len(time[0][0])
    for k in range(4):
        for g, group in enumerate(texts):
            if k < len(group) and counts[g] == k and used + 2 + len(group[k][0]) <= WIDTH:
                counts[g], used = k + 1, used + 2 + len(group[k][0])
    columns = time + [column for n, group in zip(counts, texts) for column in group[:n]]
    lines = ["  ".join(line) for line in zip(*columns)]
    lines.insert(1, "  ".join("-" * len(column[0]) for column in columns))
    return TextTable("\n".join(lines))


def _column(name: str, values: np.ndarray, picks: np.ndarray) -> list[str]:
    cells = [name, *_numbers(values[picks], values)]
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]


def _numbers(values: np.ndarray, all_values: np.ndarray) -> list[str]:
    """Numbers of one column with a common number of decimals: five digits of the largest; round-off shows as zero."""
    largest = float(np.max(np.abs(all_values[np.isfinite(all_values)]), initial=0.0))
    if largest < 1e-14:
        return ["0" for _ in values]
    decimals = 4 - int(np.floor(np.log10(largest)))
    if not 0 <= decimals <= 8:
        return [f"{x:.4e}" for x in values]
    # adding zero turns -0.0 into 0.0
    return [f"{round(float(x), decimals) + 0.0:.{decimals}f}" for x in values]


_POINT, _COMMA = ".", ","


def write_table(
    path: Any, asked: str, head: Sequence[str], rows: Iterable[Sequence[Any]], decimal: Any = _POINT, bom: Any = False
) -> None:
    """Write a table whole or not at all: `decimal` "." or ",", then with ";" between columns; `bom` is what some spreadsheets know UTF-8 by."""
    if decimal not in (_POINT, _COMMA):
        raise MethodError(asked, f"decimal = {shown(decimal)}", "numbers have a point or a comma", "give '.' or ','")
    if not isinstance(bom, bool):
        raise MethodError(asked, f"bom = {shown(bom)}", "it is True or False", "give bom=True for Excel")

    def text(x: Any) -> Any:
        made = repr(float(x)) if isinstance(x, float) else "" if x is None else x
        return made.replace(_POINT, _COMMA) if decimal == _COMMA and isinstance(x, float) else made

    with whole_file(path, asked, "w") as file:
        if bom:
            file.write("\ufeff")
        writer = csv.writer(file, lineterminator="\n", delimiter=";" if decimal == _COMMA else ",")
        writer.writerow(head)
        writer.writerows([text(x) for x in row] for row in rows)


def chosen(asked: str, names: Sequence[str], columns: Any) -> list[int]:
    """Numbers of the columns that are named, in the order asked for: whole names ("A.angle", "crank.position[x]"), or parts of them for all that belong to it ("crank")."""
    if columns is None:
        return list(range(len(names)))
    wanted = [columns] if isinstance(columns, str) else columns
    if not isinstance(wanted, list | tuple) or not wanted:
        do = "give columns=['A.angle', 'crank.position', 'motor']"
        raise MethodError(asked, f"columns = {shown(columns)}", "columns are chosen by names", do)
    found: dict[int, None] = {}
    for x in wanted:
        name = str(getattr(x, "name", x))
        if name == "t" and name not in names:
            continue  # time is the first column of every table
        fits = [k for k, one in enumerate(names) if one == name or one.startswith((f"{name}.", f"{name}["))]
        if not fits:
            raise MethodError(
                asked, f"no column is called {shown(name)}", nearest(name, names), "name a part, a quantity or a column"
            )
        found.update(dict.fromkeys(fits))
    return list(found)
