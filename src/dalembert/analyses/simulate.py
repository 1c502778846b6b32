"""simulate: motion of a mechanism in time, with exact constraints, reactions and an audit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConvergenceError, MethodError
from ..model.mechanism import Mechanism
from ..model.shapes.reading import is_plain
from ..solve.integrators import method as find_method
from ..state import State

if TYPE_CHECKING:
    from ..results.result import Result

# outputs when the user asks for none
DEFAULT_OUTPUTS = 200


def simulate(
    model: Mechanism,
    until: float,
    *,
    start: State | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: Any = None,
    method: int | str = 8,
    backward: bool = False,
    max_step: float | None = None,
    progress: bool | None = None,
    audit: bool = True,
) -> Result:
    """Motion of a mechanism from its initial state to the time `until`.

    Parameters
    ----------
    model
        The mechanism.
    until
        End time [s].
    start
        State to start from, as `run.at(t)` gives it; default: the drawing, assembled, with the initial conditions, at t = 0.
    rtol, atol
        Relative and absolute tolerance of the integration; atol is in units of the model's length, radians and 1/s.
    output
        Output times: a step, a list of times, or "steps" for every accepted step.  Default: 200 equal steps.
    method
        8 (DOP853) or 5 (Dormand–Prince), explicit Runge–Kutta with adaptive steps.
    backward
        Integrate backwards in time, to `until` before the start.
    max_step
        Largest step [s].
    progress
        Show progress of long runs; default: on a terminal.
    audit
        Check the run (constraints, energy, residuals); a failed audit is a warning and a status other than "ok".

    Returns
    -------
    Result
        Times, states, reactions, energies by name; marked incomplete if it was interrupted from the keyboard.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> run = da.simulate(m, until=1.0)
    >>> run.status
    'ok'
    """
    asked = f"simulate({getattr(model, 'name', model)!r})"
    if not isinstance(model, Mechanism):
        raise MethodError(asked, f"{model!r} of type {type(model).__name__}", "a Mechanism is needed", "give the mechanism")
    t0 = _start_time(asked, start)
    t1 = _end_time(asked, until, t0, backward)
    for name, x in (("rtol", rtol), ("atol", atol)):
        if not is_plain(x) or not math.isfinite(x) or not 0.0 < x < 1.0:
            raise MethodError(asked, f"{name} = {x!r}", "a tolerance is a number between 0 and 1", f"give {name}=1e-8")
    if rtol < 1e-14:
        raise MethodError(asked, f"rtol = {rtol!r}", "it is below the rounding of numbers", "give rtol=1e-13 or more")
    if max_step is not None and (not is_plain(max_step) or not max_step > 0.0 or math.isnan(max_step)):
        raise MethodError(asked, f"max_step = {max_step!r}", "a step is a positive number", "give max_step=0.01")
    tableau = find_method(method if isinstance(method, int | str) else repr(method))
    every_step = isinstance(output, str) and output == "steps"
    times = np.zeros(0) if every_step else output_times(asked, output, t0, t1)
    _check_start(asked, model, start)

    from ..compilation import compiling
    from ..results.result import Result

    with compiling():
        from ..solve.run import integrate
        from ._initial import prepare

        prepared = prepare(model, t0, start)
        problem, redetect = _problem(prepared, tableau, float(rtol), float(atol), max_step)
        report = _progress(progress, t0, t1)
        trace = integrate(problem, t0, prepared.state.q, prepared.state.v, t1, times, report, redetect)
        if report is not None:
            report.close()  # type: ignore[attr-defined]
    result = Result.from_trace(prepared, problem, trace, every_step, t1)
    if not trace.interrupted and trace.status != 0:
        raise _failure(asked, prepared, trace, result)
    if audit:
        result.check()
    return result


def _start_time(asked: str, start: Any) -> float:
    if start is None:
        return 0.0
    if not isinstance(start, State):
        raise MethodError(asked, f"start = {start!r}", "a State is needed", "give start=run.at(t)")
    return float(start.t)


def _check_start(asked: str, model: Mechanism, start: State | None) -> None:
    if start is None:
        return
    names = tuple(body.name for body in model.bodies)
    if start.bodies and start.bodies != names:
        raise MethodError(
            asked,
            f"start has the bodies {', '.join(start.bodies[:6])}",
            f"the mechanism has {', '.join(names[:6])}",
            "use a state of the same mechanism",
        )
    nq, nv = (3, 3) if model.plane else (7, 6)
    q, v = np.asarray(start.q), np.asarray(start.v)
    if q.shape != (nq * len(names),) or v.shape != (nv * len(names),) or not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise MethodError(asked, f"start with q of shape {q.shape} and v of shape {v.shape}", f"{nq * len(names)} and {nv * len(names)} finite numbers are needed", "use run.at(t)")


def _end_time(asked: str, until: Any, t0: float, backward: bool) -> float:
    if not is_plain(until) or not math.isfinite(until):
        raise MethodError(asked, f"until = {until!r}", "the end time is a finite number", "give until=1.0")
    t1 = float(until)
    if t1 == t0:
        raise MethodError(asked, f"until = {t1!r} equals the start", "there is nothing to integrate", "give a later end time")
    if t1 < t0 and not backward:
        raise MethodError(asked, f"until = {t1!r} is before the start at {t0!r}", "time runs forward by default", "give backward=True, or a later end time")
    if t1 > t0 and backward:
        raise MethodError(asked, f"until = {t1!r} is after the start at {t0!r}", "backward=True runs to earlier times", "drop backward=True, or give an earlier end time")
    return t1


def output_times(asked: str, output: Any, t0: float, t1: float) -> np.ndarray:
    """Output times in the direction of integration."""
    span = t1 - t0
    if output is None:
        return t0 + span * np.arange(DEFAULT_OUTPUTS + 1) / DEFAULT_OUTPUTS
    if isinstance(output, str):
        raise MethodError(asked, f"output = {output!r}", "it is a step, a list of times or 'steps'", "give output=0.01")
    if is_plain(output):
        if not output > 0.0 or not math.isfinite(output):
            raise MethodError(asked, f"output = {output!r}", "an output step is a positive number", "give output=0.01")
        n = int(math.floor(abs(span) / output * (1.0 + 1e-12)))
        if n > 20_000_000:
            raise MethodError(asked, f"output = {output!r} gives {n} outputs", "that is more than fits in memory", "give a larger step")
        times = t0 + math.copysign(output, span) * np.arange(n + 1)
        # the last output is the end itself
        if abs(times[-1] - t1) <= 1e-9 * output:
            times[-1] = t1
        else:
            times = np.append(times, t1)
        return times
    try:
        times = np.array(output, dtype=float).ravel()
    except (TypeError, ValueError):
        times = np.array([math.nan])
    if times.size == 0 or not np.isfinite(times).all():
        raise MethodError(asked, f"output = {output!r}", "output times are finite numbers", "give a step or a list of times")
    times = np.unique(times)
    if span < 0:
        times = times[::-1].copy()
    inside = (times - t0) * span >= 0.0
    inside &= (t1 - times) * span >= 0.0
    if not inside.all():
        raise MethodError(asked, f"output time {float(times[~inside][0])!r}", f"it lies outside {t0!r} … {t1!r}", "give times inside the run")
    return times


def _problem(prepared: Any, tableau: Any, rtol: float, atol: float, max_step: float | None) -> tuple[Any, Callable[..., float]]:
    from ..solve.run import Problem
    from ._initial import check_positions, detect

    system, work = prepared.system, prepared.work
    numbering = system.numbering
    laws = {k: law.law.function for k, law in enumerate(system.builder.laws) if law.law.function is not None}
    dropped = 10.0 * prepared.disagreement + 1e-9 if prepared.dropped else math.inf
    problem = Problem(
        numbering.I, numbering.P, work.F, work.tape, system.length, work.floor, tableau, rtol, atol,
        math.inf if max_step is None else float(max_step), dropped=dropped, laws=laws,
    )  # fmt: skip

    def redetect(t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Decide anew which rows are dependent and bring the state onto all of them."""
        from ..kernels.operate import POSITION, VELOCITY, operate

        delta = np.zeros(system.nv)
        for _ in range(3):
            detect(system, work, t, q)
            operate(POSITION, numbering.I, numbering.P, work.F, work.tape, t, q, v, delta, 1e-13, 20)
        detect(system, work, t, q)
        operate(VELOCITY, numbering.I, numbering.P, work.F, work.tape, t, q, v, delta, 1e-13, 20)
        prepared.disagreement = check_positions(system, work, t, q, f"simulate({system.model.name!r}) at t = {t:g} s", 1e-6)
        prepared.dropped[:] = [r for r in range(system.n_rows) if math.isinf(work.floor[r])]
        return 10.0 * prepared.disagreement + 1e-9 if prepared.dropped else math.inf

    return problem, redetect


def _progress(progress: bool | None, t0: float, t1: float) -> Any:
    from ..progress import Progress

    return None if progress is False else Progress("simulating", t0, t1, force=bool(progress))


def _failure(asked: str, prepared: Any, trace: Any, result: Any) -> ConvergenceError:
    from ..solve import loop
    from ..solve.status import MESSAGES, NOT_FINITE, PROJECTION, REDETECT

    t = float(trace.control[loop.T])
    steps = int(trace.counters[loop.STEPS])
    found = f"{MESSAGES[trace.status]} at t = {t:.9g} s, after {steps} steps, last step size {float(trace.control[loop.H]):.3g} s"
    if trace.status == NOT_FINITE:
        why = "a force or driver has no finite value there, or the motion runs away"
        do = "check the expressions of forces and drivers at this time, and the masses"
    elif trace.status in (PROJECTION, REDETECT):
        why = "the mechanism is at or near a position in which its constraints lose their independence (a singular position)"
        do = "look at the pose there with run.at(t), start from another pose, or use max_step="
    else:
        why = "the solution changes faster than steps can follow: a stiff element, a singular position, or a jump in a force"
        do = "soften very stiff springs or dampers, smooth jumps (step(...)), or raise rtol and atol"
    error = ConvergenceError(asked, found, why, do)
    error.result = result  # type: ignore[attr-defined]
    return error
