"""Where bodies touch, and their gaps, made of measures that exist.

A body that touches a half-space does so with points, balls about points (a sphere; a capsule is two of them) or rims (circles about an axis: the edges
of a cylinder).  With n the normal, P a point of the plane, C the centre and c the axis of a rim of radius R,

    gap = n . (C - P) - r                              points (r = 0) and balls
    gap = n . (C - P) - R sqrt(1 - (n . c)^2)          rims: the lowest point of a circle
    gap = |C_j - C_i| - (r_i + r_j)                    two balls;  inside each other  (r_i - r_j) - |C_j - C_i|

A convex body touches a plane with its corners: an edge or a face that touches is two or more of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from ..expression import functions
from ..frame import Axis, Marker, Point, drawn_direction
from ..measure import Measure
from ..shapes.reading import is_plain

if TYPE_CHECKING:
    from ..body import Body


@dataclass(frozen=True)
class Feature:
    """What may touch: a ball of `radius` about a point of the body (0: the point itself), or a rim of this radius about an axis."""

    label: str
    at: Any
    radius: Any = 0.0
    axis: Any = None


def features_of(asked: str, body: Body) -> list[Feature]:
    """What a body touches a plane with, from its shape."""
    shape, plane = body.shape, body.model.plane
    maker = None if shape is None else _SHAPES.get(shape.kind)
    found = None if maker is None else maker(shape, plane)
    if found is None:
        what = "the ground" if shape is None else f"{body.name!r} of shape {shape.kind!r}"
        raise ModelError(
            asked, f"no radius and no points of {what}", "nothing is known of where it touches",
            "give radius= of a sphere about its origin, points=[...] that may touch, or both (capsule)",
        )  # fmt: skip
    return [Feature(f.label, _on(body, f.at), f.radius, None if f.axis is None else Axis(body, f.axis)) for f in found]


def _on(body: Body, at: Any) -> Point:
    x, y, z = (*at, 0.0)[:3]
    return Point(body, (x, y, 0.0 if body.model.plane else z))


def _ball(shape: Any, plane: bool) -> list[Feature]:
    return [Feature("", (0.0, 0.0, 0.0), shape.radius)]


def _disk(shape: Any, plane: bool) -> list[Feature]:
    if plane:
        return _ball(shape, plane)
    faces = _sides(shape.thickness)
    return [Feature(label, (0.0, 0.0, z), shape.radius, (0.0, 0.0, 1.0)) for label, z in faces]


def _cylinder(shape: Any, plane: bool) -> list[Feature] | None:
    radius = shape.outer if shape.kind == "tube" else shape.radius
    if plane:
        return [Feature("", (0.0, 0.0, 0.0), radius)] if abs(shape.axis[2]) == 1.0 else None
    return [Feature(end, shape.points[end], radius, tuple(shape.axis)) for end in ("start", "end")]


def _cone(shape: Any, plane: bool) -> list[Feature] | None:
    if plane:
        return None
    rim = Feature("base", shape.points["base"], shape.radius, tuple(shape.axis))
    return [rim, Feature("apex", shape.points["apex"])]


def _box(shape: Any, plane: bool) -> list[Feature]:
    points = shape.points
    if plane:
        names = {f"{y}_{x}": f"{x}_{y}_back" for y, x in product(("bottom", "top"), ("left", "right"))}
    else:
        names = {name: name for name in points if name.count("_") == 2}
    return [Feature(label, points[name]) for label, name in names.items()]


def _lamina(names: Any) -> Any:
    def make(shape: Any, plane: bool) -> list[Feature]:
        corners = [name for name in shape.points if names(name)]
        faces = [("", 0.0)] if plane else _sides(shape.thickness)
        return [
            Feature("_".join(filter(None, (name, label))), (*shape.points[name][:2], z))
            for name in corners
            for label, z in faces
        ]

    return make


def _rod(shape: Any, plane: bool) -> list[Feature]:
    ends = ("start", "end")
    if shape.radius is not None and not plane:
        return [Feature(end, shape.points[end], shape.radius, (1.0, 0.0, 0.0)) for end in ends]
    if shape.radius is None and shape.section is None:
        return [Feature(end, shape.points[end]) for end in ends]
    high, wide = (shape.radius * 2.0, 0.0) if shape.section is None else shape.section
    flat = [("", 0.0)] if plane else _sides(wide)
    return [
        Feature("_".join(filter(None, (end, side, label))), (shape.points[end][0], sign * high / 2.0, z))
        for end in ends
        for side, sign in (("bottom", -1.0), ("top", 1.0))
        for label, z in flat
    ]


def _sides(thickness: Any) -> list[tuple[str, Any]]:
    if thickness is None or (is_plain(thickness) and thickness == 0.0):
        return [("", 0.0)]
    return [("back", -thickness / 2.0), ("front", thickness / 2.0)]


_CORNERS = _lamina(lambda name: name.count("_") == 1)
_SHAPES = {
    "sphere": _ball, "disk": _disk, "cylinder": _cylinder, "tube": _cylinder, "cone": _cone, "box": _box, "rod": _rod,
    "rectangle": _CORNERS, "block": _CORNERS, "plate": _CORNERS, "triangle": _lamina(lambda name: name in ("left", "right", "apex")),
    "polygon": _lamina(lambda name: name.startswith("corner_")),
}  # fmt: skip


def plane_gap(name: str, plane: Marker, feature: Feature, body: Body) -> Measure:
    """Gap of a feature over a plane: x of the marker is its normal."""
    foot = Marker(body, feature.at, z=feature.axis)
    lift = Measure(f"{name}.lift", "along_body", plane, foot, direction="x", unit="m")
    if feature.axis is None:
        return Measure(name, "combination", plane, foot, terms=((1.0, lift),), unit="m", offset=feature.radius)
    tilt = Measure(f"{name}.tilt", "dot", plane, foot, direction=("x", "z"), unit="1")
    low = lift.symbol - feature.radius * functions.sqrt(1.0 - tilt.symbol**2)
    return Measure(name, "expression", expression=low, terms=((1.0, lift), (1.0, tilt)), unit="m")


def check_tilt(asked: str, normal: Any, feature: Feature, body: Body) -> None:
    """Refuse a rim that lies flat on the plane as drawn: it touches along a whole circle, which is no gap of one point."""
    try:
        n, c = (drawn_direction(body.model, d) for d in (normal, feature.axis))
    except (TypeError, ValueError):  # orientations given as expressions
        return
    if abs(float(n @ c)) > 1.0 - 1e-12:
        raise ModelError(
            asked, f"the rim {feature.label!r} lies flat on the plane as drawn",
            "it touches along the whole circle, where one gap cannot tell how it tilts", "give points=[...] of the rim that it stands on, or tilt it",
        )  # fmt: skip


def ball_gap(name: str, first: Marker, second: Marker, radii: tuple[Any, Any], inside: bool) -> Measure:
    """Gap of two balls, one beside the other or the second inside the first."""
    apart = Measure(f"{name}.centres", "distance", first, second, unit="m")
    sign, reach = (-1.0, radii[1] - radii[0]) if inside else (1.0, radii[0] + radii[1])
    return Measure(name, "combination", first, second, terms=((sign, apart),), unit="m", offset=reach)
