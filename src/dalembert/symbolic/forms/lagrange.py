"""Lagrange's equations of the second kind: d/dt dT/dq' - dT/dq + dV/dq + dD/dq' = Q, one for each coordinate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import MethodError
from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive
from ..eliminate import eliminated, explicit
from ..partition import read_independent
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidy
from .base import Form, Solved, head, one_of


@dataclass(frozen=True, eq=False, repr=False)
class Lagrange(Form):
    """Lagrange's equations without multipliers.

    `T`, `V`, `D`, `L` are the energies, `M` and `rhs` those of M q'' = rhs.  Holonomic rows that give a coordinate explicitly are
    substituted first; `substituted` says which.
    """

    full: Derivation | None = None
    substituted: dict[str, Any] = field(default_factory=dict)

    kind = "lagrange"

    T = one_of("derivation.T", "Kinetic energy.")
    V = one_of("derivation.V", "Potential energy.")
    L = one_of("derivation.L", "T - V.")
    M = one_of("derivation.M", "Mass matrix.")
    rhs = one_of("derivation.rhs", "Right side of M q'' = rhs.")

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


def energy_lines(d: Derivation) -> tuple[Equation, ...]:
    """T, V and D where they are not zero; T by powers of rates."""
    v, n = d.symbols.v, len(d.names)
    pairs = [(d.M[i, i] / 2 if i == j else d.M[i, j], v[i] * v[j]) for i in range(n) for j in range(i, n)]
    pairs += [*zip(d.b, v), (tidy(d.T.subs(dict.fromkeys(v, 0))), sp.S.One)]
    lines = [Equation(tuple(c for c, _ in pairs), sp.Symbol("T", real=True), tuple(f for _, f in pairs), flipped=True)]
    lines += [line(sp.Symbol(name, real=True), x) for name, x in (("V", d.V), ("D", d.D)) if x != 0]
    return tuple(lines)


def lagrange(model: Lagrangian, independent: Sequence[str] | None = None) -> Lagrange:
    """Lagrange's equations of a system."""
    asked = f"equations of {model.name!r} in the form 'lagrange'"
    full = d = derive(model, asked)
    given: dict[str, Any] = {}
    keep = () if independent is None else read_independent(d, asked, independent, len(d.names) - len(d.row_names))
    if d.row_names:
        given, left = explicit(full, [d.names[k] for k in keep])
        rows = [*left, *model.nonholonomic]
        if rows:
            raise MethodError(
                asked, f"the row {rows[0]!r}",
                "it is nonholonomic, and substituting it into L would be wrong" if rows[0] in model.nonholonomic
                else "it gives no coordinate explicitly",
                'use form="multipliers" or form="reduced"',
            )  # fmt: skip
        d = derive(eliminated(full, given), asked)
    lines = tuple(motion_terms(d, k) for k in range(len(d.names)))
    sheet = Sheet(head(d, "Lagrange's equations"), (
        Section("substituted constraints", tuple(line(full.symbols.q[full.names.index(x)], f) for x, f in given.items())),
        Section("energies", energy_lines(d)),
        Section("$d/dt dL/dq' - dL/dq = Q$", lines),
    ))  # fmt: skip
    return Lagrange(d, sheet, lines, full, given)
