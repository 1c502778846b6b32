"""Lagrange's equations of the second kind, one for each coordinate, and of the first kind, with a multiplier for each row.

d/dt dT/dq' - dT/dq + dV/dq + dD/dq' + J^T lam = Q          reactions on the system are -J^T lam

Where angles close loops in closed form, phi = asin((r sin theta - e)/l) in a piston engine, they stand in the equations by their names.
With one freedom theta, and no time in rows and T (PRINCIPLES, piston engine: k_s, k_phi, I(theta)),

    k_x = dx/dtheta          I = sum of M_xy k_x k_y          T = I/2 theta'^2          I theta'' + dI/dtheta theta'^2/2 = sum of Q_x k_x
    dI/dtheta = sum of 2 M_xy k_x dk_y/dtheta + dM_xy/dtheta k_x k_y, slopes along the motion

With more the equations are those along the rows, S^T (M q'' + h - Q) = 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ...errors import MethodError
from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive, shared
from ..eliminate import closed, eliminated, explicit
from ..partition import read_independent
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from ..symbols import slope
from .base import Form, Solved, constraint_section, energy_lines, head, held_rows, one_of, substituted_lines
from .independent import Reduced, reduced, velocity_section

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


F = TypeVar("F", bound=Form)


def lagrange_1(model: Lagrangian) -> Multipliers:
    """Lagrange's equations of the first kind: the form "multipliers"."""
    if not model.holonomic and not model.nonholonomic:
        raise MethodError(
            f"equations of {model.name!r} in the form 'lagrange-1'", "no rows",
            "in equations of the first kind every row has a multiplier", "use form='lagrange-2'; of a mechanism, joints are the rows",
        )  # fmt: skip
    return _named(multipliers(model), "first")


def lagrange_2(model: Lagrangian, independent: Sequence[str] | None = None) -> Lagrange:
    """Lagrange's equations of the second kind: the form "lagrange"."""
    return _named(lagrange(model, independent), "second")


def _named(form: F, kind: str) -> F:
    title = f"Lagrange's equations of the {kind} kind of {form.model.name!r}"
    return replace(form, sheet=replace(form.sheet, title=title))


def closing(form: Lagrange, short: Mapping[str, Any]) -> Lagrange:
    """The form with its equations; `short` are coordinates that rows give explicitly, with the angles in them by their names."""
    full, d = form.full, form.derivation
    assert full is not None
    with shared(full):
        along = reduced(full.model, d.names)
    q = dict(zip(full.names, full.symbols.q))
    whole = {q[x]: f for x, f in form.substituted.items()}
    lines = tuple(
        Equation(tuple(x.subs(whole) for x in one.terms), one.right.subs(whole), one.factors) for one in along.lines
    )
    constraints = Section(
        "substituted constraints", substituted_lines(full, form.angles) + substituted_lines(full, short)
    )
    back = {q[x]: f for x, f in short.items()}
    resting = full.T.subs(dict.fromkeys(full.symbols.v, 0))
    if len(d.names) == 1 and not any((*full.nu, *full.b, resting)) and not full.M.has(full.symbols.t):
        form, sections = _one_freedom(form, along, back)
    else:
        title = "$d/dt dL/dq' - dL/dq = Q$ along the rows"
        sections = (
            Section("energies", energy_lines(full)), velocity_section(along.partition, "velocities"), Section(title, along.lines),
        )  # fmt: skip
    return replace(form, lines=lines, sheet=Sheet(head(d, "Lagrange's equations"), (constraints, *sections)))


def _one_freedom(form: Lagrange, along: Reduced, back: Mapping[Any, Any]) -> tuple[Lagrange, tuple[Section, ...]]:
    """k, I and T of a loop of one freedom, and its equation with them."""
    full, (name,) = along.derivation, along.independent
    (v,), (a,) = along.u, along.du
    k = {x: tidy(along.partition.S[r].subs(back)) for r, x in enumerate(full.names) if x != name}
    named = full.column([sp.Symbol(f"k_{x}", real=True) if x in k else sp.S.One for x in full.names])
    (I,) = full.fresh(["I"])  # noqa: E741
    bent = sp.Symbol(f"d{I}/d{name}", real=True)
    M, n = tidied(full.M.subs(back)), len(named)
    pairs = [(i, j, M[i, j] * (1 + (i != j))) for i in range(n) for j in range(i, n) if M[i, j] != 0]
    inertia = sp.Add(*(m * named[i] * named[j] for i, j, m in pairs))
    # slopes along the motion: of x by theta dx/dtheta + sum of dx/dy k_y
    turned = lambda x: tidy(sum((slope(x, q) * f for q, f in zip(full.symbols.q, named)), sp.S.Zero))  # noqa: E731
    k_slopes = {x: turned(y) for x, y in k.items()}
    ks = full.column([sp.Symbol(f"dk_{x}/d{name}", real=True) if k_slopes.get(x) else sp.S.Zero for x in full.names])
    around = sp.Add(*(
        m * (ks[i] * named[j] + named[i] * ks[j]) + turned(m) * named[i] * named[j] for i, j, m in pairs
    ))  # fmt: skip
    force = (named.T * (full.Q - full.dV - full.dD))[0].subs(back)
    force = tidy(force.subs({x: y * v for x, y in zip(full.symbols.v, named)}))
    rates = tuple(line(named[full.names.index(x)], y) for x, y in k.items())
    slopes = tuple(line(ks[full.names.index(x)], y) for x, y in k_slopes.items() if y != 0)
    energy = Equation((I / 2,), sp.Symbol("T", real=True), (v**2,), flipped=True)
    sections = (
        Section(f"$k$: rates of the coordinates per ${v.name}$, and their slopes along the motion", rates + slopes),
        Section(f"inertia reduced to ${name}$, and its slope", (line(I, inertia), line(bent, around))),
        Section("energies", (energy, *energy_lines(full)[1:])),
        Section("$d/dt dL/dq' - dL/dq = Q$", (Equation((I, bent), force, (a, v**2 / 2)),)),
    )
    return replace(form, k=k, I=tidy(along.M[0].subs(back))), sections
