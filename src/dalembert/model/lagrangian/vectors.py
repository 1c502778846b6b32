"""Vectors and matrices of expressions: rates, rotations, angular velocities (LAGRANGE 1.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..expression import Call, Expr, Name, Number, functions
from ..expression.derivative import ONE, ZERO, Direction, minus, negative, plus, times

Vector = tuple[Expr, Expr, Expr]
Matrix = tuple[Vector, Vector, Vector]

AXES = {"x": 0, "y": 1, "z": 2}


def rate_of(name: str) -> Expr:
    """The rate of a coordinate, rate(q)."""
    return Call("rate", (Name(name),))


class Rates(Direction):
    """Total rate of expressions of coordinates and time: dx/dt = sum dx/dq q' + dx/dt."""

    def __init__(self, q: Sequence[str]) -> None:
        super().__init__({"t": ONE})
        self.follow(q)

    def follow(self, names: Iterable[str]) -> None:
        """Take further coordinates, which no expression has contained so far."""
        self._along |= {x: rate_of(x) for x in names}

    def vector(self, x: Iterable[Expr]) -> Vector:
        """Rates of three expressions."""
        a, b, c = (self(e) for e in x)
        return a, b, c


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """Scalar product."""
    total: Expr = ZERO
    for x, y in zip(a, b):
        total = plus(total, times(x, y))
    return total


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return (
        minus(times(a[1], b[2]), times(a[2], b[1])),
        minus(times(a[2], b[0]), times(a[0], b[2])),
        minus(times(a[0], b[1]), times(a[1], b[0])),
    )


def added(a: Vector, b: Vector) -> Vector:
    """Sum."""
    return plus(a[0], b[0]), plus(a[1], b[1]), plus(a[2], b[2])


def scaled(f: Expr, a: Vector) -> Vector:
    """Multiple."""
    return times(f, a[0]), times(f, a[1]), times(f, a[2])


def applied(m: Matrix, x: Vector) -> Vector:
    """Matrix times vector."""
    return dot(m[0], x), dot(m[1], x), dot(m[2], x)


def transposed(m: Matrix) -> Matrix:
    """Transpose."""
    return (m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2])


def product(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product."""
    columns = transposed(b)
    return tuple(tuple(dot(row, column) for column in columns) for row in a)  # type: ignore[return-value]


IDENTITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def turn(axis: int, angle: Expr) -> Matrix:
    """Rotation about a coordinate axis."""
    c, s = functions.cos(angle), functions.sin(angle)
    rows: list[list[Expr]] = [[ZERO] * 3 for _ in range(3)]
    j, k = (axis + 1) % 3, (axis + 2) % 3
    rows[axis][axis] = ONE
    rows[j][j], rows[j][k], rows[k][j], rows[k][k] = c, negative(s), s, c
    return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


def turned(turns: Sequence[tuple[int, Expr]], rates: Rates) -> tuple[Matrix, Vector]:
    """Rotation matrix of turns about body axes, one after the other, and the angular velocity in body axes.

    A = A_1 A_2 …, and omega' of the whole is A_k^T omega' of the first k-1 plus the rate of the last turn about its axis.
    """
    rotation: Matrix = IDENTITY
    omega: Vector = (ZERO, ZERO, ZERO)
    for axis, angle in turns:
        step = turn(axis, angle)
        rotation = product(rotation, step) if rotation is not IDENTITY else step
        before = applied(transposed(step), omega)
        spin: list[Expr] = [ZERO, ZERO, ZERO]
        spin[axis] = rates(angle)
        omega = added(before, (spin[0], spin[1], spin[2]))
    return rotation, omega


def spin_of(rotation: Matrix, rates: Rates) -> Vector:
    """Angular velocity in body axes of a rotation matrix: the vector of the skew matrix A^T A'."""
    columns = transposed(rotation)
    moved = tuple(rates.vector(column) for column in columns)
    # (A^T A')_jk = column_j . column_k'
    return dot(columns[2], moved[1]), dot(columns[0], moved[2]), dot(columns[1], moved[0])


HALF = Call("/", (Number(1.0), Number(2.0)))
