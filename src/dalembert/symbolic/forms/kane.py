"""Kane's equations: F_r + F*_r = 0 for every generalized speed u_r.

    v = sum_r v_r u_r + v_t          w' = sum_r w_r u_r + w_t          partial velocities v_r, partial angular velocities w_r
    F_r = sum v_r.f + w_r.n          F*_r = -sum v_r.(m a) + w_r.(J w'' + w' x J w')          (body axes for moments)

Forces that belong to no part add S^T Q_0 to F_r.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import derive, plain
from ..free_bodies import free_bodies, outside_forces
from ..partition import partition
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from .base import constraint_section, head
from .velocities import InVelocities, in_velocities, rates_of, velocity_section


@dataclass(frozen=True, eq=False, repr=False)
class Kane(InVelocities):
    """Kane's equations of a system built from particles and bodies.

    `u` are the generalized speeds, `F` the generalized active forces and `F_star` the generalized inertia forces, one for each;
    `partial_velocities` are rows v_r by part and axis: {"v_bar_x": [...], "w_bar_z": [...]}, in space axes for v, body axes for w.
    """

    F: Any
    F_star: Any
    partial_velocities: dict[str, Any]

    kind = "kane"


def kane(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Kane:
    """Kane's equations; speeds are the rates of the independent coordinates, or those given."""
    asked = f"equations of {model.name!r} in the form 'kane'"
    d = derive(model, asked)
    directions = free_bodies(
        d, asked, "partial velocities are those of particles and bodies",
        "build it with particle(…) and body(…), or use form='reduced', the same equations from T",
    )  # fmt: skip
    p = partition(d, asked, independent, quasi_velocities)
    du = rates_of(p)
    F, factors, rest = p.S.T * outside_forces(d, directions), sp.zeros(len(du), len(du)), sp.zeros(len(du), 1)
    speeds, rows, moving = sp.Matrix(len(du), 1, list(p.u)), {}, []
    for x in directions:
        row, terms = tidied(x.motion * p.S), in_velocities(p, x.inertia)
        F, factors, rest = F + row.T * x.applied, factors + row.T * terms[0], rest + row.T * terms[1]
        rows[x.velocity_name] = row
        given = tidy(p.admissible(x.velocity) - (row * speeds)[0])
        moving.append(Equation((*row, given), sp.Symbol(x.velocity_name, real=True), (*p.u, sp.S.One), flipped=True))
    F, factors, rest = tidied(F.applyfunc(p.admissible)), tidied(-factors), tidied(-rest)
    F_star = factors * sp.Matrix(len(du), 1, list(du)) + rest
    names = [plain(u.name.rstrip("'")) for u in p.u]
    active = tuple(line(sp.Symbol(f"F_{x}", real=True), y) for x, y in zip(names, F))
    inertia = tuple(
        Equation((*factors[k, :], rest[k]), sp.Symbol(f"F*_{x}", real=True), (*du, sp.S.One), flipped=True)
        for k, x in enumerate(names)
    )
    lines = tuple(
        Equation((*factors[k, :], rest[k], F[k]), sp.S.Zero, (*du, sp.S.One, sp.S.One)) for k in range(len(du))
    )
    words = "$v$: space axes; $@w$: body axes; the factors of the speeds are the partial velocities $v_r$, $@w_r$"
    sheet = Sheet(head(d, "Kane's equations"), (
        velocity_section(p, "generalized speeds"),
        Section("velocities of the parts", tuple(moving), (words,)),
        Section("generalized active forces $F_r = sum (v_r.f + @w_r.n)$", active),
        Section("generalized inertia forces $F*_r = -sum (v_r.(m a) + @w_r.(J @w' + @w × J @w))$", inertia),
        Section("$F_r + F*_r = 0$", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return Kane(d, sheet, lines, p, du, F, F_star, rows)
