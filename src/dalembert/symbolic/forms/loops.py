"""Lagrange's equations where angles close loops in closed form: phi = asin((r sin theta - e)/l) in a piston engine.

Angles stand in them by their names.  With one freedom theta, and rows without time,

    k_x = dx/dtheta          I = sum of M_xy k_x k_y          T = I/2 theta'^2          I theta'' + dI/dtheta theta'^2/2 = sum of Q_x k_x

(PRINCIPLES, piston engine: k_s, k_phi, I(theta)).  With more the equations are those along the rows, S^T (M q'' + h - Q) = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from .. import sp
from ..derivation import shared
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from .base import energy_lines, head, substituted_lines
from .reduced import Reduced, reduced
from .velocities import velocity_section

if TYPE_CHECKING:
    from .lagrange import Lagrange


def closing(form: Lagrange, short: Mapping[str, Any]) -> Lagrange:
    """The form with its equations; `short` are coordinates that rows give explicitly, with the angles in them by their names."""
    full, d = form.full, form.derivation
    assert full is not None
    with shared(full):
        along = reduced(full.model, d.names)
    q = dict(zip(full.names, full.symbols.q))
    whole = {q[x]: f for x, f in form.substituted.items()}
    lines = tuple(
        Equation(tuple(x.subs(whole) for x in one.terms), one.right.subs(whole), one.factors) for one in along.lines
    )
    constraints = Section(
        "substituted constraints", substituted_lines(full, form.angles) + substituted_lines(full, short)
    )
    back = {q[x]: f for x, f in short.items()}
    if len(d.names) == 1 and not any((*full.nu, *full.b)):
        form, sections = _one_freedom(form, along, back)
    else:
        title = "$d/dt dL/dq' - dL/dq = Q$ along the rows"
        sections = (
            Section("energies", energy_lines(full)), velocity_section(along.partition, "velocities"), Section(title, along.lines),
        )  # fmt: skip
    return replace(form, lines=lines, sheet=Sheet(head(d, "Lagrange's equations"), (constraints, *sections)))


def _one_freedom(form: Lagrange, along: Reduced, back: Mapping[Any, Any]) -> tuple[Lagrange, tuple[Section, ...]]:
    """k, I and T of a loop of one freedom, and its equation with them."""
    full, (name,) = along.derivation, along.independent
    (v,), (a,) = along.u, along.du
    k = {x: tidy(along.partition.S[r].subs(back)) for r, x in enumerate(full.names) if x != name}
    named = full.column([sp.Symbol(f"k_{x}", real=True) if x in k else sp.S.One for x in full.names])
    (I,) = full.fresh(["I"])  # noqa: E741
    changes = {sp.Symbol(f"k_{x}", real=True): sp.Symbol(f"dk_{x}/d{name}", real=True) for x in k}
    slope = sp.Symbol(f"d{I}/d{name}", real=True)
    M = tidied(full.M.subs(back))
    pairs = combinations_with_replacement(range(len(named)), 2)
    inertia = sp.Add(*[(1 if i == j else 2) * M[i, j] * named[i] * named[j] for i, j in pairs])

    def along_motion(x: Any) -> Any:
        """Derivative by theta with all coordinates moving as the loop allows."""
        rates = zip((*full.symbols.q, *changes), (*named, *changes.values()))
        return sp.Add(*[x.diff(s) * y for s, y in rates])

    around = along_motion(inertia)
    around = min(around, tidy(around), key=lambda x: x.count_ops())
    turned = tuple(line(x, tidy(along_motion(y))) for x, y in zip(changes.values(), k.values()) if around.has(x))
    force = (named.T * (full.Q - full.dV - full.dD))[0].subs(back)
    force = tidy(force.subs({x: y * v for x, y in zip(full.symbols.v, named)}))
    rates = tuple(line(named[full.names.index(x)], y) for x, y in k.items())
    energy = Equation((I / 2,), sp.Symbol("T", real=True), (v**2,), flipped=True)
    sections = (
        Section(f"$k$: rates of the coordinates per ${v.name}$", rates),
        Section(f"inertia reduced to ${name}$, and its slope", (line(I, inertia), line(slope, around), *turned)),
        Section("energies", (energy, *energy_lines(full)[1:])),
        Section("$d/dt dL/dq' - dL/dq = Q$", (Equation((I, slope), force, (a, v**2 / 2)),)),
    )
    return replace(form, k=k, I=tidy(along.M[0].subs(back))), sections
