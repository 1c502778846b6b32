"""Hamilton's principle, step by step: the integral of δT - δV + δW is zero for all variations δq that vanish at both ends.

    δT = dT/dq δq + p δq'          δV = dV/dq δq          δW = (Q - dD/dq') δq          p = dT/dq'
    ∫ p δq' dt = [p δq] - ∫ p' δq dt, and [p δq] = 0
    ∫ (dT/dq - dV/dq + Q - dD/dq' - p') δq dt = 0          each bracket is zero, as the δq are arbitrary

Rows allow only δq with J δq = 0 (also nonholonomic ones: the variations, not the varied path, obey them); with - lam.J δq added the δq
are arbitrary again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from ..symbols import slope
from .base import by_accelerations, constraint_section, energy_lines, head
from .multipliers import WithMultipliers


@dataclass(frozen=True, eq=False, repr=False)
class HamiltonPrinciple(WithMultipliers):
    """Equations from Hamilton's principle, with all steps.

    `dT`, `dV`, `dW` are the variations of the energies and the work of forces without potential; `integrand` is δT - δV + δW (less
    lam.J δq where there are rows); `momenta` are the factors of δq', and `momentum_rates` their rates; `collected` is the integrand
    after integration by parts.  `variations` are the symbols δq and δq' by name: "δtheta", "δtheta'".
    """

    variations: dict[str, Any]
    dT: Any
    dV: Any
    dW: Any
    integrand: Any
    momenta: Any
    momentum_rates: Any
    collected: Any

    kind = "hamilton-principle"


def hamilton_principle(model: Lagrangian) -> HamiltonPrinciple:
    """Equations of a system from Hamilton's principle."""
    d = derive(model, f"equations of {model.name!r} in the form 'hamilton-principle'")
    s, n = d.symbols, len(d.names)
    dq = d.fresh([f"δ{name}" for name in d.names])
    dv = [sp.Symbol(f"{x.name}'", real=True) for x in dq]
    by_place = d.column([tidy(slope(d.T, q)) for q in s.q])
    momenta = tidied(d.momenta)
    work = tidied(d.Q - d.dD)
    rates = d.column([tidy(s.total_rate(p)) for p in momenta])
    # what multiplies δq before and after integration by parts
    before = tidied(by_place - d.dV + work - d.row_force)
    after = tidied(before - rates)

    def named(name: Any, *pairs: tuple[Any, Any]) -> Equation:
        """Equation name = sum of factors times variations."""
        terms = [x for factors, _ in pairs for x in factors]
        return Equation(tuple(terms), name, tuple(x for _, varied in pairs for x in varied), flipped=True)

    T, V, W = (sp.Symbol(f"δ{x}", real=True) for x in "TVW")
    varied = (named(T, (by_place, dq), (momenta, dv)), named(V, (d.dV, dq)), named(W, (work, dq)))
    whole = "δT - δV + δW" + (" - lam.J δq" if d.lam else "")
    integrand = named(sp.Symbol(whole, real=True), (before, dq), (momenta, dv))
    collected = named(sp.Symbol(f"{whole} - d/dt(p δq)", real=True), (after, dq))
    p = d.fresh([f"p_{name}" for name in d.names])
    parts = [x for k in range(n) for x in (
        line(p[k], momenta[k]), line(sp.Symbol(f"{p[k].name}'", real=True), rates[k]))]  # fmt: skip
    lines = tuple(_equation(d, k, rates, by_place) for k in range(n))
    rows = constraint_section(d)
    allowed = tuple(Equation(tuple(d.J[r, :]), sp.S.Zero, tuple(dq)) for r in range(len(d.lam)))
    sheet = Sheet(head(d, "Hamilton's principle"), (
        Section("energies", energy_lines(d)),
        Section("variations of the energies, and work of forces without potential", varied),
        Section(f"integral of ${whole}$ from $t1$ to $t2$ is zero for all $δq$ that are zero at $t1$ and $t2$", (integrand,)),
        Section("by parts: integral of $p δq' dt = [p δq] -$ integral of $p' δq dt$, and $[p δq] = 0$", tuple(parts)),
        Section("what remains of the integral, for $δq$ only", (collected,)),
        Section("$δq$ are arbitrary, so each factor is zero", lines),
        rows,
        Section("$δq$ that the rows allow", allowed),
    ))  # fmt: skip
    return HamiltonPrinciple(
        d, sheet, lines + rows.items, {x.name: x for x in (*dq, *dv)}, varied[0].left, varied[1].left, varied[2].left,
        integrand.left, momenta, rates, collected.left,
    )  # fmt: skip


def _equation(d: Derivation, k: int, rates: Any, by_place: Any) -> Equation:
    """Equation p' - dT/dq + dV/dq + dD/dq' + J^T lam = Q, accelerations first."""
    held = [d.J[r, k] for r in range(len(d.lam))]
    terms = (*by_accelerations(d, rates[k] - by_place[k]), d.dV[k], d.dD[k], *held)
    return Equation(terms, d.Q[k], (*d.symbols.a, sp.S.One, sp.S.One, sp.S.One, *d.lam))
