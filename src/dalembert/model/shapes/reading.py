"""Reading of user input for shapes: numbers, expressions, vectors, rotations, axes.

First file of the package `dalembert.model.shapes`; imports numpy and the errors only. Everything a user can type wrong
is refused here, with the name of the shape and of the dimension, so that the formulas elsewhere stay bare.

A dimension is a plain number or an *expression* of named parameters (`dalembert.model.expression`). Expressions are
recognised by what they can do (`Expression` below), so this package does not depend on how they are written.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ...errors import DalembertError, ModelError, shown

Array: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
Matrix: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

# a rotation typed by hand may be off by its last printed digit, not by more: 1e-9 is far above the rounding of any
# product of rotations (1e-15) and far below what a person would notice in a motion
ROTATION_TOLERANCE = 1e-9


@runtime_checkable
class Expression(Protocol):
    """What a number given as an expression of parameters must be able to do."""

    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __pow__(self, other: Any) -> Any: ...
    def __neg__(self) -> Any: ...


Number: TypeAlias = float | Expression
Point: TypeAlias = tuple[Number, ...]
Value: TypeAlias = Callable[[Any], float]

# metadata of dataclass fields: which numbers a dimension may be
POSITIVE: Mapping[str, str] = {"rule": "positive"}
NONNEGATIVE: Mapping[str, str] = {"rule": "nonnegative"}
AXIS: Mapping[str, str] = {"rule": "axis"}

_ALLOWED = {"positive": lambda x: x > 0.0, "nonnegative": lambda x: x >= 0.0, "finite": lambda x: True}
RULES = tuple(_ALLOWED)
_WHY = {
    "positive": "it must be above zero: a size of zero or below describes no body",
    "nonnegative": "it must not be below zero",
    "finite": "it must be finite",
}


def is_expression(x: object) -> bool:
    """Whether `x` computes like a number without being one (arrays and types compute too, and are refused)."""
    if type(x) in (float, int, tuple, list, type(None)):
        return False
    refused = (numbers.Number, np.ndarray, np.generic, str, type)
    return not isinstance(x, refused) and isinstance(x, Expression)


def is_plain(x: object) -> bool:
    """Whether `x` is a real number; True and False are not."""
    # the types of nearly all numbers first: asking for the abstract class takes ten times as long
    return type(x) in (float, int) or (isinstance(x, numbers.Real) and not isinstance(x, bool))


def read_number(owner: str, name: str, x: object, rule: str = "finite") -> Number:
    """Return `x` as a float if it is a plain number allowed by `rule`, unchanged if it is an expression."""
    if is_plain(x):
        return _checked(owner, name, x, rule)
    if is_expression(x):
        return x  # type: ignore[return-value]
    hint = " (a text is not read here: make a parameter and use it in place of the text)" if isinstance(x, str) else ""
    raise ModelError(
        owner, f"{name} = {shown(x)} of type {type(x).__name__}",
        "a dimension is a number in SI units or an expression of parameters" + hint, f"give {name} as a number, for example {name}=0.1",
    )  # fmt: skip


def evaluate(owner: Any, name: str, x: Number, rule: str, value: Value) -> float:
    """Return the number behind `x`: itself if plain, `value(x)` if an expression; checked by `rule` either way.

    The text of the owner is made where an error needs it.
    """
    if is_plain(x):
        return _checked(owner, name, x, rule)
    try:
        found = value(x)
    except Exception as error:
        # value= is the caller's: whatever it raises is told with the name of the dimension that asked for it
        told = error.found if isinstance(error, DalembertError) else f"{type(error).__name__}: {error}"
        raise ModelError(
            str(owner),
            f"{name} = {x} could not be turned into a number: {told}",
            "the dimension is an expression, and its parameters have no values here",
            "pass value=, a function that returns the number of an expression, and give all its parameters values",
        ) from error
    if not is_plain(found):
        raise ModelError(
            str(owner),
            f"{name} = {x} evaluates to {found!r} of type {type(found).__name__}",
            "a dimension must evaluate to a real number",
            f"check the expression of {name} and the function given as value=",
        )
    return _checked(owner, name, found, rule, x)


def _checked(owner: Any, name: str, x: Any, rule: str, expression: Any = None) -> float:
    try:
        number = float(x)
    except OverflowError:  # an integer beyond 1e308
        number = math.inf
    if math.isfinite(number) and _ALLOWED[rule](number):
        return number
    raise ModelError(
        str(owner),
        f"{name} = {shown(x)}" if expression is None else f"{name} = {expression}, which evaluates to {x!r}",
        _WHY[rule] if math.isfinite(number) else "it must be finite",
        f"give {name} in SI units (m, kg, kg/m³)" + (", above zero" if rule == "positive" else ""),
    )  # fmt: skip


def read_point(owner: str, name: str, x: Any) -> tuple[Number, Number, Number]:
    """Point of two or three numbers or expressions; (x, y) means (x, y, 0)."""
    try:
        items = list(x)
    except Exception:  # a foreign object may fail in any way; it is not a point
        items = []
    if isinstance(x, str) or len(items) not in (2, 3):
        raise ModelError(
            owner, f"{name} = {shown(x)}",
            "a point has two coordinates (x, y) or three (x, y, z)", f"give {name}=(x, y) in metres",
        )  # fmt: skip
    a, b, *c = (read_number(owner, f"{name}[{k}]", item) for k, item in enumerate(items))
    return a, b, c[0] if c else 0.0


def read_vector(owner: str, name: str, x: Any) -> Array:
    """Vector of two or three plain numbers as an array (3,); a missing z is zero."""
    if type(x) is np.ndarray and x.dtype == float and x.shape in ((2,), (3,)) and np.isfinite(x).all():
        found = np.zeros(3)
        found[: len(x)] = x
        return found
    try:
        items = list(np.ravel(np.asarray(x, dtype=object)))
    except Exception:  # a foreign object may fail in any way; it is not a vector
        items = [None]
    if any(not is_plain(item) for item in items):
        raise ModelError(
            owner, f"{name} = {shown(x)}", "a vector is made of numbers", f"give {name}=(x, y) or (x, y, z)"
        )
    if len(items) not in (2, 3):
        why = "a vector has two components (x, y) or three (x, y, z)"
        raise ModelError(owner, f"{name} = {shown(x)}", why, f"give {name}=(x, y) or (x, y, z)")
    return np.array(read_point(owner, name, x), dtype=float)


def read_axis(owner: str, name: str, x: Any) -> tuple[float, float, float]:
    """Return the unit vector of an axis given as "x", "y", "z" or as three numbers."""
    letters = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    if isinstance(x, str) and x in letters:
        return letters[x]
    if isinstance(x, str):
        raise ModelError(owner, f"{name} = {shown(x)}", "an axis is 'x', 'y', 'z' or a vector", f"give {name}='z'")
    v = read_vector(owner, name, x)
    # scale first, so that neither very short nor very long vectors lose their direction to under- or overflow
    largest = float(np.abs(v).max())
    if largest == 0.0:
        raise ModelError(
            owner, f"{name} = {shown(x)}", "a zero vector has no direction", f"give {name}='z' or a vector"
        )
    v = v / largest
    n = v / math.sqrt(float(v @ v))
    return float(n[0]), float(n[1]), float(n[2])


def read_rotation(owner: str, name: str, x: Any) -> Matrix:
    """Rotation matrix (3, 3) as nested tuples; columns are the moved axes, rᴳ = A s'."""
    try:
        A = np.array(x, dtype=float) if not np.iscomplexobj(x) else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        A = np.empty(0)
    if A.shape != (3, 3) or not np.isfinite(A).all():
        raise ModelError(
            owner, f"{name} = {shown(x)}", "a rotation is a finite 3×3 matrix", "give rotation=matrix or angle="
        )
    error = float(np.abs(A.T @ A - np.eye(3)).max())
    if error > ROTATION_TOLERANCE or np.linalg.det(A) < 0.0:
        raise ModelError(
            owner,
            f"{name} with AᵀA off the identity by {error:.3g} and determinant {np.linalg.det(A):.6g}",
            "a rotation has orthonormal columns and determinant +1; this matrix scales, shears or mirrors",
            "give the cosines with all their digits, or build the matrix from an angle",
        )
    rows = [(float(r[0]), float(r[1]), float(r[2])) for r in A]
    return rows[0], rows[1], rows[2]


def cosine_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact at quarter turns.

    π itself is rounded, so cos(π/2) comes out as 6e-17 and would leave a false product of inertia. Below 4 machine
    epsilons (an angle of 1e-15 rad) nothing but this rounding is left, and it is removed.
    """
    c, s = math.cos(angle), math.sin(angle)
    tiny = 4.0 * np.finfo(float).eps
    return (0.0 if abs(c) < tiny else c), (0.0 if abs(s) < tiny else s)


def times(c: Number, x: Number) -> Number:
    """Product that leaves expressions short: 0·x = 0, 1·x = x."""
    # zeros first: −1·0 would be −0.0
    for factor in (0.0, 1.0, -1.0):
        for a, b in ((c, x), (x, c)):
            if is_plain(a) and a == factor:
                return 0.0 if factor == 0.0 else b if factor == 1.0 else -b
    return c * x


def total(*terms: Number) -> Number:
    """Sum that leaves expressions short: 0 + x = x."""
    result: Number = 0.0
    for term in terms:
        if not (is_plain(term) and term == 0.0):
            result = term if is_plain(result) and result == 0.0 else result + term
    return result
