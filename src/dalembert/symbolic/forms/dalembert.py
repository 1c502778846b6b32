"""D'Alembert's principle: applied and inertia forces of all parts do no work in any displacement that the rows allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive
from ..free_bodies import Direction, free_bodies, outside_forces
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet, named
from ..simplify import tidied
from .base import Form, by_accelerations, constraint_section, head, held_rows


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
