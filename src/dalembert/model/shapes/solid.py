"""Shapes of space: box, sphere, cylinder, tube, cone.

Moments by integration of BASICS 8.24 over the solid. Solids of revolution have J = J_t (1 − n nᵀ) + J_a n nᵀ with n
their axis, J_a the moment about it and J_t the moment about any line across it through the mass centre.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from ...errors import checked_call
from .base import Primitive
from .outline import Outline, item, with_z_along
from .quadrature import Nodes, ball, circle, gauss, line
from .reading import AXIS, NONNEGATIVE, POSITIVE, Array, Number, Point, times, total


@dataclass(frozen=True, repr=False)
class Box(Primitive):
    """Made by `box(...)`, which describes it."""

    x: Number = field(metadata=POSITIVE)
    y: Number = field(metadata=POSITIVE)
    z: Number = field(metadata=POSITIVE)

    kind = "box"

    def _volume(self, d: Any) -> Number:
        return d.x * d.y * d.z

    def _inertia_per_mass(self, d: Any) -> tuple[float, float, float]:
        xx, yy, zz = d.x**2 / 12.0, d.y**2 / 12.0, d.z**2 / 12.0
        return yy + zz, zz + xx, xx + yy

    def _named_points(self) -> dict[str, Point]:
        half = (self.x / 2.0, self.y / 2.0, self.z / 2.0)
        names = (("left", "right"), ("bottom", "top"), ("back", "front"))
        points: dict[str, Point] = {}
        for k, side in product(range(3), range(2)):
            face: list[Number] = [0.0, 0.0, 0.0]
            face[k] = half[k] if side else -half[k]
            points[names[k][side]] = tuple(face)
        for sides in product(range(2), repeat=3):
            name = "_".join(names[k][side] for k, side in enumerate(sides))
            points[name] = tuple(half[k] if side else -half[k] for k, side in enumerate(sides))
        return points

    def _rule(self, n: int) -> Nodes:
        xs, ys, zs = (line(n, edge / 2.0) for edge in (self.x, self.y, self.z))
        return [((x, y, z), u * v * w) for x, u in xs for y, v in ys for z, w in zs]

    def _items(self, d: Any) -> Outline:
        return [item("box", size=[d.x, d.y, d.z])]


@dataclass(frozen=True, repr=False)
class Sphere(Primitive):
    """Made by `sphere(...)`, which describes it."""

    radius: Number = field(metadata=POSITIVE)

    kind = "sphere"

    def _volume(self, d: Any) -> Number:
        return 4.0 / 3.0 * math.pi * d.radius**3

    def _inertia_per_mass(self, d: Any) -> tuple[float, float, float]:
        j = 0.4 * d.radius**2
        return j, j, j

    def _named_points(self) -> dict[str, Point]:
        return {}

    def _rule(self, n: int) -> Nodes:
        return ball(n, self.radius)

    def _items(self, d: Any) -> Outline:
        return [item("sphere", radius=d.radius)]


@dataclass(frozen=True, repr=False)
class Revolved(Primitive):
    """Solid of revolution about `axis`, which is "x", "y", "z" or a vector."""

    axis: Any = field(default="z", kw_only=True, metadata=AXIS)

    @abstractmethod
    def _axial_and_transverse(self, d: Any) -> tuple[float, float]:
        """J_a / m and J_t / m about the mass centre (m²)."""

    def _inertia_per_mass(self, d: Any) -> Array:
        axial, transverse = self._axial_and_transverse(d)
        n = np.array(d.axis)
        return transverse * np.eye(3) + (axial - transverse) * np.outer(n, n)

    def _along(self, distance: Number) -> Point:
        return tuple(times(n, distance) for n in self.axis)

    def _turned(self, nodes: Nodes) -> Nodes:
        """Nodes of a solid about z, about the axis instead."""
        columns = with_z_along(self.axis)
        return [(tuple(total(*(times(a, x) for a, x in zip(row, at))) for row in columns), w) for at, w in nodes]


@dataclass(frozen=True, repr=False)
class Cylinder(Revolved):
    """Made by `cylinder(...)`, which describes it."""

    radius: Number = field(metadata=POSITIVE)
    length: Number = field(metadata=POSITIVE)

    kind = "cylinder"

    def _volume(self, d: Any) -> Number:
        return math.pi * d.radius**2 * d.length

    def _axial_and_transverse(self, d: Any) -> tuple[float, float]:
        return d.radius**2 / 2.0, (3.0 * d.radius**2 + d.length**2) / 12.0

    def _named_points(self) -> dict[str, Point]:
        return {"start": self._along(-self.length / 2.0), "end": self._along(self.length / 2.0)}

    def _rule(self, n: int) -> Nodes:
        across = circle(n, self.radius)
        return self._turned([((x, y, z), v * w) for z, v in line(n, self.length / 2.0) for x, y, w in across])

    def _items(self, d: Any) -> Outline:
        return [item("cylinder", with_z_along(d.axis), radius=d.radius, inner=0.0, length=d.length)]


@dataclass(frozen=True, repr=False)
class Tube(Revolved):
    """Made by `tube(...)`, which describes it."""

    outer: Number = field(metadata=POSITIVE)
    inner: Number = field(metadata=NONNEGATIVE)
    length: Number = field(metadata=POSITIVE)

    kind = "tube"

    def _check_related(self, d: Any) -> None:
        if d.inner >= d.outer:
            self._refuse(
                f"inner = {d.inner:g} and outer = {d.outer:g}",
                "the inner radius must be below the outer one, or there is no wall",
                "exchange or correct the radii: tube(outer, inner, length)",
            )

    def _volume(self, d: Any) -> Number:
        # π (R² − r²) l without the cancellation of R² − r² in thin walls
        return math.pi * (d.outer - d.inner) * (d.outer + d.inner) * d.length

    def _axial_and_transverse(self, d: Any) -> tuple[float, float]:
        squares = d.outer**2 + d.inner**2
        return squares / 2.0, (3.0 * squares + d.length**2) / 12.0

    def _named_points(self) -> dict[str, Point]:
        return {"start": self._along(-self.length / 2.0), "end": self._along(self.length / 2.0)}

    def _rule(self, n: int) -> Nodes:
        across = circle(n, self.outer, self.inner)
        return self._turned([((x, y, z), v * w) for z, v in line(n, self.length / 2.0) for x, y, w in across])

    def _items(self, d: Any) -> Outline:
        return [item("cylinder", with_z_along(d.axis), radius=d.outer, inner=d.inner, length=d.length)]


@dataclass(frozen=True, repr=False)
class Cone(Revolved):
    """Made by `cone(...)`, which describes it."""

    radius: Number = field(metadata=POSITIVE)
    height: Number = field(metadata=POSITIVE)

    kind = "cone"

    def _volume(self, d: Any) -> Number:
        return math.pi / 3.0 * d.radius**2 * d.height

    def _center(self, d: Any) -> Point:
        return tuple(times(n, d.height / 4.0) for n in d.axis)

    def _axial_and_transverse(self, d: Any) -> tuple[float, float]:
        return 0.3 * d.radius**2, 3.0 * (4.0 * d.radius**2 + d.height**2) / 80.0

    def _named_points(self) -> dict[str, Point]:
        return {"base": (0.0, 0.0, 0.0), "apex": self._along(self.height)}

    def _rule(self, n: int) -> Nodes:
        if n == 1:
            return [(self._center(self), 1.0)]
        # sections at u from the apex have the radius R u and the share 3u² du: two degrees more along the axis
        nodes: Nodes = []
        for x, v in gauss(n + 1):
            u = (1.0 + x) / 2.0
            for a, b, w in circle(n, self.radius):
                nodes.append(((times(u, a), times(u, b), times(1.0 - u, self.height)), 3.0 * u * u * v * w))
        return self._turned(nodes)

    def _items(self, d: Any) -> Outline:
        return [item("cone", with_z_along(d.axis), radius=d.radius, height=d.height)]


@checked_call
def box(x: Number, y: Number, z: Number, *, mass: Number | None = None, density: Number | None = None) -> Box:
    """Rectangular block, its centre at the origin. J_x = m (y² + z²)/12, and so on in turn.

    Points: `left`, `right` (∓x/2), `bottom`, `top` (∓y/2), `back`, `front` (∓z/2) on the faces, and the corners
    `left_bottom_back` to `right_top_front`.

    Parameters
    ----------
    x, y, z
        Edges along the axes (m).
    mass, density
        Mass (kg), or density (kg/m³).
    """
    return Box(x, y, z, mass=mass, density=density)


@checked_call
def sphere(radius: Number, *, mass: Number | None = None, density: Number | None = None) -> Sphere:
    """Solid sphere, its centre at the origin. J = 2 m R²/5 about every diameter.

    Parameters
    ----------
    radius
        Radius R (m).
    mass, density
        Mass (kg), or density (kg/m³).
    """
    return Sphere(radius, mass=mass, density=density)


@checked_call
def cylinder(
    radius: Number, length: Number, *, axis: Any = "z", mass: Number | None = None, density: Number | None = None
) -> Cylinder:
    """Solid cylinder, its centre at the origin. J_a = m R²/2, J_t = m (3R² + l²)/12.

    Points: `start` and `end`, the centres of its faces at −l/2 and l/2 along the axis.

    Parameters
    ----------
    radius, length
        Radius R and length l (m).
    axis
        "x", "y", "z" or a vector.
    mass, density
        Mass (kg), or density (kg/m³).
    """
    return Cylinder(radius, length, axis=axis, mass=mass, density=density)


@checked_call
def tube(
    outer: Number,
    inner: Number,
    length: Number,
    *,
    axis: Any = "z",
    mass: Number | None = None,
    density: Number | None = None,
) -> Tube:
    """Hollow cylinder, its centre at the origin. J_a = m (R² + r²)/2, J_t = m (3R² + 3r² + l²)/12.

    Points: `start` and `end`, the centres of its faces at −l/2 and l/2 along the axis.

    Parameters
    ----------
    outer, inner
        Outer radius R and inner radius r (m), r < R; r may be zero.
    length
        Length l (m).
    axis
        "x", "y", "z" or a vector.
    mass, density
        Mass (kg), or density (kg/m³).
    """
    return Tube(outer, inner, length, axis=axis, mass=mass, density=density)


@checked_call
def cone(
    radius: Number, height: Number, *, axis: Any = "z", mass: Number | None = None, density: Number | None = None
) -> Cone:
    """Solid cone, the centre of its base at the origin, apex at h along the axis.

    Mass centre at h/4; about it J_a = 3 m R²/10, J_t = 3 m (4R² + h²)/80. Points: `base`, `apex`.

    Parameters
    ----------
    radius, height
        Radius of the base R and height h (m).
    axis
        "x", "y", "z" or a vector, from base to apex.
    mass, density
        Mass (kg), or density (kg/m³).
    """
    return Cone(radius, height, axis=axis, mass=mass, density=density)
