"""A planar mechanism built once more in space, as a second opinion for `verify`.

Every body is held in the plane z = 0; joints, drivers and force elements act on the same measures, now by the formulas of space.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import MethodError
from ...model.body import Body
from ...model.driver import Driver
from ...model.forces import Force, Law
from ...model.frame import Axis, Marker, Point
from ...model.joints import Joint
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...system.geometry import Drawing

_NORMAL = (0.0, 0.0, 1.0)
# velocities (x', y', angle') among the six of a body in space
IN_PLANE = np.array([0, 1, 5])
OUT_OF_PLANE = np.array([2, 3, 4])


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddedJoint(Joint):
    """Measures that a planar joint holds, in space."""

    held: list[Measure] = field(default_factory=list)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the measures."""
        bases = [base for x in self.held for base in self.model.base_measures(x)]
        return tuple(m.body for base in bases for m in (base.i, base.j) if m is not None)

    def rows(self) -> list[Measure]:
        """The measures."""
        return self.held


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddedForce(Force):
    """Measures and laws of a planar force element, in space."""

    loads: list[tuple[Measure, Law]] = field(default_factory=list)

    def elements(self) -> list[tuple[Measure, Law]]:
        """The measures with their laws."""
        return self.loads


class Embedded(Mechanism):
    """A planar mechanism in space; names of bodies, joints, drivers, force elements and measures are those of the plane.

    `flat`: the planar mechanism.
    """

    def __init__(self, flat: Mechanism) -> None:
        self.flat, self.drawing = flat, Drawing(flat)
        gravity = tuple(self.drawing.vector(flat.gravity))
        super().__init__(flat.name, plane=False, gravity=gravity, length=self.drawing.extent)
        self._body_of: dict[int, Body] = {id(flat.ground): self.ground}
        for name, value in flat.parameters.items():
            self.parameter(name, value)
        for body in flat.bodies:
            self._embed_body(body)
        for joint in flat.parts("joint"):
            self._add(EmbeddedJoint(self, joint.name, [x for row in joint.rows() for x in self._rows(row)]))
        for driver in flat.parts("driver"):
            self._add(Driver(self, driver.name, self.measure_of(driver.measure), driver.expression))
        for force in flat.parts("force"):
            self._add(EmbeddedForce(self, force.name, [(self.measure_of(x), law) for x, law in force.elements()]))
        for body in flat.bodies:
            self._hold_in_plane(self._body_of[id(body)])

    def find_measure(self, name: str) -> Measure | None:
        """Measure of the planar mechanism by its name, in space."""
        found = self.flat.find_measure(name)
        return None if found is None else self.measure_of(found)

    def _embed_body(self, body: Body) -> None:
        pose = self.drawing.poses[body]
        p = pose.properties
        assert p is not None
        if body.particle:
            made = self.particle(body.name, mass=p.mass, at=tuple(pose.origin))
        else:
            # only the polar moment matters for motion in the plane; the other two keep the tensor regular
            polar, center, at = p.inertia[2, 2], tuple(pose.center), tuple(pose.origin)
            made = self.body(body.name, mass=p.mass, inertia=(polar,) * 3, center=center, at=at, rotation=pose.rotation)
        self._body_of[id(body)] = made

    def _hold_in_plane(self, body: Body) -> None:
        name = f"plane of {body.name}"
        while name in self:
            name += "'"
        ground, own = Marker(self.ground, (0.0, 0.0, 0.0), z=_NORMAL), Marker(body, z=_NORMAL)
        held = [Measure(f"{name}.lift", "along_space", ground, own, direction=_NORMAL)]
        if not body.particle:
            held.append(Measure(f"{name}.tilt", "parallel", ground, own, unit="1"))
        self._add(EmbeddedJoint(self, name, held))

    # -- measures --------------------------------------------------------------------------------------------------------

    def _rows(self, measure: Measure) -> list[Measure]:
        """Rows of a joint: two for a gap, along x and y."""
        if measure.kind != "gap":
            return [self.measure_of(measure)]
        i, j = self._marker(measure.i), self._marker(measure.j)
        ways = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)))
        return [Measure(f"{measure.name}_{a}", "along_space", i, j, direction=d, unit="m") for a, d in ways]

    def measure_of(self, measure: Measure) -> Measure:
        """A planar measure in space."""
        offset = self.drawing.offset(measure)
        if measure.kind in ("expression", "rate_expression"):
            return replace(measure, terms=tuple((c, self.measure_of(term)) for c, term in measure.terms), offset=offset)
        if measure.kind == "combination":
            terms = tuple((self.drawing.number(c), self.measure_of(term)) for c, term in measure.terms)
            ends = [None if end is None else self._marker(end) for end in (measure.i, measure.j)]
            return replace(measure, i=ends[0], j=ends[1], terms=terms, offset=offset)
        i, j = self._marker(measure.i), self._marker(measure.j)
        if measure.kind == "angle":
            # between the x axes of the two bodies, so that turns are those of the plane
            ends = [Marker(end.body, end.at, z=_NORMAL, x=Axis(end.body, (1.0, 0.0, 0.0))) for end in (i, j)]
            return replace(measure, i=ends[0], j=ends[1], offset=offset)
        if measure.kind in ("along_body", "along_space", "distance", "velocity", "spin"):
            frame = None if measure.frame is None else self._body_of[id(measure.frame)]
            direction: Any = measure.direction
            if measure.kind == "along_space":
                direction = self._direction(direction)
            return replace(measure, i=i, j=j, direction=direction, offset=offset, frame=frame)
        raise MethodError(
            f"verify({self.flat.name!r})",
            f"measure {measure.name!r} of kind {measure.kind!r}",
            "a measure of this kind has no counterpart in space",
            "leave the part out that uses it",
        )

    def _marker(self, marker: Marker | None) -> Marker:
        assert marker is not None
        at: Any = marker.at
        if isinstance(at, Point):
            at = Point(self._body_of[id(at.body)], self._numbers(at.coordinates))
        elif at is not None:
            at = self._numbers(at)
        x = None if marker.x is None else self._direction(marker.x)
        return Marker(self._body_of[id(marker.body)], at, z=_NORMAL, x=x)

    def _direction(self, d: Any) -> Any:
        if isinstance(d, Axis):
            return Axis(self._body_of[id(d.body)], self._numbers(d.coordinates))
        return self._numbers(d)

    def _numbers(self, x: Any) -> Any:
        return tuple(float(c) for c in self.drawing.vector(x))


def lifted(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Configuration and velocity of the plane in space: quaternions of turns about z."""
    flat, rates = q.reshape(-1, 3), v.reshape(-1, 3)
    there, moving = np.zeros((len(flat), 7)), np.zeros((len(flat), 6))
    there[:, :2], there[:, 3], there[:, 6] = flat[:, :2], np.cos(0.5 * flat[:, 2]), np.sin(0.5 * flat[:, 2])
    moving[:, IN_PLANE] = rates
    return there.ravel(), moving.ravel()
