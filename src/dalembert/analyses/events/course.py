"""A run through events: parts with a situation each, one after the other, and what happens between them.

Every part is an ordinary run of the model in its situation (`Situation`: joints at work, gaps closed, coordinates locked; values of parameters).  It ends
at an instant that the time loop has located; here it is decided what changes there, and the next part begins with the state after it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError
from ...kernels.watch import EVENT as WATCHED
from ...kernels.watch import MULTIPLIER
from ...model.mechanism import Mechanism
from ...results.events import CROSSED, SLIP, STICK, Happening, Happenings
from ...results.record import Record, kind_of
from ...solve import run
from ...solve.integrators._base import EXPLICIT
from ...solve.leap import in_equal_steps
from ...solve.run import STOP
from ...solve.status import DONE, EVENT, METHOD
from ...state import State
from ...system.known import known
from ...system.lagrange import compile_lagrangian
from ...system.system import compile
from ..dynamics.crossings import Positions
from ..dynamics.dynamics import Dynamics, view
from ..dynamics.jumps import after_switch
from ..dynamics.motion import limit_steps, problem_of, revising
from ..dynamics.outputs import hold_left_out
from ..dynamics.prepared import Prepared
from ..dynamics.pressure import refuse_not_unique
from ..dynamics.start import prepare
from .actions import act
from .grips import Grips
from .inside import Logged, LoopLog, stops_inside
from .levels import forces_in, levels, widen
from .modes import Hybrid, fits
from .stops import START, Stops
from .surfaces import measured

if TYPE_CHECKING:
    from ...model.events import Changes
    from ...model.lagrangian import Lagrangian
    from ...solve.problem import Problem
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System


# happenings at one instant, and in all, beyond which a run would not come to an end
AT_ONCE, IN_ALL = 50, 200_000
# compiled modes that are kept: some occur again, those with numbers of an instant do not
KEPT = 64


@dataclass
class Settings:
    """What all parts of a run have in common."""

    asked: str
    t1: float
    times: np.ndarray
    numbers: tuple[Any, float, float, float]
    every_step: bool
    progress: Any
    sampled: Any = None  # makes the controller of a part
    step: float | None = None  # steps of one length


class Course:
    """A model on its way: its situation, the parts so far, and what has happened."""

    shortest = 0.0  # a bounce that lasts no longer is none [s]; the tiniest are none anyway
    thrown = False  # whether velocities jumped where the last part ended
    handed = False  # whether drivers may be handed over to the user's loop

    def __init__(self, model: Mechanism | Lagrangian, settings: Settings) -> None:
        self.model, self.settings, self.asked = model, settings, settings.asked
        self.situation, self.values = model.situation, dict[str, float]()
        self.pieces: list[Record] = []
        self.happened = Happenings()
        self.sides: dict[str, float] = {}
        self.spent: set[str] = set()  # events that happen once, and have
        self.carried: dict[
            str, float
        ] = {}  # sides on which events begin wherever they are: what was set from outside may have crossed them
        self.met: set[str] = set()  # what happened at the last instant
        self.stopped = ""  # the event that stopped it
        # of a mechanism as long as it stays as it is
        kept = known(model) if isinstance(model, Mechanism) and not self.handed else {}
        self._systems: dict[Any, Any] = kept.setdefault("systems of modes", {})
        self._hybrids: dict[Any, Hybrid] = kept.setdefault("hybrids", {})
        self.stiff = False  # whether a method has been asked for that changes no modes
        self.parts: list[Any] = []  # situations of the parts
        self.stops, self.grips = Stops(self), Grips(self)

    # -- situations ------------------------------------------------------------------------------------------------------

    def system(self, closed: bool = True) -> System | LagrangeSystem:
        """The compiled model in the present situation; without the gaps that are closed, if so asked."""
        situation = self.situation if closed else self.situation.opened({rub.name for rub in self.grips.rubs})
        key = situation, tuple(sorted(self.values.items()))
        if key not in self._systems:
            while len(self._systems) >= KEPT:
                del self._systems[next(iter(self._systems))]
            self._systems[key] = self.compiled(self.model.varied(situation, self.values))
        return self._systems[key]

    def compiled(self, variant: Mechanism | Lagrangian) -> System | LagrangeSystem:
        """A variant of the model as arrays."""
        if isinstance(variant, Mechanism):
            groups = {rub.owner.name: rub for rub in variant.rubs if rub.spin is not None}
            shared = (x for rub in groups.values() for x in rub.watched())
            return compile(variant, extra=(*measured(variant), *shared), handed=self.handed, watching=True)
        return compile_lagrangian(variant, self.asked, watching=True)

    def hybrid(self) -> Hybrid | None:
        """The model with the rows of all modes, where the loop can change them; None where it is compiled mode by mode."""
        given, method = self.settings, self.settings.numbers[0]
        if given.step is not None or given.sampled or self.stiff or method is None or method.kind != EXPLICIT:
            return None
        if not isinstance(self.model, Mechanism) or not fits(self.model, self.situation):
            return None
        base = replace(self.situation, closed=frozenset(), slips=())
        key = base, tuple(sorted(self.values.items()))
        if key not in self._hybrids:
            while len(self._hybrids) >= KEPT:
                del self._hybrids[next(iter(self._hybrids))]
            self._hybrids[key] = made = Hybrid(self, self.model, base)
            del made.course
        # what is known of the model is shared by its runs, what belongs to one run is not
        found = copy.copy(self._hybrids[key])
        found.course = self
        return found if found.usable else None

    def prepared(self, state: State) -> Prepared:
        """The model in its situation, ready to run from a state."""
        system = self.system()
        if self.situation.closed or any(way == 0 for _, way in self.situation.slips):
            # gaps touch to what they are told from 0 by; closed, they are at 0, and so are rates of what sticks
            here = self.here(state)
            here.settle()
            state = replace(state, q=here.q, v=here.v)
        return prepare(system.model, state.t, state, self.asked, system=system)

    def here(self, state: State, closed: bool = True) -> Dynamics:
        """The model at a state, its dependent rows found."""
        system = self.system(closed)
        work = system.workspace()
        if len(state.angles):
            work.angle[:], work.angle_time[0] = state.angles, state.t
        if len(state.z):
            work.state[:] = state.z
        made = view(system, state.t, state.q, state.v, work)
        made.scales()
        made.detect(self.asked)
        return made

    def striking(self, state: State) -> tuple[Any, State]:
        """The model that a blow strikes, gaps open, and its state."""
        return self.system(closed=False).model, state

    def take_back(self, state: State, changes: Changes) -> State:
        """The state with laws that change taken back from the user's loop, which a run has none of."""
        return state

    # -- parts -----------------------------------------------------------------------------------------------------------

    def go(self, state: State) -> None:
        """Run from a state to the end, or until an event stops it."""
        state = self.stops.touch(state, START)
        self.grips.begin(state)
        while True:
            stiff = self.stiff
            state, fired = self.part(state)
            if self.stiff != stiff:
                continue
            if not fired:
                return
            self.guard(state.t)
            state = self.meet(state, fired)
            if self.stopped:
                return

    def meet(self, state: State, fired: list[str]) -> State:
        """What was located at an instant, and what follows from it: the state after it."""
        # what the loop has logged at the same instant was met there, too
        logged = (x.name for x in self.happened[-AT_ONCE:] if x.t == state.t and isinstance(x, Logged))
        before, self.met = state.v, {*fired, *logged}
        for name in fired:
            state = self.stops.release(state, name) if name in self.situation.closed else self.happen(state, name)
        if not self.stopped and any(name not in self.grips.elements for name in fired):
            self.grips.begin(state)
        self.thrown = not np.array_equal(before, state.v)
        return state

    def part(self, state: State) -> tuple[State, list[str]]:
        """One part of the run: the state at its end, and the events that ended it."""
        given, fired = self.settings, list[str]()
        hybrid = self.hybrid()
        ready = None if hybrid is None else hybrid.prepared(state)
        hybrid = None if ready is None else hybrid
        prepared, begun = self.prepared(state) if ready is None else ready, self.situation
        self.parts.append(self.situation if hybrid is None else hybrid.situation)
        prepared.squeezed = self.stops.squeezed
        begin = prepared.state
        problem = problem_of(prepared, given.numbers)
        problem.keep_all = given.every_step
        problem.friction = self.grips.friction(prepared.system) if hybrid is None else hybrid.friction()
        if given.step is not None:
            in_equal_steps(problem, given.step, float(self.pieces[0].trace.kept.t[0]) if self.pieces else begin.t)
        limit_steps(problem, given.t1 - begin.t)
        if given.step is None and not given.sampled:
            first = float(self.pieces[0].trace.kept.t[0]) if self.pieces else begin.t
            problem.watch = problem.watch._replace(clock=np.array([first]))
        if hybrid is not None:
            hybrid.begin(problem, prepared)
        self.begin_watch(problem, prepared, begin)
        if hybrid is not None:
            hybrid.put(problem, prepared)
        else:
            problem.stops = stops_inside(self, problem, prepared) or problem.stops
        law_switched = after_switch(prepared, self.asked, False)

        def switched(t: float, q: np.ndarray, v: np.ndarray, number: int) -> object:
            owner = prepared.owners[number]
            if owner.role != "event":
                return law_switched(t, q, v, number)
            here = State(
                t,
                q.copy(),
                v.copy(),
                prepared.work.angle.copy(),
                tuple(prepared.system.body_names),
                prepared.work.state.copy(),
            )
            fired[:] = self.fired(problem, prepared, owner.part, here)
            return STOP if any(self.acts(name) for name in fired) else self.note(here, fired)

        times = given.times[given.times > state.t] if self.pieces else given.times
        revised = revising(prepared, problem, self.asked)
        sampling = given.sampled and given.sampled(prepared)
        trace = run.integrate(
            problem, begin.t, begin.q, begin.v, given.t1, times, given.progress, revised, switched, z0=begin.z,
            sampling=sampling, crossed=Positions(prepared, self.asked), noted=LoopLog(self, prepared, problem, hybrid).note,
        )  # fmt: skip
        piece = kind_of(prepared.system).from_trace(prepared, problem, trace)
        piece.situation = begun
        piece.complete = not trace.interrupted and trace.status in (0, EVENT, METHOD)
        if prepared.ever_dropped:
            hold_left_out(piece)
        self.pieces.append(piece)
        if trace.error is not None:
            raise trace.error
        q, v, z = (x.copy() for x in prepared.system.parts_of(trace.kept.y[-1]))
        if trace.status == METHOD:
            self.stiff = True
            for name, side in self.sides_in(problem, prepared).items():
                self.sides[name] = side or self.sides.get(name, side)
        end = State(trace.step.t, q, v, trace.kept.angle[-1].copy(), tuple(prepared.system.body_names), z)
        if trace.status == DONE and piece.complete and begin.t < end.t:
            # what is reached at the very end belongs to the run that ends there: one that goes on from it begins beyond
            fired = self.fired(problem, prepared, "", end)
            if not any(self.acts(name) for name in fired):
                self.note(end, fired)
                fired = []
        return end, fired if trace.status in (DONE, EVENT) else []

    def sides_in(self, problem: Problem, prepared: Prepared) -> dict[str, float]:
        """Sides of events as the time loop has left them."""
        w = problem.watch
        every = ((prepared.owners[w.owner[n]].part, float(w.held[n])) for n in np.flatnonzero(w.kind == WATCHED))
        return {name: side for name, side in every if name in self.model.events}

    def begin_watch(self, problem: Problem, prepared: Prepared, begin: State) -> None:
        """Sides of events at the start of a part: those that they are on or were left on; stops are open, or press."""
        w = problem.watch
        if np.any(w.rate_only >= MULTIPLIER):
            forces = np.abs([*self.multipliers(problem, begin), *getattr(prepared.work, "force", ())])
            w.scale[w.rate_only >= MULTIPLIER] = 100.0 * (float(np.max(forces, initial=0.0)) or 1.0)
        for level in levels(problem, prepared.owners, begin.t, begin.q, begin.v):
            side, event = level.side, level.name in self.model.events
            if abs(level.value) <= 10.0 * level.near:
                # what has just happened, and what a blow at the level throws back or on, has to leave the level before it can cross it
                again = level.name in self.met or (self.thrown and bool(level.rate))
                first = level.name not in self.sides and abs(level.value) <= level.near
                side = 0.0 if event and (again or first) else self.sides.get(level.name, side)
            if event and (felt := forces_in(w, level.number)):
                refuse_not_unique(self.asked, level.name, prepared, begin, w, felt)
                # where forces are none at the start, what they have to grow by is a scale for them
                w.scale[felt] = np.maximum(w.scale[felt], 100.0 * abs(level.value))
                # forces jump where something else happens, and so over a level
                side = side if level.name in self.met else self.sides.get(level.name, side)
            if level.name in self.grips.elements:
                side = self.sides[level.name]
                if side * level.value < 0.0:
                    # a rate that is none begins on the wrong side by what rounding of time leaves of it: it is not known better than that
                    widen(w, level, abs(level.value))
            w.held[level.number] = 1.0 if level.name in self.model.impacts else self.carried.get(level.name, side)
            self.sides[level.name] = float(w.held[level.number])

    @staticmethod
    def multipliers(problem: Problem, state: State) -> np.ndarray:
        """Multipliers at a state."""
        from ...kernels.memory import multipliers

        run.evaluate_at(problem, state.t, state.q, state.v, np.zeros(len(state.v)))
        return multipliers(problem.I, problem.F).copy()

    def acts(self, name: str) -> bool:
        """Whether anything changes by an event or a stop."""
        event = self.model.events.get(name)
        return event is None or (event.acts and name not in self.spent)

    def fired(self, problem: Problem, prepared: Prepared, first: str, state: State) -> list[str]:
        """The event that was located, if one was, and others that cross at the same instant."""
        found, w = [first] if first else [], problem.watch
        if not self.model.events:
            return found
        so_far = abs(state.t - prepared.state.t)
        for level in levels(problem, prepared.owners, state.t, state.q, state.v):
            held, event = w.held[level.number], self.model.events.get(level.name)
            # what would not have left the level in all the time of this part is at rest there: its rate is rounding
            crosses = abs(level.value) <= level.near < abs(level.rate) * so_far and held * level.rate < 0.0
            if level.name != first and event is not None and crosses and event.direction * level.rate >= 0.0:
                w.held[level.number] = -held
                found.append(level.name)
            if event is not None:
                self.sides[level.name] = float(w.held[level.number])
        # what is only recorded, and what is said of the motion until here, before what changes it
        return sorted(found, key=lambda name: (name in self.model.impacts, found.index(name)))

    # -- what happens ----------------------------------------------------------------------------------------------------

    def note(self, state: State, names: list[str]) -> bool:
        """Enter events that change nothing."""
        for name in names:
            if name not in self.spent:
                self.enter(Happening(state.t, name, CROSSED, "recorded", state, state))
            self.spend(name)
        return False

    def enter(self, happening: Happening) -> None:
        """Enter into the list of what happened; of friction that changes its mind at an instant what it does then."""
        for last in self.happened[-1:]:
            same = last.name == happening.name and {last.what, happening.what} == {STICK, SLIP}
            if same and happening.t - last.t <= 1e-13 * abs(self.settings.t1):
                self.happened.pop()
        self.happened.append(happening)
        if len(self.happened) > IN_ALL:
            raise self.storm(happening.t, f"{len(self.happened)} events so far, the last one {happening.name!r}")

    def spend(self, name: str) -> None:
        """An event that happens once has happened."""
        if name in self.model.events and self.model.events[name].once:
            self.spent.add(name)

    def guard(self, t: float) -> None:
        """Refuse a run that makes no progress in time."""
        if len(self.pieces) > AT_ONCE:
            begun = float(self.pieces[-AT_ONCE].trace.kept.t[0])
            if t - begun <= 1e-13 * abs(self.settings.t1 - float(self.pieces[0].trace.kept.t[0])):
                raise self.storm(
                    t,
                    f"{AT_ONCE} changes at t = {t:.9g} s, the last ones {', '.join(repr(x.name) for x in self.happened[-3:])}",
                )

    def storm(self, t: float, found: str) -> ConvergenceError:
        """Events without end."""
        error = ConvergenceError(
            self.asked, found, "events follow each other without end: what one does brings about the next",
            "let events act on other conditions, or happen once (once=True); error.result has what was computed until then",
        )  # fmt: skip
        error.t, error.kind = t, "events"
        return error

    def happen(self, state: State, name: str) -> State:
        """What an event or an impact does to a state."""
        if name in self.model.impacts:
            return self.stops.touch(state, name)
        if name in self.grips.elements:
            return self.grips.happen(state, name)
        if name in self.grips.sizes:
            self.grips.refuse_size(state, name)
        if name not in self.model.events:
            return state  # friction of a stop that has just opened
        event = self.model.events[name]
        if not self.acts(name):
            self.note(state, [name])
            return state
        self.spend(name)
        return act(self, event, state)
