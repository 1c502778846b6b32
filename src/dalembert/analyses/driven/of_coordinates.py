"""A driven Lagrangian system on its path: dense rows in units of the coordinates; holonomic rows with t are its drivers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ...errors import DalembertError, MethodError
from ...model.events import SOLVED
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.lagrange import LagrangeSystem
from ..dynamics.prepared import Prepared
from ..events.grips import driven_friction
from .path import STEP, Path, Point
from .singular import singular

# largest correction of a step, as a part of it, and what counts as rounding: coordinates have sizes of their own
PART, ROUNDING = 0.05, 1e-9
# singular value of the rows below which a motion that cannot go on is at its end
LOCKED = 1e-3


def moving_coordinates(model: Lagrangian, free: np.ndarray) -> list[str]:
    """Coordinates that move most, one for each direction (column)."""
    from scipy.linalg import qr

    return [model.q[k] for k in qr(free.T, mode="r", pivoting=True)[1][: free.shape[1]]]


class CoordinatePath(Path):
    """Coordinates with rows; these are scaled anew at every state."""

    system: LagrangeSystem

    def __init__(self, prepared: Prepared, asked: str) -> None:
        state, n = prepared.state, prepared.system.nv
        pose = prepared.at(state.t, state.q, state.v)
        super().__init__(prepared, asked, pose, np.arange(n), np.ones(n))
        # friction, and its sizes with their signs by the times of the motion
        self._frictions, self.sizes = self.system.model.frictions, dict[float, np.ndarray]()
        names = list(self.system.model.parameters)
        self._places = [names.index(one.size_name) for one in self._frictions]

    def rows(
        self, t: float, q: np.ndarray, v: np.ndarray, angles: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Scaled phi, J, nu, gamma at a state."""
        pose = self.pose
        pose.t, pose.q, pose.v = t, q, v
        self.evaluations += 1
        jac = pose.jac
        size = np.max(np.abs(jac), axis=1, initial=0.0)
        self.scale = 1.0 / np.where(size > 0.0, size, 1.0)
        return self.scale * pose.phi, self.scale[:, None] * jac, self.scale * pose.nu, self.scale * pose.gamma

    def multipliers(self, p: Point) -> tuple[np.ndarray, np.ndarray]:
        """By the equations of motion: rows left out carry nothing."""
        self.pose.t, self.pose.q, self.pose.v = p.t, p.q, p.v
        if self._frictions:
            memory = SimpleNamespace(I=self.system.I, F=self.pose.work.F)
            for one in self._frictions:
                one.check_at(SOLVED, self.pose)
            friction = driven_friction(self._frictions, self.pose, p.a, self.asked)
            friction.find(memory, p.t, lambda: np.asarray(self.pose.solve()[1]))
            self.sizes[p.t] = self.pose.work.F[self._places].copy()
        return self.pose.solve()

    def recall(self, forces: np.ndarray) -> None:
        """Friction has sizes that were found before."""
        if self._frictions:
            self.pose.work.F[self._places] = self.sizes[self.pose.t]

    def unit_motion(self, p: Point, row: int) -> np.ndarray:
        """Rows left out carry nothing, and do not count."""
        kept = np.setdiff1d(np.arange(self.system.n_rows), self.prepared.dropped)
        return np.asarray(np.linalg.lstsq(p.jac[kept], np.where(kept == row, self.scale[kept], 0.0), rcond=None)[0])

    def farthest(self, q: np.ndarray) -> float:
        """As far as an angle may turn, or a part of what large coordinates are."""
        return STEP * max(1.0, float(np.max(np.abs(q), initial=0.0)))

    def off(self, size: float) -> float:
        """The correction is of third order: compared with the step it must be small, else another branch may be met."""
        return max(PART * size, ROUNDING)

    def drivers(self) -> list[str]:
        """Holonomic rows that contain time."""
        return [name for name, row in self.system.model.holonomic.items() if "t" in row.names]

    def where(self, q: np.ndarray) -> str:
        """The first coordinates."""
        self.pose.q = q
        return self.pose.told()

    def coordinates(self, state: State, free: np.ndarray) -> list[str]:
        """Coordinates that move most, one for each direction."""
        return moving_coordinates(self.system.model, free)

    def undriven(self, free: np.ndarray) -> MethodError:
        """Error that counts rows and coordinates."""
        n, left = self.system.n, free.shape[1]
        return MethodError(
            self.asked,
            f"{n} coordinates and {n - left} independent rows: {left} left undetermined",
            "the motion is determined by rows only if there are as many as coordinates",
            "prescribe the rest by holonomic rows with t, as in {'motor': 'theta - 2*pi*t'}, or use da.simulate",
        )

    def stuck(self, p: Point, t: float) -> DalembertError:
        """Lock-up where the rows are nearly dependent: in coordinates of other sizes it is not located any closer."""
        if p.smallest < LOCKED:
            return singular(self, "lock-up", p.t, p.q, np.zeros(self.system.nv), p.angles)
        return super().stuck(p, t)
