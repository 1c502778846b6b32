"""Lagrange's equations where angles close loops in closed form: phi = asin((r sin theta - e)/l) in a piston engine.

Angles stand in them by their names.  With one freedom theta, and no time in rows and T,

    k_x = dx/dtheta          I = sum of M_xy k_x k_y          T = I/2 theta'^2          I theta'' + dI/dtheta theta'^2/2 = sum of Q_x k_x
    dI/dtheta = sum of 2 M_xy k_x dk_y/dtheta + dM_xy/dtheta k_x k_y, slopes along the motion

(PRINCIPLES, piston engine: k_s, k_phi, I(theta)).  With more the equations are those along the rows, S^T (M q'' + h - Q) = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import sp
from ..derivation import shared
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from ..symbols import slope
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
    resting = full.T.subs(dict.fromkeys(full.symbols.v, 0))
    if len(d.names) == 1 and not any((*full.nu, *full.b, resting)) and not full.M.has(full.symbols.t):
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
    bent = sp.Symbol(f"d{I}/d{name}", real=True)
    M, n = tidied(full.M.subs(back)), len(named)
    pairs = [(i, j, M[i, j] * (1 + (i != j))) for i in range(n) for j in range(i, n) if M[i, j] != 0]
    inertia = sp.Add(*(m * named[i] * named[j] for i, j, m in pairs))
    # slopes along the motion: of x by theta dx/dtheta + sum of dx/dy k_y
    turned = lambda x: tidy(sum((slope(x, q) * f for q, f in zip(full.symbols.q, named)), sp.S.Zero))  # noqa: E731
    k_slopes = {x: turned(y) for x, y in k.items()}
    ks = full.column([sp.Symbol(f"dk_{x}/d{name}", real=True) if k_slopes.get(x) else sp.S.Zero for x in full.names])
    around = sp.Add(*(
        m * (ks[i] * named[j] + named[i] * ks[j]) + turned(m) * named[i] * named[j] for i, j, m in pairs
    ))  # fmt: skip
    force = (named.T * (full.Q - full.dV - full.dD))[0].subs(back)
    force = tidy(force.subs({x: y * v for x, y in zip(full.symbols.v, named)}))
    rates = tuple(line(named[full.names.index(x)], y) for x, y in k.items())
    slopes = tuple(line(ks[full.names.index(x)], y) for x, y in k_slopes.items() if y != 0)
    energy = Equation((I / 2,), sp.Symbol("T", real=True), (v**2,), flipped=True)
    sections = (
        Section(f"$k$: rates of the coordinates per ${v.name}$, and their slopes along the motion", rates + slopes),
        Section(f"inertia reduced to ${name}$, and its slope", (line(I, inertia), line(bent, around))),
        Section("energies", (energy, *energy_lines(full)[1:])),
        Section("$d/dt dL/dq' - dL/dq = Q$", (Equation((I, bent), force, (a, v**2 / 2)),)),
    )
    return replace(form, k=k, I=tidy(along.M[0].subs(back))), sections
