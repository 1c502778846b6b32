"""Flat shapes: rectangle (block), triangle, disk, semicircle, ring, plate, and polygons with holes as sums over the places of `region.py`.

The bodies of PLANAR, Table 6.1.1. In space they lie in the xy plane of their frame: flat when no thickness is given,
exact solids of that thickness, centred on the plane, when it is. The polar inertia J' = J_zz does not depend on it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import checked_call
from .base import SHAPES, Primitive
from .outline import Outline, item
from .quadrature import Nodes, circle, half_disk, line
from .quadrature import triangle as triangle_rule
from .reading import NONNEGATIVE, POSITIVE, Array, Number, Point, times, total
from .region import Corners, Node, area_of, check_loops, loops_nodes

ARC_SEGMENTS = 32


@dataclass(frozen=True, repr=False)
class Lamina(Primitive):
    """Flat body in the xy plane, of uniform thickness (0 when a mass is given without one).

    With ∫x² dA and ∫y² dA per area as xx and yy: J_x = m (yy + t²/12), J_y = m (xx + t²/12), J_z = m (xx + yy).
    """

    thickness: Number | None = field(default=None, kw_only=True, metadata=NONNEGATIVE)
    area_density: Number | None = field(default=None, kw_only=True, metadata=NONNEGATIVE)

    @property
    def planar(self) -> bool:
        """Whether the shape lies in the xy plane of its frame."""
        return True

    def _check_given(self) -> None:
        if self.density is not None and self.thickness is None:
            self._refuse(
                "density without a thickness",
                "the volume is not known",
                "give thickness= in m, area_density= in kg/m², or mass=",
            )

    def _mass(self, d: Any) -> Any:
        return super()._mass(d) if d.area_density is None else d.area_density * self._area(d)

    def _check_related(self, d: Any) -> None:
        if d.density is not None and d.thickness == 0.0:
            self._refuse(
                "thickness = 0 with a density", "the volume would be zero", "give thickness= above zero, or mass="
            )

    @abstractmethod
    def _area(self, d: Any) -> Number: ...

    @abstractmethod
    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        """∫x² dA / A and ∫y² dA / A about the centroid (m²)."""

    def _volume(self, d: Any) -> Number:
        return self._area(d) * d.thickness

    def _amounts(self) -> dict[str, Number]:
        area = {"area": self._area(self)}
        return area if self.thickness is None else {**area, "volume": self._volume(self)}

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, float]] | None:
        """Points (x, y) and shares of the area, exact up to degree 2n − 1."""
        return None

    def _rule(self, n: int) -> Nodes | None:
        flat = self._flat_rule(n)
        if flat is None:
            return None
        thick = [(0.0, 1.0)] if self.thickness is None else line(n, self.thickness / 2.0)
        return [((x, y, z), v * w) for x, y, v in flat for z, w in thick]

    def _inertia_per_mass(self, d: Any) -> tuple[float, float, float]:
        xx, yy = self._moments_per_area(d)
        zz = 0.0 if d.thickness is None else d.thickness**2 / 12.0
        return yy + zz, xx + zz, xx + yy


@dataclass(frozen=True, repr=False)
class Rectangle(Lamina):
    """Made by `rectangle(...)`, which describes it."""

    width: Number = field(metadata=POSITIVE)
    height: Number = field(metadata=POSITIVE)

    kind = "rectangle"

    def _area(self, d: Any) -> Number:
        return d.width * d.height

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        return d.width**2 / 12.0, d.height**2 / 12.0

    def _named_points(self) -> dict[str, Point]:
        x, y = self.width / 2.0, self.height / 2.0
        sides = {"left": (-x, 0.0), "right": (x, 0.0), "bottom": (0.0, -y), "top": (0.0, y)}
        corners = {"bottom_left": (-x, -y), "bottom_right": (x, -y), "top_right": (x, y), "top_left": (-x, y)}
        return {**sides, **corners}

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, float]]:
        across = line(n, self.height / 2.0)
        return [(x, y, v * w) for x, v in line(n, self.width / 2.0) for y, w in across]

    def _items(self, d: Any) -> Outline:
        x, y = 0.5 * d.width, 0.5 * d.height
        return [item("polygon", points=[[-x, -y], [x, -y], [x, y], [-x, y]], thickness=d.thickness or 0.0)]


@dataclass(frozen=True, repr=False)
class Plate(Rectangle):
    """Rectangle whose thickness is part of what it is; made by `plate(width, height, thickness)`."""

    # a field keeps the place of the base class, ahead of width and height: so by keyword, and `plate` puts it right
    thickness: Number = field(kw_only=True, metadata=POSITIVE)

    kind = "plate"


@checked_call
def plate(
    width: Number,
    height: Number,
    thickness: Number,
    *,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Plate:
    """Rectangular plate, its centre at the origin.

    J_x = m (h² + t²)/12, J_y = m (w² + t²)/12, J_z = m (w² + h²)/12. Points as for `rectangle`, in the middle plane.

    Parameters
    ----------
    width, height, thickness
        Along x, y and z (m).
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Plate(width, height, thickness=thickness, mass=mass, density=density, area_density=area_density)


@dataclass(frozen=True, repr=False)
class Triangle(Lamina):
    """Made by `triangle(...)`, which describes it."""

    base: Number = field(metadata=POSITIVE)
    height: Number = field(metadata=POSITIVE)

    kind = "triangle"

    def _area(self, d: Any) -> Number:
        return d.base * d.height / 2.0

    def _center(self, d: Any) -> Point:
        return 0.0, d.height / 3.0, 0.0

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        return d.base**2 / 24.0, d.height**2 / 18.0

    def _named_points(self) -> dict[str, Point]:
        return {"left": (-self.base / 2.0, 0.0), "right": (self.base / 2.0, 0.0), "apex": (0.0, self.height)}

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, float]]:
        return triangle_rule(n, (-self.base / 2.0, 0.0), (self.base / 2.0, 0.0), (0.0, self.height))

    def _items(self, d: Any) -> Outline:
        corners = [[-0.5 * d.base, 0.0], [0.5 * d.base, 0.0], [0.0, d.height]]
        return [item("polygon", points=corners, thickness=d.thickness or 0.0)]


def _rim_points(radius: Number) -> dict[str, Point]:
    return {"right": (radius, 0.0), "top": (0.0, radius), "left": (-radius, 0.0), "bottom": (0.0, -radius)}


@dataclass(frozen=True, repr=False)
class Disk(Lamina):
    """Made by `disk(...)`, which describes it."""

    radius: Number = field(metadata=POSITIVE)

    kind = "disk"

    def _area(self, d: Any) -> Number:
        return math.pi * d.radius**2

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        return d.radius**2 / 4.0, d.radius**2 / 4.0

    def _named_points(self) -> dict[str, Point]:
        return _rim_points(self.radius)

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, float]]:
        return circle(n, self.radius)

    def _items(self, d: Any) -> Outline:
        return [item("circle", radius=d.radius, inner=0.0, thickness=d.thickness or 0.0)]


@dataclass(frozen=True, repr=False)
class Semicircle(Lamina):
    """Made by `semicircle(...)`, which describes it."""

    radius: Number = field(metadata=POSITIVE)

    kind = "semicircle"

    def _area(self, d: Any) -> Number:
        return 0.5 * math.pi * d.radius**2

    def _center(self, d: Any) -> Point:
        return 0.0, d.radius * (4.0 / (3.0 * math.pi)), 0.0

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        # a quarter of R² about the straight side, moved to the centroid by parallel axes
        return d.radius**2 / 4.0, d.radius**2 * (0.25 - 16.0 / (9.0 * math.pi**2))

    def _named_points(self) -> dict[str, Point]:
        rim = _rim_points(self.radius)
        return {name: rim[name] for name in ("left", "right", "top")}

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, float]]:
        return half_disk(n, self.radius)

    def _items(self, d: Any) -> Outline:
        turns = [math.pi * k / ARC_SEGMENTS for k in range(ARC_SEGMENTS + 1)]
        arc = [[d.radius * math.cos(a), d.radius * math.sin(a)] for a in turns]
        return [item("polygon", points=arc, thickness=d.thickness or 0.0)]


@dataclass(frozen=True, repr=False)
class Ring(Lamina):
    """Made by `ring(...)`, which describes it."""

    radius: Number = field(metadata=POSITIVE)
    width: Number | None = field(default=None, kw_only=True, metadata=POSITIVE)
    area: Number | None = field(default=None, kw_only=True, metadata=POSITIVE)

    kind = "ring"

    def _check_given(self) -> None:
        other = next((x for x in ("width", "mass", "area_density") if getattr(self, x) is not None), "")
        if self.area is not None and other:
            self._refuse(f"area and {other} together", "area only turns a density into a mass", "keep one of them")
        if self.area_density is not None and self.width is None:
            self._refuse("area_density without a width", "the area is not known", "give width= in metres, or mass=")
        if self.density is not None and self.area is None and (self.width is None or self.thickness is None):
            self._refuse(
                "density without a section", "the volume is not known", "give area=, or width= and thickness= in metres"
            )

    def _check_related(self, d: Any) -> None:
        if d.width is not None:
            super()._check_related(d)
            if d.width >= 2.0 * d.radius:
                self._refuse(
                    f"width = {d.width:g} with mean radius = {d.radius:g}",
                    "the inner radius R − w/2 would not be above zero",
                    "make width less than twice the mean radius, or use disk",
                )

    def _area(self, d: Any) -> Number:
        # π (R + w/2)² − π (R − w/2)²
        return 2.0 * math.pi * d.radius * d.width

    def _volume(self, d: Any) -> Number:
        return 2.0 * math.pi * d.radius * d.area if d.area is not None else super()._volume(d)

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        half = (d.radius**2 + (0.0 if d.width is None else d.width**2 / 4.0)) / 2.0
        return half, half

    def _named_points(self) -> dict[str, Point]:
        return _rim_points(self.radius)

    def _amounts(self) -> dict[str, Number]:
        length = {"length": 2.0 * math.pi * self.radius}
        return length if self.width is None else super()._amounts()

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, float]]:
        if self.width is not None:
            return circle(n, self.radius + self.width / 2.0, self.radius - self.width / 2.0)
        count = 2 * n
        turns = [2.0 * math.pi * (k + 0.5) / count for k in range(count)]
        return [(times(math.cos(a), self.radius), times(math.sin(a), self.radius), 1.0 / count) for a in turns]

    def _items(self, d: Any) -> Outline:
        half = 0.5 * (d.width or 0.0)
        return [item("circle", radius=d.radius + half, inner=d.radius - half, thickness=d.thickness or 0.0)]


@checked_call
def rectangle(
    width: Number,
    height: Number,
    *,
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Rectangle:
    """Rectangle, its centre at the origin; also called `block`. J' = m (w² + h²)/12.

    Points: `left`, `right`, `bottom`, `top` in the middle of the sides; `bottom_left`, `bottom_right`, `top_right`,
    `top_left`.

    Parameters
    ----------
    width, height
        Sides along x and y (m).
    thickness
        Along z (m); needed with a density, and for moments about x and y in space.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Rectangle(width, height, thickness=thickness, mass=mass, density=density, area_density=area_density)


@checked_call
def block(
    width: Number,
    height: Number,
    *,
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Rectangle:
    """Rectangle, its centre at the origin; the same as `rectangle`. J' = m (w² + h²)/12.

    Points: `left`, `right`, `bottom`, `top` in the middle of the sides; `bottom_left`, `bottom_right`, `top_right`,
    `top_left`.

    Parameters
    ----------
    width, height
        Sides along x and y (m).
    thickness
        Along z (m); needed with a density, and for moments about x and y in space.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Rectangle(width, height, thickness=thickness, mass=mass, density=density, area_density=area_density)


@checked_call
def triangle(
    base: Number,
    height: Number,
    *,
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Triangle:
    """Isosceles triangle, base on the x axis, the middle of the base at the origin, apex at (0, h).

    Mass centre (0, h/3), J' = m (b²/24 + h²/18) about it. Points: `left`, `right`, `apex`.

    Parameters
    ----------
    base, height
        Base b along x and height h along y (m).
    thickness
        Along z (m); needed with a density.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Triangle(base, height, thickness=thickness, mass=mass, density=density, area_density=area_density)


@checked_call
def disk(
    radius: Number,
    *,
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Disk:
    """Full circle, its centre at the origin. J' = m R²/2.

    Points: `right`, `top`, `left`, `bottom` on the rim.

    Parameters
    ----------
    radius
        Radius R (m).
    thickness
        Along z (m); needed with a density.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Disk(radius, thickness=thickness, mass=mass, density=density, area_density=area_density)


@checked_call
def semicircle(
    radius: Number,
    *,
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Semicircle:
    """Half disk above the x axis, the middle of its straight side at the origin.

    Mass centre (0, 4R/3π), J' = m R² (1/2 − 16/9π²) about it. Points: `left`, `right`, `top`.

    Parameters
    ----------
    radius
        Radius R (m).
    thickness
        Along z (m); needed with a density.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Semicircle(radius, thickness=thickness, mass=mass, density=density, area_density=area_density)


@checked_call
def ring(
    radius: Number,
    *,
    width: Number | None = None,
    area: Number | None = None,
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Ring:
    """Ring about the origin, its mean radius R.

    Thin: all mass at R, J' = m R². With `width` it is the exact flat ring from R − w/2 to R + w/2, J' = m (R² + w²/4);
    `area` gives a thin ring its mass from a density and nothing else. Points: `right`, `top`, `left`, `bottom` at R.

    Parameters
    ----------
    radius
        Mean radius R (m).
    width
        Radial width w (m), below 2R.
    area
        Area of the section (m²), for a thin ring with a density.
    thickness
        Along z (m); needed with `width` and a density.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).
    """
    return Ring(
        radius, width=width, area=area, thickness=thickness, mass=mass, density=density, area_density=area_density
    )


SHAPES.update(block=Rectangle, plate=plate)


_SECOND = (lambda x, y: x * x, lambda x, y: y * y, lambda x, y: x * y)


@dataclass(frozen=True, repr=False)
class Polygon(Lamina):
    """Made by `polygon(...)`, which describes it."""

    corners: Corners = field(metadata={"rule": "corners"})
    holes: tuple[Corners, ...] = field(default=(), kw_only=True, metadata={"rule": "loops"})

    kind = "polygon"

    def _check_related(self, d: Any) -> None:
        super()._check_related(d)
        check_loops(repr(self), np.array(d.corners), [np.array(loop) for loop in d.holes])

    def _area(self, d: Any) -> Number:
        whole = abs(area_of(d.corners))  # type: ignore[arg-type]
        return total(whole, *(times(-1.0, abs(area_of(loop))) for loop in d.holes))  # type: ignore[arg-type]

    def _nodes(self, d: Any, n: int) -> list[Node]:
        return loops_nodes(d.corners, d.holes, n)

    def _center(self, d: Any) -> Point:
        nodes, area = self._nodes(d, 1), self._area(d)
        a, b = d.corners[0]
        # from a corner: places far from the origin lose no digits
        return (
            total(a, total(*(w * (x - a) for x, _, w in nodes)) / area),
            total(b, total(*(w * (y - b) for _, y, w in nodes)) / area),
            0.0,
        )

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        J = self._tensor(d)
        return J[0], J[1]

    def _tensor(self, d: Any) -> tuple[float, float, float]:
        """∫x² dA, ∫y² dA and ∫xy dA per area, about the centroid."""
        cx, cy, _ = self._center(d)
        area = self._area(d)
        moved = [(x - cx, y - cy, w) for x, y, w in self._nodes(d, 2)]
        xx, yy, xy = (math.fsum(w * f(x, y) for x, y, w in moved) / area for f in _SECOND)
        return xx, yy, xy

    def _inertia_per_mass(self, d: Any) -> Array:  # type: ignore[override]
        xx, yy, xy = self._tensor(d)
        zz = 0.0 if d.thickness is None else d.thickness**2 / 12.0
        return np.array([[yy + zz, -xy, 0.0], [-xy, xx + zz, 0.0], [0.0, 0.0, xx + yy]])

    def _named_points(self) -> dict[str, Point]:
        named: dict[str, Point] = {f"corner_{k + 1}": p for k, p in enumerate(self.corners)}
        for k, loop in enumerate(self.holes):
            nodes, area = loops_nodes(loop, (), 1), abs(area_of(loop))  # type: ignore[arg-type]
            named[f"hole_{k + 1}"] = tuple(total(*(w[2] * w[c] for w in nodes)) / area for c in (0, 1))
        return named

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, Any]]:
        area = self._area(self)
        return [(x, y, w / area) for x, y, w in self._nodes(self, n)]

    def _items(self, d: Any) -> Outline:
        made = [item("polygon", points=[list(p) for p in d.corners], thickness=d.thickness or 0.0)]
        for loop in d.holes:
            made.append({**item("polygon", points=[list(p) for p in loop], thickness=d.thickness or 0.0), "void": True})
        return made


@checked_call
def polygon(
    corners: Any,
    *,
    holes: Any = (),
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Polygon:
    """Polygon with holes, in the frame of its corners; exact.

    Points: `corner_1`, `corner_2`, …, and the centres of area of holes, `hole_1`, ….

    Parameters
    ----------
    corners
        Corners (x, y) in order, either way round (m); 3 or more.
    holes
        Closed lines of corners inside, of what is missing.  Round holes: `polygon(…) - disk(…).at(x, y)`, with densities.
    thickness
        Along z (m); needed with a density.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).

    Examples
    --------
    >>> import dalembert as da
    >>> frame = da.polygon([(0, 0), (4, 0), (4, 3), (0, 3)], holes=[[(1, 1), (3, 1), (3, 2), (1, 2)]], mass=5.0)
    >>> [round(x, 12) for x in frame.center]
    [2.0, 1.5]
    """
    return Polygon(corners, holes=holes, thickness=thickness, mass=mass, density=density, area_density=area_density)
