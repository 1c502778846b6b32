"""What forms in independent velocities u have in common: q' = S u + c, q'' = S u' + turning, and accelerations in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import sp
from ..partition import Partition
from ..sheet import Section, line, named
from .base import Form, Solved, Solver, by_accelerations, linear_solver, one_of


@dataclass(frozen=True, eq=False, repr=False)
class InVelocities(Form):
    """A form whose unknowns are the rates of independent velocities.

    `independent` and `dependent` name the coordinates, `u` are the symbols of the velocities, `du` of their rates.
    """

    partition: Partition
    du: tuple[Any, ...]

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


def rates_of(p: Partition) -> tuple[Any, ...]:
    """Symbols of the rates u' of the independent velocities."""
    s = p.derivation.symbols
    if p.plain:
        return tuple(s.a[s.v.index(u)] for u in p.u)
    return tuple(sp.Symbol(f"{u.name}'", real=True) for u in p.u)


def in_velocities(p: Partition, x: Any) -> tuple[Any, Any]:
    """Row of factors of u', and the rest, of an expression that is linear in the accelerations."""
    *factors, rest = by_accelerations(p.derivation, x)
    row = sp.Matrix([factors])
    return row * p.S, p.admissible(rest + (row * p.turning)[0])


def velocity_section(p: Partition, title: str) -> Section:
    """Definitions of the independent velocities, and the rates of the coordinates in terms of them."""
    chosen = () if p.plain else tuple(line(u, x) for u, x in zip(p.u, p.definitions))
    rates = tuple(line(v, r) for v, r in zip(p.derivation.symbols.v, p.rates) if v != r)
    words = f"independent: {named(p.independent)}"
    if p.dependent:
        words += f"; dependent: {named(p.dependent)}"
    return Section(title, chosen + rates, (words,))
