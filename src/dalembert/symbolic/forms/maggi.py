"""Maggi's equations: sum_k dq_k'/du_r E_k = 0 with E_k = d/dt dT/dq_k' - dT/dq_k + dV/dq_k + dD/dq_k' - Q_k, and the rows.

E = -J^T lam is the force of the rows; the velocities u leave it out, as J S = 0 with S = dq'/du.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import derive
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet
from ..simplify import tidied
from .base import Form, constraint_section, energy_lines, head, held_rows, one_of
from .velocities import velocity_section


@dataclass(frozen=True, eq=False, repr=False)
class Maggi(Form):
    """Maggi's equations in the accelerations of all coordinates.

    `E` are Lagrange's expressions of all coordinates, `S` is dq'/du, one column for each independent velocity; the equations are S^T E = 0.
    """

    partition: Partition
    E: Any

    kind = "maggi"

    S = one_of("partition.S", "dq'/du: rates of all coordinates per independent velocity.")
    u = one_of("partition.u", "Independent velocities.")

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        return [*self.residuals, *held_rows(self.derivation)], self.derivation.symbols.a, ()


def maggi(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Maggi:
    """Maggi's equations, one for each independent velocity."""
    asked = f"equations of {model.name!r} in the form 'maggi'"
    d = derive(model, asked)
    p = partition(d, asked, independent, quasi_velocities)
    n, s = len(d.names), d.symbols
    names = d.fresh([f"E_{x}" for x in d.names])
    rest = d.h + d.dV + d.dD - d.Q
    own = tuple(Equation((*d.M[k, :], rest[k]), names[k], (*s.a, sp.S.One), flipped=True) for k in range(n))
    sums = tuple(Equation(tuple(p.S[:, r]), sp.S.Zero, tuple(names)) for r in range(len(p.u)))
    M, bias = tidied(p.S.T * d.M), tidied(p.S.T * rest)
    lines = tuple(Equation((*M[r, :], bias[r]), sp.S.Zero, (*s.a, sp.S.One)) for r in range(len(p.u)))
    sheet = Sheet(head(d, "Maggi's equations"), (
        Section("energies", energy_lines(d)),
        velocity_section(p, "independent velocities"),
        Section("$E = d/dt dT/dq' - dT/dq + dV/dq + dD/dq' - Q$", own),
        Section("$sum dq'/du E = 0$", sums),
        Section("written out", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return Maggi(d, sheet, lines, p, d.M * d.column(s.a) + rest)
