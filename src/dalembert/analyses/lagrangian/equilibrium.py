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
from ..rest.morse import FEW, ROUNDS, SearchReport, indices, lacking, most_turned, report
from ..rest.valley import Valley, around
from .derivatives import Derivatives
from .linear import Linear, check_rank, check_solved, eigen, linear
from .linearize import GROWTH
from .point import Point
from .reactions import RowReactions, reactions_at
from .search import EPS, Place, Search
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
    torus = dof > 1 and search.is_torus and not functions.without_potential
    # rows seldom let an angle turn by itself
    most = (
        0
        if dof == 1 or functions.m > functions.h
        else 8 * count
        if starts is not None or functions.h
        else most_turned(dof)
    )
    places, begun, turned = list(search.run(count, turns, seed)), 0, 0
    # every equilibrium leads to others: with one angle turned over
    while True:
        if not places:
            if not torus or odd or begun == ROUNDS or dof > FEW or not lacking(dof, found):
                break
            begun += 1
            places = list(search.run(count, turns, seed + 7919 * begun))
            continue
        place = places.pop(0)
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
        if any(_same(search, here, made, other) for other in found):
            continue
        found.append(made)
        for over in search.turned_over(q) if turned < most else ():
            if any(search.apart(over, other) <= 1e-6 for other in seen):
                continue
            turned += 1
            next_place = search.newton(over)
            if next_place is not None and search.is_near(next_place.q, turns):
                places.append(next_place)
    if not found and not odd:
        raise _none(search, asked, count, dof)
    order = {"stable": 0, "degenerate": 1, "unstable": 2}
    largest = max((abs(e.energy) for e in found if math.isfinite(e.energy)), default=0.0) or 1.0

    def rank(e: Equilibrium) -> tuple[Any, ...]:
        size = round(e.energy / largest, 9) if math.isfinite(e.energy) else round(-lowest(e), 9)
        return order[e.verdict], size, tuple(np.round(e.state.q, 6))

    found.sort(key=rank)
    if dof == 1 and search.covered:
        report_of = _path_report(functions, search, len(found))
    else:
        report_of = report(dof, count * (1 + begun), turned, len(found), torus and not odd, indices(found))
    made_list = Equilibria.of(model.name, found, odd, report_of)
    if _changes_with_time(functions, search, [e.state.q for e in found]):
        made_list.note = f"time is frozen at t = {search.t:g} s: the forces change with it, and the verdicts do not tell what that does"
    return made_list


def _none(search: Search, asked: str, count: int, dof: int) -> ConvergenceError:
    """Nothing was found, and how it was looked for."""
    left = search.nearest
    if dof == 1 and search.covered:
        found = f"no equilibrium was found {_whole(search)}, {search.covered} places, and from random starts"
    else:
        found = f"no equilibrium was found from {count} start{'s' * (count != 1)}"
    if left < 1e6:
        found += f"; the smallest unbalanced force left is {left:.3g} of what one radian or length gives"
    why = "forces drive the system everywhere it was tried, or it is held in positions that were not tried"
    do = "look at the forces, give start= near an equilibrium, or more starts= and turns="
    return ConvergenceError(asked, found, why, do)


def _whole(search: Search) -> str:
    if search.closed:
        return "on the whole path"
    return "on the path, half a turn times turns= or ten sizes of the start to either side"


def _path_report(functions: Derivatives, search: Search, found: int) -> SearchReport:
    """What the search along the path of one free motion can say."""
    if functions.m > functions.h:
        words = "search: along the rows on positions; with rate rows equilibria come in families, and more may exist"
        return SearchReport(None, 0, 1, search.covered, found, 0, words)
    words = f"search: {_whole(search)}, {search.covered} places; complete there, but for pairs within a stride"
    return SearchReport(True if search.closed else None, 0, 1, search.covered, found, 0, words)


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
    zero = none / float(np.mean(np.linalg.eigvalsh(m * np.outer(size, size))))
    verdict, reason, flat, zero = _decided(
        functions, search, here, (none, zero), verdict, values, np.array_equal(k, k.T)
    )
    x = here.values
    energy = math.nan if functions.without_potential else x.potential - x.kinetic
    shown_here = {name: (float(value), "") for name, value in zip(model.q[:4], here.q)}
    return LagrangianEquilibrium(
        State(here.t, here.q, here.v), verdict, values, energy, m, k, here.u_to_v, here.lam, shown_here, model,  # type: ignore[arg-type]
        functions.system, zero, reason, flat,  # type: ignore[arg-type]
    )  # fmt: skip


def _decided(
    functions: Derivatives,
    search: Search,
    here: Linear,
    zeros: tuple[float, float],
    verdict: str,
    eigenvalues: np.ndarray,
    symmetric: bool,
) -> tuple[str, str, bool, float]:
    """Verdict, what decided it, whether equilibria come in a family, and what counts as zero among eigenvalues.

    Where some stiffness is zero the energy around decides; `zeros`: what counts as zero in K and in M^-1 K.
    """
    none, zero = zeros
    place = search.at(here.q)
    if place is None:
        return verdict, "stiffness", False, zero
    z = place.rows.motions
    k = z.T @ search.slope(place) @ z
    values, vectors = np.linalg.eigh(0.5 * (k + k.T))
    # rounding along each eigenvector: of forces, of places on the rows and of coordinates
    far = 1e-14 + 2.0 * EPS * float(np.max(np.abs(here.q / search.size)))
    noise = np.abs(vectors.T) @ search.rounding(place) + np.abs(values) * far
    weak = np.abs(values) <= none
    c = here.damping
    if symmetric and not np.any(c):
        weak |= [not w and not _linear(search, place, z @ u, *x) for w, u, *x in zip(weak, vectors.T, values, noise)]
        if weak.any():
            verdict = "unstable" if np.any(values[~weak] < 0.0) else "degenerate"
            inertia = (z.T @ place.values.mass @ z) @ vectors[:, weak]
            zero = max(zero, *(np.abs(values[weak]) / np.einsum("ij,ij->j", vectors[:, weak], inertia)))
    null = vectors[:, weak]
    if not null.shape[1] and verdict != "degenerate":
        return verdict, "stiffness", False, zero
    rows_on_rates = functions.m > functions.h
    feeds = float(np.linalg.eigvalsh(c + c.T)[0]) < -1e-12 * max(float(np.max(np.abs(c))), 1e-300)
    energy = len(here.speeds) == 1 or not functions.without_potential
    if not (null.shape[1] and symmetric and energy) or feeds or rows_on_rates:
        undecided = "stiffness is zero within rounding, and no energy decides"
        return verdict, undecided if verdict == "degenerate" else "stiffness", True, zero
    floor = float(np.linalg.norm(noise[weak]))
    found = around(Valley(Nearby(search, place), z, null, 1.0).force, null.shape[1], floor)
    if verdict != "degenerate":
        return verdict, "stiffness", found.flat, zero
    gyroscopic = np.any(np.abs(c - c.T) > 1e-12 * float(np.max(np.abs(here.mass))))
    if found.verdict == "unstable" and gyroscopic:
        return verdict, f"{found.reason}, but gyroscopic terms may hold it", found.flat, zero
    if found.verdict == "stable" and functions.rates_in_forces and not np.all(np.linalg.eigvalsh(c + c.T) > 0.0):
        return verdict, f"{found.reason}, but forces depend on rates and may feed motion", found.flat, zero
    return found.settled(float(eigenvalues[np.argmin(np.abs(eigenvalues))]), zero)


def _linear(search: Search, place: Place, motion: np.ndarray, value: float, noise: float) -> bool:
    """Whether the force along a motion is its stiffness times the way where it first stands out from rounding.

    If it is not, the stiffness is that of a place beside an equilibrium without any, as near to it as rounding allows.
    """
    far = max(100.0 * noise / abs(value), 1e3 * EPS * float(np.max(np.abs(place.q / search.size))))
    if far > 0.03:
        return False
    for side in (far, -far):
        q = search.onto(place.q + side * motion)
        there = None if q is None else search.at(q)
        # the motion along the rows there
        left = math.nan if there is None else float(there.g @ (there.rows.motions.T @ (motion / search.size**2)))
        if not 0.5 < left / (side * value) < 1.5:
            return False
    return True


class Nearby:
    """A system that is displaced from an equilibrium, for `Valley`."""

    def __init__(self, search: Search, place: Place) -> None:
        self._search, self._first, self._place = search, place, place
        self.weight = 1.0 / search.size**2

    def go(self, delta: np.ndarray, onward: bool) -> bool:
        """Displace it, from where it is or from the equilibrium."""
        q = self._search.onto((self._place if onward else self._first).q + delta)
        there = None if q is None else self._search.at(q)
        if there is not None:
            self._place = there
        return there is not None

    def gone(self) -> np.ndarray:
        """Displacement from the equilibrium."""
        made: np.ndarray = self._place.q - self._first.q
        return made

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """Free motions and the force along them that is not balanced."""
        return self._place.rows.motions, self._place.g

    def stiffness(self, z: np.ndarray) -> np.ndarray:
        """Reduced stiffness."""
        made: np.ndarray = z.T @ self._search.slope(self._place) @ z
        return made


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
    energies = math.isnan(a.energy) or math.isclose(a.energy, b.energy, rel_tol=1e-7, abs_tol=1e-9 * search.stiffness)
    if a._flat and energies:
        return True
    flat = all(np.min(np.abs(e.eigenvalues)) <= e._zero for e in (a, b))
    return flat and search.is_one(a.state.q, b.state.q)


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
    left = np.abs(point.w) / point.size
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
