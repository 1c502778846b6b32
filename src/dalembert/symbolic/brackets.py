"""The same as `pfaffian` does, with formulas: polynomials with derivatives, ranks at random points with fifty digits.

Every function of the coordinates is one more generator: sin(u), cos(u), exp(u), 1/u, sqrt(u), ... have derivatives that are polynomials again:
sin(u)' = cos(u) u', (1/u)' = -(1/u)^2 u'.  Sums, products and derivatives of polynomials are fast and need no simplification, which brackets
of brackets would choke on.  Only sin(u)^2 + cos(u)^2 = 1 is used, to keep results short.

With fifty digits zero is told from small without doubt, and no simplification is needed to decide anything.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import AssemblyError
from ..model.expression import Call, Expr, Name, Number, SplineCall, postorder, symbol
from ..model.expression.derivative import ONE, over, plus, power, primitive, rate, times
from ..model.expression.sympy_bridge import to_sympy
from . import sp
from .nested import Array
from .pfaffian import (
    Flag,
    Numbers,
    Pfaffian,
    Span,
    grown,
    independent_rows,
    is_exact,
    is_integrable,
    merged,
    pivots_of,
    shares_of,
    unit,
)

TWO = Number(2.0)
_PLAIN: dict[str, Callable[..., Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul, "neg": operator.neg}


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
        return _PLAIN[node.function](*args)

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
            if part and generator not in self._rules:
                self._rules[generator] = self._rule(generator)
            for k, d in self._rules[generator].items() if part else ():
                total[k] = total.get(k, self._ring.zero) + part * d
        return total

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


DIGITS = 50
# relative to the size of what was subtracted; round-off is near 1e-48
ZERO_BELOW, NEW_ABOVE = 1e-32, 1e-28
POINTS = 2
# choices of dependent coordinates that are compared, and the least determinant (of unit rows) of such a choice
MOST_CHOICES, SAFE_DETERMINANT = 100, 1e-3
_KINKED = {"abs", "sign", "floor", "min", "max", "if_", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}


def is_smooth(expr: Expr) -> bool:
    """Whether SymPy has a formula without cases and tables for an expression."""
    return not any(
        isinstance(node, SplineCall) or isinstance(node, Call) and node.function in _KINKED | {"ramp", "step"}
        for node in postorder(expr)
    )


class TooLongError(Exception):
    """A bracket has more terms than were allowed."""


class Formulas:
    """Forms, fields and brackets of a system as SymPy objects; `x` are coordinates and time, `w[i, j]` the coefficients of the forms."""

    def __init__(self, system: Pfaffian) -> None:
        self.system = system
        self.names = {name: sp.Symbol(name, real=True) for name in system.variables}
        for name, value in system.parameters.items():
            self.names[name] = sp.Symbol(name, positive=True) if value > 0 else sp.Symbol(name, real=True)
        self.x = [self.names[name] for name in system.variables]
        self.parameters = [self.names[name] for name in system.parameters]
        self._values = [to_sympy(Number(value)) for value in system.parameters.values()]
        self.w = [[to_sympy(a, self.names) for a in row.coefficients] for row in system.rows]
        self.positions = [to_sympy(r.position, self.names) for r in system.rows if r.position is not None]
        self.points: list[list[Any]] = []
        self.ring = Ring((a for row in system.rows for a in row.coefficients), system.variables, self.names)
        self.forms = [[self.ring(a) for a in row.coefficients] for row in system.rows]
        self._powers: list[dict[int, Any]] = []

    # -- numbers ---------------------------------------------------------------------------------------------------------

    def function(self, expressions: Sequence[Any]) -> Any:
        """Function of a point that gives the values of the expressions with fifty digits."""
        import mpmath

        call = sp.lambdify([*self.x, *self.parameters], list(expressions), modules="mpmath", cse=True)

        def values(point: Sequence[Any]) -> list[Any]:
            with mpmath.workdps(DIGITS):
                numbers = [
                    mpmath.mpf(v.p) / v.q if v.is_Rational else mpmath.mpf(str(v.n(DIGITS))) for v in self._values
                ]
                return [mpmath.mpf(v) if not isinstance(v, mpmath.mpc) else mpmath.nan for v in call(*point, *numbers)]

        return values

    def matrix(self, rows: Sequence[Sequence[Any]], point: Sequence[Any]) -> Array:
        """Values of a matrix of expressions at a point, as an array of objects."""
        flat = self.function([x for row in rows for x in row])(point)
        return np.array(flat, dtype=object).reshape(len(rows), -1)

    def seek_points(self, numbers: Numbers, seed: int) -> None:
        """Random points with fifty digits that satisfy the holonomic rows."""
        import mpmath

        rng, digits = np.random.default_rng(seed), random.Random(seed)
        n = len(self.system.q)
        held = self.positions
        gradients = [[p.diff(x) for x in self.x[:n]] for p in held]
        for _ in range(20 * POINTS):
            with mpmath.workdps(DIGITS):
                start = numbers.point(rng)
                # all digits random, so that no point is rational by accident
                point = [mpmath.mpf(x) + mpmath.mpf(digits.getrandbits(160)) / mpmath.mpf(2) ** 190 for x in start]
                if held and not self._close(point, gradients, n):
                    continue
                if all(mpmath.isfinite(v) for v in self.matrix(self.w, point).flat):
                    self.points.append(point)
            if len(self.points) == POINTS:
                self._powers = [{1: x} for x in self.function(self.ring.symbols)(self.points[0])]
                return
        raise AssemblyError(
            self.system.asked, "no random position with fifty digits",
            "the holonomic rows depend on each other where they hold", "classify with method='numeric'",
        )  # fmt: skip

    def _close(self, point: list[Any], gradients: list[list[Any]], n: int) -> bool:
        """Newton with fifty digits, in place, with the rows that are independent; True when all rows hold."""
        import mpmath

        for _ in range(8):
            value = self.function(self.positions)(point)
            if max(abs(v) for v in value) < mpmath.mpf(10) ** (5 - DIGITS):
                return True
            jac = self.matrix(gradients, point)
            chosen: list[int] = []
            span = Span(1e-6, 1e-6)
            for i in range(len(jac)):
                if span.take([unit(jac[i])]):
                    chosen.append(i)
            # least step: J^T (J J^T)^-1 value
            j = mpmath.matrix([list(jac[i]) for i in chosen])
            step = j.T * mpmath.lu_solve(j * j.T, mpmath.matrix([value[i] for i in chosen]))
            for k in range(n):
                point[k] -= step[k]
        return False

    # -- fields ----------------------------------------------------------------------------------------------------------

    def fields(self, pivots: Sequence[tuple[int, int]]) -> list[list[Any]]:
        """Fields that the kept rows allow, as `Numbers.fields`, each multiplied by the determinant: polynomials, no quotients."""
        ring, n = self.ring, len(self.system.q)
        rows, dependent = [i for i, _ in pivots], [j for _, j in pivots]
        columns = [j for j in range(n) if j not in dependent] + [n] * self.system.rheonomic
        made = [[ring.zero] * (n + 1) for _ in columns]
        if not pivots:
            for k, j in enumerate(columns):
                made[k][j] = ring.one
            return made
        inverse, det = ring.adjugate([[self.forms[i][j] for j in dependent] for i in rows])
        for k, j in enumerate(columns):
            sums = (sum((-a * self.forms[i][j] for a, i in zip(row, rows)), ring.zero) for row in inverse)
            share = [ring.reduced(x) for x in sums]
            # a field with one entry only needs no factor
            made[k][j] = ring.reduced(det) if any(share) else ring.one
            for a, x in zip(dependent, share):
                made[k][a] = x
        return made

    def short_pivots(self, kept: Sequence[int], forms: Array) -> list[tuple[int, int]]:
        """Rows and the coordinates they are solved for, chosen for a determinant of few terms."""
        n, m = len(self.system.q), len(kept)
        usual = pivots_of(forms, kept, n)
        if not m or math.comb(n, m) > MOST_CHOICES:
            return usual
        units = np.array([unit(np.array([float(x) for x in forms[i][:n]])) for i in kept])
        best, shortest = usual, (math.inf, 0.0)
        for columns in itertools.combinations(range(n), m):
            size = abs(float(np.linalg.det(units[:, columns])))
            if size > SAFE_DETERMINANT:
                det = self.ring.adjugate([[self.forms[i][j] for j in columns] for i in kept])[1]
                rank = (len(det), -size)
                if rank < shortest:
                    best, shortest = list(zip(kept, columns)), rank
        return best

    def values(self, vector: Sequence[Any]) -> tuple[Array, Any]:
        """Values of elements at the first point, and the size of their largest term."""
        found = [value_of(x, self._powers) for x in vector]
        return np.array([v for v, _ in found], dtype=object), max(size for _, size in found)


Flagged = tuple[Flag, Formulas, list[list[Any]], list[list[Any]]]


def symbolic_flag(system: Pfaffian, depth: int, largest: int) -> Flagged:
    """Classify with formulas; also returns them, the fields of velocities and the new brackets (for the integrals).

    A bracket with more than `largest` terms raises `TooLongError`.
    """
    import mpmath

    with mpmath.workdps(DIGITS):
        return _flag(Formulas(system), depth, largest)


def _flag(formulas: Formulas, depth: int, largest: int) -> Flagged:
    system, n = formulas.system, len(formulas.system.q)
    formulas.seek_points(Numbers(system), 1)
    many = [formulas.matrix(formulas.w, point) for point in formulas.points]
    independent = [independent_rows(forms, system.asked, system.rows, NEW_ABOVE, ZERO_BELOW) for forms in many]
    kept, _ = max(independent, key=lambda found: len(found[0]))
    frame = formulas.fields(formulas.short_pivots(kept, many[0]))
    ring = formulas.ring
    made: dict[tuple[int, ...], list[Any]] = {(k,): field for k, field in enumerate(frame)}
    drift = formulas.values(frame[-1])[0] if system.rheonomic else None

    def vector(word: tuple[int, ...]) -> Array:
        if len(word) > 1:
            x, z = frame[word[0]], made[word[1:]]
            made[word] = [ring.along(b, x) - ring.along(a, z) for a, b in zip(x, z)]  # [X, Z]
            if sum(map(len, made[word])) > largest:
                raise TooLongError
        value, size = formulas.values(made[word])
        if drift is not None and len(word) > 1:
            value = value - drift * (value[n] / drift[n])
        return unit(value[:n], size * 1e-3)

    span = Span(NEW_ABOVE, ZERO_BELOW)
    growth, words = grown(n - len(kept), system.rheonomic, n, vector, depth, span, system.asked)
    jointly = tuple(
        all(abs(form[:n] @ b) <= 1e-20 * (1 + max(abs(x) for x in form)) for b in span.basis) for form in many[0]
    )
    exact: list[bool] = []
    alone: list[bool] = []
    for row in formulas.w:
        slopes = [[a.diff(x) for a in row] for x in formulas.x]
        pairs = [(formulas.matrix(slopes, p), formulas.matrix([row], p)[0]) for p in formulas.points]
        for tests, test in ((exact, is_exact), (alone, is_integrable)):
            tests.append(all(test(*pair, 1e-30) for pair in pairs))
    flag = Flag(
        growth, tuple(exact), tuple(alone), jointly, tuple(kept), merged([shares_of(f) for _, f in independent])
    )
    return flag, formulas, frame, [made[word] for word in words if len(word) > 1]
