"""Tables as text files for spreadsheets: comma-separated, or semicolons with decimal commas; with or without a byte order mark."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import MethodError, nearest, shown
from ..paths import whole_file

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
