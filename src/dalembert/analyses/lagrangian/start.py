"""Initial state of a Lagrangian system: values and rates as given, the rest solved for.

Values that are not given begin at their guess, or at zero, and move as little as possible until all holonomic rows hold.  Rates that are not
given are zero, or change with the smallest kinetic energy until all rows hold.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import AssemblyError, MethodError, shown
from ...kernels.operate import EVALUATE
from ...model.lagrangian import Lagrangian
from ...state import State
from ...symbolic.checks import ROWS, check_rotations, check_smooth
from ...system.lagrange import LagrangeSystem, compile_lagrangian
from ..dynamics.dynamics import TOLERANCE
from ..dynamics.prepared import Prepared
from .point import Point

# largest disagreement of dependent rows that counts as rounding of given numbers
DISAGREEMENT = 1e-6


def read_state(asked: str, model: Lagrangian, state: Any) -> State:
    """A state that fits the coordinates."""
    state = getattr(state, "state", state)
    if not isinstance(state, State):
        raise MethodError(asked, f"start = {shown(state)}", "a State is needed", "give run.at(t), or da.State(t, q, v)")
    n = len(model.q)
    if (
        state.q.shape != (n,)
        or state.v.shape != (n,)
        or not (np.isfinite(state.q).all() and np.isfinite(state.v).all())
    ):
        raise MethodError(
            asked, f"a state with q of shape {state.q.shape} and v of shape {state.v.shape}",
            f"{n} finite numbers are needed: {', '.join(model.q)}", "use run.at(t)",
        )  # fmt: skip
    return state


def prepare(
    model: Lagrangian,
    t: float,
    start: State | None,
    asked: str,
    velocities: str = "error",
    system: LagrangeSystem | None = None,
) -> Prepared:
    """Compile (unless that is done), and find a consistent start."""
    system = compile_lagrangian(model, asked) if system is None else system
    if start is None:
        q = positions(model, system, t, asked)
        v = None
    else:
        q, v = start.q.copy(), start.v.copy()
    system = system.own()  # scales and weights of the rows are those of the run
    point = Point(system, t, q, v)
    point.scales()
    point.detect(asked)
    disagreement = check_positions(point, asked, start is not None)
    values = dict(model.parameters) | {"t": float(t)} | {name: float(x) for name, x in zip(model.q, point.q)}
    check_rotations(model, values)
    if system.n_rows:
        check_smooth(model, values | {f"rate({name})": 1.0 for name in model.q}, ROWS)
    if v is None:
        point.v, impulse = _start_velocities(model, point, asked, velocities)
    else:
        impulse = None
        if velocities == "impulsive":
            point.v, impulse = _caught(point)
        check_rates(point, asked, ())
    point.operate(EVALUATE)
    dropped = [int(r) for r in np.flatnonzero(point.dropped)]
    state = State(float(t), point.q, point.v, np.zeros(0))
    return Prepared(system, point.work, state, dropped, disagreement, point.mismatch(), set(dropped), impulse)


def point_of(model: Lagrangian, state: Any, asked: str, consistent: bool = True) -> Point:
    """The system at a state, or at its start; dependent rows are detected."""
    given = None if state is None else read_state(asked, model, state)
    if given is None:
        prepared = prepare(model, 0.0, None, asked, "error" if consistent else "impulsive")
        v = prepared.state.v if consistent else prepared.impulse.before.v
        return Point(prepared.system, prepared.state.t, prepared.state.q, v, prepared.work)
    point = Point(compile_lagrangian(model, asked), given.t, given.q, given.v)
    point.scales()
    point.detect(asked)
    check_positions(point, asked, True)
    if consistent:
        check_rates(point, asked, ())
    return point


def positions(model: Lagrangian, system: LagrangeSystem, t: float, asked: str) -> np.ndarray:
    """Coordinates that satisfy the holonomic rows, those given held."""
    starts, q = model.starts, np.zeros(system.n)
    held = np.zeros(system.n, dtype=bool)
    for k, name in enumerate(model.q):
        given = starts.get(name)
        if given is not None and given.value is not None:
            q[k], held[k] = given.value, True
        elif name in model.guesses:
            q[k] = model.guesses[name]
    if not system.n_holonomic:
        return q
    h = system.n_holonomic
    point = Point(system, t, q)
    best = math.inf
    for _ in range(200):
        phi, jac = point.phi[:h], point.jac[:h]
        if not (np.isfinite(phi).all() and np.isfinite(jac).all()):
            break
        scaled = float(np.max(off_rows(point), initial=0.0))
        # guesses that satisfy the rows to rounding stay as they are: zeros stay zeros
        if scaled <= (1e-13 if best == math.inf else 1e-15) or (scaled <= TOLERANCE and scaled > 0.5 * best):
            break
        best = min(best, scaled)
        step = np.zeros(system.n)
        step[~held] = -np.linalg.lstsq(jac[:, ~held], phi, rcond=1e-10)[0] if (~held).any() else 0.0
        # a rough guess must not jump: angles at most half a radian, other coordinates as far as they are large
        limit = float(np.max(np.abs(step) / np.maximum(0.5, np.abs(point.q)), initial=0.0))
        point.q = point.q + step / max(1.0, limit)
    residual = off_rows(point)
    if not np.max(residual, initial=0.0) <= 1e-9 + 10.0 * system.rounding(point.q):
        _refuse(model, point, residual, held, asked)
    return point.q


def off_rows(point: Point) -> np.ndarray:
    """Residuals of the holonomic rows in units of the coordinates."""
    h = point.system.n_holonomic
    return (np.abs(point.phi) / point.size)[:h]


def _refuse(model: Lagrangian, point: Point, residual: np.ndarray, held: np.ndarray, asked: str) -> None:
    names = list(model.holonomic)
    order = np.argsort(-np.nan_to_num(residual, nan=math.inf))[:3]
    listed = ", ".join(f"{names[k]!r} by {residual[k]:.6g}" for k in order if not residual[k] <= 1e-9)
    given = [name for name, x in zip(model.q, held) if x]
    if given:
        why = f"with {', '.join(given)} as given, no values of the others satisfy them: the values contradict each other or the rows"
        do = "give fewer or other values (m.start), or better guesses for the others (m.guess)"
    else:
        why = "no values near the guesses satisfy all of them: a solution is far from them, or the rows contradict each other"
        do = "give values (m.start) or guesses (m.guess) nearer to a solution, or correct the rows"
    raise AssemblyError(asked, f"holonomic rows not satisfied: {listed}", why, do)


def check_positions(point: Point, asked: str, given: bool) -> float:
    """Refuse positions off the rows; return the disagreement of rows left out."""
    residual = off_rows(point)
    h = point.system.n_holonomic
    left = point.dropped[:h]
    worst = float(np.max(residual, initial=0.0, where=~left))
    disagreement = float(np.max(residual, initial=0.0, where=left))
    enough = 1e-9 + 10.0 * point.system.rounding(point.q)
    if worst <= enough and disagreement <= DISAGREEMENT:
        return disagreement
    names, k = list(point.system.model.holonomic), int(np.argmax(residual))
    found = f"row {names[k]!r} is off by {residual[k]:.6g}"
    if worst <= enough:
        why, do = "it depends on the other rows and contradicts them by this amount", "correct one of them"
    elif given:
        why, do = "the state given does not satisfy the constraints", "use run.at(t), or give values with m.start"
    else:
        why, do = "the constraints are not satisfied", "give better guesses (m.guess)"
    raise AssemblyError(asked, found, why, do)


def _start_velocities(model: Lagrangian, point: Point, asked: str, velocities: str) -> tuple[np.ndarray, Any]:
    n = point.system.n
    given = {
        k: float(model.starts[name].rate or 0.0)
        for k, name in enumerate(model.q)
        if name in model.starts and model.starts[name].rate is not None
    }
    if velocities == "impulsive":
        point.v = np.array([given.get(k, 0.0) for k in range(n)])
        if _against_each_other(point):
            check_rates(point, asked, ())
        return _caught(point)
    point.v = np.array([given.get(k, 0.0) for k in range(n)])
    if point.system.n_rows:
        # the change with the smallest kinetic energy that lets all rows hold and keeps the rates given
        rows = np.vstack([point.jac, np.eye(n)[list(given)]])
        point.v = point.v + least_energy(point.mass, rows, np.concatenate([-point.w, np.zeros(len(given))]))
    check_rates(point, asked, tuple(model.q[k] for k in given), given)
    point.velocity_onto()
    return point.v, None


def least_energy(mass: np.ndarray, rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The v with rows v = right (as well as they can be met) and the smallest v.M v."""
    n = len(mass)
    if not len(rows):
        return np.zeros(n)
    u, s, vt = np.linalg.svd(rows)
    rank = int(np.sum(s > 1e-10 * max(float(s[0]), 1e-300)))
    v = vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank])
    free = vt[rank:].T
    if free.shape[1]:
        v = v - free @ np.linalg.lstsq(free.T @ mass @ free, free.T @ mass @ v, rcond=None)[0]
    return v


def check_rates(point: Point, asked: str, names: tuple[str, ...], given: dict[int, float] | None = None) -> None:
    """Refuse velocities that break rows or were not met."""
    system = point.system
    residual = np.abs(point.w) / point.size
    scale = max(1.0, float(np.max(np.abs(point.v), initial=0.0)))
    missed = {k: abs(point.v[k] - rate) for k, rate in (given or {}).items() if abs(point.v[k] - rate) > 1e-9 * scale}
    if np.max(residual, initial=0.0) <= 1e-9 * scale and not missed:
        return
    order = np.argsort(-residual)[:3]
    listed = [f"row {system.row_names[k]!r} by {residual[k]:.6g}/s" for k in order if residual[k] > 1e-9 * scale]
    listed += [f"rate of {system.model.q[k]!r} missed by {x:.6g}" for k, x in missed.items()]
    why = "the rows cannot hold with these rates at the same time"
    against = _against_each_other(point)
    if against:
        listed = [f"row {name!r}" for name in against]
        why, do = (
            "these rows contradict each other: no rates satisfy all of them",
            "correct or leave out one of the rows",
        )
    elif names:
        do = "give fewer rates (what is not given is solved for), correct one, or accept a blow: velocities='impulsive'"
    else:
        do = "use a state whose velocities fit the rows, such as run.at(t), or accept a blow: velocities='impulsive'"
    raise AssemblyError(
        asked,
        f"the velocities contradict the constraints: {', '.join(listed)}"
        + (f"; given: {', '.join(names)}" if names else ""),
        why,
        do,
    )


def _against_each_other(point: Point) -> list[str]:
    """Rows that no rates at all satisfy together at this position."""
    jac, w = point.jac / point.size[:, None], point.w / point.size
    left = np.abs(w + jac @ np.linalg.lstsq(jac, -w, rcond=1e-10)[0]) if len(jac) else np.zeros(0)
    scale = max(1.0, float(np.max(np.abs(w - jac @ point.v), initial=0.0)))
    return [name for name, x in zip(point.system.row_names, left) if x > 1e-9 * scale]


def _caught(point: Point) -> tuple[np.ndarray, Any]:
    """Velocities after the constraints have caught the system, and the account of it."""
    account = point.caught(f"velocity jump of {point.system.model.name!r}")
    return account.after.v.copy(), account


__all__ = ["Prepared", "prepare", "read_state"]
