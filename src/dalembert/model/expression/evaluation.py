"""Value of an expression tree in plain floating point, and a message that names the part that has none.

Everything is evaluated, branches not taken included; a part without a value becomes a `_Failure` that travels upwards
like a NaN, and is dropped by the `if_`, `and`, `or` that do not need it.  So `if_(x > 0, log(x), 0)` is 0 at x = -1.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import ExpressionError, nearest
from .catalogue import ALL
from .checks import plain_number
from .printing import number_text, shortened
from .tree import Call, Expr, FunctionCall, Name, Number, SplineCall, fold, symbol

_NAMES_SHOWN = 6


@dataclass(frozen=True)
class _Failure:
    """A sub-expression without a value: which one, with which arguments, and why."""

    node: Expr
    arguments: tuple[float, ...]
    why: str
    do: str


_Value = float | _Failure


def evaluate(expr: Expr, values: Mapping[str, float]) -> float:
    """Value of the tree; see `Expr.evaluate`."""
    if expr.size < _SMALL:
        # nearly all are a name or a few operations: plain recursion takes a third of the time, and leaves what is unusual to the walk below
        quick = _quick(expr, values)
        if quick is not None:
            return quick

    def combine(node: Expr, arguments: tuple[_Value, ...]) -> _Value:
        if isinstance(node, Number):
            return node.value
        name = symbol(node)
        return _apply(node, arguments) if name is None else _look_up(expr, node, name, values)

    result = fold(expr, combine)
    if isinstance(result, _Failure):
        raise _error(expr, result, values)
    return result


_SMALL = 40  # nodes
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _quick(node: Expr, values: Mapping[str, float]) -> float | None:
    """Value of sums, differences, products and quotients of numbers and names; None for everything else, and where it is not finite."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        x = values.get(node.name)
        return x if type(x) is float else None
    if not isinstance(node, Call):
        return None
    function, args = node.function, node.args
    if function == "neg":
        x = _quick(args[0], values)
        return None if x is None else -x
    if function not in _ARITHMETIC and function != "/":
        return None
    a, b = _quick(args[0], values), _quick(args[1], values)
    if a is None or b is None or (function == "/" and b == 0.0):
        return None
    found = a / b if function == "/" else _ARITHMETIC[function](a, b)
    return found if math.isfinite(found) else None


def constant_value(function: str, arguments: tuple[float, ...]) -> float | None:
    """Value of a function of numbers; None where it has none."""
    try:
        value = ALL[function].value(*arguments)
    except (ValueError, ArithmeticError):
        return None
    return value if math.isfinite(value) else None


def _look_up(expr: Expr, node: Expr, name: str, values: Mapping[str, float]) -> _Value:
    if name not in values:
        raise ExpressionError(
            f"value of {shortened(expr)}", f"no value for {name!r}",
            "every free name needs a number", f"give one; {nearest(name, values)}",
        )  # fmt: skip
    number = plain_number(values[name])
    if number is None:
        raise ExpressionError(
            f"value of {shortened(expr)}", f"{name} = {values[name]!r} of type {type(values[name]).__name__}",
            "a name stands for one real number", "give an int or float",
        )  # fmt: skip
    if not math.isfinite(number):
        return _Failure(node, (), f"{name} = {number} is not a finite number", f"give a finite value for {name}")
    return number


def _apply(node: Expr, arguments: tuple[_Value, ...]) -> _Value:
    decided = _decided(node, arguments)
    if decided is not None:
        return decided
    numbers: list[float] = []
    for argument in arguments:
        if isinstance(argument, _Failure):
            return argument
        numbers.append(argument)
    if isinstance(node, SplineCall):
        value: float | None = node.table.value(numbers[0], node.order)
        why = "the result is too large"
    elif isinstance(node, FunctionCall):
        value, why = node.function.derivative(numbers, node.orders), "its Python function returned no finite number"
    else:
        assert isinstance(node, Call)
        value, why = _call(node.function, tuple(numbers))
    if value is not None and math.isfinite(value):
        return value
    return _Failure(node, tuple(numbers), why, "keep the arguments where the function is defined, or guard it with if_")


def _decided(node: Expr, arguments: tuple[_Value, ...]) -> _Value | None:
    """Decide `if_`, `and`, `or` when the first argument decides; then the others may have no value."""
    if not isinstance(node, Call) or node.function not in ("if_", "and", "or"):
        return None
    first = arguments[0]
    if isinstance(first, _Failure):
        return first
    if node.function == "if_":
        return arguments[1] if first != 0.0 else arguments[2]
    if node.function == "and":
        return 0.0 if first == 0.0 else None
    return 1.0 if first != 0.0 else None


def _call(name: str, numbers: tuple[float, ...]) -> tuple[float | None, str]:
    function = ALL[name]
    shown = f"the operator {name}" if name in ("+", "-", "*", "/", "**") else name
    try:
        value = function.value(*numbers)
    except OverflowError:
        return None, f"the result of {shown} is too large"
    except (ValueError, ZeroDivisionError):
        return None, f"{shown} {function.domain}"
    return value, f"the result of {shown} is too large"


def _error(expr: Expr, failure: _Failure, values: Mapping[str, float]) -> ExpressionError:
    node = failure.node
    parts = [
        f"{shortened(c)} = {_shown(v)}" for c, v in zip(node.children, failure.arguments) if not isinstance(c, Number)
    ]
    names = [f"{n} = {_shown(values[n])}" for n in sorted(node.names) if n in values]
    names = [n for n in names if n not in parts]
    if len(names) > _NAMES_SHOWN:
        names = [*names[:_NAMES_SHOWN], "…"]
    facts = ", ".join(parts) + (f" ({', '.join(names)})" if parts and names else ", ".join(names))
    return ExpressionError(
        f"value of {shortened(expr)}",
        f"{shortened(node)} has no value" + (f" at {facts}" if facts else ""),
        failure.why,
        failure.do,
    )


def _shown(value: float) -> str:
    number = plain_number(value)
    return str(number) if number is None or not math.isfinite(number) else number_text(number)
