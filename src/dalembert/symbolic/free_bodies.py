"""Particles and bodies of a system cut free: accelerations, applied loads, and the directions in which coordinates move them.

    m r'' = F + R          J' w' + w x J' w = n + N          (moments about the mass centre, in body axes)
    (dv/dq')^T R + (dw/dq')^T N + J^T lam = Q_0              R, N do no work beyond that of the rows and of Q_0

R and N are the resultants of all reactions on a part.  Q_0 are forces that belong to no part: those of forces=, potential=,
dissipation=, and loads at points of no part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..errors import MethodError
from ..model.expression.derivative import ONE, ZERO
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import Load, Particle, RigidBody
from . import sp
from .derivation import Derivation, plain
from .simplify import is_zero, tidied, tidy
from .symbols import Symbols, slope
from .unevaluated import Unevaluated

AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Direction(Unevaluated):
    """One scalar equation of a part: inertia = applied + reaction, and how the rates of coordinates move it."""

    part: str
    kind: str  # "force" or "moment"
    axis: str
    inertia: Any  # mass times acceleration, or rate of angular momentum
    applied: Any
    reaction: Any  # symbol
    motion: Any  # row: derivative of the velocity by the rates
    velocity: Any  # component of the velocity, or of the angular velocity

    @property
    def velocity_name(self) -> str:
        """Name of the component of the velocity: v_bar_x, w_bar_z."""
        return f"{'v' if self.kind == 'force' else 'w'}_{plain(self.part)}_{self.axis}"


def check_parts(d: Derivation, asked: str, why: str, do: str) -> None:
    """Refuse systems whose inertia is not that of particles and bodies of constant mass; `why`, `do`: of those given by T alone."""
    model = d.model
    if not model.parts:
        raise MethodError(
            asked, f"{model.name!r} is given by its kinetic energy T, without particles or bodies", why, do
        )
    of_parts = sum((d.symbols.of(part.kinetic) for part in model.parts.values()), 0)
    if not is_zero(d.T - of_parts):
        raise MethodError(
            asked, f"kinetic= adds {tidy(d.T - of_parts)} to the kinetic energy of the parts",
            "inertia that belongs to no particle or body has no free-body equation", "state it as a body, or use another form",
        )  # fmt: skip
    moving = {*model.q, *(f"rate({x})" for x in model.q), "t"}
    for part in model.parts.values():
        own = [part.mass, *(x for row in part.inertia for x in row)] if isinstance(part, RigidBody) else [part.mass]
        changing = next((x for x in own if x.names & moving), None)
        if changing is not None:
            raise MethodError(
                asked, f"{part.kind} {part.name!r} with mass or inertia {changing}", "it changes with the motion, and Newton's law is for bodies that keep theirs",
                "use another form, for which T suffices",
            )  # fmt: skip


def free_bodies(
    d: Derivation,
    asked: str,
    why: str = "free-body equations need to know what moves, and how its points move",
    do: str = "build it with particle(…) and body(…), or use another form, which T suffices for",
) -> list[Direction]:
    """Equations of all parts, reactions as unknowns."""
    check_parts(d, asked, why, do)
    model = d.model
    flat = all(_is_flat(model, part) for part in model.parts.values())
    found = [x for part in model.parts.values() for x in _directions(d, part, flat)]
    symbols = d.fresh([x.reaction.name for x in found])
    return [replace(x, reaction=symbol) for x, symbol in zip(found, symbols)]


def outside_forces(d: Derivation, directions: list[Direction]) -> Any:
    """Generalized forces that belong to no part."""
    made = d.Q - d.dV - d.dD
    for x in directions:
        made -= x.applied * x.motion.T
    return tidied(made)


def _is_flat(model: Lagrangian, part: Particle) -> bool:
    """Whether a part moves in the plane z = 0 under loads in the plane."""
    if part.position[2] != ZERO or model.gravity[2] != ZERO:
        return False
    if isinstance(part, RigidBody) and (part.rotation[2] != (ZERO, ZERO, ONE) or part.rotation[0][2] != ZERO):
        return False
    loads = [load for load in model.loads.values() if load.on == part.name]
    return all(
        (load.vector[2] == ZERO and load.position[2] == ZERO) if load.position is not None else load.vector[:2] == (ZERO, ZERO)
        for load in loads
    )  # fmt: skip


def _directions(d: Derivation, part: Particle, flat: bool) -> list[Direction]:
    s, model = d.symbols, d.model
    mass = s.of(part.mass)
    force, moment = sp.zeros(3, 1), sp.zeros(3, 1)  # applied, in space axes; about the mass centre, in body axes
    for load in model.loads.values():
        if load.on == part.name:
            own = load_on(s, load, part)
            force, moment = force + own[0], moment + own[1]
    made = []
    for k, axis in enumerate(AXES[:2] if flat else AXES):
        speed = s.total_rate(s.of(part.position[k]))
        gravity = mass * s.of(model.gravity[k])
        made.append(_direction(d, part, "force", axis, mass * s.total_rate(speed), tidy(gravity + force[k]), speed))
    if isinstance(part, RigidBody):
        spin = sp.Matrix([tidy(s.of(x)) for x in part.spin])
        inertia = s.matrix(part.inertia)
        momentum = inertia * spin
        rate = momentum.applyfunc(s.total_rate) + spin.cross(momentum)
        for k in (2,) if flat else (0, 1, 2):
            made.append(_direction(d, part, "moment", AXES[k], rate[k], tidy(moment[k]), spin[k]))
    return made


def _direction(
    d: Derivation, part: Particle, kind: str, axis: str, inertia: Any, applied: Any, speed: Any
) -> Direction:
    reaction = sp.Symbol(f"{'R' if kind == 'force' else 'N'}_{plain(part.name)}_{axis}", real=True)
    motion = sp.Matrix([[tidy(slope(speed, v)) for v in d.symbols.v]])
    return Direction(part.name, kind, axis, tidy(inertia), applied, reaction, motion, speed)


def load_on(s: Symbols, load: Load, part: Particle) -> tuple[Any, Any]:
    """Force of a load on its part in space axes, and moment about the mass centre in body axes."""
    vector = sp.Matrix([s.of(x) for x in load.vector])
    none = sp.zeros(3, 1)
    if not isinstance(part, RigidBody):
        return vector, none
    back = s.matrix(part.rotation).T
    if load.position is None:
        # components in body axes where the work goes with the spin in body axes
        return none, vector if load.spin == part.spin else back * vector
    arm = sp.Matrix([s.of(a) - s.of(b) for a, b in zip(load.position, part.position)])
    return vector, back * arm.cross(vector)
