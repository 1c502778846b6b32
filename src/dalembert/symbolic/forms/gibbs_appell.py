"""The Gibbs-Appell equations: dS/du_r' = U_r, with S the energy of accelerations of all parts.

    S = sum m a.a/2 + w''.J w''/2 + w''.(w' x J w')          (w'' the rate of w', body axes)
    U_r = sum over forces of their power per u_r

Terms of S without accelerations do not count and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import Derivation, derive
from ..free_bodies import check_parts
from ..partition import partition
from ..sheet import Equation, Section, Sheet, line
from ..simplify import tidied, tidy
from ..symbols import slope
from ..theory_parts import moving_parts
from .base import constraint_section, head, quadratic
from .velocities import InVelocities, in_velocities, rates_of, velocity_section


@dataclass(frozen=True, eq=False, repr=False)
class GibbsAppell(InVelocities):
    """The Gibbs-Appell equations of a system built from particles and bodies.

    `S` is the energy of accelerations in q, u and u' (without terms that hold no acceleration), `U` the generalized forces.
    """

    S: Any
    U: Any

    kind = "gibbs-appell"


def gibbs_appell(
    model: Lagrangian, independent: Sequence[str] | None = None, quasi_velocities: Mapping[str, Any] | None = None
) -> GibbsAppell:
    """The Gibbs-Appell equations, one for each independent velocity."""
    asked = f"equations of {model.name!r} in the form 'gibbs-appell'"
    d = derive(model, asked)
    check_parts(
        d, asked, "the energy of accelerations S is that of particles and bodies",
        "build it with particle(…) and body(…), or use form='maggi' or 'reduced', for which T suffices",
    )  # fmt: skip
    p = partition(d, asked, independent, quasi_velocities)
    du = rates_of(p)
    n = len(du)
    S = _energy_of_accelerations(d, lambda x: _accelerated(p, du, x))
    first = [slope(S, x) for x in du]
    rest = [tidy(x.subs(dict.fromkeys(du, 0))) for x in first]
    second = sp.Matrix(n, n, lambda i, j: tidy(slope(first[i], du[j])))
    U = tidied(p.S.T * (d.Q - d.dV - d.dD).applyfunc(p.admissible))
    written = quadratic("S", second, rest, du)
    lines = tuple(Equation((*second[k, :], rest[k]), U[k], (*du, sp.S.One)) for k in range(n))
    names = [x.name.rstrip("'") for x in p.u]
    sheet = Sheet(head(d, "Gibbs-Appell equations"), (
        velocity_section(p, "independent velocities"),
        Section("energy of accelerations $S = sum m a.a/2 + @w'.J @w'/2 + @w'.(@w × J @w)$, without terms that hold no acceleration", (written,)),
        Section("generalized forces", tuple(line(sp.Symbol(f"U_{x}", real=True), y) for x, y in zip(names, U))),
        Section("$dS/du' = U$", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return GibbsAppell(d, sheet, lines, p, du, written.left, U)


def _accelerated(p: Any, du: Sequence[Any], x: Any) -> Any:
    """A component of an acceleration in u'."""
    row, rest = in_velocities(p, x)
    return (row * sp.Matrix(len(du), 1, list(du)))[0] + rest


def _energy_of_accelerations(d: Derivation, seen: Any) -> Any:
    """S of all parts; `seen` writes components of accelerations and velocities in the velocities chosen."""
    s, S = d.symbols, sp.S.Zero
    for name, part in moving_parts(d.model, s).items():
        a = part.velocity.applyfunc(lambda x: seen(s.total_rate(x)))
        S += s.of(d.model.parts[name].mass) * (a.T * a)[0] / 2
        if part.rotation is not None:
            w = part.spin.applyfunc(seen)
            turning = part.spin.applyfunc(lambda x: seen(s.total_rate(x)))
            S += (turning.T * part.inertia * turning)[0] / 2 + (turning.T * w.cross(part.inertia * w))[0]
    return S
