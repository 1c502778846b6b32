"""Forms in independent velocities u: q' = S u + c, q'' = S u' + turning, J S = 0; S^T (M q'' + h - Q) = 0, written in five ways.

reduced        [X^T Z^T](d/dt dL/dq' - dL/dq - phi) = 0 with L formed before the rows are used          LAGRANGE 2.6.29-32, 2.6.41
Maggi          sum_k dq_k'/du_r E_k = 0 with E = d/dt dT/dq' - dT/dq + dV/dq + dD/dq' - Q = -J^T lam, and the rows
Kane           F_r + F*_r = 0, F_r = sum v_r.f + w_r.n, F*_r = -sum v_r.(m a) + w_r.(J w'' + w' x J w')
               v = sum_r v_r u_r + v_t, w' = sum_r w_r u_r + w_t; moments in body axes; forces that belong to no part add S^T Q_0 to F_r
Gibbs-Appell   dS/du_r' = U_r, S = sum m a.a/2 + w''.J w''/2 + w''.(w' x J w') (w'' the rate of w', body axes), U_r = power of forces per u_r
Gauss          Z = (q'' - a)^T M (q'' - a)/2 is least among the accelerations J q'' = gamma, with M a = Q - dV/dq - dD/dq' - h: dZ/du' = 0

Terms of S and Z without accelerations do not count and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive, plain
from ..free_bodies import check_parts, free_bodies, outside_forces
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet, line, named
from ..simplify import tidied, tidy
from ..symbols import slope
from ..theory_parts import moving_parts
from .base import (
    Form,
    Solved,
    Solver,
    by_accelerations,
    constraint_section,
    energy_lines,
    head,
    held_rows,
    linear_solver,
    one_of,
    quadratic,
)


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


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(InVelocities):
    """Equations of a system with constraints in as many velocities as it has freedoms.

    `X`, `Y`, `Z`, `W` are the matrices of q_p' = X u + Y nu, q_m' = Z u + W nu; `M` and `rhs` those of M u' = rhs;
    `independent` and `dependent` name the coordinates, `u` are the symbols of the velocities, `du` of their rates.
    """

    M: Any
    rhs: Any

    kind = "reduced"

    X = one_of("partition.X", "Independent rates per velocity.")
    Y = one_of("partition.Y", "Independent rates per right side.")
    Z = one_of("partition.Z", "Dependent rates per velocity.")
    W = one_of("partition.W", "Dependent rates per right side.")

    @property
    def active_force(self) -> Any:
        """Network vector of active forces, [X^T Z^T] phi, by the velocities u (LAGRANGE 2.6.27a)."""
        p = self.partition
        return tidied(p.S.T * self._active().applyfunc(p.admissible))

    @property
    def inertia_force(self) -> Any:
        """Network vector of inertia forces, [X^T Z^T] phi*; with that of active forces it is zero (LAGRANGE 2.6.27b, 2.6.22)."""
        p, d = self.partition, self.derivation
        return tidied(-p.S.T * (d.M * (p.S * d.column(self.du) + p.turning) + d.h.applyfunc(p.admissible)))


def reduced(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Reduced:
    """Equations in independent velocities."""
    asked = f"equations of {model.name!r} in the form 'reduced'"
    d = derive(model, asked)
    p = partition(d, asked, independent, quasi_velocities)
    du = rates_of(p)
    # M q'' + h + dV/dq + dD/dq' - Q with q'' = S u' + turning and q' = S u + c
    M = tidied(p.S.T * d.M * p.S)
    bias = tidied(p.S.T * (d.M * p.turning + d.h.applyfunc(p.admissible)))
    held = tidied(p.S.T * (d.dV + d.dD.applyfunc(p.admissible)))
    Q = tidied(p.S.T * d.Q.applyfunc(p.admissible))
    lines = tuple(
        Equation((*M[k, :], bias[k], held[k]), Q[k], (*du, sp.S.One, sp.S.One)) for k in range(len(p.u))
    )  # fmt: skip
    sheet = Sheet(head(d, "reduced equations"), (
        Section("energies", energy_lines(d)),
        velocity_section(p, "velocities"),
        Section("$[X^T Z^T](d/dt dL/dq' - dL/dq - Q) = 0$", lines),
    ))  # fmt: skip
    return Reduced(d, sheet, lines, p, du, M, tidied(Q - held - bias))


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


@dataclass(frozen=True, eq=False, repr=False)
class Kane(InVelocities):
    """Kane's equations of a system built from particles and bodies.

    `u` are the generalized speeds, `F` the generalized active forces and `F_star` the generalized inertia forces, one for each;
    `partial_velocities` are rows v_r by part and axis: {"v_bar_x": [...], "w_bar_z": [...]}, in space axes for v, body axes for w.
    """

    F: Any
    F_star: Any
    partial_velocities: dict[str, Any]

    kind = "kane"


def kane(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Kane:
    """Kane's equations; speeds are the rates of the independent coordinates, or those given."""
    asked = f"equations of {model.name!r} in the form 'kane'"
    d = derive(model, asked)
    directions = free_bodies(
        d, asked, "partial velocities are those of particles and bodies",
        "build it with particle(…) and body(…), or use form='reduced', the same equations from T",
    )  # fmt: skip
    p = partition(d, asked, independent, quasi_velocities)
    du = rates_of(p)
    F, factors, rest = p.S.T * outside_forces(d, directions), sp.zeros(len(du), len(du)), sp.zeros(len(du), 1)
    speeds, rows, moving = sp.Matrix(len(du), 1, list(p.u)), {}, []
    for x in directions:
        row, terms = tidied(x.motion * p.S), in_velocities(p, x.inertia)
        F, factors, rest = F + row.T * x.applied, factors + row.T * terms[0], rest + row.T * terms[1]
        rows[x.velocity_name] = row
        given = tidy(p.admissible(x.velocity) - (row * speeds)[0])
        moving.append(Equation((*row, given), sp.Symbol(x.velocity_name, real=True), (*p.u, sp.S.One), flipped=True))
    F, factors, rest = tidied(F.applyfunc(p.admissible)), tidied(-factors), tidied(-rest)
    F_star = factors * sp.Matrix(len(du), 1, list(du)) + rest
    names = [plain(u.name.rstrip("'")) for u in p.u]
    active = tuple(line(sp.Symbol(f"F_{x}", real=True), y) for x, y in zip(names, F))
    inertia = tuple(
        Equation((*factors[k, :], rest[k]), sp.Symbol(f"F*_{x}", real=True), (*du, sp.S.One), flipped=True)
        for k, x in enumerate(names)
    )
    lines = tuple(
        Equation((*factors[k, :], rest[k], F[k]), sp.S.Zero, (*du, sp.S.One, sp.S.One)) for k in range(len(du))
    )
    words = "$v$: space axes; $@w$: body axes; the factors of the speeds are the partial velocities $v_r$, $@w_r$"
    sheet = Sheet(head(d, "Kane's equations"), (
        velocity_section(p, "generalized speeds"),
        Section("velocities of the parts", tuple(moving), (words,)),
        Section("generalized active forces $F_r = sum (v_r.f + @w_r.n)$", active),
        Section("generalized inertia forces $F*_r = -sum (v_r.(m a) + @w_r.(J @w' + @w × J @w))$", inertia),
        Section("$F_r + F*_r = 0$", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return Kane(d, sheet, lines, p, du, F, F_star, rows)


@dataclass(frozen=True, eq=False, repr=False)
class GibbsAppell(InVelocities):
    """The Gibbs-Appell equations of a system built from particles and bodies.

    `S` is the energy of accelerations in q, u and u' (without terms that hold no acceleration), `U` the generalized forces.
    """

    S: Any
    U: Any

    kind = "gibbs-appell"


def gibbs_appell(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> GibbsAppell:
    """The Gibbs-Appell equations, one for each independent velocity."""
    asked = f"equations of {model.name!r} in the form 'gibbs-appell'"
    d = derive(model, asked)
    check_parts(
        d, asked, "the energy of accelerations S is that of particles and bodies",
        "build it with particle(…) and body(…), or use form='maggi' or 'reduced', for which T suffices",
    )  # fmt: skip
    p = partition(d, asked, independent, quasi_velocities)
    du = rates_of(p)
    n = len(du)

    def accelerated(x: Any) -> Any:
        """Component of an acceleration in u'."""
        row, rest = in_velocities(p, x)
        return (row * sp.Matrix(n, 1, list(du)))[0] + rest

    S = _energy_of_accelerations(d, accelerated)
    first = [slope(S, x) for x in du]
    rest = [tidy(x.subs(dict.fromkeys(du, 0))) for x in first]
    second = sp.Matrix(n, n, lambda i, j: tidy(slope(first[i], du[j])))
    U = tidied(p.S.T * (d.Q - d.dV - d.dD).applyfunc(p.admissible))
    written = quadratic("S", second, rest, du)
    lines = tuple(Equation((*second[k, :], rest[k]), U[k], (*du, sp.S.One)) for k in range(n))
    names = [x.name.rstrip("'") for x in p.u]
    sheet = Sheet(head(d, "Gibbs-Appell equations"), (
        velocity_section(p, "independent velocities"),
        Section("energy of accelerations $S = sum m a.a/2 + @w'.J @w'/2 + @w'.(@w × J @w)$, without terms that hold no acceleration", (written,)),
        Section("generalized forces", tuple(line(sp.Symbol(f"U_{x}", real=True), y) for x, y in zip(names, U))),
        Section("$dS/du' = U$", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return GibbsAppell(d, sheet, lines, p, du, written.left, U)


def _energy_of_accelerations(d: Derivation, seen: Any) -> Any:
    """S of all parts; `seen` writes components of accelerations and velocities in the velocities chosen."""
    s, S = d.symbols, sp.S.Zero
    for name, part in moving_parts(d.model, s).items():
        a = part.velocity.applyfunc(lambda x: seen(s.total_rate(x)))
        S += s.of(d.model.parts[name].mass) * (a.T * a)[0] / 2
        if part.rotation is not None:
            w = part.spin.applyfunc(seen)
            turning = part.spin.applyfunc(lambda x: seen(s.total_rate(x)))
            S += (turning.T * part.inertia * turning)[0] / 2 + (turning.T * w.cross(part.inertia * w))[0]
    return S


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
