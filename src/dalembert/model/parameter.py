"""Named numbers of a model: kept in SI units, whatever unit they are given in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, shown
from .reading import check_value
from .shapes.reading import is_plain
from .units import UnitError, fits, in_si, kind_of, known_dimension, parse_unit, si_unit, split_quantity


@dataclass(frozen=True, eq=False)
class Parameter:
    """A named number that dimensions, laws and drivers may use in expressions; value and unit are those of the SI."""

    name: str
    value: float
    unit: str = ""

    kind = "parameter"

    def with_value(self, given: Any) -> Parameter:
        """The same parameter with another value: an SI number, or a text with a unit of its dimension."""
        asked = f"parameter {self.name!r}"
        value, unit = parameter_value(asked, given)
        if unit and self.unit:
            found, wanted = parse_unit(unit).dimension, known_dimension(self.unit)
            if wanted is None or not fits(found, wanted):
                why = f"the parameter is {kind_of(wanted)}" if wanted else f"{self.unit!r} is a label, no unit"
                raise ModelError(asked, f"value = {shown(given)}, {kind_of(found)}", why, "give it in its own unit")
        return Parameter(self.name, value, self.unit or unit)

    def __repr__(self) -> str:
        return f"<parameter {self.name!r} = {self.value:g} {self.unit}>".replace(" >", ">")


def parameter_value(asked: str, given: Any, unit: str = "") -> tuple[float, str]:
    """SI number and SI unit of a value: a number and its unit, or a text of both."""
    do = "give for example 0.08, or '80 mm'"
    pair = split_quantity(given) if isinstance(given, str) else None
    if pair is not None:
        if unit:
            raise ModelError(asked, f"value = {given!r}, unit = {unit!r}", "the unit is given twice", "leave unit out")
        try:
            value, unit = parse_unit(pair[1]).number(pair[0]), si_unit(pair[1])
        except UnitError as error:
            raise ModelError(asked, f"value = {given!r}", str(error), do) from None
    else:
        if isinstance(given, np.ndarray) and given.shape == ():
            given = given.item()
        if not is_plain(given):
            found = f"value = {shown(given)} of type {type(given).__name__}"
            raise ModelError(asked, found, "a parameter is a finite number", do)
        value = check_value(asked, "value", given, "finite")
        if unit:
            try:
                value, unit = in_si(value, unit)
            except UnitError as error:
                found, do = f"unit = {unit!r}", f"correct the unit, or give label={unit!r} for what is none"
                raise ModelError(asked, found, str(error), do) from None
    return check_value(asked, "value", value, "finite"), unit
