"""Initial velocities of bodies: as given, solved for, or solved for with some kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import AssemblyError, MethodError
from ...kernels.hold import VELOCITY
from ...model.body import Body
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...system.subspaces import unit_rows
from ...system.system import compile
from ..dynamics.consistent import check_velocities, least_energy
from ..dynamics.shock import Shock
from .pose import Pose
from .rank import detect

if TYPE_CHECKING:
    from ..dynamics.dynamics import Dynamics


def read_kept(asked: str, model: Mechanism, keep: Any) -> list[Body | Measure]:
    """Bodies and measures whose velocities are kept, from names or objects."""
    items = (
        [] if keep is None else [keep] if isinstance(keep, str) or not isinstance(keep, list | tuple) else list(keep)
    )
    found: list[Body | Measure] = []
    for item in items:
        if model.is_body(item):
            found.append(model.read_body(asked, item))
        else:
            found.append(model.read_coordinate(f"{asked}: keep", item))
    return found


def gives_velocities(model: Mechanism) -> bool:
    """Whether a mechanism has initial conditions on velocities."""
    rates = any(start.rate is not None for start in model.starts)
    return rates or any(body.velocity is not None or body.spin is not None for body in model.bodies)


def solve_velocities(pose: Pose) -> np.ndarray:
    """Velocities with the smallest kinetic energy that satisfy all constraints, the rates asked for and the velocities given."""
    system, model = pose.system, pose.system.model
    stated = gives_velocities(model)
    held = Pose(compile(model, starts="rates") if stated else system, pose.t, pose.q)
    if held.system.n_rows:
        detect(held.system, held.work, held.t, held.q, stated=stated)
        held.project(VELOCITY, 1e-14, 12)
        check_velocities(held, f"initial velocities of {model.name!r}", solved=True)
    return held.v


def given_velocities(here: Pose) -> np.ndarray:
    """Velocities as given, whether they fit the joints or not.

    A body moves with its `velocity` and `spin`; what is not given rests (its mass centre, its rotation).  Rates asked for with
    `m.start` are then met with the smallest change, measured by kinetic energy, every body free.
    """
    system, model, q = here.system, here.system.model, here.q
    drawing, v = system.builder.drawing, np.zeros(system.nv)
    for b, body in enumerate(system.builder.bodies):
        rotation, centre, spin = system.place(q, body)[1], np.zeros(3), np.zeros(3)
        if body.spin is not None:
            spin = np.array([0.0, 0.0, drawing.number(body.spin)]) if system.plane else drawing.vector(body.spin)
        if body.velocity is not None:
            # v_C = v_O + omega x (C - O)
            centre = drawing.vector(body.velocity) + np.cross(spin, rotation @ drawing.poses[body].center)
        if system.plane:
            v[3 * b : 3 * b + 3] = centre[0], centre[1], spin[2]
        else:
            v[6 * b : 6 * b + 3], v[6 * b + 3 : 6 * b + 6] = centre, rotation.T @ spin
    stated = [start for start in model.starts if start.rate is not None]
    if not stated:
        return v
    pose = Pose(compile(model, extra=tuple(start.measure for start in stated)), here.t, q, v)
    pose.detect()
    rows, targets = _rates(pose, [(start.measure, drawing.number(start.rate)) for start in stated])
    return v + _least_change(pose, rows, targets - rows @ v, [start.measure.name for start in stated])


def kept(here: Pose, keep: Any, conditions: bool, asked: str) -> np.ndarray:
    """Velocities that fit the joints and keep what is asked for; the rest changes as little as possible (kinetic energy of the change).

    `conditions`: the rates of `m.start` hold too.  What is kept of bodies and measures is the velocity that they have here.
    """
    model, v = here.system.model, here.v
    kept = read_kept(asked, model, keep)
    stated = [start for start in model.starts if start.rate is not None] if conditions else []
    measures = [x for x in kept if isinstance(x, Measure)]
    pose = Pose(compile(model, extra=(*measures, *(start.measure for start in stated))), here.t, here.q, v)
    pose.detect()
    shock = Shock(pose)
    missing = shock.nu - shock.jac @ v
    wanted: list[tuple[Measure, float | None]] = [(measure, None) for measure in measures]
    wanted += [(start.measure, pose.system.builder.drawing.number(start.rate)) for start in stated]
    rows, targets = _rates(pose, wanted)
    names = [measure.name for measure, _ in wanted]
    width = pose.system.builder.width
    for body in (x for x in kept if isinstance(x, Body)):
        own = np.arange(width) + width * pose.system.builder.body_index(body)
        own = own[pose.system.moves[own]]
        rows, targets = np.vstack([rows, np.eye(pose.system.nv)[own]]), np.append(targets, v[own])
        names += [body.name] * len(own)
    jump, _ = shock.respond(np.zeros(pose.system.nv), missing)
    if not names:
        if float(np.max(np.abs(jump) / shock_scale(pose), initial=0.0)) > 1e-9:
            raise MethodError(
                asked,
                "velocities='solve', and nothing says which velocities to keep",
                "the velocities contradict the joints, and any of them could give way",
                "give keep=['A.angle'] (measures or bodies), m.start(measure, rate=...), or velocities='impulsive'",
            )
        return v + jump
    more, _ = _meet(shock, rows, targets - rows @ (v + jump), names)
    return v + jump + more


def shock_scale(pose: Pose) -> np.ndarray:
    """Sizes of velocities that count as large: those of the pose, with lengths measured by the model's length."""
    units = pose.system.unit_of_velocity
    return units * max(1.0, float(np.max(np.abs(pose.v) / units, initial=0.0)))


def _rates(pose: Pose, wanted: Sequence[tuple[Measure, float | None]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows of measures and what row @ v must be: for the rate given, or (None) for the rate that the pose has."""
    rows, targets = np.zeros((0, pose.system.nv)), np.zeros(0)
    for measure, rate in wanted:
        _, row, present = pose.measure(measure)
        own = float(row @ pose.v)
        # rate = row v + s_t
        rows = np.vstack([rows, row])
        targets = np.append(targets, own if rate is None else rate - (present - own))
    return rows, targets


def _least_change(pose: Pose, rows: np.ndarray, rates: np.ndarray, names: list[str]) -> np.ndarray:
    """Change of velocities with the least kinetic energy that gives measures these further rates, every body free; what has no inertia changes at no cost."""
    width, change = pose.system.builder.width, np.zeros(pose.system.nv)
    # of bodies that no measure moves nothing changes
    moved = np.repeat(rows.reshape(len(rows), -1, width).any(axis=(0, 2)), width) & pose.system.moves
    columns = np.flatnonzero(moved)
    mass = pose.mass.tocsr()[columns][:, columns].toarray()
    diagonal = mass.diagonal()
    unit = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.max(diagonal, initial=0.0) or 1.0))
    mass *= np.outer(unit, unit)
    scaled, size = unit_rows(rows[:, columns] * unit)
    change[columns] = unit * least_energy(mass, scaled, rates / size)
    _refuse_left(pose, rows, rates, rows @ change, names)
    return change


def _meet(shock: Shock, rows: np.ndarray, rates: np.ndarray, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Smallest jump that gives measures these further rates; contradictions are refused by name."""
    from scipy.sparse import diags

    jumps, lams, mobility = shock.answers(rows)
    # joints leave a measure free or not whatever the masses are
    kinematic = Shock(shock.here, diags(1.0 / shock.here.system.unit_of_velocity**2))
    scale = np.sqrt(np.maximum(kinematic.freedom(rows), 1e-300))
    values, vectors = np.linalg.eigh(kinematic.answers(rows)[2] / np.outer(scale, scale))
    free = vectors[:, values > 1e-10] / scale[:, None]
    x = free @ np.linalg.solve(free.T @ mobility @ free, free.T @ rates)
    _refuse_left(shock.here, rows, rates, mobility @ x, names)
    return jumps @ x, lams @ x


def _refuse_left(pose: Dynamics, rows: np.ndarray, rates: np.ndarray, met: np.ndarray, names: list[str]) -> None:
    """Refuse measures whose further rates are not met: contradictions by name."""
    left = np.abs(met - rates)
    size = max(float(np.max(np.abs(rates), initial=0.0)), float(np.max(np.abs(rows @ pose.v), initial=0.0)))
    if np.any(left > 1e-9 * max(size, 1e-300)):
        worst: dict[str, float] = {}
        for k in np.argsort(-left):
            worst.setdefault(names[k], float(left[k]))
        listed = ", ".join(f"{name!r} by {by:.6g}" for name, by in list(worst.items())[:3] if by > 1e-6 * left.max())
        raise AssemblyError(
            f"initial velocities of {pose.system.model.name!r}",
            f"what is to be kept contradicts the joints or itself: {listed} (m/s or rad/s)",
            "more velocities are kept than there are degrees of freedom, or they depend on each other",
            "keep fewer of them, or correct the ones named",
        )
