"""Mass, mass centre and inertia of shapes as expressions of their dimensions.

The formulas are those of the shapes themselves; where all dimensions are numbers, so are the results.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ...errors import ModelError
from ...model.expression import Expr, Number
from ...model.expression.derivative import ZERO, minus, negative, over, plus
from ...model.lagrangian.vectors import IDENTITY, Matrix, Vector, added, applied, dot, product, scaled, transposed
from ...model.shapes import Composite, Lump, Placed, Primitive, Revolved, Shape, Void


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
        d: Vector = tuple(minus(a, b) for a, b in zip(part.center, center))  # type: ignore[assignment]
        shifted = sum_of(multiple(dot(d, d), IDENTITY), multiple(Number(-1.0), outer(d)))
        inertia = sum_of(inertia, sum_of(part.inertia, multiple(part.mass, shifted)))
    return Matter(mass, center, inertia)
