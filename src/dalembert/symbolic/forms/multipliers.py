"""Lagrange's equations with multipliers: d/dt dL/dq' - dL/dq + J^T lam = Q with the rows; reactions on the system are -J^T lam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from ..derivation import derive
from ..sheet import Section, Sheet
from .base import Form, constraint_section, energy_lines, head, held_rows, one_of
from .lagrange import motion_terms


@dataclass(frozen=True, eq=False, repr=False)
class WithMultipliers(Form):
    """A form whose equations are linear in accelerations and multipliers."""

    lam = one_of("derivation.lam", "Multipliers.")

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        d = self.derivation
        return [*self.residuals[: len(d.names)], *held_rows(d)], [*d.symbols.a, *d.lam], ()


@dataclass(frozen=True, eq=False, repr=False)
class Multipliers(WithMultipliers):
    """Lagrange's equations with multipliers: M q'' + J^T lam = rhs, J q'' = gamma.

    `lam` are the symbols of the multipliers, `phi` the holonomic rows, `nu` the right side of J q' = nu.
    """

    kind = "multipliers"

    M = one_of("derivation.M", "Mass matrix.")
    rhs = one_of("derivation.rhs", "Right side of M q'' + J^T lam = rhs.")
    phi = one_of("derivation.phi", "Holonomic rows.")
    nu = one_of("derivation.nu", "Right side of J q' = nu.")
    gamma = one_of("derivation.gamma", "Right side of J q'' = gamma.")


def multipliers(model: Lagrangian) -> Multipliers:
    """Equations with a multiplier for each row."""
    d = derive(model, f"equations of {model.name!r} in the form 'multipliers'")
    lines = tuple(motion_terms(d, k, with_rows=True) for k in range(len(d.names)))
    rows = constraint_section(d)
    sheet = Sheet(head(d, "Lagrange's equations with multipliers"), (
        Section("energies", energy_lines(d)),
        Section("$d/dt dL/dq' - dL/dq + J^T lam = Q$", lines),
        rows,
    ))  # fmt: skip
    return Multipliers(d, sheet, lines + rows.items)
