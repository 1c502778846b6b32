"""Initial state: from the drawing to positions and velocities that satisfy all constraints and initial conditions.

Positions: Newton's method in the mass metric, q <- q (+) (-M^-1 J^T S^-1 phi), with the steps limited so that a rough drawing does
not jump.  Velocities: the smallest kinetic energy among all velocities with J v = nu, the rates asked for and the velocities given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import AssemblyError, SingularError
from ...kernels.bodies import move
from ...kernels.hold import VELOCITY
from ...kernels.operate import DETECT, EVALUATE, ROWS, SOLVE, WATCH, operate
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...state import State
from ...system.known import known_system
from ...system.rows import unscaled_jacobian
from ...system.subspaces import INDEPENDENT, null_space
from ...system.system import System, compile
from ...system.tables import Work, singular_bodies
from ..dynamics.dynamics import MOVED, TOLERANCE, Dynamics
from ..dynamics.prepared import Prepared
from .rank import choose

# relative pivot below which a row is taken as dependent on the others: 1e-5 in the angle between a row and the span of the rest
THRESHOLD = 1e-10
# largest disagreement of redundant dimensions that is accepted (and reported): a rounding of drawings, not a different machine
DISAGREEMENT = 1e-6
# Newton steps at most, in all and in full size: those that are limited take as many as the way is long
STEPS, FULL_STEPS = 5000, 200

# how `system.build` calls the rows of initial conditions
START = "start of "
# and how `assemble` calls those of coordinates that the user holds
FIXED = "fixed "
# how messages about positions off the constraints begin
BROKEN = "constraints not satisfied"
# why that is wrong and what to do: for a drawing, for a state that was given, and for a run on its way
OF_DRAWING = (
    "no configuration near the drawing satisfies all constraints, or the drawing is too far from one",
    "check the lengths and points of the joints named, or draw the bodies closer to where they belong (at=, angle=)",
)
OF_STATE = (
    "the bodies of the state given do not meet at these joints",
    "use a state of a run, run.at(t), or bring this one onto the joints: da.assemble(m, start=state).state",
)
OF_MOTION = (
    "near a singular position the motion does not come back onto all constraints: its velocity belongs to none of the "
    "motions that meet there, or a driver locks up",
    "look at the pose with da.mobility(m), give the rates of all joints of the loop so that they fit one motion, or start "
    "from another pose",
)


def prepared_again(model: Mechanism, t0: float, extra: tuple[Measure, ...] = ()) -> Prepared:
    """The same as `prepare` from the drawing; of a mechanism that is as it was the last time, by copying what was found then.

    The system is shared with other runs of the mechanism, the memory is not.
    """
    system = known_system(model, extra)
    begun = system.known.get("begun")
    if begun is None or begun.state.t != t0:
        begun = system.known["begun"] = prepare(model, t0, None, system=system)
    # a run changes what it is given: rows left out, jumps, memory
    work = system.workspace()
    work.F[:] = begun.work.F
    dropped = list(begun.dropped)
    return Prepared(system, work, begun.state.copied(), dropped, begun.disagreement, begun.mismatch, set(dropped), None)


def prepare(
    model: Mechanism,
    t0: float,
    start: State | None,
    velocities: str = "error",
    keep: Any = None,
    system: System | None = None,
    extra: tuple[Measure, ...] = (),
) -> Prepared:
    """Compile (unless that is done) and find a consistent initial state; `velocities` and `keep` as in `simulate`, `extra` as in `compile`."""
    system = compile(model, extra=extra) if system is None else system
    work = system.workspace()
    if not system.builder.bodies:
        from ...errors import ModelError

        raise ModelError(
            f"mechanism {model.name!r}", "no moving body", "there is nothing to move", "add a body with m.body(...)"
        )
    if start is None:
        q = assemble(model, system, t0)
        v = np.zeros(system.nv) if velocities != "error" else solve_velocities(model, system, t0, q)
        angles = None
    else:
        q, v, angles = start.q.copy(), start.v.copy(), start.angles
        check_way_round(system, q, f"simulate({model.name!r}, start=...)")
    numbering = system.numbering
    if start is not None:
        work.put_states(f"simulate({model.name!r}, start=...)", start.z)
    guess_angles(system, work, t0, angles, q)
    detect(system, work, t0, q)
    if start is None and np.isinf(work.floor).any():
        settle(system, work, t0, q, v)
    text, allowed = (OF_DRAWING, DISAGREEMENT) if start is None else (OF_STATE, MOVED)
    disagreement = check_positions(system, work, t0, q, f"simulate({model.name!r})", allowed, text)
    if start is not None and disagreement > TOLERANCE:
        settle(system, work, t0, q, v)
        disagreement = check_positions(system, work, t0, q, f"simulate({model.name!r})", allowed, text)
    mismatch = disagreement_of(system, work)
    check_mass(system, work)
    impulse = None
    if velocities != "error":
        v, impulse = chosen_velocities(model, system, t0, q, start, velocities, keep)
    if start is not None:
        check_velocities(system, work, t0, q, v, f"simulate({model.name!r}, start=...)")
    operate(WATCH, numbering.I, numbering.P, work.F, t0, q, v, np.zeros(system.nv), 0.0, 1)
    work.angle[:] = system.counted_angles(work)
    work.angle_time[0] = t0
    dropped = [r for r in range(system.n_rows) if math.isinf(work.floor[r])]
    state = State(t0, q, v, work.angle.copy(), tuple(system.body_names), work.state.copy())
    return Prepared(system, work, state, dropped, disagreement, mismatch, set(dropped), impulse)


def chosen_velocities(
    model: Mechanism, system: System, t: float, q: np.ndarray, start: State | None, choice: str, keep: Any
) -> tuple[np.ndarray, Any]:
    """Velocities at the start where the user accepts that those given do not fit the joints, and the account of the jump, if any."""
    from .velocities import given_velocities, impulsive, read_kept, solved

    v = given_velocities(model, system, t, q) if start is None else start.v.copy()
    if choice == "impulsive":
        account = impulsive(model, t, q, v, None if start is None else start.angles)
        return account.after.v.copy(), account
    asked = f"simulate({model.name!r})"
    return solved(model, t, q, v, read_kept(asked, model, keep), start is None, asked), None


def settle(system: System, work: Work, t: float, q: np.ndarray, v: np.ndarray) -> bool:
    """Bring a state onto the rows that the motion keeps; whether that worked.

    Initial conditions are met with another choice among dependent rows; where given dimensions disagree, the two differ by that much.
    """
    here = Dynamics(system, t, q, v, work)
    done = here.settle()
    q[:], v[:] = here.q, here.v
    return done


def guess_angles(
    system: System, work: Work, t0: float, angles: np.ndarray | None = None, q: np.ndarray | None = None
) -> None:
    """Turns of counted angles at the start: those given, else the turn nearest to a prescribed value, else the first.

    At a configuration q, gears and screws then say how often the joints turned that they tie to others.
    """
    if angles is not None and len(angles) == len(work.angle):
        work.angle[:] = angles
    else:
        known = {"t": t0, **{state.name: float(z) for state, z in zip(system.builder.states, work.state)}}
        for block in system.numbering.blocks:
            for item, first in block.items:
                row = block.rows[first]
                if item.angle >= 0 and row.drive is not None and not row.rate_only:
                    work.angle[item.angle] = row.drive.evaluate(known) + row.offset
    work.angle_rate[:] = 0.0
    work.angle_time[0] = t0
    if q is not None and not system.plane and (angles is None or len(angles) != len(work.angle)):
        from ..assembly.turns import whole_turns

        whole_turns(system, work, t0, q)


def detect(
    system: System, work: Work, t: float, q: np.ndarray, stated: bool = False, independent: float = INDEPENDENT
) -> None:
    """Mark dependent rows at a configuration; the factor there stays in memory.

    With initial conditions among the rows (`stated`) the choice of the factorization stays; it is used once and not for a motion.
    """
    n = system.numbering
    v = np.zeros(system.nv)
    operate(DETECT, n.I, n.P, work.F, t, q, v, v.copy(), THRESHOLD, 1)
    if not stated and choose(system, work, independent):
        operate(EVALUATE, n.I, n.P, work.F, t, q, v, v.copy(), 0.0, 1)


Held = tuple[tuple[str, Measure, float], ...]


def assemble(model: Mechanism, system: System, t0: float, q: np.ndarray | None = None, held: Held = ()) -> np.ndarray:
    """Positions that satisfy all constraints, the initial values asked for and the measures held, near the drawing or near q."""
    stated = bool(held) or any(s.value is not None for s in model.starts)
    # conditions on velocities do not say where bodies are: they are left out here
    apart = stated or any(row.rate_only for row in system.numbering.rows[: system.n_rows])
    solved = compile(model, starts="values", held=held) if apart else system
    work = solved.workspace()
    q = solved.q0.copy() if q is None else q.copy()
    begun = q.copy()
    asked = f"assembly of {model.name!r}"
    newton(solved, work, t0, q, stated)
    try:
        check_positions(solved, work, t0, q, asked, DISAGREEMENT)
    except AssemblyError as error:
        from ..assembly.search import explained

        raise explained(error, solved, work, t0, begun, stated, held) from None
    check_way_round(system, q, asked)
    return q


def check_way_round(system: System, q: np.ndarray, asked: str) -> None:
    """Refuse joints in space put together the other way round than drawn."""
    if system.plane:
        return
    from ..assembly.senses import check_senses

    check_senses(system, q, asked)


def newton(system: System, work: Work, t0: float, q: np.ndarray, stated: bool, steps: int = STEPS) -> None:
    """Move q onto the rows by steps that change it least in the mass metric; whether it got there is for the caller to check."""
    n, v, a = system.numbering, np.zeros(system.nv), np.zeros(system.nv)
    guess_angles(system, work, t0)
    if system.n_rows == 0:
        return
    from ..assembly.turns import whole_turns

    best, stalled, done, step = math.inf, 0, 0.0, 1.0
    enough = TOLERANCE + 10.0 * system.rounding(q)
    for _ in range(steps):
        whole_turns(system, work, t0, q)
        detect(system, work, t0, q, stated=stated)
        worst = operate(ROWS, n.I, n.P, work.F, t0, q, v, a, 0.0, 1)
        if not math.isfinite(worst):
            break
        if worst <= 0.01 * TOLERANCE:
            break
        # a step that was limited to a part of itself gains only that part; where the parts are too many, it leads nowhere
        hoped = 0.3 * step if step * steps > 1.0 else 0.3
        stalled = stalled + 1 if worst > (1.0 - hoped) * best else 0
        best, done = min(best, worst), done + step
        if stalled > (3 if worst <= enough else 25) or done > FULL_STEPS:
            break
        operate(SOLVE, n.I, n.P, work.F, t0, q, v, a, 0.0, 1)
        a = system.solved(work)
        step = _step_limit(system, a)
        move(n.I, q, a * step)
    if enough < worst <= MOVED and np.isinf(work.floor).any():
        # dimensions that disagree: the choice among dependent rows changes from step to step, and each choice asks for another pose
        detect(system, work, t0, q, stated=stated)
        settle(system, work, t0, q, v)


def _step_limit(system: System, delta: np.ndarray) -> float:
    """Factor that keeps a Newton step within a third of the model's length and half a radian."""
    steps = delta.reshape(len(system.builder.bodies), -1)
    linear = 2 if system.plane else 3
    move_by, turn_by = float(np.max(np.abs(steps[:, :linear]))), float(np.max(np.abs(steps[:, linear:])))
    return min(1.0, 0.33 * system.length / max(move_by, 1e-300), 0.5 / max(turn_by, 1e-300))


def check_positions(
    system: System,
    work: Work,
    t: float,
    q: np.ndarray,
    asked: str,
    allowed: float,
    text: tuple[str, str] = OF_DRAWING,
) -> float:
    """Refuse positions off the constraints; return the largest disagreement of rows that were left out as dependent."""
    here = Dynamics(system, t, q, None, work)
    residual = np.abs(here.phi) * here.scale
    worst = float(np.max(residual, initial=0.0, where=~here.dropped))
    left = float(np.max(residual, initial=0.0, where=here.dropped))
    finite, rounding = bool(np.all(np.isfinite(residual))), 10.0 * here.rounding
    if rounding > DISAGREEMENT:
        raise AssemblyError(asked, *too_far(system, q))
    if finite and worst <= TOLERANCE + rounding and left <= allowed + rounding:
        return left
    if finite and max(worst, left) <= allowed and contradicting(system, work):
        return max(worst, left)
    listed = worst_parts(system, np.abs(work.y) if finite else np.where(np.isfinite(work.y), np.abs(work.y), math.inf))
    if finite and worst <= 1e-9 + rounding and left > allowed:
        if any(row.part.startswith((START, FIXED)) for row in system.numbering.rows[: system.n_rows]):
            raise AssemblyError(
                asked,
                f"the initial values disagree: {listed}",
                "there are more initial conditions than degrees of freedom, or they depend on each other, and contradict each other by this amount",
                "leave out or correct the conditions named (m.start, fixed=)",
            )
        guilty = system.numbering.rows[int(np.argmax(residual))].part
        if guilty in {driver.name for driver in system.model.parts("driver")}:
            raise AssemblyError(
                asked,
                f"the drivers disagree: {listed}",
                "there are more drivers than degrees of freedom, or they depend on each other, and contradict each other by this amount",
                "leave out or correct one of the drivers (m.drive)",
            )
        raise AssemblyError(
            asked,
            f"the redundant dimensions disagree: {listed}",
            "the loop is overconstrained and its given dimensions contradict each other by this amount",
            "correct the lengths, axes or points of the joints named, or use joints with more freedom",
        )
    raise AssemblyError(asked, f"{BROKEN}: {listed}", *text)


def contradicting(system: System, work: Work) -> bool:
    """Whether the residuals (in y, rows current) are those of dimensions that disagree: no displacement removes the larger part of them.

    Such a state was brought onto another choice among the dependent rows, by a run or an assembly.
    """
    from .rank import LARGEST, scaled_rows

    if not np.isinf(work.floor).any() or system.n_rows > LARGEST:
        return False
    rows = scaled_rows(system, work)
    values, vectors = np.linalg.eigh(rows @ rows.T)
    off = np.array(work.y) * system.row_scales
    return bool(np.linalg.norm(vectors[:, values < INDEPENDENT**2].T @ off) > 0.1 * np.linalg.norm(off))


def too_far(system: System, q: np.ndarray) -> tuple[str, str, str]:
    """What to say of a model whose coordinates are so large that their rounding is as large as a different machine."""
    bodies, linear = np.abs(q).reshape(len(system.builder.bodies), -1), 2 if system.plane else 3
    k = int(np.argmax(np.max(bodies[:, :linear], axis=1)))
    far = float(np.max(bodies[k, :linear]))
    if far < system.length:  # many turns
        found, near = "angles that turned too often", "start again with angles near zero"
    else:
        found = f"body {system.body_names[k]!r} is {far:.3g} m from the origin, where numbers are rounded to {np.spacing(far):.2g} m"
        near = "draw the machine near the origin: subtract the same point from all coordinates"
    return (
        f"{found}; the model measures {system.length:.3g} m",
        "coordinates are kept with 16 digits, and what is left of them does not suffice to join the bodies",
        near,
    )


def disagreement_of(system: System, work: Work) -> tuple[float, str]:
    """Largest residual of the rows left out as dependent, in m or rad, and a text that names the parts (after `check_positions`)."""
    left = np.where(np.isfinite(work.floor), 0.0, np.abs(work.y))
    return float(np.max(left, initial=0.0)), worst_parts(system, left)


def worst_parts(system: Any, residual: np.ndarray, count: int = 3) -> str:
    """The parts with the largest residual, with numbers and units; parts that hardly contribute are left out."""
    found: dict[str, tuple[float, str]] = {}
    for r, part in enumerate(system.row_parts):
        size, unit = float(residual[r]), system.told_row(r)[1]
        if part not in found or size > found[part][0]:
            found[part] = (size, unit if unit in ("m", "rad") else "")
    ordered = sorted(found.items(), key=lambda x: -x[1][0])[:count]
    ordered = [x for x in ordered if x[1][0] > 1e-6 * ordered[0][1][0]] or ordered[:1]
    return ", ".join(f"{part!r} by {size:.6g} {unit}".rstrip() for part, (size, unit) in ordered)


def solve_velocities(model: Mechanism, system: System, t0: float, q: np.ndarray) -> np.ndarray:
    """Velocities that satisfy all constraints, the rates asked for and the velocities given."""
    stated = any(s.rate is not None for s in model.starts) or any(
        b.velocity is not None or b.spin is not None for b in model.bodies
    )
    held = compile(model, starts="rates") if stated else system
    here = Dynamics(held, t0, q)
    guess_angles(held, here.work, t0)
    if held.n_rows:
        detect(held, here.work, t0, q, stated=held is not system)
        here._project(VELOCITY, 1e-14, 12)
        check_velocities(held, here.work, t0, q, here.v, f"initial velocities of {model.name!r}", solved=True)
    return here.v


def check_velocities(
    system: System, work: Work, t: float, q: np.ndarray, v: np.ndarray, asked: str, solved: bool = False
) -> None:
    """Refuse velocities that break constraints or contradict each other; `solved`: what is not given was solved for."""
    n, here = system.numbering, Dynamics(system, t, q, v, work)
    scale = here.scale
    # dimensions of a loop that disagree by d make its dependent rows disagree by about d times the speed
    disagreement = float(np.max(np.abs(here.phi) * scale, initial=0.0))
    residual = np.abs(here.w) * scale
    lost = list(dict.fromkeys(row.part for row, x in zip(n.rows[: system.n_rows], residual) if not np.isfinite(x)))
    if lost:
        raise AssemblyError(
            asked, f"{', '.join(repr(x) for x in lost[:4])} has no finite value in this pose",
            "an expression has no value or no slope there, or a disk lies flat on its plane and touches in no single point",
            "start from another pose, or guard the expression",
        )  # fmt: skip
    size = max(1.0, float(np.max(np.abs(work.drive[1::3]) * scale, initial=0.0)), float(np.max(np.abs(v), initial=0.0)))
    # joints that were left out as dependent may contradict the others by what is accepted of dimensions, also where the pose hides it
    loose = here.dropped & ~np.array([row.stated for row in n.rows[: system.n_rows]], dtype=bool)
    if not np.all(residual <= (1e-9 + 10.0 * disagreement + np.where(loose, DISAGREEMENT, 0.0)) * size):
        found = f"they contradict the constraints: {guilty_velocities(system, work, solved)}{_given(system)}"
        why = "bodies joined together cannot have these velocities at the same time"
        choice = "simulate(..., velocities='solve'), or accept a blow: velocities='impulsive'"
        if any(row.stated for row in system.numbering.rows[: system.n_rows]):
            do = f"give fewer velocities (what is not given is solved for), correct the ones named, or say which to keep: {choice}"
        elif solved:
            why = "no velocities satisfy joints and drivers in this pose: a driver locks up, or drivers contradict each other"
            do = "look at the pose with da.mobility(m), and change the driver named, or the pose"
        else:
            do = f"use a state whose velocities fit the joints, such as run.at(t), or say which to keep: {choice}"
        raise AssemblyError(asked, found, why, do)


def _given(system: System) -> str:
    """What was given, for the message."""
    names = list(dict.fromkeys(row.part for row in system.numbering.rows[: system.n_rows] if row.stated))
    listed = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return f"; given: {listed}" if names else ""


def guilty_velocities(system: System, work: Work, solved: bool = False) -> str:
    """Joints whose velocity rows the given velocities break most, when everything that is not given adapts as well as it can.

    Where nothing was given (`solved`), the drivers that the joints break.
    """
    rows = system.numbering.rows[: system.n_rows]
    stated = np.array([row.stated for row in rows])
    y = np.array(work.y)
    if solved and not stated.any():
        stated = np.array([row.drive is None for row in rows])
    if not stated.any() or stated.all() or system.n_rows > 3000:
        return _rates_text(system, np.abs(y))
    jac = unscaled_jacobian(system, work).toarray()
    nu = np.array(work.drive[1::3]) - np.array(work.partial[: system.n_rows])
    given, *_ = np.linalg.lstsq(jac[stated], nu[stated], rcond=None)
    # directions that keep the given velocities
    free = null_space(jac[stated])
    rest = jac[~stated]
    w = np.linalg.lstsq(rest @ free, nu[~stated] - rest @ given, rcond=None)[0] if free.size else np.zeros(0)
    broken = np.zeros(system.n_rows)
    broken[~stated] = np.abs(rest @ (given + free @ w) - nu[~stated])
    broken[stated] = np.abs(jac[stated] @ given - nu[stated])
    return _rates_text(system, broken)


def _rates_text(system: System, residual: np.ndarray) -> str:
    text = worst_parts(system, residual)
    return ", ".join(f"{part}/s" if part.endswith((" m", " rad")) else f"{part} 1/s" for part in text.split(", "))


def check_mass(system: System, work: Work) -> None:
    """Refuse systems in which a body can move without inertia: no acceleration is defined there."""
    massless = [system.builder.bodies[k].name for k in singular_bodies(system.builder)]
    if not massless:
        return
    width = system.builder.width
    linear = width - (1 if system.plane else 3)
    guilty = []
    for k, unknown in enumerate(system.saddle_unknowns):
        body = system.builder.bodies[unknown // width] if unknown < system.nv else None
        if body is None or (body.particle and unknown % width >= linear):
            continue
        # a pivot that is round-off of the terms it is the sum of
        if work.sad_d[k] == 0.0 or 1e-13 * work.sad_d[k] * work.sad_size[k] > 1.0:
            guilty.append(body.name)
    if guilty:
        names = sorted(set(guilty))
        raise SingularError(
            f"equations of motion of {system.model.name!r}",
            f"{', '.join(map(repr, names[:4]))} can move without inertia (without mass or inertia: {', '.join(map(repr, massless[:6]))})",
            "the kinetic energy is not positive for all velocities that the joints allow, so accelerations are not defined",
            "give the body mass and inertia (a rod in space needs radius=), or hold the free motion by a joint",
        )


__all__ = ["EVALUATE", "Prepared", "assemble", "prepare", "solve_velocities"]
