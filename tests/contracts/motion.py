"""Motion by hand: displaced states, derivatives along paths, consistent states.  Plain numpy, independent of the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dalembert as da
from dalembert.kernels.operate import INPUTS, operate
from dalembert.state import State
from dalembert.system.rows import unscaled_jacobian

# seven-point central difference: error h^6 f^(7) / 140, about 1e-16 here, plus round-off 1e-16 f / h, about 1e-13
STEP = 2e-3
WEIGHTS = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of quaternions, scalar first."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def matrix(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion, by turning the three axes: p e p*."""
    conjugate = p * [1, -1, -1, -1]
    turned = [quaternion_product(quaternion_product(p, np.array([0.0, *e])), conjugate)[1:] for e in np.eye(3)]
    return np.column_stack(turned)


def flow(plane: bool, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
    """Configuration after the time h at constant v = (r', omega'): exact, so all accelerations along it are zero."""
    if plane:
        return q + h * v
    out = q.copy()
    for b in range(len(v) // 6):
        r, w = v[6 * b : 6 * b + 3], v[6 * b + 3 : 6 * b + 6]
        out[7 * b : 7 * b + 3] += h * r
        size = float(np.linalg.norm(w))
        half = 0.5 * h * size
        turn = np.array([np.cos(half), *(np.sin(half) * w / size)]) if size > 0 else np.array([1.0, 0, 0, 0])
        p = quaternion_product(q[7 * b + 3 : 7 * b + 7], turn)
        out[7 * b + 3 : 7 * b + 7] = p / np.linalg.norm(p)
    return out


def derivative(function: Callable[[float], Any], h: float = STEP) -> Any:
    """Derivative at zero by the seven-point central difference."""
    return sum(w * (function(k * h) - function(-k * h)) for k, w in WEIGHTS.items()) / h


def at(system: Any, t: float, q: np.ndarray, v: np.ndarray) -> Any:
    """The equations at a state."""
    return da.equations(system, State(t, q, v, bodies=tuple(system.body_names)))


def random_velocity(system: Any, rng: np.random.Generator) -> np.ndarray:
    """Velocities of about unit size; particles do not turn."""
    v = rng.uniform(-1, 1, system.nv)
    width, linear = system.builder.width, 2 if system.plane else 3
    for b, body in enumerate(system.builder.bodies):
        if body.particle:
            v[width * b + linear : width * (b + 1)] = 0.0
    return v


def consistent(
    system: Any, rng: np.random.Generator, t: float = 0.0, far: float = 0.3
) -> tuple[np.ndarray, np.ndarray]:
    """A state off the drawing that satisfies all constraints, by Newton's method with pseudo-inverses."""
    q = flow(system.plane, system.q0, random_velocity(system, rng), far)
    rest = np.zeros(system.nv)
    for _ in range(50):
        e = at(system, t, q, rest)
        if np.max(np.abs(e.phi), initial=0.0) < 1e-14:
            break
        q = flow(system.plane, q, -np.linalg.lstsq(e.jac, e.phi, rcond=1e-10)[0], 1.0)
    assert np.max(np.abs(e.phi), initial=0.0) < 1e-13, "the sample cannot be assembled off its drawing"
    v = random_velocity(system, rng)
    if system.n_rows:
        v = v - np.linalg.lstsq(e.jac, e.jac @ v - e.nu, rcond=1e-10)[0]
    return q, v


class Observer:
    """Value, rate, row and bias of a measure that is not held, at a state; the system was compiled with it as `extra`."""

    def __init__(self, system: Any, measure: Any) -> None:
        self.system, self.work = system, system.workspace()
        self.k = system.n_rows + system.builder.free_row("observer", measure)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[float, float, np.ndarray, float]:
        work, n, k = self.work, self.system.numbering, self.k
        operate(INPUTS, n.I, n.P, work.F, t, q, v, np.zeros(len(v)), 0.0, 1)
        row = unscaled_jacobian(self.system, work, k, k + 1).toarray()[0]
        return float(work.value[k]), float(work.rate[k]), row, float(work.bias[k])
