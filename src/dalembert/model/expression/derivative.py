"""Exact derivatives of expression trees, with the light simplification that keeps them readable.

The constructors `plus`, `minus`, `times`, `over`, `power` fold constants and apply the rules of 0, 1 and minus signs;
nothing else is rewritten, so the derivative of a formula still looks like the formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from .evaluation import constant_value
from .parser import parse
from .tree import Call, Expr, FunctionCall, Name, Number, SplineCall, T, fold, postorder, symbol

ZERO, ONE = Number(0.0), Number(1.0)


# ---- constructors that simplify --------------------------------------------------------------------------------------


def folded(function: str, *args: Expr) -> Expr:
    """Call whose value is computed at once when all arguments are numbers and it has one."""
    if args and all(isinstance(a, Number) for a in args):
        value = constant_value(function, tuple(a.value for a in args if isinstance(a, Number)))
        if value is not None:
            return Number(value)
    return Call(function, args)


def _without_sign(a: Expr) -> Expr | None:
    """Return b of a = -b, None for all else."""
    return a.args[0] if isinstance(a, Call) and a.function == "neg" else None


def negative(a: Expr) -> Expr:
    """Build -a."""
    inside = _sign_off(a)
    return folded("neg", a) if inside is None else inside


def _sign_off(b: Expr) -> Expr | None:
    """Return c of b = -c, a negative number in front included: 2*x of -2*x; None for all else."""
    inside = _without_sign(b)
    if inside is not None:
        return inside
    if isinstance(b, Number) and b.value < 0.0:
        return Number(-b.value)
    if isinstance(b, Call) and b.function == "*" and isinstance(b.args[0], Number) and b.args[0].value < 0.0:
        return times(Number(-b.args[0].value), b.args[1])
    return None


def plus(a: Expr, b: Expr) -> Expr:
    """Build a + b."""
    if a == ZERO:
        return b
    inside = _sign_off(b) if not (isinstance(a, Number) and isinstance(b, Number)) else None
    if inside is not None:
        return minus(a, inside)
    return a if b == ZERO else folded("+", a, b)


def minus(a: Expr, b: Expr) -> Expr:
    """Build a - b."""
    if a == ZERO:
        return negative(b)
    if a == b:
        return ZERO
    inside = _sign_off(b) if not (isinstance(a, Number) and isinstance(b, Number)) else None
    if inside is not None:
        return plus(a, inside)
    return a if b == ZERO else folded("-", a, b)


def times(a: Expr, b: Expr) -> Expr:
    """Build a*b, with the number in front."""
    if ZERO in (a, b):
        return ZERO
    if isinstance(b, Number) and not isinstance(a, Number):
        a, b = b, a
    if a == ONE:
        return b
    if b == ONE:
        return a
    if isinstance(a, Number) and a.value == -1.0:
        return negative(b)
    inside = _without_sign(b)
    if inside is not None:  # 2*(-x) = -2*x, y*(-x) = -(y*x)
        return times(negative(a), inside) if isinstance(a, Number) else negative(times(a, inside))
    inside = _without_sign(a)
    if inside is not None:
        return negative(times(inside, b))
    if isinstance(a, Number) and isinstance(b, Call) and b.function == "*" and isinstance(b.args[0], Number):
        return times(folded("*", a, b.args[0]), b.args[1])  # 2*(3*x) = 6*x
    return folded("*", a, b)


def over(a: Expr, b: Expr) -> Expr:
    """Build a/b."""
    if a == ZERO and b != ZERO:
        return ZERO
    return a if b == ONE else folded("/", a, b)


def power(a: Expr, b: Expr) -> Expr:
    """Build a**b."""
    if b == ZERO:
        return ONE
    return a if b == ONE else folded("**", a, b)


def choose(condition: Expr, a: Expr, b: Expr) -> Expr:
    """Either a or b by the condition."""
    if a == b:
        return a
    if isinstance(condition, Number):
        return a if condition.value != 0.0 else b
    return Call("if_", (condition, a, b))


_CONSTRUCTORS: dict[str, Callable[..., Expr]] = {
    "+": plus, "-": minus, "*": times, "/": over, "**": power, "neg": negative, "if_": choose,
}  # fmt: skip


def simplified(expr: Expr) -> Expr:
    """Fold constants and apply the rules of 0 and 1; see `Expr.simplify`."""
    return fold(expr, _simplified)


def _simplified(node: Expr, children: tuple[Expr, ...]) -> Expr:
    if isinstance(node, Call) and children:
        make = _CONSTRUCTORS.get(node.function)
        return make(*children) if make else folded(node.function, *children)
    return _spline_of_number(node.with_children(children))


def constants_folded(expr: Expr) -> Expr:
    """Fold what is made of numbers only; the value is the same everywhere, also where it does not exist."""

    def combine(node: Expr, children: tuple[Expr, ...]) -> Expr:
        if not isinstance(node, Call) or not children:
            return _spline_of_number(node.with_children(children))
        if node.function == "if_" and isinstance(children[0], Number):
            return children[1] if children[0].value != 0.0 else children[2]
        numbers = all(isinstance(child, Number) for child in children)
        return folded(node.function, *children) if numbers else node.with_children(children)

    return fold(expr, combine)


def _spline_of_number(node: Expr) -> Expr:
    if isinstance(node, SplineCall) and isinstance(node.argument, Number):
        value = node.table.value(node.argument.value, node.order)
        return Number(value) if math.isfinite(value) else node
    return node


# ---- functions defined by simpler ones -------------------------------------------------------------------------------


def expanded(function: str, args: tuple[Expr, ...]) -> Expr | None:
    """Write `ramp` and `step`, and `min` and `max` of many, by simpler functions; None for all others."""
    if function == "ramp":
        x, x0, x1 = args
        return Call("max", (ZERO, Call("min", (ONE, (x - x0) / (x1 - x0)))))
    if function == "step":
        x, x0, y0, x1, y1 = args
        u = expanded("ramp", (x, x0, x1))
        assert u is not None
        return y0 + (y1 - y0) * (u**3 * (10 + u * (6 * u - 15)))
    if function in ("min", "max") and len(args) > 2:
        made = args[0]
        for arg in args[1:]:
            made = Call(function, (made, arg))
        return made
    return None


def primitive(expr: Expr) -> Expr:
    """Replace everything that `expanded` knows."""

    def combine(node: Expr, children: tuple[Expr, ...]) -> Expr:
        made = expanded(node.function, children) if isinstance(node, Call) else None
        return made if made is not None else node.with_children(children)

    return fold(expr, combine)


@lru_cache(maxsize=1024)
def reduced(expr: Expr) -> Expr:
    """The expression as it is computed: what is made of numbers only folded, functions written by simpler ones."""
    tree = constants_folded(expr)
    simple = primitive(tree)
    return tree if simple is tree else constants_folded(simple)


# ---- derivatives -----------------------------------------------------------------------------------------------------

# Derivative of f(a) or f(a, b), from those of its arguments: the one table that trees, graphs, rings and nilpotent numbers read.
# Functions that are not here (sign, floor, conditions) are constant between their jumps.
RULES: dict[str, Expr] = {
    function: parse(text)
    for function, text in {
        "+": "da + db",
        "-": "da - db",
        "*": "da*b + a*db",
        "/": "(da*b - a*db)/b**2",
        "**": "b*a**(b - 1)*da + f*log(a)*db",
        "neg": "-da",
        "sin": "cos(a)*da",
        "cos": "-sin(a)*da",
        "tan": "(1 + f**2)*da",
        "asin": "1/sqrt(1 - a**2)*da",
        "acos": "-1/sqrt(1 - a**2)*da",
        "atan": "1/(1 + a**2)*da",
        "atan2": "(b*da - a*db)/(b**2 + a**2)",
        "sinh": "cosh(a)*da",
        "cosh": "sinh(a)*da",
        "tanh": "(1 - f**2)*da",
        "exp": "f*da",
        "log": "1/a*da",
        "log10": f"{1.0 / math.log(10.0)!r}/a*da",
        "sqrt": "0.5/f*da",
        "hypot": "(a*da + b*db)/f",
        "abs": "sign(a)*da",
        "min": "if_(a <= b, da, db)",
        "max": "if_(a >= b, da, db)",
    }.items()
}
_BY_NUMBER = parse("da/b")  # shorter than the quotient rule


def derivative(expr: Expr, name: str) -> Expr:
    """Differentiate with respect to a free name; see `Expr.diff`."""
    return Direction({name: ONE})(primitive(expr))


class Direction:
    """Derivatives of expressions along a direction: derivatives of free names, zero for those that it does not have.

    What several expressions share is differentiated once, so that the rates of a chain of n links cost n and not n^2.
    """

    def __init__(self, along: Mapping[str, Expr]) -> None:
        self._along = dict(along)
        self._known: dict[int, Expr] = {}
        self._kept: list[Expr] = []  # keeps the nodes alive, whose addresses are the keys

    def __getstate__(self) -> dict[str, Any]:
        # addresses mean nothing in another process
        return {"_along": self._along, "_known": {}, "_kept": []}

    def __call__(self, expr: Expr) -> Expr:
        """Derivative of an expression."""
        self._kept.append(expr)
        for node in postorder(expr):
            if id(node) not in self._known:
                self._known[id(node)] = self._node(node)
        return self._known[id(expr)]

    def _node(self, node: Expr) -> Expr:
        name = symbol(node)
        if name is not None:
            return self._along.get(name, ZERO)
        rates = [self._known[id(child)] for child in node.children]
        if all(d == ZERO for d in rates):
            return ZERO
        if isinstance(node, SplineCall):
            slope: Expr = SplineCall(node.table, node.argument, node.order + 1) if node.order < 3 else ZERO
            return times(slope, rates[0])
        if isinstance(node, FunctionCall):
            total: Expr = ZERO
            for k, d in enumerate(rates):
                total = plus(total, times(node.slope(k), d)) if d != ZERO else total
            return total
        assert isinstance(node, Call)
        simple = expanded(node.function, node.args)
        if simple is not None:
            return self(simple)
        if node.function == "if_":
            return choose(node.args[0], rates[1], rates[2])
        return rate(node, *rates) if node.function in RULES else ZERO


def rate(node: Call, da: Expr, db: Expr = ZERO) -> Expr:
    """Derivative of a function of one or two arguments that is in the table, from those of its arguments."""
    rule = _BY_NUMBER if node.function == "/" and db == ZERO else RULES[node.function]
    return by_rule(rule, {"f": node, "a": node.args[0], "b": node.args[-1], "da": da, "db": db}, _simplified)


def by_rule(rule: Expr, given: Mapping[str, T], make: Callable[[Expr, tuple[T, ...]], T]) -> T:
    """A rule with what is given in place of its names, put together by `make(node, arguments)`."""
    if isinstance(rule, Name):
        return given[rule.name]
    return make(rule, tuple(by_rule(child, given, make) for child in rule.children))
