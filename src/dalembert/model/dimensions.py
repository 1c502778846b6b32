"""Dimensions of expressions: what every function wants of its arguments, what it gives, and what units cannot tell.

How much is known of a dimension:
    declared    somebody wrote a unit: parameters and tables with units
    natural     time, measures, comparisons, sines; but "sin(t)" may mean 1 rad/s times t
    guessed     a number in a formula, or a parameter without unit, may stand for any unit: "10*v" is a damping force

Where a declared dimension contradicts another, the expression is refused.  All other contradictions are doubts: noted, never certified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .expression import Call, Expr, Name, Number, SplineCall, fold, symbol
from .measure import Measure
from .units import ANGLE, NONE, Dimension, fits, kind_of, known_dimension, parse_unit

TIME: Dimension = (0, 0, 1, 0)
WORK: Dimension = (1, 2, -2, 0)

_NUMBERS = "its numbers may have units"


class DimensionError(ValueError):
    """Dimensions that contradict each other; the text says which."""


GUESSED, NATURAL, DECLARED = range(3)


@dataclass(frozen=True)
class Quantity:
    """Dimension of a part of an expression (None: unknown), how much is known of it, and the names without unit that it depends on."""

    dimension: Dimension | None
    level: int = DECLARED
    loose: frozenset[str] = frozenset()

    @property
    def bare(self) -> bool:
        """Whether it is nothing but a number, which is in the SI unit of its place."""
        return self.level < DECLARED and self.dimension == NONE and not self.loose


PURE = Quantity(NONE, NATURAL)
NUMBER = Quantity(NONE, GUESSED)
Lookup = Callable[[str], Quantity]


@dataclass
class Judge:
    """Dimension of one expression, and reasons why it may be wrong although nothing contradicts."""

    lookup: Lookup
    tables: Mapping[str, tuple[Dimension | None, Dimension | None]] = field(default_factory=dict)
    doubts: set[str] = field(default_factory=set)

    def of(self, made: Expr) -> Quantity:
        """Dimension of an expression; raises `DimensionError`."""
        return fold(made, self._node)

    def _node(self, node: Expr, parts: tuple[Quantity, ...]) -> Quantity:
        name = symbol(node)
        if isinstance(node, Call) and node.function == "rate":
            return RULES["rate"](self, node, (self.lookup(str(node.args[0])),))
        if name is not None:
            return self.lookup(name)
        if isinstance(node, Number) and node.unit:
            return Quantity(parse_unit(node.unit).dimension)
        if isinstance(node, Number):
            # step(t, 0, 0, 1, 1) and if_(t > 1, 1, 0) switch something on: these numbers have no unit
            return PURE if node.value in (0.0, 1.0) else NUMBER
        if isinstance(node, SplineCall):
            return self._table(node, parts[0])
        assert isinstance(node, Call)
        return RULES[node.function](self, node, parts)

    def _table(self, node: SplineCall, argument: Quantity) -> Quantity:
        x, y = self.tables.get(node.table.name, (None, None))
        if x is not None:
            self.alike(node, [argument, Quantity(x)], [node.argument, node.table.name])
        if x is None or y is None:
            return Quantity(NONE, GUESSED, frozenset({node.table.name}))
        return Quantity(_power(x, -node.order, y))

    def doubt(self, *found: Quantity, text: str = "") -> None:
        """Note why a dimension may be wrong."""
        loose = sorted({name for q in found for name in q.loose})
        self.doubts |= {f"{name} has no unit" for name in loose} or {text or _NUMBERS}

    def contradiction(self, level: int, text: str) -> None:
        """Refuse what contradicts a declared dimension; doubt what contradicts another."""
        if level == DECLARED:
            raise DimensionError(text)
        self.doubts.add(text)

    def alike(self, node: Expr, found: list[Quantity], what: Any = None) -> Quantity:
        """What several quantities have in common that are added, compared or chosen from."""
        shown = list(node.children) if what is None else what
        known = [(q.dimension, q.level, x) for q, x in zip(found, shown) if q.level and q.dimension and not q.bare]
        level = max((n for _, n, _ in known), default=GUESSED)
        for d, n, text in known[1:]:
            first, m, other = known[0]
            if not same(first, d):
                both = f"{other} is {kind_of(first)}, {text} is {kind_of(d)}"
                self.contradiction(max(m, n), f"in {_short(node)}, {both}; they must be alike")
        loose = frozenset(name for q in found for name in q.loose)
        if known:
            kind = next((d for d, _, _ in known if d[3]), known[0][0])
            for q in found:
                if q.level == GUESSED and not q.bare and not (q.dimension is not None and same(q.dimension, kind)):
                    self.doubt(q)
            return Quantity(kind, level)
        guessed = [q.dimension for q in found if not q.bare]
        if not guessed:
            return PURE if all(q.level for q in found) else NUMBER
        first_guess = guessed[0]
        if first_guess is None or any(d is None or not same(d, first_guess) for d in guessed):
            return Quantity(None, GUESSED, loose)
        return Quantity(first_guess, GUESSED, loose)

    def pure(self, node: Expr, q: Quantity, what: Expr) -> None:
        """Refuse what is neither a pure number nor an angle."""
        if q.dimension in (NONE, ANGLE):
            return
        if q.level and q.dimension is not None:
            text = f"in {_short(node)}, {what} is {kind_of(q.dimension)}; a pure number belongs here"
            self.contradiction(q.level, text)
        else:
            self.doubt(q)


def same(a: Dimension, b: Dimension) -> bool:
    """Whether two quantities may be added: radians count as pure numbers, so that x/r + angle is an angle and r*angle a length."""
    return a[:3] == b[:3]


def _short(node: Expr) -> str:
    text = str(node)
    return repr(text if len(text) <= 80 else f"{text[:79]}…")


def _power(d: Dimension, n: Any, plus: Dimension = NONE) -> Dimension:
    made = tuple(Fraction(x) * n + y for x, y in zip(d, plus))
    return tuple(int(x) if x.denominator == 1 else x for x in made)  # type: ignore[return-value]


Rule = Callable[[Judge, Call, tuple[Quantity, ...]], Quantity]


def _product(sign: int) -> Rule:
    def rule(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
        a, b = parts
        known = a.dimension is not None and b.dimension is not None
        d = _power(b.dimension, sign, a.dimension) if known else None  # type: ignore[arg-type]
        level = max(a.level, b.level) if known and a.level and b.level else GUESSED
        return Quantity(d, level, a.loose | b.loose)

    return rule


def _raised(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
    base, exponent = parts
    judge.pure(node, exponent, node.children[1])
    n = _constant(node.children[1])
    if base.dimension is None:
        return Quantity(None, GUESSED, base.loose | exponent.loose)
    if n is None:
        # a pure number to any power is one; a length to an unknown power is not known
        pure = base.dimension == NONE
        return Quantity(NONE if pure else None, base.level if pure else GUESSED, base.loose | exponent.loose)
    return Quantity(_power(base.dimension, Fraction(n).limit_denominator(1000)), base.level, base.loose)


def _constant(node: Expr) -> float | None:
    """Value of an exponent made of numbers: 2, -1, 1/2."""
    if isinstance(node, Number):
        return node.value if abs(node.value) < 100 else None
    if isinstance(node, Call) and not node.names and not isinstance(node, Name) and node.function in ("neg", "/"):
        parts = [_constant(child) for child in node.children]
        if any(p is None for p in parts) or (node.function == "/" and parts[1] == 0):
            return None
        return -parts[0] if node.function == "neg" else parts[0] / parts[1]  # type: ignore[operator]
    return None


def _root(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
    q = parts[0]
    return q if q.dimension is None else Quantity(_power(q.dimension, Fraction(1, 2)), q.level, q.loose)


def _compared(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
    judge.alike(node, list(parts))
    return PURE


def _to(found: Dimension) -> Rule:
    def rule(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
        for q, what in zip(parts, node.children):
            judge.pure(node, q, what)
        return Quantity(found, NATURAL)

    return rule


def _direction(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
    judge.alike(node, list(parts))
    return Quantity(ANGLE, NATURAL)


def _chosen(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
    condition, *values = node.children
    judge.pure(node, parts[0], condition)
    return judge.alike(node, list(parts[1:]), values)


def _step(judge: Judge, node: Call, parts: tuple[Quantity, ...]) -> Quantity:
    x, x0, y0, x1, y1 = node.children
    judge.alike(node, [parts[0], parts[1], parts[3]], [x, x0, x1])
    return judge.alike(node, [parts[2], parts[4]], [y0, y1])


def rate_of(q: Quantity) -> Quantity:
    """Dimension of a rate of change."""
    return q if q.dimension is None else Quantity(_power(TIME, -1, q.dimension), q.level, q.loose)


# what every operator and function does to dimensions; a test compares it with the catalogue of expressions
RULES: dict[str, Rule] = {
    **dict.fromkeys(("+", "-", "hypot", "min", "max"), lambda judge, node, parts: judge.alike(node, list(parts))),
    **dict.fromkeys(("neg", "abs"), lambda judge, node, parts: parts[0]),
    "*": _product(1),
    "/": _product(-1),
    "**": _raised,
    "sqrt": _root,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "ramp"), _compared),
    **dict.fromkeys(("and", "or", "not"), _to(NONE)),
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log10", "floor"), _to(NONE)),
    **dict.fromkeys(("asin", "acos", "atan"), _to(ANGLE)),
    "atan2": _direction,
    "sign": lambda judge, node, parts: PURE,
    "if_": _chosen,
    "step": _step,
    "rate": lambda judge, node, parts: rate_of(parts[0]),
}


def verdict(made: Expr, found: Quantity, wanted: Quantity, judge: Judge) -> bool:
    """Whether an expression may stand where a dimension is wanted; a guess that does not fit is only doubted."""
    if wanted.dimension is None or found.bare:
        return True
    d, belongs = found.dimension, wanted.dimension
    if d is None or not found.level or not wanted.level:
        if d is None or not same(d, belongs):
            judge.doubt(*(q for q in (found, wanted) if not q.level))
        return True
    strict = isinstance(made, Name) or (d[3] != belongs[3] and _counts(made, judge.lookup))
    if fits(d, belongs) if strict else same(d, belongs):
        return True
    if found.level < DECLARED:
        judge.doubt(text=f"it is {kind_of(d)} where {kind_of(belongs)} belongs")
    return found.level < DECLARED


def _counts(made: Expr, lookup: Lookup) -> bool:
    """Whether an expression uses a frequency: "f*t" with f in Hz counts turns, while "v/r*t" is an angle in radians."""
    return any(lookup(name).dimension == (0, 0, -1, 0) for name in made.names)


def of_measure(
    measure: Measure, lookup: Lookup, tables: Mapping[str, tuple[Dimension | None, Dimension | None]]
) -> Quantity:
    """Dimension of a measure, by its unit or by its expression."""
    unknown = Quantity(None, GUESSED, frozenset({measure.name}))
    if measure.is_rate or (measure.kind == "state" and measure.unit == "1"):
        return unknown
    if measure.expression is not None and measure.unit == "1":
        try:
            return Judge(lookup, tables).of(measure.expression)
        except DimensionError:
            return unknown  # it is told where the measure is made
    dimension = known_dimension(measure.unit)
    return unknown if dimension is None else Quantity(dimension, NATURAL)
