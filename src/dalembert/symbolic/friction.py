"""Dry friction in equations that one reads: the law of what slips stands among the forces, what sticks is said beside them.

    slips:   Q = -F sign(s') ds/dq          sticks:   s' = 0 as a row, its multiplier at most the static size

F = mu N is a symbol of its own with its law in the multipliers of what presses, as these are unknowns too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import MethodError, SingularError
from ..model.events import SOLVED
from ..model.expression import Call, Name
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.friction import CoordinateFriction
from . import sp
from .derivation import plain
from .printing import text
from .sheet import Section, line

# number of a size that is solved for, wherever it does not count
ANY = 0.6180339887


def size_symbol(model: Lagrangian, one: CoordinateFriction) -> str:
    """Name of the size of friction, which nothing else has."""
    name = f"F_{plain(one.name)}"
    while name in {*model.q, *model.parameters} - set(model.sizes):
        name += "_"
    return name


def slipping(model: Lagrangian) -> Lagrangian:
    """The system with friction that slips among its forces: -F sign(s') ds/dq, F an expression, or of mu N a symbol."""
    return _among_forces(model, lambda one, name: Name(name) if one.mu is not None else one.size(SOLVED), True)


def of_any_size(model: Lagrangian) -> Lagrangian:
    """The system with a force of any size along everything that slips or sticks: what it does not change, no friction does."""
    return _among_forces(model, lambda one, name: Name(name), False)


def _among_forces(model: Lagrangian, size: Any, signed: bool) -> Lagrangian:
    if not model.frictions:
        return model
    made, forces = model.without_friction(), model.own_forces
    named: dict[str, CoordinateFriction] = {}
    for one in model.frictions:
        name = size_symbol(model, one)
        force = size(one, name)
        named |= {name: one} if force == Name(name) else {}
        side = Call("sign", (one.rate,)) if signed else 1.0
        for x, slope in one.slopes.items():
            forces[x] = forces[x] - force * side * slope if x in forces else -1.0 * force * side * slope
    made._forces, made.sizes, made.rubbing = forces, named, model.frictions if signed else []
    for name in named:
        made._parameters[name] = ANY
    return made


def section(form: Any) -> Any:
    """The form with what is to be said of its friction."""
    d = _source(form)
    items, remarks, lam = [], [], dict(zip(d.row_names, d.lam))
    for one in d.model.rubbing:
        rate, static = (text(d.symbols.of(x)) for x in (one.rate, one.size(0)))
        if one.mu is None:
            held = static
        else:
            press = _pressing(d, one, lam)
            items.append(line(sp.Symbol(size_symbol(d.model, one), real=True), d.symbols.of(one.size(SOLVED)) * press))
            held = f"{static} times what presses, {text(press)}"
        remarks.append(
            f"{one.name} slips against {rate}; where that is 0 it sticks: a row {rate} = 0 with the multiplier $lam_{plain(one.name)}$ in the place of its force, as long as $|lam_{plain(one.name)}|$ is at most {held}"
        )
    sheet = replace(form.sheet, sections=(*form.sheet.sections, Section("dry friction", tuple(items), tuple(remarks))))
    return replace(form, sheet=sheet)


def _pressing(d: Any, one: CoordinateFriction, lam: Mapping[str, Any]) -> Any:
    """N with the symbols of multipliers."""
    parts = [sum((d.symbols.of(c) * lam[row] for row, c in x.items()), sp.S.Zero) for x in one.components]
    size = sp.Abs(parts[0]) if len(parts) == 1 else sp.sqrt(sum((x**2 for x in parts), sp.S.Zero))
    return d.symbols.of(one.lever) * size


def _source(form: Any) -> Any:
    """The derivation of a form before constraints were substituted."""
    return getattr(form, "full", form.derivation)


def with_sizes(form: Any, values: dict[str, float], given: Mapping[str, float]) -> dict[str, float]:
    """Values with the sizes of friction that feels multipliers; refused where friction sticks or begins to slip."""
    model, asked = _source(form).model, f"accelerations of {form.model.name!r}"
    for one in model.rubbing:
        if one.rate.evaluate(values) == 0.0:
            raise MethodError(
                asked, f"friction {one.name!r} with {one.rate.simplify()} = 0", "at rest it sticks, or begins to slip: its force is not that of slip",
                "give a rate, or use da.instant, which decides it",
            )  # fmt: skip
    wanted = [name for name in model.sizes if name not in given]
    if not wanted:
        return values
    rows = list(_source(form).row_names)

    def multipliers(g: np.ndarray) -> np.ndarray:
        found = form._solved(values | dict(zip(wanted, map(float, g)))).multipliers
        if not set(found) >= set(rows):
            raise MethodError(
                asked, f"form {form.form!r} without the multipliers that press", "the size of friction follows from them",
                f"use form='multipliers', or give the size: {{{wanted[0]!r}: 2.0}}",
            )  # fmt: skip
        return np.array([found[row] for row in rows])

    lam0 = multipliers(np.zeros(len(wanted)))
    L = np.array([multipliers(e) - lam0 for e in np.eye(len(wanted))]).T
    some = [model.sizes[name] for name in wanted]
    pads = [
        (one.size(SOLVED) * one.lever).evaluate(values)
        * np.array([[x[row].evaluate(values) if row in x else 0.0 for row in rows] for x in one.components])
        for one in some
    ]
    found = _lengths(pads, lam0, L)
    if found is None:
        raise SingularError(
            asked, f"no unique sizes of friction {', '.join(one.name for one in some)}", "friction that raises the very reaction that it comes from leaves no motion, or more than one (Painleve's paradox)",
            "lower mu, or change the state",
        )  # fmt: skip
    return values | dict(zip(wanted, map(float, found)))


def _lengths(pads: list[np.ndarray], lam0: np.ndarray, L: np.ndarray) -> np.ndarray | None:
    """Sizes g = |P (lam0 + L g)| by Newton's method; None where there is no solution, or no unique one."""
    g = np.zeros(len(pads))
    for _ in range(60):
        parts = [pad @ (lam0 + L @ g) for pad in pads]
        size = np.array([float(np.linalg.norm(x)) for x in parts])
        slopes = np.array([x @ (pad @ L) / (n or 1.0) for x, pad, n in zip(parts, pads, size)])
        matrix = np.eye(len(g)) - slopes
        if not np.linalg.det(matrix) > 0.0:
            return None
        step = np.linalg.solve(matrix, g - size)
        g = g - step
        if np.max(np.abs(step)) <= 1e-12 * np.max(np.abs(g), initial=1e-300):
            return g
    return None
