"""Reading of what users give to a mechanism: names, numbers, points, directions, rotations.  Everything wrong stops here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ExpressionError, ModelError, nearest, shown
from .expression import Expr, as_expression
from .shapes.reading import Number, is_plain, read_rotation

Value = Callable[[Any], float]

# products of three such numbers (mass times length squared) are still numbers; no machine comes near it
LARGEST = 1e100
LONGEST_NAME = 80

_RULES: dict[str, tuple[Callable[[float], bool], str]] = {
    "finite": (lambda x: True, "it must be finite"),
    "positive": (lambda x: x > 0.0, "it must be above zero"),
    "nonnegative": (lambda x: x >= 0.0, "it must not be below zero"),
    "nonzero": (lambda x: x != 0.0, "it must not be zero"),
}


def read_name(asked: str, name: object) -> str:
    """A usable name: a text that is not empty, printable and without quotes or dots (dots separate part and measure)."""
    short = isinstance(name, str) and 0 < len(name) <= LONGEST_NAME
    if short and name.strip() == name and name.isprintable() and not set(name) & set("'\".()"):  # type: ignore[attr-defined, call-overload]
        return str(name)
    raise ModelError(
        asked, f"name = {shown(name)}", f"a name is a text of 1 to {LONGEST_NAME} characters without dots, quotes, parentheses or outer blanks",
        "choose a short name such as 'crank' or 'A'",
    )  # fmt: skip


def read_flag(asked: str, name: str, x: object) -> bool:
    """True or False."""
    if isinstance(x, bool | np.bool_):
        return bool(x)
    raise ModelError(asked, f"{name} = {shown(x)}", "it is True or False", f"give {name}=True or {name}=False")


def read_choice(asked: str, name: str, x: object, known: Iterable[str], do: str) -> str:
    """One of the words that are known."""
    if isinstance(x, str) and x in known:
        return x
    raise ModelError(asked, f"{name} = {shown(x)}", nearest(x, known), do)


def read_items(asked: str, name: str, x: object, n: int, why: str, do: str) -> list[Any]:
    """Items of a list of n."""
    items = listed(x) or []
    if len(items) == n:
        return items
    raise ModelError(asked, f"{name} = {shown(x)}", why, do)


def check_text(asked: str, name: str, x: object, do: str) -> None:
    """Refuse what is no text."""
    if not isinstance(x, str):
        raise ModelError(asked, f"{name} = {shown(x)}", f"a {name} is a text", do)


def check_value(asked: str, name: str, x: Any, rule: str, source: Expr | None = None) -> float:
    """The float of a real number that the rule allows; `source` is the expression it came from, if any."""
    try:
        number = float(x)
    except OverflowError:  # an integer beyond 1e308
        number = math.inf
    allowed, why = _RULES[rule]
    tiny = rule == "positive" and 0.0 < number < 1.0 / LARGEST
    if abs(number) <= LARGEST and allowed(number) and not tiny:
        return number
    text = shown(x, 40) if isinstance(x, int) else repr(number)
    found = f"{name} = {text}" if source is None else f"{name} = {source}, which is {number!r}"
    if tiny:
        why = f"numbers below {1.0 / LARGEST:g} cannot be computed with here"
    elif math.isfinite(number) and abs(number) > LARGEST:
        why = f"numbers beyond {LARGEST:g} cannot be computed with"
    elif not math.isfinite(number):
        why = _RULES["finite"][1]
    raise ModelError(
        asked, found, why, f"give {name} as a number in SI units" + (", above zero" if rule == "positive" else "")
    )


def read_scalar(
    asked: str, name: str, x: Any, rule: str = "finite", known: Iterable[str] | None = None, value: Value | None = None
) -> Number:
    """A number, or an expression of parameters given as expression or text.

    `value` gives the number behind an expression: with it expressions are checked by the rule as well.
    """
    if isinstance(x, np.ndarray) and x.shape == ():
        x = x.item()
    if is_plain(x):
        return check_value(asked, name, x, rule)
    if isinstance(x, str | Expr):
        made = as_expression(x, known, asked=f"{asked}: {name}")
        if not made.names:
            return check_value(asked, name, value_of(asked, name, made, made.evaluate), rule, made)
        if value is not None:
            check_value(asked, name, value_of(asked, name, made, lambda: value(made)), rule, made)
        return made
    raise ModelError(
        asked, f"{name} = {shown(x)} of type {type(x).__name__}",
        "a number in SI units or an expression of parameters is needed here", f"give {name} as a number, for example {name}=0.1",
    )  # fmt: skip


def value_of(asked: str, name: str, made: Expr, evaluate: Callable[[], float]) -> float:
    """Value of an expression; if it has none, the message names the part and the number that asked for it."""
    try:
        return evaluate()
    except ExpressionError as error:
        raise ExpressionError(f"{asked}: {name} = {made}", error.found, error.why, error.do) from None


def listed(x: Any) -> list[Any] | None:
    """Items of a tuple, list, array or the like; None for everything that is not a short sequence."""
    if isinstance(x, tuple | list):
        return list(x)
    if isinstance(x, np.ndarray):
        return list(x) if x.ndim > 0 and len(x) < 1000 else None
    if isinstance(x, str | bytes | bytearray | dict | set | frozenset | Expr) or not hasattr(type(x), "__len__"):
        return None
    try:
        return list(x) if len(x) < 1000 else None
    except Exception:  # whatever a foreign object does when it is read, it is not a list of numbers
        return None


def kept(x: Any) -> Any:
    """What the user gave, safe from later changes: arrays and lists are copied."""
    if isinstance(x, np.ndarray):
        return x.copy()
    return tuple(kept(item) for item in x) if isinstance(x, tuple | list) else x


def read_components(
    asked: str, name: str, x: Any, plane: bool, known: Iterable[str] | None = None, value: Value | None = None
) -> tuple[Number, Number, Number]:
    """Vector of two numbers in the plane, three in space, padded to three."""
    items = listed(x) or []
    wanted = 2 if plane else 3
    if plane and len(items) == 3 and is_plain(items[2]) and items[2] == 0:
        items = items[:2]
    if len(items) != wanted:
        axes = "(x, y)" if plane else "(x, y, z)"
        raise ModelError(
            asked, f"{name} = {shown(x)}",
            f"a mechanism in {'the plane' if plane else 'space'} needs {wanted} numbers here", f"give {name}={axes}",
        )  # fmt: skip
    values = [read_scalar(asked, f"{name}[{k}]", item, "finite", known, value) for k, item in enumerate(items)]
    return (values[0], values[1], values[2] if len(values) == 3 else 0.0)


def check_direction(asked: str, name: str, v: Iterable[Any], value: Value) -> None:
    """Refuse a vector without direction."""
    unit(asked, name, np.array([value(c) for c in v]))


def unit(asked: str, name: str, v: np.ndarray) -> np.ndarray:
    """Unit vector; a vector of zero length is refused."""
    largest = float(np.max(np.abs(v)))
    if not math.isfinite(largest) or largest < 1e-100:
        found = ", ".join(f"{float(c):g}" for c in v)
        raise ModelError(
            asked, f"{name} = ({found})",
            "a vector of zero length has no direction", f"give {name} a vector that is not zero",
        )  # fmt: skip
    v = v / largest
    return v / math.sqrt(float(v @ v))


@dataclass(frozen=True, eq=False)
class Orientation:
    """A rotation that depends on parameters: kind "matrix" (9 numbers), "quaternion" (4) or "axis" (axis and angle)."""

    asked: str
    kind: str
    numbers: tuple[Number, ...]

    def matrix(self, value: Value) -> np.ndarray:
        """Rotation matrix, with the numbers behind the expressions."""
        x = np.array([float(value(c)) for c in self.numbers])
        if self.kind == "axis":
            return about_axis(unit(self.asked, "rotation axis", x[:3]), float(x[3]))
        if self.kind == "quaternion":
            return quaternion_matrix(unit(self.asked, "rotation (quaternion)", x))
        return np.array(read_rotation(self.asked, "rotation", x.reshape(3, 3)))


def read_orientation(
    asked: str, rotation: Any, known: Iterable[str] | None = None, value: Value = float
) -> np.ndarray | Orientation:
    """Rotation matrix of a 3x3 matrix, a quaternion (scalar first), (axis, angle) or a SciPy Rotation.

    Where numbers are expressions of parameters, an `Orientation` that gives the matrix later.
    """
    if hasattr(rotation, "as_matrix"):
        try:
            rotation = rotation.as_matrix()
        except Exception as error:  # a foreign object; what it raises is its own affair
            raise _not_a_rotation(asked, rotation) from error
    parts = listed(rotation) or []
    letters = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    nested = [listed(p) for p in parts]
    if len(parts) == 2 and isinstance(parts[0], str) and parts[0] in letters:
        nested[0] = list(letters[parts[0]])
    axis, rows = nested[0] if nested else None, [r for r in nested if r is not None]
    if len(parts) == 2 and axis is not None and len(axis) == 3 and nested[1] is None:
        kind, items = "axis", [*axis, parts[1]]
        names = [*(f"rotation axis[{k}]" for k in range(3)), "rotation angle"]
    elif len(parts) == 4 and not rows:
        kind, items = "quaternion", parts
        names = [f"rotation[{k}]" for k in range(4)]
    elif len(parts) == 3 and len(rows) == 3 and all(len(r) == 3 for r in rows):
        kind, items = "matrix", [c for r in rows for c in r]
        names = [f"rotation[{i}][{k}]" for i in range(3) for k in range(3)]
    else:
        raise _not_a_rotation(asked, rotation)
    numbers = tuple(read_scalar(asked, n, c, "finite", known, value) for n, c in zip(names, items))
    made = Orientation(asked, kind, numbers)
    matrix = made.matrix(value)
    return matrix if all(isinstance(c, float) for c in numbers) else made


def _not_a_rotation(asked: str, rotation: Any) -> ModelError:
    return ModelError(
        asked,
        f"rotation = {shown(rotation)}",
        "a rotation is a 3x3 matrix, a quaternion (scalar first), an (axis, angle) pair or a SciPy Rotation",
        "give for example rotation=((0, 0, 1), 0.5)",
    )


def about_axis(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix of an angle about a unit vector (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return c * np.eye(3) + s * skew + (1 - c) * np.outer(axis, axis)


def quaternion_matrix(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion, scalar first."""
    e0, e1, e2, e3 = p
    return np.array(
        [
            [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
        ]
    )


def matrix_quaternion(a: np.ndarray) -> np.ndarray:
    """Unit quaternion, scalar first, of a rotation matrix; the largest component is computed first, so nothing cancels."""
    t = np.array([1 + a[0, 0] + a[1, 1] + a[2, 2], 1 + a[0, 0] - a[1, 1] - a[2, 2],
                  1 - a[0, 0] + a[1, 1] - a[2, 2], 1 - a[0, 0] - a[1, 1] + a[2, 2]])  # fmt: skip
    k = int(np.argmax(t))
    if k == 0:
        p = np.array([t[0], a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]])
    elif k == 1:
        p = np.array([a[2, 1] - a[1, 2], t[1], a[0, 1] + a[1, 0], a[0, 2] + a[2, 0]])
    elif k == 2:
        p = np.array([a[0, 2] - a[2, 0], a[0, 1] + a[1, 0], t[2], a[1, 2] + a[2, 1]])
    else:
        p = np.array([a[1, 0] - a[0, 1], a[0, 2] + a[2, 0], a[1, 2] + a[2, 1], t[3]])
    p = p / math.sqrt(float(p @ p))
    return -p if p[0] < 0 else p


def cross_matrix(a: np.ndarray) -> np.ndarray:
    """Matrix a~ with a~ b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of quaternions, scalar first."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def conjugate(p: np.ndarray) -> np.ndarray:
    """The opposite rotation of a unit quaternion."""
    return p * np.array([1.0, -1.0, -1.0, -1.0])


def is_number_like(x: Any) -> bool:
    """Whether x can stand for a number: a number, an expression or a text."""
    return is_plain(x) or isinstance(x, Expr | str)


def in_body_axes(asked: str, frame: Any) -> bool:
    """Whether components are asked for in axes of the body, frame = "body", and not in those of space."""
    if isinstance(frame, str) and frame in ("space", "body"):
        return frame == "body"
    raise ModelError(
        asked, f"frame = {shown(frame)}", "components are fixed in space or in the body", "give frame='space' or 'body'"
    )
