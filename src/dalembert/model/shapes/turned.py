"""Profiles turned about an axis, by integration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError, checked_call
from ..expression import as_expression
from .base import SHAPES
from .integrated import Varying, mean_of, read_pair
from .outline import Outline, item, placed, with_z_along
from .properties import MassProperties
from .quadrature import Nodes
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
from .region import Node, between_curves, check_loops, curve_points, loops_nodes, read_corners, read_formula

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
