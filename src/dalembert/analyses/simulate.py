"""simulate: motion of a mechanism in time, with exact constraints, reactions and an audit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..compilation import compiling
from ..errors import ExpressionError, MethodError, ModelError, shown
from ..model.expression.checks import plain_number
from ..model.kinds import named
from ..model.measure import Measure
from ..model.reading import listed
from ..model.shapes.reading import is_plain
from ..options.call import verb
from ..progress import Progress
from ..solve.integrators import method as find_method
from ..solve.moreau import NAME as MANY_CONTACTS
from ..state import State
from ..system.contact_points import measures_of
from ..system.known import known, known_system
from .dynamics.fixed_steps import check_fixed
from .dynamics.many_contacts import check_model, step_times
from .dynamics.motion import move
from .dynamics.start import prepare, read_state, started
from .pose.leaving import leave

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..results.result import Result
    from .dynamics.prepared import Prepared

# outputs when the user asks for none
DEFAULT_OUTPUTS = 200
# memory that the outputs of one run may take
LARGEST_OUTPUT = 8e9


@verb
def simulate(
    model: Mechanism | Lagrangian,
    until: float,
    *,
    start: State | None = None,
    velocities: str = "error",
    keep: Any = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: Any = None,
    method: int | str = "auto",
    rho_inf: float | None = None,
    backward: bool = False,
    max_step: float | None = None,
    step: float | None = None,
    control: Any = None,
    sample: float | None = None,
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
        Output times: a step [s], not longer than the run; a list of times; or "steps" for every accepted step.  Default: 200 equal steps.
    method
        "auto" (default): explicit of order 8, and Radau IIA where the motion is stiff; `run.methods` says when and why.
        8 (DOP853) or 5 (Dormand–Prince): explicit Runge–Kutta.
        "radau" (order 9 up to rtol 3e-5, else 5; lower where Newton's method asks for it), "radau9", "radau5", "radau3", "radau1": implicit, for stiff machines.
        "generalized_alpha", "hht": implicit of order 2, with damping of fast motions by `rho_inf`.
        "partitioned": independent coordinates only, a check on the others.
        "moreau": steps of one length (`step`) for many contacts (piles, chains, gear trains with backlash), of order 1; impacts and friction are found together in every step, and nothing is refused.
        All with steps by error control, but "variational", "variational4" and "moreau", which have steps of one length (`step`); see "Which method when" in the documentation.
    rho_inf
        Of "generalized_alpha" (0 … 1) and "hht" (0.5 … 1): what a step leaves of infinitely fast motions; default 0.8.
    backward
        Integrate backwards in time, to `until` before the start.
    max_step
        Largest step [s].
    step
        With method="variational" (order 2), "variational4" (order 4) or "moreau" (order 1): the length of every step [s].  No error control.
        Runge-Kutta methods with steps of one length are in `Stepper`.
    control, sample
        A controller that looks at the machine every `sample` seconds and sets inputs (`m.input`), which are held in between: a formula for each
        input, `{"u": "-30*A.angle - 4*rate(A.angle)"}`, or a Python function of the machine at that instant, `lambda now: {"u": -30*now.get("A.angle")}`.
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
    asked = named("simulate", model, "a Mechanism or a Lagrangian is needed")
    given = read_state(asked, model, start, "start")
    t0 = 0.0 if given is None else given.t
    _check_end(asked, until, t0, backward)
    every_step = isinstance(output, str) and output == "steps"
    many_contacts = method == MANY_CONTACTS
    if many_contacts:
        check_model(asked, model, step, backward)
    if many_contacts and every_step:
        times, every_step = step_times(t0, until, float(step)), False  # type: ignore[arg-type]
    else:
        times = np.zeros(0) if every_step else output_times(asked, output, t0, until)
    many, counted = model.many
    if len(times) * 8.0 * 40.0 * many > LARGEST_OUTPUT:
        found = f"{len(times)} outputs of {many} {counted}"
        raise MethodError(asked, found, "that is more than fits in memory", "give a larger output step")
    if keep is not None and velocities != "solve":
        found = f"keep = {shown(keep)} with velocities = {velocities!r}"
        raise MethodError(asked, found, "what to keep matters where the rest is solved for", "give velocities='solve'")
    _check_drivers(model, t0)
    # overflow is found by what comes out (it is not finite), and told in our own words instead of numpy's
    with compiling(), np.errstate(all="ignore"):
        extra = measures_of(model) if many_contacts else ()  # type: ignore[arg-type]
        prepared, leaving = _begun(model, asked, t0, given, velocities, keep, extra)
        settings = find_method(method, rho_inf), rtol, atol, math.inf if max_step is None else max_step
        check_fixed(asked, model, prepared, settings[0], step)
        sampled = None
        if control is not None or sample is not None:
            from .dynamics.control import read_control

            sampled = read_control(asked, control, sample, t0, until)
        report = None if progress is False else Progress("simulating", t0, until, force=bool(progress))
        run: Any = move
        if not many_contacts and (model.events or model.impacts or model.frictions or model.soft_rubs):
            from .events.move import move_through as run

            if backward:
                raise MethodError(
                    asked, "backward=True with events", "what happened before an event does not follow from what is after it",
                    "run forward, or leave the events out",
                )  # fmt: skip
        try:
            result = run(
                prepared, asked, until, times, settings, every_step=every_step, leaving=leaving, progress=report,
                sampled=sampled, **({} if step is None else {"step": step}),
            )  # fmt: skip
        finally:
            if report is not None:
                report.close()
        if audit:
            result.check()
    return result  # type: ignore[no-any-return]


def _begun(
    model: Mechanism | Lagrangian, asked: str, t0: float, start: State | None, velocities: str, keep: Any, extra: tuple[Measure, ...]
) -> tuple[Prepared, bool]:  # fmt: skip
    """A model with a consistent start, and whether that is a position in which motions branch."""
    given, model = start is not None or velocities != "error", model.beginning()
    if given:
        prepared = prepare(model, t0, start, asked, velocities, keep, known_system(model, extra, asked))
    else:
        prepared = started(model, t0, asked, extra)
    return prepared, leave(prepared, model, given, asked)


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


def _check_drivers(model: Mechanism | Lagrangian, t0: float) -> None:
    """Refuse drivers without a finite value, rate or acceleration at the start."""
    if not model.drivers:
        return
    machine = cast("Mechanism", model)
    facts = known(machine)
    if facts.get("drivers checked at") == t0:
        return
    values = dict(model.parameters, t=t0)
    values |= {z.name: model.value(z.start) for z in machine.parts("state") if z.is_input}
    for driver in model.drivers:
        for what, expression in zip(("value", "rate", "acceleration"), driver.rates):
            try:
                expression.evaluate(values)
            except ExpressionError as error:
                found = f"its {what} at t = {t0:g} s is not finite: {error.found}"
                raise ModelError(
                    driver.asked, found, error.why, "change the expression, or the time of the start"
                ) from None
    facts["drivers checked at"] = t0


def _check_end(asked: str, t1: float, t0: float, backward: bool) -> None:
    if t1 == t0:
        found, why, do = "equals the start", "there is nothing to integrate", "give a later end time"
    elif t1 < t0 and not backward:
        found, why = f"is before the start at {t0!r}", "time runs forward by default"
        do = "give backward=True, or a later end time"
    elif t1 > t0 and backward:
        found, why = f"is after the start at {t0!r}", "backward=True runs to earlier times"
        do = "drop backward=True, or give an earlier end time"
    else:
        return
    raise MethodError(asked, f"until = {t1!r} {found}", why, do)


def output_times(asked: str, output: Any, t0: float, t1: float) -> np.ndarray:
    """Output times in the direction of integration."""
    span = t1 - t0
    if output is None:
        return _up_to(t0 + span * np.arange(DEFAULT_OUTPUTS) / DEFAULT_OUTPUTS, t1, span, 0.0)
    if isinstance(output, str):
        raise MethodError(
            asked, f"output = {shown(output)}", "it is a step, a list of times or 'steps'", "give output=0.01"
        )
    if is_plain(output):
        if not 0.0 < output < math.inf:
            raise MethodError(
                asked, f"output = {shown(output)}", "an output step is a positive number", "give output=0.01"
            )
        output = plain_number(output) or math.inf
        if span and output - abs(span) > 1e-9 * output + 4.0 * math.ulp(max(abs(t0), abs(t1))):
            whole = (
                f"{output:g} outputs are output={abs(span) / output:.6g}; " if output % 1.0 == 0.0 != output - 1 else ""
            )
            raise MethodError(
                asked, f"output = {output:g} in a run of {abs(span):.6g} s",
                "output is the time from one output to the next [s], and this one is longer than the run",
                f"{whole}the start and the end alone are output=[{t0:.6g}, {t1:.6g}]",
            )  # fmt: skip
        count = abs(span) / output if span else 0.0
        if not count <= 20_000_000:
            raise MethodError(
                asked,
                f"output = {output!r} gives {count:.3g} outputs",
                "that is more than fits in memory",
                "give a larger step",
            )
        return _up_to(t0 + math.copysign(output, span) * np.arange(math.floor(count) + 1), t1, span, 1e-9 * output)
    given = _floats(output)
    if given is None or given.size == 0:
        raise MethodError(
            asked, f"output = {shown(output)}", "output times are finite numbers", "give a step or a list of times"
        )
    times = _along(given, span)
    inside = (times >= min(t0, t1)) & (times <= max(t0, t1))
    if not inside.all():
        raise MethodError(
            asked,
            f"output time {float(times[~inside][0])!r}",
            f"it lies outside {t0!r} … {t1!r}",
            "give times inside the run",
        )
    return times


def _up_to(times: np.ndarray, end: float, span: float, near: float) -> np.ndarray:
    """Times before the end by more than `near` and by more than rounding, and the end itself."""
    near += 4.0 * math.ulp(max(abs(end), abs(end - span)))
    return _along(np.append(times[(end - times) * math.copysign(1.0, span) > near], end), span)


def _along(times: np.ndarray, span: float) -> np.ndarray:
    """Times in the direction of the run, each once."""
    return np.unique(times) if span >= 0.0 else np.unique(times)[::-1].copy()
