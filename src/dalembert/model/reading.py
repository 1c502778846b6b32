"""Reading of what users give to a mechanism: names, numbers, points, directions, rotations.  Everything wrong stops here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import DalembertError, ModelError
from .expression import Expr, as_expression
from .shapes.reading import Number, is_plain, read_number, read_rotation


def read_name(asked: str, name: object) -> str:
    """A usable name: a text that is not empty, printable and without quotes or dots (dots separate part and measure)."""
    if isinstance(name, str) and name.strip() == name and name and name.isprintable() and not set(name) & set("'\".()"):
        return name
    raise ModelError(
        asked,
        f"name = {name!r}",
        "a name is a non-empty text without dots, quotes, parentheses or outer blanks",
        "choose a short name such as 'crank' or 'A'",
    )


def read_scalar(asked: str, name: str, x: Any, rule: str = "finite", known: Iterable[str] | None = None) -> Number:
    """A number, or an expression of parameters given as expression or text."""
    if isinstance(x, str):
        return as_expression(x, known, asked=f"{asked}: {name}")
    if isinstance(x, np.ndarray) and x.shape == ():
        x = x.item()
    return read_number(asked, name, x, rule)


def read_components(
    asked: str, name: str, x: Any, plane: bool, known: Iterable[str] | None = None
) -> tuple[Number, Number, Number]:
    """Vector of two numbers in the plane, three in space, padded to three."""
    try:
        items = [] if isinstance(x, str | bytes | dict | set) else list(x)
    except TypeError:
        items = []
    wanted = 2 if plane else 3
    if plane and len(items) == 3 and is_plain(items[2]) and items[2] == 0:
        items = items[:2]
    if len(items) != wanted:
        axes = "(x, y)" if plane else "(x, y, z)"
        raise ModelError(
            asked,
            f"{name} = {x!r}",
            f"a mechanism in {'the plane' if plane else 'space'} needs {wanted} numbers here",
            f"give {name}={axes}",
        )
    values = [read_scalar(asked, f"{name}[{k}]", item, known=known) for k, item in enumerate(items)]
    return (values[0], values[1], values[2] if len(values) == 3 else 0.0)


def unit(asked: str, name: str, v: np.ndarray) -> np.ndarray:
    """Unit vector; a vector of zero length is refused."""
    largest = float(np.max(np.abs(v)))
    if not math.isfinite(largest) or largest == 0.0:
        raise ModelError(asked, f"{name} = {tuple(map(float, v))}", "it has no direction", f"give {name} a vector that is not zero")
    v = v / largest
    return v / math.sqrt(float(v @ v))


def read_orientation(asked: str, rotation: Any) -> np.ndarray:
    """Rotation matrix of a 3x3 matrix, a quaternion (scalar first), (axis, angle) or a SciPy Rotation."""
    if hasattr(rotation, "as_matrix"):
        return np.array(read_rotation(asked, "rotation", rotation.as_matrix()))
    try:
        parts = list(rotation)
    except TypeError:
        parts = []
    try:
        if len(parts) == 2 and np.shape(parts[0]) == (3,) and np.shape(parts[1]) == ():
            axis = unit(asked, "rotation axis", np.array([float(c) for c in parts[0]]))
            return _about(axis, float(parts[1]), asked)
        if len(parts) == 4 and all(is_plain(c) for c in parts):
            p = unit(asked, "rotation (quaternion)", np.array([float(c) for c in parts]))
            return quaternion_matrix(p)
        return np.array(read_rotation(asked, "rotation", rotation))
    except DalembertError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(
            asked,
            f"rotation = {rotation!r}",
            "a rotation is a 3x3 matrix, a quaternion (scalar first), an (axis, angle) pair or a SciPy Rotation",
            "give for example rotation=((0, 0, 1), 0.5)",
        ) from error


def _about(axis: np.ndarray, angle: float, asked: str) -> np.ndarray:
    if not math.isfinite(angle):
        raise ModelError(asked, f"rotation angle = {angle!r}", "it must be finite", "give the angle in radians")
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


def is_number_like(x: Any) -> bool:
    """Whether x can stand for a number: a number, an expression or a text."""
    return is_plain(x) or isinstance(x, Expr | str)
