"""Motion of a Lagrangian system in time: the same compiled loop as for mechanisms, around other equations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ConvergenceError, MethodError
from ...kernels.operate import RATES, ROWS
from ...model.lagrangian import Lagrangian
from ...results.lagrangian import LagrangianResult
from ...state import State
from ...system.lagrange_watch import lagrange_watch
from ..pose import running_away
from .point import Point, without_value
from .start import Prepared, check_positions, prepare, read_state


def move(
    model: Lagrangian,
    asked: str,
    start: Any,
    velocities: str,
    keep: Any,
    span: tuple[float, float],
    times: np.ndarray,
    every_step: bool,
    settings: tuple[Any, float, float, float],
    report: Any,
) -> LagrangianResult:
    """Integrate from the initial state; arguments as `simulate` has read them."""
    from ...solve.run import integrate

    if keep is not None or velocities == "solve":
        raise MethodError(
            asked, f"velocities = {velocities!r}, keep = {keep!r}", "rates that are not given are always solved for here",
            "give rates with m.start, or velocities='impulsive'",
        )  # fmt: skip
    state: State | None = None if start is None else read_state(asked, model, start)
    prepared = prepare(model, span[0], state, asked, velocities)
    problem, redetect = problem_of(prepared, settings, asked)
    problem.keep_all = every_step
    switched = _after_switch(prepared, asked, span[1] < span[0])
    trace = integrate(problem, span[0], prepared.state.q, prepared.state.v, span[1], times, report, redetect, switched)
    result = LagrangianResult.from_trace(prepared, problem, trace, every_step)
    if trace.error is not None:
        trace.error.result = result  # type: ignore[attr-defined]
        raise trace.error
    if not trace.interrupted and trace.status != 0:
        raise _failure(asked, trace, result)
    if result.complete and model.states:
        running_away.refuse(result, asked)
    return result


def problem_of(
    prepared: Prepared, settings: tuple[Any, float, float, float], asked: str
) -> tuple[Any, Callable[..., float]]:
    """What the time loop needs."""
    from ...kernels.lagrange.operate import operate
    from ...solve.run import Problem
    from ...system.machine.native import native_code

    tableau, rtol, atol, largest = settings
    system, work = prepared.system, prepared.work
    dropped = 10.0 * prepared.disagreement + 1e-13 if prepared.dropped else math.inf
    start = Point(system, prepared.state.t, prepared.state.q, prepared.state.v)
    watch, prepared.owners = lagrange_watch(system, np.diag(start.mass))
    problem = Problem(
        system.I, system.P, work.F, 1.0, work.floor, tableau, rtol, atol, largest, dropped=dropped,
        operate=operate, scale=np.ones(2 * system.n), watch=watch, guard=True, native=native_code(system),
    )  # fmt: skip

    def redetect(t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Decide anew which rows are dependent and bring the state onto all of them."""
        point = Point(system, t, q, v, work)
        for _ in range(3):
            point.detect(asked)
            if point.onto() <= 1e-12 + 10.0 * system.rounding(point.q):
                break  # rows that were chosen and are satisfied stay
        point.velocity_onto()
        q[:], v[:] = point.q, point.v
        prepared.disagreement = check_positions(point, f"{asked} at t = {t:g} s", True)
        prepared.dropped[:] = [int(r) for r in np.flatnonzero(point.dropped)]
        prepared.ever_dropped.update(prepared.dropped)
        return 10.0 * prepared.disagreement + 1e-13 if prepared.dropped else math.inf

    return problem, redetect


def _after_switch(prepared: Prepared, asked: str, backward: bool) -> Callable[..., bool]:
    """What to do when a row has changed its law; see `analyses/pose/jumps.py`."""
    from ..pose.jumps import JUMP, jump_of_position, jump_of_velocity
    from .impulse import caught

    def switched(t: float, q: np.ndarray, v: np.ndarray, number: int) -> bool:
        owner = prepared.owners[number]
        point = Point(prepared.system, t, q, v, prepared.work)
        off = point.operate(ROWS)
        if not math.isfinite(off):
            return False
        if off > JUMP:
            raise jump_of_position(asked, owner, t, off)
        if point.operate(RATES) <= JUMP * max(1.0, float(np.max(np.abs(v), initial=0.0))):
            return False
        # a row that changes with time alone drives; one that changes with the position has a corner
        moves = any(source[0] < prepared.system.n for source in _of_switch(owner))
        if moves or backward:
            raise jump_of_velocity(asked, owner, t, backward)
        later = t + 16.0 * math.ulp(max(abs(t), 1e-300))
        blow = caught(Point(prepared.system, later, q, v))
        v[:] = blow.after.v
        prepared.jumps.append((t, blow))
        return True

    return switched


def _of_switch(owner: Any) -> list[tuple[int, int]]:
    """Coordinates and rates that the switches of an expression depend on."""
    used = set().union(*(switch.gap.names for switch in owner.held))
    return [source for name, source in zip(owner.inputs[1:], owner.sources) if name in used]


def _failure(asked: str, trace: Any, result: LagrangianResult) -> ConvergenceError:
    from ...solve.run import pace
    from ...solve.status import CHATTERING, FULL, MESSAGES, NOT_FINITE, PROJECTION, REDETECT, STEP_TOO_SMALL
    from ..simulate import chattering

    t, steps = trace.step.t, trace.step.steps
    found = f"{MESSAGES[trace.status]} at t = {t:.9g} s, after {steps} steps, last step size {trace.step.h:.3g} s"
    if len(trace.kept.t):
        found += pace(trace) if trace.status == STEP_TOO_SMALL else ""
        n, h = result.system.n, trace.step.h
        q, v = trace.kept.y[-1, :n], trace.kept.y[-1, n:]
        found += "; there " + ", ".join(f"{name} = {x:.6g}" for name, x in zip(result.model.q[:6], q))
        bad: list[str] = []
        for ahead in (0.0, h, 100.0 * h) if trace.status in (NOT_FINITE, STEP_TOO_SMALL) else ():
            bad = bad or without_value(result.system, t + ahead, q + ahead * v, v)
        found += f"; without a finite value there: {', '.join(bad[:4])}" if bad else ""
    if trace.status == CHATTERING:
        owner = result.prepared.owners[int(result.problem.watch.owner[trace.step.last_switch])]
        found, why, do = chattering(found, owner.part)
    elif trace.status == FULL:
        why, do = (
            "output='steps' keeps every step",
            "give output times, or a larger rtol; error.result has what was computed",
        )
    elif trace.status in (NOT_FINITE, STEP_TOO_SMALL) and (away := running_away.stopped(result, trace.step.h)):
        found, why, do = f"{found}; {away}", running_away.WHY, running_away.DO
    elif trace.status == NOT_FINITE:
        why = "an expression or its derivative has no finite value there, or the mass matrix is singular, or the motion runs away"
        do = "look at energies and forces at these coordinates; angles that are not defined there (poles) need other coordinates"
    elif trace.status in (PROJECTION, REDETECT):
        why = "the system is at or near a position in which its constraints lose their independence"
        do = "look at the state there, start from another one, or use max_step="
    else:
        why = (
            "the solution changes faster than steps can follow: a stiff term, a singular position, or a jump in a force"
        )
        do = "smooth jumps (step(...), tanh(v/0.001) for sign(v)), soften stiff terms, or raise rtol and atol"
    error = ConvergenceError(asked, found, why, do)
    error.result, error.t = result, t
    return error
