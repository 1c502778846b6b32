"""The slow twin: accelerations by dense linear algebra, kinetic energy body by body, states seen from other worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import dalembert as da
from dalembert.analyses.assembly.turns import guess_angles
from dalembert.analyses.equations import Equations
from dalembert.analyses.pose.rank import detect
from dalembert.kernels import layout as at
from dalembert.kernels.operate import EVALUATE, operate
from dalembert.state import State


@dataclass
class Dense:
    """Accelerations by elimination of the constraints: a = a_p + N y with J a_p = gamma and J N = 0."""

    a: np.ndarray
    rank: int
    gap: tuple[float, float]  # smallest singular value taken, largest one left out
    condition: float


def dense(e: Equations) -> Dense:
    """Solve M a + J^T lam = Q, J a = gamma without multipliers: N^T M N y = N^T (Q - M a_p)."""
    M, jac, nv = e.M, e.jac, e.system.nv
    still = [r for r in range(nv) if not M[r].any() and not jac[:, r].any()]  # rotations of particles do not exist
    size = np.linalg.norm(jac, axis=1)
    u, s, vt = np.linalg.svd(jac / size[:, None]) if len(jac) else (np.zeros((0, 0)), np.zeros(0), np.eye(nv))
    rank = int(np.sum(s > 1e-7))
    gap = (float(s[rank - 1]) if rank else 1.0, float(s[rank]) if rank < len(s) else 0.0)
    particular = vt[:rank].T @ ((u.T @ (e.gamma / size))[:rank] / s[:rank]) if rank else np.zeros(nv)
    free = vt[rank:].T
    reduced = free.T @ M @ free
    for r in still:
        reduced += np.outer(free[r], free[r])
    y = np.linalg.solve(reduced, free.T @ (e.Q - M @ particular)) if free.size else np.zeros(0)
    conditions = [np.linalg.cond(reduced)] if free.size else []
    return Dense(particular + free @ y, rank, gap, max([*conditions, (s[0] / s[rank - 1]) ** 2 if rank else 1.0]))


def kinetic_energy(system: Any, q: np.ndarray, v: np.ndarray) -> float:
    """Sum of 1/2 m |r'|^2 + 1/2 omega . (A J' A^T) omega, the latter in space axes."""
    from contracts.motion import matrix

    total = 0.0
    for b, body in enumerate(system.builder.bodies):
        p = system.builder.drawing.poses[body].properties
        if system.plane:
            r, w = v[3 * b : 3 * b + 2], v[3 * b + 2]
            total += 0.5 * p.mass * (r @ r) + (0.0 if body.particle else 0.5 * p.inertia[2, 2] * w * w)
        else:
            rotation = matrix(q[7 * b + 3 : 7 * b + 7])
            r, w = v[6 * b : 6 * b + 3], rotation @ v[6 * b + 3 : 6 * b + 6]
            total += 0.5 * p.mass * (r @ r) + 0.5 * w @ (rotation @ p.inertia @ rotation.T) @ w
    return float(total)


@dataclass
class Powers:
    """Power of everything that acts on a mechanism at a state."""

    laws: float
    drivers: float
    gravity: float


def powers(system: Any, state: State) -> Powers:
    """Powers as the kernels report them; gravity by hand."""
    n, work = system.numbering, system.workspace()
    guess_angles(system, work, state.t, state.angles)
    detect(system, work, state.t, state.q)
    a = np.zeros(system.nv)
    operate(EVALUATE, n.I, n.P, work.F, state.t, state.q.copy(), state.v.copy(), a, 0.0, 1)
    laws = int(n.I[at.N_LAWS])
    g = system.builder.drawing.vector(system.model.gravity)
    width, linear = system.builder.width, 2 if system.plane else 3
    masses = [system.builder.drawing.poses[b].properties.mass for b in system.builder.bodies]
    weight = sum(m * (g[:linear] @ state.v[width * b : width * b + linear]) for b, m in enumerate(masses))
    return Powers(float(work.power[:laws].sum()), float(work.power[laws:].sum()), float(weight))


def start(system: Any, rng: np.random.Generator) -> State:
    """The drawing with a random admissible velocity."""
    from contracts.motion import random_velocity

    e = da.equations(system, State(0.0, system.q0, np.zeros(system.nv), bodies=tuple(system.body_names)))
    v = random_velocity(system, rng)
    if len(e.phi):
        assert np.max(np.abs(e.phi)) < 1e-13 * max(1.0, system.length), "the drawing is not assembled"
        size = np.linalg.norm(e.jac, axis=1)
        v = v - np.linalg.lstsq(e.jac / size[:, None], (e.jac @ v - e.nu) / size, rcond=1e-7)[0]
    return State(0.0, system.q0, v, bodies=tuple(system.body_names))


def carried(system: Any, other: Any, x: np.ndarray, world: Any) -> np.ndarray:
    """Velocity-like vector of a system in the world of another: linear parts turn and scale, omega' stays in body axes."""
    width, linear = system.builder.width, 2 if system.plane else 3
    out = np.zeros(len(x))
    for b, name in enumerate(system.body_names):
        k = other.body_index(world.rename(name))
        first = np.zeros(3)
        first[:linear] = x[width * b : width * b + linear]
        out[width * k : width * k + linear] = world.length * (world.rotation @ first)[:linear]
        out[width * k + linear : width * (k + 1)] = x[width * b + linear : width * (b + 1)]
    return out
