"""Where a mechanism stands whose dimensions contradict each other: no configuration satisfies all its rows.

The least squares of all dimensionless residuals, min |W phi|^2.  There J^T W^2 phi = 0: the residual itself is a dependency of the rows.
The answer changes neither with units nor with the axes of space.  Where it is not found, the rows that are independent are satisfied and
the others are not.
"""

from __future__ import annotations

import numpy as np

from ...kernels import layout as at
from ...kernels.operate import ROWS, SOLVE
from ..pose.initial import _step_limit, _unscale
from ..pose.pose import Pose

# residual of rows that count as satisfied
SATISFIED = 1e-9
# relative gain of a step that tells the floor of the valley
FLOOR = 1e-3


def compromise(pose: Pose) -> np.ndarray | None:
    """Configuration near that of the pose, which stays as it is; None where there is neither."""
    drawn = pose.q.copy()
    for search in (_least_squares, _independent_rows):
        pose.q[:] = drawn
        if search(pose):
            found = pose.q.copy()
            pose.q[:] = drawn
            return found
    pose.q[:] = drawn
    return None


def _independent_rows(pose: Pose) -> bool:
    """Newton's method on the rows that are independent at each step, as in the assembly."""
    n, scale, change = pose.system.numbering, pose.scale, np.zeros(pose.system.nv)
    for _ in range(100):
        pose.detect()
        pose._operate(ROWS)
        residual = float(np.max(np.abs(scale * pose.work.y), initial=0.0, where=~pose.dropped))
        if not np.isfinite(residual):
            return False
        if residual <= 1e-14:
            break
        pose._operate(SOLVE)
        _unscale(n.I, n.P, pose.work.F, int(n.I[at.ACC]), change)
        pose.q[:] = pose.shifted(change * _step_limit(pose.system, change))
    return residual <= SATISFIED


def _least_squares(pose: Pose) -> bool:
    """Levenberg-Marquardt with sparse normal equations, to the floor of the valley: not along it, where the pose would drift away."""
    from scipy.sparse import diags, identity
    from scipy.sparse.linalg import splu

    system, scale = pose.system, pose.scale
    width, linear = system.builder.width, 2 if system.plane else 3
    units = np.tile(np.where(np.arange(width) < linear, system.length, 1.0), system.nv // width)
    damping = 1e-3
    phi = scale * pose.phi
    for _ in range(100):
        jac = (diags(scale) @ pose.jac @ diags(units)).tocsr()
        gradient, normal = jac.T @ phi, jac.T @ jac
        size = float(np.linalg.norm(phi))
        if not np.isfinite(size):
            return False
        for _ in range(12):
            step = splu((normal + damping * identity(system.nv)).tocsc()).solve(-gradient)
            # a third of the model's length, or of a radian, at most
            step *= min(1.0, 0.33 / max(float(np.max(np.abs(step))), 1e-300))
            before = pose.q.copy()
            pose.q[:] = pose.shifted(units * step)
            tried = scale * pose.phi
            if float(np.linalg.norm(tried)) < size:
                break
            pose.q[:] = before
            damping *= 10.0
        else:
            return True  # no step improves it
        phi = tried
        if damping <= 1e-4 and float(np.linalg.norm(phi)) > (1.0 - FLOOR) * size:
            return True
        damping = max(0.2 * damping, 1e-5)
    return False
