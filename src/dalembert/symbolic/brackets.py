"""The same as `pfaffian` does, with formulas: fields and brackets in SymPy, ranks at random points with fifty digits.

With that many digits zero is told from small without doubt, and no simplification is needed to decide anything.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import AssemblyError
from ..model.expression import Call, Expr, Number, SplineCall, postorder
from ..model.expression.sympy_bridge import to_sympy
from . import sp
from .flag import Flag, Span, grown, independent_rows, is_exact, is_integrable, merged, pivots_of, shares_of, unit
from .nested import Array
from .pfaffian import Numbers, Pfaffian
from .ring import Ring, value_of

DIGITS = 50
# relative to the size of what was subtracted; round-off is near 1e-48
ZERO_BELOW, NEW_ABOVE = 1e-32, 1e-28
POINTS = 2
# choices of dependent coordinates that are compared, and the least determinant (of unit rows) of such a choice
MOST_CHOICES, SAFE_DETERMINANT = 100, 1e-3
_KINKED = {"abs", "sign", "floor", "min", "max", "if_", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}


def is_smooth(expr: Expr) -> bool:
    """Whether SymPy has a formula without cases and tables for an expression."""
    return not any(
        isinstance(node, SplineCall) or isinstance(node, Call) and node.function in _KINKED | {"ramp", "step"}
        for node in postorder(expr)
    )


class TooLongError(Exception):
    """A bracket has more terms than were allowed."""


class Formulas:
    """Forms, fields and brackets of a system as SymPy objects; `x` are coordinates and time, `w[i, j]` the coefficients of the forms."""

    def __init__(self, system: Pfaffian) -> None:
        self.system = system
        self.names = {name: sp.Symbol(name, real=True) for name in system.variables}
        for name, value in system.parameters.items():
            self.names[name] = sp.Symbol(name, positive=True) if value > 0 else sp.Symbol(name, real=True)
        self.x = [self.names[name] for name in system.variables]
        self.parameters = [self.names[name] for name in system.parameters]
        self._values = [to_sympy(Number(value)) for value in system.parameters.values()]
        self.w = [[to_sympy(a, self.names) for a in row.coefficients] for row in system.rows]
        self.positions = [to_sympy(r.position, self.names) for r in system.rows if r.position is not None]
        self.points: list[list[Any]] = []
        self.ring = Ring((a for row in system.rows for a in row.coefficients), system.variables, self.names)
        self.forms = [[self.ring(a) for a in row.coefficients] for row in system.rows]
        self._powers: list[dict[int, Any]] = []

    # -- numbers ---------------------------------------------------------------------------------------------------------

    def function(self, expressions: Sequence[Any]) -> Any:
        """Function of a point that gives the values of the expressions with fifty digits."""
        import mpmath

        call = sp.lambdify([*self.x, *self.parameters], list(expressions), modules="mpmath", cse=True)

        def values(point: Sequence[Any]) -> list[Any]:
            with mpmath.workdps(DIGITS):
                numbers = [
                    mpmath.mpf(v.p) / v.q if v.is_Rational else mpmath.mpf(str(v.n(DIGITS))) for v in self._values
                ]
                return [mpmath.mpf(v) if not isinstance(v, mpmath.mpc) else mpmath.nan for v in call(*point, *numbers)]

        return values

    def matrix(self, rows: Sequence[Sequence[Any]], point: Sequence[Any]) -> Array:
        """Values of a matrix of expressions at a point, as an array of objects."""
        flat = self.function([x for row in rows for x in row])(point)
        return np.array(flat, dtype=object).reshape(len(rows), -1)

    def vanishes(self, expression: Any) -> bool:
        """Whether an expression is zero at all random points, compared with its largest term."""
        if expression.is_number:
            return expression == 0 or abs(expression.n(DIGITS)) < ZERO_BELOW
        terms = list(sp.Add.make_args(expression))
        values = self.function([expression, *terms])
        for point in self.points:
            total, *parts = values(point)
            if not abs(total) <= ZERO_BELOW * max(1, *(abs(x) for x in parts)):
                return False
        return True

    def seek_points(self, numbers: Numbers, seed: int) -> None:
        """Random points with fifty digits that satisfy the holonomic rows."""
        import mpmath

        rng, digits = np.random.default_rng(seed), random.Random(seed)
        n = len(self.system.q)
        held = self.positions
        gradients = [[p.diff(x) for x in self.x[:n]] for p in held]
        for _ in range(20 * POINTS):
            with mpmath.workdps(DIGITS):
                start = numbers.point(rng)
                # all digits random, so that no point is rational by accident
                point = [mpmath.mpf(x) + mpmath.mpf(digits.getrandbits(160)) / mpmath.mpf(2) ** 190 for x in start]
                if held and not self._close(point, gradients, n):
                    continue
                if all(mpmath.isfinite(v) for v in self.matrix(self.w, point).flat):
                    self.points.append(point)
            if len(self.points) == POINTS:
                self._powers = [{1: x} for x in self.function(self.ring.symbols)(self.points[0])]
                return
        raise AssemblyError(
            self.system.asked, "no random position with fifty digits",
            "the holonomic rows depend on each other where they hold", "classify with method='numeric'",
        )  # fmt: skip

    def _close(self, point: list[Any], gradients: list[list[Any]], n: int) -> bool:
        """Newton with fifty digits, in place, with the rows that are independent; True when all rows hold."""
        import mpmath

        for _ in range(8):
            value = self.function(self.positions)(point)
            if max(abs(v) for v in value) < mpmath.mpf(10) ** (5 - DIGITS):
                return True
            jac = self.matrix(gradients, point)
            chosen: list[int] = []
            span = Span(1e-6, 1e-6)
            for i in range(len(jac)):
                if span.take([unit(jac[i])]):
                    chosen.append(i)
            # least step: J^T (J J^T)^-1 value
            j = mpmath.matrix([list(jac[i]) for i in chosen])
            step = j.T * mpmath.lu_solve(j * j.T, mpmath.matrix([value[i] for i in chosen]))
            for k in range(n):
                point[k] -= step[k]
        return False

    # -- fields ----------------------------------------------------------------------------------------------------------

    def fields(self, pivots: Sequence[tuple[int, int]]) -> list[list[Any]]:
        """Fields that the kept rows allow, as `Numbers.fields`, each multiplied by the determinant: polynomials, no quotients."""
        ring, n = self.ring, len(self.system.q)
        rows, dependent = [i for i, _ in pivots], [j for _, j in pivots]
        columns = [j for j in range(n) if j not in dependent] + [n] * self.system.rheonomic
        made = [[ring.zero] * (n + 1) for _ in columns]
        if not pivots:
            for k, j in enumerate(columns):
                made[k][j] = ring.one
            return made
        inverse, det = ring.adjugate([[self.forms[i][j] for j in dependent] for i in rows])
        for k, j in enumerate(columns):
            share = [
                ring.reduced(sum((-a * self.forms[i][j] for a, i in zip(row, rows)), ring.zero)) for row in inverse
            ]
            # a field with one entry only needs no factor
            made[k][j] = ring.reduced(det) if any(share) else ring.one
            for a, x in zip(dependent, share):
                made[k][a] = x
        return made

    def short_pivots(self, kept: Sequence[int], forms: Array) -> list[tuple[int, int]]:
        """Rows and the coordinates they are solved for, chosen for a determinant of few terms."""
        n, m = len(self.system.q), len(kept)
        usual = pivots_of(forms, kept, n)
        if not m or math.comb(n, m) > MOST_CHOICES:
            return usual
        units = np.array([unit(np.array([float(x) for x in forms[i][:n]])) for i in kept])
        best, shortest = usual, (math.inf, 0.0)
        for columns in itertools.combinations(range(n), m):
            size = abs(float(np.linalg.det(units[:, columns])))
            if size > SAFE_DETERMINANT:
                det = self.ring.adjugate([[self.forms[i][j] for j in columns] for i in kept])[1]
                rank = (len(det), -size)
                if rank < shortest:
                    best, shortest = list(zip(kept, columns)), rank
        return best

    def values(self, vector: Sequence[Any]) -> tuple[Array, Any]:
        """Values of elements at the first point, and the size of their largest term."""
        found = [value_of(x, self._powers) for x in vector]
        return np.array([v for v, _ in found], dtype=object), max(size for _, size in found)


def symbolic_flag(
    system: Pfaffian, depth: int, largest: int
) -> tuple[Flag, Formulas, list[list[Any]], list[list[Any]]]:
    """Classify with formulas; also returns them, the fields of velocities and the new brackets (for the integrals).

    A bracket with more than `largest` terms raises `TooLongError`.
    """
    import mpmath

    with mpmath.workdps(DIGITS):
        return _symbolic_flag(system, depth, largest)


def _symbolic_flag(
    system: Pfaffian, depth: int, largest: int
) -> tuple[Flag, Formulas, list[list[Any]], list[list[Any]]]:
    formulas = Formulas(system)
    formulas.seek_points(Numbers(system), 1)
    n = len(system.q)
    many = [formulas.matrix(formulas.w, point) for point in formulas.points]
    independent = [independent_rows(forms, system.asked, system.rows, NEW_ABOVE, ZERO_BELOW) for forms in many]
    kept, _ = max(independent, key=lambda found: len(found[0]))
    frame = formulas.fields(formulas.short_pivots(kept, many[0]))
    ring = formulas.ring
    made: dict[tuple[int, ...], list[Any]] = {(k,): field for k, field in enumerate(frame)}
    drift = formulas.values(frame[-1])[0] if system.rheonomic else None

    def vector(word: tuple[int, ...]) -> Array:
        if len(word) > 1:
            x, z = frame[word[0]], made[word[1:]]
            made[word] = [ring.along(b, x) - ring.along(a, z) for a, b in zip(x, z)]  # [X, Z]
            if sum(map(len, made[word])) > largest:
                raise TooLongError
        value, size = formulas.values(made[word])
        if drift is not None and len(word) > 1:
            value = value - drift * (value[n] / drift[n])
        return unit(value[:n], size * 1e-3)

    span = Span(NEW_ABOVE, ZERO_BELOW)
    growth, words = grown(n - len(kept), system.rheonomic, n, vector, depth, span, system.asked)
    jointly = tuple(
        all(abs(form[:n] @ b) <= 1e-20 * (1 + max(abs(x) for x in form)) for b in span.basis) for form in many[0]
    )
    exact, alone = [], []
    for row in formulas.w:
        slopes = [[a.diff(x) for a in row] for x in formulas.x]
        pairs = [(formulas.matrix([row], p)[0], formulas.matrix(slopes, p)) for p in formulas.points]
        exact.append(all(is_exact(s, w, 1e-30) for w, s in pairs))
        alone.append(all(is_integrable(s, w, 1e-30) for w, s in pairs))
    flag = Flag(
        growth, tuple(exact), tuple(alone), jointly, tuple(kept), merged([shares_of(f) for _, f in independent])
    )
    return flag, formulas, frame, [made[word] for word in words if len(word) > 1]
