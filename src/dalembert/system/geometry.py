"""Numbers behind the drawing: poses of bodies as drawn, markers in body axes, and values of measures.

The values here are computed in the plainest way, with matrices; kernels do the same in their own way, and tests compare the two.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from ..errors import DalembertError, ModelError
from ..model.body import Body
from ..model.expression import Expr, Number
from ..model.frame import Axis, Marker, Point
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.reading import LARGEST, Orientation, conjugate, matrix_quaternion, quaternion_product, unit
from ..model.shapes import MassProperties

_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class Pose:
    """A body as drawn: rotation A, origin o in space, mass centre c in body axes, mass properties."""

    rotation: np.ndarray
    origin: np.ndarray
    center: np.ndarray
    properties: MassProperties | None

    @cached_property
    def position(self) -> np.ndarray:
        """Mass centre in space."""
        return self.origin + self.rotation @ self.center


@dataclass
class Attached:
    """A marker on a body in numbers: point from the mass centre and axes (columns), both in body axes."""

    body: Body
    point: np.ndarray
    make_axes: Callable[[], np.ndarray]  # many measures are of points alone

    @cached_property
    def axes(self) -> np.ndarray:
        """Axes as columns."""
        return self.make_axes()


class Drawing:
    """Poses of all bodies of a mechanism as drawn, and what follows from them."""

    def __init__(self, model: Mechanism, values: dict[str, float] | None = None) -> None:
        self.model = model
        self.values = model.parameters if values is None else values
        self.used: set[str] = set()  # names in the expressions that were looked at
        self._numbers: dict[Expr, float] = {}
        self.poses: dict[Body, Pose] = {model.ground: Pose(np.eye(3), np.zeros(3), np.zeros(3), None)}
        for body in model.bodies:
            self.poses[body] = self._known(body)

    def matter(self, body: Body) -> MassProperties:
        """Mass properties of a body that moves; the ground has none."""
        found = self.poses[body].properties
        assert found is not None
        return found

    def with_values(self, values: dict[str, float]) -> Drawing:
        """The same poses with other values of parameters that they do not depend on."""
        made = copy.copy(self)
        made.values, made.used, made._numbers = values, set(self.used), {}
        return made

    def number(self, x: Any) -> float:
        """Number behind a number or an expression of parameters."""
        if not isinstance(x, Expr):
            return float(x)
        self.used |= x.names
        found = self._numbers.get(x)
        if found is None:
            found = self._numbers[x] = x.evaluate(self.values)
        return found

    def numbers_in(self, expression: Expr) -> dict[str, Expr | float]:
        """Parameters of an expression by name, as numbers to be put in their places."""
        found = expression.names & self.values.keys()
        self.used |= found
        return {name: Number(self.values[name]) for name in found}

    def vector(self, x: Any) -> np.ndarray:
        """Three numbers."""
        return np.array([self.number(c) for c in x])

    def _known(self, body: Body) -> Pose:
        """Pose of a body: the one found before, if the parameters that it depends on have the values that they had then."""
        before = body.__dict__.get("_drawn")
        if before is not None and all(self.values.get(name) == x for name, x in before[0]):
            self.used.update(name for name, _ in before[0])
            return before[1]  # type: ignore[no-any-return]
        others, self.used = self.used, set()
        pose = self._checked(body)
        for x in (pose.rotation, pose.origin, pose.center, pose.position):
            x.setflags(write=False)  # others will read them
        body.__dict__["_drawn"] = [(name, self.values.get(name)) for name in self.used], pose
        self.used |= others
        return pose

    def _checked(self, body: Body) -> Pose:
        """Pose of a body; errors name the body."""
        asked = f"body {body.name!r}"
        try:
            pose = self._pose(body)
        except DalembertError as error:
            if asked in error.asked:
                raise
            raise type(error)(f"{asked}: {error.asked}", error.found, error.why, error.do) from None
        p = pose.properties
        assert p is not None
        numbers = (
            ("mass", [p.mass]),
            ("mass centre", pose.position),
            ("origin", pose.origin),
            ("inertia", p.inertia.ravel()),
        )
        for what, values in numbers:
            for x in values:
                if not abs(x) <= LARGEST:
                    raise ModelError(
                        asked,
                        f"{what} = {float(x)!r}",
                        f"numbers beyond {LARGEST:g} cannot be computed with",
                        "give SI units",
                    )
        if 0.0 < p.mass < 1.0 / LARGEST:
            raise ModelError(
                asked,
                f"mass = {p.mass!r}",
                "a mass this small cannot be computed with",
                "give SI units, or mass=0 for a massless body",
            )
        return pose

    def _pose(self, body: Body) -> Pose:
        assert body.shape is not None
        properties = body.shape.mass_properties(self.number).check(body.name)
        if body.given_center is not None:
            properties = MassProperties(properties.mass, self.vector(body.given_center), properties.inertia)
        if self.model.plane:
            angle = self.number(body.drawn_angle)
            c, s = math.cos(angle), math.sin(angle)
            rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        else:
            rotation = body.rotation
            if rotation is None:
                rotation = np.eye(3)
            elif isinstance(rotation, Orientation):
                rotation = rotation.matrix(self.number)
        center = np.array(properties.center, dtype=float)
        if self.model.plane:
            center[2] = 0.0
        return Pose(rotation, self.vector(body.at), center, properties)

    # -- markers -----------------------------------------------------------------------------------------------------

    def place(self, body: Body, at: Any) -> np.ndarray:
        """Point of a body, from its mass centre, in body axes; None is the mass centre."""
        pose = self.poses[body]
        if at is None:
            return np.zeros(3)
        if isinstance(at, Point):
            if at.body is body:
                return self.vector(at.coordinates) - pose.center
            other = self.poses[at.body]
            space = other.origin + other.rotation @ self.vector(at.coordinates)
        else:
            space = self.vector(at)
        return pose.rotation.T @ (space - pose.origin) - pose.center

    def direction(self, asked: str, name: str, d: Any) -> np.ndarray:
        """Unit direction in space as drawn."""
        if isinstance(d, Axis):
            return unit(asked, name, self.poses[d.body].rotation @ self.vector(d.coordinates))
        return unit(asked, name, self.vector(d))

    def axes(self, marker: Marker, like: np.ndarray | None = None) -> np.ndarray:
        """Axes of a marker in space as drawn, as columns.  `like` is the frame of the partner: x follows it."""
        asked = f"axes on body {marker.body.name!r}"
        if marker.z is None and marker.x is None:
            return np.eye(3) if like is None else like
        if marker.z is None:
            x = self.direction(asked, "x", marker.x)
            z = np.array([0.0, 0.0, 1.0]) if self.model.plane else perpendicular(x)
            return np.column_stack([x, _cross(z, x), z])
        z = self.direction(asked, "axis", marker.z)
        if marker.x is not None:
            x = self.direction(asked, "x", marker.x)
            x = x - (x @ z) * z
            if float(x @ x) < 1e-12:
                raise ModelError(
                    asked,
                    "its two directions are parallel",
                    "they must span a plane",
                    "choose two different directions",
                )
            x = x / math.sqrt(float(x @ x))
        elif like is None:
            x = perpendicular(z)
        else:
            # turn the partner's frame by the smallest rotation that brings its z to this one
            x = smallest_rotation(like[:, 2], z) @ like[:, 0]
        return np.column_stack([x, _cross(z, x), z])

    def attach(self, i: Marker, j: Marker) -> tuple[Attached, Attached]:
        """Both markers of a measure in body axes."""
        turned_i, turned_j = self.poses[i.body].rotation.T, self.poses[j.body].rotation.T
        frame = cache(lambda: self.axes(i))
        return (
            Attached(i.body, self.place(i.body, i.at), lambda: turned_i @ frame()),
            Attached(j.body, self.place(j.body, j.at), lambda: turned_j @ self.axes(j, like=frame())),
        )

    def twist_quaternions(self, measure: Measure, a: Attached, b: Attached) -> np.ndarray:
        """Quaternions of both markers in body axes, one after the other, for a "twist".

        A quaternion and its opposite are one rotation; the second is chosen so that the largest component of r is positive in the drawing,
        with the quaternions that `matrix_quaternion` gives the bodies.
        """
        first, second = matrix_quaternion(a.axes), matrix_quaternion(b.axes)
        body_i, body_j = (matrix_quaternion(self.poses[x.body].rotation) for x in (a, b))
        r = quaternion_product(conjugate(quaternion_product(body_i, first)), quaternion_product(body_j, second))
        return np.concatenate([first, second if r[int(np.argmax(np.abs(r)))] > 0.0 else -second])

    # -- values ------------------------------------------------------------------------------------------------------

    def drawn_value(self, measure: Measure) -> float:
        """Value of a measure at the drawn configuration, its offset subtracted."""
        offset = measure.offset
        raw = self._raw(measure)
        return 0.0 if isinstance(offset, str) else raw - self.number(offset)

    def offset(self, measure: Measure) -> float:
        """Reading of a measure that counts as zero."""
        return self._raw(measure) if isinstance(measure.offset, str) else self.number(measure.offset)

    def _raw(self, measure: Measure) -> float:
        if measure.is_rate:
            return 0.0
        if measure.kind == "combination":
            return sum(self.number(c) * self.drawn_value(m) for c, m in measure.terms)
        if measure.kind == "expression":
            assert measure.expression is not None
            values = dict(self.values, t=0.0)
            for name in measure.expression.names - set(values):
                part = measure.term(name) or self.model.find_measure(name)
                assert part is not None
                values[name] = self.drawn_value(part)
            return measure.expression.evaluate(values)
        assert measure.i is not None and measure.j is not None
        if measure.kind == "angle" and self.model.plane:
            return self.number(measure.j.body.drawn_angle) - self.number(measure.i.body.drawn_angle)
        i, j = self.attach(measure.i, measure.j)
        pose_i, pose_j = self.poses[i.body], self.poses[j.body]
        a, b = pose_i.rotation @ i.axes, pose_j.rotation @ j.axes
        gap = pose_j.position + pose_j.rotation @ j.point - pose_i.position - pose_i.rotation @ i.point
        if measure.kind == "angle":
            return math.atan2(float(a[:, 1] @ b[:, 0]), float(a[:, 0] @ b[:, 0]))
        if measure.kind == "distance":
            return math.sqrt(float(gap @ gap))
        if measure.kind == "dot":
            return float(a[:, _AXES[measure.direction[0]]] @ b[:, _AXES[measure.direction[1]]])
        if measure.kind == "twist":
            return 2.0 * float(matrix_quaternion(a.T @ b)[3])
        if measure.kind == "along_body":
            return float(a[:, _AXES[measure.direction]] @ gap)
        return float(self.direction(measure.name, "direction", measure.direction) @ gap)

    @cached_property
    def extent(self) -> float:
        """Typical length: the one given, or the largest distance between mass centres, origins of bodies and joint points as drawn.

        It does not change when the model is moved or turned; tolerances and reactions that are not unique depend on it.
        """
        if self.model.length is not None:
            return self.number(self.model.length)
        moving = [pose for key, pose in self.poses.items() if key is not self.model.ground]
        points = [pose.position for pose in moving] + [pose.origin for pose in moving]
        for joint in self.model.parts("joint"):
            marker = joint.markers[-1]
            pose = self.poses[marker.body]
            points.append(pose.position + pose.rotation @ self.place(marker.body, marker.at))
        radii = [
            math.sqrt(float(max(p.properties.inertia.flat[::4])) / p.properties.mass)
            for p in moving
            if p.properties is not None and p.properties.mass > 0.0
        ]
        extent = max([_largest_distance(np.array(points)) if points else 0.0, *radii]) or 1.0
        return extent if 1.0 / LARGEST <= extent <= LARGEST else 1.0


def _largest_distance(points: np.ndarray) -> float:
    """Largest distance between points; of very many, the largest found by going to the farthest one three times."""
    if len(points) <= 400:
        return float(np.max(np.linalg.norm(points[:, None] - points[None], axis=2)))
    far, largest = np.mean(points, axis=0), 0.0
    for k in range(4):
        distance = np.linalg.norm(points - far, axis=1)
        largest = max(largest, float(np.max(distance)) if k else 0.0)
        far = points[int(np.argmax(distance))]
    return largest


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    # np.cross takes ten times as long on single vectors
    (a0, a1, a2), (b0, b1, b2) = a, b
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def perpendicular(z: np.ndarray) -> np.ndarray:
    """Unit vector across z: from the space axis that is most inclined to it."""
    k = int(np.argmin(np.abs(z)))
    e = np.zeros(3)
    e[k] = 1.0
    x = e - z[k] * z
    return x / math.sqrt(float(x @ x))


def smallest_rotation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rotation matrix that takes the unit vector a to the unit vector b the short way."""
    c = float(a @ b)
    if c > 1.0 - 1e-15:
        return np.eye(3)
    if c < -1.0 + 1e-12:
        x = perpendicular(a)
        return 2.0 * np.outer(x, x) - np.eye(3)
    v = _cross(a, b)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1.0 + c)
