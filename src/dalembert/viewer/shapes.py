"""Mode shapes as tables: amplitudes and phases of the coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..model.lagrangian import Lagrangian
from ..results.files import quantities

# coordinates in a table; beyond, the drawing says more
MOST = 24
# part of the largest amplitude that is rounding, and of a half turn by which phases differ from 0 and 180 degrees by rounding
ZERO, STRAIGHT = 1e-9, 1e-6


def number_text(x: float, digits: int = 6) -> str:
    """A number for a table."""
    return f"{round(x, 12) + 0.0:.{digits}g}".replace("-", "−")


def shape_tables(found: Any, modes: Sequence[Any], rest: Any) -> dict[str, Any] | None:
    """For every mode the changes of the coordinates, the largest of them 1 rad or 1 m; None where there is no coordinate.

    Largest is meant with lengths counted in lengths of the model.  Where all coordinates pass through zero together they have signs, else
    phases: change = amplitude cos(2 pi t / period + phase).
    """
    named = [(where[1], series.unit) for where, series in quantities(rest) if where[0] == "" and series.ndim == 1]
    named = named[:MOST]
    if not named:
        return None
    values = _amplitudes(found, modes, [name for name, _ in named])
    length = float(getattr(found._system, "length", 1.0))
    sizes = np.array([1.0 / length if unit == "m" else 1.0 for _, unit in named])
    tables = [_table(named, x, sizes) for x in values]
    phased = any(len(row) > 3 for table in tables for row in table)
    head = ["coordinate", "amplitude", "", *(["phase [°]"] if phased else [])]
    return {"title": "Shape", "head": head, "rows": [[[*r, ""][: len(head)] for r in table] for table in tables]}


def _table(named: Sequence[tuple[str, str]], x: np.ndarray, sizes: np.ndarray) -> list[list[str]]:
    """Rows of the table of one mode: name, amplitude, unit, and a phase where it has one."""
    largest = int(np.argmax(np.abs(x) * sizes))
    if abs(x[largest]) > 0.0:
        x = x / x[largest]
    seen = np.where(np.abs(x) * sizes > ZERO * sizes[largest], x, 0.0)
    if np.all(np.abs(seen.imag) <= STRAIGHT * np.pi * np.abs(seen)):
        return [[name, number_text(float(c.real), 5), unit] for (name, unit), c in zip(named, seen)]
    return [
        [name, number_text(abs(c), 5), unit, number_text(round(float(np.degrees(np.angle(c))), 2), 5) if c else "–"]
        for (name, unit), c in zip(named, seen)
    ]


def _amplitudes(found: Any, modes: Sequence[Any], names: Sequence[str]) -> list[np.ndarray]:
    """Complex amplitudes of the coordinates in every mode."""
    model = found._system.model
    if isinstance(model, Lagrangian):
        return [np.asarray(mode.shape, dtype=complex)[[model.q.index(n) for n in names]] for mode in modes]
    rows = found._rows([found._measure("mode shape", name) for name in names])
    return [np.array([complex(row @ mode.shape) for _, row, _ in rows]) for mode in modes]
