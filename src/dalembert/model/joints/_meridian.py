"""Support function H(d) of a surface of revolution from its meridian, as a table (see `_rolling.py`).

The meridian r(z) gives the radius at the distance z along the axis.  Where the surface touches a plane whose normal n makes d = n . c
with the axis, r' = tan(theta) with sin(theta) = d, and the height of the centre is H = r cos(theta) - z sin(theta), with
dH/dd = -z - r tan(theta).  At the ends of the meridian the sharp rim touches, with r and z fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, ModelError, shown
from ..expression import Expr, Name, Spline, as_expression
from ..expression.splines import spline
from ..reading import listed

if TYPE_CHECKING:
    from ..mechanism import Mechanism

# points of the table, equally spaced in theta: the spline is then right to 1e-11 of the size of smooth surfaces
POINTS = 1201
# where the meridian is looked at first, and how far from its very ends, where a round one is vertical
SAMPLES, MARGIN = 401, 1e-9
# rims are followed up to this angle; beyond it the body would lie flat
LARGEST = math.radians(89.9)


def read_meridian(model: Mechanism, asked: str, meridian: Any, span: Any) -> tuple[Expr, tuple[float, float]]:
    """Radius as an expression of z, and the ends of the meridian."""
    points = None if isinstance(meridian, str | Expr) else listed(meridian)
    if points is not None:
        pairs = [listed(p) or [] for p in points]
        if len(pairs) < 4 or any(len(p) != 2 for p in pairs):
            raise ModelError(
                asked, f"meridian = {shown(meridian)}",
                "a table needs at least four points (z, r)", "give for example [(-0.2, 0.1), (-0.1, 0.2), (0.1, 0.2), (0.2, 0.1)]",
            )  # fmt: skip
        # natural ends would be straight there, and a straight meridian touches in a line
        table = _with_parabolic_ends(spline([p[0] for p in pairs], [p[1] for p in pairs]))
        return table(Name("z")), (table.x[0], table.x[-1])
    expression = as_expression(meridian, ("z",), asked=asked)
    ends = [model.value(model.read_number(asked, "span", x)) for x in listed(span) or []]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ModelError(asked, f"span = {shown(span)}", "the meridian has two ends z0 < z1", "give span=(-0.1, 0.1)")
    return expression, (ends[0], ends[1])


def read_height(model: Mechanism, asked: str, height: Any) -> Expr:
    """Height H as an expression of d and parameters; with d = sin(theta), H + d2H/dtheta2 is a radius of curvature and positive."""
    expression = as_expression(height, ("d", *model.parameter_names), asked=asked)
    slope = expression.diff("d")
    bend = slope.diff("d")
    values = {name: model.value(Name(name)) for name in expression.names - {"d"}}
    for theta in np.linspace(-1.5, 1.5, 61):
        d, c = math.sin(theta), math.cos(theta)
        try:
            at = {**values, "d": d}
            radius = expression.evaluate(at) - d * slope.evaluate(at) + c * c * bend.evaluate(at)
        except (DalembertError, ArithmeticError):
            radius = math.nan
        if not radius >= -1e-9 * abs(expression.evaluate({**values, "d": 0.0})):
            raise ModelError(
                asked, f"height = {shown(height)}, radius of curvature {radius:g} m at d = {d:.6g}",
                "only the support function of a convex surface touches a plane in one point", "correct the expression of d, or give a meridian",
            )  # fmt: skip
    return expression


@lru_cache(maxsize=16)  # half a second; sweeps and edited files make the same surface again and again
def support_table(asked: str, meridian: Expr, span: tuple[float, float]) -> Spline:
    """Table of H over d for a convex meridian r(z) on z0 <= z <= z1."""
    first, second = meridian.diff("z"), meridian.diff("z").diff("z")
    z0, z1 = span
    middle, half = 0.5 * (z0 + z1), 0.5 * (z1 - z0) * (1.0 - MARGIN)
    # closer together towards the ends
    z = middle - half * np.cos(np.linspace(0.0, math.pi, SAMPLES))
    values = [_array(f, z) for f in (meridian, first, second)]
    radius, bend = values[0], values[2]
    scale = z1 - z0 + float(np.nanmax(radius, initial=0.0))
    _check(asked, z, radius, values, "finite", [bool(np.isfinite(x).all()) for x in np.array(values).T])
    _check(asked, z, radius, values, "radius", list(radius > -1e-12 * scale))
    _check(asked, z, radius, values, "convex", list(bend < -1e-9 / scale))
    slope = np.arctan(values[1])  # falls from one end of the meridian to the other
    theta = np.linspace(-LARGEST, LARGEST, POINTS)
    theta = np.unique(np.concatenate([theta, np.clip(slope[[0, -1]], -LARGEST, LARGEST)]))
    at = np.interp(theta, slope[::-1], z[::-1])
    inside = (theta > slope[-1]) & (theta < slope[0])
    for _ in range(6):
        x = at[inside]
        rise, curve = _array(first, x), _array(second, x)
        step = (np.arctan(rise) - theta[inside]) * (1.0 + rise**2) / curve
        at[inside] = np.clip(x - step, z[0], z[-1])
    r, d = np.maximum(_array(meridian, at), 0.0), np.sin(theta)
    height = r * np.cos(theta) - at * d
    rate = -at - r * np.tan(theta)
    return spline(d, height, rate=(float(rate[0]), float(rate[-1])))


def _with_parabolic_ends(table: Spline) -> Spline:
    """The spline through the same points whose slopes at the ends are those of parabolas through the last three."""
    ends = []
    for order in (slice(0, 3), slice(-1, -4, -1)):
        (x0, x1, x2), (y0, y1, y2) = table.x[order], table.y[order]
        first, second = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
        ends.append(first + (second - first) * (x0 - x1) / (x2 - x0))
    return spline(table.x, table.y, rate=(ends[0], ends[1]))


def _array(f: Expr, z: np.ndarray) -> np.ndarray:
    def one(x: float) -> float:
        try:
            return f.evaluate({"z": float(x)})
        except (DalembertError, ArithmeticError):
            return math.nan

    return np.array([one(x) for x in z])


_WHY: dict[str, tuple[Callable[..., str], str, str]] = {
    "finite": (
        lambda z, r, values: f"radius {values[0]:g}, slope {values[1]:g}, curvature {values[2]:g} at z = {z:g} m",
        "the meridian needs a finite radius, slope and curvature everywhere between its ends",
        "change the expression or the span",
    ),
    "radius": (
        lambda z, r, values: f"radius {r:g} m at z = {z:g} m",
        "a radius is not negative",
        "change the expression or the span",
    ),
    "convex": (
        lambda z, r, values: f"curvature {values[2]:.3g} 1/m at z = {z:g} m",
        "only a convex meridian (d2r/dz2 < 0) touches a plane in one point; a straight or hollow one does so in a line or in several",
        "give a convex meridian; m.rolling_disk serves a sharp or rounded rim",
    ),
}


def _check(
    asked: str, z: np.ndarray, radius: np.ndarray, values: list[np.ndarray], what: str, good: list[bool]
) -> None:
    """Refuse a meridian at the first place where it is not what it must be."""
    if all(good):
        return
    k = good.index(False)
    found, why, do = _WHY[what]
    raise ModelError(asked, found(z[k], radius[k], [x[k] for x in values]), why, do)
