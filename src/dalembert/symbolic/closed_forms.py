"""Formulas of a search for integrals: potentials of forms, factors and families of functions to try, numbers read as fractions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..model.expression import Expr
from ..model.expression.derivative import minus, plus, times
from ..model.expression.sympy_bridge import from_sympy
from . import sp
from .nested import Array
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
