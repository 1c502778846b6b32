"""Quantities on the command line: numbers in SI units, or with a unit."""

from __future__ import annotations

from typing import Any

import click


class Time(click.ParamType):
    """A time in seconds, or with a unit: 2, '2 s', '10 ms'."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        from ...model.units import UnitError, fits, kind_of, parse_unit, split_quantity

        if isinstance(value, float | int):
            return float(value)
        pair = split_quantity(value)
        try:
            if pair is None:
                return float(value)
            unit = parse_unit(pair[1])
        except (ValueError, UnitError) as error:
            reason = error if isinstance(error, UnitError) else "no number; write 0.5 or '500 ms'"
            self.fail(f"{value!r}: {reason}", param, ctx)
        wanted = parse_unit("s").dimension
        if not fits(unit.dimension, wanted):
            self.fail(f"{value!r} is {kind_of(unit.dimension)}; {kind_of(wanted)} belongs here", param, ctx)
        return unit.number(pair[0])


LENGTH_OF_TIME = Time()
