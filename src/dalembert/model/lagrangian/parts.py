"""Particles, bodies and loads of a Lagrangian system: what they add to T, V and the generalized forces.

particle   T = m v.v / 2
body       T = m v.v / 2 + omega'.J' omega' / 2          v of the mass centre, omega' in body axes
force      Q_k = (dv/dq_k') . f       couple   Q_k = (domega/dq_k') . l          (LAGRANGE 1.5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..expression import Expr
from ..expression.derivative import ZERO, derivative, minus, negative, plus, times
from ..expression.switches import degree
from .vectors import HALF, Matrix, Vector, added, applied, dot, product, transposed


@dataclass(frozen=True, eq=False)
class Particle:
    """A point mass."""

    name: str
    mass: Expr
    position: Vector
    velocity: Vector

    kind = "particle"

    @property
    def kinetic(self) -> Expr:
        """Kinetic energy."""
        return times(HALF, times(self.mass, dot(self.velocity, self.velocity)))

    def potential(self, gravity: Vector) -> Expr:
        """Potential energy in a field of gravity: -m g.r."""
        return negative(times(self.mass, dot(gravity, self.position)))


@dataclass(frozen=True, eq=False)
class RigidBody(Particle):
    """A body: mass centre, rotation matrix and angular velocity in body axes, inertia in body axes."""

    inertia: Matrix
    rotation: Matrix
    spin: Vector
    stated: bool = False  # the matrix was given entry by entry, so that it may be no rotation

    kind = "body"

    @property
    def kinetic(self) -> Expr:
        """Kinetic energy."""
        turning = times(HALF, dot(self.spin, applied(self.inertia, self.spin)))
        return plus(super().kinetic, turning)


@dataclass(frozen=True, eq=False)
class Load:
    """A force at a point (`spin` None) or a couple on a body; components in space axes unless `local`.

    One along an expression s of coordinates (`along`) is (f, 0, 0) at the point (s, 0, 0): Q_k = f ds/dq_k, its power f ds/dt.
    """

    name: str
    on: str
    vector: Vector
    position: Vector | None
    spin: Vector | None
    along: bool = False

    kind = "load"

    def generalized(self, q: Sequence[str]) -> dict[str, Expr]:
        """Generalized force on each coordinate."""
        found: dict[str, Expr] = {}
        for name in q:
            if self.position is not None:
                # dv/dq' = dr/dq
                parts = [derivative(x, name) for x in self.position]
            else:
                assert self.spin is not None
                parts = [derivative(x, f"rate({name})") for x in self.spin]
            found[name] = dot(parts, self.vector)
        return {name: force for name, force in found.items() if force != ZERO}


PLACE = ("x", "y", "z")
SPEED = ("vx", "vy", "vz")


@dataclass(frozen=True, eq=False)
class Field:
    """Force per unit mass (and couple per unit mass) on parts; `on` None means all parts."""

    name: str
    vector: Vector
    moment: Vector
    on: tuple[str, ...] | None


def loads(asked: str, field: Field, part: Particle) -> dict[str, Load]:
    """Loads of a field on a part, by name."""
    body = part if isinstance(part, RigidBody) else None
    if body is not None:
        for law in field.vector:
            if degree(law, (*PLACE, *SPEED)) > 1.0:
                raise ModelError(
                    asked,
                    f"{law} over body {part.name!r}",
                    "of a body in a Lagrangian system mass and inertia are known but no shape, which is enough for linear fields only",
                    "linearize the field about the mass centre, use particles, or a Mechanism, whose bodies have shapes",
                )
    here = {**dict(zip(PLACE, part.position)), **dict(zip(SPEED, part.velocity))}
    found: dict[str, Load] = {}
    force = _vector([times(part.mass, law.substitute(here)) for law in field.vector])
    if force != (ZERO, ZERO, ZERO):
        name = f"{field.name} on {part.name}"
        found[name] = Load(name, part.name, force, part.position, None)
    if body is None:
        return found
    spin = applied(body.rotation, body.spin)
    couple = _moment(field, body, here, spin)
    couple = _vector([plus(a, times(part.mass, b.substitute(here))) for a, b in zip(couple, field.moment)])
    if couple != (ZERO, ZERO, ZERO):
        name = f"{field.name} turning {part.name}"
        found[name] = Load(name, part.name, couple, None, spin)
    return found


def _moment(field: Field, body: RigidBody, here: dict[str, Expr], spin: Vector) -> Vector:
    J = body.inertia
    half = times(HALF, plus(plus(J[0][0], J[1][1]), J[2][2]))
    E: Any = [[minus(half, J[i][k]) if i == k else negative(J[i][k]) for k in range(3)] for i in range(3)]
    A = body.rotation
    S = product(product(A, E), transposed(A))
    wx, wy, wz = spin
    tilde = ((ZERO, negative(wz), wy), (wz, ZERO, negative(wx)), (negative(wy), wx, ZERO))
    slopes: list[Any] = [
        [[derivative(law, name).substitute(here) for name in names] for law in field.vector] for names in (PLACE, SPEED)
    ]
    by_place, by_speed = slopes
    G: Any = [added(a, b) for a, b in zip(by_place, product(by_speed, tilde))]
    # T_jk = ∫ s_j f_k dm
    T = transposed(product(G, S))
    return _vector([minus(T[1][2], T[2][1]), minus(T[2][0], T[0][2]), minus(T[0][1], T[1][0])])


def _vector(items: list[Expr]) -> Vector:
    a, b, c = (x.simplify() for x in items)
    return a, b, c
