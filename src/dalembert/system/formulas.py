"""Expressions of a mechanism as nodes of one graph, with their derivatives along a motion: what laws, drivers, composites and the watch run as programs.

Numbers that an expression contains are inputs, so that other values of parameters leave the structure as it is; numbers that derivatives bring
along, and whole exponents, belong to it.  Corners (`abs`, `min`, `max`) stay functions, which have narrower bounds than what they are written by.

Degenerate cases.  A product of a slope with 0 is 0 even if the slope is infinite or undefined: what does not change does not
contribute, and neither does a branch not taken.  Where a slope is infinite (sqrt at 0) and the argument momentarily at rest, the path has a
kink like |t|, and f' = f'' = 0 is taken, the middle of the two sides, as at the tip of hypot; with the argument moving, the slope is infinite
and returned so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ..errors import ExpressionError, nearest
from ..kernels import functions as op
from ..model.expression import Call, Expr, Number, SplineCall, postorder, symbol
from ..model.expression.derivative import reduced
from ..model.expression.tree import fold
from .graph import WHOLE, Graph

_STILL = {"abs": op.ABS, "min": op.MIN, "max": op.MAX}


class Form(NamedTuple):
    """An expression and its numbers, apart: expressions of one form make the same nodes.

    The nodes are those of the expression as it is computed, arguments first; a number is its place among the numbers.  Whole exponents, square roots,
    tables and divisions by zero belong to the form.
    """

    nodes: tuple[tuple[Hashable, ...], ...]
    numbers: tuple[float, ...]  # each once, in the order of the nodes


@lru_cache(maxsize=1024)
def form_of(expression: Expr) -> Form:
    """What an expression is apart from its numbers, and these."""
    order = postorder(reduced(expression))
    place = {id(node): k for k, node in enumerate(order)}
    numbers: dict[float, int] = {}
    written: dict[Expr, int] = {}  # 40 mm and 0.04 are one number, but not the same side of a switch
    nodes: list[tuple[Hashable, ...]] = []
    for node in order:
        if isinstance(node, Number):
            nodes.append((numbers.setdefault(node.value, len(numbers)), written.setdefault(node, len(written))))
            continue
        what: list[Hashable] = [symbol(node) or type(node).__name__]
        if isinstance(node, SplineCall):
            what += [node.table, node.order, node.table.unwrapped(node.argument) is node.argument]
        elif isinstance(node, Call):
            second = node.args[-1]
            exact = _fixed_exponent(node) or (node.function == "/" and second == Number(0.0))
            what += [node.function, second.value if exact else None]  # type: ignore[attr-defined]
        nodes.append((*what, *(place[id(child)] for child in node.children)))
    return Form(tuple(nodes), tuple(numbers))


def _fixed_exponent(node: Call) -> bool:
    second = node.args[-1]
    if node.function != "**" or not isinstance(second, Number):
        return False
    return second.value == 0.5 or (second.value.is_integer() and abs(second.value) <= WHOLE)


class Formulas(Graph):
    """A graph of expressions, and derivatives with the rules above."""

    def add_formula(self, expression: Expr, names: Mapping[str, int], scope: int = 0) -> int:
        """Node of an expression, whose names stand for nodes; equal numbers of one scope are one node.

        Raises
        ------
        ExpressionError
            A name that is not given, or a part made of numbers only that has no value (1/0).
        """

        def make(node: Expr, args: tuple[int, ...]) -> int:
            name = symbol(node)
            if isinstance(node, Number):
                return self.renewable(node.value, scope)
            if name is not None:
                if name in names:
                    return names[name]
                raise ExpressionError(
                    f"running the expression {expression}", f"the name {name!r}", "it is no input here", nearest(name, names)
                )  # fmt: skip
            if all(isinstance(child, Number) for child in node.children):
                node.evaluate({})  # folding left it: raises, and says why it has no value
            return self._call(node, args, expression)

        return fold(reduced(expression), make)

    def _call(self, node: Expr, args: tuple[int, ...], whole: Expr) -> int:
        if not isinstance(node, Call):
            return self._expression(node, args)
        second = node.args[-1]
        if node.function == "/" and second == Number(0.0):
            raise ExpressionError(
                f"running the expression {whole}", f"{node} has no value", "the divisor is always zero", "correct it"
            )
        if _fixed_exponent(node):
            return self.power(args[0], self.number(second.value))  # type: ignore[attr-defined]
        if node.function in _STILL:
            code = _STILL[node.function]
            return self.two_arguments(code, *args) if code >= op.BINARY else self.one_argument(code, *args)
        return self._expression(node, args)

    def renewable(self, value: float, scope: int) -> int:
        """Node of a number that is not part of the structure."""
        node = self.named(("number", scope, value))
        self.numbers[node] = value
        return node

    # -- derivatives ---------------------------------------------------------------------------------------------------

    def times(self, a: int, b: int) -> int:
        """a*b, and 0 where one factor is 0 and the other may be infinite."""
        unknown = self.value(a) is None and self.value(b) is None
        if unknown and (self.unbounded(a) or self.unbounded(b)):
            return self._row(op.TIMES, min(a, b), max(a, b))
        return self.mul(a, b)

    def bend(self, slope: int, rate: int, second: int) -> int:
        """f'(a) a'', none at a kink."""
        if second == self.zero or not self.unbounded(slope):
            return self.times(slope, second)
        return self._row(op.BEND, slope, rate, second)

    def slopes(self, node: int) -> tuple[int, ...]:
        """Derivatives of a node by its arguments."""
        code, a, b, _ = self.rows[node]
        if code == op.TIMES:
            return b, a
        if code == op.HYPOT:
            # at the origin the middle of all directions
            return tuple(self.select(node, self.div(x, node), self.zero) for x in (a, b))
        if code == op.POW:
            first = self.times(b, self.power(a, self.sub(b, self.one)))
            if b in self.numbers:
                return first, self.zero
            # f log a tends to 0 with a
            return first, self.select(node, self.mul(node, self.one_argument(op.LOG, a)), self.zero)
        return super().slopes(node)

    def jet(self, node: int, first: Mapping[int, int], second: Mapping[int, int]) -> tuple[int, int]:
        """First and second derivative of a node along a path: inputs (nodes) with the nodes of their first and second rates.

        With u = f(a, b):  u' = f_a a' + f_b b',  u'' = (f_a)' a' + f_a a'' + (f_b)' b' + f_b b''.
        """
        rates, bends = dict(first), dict(second)
        self._move([node], rates)
        for k in self.needed([node], first):
            bends[k] = bends.get(k, self.zero) if k in first else self._second(k, rates, bends)
        return rates[node], bends[node]

    def _move(self, nodes: Iterable[int], rates: dict[int, int]) -> None:
        """Put the rates of these nodes, and of all that they need, among those that are known."""
        for k in self.needed(nodes, rates):
            if k not in rates:
                rates[k] = self.zero
                if any(rates[a] != self.zero for a in self.arguments(k)):
                    self._rate(k, rates)

    def _second(self, node: int, rates: dict[int, int], bends: Mapping[int, int]) -> int:
        args = self.arguments(node)
        if all(rates[a] == bends[a] == self.zero for a in args):
            return self.zero
        if self.rows[node][0] == op.SELECT:
            return self.select(args[0], bends[args[1]], bends[args[2]])
        slopes, total = self.slopes(node), self.zero
        self._move(slopes, rates)
        for a, slope in zip(args, slopes):
            turned = self.times(rates[slope], rates[a])
            total = self.add(total, self.add(turned, self.bend(slope, rates[a], bends[a])))
        return total
