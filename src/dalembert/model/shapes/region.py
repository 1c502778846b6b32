"""Flat regions bounded by corners or by curves, and points for integrals over them (PLANAR 6.1.20, 6.1.21).

A region lies in a plane of two coordinates, x and y of a lamina, r and z of the profile of a solid of revolution.  `nodes(n)` gives places with
areas; they are expressions where corners are, so that everything made of them follows the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ...errors import ModelError, shown
from ..expression import Expr, as_expression
from .quadrature import gauss, triangle
from .reading import Array, Number, Value, is_plain, read_number, times, total

Corners: TypeAlias = tuple[tuple[Number, Number], ...]
Node: TypeAlias = tuple[Number, Number, Number]
MOST_CORNERS = 400
CURVE = 48  # points of a drawn curve


def read_corners(owner: str, name: str, x: Any) -> Corners:
    """Corners of a closed line, in order; a last corner equal to the first is left out."""
    items = x.tolist() if isinstance(x, np.ndarray) else list(x) if isinstance(x, tuple | list) else []
    pairs = [tuple(p) if isinstance(p, tuple | list) else () for p in items]
    if len(pairs) < 3 or len(pairs) > MOST_CORNERS or any(len(p) != 2 for p in pairs):
        raise ModelError(
            owner, f"{name} = {shown(x)}", f"a polygon has 3 to {MOST_CORNERS} corners (x, y)",
            f"give {name}=[(0, 0), (1, 0), (0, 1)]",
        )  # fmt: skip
    made = [tuple(read_number(owner, f"{name}[{k}][{c}]", v) for c, v in enumerate(p)) for k, p in enumerate(pairs)]
    closed = len(made) > 3 and made[0] == made[-1]
    return tuple((p[0], p[1]) for p in (made[:-1] if closed else made))


def read_loops(owner: str, name: str, x: Any) -> tuple[Corners, ...]:
    """Several closed lines."""
    if not isinstance(x, tuple | list | np.ndarray):
        raise ModelError(
            owner, f"{name} = {shown(x)}", "holes are a list of lists of corners", f"give {name}=[[(x, y), …]]"
        )
    return tuple(read_corners(owner, f"{name}[{k}]", loop) for k, loop in enumerate(x))


def area_of(corners: Sequence[Sequence[Number]]) -> Number:
    """Area of a closed line, positive counterclockwise; from its first corner, so that distance from the origin costs no digits."""
    (a, b), *others = corners
    u = [(p[0] - a, p[1] - b) for p in others]
    return total(*(p[0] * q[1] - q[0] * p[1] for p, q in zip(u, u[1:]))) / 2.0


def fan(corners: Sequence[Sequence[Number]], n: int) -> list[Node]:
    """Places with areas, exact to degree 2n − 1: triangles from the first corner, those turned the other way counted negative."""
    first, *others = corners
    found: list[Node] = []
    for p, q in zip(others, others[1:]):
        size = area_of((first, p, q))
        if is_plain(size) and size == 0.0:
            continue
        found += [(x, y, times(w, size)) for x, y, w in triangle(n, tuple(first), tuple(p), tuple(q))]
    return found


def loops_nodes(outer: Corners, holes: Sequence[Corners], n: int) -> list[Node]:
    """Places with areas of a polygon without its holes, whichever way the lines run."""
    found: list[Node] = []
    for k, loop in enumerate((outer, *holes)):
        size = area_of(loop)
        # the sign of the area as a number, or as an expression
        turn: Number = (1.0 if size > 0.0 else -1.0) if is_plain(size) else size / abs(size)  # type: ignore[operator, arg-type]
        found += [(x, y, times(times(turn, w), -1.0 if k else 1.0)) for x, y, w in fan(loop, n)]
    return found


def check_loops(owner: str, outer: Array, holes: Sequence[Array]) -> None:
    """Refuse lines that cross themselves or each other, without an area, and holes outside the material."""
    loops = [("the outline", outer), *((f"hole {k + 1}", h) for k, h in enumerate(holes))]
    for name, loop in loops:
        at = _crossing(loop, loop, True)
        if at is not None:
            raise ModelError(
                owner, f"{name} crosses itself between corners {at[0] + 1} and {at[1] + 1}", "the inside is not defined",
                "give the corners in order around the area",
            )  # fmt: skip
        extent = float(np.max(np.ptp(loop, axis=0)))
        if abs(float(area_of(loop.tolist()))) <= 1e-14 * extent**2:  # type: ignore[arg-type]
            raise ModelError(owner, f"{name} has no area", "its corners lie on a line", "give corners around an area")
    for k, (name, loop) in enumerate(loops):
        for other_name, other in loops[k + 1 :]:
            if _crossing(loop, other, False) is not None:
                raise ModelError(
                    owner, f"{name} and {other_name} cross", "a hole lies inside the material", "move one of them"
                )
            if _inside(other[0], loop) != (k == 0) or (k > 0 and _inside(loop[0], other)):
                found = f"{other_name} lies {'outside' if k == 0 else 'inside or around'} {name}"
                raise ModelError(owner, found, "a hole is taken out of the material once", "move it, or leave it out")


def _crossing(a: Array, b: Array, same: bool) -> tuple[int, int] | None:
    """Numbers of two edges that cross or touch, ends of neighbours apart."""
    for i in range(len(a)):
        p, r = a[i], a[(i + 1) % len(a)] - a[i]
        for k in range(i + 2 if same else 0, len(b)):
            if same and i == 0 and k == len(b) - 1:
                continue
            q, s = b[k], b[(k + 1) % len(b)] - b[k]
            cross = float(r[0] * s[1] - r[1] * s[0])
            d = q - p
            if abs(cross) <= 1e-14 * float(np.hypot(*r) * np.hypot(*s)):
                continue  # parallel edges do not cross; where they overlap, their neighbours touch
            t, u = float(d[0] * s[1] - d[1] * s[0]) / cross, float(d[0] * r[1] - d[1] * r[0]) / cross
            if -1e-12 <= t <= 1.0 + 1e-12 and -1e-12 <= u <= 1.0 + 1e-12:
                return i, k
    return None


def _inside(p: Array, loop: Array) -> bool:
    x, y = loop[:, 0], loop[:, 1]
    x2, y2 = np.roll(x, -1), np.roll(y, -1)
    crossed = (y > p[1]) != (y2 > p[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x + (p[1] - y) * (x2 - x) / (y2 - y)
    return bool(np.sum(crossed & (p[0] < at)) % 2)


# -- curves --------------------------------------------------------------------------------------------------------------


def read_formula(owner: str, name: str, x: Any, variables: tuple[str, ...]) -> Expr:
    """Expression of the coordinates and of parameters; a text is read."""
    try:
        return as_expression(x, asked=f"{owner}: {name}")
    except ModelError:
        found, why = f"{name} = {shown(x)}", f"a number or an expression of {', '.join(variables)} is needed"
        raise ModelError(owner, found, why, f"give {name} as text, such as '1 + {variables[0]}**2'") from None


def at_place(law: Expr, place: dict[str, Number]) -> Number:
    """Value of a formula at a place: a number where nothing is left to know, an expression of parameters otherwise."""
    if all(is_plain(x) for x in place.values()) and not law.names - set(place):
        return law.evaluate({name: float(x) for name, x in place.items()})  # type: ignore[arg-type]
    return law.substitute(place).simplify()  # type: ignore[arg-type]


def between_curves(
    first: tuple[Number, Number], lower: Expr, upper: Expr, name: str, n: int
) -> list[tuple[Number, Number, Number]]:
    """Places (u, v) with areas between two curves v(u) over a range of u.

    u = middle − half cos θ: curves that end upright, such as √(1 − u²), are smooth functions of θ, and Gauss points in θ converge fast.
    """
    middle, half = (first[0] + first[1]) / 2.0, (first[1] - first[0]) / 2.0
    found: list[tuple[Number, Number, Number]] = []
    for x, w in gauss(n):
        theta = 0.5 * math.pi * (1.0 + x)
        u = total(middle, times(-math.cos(theta), half))
        low, high = (at_place(law, {name: u}) for law in (lower, upper))
        width = high - low
        strip = times(math.pi * w * math.sin(theta), half)
        for y, v in gauss(n):
            found.append((u, total(low, times((1.0 + y) / 2.0, width)), times(times(v, strip), width)))
    return found


def curve_points(
    owner: str, first: tuple[float, float], lower: Expr, upper: Expr, name: str, value: Value
) -> list[list[float]]:
    """Closed line (u, v) around what lies between two curves, to draw it; refuses curves that cross."""
    # not quite to the ends, where rounding would leave roots of numbers below zero
    turns = [1e-6 + (math.pi - 2e-6) * k / CURVE for k in range(CURVE + 1)]
    us = [0.5 * (first[0] + first[1]) - 0.5 * (first[1] - first[0]) * math.cos(a) for a in turns]
    lines = []
    for law in (lower, upper):
        values = [at_place(law, {name: u}) for u in us]
        lines.append([float(v) if is_plain(v) else value(v) for v in values])  # type: ignore[arg-type]
    for u, low, high in zip(us, *lines):
        if high < low - 1e-12 * (abs(low) + abs(high)):
            found = f"{low:.6g} … {high:.6g} at {name} = {u:.6g}"
            raise ModelError(
                owner, found, "the upper curve must not lie below the lower one", "exchange or correct them"
            )
    return [*([u, v] for u, v in zip(us, lines[0])), *([u, v] for u, v in zip(us[::-1], lines[1][::-1]))]
