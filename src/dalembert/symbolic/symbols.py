"""SymPy symbols of a Lagrangian system: x, x', x'' for a coordinate, its rate and its acceleration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.util import find_spec
from typing import Any

from ..derived import Derived
from ..errors import MethodError
from ..model.expression import Expr, Spline, SplineCall
from ..model.expression.sympy_bridge import from_sympy, to_sympy
from . import sp


def need_sympy(asked: str) -> None:
    """Refuse where SymPy is not installed, with a way to get it."""
    if find_spec("sympy") is None:
        raise MethodError(
            asked, "SymPy is not installed", "equations are written with it", "pip install dalembert[symbolic]"
        )


def formula(about: str, of: Callable[[Any], Any]) -> Any:
    """Property that is computed when it is asked for first."""
    made = cached_property(of)
    made.__doc__ = about
    return made


@dataclass(frozen=True, eq=False)
class Symbols(Derived):
    """Symbols of the coordinates, and the way between expressions and SymPy objects."""

    names: tuple[str, ...]
    tables: dict[str, Spline] = field(default_factory=dict)  # splines met so far, to find the way back

    t = formula("Time.", lambda s: sp.Symbol("t", real=True))
    q = formula("Coordinates.", lambda s: [sp.Symbol(name, real=True) for name in s.names])
    v = formula("Rates.", lambda s: [sp.Symbol(f"{name}'", real=True) for name in s.names])
    a = formula("Accelerations.", lambda s: [sp.Symbol(f"{name}''", real=True) for name in s.names])
    state = formula("Everything that changes with time.", lambda s: [*s.q, *s.v, s.t])

    def of(self, expr: Expr) -> Any:
        """SymPy object of an expression."""
        names = {f"rate({name})": v for name, v in zip(self.names, self.v)}
        self.tables.update(expr.tables)
        return _differentiable(to_sympy(expr, names), expr.tables)

    def matrix(self, rows: Iterable[Iterable[Expr]]) -> Any:
        """SymPy matrix of rows of expressions."""
        return sp.Matrix([[self.of(x) for x in row] for row in rows])

    def back(self, x: Any) -> Expr:
        """Expression of a SymPy object; rates become rate(x)."""
        # splines stand as names until their arguments are expressions again
        calls = [f for f in sp.postorder_traversal(x) if hasattr(type(f), "spline")]
        holes = {f: sp.Symbol(f"spline_{k}_", real=True) for k, f in enumerate(dict.fromkeys(calls))}
        made = from_sympy(self.in_time(x.xreplace(holes)))
        if not holes:
            return made
        filled = {}
        for f, hole in holes.items():
            name, order = type(f).spline
            filled[hole.name] = SplineCall(self.tables[name], self.back(f.args[0]), order)
        return made.substitute(filled)

    def in_time(self, x: Any) -> Any:
        """The same object with coordinates as functions of time, for dsolve and sp.physics.mechanics."""
        q = [sp.Function(name, real=True)(self.t) for name in self.names]
        pairs = dict(zip(self.q, q)) | {v: f.diff(self.t) for v, f in zip(self.v, q)}
        return x.xreplace(pairs | {a: f.diff(self.t, 2) for a, f in zip(self.a, q)})

    def steady_rate(self, x: Any) -> Any:
        """d/dt of an expression of q, q' and t at constant velocities: dx/dq q' + dx/dt."""
        return sum((slope(x, q) * v for q, v in zip(self.q, self.v)), slope(x, self.t))

    def total_rate(self, x: Any) -> Any:
        """d/dt of an expression of q, q' and t, with accelerations."""
        return sum((slope(x, v) * a for v, a in zip(self.v, self.a)), self.steady_rate(x))


def slope(x: Any, s: Any) -> Any:
    """Derivative of an expression; jumps (sign, floor) count as constant between them."""
    made = sp.sympify(x).diff(s)
    if made.has(sp.DiracDelta, sp.Derivative, sp.Subs):
        made = made.replace(sp.DiracDelta, lambda *a: sp.S.Zero).replace(
            lambda node: isinstance(node, sp.Derivative | sp.Subs), lambda node: sp.S.Zero
        )
    return made


def _differentiable(x: Any, tables: dict[str, Spline]) -> Any:
    """Splines as functions that know their derivative, min and max as cases."""
    for name in tables:
        for order in range(4):
            x = x.replace(sp.Function(f"{name}{'_d' * order}", real=True), spline_function(name, order))
    if x.has(sp.Max, sp.Min):
        x = x.replace(sp.Max, lambda a, *b: _cases(sp.Ge, a, b)).replace(sp.Min, lambda a, *b: _cases(sp.Le, a, b))
    return x


def _cases(better: Any, first: Any, others: Iterable[Any]) -> Any:
    made = first
    for other in others:
        made = sp.Piecewise((made, better(made, other)), (other, True))
    return made


def extremes(x: Any) -> Any:
    """The way back, to read: cases that say max(a, b) or min(a, b) as such."""

    def extreme(a: Any, better: Any, b: Any) -> Any:
        share = multiple_of(better.gts - better.lts, a - b) if isinstance(better, sp.Rel) else 0
        return sp.Max(a, b) if share > 0 else sp.Min(a, b) if share < 0 else sp.Piecewise((a, better), (b, True))

    if not x.has(sp.Piecewise):
        return x
    return x.replace(
        lambda e: isinstance(e, sp.Piecewise) and len(e.args) == 2 and e.args[1][1] is sp.true,
        lambda e: extreme(e.args[0][0], e.args[0][1], e.args[1][0]),
    )


def multiple_of(x: Any, y: Any) -> Any:
    """Number c with x = c y; zero where there is none."""
    x, y = sp.expand(x), sp.expand(y)
    term, number = next(iter(y.as_coefficients_dict().items()))
    share = x.as_coefficients_dict()[term] / number
    return share if sp.expand(x - share * y) == 0 else sp.S.Zero


def spline_numbers(tables: Iterable[Spline]) -> dict[str, Callable[[Any], float]]:
    """Splines and their derivatives in numbers, by the names of the functions that stand for them."""
    orders = range(4)
    return {f"{table.name}{'_d' * order}": partial(table.value, order=order) for table in tables for order in orders}


def spline_function(name: str, order: int) -> Any:
    """Function of SymPy that stands for a spline or a derivative of it: cam, cam_d, cam_dd."""

    def fdiff(self: Any, argindex: int = 1) -> Any:
        return spline_function(name, order + 1)(self.args[0]) if order < 3 else sp.S.Zero

    fields = {"spline": (name, order), "fdiff": fdiff, "is_real": True, "nargs": 1}
    return type(f"{name}{'_d' * order}", (sp.Function,), fields)
