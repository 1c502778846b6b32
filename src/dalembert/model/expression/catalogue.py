"""The closed table of operators and functions that an expression may contain: arity, value, domain, one line of help.

Everything else reads this table: the parser (which calls exist), the tree (is a node well formed), the evaluator
(values and domain messages), the documentation page.  Nothing outside it can be called from an expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

CONSTANTS = {"pi": math.pi}  # not "e": it is a restitution or an eccentricity; exp(x) has the powers of Euler's number
KEYWORDS = ("and", "or", "not")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True)
class Function:
    """One operator or function."""

    arguments: tuple[str, ...]  # names of the arguments, for messages and help
    # its value in floating point; raises ValueError, ZeroDivisionError or OverflowError outside its domain
    value: Callable[..., float]
    about: str  # one line of help
    # where it is defined, as a sentence that follows the name: "needs a positive argument"
    domain: str = "has no value there"
    many: bool = False  # true when the last argument may be repeated

    def accepts(self, count: int) -> bool:
        """Whether it may be called with this number of arguments."""
        return count == len(self.arguments) or (self.many and count > len(self.arguments))

    def signature(self, name: str) -> str:
        """How it is written, `atan2(y, x)`."""
        return f"{name}({', '.join(self.arguments)}{', …' if self.many else ''})"


def _truth(value: bool) -> float:
    return 1.0 if value else 0.0


def _sign(x: float) -> float:
    return math.copysign(1.0, x) if x != 0.0 else 0.0


def _ramp(x: float, x0: float, x1: float) -> float:
    return min(max((x - x0) / (x1 - x0), 0.0), 1.0)


def _step(x: float, x0: float, y0: float, x1: float, y1: float) -> float:
    # the polynomial of lowest degree with zero slope and curvature at both ends: u^3 (10 - 15 u + 6 u^2)
    u = _ramp(x, x0, x1)
    return y0 + (y1 - y0) * u**3 * (10.0 + u * (6.0 * u - 15.0))


def _rate(_: float) -> float:
    raise ValueError("a rate is looked up like a name, never computed")


_AB = ("a", "b")
_X = ("x",)

OPERATORS: dict[str, Function] = {
    "+": Function(_AB, lambda a, b: a + b, "sum"),
    "-": Function(_AB, lambda a, b: a - b, "difference"),
    "*": Function(_AB, lambda a, b: a * b, "product"),
    "/": Function(_AB, lambda a, b: a / b, "quotient", "needs a divisor other than zero"),
    "**": Function(
        _AB, math.pow, "power", "needs a positive base, or a whole exponent (not negative when the base is zero)"
    ),
    "neg": Function(_X, lambda x: -x, "minus sign"),
    "<": Function(_AB, lambda a, b: _truth(a < b), "less than"),
    "<=": Function(_AB, lambda a, b: _truth(a <= b), "at most"),
    ">": Function(_AB, lambda a, b: _truth(a > b), "greater than"),
    ">=": Function(_AB, lambda a, b: _truth(a >= b), "at least"),
    "==": Function(_AB, lambda a, b: _truth(a == b), "equal"),
    "!=": Function(_AB, lambda a, b: _truth(a != b), "not equal"),
    "and": Function(_AB, lambda a, b: _truth(a != 0.0 and b != 0.0), "both hold"),
    "or": Function(_AB, lambda a, b: _truth(a != 0.0 or b != 0.0), "at least one holds"),
    "not": Function(_X, lambda x: _truth(x == 0.0), "does not hold"),
}

FUNCTIONS: dict[str, Function] = {
    "sin": Function(_X, math.sin, "sine of an angle in radians"),
    "cos": Function(_X, math.cos, "cosine of an angle in radians"),
    "tan": Function(_X, math.tan, "tangent of an angle in radians"),
    "asin": Function(_X, math.asin, "angle in [-pi/2, pi/2]", "needs an argument between -1 and 1"),
    "acos": Function(_X, math.acos, "angle in [0, pi]", "needs an argument between -1 and 1"),
    "atan": Function(_X, math.atan, "angle in (-pi/2, pi/2)"),
    "atan2": Function(("y", "x"), math.atan2, "angle of the point (x, y), in [-pi, pi]"),
    "sinh": Function(_X, math.sinh, "hyperbolic sine"),
    "cosh": Function(_X, math.cosh, "hyperbolic cosine"),
    "tanh": Function(_X, math.tanh, "hyperbolic tangent"),
    "exp": Function(_X, math.exp, "e to the power x"),
    "log": Function(_X, math.log, "natural logarithm", "needs a positive argument"),
    "log10": Function(_X, math.log10, "decimal logarithm", "needs a positive argument"),
    "sqrt": Function(_X, math.sqrt, "square root", "needs an argument that is not negative"),
    "hypot": Function(("x", "y"), math.hypot, "sqrt(x**2 + y**2) without overflow"),
    "abs": Function(_X, abs, "absolute value"),
    "sign": Function(_X, _sign, "-1, 0 or 1"),
    "floor": Function(_X, lambda x: float(math.floor(x)), "largest whole number not above x"),
    "min": Function(_AB, min, "smallest of two or more", many=True),
    "max": Function(_AB, max, "largest of two or more", many=True),
    "if_": Function(
        ("condition", "a", "b"), lambda c, a, b: a if c != 0.0 else b, "a where the condition holds (is not 0), else b"
    ),
    "ramp": Function(
        ("x", "x0", "x1"), _ramp, "0 up to x0, 1 from x1 on, a straight line between", "needs x0 and x1 to differ"
    ),
    "step": Function(
        ("x", "x0", "y0", "x1", "y1"),
        _step,
        "y0 up to x0, y1 from x1 on, a smooth rise between (quintic; slope and curvature continuous)",
        "needs x0 and x1 to differ",
    ),
    "rate": Function(("name",), _rate, "rate of change of a named measure"),
}

ALL: dict[str, Function] = OPERATORS | FUNCTIONS

# words that cannot be names of parameters, measures or tables
RESERVED = frozenset(CONSTANTS) | frozenset(KEYWORDS) | frozenset(FUNCTIONS)
