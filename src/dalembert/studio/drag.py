"""A mechanism that follows the hand: positions on all joints that bring a point of a body near to where it is pulled."""

from __future__ import annotations

import numpy as np

from ..analyses.pose.pose import Pose
from ..model.reading import cross_matrix, quaternion_matrix
from ..system.subspaces import null_space
from ..system.system import System

# steps at most, and how far bodies move in each, in lengths of the model and radians
STEPS, FARTHEST = 40, 0.35


def dragged(system: System, q: np.ndarray, body: int, point: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Configuration near q that satisfies the constraints, with a point of a body (from its mass centre, in its axes) near a target.

    Each step moves along the free directions of the joints so that the point comes closer, with the smallest motion that does it,
    and then back onto the joints.
    """
    plane = bool(system.model.plane)
    pose = Pose(system, 0.0, q)
    pose.onto(1e-10)
    step = np.zeros(system.nv)
    size = np.tile(
        [1.0, 1.0, 1.0 / system.length] if plane else [1.0] * 3 + [1.0 / system.length] * 3,
        len(q) // (3 if plane else 7),
    )
    best, gap, part = pose.q.copy(), np.inf, 1.0
    for _ in range(STEPS):
        at, row = _point(pose.q, body, point, plane, system.nv)
        miss = target - at
        distance = float(np.linalg.norm(miss))
        if distance < gap:
            best, gap, before = pose.q.copy(), distance, step
            free = null_space(pose.jac.toarray() * size)
            along = (row * size) @ free
            # a little damping keeps the step small where the point hardly moves (dead centres)
            damping = 1e-6 * float(np.sum(along * along)) + 1e-30
            step = free @ np.linalg.solve(along.T @ along + damping * np.eye(along.shape[1]), along.T @ miss)
            if np.max(np.abs(step)) < 1e-5 * system.length:
                break
            step *= min(1.0, FARTHEST * system.length / float(np.max(np.abs(step))))
            # where the hand is beyond reach, steps go past the nearest place and must come back
            part = 0.5 * part if float(step @ before) < 0.0 else min(1.0, 1.5 * part)
        else:
            part *= 0.4
        pose.q = best
        pose.q = pose.shifted(part * step * size)
        if not pose.onto(1e-10) < 1e-6:
            pose.q = best
    return best


def _point(q: np.ndarray, body: int, point: np.ndarray, plane: bool, nv: int) -> tuple[np.ndarray, np.ndarray]:
    """Place of a point of a body, and its derivative by velocities."""
    if plane:
        x, y, angle = q[3 * body : 3 * body + 3]
        c, s = np.cos(angle), np.sin(angle)
        arm = np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])
        row = np.zeros((2, nv))
        row[:, 3 * body : 3 * body + 3] = [[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]]
        return np.array([x, y]) + arm, row
    turn = quaternion_matrix(q[7 * body + 3 : 7 * body + 7])
    row = np.zeros((3, nv))
    row[:, 6 * body : 6 * body + 3] = np.eye(3)
    # angular velocity in body axes: R (w x u) = -R u~ w
    row[:, 6 * body + 3 : 6 * body + 6] = -turn @ cross_matrix(point)
    return q[7 * body : 7 * body + 3] + turn @ point, row
