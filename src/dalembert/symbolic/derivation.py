"""Everything that the forms of the equations are written with, in SymPy, derived once from a Lagrangian system.

T = q'.M q'/2 + b.q' + T0          d/dt dT/dq' - dT/dq = M q'' + h
M q'' + h + dV/dq + dD/dq' + J^T lam = Q          J q' = nu          J q'' = gamma

Comparisons and searches take its random states, which satisfy the constraints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..derived import Derived
from ..errors import ExpressionError, ModelError, nearest, shown
from ..model.expression import Expr
from ..model.lagrangian import Lagrangian
from ..model.reading import listed
from ..system.lagrange import check_names, terms_of
from . import checks, sp
from .simplify import tidied, tidy
from .symbols import Symbols, formula, need_sympy, slope, spline_numbers

_shared: ContextVar[Derivation | None] = ContextVar("shared derivation", default=None)


@contextmanager
def shared(d: Derivation) -> Iterator[None]:
    """Let several forms of one system use the same derivation."""
    token = _shared.set(d)
    try:
        yield
    finally:
        _shared.reset(token)


def derive(model: Lagrangian, asked: str, inertia: bool = True) -> Derivation:
    """Check a system and prepare its derivation; `inertia` False for statics, which needs none."""
    known = _shared.get()
    if known is not None and known.model is model:
        return known
    need_sympy(asked)
    check_names(model, asked)
    checks.check_quadratic(model)
    checks.check_rows(model)
    checks.check_rotations(model)
    if inertia:
        checks.check_inertia(model)
    return Derivation(model, Symbols(model.q))


@dataclass(frozen=True, eq=False)
class Derivation(Derived):
    """Parts of the equations; each is derived when it is asked for first."""

    model: Lagrangian
    symbols: Symbols
    partitions: dict[str, Any] = field(default_factory=dict)  # the automatic one, once it is chosen

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.model.q

    @property
    def q(self) -> dict[str, Any]:
        """Symbols of the coordinates by name."""
        return dict(zip(self.names, self.symbols.q))

    # -- energies and forces -------------------------------------------------------------------------------------------

    def named(self, asked: str, what: str, given: Any, least: int = 0) -> list[str]:
        """Names of coordinates that a user gives, one or a list."""
        items = [given] if isinstance(given, str) else listed(given)
        if items is None or len(items) < least:
            raise ModelError(
                asked, f"{what} = {shown(given)}", "names of coordinates are needed", nearest("", self.names)
            )
        names = [str(x) for x in items]
        for name in names:
            if name not in self.names:
                raise ModelError(
                    asked, f"{what} = {shown(given)}", f"{name!r} is no coordinate", nearest(name, self.names)
                )
        return names

    T = formula("Kinetic energy.", lambda d: tidy(d.symbols.of(d.model.kinetic)))
    V = formula("Potential energy.", lambda d: tidy(d.symbols.of(d.model.potential)))
    D = formula("Dissipation function.", lambda d: tidy(d.symbols.of(d.model.dissipation)))
    L = formula("Lagrangian function T - V.", lambda d: d.T - d.V)
    dV = formula("Slopes dV/dq.", lambda d: d.column([tidy(slope(d.V, q)) for q in d.symbols.q]))
    dD = formula("Slopes dD/dq'.", lambda d: d.column([tidy(slope(d.D, v)) for v in d.symbols.v]))

    @cached_property
    def Q(self) -> Any:
        """Generalized forces that have no potential, dissipation not included."""
        forces = self.model.forces
        return self.column([tidy(self.symbols.of(forces[x])) if x in forces else 0 for x in self.names])

    # -- inertia -------------------------------------------------------------------------------------------------------

    momenta = formula("Momenta dT/dq' in terms of rates.", lambda d: d.column([slope(d.T, v) for v in d.symbols.v]))
    rhs = formula("Right side of M q'' + J^T lam = rhs.", lambda d: tidied(d.Q - d.dV - d.dD - d.h))

    @cached_property
    def M(self) -> Any:
        """Mass matrix."""
        n, v = len(self.names), self.symbols.v
        rows = [[sp.S.Zero] * n for _ in range(n)]
        for i in range(n):
            for j in range(i, n):
                rows[i][j] = rows[j][i] = tidy(slope(self.momenta[i], v[j]))
        return sp.Matrix(rows)

    @cached_property
    def b(self) -> Any:
        """Part of the momenta that does not depend on rates (rheonomic systems)."""
        rest = dict.fromkeys(self.symbols.v, 0)
        return self.column([tidy(p.subs(rest)) for p in self.momenta])

    @cached_property
    def h(self) -> Any:
        """Terms of d/dt dT/dq' - dT/dq without accelerations."""
        s = self.symbols
        return self.column([tidy(s.steady_rate(p) - slope(self.T, q)) for p, q in zip(self.momenta, s.q)])

    # -- rows ----------------------------------------------------------------------------------------------------------

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows, holonomic ones first."""
        return *self.model.holonomic, *self.model.nonholonomic

    phi = formula(
        "Holonomic rows, which are zero.",
        lambda d: d.column([tidy(d.symbols.of(x)) for x in d.model.holonomic.values()]),
    )
    lam = formula("Symbols of the multipliers.", lambda d: d.fresh([f"lam_{plain(name)}" for name in d.row_names]))

    @cached_property
    def written_rows(self) -> tuple[tuple[Any, ...], ...]:
        """Terms of every row in the order in which the user wrote them."""
        tidied_rows = [*self.phi, *self.rate_rows[len(self.phi) :]]
        given = {**self.model.holonomic, **self.model.nonholonomic}.values()
        return tuple(self._as_written(row, short) for row, short in zip(given, tidied_rows))

    def _as_written(self, row: Expr, short: Any) -> tuple[Any, ...]:
        terms = tuple(sign * self.symbols.of(x) for x, sign in checks.summands(row))
        # like terms side by side, or a formula that shrinks to less than half, come from a conversion: nobody wrote them to be read
        alike = len(sp.Add.make_args(sp.Add(*terms))) < len(terms)
        return (short,) if alike or sum(x.count_ops() for x in terms) > 2 * short.count_ops() + 2 else terms

    @cached_property
    def rate_rows(self) -> Any:
        """All rows J q' - nu, which are zero; holonomic ones differentiated."""
        made = [self.symbols.total_rate(x) for x in self.phi]
        made += [self.symbols.of(x) for x in self.model.nonholonomic.values()]
        return self.column(made)

    @cached_property
    def J(self) -> Any:
        """Matrix of the rows, J q' = nu."""
        rows = [[tidy(slope(row, v)) for v in self.symbols.v] for row in self.rate_rows]
        return sp.Matrix(len(rows), len(self.names), [x for row in rows for x in row])

    @cached_property
    def nu(self) -> Any:
        """Right side of J q' = nu."""
        rest = dict.fromkeys(self.symbols.v, 0)
        return self.column([tidy(-row.subs(rest)) for row in self.rate_rows])

    @cached_property
    def gamma(self) -> Any:
        """Right side of J q'' = gamma: nu' - J' q'."""
        rows = self.J * self.column(self.symbols.v) - self.nu
        return self.column([tidy(-self.symbols.steady_rate(row)) for row in rows])

    @cached_property
    def row_force(self) -> Any:
        """J^T lam, the multipliers' part of the equations; the reaction on the system is its negative."""
        return self.J.T * sp.Matrix(self.lam) if self.lam else sp.zeros(len(self.names), 1)

    def fresh(self, names: Sequence[str]) -> list[Any]:
        """Symbols of these names, with a mark added to names that mean something else already."""
        taken = {*self.names, *self.model.parameters, "t"}
        made = []
        for name in names:
            while name in taken:
                name += "_"
            taken.add(name)
            made.append(sp.Symbol(name, real=True))
        return made

    # -- numbers -------------------------------------------------------------------------------------------------------

    def numbers(self, exprs: Sequence[Any], extra: Sequence[Any] = ()) -> Any:
        """Function of values by name that evaluates SymPy expressions; `extra` symbols are given by their names."""
        s = self.symbols
        parameters = [sp.Symbol(name, real=True) for name in self.model.parameters]
        keys = [*self.names, *(f"rate({x})" for x in self.names), "t", *self.model.parameters, *(x.name for x in extra)]
        made = sp.lambdify(
            [[*s.q, *s.v, s.t, *parameters, *extra]], list(exprs), modules=[self._functions(), "math"], cse=True
        )

        def evaluate(values: Mapping[str, float]) -> list[float]:
            try:
                return [float(x) for x in made([values[k] for k in keys])]
            except (ValueError, TypeError, ArithmeticError) as error:
                where = ", ".join(f"{x} = {values[x]:.6g}" for x in self.names)
                raise ExpressionError(
                    f"equations of {self.model.name!r} in numbers", f"at {where}: {error}",
                    "a term, or a derivative of one, has no value there", "choose another state, or guard the term with if_",
                ) from None  # fmt: skip

        return evaluate

    def _functions(self) -> dict[str, Any]:
        """Functions that Python's math has not, splines included."""
        found: dict[str, Any] = {"sign": lambda x: float((x > 0) - (x < 0)), "Abs": abs}
        return found | spline_numbers(x for expr in terms_of(self.model).values() for x in expr.tables.values())

    def column(self, items: Sequence[Any]) -> Any:
        """Column matrix."""
        return sp.Matrix(len(items), 1, list(items))


def plain(name: str) -> str:
    """Name as part of a symbol: "rate row 1" is r1, "row 1" is 1, "left wheel" is left_wheel."""
    numbered = re.fullmatch(r"(rate )?row (\d+)", name)
    if numbered:
        return f"{'r' if numbered[1] else ''}{numbered[2]}"
    return re.sub(r"\W+", "_", name).strip("_") or "row"


_TRIES = 40
_STEPS = 30


def random_states(
    d: Derivation,
    count: int,
    seed: int,
    accept: Callable[[Mapping[str, float]], bool] = lambda values: True,
    begin: Callable[[Mapping[str, float]], dict[str, float]] | None = None,
) -> list[dict[str, float]]:
    """States with phi = 0 and J q' = nu, at which all expressions have values; fewer where such are hard to find.

    They are sought from random values, or from what `begin` makes of these.
    """
    rng = np.random.default_rng(seed)
    exprs = list(terms_of(d.model).values())
    rows = d.numbers([*d.phi, *d.J, *d.nu]) if d.row_names else None
    found: list[dict[str, float]] = []
    for _ in range(_TRIES + 2 * count):
        values = checks.random_values(d.model, rng)
        try:
            values = values if begin is None else begin(values)
            if rows is not None:
                _onto(d, values, rows)
            for expr in exprs:
                expr.evaluate(values)
            checks.check_smooth(d.model, values)
            accepted = accept(values)
        except (ExpressionError, ValueError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError):
            continue
        if accepted:
            found.append(values)
        if len(found) == count:
            break
    return found


def _onto(d: Derivation, values: dict[str, float], rows: Callable[[Mapping[str, float]], list[float]]) -> None:
    """Move a state onto its constraints: Gauss-Newton for positions, least change for rates."""
    n, m = len(d.names), len(d.phi)
    for _ in range(_STEPS):
        numbers = np.array(rows(values))
        J = numbers[m : m + len(d.row_names) * n].reshape(-1, n)
        if np.max(np.abs(numbers[:m]), initial=0.0) < 1e-13:
            break
        step = np.linalg.lstsq(J[:m], -numbers[:m], rcond=None)[0]
        for name, x in zip(d.names, step):
            values[name] += float(x)
    else:
        raise np.linalg.LinAlgError
    v = np.array([values[f"rate({x})"] for x in d.names])
    v += np.linalg.lstsq(J, numbers[m + J.size :] - J @ v, rcond=None)[0]
    for name, x in zip(d.names, v):
        values[f"rate({name})"] = float(x)
