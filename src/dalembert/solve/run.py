"""Drives the compiled time loop: memory, chunks between which Python is entered, revised rows, jumps, and laws written in Python."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np

from ..errors import DalembertError
from ..kernels import memory
from ..kernels.called import Calls
from ..kernels.operate import ACCELERATE, EVALUATE, POWERS, SLOPES, operate
from ..kernels.through import Callback, Guard, address_of, is_compiled
from ..kernels.watch import EPSILON
from .changes import Made, arrays_of, change_method
from .integrators import method
from .kept_steps import KeptSteps
from .leap import Leap
from .moreau import Found, Moreau
from .over import Asked, step_over
from .partitioned import Partitioned
from .problem import Problem, call_laws, evaluate_at, slopes_of_laws
from .sampling import Sampling
from .segments import Segment
from .solver import MOST_DEGREE, MOST_STAGES, lenience, no_solver, solver_of
from .status import BUDGET, BUFFER, CROSSING, DONE, EVENT, FULL, METHOD, REDETECT, STEP_TOO_SMALL, SWITCHED
from .stepping import loop
from .stepping.choice import ANY_METHOD, ANY_ORDER, OFTEN
from .stepping.impacts import TIME
from .stepping.records import AGAIN_HELD, START, Equations, Kept, Memory, Output, Step
from .stepping.start import Weighing, start
from .stop import StopRequest

# what `switched` returns at an event that ends this part of a run
STOP = object()
# switches of a run that are listed
LISTED = 10_000
# steps that are kept: bounded by the outputs, or by this memory [bytes] where there are few; all steps, where they are the outputs, by the second
KEPT, LARGEST_KEPT = 6.4e7, 4e9
# steps after which the pace is looked at, and steps that no run survives: many minutes of the smallest model, hours of any other
WATCHED, ENDLESS = 200_000, 5e7
# steps for which there is room at the start: most runs are short
FIRST_KEPT = 128
# of these, how many stay at hand when they are put away: a step over a singular position begins some steps before it
TAIL = 16
NOTHING, NO_ARMS = np.zeros(0), np.zeros((0, 0))


class Log(NamedTuple):
    """What happened inside the loop: lines of its log, states before and velocities after, counted angles, impulses of the stops and how long they stay open; modes after."""

    lines: np.ndarray
    y: np.ndarray
    after: np.ndarray
    angle: np.ndarray
    impulse: np.ndarray
    flight: np.ndarray
    way: np.ndarray
    closed: np.ndarray


@dataclass
class Trace:
    """What a run produced."""

    status: int
    out: Output
    n_out: int
    kept: Kept
    step: Step  # where it ended, and what it counted
    seconds: float
    interrupted: bool
    redetected: int
    segments: list[Segment]  # parts with the same active rows
    # (time, owner) of laws that changed, the first ones
    switches: list[tuple[float, int]] = field(default_factory=list)
    error: DalembertError | None = None  # what `redetect` or `switched` refused
    methods: list[Made] = field(default_factory=list)  # which method made the steps, from when on, and why
    contacts: Found | None = None  # of steps for many contacts


def pace(trace: Trace) -> str:
    """How many steps the rest of a run would take at the pace so far; empty where that is not the reason that it stopped."""
    t, end, begin = trace.step.t, trace.step.t_end, float(trace.kept.t[0])
    left = trace.step.steps * abs(end - t) / max(abs(t - begin), 1e-300)
    return f"; at this pace the rest would take {left:.1e} steps" if left > 0.1 * ENDLESS else ""


def integrate(
    problem: Problem,
    t0: float,
    q0: np.ndarray,
    v0: np.ndarray,
    t1: float,
    times: np.ndarray,
    progress: Callable[[float], None] | None = None,
    redetect: Callable[[float, np.ndarray, np.ndarray], float] | None = None,
    switched: Callable[[float, np.ndarray, np.ndarray, int], object] | None = None,
    sides: np.ndarray | None = None,
    z0: np.ndarray | None = None,
    sampling: Sampling | None = None,
    crossed: Asked | None = None,
    noted: Callable[[Log], list[Segment] | None] | None = None,
) -> Trace:
    """Integrate from t0 to t1 with outputs at `times`.

    Where `problem.watch` has a clock, the loop counts times from it, so that a motion begun late is as exact as one begun at 0.

    `progress` is called with the current time about every 50 ms; `redetect` when dropped rows are needed, and returns the
    residual of dropped rows that is normal from then on; `switched` when a driver or a row has changed its law, with the number of its
    owner: it brings v onto the new one, and returns whether that was a jump, or STOP where an event ends this part of the run.  `sides` are those of the switches at the start; default: by the state.
    `z0` are the auxiliary states at the start; default: those in the memory.  `sampling` sets inputs at its instants.  `crossed` is asked
    whether the motion goes on through a singular position, before a step is made over it.  `noted` is given what happened inside the loop (`problem.stops`).
    """
    run = _Run(
        problem, t0, q0, v0, t1, times, sides, memory.states(problem.I, problem.F) if z0 is None else z0, sampling
    )
    run.redetect, run.switched, run.crossed, run.noted = redetect, switched, crossed, noted
    with StopRequest() as stop:
        while True:
            # a stop request may come at any instant; what was computed stays in the arrays
            try:
                if not run.go_on():
                    break
                if progress is not None:
                    progress(run.t)
                if stop.came:
                    run.interrupted = True
                    break
            except KeyboardInterrupt:
                run.interrupted = True
                break
            except DalembertError as refused:
                # what was computed until then is part of the answer
                run.error = refused
                break
    return run.trace(stop.came)


class _Run:
    """A run between two entries into the compiled loop."""

    redetect: Callable[[float, np.ndarray, np.ndarray], float] | None
    switched: Callable[[float, np.ndarray, np.ndarray, int], object] | None
    crossed: Asked | None
    noted: Callable[[Log], list[Segment] | None] | None

    def __init__(
        self, p: Problem, t0: float, q0: np.ndarray, v0: np.ndarray, t1: float, times: np.ndarray, sides: np.ndarray | None, z0: np.ndarray,
        sampling: Sampling | None = None,
    ) -> None:  # fmt: skip
        self.p, self.clock, self.begin, self.end = p, float(p.watch.clock[0]), t0, t1
        self.times, times = times, times - self.clock
        self.t0, self.t1 = t0, t1 = t0 - self.clock, t1 - self.clock
        self.method = arrays_of(p.method)
        self.mem = mem = memory_of(p, q0, v0, z0, max(self.method.stages, MOST_STAGES + 1) + 1)
        memory.states(p.I, p.F)[:] = mem.z
        self.out = _output(p.I, times, len(q0), len(v0))
        self.now = now = Step(
            t=t0, t_end=t1, rtol=p.rtol, atol=p.atol, tolerance=p.tolerance, h_max=p.h_max, dropped=p.dropped
        )
        # of a run, and of the time itself: a run of some ulps of its time has steps that are below its rounding
        now.h_min = max(1e-12 * abs(t1 - t0), 4.0 * EPSILON * max(abs(t0), abs(t1)))
        now.t_switched, now.allowance = math.inf, 1.0
        now.fresh, now.pending, now.guard = START, -1, int(p.guard)
        if p.h_first is not None:
            now.h = math.copysign(p.h_first, t1 - t0)
        memory.hold_sides(p.I, p.F, sides is not None)
        if sides is not None:
            memory.sides(p.I, p.F)[:] = sides
            now.fresh = AGAIN_HELD
        now.lenience, now.patience = lenience(p.method, p.rtol), OFTEN
        now.left = p.left * min(1.0, now.lenience)
        now.choosing = {"auto": ANY_METHOD, "orders": ANY_ORDER}.get(p.method.plan, 0)
        if now.choosing == ANY_METHOD and p.friction is not None and p.friction.turns:
            now.choosing = 0
        self.methods = [Made(self.begin, p.method.name, "")]
        self.solver = solver_of(p, mem, self.method)
        self._choose_code()
        self.sampling = sampling
        if sampling is not None:
            sampling.begun(mem, now)
            if sampling.is_due(self.begin):
                evaluate_at(p, self.begin, mem.q, mem.v, mem.K[len(q0) : len(q0) + len(v0)])
                sampling.sample()
                memory.states(p.I, p.F)[:] = mem.z
        width = len(mem.y) + len(mem.angle) + len(mem.power) + self.out.side.shape[1] + 2
        self.chunk = max(16, min(1024, int(5e5 / width)))
        most = LARGEST_KEPT if p.keep_all else max(KEPT, 16.0 * len(times) * width)
        self.store = KeptSteps(int(max(4 * self.chunk, most / (8.0 * width))), thinned=not p.keep_all)
        self.kept = self._buffer(min(self.chunk, FIRST_KEPT))
        self.tail = self._buffer(0)
        self._enter(start, self.kept, _weighing(p), int(p.operate is operate))
        self._plan_hops(times)
        # some ten milliseconds of steps to begin with, by a rough guess of what they cost; after that as measured
        self.started, self.budget = time.perf_counter(), int(min(1000, WATCHED, p.most, max(20, 4e4 / len(mem.y))))
        if self.laws is not None:
            self.budget = min(self.budget, 50)
        if self.native is not None:
            self.budget = min(self.budget, self.native.due)
        self.status, self.interrupted, self.redetected = BUDGET, False, 0
        self.revised_at, self.stuck = math.nan, 0
        # steps by another loop than that of the Runge-Kutta methods
        self.leap: Any = None
        if p.points is not None:
            self.leap = Moreau(self)
        elif p.step is not None:
            self.leap = Leap(self, with_laws)
        elif p.constraints is not None:
            self.leap = Partitioned(self)
        self.over_length, self.over_t = 0.0, math.inf  # the last step over a singular position, and when that was
        self.segments = [Segment.now(p, self.begin)]
        self.error: DalembertError | None = None
        # steps and time at the last look at the pace; steps that are counted for machine code
        self.mark, self.counted, self.watched = (0, t0), 0, int(min(WATCHED, p.most))

    def _choose_code(self) -> None:
        """Addresses of the equations: laws in Python, machine code of the structure, or the generic kernels."""
        equations, self.laws, native = code_of(self.p)
        self.equations = equations._replace(t0=self.clock) if self.clock else equations
        # asked again after so many steps, as long as there is none
        self.native = None if native is None or self.equations.rest == native.address or native.refused else native

    def _plan_hops(self, times: np.ndarray) -> None:
        """From a singular position: short steps before the first output without the rows left out, until they are independent again."""
        self.hops: list[float] = []
        if self.p.leaving:
            until = np.abs(times - self.t0)
            ahead = float(np.min(until[until > 0.0], initial=abs(self.t1 - self.t0)))
            first = 0.1 * abs(self.now.h)
            self.hops = [math.copysign(min(first * 4.0**k, 0.9 * ahead), self.t1 - self.t0) for k in range(5)]
            self.now.t_end = self.t0 + self.hops.pop(0)
        else:
            self.now.t_end = self._next_end()

    def _next_end(self) -> float:
        """Where this part of the run ends: at the next sample, or at the end."""
        return self.t1 if self.sampling is None else self.sampling.until(self.end) - self.clock

    def _buffer(self, steps: int) -> Kept:
        mem = self.mem
        return _kept(steps, len(mem.y), len(mem.angle), len(mem.power), self.out.side.shape[1])

    def go_on(self) -> bool:
        """One portion of steps, and what has to be done after it; False at the end."""
        before = time.perf_counter()
        if self.leap is None:
            self.status = self._enter(
                loop.integrate,
                self.kept,
                self.p.watch,
                self.p.stops,
                self.p.modes,
                self.p.contacts,
                *self.solver,
                self.budget,
            )
            self._tell()
        else:
            self.status = self.leap(self, self.budget)
        spent = time.perf_counter() - before
        memory.states(self.p.I, self.p.F)[:] = self.mem.z
        now, p = self.now, self.p
        if self.status == BUFFER:
            self._flush()
            if self.store.full:
                self.status = FULL
                return False
            self.kept = self._buffer(self.chunk)
        elif self.status == SWITCHED:
            if self._jump() is STOP:
                self.status = EVENT
                return False
        elif self.status == CROSSING:
            step_over(self)
        elif self.status == DONE and now.t != self.t1 and self.sampling is not None and not self.hops:
            self._sample(self.sampling)
        elif self.status == METHOD:
            if len(self.p.modes.kind):
                return False  # other methods change no modes
            change_method(self)
        elif self.status == REDETECT or (self.status == DONE and now.t_end != self.t1):
            self._revise_rows()
            if self.stuck > 10:
                return False
        elif self.status != BUDGET:
            if self.status != DONE and len(self.equations.S) and p.friction is not None:
                self.error = p.friction.failure(self.equations.X)
            return False
        if now.steps - self.mark[0] >= self.watched:
            # a force that jumps back and forth lets steps shrink without end: at this pace the run would never be over
            advance, left = abs(now.t - self.mark[1]), abs(self.t1 - now.t)
            if left * (now.steps - self.mark[0]) > min(ENDLESS, p.most) * advance:
                self.status = STEP_TOO_SMALL
                return False
            self.mark = now.steps, now.t
        self.budget = int(max(1, min(100000, self.budget * min(4.0, 0.05 / max(spent, 1e-6)))))
        # never beyond the next look at the pace: where that comes must not depend on the clock
        self.budget = min(self.budget, self.watched - (now.steps - self.mark[0]))
        self._ask_for_code()
        return True

    def _enter(self, part: Callable[..., Any], *more: Any) -> int:
        """Compiled code of the loop, and what it returns."""
        return int(self.enter(part, self.method, *more) or 0)

    def enter(self, part: Callable[..., Any], method: Any, *more: Any) -> Any:
        """Compiled code; after an exception in a law, everything is as it was when it was entered, and it is raised here.

        The time loop is left with all steps that were accepted before the exception: it writes to the state nowhere else.
        """
        given = self.equations, method, self.now, self.mem, self.out, *more
        if self.laws is None:
            return part(*given)
        whole = self._snapshot()

        def interrupted() -> None:
            nonlocal whole
            whole = self._snapshot()

        self.laws.interrupted = interrupted if part is loop.integrate else lambda: None
        with self.laws:
            status = part(*given)
        if self.laws.raised is not None:
            self.now, self.mem.y[:], self.mem.work[:] = whole
            # outputs inside the step that was not finished
            made = self.out.t[: self.now.next_output]
            self.now.next_output = int(np.count_nonzero((made - self.now.t) * (self.t1 - self.t0) <= 0.0))
            raise self.laws.raised
        return status

    def _snapshot(self) -> tuple[Step, np.ndarray, np.ndarray]:
        """Where the run stands."""
        return self.now.copy(), self.mem.y.copy(), self.mem.work.copy()

    def make_room(self) -> None:
        """Room for some more steps in the buffer, with all that is in it."""
        if self.now.next_step + 4 >= len(self.kept.t):
            larger = self._buffer(len(self.kept.t) + 8)
            for new, old in zip(larger, self.kept):
                new[: len(old)] = old
            self.kept = larger

    @property
    def t(self) -> float:
        """Time [s]."""
        now = self.now.t
        return self.begin if now == self.t0 else self.end if now == self.t1 else self.clock + now

    def of(self, local: np.ndarray) -> np.ndarray:
        """Times that the loop counts from its clock; start and end are those that were given, to the last bit."""
        if self.clock == 0.0:
            return local
        return np.where(local == self.t0, self.begin, np.where(local == self.t1, self.end, self.clock + local))

    def _flush(self) -> None:
        self.tail = Kept(*(a[max(0, self.now.next_step - TAIL) : self.now.next_step] for a in self.kept))
        kept = Kept(*(a[: self.now.next_step] for a in self.kept))
        self.store.add(kept._replace(t=self.of(kept.t)))
        self.now.next_step = 0

    def _tell(self) -> None:
        """What happened inside the loop."""
        stops = self.p.stops
        if (many := int(stops.many[0])) and self.noted is not None:
            stops.many[0] = 0
            log = stops.log[:many].copy()
            log[:, TIME] = self.of(log[:, TIME])
            modes = self.p.modes
            more = stops.y, stops.v_after, stops.angle, stops.impulse, stops.flight, modes.way_log, modes.closed_log
            self.segments += self.noted(Log(log, *(x[:many].copy() for x in more))) or ()

    def _jump(self) -> object:
        """A driver or a row has changed its law: two states at one time, before the jump and after it, and nothing that is thinned out."""
        now, mem, p = self.now, self.mem, self.p
        owner = int(p.watch.owner[now.last_switch])
        now.fresh = AGAIN_HELD
        jumped = self.switched is not None and self.switched(self.t, mem.q, mem.v, owner)
        if jumped is True:
            self._keep_again()
        return jumped

    def _keep_again(self) -> None:
        """The state as it is now, at the time of the last one."""
        now, mem, p = self.now, self.mem, self.p
        self._flush()
        kept = self.kept = self._buffer(self.chunk)
        kept.t[0], kept.y[0], kept.angle[0] = now.t, mem.y, memory.angles(p.I, p.F)
        kept.work[0], kept.stored[0], kept.side[0] = mem.work, now.stored, memory.sides(p.I, p.F)
        now.next_step = 1
        self.store.jump()

    def _sample(self, sampling: Sampling) -> None:
        """Inputs are set, and held until the next time."""
        now, before = self.now, self.mem.y.copy()
        sampling.sample()
        if not np.array_equal(before, self.mem.y):
            memory.states(self.p.I, self.p.F)[:] = self.mem.z
            self._keep_again()
            now.fresh = AGAIN_HELD
        now.t_end = self._next_end()

    def _revise_rows(self) -> None:
        """Other rows are active from here on; revisions are normal as a linkage turns, only those without progress in time count against it."""
        assert self.redetect is not None
        now = self.now
        self.stuck = self.stuck + 1 if now.t == self.revised_at else 0
        self.revised_at, self.redetected = now.t, self.redetected + 1
        now.dropped = self.redetect(self.t, self.mem.q, self.mem.v)
        self.segments.append(Segment.now(self.p, self.t))
        now.fresh = AGAIN_HELD
        if self.status == DONE:
            done = not self.hops or now.dropped == math.inf
            now.t_end, now.largest_pivot = self._next_end() if done else self.t0 + self.hops.pop(0), 1.0

    def _ask_for_code(self) -> None:
        """Machine code of the structure, as soon as it is there or pays."""
        if self.native is None:
            return
        self._count_steps()
        own = self.native.address
        if own is not None:
            self.equations = self.equations._replace(model=own, rest=own)
        if own is not None or self.native.refused:
            self.native = None
        else:
            self.budget = min(self.budget, self.native.due)

    def _count_steps(self) -> None:
        if self.native is not None:
            self.native.steps, self.counted = self.native.steps + self.now.steps - self.counted, self.now.steps

    def trace(self, stopped: bool) -> Trace:
        """What came out."""
        now, mem, p = self.now, self.mem, self.p
        self._flush()
        self._count_steps()
        memory.hold_sides(p.I, p.F, False)
        listed, made = min(now.switches, LISTED), now.next_output
        self.out.times[:], self.out.t[:made] = self.times, self.times[:made]
        now.t, now.t_end = self.t, self.end if now.t_end == self.t1 else self.clock + now.t_end
        return Trace(
            self.status,
            self.out,
            now.next_output,
            self.store.all(),
            now,
            time.perf_counter() - self.started,
            self.interrupted
            or stopped,  # in the last moment of a run it was meant for what follows, which looks at this
            self.redetected,
            self.segments,
            [(float(t), int(k)) for t, k in zip(self.of(mem.switch_time[:listed]), mem.switch_owner[:listed])],
            self.error,
            self.methods,
            self.leap.found() if isinstance(self.leap, Moreau) else None,
        )


def code_of(p: Problem) -> tuple[Equations, Guard | None, Any]:
    """The equations as the time loop calls them, what keeps exceptions of Python in them, or None, and machine code of the structure, if it may be used."""
    called = bool(p.laws) or not is_compiled(p.operate)
    slip = None if p.friction is None or called else p.friction.tables()
    laws = with_laws(p) if called or (p.friction is not None and slip is None) else None
    # laws written in Python are called by the kernels only
    native = p.native if laws is None and slip is None and not p.calls else None
    own = None if native is None else native.address
    rest = own or (address_of(p.operate, p.I) if is_compiled(p.operate) else laws.address)  # type: ignore[union-attr]
    model = rest if laws is None else laws.address
    guard = Calls() if laws is None and p.calls else laws
    return Equations(model, rest, p.I, p.P, p.F, *(() if slip is None else slip)), guard, native


def with_laws(p: Problem) -> Callback:
    """The equations with Python laws called before each evaluation, as the time loop calls them."""

    def performed(
        mode: int, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, tolerance: float, times: int
    ) -> float:
        if mode == SLOPES:
            slopes_of_laws(p, t, a)
            return 0.0
        if mode in (EVALUATE, ACCELERATE, POWERS):
            call_laws(p, t, q, v, a)
        return float(p.operate(mode, p.I, p.P, p.F, t, q, v, a, tolerance, times))

    return Callback(performed)


def examples(implicit: bool) -> list[tuple[Any, tuple[Any, ...]]]:
    """What comes before the time loop and the loop, with arguments of the kinds that they take; with `implicit`, those of all methods."""
    none, numbers, empty = memory.no_tables(), np.zeros(1), np.zeros(0)
    p = Problem(none, numbers, numbers, 1.0, method(5), 1e-6, 1e-8)
    common = (
        Equations(0, 0, p.I, p.P, p.F),
        arrays_of(p.method),
        Step(),
        memory_of(p, empty, empty, empty, 0),
        _output(p.I, empty, 0, 0),
    )
    kept = _kept(1, 0, 0, 0, 0)
    given, loops = (
        (*common, kept, p.watch, p.stops, p.modes, p.contacts, *no_solver(), 1),
        cast("Any", loop.integrate).versions,
    )
    return [(start, (*common, kept, _weighing(p), 1)), *((one, given) for one in loops[: None if implicit else 1])]


def memory_of(p: Problem, q: np.ndarray, v: np.ndarray, z: np.ndarray, stages: int) -> Memory:
    """State and scratch of a run, or of steps of one length."""
    nq, nv = len(q), len(v)
    y = np.concatenate([q, v, z])
    n, listed = len(y), LISTED if len(p.watch.kind) else 0
    many = memory.sizes(p.I)
    # contacts and their friction do work besides
    powers = many.powers + (p.points is not None)

    def with_views(x: np.ndarray) -> tuple[np.ndarray, ...]:
        return x, x[:nq], x[nq : nq + nv], x[nq + nv :]

    return Memory(  # type: ignore[call-arg]
        *with_views(y), np.zeros(stages * n), np.zeros(2 * n), *with_views(np.zeros(n)), np.zeros(nv), np.zeros(nv),
        *with_views(np.zeros(n)), np.zeros(n), np.zeros(n), *(np.zeros(k) for k in (*(many.angles,) * 4, *(powers,) * 4)),
        np.zeros((3, n)), np.zeros((n, MOST_DEGREE + 1)), p.conservative, np.zeros(listed), np.zeros(listed, dtype=np.int64),
    )  # fmt: skip


def _output(I: np.ndarray, times: np.ndarray, nq: int, nv: int) -> Output:  # noqa: E741
    n, widths = len(times), (nq, nv, nv, *memory.sizes(I))
    return Output(np.ascontiguousarray(times, dtype=float), np.zeros(n), *(np.zeros((n, w)) for w in widths))


def _kept(n: int, width: int, n_angles: int, n_power: int, n_sides: int) -> Kept:
    wide = (np.zeros((n, w)) for w in (width, n_angles, n_power))
    return Kept(np.zeros(n), *wide, np.zeros(n), np.zeros((n, n_sides)))  # type: ignore[call-arg]


def _weighing(p: Problem) -> Weighing:
    return Weighing(p.length, NOTHING if p.scale is None else p.scale, NO_ARMS if p.arms is None else p.arms, p.z_scale)
