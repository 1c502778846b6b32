"""Small motions together with auxiliary states z' = f: the rows and columns that these add to the state matrix.

With x = (y, w) of the free motions (`linearization.py`) and the changes of the states behind them

    y' = …,    w' = … + Z^+ (da/dz) z,    z' = (df/dy) y + (df/dw) w + (df/dz) z

and w = y' - G y where x is (y, y').  Derivatives are exact (`Statics.along`), or differences of accelerations and of the laws themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .linearization import ACCURACY, EXACT, STEADY, Linearizer, Reduced, differences

if TYPE_CHECKING:
    from .modes import Eigenpairs

# step of a state, as a part of its size
STEP = 1e-3


@dataclass(frozen=True)
class Coupled:
    """Auxiliary states in small motions: names, typical sizes, and the blocks that they add to the state matrix."""

    names: tuple[str, ...]
    scale: np.ndarray
    column: np.ndarray  # of w' (or y'') by z
    row: np.ndarray  # of z' by x and z
    steady: bool  # whether they rest
    accuracy: float  # relative error of the derivatives

    def matrix(self, of_bodies: np.ndarray) -> np.ndarray:
        """State matrix of (x, z) from that of x."""
        n, speeds = len(of_bodies), len(self.column)
        column = np.vstack([np.zeros((n - speeds, len(self.names))), self.column])
        return np.block([[np.hstack([of_bodies, column])], [self.row]])


def coupled(linearizer: Linearizer, made: Reduced) -> Coupled | None:
    """The states of a mechanism at the state of a linearizer; None without any."""
    s, z0, builder = linearizer.statics, linearizer.z, linearizer.system.builder
    if not len(z0):
        return None
    scale = np.maximum(np.abs(z0), builder.state_scales)
    linearizer.here()
    rest = s.pose.work.force[: len(z0)].copy()  # rates of states are the first laws
    exact = _exact(linearizer, made) if np.isfinite(rest).all() else None
    by_y, by_w, by_z, of_a = _by_differences(linearizer, made, scale) if exact is None else exact
    linearizer.put(z0)
    z, weight = made.speeds, linearizer.weight
    column = np.linalg.solve(z.T @ (weight[:, None] * z), (z.T * weight) @ of_a)
    if made.coupling is None:
        by_y_of_x = by_y - by_w @ made.drift  # x is (y, y')
    else:
        by_y_of_x = by_y
    # rates beside what a length of the model, its speeds and the states themselves make of them
    size = np.abs(by_z) @ scale + np.abs(by_y) @ [1.0 / max(s.reach(c), 1e-300) for c in made.motions.T]
    steady = bool(np.all(np.abs(rest) <= STEADY * np.maximum(size, 1e-300)))
    names = tuple(state.name for state in builder.states)
    accuracy = ACCURACY if exact is None else EXACT
    return Coupled(names, scale, column, np.hstack([by_y_of_x, by_w, by_z]), steady, accuracy)


Blocks = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _exact(linearizer: Linearizer, made: Reduced) -> Blocks | None:
    """df/dy, df/dw, df/dz and da/dz."""
    s, n = linearizer.statics, linearizer.system.n_rows
    given = linearizer.here()
    moves = ({"q": made.motions, "v": made.carried}, {"q": 0.0 * made.speeds, "v": made.speeds})
    found = [s.along(["state"], linearizer.v, move, **given) for move in moves]
    by_z = s.along(["state", "force", "second"], linearizer.v, {"z": np.eye(len(linearizer.z))}, **given)
    if found[0] is None or found[1] is None or by_z is None:
        return None
    return found[0][0].mean, found[1][0].mean, by_z[0].mean, s.accelerated(by_z[1].mean, by_z[2].mean[:n])


def _by_differences(linearizer: Linearizer, made: Reduced, scale: np.ndarray) -> Blocks:
    """The same by differences."""
    s, q, v, z0 = linearizer.statics, linearizer.q, linearizer.v, linearizer.z

    def at(q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        linearizer.put(z)
        _, a = linearizer.acceleration(q, v)
        return a, np.array(s.pose.work.force[: len(z0)])

    sides = [linearizer.neighbours(column) for column in made.motions.T]
    by_y = np.column_stack([differences([at(q, v, z0)[1] for _, q, v, _ in near], near[0][0]) for near in sides])
    speed = 1e-5 * (linearizer.system.length + float(np.max(np.abs(v * s.size), initial=0.0)))
    by_w, by_z, of_a = (np.zeros((n, m)) for n, m in ((len(z0), len(made.mass)), (len(z0),) * 2, (len(v), len(z0))))
    for k, column in enumerate(made.speeds.T):
        h = speed / max(linearizer.system.length * s.reach(column), 1e-300)
        by_w[:, k] = differences([at(q, v + c * column, z0)[1] for c in (h, -h, 2 * h, -2 * h)], h)
    for k, step in enumerate(STEP * scale):
        both = [at(q, v, z0 + c * np.eye(len(z0))[k]) for c in (step, -step, 2 * step, -2 * step)]
        of_a[:, k], by_z[:, k] = (differences([x[i] for x in both], step) for i in (0, 1))
    return by_y, by_w, by_z, of_a


def eigenpairs(made: Reduced, of_bodies: np.ndarray, states: Coupled) -> Eigenpairs:
    """Eigenvalues of the whole matrix and how well they are known: errors dA change s by |l|^T dA |r| / |l^T r|."""
    from scipy.linalg import eig

    from .modes import Eigenpairs

    matrix = states.matrix(of_bodies)
    values, left, right = eig(matrix, left=True, right=True)
    error, inverse = states.accuracy * np.abs(matrix), np.abs(np.linalg.inv(made.mass))
    n, m = made.motions.shape[1], len(made.mass)
    error[n : n + m, :n] += inverse @ made.stiffness_error
    error[n : n + m, n : n + m] += inverse @ made.damping_error
    overlap = np.maximum(np.abs(np.einsum("ik,ik->k", left.conj(), right)), 1e-300)
    size = float(np.max(np.abs(values), initial=0.0))
    limit = np.einsum("ik,ij,jk->k", np.abs(left), error, np.abs(right)) / overlap
    # a double root is split by the root of its error: more is no rounding
    limit = np.clip(limit, 1e-9 * size, np.sqrt(ACCURACY) * size)
    return Eigenpairs(np.where(np.abs(values) <= limit, 0j, values), right, limit, np.zeros(len(values)))
