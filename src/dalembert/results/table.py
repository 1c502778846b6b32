"""Short text tables: time, main coordinates, driving forces, sizes of reactions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MethodError
from ..model.shapes.reading import is_plain
from .overview import coordinates, efforts, reactions


def table(run: Any, rows: int = 6) -> str:
    """Text table of a run with `rows` of its outputs, first and last included.

    Columns: time; named measures and coordinates of joints (up to four); force or torque of drivers (up to two); sizes of the forces
    in joints (up to four).
    """
    asked = "table"
    if not is_plain(rows) or rows != int(rows) or rows < 1:
        raise MethodError(asked, f"rows = {rows!r}", "the number of rows is a whole number, 1 or more", "give rows=6")
    if not len(run.t):
        return "(no outputs)"
    time = [("t [s]", np.asarray(run.t))]
    found = [*coordinates(run, 4), *efforts(run, 2), *reactions(run, 4)]
    columns = time + [(f"{s.name} [{s.unit}]" if s.unit else s.name, np.asarray(s)) for s in found if s.ndim == 1]
    picks = np.unique(np.linspace(0, len(run.t) - 1, int(rows)).round().astype(int))
    texts = [[name, *_numbers(values[picks], values)] for name, values in columns]
    widths = [max(map(len, column)) for column in texts]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(line, widths)) for line in zip(*texts)]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


def _numbers(values: np.ndarray, all_values: np.ndarray) -> list[str]:
    """Numbers of one column with a common number of decimals: five digits of the largest; round-off shows as zero."""
    largest = float(np.max(np.abs(all_values[np.isfinite(all_values)]), initial=0.0))
    if largest == 0.0:
        return ["0" for _ in values]
    decimals = 4 - int(np.floor(np.log10(largest)))
    if not 0 <= decimals <= 8:
        return [f"{x:.4e}" for x in values]
    return [f"{x:.{decimals}f}".replace("-0." + "0" * decimals, "0." + "0" * decimals) if x else f"{0:.{decimals}f}" for x in values]
