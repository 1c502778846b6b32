"""Text of an expression tree: the fewest parentheses from which the parser makes the same tree again."""

from __future__ import annotations

import math

from .catalogue import CONSTANTS, RESERVED
from .tree import Call, Expr, FunctionCall, Number, SplineCall, fold, symbol

# how tightly an operator holds its arguments; the parser uses the same numbers
BINDING = {"or": 1, "and": 2, "not": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4}
BINDING |= {"+": 5, "-": 5, "*": 6, "/": 6, "neg": 7, "**": 8}
ATOM = 9
QUANTITY = 6.5  # "40 mm" may stand before * and in sums, but "40 mm/s" would be a speed

_LONGEST = 20_000  # nodes; a shared tree may stand for astronomically many
_SHOWN = 120  # characters of an expression in a message


def to_text(expr: Expr) -> str:
    """Text that parses back to an equal tree; a hint of its size when that would be unreasonably long."""
    if expr.size > _LONGEST:
        return f"<expression of {expr.size:.3g} nodes>" if expr.size < 1e300 else "<expression of very many nodes>"
    return fold(expr, _text)[0]


def shortened(expr: Expr) -> str:
    """Text for messages, cut in the middle when it is long."""
    text = to_text(expr)
    if len(text) <= _SHOWN:
        return text
    half = _SHOWN // 2 - 2
    return f"{text[:half]} … {text[-half:]}"


def number_text(value: float) -> str:
    """Shortest text of a float that reads back as the same float."""
    for name, constant in CONSTANTS.items():
        if value == constant:
            return name
    return str(int(value)) if value == math.floor(value) and abs(value) < 1e15 else repr(value)


def _text(node: Expr, parts: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    """Text of a node and how tightly it holds together, from those of its arguments."""
    if isinstance(node, Number):
        if node.written:
            return node.written, QUANTITY
        return number_text(node.value), BINDING["neg"] if node.value < 0.0 else ATOM
    name = symbol(node)
    if name is not None:
        return _name_text(name), ATOM
    if isinstance(node, SplineCall):
        inside = node.table.unwrapped(node.argument)
        text = parts[0][0] if inside is node.argument else to_text(inside)
        return f"{node.table.name}{node.order * chr(39)}({text})", ATOM
    if isinstance(node, FunctionCall):
        name = getattr(node.function.function, "__name__", type(node.function.function).__name__)
        slope = "".join(f" by {node.function.arguments[k]}" for k in node.orders)
        return f"{name}{slope and f'[{slope[1:]}]'}({', '.join(text for text, _ in parts)})", ATOM
    assert isinstance(node, Call)
    if node.function not in BINDING:
        return f"{node.function}({', '.join(text for text, _ in parts)})", ATOM
    if len(parts) == 1:
        return _prefix(node, parts[0]), BINDING[node.function]
    return _infix(node.function, parts[0], parts[1]), BINDING[node.function]


def _name_text(name: str) -> str:
    """A name as texts have it: between backticks where it is no identifier."""
    inside = name[5:-1] if name.startswith("rate(") else name
    plain = all(part.isidentifier() for part in inside.split(".")) and inside not in RESERVED
    quoted = inside if plain else f"`{inside}`"
    return f"rate({quoted})" if name.startswith("rate(") else quoted


def _prefix(node: Call, part: tuple[str, float]) -> str:
    if node.function == "not":
        return f"not {_grouped(part, BINDING['not'])}"
    # -2 is a number, -(2) is the minus sign applied to a number
    return f"-({part[0]})" if isinstance(node.args[0], Number) else f"-{_grouped(part, BINDING['neg'])}"


def _infix(function: str, left: tuple[str, float], right: tuple[str, float]) -> str:
    own = BINDING[function]
    if function == "/" and left[1] == QUANTITY:
        left = (f"({left[0]})", ATOM)
    if function == "**":  # groups to the right, and its exponent may carry a minus sign: x**-y**z
        return f"{_grouped(left, ATOM)}**{_grouped(right, BINDING['neg'])}"
    least = own + 1 if own == BINDING["<"] else own  # comparisons do not chain
    space = "" if function in ("*", "/") else " "
    return f"{_grouped(left, least)}{space}{function}{space}{_grouped(right, own + 1)}"


def _grouped(part: tuple[str, float], least: int) -> str:
    text, binding = part
    return text if binding >= least else f"({text})"
