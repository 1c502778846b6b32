"""Formulas as polynomials with derivatives: every function of the coordinates is one more generator.

sin(u), cos(u), exp(u), 1/u, sqrt(u), ... are generators g whose derivatives are polynomials again: sin(u)' = cos(u) u', (1/u)' = -(1/u)^2 u'.
Sums, products and derivatives of polynomials are fast and need no simplification, which brackets of brackets would choke on.
Whether something is zero is decided elsewhere, at random points; here only sin(u)^2 + cos(u)^2 = 1 is used, to keep results short.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..model.expression import Call, Expr, Name, Number, postorder, symbol
from ..model.expression.derivative import ONE, over, plus, power, primitive, rate, times
from ..model.expression.sympy_bridge import to_sympy
from . import sp

TWO = Number(2.0)
_PLAIN = {"+", "-", "*", "neg"}


def _inverse(u: Expr) -> Expr:
    return Call("/", (ONE, u))


def _rewritten(node: Expr) -> Expr:
    """The few functions of two arguments by those of one."""
    if not isinstance(node, Call):
        return node
    if node.function == "log10":
        return over(Call("log", node.args), Number(math.log(10.0)))
    if node.function == "hypot":
        a, b = node.args
        return Call("sqrt", (plus(power(a, TWO), power(b, TWO)),))
    if node.function == "atan2":  # differs from the angle by a constant, piecewise
        return Call("atan", (over(*node.args),))
    return node


def _whole(node: Expr) -> int | None:
    """Exponent of a power with a whole exponent."""
    value = node.value if isinstance(node, Number) else math.nan
    return int(value) if float(value).is_integer() and abs(value) <= 40 else None


class Ring:
    """Polynomials in variables, parameters and functions of them.

    `generators`: expressions of the generators; `symbols`: the same as SymPy objects.
    """

    def __init__(self, expressions: Iterable[Expr], variables: Sequence[str], names: Mapping[str, Any]) -> None:
        from sympy.polys.rings import PolyRing

        self.variables = tuple(variables)
        self._slope: dict[Expr, Expr] = {}
        self.generators: list[Expr] = [Name(name) for name in names]
        todo = [primitive(x) for x in expressions]
        while todo:
            todo += self._collect(todo.pop())
        self.symbols = [to_sympy(g, names) for g in self.generators]
        self._ring = PolyRing([sp.Symbol(f"g{k}") for k in range(len(self.generators))], sp.QQ)
        self.domain = self._ring.to_domain()
        self._element = dict(zip(self.generators, self._ring.gens))
        place = {g: k for k, g in enumerate(self.generators)}
        self._circles = [  # cosine and sine of the same angle
            (k, place[Call("sin", g.args)])
            for g, k in place.items()
            if isinstance(g, Call) and g.function == "cos" and Call("sin", g.args) in place
        ]
        self._rules: dict[Expr, dict[int, Any]] = {}

    def _collect(self, expression: Expr) -> list[Expr]:
        """Note the generators of an expression; returns expressions that their derivatives need."""
        needed: list[Expr] = []
        for node in postorder(expression):
            made = _rewritten(node)
            if made is not node:
                needed.append(made)
                continue
            generator = self._generator(node)
            if generator is not None and generator not in self.generators:
                self.generators.append(generator)
                slope = self._slope_of(generator)
                if slope is not None:
                    self._slope[generator] = slope
                    needed.append(slope)
        return needed

    @staticmethod
    def _generator(node: Expr) -> Expr | None:
        """The generator that a node is or uses; None for sums, products, numbers and names."""
        if isinstance(node, Number):
            return node if node.value in (math.pi, math.e) else None
        if symbol(node) is not None or not isinstance(node, Call) or node.function in _PLAIN:
            return None
        if node.function == "/":
            return None if isinstance(node.args[1], Number) else _inverse(node.args[1])
        if node.function == "**":
            whole = _whole(node.args[1])
            if whole is None:
                return node
            return _inverse(node.args[0]) if whole < 0 else None
        return node

    @staticmethod
    def _slope_of(generator: Expr) -> Expr | None:
        """Slope by the argument; None for constants."""
        if not isinstance(generator, Call):
            return None
        if generator.function == "/":
            return -power(generator, TWO)
        if generator.function == "**":  # u**r with a number r; the general case is exp(r log u)
            u, r = generator.args
            return times(times(r, generator), _inverse(u))
        return rate(generator, ONE)

    def _rule(self, generator: Expr) -> dict[int, Any]:
        """Derivatives of a generator by the variables, as elements."""
        if isinstance(generator, Name):
            return {self.variables.index(generator.name): self._ring.one} if generator.name in self.variables else {}
        if generator not in self._slope:
            return {}
        assert isinstance(generator, Call)
        inside = self(generator.args[1] if generator.function == "/" else generator.args[0])
        slope = self(self._slope[generator])
        return {k: self.reduced(slope * d) for k, d in self._gradient(inside).items()}

    def __call__(self, expression: Expr) -> Any:
        """Element of an expression."""
        made: dict[int, Any] = {}
        expression = primitive(expression)
        for node in postorder(expression):
            made[id(node)] = self._made(node, [made[id(child)] for child in node.children])
        return self.reduced(made[id(expression)])

    def _made(self, node: Expr, args: list[Any]) -> Any:
        if node in self._element:
            return self._element[node]
        if isinstance(node, Number):
            exact = to_sympy(node)  # the same number as in all other formulas
            return self._ring.one.mul_ground(self._ring.domain(int(exact.p), int(exact.q)))
        assert isinstance(node, Call)
        rewritten = _rewritten(node)
        if rewritten is not node:
            return self(rewritten)
        if node.function == "/":
            if isinstance(node.args[1], Number):
                return args[0].quo_ground(args[1].LC)
            return args[0] * self._element[_inverse(node.args[1])]
        if node.function == "**":
            whole = _whole(node.args[1])
            assert whole is not None
            return args[0] ** whole if whole >= 0 else self._element[_inverse(node.args[0])] ** -whole
        plain: dict[str, Callable[..., Any]] = {
            "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "neg": lambda a: -a
        }  # fmt: skip
        return plain[node.function](*args)

    def reduced(self, element: Any) -> Any:
        """The element with squares of cosines replaced: cos^2k = (1 - sin^2)^k."""
        for cosine, sine in self._circles:
            if not any(powers[cosine] > 1 for powers in element):
                continue
            made: dict[tuple[int, ...], Any] = {}
            for powers, coefficient in element.items():
                half = powers[cosine] // 2
                for j in range(half + 1):
                    changed = list(powers)
                    changed[cosine] -= 2 * half
                    changed[sine] += 2 * j
                    key = tuple(changed)
                    made[key] = made.get(key, 0) + coefficient * math.comb(half, j) * (-1) ** j
            element = self._ring.from_dict(made)
        return element

    def _gradient(self, element: Any) -> dict[int, Any]:
        total: dict[int, Any] = {}
        for generator, g in zip(self.generators, self._ring.gens):
            part = element.diff(g)
            if part:
                for k, d in self._rules_of(generator).items():
                    total[k] = total.get(k, self._ring.zero) + part * d
        return total

    def _rules_of(self, generator: Expr) -> dict[int, Any]:
        if generator not in self._rules:
            self._rules[generator] = self._rule(generator)
        return self._rules[generator]

    def along(self, element: Any, direction: Sequence[Any]) -> Any:
        """Derivative of an element along a field."""
        total = self._ring.zero
        for k, d in self._gradient(element).items():
            if direction[k]:
                total += d * direction[k]
        return self.reduced(total)

    def adjugate(self, matrix: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], Any]:
        """Adjugate and determinant of a square matrix of elements, without any division by elements (Faddeev–LeVerrier)."""
        n = len(matrix)
        adjugate = [[self.zero] * n for _ in range(n)]
        coefficient = self.one
        product = adjugate
        for k in range(1, n + 1):
            # N = A N' + c 1,  c = -trace(A N)/k
            adjugate = [[product[i][j] + (coefficient if i == j else 0) for j in range(n)] for i in range(n)]
            product = [
                [self.reduced(sum((a * adjugate[l][j] for l, a in enumerate(row) if a), self.zero)) for j in range(n)]
                for row in matrix
            ]
            coefficient = -sum((product[i][i] for i in range(n)), self.zero).quo_ground(self.domain.domain(k))
        sign = (-1) ** (n - 1)
        return [[sign * x for x in row] for row in adjugate], -sign * coefficient

    def shown(self, element: Any) -> Any:
        """SymPy object of an element."""
        return element.as_expr(*self.symbols)

    @property
    def zero(self) -> Any:
        """The element 0."""
        return self._ring.zero

    @property
    def one(self) -> Any:
        """The element 1."""
        return self._ring.one


def value_of(element: Any, powers: list[dict[int, Any]]) -> tuple[Any, Any]:
    """Value of an element and its largest term; `powers[k]` keeps the powers of generator k, {1: its value} at first."""
    import mpmath

    total, largest = mpmath.mpf(0), mpmath.mpf(0)
    for exponents, coefficient in element.terms():
        term = mpmath.mpf(int(coefficient.numerator))
        for k, e in enumerate(exponents):
            if e:
                if e not in powers[k]:
                    powers[k][e] = powers[k][1] ** e
                term = term * powers[k][e]
        term = term / int(coefficient.denominator)
        total += term
        largest = max(largest, abs(term))
    return total, largest
