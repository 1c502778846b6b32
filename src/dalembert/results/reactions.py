"""Reactions of redundant constraints: the smallest of all that fit.

Where rows depend on each other, multipliers are not unique: lam + N c satisfies M a + J^T lam = Q for every c, N the null space of J^T.
The solver leaves dependent rows without load, so its answer depends on which rows these are, and on the axes of space.  Here c makes

    sum over all joints and drivers of |F|^2 + |T|^2 / L^2

smallest, F and T the load on the last moving body at the joint point and L the length of the model.  That changes neither with units
nor when the model is turned or renamed; what is unique stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResidualError
from ..kernels.operate import ROWS, operate
from ..kernels.row_status import OFF
from ..system.rows import slots_of, unscaled_jacobian

if TYPE_CHECKING:
    from ..model.body import Body
    from ..model.driver import Driver
    from ..model.forces._rubbing import Rub
    from ..model.part import Part
    from .result import Result

# dense algebra at every output: beyond this many rows the solver's own choice is left as it is
LARGEST = 600
# a dependency that does not hold to this accuracy (relative) holds at another pose only
DEPENDENT = 1e-6


def least_multipliers(run: Result, basic: np.ndarray, dropped: list[int]) -> np.ndarray:
    """Multipliers (time, rows) of smallest loads from any that satisfy the equations.

    Friction that sticks where nothing can move takes nothing: its limit is no part of these equations.
    """
    system = run.system
    rubbing = {one.name for one in system.frictions_at_work}
    left_out, dropped = dropped, [r for r in dropped if system.row_parts[r] not in rubbing]
    if not dropped or system.n_rows > LARGEST:
        return basic
    n, work = system.numbering, system.workspace()
    kept = np.setdiff1d(np.arange(system.n_rows), left_out)
    loads = _unit_loads(run)
    least = basic.copy()
    a = np.zeros(system.nv)
    change, size = np.zeros((2, len(run.t), system.nv))
    for k in range(len(run.t)):
        run._set_angles(work, k)
        if run._has_modes:
            work.floor[:] = run.status_of(k)
        operate(ROWS, n.I, n.P, work.F, float(run.t[k]), run.q[k], run.v[k], a, 0.0, 1)
        jac, off = unscaled_jacobian(system, work).toarray(), np.flatnonzero(work.floor == OFF)
        null = _null_space(jac, np.setdiff1d(kept, off), [r for r in dropped if r not in off])
        if null.size:
            least[k] = smallest(loads[k], null, basic[k])
            change[k] = np.abs((least[k] - basic[k]) @ jac)
            size[k] = (np.abs(least[k]) + np.abs(basic[k])) @ np.abs(jac)
    _check_same(run, change, size)
    return least


def _check_same(run: Result, change: np.ndarray, size: np.ndarray) -> None:
    """Refuse other multipliers that do not put the same loads J^T lam on the bodies (time, velocities), as far as rows are dependent."""
    system, linear = run.system, 2 if run.plane else 3
    shape = (len(change), len(system.body_names), system.builder.width)
    for part, unit in ((slice(0, linear), "N"), (slice(linear, None), "N m")):
        off, terms = (np.max(x.reshape(shape)[:, :, part], axis=2) for x in (change, size))
        allowed = 10.0 * DEPENDENT * terms + 1e-12 * np.max(terms, axis=1, initial=0.0, keepdims=True)
        bad = ~(off <= allowed)
        if bad.any():
            k, b = np.unravel_index(int(np.argmax(np.where(bad, off, 0.0))), off.shape)
            raise ResidualError(
                f"reactions of {run.model.name!r} at t = {run.t[k]:.9g} s",
                f"shared among redundant joints, those on body {system.body_names[b]!r} change by {off[k, b]:.3g} {unit} of"
                f" {terms[k, b]:.3g} {unit}",
                "loads that redundant joints put on each other cancel on every body: these would be wrong",
                "take the joints apart that hold each other, or release some of their directions",
            )


def smallest(loads: Any, null: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """Multipliers lam + N c with the smallest loads |L (lam + N c)|, L the loads of unit multipliers."""
    change, *_ = np.linalg.lstsq(loads @ null, -(loads @ lam), rcond=1e-12)
    return np.asarray(lam + null @ change)


def _null_space(jac: np.ndarray, kept: np.ndarray, dropped: list[int]) -> np.ndarray:
    """Columns n with J^T n = 0, one for each dropped row: the row minus the kept rows that make it up."""
    size = np.linalg.norm(jac, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    unit = jac / size[:, None]
    parts, *_ = np.linalg.lstsq(unit[kept].T, unit[dropped].T, rcond=None)
    good = np.linalg.norm(unit[kept].T @ parts - unit[dropped].T, axis=0) < DEPENDENT
    null = np.zeros((len(jac), len(dropped)))
    null[kept] = -parts / size[kept, None]
    null[dropped, np.arange(len(dropped))] = 1.0 / size[dropped]
    return null[:, good]


def _unit_loads(run: Result) -> np.ndarray:
    """(time, 6 parts, rows): force and torque / L of a unit multiplier of each row on the last moving body of its part."""
    system = run.system
    names = list(dict.fromkeys(system.row_parts))
    found = np.zeros((len(run.t), 6 * len(names), system.n_rows))
    for p, name in enumerate(names):
        found[:, 6 * p : 6 * p + 6, system.rows_of(name)] = scaled_load(run, run.model.owner_of_rows(name))
    return found


def scaled_load(run: Result, part: Part | Driver | Rub) -> np.ndarray:
    """(time, 6, rows of a part): force and torque / L of unit multipliers on its last moving body."""
    load = unit_load(run, part, [b for b in run.bodies_of(part) if not b.is_ground][-1])
    load[:, 3:] /= float(run.system.length)
    return load


def unit_load(run: Result, part: Part | Driver | Rub, body: Body) -> np.ndarray:
    """(time, 6, rows of a part): force, and torque about the point of the part on a body, of unit multipliers, in space axes.

    They have the sign of J^T; the load of multipliers lam is minus this times lam.  What acts on the ground is the opposite of all
    that acts on moving bodies.
    """
    system = run.system
    slots, rows, motion = slots_of(system), system.rows_of(part.name), run.kinematics(body)
    point = motion.position + motion.rotation @ _place(run, part, body)
    found = np.zeros((len(run.t), 6, len(rows)))
    for c, r in enumerate(rows):
        for s in slots.of(r):
            moving = system.builder.bodies[slots.body[s]]
            if moving is body or body.is_ground:
                wrench = run._row_wrenches[:, s] * (-1.0 if body.is_ground else 1.0)
                (x, y, z), (fx, fy, fz) = (run.kinematics(moving).position - point).T, wrench[:, :3].T
                found[:, :, c] += wrench
                # arm x force; np.cross takes ten times as long on short arrays
                found[:, 3, c] += y * fz - z * fy
                found[:, 4, c] += z * fx - x * fz
                found[:, 5, c] += x * fy - y * fx
    return found


def _place(run: Result, part: Part | Driver | Rub, body: Body) -> np.ndarray:
    """Point of a part on a body, from its mass centre in body axes; the point of `run.marker` without its axes."""
    markers = getattr(part, "markers", ())
    for m in (*markers[-1:], *markers):
        if m.body is body:
            return np.asarray(run.system.builder.drawing.place(body, m.at))
    return np.zeros(3)
