"""Degree of an expression as a polynomial of some of its names."""

from __future__ import annotations

import math
from collections.abc import Collection

from .tree import Call, Expr, Number, fold, symbol

_LARGEST = 64.0


def degree(expression: Expr, names: Collection[str], cases: Collection[str] = ()) -> float:
    """Largest degree that the expression can have as a polynomial of the names; infinite where it is none.

    Read from the tree: terms that cancel are counted all the same, so the result is never too small.  Functions among `cases` count as the
    largest of their arguments.
    """

    def of(node: Expr, below: tuple[float, ...]) -> float:
        name = symbol(node)
        if name is not None:
            return 1.0 if name in names else 0.0
        if not any(below):
            return 0.0
        if isinstance(node, Call):
            if node.function in ("+", "-", "neg", *cases):
                return max(below)
            if node.function == "*":
                return sum(below)
            if node.function == "/" and below[1] == 0.0:
                return below[0]
            power = node.children[1] if node.function == "**" else None
            if isinstance(power, Number) and power.value >= 0.0 and power.value == int(power.value) <= _LARGEST:
                return below[0] * power.value
        return math.inf

    return fold(expression, of)
