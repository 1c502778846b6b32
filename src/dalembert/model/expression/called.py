"""Python functions in expressions: f(s, v, t), a formula that nobody can read; its derivatives are differences.

The n-th derivative by an argument is the difference of five points

    f'(x) = (8 (f(x + h) - f(x - h)) - (f(x + 2 h) - f(x - 2 h))) / 12 h + O(h^4)

with the h at which it changes least: a large h sees little of the rounding of f, a small one little of its bends.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import DalembertError, ModelError, shown
from .checks import plain_number
from .splines import Spline
from .tree import Expr

# h of the first difference, against the argument or 1, and how often it is divided by ten at most
_FIRST, _TIMES = 1e-2, 7
# change of a derivative, as a part of it, that is left to rounding
_ENOUGH = 1e-11


def is_function(x: Any) -> bool:
    """Whether a law is given as a Python function."""
    return callable(x) and not isinstance(x, Expr | Spline | type)


def no_formula(asked: str) -> ModelError:
    """What is said of a law where a formula is needed."""
    return ModelError(
        asked, "its law is a Python function", "a function has no formula to write down or differentiate",
        "give the law as text or expression, or as a spline through its values (da.spline)",
    )  # fmt: skip


@dataclass(frozen=True)
class CheckedFunction:
    """A law that is a Python function, refused if it cannot take the arguments; what goes wrong inside it is told with the name of the element."""

    asked: str
    function: Callable[..., Any]
    arguments: tuple[str, ...]

    def __post_init__(self) -> None:
        listed = ", ".join(self.arguments)
        try:
            inspect.signature(self.function).bind(*self.arguments)
        except TypeError:
            raise ModelError(
                self.asked, f"the Python function {shown(self.function)}",
                f"it is called with ({listed})", f"define it as def law({listed})",
            ) from None  # fmt: skip
        except ValueError:  # some built-in functions have no signature; they are tried when they are called
            pass

    def __call__(self, *values: float) -> float:
        """Value of the law."""
        try:
            result = self.function(*values)
        except DalembertError:
            raise
        except (
            Exception
        ) as error:  # the function is the user's: whatever it raises is told with the element and its arguments
            found = f"its Python function raised {type(error).__name__} at {self._facts(values)}: {shown(str(error))}"
            raise ModelError(self.asked, found, "a law must return a number", "correct the function") from error
        number = plain_number(result)
        if number is None:
            found = (
                f"its Python function returned {shown(result)} of type {type(result).__name__} at {self._facts(values)}"
            )
            raise ModelError(self.asked, found, "a law must return a number", "return a float")
        return number

    def derivative(self, values: Sequence[float], orders: Sequence[int]) -> float:
        """Value, or the derivative by the arguments of these numbers, one after the other."""
        if not orders:
            return self(*values)
        *inner, k = orders

        def along(x: float) -> float:
            return self.derivative([*values[:k], x, *values[k + 1 :]], inner)

        return difference(along, values[k])

    def _facts(self, values: tuple[float, ...]) -> str:
        return ", ".join(f"{name} = {x!r}" for name, x in zip(self.arguments, values))


def difference(f: Callable[[float], float], x: float) -> float:
    """Derivative of a function at x by differences; where f has no value at some distance, those nearer by decide."""
    best, least, before = math.nan, math.inf, math.nan
    failure: DalembertError | None = None
    for n in range(_TIMES + 1):
        h = _FIRST * 10.0**-n * max(abs(x), 1.0)
        try:
            near, far = f(x + h) - f(x - h), f(x + 2.0 * h) - f(x - 2.0 * h)
        except DalembertError as error:
            failure = error
            continue
        slope = (8.0 * near - far) / (12.0 * h)
        change = abs(slope - before)
        if change < least or not math.isfinite(best):
            best = slope
        least = min(least, change) if math.isfinite(change) else least
        if change <= _ENOUGH * abs(slope):
            break
        before = slope
    if failure is not None and not math.isfinite(best):
        raise failure
    return best
