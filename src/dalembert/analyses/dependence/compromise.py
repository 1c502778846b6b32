"""Where a mechanism stands whose dimensions contradict each other, and who is to blame: no configuration satisfies all its rows.

The least squares of all dimensionless residuals, min |W phi|^2.  There J^T W^2 phi = 0: the residual itself is a dependency of the rows.
The answer changes neither with units nor with the axes of space.  Where it is not found, the rows that are independent are satisfied and
the others are not.
"""

from __future__ import annotations

import numpy as np

from ...kernels.operate import ROWS, SOLVE
from ...system.system import System
from ..dynamics.consistent import DISAGREEMENT
from ..pose.initial import step_limit
from ..pose.pose import Pose
from .sets import Dependence, Rows, dependences

# residual of rows that count as satisfied
SATISFIED = 1e-9
# joints of a contradictory loop whose openings differ less than this are all to blame
ALIKE = 0.3
# contradictions wider than this part of the model's length, or radians, blur the rank of the rows no further
WIDEST_BLUR = 0.02
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
    scale = pose.scale
    for _ in range(100):
        pose.detect()
        pose.operate(ROWS)
        residual = float(np.max(np.abs(scale * pose.work.y), initial=0.0, where=~pose.dropped))
        if not np.isfinite(residual):
            return False
        if residual <= 1e-14:
            break
        pose.operate(SOLVE)
        change = pose.system.solved(pose.work)
        pose.q[:] = pose.shifted(change * step_limit(pose.system, change))
    return residual <= SATISFIED


def _least_squares(pose: Pose) -> bool:
    """Levenberg-Marquardt with sparse normal equations, to the floor of the valley: not along it, where the pose would drift away."""
    from scipy.sparse import diags, identity
    from scipy.sparse.linalg import splu

    system, scale, units = pose.system, pose.scale, pose.system.unit_of_velocity
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


def satisfied(pose: Pose, q: np.ndarray) -> bool:
    """Whether all rows hold at a configuration."""
    pose.q[:] = q
    return bool(np.max(np.abs(pose.scale * pose.phi), initial=0.0) <= SATISFIED)


def detect_blurred(pose: Pose) -> None:
    """Decide which rows depend on others in a compromise: joints stay open there, and dependencies hold only about as well as they close."""
    left = float(np.linalg.norm(pose.scale * pose.phi))
    pose.independent = max(pose.independent, min(left, WIDEST_BLUR))
    pose.detect()


# -- who is to blame -------------------------------------------------------------------------------------------------------


def contradictions(system: System, t: float, q: np.ndarray) -> list[tuple[float, str, str]]:
    """What joints and drivers contradict near a configuration, widest first: (residual, unit, part), as `mobility` tells it.

    Empty where they can be satisfied, or where no compromise was found.
    """
    pose = Pose(system, t, q.copy())
    near = compromise(pose)
    if near is None or satisfied(pose, near):
        return []
    detect_blurred(pose)
    rows = Rows(pose)
    found = [blamed_part(rows, one) for one in dependences(rows) if contradicts(rows, one, True)]
    # lengths beside angles: by their share of the model's length
    return sorted(found, key=lambda x: -x[0] / (system.length if x[1] == "m" else 1.0))


def contradicts(rows: Rows, one: Dependence, compromised: bool = False) -> bool:
    """Whether the rows of a set disagree by more than a rounding; in a compromise, whether they hold a good part of what is left open."""
    allowed = min(DISAGREEMENT, 0.1 * float(np.linalg.norm(rows.phi))) if compromised else DISAGREEMENT
    return float(np.linalg.norm(one.null.T @ rows.phi[one.rows])) > allowed


def blamed_part(rows: Rows, one: Dependence) -> tuple[float, str, str]:
    """How far one joint alone would have to open, m or rad, and the joint for which that is least.

    With r = n^T W phi, n the projection of the residual on the null vectors, a joint with the coefficients n_k opens by r / |n_k|.
    In a single loop all joints open alike, or nearly so; among these it is the one at which the drawing gapes most.
    """
    null, phi = one.null, rows.phi[one.rows]
    n = null @ (null.T @ phi)
    r = float(np.linalg.norm(n))
    n = n / r
    pose, system = rows.pose, rows.system
    q = pose.q.copy()
    pose.q[:] = system.q0
    drawn = rows.scale * pose.phi
    pose.q[:] = q
    pose.phi  # noqa: B018  (the memory of the kernels is that of the pose again)
    openings: list[tuple[float, float, str, str]] = []  # 1 / opening, gap of the drawing, joint, unit
    k = 0
    for part in one.parts:
        mine = one.rows[k : k + len(system.rows_of(part.name))]
        coefficients = n[k : k + len(mine)]
        k += len(mine)
        for unit in ("m", "rad"):
            of_unit = rows.is_length[mine] == (unit == "m")
            share = float(np.linalg.norm(coefficients[of_unit]))
            openings.append((share, float(np.linalg.norm(drawn[mine[of_unit]])), part.name, unit))
    widest = max(share for share, *_ in openings)
    likely = [one for one in openings if one[0] > ALIKE * widest]
    # rounded, so that equal ones stay in the order of the model
    share, _, name, unit = max(likely, key=lambda x: (round(x[1], 9), round(x[0], 6)))
    return r / share * (system.length if unit == "m" else 1.0), unit, name
