"""Kernels on symbols: a number that is a node of a graph, and kernels as plain Python that compute with such numbers.

What a kernel computes with symbols becomes a formula.  Branches on the value of a symbol are refused: kernels write them as selections (`choose`,
`above`, `reciprocal` of `kernels/scalar.py`).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from ...kernels import functions as op
from ...kernels import scalar
from ..graph import Graph


def _operator(name: str, swapped: bool = False) -> Any:
    """An operator on two numbers, by the constructor of graphs that has this name."""

    def operate(self: Symbol, other: Any) -> Symbol:
        nodes = (self._of(other), self.node) if swapped else (self.node, self._of(other))
        return self._make(getattr(self.graph, name)(*nodes))

    return operate


class Symbol:
    """A node of a graph, with the operations of a number."""

    __slots__ = ("graph", "node")

    def __init__(self, graph: Graph, node: int) -> None:
        self.graph, self.node = graph, node

    def _of(self, other: Any) -> int:
        return other.node if isinstance(other, Symbol) else self.graph.number(other)

    def _make(self, node: int) -> Symbol:
        return Symbol(self.graph, node)

    __add__ = __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub"), _operator("sub", swapped=True)
    __mul__ = __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", swapped=True)
    __pow__ = _operator("power")

    def __neg__(self) -> Symbol:
        return self._make(self.graph.neg(self.node))

    def __abs__(self) -> Symbol:
        return self._make(self.graph.one_argument(op.ABS, self.node))

    def __floor__(self) -> Symbol:
        return self._make(self.graph.one_argument(op.FLOOR, self.node))

    def __bool__(self) -> bool:
        raise TypeError("a branch on the value of a symbol")

    def _compared(self, other: object) -> bool:
        raise TypeError("a comparison of symbols: use the selections of kernels/scalar.py")

    __lt__ = __le__ = __gt__ = __ge__ = _compared
    __eq__ = __ne__ = _compared
    __hash__ = None  # type: ignore[assignment]


def _graph(*values: Any) -> Graph | None:
    return next((x.graph for x in values if isinstance(x, Symbol)), None)


def _node(graph: Graph, x: Any) -> int:
    return x.node if isinstance(x, Symbol) else graph.number(x)


def _one(code: int, number: Any) -> Any:
    def function(x: Any) -> Any:
        return Symbol(x.graph, x.graph.one_argument(code, x.node)) if isinstance(x, Symbol) else number(x)

    return function


def _two(code: int, number: Any) -> Any:
    def function(x: Any, y: Any) -> Any:
        graph = _graph(x, y)
        if graph is None:
            return number(x, y)
        return Symbol(graph, graph.two_arguments(code, _node(graph, x), _node(graph, y)))

    return function


def _choose(condition: Any, a: Any, b: Any) -> Any:
    graph = _graph(condition, a, b)
    if graph is None:
        return scalar.choose(condition, a, b)
    return Symbol(graph, graph.select(*(_node(graph, x) for x in (condition, a, b))))


def _above(x: Any, y: Any) -> Any:
    return _less(y, x)


def _reciprocal(x: Any, floor: Any) -> Any:
    return _choose(_above(x, floor), 1.0 / x, 0.0)


def _larger(x: Any, y: Any) -> Any:
    graph = _graph(x, y)
    if graph is None:
        return scalar.larger(x, y)
    # the product with zero must stay: it carries a NaN
    nothing = Symbol(graph, graph.uncertain_zero(_node(graph, x)))
    return _choose(_above(x, y), x, y + nothing)


def _vanishes(x: Any) -> bool:
    return x.graph.value(x.node) == 0.0 if isinstance(x, Symbol) else x == 0.0


def _times(a: Any, b: Any) -> Any:
    """a*b, and 0 when one factor is 0 whatever the other is."""
    graph = _graph(a, b)
    if graph is None:
        return 0.0 if a == 0.0 or b == 0.0 else a * b
    known = [graph.value(_node(graph, x)) for x in (a, b)]
    if 0.0 in known:
        return 0.0
    found = a * b
    for x, number in zip((a, b), known):
        if number is None and graph.unbounded(_node(graph, b if x is a else a)):
            found = _guarded(_choose(x, found, 0.0))
    return found


def _guarded(x: Any) -> Any:
    """A product, or 0 where a factor is zero; its rate is that of the product."""
    if isinstance(x, Symbol):
        x.graph.guarded.add(x.node)
    return x


def _bend(slope: Any, a1: Any, a2: Any) -> Any:
    """slope*a'', none at a kink: a vertical tangent, and the argument at rest."""
    graph = _graph(slope, a1, a2)
    found = _times(slope, a2)
    if graph is None or not graph.unbounded(_node(graph, slope)):
        return found
    vertical = _above(abs(slope), 1.7976931348623157e308)
    return _guarded(_choose(a1, found, _choose(vertical, 0.0, found)))


def _spline_value(first: Any, knots: Any, coefficients: Any, table: int, order: int, s: Any) -> Any:
    if not isinstance(s, Symbol):
        raise TypeError("a table of a number")
    return Symbol(s.graph, s.graph.spline(s.node, int(table), int(order)))


def _cos_sin(x: Any) -> tuple[Any, Any]:
    return _cos(x), _sin(x)


def _value2(code: int, a: Any, b: Any) -> Any:
    return _two(code, lambda x, y: op.value2(code, x, y))(a, b)


_less = _two(op.LT, lambda x, y: 1.0 if x < y else 0.0)
_cos, _sin = _one(op.COS, scalar.cos), _one(op.SIN, scalar.sin)

# functions of the kernels, as they act on symbols
REPLACED: dict[Any, Any] = {
    scalar.choose: _choose,
    scalar.above: _above,
    scalar.reciprocal: _reciprocal,
    scalar.larger: _larger,
    scalar.vanishes: _vanishes,
    scalar.is_off: lambda floor: False,
    scalar.cos_sin: _cos_sin,
    scalar.cos: _cos,
    scalar.sin: _sin,
    **{
        function: _one(code, function)
        for code, function in (
            (op.SQRT, scalar.sqrt), (op.TAN, scalar.tan), (op.ASIN, scalar.asin), (op.ACOS, scalar.acos),
            (op.ATAN, scalar.atan), (op.SINH, scalar.sinh), (op.COSH, scalar.cosh), (op.TANH, scalar.tanh), (op.EXP, scalar.exp),
            (op.LOG, scalar.log), (op.LOG10, scalar.log10), (op.SIGN, scalar.sign), (op.FLOOR, scalar.floor),
        )
    },
    **{
        function: _two(code, function)
        for code, function in (
            (op.POW, scalar.power), (op.ATAN2, scalar.atan2), (op.HYPOT, scalar.hypot), (op.MIN, scalar.minimum), (op.MAX, scalar.maximum),
        )
    },
    op.times: _times,
    op.value2: _value2,
    op.bend: _bend,
    op.spline_value: _spline_value,
}  # fmt: skip


_KERNELS = __name__.rsplit(".", 3)[0] + ".kernels"


def plain(kernel: Any, replaced: Mapping[Any, Any]) -> Callable[..., Any]:
    """A kernel as plain Python, with all kernels that it calls, and these functions replaced by others wherever they are called."""
    return _Copies(replaced).of(kernel)


class _Copies:
    """Functions of the kernels with other globals, each made once."""

    def __init__(self, replaced: Mapping[Any, Any]) -> None:
        self._replaced = dict(replaced)
        self._made: dict[Any, Any] = {}

    def of(self, kernel: Any) -> Any:
        if kernel in self._replaced:
            return self._replaced[kernel]
        if kernel not in self._made:
            function = getattr(kernel, "__wrapped__", kernel)
            scope = dict(function.__globals__)
            made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
            self._made[kernel] = made
            for name in function.__code__.co_names:
                if name in scope:
                    scope[name] = self._value(scope[name], function.__code__.co_names)
        return self._made[kernel]

    def _value(self, value: Any, names: tuple[str, ...]) -> Any:
        if isinstance(value, types.ModuleType):
            if value.__name__.startswith(_KERNELS):
                inside = {name: self._value(getattr(value, name), ()) for name in names if hasattr(value, name)}
                return types.SimpleNamespace(**inside)
            return value
        if value.__hash__ is not None and value in self._replaced:
            return self._replaced[value]
        own = isinstance(getattr(value, "__wrapped__", value), types.FunctionType)
        return self.of(value) if own and value.__module__.startswith(_KERNELS) else value
