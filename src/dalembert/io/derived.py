"""Derived parameters: formulas of other parameters in a file, such as `height = "sqrt(l**2 - c**2/4)"`.

The model does not know them: each is put in the place of its name, as `b = 2*a` is in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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


def ordered(uses: Mapping[str, Iterable[str]], most: int = 50) -> tuple[list[str], list[list[str]]]:
    """Names of formulas, each after those that it uses; and cycles, each with its first name at the end again.

    `uses` holds the names of formulas that each formula uses.  Formulas of cycles are not among the ordered ones; those that only use
    them are.  At most so many cycles are looked for.
    """
    waiting = {name: set(used) for name, used in uses.items()}
    users: dict[str, list[str]] = {name: [] for name in uses}
    for name, used in waiting.items():
        for other in used:
            users[other].append(name)
    place = {name: k for k, name in enumerate(uses)}
    cycles: list[list[str]] = []
    order: list[str] = []
    ready = [name for name, used in waiting.items() if not used]
    while True:
        for name in ready:  # it grows on the way
            order.append(name)
            ready += _release(name, users, waiting)
        rest = next((name for name, used in waiting.items() if used), None)
        if rest is None or len(cycles) == most:
            return order, cycles
        cycle = _cycle(rest, waiting, place)
        cycles.append([*cycle, cycle[0]])
        own = set(cycle)
        ready = [user for name in cycle for user in _release(name, users, waiting) if user not in own]


def _release(name: str, users: Mapping[str, list[str]], waiting: Mapping[str, set[str]]) -> list[str]:
    """Formulas that waited for this one last."""
    waiting[name].clear()
    last = [user for user in users[name] if waiting[user] == {name}]
    for user in users[name]:
        waiting[user].discard(name)
    return last


def _cycle(first: str, waiting: Mapping[str, set[str]], place: Mapping[str, int]) -> list[str]:
    """A cycle behind a formula that waits, from its first name in the file: each waits for another, so that the way comes back."""
    at: dict[str, int] = {}
    name = first
    while name not in at:
        at[name] = len(at)
        name = min(waiting[name], key=place.__getitem__)
    cycle = list(at)[at[name] :]
    start = cycle.index(min(cycle, key=place.__getitem__))
    return cycle[start:] + cycle[:start]
