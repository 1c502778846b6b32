"""The drawing of a mechanism as expressions of its parameters: mass, mass centre and inertia of shapes, poses, markers.

The same as `system/geometry.py` does with numbers.  Where there is a choice (a vector across an axis), it is the one that the present
values of the parameters lead to, so that numbers and expressions always speak of the same axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model.body import Body
from ...model.expression import Expr, Number
from ...model.expression.derivative import ONE, ZERO, folded, minus, negative, over, plus, times
from ...model.frame import Axis, Marker, Point
from ...model.lagrangian.vectors import (
    IDENTITY,
    Matrix,
    Vector,
    added,
    applied,
    cross,
    dot,
    product,
    scaled,
    transposed,
)
from ...model.mechanism import Mechanism
from ...model.reading import Orientation
from ...model.shapes import Composite, Lump, Placed, Primitive, Revolved, Shape, Void
from ...system.geometry import Drawing, perpendicular
from ..simplify import tidy as shorten
from ..symbols import Symbols


@dataclass(frozen=True)
class Matter:
    """Mass, mass centre in the frame of the shape, and inertia about the mass centre in its axes."""

    mass: Expr
    center: Vector
    inertia: Matrix


def expression(x: Any) -> Expr:
    """Expression of a number or an expression."""
    return x.simplify() if isinstance(x, Expr) else Number(float(x))


def vector(x: Any) -> Vector:
    """Three expressions of two or three numbers or expressions."""
    items = [expression(c) for c in x]
    return items[0], items[1], items[2] if len(items) == 3 else ZERO


def matrix(x: Any) -> Matrix:
    """Three rows of three."""
    a, b, c = (vector(row) for row in x)
    return a, b, c


def sum_of(a: Matrix, b: Matrix) -> Matrix:
    """Sum of two matrices."""
    return added(a[0], b[0]), added(a[1], b[1]), added(a[2], b[2])


def difference(a: Vector, b: Vector) -> Vector:
    """Difference of two vectors."""
    return minus(a[0], b[0]), minus(a[1], b[1]), minus(a[2], b[2])


def multiple(f: Expr, a: Matrix) -> Matrix:
    """Multiple of a matrix."""
    return scaled(f, a[0]), scaled(f, a[1]), scaled(f, a[2])


def outer(n: Vector) -> Matrix:
    """Products n n^T."""
    return scaled(n[0], n), scaled(n[1], n), scaled(n[2], n)


def matter(asked: str, shape: Shape) -> Matter:
    """Mass properties of a shape as expressions."""
    if isinstance(shape, Lump):
        return Matter(expression(shape.mass), vector(shape.center), matrix(shape.inertia))
    if isinstance(shape, Primitive):
        return _primitive(shape)
    if isinstance(shape, Placed):
        return _placed(matter(asked, shape.shape), shape)
    if isinstance(shape, Void):
        inside = matter(asked, shape.shape)
        return Matter(negative(inside.mass), inside.center, multiple(Number(-1.0), inside.inertia))
    if isinstance(shape, Composite):
        return _composite([matter(asked, part) for part in shape.parts])
    raise ModelError(
        asked, f"a shape of type {type(shape).__name__}",
        "there are no formulas for its inertia", "give mass= and inertia= instead",
    )  # fmt: skip


def _primitive(shape: Primitive) -> Matter:
    # the formulas of shapes compute with numbers and expressions alike
    d = SimpleNamespace(**{name: getattr(shape, name) for name in shape.__dataclass_fields__})
    mass = expression(shape.total_mass)
    if isinstance(shape, Revolved):
        # J/m = t 1 + (a - t) n n^T
        axial, transverse = (expression(x) for x in shape._axial_and_transverse(d))
        n = vector(shape.axis)
        per_mass = sum_of(multiple(transverse, IDENTITY), multiple(minus(axial, transverse), outer(n)))
    else:
        a, b, c = vector(shape._inertia_per_mass(d))
        per_mass = ((a, ZERO, ZERO), (ZERO, b, ZERO), (ZERO, ZERO, c))
    return Matter(mass, vector(shape._center(shape)), multiple(mass, per_mass))


def _placed(inside: Matter, shape: Placed) -> Matter:
    A = matrix(shape._symbolic_rotation())
    center = added(vector(shape.position), applied(A, inside.center))
    return Matter(inside.mass, center, product(product(A, inside.inertia), transposed(A)))


def _composite(parts: list[Matter]) -> Matter:
    """Sum of parts: c = sum m_i c_i / m, J = sum J_i + m_i (d.d 1 - d d^T) with d from c to c_i."""
    mass: Expr = ZERO
    first: Vector = (ZERO, ZERO, ZERO)
    for part in parts:
        mass = plus(mass, part.mass)
        first = added(first, scaled(part.mass, part.center))
    center: Vector = (over(first[0], mass), over(first[1], mass), over(first[2], mass))
    inertia: Matrix = ((ZERO,) * 3, (ZERO,) * 3, (ZERO,) * 3)
    for part in parts:
        d = difference(part.center, center)
        shifted = sum_of(multiple(dot(d, d), IDENTITY), multiple(Number(-1.0), outer(d)))
        inertia = sum_of(inertia, sum_of(part.inertia, multiple(part.mass, shifted)))
    return Matter(mass, center, inertia)


_DIGITS = 15  # numbers are rounded to what a float holds for certain, so that 0.30000000000000004 reads 0.3
_SMALL = 1e-14  # relative: rounding of what should be zero
# nodes up to which expressions of parameters are shortened: products of long sums, as in quaternions from point to point, take minutes
_LONGEST = 150


@dataclass(frozen=True, eq=False)
class Drawn:
    """A body as drawn: rotation A, origin in space, mass properties (mass centre in body axes), angle in the plane."""

    rotation: Matrix
    origin: Vector
    matter: Matter
    angle: Expr


@dataclass(frozen=True, eq=False)
class Ends:
    """Both markers of a measure in body axes: points from the mass centres, axes as columns."""

    i: Body
    j: Body
    point_i: Vector
    point_j: Vector
    axes_i: Matrix
    axes_j: Matrix


class SymbolicDrawing:
    """Poses of all bodies as drawn, as expressions."""

    def __init__(self, model: Mechanism) -> None:
        self.model = model
        self.numbers = Drawing(model)
        self.values = self.numbers.values
        nothing = Matter(ZERO, (ZERO, ZERO, ZERO), (((ZERO,) * 3),) * 3)
        self.poses = {model.ground: Drawn(IDENTITY, (ZERO, ZERO, ZERO), nothing, ZERO)}
        for body in model.bodies:
            self.poses[body] = self._drawn(body)

    def _drawn(self, body: Body) -> Drawn:
        assert body.shape is not None
        found = matter(f"body {body.name!r}", body.shape)
        if body.given_center is not None:
            found = Matter(found.mass, vector(body.given_center), found.inertia)
        angle: Expr = ZERO
        if self.model.plane:
            angle = expression(body.drawn_angle)
            rotation = turned_z(angle)
            found = Matter(found.mass, (found.center[0], found.center[1], ZERO), found.inertia)
        else:
            rotation = self._rotation(body.rotation)
        inertia = matrix([[self.tidy(x) for x in row] for row in found.inertia])
        found = Matter(self.tidy(found.mass), self.tidy_point(found.center), inertia)
        return Drawn(rotation, vector(body.at), found, angle)

    def _rotation(self, rotation: Any) -> Matrix:
        if rotation is None:
            return IDENTITY
        if not isinstance(rotation, Orientation):
            return self.tidy_rotation(matrix(rotation))
        x = [expression(c) for c in rotation.numbers]
        if rotation.kind == "matrix":
            return (x[0], x[1], x[2]), (x[3], x[4], x[5]), (x[6], x[7], x[8])
        if rotation.kind == "quaternion":
            size = folded("sqrt", dot(x, x))
            return quaternion_rotation([over(c, size) for c in x])
        n = unit((x[0], x[1], x[2]))
        # Rodrigues: cos 1 + sin n~ + (1 - cos) n n^T
        c, s = folded("cos", x[3]), folded("sin", x[3])
        first = sum_of(multiple(c, IDENTITY), multiple(s, skew(n)))
        return sum_of(first, multiple(minus(ONE, c), outer(n)))

    # -- simplification ----------------------------------------------------------------------------------------------------

    def tidy(self, x: Expr, size: float = 0.0) -> Expr:
        """Numbers without rounding noise; longer expressions of parameters as SymPy shortens them, where it is there; long ones as they are.

        `size` is that of such numbers in the model.
        """
        x = x.simplify()
        if isinstance(x, Number):
            return Number(0.0 if abs(x.value) < _SMALL * size else _rounded(x.value))
        if not 8 <= x.size <= _LONGEST:
            return x
        try:
            made = Symbols(()).back(shorten(Symbols(()).of(x))).simplify()
        except ImportError:
            return x
        value, again = x.evaluate(self.values), made.evaluate(self.values)
        return made if abs(value - again) <= 1e-12 * (abs(value) + size) else x

    def tidy_point(self, x: Vector) -> Vector:
        """Point or arm, in metres."""
        size = self.numbers.extent
        return self.tidy(x[0], size), self.tidy(x[1], size), self.tidy(x[2], size)

    def tidy_rotation(self, x: Matrix) -> Matrix:
        """Rotation matrix."""
        a, b, c = ((self.tidy(row[0], 1.0), self.tidy(row[1], 1.0), self.tidy(row[2], 1.0)) for row in x)
        return a, b, c

    def value(self, x: Expr) -> float:
        """Number with the present parameters."""
        return x.evaluate(self.values)

    # -- markers -----------------------------------------------------------------------------------------------------------

    def place(self, body: Body, at: Any) -> Vector:
        """Point of a body, from its mass centre, in body axes; None is the mass centre."""
        pose = self.poses[body]
        if at is None:
            return ZERO, ZERO, ZERO
        center = scaled(Number(-1.0), pose.matter.center)
        if isinstance(at, Point):
            if at.body is body:
                return self.tidy_point(added(vector(at.coordinates), center))
            other = self.poses[at.body]
            space = added(other.origin, applied(other.rotation, vector(at.coordinates)))
        else:
            space = vector(at)
        arm = added(space, scaled(Number(-1.0), pose.origin))
        return self.tidy_point(added(applied(transposed(pose.rotation), arm), center))

    def direction(self, d: Any) -> Vector:
        """Unit direction in space as drawn."""
        if isinstance(d, Axis):
            return unit(applied(self.poses[d.body].rotation, vector(d.coordinates)))
        return unit(vector(d))

    def axes(self, marker: Marker, like: Matrix | None = None) -> Matrix:
        """Axes of a marker in space as drawn, as columns; see `Drawing.axes`."""
        if marker.z is None and marker.x is None:
            return IDENTITY if like is None else like
        if marker.z is None:
            x = self.direction(marker.x)
            z = (ZERO, ZERO, ONE) if self.model.plane else self._across(x)
            return transposed((x, cross(z, x), z))
        z = self.direction(marker.z)
        if marker.x is not None:
            x = self.direction(marker.x)
            x = unit(added(x, scaled(negative(dot(x, z)), z)))
        elif like is None:
            x = self._across(z)
        else:
            columns = transposed(like)
            x = applied(self._smallest(columns[2], z), columns[0])
        return transposed((x, cross(z, x), z))

    def _across(self, z: Vector) -> Vector:
        """Unit vector across z, from the same space axis as `perpendicular` takes."""
        numbers = np.array([self.value(c) for c in z])
        if all(isinstance(c, Number) for c in z):
            return vector(perpendicular(numbers))
        k = int(np.argmin(np.abs(numbers)))
        e = [ZERO, ZERO, ZERO]
        e[k] = ONE
        return unit(added((e[0], e[1], e[2]), scaled(negative(z[k]), z)))

    def _smallest(self, a: Vector, b: Vector) -> Matrix:
        """Rotation that takes the unit vector a to b the short way: 1 + v~ + v~ v~ / (1 + c) with v = a x b, c = a.b."""
        same = all(abs(self.value(x) - self.value(y)) < 1e-15 for x, y in zip(a, b))
        if same:
            return IDENTITY
        c = dot(a, b)
        if self.value(c) < -1.0 + 1e-12:
            return sum_of(multiple(Number(2.0), outer(self._across(a))), multiple(Number(-1.0), IDENTITY))
        k = skew(cross(a, b))
        return sum_of(IDENTITY, sum_of(k, multiple(over(ONE, plus(ONE, c)), product(k, k))))

    def ends(self, i: Marker, j: Marker) -> Ends:
        """Both markers of a measure in body axes."""
        frame_i = self.axes(i)
        frame_j = self.axes(j, like=frame_i)
        axes = [
            self.tidy_rotation(product(transposed(self.poses[marker.body].rotation), frame))
            for marker, frame in ((i, frame_i), (j, frame_j))
        ]
        return Ends(i.body, j.body, self.place(i.body, i.at), self.place(j.body, j.at), axes[0], axes[1])


def _rounded(value: float) -> float:
    """Number without the rounding of its last digit: 1/3, 0.3, or fifteen digits."""
    fraction = Fraction(value).limit_denominator(1000)
    near = fraction.numerator / fraction.denominator
    return near if abs(near - value) <= 4e-16 * abs(value) else float(f"{value:.{_DIGITS}g}")


def unit(v: Vector) -> Vector:
    """Vector divided by its length."""
    square = dot(v, v).simplify()
    if square == ONE:
        return v
    size = folded("sqrt", square)
    return over(v[0], size), over(v[1], size), over(v[2], size)


def skew(a: Vector) -> Matrix:
    """Matrix a~ with a~ b = a x b."""
    x, y, z = a
    return (ZERO, negative(z), y), (z, ZERO, negative(x)), (negative(y), x, ZERO)


def turned_z(angle: Expr) -> Matrix:
    """Rotation about z; cosine and sine of numbers are numbers."""
    c, s = folded("cos", angle), folded("sin", angle)
    return (c, negative(s), ZERO), (s, c, ZERO), (ZERO, ZERO, ONE)


def quaternion_rotation(p: list[Expr]) -> Matrix:
    """Rotation matrix of Euler parameters, scalar first."""
    e0, e1, e2, e3 = p
    two = Number(2.0)

    def twice(a: Expr, b: Expr, sign: float) -> Expr:
        return times(two, plus(a, b) if sign > 0 else minus(a, b))

    def diagonal(a: Expr, b: Expr) -> Expr:
        return minus(ONE, times(two, plus(times(a, a), times(b, b))))

    return (
        (diagonal(e2, e3), twice(times(e1, e2), times(e0, e3), -1.0), twice(times(e1, e3), times(e0, e2), 1.0)),
        (twice(times(e1, e2), times(e0, e3), 1.0), diagonal(e1, e3), twice(times(e2, e3), times(e0, e1), -1.0)),
        (twice(times(e1, e3), times(e0, e2), -1.0), twice(times(e2, e3), times(e0, e1), 1.0), diagonal(e1, e2)),
    )
