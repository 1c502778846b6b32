"""Reactions of redundant constraints: the smallest of all that fit.

Where rows depend on each other, multipliers are not unique: lam + N c satisfies M a + J^T lam = Q for every c, N the null space of J^T.
The solver leaves dependent rows without load, so its answer depends on which rows these are, and on the axes of space.  Here c makes

    sum over all joints and drivers of |F|^2 + |T|^2 / L^2

smallest, F and T the load on the last moving body at the joint point and L the length of the model.  That changes neither with units
nor when the model is turned or renamed; what is unique stays as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..analyses.equations import unscaled_jacobian
from ..kernels import layout as at
from ..kernels.operate import ROWS, operate

# dense algebra at every output: beyond this many rows the solver's own choice is left as it is
LARGEST = 600
# a dependency that does not hold to this accuracy (relative) holds at another pose only
DEPENDENT = 1e-6


def least_multipliers(run: Any, basic: np.ndarray, dropped: list[int]) -> np.ndarray:
    """Multipliers (time, rows) of smallest loads from any that satisfy the equations."""
    system = run.system
    if not dropped or system.n_rows > LARGEST:
        return basic
    n, work = system.numbering, system.workspace()
    kept = np.setdiff1d(np.arange(system.n_rows), dropped)
    loads = _unit_loads(run)
    least = basic.copy()
    a = np.zeros(system.nv)
    for k in range(len(run.t)):
        run._set_angles(work, k)
        operate(ROWS, n.I, n.P, work.F, float(run.t[k]), run.q[k], run.v[k], a, 0.0, 1)
        null = _null_space(unscaled_jacobian(system, work).toarray(), kept, dropped)
        if null.size:
            change, *_ = np.linalg.lstsq(loads[k] @ null, -loads[k] @ basic[k], rcond=1e-12)
            least[k] += null @ change
    return least


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


def _unit_loads(run: Any) -> np.ndarray:
    """(time, 6 parts, rows): force and torque / L of a unit multiplier of each row on the last moving body of its part."""
    system, wrenches = run.system, run._row_wrenches
    i, width, length = system.numbering.I, system.builder.width, float(system.length)
    names = list(dict.fromkeys(system.row_parts))
    found = np.zeros((len(run.t), 6 * len(names), system.n_rows))
    slot0 = i[i[at.ROW] + 2]
    for p, name in enumerate(names):
        part = run.model[name]
        body = [b for b in part.bodies if not b.is_ground][-1]
        motion, place = run.kinematics(body), run.marker(part, body)
        arm = motion.rotation @ place.point
        b = system.builder.body_index(body)
        for r in system.rows_of(name):
            o = i[at.ROW] + at.ROW_SIZE * r
            for s in range(i[o + 2], i[o + 2 + at.ROW_SIZE]):
                if i[s] // width == b:
                    force, moment = wrenches[:, s - slot0, :3], wrenches[:, s - slot0, 3:]
                    found[:, 6 * p : 6 * p + 3, r] = force
                    found[:, 6 * p + 3 : 6 * p + 6, r] = (moment - np.cross(arm, force)) / length
    return found
