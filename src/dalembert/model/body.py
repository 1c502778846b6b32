"""Bodies, particles and the ground."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import UnknownAttributeError as UnknownAttributeError
from ..errors import nearest
from .frame import Axis, Marker, Point, read_vector
from .measure import Measure
from .reading import Number, check_direction, listed

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .shapes import Shape

Vector = tuple[Number, Number, Number]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body.

    `at` is the origin of its frame in space and `drawn_angle` (plane) or `rotation` (space) its orientation, as drawn.  `shape`
    gives mass, mass centre and inertia in that frame.  `velocity` is that of the origin; `spin` the angular velocity, in
    space axes.  Points of the shape are points of the body: `crank.start`, `crank.end`.
    """

    model: Mechanism = field(repr=False)
    name: str
    shape: Shape | None
    at: Vector = (0.0, 0.0, 0.0)
    drawn_angle: Number = 0.0
    rotation: Any = None  # 3x3 matrix in space
    velocity: Vector | None = None
    spin: Any = None
    given_center: Vector | None = None  # mass centre in body axes, where it is not that of the shape
    particle: bool = False

    kind = "body"

    @property
    def is_ground(self) -> bool:
        """Whether this is the fixed frame."""
        return self.shape is None

    @property
    def center(self) -> Point:
        """Mass centre, as a point of the body."""
        if self.shape is None:
            raise AttributeError("center")
        if self.given_center is not None:
            return Point(self, self.given_center)
        x, y, *z = self.shape.points["center"]
        return Point(self, (x, y, z[0] if z and not self.model.plane else 0.0))

    def point(self, *coordinates: Any) -> Point:
        """Point of the body at (x, y) or (x, y, z) in its own axes."""
        asked = f"point on body {self.name!r}"
        given = coordinates[0] if len(coordinates) == 1 and listed(coordinates[0]) is not None else coordinates
        return Point(self, read_vector(self.model, asked, "point", given))

    def axis(self, *coordinates: Any) -> Axis:
        """Direction fixed on the body, in its own axes."""
        asked = f"axis on body {self.name!r}"
        given = coordinates[0] if len(coordinates) == 1 and listed(coordinates[0]) is not None else coordinates
        v = read_vector(self.model, asked, "axis", given)
        check_direction(asked, "axis", v[:2] if self.model.plane else v, self.model.value)
        return Axis(self, v)

    def measures(self) -> dict[str, Measure]:
        """Coordinates of the origin, and in the plane the angle."""
        ground = self.model.ground
        start, end = Marker(ground, (0.0, 0.0, 0.0)), Marker(self, Point(self, (0.0, 0.0, 0.0)))
        directions = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
        if self.model.plane:
            del directions["z"]
        found = {
            name: Measure(f"{self.name}.{name}", "along_space", start, end, direction=d, unit="m")
            for name, d in directions.items()
        }
        if self.model.plane and not self.particle:
            found["angle"] = Measure(f"{self.name}.angle", "angle", start, end, unit="rad")
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        measures = self.measures() if not self.is_ground else {}
        if name in measures:
            return measures[name]
        points = {} if self.shape is None else self.shape.points
        if name in points:
            coordinates = list(points[name])
            coordinates = coordinates[:2] if self.model.plane else (coordinates + [0.0])[:3]
            return self.point(*coordinates)
        raise UnknownAttributeError(
            f"{name!r} of body {self.name!r}", f"no such point or measure: {nearest(name, [*points, *measures])}",
            "a body has the points of its shape and the coordinates of its origin", "use one of the names above, or body.point(x, y)",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{'particle' if self.particle else self.kind} {self.name!r}>"
