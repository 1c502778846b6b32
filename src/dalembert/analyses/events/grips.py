"""Dry friction on the way: which elements stick, which slip, and which way.

Slipping, an element with one component has the sign of its rate, until that rate is 0.  There it sticks if it can: the force that holds the rate at 0 is at most
the static one, |lam| <= static N.  Otherwise it slips: to the side that the force could not hold.  Several elements at rest are decided together, as one
contact problem (`decision.py`).

Several components: the rates u have no sign, friction is mu N u/|u|.  Along a smooth path u does not pass 0 by chance, but friction brings it there in finite time,
with a direction that turns the faster the smaller u is.  So the direction e stays from |u| = `slow` on (`Builder.slow`, a millionth of the model's length in a
second), and the run ends where u.e = 0: what is then left of u is at most `slow` times the angle by which u turned, which is 0 on a straight line.  That is rest: it
sticks if it can, without what is left.  Following what is left, each time in its own direction, would have no end, since nothing resists across a direction that
is kept.  From rest an element slips along its acceleration, e || u' with u' = b - F A e (A its mobility, F = mu N):

    (c I + F A) e = b,   |e| = 1,   u' = c e,   c >= 0

which has one solution where the holding force A^-1 b is larger than F, and keeps that direction until |u| = 2 slow.

At rigid stops and contacts friction (`Rub`) acts while its stop is closed (`active`), pressed by its multiplier.  What presses depends on what rubs: where friction
sticks or slips in another way, `Stops.settle` decides first which stops stay closed; `begin` decides anew whenever something else has happened.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...errors import MethodError, SingularError
from ...model.events import Shared, rests
from ...model.forces._rubbing import Rub
from ...model.forces._soft_rub import SoftRub
from ...results.events import SLIP, STICK, Happening
from ...solve.friction import DryFriction, Sliding
from ...solve.integrators import method
from ...solve.problem import evaluate_at
from ...state import State
from ...system.lagrange import LagrangeSystem
from ...system.slip import slip_tables
from ..dynamics.motion import problem_of
from ..dynamics.pressure import felt_rows, pads_of, refuse_shared, still
from .decision import Decision, limit_at
from .standing import LOCATED, begins_to_turn, determined, grip_of, refuse_not_unique, refused, turning

if TYPE_CHECKING:
    from ...solve.problem import Problem
    from ...system.system import System
    from ..dynamics.dynamics import Dynamics
    from .course import Course

View = TypeVar("View", bound="Dynamics")  # of bodies or of coordinates, as it was given

# what a holding force may exceed its limit by, and an acceleration may be off, as parts of themselves
ROUNDING = 1e-9
# part of a run after which a load that grows from nothing is looked at
AHEAD = 1e-6
# a gap that touches: this part of the model's length
NEAR = 1e-12


class Grips:
    """Friction of a model on its way."""

    def __init__(self, course: Course) -> None:
        self.course = course
        # of compliant contacts that touch, by owner, the friction that acts for all gaps
        self.leading = dict[str, str]()
        # contacts whose bodies begin to turn about the normal, and how fast
        self.turns = dict[str, float]()
        self._read: tuple[Any, list[Any], list[Any], list[Any], dict[str, Any]] | None = None

    @property
    def _now(self) -> tuple[Any, list[Any], list[Any], list[Any], dict[str, Any]]:
        """Laws that events have changed, and with them friction of joints, of rigid and of compliant contacts, and all of it by name."""
        laws = self.course.situation.laws
        if self._read is None or self._read[0] is not laws:
            model = self.course.model
            model = model.varied(replace(model.situation, laws=laws)) if laws else model
            parts = [one for one in model.frictions if one.kind != "rub"]
            every = (*parts, *model.rubs, *model.soft_rubs)
            self._read = laws, parts, model.rubs, model.soft_rubs, {one.name: one for one in every}
        return self._read

    @property
    def parts(self) -> list[Any]:
        """Friction of joints and measures."""
        return self._now[1]

    @property
    def rubs(self) -> list[Any]:
        """Friction of rigid contacts and stops."""
        return self._now[2]

    @property
    def soft(self) -> list[Any]:
        """Friction of compliant contacts."""
        return self._now[3]

    @property
    def elements(self) -> dict[str, Any]:
        """All of it by name."""
        return self._now[4]

    @property
    def sizes(self) -> dict[str, Any]:
        """Friction of Lagrangian systems, by the names under which its sizes are watched."""
        return {one.size_name: one for one in (*self.parts, *self.rubs) if one.size_name}

    @property
    def active(self) -> dict[str, Any]:
        """Elements at work: those of stops only while these are closed."""
        now = self.course.situation
        found = [one for one in self.parts if one.name not in now.absent and not now.absent & set(one.pressed_by)]
        rubs = [rub for rub in self.rubs if rub.owner.name not in now.absent and rub.leads(now.closed, now.apart)]
        found += [rub.within(now.closed, now.apart) for rub in rubs]
        leading = set(self.leading.values())
        found += [rub for rub in self.soft if rub.name in leading and not rub.absent(now)]
        return {one.name: one for one in found}

    def begin(self, state: State) -> None:
        """Decide about all elements at the start, or after velocities may have jumped."""
        if self.elements:
            self._touch(state)
            self._put(dict.fromkeys(self.active, 1))
            refuse_shared(
                self.course.asked, [one for one in self.parts if one.name in self.active], self.course.here(state)
            )
            self._decide(state, {}, told=False)

    def loosen(self) -> None:
        """In a blow nothing is held but by impulses: what sticks is let go."""
        now, gone = self.course.situation, {one.name for one in (*self.parts, *self.soft)}
        slips = tuple((name, 1 if rests(way) and name in gone else way) for name, way in now.slips)
        self.course.situation = replace(now, slips=slips)

    def let_go(self, state: State, signs: dict[str, int]) -> Dynamics:
        """The model without closed gaps and what sticks; friction of joints slips these ways."""
        now = self.course.situation
        self.course.situation = replace(now, slips=tuple(signs.items()))
        here = self.course.here(state, closed=False)
        self.course.situation = now
        return here

    def beside(self, state: State, closed: frozenset[str], forced: dict[str, Any]) -> Decision:
        """What gaps that touch and do not move do beside all friction; `forced` friction has reached its limit."""
        now = self.course.situation
        self.course.situation = replace(now, closed=closed)
        rubs = {rub.name for rub in self.rubs}
        rates = {
            name: way for name, way in self._rates(state, dict(now.slips)).items() if name not in rubs or name in forced
        }
        found = Decision(self, state, rates, {name: way for name, way in forced.items() if name in rates}, closed)
        self.course.situation = now
        return found

    def happen(self, state: State, name: str) -> State:
        """An element has come to rest, or cannot hold any more; or a compliant contact has touched or opened."""
        if self._touch(state):
            self._decide(state, {}, told=False)
            return state
        if name not in self.active:
            return state  # its stop has just opened
        forced = {}
        if dict(self.course.situation.slips)[name] == 0 and not self._carried(state, name):
            if self._shared_anew(state, name):
                return state
            forced[name] = self._pulled(state, name) if self.active[name].together else None
        if self.rubs:
            # what presses depends on what rubs
            state = self.course.stops.settle(state, name, forced)
        self._decide(state, {name: way for name, way in forced.items() if name in self.active})
        return state

    def refuse_size(self, state: State, name: str) -> None:
        """A size that is watched falls through 0."""
        error = self.sizes[name].no_size(f"its size falls below 0 at t = {state.t:.9g} s")
        error.t = state.t
        raise error

    def _touch(self, state: State) -> bool:
        """Find out which compliant contacts with friction touch; whether that has changed."""
        if not self.soft:
            return False
        before, gaps, here = dict(self.leading), dict[str, list[str]](), self.course.here(state, closed=False)
        for rub in (rub for rub in self.soft if not rub.absent(self.course.situation)):
            value, _, rate = here.measure(rub.gap)
            near, none = NEAR * here.system.length, still(here, rub.gap)
            if value < -near or (value <= near and rate <= none):
                gaps.setdefault(rub.key, []).append(rub.name)
        self.leading = {
            owner: before[owner] if before.get(owner) in names else names[0] for owner, names in gaps.items()
        }
        self.course.sides.update(dict.fromkeys((rub.name for rub in self.soft), 1.0))
        return self.leading != before

    def friction(self, system: System | LagrangeSystem) -> DryFriction | None:
        """Forces of what slips, for a run of a compiled model."""
        found = sliding(list(self.active.values()), system) if self.elements else []
        return DryFriction(found, self.course.asked, slip_tables) if found else None

    # -- deciding --------------------------------------------------------------------------------------------------------

    def _decide(self, state: State, forced: dict[str, Any], told: bool = True) -> None:
        """Choose for every element; `forced` ones have reached their limit, pulled that way."""
        before, self.turns = dict(self.course.situation.slips), {}
        self._part(state)
        ways = self._chosen(state, before, forced)
        if self.turns:
            self._part(state)
            ways = self._chosen(state, before, forced)
        self._put(ways)
        here = self.course.here(state)
        refuse_not_unique(self.course.asked, list(self.active.values()), here)
        for name, way in ways.items():
            self.active[name].check_at(way, here)
            # the side on which its rate, or what is left before it slips, begins
            self.course.sides[name] = self.elements[name].side(way)
            if told and _did(self.active[name], before) != _kind(way):
                several = len(self.elements[name].slips) > 1
                text = "sticks" if rests(way) else "slips" if several else f"slips {'up' if way > 0 else 'down'}"
                what = STICK if rests(way) else SLIP
                self.course.enter(Happening(state.t, name, what, text, state, state))

    def _part(self, state: State) -> None:
        """Let the closed gaps of a contact rub each by its own where the body turns about the normal and what presses is determined; else together."""
        now, apart = self.course.situation, set(self.turns)
        led: list[Any] = [rub.within(now.closed) for rub in self.rubs if rub.spin is not None and rub.leads(now.closed)]
        here = self.course.here(state) if led else None
        for one in led:
            if here is None or not (spin := turning(one, here)):
                continue
            if not determined(one, here):
                found = f"it slides on {len(one.pressing)} closed gaps and turns about the normal by {spin:.6g} rad/s"
                raise refused(self.course.asked, state.t, one.name, found)
            apart.add(one.owner.name)
        self.course.situation = replace(now, apart=frozenset(apart))

    def _join(self, ways: dict[str, Any]) -> dict[str, Any]:
        """Gaps of one contact two of which rest do not turn: they stick together, what is left of their rates is none."""
        now = self.course.situation
        owners = [rub.owner.name for rub in self.rubs if now.apart and ways.get(rub.name) == 0]
        joined = {owner for owner in now.apart if owners.count(owner) > 1}
        self.course.situation = replace(now, apart=now.apart - joined)
        resting = {rub.name for rub in self.rubs if rub.owner.name in joined}
        return {name: 0 if name in resting else ways[name] for name in self.active}

    def _chosen(self, state: State, before: dict[str, Any], forced: dict[str, Any]) -> dict[str, Any]:
        """The way of every element; where a body that slides begins to turn, that is in `turns`, and they are to be chosen again."""
        rates = self._join(self._rates(state, before))
        self._refuse_soft(state, [name for name, way in rates.items() if not way])
        rest = [name for name in rates if not rates[name]]
        ways = rates
        if rest:
            found = Decision(self, state, rates, barely=forced)
            if len(rest) == len(rates) and not np.any(found.problem.b):
                # nothing pulls yet: shares are those of what is about to
                soon = state.t + AHEAD * (self.course.settings.t1 - state.t)
                later = Decision(self, replace(state, t=soon), rates)
                found = later if later.answer is not None else found
            if found.answer is None:
                raise self._no_choice(state, rest)
            ways = found.shared(found.ways())
        self._check_groups(state, ways, rest, forced)
        return ways

    def _shared_anew(self, state: State, name: str) -> bool:
        """Where others that are not at their limit can hold what an element holds that has come to its limit: it stays there, and they hold."""
        ways = dict(self.course.situation.slips)
        if not any(isinstance(way, Shared) for way in ways.values()):
            return False
        found = Decision(self, state, {x: 0 if rests(way) else way for x, way in ways.items()}, solved=False)
        found.take(*self._problem_solved(state, ways), ways)
        made = found.shared({x: 0 if rests(way) else way for x, way in ways.items()})
        if made[name] == 0 or found.least_slack < LOCATED:
            return False
        self._put(made)
        self.course.sides |= {x: self.elements[x].side(way) for x, way in made.items()}
        return True

    def _problem_solved(self, state: State, ways: dict[str, Any]) -> tuple[Any, np.ndarray]:
        """The model with a choice at a state, and its multipliers."""
        problem, here = self._problem(state, ways)
        self._solve(problem, here)
        return here, here.work.lam.copy()

    def _rates(self, state: State, before: dict[str, Any]) -> dict[str, Any]:
        """The way that each element slips by its rates, 0 where these are none."""
        rubs = {rub.name for rub in self.rubs}
        here = self.let_go(state, {name: 1 for name in self.active if name not in rubs})
        found: dict[str, Any] = {}
        for name, one in self.active.items():
            none = still(here, one.on)
            u = np.array([here.measure(measure)[2] for measure in one.slips])
            speed = float(np.linalg.norm(u))
            if len(u) == 1:
                found[name] = 0 if speed <= none else 1 if u[0] > 0.0 else -1
                continue
            assert not isinstance(here.system, LagrangeSystem)  # coordinates rub along one expression each
            slow = here.system.builder.slow(one)
            if speed <= max(none, 1e-3 * slow) or (speed <= slow and _passed(_before(one, before), u, none)):
                found[name] = 0
            else:
                found[name] = 1 if speed > 1.5 * slow else tuple(map(float, u / speed))
        return found

    def _check_groups(self, state: State, ways: dict[str, Any], rest: list[str], forced: dict[str, Any]) -> None:
        """What is followed in one share only: several components that stick in several places, where rows that depend on others are left out; several gaps of one contact in space."""
        groups = [(name, one) for name, one in self.active.items() if one.together]
        wide = [
            (name, one)
            for name, one in self.active.items()
            if len(one.slips) > 1 and ways[name] == 0 and not one.together
        ]
        if not groups and rest and len(wide) < 2:
            self._put(ways)
            return
        problem, here = self._problem(state, ways)
        # where there is nothing to choose, equations without a solution say why
        a = self._solve(problem, here)
        lam = here.work.lam.copy()
        if any(here.dropped[here.system.rows_of(name)].any() for name, _ in wide):
            for name, one in wide:
                limit = limit_at(one, here, lam)
                held = float(np.linalg.norm(lam[here.system.rows_of(name)]))
                if held > limit * (1.0 - LOCATED * (name in forced)) + ROUNDING * float(np.max(np.abs(lam))):
                    found = f"{', '.join(repr(x) for x, _ in wide)} stick together, and hold more than can move there; in one share it would hold {held:.6g} of at most {limit:.6g}"
                    raise refused(self.course.asked, state.t, name, found)
        for name, one in groups:
            if ways[name] == 0:
                grip = grip_of(one, here, lam[here.system.rows_of(name)], -lam[felt_rows(one, here.system)])
                if grip.beyond > ROUNDING:
                    raise refused(self.course.asked, state.t, name, str(grip))
            elif spin := begins_to_turn(one, here, a, second_rates(here, one, a)[1]):
                if name in rest or not determined(one, here):
                    found = f"it slides on {len(one.pressing)} closed gaps and begins to turn about the normal by {spin:.6g} rad/s^2"
                    raise refused(self.course.asked, state.t, name, found)
                self.turns[one.owner.name] = spin

    def _carried(self, state: State, name: str) -> bool:
        """Return True if other rows alone (of a driver) have set in motion what sticks."""
        one, here = self.active[name], self.course.here(state)
        if not here.dropped[here.system.rows_of(name)].any():
            return False
        return float(np.linalg.norm([here.measure(x)[2] for x in one.slips])) > still(here, one.on)

    def _pulled(self, state: State, name: str) -> np.ndarray:
        """The direction in which a body is pulled that sticks with several gaps; refused where it might turn instead."""
        here, lam = self._problem_solved(state, dict(self.course.situation.slips))
        one, own = self.active[name], lam[here.system.rows_of(name)]
        grip = grip_of(one, here, own, -lam[felt_rows(one, here.system)])
        if grip.force < (1.0 - LOCATED) * grip.limit:
            raise refused(self.course.asked, state.t, name, str(grip))
        return np.asarray(own[:2] / np.linalg.norm(own[:2]))

    def _problem(self, state: State, ways: dict[str, Any]) -> tuple[Any, Any]:
        """The equations with a choice, at a state; directions are not part of what is compiled."""
        self._put({name: 1 if isinstance(way, tuple) else way for name, way in ways.items()})
        prepared = self.course.prepared(state)
        problem = problem_of(prepared, self.course.settings.numbers)
        problem.friction = friction = self.friction(prepared.system)
        for name, way in ways.items():
            if friction is not None and isinstance(way, tuple):
                friction.turn(name, np.array(way))
        begin = prepared.state
        return problem, prepared.at(begin.t, begin.q, begin.v)

    @staticmethod
    def _solve(problem: Problem, here: Dynamics) -> np.ndarray:
        """Accelerations, with multipliers in memory."""
        a = np.zeros(here.system.nv)
        evaluate_at(problem, here.t, here.q, here.v, a)
        return a

    def _put(self, ways: dict[str, Any]) -> None:
        slips = tuple((name, ways[name]) for name in self.active)
        self.course.situation = replace(self.course.situation, slips=slips)

    def _refuse_soft(self, state: State, rest: list[str]) -> None:
        """Refuse gaps of one compliant contact in space that rest together: what holds them along the surface is rigid, and shared at will."""
        keys = [(rub.owner.name, rub.name) for rub in self.soft if rub.name in rest and rub.key == rub.name]
        for owner, name in keys:
            together = [other for part, other in keys if part == owner]
            if len(together) > 1:
                found = f"{', '.join(map(repr, together))} come to rest together, and hold more than can move there"
                do = "give the contact without stiffness=, where it is known for a body that does not turn, or let it stand on one point; error.result has what was computed until then"
                raise refused(self.course.asked, state.t, name, found, do)

    def _no_choice(self, state: State, names: list[str]) -> SingularError:
        error = SingularError(
            f"{self.course.asked}: friction {', '.join(map(repr, names))} at t = {state.t:.9g} s",
            "neither sticking nor slipping either way satisfies the equations",
            "friction that raises its own reaction leaves no motion of rigid bodies (Painleve's paradox), or the machine jams at an instant",
            "lower mu, change the geometry, or let a joint yield (a bushing); error.result has what was computed until then",
        )  # fmt: skip
        error.t = state.t
        return error


def decided(here: View, asked: str, all_held: bool = False) -> View:
    """A model at a state with stops and friction as `simulate` would begin there: gaps that press and what sticks are held, forces of what slips are in memory.

    `all_held`: also gaps that press with nothing in one share of loads and with something in another.
    """
    return decide(here, asked, all_held)[0]


def decide(here: Any, asked: str, all_held: bool = False) -> tuple[Any, dict[str, Any]]:
    """The same, and what friction does there, as in `Situation.slips`; of `here` only system and state are asked."""
    from .course import Course, Settings
    from .stops import START

    model, state = here.system.model, here.state
    rubbing = bool(model.frictions or model.soft_rubs)
    if not rubbing and not model.stops_at_work:
        return here, {}
    course = Course(
        model, Settings(asked, state.t + 1.0, np.array([state.t]), (method(8), 1e-8, 1e-10, math.inf), False, None)
    )
    grips = course.grips
    after = course.stops.touch(state, START)
    if not np.array_equal(after.v, state.v):
        raise MethodError(
            asked, f"{course.happened[0].name!r} closes at this state: {course.happened[0].text}", "in a blow there are impulses, and no forces yet",
            "ask at a state after it, such as run.at(t), or give the bodies velocities along the surfaces",
        )  # fmt: skip
    if all_held and model.stops_at_work:
        closed = course.situation.closed | course.stops.sharing(state)
        course.situation = replace(course.situation, closed=closed)
    if not rubbing and not course.situation.closed:
        return here, {}
    grips.begin(state)
    ways = dict(course.situation.slips)
    problem, here = grips._problem(state, ways)
    grips._solve(problem, here)
    return here, ways


def _kind(way: Any) -> Any:
    """What is told apart: sticking, slipping, and with one component which way."""
    return 1 if isinstance(way, tuple) else 0 if way is not None and rests(way) else way


def driven_friction(elements: list[Any], here: Dynamics, a: np.ndarray, asked: str) -> DryFriction:
    """Friction against the rates of a motion that is given, at accelerations a; where rates are none, against those that are about to be, and 0 at rest."""
    made = DryFriction(sliding(elements, here.system, driven=True), asked, slip_tables)
    for one in set(elements) - set(leading(elements, here)):
        made.leave_out(one.name)
    for one in elements:
        rates = np.array([here.measure(measure)[2] for measure in one.slips])
        if np.linalg.norm(rates) <= still(here, one.on):
            second, size = second_rates(here, one, a)
            length = float(np.linalg.norm(second))
            made.turn(one.name, second / length if length > ROUNDING * size else np.zeros(len(rates)))
        elif isinstance(here.system, LagrangeSystem):
            made.turn(one.name, np.sign(rates))
    return made


def leading(elements: list[Any], here: Dynamics) -> list[Any]:
    """Friction that acts: of the gaps of a compliant contact that touch, the first has that of all of them, as where a run begins."""
    found: dict[str, Any] = {}
    for one in elements:
        if not isinstance(one, SoftRub):
            found[one.name] = one
        elif here.measure(one.gap)[0] < 0.0:
            found.setdefault(one.key, one)
    return list(found.values())


def second_rates(here: Dynamics, one: Any, a: np.ndarray) -> tuple[np.ndarray, float]:
    """Second rates of what slips, at accelerations a, and the size of what they are the sum of."""
    found, size = [], 0.0
    for measure in one.slips:
        _, row, _ = here.measure(measure)
        bias = here.bias(measure)
        found.append(float(row @ a + bias))
        size = max(size, float(np.abs(row) @ np.abs(a)) + abs(bias))
    return np.array(found), size


def _before(one: Any, before: dict[str, Any]) -> Any:
    """What an element did, or that which acted in its place."""
    return next((before[name] for name in (one.name, *one.beside) if name in before), None)


def _did(one: Any, before: dict[str, Any]) -> Any:
    """The kind of that: gaps that stick together now did slip where any of them did."""
    found = [_kind(before[name]) for name in (one.name, *one.beside) if name in before]
    return next(filter(None, found), 0) if found and one.together else next(iter(found), None)


def _passed(way: Any, u: np.ndarray, none: float) -> bool:
    """Whether rates have come to the end of a direction that was kept."""
    return isinstance(way, tuple) and float(u @ np.array(way)) <= none


def sliding(
    elements: list[Any], system: System | LagrangeSystem, at_rest: bool = False, driven: bool = False, ways: Any = None
) -> list[Sliding]:
    """Elements that slip in the situation of a compiled model, or these `ways`; `at_rest`, with what they hold at most; `driven`, all of them against rates that are given."""
    if isinstance(system, LagrangeSystem):
        return _sliding_coordinates(elements, system, at_rest)
    if ways is None:
        ways = dict.fromkeys((one.name for one in elements), 1) if driven else dict(system.model.situation.slips)
    value, laws = system.number, dict[tuple[str, str], int]()
    for n, law in enumerate(system.builder.laws):
        if law.law.kind == "slip":
            laws[law.part, law.measure.name] = n
    found = []
    for one in elements:
        way = ways[one.name]
        if way:
            rows = tuple(felt_rows(one, system))
            pads = pads_of(one, system)
            at_limit = at_rest or isinstance(way, Shared)
            size = one.holding(value) if at_limit else one.kinetic(value)
            fixed = np.array(way if isinstance(way, tuple) else (float(way),))
            direction = None if driven or (len(one.slips) > 1 and way == 1) else fixed
            part = one.owner.name if one.kind == "rub" else one.name
            own = tuple(laws[part, measure.name] for measure in one.slips)
            gaps: tuple[int, ...] = ()
            if isinstance(one, SoftRub):
                size, gaps = one.size(value, at_limit), _gap_laws(one, system)
            island = system.island_of(system.builder.laws[own[0]].row)
            whole = Sliding(one.name, own, direction, size, pads, rows, gaps, island=island)
            if driven and isinstance(one, Rub):
                # gaps that would have to pull are told by the motion, and not taken as pressing meanwhile
                whole = replace(whole, pads=(-np.ones((1, len(rows))),), signed=True)
            found += [whole] if not one.together else [
                # each gap with what presses there, all against one velocity
                replace(whole, laws=tuple(laws[part, x.name] for x in slips), rates=own, pads=(-np.ones((1, 1)),), rows=(row,), signed=True)
                for slips, row in zip(one.sliding(), rows)
            ]  # fmt: skip
    return found


def _gap_laws(one: SoftRub, system: System) -> tuple[int, ...]:
    """Laws of the gaps of a compliant contact."""
    laws = {law.measure.name: n for n, law in enumerate(system.builder.laws) if law.part == one.contact and law.law.kind != "slip"}  # fmt: skip
    return tuple(laws[gap.name] for gap in one.gaps)


def _sliding_coordinates(elements: list[Any], system: LagrangeSystem, at_rest: bool) -> list[Sliding]:
    """The same of a Lagrangian system: forces of a constant size stand in its equations, others have their sizes among its parameters."""
    value, names, found, ways = system.number, list(system.model.parameters), [], dict(system.model.situation.slips)
    for one in (one for one in elements if one.size_name in names):
        rows = tuple(felt_rows(one, system))
        pads = pads_of(one, system)
        size = one.holding(value) if at_rest or isinstance(ways.get(one.name), Shared) else one.kinetic(value)
        found.append(Sliding(one.name, (names.index(one.size_name),), np.ones(1), size, pads, rows))
    return found
