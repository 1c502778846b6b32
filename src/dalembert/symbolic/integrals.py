"""Integrals of Pfaffian rows where they can be found: f(q, t) with df a combination of the rows.

The combinations of rows that are integrable vanish on the involutive closure; they are found first.  Then one looks for a closed form
among them: a row as written, a row solved for a coordinate, a combination with simple coefficients (numbers, coordinates, sines and
cosines, products of two), a form times a factor (powers of what stands in it; a function of one coordinate).  An integral that has been
found may be used to remove a coordinate from the others.  Every integral is verified by substitution with fifty digits, so that a wrong
guess costs time only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import ExpressionError
from ..model.expression import Expr
from ..model.expression.derivative import minus, plus, times
from ..model.expression.sympy_bridge import from_sympy, to_sympy
from ..system.subspaces import null_space
from . import sp
from .brackets import DIGITS, Formulas
from .nested import Array
from .pfaffian import Numbers, Row, Span, unit
from .symbols import slope

# operations up to which SymPy is asked to simplify or to integrate
LARGEST = 150
# part of the terms of a force that the rounding of its coefficients leaves
ROUNDED = 1e-13


@dataclass
class Forms:
    """Forms in some variables, with values of the constants in them."""

    variables: list[Any]
    forms: list[list[Any]]
    constants: dict[Any, float]


def tidy(expression: Any) -> Any:
    """Simplified as far as that is cheap."""
    expression = sp.sympify(expression)
    if expression.is_number or sp.count_ops(expression) > LARGEST:
        return expression
    try:
        return min(expression, sp.simplify(expression), key=sp.count_ops)
    except Exception:  # SymPy's rules may fail in any way; what is not simplified is still right
        return expression


def shortest(f: Any, variables: Sequence[Any]) -> Any:
    """The same integral in few symbols: no constants added or in front, no logarithm around it; None for a constant."""
    f = sp.sympify(f)
    if not f.free_symbols & set(variables):
        return None
    made = f.as_independent(*variables, as_Add=True)[1]
    if sp.count_ops(made) <= LARGEST:
        if made.has(sp.log):
            combined = sp.logcombine(made, force=True)
            inside = combined.as_independent(*variables, as_Add=False)[1]
            made = inside.args[0] if inside.func is sp.log else made
        if any(v in g.free_symbols for g in made.atoms(sp.exp) for v in variables):
            taken = sp.log(made)
            taken = sp.expand_log(taken, force=True)
            made = taken if not taken.has(sp.exp, sp.log) else made
        made = min((made, sp.simplify(made), sp.factor(made), sp.expand(made)), key=sp.count_ops)
        above, below = sp.fraction(sp.together(made))
        if not below.free_symbols & set(variables):
            made = min(sp.expand(above), above, key=sp.count_ops)
        made = made.as_independent(*variables, as_Add=True)[1]
    front, rest = made.as_independent(*variables, as_Add=False)
    if front != 1 and rest.free_symbols & set(variables):
        made = rest
    content, primitive = made.as_content_primitive()
    made = primitive if content != 1 else made
    return -made if made.could_extract_minus_sign() else made


def as_expression(f: Any, variables: Sequence[Any]) -> Expr:
    """Expression of an integral; a coordinate that stands for itself comes first, with a plus: z - r*cos(theta)."""
    terms = f.as_ordered_terms() if f.is_Add else [f]

    def place(term: Any) -> int:
        rest = term.as_independent(*variables, as_Add=False)[1]
        return variables.index(rest) if rest in variables else len(variables)

    terms = sorted(terms, key=place)
    if terms[0].could_extract_minus_sign():
        terms = [-term for term in terms]
    made: Expr | None = None
    for term in terms:
        negative = term.could_extract_minus_sign()
        coefficient, rest = (-term if negative else term).as_independent(*variables, as_Add=False)
        part = times(from_sympy(coefficient), from_sympy(rest))
        made = part if made is None else minus(made, part) if negative else plus(made, part)
    assert made is not None
    return made


def potential(variables: Sequence[Any], form: Sequence[Any]) -> Any:
    """Function f with df = form, for a closed form; None where SymPy's rules do not integrate it."""
    from sympy.integrals.manualintegrate import manualintegrate

    f = sp.Integer(0)
    for x, a in zip(variables, form):
        rest = tidy(a - f.diff(x))
        if rest == 0:
            continue
        if sp.count_ops(rest) > LARGEST:
            return None
        part = generic(manualintegrate(rest, x))
        if part.has(sp.Integral, sp.Abs) and sp.count_ops(rest) <= LARGEST // 5:
            part = generic(sp.integrate(rest, x))
        if part.has(sp.Integral):
            return None
        f += part
    return f


def energy_of(q: Sequence[Any], forces: Sequence[Any]) -> Any:
    """V with Q = -dV/dq (LAGRANGE 2.1.9), verified; None where there is none, or none that SymPy finds."""
    found = potential(q, [-x for x in forces])
    if found is None or not all(_cancels(x, slope(found, s)) for s, x in zip(q, forces)):
        return None
    return tidy(found)


def _cancels(a: Any, b: Any) -> bool:
    """Whether a + b vanishes at random points, but for the rounding of the numbers that a has been written with."""
    random = np.random.default_rng(0)
    names = sorted(a.free_symbols | b.free_symbols, key=str)
    for _ in range(3):
        point = dict(zip(names, map(sp.Float, random.uniform(0.2, 1.2, len(names)))))
        terms = [sp.N(x.xreplace(point), 30) for y in (a, b) for x in sp.Add.make_args(sp.expand(y))]
        if not all(x.is_number and x.is_finite for x in terms) or abs(sum(terms)) > ROUNDED * sum(map(abs, terms)):
            return False
    return True


def generic(expression: Any) -> Any:
    """The expression without its special cases (n = -1, a = 0); a wrong choice is found when the integral is verified."""

    def branch(cases: Any) -> Any:
        real = [case for case in cases.args if not case.expr.has(sp.I)] or list(cases.args)
        return next((case.expr for case in real if not isinstance(case.cond, sp.Eq)), real[0].expr)

    return expression.replace(lambda e: isinstance(e, sp.Piecewise), branch)


def angles_of(given: Forms) -> list[Any]:
    """Variables that stand in sines and cosines."""
    functions = {g for form in given.forms for a in form for g in sp.sympify(a).atoms(sp.sin, sp.cos, sp.tan)}
    inside = {s for g in functions for s in g.args[0].free_symbols}
    return [v for v in given.variables if v in inside]


def families(given: Forms) -> list[list[Any]]:
    """Functions that coefficients of combinations are sought among."""
    one = sp.Integer(1)
    simple = [*given.variables, *(f(v) for v in angles_of(given) for f in (sp.sin, sp.cos))]
    products = [a * b for a, b in itertools.combinations_with_replacement(simple, 2)]
    return [[one], [one, *simple], [one, *simple, *products]]


def bases_of(given: Forms, form: Sequence[Any]) -> list[Any]:
    """What powers of may make an integrating factor: variables, sines, cosines, factors of coefficients, sums of two squares."""
    known = set(given.variables)
    bases: list[Any] = [v for v in given.variables if any(a.has(v) for a in form)]
    bases += [f(v) for v in angles_of(given) for f in (sp.sin, sp.cos)]
    for a in form:
        if sp.count_ops(a) <= LARGEST:
            for part in sp.fraction(sp.together(a)):
                bases += [base for base, _ in sp.factor_list(part)[1]]
    bases += [sp.exp(v) for v in given.variables]
    bases += [a**2 + b**2 for a, b in itertools.combinations(given.variables, 2) if str(a) != "t" and str(b) != "t"]
    unique: list[Any] = []
    for base in bases:
        if base.free_symbols & known and base not in unique:
            unique.append(base)
    return unique


def reduced_rows(matrix: Array) -> Array:
    """Reduced echelon form, with small entries set to zero."""
    work = matrix.copy()
    row = 0
    for column in range(work.shape[1]):
        if row == len(work):
            break
        best = row + int(np.argmax(np.abs(work[row:, column])))
        if abs(work[best, column]) < 1e-7:
            continue
        work[[row, best]] = work[[best, row]]
        work[row] /= work[row, column]
        for k in range(len(work)):
            if k != row:
                work[k] -= work[k, column] * work[row]
        row += 1
    work[np.abs(work) < 1e-8] = 0.0
    return work[:row]


def nice(value: float, constants: dict[Any, float]) -> Any:
    """Exact number for a value: a fraction, or a fraction times a simple product of constants; None where there is none."""
    if abs(value) < 1e-8:
        return sp.Integer(0)
    names = list(constants)[:6]
    factors: list[tuple[Any, float]] = [(sp.Integer(1), 1.0)]
    single = [(s**p, constants[s] ** p) for s in names for p in (1, -1, 2, -2) if constants[s] != 0.0]
    factors += single
    factors += [(a * b, x * y) for (a, x), (b, y) in itertools.combinations(single, 2)]
    for shown, number in factors:
        near = Fraction(value / number).limit_denominator(24)
        if abs(float(near) * number - value) <= 1e-8 * abs(value):
            return sp.Rational(near.numerator, near.denominator) * shown
    return None


# random points of a linear search, and what counts as solved there
SEARCHED, SOLVED = 12, 1e-9
MOST_UNKNOWNS = 160
# Work of a search, in operations of the formulas that SymPy is given: to read values of them counts once, to simplify and to integrate
# them as many times as that takes longer.  Beyond the most work the search ends: what has not been found by then is hardly found at all.
# Counted, not timed, so that a busy machine gives the same answer.
SIMPLIFY, INTEGRATE = 5, 20
MOST_WORK = 24_000


class Search:
    """Search of as many integrals as the closure lacks dimensions."""

    def __init__(
        self, formulas: Formulas, frame: list[list[Any]], brackets: list[list[Any]], kept: Sequence[int]
    ) -> None:
        self.formulas, self.kept = formulas, kept
        self.found: list[Any] = []
        self.given: list[Row | None] = []  # for each integral the row of positions that it is
        self.wanted = len(kept) - len(brackets)
        system = formulas.system
        self.variables = formulas.x if system.rheonomic else formulas.x[:-1]
        shown = [[formulas.ring.shown(x) for x in field] for field in frame]
        self._frames = [formulas.matrix(shown, p) if shown else np.zeros((0, len(formulas.x))) for p in formulas.points]
        self._span = Span(1e-20, 1e-20)
        self._brackets = brackets
        self._numbers = Numbers(system)
        self._rng = np.random.default_rng(5)
        self.work = 0

    def run(self) -> list[Any]:
        """Integrals, at most as many as there are; functions of coordinates and time."""
        import mpmath

        with mpmath.workdps(DIGITS):
            for row in self.formulas.system.rows:
                if row.position is not None and self.accept(to_sympy(row.position, self.formulas.names)):
                    self.given[-1] = row
            if not self.done:
                constants = dict(zip(self.formulas.parameters, self.formulas.system.parameters.values()))
                self._seek(Forms(list(self.variables), self._integrable(), constants), {})
        return self.found

    @property
    def done(self) -> bool:
        """Whether all integrals were found, or the search has been too much work."""
        return len(self.found) == self.wanted or self.work > MOST_WORK

    def _spend(self, expressions: Sequence[Any], factor: int = 1) -> None:
        self.work += factor * (len(expressions) + sum(int(sp.count_ops(e)) for e in expressions))

    def _tidy(self, expression: Any) -> Any:
        self._spend([expression], SIMPLIFY)
        return tidy(expression)

    def accept(self, f: Any) -> bool:
        """Take f if it is an integral that is not a function of those there are."""
        x = self.formulas.x
        f = shortest(f, x)
        if f is None or self.done or f.has(sp.zoo, sp.nan, sp.I):
            return False
        try:
            from_sympy(f)
        except ExpressionError:  # a function that expressions here do not know
            return False
        gradient = [f.diff(v) for v in x]
        for frame, point in zip(self._frames, self.formulas.points):
            values = self.formulas.matrix([gradient], point)[0]
            size = max(abs(v) for v in values)
            for field in frame:
                if not abs(field @ values) <= 1e-25 * size * (1 + max(abs(v) for v in field)):
                    return False
        if not self._span.take([unit(self.formulas.matrix([gradient], self.formulas.points[0])[0])]):
            return False
        self.found.append(f)
        self.given.append(None)
        return True

    # -- integrable combinations -----------------------------------------------------------------------------------------

    def _integrable(self) -> list[list[Any]]:
        """Combinations of rows that vanish on all brackets: rows as written where possible."""
        ring, forms = self.formulas.ring, [self.formulas.forms[i] for i in self.kept]
        table = [[ring.reduced(sum((a * b for a, b in zip(w, z)), ring.zero)) for z in self._brackets] for w in forms]
        values = np.array([[float(v) for v in self.formulas.values(row)[0]] for row in table if row]).reshape(
            len(table), -1
        )
        plain = [k for k, row in enumerate(table) if not np.any(np.abs(values[k]) > 1e-25)]
        given = [[self.formulas.w[self.kept[k]][j] for j in range(len(self.variables))] for k in plain]
        rest = [k for k in range(len(table)) if k not in plain]
        if len(rest) == len(self._brackets):
            return given
        # w_i - s w_d with s = E_i E_d^-1, where E = w(brackets) and d are as many rows as there are brackets
        solved = max(
            itertools.combinations(rest, len(self._brackets)),
            key=lambda rows: abs(float(np.linalg.det(np.array([unit(values[k]) for k in rows])))),
        )
        inverse, det = ring.adjugate([table[k] for k in solved])
        for i in (k for k in rest if k not in solved):
            places = range(len(solved))
            factors = [sum((table[i][b] * inverse[b][d] for b in places), ring.zero) for d in places]
            made = []
            for j in range(len(self.variables)):
                total = det * forms[i][j] - sum((s * forms[k][j] for s, k in zip(factors, solved)), ring.zero)
                made.append(ring.shown(ring.reduced(total)) / ring.shown(ring.reduced(det)))
            given.append([self._tidy(x) for x in made])
        return given

    # -- closed forms ----------------------------------------------------------------------------------------------------

    def _seek(self, given: Forms, back: dict[Any, Any]) -> None:
        """All ways, the simplest first; `back` gives constants that stand for integrals as what they are."""
        solved = self._solved_for_coordinates(given)
        forms = [*given.forms, *solved]
        for form in forms:
            self._integrate(given, form, back)
        for form in forms:
            self._integrate_with(given, form, self._factors(given, form, 1), back)
        for form in forms:
            self._integrate_with(given, form, self._factors_of_one_variable(given, form), back)
        small, medium, large = families(given)
        self._integrate_combinations(given, (given.forms, solved), (small, medium), back)
        for form in forms:
            self._integrate_with(given, form, self._factors(given, form, 3), back)
        self._integrate_combinations(given, (solved or given.forms,), (large,), back)
        if not self.done and self.found:
            self._reduce(given, back)

    def _integrate_with(self, given: Forms, form: list[Any], factors: Iterator[Any], back: dict[Any, Any]) -> None:
        while not self.done and (factor := next(factors, None)) is not None:
            if self._integrate(given, [factor * a for a in form], back):
                break

    def _integrate_combinations(
        self, given: Forms, choices: Sequence[list[list[Any]]], wider: Sequence[list[Any]], back: dict[Any, Any]
    ) -> None:
        for family, forms in itertools.product(wider, choices):
            if not self.done and len(family) * len(forms) <= MOST_UNKNOWNS:
                for form in self._combinations(given, forms, family):
                    self._integrate(given, form, back)

    def _integrate(self, given: Forms, form: list[Any], back: dict[Any, Any]) -> bool:
        if self.done or not self._closed(given, form):
            return False
        try:
            self._spend(form, INTEGRATE)
            f = potential(given.variables, form)
            return f is not None and self.accept(f.subs(back))
        except Exception:  # SymPy's rules may fail in any way; then this is not the way to an integral
            return False

    def _closed(self, given: Forms, form: list[Any]) -> bool:
        pairs = itertools.combinations(zip(given.variables, form), 2)
        curls = [b.diff(x) - a.diff(y) for (x, a), (y, b) in pairs]
        values = self._values(given, [*form, *curls])
        size = 1.0 + np.max(np.abs(values[:, : len(form)]))
        return bool(np.max(np.abs(values[:, len(form) :]), initial=0.0) <= SOLVED * size)

    def _values(self, given: Forms, expressions: Sequence[Any], points: int = SEARCHED) -> Array:
        """Values (point, expression) at random points; infinite where there are none."""
        self._spend(expressions)
        call = sp.lambdify([*given.variables, *given.constants], list(expressions), modules="numpy", cse=True)
        names = [str(v) for v in self.formulas.x]
        made: list[list[float]] = []
        for _ in range(10 * points):
            point = dict(zip(names, self._numbers.point(self._rng, held=False)))
            with np.errstate(all="ignore"):
                row = np.array(
                    call(*(point[str(v)] for v in given.variables), *given.constants.values()), dtype=complex
                )
            if np.all(np.isfinite(row)) and not np.any(row.imag):
                made.append(list(row.real))
            if len(made) == points:
                break
        return np.array(made).reshape(len(made), len(expressions)) if made else np.full((1, len(expressions)), np.inf)

    def _with_slopes(self, given: Forms, expressions: Sequence[Any], points: int = SEARCHED) -> tuple[Array, Array]:
        """Values (point, expression) and slopes (point, expression, variable)."""
        n, k = len(given.variables), len(expressions)
        flat = self._values(given, [*expressions, *(e.diff(v) for e in expressions for v in given.variables)], points)
        return flat[:, :k], flat[:, k:].reshape(len(flat), k, n)

    def _solved_for_coordinates(self, given: Forms) -> list[list[Any]]:
        """Equivalent forms dx_a - sum g dx_j, one for each of some coordinates (never time)."""
        n, k = len(given.variables), len(given.forms)
        if not k:
            return []
        flat = self._values(given, [a for form in given.forms for a in form])
        if not np.all(np.isfinite(flat)):
            return []
        point = flat[0].reshape(k, n)
        usable = [j for j, v in enumerate(given.variables) if str(v) != "t"]
        # simple coefficients make good pivots
        cost = [sum(sp.count_ops(form[j]) for form in given.forms) for j in range(n)]
        best: tuple[int, ...] | None = None
        for columns in itertools.islice(itertools.combinations(sorted(usable, key=lambda j: cost[j]), k), 500):
            if abs(np.linalg.det(np.array([unit(row) for row in point])[:, columns])) > 1e-3:
                best = columns
                break
        if best is None:
            return []
        matrix = sp.Matrix(given.forms)
        if max(sp.count_ops(a) for a in matrix) > LARGEST:
            return []
        made = matrix[:, list(best)].LUsolve(matrix)
        return [[self._tidy(a) for a in made.row(i)] for i in range(k)]

    def _combinations(self, given: Forms, forms: list[list[Any]], family: list[Any]) -> Iterator[list[Any]]:
        """Closed forms sum c phi theta with numbers c and functions phi of a family: linear equations for c."""
        n, k, m = len(given.variables), len(forms), len(family)
        if n < 2 or not k:
            return
        # as many points as make more equations than unknowns
        points = max(SEARCHED, 4 * k * m // (n * (n - 1)) + 2)
        values, slopes = self._with_slopes(given, [*family, *(a for form in forms for a in form)], points)
        if not np.all(np.isfinite(slopes)) or not np.all(np.isfinite(values)):
            return
        phi, dphi = values[:, :m], slopes[:, :m]
        # d theta_j/dx_i at [..., j, i]
        theta, dtheta = (values[:, m:].reshape(-1, k, n), slopes[:, m:].reshape(-1, k, n, n))
        # d(phi theta)_ij = phi (d_i theta_j - d_j theta_i) + phi_i theta_j - phi_j theta_i
        product = np.einsum("psi,paj->pijas", dphi, theta) + np.einsum("ps,paji->pijas", phi, dtheta)
        upper = np.triu_indices(n, 1)
        matrix = (product - product.transpose(0, 2, 1, 3, 4))[:, upper[0], upper[1]].reshape(-1, k * m)
        sizes = np.linalg.norm(matrix, axis=0)
        sizes[sizes < 1e-12] = 1.0
        null = reduced_rows(null_space(matrix / sizes, SOLVED).T / sizes)
        for row in sorted(null, key=lambda r: int(np.count_nonzero(r))):
            numbers = [nice(float(c), given.constants) for c in row]
            if any(c is None for c in numbers):
                continue
            total = [0] * n
            for c, (form, phi) in zip(numbers, itertools.product(forms, family)):
                if c != 0:
                    total = [t + c * phi * a for t, a in zip(total, form)]
            if not self._known(given, total):
                yield [self._tidy(t) for t in total]

    def _known(self, given: Forms, form: list[Any]) -> bool:
        """Whether a closed form is a combination of differentials of integrals that were found: it leads to nothing new."""
        if len(given.variables) < len(self.variables):
            return False  # some were used to remove coordinates
        flat = self._values(given, [*form, *(f.diff(v) for f in self.found for v in given.variables)], 1)
        rows = flat[0].reshape(-1, len(given.variables))
        span = Span(1e-8, 1e-8)
        span.take([unit(row) for row in rows[1:]])
        return bool(np.all(np.isfinite(rows))) and not span.take([unit(rows[0])])

    # -- integrating factors ---------------------------------------------------------------------------------------------

    def _factors_of_one_variable(self, given: Forms, form: list[Any]) -> Iterator[Any]:
        """Factors mu(x) = exp(integral of g dx), where g = (d theta_x/dy - d theta_y/dx)/theta_y depends on x only."""
        from sympy.integrals.manualintegrate import manualintegrate

        for x, a in zip(given.variables, form):
            slopes = [(a.diff(y) - b.diff(x)) / b for y, b in zip(given.variables, form) if y != x and b != 0]
            if not slopes or sp.count_ops(slopes[0]) > LARGEST:
                continue
            values = self._values(given, [slopes[0], *(slopes[0].diff(y) for y in given.variables if y != x)])
            if not np.max(np.abs(values[:, 1:]), initial=0.0) <= SOLVED or np.max(np.abs(values[:, 0])) <= SOLVED:
                continue
            g = self._tidy(slopes[0])
            inside = manualintegrate(g, x) if not g.free_symbols & (set(given.variables) - {x}) else sp.Integral(g, x)
            if not inside.has(sp.Integral):
                yield self._tidy(sp.exp(generic(inside)))

    def _factors(self, given: Forms, form: list[Any], most: int) -> Iterator[Any]:
        """Factors mu, products of up to `most` powers of what stands in a form.

        d(mu theta) = 0 is d(log mu) ^ theta = -d theta, which is linear in the exponents.
        """
        n, bases = len(given.variables), bases_of(given, form)
        values, slopes = self._with_slopes(given, [*bases, *form])
        if n < 2 or not np.all(np.isfinite(slopes)) or not np.all(np.isfinite(values)):
            return
        k = len(bases)
        logs = slopes[:, :k] / values[:, :k, None]
        wedge = np.einsum("psi,pj->psij", logs, values[:, k:])
        upper = np.triu_indices(n, 1)
        table = (wedge - wedge.transpose(0, 1, 3, 2))[:, :, upper[0], upper[1]].transpose(1, 0, 2)
        right = (slopes[:, k:] - slopes[:, k:].transpose(0, 2, 1))[:, upper[0], upper[1]].ravel()
        size = max(float(np.linalg.norm(right)), 1e-12)
        choices = (c for r in range(1, most + 1) for c in itertools.combinations(range(len(bases)), r))
        for chosen in itertools.islice(choices, 400):
            matrix = table[list(chosen)].reshape(len(chosen), -1).T
            exponents, *_ = np.linalg.lstsq(matrix, right, rcond=None)
            if np.linalg.norm(matrix @ exponents - right) <= 1e-8 * size:
                powers = [nice(float(c), {}) for c in exponents]
                if all(p is not None and p != 0 for p in powers):
                    yield sp.Mul(*(bases[k] ** p for k, p in zip(chosen, powers)))

    # -- reduction by what is known --------------------------------------------------------------------------------------

    def _reduce(self, given: Forms, back: dict[Any, Any]) -> None:
        """Remove a coordinate by an integral that is linear in it, and look for the rest with one coordinate less."""
        f = self.found[-1]
        known = {*given.variables, *given.constants}
        for k, v in enumerate(given.variables):
            slope = f.diff(v)
            if str(v) == "t" or slope == 0 or slope.has(v) or f.free_symbols - known:
                continue
            c = sp.Symbol(f"c_{len(given.constants)}", real=True)
            value = self._tidy((c - (f - slope * v).expand()) / slope)
            if value.has(v) or v in back:
                continue
            rest = [x for x in given.variables if x != v]
            pairs = [[(x, a, form[k]) for x, a in zip(given.variables, form) if x != v] for form in given.forms]
            forms = [[self._tidy((a + b * value.diff(x)).subs(v, value)) for x, a, b in row] for row in pairs]
            made = Forms(rest, forms, {**given.constants, c: 0.731})
            made.forms = self._independent(made)
            before = len(self.found)
            if made.forms:
                self._seek(made, {**back, c: f})
            if len(self.found) > before:
                return

    def _independent(self, given: Forms) -> list[list[Any]]:
        values = self._values(given, [a for form in given.forms for a in form])
        if not np.all(np.isfinite(values)):
            return []
        span = Span(1e-8, 1e-8)
        rows = values[0].reshape(len(given.forms), -1)
        return [form for form, row in zip(given.forms, rows) if span.take([unit(row)])]
