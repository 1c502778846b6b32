"""Where an expression changes its law: its switches, and the smooth expression between them.

Every corner or jump of an expression comes from one of three kinds of node, once `abs`, `min` and `max` are written by them:

    a < b, a <= b, a > b, a >= b     side 0 or 1         gap  b - a  or  a - b, positive where the condition holds
    sign(u)                          side -1, 0, 1       gap  u           abs(u) = sign(u) u
    floor(u)                         side a whole number gap  u

and from the points of tables, where a third derivative jumps.  With the sides held, what is left is smooth; a time loop holds them during a
step and ends the step where a gap says that a side changes.  Equalities are no switches: they hold at single instants, which no motion feels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

from .derivative import reduced
from .tree import Call, Expr, Number, SplineCall, fold, postorder, symbol

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


CONDITION, SIGN, FLOOR, KNOT = "condition", "sign", "floor", "knot"
_CONDITIONS = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Switch:
    """One switch: its node in the expression as written, and the gap whose sign (or whole part) is its side."""

    kind: str
    node: Expr
    gap: Expr


def in_switches(expression: Expr) -> Expr:
    """The same expression with every corner written by conditions, `sign` and `floor`."""

    def combine(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Call) and node.function == "abs":
            return Call("sign", children) * children[0]
        if isinstance(node, Call) and node.function in ("min", "max"):
            a, b = children
            return Call("if_", (Call("<=" if node.function == "min" else ">=", children), a, b))
        return node.with_children(children)

    return fold(reduced(expression), combine)


def switches(expression: Expr) -> list[Switch]:
    """Switches of an expression that `in_switches` has written, each once.

    What stands inside a condition, a sign or a floor matters only through its gap, and is no switch of the expression.
    """
    found: dict[Expr, Switch] = {}
    seen: set[int] = set()
    for node in postorder(expression):  # what is made of numbers only never switches
        if symbol(node) is None and all(id(child) in seen for child in node.children):
            seen.add(id(node))
    stack = [expression]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Call) and node.function in _CONDITIONS:
            a, b = node.args
            found[node] = Switch(CONDITION, node, a - b if node.function in (">", ">=") else b - a)
            continue
        if isinstance(node, Call) and node.function in (SIGN, FLOOR):
            found[node] = Switch(node.function, node, node.args[0])
            continue
        if isinstance(node, SplineCall):
            inside = node.table.unwrapped(node.argument)
            if inside is not node.argument:
                # a periodic table goes on smoothly where its argument is set back: nothing to wait for but what is inside
                stack.append(inside)
                continue
            found[node] = Switch(KNOT, node, node.argument)
        stack.extend(reversed(node.children))
    return list(found.values())


def held(expression: Expr, side: Callable[[Expr], Expr | None]) -> Expr:
    """The expression with `side(node)` in place of its switches; None leaves a node as it is.

    What stands inside a switch that is replaced disappears with it.
    """

    def combine(node: Expr, children: tuple[Expr, ...]) -> Expr:
        replaced = side(node)
        return node.with_children(children) if replaced is None else replaced

    return fold(expression, combine)


def is_tame(expression: Expr) -> bool:
    """Whether an expression is a polynomial of low degree: what it does between two near states is seen at the states."""
    return degree(expression, expression.names, ("if_", "and", "or", "not")) <= 3.0
