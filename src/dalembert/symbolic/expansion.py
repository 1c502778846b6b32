"""expand: series in small parameters of an expression, or of the energies, forces and equations of a Lagrangian system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..model.expression import Expr, as_expression
from ..model.expression.checks import plain_number
from ..model.lagrangian import Lagrangian
from . import sp
from .derivation import derive
from .printing import latex, text
from .sheet import Equation, OfLines, OnSheet, Section, Sheet, line
from .simplify import collected, fourier, tidy
from .symbols import Symbols, need_sympy, slope

HIGHEST = 12


@dataclass(frozen=True, eq=False, repr=False)
class Series(OnSheet):
    """Series of one expression.

    Attributes
    ----------
    exact, expanded
        The expression and its series up to the orders asked for, as SymPy objects.
    orders
        Terms by order: {0: …, 1: …} for one small parameter, {(0, 1): …} for several.
    expression
        The series as an expression.
    """

    exact: Any
    expanded: Any
    orders: dict[Any, Any]
    small: dict[str, int]
    symbols: Symbols

    @property
    def expression(self) -> Expr:
        """The series as an expression."""
        return self.symbols.back(self.expanded)

    def beside(self, other: Any, harmonics: bool = False) -> Series:
        """What an approximation leaves out: the series of exact - other, to the same orders.

        Parameters
        ----------
        other
            The approximation: a text, an expression or a SymPy object with the same names.
        harmonics
            Whether products of sines and cosines are written as sums: cos(theta) - cos(3*theta).
        """
        return _series(
            self.exact - self.symbols.of(as_expression(other, asked="beside")), self.small, self.symbols, harmonics
        )

    def harmonics(self) -> Series:
        """The same with products of sines and cosines written as sums, order by order."""
        orders = {k: _summed(x) for k, x in self.orders.items()}
        return replace(self, expanded=_summed(self.expanded), orders=orders)

    @property
    def sheet(self) -> Sheet:
        """Sheet to write."""

        def order(k: Any) -> str:
            return "_".join(map(str, k if isinstance(k, tuple) else (k,)))

        lines = [line(sp.Symbol(f"c_{order(k)}", real=True), x) for k, x in self.orders.items()]
        titles = ", ".join(f"{name} to order {n}" for name, n in self.small.items())
        sum_of = " + ".join(f"c_{order(k)}" + (f"*{text(_power(self.small, k))}" if _power(self.small, k) != 1 else "") for k in self.orders)  # fmt: skip
        return Sheet(f"series in {titles}", (Section(sum_of or "0", tuple(lines)),))

    def __str__(self) -> str:
        return f"{text(self.expanded)} + … ({', '.join(f'{name}**{order + 1}' for name, order in self.small.items())})"

    __repr__ = __str__

    def latex(self) -> str:
        """LaTeX of the series."""
        left_out = ", ".join(latex(sp.Symbol(x, real=True) ** (order + 1)) for x, order in self.small.items())
        return rf"{latex(self.expanded)} + \mathcal{{O}}\left({left_out}\right)"


@dataclass(frozen=True, eq=False, repr=False)
class ExpandedSystem(OfLines):
    """Energies, forces and equations of a system as series in small parameters.

    `T`, `V`, `D` are `Series`; `forces` those of the generalized forces by coordinate; `equations` the equations of motion with every
    term expanded, as SymPy equalities; `M` and `rhs` the expanded matrices of M q'' + J^T lam = rhs.
    """

    model: Lagrangian
    T: Series
    V: Series
    D: Series
    forces: dict[str, Series]
    M: Any
    rhs: Any
    lines: tuple[Equation, ...]
    sheet: Sheet


@checked_call
def expand(what: Any, small: Mapping[str, int]) -> Any:
    """Series in small parameters, up to and including the order given for each.

    Parameters
    ----------
    what
        A Lagrangian system, or an expression: text, expression or SymPy object.
    small
        Orders by name: {"lam": 1}.  With several names each is expanded to its own order.

    Returns
    -------
    Series or ExpandedSystem
        Of an expression its series; of a system those of T, V, D, forces and equations.

    Examples
    --------
    >>> import dalembert as da
    >>> print(da.expand("sqrt(1 - lam**2*sin(theta)**2)", small={"lam": 2}).expanded)
    -lam**2*sin(theta)**2/2 + 1
    """
    asked = f"expand({shown(what, 60)}, small={shown(small, 40)})"
    need_sympy(asked)
    orders = _read_small(asked, small)
    if isinstance(what, Lagrangian):
        return _expanded_system(what, orders, asked)
    # coordinates are those whose rates the expression contains
    names = as_expression(what, asked="expand").names
    symbols = Symbols(tuple(sorted(x[5:-1] for x in names if x.startswith("rate("))))
    expr = symbols.of(as_expression(what, asked=asked))
    known = sorted(x.name for x in expr.free_symbols)
    for name in orders:
        if name not in known:
            raise ModelError(
                asked, f"the small parameter {name!r}", "it does not occur in the expression", nearest(name, known)
            )
    return _series(expr, orders, symbols)


def _expanded_system(model: Lagrangian, small: dict[str, int], asked: str) -> ExpandedSystem:
    d = derive(model, asked)
    for name in small:
        if name not in model.parameters and name not in model.q:
            raise ModelError(
                asked, f"the small parameter {name!r}", "it is neither a parameter nor a coordinate",
                nearest(name, [*model.parameters, *model.q]),
            )  # fmt: skip

    def series(x: Any) -> Series:
        return _series(sp.sympify(x), small, d.symbols)

    T, V, D = series(d.T), series(d.V), series(d.D)
    forces = {name: series(q) for name, q in zip(d.names, d.Q) if q != 0}
    M, left, Q, J = (m.applyfunc(lambda x: series(x).expanded) for m in (d.M, d.h + d.dV + d.dD, d.Q, d.J))
    factors = (*d.symbols.a, sp.S.One, *d.lam)
    lines = tuple(Equation((*M[k, :], left[k], *J[:, k]), Q[k], factors) for k in range(len(d.names)))
    names = ", ".join(f"{name} to order {order}" for name, order in small.items())
    energies = [line(sp.Symbol(x, real=True), y.expanded) for x, y in (("T", T), ("V", V), ("D", D)) if y.expanded != 0]
    sections = Section("energies", tuple(energies)), Section("equations", lines)
    sheet = Sheet(f"expansion of {model.name!r} in {names}", sections)
    return ExpandedSystem(model, T, V, D, forces, M, (Q - left), lines, sheet)


def _series(x: Any, small: dict[str, int], symbols: Symbols, harmonics: bool = False) -> Series:
    """Taylor's series by derivatives at zero, one small parameter after the other."""
    parts: dict[tuple[int, ...], Any] = {(): x}
    for name, order in small.items():
        s = sp.Symbol(name, real=True)
        parts = {(*key, k): x for key, part in parts.items() for k, x in enumerate(_taylor(part, s, order))}
    if harmonics:
        parts = {k: _summed(y) for k, y in parts.items()}
    whole = sum((y * _power(small, k) for k, y in parts.items()), sp.S.Zero)
    found = {k[0] if len(k) == 1 else k: y for k, y in parts.items() if y != 0}
    return Series(x, collected(sp.expand(whole)) if harmonics else tidy(whole), found, dict(small), symbols)


def _taylor(x: Any, s: Any, order: int) -> list[Any]:
    made, here = [], x
    for k in range(order + 1):
        value = here.subs(s, 0) if here.has(s) else here
        if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            value = sp.limit(here, s, 0)
        if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            raise ModelError(
                f"series in {s.name!r}", f"{text(here)} at {s.name} = 0", f"it has no value there, so there is no power series (order {k})",
                "write the expression so that it stays finite, or choose another small parameter",
            )  # fmt: skip
        made.append(tidy(value / sp.factorial(k)))
        here = slope(here, s) if k < order else here
    return made


def _summed(x: Any) -> Any:
    """Products of sines and cosines as sums."""
    return sp.factor_terms(collected(fourier(x)))


def _power(small: Mapping[str, int], key: Any) -> Any:
    powers = key if isinstance(key, tuple) else (key,)
    return sp.Mul(*[sp.Symbol(name, real=True) ** k for name, k in zip(small, powers)])


def _read_small(asked: str, small: Any) -> dict[str, int]:
    if not isinstance(small, Mapping) or not small:
        raise MethodError(asked, f"small = {shown(small)}", "names with orders are needed", "give small={'lam': 1}")
    made = {}
    for name, order in small.items():
        number = plain_number(order)
        if number is None or not 0 <= number <= HIGHEST or number != int(number):
            raise MethodError(
                asked, f"order {shown(order)} of {shown(name)}", f"an order is a whole number from 0 to {HIGHEST}", "give small={'lam': 1}"
            )  # fmt: skip
        made[str(name)] = int(number)
    return made
