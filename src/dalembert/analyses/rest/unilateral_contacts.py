"""Where a model rests on rigid stops and contacts.

    Q + sum of n_k R_k^T = J^T lam,      n_k >= 0,   gap_k >= 0,   n_k gap_k = 0         R_k = d gap_k/d(delta)

Every set of gaps that may touch is a model of its own, with these gaps closed: `Problem` finds where it balances, as if they were joints.  With one free motion left the
path also leads to where the next gap closes.  Of the places found those count in which no gap is negative, and in which pressures n >= 0 of all gaps that touch
balance the forces.  What may press is then held, and the rest judged on the motions that are left: next to an equilibrium the energy has no slope along them and grows along
all others that the gaps allow.  A gap that touches and cannot press (n = 0) does not hold: where it could make a difference the verdict is left open.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, DalembertError, MethodError
from ...model.mechanism import Mechanism
from ...state import State
from ...system.subspaces import null_space
from ...system.system import compile
from ..dynamics.dynamics import kind_of_view
from ..equilibrium import Equilibria, Equilibrium, with_states
from ..events.stops import scales
from ..events.surfaces import Surfaces, measured, surfaces
from .acting_forces import limited
from .balance import UNITS
from .bodies import shown_measures
from .problem import Problem, in_order
from .seeds import SearchReport
from .static_forces import DEPENDENT, Grip, StaticForces
from .statics import SEARCHED, Place, principal

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System


# a gap that touches at rest, in what it changes by where the model moves by its length
TOUCHES = 1e-8
# sets of touching gaps that are looked at, and starts for all of them together where there are many
SETS, STARTS = 128, 400
# random places at which paths of one free motion begin besides
BRANCHES = 6
# gaps that only touch, for which all faces of their cone are tried
FACES = 6
# part of the largest stiffness by which the share of pressures that are not unique may change another one
SHARED = 1e-9


@dataclass(frozen=True)
class Pressure:
    """What a gap that touches presses with: `value`; where the equations do not determine it, anything from `low` to `high`, and `value` of the smallest that fit."""

    value: float
    low: float
    high: float
    unit: str
    idle: bool = False  # no free motion changes its gap: joints alone would have to squeeze it

    @property
    def presses(self) -> bool:
        """Whether it may hold a free motion."""
        return self.high > 0.0 and not self.idle

    @property
    def unique(self) -> bool:
        """Whether the equations determine it."""
        return self.low == self.high

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        text = f"{self.value:.6g} {self.unit}".rstrip()
        return text if self.unique else f"{text} (not unique: {self.low:.6g} to {self.high:.6g})"


class Contacts:
    """The rigid stops of a model at rest: places at which it may be, and what presses there."""

    def __init__(self, asked: str, model: Mechanism | Lagrangian, start: State | None, method: str, t: float) -> None:
        self.asked, self.model, self.method = asked, model, method
        self.free = Problem(asked, model, start, method, None, t)
        self.begin, self.names = self.free.statics.state, list(model.stops_at_work)
        self._problems: dict[frozenset[str], Problem | None] = {frozenset(): self.free}
        system: System | LagrangeSystem = self.free.statics.system
        if isinstance(model, Mechanism):
            bodies = [model.find_measure(f"{body.name}.{x}") for body in model.bodies for x in ("angle", "x", "y", "z")]
            rubbed = [measure for one in limited(model) for measure in one.slips]
            shown = (*rubbed, *shown_measures(model), *(x for x in bodies if x is not None))
            system = compile(model, extra=(*measured(model), *shown))
        self._view: Any = kind_of_view(system).at(system, self.begin, asked)
        self.found: list[Equilibrium] = []
        self.odd: list[State] = []
        self.failed = 0  # sets whose search broke off

    def problem(self, closed: frozenset[str]) -> Problem | None:
        """The model with some gaps closed; None where these cannot close together, as far as could be found from the start."""
        if closed not in self._problems:
            variant = self.model.varied(replace(self.model.situation, closed=closed))
            try:
                made = Problem(self.asked, variant, self.begin, self.method, None, self.begin.t)
            except DalembertError:
                made = None
            self._problems[closed] = made
        return self._problems[closed]

    # -- gaps ------------------------------------------------------------------------------------------------------------

    def gaps(self, place: Place) -> tuple[Surfaces, np.ndarray]:
        """All gaps at a place, and their values in what they change by where the model moves by its length."""
        self._view.q = place[0].copy()
        self._view.work.angle[:] = place[1]
        found = surfaces(self._view, self.model)
        return found, found.value[: len(found)] / scales(self._view, found)

    def pressures(self, place: Place, s: Surfaces, touch: list[int]) -> dict[str, Pressure] | None:
        """What the gaps that touch press with; None where no pressures balance the forces."""
        statics = self.free.statics
        self.free.search.place = place
        statics.evaluate()
        rough = touch
        while True:
            grips = [Grip(s.names[k], s.rows[s.partners[k]], known=math.inf) for k in rough if s.partners[k]]
            forces = StaticForces(
                statics.force, statics.jac, 1.0 / statics.size, pushes=s.rows[touch], grips=grips, rank=SEARCHED, least=statics.largest_force()
            )  # fmt: skip
            smallest = forces.smallest()
            if smallest is None:
                return None
            found = {}
            for j, k in enumerate(touch):
                low, high = (0.0, 0.0) if j in forces.idle else forces.load(j) or (0.0, 0.0)
                unit = UNITS.get(self.model.impacts[s.names[k]].unit, "")
                found[s.names[k]] = Pressure(float(smallest[j]), low, high, unit, idle=j in forces.idle)
            # what does not press does not keep from slipping either
            pressing = [k for k in rough if found[s.names[k]].presses]
            if pressing == rough:
                return found
            rough = pressing

    # -- the search ------------------------------------------------------------------------------------------------------

    def sets(self) -> tuple[list[frozenset[str]], int]:
        """Sets of gaps to look at, and how many there are; where one free motion is left its path tells where the next gap closes."""
        most = min(self.free.statics.dof - 1, len(self.names))
        count = sum(math.comb(len(self.names), n) for n in range(most + 1))
        every = itertools.chain.from_iterable(itertools.combinations(self.names, n) for n in range(most + 1))
        return [frozenset(some) for some in itertools.islice(every, SETS)], count

    def look(self, closed: frozenset[str], starts: int | None, turns: float, seed: int) -> None:
        """Look at places at which some gaps are closed."""
        problem = self.problem(closed)
        # gaps that depend on each other leave the same places as fewer of them
        if problem is None or _places(problem) != _places(self.free) - len(closed):
            return
        walked: list[Any] = []
        statics = problem.statics
        for begin in self._begins(problem, closed, turns, seed):
            problem.search.place = begin
            if not statics.onto():
                continue
            q = problem.search.place[0]
            if any(statics.reach(statics.way(q, point.place[0])) < statics.stride for point in walked):
                continue
            if not problem.statics.dof:
                self.consider(problem.search.place)  # rough ones hold wherever they touch
                continue
            places: list[Place] = []
            try:
                made = problem.solve(starts, turns, seed)
                places = [(x.q, x.angles) for x in (*(e.state for e in made), *made.singular)]
            except ConvergenceError:
                pass  # nothing balances there
            except DalembertError:
                self.failed += 1
            walked += problem.search.path
            for place in [*places, *self._corners(problem, closed)]:
                self.consider(place)

    def _begins(self, problem: Problem, closed: frozenset[str], turns: float, seed: int) -> list[Place]:
        """Where to begin: at the start; paths of one free motion also where the model rests on some of the gaps, and at random places: on other branches."""
        begin = self.begin.q, self.begin.angles
        if problem.statics.dof > 1:
            return [begin]
        begins = [
            begin,
            *((e.state.q, e.state.angles) for e in self.found if closed.issuperset(_pressing(e.pressures))),
        ]
        random = np.random.default_rng(seed)
        for _ in range(BRANCHES if closed else 0):
            self.free.search.place = begin
            self.free.search.go_astray(random, turns)
            begins.append(self.free.search.place)
        return begins

    def _corners(self, problem: Problem, closed: frozenset[str]) -> list[Place]:
        found: list[Place] = []
        search, path = problem.search, problem.search.path
        values = np.array([self.gaps(point.place)[1] for point in path])
        for k, name in enumerate(self.names):
            corner = None if name in closed or not len(path) else self.problem(closed | {name})
            if corner is None:
                continue
            touch = np.abs(values[:, k]) <= TOUCHES
            # where a gap touches all along the path, the ends of it stand for all
            beside = ~np.append(touch[1:], False) | ~np.append(False, touch[:-1])
            places = [path[n].place for n in np.flatnonzero(touch & beside).tolist()]
            crossed = (values[:-1, k] < 0.0) != (values[1:, k] < 0.0)
            places += [
                self._closing(problem, path[n], k) for n in np.flatnonzero(crossed & ~touch[:-1] & ~touch[1:]).tolist()
            ]
            for place in places:
                corner.search.place = place
                if corner.statics.onto():
                    found.append(search.unwound(corner.search.place))
        return found

    def _closing(self, problem: Problem, a: Any, k: int) -> Place:
        """Where a gap closes on the stride from a point of a path, by halving."""
        search = problem.search
        low, high, sign = 0.0, problem.statics.stride, self.gaps(a.place)[1][k] < 0.0
        for _ in range(20):
            middle = 0.5 * (low + high)
            search.force_along(a, middle)
            low, high = (middle, high) if (self.gaps(search.place)[1][k] < 0.0) == sign else (low, middle)
        search.force_along(a, high)
        return search.place

    # -- what is found ---------------------------------------------------------------------------------------------------

    def consider(self, place: Place) -> None:
        """Keep a place that is a rest."""
        s, values = self.gaps(place)
        if not np.all(values > -TOUCHES):
            return
        pressures = self.pressures(place, s, [k for k in range(len(s)) if values[k] <= TOUCHES])
        if pressures is None:
            return
        pressing = _pressing(pressures)
        made = self._judged(place, pressing, [name for name in pressures if name not in pressing])
        if made is None:
            return
        problem = self.problem(pressing)
        assert problem is not None
        made = replace(made, pressures=pressures, multipliers=_multipliers(problem, pressures, made.multipliers))
        for n, other in enumerate(self.found):
            if _pressing(other.pressures) == pressing and problem.same(made, other):
                if len(pressures) < len(other.pressures):
                    self.found[n] = made  # one of a family that touches nothing besides
                return
        self.found.append(made)

    def _judged(self, place: Place, pressing: frozenset[str], touching: list[str]) -> Equilibrium | None:
        """The equilibrium on what presses, and what gaps that only touch leave of its verdict."""
        problem = self.problem(pressing)
        made = None if problem is None else problem.judged(place, self.odd)
        if problem is None or made is None:
            return None
        if made.verdict != "degenerate" and self._shared(problem, made):
            made = replace(
                made, verdict="degenerate", reason="pressures are not unique, and their share changes the stiffness"
            )
        if (
            not touching
            or made.verdict == "stable"
            or (made.verdict == "unstable" and self._lets_go(place, problem, made, touching))
        ):
            return problem.statics.shown(made)
        names, several = ", ".join(map(repr, touching)), len(touching) > 1
        reason = (
            f"borderline: {names} just touch{'' if several else 'es'} and press{'' if several else 'es'} with nothing"
        )
        return problem.statics.shown(
            replace(made, verdict="degenerate", reason=f"{reason}; without: {made.verdict}, {made.reason}")
        )

    def _lets_go(self, place: Place, problem: Problem, made: Equilibrium, touching: list[str]) -> bool:
        """Whether the energy falls along a motion that closes none of the gaps that only touch.

        On each face of the cone of these motions, where some of the gaps stay closed, the motions of negative stiffness are tried, both ways.
        """
        if made.reason != "stiffness" or problem.potential is None or len(touching) > FACES:
            return False
        s, _ = self.gaps(place)
        full = s.rows[[s.names.index(name) for name in touching]]
        rows = full @ made.motions
        size = np.linalg.norm(rows, axis=1)
        if not np.all(size > DEPENDENT * np.linalg.norm(full / self.free.statics.size, axis=1)):
            return False  # whether such a gap opens or closes is a matter of the second order
        rows = rows / size[:, None]
        for count in range(len(touching)):
            for some in itertools.combinations(range(len(touching)), count):
                z = null_space(rows[list(some)]) if some else np.eye(rows.shape[1])
                values, vectors = principal(z.T @ made.K @ z)
                for u in (z @ vectors[:, values < 0.0]).T:
                    if any(np.all(rows @ (way * u) >= -1e-9) for way in (1.0, -1.0)):
                        return True
        return False

    def _shared(self, problem: Problem, made: Equilibrium) -> bool:
        """Whether pressures that are not unique make a difference to the stiffness."""
        s = problem.statics
        if s.rank == len(s.scale) or not s.dof:
            return False
        lam = s.multipliers(s.force)
        first = s.tangent(made.motions, lam).mean
        size = float(np.max(np.abs(lam), initial=0.0))
        for share in (s.scale[:, None] * s.left_null()).T:
            other = s.tangent(made.motions, lam + size * share).mean
            change = float(np.max(np.abs(made.motions.T @ (other - first)), initial=0.0))
            if change > SHARED * float(np.max(np.abs(made.motions.T) @ np.abs(first), initial=0.0)):
                return True
        return False


def rest_on_contacts(
    asked: str, model: Mechanism | Lagrangian, start: State | None, options: dict[str, Any], starts: int | None, turns: float, seed: int, t: float
) -> Equilibria:  # fmt: skip
    """All rest positions of a model with rigid stops and contacts, as far as they are found."""
    stops = ", ".join(map(repr, list(model.stops_at_work)[:4]))
    for name, (value, known) in options.items():
        if value not in known:
            raise MethodError(
                asked, f"{name} = {value!r} with the rigid stop{'s' * (len(model.stops_at_work) > 1)} {stops}",
                "which gaps touch may change on the way" if name == "along" else "rest on stops is looked for set by set of touching gaps",
                f"leave {name} out{', and ask for single values of the parameter' * (name == 'along')}; or m.open them, or give contacts a stiffness=",
            )  # fmt: skip
    if with_states(model):
        raise MethodError(
            asked, f"auxiliary states with the rigid stops {stops}", "rest on stops is looked for by forces of positions alone",
            "put numbers in place of the states, or let the machine come to rest in da.simulate",
        )  # fmt: skip
    contacts = Contacts(asked, model, start, options["method"][0], t)
    sets, count = contacts.sets()
    dof = contacts.free.statics.dof
    each = starts if starts is not None or len(sets) <= 16 else max(3, STARTS // len(sets))
    for closed in sets:
        contacts.look(closed, each, turns, seed)
    if not contacts.found and not contacts.odd:
        raise ConvergenceError(
            asked, f"no rest position was found on {len(sets)} sets of touching gaps of {stops}",
            "forces drive the machine away everywhere it was tried: no pressures of the stops that touch balance them",
            "look at the forces, friction (mu=) and supports; give start= near a rest position, or more starts= and turns=",
        )  # fmt: skip
    return Equilibria.of(
        model.name,
        in_order(contacts.found, contacts.free.statics, contacts.begin.q),
        contacts.odd,
        _report(contacts, len(sets), count, dof),
    )


def _report(contacts: Contacts, looked: int, count: int, dof: int) -> SearchReport:
    number, closed = contacts.free.search.covered
    if dof == 1:
        complete = True if closed == "again" and not contacts.failed else None
        where = f"{'the whole path' if closed == 'again' else 'the path'}, {number} places, with all gaps on it; complete there on this assembly branch, but for pairs within a stride"
    else:
        complete, where = None, f"{looked} of {count} sets of touching gaps; more may exist"
    failed = f"; {contacts.failed} sets could not be looked through" if contacts.failed else ""
    return SearchReport(complete, 0, dof, looked, len(contacts.found), 0, f"search: {where}{failed}")


def _multipliers(problem: Problem, pressures: dict[str, Pressure], lam: np.ndarray) -> np.ndarray:
    """Multipliers of all rows with these pressures; those found already where they are unique.  A multiplier is minus a pressure."""
    if all(x.unique for x in pressures.values()):
        return lam
    s, names = problem.statics, list(problem.statics.system.row_parts)
    made, other = lam.copy(), np.ones(len(lam), dtype=bool)
    for name, x in pressures.items():
        if x.presses:
            row = names.index(name)
            made[row], other[row] = -x.value, False
    jac = s.jac[: len(lam)] / s.size
    made[other] = np.linalg.lstsq(jac[other].T, s.force / s.size - made[~other] @ jac[~other], rcond=1e-10)[0]
    return made


def _places(problem: Problem) -> int:
    """Dimensions of the places of a model: its free motions, and those that conditions on velocities forbid."""
    return problem.statics.displacements().shape[1]


def _pressing(pressures: dict[str, Pressure]) -> frozenset[str]:
    return frozenset(name for name, x in pressures.items() if x.presses)


def told(pressures: dict[str, Pressure]) -> str:
    """What presses, in words."""
    pressing = [f"{name} {x}" for name, x in pressures.items() if x.presses]
    touching = [name for name, x in pressures.items() if not x.presses]
    parts = [f"rests on {', '.join(pressing)}"] if pressing else []
    return "; ".join([*parts, *([f"just touches {', '.join(touching)}"] if touching else [])])
