"""simulate: motion of a mechanism in time, with exact constraints, reactions and an audit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import (
    ConvergenceError,
    DalembertError,
    ExpressionError,
    MethodError,
    ModelError,
    SingularPositionError,
    checked_call,
    shown,
)
from ..model.expression.checks import plain_number
from ..model.mechanism import Mechanism
from ..model.reading import LARGEST, listed
from ..model.shapes.reading import is_plain
from ..solve.integrators import method as find_method
from ..state import State, state_of

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..results.result import Result

# outputs when the user asks for none
DEFAULT_OUTPUTS = 200
# memory that the outputs of one run may take
LARGEST_OUTPUT = 8e9
# steps at least of a run with laws that are Python functions
UNKNOWN_LAWS = 100


@checked_call
def simulate(
    model: Any,
    until: float,
    *,
    start: State | None = None,
    velocities: str = "error",
    keep: Any = None,
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
        State to start from, as `run.at(t)` gives it, an assembly or an equilibrium; default: the drawing, assembled, with the initial
        conditions, at t = 0.
    velocities
        What to do with initial velocities that contradict the joints.  "error": say by how much and where.  "solve": keep the rates
        of `m.start` and what `keep` names, solve for the rest.  "impulsive": let the joints catch the bodies; `run.impulse` is the
        account: velocities before and after, impulse at every joint, energy lost.
    keep
        With velocities="solve": names of measures and bodies that keep the velocities given, `keep=["A.angle"]`.
    rtol, atol
        Relative and absolute tolerance of the integration; atol is in units of the model's length, radians and 1/s; positions
        are relative to where they started, turns of thin bodies about themselves count by the way of their points.
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
    if not isinstance(model, Mechanism) and not _is_lagrangian(model):
        found = f"{shown(model)} of type {type(model).__name__}"
        raise MethodError(
            f"simulate({shown(model, 40)})", found, "a Mechanism or a Lagrangian is needed", "give the mechanism"
        )
    asked = f"simulate({model.name!r})"
    for name, flag in (
        ("backward", backward),
        ("audit", audit),
        *((("progress", progress),) if progress is not None else ()),
    ):
        if not isinstance(flag, bool | np.bool_):
            raise MethodError(
                asked, f"{name} = {shown(flag)}", "it is True or False", f"give {name}=True or {name}=False"
            )
    start = state_of(start)
    t0 = _start_time(asked, start)
    t1 = _end_time(asked, until, t0, bool(backward))
    for name, x in (("rtol", rtol), ("atol", atol)):
        if not is_plain(x) or not 0.0 < x < 1.0:
            raise MethodError(
                asked, f"{name} = {shown(x)}", "a tolerance is a number between 0 and 1", f"give {name}=1e-8"
            )
    if rtol < 1e-14:
        raise MethodError(asked, f"rtol = {rtol!r}", "it is below the rounding of numbers", "give rtol=1e-13 or more")
    largest = math.inf if max_step is None else plain_number(max_step)
    if largest is None or not largest > 0.0:
        raise MethodError(asked, f"max_step = {shown(max_step)}", "a step is a positive number", "give max_step=0.01")
    tableau = find_method(method if isinstance(method, int | str) and not isinstance(method, bool) else shown(method))
    every_step = isinstance(output, str) and output == "steps"
    times = np.zeros(0) if every_step else output_times(asked, output, t0, t1)
    many = len(model.bodies) if isinstance(model, Mechanism) else len(model.q)
    if len(times) * 8.0 * 40.0 * many > LARGEST_OUTPUT:
        found = f"{len(times)} outputs of {many} {'bodies' if isinstance(model, Mechanism) else 'coordinates'}"
        raise MethodError(asked, found, "that is more than fits in memory", "give a larger output step")
    if velocities != "error" or keep is not None:
        from .pose.velocities import check_choice

        check_choice(asked, velocities, keep)
    if not isinstance(model, Mechanism):
        settings = tableau, float(rtol), float(atol), largest
        return _lagrangian(
            model, asked, start, velocities, keep, (t0, t1), times, every_step, settings, progress, audit
        )
    _check_start(asked, model, start)
    _check_drivers(model, t0)

    from ..compilation import compiling
    from ..results.result import Result
    from ..system.known import known_system

    # overflow is found by what comes out (it is not finite), and told in our own words instead of numpy's
    with compiling(), np.errstate(all="ignore"):
        from ..solve.run import integrate
        from .pose import running_away
        from .pose.initial import prepare, prepared_again
        from .pose.jumps import after_switch
        from .pose.leaving import leave
        from .pose.outputs import hold_left_out

        if start is None and velocities == "error":
            prepared = prepared_again(model, t0)
        else:
            prepared = prepare(model, t0, start, velocities, keep, known_system(model))
        leaving = bool(prepared.dropped) and leave(prepared, model, start is not None or velocities != "error", asked)
        problem, redetect = _problem(prepared, tableau, float(rtol), float(atol), largest, leaving)
        problem.keep_all = every_step
        if problem.laws:
            # nothing is known of a Python function but its values: no step longer than a hundredth of the run
            problem.h_max = min(problem.h_max, abs(t1 - t0) / UNKNOWN_LAWS)
        switched = after_switch(prepared, asked, t1 < t0)
        report = _progress(progress, t0, t1)
        try:
            begin = prepared.state
            trace = integrate(problem, t0, begin.q, begin.v, t1, times, report, redetect, switched, z0=begin.z)
        finally:
            if report is not None:
                report.close()  # type: ignore[attr-defined]
        result = Result.from_trace(prepared, problem, trace, every_step, t1)
        if prepared.ever_dropped:
            hold_left_out(result)
        if trace.error is not None:
            trace.error.result = result  # type: ignore[attr-defined]
            raise trace.error
        if not trace.interrupted and trace.status != 0:
            raise _failure(asked, prepared, problem, trace, result)
        if result.complete and result.z.shape[1]:
            running_away.refuse(result, asked)
        if audit:
            result.check()
    return result


def _lagrangian(
    model: Lagrangian, asked: str, start: Any, velocities: str, keep: Any, span: tuple[float, float], times: np.ndarray,
    every_step: bool, settings: tuple[Any, float, float, float], progress: bool | None, audit: bool,
) -> Any:  # fmt: skip
    """The same for a Lagrangian system."""
    from ..compilation import compiling
    from .lagrangian.motion import move

    with compiling("lagrangian"), np.errstate(all="ignore"):
        report = _progress(progress, *span)
        try:
            result = move(model, asked, start, velocities, keep, span, times, every_step, settings, report)
        finally:
            if report is not None:
                report.close()
        if audit:
            result.check()
    return result


def _is_lagrangian(model: Any) -> bool:
    from ..model.lagrangian import Lagrangian

    return isinstance(model, Lagrangian)


def _start_time(asked: str, start: Any) -> float:
    if start is None:
        return 0.0
    if not isinstance(start, State):
        raise MethodError(asked, f"start = {shown(start)}", "a State is needed", "give start=run.at(t)")
    return float(start.t)


def _check_start(asked: str, model: Mechanism, start: State | None) -> None:
    if start is not None:
        start.check(asked, model.plane, tuple(body.name for body in model.bodies))


def _floats(x: Any) -> np.ndarray | None:
    """Array of one dimension of finite floats; None for everything else."""
    items = x if isinstance(x, np.ndarray) else listed(x)
    try:
        array = np.asarray(items)
    except ValueError:
        return None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        return None
    array = array.astype(float)
    return array if np.isfinite(array).all() else None


def _check_drivers(model: Mechanism, t0: float) -> None:
    """Refuse drivers without a finite value, rate or acceleration at the start."""
    from ..system.known import known

    facts = known(model)
    if facts.get("drivers checked at") == t0:
        return
    values = dict(model.parameters, t=t0)
    for driver in model.parts("driver"):
        for what, expression in zip(("value", "rate", "acceleration"), driver.rates):
            try:
                expression.evaluate(values)
            except ExpressionError as error:
                found = f"its {what} at t = {t0:g} s is not finite: {error.found}"
                raise ModelError(
                    driver.asked, found, error.why, "change the expression, or the time of the start"
                ) from None
    facts["drivers checked at"] = t0


def _end_time(asked: str, until: Any, t0: float, backward: bool) -> float:
    t1 = plain_number(until)
    if t1 is None or not abs(t1) <= LARGEST:
        raise MethodError(asked, f"until = {shown(until)}", "the end time is a finite number", "give until=1.0")
    if t1 == t0:
        raise MethodError(
            asked, f"until = {t1!r} equals the start", "there is nothing to integrate", "give a later end time"
        )
    if t1 < t0 and not backward:
        raise MethodError(
            asked,
            f"until = {t1!r} is before the start at {t0!r}",
            "time runs forward by default",
            "give backward=True, or a later end time",
        )
    if t1 > t0 and backward:
        raise MethodError(
            asked,
            f"until = {t1!r} is after the start at {t0!r}",
            "backward=True runs to earlier times",
            "drop backward=True, or give an earlier end time",
        )
    return t1


def output_times(asked: str, output: Any, t0: float, t1: float) -> np.ndarray:
    """Output times in the direction of integration."""
    span = t1 - t0
    if output is None:
        return t0 + span * np.arange(DEFAULT_OUTPUTS + 1) / DEFAULT_OUTPUTS
    if isinstance(output, str):
        raise MethodError(
            asked, f"output = {shown(output)}", "it is a step, a list of times or 'steps'", "give output=0.01"
        )
    if is_plain(output):
        if not 0.0 < output < math.inf:
            raise MethodError(
                asked, f"output = {shown(output)}", "an output step is a positive number", "give output=0.01"
            )
        output = min(plain_number(output) or math.inf, 2.0 * abs(span))
        count = abs(span) / output * (1.0 + 1e-12)
        if not count <= 20_000_000:
            raise MethodError(
                asked,
                f"output = {output!r} gives {count:.3g} outputs",
                "that is more than fits in memory",
                "give a larger step",
            )
        n = int(math.floor(count))
        times = t0 + math.copysign(output, span) * np.arange(n + 1)
        # the last output is the end itself
        if abs(times[-1] - t1) <= 1e-9 * output:
            times[-1] = t1
        else:
            times = np.append(times, t1)
        return times
    given = _floats(output)
    if given is None or given.size == 0:
        raise MethodError(
            asked, f"output = {shown(output)}", "output times are finite numbers", "give a step or a list of times"
        )
    times = np.unique(given)
    if span < 0:
        times = times[::-1].copy()
    inside = (times - t0) * span >= 0.0
    inside &= (t1 - times) * span >= 0.0
    if not inside.all():
        raise MethodError(
            asked,
            f"output time {float(times[~inside][0])!r}",
            f"it lies outside {t0!r} … {t1!r}",
            "give times inside the run",
        )
    return times


def _problem(
    prepared: Any, tableau: Any, rtol: float, atol: float, max_step: float, leaving: bool
) -> tuple[Any, Callable[..., float]]:
    from ..solve.run import Problem
    from ..system.machine.native import native_code
    from ..system.watch import fresh
    from .pose.initial import MOVED, OF_MOTION, check_positions, detect, disagreement_of, settle

    system, work = prepared.system, prepared.work
    numbering = system.numbering
    if "watch" not in system.known:
        found = {k: law.law.function for k, law in enumerate(system.builder.laws) if law.law.function is not None}
        native = native_code(numbering)
        system.known["watch"] = system.watch(), system.conservative(), system.builder.state_scales, found, native
    watch, conservative, z_scale, laws, native = system.known["watch"]
    dropped = _off(system, prepared.state.q, prepared.disagreement) if prepared.dropped else math.inf
    problem = Problem(
        numbering.I, numbering.P, work.F, system.length, work.floor, tableau, rtol, atol,
        max_step, dropped=dropped, laws=laws, z_scale=z_scale, leaving=leaving, arms=system.arms, watch=fresh(watch), conservative=conservative, guard=True,
        native=native,
    )  # fmt: skip

    def redetect(t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Decide anew which rows are dependent and bring the state onto the others."""
        for _ in range(3):
            detect(system, work, t, q)
            if settle(system, work, t, q, v):
                break  # rows that were chosen and are satisfied stay: where dimensions disagree, another choice would move the state
        prepared.disagreement = check_positions(
            system, work, t, q, f"simulate({system.model.name!r}) at t = {t:g} s", MOVED, OF_MOTION
        )
        prepared.mismatch = max(prepared.mismatch, disagreement_of(system, work))
        dropped = [r for r in range(system.n_rows) if math.isinf(work.floor[r])]
        # as many rows as before depend on the others: what they are off by is the misfit of the dimensions, which grows and falls
        known = problem.dropped if len(dropped) == len(prepared.dropped) else 0.0
        prepared.dropped[:] = dropped
        prepared.ever_dropped.update(dropped)
        problem.dropped = max(known, _off(system, q, prepared.disagreement)) if dropped else math.inf
        return problem.dropped

    return problem, redetect


def _off(system: Any, q: np.ndarray, disagreement: float) -> float:
    """Residual of rows left out beyond which they are looked at again: a change of the misfit found so far, at most what is accepted."""
    from .pose.initial import MOVED

    return min(10.0 * disagreement + 1e-13, MOVED) + float(system.rounding(q))


def _progress(progress: bool | None, t0: float, t1: float) -> Any:
    from ..progress import Progress

    return None if progress is False else Progress("simulating", t0, t1, force=bool(progress))


def _not_finite(prepared: Any, problem: Any, trace: Any) -> str:
    """Force elements and drivers without a finite value where the run stopped, or an instant after it."""
    from ..kernels import layout as at
    from ..solve.run import evaluate_at

    system, work, names = prepared.system, prepared.work, []
    if not len(trace.kept.t):
        return ""
    t, h = float(trace.kept.t[-1]), trace.step.h
    q, v, z = (x.copy() for x in system.parts_of(trace.kept.y[-1]))
    work.state[:] = z
    for instant in (t, t + h, t + 100.0 * h):
        evaluate_at(problem, instant, q, v, np.zeros(system.nv))
        names += [law.part for law, f in zip(system.builder.laws, work.force) if not math.isfinite(f)]
        targets = work.F[system.numbering.I[at.DRIVE] :][: 3 * system.n_rows].reshape(-1, 3)
        names += [row.part for row, x in zip(system.numbering.rows, targets) if not np.isfinite(x).all()]
    return ", ".join(repr(name) for name in dict.fromkeys(names))


def _lying_flat(result: Any) -> str:
    """Rollers whose axis is along the normal of their plane at the end of a run."""
    if result is None or not len(result.trace.kept.t):
        return ""
    rollers = [part for part in result.parts("joint") if "tilt" in part.coordinates()]
    kept = result.trace.kept  # outputs may end well before
    end = (
        type(result)._at_states(result.prepared, result.problem, kept.t[-1:], kept.y[-1:], kept.angle[-1:])
        if rollers
        else result
    )
    last = {part.name: float(abs(end[part.name].tilt[-1])) for part in rollers}
    # within 1.8 degrees
    return ", ".join(f"{name!r} has fallen flat (tilt = {tilt:.6f})" for name, tilt in last.items() if tilt > 0.9995)


def _locked(prepared: Any, result: Any, t: float) -> SingularPositionError | None:
    """What `kinematics` says of a fully driven mechanism whose motion ends: the drivers cannot be followed beyond a position."""
    from .kinematics import kinematics

    if not prepared.system.model.parts("driver") or len(result.t) < 2:
        return None
    last = max(k for k in range(len(result.t) - 1) if k == 0 or result.t[k] < t)
    start = State(float(result.t[last]), result.q[last], result.v[last], result.angles[last])
    try:
        kinematics(prepared.system.model, [start.t, t + 1e-3 * max(t - start.t, 1e-6)], start=start, progress=False)
    except SingularPositionError as error:
        return error if error.kind == "lock-up" else None
    except DalembertError:
        return None
    return None


def chattering(found: str, part: str, state: bool = False) -> tuple[str, str, str]:
    """What is said of a law (or of the rate of a state) that holds a motion at its own jump: found, why, do."""
    found = f"{found}; the law of {part!r} jumps there, and each of its sides drives the motion back to the other"
    if state:
        return (
            found,
            "no motion satisfies such a rate: it has no value at the jump",
            "smooth it: tanh(z/0.001) for sign(z)",
        )
    return (
        found,
        "no motion satisfies such a law: a body that dry friction has brought to rest sticks, and sign(v) has no value for that",
        "use the friction element (m.friction), which is smooth around zero, or tanh(v/0.001) for sign(v)",
    )


def _uneven(system: Any) -> str:
    """Bodies whose masses differ so much that the light ones are faster than anything else; empty if there are none."""
    poses = system.builder.drawing.poses
    masses = [(poses[id(body)].properties.mass, body.name) for body in system.builder.bodies]
    masses = [x for x in masses if x[0] > 0.0]
    if not masses or max(masses)[0] < 1e8 * min(masses)[0]:
        return ""
    (light, small), (heavy, large) = min(masses), max(masses)
    return f"{small!r} of {light:.3g} kg beside {large!r} of {heavy:.3g} kg"


def _rounded(prepared: Any, result: Any) -> tuple[str, str, str] | None:
    """Whether a run went so far from the origin that joints cannot be held any more, in words."""
    from .pose.initial import DISAGREEMENT, too_far

    system, kept = prepared.system, result.trace.kept
    if not len(kept.t) or 10.0 * system.rounding(kept.y[-1, : system.nq], kept.angle[-1]) <= DISAGREEMENT:
        return None
    return too_far(system, kept.y[-1, : system.nq])


def _failure(asked: str, prepared: Any, problem: Any, trace: Any, result: Any) -> ConvergenceError:
    from ..solve.run import pace
    from ..solve.status import CHATTERING, FULL, MESSAGES, NOT_FINITE, PROJECTION, REDETECT, STEP_TOO_SMALL
    from .pose import running_away

    t = trace.step.t
    steps = trace.step.steps
    found = f"{MESSAGES[trace.status]} at t = {t:.9g} s, after {steps} steps, last step size {trace.step.h:.3g} s"
    found += pace(trace) if trace.status == STEP_TOO_SMALL and len(trace.kept.t) else ""
    guilty = _not_finite(prepared, problem, trace) if trace.status in (NOT_FINITE, STEP_TOO_SMALL) else ""
    found += f"; without a finite value there: {guilty}" if guilty else ""
    flat, locked = _lying_flat(result), None
    if trace.status == CHATTERING:
        part = prepared.system.numbering.owners[int(problem.watch.owner[trace.step.last_switch])].part
        found, why, do = chattering(found, part, part in [z.name for z in prepared.system.builder.states])
    elif trace.status == FULL:
        why, do = (
            "output='steps' keeps every step",
            "give output times, or a larger rtol; error.result has what was computed",
        )
    elif flat:
        found += f"; {flat}"
        why = "a disk that lies flat touches the plane all along its rim, sharp or rounded, in no single point"
        do = "end the run before it falls, or hold it upright; error.result has what was computed until then"
    elif trace.status in (NOT_FINITE, STEP_TOO_SMALL) and (away := running_away.stopped(result, trace.step.h)):
        found, why, do = f"{found}; {away}", running_away.WHY, running_away.DO
    elif trace.status == NOT_FINITE or guilty:
        why = "a force, a driver or the rate of a state has no finite value there, or the motion runs away"
        do = "check the expressions of forces, drivers and states at this time, and the masses"
    elif locked := _locked(prepared, result, t):
        found += f"; {locked.found.partition(';')[0]}"
        why, do = locked.why, locked.do
    elif trace.status in (PROJECTION, REDETECT) and (rounded := _rounded(prepared, result)):
        found += f"; {rounded[0]}"
        why, do = rounded[1:]
    elif trace.status in (PROJECTION, REDETECT):
        why = "the mechanism is at or near a position in which its constraints lose their independence (a singular position)"
        do = "look at the pose there with run.at(t), start from another pose, or use max_step="
    elif uneven := _uneven(prepared.system):
        found += f"; {uneven}"
        why = "a very light body between heavy ones follows their forces at once, faster than steps can follow"
        do = "give the light bodies their true mass, or none at all where joints hold them (mass=0), or raise rtol and atol"
    else:
        why = "the solution changes faster than steps can follow: a stiff element, a singular position, or a jump in a force"
        do = "soften very stiff springs or dampers, smooth jumps (step(...), tanh(v/0.001) for sign(v)), or raise rtol and atol"
    error = ConvergenceError(asked, found, why, do)
    error.result, error.t, error.kind = result, t, "lock-up" if locked else "stopped"
    return error
