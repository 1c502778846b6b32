"""Any compiled model run in time: what the loop is given, rows chosen anew on the way, and what comes out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import DalembertError
from ...results.record import Record, kind_of
from ...results.stepped import SteppedResult
from ...solve import run
from ...solve.leap import in_equal_steps
from ...solve.moreau import NAME as MANY_CONTACTS
from ...solve.sampling import Sampling
from . import running_away
from .crossings import Positions
from .dynamics import MOVED
from .fixed_steps import PARTITIONED, constraints_of
from .jumps import after_switch
from .many_contacts import in_steps
from .outputs import hold_left_out
from .prepared import Prepared
from .stopped import failure

# steps at least of a run with laws that are Python functions
UNKNOWN_LAWS = 100


def move(
    prepared: Prepared,
    asked: str,
    t1: float,
    times: np.ndarray,
    settings: tuple[Any, float, float, float],
    *,
    every_step: bool = False,
    leaving: bool = False,
    progress: Any = None,
    sampled: Callable[[Prepared], Sampling] | None = None,
    step: float | None = None,
) -> Record:
    """Integrate from the start of a prepared model to t1, with outputs at `times` or at every step; `settings` as `problem_of` reads them.

    `sampled` makes its controller.
    """
    begin = prepared.state
    problem = problem_of(prepared, settings, leaving)
    problem.keep_all = every_step
    if step is not None and problem.method.name == MANY_CONTACTS:
        in_steps(problem, prepared, step, asked)
    elif step is not None:
        in_equal_steps(problem, step, begin.t)
    limit_steps(problem, t1 - begin.t)
    if problem.method.name == PARTITIONED:
        problem.constraints = constraints_of(prepared)
    revised, switched = revising(prepared, problem, asked), after_switch(prepared, asked, t1 < begin.t)
    trace = run.integrate(
        problem,
        begin.t,
        begin.q,
        begin.v,
        t1,
        times,
        progress,
        revised,
        switched,
        z0=begin.z,
        sampling=sampled and sampled(prepared),
        crossed=Positions(prepared, asked),
    )
    kind = kind_of(prepared.system) if problem.points is None else SteppedResult
    result = kind.from_trace(prepared, problem, trace)
    if prepared.ever_dropped:
        hold_left_out(result)
    stopped = trace.error
    if stopped is None and not trace.interrupted and trace.status != 0:
        try:
            stopped = failure(asked, result)
        except DalembertError as refused:
            stopped = refused  # a law in Python, a little beyond where the run stopped
    if stopped is not None:
        stopped.result = result  # type: ignore[attr-defined]
        raise stopped
    if result.complete:
        running_away.refuse(result, asked)
    return result


def limit_steps(problem: run.Problem, span: float) -> None:
    """Nothing is known of a law that is a Python function but its values: no step longer than a hundredth of the run."""
    if problem.laws or problem.calls:
        problem.h_max = min(problem.h_max, abs(span) / UNKNOWN_LAWS)


def problem_of(prepared: Prepared, settings: tuple[Any, float, float, float], leaving: bool = False) -> run.Problem:
    """What the time loop needs; settings are the method, rtol, atol and the largest step, `leaving` a start where motions branch."""
    system, work, state = prepared.system, prepared.work, prepared.state
    told = dict(prepared.at(state.t, state.q, state.v).for_loop())
    prepared.owners = told.pop("owners")
    off = normal_misfit(prepared, state.q) if prepared.dropped else math.inf
    arrays = system.I, system.P, work.F, system.length
    return run.Problem(*arrays, *settings, dropped=off, leaving=leaving, guard=True, **told)


def normal_misfit(prepared: Prepared, q: np.ndarray) -> float:
    """Residual of rows left out beyond which they are looked at again: a change of the misfit found so far, at most what is accepted."""
    return min(10.0 * prepared.disagreement + 1e-13, MOVED) + float(prepared.system.rounding(q))


def revising(prepared: Prepared, problem: run.Problem, asked: str) -> Callable[[float, np.ndarray, np.ndarray], float]:
    """What the loop calls where rows left out are needed: which rows are dependent is decided anew, the state brought onto the others."""

    def revise(t: float, q: np.ndarray, v: np.ndarray) -> float:
        here = prepared.at(t, q, v)
        for _ in range(3):
            here.detect(asked)
            if here.settle():
                break  # rows that were chosen and are satisfied stay: where dimensions disagree, another choice would move the state
        q[:], v[:] = here.q, here.v
        prepared.disagreement = here.check_positions(f"{asked} at t = {t:g} s", "motion")
        prepared.mismatch = max(prepared.mismatch, here.mismatch())
        dropped = [int(r) for r in np.flatnonzero(here.dropped)]
        # as many rows as before depend on the others: what they are off by is the misfit of the dimensions, which grows and falls
        known = problem.dropped if len(dropped) == len(prepared.dropped) else 0.0
        prepared.dropped[:] = dropped
        prepared.ever_dropped.update(dropped)
        problem.dropped = max(known, normal_misfit(prepared, q)) if dropped else math.inf
        return problem.dropped

    return revise
