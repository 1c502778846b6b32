"""States of a mechanism in the coordinates of its Lagrangian system."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from ...model.reading import matrix_quaternion
from ...symbolic.export.numpy import evaluators
from ...symbolic.functions import Functions
from ...symbolic.mechanism.convert import Conversion, Numbers, motion_functions
from ...system.lagrange import compile_lagrangian
from ..pose.pose import Pose


def numbers_of(pose: Pose) -> Numbers:
    """Rotations, mass centres, angles and counted angles of a mechanism at its present state."""
    model: Mechanism = pose.system.model
    ground = model.ground
    bodies = [*model.bodies, ground]
    places = {body: pose.system.place(pose.q, body) for body in bodies}
    rotation, position = {b: x[1] for b, x in places.items()}, {b: x[0] for b, x in places.items()}
    angle = {ground: 0.0} | ({b: float(x) for b, x in zip(model.bodies, pose.q[2::3])} if model.plane else {})
    counted = {}
    for (i, j, axes), k in pose.system.builder.angles.items():
        key = bodies[i], bodies[j], tuple(round(float(c), 9) + 0.0 for c in axes)
        counted[key] = float(pose.work.angle[k])
    return Numbers(rotation, position, angle, counted)


def coordinates_of(conversion: Conversion, pose: Pose) -> np.ndarray:
    """Coordinates of the Lagrangian system at the state of a mechanism, auxiliary states behind those of bodies."""
    return np.concatenate([conversion.coordinates.read(numbers_of(pose)), pose.work.state])


class InCoordinates:
    """A mechanism in the coordinates of its Lagrangian system.

    `conversion`: the mechanism as a Lagrangian system; `asked`: who asks, for messages.
    """

    def __init__(self, conversion: Conversion, asked: str) -> None:
        self.conversion = conversion
        self.functions: Functions = motion_functions(conversion, asked)
        self._call = evaluators(self.functions, list(self.functions.results))

    def __call__(self, name: str, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """A result of the functions in numbers."""
        return np.asarray(self._call[name](t, q, v))

    def coordinates(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and their rates at a state of the mechanism."""
        q = coordinates_of(self.conversion, pose)
        still = np.zeros(len(q))
        # a particle has no rotation in these coordinates; rows of Euler parameters and counted angles tell the rates that no body has
        S = np.vstack([self("S", pose.t, q, still), self("J", pose.t, q, still)])
        right = np.concatenate(
            [np.where(pose.system.moves, pose.v, 0.0) - self("V", pose.t, q, still), self("nu", pose.t, q, still)]
        )
        return q, np.linalg.lstsq(S, right, rcond=None)[0]

    def put(self, pose: Pose, q: np.ndarray, v: np.ndarray) -> None:
        """Bring the mechanism to the state of the coordinates."""
        names = dict(zip(self.functions.q, q))
        values: dict[str, Any] = {**self.conversion.lagrangian.parameters, **names, "t": pose.t}
        model = pose.system.model
        for b, body in enumerate(model.bodies):
            placed = self.conversion.coordinates.poses[body]
            r = [x.evaluate(values) for x in placed.position]
            if model.plane:
                pose.q[3 * b : 3 * b + 3] = [*r[:2], placed.angle.evaluate(values)]
            else:
                A = np.array([[x.evaluate(values) for x in row] for row in placed.rotation])
                p, before = matrix_quaternion(A), pose.q[7 * b + 3 : 7 * b + 7]
                # of the two quaternions of a rotation the one nearer to that before, as along a motion
                pose.q[7 * b : 7 * b + 7] = [*r, *(p if p @ before >= 0.0 else -p)]
        pose.v = self("V", pose.t, q, v)
        pose.follow()


def start_like(conversion: Conversion, pose: Pose, asked: str) -> None:
    """Give the Lagrangian system the start that the mechanism has: as many values and rates as are independent, the rest as guesses."""
    from .point import Point

    system = conversion.lagrangian
    if np.any(pose.v):
        q, v = InCoordinates(conversion, asked).coordinates(pose)
    else:
        q = coordinates_of(conversion, pose)
        v = np.zeros(len(q))
    # rounding of what is zero as drawn
    q, v = np.where(np.abs(q) < 1e-14, 0.0, q), np.where(np.abs(v) < 1e-14, 0.0, v)
    point = Point(compile_lagrangian(system, asked), pose.t, q, v)
    # rates of states follow from the rest: their rows and columns, the last ones, say nothing about the others
    states = len(system.states)
    jac = point.jac[: len(point.jac) - states, : len(q) - states]
    h = len(system.holonomic)
    solved, moved = _dependent(jac[:h]), _dependent(jac)
    for k, name in enumerate(system.q):
        if k in solved:
            system.guess(name, float(q[k]))
        else:
            system.start(name, value=float(q[k]))
        if k not in moved and name not in system.states:
            system.start(name, rate=float(v[k]))


def _dependent(jac: np.ndarray) -> set[int]:
    """Columns that the rows can be solved for; those of the largest entries first."""
    if not jac.size:
        return set()
    from scipy.linalg import qr

    size = np.linalg.norm(jac, axis=1)
    rows = jac / np.where(size > 0.0, size, 1.0)[:, None]
    _, r, pivots = qr(rows, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.sum(diagonal > 1e-8 * max(float(diagonal[0]), 1e-300)))
    return {int(k) for k in pivots[:rank]}
