"""Points, directions and markers: where on the bodies things are attached.

A location or direction is given in space at the drawn configuration, or on a body.  A `Marker` carries both to one body:
an origin and three axes, of which z is the axis of the joint.  Numbers are resolved when the model is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from .reading import Number, read_components

if TYPE_CHECKING:
    from .body import Body
    from .mechanism import Mechanism

Vector = tuple[Number, Number, Number]


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed on a body, in the body's own axes, from the origin of its frame."""

    body: Body
    coordinates: Vector

    def __repr__(self) -> str:
        return f"{self.body.name}.point{self.coordinates}"


@dataclass(frozen=True, eq=False)
class Axis:
    """A direction fixed on a body, in the body's own axes."""

    body: Body
    coordinates: Vector

    def __repr__(self) -> str:
        return f"{self.body.name}.axis{self.coordinates}"


@dataclass(frozen=True, eq=False)
class Marker:
    """Frame on a body: `at` a point (on a body or in space as drawn), `z` and `x` directions likewise; None means default."""

    body: Body
    at: Point | Vector | None = None
    z: Axis | Vector | None = None
    x: Axis | Vector | None = None


def read_location(model: Mechanism, asked: str, name: str, x: Any) -> Point | Vector:
    """A point on a body, a (body, coordinates) pair, or coordinates in space at the drawn configuration."""
    if isinstance(x, Point):
        model.own(asked, x.body)
        return x
    if isinstance(x, tuple | list) and len(x) == 2 and model.is_body(x[0]):
        body = model.read_body(asked, x[0])
        if isinstance(x[1], Point):
            if x[1].body is not body:
                raise ModelError(asked, f"{name} = {x!r}", "the point lies on another body", "give a point of that body")
            return x[1]
        return body.point(*_listed(asked, name, x[1]))
    return read_components(asked, name, x, model.plane, model.parameter_names)


def read_direction(model: Mechanism, asked: str, name: str, x: Any) -> Axis | Vector:
    """A direction on a body, or in space at the drawn configuration."""
    if isinstance(x, Axis):
        model.own(asked, x.body)
        return x
    if isinstance(x, str) and x in ("x", "y", "z"):
        x = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}[x]
        x = x[:2] if model.plane else x
    v = read_components(asked, name, x, model.plane, model.parameter_names)
    if all(isinstance(c, float) and c == 0.0 for c in v):
        raise ModelError(asked, f"{name} = {x!r}", "a zero vector has no direction", f"give {name} a vector that is not zero")
    return v


def _listed(asked: str, name: str, x: Any) -> list[Any]:
    try:
        if isinstance(x, str):
            raise TypeError
        return list(x)
    except TypeError:
        raise ModelError(
            asked, f"{name} = {x!r}", "a point is a pair or triple of numbers", f"give {name}=(body, (x, y))"
        ) from None
