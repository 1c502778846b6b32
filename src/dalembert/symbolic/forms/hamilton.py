"""Hamilton's equations: q' = dH/dp, p' = -dH/dq - dD/dq' + Q - J^T lam, with H = p.q' - L; and his principle, step by step.

The integral of δT - δV + δW is zero for all variations δq that vanish at both ends:

    δT = dT/dq δq + p δq'          δV = dV/dq δq          δW = (Q - dD/dq') δq          p = dT/dq'
    ∫ p δq' dt = [p δq] - ∫ p' δq dt, and [p δq] = 0
    ∫ (dT/dq - dV/dq + Q - dD/dq' - p') δq dt = 0          each bracket is zero, as the δq are arbitrary

Rows allow only δq with J δq = 0 (also nonholonomic ones: the variations, not the varied path, obey them); with - lam.J δq added the δq
are arbitrary again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import checks, sp
from ..derivation import Derivation, derive
from ..partition import inverse
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from ..symbols import slope
from .base import Form, Solved, by_accelerations, constraint_section, energy_lines, head, held_rows, one_of
from .lagrange import WithMultipliers


@dataclass(frozen=True, eq=False, repr=False)
class Hamilton(Form):
    """Hamilton's equations.

    `p` are the symbols of the momenta, `momenta` their values in rates, `H` the Hamiltonian of q, p and t, `rates` the rates as
    functions of q and p, `forces` the right sides of p'.  Where M couples three or more coordinates the rates as functions of the
    momenta would fill pages: then `explicit` is False, and H and `forces` are written in the rates that belong to the momenta.
    """

    p: tuple[Any, ...]
    dp: tuple[Any, ...]
    momenta: Any
    H: Any
    rates: Any
    forces: Any
    explicit: bool = True

    kind = "hamilton"

    M = one_of("derivation.M", "Mass matrix, p = M q' + b.")
    nu = one_of("derivation.nu", "Right side of J q' = nu.")
    lam = one_of("derivation.lam", "Multipliers.")

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        d = self.derivation
        # momenta along the motion: d/dt of p(q, q', t) is what Hamilton's second equation says
        moved = [d.symbols.total_rate(x) - f for x, f in zip(self.momenta, self.forces)]
        return [*moved, *held_rows(d)], [*d.symbols.a, *d.lam], self.p

    @cached_property
    def _momenta(self) -> Callable[[Mapping[str, float]], list[float]]:
        return self.derivation.numbers(list(self.momenta))

    def _solved(self, values: Mapping[str, float]) -> Solved:
        return super()._solved({**values, **{x.name: y for x, y in zip(self.p, self._momenta(values))}})


def hamilton(model: Lagrangian) -> Hamilton:
    """Hamilton's equations of a system."""
    asked = f"equations of {model.name!r} in the form 'hamilton'"
    d = derive(model, asked)
    checks.check_inertia(model, constrained=False)  # momenta must determine the rates
    s = d.symbols
    p = tuple(d.fresh([f"p_{name}" for name in d.names]))
    dp = tuple(sp.Symbol(f"{x.name}'", real=True) for x in p)
    rest = tidy(d.T.subs(dict.fromkeys(s.v, 0)))
    explicit = invertible(d)
    if explicit:
        back = inverse(d.M, set(s.state))
        assert back is not None  # checked above
        relative = sp.Matrix(p) - d.b
        rates = tidied(back * relative)
        # H = (p - b).M^-1 (p - b)/2 - T0 + V
        H = tidy((relative.T * rates)[0] / 2 - rest + d.V)
        slopes = sp.Matrix([tidy(-slope(H, q)) for q in s.q])
    else:
        # rates stay where they are, given by M q' + b = p; -dH/dq at fixed p is dL/dq at fixed q'
        rates = sp.Matrix(s.v)
        H = tidy((rates.T * d.M * rates)[0] / 2 - rest + d.V)
        slopes = sp.Matrix([tidy(slope(d.L, q)) for q in s.q])
    at_rates = {v: r for v, r in zip(s.v, rates) if v != r}
    others = (d.Q - d.dD).applyfunc(lambda x: x.subs(at_rates, simultaneous=True))
    forces = slopes + others - d.row_force
    momenta = tuple(line(x, tidy(y)) for x, y in zip(p, d.momenta))
    first = tuple(line(v, r) for v, r in zip(s.v, rates)) if explicit else momenta
    second = tuple(Equation((x,), f) for x, f in zip(dp, forces))
    rows = tuple(Equation(terms, sp.S.Zero) for terms in d.written_rows[: len(d.phi)])
    rows += tuple(
        line(tidy(d.rate_rows[k].subs(at_rates, simultaneous=True)), 0) for k in range(len(d.phi), len(d.row_names))
    )
    given = () if explicit else ("the rates are those that belong to the momenta; their formulas would fill pages",)
    force = "$p' = -dH/dq + Q" if explicit else "$p' = dL/dq + Q$, which is $-dH/dq + Q"
    sheet = Sheet(head(d, "Hamilton's equations"), (
        Section("momenta $p = dL/dq'$", momenta),
        Section("Hamiltonian $H = p q' - L$", (line(sp.Symbol("H", real=True), H),), given),
        Section("$q' = dH/dp$", first if explicit else ()),
        Section(force + (" - J^T lam$" if d.lam else "$"), second),
        constraint_section(d, rows),
    ))  # fmt: skip
    return Hamilton(d, sheet, first + second + rows, p, dp, d.momenta, H, rates, forces, explicit)


def invertible(d: Derivation) -> bool:
    """Whether the inverse of M can be read: coordinates that are coupled through M with varying entries come at most in pairs."""
    moving = set(d.symbols.state)
    groups: list[set[int]] = []
    for i in range(len(d.names)):
        tied = {j for j in range(len(d.names)) if d.M[i, j] != 0} | {i}
        touching = [g for g in groups if g & tied]
        groups = [g for g in groups if not g & tied] + [tied.union(*touching)]
    return all(
        len(g) <= 2 or len(g) <= 4 and not any(d.M[i, j].free_symbols & moving for i in g for j in g) for g in groups
    )


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
    # p' - dT/dq + dV/dq + dD/dq' + J^T lam = Q, accelerations first
    factors = (*s.a, sp.S.One, sp.S.One, sp.S.One, *d.lam)
    lines = tuple(
        Equation((*by_accelerations(d, rates[k] - by_place[k]), d.dV[k], d.dD[k], *d.J[:, k]), d.Q[k], factors)
        for k in range(n)
    )
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
