"""Gauss's principle of least constraint: of all accelerations that the rows allow, the true ones make Z (German: Zwang) least.

    Z = (q'' - a)^T M (q'' - a)/2 with M a = Q - dV/dq - dD/dq' - h, the accelerations without the rows
    J q'' = gamma, so that q'' = S u' + ... and dZ/du' = 0

Where M is not diagonal, or varies, the square is not completed, and terms of Z without accelerations are left out: they do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive
from ..partition import partition
from ..sheet import Equation, Section, Sheet
from ..simplify import tidied, tidy
from ..symbols import slope
from .base import constraint_section, head, quadratic
from .velocities import InVelocities, in_velocities, rates_of, velocity_section


@dataclass(frozen=True, eq=False, repr=False)
class Gauss(InVelocities):
    """Equations of least constraint.

    `Z` is the constraint function of the accelerations q'', least at the true ones among those with J q'' = gamma; `J` and `gamma` are these rows.
    """

    Z: Any
    gamma: Any

    kind = "gauss"


def gauss(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Gauss:
    """Gauss's principle, one equation for each independent velocity."""
    asked = f"equations of {model.name!r} in the form 'gauss'"
    d = derive(model, asked)
    p = partition(d, asked, independent, quasi_velocities)
    s, du = d.symbols, rates_of(p)
    Z, remarks = _constraint_function(d)
    allowed = tuple(Equation(tuple(d.J[r, :]), d.gamma[r], tuple(s.a)) for r in range(len(d.lam)))
    # dZ/du' = (dq''/du')^T dZ/dq''
    slopes = [in_velocities(p, slope(Z.left, a)) for a in s.a]
    M, rest = sp.zeros(len(du), len(du)), sp.zeros(len(du), 1)
    for k, (factors, left) in enumerate(slopes):
        M, rest = M + p.S[k, :].T * factors, rest + p.S[k, :].T * left
    M, rest = tidied(M), tidied(rest)
    turned = tuple(
        Equation((*p.S[k, :], p.turning[k]), a, (*du, sp.S.One), flipped=True) for k, a in enumerate(s.a) if a not in du
    )
    lines = tuple(Equation((*M[r, :], rest[r]), sp.S.Zero, (*du, sp.S.One)) for r in range(len(du)))
    sheet = Sheet(head(d, "Gauss's principle of least constraint"), (
        Section("constraint function $Z$", (Z,), remarks),
        Section("accelerations that the rows allow", allowed),
        velocity_section(p, "independent velocities"),
        Section("accelerations in terms of their rates", turned),
        Section("$Z$ is least: $dZ/du' = 0$", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return Gauss(d, sheet, lines, p, du, Z.left, d.gamma)


def _constraint_function(d: Derivation) -> tuple[Equation, tuple[str, ...]]:
    """Z, as a sum of squares where M is diagonal and constant, and what a reader must know."""
    n, a = len(d.names), d.symbols.a
    if all(d.M[k, k] != 0 for k in range(n)) and d.M.is_diagonal() and not d.M.free_symbols & set(d.symbols.state):
        squares = tuple((a[k] - tidy(d.rhs[k] / d.M[k, k])) ** 2 for k in range(n))
        return Equation(tuple(d.M.diagonal() / 2), sp.Symbol("Z", real=True), squares, flipped=True), ()
    remarks = ("terms that hold no acceleration do not count, and are left out",)
    return quadratic("Z", d.M, list(-d.rhs), a), remarks
