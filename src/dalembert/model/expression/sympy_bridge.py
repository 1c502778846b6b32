"""Expressions to and from SymPy objects.

SymPy is imported only when somebody asks for its objects.  Coming from SymPy, `Symbol('x')` and `Function('x')(t)` are the name x, and
`Function('x')(t).diff(t)` is rate(x).  Nothing is ever parsed from text by SymPy, which would run code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from ...errors import ExpressionError, shown
from .called import no_formula
from .tree import Call, Expr, FunctionCall, Name, Number, SplineCall, fold, symbol

# a float with all its digits is a fraction with a denominator up to here only if it was made as one
_DENOMINATOR = 1000
# parts of pi with denominators up to here (half degrees), of ten turns at most; no other decimal that somebody writes is one
_PARTS, _TURNS = 360, 20 * math.pi


def is_sympy(x: object) -> bool:
    """Whether an object comes from SymPy (without importing it)."""
    return any((kind.__module__ or "").split(".")[0] == "sympy" for kind in type(x).__mro__)


# ---- to SymPy --------------------------------------------------------------------------------------------------------


def to_sympy(expr: Expr, names: Mapping[str, Any] | Callable[[str], Any] | None = None) -> Any:
    """SymPy object of an expression.

    Parameters
    ----------
    expr
        The expression.
    names
        SymPy object for each free name ("x", "rate(x)"), or a function that gives it; default: real symbols of these names.
    """
    import sympy

    from .derivative import primitive

    def leaf(name: str) -> Any:
        if callable(names):
            return names(name)
        if names is not None and name in names:
            return names[name]
        return sympy.Symbol(name, real=True)

    functions = sympy_functions()

    def combine(node: Expr, args: tuple[Any, ...]) -> Any:
        if isinstance(node, Number):
            return exact_number(node.value)
        name = symbol(node)
        if name is not None:
            return leaf(name)
        if isinstance(node, SplineCall):
            return sympy.Function(f"{node.table.name}{'_d' * node.order}", real=True)(*args)
        if isinstance(node, FunctionCall):
            raise no_formula(node.function.asked)
        assert isinstance(node, Call)
        return functions[node.function](*args)

    return fold(primitive(expr), combine)


def exact_number(value: float) -> Any:
    """Exact number of a float: e, a part of pi, a whole number, a fraction such as 1/3, or a decimal number, without what folding rounds in its last digits."""
    import sympy

    near = 4.0 * math.ulp(value)
    if abs(value) == math.e:
        return sympy.E if value > 0 else -sympy.E
    turns = Fraction(value / math.pi).limit_denominator(_PARTS)
    if turns and abs(value) < _TURNS and abs(float(turns) * math.pi - value) <= near:
        return sympy.Rational(turns.numerator, turns.denominator) * sympy.pi
    fraction = Fraction(value).limit_denominator(_DENOMINATOR)
    if abs(float(fraction) - value) <= near:
        return sympy.Rational(fraction.numerator, fraction.denominator)
    short = f"{value:.12g}"
    return sympy.Rational(short if abs(float(short) - value) <= near else repr(value))


@cache
def sympy_functions() -> dict[str, Callable[..., Any]]:
    """Functions and operators of expressions on SymPy objects, by name."""
    import sympy as sp

    return {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
        "**": lambda a, b: a**b, "neg": lambda a: -a, "sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "asin": sp.asin,
        "acos": sp.acos, "atan": sp.atan, "atan2": sp.atan2, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "exp": sp.exp,
        "log": sp.log, "log10": lambda a: sp.log(a) / sp.log(10), "sqrt": sp.sqrt, "hypot": lambda a, b: sp.sqrt(a**2 + b**2),
        "abs": sp.Abs, "sign": sp.sign, "floor": sp.floor, "min": sp.Min, "max": sp.Max,
        "if_": lambda c, a, b: sp.Piecewise((a, _condition(c)), (b, True)),
        "<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne,
        "and": lambda a, b: sp.And(_condition(a), _condition(b)), "or": lambda a, b: sp.Or(_condition(a), _condition(b)),
        "not": lambda a: sp.Not(_condition(a)),
    }  # fmt: skip


def _condition(x: Any) -> Any:
    """Condition of a truth value that may be a number: x != 0."""
    import sympy

    return x if isinstance(x, sympy.logic.boolalg.Boolean) else sympy.Ne(x, 0)


# ---- from SymPy ------------------------------------------------------------------------------------------------------

_FROM = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "Abs": "abs", "sign": "sign", "floor": "floor", "Min": "min",
    "Max": "max", "StrictLessThan": "<", "LessThan": "<=", "StrictGreaterThan": ">", "GreaterThan": ">=", "Equality": "==",
    "Unequality": "!=", "And": "and", "Or": "or", "Not": "not",
}  # fmt: skip


def from_sympy(x: Any, asked: str = "") -> Expr:
    """Expression of a SymPy object."""
    made: dict[Any, Expr] = {}
    stack: list[tuple[Any, bool]] = [(x, False)]
    while stack:
        node, ready = stack.pop()
        if node in made:
            continue
        leaf = _leaf(node)
        if leaf is not None:
            made[node] = leaf
        elif ready:
            made[node] = _node(node, [made[a] for a in _arguments(node)], asked or "an expression of SymPy")
        elif type(node).__name__ == "Derivative":
            raise ExpressionError(
                asked or "an expression of SymPy", shown(node), "only first derivatives of single names are rates here",
                "write x(t).diff(t) for the rate of x; accelerations follow from the equations",
            )  # fmt: skip
        else:
            stack.append((node, True))
            stack.extend((a, False) for a in _arguments(node))
    return made[x]


def _arguments(node: Any) -> list[Any]:
    if type(node).__name__ == "Piecewise":
        return [part for pair in node.args for part in pair.args if part not in (True, False)]
    return list(node.args)


def _leaf(node: Any) -> Expr | None:
    kind = type(node).__name__
    if kind == "Derivative":
        inner, order = node.args[0], node.args[1]
        if not inner.args or len(node.args) != 2 or tuple(order)[1] != 1 or len(inner.args) != 1:
            return None
        return Call("rate", (Name(inner.func.__name__),))
    if getattr(node, "is_Function", False) and type(type(node)).__name__ == "UndefinedFunction" and len(node.args) == 1:
        return Name(type(node).__name__)
    if getattr(node, "is_Symbol", False):
        return Name(node.name)
    if getattr(node, "is_number", False) and not node.free_symbols and kind not in ("Piecewise",):
        if getattr(node, "is_Rational", False) and not node.is_Integer:
            return Call("/", (Number(float(node.p)), Number(float(node.q))))
        value = complex(node)
        if value.imag == 0.0 and math.isfinite(value.real):
            return Number(value.real)
    return None


def _node(node: Any, args: list[Expr], asked: str) -> Expr:
    kind = type(node).__name__
    if kind == "Add":
        return _sum(args)
    if kind == "Mul":
        return _product(args)
    if kind == "Pow":
        if args[1] == Call("/", (Number(1.0), Number(2.0))):
            return Call("sqrt", (args[0],))
        if isinstance(args[1], Number) and args[1].value < 0.0:  # x**-2 reads 1/x**2
            return Number(1.0) / (args[0] if args[1].value == -1.0 else args[0] ** -args[1].value)
        return args[0] ** args[1]
    if kind == "Piecewise":
        pairs = [(args[k], args[k + 1]) for k in range(0, len(args) - 1, 2)]
        otherwise = args[-1] if len(args) % 2 else pairs.pop()[0]
        for value, condition in reversed(pairs):
            otherwise = Call("if_", (condition, value, otherwise))
        return otherwise
    if kind not in _FROM:
        raise ExpressionError(
            asked, f"{shown(node)} ({kind})",
            "expressions here know no such function", f"use {', '.join(sorted(_FROM))}",
        )  # fmt: skip
    function = _FROM[kind]
    if function in ("and", "or", "min", "max") and len(args) > 2:
        made = args[0]
        for a in args[1:]:
            made = Call(function, (made, a))
        return made
    return Call(function, args)


def _sum(args: list[Expr]) -> Expr:
    """Sum; it begins with a term without a minus sign."""
    made, *rest = sorted(args, key=_is_minus)
    for a in rest:
        made = made - a.args[0] if isinstance(a, Call) and _is_minus(a) else made + a
    return made


def _is_minus(x: Expr) -> bool:
    return isinstance(x, Call) and x.function == "neg"


def _product(args: list[Expr]) -> Expr:
    """Product; the sign goes in front, so that sums read a - b."""
    first, *rest = args
    top, below = first.args if isinstance(first, Call) and first.function == "/" else (first, Number(1.0))
    if isinstance(top, Number) and top.value < 0.0:
        positive = Number(-top.value)
        return -_product([positive if top is first else Call("/", (positive, below)), *rest])
    factors = rest if rest and first == Number(1.0) else args
    # 1/x among the factors becomes a division
    divisors = [a.args[1] for a in factors if isinstance(a, Call) and a.function == "/" and a.args[0] == Number(1.0)]
    above = [a for a in factors if not (isinstance(a, Call) and a.function == "/" and a.args[0] == Number(1.0))]
    made = above[0] if above else Number(1.0)
    for a in above[1:]:
        made = made * a
    for a in divisors:
        made = made / a
    return made
