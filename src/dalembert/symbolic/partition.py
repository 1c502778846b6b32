"""Independent velocities of a system with rows J q' = nu (LAGRANGE 2.6): q' = S u + c, with S = [X; Z] and c = [Y; W] nu.

u = C_p q_p' + C_pm q_m',   A_mp q_p' + A_m q_m' = nu,   [C_p C_pm; A_mp A_m]^-1 = [X Y; Z W]

The inverse is found by elimination, with pivots that are plain numbers or parameters wherever there are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import ExpressionError, ModelError, SingularError, shown
from ..model.expression import as_expression
from ..model.expression.checks import check_name
from . import sp
from .derivation import Derivation
from .simplify import is_zero, tidied, tidy
from .symbols import formula, slope
from .unevaluated import Unevaluated


def _cost(x: Any, moving: set[Any]) -> tuple[int, int] | None:
    """How much a pivot is disliked: numbers first, then parameters, then short functions of the state; None for zero."""
    if x == 0:
        return None
    if x.is_number:
        return 0, int(x.count_ops())
    if not x.free_symbols & moving:
        return 1, int(x.count_ops())
    return None if is_zero(x) else (2, int(x.count_ops()))


def _candidates(work: Any, rows: Sequence[int], free: Sequence[int], moving: set[Any]) -> list[tuple[Any, int, int]]:
    """Pivots that are not zero: their costs, rows and columns."""
    return [(cost, r, c) for r in rows for c in free if (cost := _cost(work[r, c], moving)) is not None]


def pivots(A: Any, moving: set[Any]) -> list[int] | None:
    """Columns that can be solved for, one for each row; None when there are not enough.  Late columns are preferred."""
    work, found = A.copy(), []
    rows, free = list(range(A.rows)), list(range(A.cols))
    while rows:
        best = min(_candidates(work, rows, free, moving), key=lambda x: (x[0], -x[2], x[1]), default=None)
        if best is None:
            return None
        _, r, c = best
        _clear(work, r, c, rows)
        rows.remove(r)
        free.remove(c)
        found.append(c)
    return sorted(found)


def inverse(A: Any, moving: set[Any]) -> Any | None:
    """Inverse of a square matrix; None when it is singular."""
    n = A.rows
    work = A.row_join(sp.eye(n))
    rows, free, place = list(range(n)), list(range(n)), {}
    while rows:
        best = min(_candidates(work, rows, free, moving), default=None)
        if best is None:
            return None
        _, r, c = best
        pivot = work[r, c]
        for k in range(2 * n):
            work[r, k] = tidy(work[r, k] / pivot) if work[r, k] != 0 else work[r, k]
        _clear(work, r, c, list(range(n)))
        rows.remove(r)
        free.remove(c)
        place[c] = r
    return sp.Matrix(n, n, lambda i, j: work[place[i], n + j])


def _clear(work: Any, r: int, c: int, rows: Sequence[int]) -> None:
    """Subtract row r from others so that column c is zero there."""
    for k in rows:
        if k == r or work[k, c] == 0:
            continue
        factor = work[k, c] / work[r, c]
        for j in range(work.cols):
            if work[r, j] != 0:
                work[k, j] = tidy(work[k, j] - factor * work[r, j])
        work[k, c] = work[k, c] * 0


@dataclass(frozen=True, eq=False)
class Partition(Unevaluated):
    """Independent and dependent coordinates with the matrices between rates and quasi-velocities."""

    derivation: Derivation
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    u: tuple[Any, ...]  # symbols of the quasi-velocities
    definitions: tuple[Any, ...]  # u in terms of rates
    inverse: Any  # of the stacked matrix, in the order of the coordinates

    @property
    def plain(self) -> bool:
        """Whether the velocities are the rates of the independent coordinates."""
        return all(u in self.derivation.symbols.v for u in self.u)

    S = formula(
        "Columns of q' = S u + c: a basis of the velocities that the rows allow.", lambda p: p.inverse[:, : len(p.u)]
    )

    @cached_property
    def c(self) -> Any:
        """Part of q' = S u + c that rows with time demand."""
        return tidied(self.inverse[:, len(self.u) :] * self.derivation.nu) if self.dependent else self.S[:, 0] * 0

    def _block(self, names: Sequence[str]) -> Any:
        """Rows of the inverse of these coordinates."""
        return self.inverse.extract([self.derivation.names.index(x) for x in names], list(range(self.inverse.cols)))

    X = formula("Independent rates per quasi-velocity.", lambda p: p._block(p.independent)[:, : len(p.u)])
    Y = formula("Independent rates per right side of a row.", lambda p: p._block(p.independent)[:, len(p.u) :])
    Z = formula("Dependent rates per quasi-velocity.", lambda p: p._block(p.dependent)[:, : len(p.u)])
    W = formula("Dependent rates per right side of a row.", lambda p: p._block(p.dependent)[:, len(p.u) :])

    rates = formula("Rates, S u + c.", lambda p: tidied(p.S * sp.Matrix(len(p.u), 1, list(p.u)) + p.c))

    def admissible(self, x: Any) -> Any:
        """An expression with its rates replaced by S u + c."""
        return x.subs({v: r for v, r in zip(self.derivation.symbols.v, self.rates) if v != r}, simultaneous=True)

    @cached_property
    def turning(self) -> Any:
        """Part of q'' = S u' + … without u': S' u + c', as a function of q, u and t."""
        s = self.derivation.symbols
        return self.derivation.column([tidy(self.admissible(s.steady_rate(x))) for x in self.rates])


def partition(
    d: Derivation,
    asked: str,
    independent: Sequence[str] | None = None,
    quasi_velocities: Mapping[str, Any] | None = None,
) -> Partition:
    """Partition of a system, as the user wishes or automatic."""
    automatic = independent is None and not quasi_velocities
    if automatic and "automatic" in d.partitions:
        return d.partitions["automatic"]  # type: ignore[no-any-return]
    n, m = len(d.names), len(d.row_names)
    moving = set(d.symbols.state)
    if independent is None:
        chosen = pivots(d.J, moving) if m else []
        if chosen is None:
            raise SingularError(asked, f"{m} rows", "they depend on each other", "remove one of them")
        free = [k for k in range(n) if k not in chosen]
    else:
        free = read_independent(d, asked, independent, n - m)
    names = tuple(d.names[k] for k in free)
    others = tuple(x for x in d.names if x not in names)
    u, definitions = _read_quasi(d, asked, names, quasi_velocities)
    top = sp.Matrix(len(u), n, [tidy(slope(x, v)) for x in definitions for v in d.symbols.v])
    whole = inverse(top.col_join(d.J) if m else top, moving) if n else top
    if whole is None:
        what = "quasi-velocities " + ", ".join(str(x) for x in u) if quasi_velocities else "independent coordinates " + ", ".join(names)  # fmt: skip
        raise SingularError(
            asked, what, "with the rows they do not determine all rates",
            "choose others; without independent= and quasi_velocities= the choice is automatic",
        )  # fmt: skip
    made = Partition(d, names, others, tuple(u), tuple(definitions), whole)
    if automatic:
        d.partitions["automatic"] = made
    return made


def read_independent(d: Derivation, asked: str, independent: Sequence[str], count: int) -> list[int]:
    """Places of the coordinates that a user names; each is one, and there are as many as the rows leave."""
    names = d.named(asked, "independent", independent)
    if len(names) != count or len(set(names)) != count:
        raise ModelError(
            asked, f"{len(names)} independent coordinates: {', '.join(names) or 'none'}",
            f"{len(d.names)} coordinates and {len(d.row_names)} rows leave {count} independent", f"name {count} of {', '.join(d.names)}",
        )  # fmt: skip
    return [d.names.index(x) for x in names]


def _read_quasi(
    d: Derivation, asked: str, names: tuple[str, ...], quasi: Mapping[str, Any] | None
) -> tuple[list[Any], list[Any]]:
    """Symbols and definitions of the velocities; the rates of the independent coordinates when none are given."""
    s = d.symbols
    if not quasi:
        rates = [s.v[d.names.index(x)] for x in names]
        return rates, rates
    if not isinstance(quasi, Mapping) or len(quasi) != len(names):
        found = f"{len(quasi)} quasi-velocities" if isinstance(quasi, Mapping) else shown(quasi)
        raise ModelError(
            asked, found, f"{len(names)} are needed: as many as independent rates",
            "give quasi_velocities={'u1': 'rate(x)*cos(theta) + …', …}",
        )  # fmt: skip
    known = {*d.names, "t", *d.model.parameters}
    symbols, made = [], []
    for name, definition in quasi.items():
        what = f"quasi-velocity {shown(name)} of {d.model.name!r}"
        check_name(name, what)
        if name in known:
            raise ModelError(what, repr(name), "this name is taken", "choose another")
        expr = as_expression(definition, known=known, asked=what)
        found = s.of(expr)
        slopes = [tidy(slope(found, v)) for v in s.v]
        rest = tidy(found.subs(dict.fromkeys(s.v, 0)))
        if rest != 0 or any(x.free_symbols & set(s.v) for x in slopes) or not any(x != 0 for x in slopes):
            raise ExpressionError(
                what, f"{name} = {expr}", "it is not a linear combination of rates", "write sums of rates times functions of q and t"
            )  # fmt: skip
        symbols.append(sp.Symbol(name, real=True))
        made.append(found)
    return symbols, made
