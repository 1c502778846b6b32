"""Holonomic rows that give a coordinate explicitly, as x - l*sin(theta) = 0 does: the system without that coordinate.

Substituting a holonomic row into L is right; substituting a nonholonomic one is wrong, and is never done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.expression import Expr
from ..model.expression.derivative import ZERO, derivative, plus, times
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.vectors import Rates
from .derivation import Derivation
from .simplify import is_zero, tidy
from .symbols import slope


def explicit(d: Derivation, keep: Sequence[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """Coordinates given by the others, as SymPy objects of those that remain, and the names of rows that give none."""
    s = d.symbols
    given: dict[str, Any] = {}
    left: list[str] = []
    for name, row in zip(d.model.holonomic, d.phi):
        row = row.subs({s.q[d.names.index(x)]: f for x, f in given.items()})
        found = next((x for x in reversed(d.names) if x not in given and x not in keep and _solvable(d, row, x)), None)
        if found is None:
            left.append(name)
            continue
        symbol = s.q[d.names.index(found)]
        solution = tidy(symbol - row / slope(row, symbol))
        given = {x: tidy(f.subs(symbol, solution)) for x, f in given.items()} | {found: solution}
    return given, left


def _solvable(d: Derivation, row: Any, name: str) -> bool:
    """Whether a row is linear in a coordinate with a factor made of parameters only."""
    symbol = d.symbols.q[d.names.index(name)]
    factor = tidy(slope(row, symbol))
    return factor != 0 and not factor.free_symbols & set(d.symbols.state) and not is_zero(factor)


def eliminated(d: Derivation, given: dict[str, Any]) -> Lagrangian:
    """The system in the coordinates that remain."""
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
    rest = {name: row for name, row in model.holonomic.items() if not _gone(d, row, given)}
    return Lagrangian(
        remain, model.kinetic.substitute(change), model.potential.substitute(change),
        model.dissipation.substitute(change), total, {k: x.substitute(change) for k, x in rest.items()},
        {k: x.substitute(change) for k, x in model.nonholonomic.items()}, model.parameters, name=model.name,
    )  # fmt: skip


def _gone(d: Derivation, row: Expr, given: dict[str, Any]) -> bool:
    s = d.symbols
    return is_zero(s.of(row).subs({s.q[d.names.index(x)]: f for x, f in given.items()}))
