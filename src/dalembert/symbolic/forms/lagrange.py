"""Lagrange's equations of the second kind: d/dt dT/dq' - dT/dq + dV/dq + dD/dq' = Q, one for each coordinate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import MethodError
from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive
from ..eliminate import closed, eliminated, explicit
from ..partition import read_independent
from ..sheet import Equation, Section, Sheet
from .base import Form, Solved, energy_lines, head, one_of, substituted_lines
from .loops import closing

CLOSED = 1e-12  # 1 - cos of the angle between two ways to close a loop that count as one: an angle of 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Lagrange(Form):
    """Lagrange's equations without multipliers.

    `T`, `V`, `D`, `L` are the energies, `M` and `rhs` those of M q'' = rhs.  Holonomic rows that give a coordinate explicitly, or an angle in
    closed form, are substituted first; `substituted` says which.  Where an angle closes a loop of one freedom, `k` are the rates of the
    coordinates per rate of the independent one (PRINCIPLES: k_s, k_phi) and `I` is the inertia reduced to it, T = I/2 theta'^2, both with the
    angle in them by its name.
    """

    full: Derivation | None = None
    substituted: dict[str, Any] = field(default_factory=dict)
    angles: dict[str, Any] = field(default_factory=dict)
    k: dict[str, Any] = field(default_factory=dict)
    I: Any = None  # noqa: E741

    kind = "lagrange"

    T = one_of("derivation.T", "Kinetic energy.")
    V = one_of("derivation.V", "Potential energy.")
    L = one_of("derivation.L", "T - V.")
    M = one_of("derivation.M", "Mass matrix.")
    rhs = one_of("derivation.rhs", "Right side of M q'' = rhs.")

    def closed(self, values: Mapping[str, float]) -> dict[str, float]:
        """Values of a state with the angles that close loops; there is another way to assemble each."""
        if self.full is None or not self.angles:
            return dict(values)
        found = self.full.numbers([self.substituted[x] for x in self.angles])(values)
        return {**values, **dict(zip(self.angles, found))}

    def closes(self, values: Mapping[str, float]) -> bool:
        """Whether the loops are closed at a state as the formulas of the angles close them."""
        found = self.closed(values)
        return all(math.cos(values[x] - found[x]) > 1.0 - CLOSED for x in self.angles)

    def accelerations(self, state: Mapping[str, float] | None = None) -> Solved:
        """Accelerations at a state, those of the coordinates that were substituted included; angles of loops may be left out of it."""
        if self.angles and (state is None or isinstance(state, Mapping)):
            given = state or {}
            values = self.closed(self.read_state(given))
            angles = {x: values[x] for x in self.angles}
            state = {**angles, **given}
            if not self.closes(self.read_state(state)):
                raise MethodError(
                    f"accelerations of {self.model.name!r}", ", ".join(f"{x} = {state[x]:.6g}" for x in angles),
                    f"the rows are written for {', '.join(f'{x} = {y:.6g}' for x, y in angles.items())}",
                    "leave the angle out; for the loop assembled otherwise give m.start or m.guess of the angle, or use form='reduced'",
                )  # fmt: skip
        return super().accelerations(state)

    @property
    def _coordinates(self) -> tuple[str, ...]:
        return (self.full or self.derivation).names

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        return self.residuals, self.derivation.symbols.a, ()

    def _solved(self, values: Mapping[str, float]) -> Solved:
        solved = super()._solved(values)
        if self.full is None or not self.substituted:
            return solved
        # coordinates that were substituted: their formulas differentiated twice
        s, found = self.full.symbols, solved.accelerations
        twice = [s.total_rate(s.total_rate(x)) for x in self.substituted.values()]
        known = [s.a[self.full.names.index(x)] for x in found]
        numbers = self.full.numbers(twice, known)({**values, **{a.name: x for a, x in zip(known, found.values())}})
        return Solved(found | dict(zip(self.substituted, numbers)), {})


def motion_terms(d: Derivation, k: int, with_rows: bool = False) -> Equation:
    """Equation of one coordinate: accelerations, velocity terms, potential, dissipation (and multipliers) left, forces right."""
    terms = [*d.M[k, :], d.h[k], d.dV[k], d.dD[k]]
    factors = [*d.symbols.a, sp.S.One, sp.S.One, sp.S.One]
    if with_rows:
        terms += [d.J[r, k] for r in range(len(d.lam))]
        factors += d.lam
    return Equation(tuple(terms), d.Q[k], tuple(factors))


def lagrange(model: Lagrangian, independent: Sequence[str] | None = None) -> Lagrange:
    """Lagrange's equations of a system."""
    asked = f"equations of {model.name!r} in the form 'lagrange'"
    full = d = derive(model, asked)
    given: dict[str, Any] = {}
    angles: dict[str, Any] = {}
    keep = () if independent is None else read_independent(d, asked, independent, len(d.names) - len(d.row_names))
    if d.row_names:
        kept = [d.names[k] for k in keep]
        given, left = explicit(full, kept)
        if not model.nonholonomic:
            short = given
            given, angles, left = closed(full, short, left, kept)
        rows = [*left, *model.nonholonomic]
        if rows:
            raise MethodError(
                asked, f"the row {rows[0]!r}",
                "it is given on rates, and substituting it into L would be wrong" if rows[0] in model.nonholonomic
                else "it gives no coordinate explicitly, nor an angle in closed form",
                'use form="multipliers" or form="reduced"'
                + ("; da.classify finds its integral if it has one, .integrated() takes it" if rows[0] in model.nonholonomic else ""),
            )  # fmt: skip
        if len(given) == len(full.names):
            raise MethodError(
                asked, f"{len(given)} rows for {len(given)} coordinates", "the rows determine the motion: no coordinate is left for an equation",
                'use form="multipliers", which gives the forces of the rows',
            )  # fmt: skip
        d = derive(eliminated(full, given, ()), asked)
    if angles:
        return closing(Lagrange(d, Sheet(""), (), full, given, angles), short)
    lines = tuple(motion_terms(d, k) for k in range(len(d.names)))
    sheet = Sheet(head(d, "Lagrange's equations"), (
        Section("substituted constraints", substituted_lines(full, given)),
        Section("energies", energy_lines(d)),
        Section("$d/dt dL/dq' - dL/dq = Q$", lines),
    ))  # fmt: skip
    return Lagrange(d, sheet, lines, full, given)
