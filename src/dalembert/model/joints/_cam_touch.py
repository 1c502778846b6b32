"""Where a cam is touched, and along which line it presses: the wrench of a cam and its follower, in the plane of the cam.

Axes: e1 from the centre C of the cam towards the follower (along its way, or to its pin O at the distance D), e2 = z x e1.  With alpha the angle of the cam, s the
lift, S = ds/dalpha (of a follower that swings: of its angle), the common normal passes through the pole of their relative motion (Kennedy).  With K the tip or the
centre of the roller, that line is

    on a way, y along it, offset e     K - C = (y, e)                              M = (y, e + S)
    about a pin, arm l, at gamma       K - O = -l (cos gamma, m sin gamma)         M = (K - C) - S (K - O)
    flat, on a way                     touched at (y, -S)                          M = (1, 0)
    flat, about a pin, at eta          C is D cos eta - e from the face            M = (cos eta, -m sin eta)

where m = 1 if the follower turns counterclockwise as it is lifted, gamma = gamma0 + s, eta = eta0 - s.  K is on the pitch curve, whose normal is M and whose
curvature (M.M + M'xM)/|M|^3, with M' the derivative by alpha seen from the carrier.

The gap b - lift(a) alone would press along coordinates.  Added to it are measures that joints hold at 0, each times a factor that makes its row that of a force along M:
the value stays as it is, and so does the motion, since rows of joints do no work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ..expression import Expr, functions
from ..measure import Measure
from ._cam_layout import Layout

if TYPE_CHECKING:
    from .cam import Cam

# what a follower touches with; `_cam.py` reads them
KNIFE, ROLLER, FLAT = "knife", "roller", "flat"
FOLLOWERS = (KNIFE, ROLLER, FLAT)
ANGLE = "theta"


@dataclass(frozen=True)
class Touch:
    """At a lift: M, the line that presses, (x, y) along e1 and e2; the same for one unit of the force or torque along b; where it touches from C; the way of the follower there."""

    normal: tuple[Any, Any]
    unit: tuple[Any, Any]
    point: tuple[Any, Any]
    way: tuple[Any, Any]


def touch(part: Cam, s: Any, S: Any, side: float, D: Any, value: Any, f: Any) -> Touch:
    """Where it touches at the lift s; `value` reads numbers, `f` has sqrt, sin and cos of what s is: an expression, or arrays."""
    e = 0.0 if part.offset is None else value(part.offset)
    base = 0.0 if part.base is None else value(part.base)
    if not part.swings:
        y = s + (base if part.offset is None else f.sqrt(base * base - e * e))
        if part.follower == FLAT:
            return Touch((1.0, 0.0), (1.0, 0.0), (y, -1.0 * S), (1.0, 0.0))
        return Touch((y, e + S), (1.0, (e + S) / y), _rim(part, (y, e), (y, e + S), value, f), (1.0, 0.0))
    if part.follower == FLAT:
        c0 = (base + e) / D
        c, d = _turned(c0, -1.0 * s, f)
        n, lever = (c, -side * d), D * d / (1.0 - S)
        reach = side * lever
        from_pin = (-1.0 * e * n[0] + reach * n[1], -1.0 * e * n[1] - reach * n[0])
        unit = (n[0] / lever, n[1] / lever)
        return Touch(n, unit, (from_pin[0] + D, from_pin[1]), (-side * from_pin[1], side * from_pin[0]))
    arm = value(part.arm)
    c, d = _turned((arm * arm + D * D - base * base) / (2.0 * arm * D), s, f)
    from_pin = (-1.0 * arm * c, -side * arm * d)
    K = (from_pin[0] + D, from_pin[1])
    M = (K[0] - S * from_pin[0], K[1] - S * from_pin[1])
    size = arm * D * d
    way = (-side * from_pin[1], side * from_pin[0])
    return Touch(M, (M[0] / size, M[1] / size), _rim(part, K, M, value, f), way)


def _turned(c0: Any, by: Any, f: Any) -> tuple[Any, Any]:
    """Cosine and sine of acos(c0) + by."""
    d0 = f.sqrt(1.0 - c0 * c0)
    return c0 * f.cos(by) - d0 * f.sin(by), d0 * f.cos(by) + c0 * f.sin(by)


def _rim(part: Cam, K: tuple[Any, Any], M: tuple[Any, Any], value: Any, f: Any) -> tuple[Any, Any]:
    """Where a roller touches: its radius below its centre."""
    if part.follower != ROLLER:
        return K
    share = value(part.radius) / f.sqrt(M[0] * M[0] + M[1] * M[1])
    return K[0] - share * M[0], K[1] - share * M[1]


def true_gap(part: Cam, plain: Measure, layout: Layout) -> Measure:
    """The gap with the row of a force along the common normal where it touches."""
    law, name = part._law, part.name
    seat = layout.at(layout.seat)
    along = [Measure(f"{name}.seat_{a}", "along_body", seat, layout.centre, direction=a, unit="m") for a in "xy"]
    make = _about_a_pin if part.swings else _on_a_way
    force, own, used = make(part, layout, law, layout.turn(part.swings) * law.diff(ANGLE))
    tilts = _tilts(part, layout, force)
    # the cam is pressed by the opposite of what presses the follower
    terms = [own, *(-1.0 * x * p.symbol for x, p in zip(force, along)), *(x * m.symbol for x, m in tilts)]
    expression = plain.symbol + sum(terms[1:], terms[0]).substitute({ANGLE: part.a.symbol})
    measures = (plain, part.a, part.b, *along, *used, *(m for _, m in tilts))
    if tilts:
        measures = (*measures, _centre(part, layout, "z"))
    return Measure(f"{name}.touch", "expression", expression=expression, terms=tuple((1.0, x) for x in measures), unit=plain.unit)  # fmt: skip


def _centre(part: Cam, layout: Layout, axis: str) -> Measure:
    """Place of the centre of the cam from the guide or pin of the follower, along an axis there."""
    return Measure(f"{part.name}.centre_{axis}", "along_body", layout.frame, layout.centre, direction=axis, unit="m")


def _on_a_way(part: Cam, layout: Layout, law: Expr, S: Expr) -> tuple[list[Any], Expr, list[Measure]]:
    """Force on the follower in axes of the guide, m (1, c); what the guide holds, times c and the moment of that force about its point.

    With (x, y) the place of C from the point of j, in axes of i, the pole is at (x, y - m S):  moment/m = x c - y + m S.
    """
    side, (across, turn) = layout.side, layout.held
    c = touch(part, law, S, side, None, lambda x: x, functions).unit[1]
    x, y = (_centre(part, layout, a) for a in "xy")
    moment = (x.symbol - part.b.symbol) * c - y.symbol + side * S
    return [side, side * c], c * across.symbol + moment * turn.symbol, [across, turn, x, y]


def _about_a_pin(part: Cam, layout: Layout, law: Expr, S: Expr) -> tuple[list[Any], Expr, list[Measure]]:
    """Force on the follower in axes of the carrier; what its pin holds, times that force."""
    held, (x, y) = layout.held, (_centre(part, layout, a) for a in "xy")
    D = functions.sqrt(x.symbol**2 + y.symbol**2)
    first, second = touch(part, law, S, layout.side, D, lambda x: x, functions).unit
    # e1 = -(x, y)/D
    force = [(second * y.symbol - first * x.symbol) / D, (-1.0 * first * y.symbol - second * x.symbol) / D]
    return force, force[0] * held[0].symbol + force[1] * held[1].symbol, [*held, x, y]


def _tilts(part: Cam, layout: Layout, force: list[Any]) -> list[tuple[Expr, Measure]]:
    """In space the force acts in the plane of the cam, z away from the joint of the follower: its moment z (-F_y, F_x), on turns about x and y, -y.z_f and x.z_f."""
    if layout.axis is None:
        return []
    z, (i, j) = _centre(part, layout, "z"), (layout.frame, layout.follower)
    cosines = [Measure(f"{part.name}.tilt_{a}", "dot", i, j, direction=(a, "z"), unit="1") for a in "xy"]
    return [(z.symbol * x, cosine) for x, cosine in zip(force, cosines)]


def outline_of(part: Cam, laws: tuple[np.ndarray, ...], theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points of the profile in axes of the cam, x along e1 at theta = 0, and the radius of curvature that must be positive; `laws` are lift and derivatives."""
    s, s1, s2 = laws
    layout, value = part._layout, part.model.value
    known = isinstance(layout, Layout)
    sense, side = (layout.sense, layout.side) if known else (1.0, 1.0)
    D = layout.pins_apart(part.swings) if known else None
    turn = layout.turn(part.swings) if known else 1.0
    S, bend = turn * s1, turn * sense * s2  # by alpha = sense theta, once and twice
    with np.errstate(invalid="ignore", divide="ignore"):
        here = touch(part, s, S, side, D, value, np)
        (p, q), c, d = here.point, np.cos(theta), sense * np.sin(theta)
        points = np.stack([p * c + q * d, q * c - p * d], axis=-1)
        check_reach(part, here, S, theta)
        return points, _spare(part, here, s, S, bend, side, D)


def check_reach(part: Cam, here: Touch, S: np.ndarray, theta: np.ndarray) -> None:
    """Refuse sizes with which the follower does not reach the cam, or is not moved by it."""
    pushed = here.normal[0] * here.way[0] + here.normal[1] * here.way[1]
    good = np.broadcast_to(np.isfinite(here.point[0]) & np.isfinite(here.point[1]) & (pushed > 0.0), theta.shape)
    if part.swings and part.follower == FLAT:
        good = good & (S < 1.0)
    if not np.all(good):
        what = {name: getattr(part, name) for name in ("base", "arm", "offset") if getattr(part, name) is not None}
        sizes = ", ".join(f"{name} = {part.model.value(x):g} m" for name, x in what.items())
        raise ModelError(
            part.asked, f"{sizes}: at theta = {theta[int(np.argmin(good))]:.6g} rad the follower does not stand on the cam",
            "tip, roller or face of the follower must reach the cam, and move away from it as it is lifted",
            "check base=, arm= and offset= against the distance of the joints",
        )  # fmt: skip


def _spare(part: Cam, here: Touch, s: Any, S: Any, bend: Any, side: float, D: Any) -> np.ndarray:
    """Radius of curvature of the profile, beyond the radius of the roller; infinite where it is hollow, or below a knife."""
    if part.follower == KNIFE:
        return np.full(s.shape, np.inf)
    if part.follower == FLAT and not part.swings:
        return np.asarray(here.point[0] + bend)
    if part.follower == FLAT:
        # h + h'' of the distance h = D cos eta - e by the angle of the normal in the cam, whose rate is -(1 - S)
        c, d = here.normal[0], np.abs(here.normal[1])
        e = 0.0 if part.offset is None else part.model.value(part.offset)
        # with sigma = s by alpha: eta' = -side S, h' = D d side S
        first = -c * S * S + d * side * bend
        return np.asarray(D * c - e + D * (first * (1.0 - S) + d * side * S * bend) / (1.0 - S) ** 3)
    M = here.normal
    if part.swings:
        way = here.way  # side z x (K - O);  M' = S (z x w) (1 - S) - bend w,  w = K - O
        w, across = (side * way[1], -side * way[0]), (side * way[0], side * way[1])
        rate = [S * (1.0 - S) * across[k] - bend * w[k] for k in (0, 1)]
    else:
        rate = [S, bend]
    size = np.hypot(*M)
    round_ = (size**2 + rate[0] * M[1] - rate[1] * M[0]) / size**3
    reach = part.model.value(part.radius)
    return np.where(round_ > 0.0, 1.0 / np.where(round_ > 0.0, round_, 1.0) - reach, np.inf)
