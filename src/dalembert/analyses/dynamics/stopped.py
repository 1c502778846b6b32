"""Why a run stopped before its end, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import ConvergenceError, DalembertError, SingularPositionError
from ...results.result import Result
from ...solve.run import pace
from ...solve.status import CHATTERING, FULL, MESSAGES, NOT_FINITE, PROJECTION, REDETECT, STEP_TOO_SMALL, UNSOLVED
from ...state import State
from ...system.subspaces import unit_rows
from . import running_away
from .crossings import SMALL

if TYPE_CHECKING:
    from ...results.record import Record
    from ...system.system import System
    from .dynamics import Dynamics


# why and what to do: values that are not finite, rows that lose their independence, steps that become too small
NOT_DEFINED = (
    "a force, a driver, the rate of a state or another expression has no finite value there, or the mass matrix is singular, or the motion runs away",
    "check the expressions of energies, forces, drivers and states at this time, and the masses; angles that are not defined there (poles) need other coordinates",
)
DEPENDENT = (
    "the model is at or near a position in which its constraints lose their independence (a singular position)",
    "look at the pose there with run.at(t), start from another pose, or use max_step=",
)
TOO_FAST = (
    "the solution changes faster than steps can follow: a stiff element or term, a singular position, or a jump in a force",
    "soften very stiff springs, dampers or terms, smooth jumps (step(...), tanh(v/0.001) for sign(v)), or raise rtol and atol",
)


def failure(asked: str, run: Record) -> ConvergenceError:
    """The error of a run that stopped, with what was computed until then."""
    trace, bodies = run.trace, isinstance(run, Result)
    status, now, kind = trace.status, trace.step, "stopped"
    found = f"{MESSAGES[status]} at t = {now.t:.9g} s, after {now.steps} steps, last step size {run.problem.step or now.h:.3g} s"
    lost, here = list[str](), _at(run, -1) if len(trace.kept.t) else None
    if here is not None:
        found += pace(trace) if status == STEP_TOO_SMALL else ""
        found += f"; there {here.told()}" if here.told() else ""
        lost = here.without_value(now.h) if status in (NOT_FINITE, STEP_TOO_SMALL) else []
        found += f"; without a finite value there: {', '.join(lost)}" if lost else ""
    away = status in (NOT_FINITE, STEP_TOO_SMALL)
    if status == CHATTERING:
        owner = run.prepared.owners[int(run.problem.watch.owner[now.last_switch])]
        found, why, do = chattering(found, owner.part, bodies and owner.part in run.system.state_places)
    elif status == FULL:
        why, do = (
            "output='steps' keeps every step",
            "give output times, or a larger rtol; error.result has what was computed",
        )
    elif isinstance(run, Result) and (flat := _lying_flat(run)):
        found += f"; {flat}"
        why = "a disk that lies flat touches the plane all along its rim, sharp or rounded, in no single point"
        do = "end the run before it falls, or hold it upright; error.result has what was computed until then"
    elif away and (growing := running_away.stopped(run, now.h)):
        found, why, do = f"{found}; {growing}", running_away.WHY, running_away.DO
    elif status == NOT_FINITE or (bodies and lost):
        why, do = NOT_DEFINED
    elif locked := _locked(run, now.t):
        found, kind = f"{found}; {locked.found.partition(';')[0]}", "lock-up"
        why, do = locked.why, locked.do
    elif status in (PROJECTION, REDETECT):
        far = None if here is None else here.too_far()
        found += f"; {far[0]}" if far else ""
        why, do = far[1:] if far else DEPENDENT
    elif status in (STEP_TOO_SMALL, UNSOLVED) and (where := _dependent(run)):
        found, kind = f"{found}; {where}", "singular position"
        why, do = (
            DEPENDENT[0],
            f"{DEPENDENT[1]}; where dimensions are to meet there, give them to all digits, else let them miss it by more, or try another rtol",
        )
        if run.problem.step is not None:
            do = "leave method= and step= out: the default steps over such positions where the motion goes on; error.result has what was computed until then"
    elif status == UNSOLVED and run.problem.step is not None and run.problem.friction and run.problem.friction.turns:
        why = "friction in several directions comes to rest there: its direction turns without bound, and steps of one length do not follow"
        do = "leave method= and step= out: the default makes shorter steps there; error.result has what was computed until then"
    elif status == UNSOLVED and run.problem.step is not None:
        why = "the motion changes too much in one step: the rounds by which its equations are solved come to no end"
        do = f"give a smaller step than step={run.problem.step:g}; error.result has what was computed until then"
    elif status == UNSOLVED:
        why = "Newton's method finds no solution, however short the step: a force jumps, or changes within the rounding of positions"
        do = "smooth the force, or use method=8, which solves no equations; error.result has what was computed until then"
    elif isinstance(run, Result) and (uneven := _uneven(run.system)):
        found += f"; {uneven}"
        why = "a very light body between heavy ones follows their forces at once, faster than steps can follow"
        do = "give the light bodies their true mass, or none at all where joints hold them (mass=0), or raise rtol and atol"
    else:
        why, do = TOO_FAST
    error = ConvergenceError(asked, found, why, do)
    error.result, error.t, error.kind = run, now.t, kind
    return error


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
        "use the friction element (m.friction), which sticks, or tanh(v/0.001) for sign(v)",
    )


def _at(run: Record, k: int) -> Dynamics:
    kept = run.trace.kept
    q, v, z = run.system.parts_of(kept.y[k])
    run.prepared.work.state[:] = z
    return run.prepared.at(float(kept.t[k]), q, v)


def _lying_flat(run: Result) -> str:
    """Rollers whose axis is along the normal of their plane at the end of a run."""
    kept = run.trace.kept  # outputs may end well before
    rollers = [part for part in run.parts("joint") if "tilt" in part.coordinates()]
    if not rollers or not len(kept.t):
        return ""
    end = type(run)._at_states(run.prepared, run.problem, kept.t[-1:], kept.y[-1:], kept.angle[-1:])
    last = {part.name: float(abs(end[part.name].tilt[-1])) for part in rollers}
    # within 1.8 degrees
    return ", ".join(f"{name!r} has fallen flat (tilt = {tilt:.6f})" for name, tilt in last.items() if tilt > 0.9995)


def _locked(run: Record, t: float) -> SingularPositionError | None:
    """What `kinematics` says of a fully driven mechanism whose motion ends: the drivers cannot be followed beyond a position."""
    from ..kinematics import kinematics

    if not run.model.drivers or len(run.t) < 2:
        return None
    last = max(k for k in range(len(run.t) - 1) if k == 0 or run.t[k] < t)
    start = State(float(run.t[last]), run.q[last], run.v[last], run.angles[last])
    try:
        kinematics(run.model, [start.t, t + 1e-3 * max(t - start.t, 1e-6)], start=start, progress=False)
    except SingularPositionError as error:
        return error if error.kind == "lock-up" else None
    except DalembertError:
        return None
    return None


def _dependent(run: Record) -> str:
    """Parts that nearly depend on each other where a run stopped; empty if there are none."""
    now, kept, step = run.trace.step, run.trace.kept, run.problem.step
    last = run.system.n_rows - len(run.prepared.dropped) - 1
    if not len(kept.t) or not 0 <= last < run.system.n_rows <= SMALL:
        return ""

    def split(k: int) -> tuple[np.ndarray, float]:
        """Of the rows at a step that was kept: how they nearly depend on each other, and the singular value of that."""
        left, values, _ = np.linalg.svd(unit_rows(_at(run, k).dense_jac)[0])
        return left[:, last], float(values[last]) if last < len(values) else 0.0

    if step is None:
        if not now.pivot < 1e-4 * now.largest_pivot:
            return ""
    else:
        # towards such a position it falls at a constant rate: whether it vanishes within two steps
        before, here = split(max(len(kept.t) - 2, 0))[1], split(-1)[1]
        if not here * abs(kept.t[-1] - kept.t[-2:][0]) < 2.0 * step * (before - here):
            return ""
    names = dict.fromkeys(name for name, x in zip(run.system.row_parts, np.abs(split(-1)[0])) if x > 0.05)
    return f"{', '.join(list(names)[:6])} nearly depend on each other there (smallest pivot {now.pivot:.1e} of 1)"


def _uneven(system: System) -> str:
    """Bodies whose masses differ so much that the light ones are faster than anything else; empty if there are none."""
    drawing = system.builder.drawing
    masses = [(drawing.matter(body).mass, body.name) for body in system.builder.bodies]
    masses = [x for x in masses if x[0] > 0.0]
    if not masses or max(masses)[0] < 1e8 * min(masses)[0]:
        return ""
    (light, small), (heavy, large) = min(masses), max(masses)
    return f"{small!r} of {light:.3g} kg beside {large!r} of {heavy:.3g} kg"
