"""Derived parameters: formulas of other parameters in a file, such as `height = "sqrt(l**2 - c**2/4)"`.

The model does not know them: each is put in the place of its name, as `b = 2*a` is in Python.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ..model.units import is_plain_number, split_quantity, without_units

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
