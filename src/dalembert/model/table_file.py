"""Tables in text files: columns of numbers with a name and a unit in the first line, as spreadsheets and test rigs write them.

    t [s];T [N mm]        # or "t [s],T [N mm]", or tabs
    0;0
    0,5;1250,5            # decimal commas where columns are apart by ; or tabs

Numbers are converted to SI units where they are read; those of a column without unit are in SI units.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import ModelError, nearest, shown
from ..paths import no_such_file, read_path, reason
from .units import Dimension, UnitError, parse_unit

MAX_BYTES = 5_000_000
ENDINGS = (".csv", ".txt", ".tsv", ".dat")
_DELIMITERS = {";": "';'", "\t": "tabs", ",": "','"}
_HEAD = re.compile(r"(.*?)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))?")
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Column:
    """Numbers of a column in SI units; its dimension is None where the file gives no unit."""

    name: str
    numbers: list[float]
    dimension: Dimension | None = None


def read_columns(asked: str, path: object, chosen: object = None) -> tuple[Column, Column]:
    """The two columns x and y of a text file: those with the chosen names or numbers, counted from 1, or the only two."""
    target = read_path(asked, path, "torque.csv")
    asked = f"{asked}: file {str(target)!r}"
    text = _text(asked, target)
    lines = [(k, x) for k, x in enumerate(text.splitlines(), 1) if x.strip() and not x.lstrip().startswith("#")]
    if not lines:
        raise ModelError(asked, "no line with numbers", "a table has at least two points", "check the file")
    delimiter = next((d for d in _DELIMITERS if d in lines[0][1]), "")
    if not delimiter:
        found = f"line {lines[0][0]} has one column: {shown(lines[0][1].strip(), 60)}"
        why = "columns are apart by ';', ',' or tabs"
        raise ModelError(asked, found, why, "write for example 't [s];T [N m]'")
    rows = [
        (k, [x.strip() for x in cells])
        for (k, _), cells in zip(lines, csv.reader((x for _, x in lines), delimiter=delimiter))
    ]
    while len(rows[0][1]) > 2 and all(len(cells) == len(rows[0][1]) and not cells[-1] for _, cells in rows):
        rows = [(k, cells[:-1]) for k, cells in rows]  # a delimiter at the end of each line
    head, body = rows[0], rows[1:]
    if all(_NUMBER.fullmatch(cell) for cell in head[1]):
        head, body = (0, [f"column {k}" for k in range(1, len(head[1]) + 1)]), rows
    names = [_HEAD.fullmatch(cell)[1] or f"column {k}" for k, cell in enumerate(head[1], 1)]  # type: ignore[index]
    x, y = _choice(asked, names, chosen)
    for k, cells in body:
        if len(cells) != len(names):
            found = f"line {k} has {len(cells)} cells, {shown(delimiter.join(cells), 60)}, for {len(names)} columns"
            why = f"columns are apart by {_DELIMITERS[delimiter]}"
            do = "put ';' between columns where numbers have decimal commas" if delimiter == "," else "correct the line"
            raise ModelError(asked, found, why, do)
    comma = _decimal_comma(asked, body, (x, y), delimiter)
    made = [_column(asked, names[c], head, body, c, comma) for c in (x, y)]
    return made[0], made[1]


def _text(asked: str, target: Path) -> str:
    try:
        if not target.is_file():
            if target.exists():
                raise OSError("a folder, device or pipe")
            error = no_such_file(asked, target, ENDINGS)
            raise ModelError(asked, error.found, error.why, error.do)
        if target.stat().st_size > MAX_BYTES:
            found = f"{target.stat().st_size} bytes; at most {MAX_BYTES} are read"
            raise ModelError(asked, found, "a table is a curve of some points", "leave out points, or columns")
        raw = target.read_bytes()
    except OSError as error:
        raise ModelError(asked, reason(error), "the file cannot be read", "check the path and its rights") from None
    if b"\0" in raw:
        why, do = "tables are read from text", "save it as text: CSV (UTF-8)"
        raise ModelError(asked, "it is not a text file", why, do)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")  # of older spreadsheets: "°" in a header


def _choice(asked: str, names: list[str], chosen: object) -> tuple[int, int]:
    listed = ", ".join(shown(name, 30) for name in names)
    do = "give columns=(x, y) by their names in the first line, or by their numbers from 1"
    if chosen is None:
        if len(names) != 2:
            raise ModelError(asked, f"{len(names)} columns: {listed}", "a table has two, x and y", do)
        return 0, 1
    if not isinstance(chosen, list | tuple) or len(chosen) != 2:
        raise ModelError(asked, f"columns = {shown(chosen)}", "a table has two columns, x and y", do)
    found = []
    for one in chosen:
        if isinstance(one, str) and names.count(one) == 1:
            found.append(names.index(one))
        elif isinstance(one, int) and not isinstance(one, bool) and 1 <= one <= len(names):
            found.append(one - 1)
        elif isinstance(one, str) and one in names:
            raise ModelError(asked, f"{names.count(one)} columns called {one!r}", "one is meant", do)
        else:
            raise ModelError(asked, f"columns = {shown(chosen)}", nearest(one, names), do)
    return found[0], found[1]


def _decimal_comma(asked: str, body: list[tuple[int, list[str]]], used: tuple[int, int], delimiter: str) -> bool:
    """Whether numbers have decimal commas; refuse files where commas may be something else."""
    kinds = {mark: next(((k, cells[c]) for k, cells in body for c in used if mark in cells[c]), None) for mark in ",."}
    if kinds[","] and kinds["."]:
        (k, comma), (n, dot) = kinds[","], kinds["."]
        found = f"{comma!r} in line {k} and {dot!r} in line {n}"
        do = "write all numbers with the same decimal mark, and none between thousands"
        raise ModelError(asked, found, "one of the two marks cannot be the decimal mark of all numbers", do)
    return kinds[","] is not None and delimiter != ","


def _column(
    asked: str, name: str, head: tuple[int, list[str]], body: list[tuple[int, list[str]]], place: int, comma: bool
) -> Column:
    match = _HEAD.fullmatch(head[1][place]) if head[0] else None
    written = "" if match is None else (match[2] or match[3] or "").strip()
    try:
        unit = parse_unit(written) if written else None
    except UnitError as error:
        do = "write a unit such as 't [s]' or 'T [N mm]', or none for SI units"
        raise ModelError(asked, f"the head {head[1][place]!r} in line {head[0]}", str(error), do) from None
    numbers = []
    for k, cells in body:
        cell = cells[place]
        number = cell.replace(",", ".") if comma else cell
        if not _NUMBER.fullmatch(cell) or not math.isfinite(float(number)):
            what = (
                f"{shown(cell, 40)} in line {k}, column {name!r}" if cell else f"nothing in line {k}, column {name!r}"
            )
            do = "units stand in the first line, as in 't [s]'; leave out lines without numbers"
            raise ModelError(asked, what, "it is no finite number", do)
        numbers.append(float(number) if unit is None else unit.number(number))
    return Column(name, numbers, None if unit is None else unit.dimension)
