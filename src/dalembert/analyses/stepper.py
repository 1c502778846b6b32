"""Stepper: a mechanism or Lagrangian system in the user's own loop, one step of bounded work at a time.

    set inputs  ->  step  ->  read measures and loads  ->  set inputs  ->  ...

Steps have one length.  Each is an explicit Runge-Kutta step brought onto the constraints, so that positions and velocities fit all joints to
round-off at every instant that can be read; there is no error control, and the length of the step is the user's to choose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import ConvergenceError, MethodError, ModelError, checked_call, nearest, shown
from ..model.expression.checks import plain_number
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..results.events import Happenings
from ..solve.integrators.fixed import fixed
from ..solve.stepping.fixed import CHANGED, MOVED
from ..solve.stepping.records import Step
from ..state import State, state_of
from ..system.build import HANDED, HANDED_OVER
from ..system.system import System, compile
from .assembly.turns import guess_angles
from .dynamics.dynamics import Dynamics, view
from .dynamics.live import put_loads
from .dynamics.prepared import Prepared
from .dynamics.start import prepare, read_state
from .events.steps import Stepping, Steps, Touching
from .instant import Instant
from .pose.initial import newton
from .pose.pose import Pose

if TYPE_CHECKING:
    from ..system.lagrange import LagrangeSystem


# scaled residual of the constraints after every step
TOLERANCE = 1e-12
# steps of one call
MOST_STEPS = 10**9


@dataclass(frozen=True, eq=False)
class StepperState(State):
    """A state of a stepper, with all that was set: drivers that were handed over, loads, values of parameters; and what touches, sticks and slips.

    `moved`: a driver or a dimension was set, and the next step begins on what it says.
    """

    handed: np.ndarray = field(default_factory=lambda: np.zeros(0))
    loads: dict[str, list[float]] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    touching: Touching | None = None
    moved: bool = False


class Stepper(Stepping):
    """A model that is moved on step by step, with inputs that may change between any two steps.

    Parameters
    ----------
    model
        A Mechanism or a Lagrangian.  It is read once: later changes of the model do not reach the stepper.
    step
        Length of a step [s].
    method
        Order of the explicit Runge-Kutta method: 1, 2, 4 (default), 5 or 8.  A step takes 1, 2, 4, 6 or 12 evaluations.
    start
        State to start from; default: that of the model at t = 0.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("cart", plane=True)
    >>> cart = m.body("cart", mass=2.0, inertia=1.0)
    >>> guide = m.prismatic("guide", m.ground, cart, along=(1, 0))
    >>> push = m.force("push", cart, (0, 0))
    >>> live = da.Stepper(m, step=0.01)
    >>> for k in range(100):
    ...     live.set("push", (4.0, 0.0) if live.t < 0.5 else (0.0, 0.0))
    ...     live.step()
    >>> round(live.get("guide.slide"), 9), round(live.get("rate(guide.slide)"), 9)
    (0.75, 1.0)
    """

    @checked_call
    def __init__(self, model: Mechanism | Lagrangian, step: float, *, method: int = 4, start: Any = None) -> None:
        known = isinstance(model, Mechanism | Lagrangian)
        self._asked = asked = f"Stepper({model.name!r})" if known else f"Stepper({shown(model, 40)})"
        if not known:
            found = f"{shown(model)} of type {type(model).__name__}"
            raise MethodError(asked, found, "a Mechanism or a Lagrangian is needed", "give the model")
        h = plain_number(step)
        if h is None or not 0.0 < h < math.inf:
            raise MethodError(asked, f"step = {shown(step)}", "a step is a positive number", "give step=0.001")
        self.model, self.h = model, h
        self._a, self._c, self._stages = fixed(method if isinstance(method, int) else shown(method))
        self._values: dict[str, float] = dict(model.parameters)
        happens = model.events or model.stops_at_work or model.frictions or model.soft_rubs
        self._course = Steps(model, asked, h, self._values) if happens else None
        self._loads: dict[str, list[float]] = {} if self._course is None else self._course.loads
        with compiling(), np.errstate(all="ignore"):
            prepared = self._prepared(read_state(asked, model, start, "start"))
            if self._course is not None:
                prepared = self._course.prepared(self._course.decide(prepared.state))
            self._step = Step(t=prepared.state.t, tolerance=TOLERANCE, pending=-1)
            self._first = prepared.state.t
            self._begin(prepared)

    def __reduce__(self) -> Any:
        raise MethodError(
            f"a pickle or copy of Stepper({self.model.name!r})", "a run under way", "machine code works on its memory",
            "send the model and live.state: da.Stepper(model, step=..., start=state) goes on from there",
        )  # fmt: skip

    # -- compiled arrays -------------------------------------------------------------------------------------------------

    def _prepared(self, start: State | None) -> Prepared:
        """The compiled model with a consistent state."""
        t0 = 0.0 if start is None else start.t
        if isinstance(self.model, Lagrangian):
            system = None if self._course is None else self._course.system()
            return prepare(self.model, t0, start, self._asked, system=system)
        system = self._compiled()
        if start is not None:
            z = system.starts.copy()
            z[: len(start.z)] = start.z[: len(z)]
            start = State(start.t, start.q, start.v, start.angles, start.bodies, z)
        return prepare(self.model, t0, start, self._asked, system=system)

    def _compiled(self) -> System | LagrangeSystem:
        if self._course is not None:
            return self._course.system()
        assert isinstance(self.model, Mechanism)  # other values of a Lagrangian are numbers in its memory
        return compile(self.model, values=self._values, handed=True)

    def _renew(self, anew: bool = False) -> None:
        """After a driver or a dimension was set: the machine is brought onto its joints, then it is decided what touches and sticks.

        `anew`: also on which sides events begin; otherwise what was set may have brought them over their levels.
        """
        course = self._course
        assert course is not None
        kept, held, before, now = self._here(), course.held, (course.values, course.loads), self._step
        course.renew(self._values, self._loads)
        course.carried = {} if anew else course.sides_in(self._p, self._now)
        try:
            with np.errstate(all="ignore"):
                state = course.decide(self._prepared_near(kept, self._memory.z).state)
                self._begin(course.prepared(state))
        except BaseException:
            course.held = held
            course.values, course.loads = before
            now.fresh = MOVED  # what was set is still to be met
            raise
        finally:
            course.carried = {}

    # -- the loop of the user --------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Make a step, or several of them with the inputs as they are."""
        if type(count) is not int or not 0 <= count <= MOST_STEPS:
            count = self._whole(count)
        self._run_steps(count)

    @property
    def stopped(self) -> str:
        """Name of the event (`stop=True`) that stopped the motion; empty while it goes on."""
        return "" if self._course is None else self._course.stopped_by

    @checked_call
    def resume(self) -> None:
        """Go on after an event has stopped the motion: the next step begins there, and ends where the one that was stopped would have."""
        if self._course is not None:
            self._course.stopped_by = ""

    @checked_call
    def set(self, name: str, value: Any, rate: float = 0.0, second: float = 0.0) -> None:
        """Set an input, a state, a constant load, a driver or a parameter; it holds until it is set again.

        An input or state (`m.input`, `m.state`) and a constant load (`m.force`, `m.torque`, `m.actuator`) take a number, or as many as they
        have components, and cost a microsecond.  A driver is handed over: from now on its measure is value + rate (t - now) + second (t - now)²/2,
        and velocities jump where they have to.  A parameter of a mechanism is compiled into new numbers, which takes milliseconds.
        """
        plain = isinstance(name, str) and (name in self._inputs or name in self._values)
        part = None if plain else self._part(name)
        kind = getattr(part, "kind", "")
        if (rate or second) and kind != "driver":
            why = "only the measure of a driver is handed over with its rates; everything else is a number that holds"
            raise MethodError(
                f"set({name!r}, ...)", f"rate = {shown(rate)}, second = {shown(second)}", why, "leave them out"
            )
        if name in self._inputs:
            self._live.put(name, self._number(name, value))
            moves = self._course is None or name in self._leading
            self._step.fresh = max(self._step.fresh, MOVED if moves else CHANGED)
            return
        if name in self._values:
            self._set_parameter(name, self._number(name, value))
            return
        if kind == "driver":
            given = (1.0, self._number(name, value), self._number(name, rate), self._number(name, second), self.t)
            for what, x in zip(HANDED_OVER, given):
                self._live.put(f"{name}{HANDED}{what}", x)
            self._step.fresh = MOVED
        elif kind == "force":
            self._set_load(name, value)
        else:
            why = "inputs, states, drivers, constant loads and parameters can be set"
            raise ModelError(f"set({name!r}, ...)", f"{name!r} is {part!r}", why, "name one of these")

    def _whole(self, count: Any) -> int:
        """A number of steps that is no plain int."""
        x = plain_number(count)
        if x is None or x < 0.0 or not x.is_integer():
            why = "a number of steps is a whole one, 0 or more: nothing is stepped back"
            do = "give step(10); to go back, keep live.state and set it again"
            raise MethodError(f"{self._asked}.step", f"count = {shown(count)}", why, do)
        if x > MOST_STEPS:
            why = f"more than {MOST_STEPS:_} steps in one call take hours or for ever"
            raise MethodError(
                f"{self._asked}.step", f"count = {shown(count)}", why, "call step in a loop, with fewer at a time"
            )
        return int(x)

    def _number(self, name: str, value: Any) -> float:
        x = value if type(value) is float else plain_number(value)
        if x is None or not math.isfinite(x):
            raise MethodError(
                f"set({name!r}, {shown(value)})",
                f"{shown(value)}",
                "a finite number is needed",
                "give a number in SI units",
            )
        return x

    def _set_load(self, name: str, value: Any) -> None:
        """A load f = f0 of a constant law: its number stands in one place."""
        if name in self.system.model.situation.absent:
            why = "it does not act until an event adds it"
            raise MethodError(f"set({name!r}, ...)", f"{name!r} is released", why, "set it after that")
        assert isinstance(self.system, System)
        laws = [law for law in self.system.builder.laws if law.part == name]
        constant = all(law.law.kind == "linear" and not any(law.numbers[:3]) for law in laws)
        if not laws or not constant:
            kind = laws[0].law.kind if laws else "a contact or friction"
            raise MethodError(
                f"set({name!r}, ...)", f"its law is {kind}", "only constant loads are numbers that can be set",
                "write the law with an input: u = m.input('u'), and set that",
            )  # fmt: skip
        given = [value] if np.ndim(value) == 0 else list(value)
        if len(given) != len(laws):
            found = f"{len(given)} numbers"
            raise MethodError(f"set({name!r}, ...)", found, f"it has {len(laws)} components", "give them all")
        self._loads[name] = [self._number(name, x) for x in given]
        self._put_loads({name: self._loads[name]})

    def _put_loads(self, loads: dict[str, list[float]]) -> None:
        put_loads(self.system, self._p.P, loads)
        if self._course is not None:
            self._course.load(loads)
        self._step.fresh = max(self._step.fresh, CHANGED)

    def _set_parameter(self, name: str, value: float) -> None:
        if isinstance(self.model, Lagrangian) and self._course is None:
            self._p.F[list(self._values).index(name)] = value
            self._values[name] = value
            self._step.fresh = MOVED
            return
        before = self._values
        self._values = {**before, name: value}
        try:
            if self._course is not None:
                self._renew()
                return
            self._begin(self._prepared_near(self._here(), self._memory.z))
        except BaseException:
            self._values = before
            raise
        self._first, self._step.steps = self.t, 0
        self._put_loads(self._loads)

    def _prepared_near(self, state: State, z: np.ndarray) -> Prepared:
        """The model with other numbers, brought onto its joints from the state that it was in."""
        system = self._compiled()
        here: Dynamics
        if not isinstance(system, System):
            here = view(system, state.t, state.q, state.v, system.workspace())
            here.scales()
        else:
            work = system.workspace()
            work.put_states(self._asked, z)
            guess_angles(system, work, state.t)
            here = pose = Pose(system, state.t, state.q, work=work)
            newton(pose, stated=False)
            guess_angles(system, work, state.t, state.angles)
        here.detect()
        here.v = state.v.copy()
        if not here.settle():
            changed = self._changed() or "the drivers that were set"
            raise ConvergenceError(
                self._asked, f"with {changed} the joints do not close near the present pose",
                "the new dimensions do not fit the machine where it is", "change them in smaller steps, or to values that fit",
            )  # fmt: skip
        if here.dropped.any():
            here.check_positions(self._asked)
        dropped = [int(r) for r in np.flatnonzero(here.dropped)]
        return Prepared(system, here.work, here.state, dropped, ever_dropped=set(dropped))

    def _changed(self) -> str:
        return ", ".join(f"{k} = {x:g}" for k, x in self._values.items() if self.model.parameters.get(k) != x)

    @checked_call
    def get(self, name: Any) -> Any:
        """A measure ("A.angle"), its rate ("rate(A.angle)"), an input or state, a quantity of a part ("A.force", "crank.position"), the effort of a driver ("motor").

        Measures and their rates take microseconds; everything else is an `instant` of the present state.
        """
        if self._step.fresh:
            self._run_steps(0)
        return self._live.get(name)

    @property
    def now(self) -> Instant:
        """Everything at the present state, as `da.instant` gives it."""
        if self._step.fresh:
            self._run_steps(0)
        return self._live.now

    @property
    def events(self) -> Happenings:
        """Events, impacts, contacts that closed or opened, and friction that began to stick or slip, during the last call of `step`."""
        return Happenings(() if self._course is None else self._course.happened)

    # -- saving ----------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> StepperState:
        """The present state, with all that was set; set it to go on from there, to the last bit as from here."""
        own, course, touching = len(self._sizes[3]), self._course, None
        if course is not None:
            if self._step.fresh:
                self._run_steps(0)  # what was set moves the machine first
            arrays = tuple(x.copy() for x in self._numbers())
            touching = Touching(course.held, self._first, self._step.steps, self._step.dropped, arrays)
        here = self._here()
        return StepperState(
            here.t, here.q, here.v, here.angles, here.bodies, here.z[:own], here.z[own:], dict(self._loads), dict(self._values), touching,
            self._step.fresh == MOVED,
        )  # fmt: skip

    @state.setter
    def state(self, given: Any) -> None:
        state = state_of(given)
        if not isinstance(state, State):
            raise MethodError(
                self._asked, f"state = {shown(given)}", "a State is needed", "give one that was read before"
            )
        sizes = [(len(x), len(y)) for x, y in zip((state.q, state.v, state.angles, state.z), self._sizes)]
        if any(x != y for x, y in sizes):
            found = f"{len(state.q)} coordinates, {len(state.angles)} counted angles and {len(state.z)} states"
            needed = f"{len(self._sizes[0])}, {len(self._sizes[2])} and {len(self._sizes[3])} are needed"
            raise MethodError(self._asked, f"a state with {found}", needed, "give a state of the same model")
        if isinstance(state, StepperState):
            self._restore(state)
            return
        if self._course is None:
            self._put(state)
            return
        before = self._here(), self._course.held
        self._put(state)
        try:
            self._renew(anew=True)
        except BaseException:
            self._go_back(*before)
            raise
        self._course.stopped_by = ""

    def _restore(self, state: StepperState) -> None:
        """A state with all that was set, and what touched, stuck and slipped."""
        course, held = self._course, state.touching
        if held is None or course is None:
            for name, value in state.values.items():
                if self._values.get(name) != value:
                    self._set_parameter(name, value)
            if isinstance(self.model, Mechanism):
                np.copyto(self._p.P, self.system.P)
                self._loads = dict(state.loads)
                self._put_loads(self._loads)
            self._put(state)
            self._memory.z[len(state.z) :] = state.handed
            self._step.fresh = MOVED if state.moved else CHANGED
            return
        course.renew(dict(state.values), dict(state.loads))
        full = State(state.t, state.q, state.v, state.angles, state.bodies, np.append(state.z, state.handed))
        self._go_back(full, held.held)
        for mine, kept in zip(self._numbers(), held.arrays):
            mine[:] = kept
        self._first, self._step.steps, self._step.dropped = held.first, held.steps, held.dropped

    # -- refusals --------------------------------------------------------------------------------------------------------

    def _part(self, name: Any) -> Any:
        parts = {} if isinstance(self.model, Lagrangian) else self.model._parts
        if isinstance(name, str) and name in parts:
            return parts[name]
        known = [*self._inputs, *self._values, *parts]
        raise ModelError(
            f"set({shown(name)}, ...)", f"{shown(name)}", "there is nothing of this name", nearest(name, [x for x in known if HANDED not in x])
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<Stepper of {self.model.name!r} at t = {self.t:g} s, step {self.h:g} s>"
