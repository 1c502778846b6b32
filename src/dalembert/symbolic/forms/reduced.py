"""Equations without multipliers in independent velocities: [X^T Z^T](d/dt dL/dq' - dL/dq - phi) = 0 (LAGRANGE 2.6.29-32, 2.6.41).

L is formed before the rows are used: they enter through q' = [X; Z] u + [Y; W] nu afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import derive
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied
from .base import Form, Solved, Solver, head, linear_solver, one_of
from .lagrange import energy_lines


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(Form):
    """Equations of a system with constraints in as many velocities as it has freedoms.

    `X`, `Y`, `Z`, `W` are the matrices of q_p' = X u + Y nu, q_m' = Z u + W nu; `M` and `rhs` those of M u' = rhs;
    `independent` and `dependent` name the coordinates, `u` are the symbols of the velocities, `du` of their rates.
    """

    partition: Partition
    M: Any
    rhs: Any
    du: tuple[Any, ...]

    kind = "reduced"

    independent = one_of("partition.independent", "Independent coordinates.")
    dependent = one_of("partition.dependent", "Dependent coordinates.")
    u = one_of("partition.u", "Independent velocities.")

    @property
    def kinematics(self) -> list[Any]:
        """Rates of all coordinates, q' = [X; Z] u + [Y; W] nu, as equalities."""
        return [sp.Eq(v, r, evaluate=False) for v, r in zip(self.derivation.symbols.v, self.partition.rates)]

    N = one_of(
        "partition.S", "N(q) of q' = N u + a part that the rows ask for: X and Z, in the order of the coordinates."
    )
    X = one_of("partition.X", "Independent rates per velocity.")
    Y = one_of("partition.Y", "Independent rates per right side.")
    Z = one_of("partition.Z", "Dependent rates per velocity.")
    W = one_of("partition.W", "Dependent rates per right side.")

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        return self.residuals, self.du, () if self.partition.plain else self.partition.u

    @cached_property
    def _steps(self) -> tuple[Any, Any, Solver]:
        """Velocities u of rates, q'' = S u' + turning as numbers, and the constraints relaxed at the end: J^T lam = rhs - M q''."""
        d, p = self.derivation, self.partition
        left = d.M * d.column(d.symbols.a) + d.row_force - d.rhs
        motion = d.numbers([*p.S, *p.turning], self._system()[2])
        return d.numbers([*p.definitions]), motion, linear_solver(d, list(left), d.lam, d.symbols.a)

    def _solved(self, values: Mapping[str, float]) -> Solved:
        d, p = self.derivation, self.partition
        speeds, motion, reactions = self._steps
        known = dict(values) | ({} if p.plain else {u.name: x for u, x in zip(p.u, speeds(values))})
        du, found = np.array([*self._solver(known).values()]), np.array(motion(known))
        a = found[: p.S.rows * p.S.cols].reshape(p.S.shape) @ du + found[p.S.rows * p.S.cols :]
        lam = reactions(known | {x.name: y for x, y in zip(d.symbols.a, a)})
        return Solved(dict(zip(d.names, map(float, a))), dict(zip(d.row_names, lam.values())))


def reduced(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Reduced:
    """Equations in independent velocities."""
    asked = f"equations of {model.name!r} in the form 'reduced'"
    d = derive(model, asked)
    p = partition(d, asked, independent, quasi_velocities)
    s = d.symbols
    if p.plain:
        du = tuple(s.a[s.v.index(u)] for u in p.u)
    else:
        du = tuple(sp.Symbol(f"{u.name}'", real=True) for u in p.u)
    # M q'' + h + dV/dq + dD/dq' - Q with q'' = S u' + turning and q' = S u + c
    M = tidied(p.S.T * d.M * p.S)
    bias = tidied(p.S.T * (d.M * p.turning + d.h.applyfunc(p.admissible)))
    held = tidied(p.S.T * (d.dV + d.dD.applyfunc(p.admissible)))
    Q = tidied(p.S.T * d.Q.applyfunc(p.admissible))
    lines = tuple(
        Equation((*M[k, :], bias[k], held[k]), Q[k], (*du, sp.S.One, sp.S.One)) for k in range(len(p.u))
    )  # fmt: skip
    chosen = () if p.plain else tuple(line(u, x) for u, x in zip(p.u, p.definitions))
    rates = tuple(line(v, r) for v, r in zip(s.v, p.rates) if v != r)
    words = f"independent: {', '.join(p.independent) or 'none'}" + (
        f"; dependent: {', '.join(p.dependent)}" if p.dependent else ""
    )
    sheet = Sheet(head(d, "reduced equations"), (
        Section("energies", energy_lines(d)),
        Section("velocities", chosen + rates, (words,)),
        Section("[X^T Z^T](d/dt dL/dq' - dL/dq - Q) = 0", lines),
    ))  # fmt: skip
    return Reduced(d, sheet, lines, p, M, tidied(Q - held - bias), du)
