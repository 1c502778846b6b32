"""Outputs of a run close to a singular position, brought onto the rows that were left out as well.

Rows left out follow from those kept with coefficients that were small where the choice was made.  Close to a singular position they may be
large, and then magnify the rounding of the rows kept; with the rows chosen for that place they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...kernels.hold import POSITION, VELOCITY
from ...results.audit import speeds
from ...solve.run import evaluate_at
from ...solve.segments import rows_of

if TYPE_CHECKING:
    from ...results.record import Record


# scaled residual of rows left out that is worth another choice of rows: some times the rounding of the projection
MAGNIFIED = 2e-12


def _largest_misfit(run: Record, left: list[int]) -> None:
    """Where dimensions disagree: the largest residual of rows left out, over all outputs, into `prepared`."""
    prepared, work = run.prepared, run.system.workspace()
    work.floor[left] = np.inf
    for k in range(len(run.t)):
        here = run.point(int(k), work)
        off = float(np.max(np.abs(here.phi[left]) * here.scale[left]))
        prepared.disagreement = max(prepared.disagreement, off)
        if (found := here.mismatch())[0] > prepared.mismatch[0]:
            prepared.mismatch = found


def hold_left_out(run: Record) -> None:
    """Choose the rows anew at outputs where those left out are off, and project; in place."""
    work, left = run.prepared.work, sorted(run.prepared.ever_dropped)
    if run.prepared.disagreement > 1e-12:
        _largest_misfit(run, left)
        return
    # positions and velocities of rows left out, at all outputs at once
    looked, floor = run._looked(), work.floor.copy()
    off = np.maximum(looked[:, 1], looked[:, 3] / speeds(run))
    for k in np.flatnonzero(~(off <= MAGNIFIED)):
        with rows_of(run.problem, run.trace.segments, float(run.t[k]), run.onward is not None and bool(run.onward[k])):
            here = run.point(int(k), work)
            if off[k] <= MAGNIFIED + 10.0 * here.rounding:
                continue
            here.detect(f"run of {run.model.name!r}")
            for what in (POSITION, VELOCITY):
                here.project(what, 1e-15, 8)
            run.q[k], run.v[k] = here.q, here.v
            evaluate_at(run.problem, float(run.t[k]), run.q[k], run.v[k], run.a[k])
            run.basic_lam[k], run.forces[k], run.powers[k] = work.lam, work.force, work.power
    work.floor[:], work.frozen[0] = floor, 0.0
