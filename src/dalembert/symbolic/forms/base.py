"""What all forms have in common: a sheet to read, SymPy objects, and accelerations in numbers at a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from ...errors import MethodError, SingularError, nearest, shown
from ...model.lagrangian import Lagrangian
from ...system.subspaces import rank
from .. import sp
from ..checks import check_smooth
from ..derivation import Derivation
from ..friction import with_sizes
from ..sheet import Equation, OfLines, Section, Sheet, line
from ..simplify import tidied, tidy
from ..symbols import slope
from ..theory_parts import Moving, TheoryParts, moving_parts
from ..unevaluated import Unevaluated

# equations are solved up to a pole of their coordinates, where nothing is left to be solved for
POLE = 1e-11


def one_of(place: str, about: str) -> Any:
    """Property that is one of a part of the form: "derivation.M"."""
    return property(attrgetter(place), doc=about)


@dataclass(frozen=True)
class Solved:
    """Accelerations by coordinate and multipliers by row, in numbers."""

    accelerations: dict[str, float]
    multipliers: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Form(TheoryParts, OfLines, Unevaluated):
    """One form of the equations of a Lagrangian system.

    `J` (or `jac`) is the matrix of the rows J q' = nu, without rows when the form has none.  `print(form)` is the text, `form.latex()` the LaTeX, `form.equations` the equations of SymPy, `form.to_html("page.html")` a page.
    `form.position("bar")`, `.velocity`, `.acceleration`, `.rotation`, `.spin`, `.spin_rate`, `.partial_velocity`, `.partial_spin`, `.active_force`, `.inertia_force`, `.power`, `.N`, `.inertia`, `.inertia_rate`,
    `.gyroscopic` are parts of the theory, whatever the form.  In the text x' is the rate and x'' the acceleration of x; SymPy symbols have the same names.
    """

    derivation: Derivation
    sheet: Sheet
    lines: tuple[Equation, ...]
    _drawing: Any = field(default=None, kw_only=True)  # of the mechanism whose equations these are

    kind = ""

    J = jac = one_of("derivation.J", "Jacobian of the rows, J q' = nu.")

    @property
    def model(self) -> Lagrangian:
        """The system."""
        return self.derivation.model

    @property
    def form(self) -> str:
        """Name of the form."""
        return self.kind

    @property
    def residuals(self) -> list[Any]:
        """Left sides minus right sides."""
        return [line.residual for line in self.lines]

    @property
    def symbols(self) -> dict[str, Any]:
        """SymPy symbols by name: "theta", "theta'", "theta''", "t", every parameter and multiplier."""
        s = self.derivation.symbols
        found = {x.name: x for x in (*s.q, *s.v, *s.a, s.t, *self.derivation.lam)}
        return found | {name: sp.Symbol(name, real=True) for name in self.model.parameters}

    # -- parts of the theory -------------------------------------------------------------------------------------------

    def _moving(self) -> Mapping[str, Moving]:
        return moving_parts(self.model, self.derivation.symbols)

    def _speeds(self) -> Sequence[Any]:
        return self.derivation.symbols.v

    def _rate(self, x: Any) -> Any:
        return x.applyfunc(self.derivation.symbols.total_rate)

    @property
    def active_force(self) -> Any:
        """Generalized active force phi = -dV/dq - dD/dq' + Q: of everything but reactions and inertia (LAGRANGE 1.5.11)."""
        return tidied(self._active())

    def _active(self) -> Any:
        """phi of all coordinates, whatever the velocities of the form."""
        d = self.derivation
        return d.Q - d.dV - d.dD

    @property
    def inertia_force(self) -> Any:
        """Generalized inertia force phi* = -(d/dt dT/dq' - dT/dq); phi + phi* = J^T lam (LAGRANGE 1.5.16, 2.3.18)."""
        d = self.derivation
        return tidied(-(d.M * d.column(d.symbols.a) + d.h))

    @property
    def power(self) -> Any:
        """Power phi.q' of the generalized active force."""
        return tidy((self._active().T * self.derivation.column(self.derivation.symbols.v))[0])

    @property
    def N(self) -> Any:
        """N(q) of q' = N v: one, as the velocities are the rates; in the form "reduced" q' = N u + a part that the rows ask for."""
        return sp.eye(len(self.derivation.names))

    def of_time(self) -> list[Any]:
        """Equations with coordinates as functions of time, for `sympy.dsolve` and other packages."""
        return [self.derivation.symbols.in_time(x) for x in self.equations]

    def accelerations(self, state: Mapping[str, float] | None = None) -> Solved:
        """Accelerations and multipliers at a state {"theta": 0.3, "rate(theta)": 1.0, "t": 0}; what is not named is zero."""
        if state is not None and not isinstance(state, Mapping):
            asked = f"accelerations of {self.model.name!r}"
            found = f"state = {shown(state)}"
            raise MethodError(asked, found, "values by name are needed", "give {'theta': 0.3, 'rate(theta)': 1.0}")
        values = self.read_state(state or {})
        check_smooth(self.model, values)
        return self._solved(with_sizes(self, values, state or {}))

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        """Residuals that are zero, the unknowns that stand linearly in them, and further symbols whose values are given."""
        raise NotImplementedError

    @cached_property
    def _solver(self) -> Solver:
        return linear_solver(self.derivation, *self._system())

    def _solved(self, values: Mapping[str, float]) -> Solved:
        d, found = self.derivation, self._solver(values)
        held = {name: found[x.name] for name, x in zip(d.row_names, d.lam) if x.name in found}
        return Solved({name: found[x.name] for name, x in zip(d.names, d.symbols.a)}, held)

    @property
    def _coordinates(self) -> tuple[str, ...]:
        """Coordinates that a state may name."""
        return self.derivation.names

    def read_state(self, state: Mapping[str, float]) -> dict[str, float]:
        """Numbers for all names; parameters may be overruled."""
        names = self._coordinates
        values = dict.fromkeys([*names, *(f"rate({x})" for x in names), "t"], 0.0) | self.model.parameters
        for key, value in state.items():
            if key not in values:
                raise MethodError(
                    f"state of {self.model.name!r}", f"the name {key!r}", "it is no coordinate, rate or parameter",
                    nearest(key, values),
                )  # fmt: skip
            values[key] = float(value)
        return values


Solver = Callable[[Mapping[str, float]], dict[str, float]]


def linear_solver(
    d: Derivation, residuals: Sequence[Any], unknowns: Sequence[Any], extra: Sequence[Any] = ()
) -> Solver:
    """Function of a state that gives numbers, by name, for unknowns that stand linearly in equations residual = 0."""
    n, rows = len(unknowns), len(residuals)
    if not n:
        return lambda values: {}  # rows determine the motion: nothing is left to be solved for
    A = sp.Matrix(list(residuals)).jacobian(list(unknowns))
    rest = [x.subs(dict.fromkeys(unknowns, 0)) for x in residuals]
    evaluate = d.numbers([*A, *rest], extra)

    def solve(values: Mapping[str, float]) -> dict[str, float]:
        numbers = np.array(evaluate(values))
        matrix, right = numbers[: n * rows].reshape(rows, n), -numbers[n * rows :]
        scale = np.max(np.abs(matrix), axis=1, initial=0.0)
        scale = np.where(scale > 0.0, scale, 1.0)
        if rank(matrix / scale[:, None], POLE, size=1.0) < n:
            raise singular(d, f"{n} unknowns, but fewer independent equations at this state")
        found = np.linalg.lstsq(matrix / scale[:, None], right / scale, rcond=None)[0]
        return dict(zip((x.name for x in unknowns), map(float, found)))

    return solve


def singular(d: Derivation, found: str) -> SingularError:
    """Error of a state at which accelerations or multipliers are not determined."""
    why = "constraints depend on each other here, or a coordinate loses its meaning (a pole)"
    return SingularError(f"accelerations of {d.model.name!r}", found, why, "choose another state")


def by_accelerations(d: Derivation, x: Any) -> list[Any]:
    """Factors of the accelerations in an expression that is linear in them, and what is left without them."""
    a = d.symbols.a
    return [*(tidy(slope(x, y)) for y in a), tidy(x.subs(dict.fromkeys(a, 0)))]


def held_rows(d: Derivation) -> list[Any]:
    """Rows J q'' - gamma, which are zero."""
    return list(d.J * sp.Matrix(d.symbols.a) - d.gamma) if d.lam else []


def constraint_section(d: Derivation, rows: Sequence[Equation] | None = None, named: bool = True) -> Section:
    """Constraints as written, with the names of their multipliers where these occur."""
    if rows is None:
        rows = [Equation(terms, sp.S.Zero) for terms in d.written_rows]
    return Section("constraints", tuple(rows), multiplier_names(d) if named else ())


def multiplier_names(d: Derivation) -> tuple[str, ...]:
    """A line that says which multiplier belongs to which row."""
    words = ", ".join(f"${lam.name}$ ({name})" for lam, name in zip(d.lam, d.row_names))
    return (f"multipliers: {words}",) if words else ()


def quadratic(name: str, M: Any, b: Sequence[Any], x: Sequence[Any], rest: Any = 0) -> Equation:
    """Equation name = x.M x/2 + b.x + rest, term by term."""
    n = len(x)
    pairs = [(M[i, j] / 2 if i == j else M[i, j], x[i] * x[j]) for i in range(n) for j in range(i, n)]
    terms, factors = zip(*pairs, *zip(b, x), (rest, sp.S.One))
    return Equation(terms, sp.Symbol(name, real=True), factors, flipped=True)


def energy_lines(d: Derivation) -> tuple[Equation, ...]:
    """T, V and D where they are not zero; T by powers of rates."""
    v = d.symbols.v
    lines = [quadratic("T", d.M, list(d.b), v, tidy(d.T.subs(dict.fromkeys(v, 0))))]
    lines += [line(sp.Symbol(name, real=True), x) for name, x in (("V", d.V), ("D", d.D)) if x != 0]
    return tuple(lines)


def substituted_lines(full: Derivation, given: Mapping[str, Any]) -> tuple[Equation, ...]:
    """Coordinates that rows give, with their formulas."""
    return tuple(line(full.q[x], f) for x, f in given.items())


def head(d: Derivation, words: str) -> str:
    """Title of a sheet."""
    return f"{words} of {d.model.name!r}"
