"""Shapes whose density varies, by integration: laminae and turned profiles (PLANAR 6.1.20, 6.1.21).

m = ∫ dm,  m ρ = ∫ s dm,  J = ∫ (sᵀs 1 − s sᵀ) dm: sums over the places of `region.py`, exact for corners and polynomials, converged otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...errors import ModelError, checked_call, shown
from ..expression import Expr, as_expression
from ..expression.switches import degree
from .base import SHAPES, Shape
from .outline import Outline, item, placed, with_z_along
from .properties import MassProperties
from .quadrature import Nodes, line
from .reading import (
    Array,
    Number,
    Point,
    Value,
    evaluate,
    is_expression,
    is_plain,
    read_axis,
    read_number,
    times,
    total,
)
from .region import Node, at_place, between_curves, check_loops, curve_points, loops_nodes, read_corners, read_formula

# Gauss points per direction that are tried where a formula is no polynomial, and where parameters decide about it
TRIED = (6, 9, 13, 19, 28, 40)
WITH_PARAMETERS = 9
CONVERGED = 1e-13  # of mass and of mass times size squared: some hundred roundings


@dataclass(frozen=True, repr=False)
class Varying(Shape):
    """Matter spread over a flat region by a density that is a formula; what laminae and turned profiles share."""

    corners: Any = None
    density: Any = None
    mass: Any = None
    _n: int = field(default=0, init=False, repr=False)

    NAMES: ClassVar[tuple[str, str]] = ("x", "y")
    GIVEN: ClassVar[tuple[str, ...]] = ("corners", "density", "mass")

    # -- what the two supply -----------------------------------------------------------------------------------------

    def _places(self, n: int) -> list[Node]:
        raise NotImplementedError

    def _outside(self, value: Value) -> None:
        """Refuse a region that makes no sense."""

    def _factor(self, a: Number, b: Number) -> Number:
        """Volume (or area) per area of the region."""
        return 1.0

    # -- what they share ---------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Choose the number of points: by the degree of a polynomial, by convergence, or once for all where parameters decide."""
        law = self._law()
        d = degree(law, self.NAMES)
        if self.corners is not None and math.isfinite(d):
            n = max(3, math.ceil((d + 6.0) / 2.0))
        elif self._loose():
            n = WITH_PARAMETERS
        else:
            n = self._converged()
        object.__setattr__(self, "_n", n)
        if not self._loose():
            self.mass_properties()

    def _law(self) -> Expr:
        return as_expression(1.0) if self.density is None else self.density

    def _loose(self) -> bool:
        raise NotImplementedError

    def _converged(self) -> int:
        last: Array | None = None
        for n in TRIED:
            found = np.array([float(x) for x in self._sums(n)])  # type: ignore[arg-type]
            if last is not None and np.all(np.abs(found - last) <= CONVERGED * np.abs(found).max()):
                return n
            last, before = found, last
        error = float(np.max(np.abs(last - before)) / np.max(np.abs(last)))  # type: ignore[operator, arg-type]
        raise ModelError(
            repr(self), f"integrals still change by {error:.1e} of their size with {TRIED[-1]} points per direction",
            "the density or the outline has corners or jumps inside", "make it of smooth parts with da.composite",
        )  # fmt: skip

    def _weights(self, n: int) -> list[Node]:
        """Places with masses per mass factor: density times volume."""
        law = self._law()
        found = []
        for a, b, w in self._places(n):
            rho = at_place(law, dict(zip(self.NAMES, (a, b))))
            if is_plain(rho) and rho < 0.0:  # type: ignore[operator]
                where = ", ".join(f"{name} = {float(x):.6g}" for name, x in zip(self.NAMES, (a, b)) if is_plain(x))  # type: ignore[arg-type]
                raise ModelError(
                    repr(self), f"density = {rho:.6g} at {where}", "a density is not negative", "correct it"
                )
            found.append((a, b, times(times(rho, w), self._factor(a, b))))
        return found

    def _sums(self, n: int) -> list[Number]:
        nodes = self._weights(n)
        powers = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
        return [total(*(times(w, a**i * b**k) for a, b, w in nodes)) for i, k in powers]

    @property
    def total_mass(self) -> Number:
        """Mass (kg) as a number, or as an expression where parameters decide about it."""
        if self.mass is not None:
            return self.mass  # type: ignore[no-any-return]
        return total(*(w for _, _, w in self._weights(self._n)))

    def _numbers(self, value: Value) -> tuple[float, Array]:
        self._outside(value)
        as_number = lambda x: float(x) if is_plain(x) else value(x)  # noqa: E731
        nodes = np.array([[as_number(x) for x in node] for node in self._weights(self._n)])
        whole = math.fsum(nodes[:, 2])
        if not whole > 0.0 or np.min(nodes[:, 2] * np.sign(whole)) < -1e300:
            raise ModelError(repr(self), f"mass = {whole:.6g}", "a body has mass", "check density and outline")
        mass = whole if self.mass is None else evaluate(repr(self), "mass", self.mass, "nonnegative", value)
        nodes[:, 2] *= mass / whole
        return mass, nodes

    def __repr__(self) -> str:
        given = [(name, getattr(self, name, None)) for name in self.GIVEN]
        return f"{self.kind}({', '.join(f'{name}={_text(x)}' for name, x in given if x is not None)})"


def _text(x: Any) -> str:
    return f"{str(x)!r}" if isinstance(x, Expr) else shown(x)


def mean_of(nodes: list[Node], k: int) -> Number:
    """Weighted mean of a coordinate of the nodes."""
    return total(*(times(w[2], w[k]) for w in nodes)) / total(*(w[2] for w in nodes))


@dataclass(frozen=True, repr=False)
class VaryingLamina(Varying):
    """Flat body whose density varies; made by `lamina(...)`."""

    thickness: Any = None
    x: Any = None
    y: Any = None

    kind = "lamina"
    GIVEN = ("corners", "x", "y", "density", "mass", "thickness")

    def __post_init__(self) -> None:
        owner = repr(self)
        ways = [name for name in ("corners", "y") if getattr(self, name) is not None]
        if len(ways) != 1 or (self.x is None) != (self.y is None):
            raise ModelError(
                owner, f"given: {', '.join(ways) or 'no region'}", "the region is given in one way",
                "give corners, a flat shape, or x=(a, b) and y=(lower, upper) with expressions of x",
            )  # fmt: skip
        put = lambda name, x: object.__setattr__(self, name, x)  # noqa: E731
        if self.density is None and self.mass is None:
            raise ModelError(owner, "neither mass nor density", "a body needs mass", "give density='1 + x' or mass=")
        put("density", None if self.density is None else read_formula(owner, "density", self.density, ("x", "y")))
        put("mass", None if self.mass is None else read_number(owner, "mass", self.mass, "nonnegative"))
        put(
            "thickness", None if self.thickness is None else read_number(owner, "thickness", self.thickness, "positive")
        )
        if self.y is not None:
            put("x", read_pair(owner, "x", self.x, lambda k, v: read_number(owner, f"x[{k}]", v)))
            put("y", read_pair(owner, "y", self.y, lambda k, v: read_formula(owner, f"y[{k}]", v, ("x",))))
        elif isinstance(self.corners, Shape):
            if not self.corners.planar:
                raise ModelError(owner, f"{self.corners!r}", "a lamina is flat", "give a flat shape, or corners")
            self.corners.spread("area", 1)
        else:
            put("corners", read_corners(owner, "corners", self.corners))
        self._settle()

    @property
    def planar(self) -> bool:
        """Whether the shape lies in the xy plane of its frame."""
        return True

    def _loose(self) -> bool:
        numbers: list[Any] = [self.mass, self.thickness]
        laws = [self._law()]
        if self.y is not None:
            numbers += self.x
            laws += self.y
        elif isinstance(self.corners, Shape):
            numbers += [c for at, w in self.corners.spread("area", 1) for c in (*at, w)]
        else:
            numbers += [c for p in self.corners for c in p]
        return any(is_expression(x) for x in numbers if x is not None) or any(law.names - {"x", "y"} for law in laws)

    def _places(self, n: int) -> list[Node]:
        if self.y is not None:
            return between_curves(self.x, self.y[0], self.y[1], "x", n)
        if isinstance(self.corners, Shape):
            return [(at[0], at[1], w) for at, w in self.corners.spread("area", n)]
        return loops_nodes(self.corners, (), n)

    def _factor(self, a: Number, b: Number) -> Number:
        return 1.0 if self.thickness is None else self.thickness

    def _outside(self, value: Value) -> None:
        if self.y is not None:
            a, b = (evaluate(repr(self), f"x[{k}]", v, "finite", value) for k, v in enumerate(self.x))
            if not a < b:
                raise ModelError(repr(self), f"x = ({a:g}, {b:g})", "the range must go upwards", "give x=(a, b), a < b")
            curve_points(repr(self), (a, b), self.y[0], self.y[1], "x", value)
        elif not isinstance(self.corners, Shape):
            check_loops(repr(self), self._corner_numbers(value), [])

    def _corner_numbers(self, value: Value) -> Array:
        return np.array([[evaluate(repr(self), "corners", c, "finite", value) for c in p] for p in self.corners])

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia in the frame of the shape; see `Shape.mass_properties`."""
        mass, nodes = self._numbers(value)
        w = nodes[:, 2]
        center = np.array([w @ nodes[:, 0], w @ nodes[:, 1], 0.0]) / mass
        x, y = nodes[:, 0] - center[0], nodes[:, 1] - center[1]
        xx, yy, xy = (math.fsum(w * p) for p in (x * x, y * y, x * y))
        t = 0.0 if self.thickness is None else evaluate(repr(self), "thickness", self.thickness, "positive", value)
        zz = mass * t**2 / 12.0
        return MassProperties(mass, center, np.array([[yy + zz, -xy, 0.0], [-xy, xx + zz, 0.0], [0.0, 0.0, xx + yy]]))

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points and masses for integrals over the matter; see `Shape.nodes`."""
        if n <= 2:
            return super().nodes(n, value)
        found = self._weights(max(n, self._n))
        scale = 1.0 if self.mass is None else self.mass / total(*(w for _, _, w in found))
        thick = [(0.0, 1.0)] if self.thickness is None else line(n, self.thickness / 2.0)
        return [((x, y, z), times(times(v, scale), w)) for x, y, w in found for z, v in thick]

    def spread(self, per: str, n: int = 2) -> Nodes:
        """Points with areas; see `Shape.spread`."""
        if per != "area":
            return super().spread(per, n)
        return [((x, y, 0.0), w) for x, y, w in self._places(max(n, self._n))]

    @property
    def points(self) -> Mapping[str, Point]:
        """Named points: `origin`, `center` (of mass), and the corners."""
        nodes = self._weights(self._n)
        named: dict[str, Point] = {"origin": (0.0, 0.0), "center": (mean_of(nodes, 0), mean_of(nodes, 1))}
        if isinstance(self.corners, Shape):
            return {**self.corners.points, **named}
        if self.corners is not None:
            named.update({f"corner_{k + 1}": p for k, p in enumerate(self.corners)})
        return named

    def outline(self, value: Value = float) -> Outline:
        """Return what to draw, as plain data in the frame of the shape."""
        t = 0.0 if self.thickness is None else evaluate(repr(self), "thickness", self.thickness, "positive", value)
        if isinstance(self.corners, Shape):
            return self.corners.outline(value)
        if self.y is not None:
            a, b = (evaluate(repr(self), f"x[{k}]", v, "finite", value) for k, v in enumerate(self.x))
            return [
                item("polygon", points=curve_points(repr(self), (a, b), self.y[0], self.y[1], "x", value), thickness=t)
            ]
        return [item("polygon", points=self._corner_numbers(value).tolist(), thickness=t)]


def read_pair(owner: str, name: str, x: Any, read: Any) -> tuple[Any, Any]:
    """Two values, each read by its number."""
    items = list(x) if isinstance(x, tuple | list) else []
    if len(items) != 2:
        raise ModelError(owner, f"{name} = {shown(x)}", "two values are needed", f"give {name}=(from, to)")
    return read(0, items[0]), read(1, items[1])


@checked_call
def lamina(
    corners: Any = None, *, density: Any = None, mass: Any = None, thickness: Any = None, x: Any = None, y: Any = None
) -> VaryingLamina:
    """Flat body whose density varies over it, by integration.

    Parameters
    ----------
    corners
        Corners (x, y) of a polygon in order (m), or a flat shape of which only the outline counts: `da.disk(0.5, mass=1)`.
    density
        Expression of x, y and parameters: mass per area (kg/m²), or per volume (kg/m³) with a thickness.
    mass
        Mass (kg); with a density too, that only says how the mass is spread.
    thickness
        Along z (m).
    x, y
        Instead of corners: what lies between two curves, x=(a, b) and y=(lower, upper) with expressions of x.

    Examples
    --------
    >>> import dalembert as da
    >>> wedge = da.lamina([(0, 0), (2, 0), (2, 1), (0, 1)], density="3*x")
    >>> round(wedge.total_mass, 12), round(wedge.center[0], 12)
    (6.0, 1.333333333333)
    >>> half = da.lamina(x=(-1, 1), y=(0, "sqrt(1 - x**2)"), mass=1.0)
    """
    return VaryingLamina(corners, density, mass, thickness, x, y)


SHAPES["lamina"] = lamina


SLABS = 24  # disks that stand for a part of a turned profile in pictures


@dataclass(frozen=True, repr=False)
class Turned(Varying):
    """Solid of revolution by its profile; made by `revolved(...)`."""

    radius: Any = None
    inner: Any = None
    between: Any = None
    axis: Any = "z"

    kind = "revolved"
    NAMES = ("r", "z")
    GIVEN = ("corners", "radius", "inner", "between", "axis", "density", "mass")

    def __post_init__(self) -> None:
        owner = repr(self)
        if (self.corners is None) == (self.radius is None) or (self.radius is None) != (self.between is None):
            raise ModelError(
                owner, "given: " + (", ".join(n for n in ("corners", "radius", "between") if getattr(self, n) is not None) or "nothing"),
                "the profile is given in one way", "give corners (r, z), or radius= as an expression of z and between=(a, b)",
            )  # fmt: skip
        if self.density is None and self.mass is None:
            raise ModelError(owner, "neither mass nor density", "a body needs mass", "give density= in kg/m³ or mass=")
        put = lambda name, x: object.__setattr__(self, name, x)  # noqa: E731
        put("density", None if self.density is None else read_formula(owner, "density", self.density, ("r", "z")))
        put("mass", None if self.mass is None else read_number(owner, "mass", self.mass, "nonnegative"))
        put("axis", read_axis(owner, "axis", self.axis))
        if self.corners is not None:
            if self.inner is not None:
                raise ModelError(
                    owner, "corners and inner together", "corners say where the hole is", "leave out inner="
                )
            put("corners", read_corners(owner, "corners", self.corners))
        else:
            put("radius", read_formula(owner, "radius", self.radius, ("z",)))
            put("inner", None if self.inner is None else read_formula(owner, "inner", self.inner, ("z",)))
            put(
                "between",
                read_pair(owner, "between", self.between, lambda k, v: read_number(owner, f"between[{k}]", v)),
            )
        self._settle()

    def _loose(self) -> bool:
        numbers: list[Any] = [self.mass]
        laws = [self._law()]
        if self.corners is not None:
            numbers += [c for p in self.corners for c in p]
        else:
            numbers += self.between
            laws += [self.radius] if self.inner is None else [self.radius, self.inner]
        return any(is_expression(x) for x in numbers if x is not None) or any(law.names - {"r", "z"} for law in laws)

    def _places(self, n: int) -> list[Node]:
        if self.corners is not None:
            return loops_nodes(self.corners, (), n)
        inner = as_expression(0.0) if self.inner is None else self.inner
        return [(r, z, w) for z, r, w in between_curves(self.between, inner, self.radius, "z", n)]

    def _factor(self, a: Number, b: Number) -> Number:
        return times(2.0 * math.pi, a)

    def _outside(self, value: Value) -> None:
        owner = repr(self)
        if self.corners is None:
            self._profile(value)
            return
        corners = self._profile(value)
        check_loops(owner, corners, [])
        if float(corners[:, 0].min()) < -1e-14 * float(np.abs(corners).max()):
            found = f"a corner at r = {float(corners[:, 0].min()):.6g}"
            raise ModelError(
                owner, found, "a radius is not negative: the profile lies on one side of the axis", "mirror it"
            )

    def _profile(self, value: Value) -> Array:
        owner = repr(self)
        if self.corners is not None:
            return np.array([[evaluate(owner, "corners", c, "finite", value) for c in p] for p in self.corners])
        a, b = (evaluate(owner, f"between[{k}]", v, "finite", value) for k, v in enumerate(self.between))
        if not a < b:
            raise ModelError(
                owner, f"between = ({a:g}, {b:g})", "the range must go upwards", "give between=(a, b), a < b"
            )
        inner = as_expression(0.0) if self.inner is None else self.inner
        return np.array(curve_points(owner, (a, b), inner, self.radius, "z", value))[:, ::-1]

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia in the frame of the shape; see `Shape.mass_properties`."""
        mass, nodes = self._numbers(value)
        r, z, w = nodes.T
        middle = float(w @ z) / mass
        axial = math.fsum(w * r * r)
        across = axial / 2.0 + math.fsum(w * (z - middle) ** 2)
        n = np.array(self.axis)
        return MassProperties(mass, middle * n, across * np.eye(3) + (axial - across) * np.outer(n, n))

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points and masses for integrals over the matter; see `Shape.nodes`."""
        if n <= 2:
            return super().nodes(n, value)
        found = self._weights(max(n, self._n if self._n <= 8 else n))
        scale = (1.0 if self.mass is None else self.mass) / (
            1.0 if self.mass is None else total(*(w for _, _, w in found))
        )
        columns = with_z_along(self.axis)
        turns = [math.pi * (k + 0.5) / n for k in range(2 * n)]
        made: Nodes = []
        for r, z, w in found:
            for a in turns:
                local = (times(math.cos(a), r), times(math.sin(a), r), z)
                at = tuple(total(*(times(c, x) for c, x in zip(row, local))) for row in columns)
                made.append((at, times(times(1.0 / (2 * n), scale), w)))
        return made

    @property
    def points(self) -> Mapping[str, Point]:
        """Named points: `origin`, `center` (of mass), and `start` and `end` of the profile on the axis."""
        middle = mean_of(self._weights(self._n), 1)
        named: dict[str, Number] = {"center": middle}
        if self.between is not None:
            named.update(start=self.between[0], end=self.between[1])
        elif all(is_plain(p[1]) for p in self.corners):
            heights = [float(p[1]) for p in self.corners]
            named.update(start=min(heights), end=max(heights))
        along = {name: tuple(times(n, z) for n in self.axis) for name, z in named.items()}
        return {"origin": (0.0, 0.0, 0.0), **along}

    def outline(self, value: Value = float) -> Outline:
        """Return what to draw: disks and rings stacked along the axis."""
        profile = self._profile(value)
        frame = np.array(with_z_along(self.axis))
        heights = sorted({float(f"{z:.12g}") for z in profile[:, 1]})
        fine = 1 if len(heights) > 2 * SLABS else SLABS
        made: Outline = []
        for low, high in zip(heights, heights[1:]):
            ends = [_widths(profile, low + f * (high - low)) for f in (0.25, 0.75)]
            pieces = 1 if len(ends[0]) == len(ends[1]) and np.allclose(ends[0], ends[1]) else fine
            for k in range(pieces):
                a, b = (low + (high - low) * m / pieces for m in (k, k + 1))
                for inner, outer in _widths(profile, 0.5 * (a + b)):
                    disk = item("cylinder", radius=outer, inner=inner, length=b - a)
                    made += placed(placed([disk], np.array([0.0, 0.0, 0.5 * (a + b)]), np.eye(3)), np.zeros(3), frame)
        return made


def _widths(profile: Array, z: float) -> list[tuple[float, float]]:
    """Ranges of r inside a profile at a height between its corners."""
    p, q = profile, np.roll(profile, -1, axis=0)
    cut = (p[:, 1] > z) != (q[:, 1] > z)
    r = np.sort(p[cut, 0] + (z - p[cut, 1]) * (q[cut, 0] - p[cut, 0]) / (q[cut, 1] - p[cut, 1]))
    return [(float(a), float(b)) for a, b in zip(r[::2], r[1::2]) if b > a]


@checked_call
def revolved(
    corners: Any = None, *, density: Any = None, mass: Any = None, axis: Any = "z", radius: Any = None, inner: Any = None, between: Any = None
) -> Turned:  # fmt: skip
    """Solid of revolution: a profile turned about an axis, by integration.

    Points: `center`, and `start` and `end` of the profile on the axis.

    Parameters
    ----------
    corners
        Corners (r, z) of the profile in order (m): distance from the axis and place along it.
    density
        Density (kg/m³), a number or an expression of r, z and parameters.
    mass
        Mass (kg); with a density too, that only says how the mass is spread.
    axis
        "x", "y", "z" or a vector.
    radius, inner, between
        Instead of corners: outer and inner radius as expressions of z, over between=(a, b) along the axis.

    Examples
    --------
    >>> import dalembert as da
    >>> shaft = da.revolved([(0, 0), (0.05, 0), (0.05, 0.2), (0.03, 0.2), (0.03, 0.5), (0, 0.5)], density=7800.0, axis="x")
    >>> ball = da.revolved(radius="sqrt(0.01 - z**2)", between=(-0.1, 0.1), mass=2.0)
    >>> round(ball.mass_properties().polar, 12)
    0.008
    """
    return Turned(corners, density, mass, radius, inner, between, axis)


SHAPES["revolved"] = revolved
