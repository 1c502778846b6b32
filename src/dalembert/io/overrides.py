"""Other values for the parameters of a file: `--set r=0.25`, `--set r='250 mm'`, sweeps and sliders."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..errors import MethodError, nearest, shown
from ..model.units import (
    Dimension,
    UnitError,
    dimension_of,
    fits,
    is_plain_number,
    kind_of,
    parse_unit,
    si_text,
    split_quantity,
)
from .derived import is_formula, sources


def overridden(data: dict[str, Any], parameters: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Data of a file with other values of parameters: numbers in SI units, or quantities such as "250 mm"."""
    section = data.get("parameters", {})
    section = section if isinstance(section, dict) else {}
    for name, x in parameters.items():
        if name not in section:
            why = f"{file} has no such parameter; {nearest(name, section, 30)}"
            raise MethodError(f"parameter {name} = {shown(x)}", "an unknown name", why, "use a name of [parameters]")
        if is_formula(section[name]):
            others = sources(name, section)
            change = f"change {' or '.join(others[:6])}" if others else "change the file"
            found = f"a derived parameter: {name} = {shown(section[name])}"
            why = f"{file} computes it by this formula, so that it has no value of its own"
            do = f"{change}, or write a number in place of the formula"
            raise MethodError(f"parameter {name} = {shown(x)}", found, why, do)
    return {**data, "parameters": {**section, **{n: _value(n, x, section[n]) for n, x in parameters.items()}}}


def _value(name: str, x: Any, before: Any) -> Any:
    """Value in the form that the file has: a quantity where it is one, with its label where it has one."""
    asked, dimension = f"parameter {name} = {shown(x)}", dimension_of(before)
    if isinstance(x, str):
        found = quantity(asked, x, before, "file")
        if found is None:
            why = "a parameter is a number or a number with a unit"
            raise MethodError(asked, "no number", why, "give 0.25 or '250 mm'")
        x, dimension = found[0], dimension or found[1]
    if isinstance(x, bool) or not isinstance(x, int | float):
        raise MethodError(asked, f"a {type(x).__name__}", "a parameter is a number", "give 0.25 or '250 mm'")
    if not math.isfinite(x):
        raise MethodError(asked, "a number that is not finite", "a parameter is a finite number", "give a number")
    if isinstance(before, dict):
        return {**before, "number": float(x)}
    return float(x) if dimension is None else f"{float(x)!r} {si_text(dimension)}"


def quantity(asked: str, text: str, before: Any, where: str) -> tuple[float, Dimension | None] | None:
    """SI number and dimension of what a person typed for a parameter that is `before` in a file or model; None for other texts."""
    wanted = dimension_of(before)
    pair = split_quantity(text)
    if is_plain_number(text):
        # numbers of a program are in SI units; a person may think in degrees
        if wanted is not None and wanted[3] and float(text) != 0:
            why = f"it may be degrees or turns; in the {where} it is {shown(before)}"
            do = f"write for example '{text.strip()} {(split_quantity(before) or ('', 'rad'))[1]}'"
            raise MethodError(asked, "an angle without a unit", why, do)
        return float(text), None
    if pair is None:
        return None
    try:
        unit = parse_unit(pair[1])
    except UnitError as error:
        raise MethodError(asked, str(error), "the unit cannot be read", "give for example '250 mm'") from None
    if wanted is not None and not fits(unit.dimension, wanted) and not fits(wanted, unit.dimension):
        why = f"in the {where} it is {shown(before)}, {kind_of(wanted)}"
        do = f"give it in {si_text(wanted)}, or in a unit of that kind"
        raise MethodError(asked, kind_of(unit.dimension), why, do)
    return unit.number(pair[0]), unit.dimension
