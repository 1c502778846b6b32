"""Events, contacts and dry friction in steps of one length: what holds, and what is decided where a step is cut (`solve/stepping/fixed.py`).

The user's own loop changes loads, drivers and parameters between any two steps, so that everything may have changed at the beginning of a step: a stop that would pull is let
go there, and so is what cannot stick any more.  A driver or a dimension that was set moves the machine first, gaps open and nothing sticking; then it is decided as at a start.
An event that finds itself on the other side of its level after something was set has crossed it there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import AssemblyError, ConvergenceError, MethodError
from ...kernels.memory import called
from ...kernels.watch import only_events
from ...model.events import Changes, Situation
from ...model.lagrangian import Lagrangian
from ...model.mechanism import Mechanism
from ...solve.problem import Problem
from ...solve.run import code_of, memory_of
from ...solve.status import DONE, MESSAGES, SWITCHED, TOO_MANY, TURNED
from ...solve.stepping.control import AT_ONCE
from ...solve.stepping.fixed import CHANGED, MOVED, advance, advance_watched
from ...solve.stepping.records import Step
from ...state import State
from ...system.build import HANDED, HANDED_OVER
from ...system.collect import handed_over
from ...system.system import System
from ..dynamics.consistent import check_velocities
from ..dynamics.live import Live, leading, put_loads
from ..dynamics.motion import problem_of
from ..dynamics.prepared import Prepared
from .course import Course, Settings
from .stops import START
from .surfaces import Response

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem


# changes by events, contacts and friction in one step
CHANGES = 40


@dataclass(frozen=True)
class Held:
    """What is decided at an instant: stops closed, friction that sticks or slips, what events have changed; sides of what is watched; compliant contacts that lead.

    Values of parameters and loads, which events change too; events that happen once and have; the event that stopped the motion, if one did.
    """

    situation: Situation
    sides: dict[str, float]
    leading: dict[str, str]
    values: dict[str, float]
    loads: dict[str, list[float]]
    spent: frozenset[str]
    stopped_by: str


@dataclass(frozen=True)
class Touching:
    """What holds beside a state, and memory of which the next digits depend: a motion goes on from it to the last bit.

    `first` and `steps`: steps end at first + n h, also where an event has stopped inside one.
    """

    held: Held
    first: float
    steps: int
    dropped: float
    arrays: tuple[np.ndarray, ...]


class Steps(Course):
    """A model with events, contacts or dry friction that is moved on step by step; a bounce shorter than a step is none."""

    handed = True
    stopped_by = ""  # the event that stopped it, until it is told to go on

    def __init__(self, model: Mechanism | Lagrangian, asked: str, h: float, values: dict[str, float]) -> None:
        settings = Settings(asked, h, np.zeros(0), (None, 1e-6, 1e-6, math.inf), False, None)
        super().__init__(model.beginning(), settings)
        self.shortest, self.values, self.loads = h, values, dict[str, list[float]]()

    @property
    def held(self) -> Held:
        """What holds at present."""
        sides, values, loads = dict(self.sides), dict(self.values), dict(self.loads)
        spent = frozenset(self.spent)
        return Held(self.situation, sides, dict(self.grips.leading), values, loads, spent, self.stopped_by)

    @held.setter
    def held(self, given: Held) -> None:
        if given.loads != self.loads:
            self._systems.clear()
        self.situation, self.spent = given.situation, set(given.spent)
        self.stopped_by, self.thrown = given.stopped_by, False
        self.sides, self.grips.leading = dict(given.sides), dict(given.leading)
        self.values, self.loads = dict(given.values), dict(given.loads)

    def compiled(self, variant: Mechanism | Lagrangian) -> System | LagrangeSystem:
        """A variant of the model as arrays, with the loads that were set."""
        system = super().compiled(variant)
        if isinstance(system, System):
            system.numbering = replace(system.numbering, P=system.P.copy())
        put_loads(system, system.P, self.loads)
        return system

    def load(self, loads: dict[str, list[float]]) -> None:
        """Loads that were set, in all situations."""
        self.loads |= loads
        for key, system in list(self._systems.items()):
            if key[0].laws == self.situation.laws:
                put_loads(system, system.P, loads)
            else:
                del self._systems[key]  # another law may stand in the place of the load there

    def renew(self, values: dict[str, float], loads: dict[str, list[float]]) -> None:
        """Nothing touches and nothing sticks until it is decided anew, with these values of parameters and loads; what events have changed stays."""
        if values != self.values or loads != self.loads:
            self._systems.clear()
        self.values, self.loads, self.thrown = values, loads, False
        self.situation = replace(self.situation, closed=frozenset(), slow=())
        slips = tuple(x for x in self.model.situation.slips if x[0] in self.grips.active)
        self.situation = replace(self.situation, slips=slips)
        self.sides.clear()

    def decide(self, state: State) -> State:
        """Which stops are closed and what sticks at a state, as at a start."""
        state = self.stops.touch(state, START)
        self.grips.begin(state)
        return state

    def watched(self, problem: Problem, prepared: Prepared) -> None:
        """Let a step be cut where contacts or friction change; laws that switch do so as each state says."""
        problem.friction = self.grips.friction(prepared.system)
        problem.watch = only_events(problem.watch)
        self.begin_watch(problem, prepared, prepared.state)

    def meet(self, state: State, fired: list[str]) -> State:
        """The same; a direction of slipping that is kept is kept until something else happens."""
        state = super().meet(state, fired)
        if self.stopped:
            # the motion may be told to go on: what touches and sticks after the event is decided like after any other
            self.stopped, self.stopped_by = "", self.stopped
            state = self.stops.touch(state, self.stopped_by)
            self.grips.begin(state)
        kept = {name for name, way in self.situation.slips if isinstance(way, tuple)}
        self.situation = replace(self.situation, slow=tuple(x for x in self.situation.slow if x[0] in kept))
        return state

    def striking(self, state: State) -> tuple[Any, State]:
        """The model that a blow strikes, and its state: drivers that were handed over go on as they were told."""
        model, _ = super().striking(state)
        if not isinstance(model, Mechanism):
            return model, state
        laws, own, many = dict(model.situation.laws), len(model.parts("state")), len(HANDED_OVER)
        for k, driver in enumerate(model.parts("driver")):
            told = dict(zip(HANDED_OVER, map(float, state.z[own + many * k :])))
            if told["on"]:
                names = {f"{driver.name}{HANDED}{what}": x for what, x in told.items()}
                laws[driver.name] = replace(
                    driver, expression=handed_over(driver.name, driver.expression).substitute(names)
                )
        varied = model.varied(replace(model.situation, laws=tuple(laws.items())), self.values)
        return varied, replace(state, z=state.z[:own])

    def take_back(self, state: State, changes: Changes) -> State:
        """Laws that an event changes: what was set of them holds no more."""
        if lost := self.loads.keys() & changes.change.keys():
            self.loads = {name: x for name, x in self.loads.items() if name not in lost}
            self._systems.clear()
        model, z = self.model, state.z.copy()
        if isinstance(model, Mechanism):
            first, many = len(model.parts("state")) + HANDED_OVER.index("on"), len(HANDED_OVER)
            for k, driver in enumerate(model.parts("driver")):
                if driver.name in changes.change:
                    z[first + many * k] = 0.0
        return replace(state, z=z)

    def turning(self, problem: Problem, prepared: Prepared) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Friction that slips in any direction: names, numbers of laws, and what a unit of force changes the rate by at most [1/kg, 1/(kg m2)]."""
        some = (
            [one for one in problem.friction.sliding if one.direction is None and len(one.laws) > 1]
            if problem.friction
            else []
        )
        laws, found = np.full((len(some), 3), -1, dtype=np.int64), np.zeros(len(some))
        if not some:
            return [], laws, found
        here = self.here(prepared.state)
        for k, one in enumerate(some):
            rows = np.array([here.measure(x)[1] for x in self.grips.active[one.name].slips])
            laws[k, : len(one.laws)] = one.laws
            found[k] = np.linalg.norm(Response(here).mobility(rows)[1], 2)
        return [one.name for one in some], laws, found

    def turn(self, state: State, name: str, reach: float) -> None:
        """Friction with several components that may come to rest soon: it keeps its direction until it does, or is twice as fast as its reach."""
        here = self.here(state)
        u = np.array([here.measure(x)[2] for x in self.grips.active[name].slips])
        speed, now = float(np.linalg.norm(u)), self.situation
        way = tuple(map(float, u / speed))
        slow, slips = dict(now.slow) | {name: reach}, dict(now.slips) | {name: way}
        self.situation = replace(now, slow=tuple(slow.items()), slips=tuple(slips.items()))
        self.sides[name] = 1.0


class Stepping:
    """Memory of steps of one length, and how they are made; `Stepper` is what the user sees of it."""

    model: Mechanism | Lagrangian
    h: float
    _asked: str
    _values: dict[str, float]
    _loads: dict[str, list[float]]
    _a: np.ndarray
    _c: np.ndarray
    _stages: int
    _first: float
    _leading: set[str]
    _step: Step
    _course: Steps | None

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._step.t)

    def _renew(self) -> None:
        """Decide anew what touches and sticks, after the machine was moved."""
        raise NotImplementedError

    def _begin(self, prepared: Prepared, observed: Any = None) -> None:
        """Memory of the steps; everything that a step needs is there from now on.  `observed`: as `Live`, of the same values of parameters."""
        self._now, state = prepared, prepared.state
        self.system = prepared.system
        self._leading = leading(self.system.model)
        p = self._p = problem_of(prepared, (None, 1e-6, 1e-6, math.inf))
        p.P = p.P.copy()  # numbers may be set; the system's own stay
        if self._course is not None:
            self._course.watched(p, prepared)
            self._turning = self._course.turning(p, prepared)
        self._equations, self._laws, _ = code_of(p)
        self._memory = memory_of(p, state.q, state.v, state.z, self._stages + 1)
        self._step.dropped, self._step.fresh = p.dropped, CHANGED
        mem = self._memory
        handed = 0 if isinstance(self.model, Lagrangian) else len(HANDED_OVER) * len(self.model.parts("driver"))
        # steps between which Ctrl-C is obeyed
        self._at_once = max(1, AT_ONCE // max(1, len(mem.y)))
        self._sizes = mem.q, mem.v, prepared.work.angle, mem.z[: len(mem.z) - handed]
        self._live = Live(prepared, self._memory, self._step, self._values, observed)
        self._inputs = self._live.inputs
        status = self._enter(0)
        if status != DONE:
            self._refuse(status)

    def _enter(self, count: int) -> int:
        """Make steps in machine code: how that ended."""
        now, mem, first, h = self._step, self._memory, self._first, self.h
        made: Any = advance
        given: Any = self._equations, self._a, self._c, self._stages, now, mem
        if self._course is None:
            given += first, h, count
        else:
            made = advance_watched
            given += self._p.watch, *self._turning[1:], first, h, now.steps + count
        if self._laws is None:
            return made(*given)  # type: ignore[no-any-return]
        with self._laws:
            status = made(*given)
        if self._laws.raised is not None:
            raise self._laws.raised
        return status  # type: ignore[no-any-return]

    def _run_steps(self, count: int) -> None:
        """Make steps; with events, contacts or friction a step is cut where something happens, and one that fails leaves the state before it."""
        now, course = self._step, self._course
        if course is None:
            if now.fresh == MOVED and self._now.dropped:
                self._meet_all()
            last = now.steps + count
            while True:
                status = self._enter(min(last - now.steps, self._at_once))
                if status != DONE:
                    self._refuse(status)
                if now.steps >= last:
                    return
        if count and course.stopped_by:
            raise MethodError(
                f"{self._asked}.step", f"event {course.stopped_by!r} stopped the motion at t = {self.t:.9g} s", "it stands until it is told to go on",
                "call resume(), or set live.state to go back",
            )  # fmt: skip
        if course.happened:
            course.happened.clear()
        if now.fresh == MOVED:
            self._renew()
        last, before, changes = now.steps + count, None, 0
        while True:
            try:
                status = self._enter(min(last - now.steps, self._at_once))
                if status == DONE and now.steps >= last:
                    return
                if status == DONE:
                    continue
                if before is None or before[0] != now.steps or now.tries == 0:
                    before, changes = (now.steps, *self._at_start()), 0
                changes += 1
                self._change(status if changes <= CHANGES else TOO_MANY, course)
                if course.stopped_by:
                    now.tries = 0  # what is left of the step is a step of its own
                    return
            except BaseException:
                grid = self._first, now.steps
                self._go_back(*(self._at_start() if before is None or before[0] != now.steps else before[1:]))
                self._first, now.steps = grid  # also where it had stopped inside the step
                raise

    def _meet_all(self) -> None:
        """Bring the machine onto what was set, and refuse that where rows left out as dependent contradict it."""
        before, mem = self._here(), self._memory
        status = self._enter(0)
        if status != DONE:
            self._refuse(status)
        here = self._now.at(self.t, mem.q, mem.v)
        try:
            with np.errstate(all="ignore"):
                here.check_positions(self._asked)
                check_velocities(here, self._asked)
        except AssemblyError:
            self._put(before)
            self._step.fresh = MOVED  # what was set is still to be met
            raise

    def _change(self, status: int, course: Steps) -> None:
        """Where a step was cut: what changes there, or why it does not go on."""
        now, p, here = self._step, self._p, self._here()
        with np.errstate(all="ignore"):
            if status == TURNED:
                names, laws, mobility = self._turning
                force = np.linalg.norm([called(p.I, p.F, law) for law in laws[now.other] if law >= 0])
                course.turn(here, names[now.other], float(2.0 * self.h * mobility[now.other] * force))
            elif status == SWITCHED:
                fired = [self._now.owners[p.watch.owner[now.last_switch]].part]
                if course.model.events:
                    fired = course.fired(p, self._now, fired[0], here)
                    if not any(map(course.acts, fired)):
                        course.note(here, fired)
                        return
                here = course.meet(here, fired)
            else:
                failed = (
                    p.friction.failure(self._equations.X) if p.friction is not None and len(self._equations.X) else None
                )
                if failed is not None:
                    raise failed
                self._refuse(status)
            self._begin_again(course, here)

    def _begin_again(self, course: Steps, state: State) -> None:
        """Go on from a state with what the course says there."""
        observed = self._live.observed if course.values == self._live.values else None
        self._values, self._loads = course.values, course.loads
        self._begin(course.prepared(state), observed)

    def _here(self) -> State:
        """The state at hand, inputs of drivers among its own."""
        mem = self._memory
        q, v, angles, z = (x.copy() for x in (mem.q, mem.v, self._now.work.angle, mem.z))
        return State(self.t, q, v, angles, tuple(self.system.body_names), z)

    def _at_start(self) -> tuple[State, Held]:
        """The state at the start of the step that is being made, as long as nothing has changed in it, and what holds there."""
        mem, state = self._memory, self._here()
        if self._step.tries:
            q, v, z = (x.copy() for x in self.system.parts_of(mem.error))
            state = State(self._step.t_switched, q, v, mem.next_angle.copy(), state.bodies, z)
        assert self._course is not None
        return state, self._course.held

    def _go_back(self, state: State, held: Held) -> None:
        """To a state, and what held there."""
        course = self._course
        assert course is not None
        course.held = held
        self._begin_again(course, state)
        self._put(state)

    def _put(self, state: State) -> None:
        """The numbers of a state into the memory of the steps."""
        mem, work, now = self._memory, self._now.work, self._step
        mem.q[:], mem.v[:], mem.z[: len(state.z)] = state.q, state.v, state.z
        work.angle[:], work.angle_rate[:], work.angle_time[0] = state.angles, 0.0, state.t
        # times are counted from the first one: those after a restored state are the same to the last bit
        steps = round((state.t - self._first) / self.h)
        if self._first + steps * self.h != state.t:
            self._first, steps = state.t, 0
        now.t, now.steps, now.tries, now.fresh = state.t, steps, 0, CHANGED

    def _numbers(self) -> tuple[np.ndarray, ...]:
        """Memory of which the next digits depend: that of the kernels, sizes of friction to begin with, sides and scales of what is watched."""
        p, friction = self._p, self._p.friction
        return p.F, self._equations.X, np.zeros(0) if friction is None else friction.force, p.watch.held, p.watch.scale

    def _refuse(self, status: int) -> None:
        found = f"{MESSAGES[status]} after t = {self.t:.9g} s, with a step of {self.h:g} s"
        if status == TOO_MANY and self._course is not None and self._course.happened:
            found += f"; the last ones {', '.join(repr(x.name) for x in self._course.happened[-3:])}"
        raise ConvergenceError(
            self._asked, found, "the step is too long for this motion, an input jumped too far, or the machine is at a singular position",
            "take shorter steps, change drivers and dimensions by less in a step; `stepper.state` is the state before",
        )  # fmt: skip
