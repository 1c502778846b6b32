"""Statics by virtual work: (Q - dV/dq).dq = 0 for all displacements the rows allow; and dV/dq + J^T lam = Q with the reactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import MethodError, ModelError, nearest
from ...model.lagrangian import Lagrangian
from .. import sp
from ..derivation import derive
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet, line, named
from ..simplify import is_zero, tidied, tidy
from ..symbols import slope
from .base import Form, Solved, head, multiplier_names, one_of


@dataclass(frozen=True, eq=False, repr=False)
class VirtualWork(Form):
    """Conditions of rest.

    `equations` have the reactions eliminated, one for each independent displacement; `balance` are dV/dq + J^T lam = Q with them;
    `phi` are the holonomic rows.  With unknown="P", `solution` is the holding load P.
    """

    partition: Partition
    balance: list[Any]
    solution: Any = None

    kind = "virtual-work"

    phi = one_of("derivation.phi", "Holonomic rows.")
    lam = one_of("derivation.lam", "Multipliers.")

    def _solved(self, values: Mapping[str, float]) -> Solved:
        raise MethodError(
            f"accelerations from the form {self.kind!r} of {self.model.name!r}", "a form for rest",
            "it holds no accelerations", 'use form="lagrange", "multipliers" or "reduced"',
        )  # fmt: skip


def virtual_work(
    model: Lagrangian, independent: Sequence[str] | None = None, unknown: str | None = None
) -> VirtualWork:
    """Statics of a system."""
    asked = f"equations of {model.name!r} in the form 'virtual-work'"
    d = derive(model, asked, inertia=False)
    p = partition(d, asked, independent)
    s = d.symbols
    rest: dict[Any, Any] = dict.fromkeys(s.v, 0)
    Q = (d.Q - d.dD).applyfunc(lambda x: tidy(x.subs(rest)))
    lines = tuple(
        Equation((tidy((p.S[:, k].T * d.dV)[0]),), tidy((p.S[:, k].T * Q)[0])) for k in range(len(p.independent))
    )  # fmt: skip
    full = tuple(Equation((d.dV[k], *d.J[:, k]), Q[k], (sp.S.One, *d.lam)) for k in range(len(d.names)))
    held = tuple(Equation(terms, sp.S.Zero) for terms in d.written_rows[: len(d.phi)])
    solution: Any = None
    solved: tuple[Equation, ...] = ()
    if unknown is not None:
        solution = _solved_for(model, asked, unknown, [x.residual for x in lines])
        solved = (line(sp.Symbol(unknown, real=True), solution),)
    free = sp.Matrix(len(p.independent), 1, [sp.Symbol(f"δ{x}", real=True) for x in p.independent])
    displaced = tuple(
        line(sp.Symbol(f"δ{x}", real=True), tidied(p.Z[k, :] * free)[0])
        for k, x in enumerate(p.dependent)
    )  # fmt: skip
    sheet = Sheet(head(d, "virtual work (rest)"), (
        Section("virtual displacements", displaced, (f"independent: {named(p.independent)}",) if d.lam else ()),
        Section("$dV/dq = Q$ along them, reactions eliminated", lines),
        Section("holding load", solved),
        Section("$dV/dq + J^T lam = Q$, with reactions", full if d.lam else (), multiplier_names(d)),
        Section("constraints", held),
    ))  # fmt: skip
    return VirtualWork(d, sheet, lines, p, [x.sympy for x in full], solution)


def _solved_for(model: Lagrangian, asked: str, unknown: str, residuals: list[Any]) -> Any:
    """The load that holds the system, from an equation in which it stands linearly."""
    if unknown not in model.parameters:
        raise ModelError(asked, f"unknown = {unknown!r}", "it is no parameter", nearest(unknown, model.parameters))
    symbol = sp.Symbol(unknown, real=True)
    for residual in residuals:
        factor = tidy(slope(residual, symbol))
        if factor != 0 and not factor.has(symbol) and not is_zero(factor):
            return tidy(sp.cancel(-residual.subs(symbol, 0) / factor))
    raise ModelError(
        asked, f"unknown = {unknown!r}", "it does no virtual work, or does not stand linearly in the forces",
        "name a load whose point of application can move",
    )  # fmt: skip
