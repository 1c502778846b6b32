"""Virtual displacements that the rows allow: the variational equation of motion, and statics by virtual work.

motion   δq.(M q'' + h - Q) = 0 for all J δq = 0          PLANAR 6.2.5, 6.3.3, 6.3.5; δr and δW of every load by its name: PRINCIPLES 1.6 (e)
         M q'' + h - Q = -J^T lam by the multiplier theorem (6.3.12-6.3.15), with which accelerations are solved for
rest     (Q - dV/dq).δq = 0; and dV/dq + J^T lam = Q with the reactions
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import MethodError, ModelError, nearest
from ...model.events import SOLVED
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Load
from .. import sp
from ..derivation import Derivation, derive, plain
from ..free_bodies import AXES
from ..friction import size_symbol
from ..partition import Partition, partition
from ..sheet import Equation, Section, Sheet, line, named
from ..simplify import is_zero, tidied, tidy
from ..symbols import slope
from ..virtual_loads import ByLoads, LoadWork, load_work, variation
from .base import Form, Solved, by_accelerations, constraint_section, head, held_rows, multiplier_names, one_of
from .lagrange import WithMultipliers


@dataclass(frozen=True, eq=False, repr=False)
class Variational(ByLoads, WithMultipliers):
    """Variational equation of motion.

    `brackets` are M q'' + h - Q, which multiply `variations`, the symbols δq.  `virtual_work["F"]` is δW of a load, `virtual_displacements`
    the δr in it, `generalized("F")` its generalized force.  Weights are "weight of bar"; what belongs to no part, "given potential",
    "given dissipation" and "given forces".
    """

    variations: tuple[Any, ...]
    brackets: Any
    works: tuple[LoadWork, ...]

    kind = "variational"

    M = one_of("derivation.M", "Mass matrix.")
    h = one_of("derivation.h", "Velocity terms of the inertia, d/dt dT/dq' - dT/dq = M q'' + h.")

    @property
    def Q(self) -> Any:
        """Generalized force of all loads."""
        return self.active_force

    @property
    def admissible(self) -> list[Any]:
        """J δq = 0 as equalities."""
        return [x.sympy for x in self.lines[1:]]

    def _system(self) -> tuple[list[Any], Sequence[Any], Sequence[Any]]:
        d = self.derivation
        return [*(self.brackets + d.row_force), *held_rows(d)], [*d.symbols.a, *d.lam], ()


def variational(model: Lagrangian) -> Variational:
    """Variational equation of a system."""
    d = derive(model, f"equations of {model.name!r} in the form 'variational'")
    dq = tuple(variation(name) for name in d.names)
    works = tuple(x for x in _works(d, dq) if x is not None)
    brackets = tidied(d.M * d.column(d.symbols.a) + d.h + d.dV + d.dD - d.Q)
    factors = [sp.Add(*(x * a for x, a in zip(by_accelerations(d, y), (*d.symbols.a, 1)))) for y in brackets]
    line = Equation(tuple(factors), sp.S.Zero, dq)
    allowed = tuple(Equation(tuple(d.J[r, :]), sp.S.Zero, dq) for r in range(len(d.lam)))
    made = Variational(d, Sheet(""), (line, *allowed), dq, brackets, works)
    sheet = Sheet(head(d, "variational equation of motion"), (
        *made._load_sections(),
        Section("$δq.(M q'' + h - Q) = 0$ for all $δq$" + (" that the rows allow" if allowed else ""), (line,)),
        Section("they allow $J δq = 0$", allowed),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return replace(made, sheet=sheet)


def _works(d: Derivation, dq: tuple[Any, ...]) -> Iterator[LoadWork | None]:
    """Virtual work of loads on parts, of weights, of dry friction that slips, and of what belongs to no part."""
    s, model = d.symbols, d.model
    for load in model.loads.values():
        yield _load(d, load)
    for part in model.parts.values():
        force = [s.of(part.mass) * s.of(g) for g in model.gravity]
        moved = [variation(f"r_{plain(part.name)}_{axis}") for axis in AXES]
        yield load_work(f"weight of {part.name}", force, moved, _slopes([s.of(x) for x in part.position], s.q))
    rest = d.column([s.of(model.own_forces[x]) if x in model.own_forces else 0 for x in d.names])
    for one in model.rubbing:
        name = size_symbol(model, one)
        size = sp.Symbol(name, real=True) if name in model.sizes else s.of(one.size(SOLVED))
        force = -size * sp.sign(s.of(one.rate))
        work = load_work(one.name, [force], [variation(f"s_{plain(one.name)}")], _slopes([s.of(one.what)], s.q))
        yield work
        rest = rest if work is None else rest - work.generalized
    given = d.column([slope(s.of(model.given_energies["potential"]), q) for q in s.q])
    one_each = sp.eye(len(dq)).tolist()
    yield load_work("given potential", -given, dq, one_each)
    yield load_work("given dissipation", -d.dD, dq, one_each)
    yield load_work("given forces", rest, dq, one_each)


def _load(d: Derivation, load: Load) -> LoadWork | None:
    s = d.symbols
    if load.position is not None:
        kind, rows = "r", _slopes([s.of(x) for x in load.position], s.q)
    else:
        assert load.spin is not None
        kind, rows = "π", _slopes([s.of(x) for x in load.spin], s.v)
    moved = [variation(f"{kind}_{plain(load.name)}_{axis}") for axis in AXES]
    if load.along:
        moved = [variation(f"s_{plain(load.name)}")]
    return load_work(load.name, [s.of(x) for x in load.vector], moved, rows)


def _slopes(x: list[Any], by: Sequence[Any]) -> list[list[Any]]:
    return [[tidy(slope(y, z)) for z in by] for y in x]


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
