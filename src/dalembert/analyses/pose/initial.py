"""Positions of bodies from the drawing: Newton's method in the mass metric, q <- q (+) (-M^-1 J^T S^-1 phi).

Initial values, and measures that a user holds, are further rows meanwhile; steps are limited so that a rough drawing does not jump.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import AssemblyError
from ...kernels.bodies import move
from ...kernels.operate import ROWS, SOLVE
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...system.system import System, compile
from ..assembly.senses import check_senses
from ..assembly.turns import whole_turns
from ..dynamics.consistent import TOLERANCE
from ..dynamics.dynamics import MOVED
from .pose import Pose
from .rank import detect

# Newton steps at most, in all and in full size: those that are limited take as many as the way is long
STEPS, FULL_STEPS = 5000, 200

Held = tuple[tuple[str, Measure, float], ...]


def assemble(model: Mechanism, system: System, t0: float, q: np.ndarray | None = None, held: Held = ()) -> np.ndarray:
    """Positions that satisfy all constraints, the initial values asked for and the measures held, near the drawing or near q."""
    stated = bool(held) or any(s.value is not None for s in model.starts)
    # conditions on velocities do not say where bodies are: they are left out here
    apart = stated or any(row.rate_only for row in system.numbering.rows[: system.n_rows])
    solved = compile(model, starts="values", held=held) if apart else system
    begun = solved.q0 if q is None else q
    pose, asked = Pose(solved, t0, begun), f"assembly of {model.name!r}"
    newton(pose, stated)
    try:
        pose.check_positions(asked, "drawing")
    except AssemblyError as error:
        from ..assembly.search import explained

        raise explained(error, pose, begun, stated, held) from None
    check_senses(system, pose.q, asked)
    return pose.q


def newton(pose: Pose, stated: bool, steps: int = STEPS) -> None:
    """Move a pose at rest onto the rows by steps that change it least in the mass metric; whether it got there is for the caller to check."""
    system, work, t, q = pose.system, pose.work, pose.t, pose.q
    if system.n_rows == 0:
        return
    best, stalled, done, step = math.inf, 0, 0.0, 1.0
    enough = TOLERANCE + 10.0 * system.rounding(q)
    for _ in range(steps):
        whole_turns(system, work, t, q)
        detect(system, work, t, q, stated=stated)
        worst = pose.operate(ROWS)
        if not math.isfinite(worst) or worst <= 0.01 * TOLERANCE:
            break
        # a step that was limited to a part of itself gains only that part; where the parts are too many, it leads nowhere
        hoped = 0.3 * step if step * steps > 1.0 else 0.3
        stalled = stalled + 1 if worst > (1.0 - hoped) * best else 0
        best, done = min(best, worst), done + step
        if stalled > (3 if worst <= enough else 25) or done > FULL_STEPS:
            break
        pose.operate(SOLVE)
        delta = system.solved(work)
        step = step_limit(system, delta)
        move(system.numbering.I, q, delta * step)
    if enough < worst <= MOVED and pose.dropped.any():
        # dimensions that disagree: the choice among dependent rows changes from step to step, and each choice asks for another pose
        detect(system, work, t, q, stated=stated)
        pose.settle()


def step_limit(system: System, delta: np.ndarray) -> float:
    """Factor that keeps a Newton step within a third of the model's length and half a radian."""
    size, turning = np.abs(delta) / system.unit_of_velocity, system.kinds_of_velocity == 1
    return min(1.0, 0.33 / max(size[~turning].max(), 1e-300), 0.5 / max(size[turning].max(), 1e-300))
