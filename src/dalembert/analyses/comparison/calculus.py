"""Vectors and scalars of a moving mechanism with their rates, second rates and derivatives by the velocities of bodies.

    (x . y)'' = x'' . y + 2 x' . y' + x . y''
    f(s, t)'' = f_s s'' + f_ss s' s' + 2 f_st s' + f_tt          (time is one of the scalars, with rate 1)

Second rates are taken at zero accelerations of the bodies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Vector:
    """A vector x in space: value, rate, second rate at zero acceleration, and 3x6 derivatives by (r', omega) of bodies, space axes."""

    x: np.ndarray
    rate: np.ndarray
    bias: np.ndarray
    by: dict[int, np.ndarray]

    def __sub__(self, other: Vector) -> Vector:
        by = {b: self.by.get(b, _NONE) - other.by.get(b, _NONE) for b in {*self.by, *other.by}}
        return Vector(self.x - other.x, self.rate - other.rate, self.bias - other.bias, by)


_NONE = np.zeros((3, 6))


@dataclass(frozen=True)
class Scalar:
    """A scalar s: value, rate, explicit time part of the rate, second rate at zero acceleration, and its row by bodies."""

    value: float
    rate: float
    partial: float
    bias: float
    row: dict[int, np.ndarray]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product; np.cross takes ten times as long on single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def tilde(a: np.ndarray) -> np.ndarray:
    """Matrix with tilde(a) b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def dot(a: Vector, b: Vector) -> Scalar:
    """Scalar product."""
    row: dict[int, np.ndarray] = {}
    for k, x in a.by.items():
        row[k] = b.x @ x
    for k, x in b.by.items():
        row[k] = row[k] + a.x @ x if k in row else a.x @ x
    rate = float(a.rate @ b.x + a.x @ b.rate)
    bias = float(a.bias @ b.x + 2.0 * (a.rate @ b.rate) + a.x @ b.bias)
    return Scalar(float(a.x @ b.x), rate, 0.0, bias, row)


def rate_only(d: Vector, x: Vector) -> Scalar:
    """Rate d . x' of a vector along a direction; it has no value."""
    row = {k: d.x @ y for k, y in x.by.items()}
    return Scalar(0.0, float(d.x @ x.rate), 0.0, float(d.x @ x.bias + d.rate @ x.rate), row)


def chain(value: float, gradient: np.ndarray, parts: list[Scalar], hessian: np.ndarray | None = None) -> Scalar:
    """F of scalars, from its value, first and second derivatives."""
    row: dict[int, np.ndarray] = {}
    for g, s in zip(gradient, parts):
        for k, x in s.row.items():
            row[k] = row[k] + g * x if k in row else g * x
    rates = np.array([s.rate for s in parts])
    bias = float(gradient @ np.array([s.bias for s in parts]))
    if hessian is not None:
        bias += float(rates @ hessian @ rates)
    return Scalar(value, float(gradient @ rates), float(gradient @ np.array([s.partial for s in parts])), bias, row)
