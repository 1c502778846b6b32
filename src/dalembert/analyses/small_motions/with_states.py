"""Small motions together with auxiliary states z' = f: the rows and columns that these add to the state matrix.

With x = (y, w) of the free motions (`linearization.py`) and the changes of the states behind them

    y' = …,    w' = … + Z^+ (da/dz) z,    z' = (df/dy) y + (df/dw) w + (df/dz) z

and w = y' - G y where x is (y, y').
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .linearization import STEADY, Reduced
from .of_bodies import OfBodies


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


def coupled(linearizer: OfBodies, made: Reduced) -> Coupled | None:
    """The states of a mechanism at the state of a linearizer; None without any."""
    s, z0, builder = linearizer.statics, linearizer.z, linearizer.system.builder
    if not len(z0):
        return None
    scale = np.maximum(np.abs(z0), builder.state_scales)
    given, n, v = linearizer.here(), linearizer.system.n_rows, linearizer.v
    rest = s.pose.work.force[: len(z0)].copy()  # rates of states are the first laws
    moves = {"q": np.hstack([made.motions, 0.0 * made.speeds]), "v": np.hstack([made.carried, made.speeds])}
    (of_x,) = s.along(["state"], v, moves, given)
    of_z, force, second = s.along(["state", "force", "second"], v, {"z": np.eye(len(z0))}, given)
    by_y, by_w = np.hsplit(of_x.mean, [made.motions.shape[1]])
    by_z = of_z.mean + 0.0 * rest[:, None]  # a rate without a value has no derivative
    of_a = linearizer.changes(-force.mean, -second.mean[:n])[0]
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
    accuracy = max(x.accuracy for x in (of_x, of_z, force, second))
    return Coupled(names, scale, column, np.hstack([by_y_of_x, by_w, by_z]), steady, accuracy)
