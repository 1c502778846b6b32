"""Parameters of a file: formulas of others, such as `height = "sqrt(l**2 - c**2/4)"`, and other values for them: `--set r='250 mm'`, sweeps and sliders.

The model does not know derived parameters: each is put in the place of its name, as `b = 2*a` is in Python.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
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
    without_units,
)

_WORD = re.compile(r"[^\W\d]\w*")


def is_formula(x: Any) -> bool:
    """Whether a value in [parameters] is a formula: a text that is neither a number nor a number with a unit."""
    return isinstance(x, str) and not is_plain_number(x) and split_quantity(x) is None


def words(text: str) -> set[str]:
    """Words of a text, among them all names that a formula uses; units of numbers are none."""
    return set(_WORD.findall(without_units(text)))


def sources(name: str, section: Mapping[str, Any]) -> list[str]:
    """Parameters with values of their own that a derived one follows from, in the order of the file."""
    seen, stack = {name}, [name]
    while stack:
        x = section[stack.pop()]
        new = words(x) & set(section) - seen if is_formula(x) else set()
        seen |= new
        stack += new
    return [other for other in section if other in seen and not is_formula(section[other])]


def mentioned(x: Any) -> set[str]:
    """All that texts inside a value may refer to: whole texts, what stands before their last dot, and words."""
    found: set[str] = set()
    stack = [x]
    while stack:
        item = stack.pop()
        if isinstance(item, dict | list):
            stack += item.values() if isinstance(item, dict) else item
        elif isinstance(item, str):
            found |= {item, item.rpartition(".")[0], *words(item)}
    return found


def ordered(uses: Mapping[str, Iterable[str]], most: int = 50) -> tuple[list[str], list[list[str]]]:
    """Names of formulas, each after those that it uses; and cycles, each with its first name at the end again.

    `uses` holds the names of formulas that each formula uses.  Formulas of cycles are not among the ordered ones; those that only use
    them are.  At most so many cycles are looked for.
    """
    graph = {name: set(used) for name, used in uses.items()}
    place = {name: k for k, name in enumerate(uses)}
    order: list[str] = []
    cycles: list[list[str]] = []
    while True:
        sorter = TopologicalSorter(dict.fromkeys(graph, ()))  # those that are ready, in the order of the file
        for name, used in graph.items():
            sorter.add(name, *used)
        with contextlib.suppress(CycleError):
            sorter.prepare()
        while sorter.is_active():
            order += (ready := sorter.get_ready())
            sorter.done(*ready)
        done = set(order)
        graph = {name: used - done for name, used in graph.items() if name not in done}
        if not graph or len(cycles) == most:
            return order, cycles
        # behind a formula that waits each waits for another, so that the way comes back
        way: dict[str, int] = {}
        name = next(iter(graph))
        while name not in way:
            way[name] = len(way)
            name = min(graph[name], key=place.__getitem__)
        cycle = list(way)[way[name] :]
        start = cycle.index(min(cycle, key=place.__getitem__))
        cycles.append([*cycle[start:], *cycle[: start + 1]])
        own = set(cycle)
        graph = {name: used - own for name, used in graph.items() if name not in own}


# -- other values ------------------------------------------------------------------------------------------------------


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
