"""Shapes made of shapes: placed, taken away, joined (PLANAR 6.1.5, composite bodies and voids as negative parts)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...errors import ModelError, checked_call, shown
from ..expression import functions
from .base import SHAPES, Shape
from .outline import Outline, hollowed, placed
from .properties import MassProperties, combine
from .quadrature import Nodes
from .reading import (
    Array,
    Matrix,
    Number,
    Point,
    Value,
    cosine_sine,
    evaluate,
    is_expression,
    is_plain,
    read_number,
    read_point,
    read_rotation,
    times,
    total,
)


@dataclass(frozen=True, repr=False)
class Placed(Shape):
    """A shape in an outer frame: r = position + A s'. Made by `shape.at(...)`."""

    shape: Shape
    position: tuple[Number, Number, Number]
    angle: Number | None = None
    rotation: Matrix | None = None
    name: str = ""

    kind = "placed"

    def __post_init__(self) -> None:
        owner = f"{self.shape.label}.at(...)"
        for k, x in enumerate(self.position):
            if isinstance(x, (tuple, list, np.ndarray)):
                raise ModelError(
                    owner, f"{'xyz'[k]} = {shown(x)}", "at takes coordinates one by one", "write at(*point)"
                )
        object.__setattr__(self, "position", read_point(owner, "position", self.position))
        if self.angle is not None and self.rotation is not None:
            raise ModelError(
                owner, "angle and rotation together", "both say how the shape is turned", "keep one of them"
            )
        if self.angle is not None:
            object.__setattr__(self, "angle", read_number(owner, "angle", self.angle))
        if self.rotation is not None:
            object.__setattr__(self, "rotation", read_rotation(owner, "rotation", self.rotation))

    @property
    def planar(self) -> bool:
        """Whether a planar shape was placed within the plane."""
        z = self.position[2]
        return self.shape.planar and self.rotation is None and is_plain(z) and z == 0.0

    @property
    def label(self) -> str:
        """Name of the part, or the kind of its shape."""
        return self.name or self.shape.label

    @property
    def total_mass(self) -> Number:
        """Mass (kg) as a number, or as an expression where dimensions are expressions."""
        return self.shape.total_mass

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia in the outer frame; see `Shape.mass_properties`."""
        return self.shape.mass_properties(value).moved(*self._pose(value))

    def outline(self, value: Value = float) -> Outline:
        """Return what to draw, in the outer frame."""
        return placed(self.shape.outline(value), *self._pose(value))

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points and masses for integrals over the matter, in the outer frame; see `Shape.nodes`."""
        A = self._symbolic_rotation()
        return [(self._moved(A, at), mass) for at, mass in self.shape.nodes(n, value)]

    def spread(self, per: str, n: int = 2) -> Nodes:
        """Points with lengths, areas or volumes, in the outer frame; see `Shape.spread`."""
        A = self._symbolic_rotation()
        return [(self._moved(A, at), amount) for at, amount in self.shape.spread(per, n)]

    @property
    def points(self) -> Mapping[str, Point]:
        """Points of the shape where they have come to lie; `origin` is that of the outer frame."""
        A = self._symbolic_rotation()
        moved = {name: self._moved(A, point) for name, point in self.shape.points.items()}
        size = 2 if self.planar else 3
        return {name: point[:size] for name, point in {**moved, "origin": (0.0, 0.0, 0.0)}.items()}

    def _moved(self, A: tuple[Point, ...], point: Point) -> Point:
        # a planar point has no z: zip then drops the third column of A
        return tuple(total(r, *(times(a, s) for a, s in zip(row, point))) for r, row in zip(self.position, A))

    def _symbolic_rotation(self) -> tuple[Point, ...]:
        if self.rotation is not None:
            return self.rotation
        c: Number
        s: Number
        if self.angle is not None and is_expression(self.angle):
            c, s = functions.cos(self.angle), functions.sin(self.angle)
        else:
            c, s = cosine_sine(float(self.angle or 0.0))  # type: ignore[arg-type]
        return (c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)

    def _pose(self, value: Value) -> tuple[Array, Array]:
        owner = f"{self.shape.label}.at(...)"
        at = np.array([evaluate(owner, "xyz"[k], x, "finite", value) for k, x in enumerate(self.position)])
        if self.rotation is not None:
            return at, np.array(self.rotation)
        c, s = cosine_sine(0.0 if self.angle is None else evaluate(owner, "angle", self.angle, "finite", value))
        return at, np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def __repr__(self) -> str:
        turned = f", angle={self.angle}" if self.angle is not None else ""
        turned += f", rotation={self.rotation}" if self.rotation is not None else ""
        return f"{self.shape!r}.at({', '.join(str(x) for x in self.position)}{turned})"


@dataclass(frozen=True, repr=False)
class Void(Shape):
    """A shape taken away: mass and inertia count negative. Made by `void(shape)`."""

    shape: Shape

    kind = "void"

    @property
    def planar(self) -> bool:
        """Whether what is taken away lies in the xy plane."""
        return self.shape.planar

    @property
    def label(self) -> str:
        """Name of what is taken away."""
        return f"void {self.shape.label}"

    @property
    def total_mass(self) -> Number:
        """Mass (kg), negative."""
        return times(-1.0, self.shape.total_mass)

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Properties of the material taken away, with negative mass and inertia."""
        return self.shape.mass_properties(value).scaled(-1.0)

    def outline(self, value: Value = float) -> Outline:
        """Return what to draw, marked as void."""
        return hollowed(self.shape.outline(value))

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points with negative masses; see `Shape.nodes`."""
        return [(at, times(-1.0, mass)) for at, mass in self.shape.nodes(n, value)]

    def spread(self, per: str, n: int = 2) -> Nodes:
        """Points with negative lengths, areas or volumes; see `Shape.spread`."""
        return [(at, times(-1.0, amount)) for at, amount in self.shape.spread(per, n)]

    @property
    def points(self) -> Mapping[str, Point]:
        """Points of the shape."""
        return self.shape.points

    def __repr__(self) -> str:
        return f"void({self.shape!r})"


@dataclass(frozen=True, repr=False)
class Composite(Shape):
    """Several shapes as one rigid body, in the frame in which they were placed; `composite(...)` or a + b − c."""

    parts: tuple[Shape, ...]
    name: str = field(default="", kw_only=True)

    kind = "composite"

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts:
            raise ModelError("composite", "no parts", "a body is made of something", "give composite(part, part, …)")
        for k, part in enumerate(self.parts):
            if not isinstance(part, Shape):
                raise ModelError(
                    "composite", f"part {k} is {shown(part)} of type {type(part).__name__}",
                    "a composite is made of shapes", "give rod(...), disk(...).at(x, y), void(...) …",
                )  # fmt: skip

    @property
    def planar(self) -> bool:
        """Whether all parts lie in the xy plane."""
        return all(part.planar for part in self.parts)

    @property
    def label(self) -> str:
        """Name, or the kinds of the parts."""
        return self.name or f"composite of {', '.join(part.label for part in self.parts)}"

    @property
    def total_mass(self) -> Number:
        """Mass (kg) as a number, or as an expression where dimensions are expressions."""
        return total(*(part.total_mass for part in self.parts))

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia of the whole; impossible ones are refused."""
        return combine([part.mass_properties(value) for part in self.parts]).check(self.label)

    def outline(self, value: Value = float) -> Outline:
        """Return all that there is to draw, voids marked."""
        return [each for part in self.parts for each in part.outline(value)]

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points and masses of all parts, those of voids negative; see `Shape.nodes`."""
        return [node for part in self.parts for node in part.nodes(n, value)]

    def spread(self, per: str, n: int = 2) -> Nodes:
        """Points of all parts with lengths, areas or volumes; see `Shape.spread`."""
        return [node for part in self.parts for node in part.spread(per, n)]

    @property
    def points(self) -> Mapping[str, Point]:
        """`origin`, `center` (of mass), and the points of named parts as name_point."""
        size = 2 if self.planar else 3
        points: dict[str, Point] = {"origin": (0.0,) * size, "center": self._center()[:size]}
        for part in self.parts:
            inner = part.shape if isinstance(part, Void) else part
            if isinstance(inner, Placed) and inner.name:
                named = {f"{inner.name}_{key}": point for key, point in part.points.items() if key != "origin"}
                points.update({key: (*point, 0.0)[:size] for key, point in named.items()})
        return points

    def _center(self) -> Point:
        """Mass centre Σ m_i c_i / m with numbers or expressions (PLANAR 6.1.23)."""
        centers = [(*part.points["center"], 0.0)[:3] for part in self.parts]
        mass = self.total_mass
        if is_plain(mass) and mass == 0.0:
            return centers[0]
        weights = [part.total_mass for part in self.parts]
        sums = [total(*(times(w, c[k]) for w, c in zip(weights, centers))) for k in range(3)]
        return tuple(0.0 if is_plain(x) and x == 0.0 else x / mass for x in sums)

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"composite({', '.join(repr(part) for part in self.parts)}{named})"


@checked_call
def composite(*parts: Shape, name: str = "") -> Composite:
    """Join shapes into one rigid body.

    The frame is the one in which the parts were placed; its origin is *not* the mass centre; that is `center`.

    Parameters
    ----------
    parts
        Shapes, placed by `.at(...)`; `void(...)` around what is taken away.
    name
        For messages.

    Examples
    --------
    >>> from dalembert.model.shapes import composite, disk, void
    >>> washer = composite(disk(0.2, mass=4.0), void(disk(0.1, mass=1.0)))
    >>> washer.total_mass
    3.0
    """
    return Composite(parts, name=name)


@checked_call
def void(part: Shape) -> Void:
    """Take a shape away: give it the density of the material that is missing."""
    if not isinstance(part, Shape):
        raise ModelError(
            "void", f"{shown(part)} of type {type(part).__name__}", "a void has a shape", "give void(disk(...))"
        )
    return Void(part)


def added(a: Shape, b: Shape) -> Composite:
    """Sum of two shapes; unnamed composites are opened, so that a + b + c has three parts."""
    parts: list[Shape] = []
    for shape in (a, b):
        parts.extend(shape.parts if isinstance(shape, Composite) and not shape.name else (shape,))
    return Composite(tuple(parts))


SHAPES.update(composite=composite, void=void)
