"""Stepper: a mechanism or Lagrangian system in the user's own loop, one step of bounded work at a time.

    set inputs  ->  step  ->  read measures and loads  ->  set inputs  ->  ...

Steps have one length.  Each is an explicit Runge-Kutta step brought onto the constraints, so that positions and velocities fit all joints to
round-off at every instant that can be read; there is no error control, and the length of the step is the user's to choose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compilation import compiling
from ..errors import ConvergenceError, MethodError, ModelError, checked_call, nearest, shown
from ..kernels import memory
from ..kernels.through import address_of, is_compiled
from ..model.expression.checks import plain_number
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..options.call import refuse_friction
from ..solve.integrators.fixed import fixed
from ..solve.run import memory_of, with_laws
from ..solve.status import DONE, MESSAGES
from ..solve.stepping.fixed import CHANGED, MOVED, advance
from ..solve.stepping.records import Equations, Step
from ..state import State, state_of
from ..system.build import HANDED, HANDED_OVER
from ..system.system import compile
from .assembly.turns import guess_angles
from .dynamics.live import Live
from .dynamics.motion import problem_of
from .dynamics.prepared import Prepared
from .dynamics.start import prepare, read_state
from .instant import Instant
from .pose.initial import newton
from .pose.pose import Pose

# scaled residual of the constraints after every step
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class StepperState(State):
    """A state of a stepper, with all that was set: drivers that were handed over, numbers of laws, values of parameters."""

    handed: np.ndarray = field(default_factory=lambda: np.zeros(0))
    numbers: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    values: dict[str, float] = field(default_factory=dict)


class Stepper:
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
    def __init__(self, model: Any, step: float, *, method: int = 4, start: Any = None) -> None:
        known = isinstance(model, Mechanism | Lagrangian)
        self._asked = asked = f"Stepper({model.name!r})" if known else f"Stepper({shown(model, 40)})"
        if not known:
            found = f"{shown(model)} of type {type(model).__name__}"
            raise MethodError(asked, found, "a Mechanism or a Lagrangian is needed", "give the model")
        if model.events or model.impacts:
            names = ", ".join(map(repr, (*model.events, *model.impacts)))
            why = "steps of one length do not end where something happens"
            raise MethodError(asked, f"events or stops: {names}", why, "use da.simulate, or a model without them")
        refuse_friction("Stepper", model)
        refuse_friction("Stepper", model, "soft_rubs")
        h = plain_number(step)
        if h is None or not 0.0 < h < math.inf:
            raise MethodError(asked, f"step = {shown(step)}", "a step is a positive number", "give step=0.001")
        self.model, self.h = model, h
        self._a, self._c, self._stages = fixed(method if isinstance(method, int) else shown(method))
        self._values: dict[str, float] = dict(model.parameters)
        with compiling(), np.errstate(all="ignore"):
            self._begin(self._prepared(read_state(asked, model, start, "start")))

    # -- compiled arrays -------------------------------------------------------------------------------------------------

    def _prepared(self, start: State | None) -> Prepared:
        """The compiled model with a consistent state."""
        t0 = 0.0 if start is None else start.t
        if isinstance(self.model, Lagrangian):
            return prepare(self.model, t0, start, self._asked)
        system = compile(self.model, values=self._values, handed=True)
        if start is not None:
            z = system.starts.copy()
            z[: len(start.z)] = start.z[: len(z)]
            start = State(start.t, start.q, start.v, start.angles, start.bodies, z)
        return prepare(self.model, t0, start, self._asked, system=system)

    def _begin(self, prepared: Prepared) -> None:
        """Memory of the steps; everything that a step needs is there from now on."""
        self._now, state = prepared, prepared.state
        self.system = prepared.system
        p = self._p = problem_of(prepared, (None, 1e-6, 1e-6, math.inf))
        p.P = p.P.copy()  # numbers may be set; the system's own stay
        self._laws = with_laws(p) if p.laws or not is_compiled(p.operate) else None
        if self._laws is not None:
            address = self._laws.address
        else:
            own = None if p.native is None else p.native.address
            address = own or address_of(p.operate, p.I)
        self._equations = Equations(address, address, p.I, p.P, p.F)
        self._memory = memory_of(p, state.q, state.v, state.z, self._stages + 1)
        self._step = Step(t=state.t, tolerance=TOLERANCE, dropped=p.dropped, fresh=CHANGED)
        self._first = state.t
        mem = self._memory
        handed = 0 if isinstance(self.model, Lagrangian) else len(HANDED_OVER) * len(self.model.parts("driver"))
        self._sizes = mem.q, mem.v, prepared.work.angle, mem.z[: len(mem.z) - handed]
        self._live = Live(prepared, self._memory, self._step, self._values)
        self._inputs = self._live.inputs
        self._run_steps(0)

    def _run_steps(self, count: int) -> None:
        now = self._step
        given = self._equations, self._a, self._c, self._stages, now, self._memory, self._first, self.h, count
        if self._laws is None:
            status = advance(*given)
        else:
            with self._laws:
                status = advance(*given)
            if self._laws.raised is not None:
                raise self._laws.raised
        if status != DONE:
            self._refuse(status)

    # -- the loop of the user --------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._step.t)

    def step(self, count: int = 1) -> None:
        """Make a step, or several of them with the inputs as they are."""
        self._run_steps(count)

    def set(self, name: str, value: Any, rate: float = 0.0, second: float = 0.0) -> None:
        """Set an input, a state, a constant load, a driver or a parameter; it holds until it is set again.

        An input or state (`m.input`, `m.state`) and a constant load (`m.force`, `m.torque`, `m.actuator`) take a number, or as many as they
        have components, and cost a microsecond.  A driver is handed over: from now on its measure is value + rate (t - now) + second (t - now)²/2,
        and velocities jump where they have to.  A parameter of a mechanism is compiled into new numbers, which takes milliseconds.
        """
        if name in self._inputs:
            self._live.put(name, self._number(name, value))
            self._step.fresh = MOVED  # drivers may follow it
            return
        if name in self._values:
            self._set_parameter(name, self._number(name, value))
            return
        part = self._part(name)
        kind = getattr(part, "kind", "")
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
        laws = [(n, law) for n, law in enumerate(self.system.builder.laws) if law.part == name]
        constant = all(law.law.kind == "linear" and not any(law.numbers[:3]) for _, law in laws)
        if not constant:
            raise MethodError(
                f"set({name!r}, ...)", f"its law is {laws[0][1].law.kind}", "only constant loads are numbers that can be set",
                "write the law with an input: u = m.input('u'), and set that",
            )  # fmt: skip
        given = [value] if np.ndim(value) == 0 else list(value)
        if len(given) != len(laws):
            found = f"{len(given)} numbers"
            raise MethodError(f"set({name!r}, ...)", found, f"it has {len(laws)} components", "give them all")
        numbers = memory.law_numbers(self._p.I, self._p.P)
        for (n, _), x in zip(laws, given):
            # loads are positive against the force of a law, f = -load
            numbers[n, 3] = -self._number(name, x)
        self._step.fresh = CHANGED

    def _set_parameter(self, name: str, value: float) -> None:
        if isinstance(self.model, Lagrangian):
            self._p.F[list(self._values).index(name)] = value
            self._values[name] = value
            self._step.fresh = MOVED
            return
        before, kept = self._values, self.state
        self._values = {**before, name: value}
        loads = memory.law_numbers(self._p.I, self._p.P), memory.law_numbers(self._p.I, self.system.P)
        try:
            self._begin(self._prepared_near(kept, self._memory.z))
        except BaseException:
            self._values = before
            raise
        self._keep_loads(*loads)

    def _prepared_near(self, state: State, z: np.ndarray) -> Prepared:
        """The model with other numbers, brought onto its joints from the state that it was in."""
        system = compile(self.model, values=self._values, handed=True)
        work = system.workspace()
        work.put_states(self._asked, z)
        guess_angles(system, work, state.t)
        here = Pose(system, state.t, state.q, work=work)
        newton(here, stated=False)
        guess_angles(system, work, state.t, state.angles)
        here.detect()
        here.v = state.v.copy()
        if not here.settle():
            raise ConvergenceError(
                self._asked, f"with {self._changed()} the joints do not close near the present pose",
                "the new dimensions do not fit the machine where it is", "change them in smaller steps, or to values that fit",
            )  # fmt: skip
        dropped = [int(r) for r in np.flatnonzero(here.dropped)]
        return Prepared(system, work, here.state, dropped, ever_dropped=set(dropped))

    def _changed(self) -> str:
        return ", ".join(f"{k} = {x:g}" for k, x in self._values.items() if self.model.parameters.get(k) != x)

    def _keep_loads(self, set_before: np.ndarray, compiled: np.ndarray) -> None:
        """Loads that were set stay when numbers are renewed."""
        numbers, changed = memory.law_numbers(self._p.I, self._p.P), set_before != compiled
        numbers[changed] = set_before[changed]
        self._step.fresh = CHANGED

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

    # -- saving ----------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> StepperState:
        """The present state, with all that was set; set it to go on from there, to the last bit as from here."""
        mem, work, p = self._memory, self._now.work, self._p
        own = len(self._sizes[3])
        numbers = memory.law_numbers(p.I, p.P).copy() if isinstance(self.model, Mechanism) else np.zeros((0, 0))
        return StepperState(
            self.t, mem.q.copy(), mem.v.copy(), work.angle.copy(), tuple(self.system.body_names), mem.z[:own].copy(),
            mem.z[own:].copy(), numbers, dict(self._values),
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
            for name, value in state.values.items():
                if self._values.get(name) != value:
                    self._set_parameter(name, value)
        mem, work = self._memory, self._now.work
        mem.q[:], mem.v[:], mem.z[: len(state.z)] = state.q, state.v, state.z
        if isinstance(state, StepperState) and isinstance(self.model, Mechanism):
            mem.z[len(state.z) :] = state.handed
            memory.law_numbers(self._p.I, self._p.P)[:] = state.numbers
        work.angle[:], work.angle_rate[:], work.angle_time[0] = state.angles, 0.0, state.t
        # times are counted from the first one: those after a restored state are the same to the last bit
        steps = round((state.t - self._first) / self.h)
        if self._first + steps * self.h != state.t:
            self._first, steps = state.t, 0
        self._step.t, self._step.steps, self._step.fresh = state.t, steps, CHANGED

    # -- refusals --------------------------------------------------------------------------------------------------------

    def _part(self, name: Any) -> Any:
        parts = {} if isinstance(self.model, Lagrangian) else self.model._parts
        if isinstance(name, str) and name in parts:
            return parts[name]
        known = [*self._inputs, *self._values, *parts]
        raise ModelError(
            f"set({shown(name)}, ...)", f"{shown(name)}", "there is nothing of this name", nearest(str(name), [x for x in known if HANDED not in x])
        )  # fmt: skip

    def _refuse(self, status: int) -> None:
        found = f"{MESSAGES[status]} after t = {self.t:.9g} s, with a step of {self.h:g} s"
        raise ConvergenceError(
            self._asked, found, "the step is too long for this motion, an input jumped too far, or the machine is at a singular position",
            "take shorter steps, change drivers and dimensions by less in a step; `stepper.state` is the state before",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<Stepper of {self.model.name!r} at t = {self.t:g} s, step {self.h:g} s>"
