"""Fields over the parts of a Lagrangian system: a force per unit mass f(r, v, t) as loads on particles and bodies.

A particle takes m f(r).  For a body only mass and inertia are known, and f may be linear in place and velocity, for which these are enough:

    F = m f(r_C, v_C),    M_C = ∫ s × f dm,   s = A s':   M_i = ε_ijk G_kl S_lj

with S = A (½ tr(J') 1 − J') Aᵀ = ∫ s sᵀ dm and G = ∂f/∂r + (∂f/∂v) ω̃, the change of f along s (BASICS 8.24; SPATIAL, F^m).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..expression import Expr
from ..expression.degree import degree
from ..expression.derivative import ZERO, derivative, minus, negative, plus, times
from .parts import Load, Particle, RigidBody
from .vectors import HALF, Vector, added, applied, product, transposed

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
