"""Particles, bodies and loads of a Lagrangian system: what they add to T, V and the generalized forces.

particle   T = m v.v / 2
body       T = m v.v / 2 + omega'.J' omega' / 2          v of the mass centre, omega' in body axes
force      Q_k = (dv/dq_k') . f       couple   Q_k = (domega/dq_k') . l          (LAGRANGE 1.5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..expression import Expr
from ..expression.derivative import ZERO, derivative, negative, plus, times
from .vectors import HALF, Matrix, Vector, applied, dot


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
