"""Jourdain's principle: the virtual power of applied and inertia forces is zero for all virtual velocities that the rows allow.

    dP = sum (f - m a).dv + (n - J w'' - w' x J w').dw' = 0          time and position are not varied: dq = 0, J dq' = 0

Forces that belong to no part add Q_0.dq'.  Where d'Alembert's principle varies positions, which nonholonomic rows do not restrict, here
velocities are varied, as the rows restrict them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import derive
from ..free_bodies import free_bodies, outside_forces
from ..partition import partition
from ..sheet import Equation, Section, Sheet, line, named
from ..simplify import tidied
from .base import constraint_section, head
from .dalembert import DAlembert, balance


@dataclass(frozen=True, eq=False, repr=False)
class Jourdain(DAlembert):
    """Equations from the principle of virtual power.

    `virtual_power` is the virtual power in the virtual velocities of the parts, `virtual_velocities` the symbols of the independent ones;
    with quasi_velocities= these are variations of the velocities named.
    """

    virtual_power: Any
    virtual_velocities: tuple[Any, ...]

    kind = "jourdain"


def jourdain(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> Jourdain:
    """Jourdain's principle, one equation for each independent virtual velocity."""
    asked = f"equations of {model.name!r} in the form 'jourdain'"
    d = derive(model, asked)
    directions = free_bodies(
        d, asked, "virtual power is that of forces on particles and bodies",
        "build it with particle(…) and body(…), or use form='maggi', for which T suffices",
    )  # fmt: skip
    p = partition(d, asked, independent, quasi_velocities)
    s = d.symbols
    outside = outside_forces(d, directions)
    varied = {v: sp.Symbol(f"δ{v.name}", real=True) for v in (*s.v, *p.u)}
    free = [varied[u] for u in p.u]
    terms, names, moved = [], [], []
    for x in directions:
        name = sp.Symbol(f"δ{x.velocity_name}", real=True)
        terms.append(x.applied - x.inertia)
        names.append(name)
        moved.append(Equation(tuple(tidied(x.motion * p.S)), name, tuple(free), flipped=True))
    power = Equation(
        (*terms, *outside), sp.Symbol("δP", real=True), (*names, *(varied[v] for v in s.v)), flipped=True
    )  # fmt: skip
    lines = balance(d, p, directions)
    allowed = tuple(
        line(varied[v], tidied(p.S[k, :] * sp.Matrix(len(free), 1, free))[0])
        for k, v in enumerate(s.v) if v not in p.u
    )  # fmt: skip
    chosen = () if p.plain else (f"independent: {named(x.name for x in free)}",)
    sheet = Sheet(head(d, "Jourdain's principle of virtual power"), (
        Section("virtual velocities that the rows allow", allowed, chosen),
        Section("virtual velocities of the parts ($v$: space axes; $@w$: body axes)", tuple(moved)),
        Section("virtual power of applied and inertia forces", (power,)),
        Section(f"it is zero for all {named(x.name for x in free)}: power of inertia forces = power of applied forces", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return Jourdain(d, sheet, lines, p, power.left, tuple(free))
