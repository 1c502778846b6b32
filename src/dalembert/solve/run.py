"""Drives the compiled time loop: memory, first step, chunks between which Python is entered, and laws written in Python."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import DalembertError
from ..kernels import layout as at
from ..kernels.bodies import rate_of_q
from ..kernels.laws import stored_energy
from ..kernels.operate import ACCELERATE, EVALUATE, INPUTS, POWERS, operate
from ..kernels.through import Callback, address_of, is_compiled
from ..kernels.watch import Watch, nothing_watched
from . import loop as compiled
from .integrators import Tableau
from .integrators._base import INSIDE
from .status import BUDGET, BUFFER, DONE, FULL, REDETECT, STEP_TOO_SMALL, SWITCHED


class Method(NamedTuple):
    """A tableau as the time loop wants it."""

    order: float
    steps: int
    stages: int
    two_errors: int
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray
    error_low: np.ndarray
    dense: np.ndarray
    inside: np.ndarray
    slope: np.ndarray
    inside_at: np.ndarray


class Memory(NamedTuple):
    """Scratch of the time loop; q, v, z are views of y, new_q, new_v, new_z of new_y."""

    y: np.ndarray
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    a: np.ndarray
    delta: np.ndarray
    new_y: np.ndarray
    new_q: np.ndarray
    new_v: np.ndarray
    new_z: np.ndarray
    error: np.ndarray
    error_low: np.ndarray
    angle: np.ndarray
    angle_rate: np.ndarray
    next_angle: np.ndarray
    next_rate: np.ndarray
    power: np.ndarray
    power0: np.ndarray
    stage_work: np.ndarray
    work: np.ndarray
    inside: np.ndarray  # rates of (q, v, z) at points inside a step
    conservative: np.ndarray  # laws whose work is the change of a potential
    switch_time: np.ndarray  # the first switches of the run: when, and whose
    switch_owner: np.ndarray


class Output(NamedTuple):
    """Buffers of outputs; times are filled beforehand."""

    times: np.ndarray
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    force: np.ndarray
    power: np.ndarray
    angle: np.ndarray
    side: np.ndarray  # sides of switches: at an instant of change, those before it
    z: np.ndarray  # auxiliary states


class Kept(NamedTuple):
    """Buffers of accepted steps."""

    t: np.ndarray
    y: np.ndarray  # (q, v, z)
    angle: np.ndarray
    work: np.ndarray  # of every element and driver since the start, without that of potentials
    stored: np.ndarray  # potential of the elements that have one
    side: np.ndarray  # sides of switches


@dataclass
class Problem:
    """Arrays of one run: system memory, method and tolerances; `laws` are Python functions by number of the law."""

    I: np.ndarray  # noqa: E741
    P: np.ndarray
    F: np.ndarray
    length: float
    floor: np.ndarray
    method: Tableau
    rtol: float
    atol: float
    h_max: float = math.inf
    h_first: float | None = None
    tolerance: float = 1e-13
    dropped: float = math.inf
    laws: dict[int, Callable[[float, float, float], float]] = field(default_factory=dict)
    operate: Any = field(default_factory=lambda: operate)  # the entry to the equations
    scale: np.ndarray | None = None  # scale of the absolute tolerance for (q, v), if not that of bodies
    arms: np.ndarray | None = (
        None  # how far a turn of 1 rad about each axis moves a body [m]; default: the model's length
    )
    leaving: bool = False  # the start is a singular position, and rows left out there are needed at once
    watch: Watch = field(default_factory=nothing_watched)
    guard: bool = False  # look inside every step: defect, work and change of momentum by a quadrature of its own
    conservative: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    keep_all: bool = False  # every accepted step is an output
    z_scale: np.ndarray = field(default_factory=lambda: np.zeros(0))  # scale of atol for each auxiliary state
    native: Any = None  # machine code of the structure (`system/machine/native.py`), used where it is there or pays


@dataclass
class Trace:
    """What a run produced."""

    status: int
    out: Output
    n_out: int
    kept: Kept
    counters: np.ndarray
    control: np.ndarray
    seconds: float
    interrupted: bool
    redetected: int
    switches: list[tuple[float, int]] = field(
        default_factory=list
    )  # (time, owner) of laws that changed, the first ones
    error: DalembertError | None = None  # what `redetect` or `switched` refused


# arm of a turn, as a part of the model's length, from which on its error counts in radians
PART = 0.05
# switches of a run that are listed
LISTED = 10_000
# steps that are kept: bounded by the outputs, or by this memory [bytes] where there are few; all steps, where they are the outputs, by the second
KEPT, LARGEST_KEPT = 6.4e7, 4e9
# steps after which the pace is looked at, and steps that no run survives: many minutes of the smallest model, hours of any other
WATCHED, ENDLESS = 200_000, 5e7


def pace(trace: Trace) -> str:
    """How many steps the rest of a run would take at the pace so far; empty where that is not the reason that it stopped."""
    t, end, begin = float(trace.control[compiled.T]), float(trace.control[compiled.T_END]), float(trace.kept.t[0])
    left = int(trace.counters[compiled.STEPS]) * abs(end - t) / max(abs(t - begin), 1e-300)
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
    switched: Callable[[float, np.ndarray, np.ndarray, int], bool] | None = None,
    sides: np.ndarray | None = None,
    z0: np.ndarray | None = None,
) -> Trace:
    """Integrate from t0 to t1 with outputs at `times`.

    `progress` is called with the current time about every 50 ms; `redetect` when dropped rows are needed, and returns the
    residual of dropped rows that is normal from then on; `switched` when a driver or a row has changed its law, with the number of its
    owner: it brings v onto the new one, and returns whether that was a jump.  `sides` are those of the switches at the start; default: by the state.
    `z0` are the auxiliary states at the start; default: those in the memory.
    """
    p = problem
    nq, nv = len(q0), len(v0)
    y = np.concatenate([q0, v0, states_in(p) if z0 is None else z0])
    n = len(y)
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    states_in(p)[:] = z
    n_angles, n_power = int(p.I[at.N_ANGLES]), int(p.I[at.N_LAWS] + p.I[at.N_DRIVERS])
    method = _method(p.method)
    K = np.zeros(method.stages * n)
    mem = _memory(nq, nv, n_angles, n_power, p)
    out = _output(p.I, times, nq, nv)
    control, count = np.zeros(compiled.N_CONTROL), np.zeros(compiled.N_COUNT, dtype=np.int64)
    scale = weights_of(p, q0, v0)
    control[[compiled.T, compiled.T_END, compiled.RTOL, compiled.ATOL]] = t0, t1, p.rtol, p.atol
    control[[compiled.TOLERANCE, compiled.H_MAX, compiled.DROPPED]] = p.tolerance, p.h_max, p.dropped
    control[compiled.H_MIN] = 1e-12 * abs(t1 - t0)
    control[compiled.T_SWITCHED] = math.inf
    count[compiled.FRESH], count[compiled.PENDING], count[compiled.GUARD] = compiled.START, -1, _points_inside(p)
    p.F[p.I[at.FROZEN]] = 0.0
    if sides is not None:
        p.F[p.I[at.SIDE] : p.I[at.FROZEN]] = sides
        p.F[p.I[at.FROZEN]] = 1.0
        count[compiled.FRESH] = compiled.AGAIN_HELD
    laws = _with_laws(p) if p.laws or not is_compiled(p.operate) else None
    # laws written in Python are called by the kernels only
    native = p.native if laws is None else None
    own = None if native is None else native.address
    rest = own or (address_of(p.operate) if is_compiled(p.operate) else laws.address)  # type: ignore[union-attr]
    model = (rest if laws is None else laws.address, rest)
    control[compiled.H] = (
        _first_step(p, t0, q, v, z, t1, scale) if p.h_first is None else math.copysign(p.h_first, t1 - t0)
    )
    # from a singular position: short steps before the first output without the rows left out, until they are independent again
    hops: list[float] = []
    if p.leaving:
        until = np.abs(times - t0)
        ahead = float(np.min(until[until > 0.0], initial=abs(t1 - t0)))
        first_hop = 0.1 * abs(control[compiled.H])
        hops = [math.copysign(min(first_hop * 4.0**k, 0.9 * ahead), t1 - t0) for k in range(5)]
        control[compiled.T_END] = t0 + hops.pop(0)
    width = n + n_angles + n_power + len(_sides(p)) + 2
    chunk = max(16, min(1024, int(5e5 / width)))
    most = LARGEST_KEPT if p.keep_all else max(KEPT, 16.0 * len(times) * width)
    store = _Steps(int(max(4 * chunk, most / (8.0 * width))), thinned=not p.keep_all)
    kept = _kept(chunk, n, n_angles, n_power, _sides(p))
    kept.t[0], kept.y[0] = t0, y
    # some ten milliseconds of steps to begin with, by a rough guess of what they cost; after that as measured
    started, budget = time.perf_counter(), int(min(1000, WATCHED, max(20, 4e4 / n)))
    if laws is not None:
        budget = min(budget, 50)
    if native is not None and own is None and not native.refused:
        budget = min(budget, native.due)
    interrupted, redetected = False, 0
    revised_at, stuck = math.nan, 0
    error: DalembertError | None = None
    mark, counted = (0, t0), 0
    # outputs at the start itself
    status = BUDGET
    first = True
    with StopRequest() as stop:
        while True:
            # a stop request may come at any instant; what was computed stays in the arrays
            try:
                before = time.perf_counter()
                if first:
                    _record_start(p, t0, q, v, mem, out, count, kept)
                    first = False
                given = (
                    model, p.I, p.P, p.F, method, control, count, K, y, q, v, z, scale, mem, out, kept, p.watch, budget,
                )  # fmt: skip
                status = (
                    compiled.integrate(*given) if laws is None else _guarded(laws, given, (control, count, y, mem.work))
                )
                spent = time.perf_counter() - before
                states_in(p)[:] = z
                if status == BUFFER:
                    store.add(_cut(kept, int(count[compiled.NEXT_STEP])))
                    kept = _kept(chunk, n, n_angles, n_power, _sides(p))
                    count[compiled.NEXT_STEP] = 0
                    if store.full:
                        status = FULL
                        break
                elif status == SWITCHED:
                    owner = int(p.watch.owner[count[compiled.LAST_SWITCH]])
                    if switched is not None and switched(float(control[compiled.T]), q, v, owner):
                        # two states at one time: before the jump and after it, and nothing that is thinned out
                        store.add(_cut(kept, int(count[compiled.NEXT_STEP])))
                        kept = _kept(chunk, n, n_angles, n_power, _sides(p))
                        kept.t[0], kept.y[0], kept.angle[0] = control[compiled.T], y, _angles(p)
                        kept.work[0], kept.stored[0], kept.side[0] = mem.work, control[compiled.STORED], _sides(p)
                        count[compiled.NEXT_STEP] = 1
                        store.jump()
                elif status == REDETECT or (status == DONE and control[compiled.T_END] != t1):
                    assert redetect is not None
                    # revisions are normal as a linkage turns; only those without progress in time count against it
                    stuck = stuck + 1 if control[compiled.T] == revised_at else 0
                    revised_at, redetected = float(control[compiled.T]), redetected + 1
                    control[compiled.DROPPED] = redetect(float(control[compiled.T]), q, v)
                    count[compiled.FRESH] = compiled.AGAIN_HELD
                    if status == DONE:
                        done = not hops or control[compiled.DROPPED] == math.inf
                        control[compiled.T_END], control[compiled.LARGEST_PIVOT] = t1 if done else t0 + hops.pop(0), 1.0
                    if stuck > 10:
                        break
                elif status != BUDGET:
                    break
                if count[compiled.STEPS] - mark[0] >= WATCHED:
                    # a force that jumps back and forth lets steps shrink without end: at this pace the run would never be over
                    advance, left = abs(control[compiled.T] - mark[1]), abs(t1 - control[compiled.T])
                    if left * (count[compiled.STEPS] - mark[0]) > ENDLESS * advance:
                        status = STEP_TOO_SMALL
                        break
                    mark = int(count[compiled.STEPS]), float(control[compiled.T])
                budget = int(max(1, min(100000, budget * min(4.0, 0.05 / max(spent, 1e-6)))))
                # never beyond the next look at the pace: where that comes must not depend on the clock
                budget = min(budget, WATCHED - (int(count[compiled.STEPS]) - mark[0]))
                if native is not None and own is None and not native.refused:
                    native.steps, counted = (
                        native.steps + int(count[compiled.STEPS]) - counted,
                        int(count[compiled.STEPS]),
                    )
                    own = native.address
                    model, budget = (own, own) if own else model, budget if own else min(budget, native.due)
                if progress is not None:
                    progress(float(control[compiled.T]))
                if stop.came:
                    interrupted = True
                    break
            except KeyboardInterrupt:
                interrupted = True
                break
            except DalembertError as refused:
                # what was computed until then is part of the answer
                error = refused
                break
    store.add(_cut(kept, int(count[compiled.NEXT_STEP])))
    if native is not None and own is None:
        native.steps += int(count[compiled.STEPS]) - counted
    p.F[p.I[at.FROZEN]] = 0.0
    listed = min(int(count[compiled.SWITCHES]), LISTED)
    return Trace(
        status,
        out,
        int(count[compiled.NEXT_OUTPUT]),
        store.all(),
        count,
        control,
        time.perf_counter() - started,
        interrupted or stop.came,  # in the last moment of a run it was meant for what follows, which looks at this
        redetected,
        [(float(t), int(k)) for t, k in zip(mem.switch_time[:listed], mem.switch_owner[:listed])],
        error,
    )


class StopRequest:
    """Ctrl-C during a run: noted, and obeyed when the compiled loop comes back.

    Raised at any instant, it may be lost inside the machinery that enters compiled code (seen once).  A second
    Ctrl-C is raised as usual.  Outside the main thread, or with a handler of the user's own, nothing is changed.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> StopRequest:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def example() -> tuple[Any, tuple[Any, ...]]:
    """The time loop, and arguments of the kinds that it takes."""
    from .integrators import method

    none, numbers = np.zeros(at.HEADER, dtype=np.int64), np.zeros(1)
    p = Problem(none, numbers, numbers, 1.0, numbers, method(5), 1e-6, 1e-8)
    return compiled.integrate, (
        (0, 0), p.I, p.P, p.F, _method(p.method), numbers, none, *(numbers,) * 6, _memory(0, 0, 0, 0, p), _output(p.I, np.zeros(0), 0, 0),
        _kept(1, 0, 0, 0, _sides(p)), p.watch, 1,
    )  # fmt: skip


def _method(t: Tableau) -> Method:
    return Method(
        float(t.order), t.steps, t.stages, int(bool(np.any(t.error_low))), t.a, t.b, t.c, t.error, t.error_low, t.dense,
        t.inside, t.slope, np.array(INSIDE),
    )  # fmt: skip


def _memory(nq: int, nv: int, n_angles: int, n_power: int, p: Problem) -> Memory:
    listed = LISTED if len(p.watch.kind) else 0
    n = nq + nv + int(p.I[at.N_STATES])
    y, new = np.zeros(n), np.zeros(n)
    rest = [np.zeros(n) for n in (*(n_angles,) * 4, *(n_power,) * 4)]
    return Memory(  # type: ignore[call-arg]
        y,
        y[:nq],
        y[nq : nq + nv],
        y[nq + nv :],
        np.zeros(nv),
        np.zeros(nv),
        new,
        new[:nq],
        new[nq : nq + nv],
        new[nq + nv :],
        np.zeros(n),
        np.zeros(n),
        *rest,
        np.zeros((3, n)),
        p.conservative,
        np.zeros(listed),
        np.zeros(listed, dtype=np.int64),
    )


def _output(I: np.ndarray, times: np.ndarray, nq: int, nv: int) -> Output:  # noqa: E741
    n = len(times)
    n_power = int(I[at.N_LAWS] + I[at.N_DRIVERS])
    n_sides = int(I[at.FROZEN] - I[at.SIDE])  # the flag stands behind them
    n_rows, n_laws, n_angles, n_states = (int(I[k]) for k in (at.N_ROWS, at.N_LAWS, at.N_ANGLES, at.N_STATES))
    widths = (nq, nv, nv, n_rows, n_laws, n_power, n_angles, n_sides, n_states)
    return Output(np.ascontiguousarray(times, dtype=float), np.zeros(n), *(np.zeros((n, w)) for w in widths))


def _kept(n: int, width: int, n_angles: int, n_power: int, sides: np.ndarray) -> Kept:
    widths = width, n_angles, n_power
    return Kept(  # type: ignore[call-arg]
        np.zeros(n), *(np.zeros((n, w)) for w in widths), np.zeros(n), np.zeros((n, len(sides)))
    )


def _sides(p: Problem) -> np.ndarray:
    """Sides of the switches, as they are; the flag that holds them stands behind them."""
    return p.F[p.I[at.SIDE] : p.I[at.FROZEN]]


def states_in(p: Problem) -> np.ndarray:
    """Auxiliary states in the memory of the kernels."""
    return p.F[p.I[at.STATE_AT] : p.I[at.STATE_AT] + p.I[at.N_STATES]]


def _cut(kept: Kept, n: int) -> Kept:
    return Kept(*(a[:n] for a in kept))


def _points_inside(p: Problem) -> int:
    """What is looked at inside each step: the equations at one point, and where work has to be integrated powers at two more."""
    if not p.guard:
        return 0
    springs = [n for n in np.flatnonzero(p.conservative) if p.I[p.I[at.LAW] + 4 * n] == at.LAW_LINEAR]
    lossless = all(p.P[p.I[at.LAW_NUMBERS] + at.LAW_SIZE * n + 2] == 0.0 for n in springs)
    no_work = len(p.conservative) == p.I[at.N_LAWS] and bool(np.all(p.conservative)) and p.I[at.N_DRIVERS] == 0
    if no_work and lossless:
        return compiled.ONE_POINT
    # powers of drivers, and those of Lagrangian systems, need the multipliers
    return compiled.POWERS_ONLY if p.operate is operate and p.I[at.N_DRIVERS] == 0 else compiled.THREE_POINTS


class _Steps:
    """Accepted steps of a run in bounded memory: when they are too many, every second one goes, jumps excepted.

    States at other times are computed from the step before them; with steps left out that takes longer, and is as exact.
    """

    def __init__(self, most: int, thinned: bool) -> None:
        self.most, self.thinned = most, thinned
        self.pieces: list[Kept] = []
        self.size = 0
        self.stays: list[int] = []  # numbers of steps beside a jump
        self.full = False

    def add(self, piece: Kept) -> None:
        """Further steps."""
        self.pieces.append(piece)
        self.size += len(piece.t)
        if self.size > self.most:
            if self.thinned:
                self._thin()
            else:
                self.full = True

    def jump(self) -> None:
        """The last step added is before a jump, and the next one after it."""
        self.stays += [self.size - 1, self.size]

    def _thin(self) -> None:
        every = self.all()
        stay = np.zeros(self.size, dtype=bool)
        stay[::2] = True
        stay[[k for k in self.stays if k < self.size]] = True
        stay[-1] = True
        number = np.cumsum(stay) - 1
        self.stays = [int(number[k]) if k < self.size else int(number[-1]) + 1 for k in self.stays]
        self.pieces = [Kept(*(a[stay] for a in every))]
        self.size = len(self.pieces[0].t)

    def all(self) -> Kept:
        """All that is kept, in one."""
        return (
            self.pieces[0] if len(self.pieces) == 1 else Kept(*(np.concatenate(parts) for parts in zip(*self.pieces)))
        )


def _angles(p: Problem) -> np.ndarray:
    return p.F[p.I[at.ANGLE_AT] : p.I[at.ANGLE_AT] + p.I[at.N_ANGLES]]


def weights_of(p: Problem, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Scale of the absolute tolerance for (q, v, z), then the reference from which the relative one measures.

    Errors count by what they move.  The model's length serves positions and velocities.  Turns count in radians while they move the points
    of their body by an arm that is a part of the model; with a smaller arm, that of a thin axle about itself, they count by
    the way of those points.  A quaternion is marked by a negative scale: the change of its length, then half turns about the body axes.

    Positions are measured from a point near the start: a machine drawn far from the origin is as accurate as one drawn there.
    """
    if p.scale is not None:
        return np.concatenate([p.scale, np.zeros(len(p.scale))])
    plane = bool(p.I[at.PLANE])
    linear, turns = (2, 1) if plane else (3, 3)
    bodies = len(v) // (linear + turns)
    spins = np.ones((bodies, turns)) if p.arms is None else 1.0 / (p.arms / (PART * p.length)).clip(1e-6, 1.0)
    speeds = np.full((bodies, linear + turns), p.length)
    speeds[:, linear:] = spins
    places = speeds
    if not plane:
        places = np.full((bodies, 7), p.length)
        places[:, 3], places[:, 4:] = -1.0, spins
    scale = np.concatenate([places.ravel(), speeds.ravel(), p.z_scale])
    reference = np.zeros(len(scale))
    start = q.reshape(bodies, -1)[:, :linear]
    reference[: len(q)].reshape(bodies, -1)[:, :linear] = start - start.clip(-p.length, p.length)
    return np.concatenate([scale, reference])


def _record_start(
    p: Problem, t0: float, q: np.ndarray, v: np.ndarray, mem: Memory, out: Output, count: np.ndarray, kept: Kept
) -> None:
    """Output at the start itself, and the start as the first kept step."""
    evaluate_at(p, t0, q, v, mem.a)
    angle = _angles(p)
    kept.angle[0], kept.side[0] = angle, _sides(p)
    kept.stored[0] = stored_energy(p.I, p.P, p.F, p.conservative)
    count[compiled.NEXT_STEP] = 1
    lam = p.F[p.I[at.LAM] : p.I[at.LAM] + p.I[at.N_ROWS]]
    force = p.F[p.I[at.FORCE] : p.I[at.FORCE] + p.I[at.N_LAWS]]
    power = p.F[p.I[at.POWER] : p.I[at.POWER] + p.I[at.N_LAWS] + p.I[at.N_DRIVERS]]
    while count[compiled.NEXT_OUTPUT] < len(out.times) and out.times[count[compiled.NEXT_OUTPUT]] == t0:
        k = count[compiled.NEXT_OUTPUT]
        out.t[k], out.q[k], out.v[k], out.a[k] = t0, q, v, mem.a
        out.lam[k], out.force[k], out.power[k], out.angle[k] = lam, force, power, angle
        out.side[k], out.z[k] = _sides(p), states_in(p)
        count[compiled.NEXT_OUTPUT] += 1


def evaluate_at(p: Problem, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """One evaluation, Python laws included."""
    if p.laws:
        call_laws(p, t, q, v, a)
    p.operate(EVALUATE, p.I, p.P, p.F, t, q, v, a, 0.0, 1)


def call_laws(p: Problem, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Values of Python laws into the memory of the kernels."""
    operate(INPUTS, p.I, p.P, p.F, t, q, v, a, 0.0, 1)
    for k, law in p.laws.items():
        r = p.I[p.I[at.LAW] + 4 * k + 1]
        s, rate = p.F[p.I[at.VALUE] + r], p.F[p.I[at.RATE] + r]
        p.F[p.I[at.CALLED] + k] = law(float(s), float(rate), float(t))


def _first_step(
    p: Problem, t0: float, q: np.ndarray, v: np.ndarray, z: np.ndarray, t1: float, scale: np.ndarray
) -> float:
    """Automatic first step after Hairer, Norsett, Wanner II.4: h such that the local change is about a hundredth of the scale."""
    nq, nv = len(q), len(v)
    y = np.concatenate([q, v, z])
    size = p.atol * np.abs(scale[: len(y)]) + p.rtol * np.abs(y - scale[len(y) :])
    a0, a1 = np.zeros(nv), np.zeros(nv)
    evaluate_at(p, t0, q, v, a0)
    f0 = np.concatenate([_rate(p, q, v), a0, p.F[p.I[at.FORCE] :][: len(z)]])
    d0, d1 = _norm((y - scale[len(y) :]) / size), _norm(f0 / size)
    span = abs(t1 - t0)
    # a state that is zero up to rounding says nothing about the step: never below a millionth of a second (or of the run)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else max(0.01 * d0 / d1, 1e-6 * min(1.0, span))
    if not h0 > 0.0:
        # an acceleration that is not finite: the loop says so by itself
        return math.copysign(1e-6 * span, t1 - t0)
    h0 = math.copysign(min(h0, span), t1 - t0)
    y1 = y + h0 * f0
    q1, v1 = y1[:nq].copy(), y1[nq : nq + nv].copy()
    states_in(p)[:] = y1[nq + nv :]
    evaluate_at(p, t0 + h0, q1, v1, a1)
    f1 = np.concatenate([_rate(p, q1, v1), a1, p.F[p.I[at.FORCE] :][: len(z)]])
    states_in(p)[:] = z
    d2 = _norm((f1 - f0) / size) / abs(h0)
    largest = max(d1, d2)
    h1 = max(1e-6, abs(h0) * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / p.method.order)
    h = min(100.0 * abs(h0), h1, span, p.h_max)
    return math.copysign(h if math.isfinite(h) and h > 0.0 else 1e-6 * span, t1 - t0)


def _rate(p: Problem, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    if p.I[at.PLANE]:
        return v  # q' = v in the plane, and in coordinates of one's own
    out = np.zeros(len(q))
    rate_of_q(p.I, q, v, out)
    return out


def _norm(x: np.ndarray) -> float:
    return math.sqrt(float(x @ x) / len(x)) if len(x) else 0.0


def _with_laws(p: Problem) -> Callback:
    """The equations with Python laws called before each evaluation, as the time loop calls them."""

    def performed(
        mode: int, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, tolerance: float, times: int
    ) -> float:
        if mode in (EVALUATE, ACCELERATE, POWERS):
            call_laws(p, t, q, v, a)
        return float(p.operate(mode, p.I, p.P, p.F, t, q, v, a, tolerance, times))

    return Callback(performed)


def _guarded(laws: Callback, given: tuple[Any, ...], kept: tuple[np.ndarray, ...]) -> int:
    """The time loop; after an exception in a law, everything is as it was when the loop was entered, and it is raised here."""
    before = [x.copy() for x in kept]
    with laws:
        status = int(compiled.integrate(*given))
    if laws.raised is not None:
        for x, old in zip(kept, before):
            x[:] = old
        raise laws.raised
    return status


__all__ = ["DONE", "Problem", "Trace", "evaluate_at", "example", "integrate"]
