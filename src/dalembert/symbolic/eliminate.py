"""Holonomic rows that give a coordinate explicitly, as x - l*sin(theta) = 0 does, or an angle in closed form: the system without that coordinate.

A sin(psi) + B cos(psi) + C = 0 with psi = phi + w:     B = 0: phi = asin(-C/A) - w or pi - asin(-C/A) - w, which closes the loop of a slider-crank
                                                        else: phi = atan2(A, B) ± acos(-C/sqrt(A^2 + B^2)) - w
two rows linear in sin(chi), cos(chi), a four-bar loop: sin(chi)^2 + cos(chi)^2 = 1 is such a row for phi, then chi by atan2

Of the two the one nearest to the start is taken; there are others where the loop is assembled otherwise.  Substituting a holonomic row into L is right; substituting a nonholonomic one is wrong, and is never done.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from ..errors import ExpressionError
from ..model.expression import Expr
from ..model.expression.derivative import ZERO, derivative, plus, times
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.vectors import Rates
from . import sp
from .derivation import Derivation
from .simplify import is_zero, tidy
from .symbols import slope


def explicit(d: Derivation, keep: Sequence[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """Coordinates given by the others, as SymPy objects of those that remain, and the names of rows that give none."""
    given: dict[str, Any] = {}
    left: list[str] = []
    for name, row in zip(d.model.holonomic, d.phi):
        row = row.subs({d.q[x]: f for x, f in given.items()})
        found = next((x for x in reversed(d.names) if x not in given and x not in keep and _solvable(d, row, x)), None)
        if found is None:
            left.append(name)
            continue
        solution = tidy(d.q[found] - row / slope(row, d.q[found]))
        given = {x: tidy(f.subs(d.q[found], solution)) for x, f in given.items()} | {found: solution}
    return given, left


def _solvable(d: Derivation, row: Any, name: str) -> bool:
    """Whether a row is linear in a coordinate with a factor made of parameters only."""
    factor = tidy(slope(row, d.q[name]))
    return factor != 0 and not factor.free_symbols & set(d.symbols.state) and not is_zero(factor)


def closed(
    d: Derivation, short: dict[str, Any], left: Sequence[str], keep: Sequence[str] = ()
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Angles that rows give in closed form, alone or two rows together.

    Returns the formulas of all coordinates that are given, by those that remain; those of the angles, in which angles before them stand by
    their names; and the names of rows that give none.
    """
    given_by = {d.q[y]: f for y, f in short.items()}
    rows = {x: row.subs(given_by) for x, row in zip(d.model.holonomic, d.phi) if x in left}
    angles, whole = dict[str, Any](), dict[str, Any]()

    def free() -> list[str]:
        return [x for x in reversed(d.names) if x not in short and x not in angles and x not in keep]

    def take(name: str, formula: Any) -> None:
        angles[name] = formula
        full = tidy(formula.subs({d.q[x]: f for x, f in whole.items()}))
        whole.update({x: tidy(f.subs(d.q[name], full)) for x, f in whole.items()} | {name: full})

    def unused(row: Any, name: str) -> bool:
        """Whether no angle in a row depends on the coordinate."""
        return not any(f.has(d.q[name]) and row.has(d.q[x]) for x, f in whole.items())

    def one() -> bool:
        for row in rows:
            for x in free():
                found = _angle(d, rows[row], x) if unused(rows[row], x) else None
                if found is not None:
                    take(x, _nearest(d, x, found))
                    del rows[row]
                    return True
        return False

    def two() -> bool:
        for (a, b), (x, y) in product(combinations(rows, 2), permutations(free(), 2)):
            if not all(unused(rows[row], name) for row in (a, b) for name in (x, y)):
                continue
            found = _pair(d, rows[a], rows[b], x, y)
            if found is not None:
                take(x, _nearest(d, x, found[0]))
                take(y, found[1])
                del rows[a], rows[b]
                return True
        return False

    # a row of a four-bar loop gives an angle by two others, which leads nowhere: pairs come first
    while two() or one():
        pass
    given = {x: tidy(f.subs({d.q[y]: g for y, g in whole.items()})) for x, f in short.items()}
    return given | whole, angles, list(rows)


def _linear(d: Derivation, row: Any, name: str) -> tuple[Any, Any, Any, Any, Any] | None:
    """psi, w, A, B, C of a row A sin psi + B cos psi + C = 0 with psi = q + w and all of them free of q; None where it is another."""
    q = d.q[name]
    found = {f.args[0] for f in row.atoms(sp.sin, sp.cos) if f.has(q)}
    if len(found) != 1:
        return None
    psi = found.pop()
    w = sp.expand(psi - q)
    S, K = sp.Dummy(), sp.Dummy()
    made = sp.expand(row.subs({sp.sin(psi): S, sp.cos(psi): K}))
    made = sp.expand(made.subs(K**2, 1 - S**2))
    if made.has(q) or w.has(q) or sp.Poly(made, S, K).total_degree() != 1:
        return None
    return psi, w, tidy(made.coeff(S)), tidy(made.coeff(K)), tidy(made.subs({S: 0, K: 0}))


def _angle(d: Derivation, row: Any, name: str) -> list[Any] | None:
    """Both angles that a row A sin + B cos + C = 0 gives; None where the row is another."""
    found = _linear(d, row, name)
    if found is None:
        return None
    _, w, A, B, C = found
    if A == 0:
        angle = sp.acos(tidy(-C / B))
        both = [angle, -angle]
    elif B == 0:
        angle = sp.asin(tidy(-C / A))
        both = [angle, sp.pi - angle]
    else:
        middle, angle = sp.atan2(A, B), sp.acos(tidy(-C / sp.sqrt(A**2 + B**2)))
        both = [middle + angle, middle - angle]
    return [x - w for x in both]


def _pair(d: Derivation, one: Any, two: Any, x: str, y: str) -> tuple[list[Any], Any] | None:
    """Both angles x, and the angle y beside them, of two rows that are linear in sin y and cos y: their squares give a row for x alone."""
    first, second = _linear(d, one, y), _linear(d, two, y)
    if first is None or second is None or first[0] != second[0]:
        return None
    (_, w, A, B, C), (_, _, D, E, F) = first, second
    size = tidy(A * E - B * D)
    if size == 0:
        return None
    sine, cosine = B * F - C * E, C * D - A * F
    found = _angle(d, sp.expand(sine**2 / size + cosine**2 / size - size), x)
    return None if found is None else (found, sp.atan2(tidy(sine / size), tidy(cosine / size)) - w)


def _nearest(d: Derivation, name: str, both: list[Any]) -> Any:
    """The formula whose value is nearest to the start of the angle, with its whole turns."""
    starts = d.model.guesses | {x: one.value for x, one in d.model.starts.items() if one.value is not None}
    if name not in starts:
        return both[0]
    values = dict.fromkeys([*d.names, *(f"rate({x})" for x in d.names), "t"], 0.0) | d.model.parameters | starts
    try:
        apart = [(values[name] - x) / (2 * np.pi) for x in d.numbers(both)(values)]
    except ExpressionError:
        return both[0]
    k = int(np.argmin([abs(x - round(x)) for x in apart]))
    return both[k] + 2 * round(apart[k]) * sp.pi


def eliminated(d: Derivation, given: dict[str, Any], left: Sequence[str] | None = None) -> Lagrangian:
    """The system in the coordinates that remain, with the rows `left`; default: all that the formulas do not satisfy."""
    model = d.model
    remain = [name for name in model.q if name not in given]
    formulas = {name: d.symbols.back(x) for name, x in given.items()}
    rates = Rates(remain)
    change: dict[str, Expr | float] = dict(formulas)
    change |= {f"rate({name})": rates(f) for name, f in formulas.items()}
    forces = model.forces
    total: dict[str, Expr] = {}
    for name in remain:
        force = forces.get(name, ZERO)
        for other, formula in formulas.items():
            # virtual work: dx = (dx/dq) dq
            force = plus(force, times(forces.get(other, ZERO), derivative(formula, name)))
        if force != ZERO:
            total[name] = force.substitute(change)
    if left is None:
        places = {d.q[x]: f for x, f in given.items()}
        left = [name for name, row in model.holonomic.items() if not is_zero(d.symbols.of(row).subs(places))]
    rest = {name: model.holonomic[name] for name in left}
    return Lagrangian(
        remain, model.kinetic.substitute(change), model.potential.substitute(change),
        model.dissipation.substitute(change), total, {k: x.substitute(change) for k, x in rest.items()},
        {k: x.substitute(change) for k, x in model.nonholonomic.items()}, model.parameters, name=model.name,
    )  # fmt: skip
