"""What slides where bodies touch: the velocity of the point of j that touches against that of i, along the plane.

    corner, ball of radius r over a plane, axes n, y, z of i      y' - r w_z,   z' + r w_y          w = omega_j - omega_i;  in the plane -y' + r w_z
    rim of radius R about c, with d = n . c                      arm -R (n - d c)/sqrt(1 - d^2) in the place of -r n
    two balls in the plane, centres d apart at the angle th      -d th' + r_i w_i + r_j w_j;   j inside i:  -d th' + r_i w_i - r_j w_j
    two balls in space, d from centre to centre, n = d/|d|       t . (d' - (r_i omega_i + r_j omega_j) x n);   j inside i:  -r_j

(y, z) is the place of the centre seen from i.  Two directions t across n come from two across a fixed direction p by the smallest rotation of p to n,

    t = t0 - (t0 . n)/(1 + p . n) (p + n),

which exists everywhere but at n = -p.  What slides, its size and the force against it do not depend on p.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..expression import Call, Expr, Number, as_expression, functions
from ..frame import Marker, Point
from ..measure import Measure
from ..shapes.reading import is_plain

# p, in no plane or line that a machine is likely to be drawn along, and two directions across it
POLE = np.array([0.2, 0.36, 0.91]) / np.linalg.norm([0.2, 0.36, 0.91])
ACROSS = np.linalg.svd(POLE[None])[2][1:]

if TYPE_CHECKING:
    from ._touching import Feature
    from .contact import Contact


def over_plane(part: Contact, plane: Marker, f: Feature) -> tuple[Measure, ...]:
    """Of a corner, a ball or a rim over a plane: one way in the plane, two in space."""
    name, foot = f"{part.name}.{f.label}", Marker(part.j, f.at, z=f.axis)
    if part.model.plane:
        # to the right where the normal points up
        along_y = Measure(f"{name}.along_y", "along_body", plane, foot, direction="y", unit="m")
        terms = [(-1.0, along_y)]
        if not (is_plain(f.radius) and f.radius == 0.0):
            terms.append((f.radius, Measure(f"{name}.angle", "angle", plane, foot, unit="rad")))
        return (Measure(f"{name}.slide", "combination", plane, foot, terms=tuple(terms), unit="m"),)
    ways = ("y", "z")
    along = {a: Measure(f"{name}.along_{a}", "along_body", plane, foot, direction=a, unit="m") for a in ways}
    if is_plain(f.radius) and f.radius == 0.0:
        return tuple(along.values())
    spin = {a: Measure(f"{name}.spin_{a}", "spin", plane, foot, direction=a, frame=part.i, unit="rad") for a in ways}
    by_n: Expr = -1.0 * as_expression(f.radius)
    by_c: dict[str, Expr] = {a: Number(0.0) for a in ways}
    parts = [*along.values(), *spin.values()]
    if f.axis is not None:
        tilt = Measure(f"{name}.tilt", "dot", plane, foot, direction=("x", "z"), unit="1")
        leaning = {a: Measure(f"{name}.lean_{a}", "dot", plane, foot, direction=(a, "z"), unit="1") for a in ways}
        across = functions.sqrt(1.0 - tilt.symbol**2)
        by_n = by_n / across
        by_c = {a: -1.0 * by_n * tilt.symbol * Call("rate", (leaning[a].symbol,)) for a in ways}
        parts += [tilt, *leaning.values()]
    # w x u with the arm u = by_n n + by_c c:  w x n is w_z along y and -w_y along z, w x c the rate of c seen from i
    rates = {
        "y": along["y"].rate + by_n * spin["z"].rate + by_c["y"],
        "z": along["z"].rate - by_n * spin["y"].rate + by_c["z"],
    }
    return tuple(_rate(f"{name}.slide_{a}", e, parts, plane, foot) for a, e in rates.items())


def of_balls(part: Contact, first: Marker, second: Marker, radii: tuple[Any, Any]) -> tuple[Measure, ...]:
    """Of two balls, across the line of their centres: one way in the plane, two in space."""
    if not part.model.plane:
        return _of_balls_in_space(part, first, second, radii)
    name, ground = f"{part.name}.gap", part.model.ground
    x, y = (
        Measure(f"{name}.centres_{a}", "along_space", first, second, direction=d, unit="m")
        for a, d in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)))
    )
    rate = (y.symbol * x.rate - x.symbol * y.rate) / functions.sqrt(x.symbol**2 + y.symbol**2)
    parts, here = [x, y], Marker(ground, Point(ground, (0.0, 0.0, 0.0)))
    for body, marker, r in ((part.i, first, radii[0]), (part.j, second, -1.0 * radii[1] if part.inside else radii[1])):
        if not body.is_ground and not body.particle:
            angle = Measure(f"{name}.angle_{body.name}", "angle", here, marker, unit="rad")
            rate = rate + r * angle.rate
            parts.append(angle)
    return (_rate(f"{name}.slide", rate, parts, first, second),)


def _of_balls_in_space(part: Contact, first: Marker, second: Marker, radii: tuple[Any, Any]) -> tuple[Measure, ...]:
    """Along two directions across the line of the centres."""
    name, axes = f"{part.name}.gap", np.eye(3)
    here = Marker(part.model.ground, Point(part.model.ground, (0.0, 0.0, 0.0)))
    d = [
        Measure(f"{name}.centres_{a}", "along_space", first, second, direction=tuple(e), unit="m")
        for a, e in zip("xyz", axes.tolist())
    ]
    parts, size = list(d), functions.sqrt(d[0].symbol ** 2 + d[1].symbol ** 2 + d[2].symbol ** 2)
    n: list[Expr] = [x.symbol / size for x in d]
    spin: list[Expr] = [Number(0.0)] * 3
    for body, marker, r in ((part.i, first, radii[0]), (part.j, second, -1.0 * radii[1] if part.inside else radii[1])):
        if not body.is_ground and not body.particle:
            omega = [
                Measure(f"{name}.spin_{a}_{body.name}", "spin", here, marker, direction=tuple(e), unit="rad")
                for a, e in zip("xyz", axes.tolist())
            ]
            spin = [s + r * w.rate for s, w in zip(spin, omega)]
            parts += omega
    u = [x.rate - (spin[k - 2] * n[k - 1] - spin[k - 1] * n[k - 2]) for k, x in enumerate(d)]
    share = (_dot(POLE, u) + _dot(n, u)) / (1.0 + _dot(POLE, n))
    found = []
    for a, across in zip("yz", ACROSS):
        rate = _dot(across, u) - _dot(across, n) * share
        found.append(_rate(f"{name}.slide_{a}", rate, parts, first, second))
    return tuple(found)


def _dot(a: Any, b: list[Expr]) -> Expr:
    first, *rest = [float(x) * y if not isinstance(x, Expr) else x * y for x, y in zip(a, b)]
    return sum(rest, first)


def _rate(name: str, rate: Expr, parts: list[Measure], i: Marker, j: Marker) -> Measure:
    e = rate.simplify()
    used = tuple((1.0, m) for m in parts if {m.name, f"rate({m.name})"} & e.names)
    return Measure(name, "rate_expression", i, j, expression=e, terms=used, unit="m")
