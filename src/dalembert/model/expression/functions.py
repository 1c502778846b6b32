"""Functions of expressions for use in Python: `sin(r)`, `if_(r > 1, a, b)`, `max(a, b, c)`.

They take numbers, expressions and splines (as functions of t) and give expressions.  Some carry names of Python's own
(`min`, `max`, `abs`); import the module, not its contents.
"""

from __future__ import annotations

from collections.abc import Callable

from .catalogue import FUNCTIONS, OPERATORS
from .tree import Call, Expr, Name, operand


def _function(name: str) -> Callable[..., Expr]:
    def make(*args: object) -> Expr:
        return Call(name, tuple(operand(a) for a in args))

    about = FUNCTIONS.get(name) or OPERATORS[name]
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"{about.signature(name)}: {about.about}."
    return make


sin = _function("sin")
cos = _function("cos")
tan = _function("tan")
asin = _function("asin")
acos = _function("acos")
atan = _function("atan")
atan2 = _function("atan2")
sinh = _function("sinh")
cosh = _function("cosh")
tanh = _function("tanh")
exp = _function("exp")
log = _function("log")
log10 = _function("log10")
sqrt = _function("sqrt")
hypot = _function("hypot")
abs = _function("abs")  # noqa: A001
sign = _function("sign")
floor = _function("floor")
min = _function("min")  # noqa: A001
max = _function("max")  # noqa: A001
if_ = _function("if_")
ramp = _function("ramp")
step = _function("step")

# Python cannot overload these operators
equal = _function("==")
unequal = _function("!=")
and_ = _function("and")
or_ = _function("or")
not_ = _function("not")


def rate(name: str | Expr) -> Expr:
    """Rate of change of a named measure, `rate("O.angle")`."""
    return Call("rate", (Name.of_measure(name) if isinstance(name, str) else operand(name),))
