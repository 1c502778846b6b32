"""Equations without multipliers in independent velocities: [X^T Z^T](d/dt dL/dq' - dL/dq - phi) = 0 (LAGRANGE 2.6.29-32, 2.6.41).

L is formed before the rows are used: they enter through q' = [X; Z] u + [Y; W] nu afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import derive
from ..partition import partition
from ..sheet import Equation, Section, Sheet
from ..simplify import tidied
from .base import energy_lines, head, one_of
from .velocities import InVelocities, rates_of, velocity_section


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(InVelocities):
    """Equations of a system with constraints in as many velocities as it has freedoms.

    `X`, `Y`, `Z`, `W` are the matrices of q_p' = X u + Y nu, q_m' = Z u + W nu; `M` and `rhs` those of M u' = rhs;
    `independent` and `dependent` name the coordinates, `u` are the symbols of the velocities, `du` of their rates.
    """

    M: Any
    rhs: Any

    kind = "reduced"

    X = one_of("partition.X", "Independent rates per velocity.")
    Y = one_of("partition.Y", "Independent rates per right side.")
    Z = one_of("partition.Z", "Dependent rates per velocity.")
    W = one_of("partition.W", "Dependent rates per right side.")

    @property
    def active_force(self) -> Any:
        """Network vector of active forces, [X^T Z^T] phi, by the velocities u (LAGRANGE 2.6.27a)."""
        p = self.partition
        return tidied(p.S.T * self._active().applyfunc(p.admissible))

    @property
    def inertia_force(self) -> Any:
        """Network vector of inertia forces, [X^T Z^T] phi*; with that of active forces it is zero (LAGRANGE 2.6.27b, 2.6.22)."""
        p, d = self.partition, self.derivation
        return tidied(-p.S.T * (d.M * (p.S * d.column(self.du) + p.turning) + d.h.applyfunc(p.admissible)))


def reduced(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Reduced:
    """Equations in independent velocities."""
    asked = f"equations of {model.name!r} in the form 'reduced'"
    d = derive(model, asked)
    p = partition(d, asked, independent, quasi_velocities)
    du = rates_of(p)
    # M q'' + h + dV/dq + dD/dq' - Q with q'' = S u' + turning and q' = S u + c
    M = tidied(p.S.T * d.M * p.S)
    bias = tidied(p.S.T * (d.M * p.turning + d.h.applyfunc(p.admissible)))
    held = tidied(p.S.T * (d.dV + d.dD.applyfunc(p.admissible)))
    Q = tidied(p.S.T * d.Q.applyfunc(p.admissible))
    lines = tuple(
        Equation((*M[k, :], bias[k], held[k]), Q[k], (*du, sp.S.One, sp.S.One)) for k in range(len(p.u))
    )  # fmt: skip
    sheet = Sheet(head(d, "reduced equations"), (
        Section("energies", energy_lines(d)),
        velocity_section(p, "velocities"),
        Section("$[X^T Z^T](d/dt dL/dq' - dL/dq - Q) = 0$", lines),
    ))  # fmt: skip
    return Reduced(d, sheet, lines, p, du, M, tidied(Q - held - bias))
