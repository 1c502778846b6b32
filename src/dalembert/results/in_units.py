"""Results in the units of their reader: what tables, text files, plots and pages show.  Arrays of a run stay in SI units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.output_units import OutputUnits, read_units
from .series import Series

if TYPE_CHECKING:
    from .record import Record
    from .saved import SavedResult


def units_of(asked: str, run: Record | SavedResult, given: Any = None) -> OutputUnits:
    """Units to show a result in: those given, else those of its model."""
    if given is not None:
        return read_units(asked, given)
    model = run.model
    return read_units(asked, run.about.get("units") if isinstance(model, str) else model.units)


def converted(series: Series, units: OutputUnits) -> Series:
    """A series, its rate and its times in other units."""
    (unit, factor), seconds = units.of(series.unit), units.factor("s")
    rate = None if series.rate is None else units.of(series.rate.unit)
    if factor == 1.0 and seconds == 1.0 and (rate is None or rate[1] == 1.0):
        return series
    t = None if series.t is None else np.asarray(series.t) * seconds
    made = Series(np.asarray(series) * factor, series.name, unit, series.axes, t, series.source)
    if rate is not None:
        made.rate = Series(np.asarray(series.rate) * rate[1], series.rate.name, rate[0], (), t)
    return made
