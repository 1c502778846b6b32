"""Outputs of a run close to a singular position, brought onto the rows that were left out as well.

Rows left out follow from those kept with coefficients that were small where the choice was made.  Close to a singular position they may be
large, and then magnify the rounding of the rows kept; with the rows chosen for that pose they do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels import layout as at
from ...kernels.hold import POSITION, VELOCITY, project
from ...kernels.operate import RATES, ROWS, operate
from ...kernels.through import address_of
from ...results.audit import speeds
from ...solve.run import evaluate_at
from .initial import detect, worst_parts

# scaled residual of rows left out that is worth another choice of rows: some times the rounding of the projection
MAGNIFIED = 2e-12


def _largest_misfit(run: Any, left: list[int]) -> None:
    """Where dimensions disagree: the largest residual of rows left out, over all outputs, into `prepared`."""
    system, work, n = run.system, run.system.workspace(), run.system.numbering
    scale = n.P[n.I[at.SCALE] :][: system.n_rows]
    for k in range(len(run.t)):
        run._set_angles(work, k)
        operate(ROWS, n.I, n.P, work.F, float(run.t[k]), run.q[k], run.v[k], np.zeros(system.nv), 0.0, 1)
        off = np.zeros(system.n_rows)
        off[left] = np.abs(work.y[left])
        run.prepared.disagreement = max(run.prepared.disagreement, float(np.max(off * scale)))
        largest = float(np.max(off))
        if largest > run.prepared.mismatch[0]:
            run.prepared.mismatch = (largest, worst_parts(system, off))


def hold_left_out(run: Any) -> None:
    """Choose the rows anew at outputs where those left out are off, and project; in place."""
    system, work, n = run.system, run.prepared.work, run.system.numbering
    left = sorted(run.prepared.ever_dropped)
    if not left:
        return
    if run.prepared.disagreement > 1e-12:
        _largest_misfit(run, left)
        return
    scale = n.P[n.I[at.SCALE] :][: system.n_rows][left]
    speed = speeds(run)
    delta, floor = np.zeros(system.nv), work.floor.copy()
    for k in range(len(run.t)):
        run._set_angles(work, k)
        state = (float(run.t[k]), run.q[k], run.v[k], delta)
        off = 0.0
        for mode in (ROWS, RATES):
            operate(mode, n.I, n.P, work.F, *state, 0.0, 1)
            size = 1.0 if mode == ROWS else float(speed[k])
            off = max(off, float(np.max(np.abs(work.y[left]) * scale)) / size)
        if off <= MAGNIFIED + 10.0 * system.rounding(run.q[k], run.angles[k]):
            continue
        detect(system, work, float(run.t[k]), run.q[k])
        project(address_of(operate, n.I), POSITION, n.I, n.P, work.F, *state, 1e-15, 8)
        project(address_of(operate, n.I), VELOCITY, n.I, n.P, work.F, *state, 1e-15, 8)
        evaluate_at(run.problem, float(run.t[k]), run.q[k], run.v[k], run.a[k])
        run.basic_lam[k], run.forces[k], run.powers[k] = work.lam, work.force, work.power
    work.floor[:], work.frozen[0] = floor, 0.0
