"""kinematics: position, velocity and acceleration over time of a mechanism whose drivers determine its motion."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..compilation import compiling
from ..errors import AssemblyError, DalembertError, MethodError, ModelError, shown
from ..model.auxiliary import refuse_states
from ..model.events import SOLVED
from ..model.kinds import named
from ..model.reading import LARGEST
from ..model.shapes.reading import is_plain
from ..options.call import verb
from ..progress import Progress
from ..solve.stop import StopRequest
from ..state import State
from .dependence.freedoms import too_many_drivers
from .driven.contacts import check_contacts, holding_contacts
from .driven.motion import Driven, LagrangianMotion, Motion
from .driven.of_bodies import BodyPath
from .driven.path import Path
from .dynamics.start import prepare, read_state
from .simulate import _check_drivers, _floats

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism


@overload
def kinematics(model: Mechanism, times: Any, *, start: State | None = ..., progress: bool | None = ...) -> Motion: ...
@overload
def kinematics(
    model: Lagrangian, times: Any, *, start: State | None = ..., progress: bool | None = ...
) -> LagrangianMotion: ...
@verb
def kinematics(
    model: Mechanism | Lagrangian, times: Any, *, start: State | None = None, progress: bool | None = None
) -> Motion | LagrangianMotion:
    """Motion that the drivers prescribe, without integrating: phi(q, t) = 0, J v = nu, J a = gamma at each time.

    Every degree of freedom needs a driver.  Masses do not matter for the motion; they do for reactions and driver efforts, which come
    with the result.  Where the drivers stop to determine the motion (lock-up, branching), the instant is located and an error raised.

    Parameters
    ----------
    model
        The mechanism.
    times
        Increasing times [s], or one time; the drawing is assembled at the first of them.
    start
        State to start from instead of the drawing, as `run.at(t)` gives it; the motion is followed from there to the first time.
    progress
        Show progress of long work; default: on a terminal.

    Returns
    -------
    Motion
        A `Result`: `run["crank"].position`, `.velocity`, `.acceleration`, `run["A"].force`, `run["motor"].effort`, measures,
        `run.at(t)`, tables, plots, files; marked incomplete if it was interrupted from the keyboard.

    Raises
    ------
    ModelError
        A freedom is not driven; it is named.
    MethodError
        From one time to the next it would take more than a million steps of 0.3 rad; how many is told.
    SingularPositionError
        Lock-up or branching, with `.kind`, `.t`, `.state`, `.joints` and the motion up to it as `.result`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("crank", plane=True)
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> motor = m.drive("motor", pin.angle, "2*pi*t")
    >>> run = da.kinematics(m, times=[0.0, 0.25])
    >>> run["bar"].point(bar.end).position[-1].round(12).tolist()
    [0.0, 1.0]
    """
    return followed(model, times, start, progress, named("kinematics", model))


def followed(
    model: Mechanism | Lagrangian, times: Any, start: State | None, progress: bool | None, asked: str
) -> Motion | LagrangianMotion:
    """Motion at given times, for this and other analyses of driven models."""
    refuse_states(
        asked,
        model,
        "a driven motion is followed pose by pose, and the states, which need an integration in time, would have no values",
        "use da.simulate, which follows drivers and states together",
    )
    instants = read_times(asked, times)
    given = read_state(asked, model, start, "start")
    with compiling(), np.errstate(all="ignore"):
        started = time.perf_counter()
        begin = float(instants[0]) if given is None else given.t
        kind, path = _path(holding_contacts(asked, model, begin, given), begin, given, asked)
        t0 = path.prepared.state.t
        points: list[Any] = []
        report, complete = None, True
        if progress is not False and instants[-1] != t0:
            report = Progress("following", t0, float(instants[-1]), force=bool(progress))
        try:
            with StopRequest() as stop:
                path.report = _reporting(stop, report)
                points.extend(path.along(path.begin(), instants))
        except DalembertError as error:
            if points:
                partial = kind.of(path, points, started)
                partial.complete = False
                error.result = partial  # type: ignore[attr-defined]
            raise
        except KeyboardInterrupt:
            if not points:
                raise
            complete = False
        finally:
            path.report = None
            if report is not None:
                report.close()
        run = kind.of(path, points, started)
        run.complete = complete
        _check_finite(asked, run)
        run.check_equations(asked)
        run.check()
        if model.stops_at_work:
            check_contacts(asked, run)
    return run


def _reporting(stop: StopRequest, report: Progress | None) -> Callable[[float], None]:
    """What is done after each step: obey Ctrl-C, and tell how far it is."""

    def passed(t: float) -> None:
        if stop.came:
            raise KeyboardInterrupt
        if report is not None:
            report(t)

    return passed


def _path(model: Mechanism | Lagrangian, t0: float, start: State | None, asked: str) -> tuple[Any, Path]:
    """The path of a model from a state, or from its start at a time, and the kind of its results."""
    if model.kind == "lagrangian":
        slips = tuple((one.name, SOLVED) for one in model.frictions)
        driven = model.varied(replace(model.situation, slips=slips)) if slips else model
        return LagrangianMotion, Path(prepare(driven, t0, start, asked), asked)
    if not model.bodies:
        raise ModelError(asked, "no moving body", "there is nothing to move", "add a body with m.body(...)")
    _check_drivers(model, t0)
    # friction of compliant contacts is there with every depth: what presses tells how large it is
    soft = tuple((rub.name, 1) for rub in model.soft_rubs if not rub.absent(model.situation))
    model = model.varied(replace(model.situation, slips=(*model.situation.slips, *soft))) if soft else model
    try:
        return Motion, BodyPath(prepare(model, t0, start, asked), asked)
    except AssemblyError as error:
        if not error.asked.startswith("initial velocities"):
            raise
        found = f"rates at t = {t0:g} s {error.found.removeprefix('they ')}"
        too_many = too_many_drivers(model)
        if too_many is not None:
            raise AssemblyError(asked, found, *too_many) from None
        why = (
            "there are more drivers and initial rates than freedoms, or it begins in a dead centre, which a driver of this rate"
            " cannot leave"
        )
        do = "leave out the driver or rate named, or begin off the dead centre"
        raise AssemblyError(asked, found, why, do) from None


def _check_finite(asked: str, run: Driven) -> None:
    """Refuse force elements without a finite value: reactions and efforts would have none either."""
    for k, part in enumerate(run.system.law_parts):
        bad = np.flatnonzero(~np.isfinite(run.forces[:, k]))
        if len(bad):
            found = f"force element {part!r} is {run.forces[bad[0], k]} at t = {run.t[bad[0]]:g} s"
            why = "reactions and driver efforts need finite forces"
            raise ModelError(asked, found, why, "change its law, or the times")
    if not np.isfinite(run.basic_lam).all():
        k = int(np.argmin(np.isfinite(run.basic_lam).all(axis=1)))
        why = "numbers this large cannot be computed with"
        raise ModelError(
            asked, f"loads that are not finite at t = {run.t[k]:g} s", why, "check masses, speeds and forces"
        )


def read_times(asked: str, times: Any) -> np.ndarray:
    """Increasing finite times."""
    given = _floats([times] if is_plain(times) else times)
    do = "give for example np.linspace(0, 1, 101)"
    if given is None or given.size == 0 or not np.max(np.abs(given)) <= LARGEST:
        raise MethodError(asked, f"times = {shown(times)}", "a list of finite times is needed", do)
    if np.any(np.diff(given) <= 0.0):
        k = int(np.argmax(np.diff(given) <= 0.0))
        found = f"times[{k}] = {given[k]:g} and times[{k + 1}] = {given[k + 1]:g}"
        raise MethodError(asked, found, "the motion is followed in one direction", "give increasing times")
    return given
