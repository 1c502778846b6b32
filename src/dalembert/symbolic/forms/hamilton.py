"""Hamilton's equations: q' = dH/dp, p' = -dH/dq - dD/dq' + Q - J^T lam, with H = p.q' - L; and his principle, step by step.

The integral of δT - δV + δW is zero for all variations δq that vanish at both ends:

    δT = dT/dq δq + p δq'          δV = dV/dq δq          δW = (Q - dD/dq') δq          p = dT/dq'
    ∫ p δq' dt = [p δq] - ∫ p' δq dt, and [p δq] = 0
    ∫ (dT/dq - dV/dq + Q - dD/dq' - p') δq dt = 0          each bracket is zero, as the δq are arbitrary

Rows allow only δq with J δq = 0 (also nonholonomic ones: the variations, not the varied path, obey them); with - lam.J δq added the δq
are arbitrary again.

Routh's equations: coordinates that L does not contain are eliminated through their momenta, which stay constant.

    p = dL/dq_i' = constant          q_i' = M_ii^-1 (p - b_i - M_ik q_k')          R = L - p.q_i'
    d/dt dR/dq_k' - dR/dq_k = Q_k          i: ignorable coordinates (LAGRANGE 2.4), k: those that are kept
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import MethodError, SingularError, shown
from ...model.lagrangian import Lagrangian
from .. import checks, sp
from ..derivation import Derivation, derive
from ..partition import inverse
from ..sheet import Equation, Section, Sheet, line, named
from ..simplify import is_zero, tidied, tidy
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


@dataclass(frozen=True, eq=False, repr=False)
class Routh(Form):
    """Routh's equations in the coordinates that are kept.

    `ignored` and `kept` name the coordinates; `p` are the symbols of the constant momenta and `momenta` their values in rates; `rates`
    are the rates of the ignored coordinates; `R` is the Routhian, `V_effective` its part without rates, turned round; `M` and `rhs` are
    those of M q_k'' + J^T lam = rhs.  `lagrangian({"p_theta": 0.4})` is the system of the kept coordinates alone, to be simulated.
    """

    ignored: tuple[str, ...]
    kept: tuple[str, ...]
    p: tuple[Any, ...]
    momenta: Any
    rates: Any
    R: Any
    M: Any
    rhs: Any

    kind = "routh"

    @property
    def V_effective(self) -> Any:
        """Effective potential: V and the kinetic energy that the momenta hold."""
        return tidy(-self.R.subs(dict.fromkeys(self.derivation.symbols.v, 0)))

    lam = one_of("derivation.lam", "Multipliers.")

    @property
    def symbols(self) -> dict[str, Any]:
        """SymPy symbols by name, the momenta "p_theta" among them."""
        return super().symbols | {x.name: x for x in self.p}

    def momenta_at(self, state: Mapping[str, float]) -> dict[str, float]:
        """Numbers of the momenta at a state {"phi": 0.8, "rate(theta)": 4.0}; what is not named is zero."""
        numbers = self.derivation.numbers(list(self.momenta))(self.read_state(state))
        return {x.name: float(y) for x, y in zip(self.p, numbers)}

    def lagrangian(self, momenta: Mapping[str, float]) -> Lagrangian:
        """The system of the kept coordinates, with the momenta as parameters; its energy function is that of the whole system.

        Starts of the kept coordinates are those of the system.
        """
        d, asked = self.derivation, f"Routh's system of {self.model.name!r}"
        names = [x.name for x in self.p]
        if not isinstance(momenta, Mapping) or set(momenta) != set(names):
            found = f"momenta = {shown(momenta)}"
            why = f"a number for each of {', '.join(names)} is needed"
            raise MethodError(asked, found, why, "give all of them; .momenta_at(state) computes them")
        if not self.kept:
            raise MethodError(asked, "no coordinate is kept", "all are ignorable", "use .rates, which do not change")
        s = d.symbols
        back = s.back
        place = [d.names.index(x) for x in self.kept]
        rest = tidy(self.R.subs(dict.fromkeys(s.v, 0)))
        made = Lagrangian(
            list(self.kept), back(tidy(self.R - rest)), back(tidy(-rest)), 0,
            {d.names[k]: back(f) for k in place if (f := self._force(k)) != 0},
            dict(self.model.holonomic), {x: back(self._at_rates(s.of(row))) for x, row in self.model.nonholonomic.items()},
            self.model.parameters | {x: float(momenta[x]) for x in names}, name=self.model.name,
        )  # fmt: skip
        for name, start in self.model.starts.items():
            if name in self.kept:
                made.start(name, start.value, start.rate)
        gone = {x for name in self.ignored for x in (name, f"rate({name})")}
        for one in self.model.conditions:
            if not one.expression.names & gone:
                made.start(one.expression, one.value, one.rate)
        for name, value in self.model.guesses.items():
            if name in self.kept:
                made.guess(name, value)
        return made

    def _at_rates(self, x: Any) -> Any:
        d = self.derivation
        known = {d.symbols.v[d.names.index(name)]: r for name, r in zip(self.ignored, self.rates)}
        return x.subs(known, simultaneous=True)

    def _force(self, k: int) -> Any:
        return tidy(self._at_rates(self.derivation.Q[k] - self.derivation.dD[k]))

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        d = self.derivation
        kept = [d.symbols.a[d.names.index(x)] for x in self.kept]
        return [*self.residuals[: len(kept)], *map(self._at_rates, held_rows(d))], [*kept, *d.lam], self.p

    @cached_property
    def _steps(self) -> tuple[Any, Any]:
        """Momenta as numbers, and accelerations of the ignored coordinates, which change with the kept ones alone."""
        d, s = self.derivation, self.derivation.symbols
        turning = d.numbers([s.total_rate(r) for r in self.rates], [*self.p, *s.a])
        return d.numbers(list(self.momenta)), turning

    def _solved(self, values: Mapping[str, float]) -> Solved:
        d = self.derivation
        momenta, turning = self._steps
        known = {**values, **{x.name: y for x, y in zip(self.p, momenta(values))}}
        found = self._solver(known)
        a = {name: found.get(x.name, 0.0) for x, name in zip(d.symbols.a, d.names)}
        numbers = {x.name: a[name] for x, name in zip(d.symbols.a, d.names)}
        a |= dict(zip(self.ignored, turning(known | numbers)))
        return Solved(a, {name: found[x.name] for name, x in zip(d.row_names, d.lam)})


def routh(model: Lagrangian, ignore: Sequence[str] | None = None) -> Routh:
    """Routh's equations of a system; all ignorable coordinates are eliminated, or those named."""
    asked = f"equations of {model.name!r} in the form 'routh'"
    d = derive(model, asked)
    s = d.symbols
    out = _chosen(d, asked, ignore)
    keep = [k for k in range(len(d.names)) if k not in out]
    p = tuple(d.fresh([f"p_{d.names[k]}" for k in out]))
    back = inverse(d.M.extract(out, out), set(s.state))
    if back is None:
        raise SingularError(
            asked, f"coordinates {', '.join(d.names[k] for k in out)}", "their momenta do not determine their rates",
            "name fewer coordinates in ignore=",
        )  # fmt: skip
    v = d.column([s.v[k] for k in keep])
    coupled = d.M.extract(out, keep) * v if keep else sp.zeros(len(out), 1)
    rates = tidied(back * (sp.Matrix(p) - d.column([d.b[k] for k in out]) - coupled))
    at_rates = {s.v[k]: r for k, r in zip(out, rates)}

    def eliminated(x: Any) -> Any:
        return tidy(x.subs(at_rates, simultaneous=True))

    R = eliminated(d.L - sp.Add(*[x * s.v[k] for x, k in zip(p, out)]))
    lines, M, right = [], sp.zeros(len(keep), len(keep)), []
    for i, k in enumerate(keep):
        by_rate = slope(R, s.v[k])
        for j, other in enumerate(keep):
            M[i, j] = tidy(slope(by_rate, s.v[other]))
        turning = sum((slope(by_rate, s.q[j]) * s.v[j] for j in keep), slope(by_rate, s.t))
        rest = tidy(turning - slope(R, s.q[k]))
        force = eliminated(d.Q[k] - d.dD[k])
        rows = [d.J[r, k] for r in range(len(d.lam))]
        accelerations = [s.a[j] for j in keep]
        lines.append(Equation((*M[i, :], rest, *rows), force, (*accelerations, sp.S.One, *d.lam)))
        right.append(tidy(force - rest))
    ignored, kept = tuple(d.names[k] for k in out), tuple(d.names[k] for k in keep)
    momenta = d.column([tidy(d.momenta[k]) for k in out])
    constraints = constraint_section(d)
    sheet = Sheet(head(d, "Routh's equations"), (
        Section("ignorable: " + named(ignored) + "; their momenta $p = dL/dq'$ are constant", tuple(line(x, y) for x, y in zip(p, momenta))),
        Section("their rates", tuple(line(s.v[k], r) for k, r in zip(out, rates))),
        Section("Routhian $R = L - p q'$ of the ignorable ones", (line(sp.Symbol("R", real=True), R),)),
        Section("$d/dt dR/dq' - dR/dq" + (" + J^T lam" if d.lam else "") + " = Q$ for " + named(kept), tuple(lines)),
        constraints,
    ))  # fmt: skip
    rhs = d.column(right)
    return Routh(d, sheet, tuple(lines) + constraints.items, ignored, kept, p, momenta, rates, R, M, rhs)


def _chosen(d: Derivation, asked: str, ignore: Any) -> list[int]:
    """Places of the coordinates to be eliminated; each must be ignorable."""
    if ignore is None:
        out = [k for k in range(len(d.names)) if _against(d, k) is None]
        if not out:
            reasons = [f"{name} is not, as {_against(d, k)}" for k, name in enumerate(d.names)]
            raise MethodError(
                asked, "no ignorable coordinate", "; ".join(reasons[:2] + ["…"] * (len(reasons) > 2)),
                'use form="lagrange", or choose coordinates that L does not contain',
            )  # fmt: skip
        return out
    out = []
    for name in d.named(asked, "ignore", ignore, least=1):
        reason = _against(d, d.names.index(name))
        if reason is not None:
            fit = [x for k, x in enumerate(d.names) if _against(d, k) is None]
            do = f"ignorable are {', '.join(fit)}" if fit else "none is ignorable; use form='lagrange'"
            raise MethodError(asked, f"ignore = {shown(ignore)}", f"{name!r} is not ignorable: {reason}", do)
        out.append(d.names.index(name))
    return sorted(set(out))


def _against(d: Derivation, k: int) -> str | None:
    """Why a coordinate is not ignorable; None where it is."""
    q, v = d.symbols.q[k], d.symbols.v[k]
    if not is_zero(slope(d.L, q)):
        return "L contains it"
    if not is_zero(d.Q[k] - d.dD[k]):
        return "a force acts on it, so that its momentum changes"
    for name, row in zip(d.row_names, d.rate_rows):
        if not is_zero(slope(row, q)) or not is_zero(slope(row, v)):
            return f"the row {name!r} contains it"
    for name, force in zip(d.names, d.Q - d.dD):
        if not is_zero(slope(force, q)):
            return f"the force on {name} contains it"
    return None
