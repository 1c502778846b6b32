"""equilibrium for Lagrangian systems: where they rest or move steadily, whether they stay there, and what their rows carry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, MethodError, ModelError, SingularError, nearest, shown
from ...model.expression import as_expression
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.lagrange import compile_lagrangian
from ..equilibrium import Equilibria, Equilibrium, lowest
from .derivatives import Derivatives
from .linear import Linear, check_rank, check_solved, eigen, linear
from .linearize import GROWTH
from .point import Point
from .reactions import RowReactions, reactions_at
from .search import Place, Search
from .start import check_positions, positions, read_state

if TYPE_CHECKING:
    from ..rest.branches import Branches

# parts of the largest stiffness that was met: below the first it counts as zero, below the second asymmetry is rounding
NONE, SYMMETRIC = 1e-8, 1e-9


class LagrangianEquilibrium(Equilibrium):
    """One equilibrium of a Lagrangian system; `e["theta"]` is a coordinate, `e["l*sin(theta)"]` any expression here."""

    _system: Any

    @cached_property
    def reactions(self) -> RowReactions:  # type: ignore[override]
        """Reactions of the rows by name, with multiplier and generalized force."""
        with np.errstate(all="ignore"):
            asked = f"reactions at an equilibrium of {self._model.name!r}"
            point = Point(self._system, self.state.t, self.state.q, self.state.v)
            point.scales()
            point.detect(asked)
            return reactions_at(point, asked)

    def __getitem__(self, measure: Any) -> float:
        graph = self._system.graph
        made = as_expression(measure, [*graph.input], asked=f"value at an equilibrium of {self._model.name!r}")
        value = self._system.function([graph.add_expression(made)])
        return float(value(self.state.t, self.state.q, self.state.v)[0])


def rest(
    model: Lagrangian,
    asked: str,
    start: Any,
    method: str,
    spinning: Any,
    along: Any,
    between: Any,
    starts: int | None,
    turns: float,
    seed: int,
    t: float,
) -> Equilibria | Branches:
    """All equilibria, or branches along a parameter; arguments as `equilibrium` has read them."""
    system = compile_lagrangian(model, asked)
    if start is not None:
        given = read_state(asked, model, start)
        t, q = given.t, given.q.copy()
    else:
        q = positions(model, system, t, asked)
    functions = Derivatives(system, asked)
    v, held = _steady_rates(model, asked, spinning)
    point = Point(system, t, q, v)
    point.scales()
    point.detect(asked)
    check_positions(point, asked, start is not None)
    _check_rates(point, asked, held)
    if method == "energy" and functions.without_potential:
        raise MethodError(
            asked,
            f"not conservative: {', '.join(functions.without_potential)}",
            "a minimum of energy needs forces with a potential",
            "use method='force' (J^T lam = f), or state them in potential=",
        )
    search = Search(functions, t, q, v, held)
    if along is not None:
        from .branches import follow

        def rates(p: float) -> np.ndarray:
            """Velocities of the steady motion with the parameter p."""
            return _steady_rates(model, asked, spinning, {along: p})[0]

        return follow(asked, search, along, between, rates, starts, turns, seed)
    return all_equilibria(functions, search, starts, turns, seed, asked)


def all_equilibria(
    functions: Derivatives, search: Search, starts: int | None, turns: float, seed: int, asked: str
) -> Equilibria:
    """Search, judge, sort."""
    model, held = functions.system.model, search.held
    first = search.at(search.start)
    if first is None:
        linear(functions, search.t, search.start, search.v, held)  # names what has no finite value
    elif not first.rows.motions.shape[1]:
        names = ", ".join(repr(model.q[k]) for k in held)
        raise ModelError(
            asked,
            f"nothing can move{f' while {names} changes at a given rate' if held else ''}: {first.rows.rank} independent rows for "
            f"{functions.n} coordinates",
            "a system without free motion rests wherever it is",
            "ask reactions(m) for its loads, or take out a constraint",
        )
    dof = 1 if first is None else first.rows.motions.shape[1]
    count = starts if starts is not None else (24 if dof <= 4 else max(4, 96 // dof))
    found: list[LagrangianEquilibrium] = []
    odd: list[State] = []
    seen: list[np.ndarray] = []
    for place in search.run(count, turns, seed):
        q = search.wrapped(place.q)
        if any(search.apart(q, other) <= 1e-6 for other in seen):
            continue
        seen.append(q)
        try:
            here = linear(functions, search.t, q, search.v, held)
            check_rank(functions, here)
            judge = search.is_smooth(place)
        except SingularError:
            # rows lose their independence, or coordinates fail (a pole of angles): balance there need not be equilibrium
            judge = False
        if not judge:
            if not any(_one_pose(search, place, q, other.q) for other in odd):
                odd.append(State(search.t, q, search.v))
            continue
        if held:
            _check_ignorable(functions, search, here, asked)
        check_solved(functions, here)
        made = judged(model, functions, search, here)
        if not any(_same(search, here, made, other) for other in found):
            found.append(made)
    if not found and not odd:
        left = search.nearest
        raise ConvergenceError(
            asked,
            "no equilibrium was found"
            + (f"; the smallest unbalanced force left is {left:.3g} of what one radian or length gives" if left < 1e6 else ""),
            "forces drive the system everywhere it was tried, or it is held in positions that were not tried",
            "look at the forces, give start= near an equilibrium, or more starts= and turns=",
        )  # fmt: skip
    order = {"stable": 0, "degenerate": 1, "unstable": 2}
    largest = max((abs(e.energy) for e in found if math.isfinite(e.energy)), default=0.0) or 1.0

    def rank(e: Equilibrium) -> tuple[Any, ...]:
        size = round(e.energy / largest, 9) if math.isfinite(e.energy) else round(-lowest(e), 9)
        return order[e.verdict], size, tuple(np.round(e.state.q, 6))

    found.sort(key=rank)
    made_list = Equilibria.of(model.name, found, odd)
    if _changes_with_time(functions, search, [e.state.q for e in found]):
        made_list.note = f"time is frozen at t = {search.t:g} s: the forces change with it, and the verdicts do not tell what that does"
    return made_list


def _changes_with_time(functions: Derivatives, search: Search, places: list[np.ndarray]) -> bool:
    """Whether forces or rows at the equilibria are others a little later."""
    system = functions.system
    if system.graph.input["t"] not in system.graph.needed([*system.nodes.force, *system.nodes.w]):
        return False
    values = system.function([*system.nodes.force, *system.nodes.w])
    stiff = system.function([*system.nodes.force])
    for q in places:
        now, later = values(search.t, q, search.v), values(search.t + 0.137, q, search.v)
        beside = stiff(search.t + 0.137, q + 0.1, search.v) - stiff(search.t, q + 0.1, search.v)
        size = max(float(np.max(np.abs(stiff(search.t, q + 0.1, search.v)), initial=0.0)), 1e-300)
        if (
            max(float(np.max(np.abs(later - now), initial=0.0)), float(np.max(np.abs(beside), initial=0.0)))
            > 1e-9 * size
        ):
            return True
    return False


def judged(model: Lagrangian, functions: Derivatives, search: Search, here: Linear) -> LagrangianEquilibrium:
    """The equilibrium at a place, with its verdict."""
    from scipy.linalg import eig, eigh

    m, k = here.mass, here.square_stiffness
    size = search.size[here.speeds]
    none = NONE * max(search.stiffness, float(np.max(np.abs(k * np.outer(size, size)))))
    if np.max(np.abs(k - k.T) * np.outer(size, size)) <= SYMMETRIC / NONE * none:
        k = 0.5 * (k + k.T)
        values = eigh(k, m, eigvals_only=True)
    else:
        values = np.sort_complex(eig(k, m, right=False))
        if np.max(np.abs(values.imag)) <= 1e-8 * np.max(np.abs(values)):
            values = np.sort(values.real)
    verdict = _verdict(here, k * np.outer(size, size), none)
    x = here.values
    energy = math.nan if functions.without_potential else x.potential - x.kinetic
    shown_here = {name: (float(value), "") for name, value in zip(model.q[:4], here.q)}
    zero = none / float(np.mean(np.linalg.eigvalsh(m * np.outer(size, size))))
    return LagrangianEquilibrium(
        State(here.t, here.q, here.v), verdict, values, energy, m, k, here.u_to_v, here.lam, shown_here, model,  # type: ignore[arg-type]
        functions.system, zero,  # type: ignore[arg-type]
    )  # fmt: skip


def _verdict(here: Linear, k: np.ndarray, none: float) -> str:
    """Stability: by the stiffness where that decides, else by the eigenvalues of the small motions.

    A positive stiffness holds if no force feeds motion, x^T C x >= 0.  A negative one lets go if there is no C; gyroscopic terms may
    hold it all the same, and forces without a potential (K not symmetric) may make it swing up.
    """
    c = here.damping
    symmetric = np.array_equal(k, k.T)
    least = float(np.linalg.eigvalsh(k)[0]) if symmetric else float(np.min(np.linalg.svd(k, compute_uv=False)))
    feeds = float(np.linalg.eigvalsh(c + c.T)[0]) < -1e-12 * max(float(np.max(np.abs(c))), 1e-300)
    if symmetric and not feeds and least > none:
        return "stable"
    if symmetric and least < -none and not np.any(np.abs(c) > 1e-12 * float(np.max(np.abs(here.mass)))):
        return "unstable"
    made = eigen(here.A, here.units)
    # growth of a stiffness that counts as zero is rounding
    rounding = symmetric and not feeds and abs(least) <= none
    if not rounding and np.any(made.values.real > GROWTH * made.rate):
        return "unstable"
    flat = abs(least) <= none or made.zeros > len(here.positions) - len(here.speeds)
    return "degenerate" if flat else "stable"


def _same(search: Search, here: Linear, a: Equilibrium, b: Equilibrium) -> bool:
    """Whether two are one: the same place, or places of one family in which a motion costs nothing (a is `here`)."""
    if search.apart(a.state.q, b.state.q) <= 1e-4 and a.verdict == b.verdict == "degenerate":
        return True
    if a.verdict != b.verdict or len(a.eigenvalues) != len(b.eigenvalues):
        return False
    apart = np.abs(np.asarray(a.eigenvalues) - b.eigenvalues)
    if np.max(apart) > 3.0 * a._zero + 1e-5 * np.max(np.abs(b.eigenvalues)):
        return False
    if search.apart(a.state.q, b.state.q) <= 1e-5:
        return True
    if len(here.positions) > len(here.speeds):
        # rate rows: the system may rest beside, where its rows do not let it go by itself
        gap = (b.state.q - a.state.q)[here.positions]
        size = search.size[here.positions]
        change = np.abs(here.stiffness @ gap)
        return bool(np.all(change <= 1e-6 * np.max(np.abs(here.stiffness) * size) * np.max(np.abs(gap / size))))
    neutral = bool(np.min(np.abs(a.eigenvalues)) <= a._zero)
    energies = math.isnan(a.energy) or math.isclose(a.energy, b.energy, rel_tol=1e-7, abs_tol=1e-9 * search.stiffness)
    return neutral and energies


def _one_pose(search: Search, place: Place, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two places are one pose: nothing with inertia lies between them (angles about a pole)."""
    gap, mass = search.gap(a, b), place.values.mass
    largest = max(float(np.max(np.diag(mass) * search.size**2)), 1e-300)
    return float(gap @ mass @ gap) <= 1e-10 * largest


# -- what is asked -----------------------------------------------------------------------------------------------------------


def _steady_rates(
    model: Lagrangian, asked: str, spinning: Any, changed: Mapping[str, float] | None = None
) -> tuple[np.ndarray, tuple[int, ...]]:
    """Velocities of a steady motion, and the coordinates that change in it."""
    v = np.zeros(len(model.q))
    if spinning is None:
        return v, ()
    do = "give spinning=('psi', omega), or several: {'psi': 5.0, 'phi': 1.0}"
    pair = isinstance(spinning, tuple | list) and len(spinning) == 2
    if not pair and not (isinstance(spinning, Mapping) and spinning):
        raise MethodError(asked, f"spinning = {shown(spinning)}", "a pair is needed: a coordinate and a rate", do)
    items = spinning.items() if isinstance(spinning, Mapping) else [tuple(spinning)]
    held = []
    for name, rate in items:
        found = name if isinstance(name, str) else str(name)
        if found not in model.q:
            raise MethodError(
                asked, f"spinning: {shown(name)}", f"it is not a coordinate; {nearest(found, model.q)}", do
            )
        k = model.q.index(found)
        values = {**model.parameters, **(changed or {})}
        value = as_expression(rate, model.parameters, asked=f"{asked}: rate of {found!r}").evaluate(values)
        v[k] = float(value)
        if not math.isfinite(v[k]):
            raise MethodError(asked, f"rate of {found!r} = {shown(rate)}", "a finite number is needed", do)
        held.append(k)
    return v, tuple(held)


def _check_rates(point: Point, asked: str, held: tuple[int, ...]) -> None:
    """Refuse rows that move in another way than the system does."""
    size = np.max(np.abs(point.jac), axis=1, initial=0.0)
    left = np.abs(point.w) / np.where(size > 0.0, size, 1.0)
    if np.max(left, initial=0.0) <= 1e-9 * max(1.0, float(np.max(np.abs(point.v)))):
        return
    worst = int(np.argmax(left))
    found = f"row {point.system.row_names[worst]!r} is off by {left[worst]:.6g}/s"
    if held:
        why, do = (
            "the system cannot move at these rates: the row asks for others",
            "give all rates of the steady motion",
        )
    else:
        why = "an equilibrium is at rest, and this row moves"
        do = "let its time law be constant, take another t=, or use spinning=('psi', omega)"
    raise MethodError(asked, found, why, do)


def _check_ignorable(functions: Derivatives, search: Search, here: Linear, asked: str) -> None:
    """Refuse a steady change of a coordinate on which energies, forces or rows depend."""
    x, size = here.values, search.size
    for k in here.held:
        q = here.q.copy()
        q[k] += 1.0
        there = functions.values(here.t, q, here.v)
        for what, change, scale in (
            ("the inertia", np.abs(x.mass - there.mass), float(np.max(np.abs(x.mass)))),
            ("forces", np.abs(x.force - there.force) * size, search.stiffness + float(np.max(np.abs(x.force) * size))),
            ("rows", np.abs(x.jac - there.jac), float(np.max(np.abs(x.jac), initial=0.0))),
        ):
            largest = float(np.max(change, initial=0.0))
            if not largest <= 1e-9 * scale:
                raise MethodError(
                    asked,
                    f"{what} change by {largest:.3g} when {functions.q[k]!r} grows by 1",
                    "then a motion at a constant rate of it is not steady",
                    "spin a coordinate that energies, forces and rows do not contain",
                )
