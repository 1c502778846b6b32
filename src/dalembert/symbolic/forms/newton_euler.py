"""Newton's and Euler's equations of every particle and body, with the resultants of the reactions as unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import RigidBody
from .. import sp
from ..derivation import Derivation, derive
from ..free_bodies import Direction, free_bodies, outside_forces
from ..sheet import Equation, Section, Sheet, line
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
