"""Points, directions and markers: where on the bodies things are attached.

A location or direction is given in space at the drawn configuration, or on a body.  A `Marker` carries both to one body:
an origin and three axes, of which z is the axis of the joint.  Numbers are resolved when the model is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, shown, unknown_attribute
from .reading import Number, check_direction, listed, read_components

if TYPE_CHECKING:
    from .arguments import Arguments
    from .body import Body
    from .mechanism import Mechanism


Vector = tuple[Number, Number, Number]


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed on a body, in the body's own axes, from the origin of its frame."""

    body: Body
    coordinates: Vector

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("body", "coordinates"):  # one that is being copied has none yet
            raise AttributeError(name)
        do = f"m.measure(name, point={self!r}, along=(1, 0)) is a coordinate in space, run[body].point(...) its motion"
        raise unknown_attribute(self, "a point", name, do)

    def __repr__(self) -> str:
        return f"{self.body.name}.point{_shown(self.body, self.coordinates)}"


@dataclass(frozen=True, eq=False)
class Axis:
    """A direction fixed on a body, in the body's own axes."""

    body: Body
    coordinates: Vector

    def __repr__(self) -> str:
        return f"{self.body.name}.axis{_shown(self.body, self.coordinates)}"


@dataclass(frozen=True, eq=False)
class Marker:
    """Frame on a body: `at` a point (on a body or in space as drawn), `z` and `x` directions likewise; None means default."""

    body: Body
    at: Point | Vector | None = None
    z: Axis | Vector | None = None
    x: Axis | Vector | None = None


def read_location(model: Arguments, asked: str, name: str, x: Any) -> Point | Vector:
    """A point on a body, a (body, coordinates) pair, a body (its origin), or coordinates in space at the drawn configuration."""
    if isinstance(x, Point):
        model.own(asked, x.body)
        return x
    if model.is_body(x):
        return Point(model.read_body(asked, x), (0.0, 0.0, 0.0))
    if isinstance(x, tuple | list) and len(x) == 2 and model.is_body(x[0]):
        body = model.read_body(asked, x[0])
        if isinstance(x[1], Point):
            if x[1].body is not body:
                raise ModelError(
                    asked, f"{name} = {shown(x)}", "the point lies on another body", "give a point of that body"
                )
            return x[1]
        if listed(x[1]) is None:
            raise ModelError(
                asked, f"{name} = {shown(x)}", "a point is a pair or triple of numbers", f"give {name}=(body, (x, y))"
            )
        return Point(body, read_vector(model, f"{asked}: point on body {body.name!r}", name, x[1]))
    return read_vector(model, asked, name, x)


def read_vector(model: Arguments, asked: str, name: str, x: Any) -> Vector:
    """Components of a vector, two in the plane and three in space, as numbers or expressions of parameters."""
    return read_components(asked, name, x, model.plane, model.parameter_names, model.value)


def read_direction(model: Arguments, asked: str, name: str, x: Any) -> Axis | Vector:
    """A direction on a body, or in space at the drawn configuration."""
    if isinstance(x, Axis):
        model.own(asked, x.body)
        return x
    if isinstance(x, str) and x in ("x", "y", "z"):
        if model.plane and x == "z":
            raise ModelError(asked, f"{name} = 'z'", "the z axis leaves the plane", f"give {name}='x', 'y' or (x, y)")
        x = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}[x]
        x = x[:2] if model.plane else x
    v = read_vector(model, asked, name, x)
    check_direction(asked, name, v[:2] if model.plane else v, model.value)
    return v


def _shown(body: Body, coordinates: Vector) -> str:
    texts = [f"{c:g}" if isinstance(c, float) else str(c) for c in coordinates]
    return f"({', '.join(texts[:2] if body.model.plane else texts)})"


def _drawn_rotation(model: Mechanism, body: Body) -> np.ndarray:
    if body.is_ground:
        return np.eye(3)
    if not model.plane:
        return np.eye(3) if body.rotation is None else np.array(body.rotation, dtype=float)
    c, s = np.cos(model.value(body.drawn_angle)), np.sin(model.value(body.drawn_angle))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def drawn_place(model: Mechanism, place: Any) -> np.ndarray:
    """A place in space as drawn."""
    if not isinstance(place, Point):
        return np.array([model.value(x) for x in place])
    own = np.array([model.value(x) for x in place.coordinates])
    at = np.zeros(3) if place.body.is_ground else np.array([model.value(x) for x in place.body.at])
    return np.asarray(at + _drawn_rotation(model, place.body) @ own)


def drawn_direction(model: Mechanism, d: Any) -> np.ndarray:
    """A direction in space as drawn, of length 1."""
    v = np.array([model.value(x) for x in (d.coordinates if isinstance(d, Axis) else d)])
    v = _drawn_rotation(model, d.body) @ v if isinstance(d, Axis) else v
    return np.asarray(v / np.linalg.norm(v))
