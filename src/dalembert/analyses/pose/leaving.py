"""A run that starts in a singular position, and whether its velocity belongs to one of the motions that meet there.

Where rows lose their independence in this pose only, n^T J = 0, velocities have one freedom more than motions.  The rows left out still
ask for n^T gamma(v) = 0, which is quadratic in v; its solutions are the tangents of the motions that branch there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import AssemblyError
from ...kernels.operate import SOLVE
from ...system.rows import unscaled_jacobian
from ...system.subspaces import null_space
from ...system.system import compile
from ..dynamics.prepared import Prepared
from .pose import Pose
from .rank import LARGEST

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ...system.system import System

# curvature of rows left out, against speed squared, that belongs to no motion: far above rounding, far below any linkage
CURVED = 1e-8
# unknown velocities beyond which the motions are not searched for
MANY = 12


class Crossing:
    """The position of a start with rows left out, and the velocities that motions through it can have."""

    def __init__(self, prepared: Prepared) -> None:
        state, system = prepared.state, cast("System", prepared.system)
        self.prepared, self.system = prepared, system
        self._rows: Any = None
        self.pose = Pose(system, state.t, state.q, state.v, state.angles)
        self.pose.work.floor[:] = prepared.work.floor
        self.left = np.flatnonzero(self.pose.dropped)
        self.size = system.unit_of_velocity
        self.pose.detect()
        self.jac = self.pose.jac.toarray()
        free = np.linalg.svd(self.jac * self.size)
        rank = self.system.n_rows - len(self.left)
        self.tangents = free[2][rank:].T * self.size[:, None]  # velocities with J v = 0
        # where dimensions disagree, rows left out do not quite follow from the others: their rates at unit speed tell by how much
        speeds = np.max(np.abs(self.tangents) / self.size[:, None], axis=0, initial=1e-300)
        rates = self.jac[self.left] @ (self.tangents / speeds) * self.pose.scale[self.left, None]
        self.misfit = prepared.disagreement + float(np.max(np.abs(rates), initial=0.0))

    def speed(self, v: np.ndarray) -> float:
        """Largest component, in lengths or radians per second."""
        return float(np.max(np.abs(v) / self.size, initial=0.0))

    def curvature(self, v: np.ndarray) -> np.ndarray:
        """(J a - gamma) of the rows left out, for the smallest a that satisfies the others; in lengths or radians per second squared."""
        pose, work = self.pose, self.pose.work
        pose.v = v.copy()
        gamma = pose.gamma
        if self.system.saddle:
            kept = ~pose.dropped
            a = np.linalg.lstsq(self.jac[kept], gamma[kept], rcond=None)[0]
            return np.asarray((self.jac @ a - gamma) * pose.scale)[self.left]
        if self._rows is None:
            self._rows = unscaled_jacobian(self.system, work, scaled=True)  # they do not depend on velocities
        rows, found = self._rows, gamma.copy()
        for _ in range(2):  # the second removes the rounding of the first
            work.y[:] = found
            pose.operate(SOLVE)
            found = found - rows @ (rows.T @ np.where(pose.dropped, 0.0, work.lam))
        return np.asarray(found * pose.scale)[self.left]

    def bent(self, v: np.ndarray) -> bool:
        """Whether a velocity belongs to no motion."""
        allowed = (CURVED + 10.0 * self.misfit) * max(self.speed(v) ** 2, 1e-300)
        return bool(np.max(np.abs(self.curvature(v)), initial=0.0) > allowed)

    def branches(self) -> bool:
        """Whether rows were left out in this pose only: then some velocities that the joints allow belong to no motion."""
        rng = np.random.default_rng(0)
        return any(self.bent(self.tangents @ rng.normal(size=self.tangents.shape[1])) for _ in range(3))

    def solutions(self, v: np.ndarray, free: np.ndarray) -> list[np.ndarray]:
        """Velocities v + free x that belong to a motion: Newton's method for c + B x + x A x = 0 from many starts."""
        unit, d = max(self.speed(v), 1e-300), free.shape[1]
        if not 0 < d <= MANY:
            return []
        free = free / np.max(np.abs(free) / self.size[:, None], axis=0) * unit
        c, b, a = self._quadratic(v, free)
        found: list[np.ndarray] = []
        for x in 3.0 * np.random.default_rng(0).normal(size=(32, d)):
            for _ in range(40):
                value = c + b @ x + np.einsum("kij,i,j->k", a, x, x)
                step = np.linalg.lstsq(b + 2.0 * np.einsum("kij,j->ki", a, x), value, rcond=1e-10)[0]
                x = x - step
                if np.max(np.abs(step)) <= 1e-15 * (1.0 + np.max(np.abs(x))):
                    break
            w = v + free @ x
            new = all(self.speed(w - old) > 1e-6 * self.speed(w) for old in found)
            if np.isfinite(w).all() and new and not self.bent(w):
                found.append(w)
        return found

    def _quadratic(self, v: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Curvature of v + free x as c + B x + x A x, which it is exactly."""
        d = free.shape[1]
        at = lambda x: self.curvature(v + free @ x)  # noqa: E731
        c, unit = at(np.zeros(d)), np.eye(d)
        plus, minus = np.array([at(e) for e in unit]), np.array([at(-e) for e in unit])
        b = 0.5 * (plus - minus).T
        a = np.zeros((len(c), d, d))
        for i in range(d):
            a[:, i, i] = 0.5 * (plus[i] + minus[i]) - c
            for j in range(i):
                mixed = at(unit[i] + unit[j]) - c - b @ (unit[i] + unit[j]) - a[:, i, i] - a[:, j, j]
                a[:, i, j] = a[:, j, i] = 0.5 * mixed
        return c, b, a

    def text(self, v: np.ndarray) -> str:
        """A velocity told by the spins of the bodies."""
        spins = v.reshape(-1, self.system.builder.width)[:, 2 if self.system.plane else 3 :]
        parts = []
        for name, spin in list(zip(self.system.body_names, spins))[:6]:
            rounded = np.where(np.abs(spin) < 1e-9 * max(self.speed(v), 1e-300), 0.0, spin)
            parts.append(
                f"{name} "
                + (f"{rounded[0]:.6g}" if len(spin) == 1 else "(" + ", ".join(f"{s:.4g}" for s in rounded) + ")")
            )
        return ", ".join(parts) + (", …" if len(spins) > 6 else "") + " rad/s"


def leave(prepared: Prepared, model: Mechanism | Lagrangian, given: bool, asked: str) -> bool:
    """Whether a run starts where motions branch; its velocity is then made one of theirs, or refused.

    `given`: all velocities are given; else those that were not asked for may change.
    """
    system, v = prepared.system, prepared.state.v
    if not prepared.dropped or not system.body_names or system.n_rows > LARGEST:
        return False
    crossing = Crossing(prepared)
    if not crossing.branches():
        return False
    name = f"the position at t = {prepared.state.t:g} s is singular"
    if crossing.speed(v) == 0.0:
        crossing.pose.v = v.copy()
        a, _ = crossing.pose.solve()
        if crossing.speed(a) > 1e-9 and crossing.bent(a):
            raise AssemblyError(
                asked,
                f"{name}, and at rest there the forces push along none of the motions that meet in it",
                "from rest the mechanism could leave along any of them; nothing decides which",
                f"start from a pose beside it, or give rates of one of the motions{listed(crossing, a)}",
            )
        return True
    if not crossing.bent(v):
        return True
    free = np.zeros((system.nv, 0))
    if not given:
        held = compile(cast("Mechanism", model), starts="rates")
        stated = Pose(held, prepared.state.t, prepared.state.q, v)
        free = null_space(stated.jac.toarray() * crossing.size) * crossing.size[:, None]
    found = crossing.solutions(v, free)
    if len(found) == 1:
        v[:] = found[0]
        return True
    if found:
        told = "; or ".join(crossing.text(w) for w in found[:4])
        raise AssemblyError(
            asked,
            f"{name}, and several motions leave it with the rates given: {told}",
            "the rates given do not decide between them",
            "give the rate of one more joint with m.start, or start from a pose beside it",
        )
    raise AssemblyError(
        asked,
        f"{name}, and the velocities given ({crossing.text(v)}) belong to no motion through it",
        "the joints allow them at this instant only; an instant later the loop would be torn",
        f"give rates of one of the motions{listed(crossing, v)}, or start from a pose beside it",
    )


def listed(crossing: Crossing, like: np.ndarray) -> str:
    """The tangents of the motions, if there are few of them: directions in the plane of tangents, near the size of a velocity."""
    if crossing.tangents.shape[1] != 2:
        return ""
    first, second = crossing.tangents.T
    found = crossing.solutions(first, second[:, None]) + crossing.solutions(second, first[:, None])
    distinct: list[np.ndarray] = []
    for w in found:
        w = w / (crossing.speed(w) * np.sign(w[np.argmax(np.abs(w / crossing.size) > 1e-6)]))
        if all(min(crossing.speed(w - x), crossing.speed(w + x)) > 1e-6 for x in distinct):
            distinct.append(w)
    return ": " + "; or ".join(crossing.text(w * crossing.speed(like)) for w in distinct) if distinct else ""
