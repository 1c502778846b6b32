"""Forms of particles and bodies cut free: Newton's and Euler's equations, d'Alembert's principle, Jourdain's principle.

d'Alembert   applied and inertia forces of all parts do no work in any displacement that the rows allow
Jourdain     dP = sum (f - m a).dv + (n - J w'' - w' x J w').dw' = 0 for all virtual velocities that the rows allow: J dq' = 0, dq = 0

Forces that belong to no part add Q_0.dq'.  Where d'Alembert's principle varies positions, which nonholonomic rows do not restrict, Jourdain's
varies velocities, as the rows restrict them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import RigidBody
from .. import sp
from ..derivation import Derivation, derive
from ..free_bodies import Direction, free_bodies, outside_forces
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet, line, named
from ..simplify import tidied
from .base import Form, by_accelerations, constraint_section, head, held_rows


@dataclass(frozen=True, eq=False, repr=False)
class NewtonEuler(Form):
    """Free-body equations of the parts.

    `reactions` are the symbols of the resultant reactions (R_part_x: force in space axes, N_part_z: moment about the mass centre in
    body axes).  `equations` are those of the parts in the accelerations of the coordinates, then the conditions that reactions do no virtual work beyond that of the rows.
    """

    reactions: tuple[Any, ...]
    directions: tuple[Direction, ...]

    kind = "newton-euler"

    def solve_reactions(self, state: dict[str, float] | None = None) -> dict[str, float]:
        """Reactions on the parts in numbers at a state, by the names of their symbols."""
        found = self._solver(self.read_state(state or {}))
        return {r.name: found[r.name] for r in self.reactions}

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        d = self.derivation
        return [*self.residuals, *held_rows(d)], [*d.symbols.a, *self.reactions, *d.lam], ()


def euler_equations(d: Derivation, part: RigidBody, moments: Sequence[Direction]) -> list[Equation]:
    """Euler's equations J w' + w x J w = n + N of a body in space in its angular velocity, body axes, and what that is of the rates."""
    names = [x.velocity_name for x in moments]
    # a component that is zero needs no name
    w, rates = (
        sp.Matrix([0 if x.velocity == 0 else s for x, s in zip(moments, d.fresh([f"{n}{mark}" for n in names]))])
        for mark in ("", "'")
    )
    J = d.symbols.matrix(part.inertia)
    bias = tidied(w.cross(J * w))
    made = [
        Equation((*J[k, :], bias[k]), x.applied + x.reaction, (*rates, sp.S.One)) for k, x in enumerate(moments)
    ]  # fmt: skip
    return made + [line(s, x.velocity) for s, x in zip(w, moments) if s != 0]


def newton_euler(model: Lagrangian) -> NewtonEuler:
    """Free-body equations of a system built from particles and bodies."""
    asked = f"equations of {model.name!r} in the form 'newton-euler'"
    d = derive(model, asked)
    directions = free_bodies(d, asked)
    sections, lines = [], []
    for name, part in model.parts.items():
        of_part = [x for x in directions if x.part == name]
        own = []
        for x in of_part:
            inertia = tuple(by_accelerations(d, x.inertia))
            own.append(Equation(inertia, x.applied + x.reaction, (*d.symbols.a, sp.S.One)))
        turning = [x for x in of_part if x.kind == "moment"]
        written = (
            [*own[:-3], *euler_equations(d, part, turning)]
            if isinstance(part, RigidBody) and len(turning) == 3
            else own
        )
        sections.append(Section(f"{part.kind} {name!r}", tuple(written)))
        lines += own
    outside = outside_forces(d, directions)
    ideal = []
    for k in range(len(d.names)):
        terms = [x.motion[k] for x in directions] + [d.J[r, k] for r in range(len(d.lam))]
        ideal.append(Equation(tuple(terms), outside[k], tuple([x.reaction for x in directions] + d.lam)))
    remarks = ["$R$: force of all reactions, space axes; $N$: moment of all reactions about the mass centre, body axes"]
    if any(len([x for x in directions if x.part == name and x.kind == "moment"]) == 3 for name in model.parts):
        remarks.append("$@w$: angular velocity, body axes")
    if outside != sp.zeros(len(d.names), 1):
        remarks.append("they include forces that belong to no part, whose work stands on the right")
    sheet = Sheet(head(d, "Newton's and Euler's equations"), (
        *sections,
        Section("reactions do no virtual work" + (" beyond that of the constraints" if d.lam else ""), tuple(ideal), tuple(remarks)),
        constraint_section(d),
    ))  # fmt: skip
    reactions = tuple(x.reaction for x in directions)
    return NewtonEuler(d, sheet, (*lines, *ideal), reactions, tuple(directions))


@dataclass(frozen=True, eq=False, repr=False)
class DAlembert(Form):
    """D'Alembert's principle for a system built from particles and bodies: reactions never appear."""

    partition: Partition

    kind = "dalembert"

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        return [*self.residuals, *held_rows(self.derivation)], self.derivation.symbols.a, ()


def balance(d: Derivation, p: Partition, directions: list[Direction]) -> tuple[Equation, ...]:
    """Work of inertia forces = work of applied forces, one equation for each displacement that the rows allow."""
    applied, inertia = outside_forces(d, directions), sp.zeros(len(d.names), 1)
    for x in directions:
        applied, inertia = applied + x.applied * x.motion.T, inertia + x.inertia * x.motion.T
    applied, inertia = tidied(p.S.T * applied), tidied(p.S.T * inertia)
    factors = (*d.symbols.a, sp.S.One)
    return tuple(Equation(tuple(by_accelerations(d, x)), y, factors) for x, y in zip(inertia, applied))


def dalembert(model: Lagrangian, independent: Sequence[str] | None = None) -> DAlembert:
    """D'Alembert's principle, one equation for each independent displacement."""
    asked = f"equations of {model.name!r} in the form 'dalembert'"
    d = derive(model, asked)
    directions = free_bodies(d, asked)
    p = partition(d, asked, independent)
    lines = balance(d, p, directions)
    remark = f"independent displacements: {named(p.independent)}"
    sheet = Sheet(head(d, "d'Alembert's principle"), (
        Section("work of inertia forces = work of applied forces", lines, (remark,)), constraint_section(d, named=False),
    ))  # fmt: skip
    return DAlembert(d, sheet, lines, p)


@dataclass(frozen=True, eq=False, repr=False)
class Jourdain(DAlembert):
    """Equations from the principle of virtual power.

    `virtual_power` is the virtual power in the virtual velocities of the parts, `virtual_velocities` the symbols of the independent ones;
    with quasi_velocities= these are variations of the velocities named.
    """

    virtual_power: Any
    virtual_velocities: tuple[Any, ...]

    kind = "jourdain"


def jourdain(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Jourdain:
    """Jourdain's principle, one equation for each independent virtual velocity."""
    asked = f"equations of {model.name!r} in the form 'jourdain'"
    d = derive(model, asked)
    directions = free_bodies(
        d, asked, "virtual power is that of forces on particles and bodies",
        "build it with particle(…) and body(…), or use form='maggi', for which T suffices",
    )  # fmt: skip
    p = partition(d, asked, independent, quasi_velocities)
    s = d.symbols
    outside = outside_forces(d, directions)
    varied = {v: sp.Symbol(f"δ{v.name}", real=True) for v in (*s.v, *p.u)}
    free = [varied[u] for u in p.u]
    terms, names, moved = [], [], []
    for x in directions:
        name = sp.Symbol(f"δ{x.velocity_name}", real=True)
        terms.append(x.applied - x.inertia)
        names.append(name)
        moved.append(Equation(tuple(tidied(x.motion * p.S)), name, tuple(free), flipped=True))
    power = Equation(
        (*terms, *outside), sp.Symbol("δP", real=True), (*names, *(varied[v] for v in s.v)), flipped=True
    )  # fmt: skip
    lines = balance(d, p, directions)
    allowed = tuple(
        line(varied[v], tidied(p.S[k, :] * sp.Matrix(len(free), 1, free))[0])
        for k, v in enumerate(s.v) if v not in p.u
    )  # fmt: skip
    chosen = () if p.plain else (f"independent: {named(x.name for x in free)}",)
    sheet = Sheet(head(d, "Jourdain's principle of virtual power"), (
        Section("virtual velocities that the rows allow", allowed, chosen),
        Section("virtual velocities of the parts ($v$: space axes; $@w$: body axes)", tuple(moved)),
        Section("virtual power of applied and inertia forces", (power,)),
        Section(f"it is zero for all {named(x.name for x in free)}: power of inertia forces = power of applied forces", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return Jourdain(d, sheet, lines, p, power.left, tuple(free))
