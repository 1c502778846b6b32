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
from ..frame import Marker, drawn_direction, drawn_place
from ..measure import Measure
from ._base import Joint

if TYPE_CHECKING:
    from .cam import Cam


# cosine of an angle that is none
ALIGNED = 1e-9


@dataclass(frozen=True)
class Layout:
    carrier: Any  # the body that has both joints
    centre: Marker  # marker of the pin on the cam
    seat: Any  # place of that pin on the carrier
    # frame, follower: frame of the guide (x its line) or pin of the follower on the carrier, and on the follower; in space z is the axis of the cam
    frame: Marker
    follower: Marker
    # what the joint of the follower holds at 0: across its line and its turn, or x and y of its pin
    held: tuple[Measure, ...]
    # sense, side: -1 where the cam, or the follower, is the first body of its joint; `side` of a pin also where it turns against the axis of the cam
    sense: float
    side: float
    axis: Any = None  # axis of the cam in space

    def turn(self, swings: bool) -> float:
        """Sign of S against the derivative of the lift by theta."""
        return self.sense * (self.side if swings else 1.0)

    def at(self, place: Any) -> Marker:
        """Frame on the carrier, with axes as `frame` or, in the reversed guide, as on the carrier."""
        return Marker(self.carrier, place, z=self.axis, x=self.frame.x)

    def pins_apart(self, swings: bool) -> float | None:
        """Distance of the pins across the axis, as drawn [m]; None on a way."""
        if not swings:
            return None
        d = drawn_place(self.carrier.model, self.frame.at) - drawn_place(self.carrier.model, self.seat)
        if self.axis is not None:
            z = drawn_direction(self.carrier.model, self.axis)
            d = d - (d @ z) * z
        return float(np.linalg.norm(d))


def layout_of(part: Cam) -> Layout | str:
    """Where cam and follower are borne, or why that is not known."""
    plane = part.model.plane
    shaft, guide = (_joint(part, measure) for measure in (part.a, part.b))
    ways = (("turn_z",), ("x",) if plane else ("z",))
    if shaft is None or shaft.freedom != ("turn_z",) or guide is None or guide.freedom not in ways:
        return "a and b are not coordinates of a pin and of a guide or a second pin"
    common = [body for body in shaft.bodies if body in guide.bodies]
    if len(common) != 1:
        return f"{shaft!r} and {guide!r} have not one body in common that carries both"
    carrier = common[0]
    sense, side = (1.0 if joint.bodies[0] is carrier else -1.0 for joint in (shaft, guide))
    seat, centre = shaft.markers if sense > 0.0 else shaft.markers[::-1]
    if not plane:
        return _in_space(part, shaft, guide, sense, side)
    i, j = guide.markers
    if part.swings:
        on_carrier, follower = (i, j) if side > 0.0 else (j, i)
        frame = Marker(carrier, on_carrier.at)
        held = _measures(part, frame, follower, ("pin_x", "x"), ("pin_y", "y"))
        return Layout(carrier, centre, seat.at, frame, follower, held, sense, side)
    if side < 0.0 and i.x is not j.x:
        return f"{guide!r} has two directions, and the follower as its first body"
    return Layout(carrier, centre, seat.at, i, j, tuple(guide.rows()), sense, side)


def _in_space(part: Cam, shaft: Any, guide: Any, sense: float, side: float) -> Layout | str:
    """The same in space, where the carrier is the first body of both joints, and directions are given once."""
    given = guide.axis if part.swings else guide.along
    if sense < 0.0 or side < 0.0:
        return "in space the body that carries both is to be the first of each joint"
    if given[0] is not given[1]:
        return f"{guide!r} has two directions"
    (seat, centre), (i, j) = shaft.markers, guide.markers
    try:
        z, d = (drawn_direction(part.model, x) for x in (seat.z, given[0]))
        places = [drawn_place(part.model, x) for x in (i.at, seat.at)]
    except (TypeError, ValueError):
        return "orientations as drawn are expressions"
    cosine, parallel = float(z @ d), 1.0 if part.swings else 0.0
    if abs(abs(cosine) - parallel) > ALIGNED or not np.all(np.isfinite(places)):
        return f"the axis of {shaft!r} is not {'along' if part.swings else 'across'} that of {guide!r}"
    x = None if part.swings else given[0]
    frame, follower = Marker(i.body, i.at, z=seat.z, x=x), Marker(j.body, j.at, z=seat.z, x=x)
    if part.swings:
        held = _measures(part, frame, follower, ("pin_x", "x"), ("pin_y", "y"))
    else:
        turn = Measure(f"{part.name}.turn", "dot", frame, follower, direction=("y", "x"), unit="1")
        held = (*_measures(part, frame, follower, ("across", "y")), turn)
    return Layout(i.body, centre, seat.at, frame, follower, held, 1.0, 1.0 if cosine > -0.5 else -1.0, seat.z)


def _measures(part: Cam, i: Marker, j: Marker, *named: tuple[str, str]) -> tuple[Measure, ...]:
    return tuple(Measure(f"{part.name}.{name}", "along_body", i, j, direction=a, unit="m") for name, a in named)


def _joint(part: Cam, measure: Measure) -> Any:
    joint = part.model._parts.get(measure.name.rpartition(".")[0])
    return joint if isinstance(joint, Joint) and measure.kind in ("angle", "along_body") else None


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
