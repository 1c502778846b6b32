"""What holds the parts of a Lagrangian system together, found from how they can move: pins, and rods between particles.

Parts are given by positions and rotations alone.  At several configurations (any, where no rows tie the coordinates; else those of the run)

    a body has a pin on the ground          where r + A s = c has a solution s, c for all of them
    two bodies have a common pin            where r_i + A_i s_i = r_j + A_j s_j has
    a particle sits on a body               where r_i = r_j + A_j s has
    two particles are joined by a rod       where their distance stays the same
    a particle hangs on a rod               where it stays on a circle or sphere

All but the last two are linear in what is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.lagrangian.parts import RigidBody

if TYPE_CHECKING:
    from .lagrangian import LagrangianResult

SAMPLES = 16
# what counts as the same place, as a part of the size of the motion
SAME = 1e-9
# parts that are looked at: pairs are as many as their square
MOST = 40


@dataclass
class Links:
    """Pins and rods: places are (number of the part, point in its axes); the ground has the number -1."""

    pins: list[tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]] = field(default_factory=list)
    rods: list[tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]] = field(default_factory=list)

    def points(self, part: int) -> list[np.ndarray]:
        """Points of a part at which it is pinned."""
        found: list[np.ndarray] = []
        for pair in self.pins:
            for number, point in pair:
                if number == part and not any(np.allclose(point, p, atol=1e-9) for p in found):
                    found.append(point)
        return found


def links(run: LagrangianResult, plane: bool) -> Links:
    """Pins and rods of all parts."""
    parts = list(run.model.parts.values())[:MOST]
    found = Links()
    poses = _poses(run, parts)
    if poses is None:
        return found
    position, rotation = poses  # (sample, part, 3), (sample, part, 3, 3)
    n = 2 if plane else 3
    r, a = position[:, :, :n], rotation[:, :, :n, :n]
    size = float(np.max(np.ptp(r, axis=(0, 1)), initial=0.0)) or 1.0
    # a body that never turns is held like a particle
    rigid = [
        isinstance(part, RigidBody) and float(np.max(np.ptp(a[:, i], axis=0))) > SAME for i, part in enumerate(parts)
    ]
    full = lambda x: np.concatenate([np.where(np.abs(x) > 1e-12 * size, x, 0.0), np.zeros(3 - n)])  # noqa: E731
    for i in range(len(parts)):
        moves = float(np.max(np.ptp(r[:, i], axis=0), initial=0.0)) > SAME * size
        if rigid[i]:
            # A s - c = -r
            one = np.broadcast_to(np.eye(n), a[:, i].shape)
            x = _solved(np.concatenate([a[:, i], -one], axis=2), -r[:, i], size)
            if x is not None:
                found.pins.append(((-1, full(x[n:])), (i, full(x[:n]))))
        elif moves:
            centre = _centre(r[:, i], size)
            if centre is not None:
                found.rods.append(((-1, full(centre)), (i, np.zeros(3))))
        for j in range(i):
            _pair(found, (j, i), rigid, r, a, size, full)
    return found


def _pair(
    found: Links, pair: tuple[int, int], rigid: list[bool], r: np.ndarray, a: np.ndarray, size: float, full: Any
) -> None:
    j, i = pair
    n, apart = r.shape[2], r[:, i] - r[:, j]
    if not rigid[i] and not rigid[j]:
        far = np.linalg.norm(apart, axis=1)
        turned = float(np.max(np.ptp(apart, axis=0), initial=0.0)) > SAME * size
        if turned and float(np.ptp(far)) <= SAME * size and far[0] > SAME * size:
            found.rods.append(((j, np.zeros(3)), (i, np.zeros(3))))
        return
    # A_j s_j - A_i s_i = r_i - r_j; a particle has no s
    columns = [sign * a[:, k] for k, sign in ((j, 1.0), (i, -1.0)) if rigid[k]]
    x = _solved(np.concatenate(columns, axis=2), apart, size)
    if x is None:
        return
    points = {j: np.zeros(3), i: np.zeros(3)}
    for place, k in enumerate(k for k in (j, i) if rigid[k]):
        points[k] = full(x[n * place : n * (place + 1)])
    # a point that both have on the ground is no joint between them
    grounded = {number: point for one, (number, point) in found.pins if one[0] == -1}
    if all(k in grounded and np.allclose(grounded[k], points[k], atol=1e-6 * size) for k in (j, i)):
        return
    if max(float(np.max(np.abs(p))) for p in points.values()) < 100.0 * size:
        found.pins.append(((j, points[j]), (i, points[i])))


def _solved(matrix: np.ndarray, right: np.ndarray, size: float) -> np.ndarray | None:
    """The smallest solution of equations at all samples (sample, n, unknowns); None where there is none."""
    m, b = matrix.reshape(-1, matrix.shape[2]), right.reshape(-1)
    x, *_ = np.linalg.lstsq(m, b, rcond=1e-9)
    return x if float(np.max(np.abs(m @ x - b), initial=0.0)) <= SAME * size else None


def _centre(r: np.ndarray, size: float) -> np.ndarray | None:
    """Centre of the circle or sphere that points lie on: 2 r.c + d = r.r; None for other paths."""
    middle = r.mean(axis=0)
    x = r - middle
    m = np.column_stack([2.0 * x, np.ones(len(x))])
    b = np.einsum("kn,kn->k", x, x)
    found, _, rank, _ = np.linalg.lstsq(m, b, rcond=1e-9)
    exact = float(np.max(np.abs(m @ found - b))) <= SAME * size * size
    return found[:-1] + middle if exact and rank == m.shape[1] and np.linalg.norm(found[:-1]) < 100.0 * size else None


def _poses(run: LagrangianResult, parts: list[Any]) -> tuple[np.ndarray, np.ndarray] | None:
    """Positions and rotations of the parts at several configurations; None where they cannot be told apart."""
    if not len(run.t) or not parts:
        return None
    system, add = run.system, run.system.graph.add_expression
    nodes: list[int] = []
    for part in parts:
        turned = [x for row in part.rotation for x in row] if isinstance(part, RigidBody) else []
        nodes += [add(x) for x in (*part.position, *turned)]
    function = system.function(nodes)
    picks = np.unique(np.linspace(0, len(run.t) - 1, SAMPLES).astype(int))
    states = [(float(run.t[k]), run.q[k]) for k in picks]
    if not system.n_holonomic:
        # nothing ties the coordinates: any of their values is a configuration
        rng = np.random.default_rng(0)
        states = [(t, q + rng.uniform(-1.0, 1.0, len(q))) for t, q in (states[k % len(states)] for k in range(SAMPLES))]
    rows = []
    for t, q in states:
        with np.errstate(all="ignore"):
            x = np.array(function(t, q, np.zeros(len(q))))
        if np.isfinite(x).all():
            rows.append(x)
    if len(rows) < 6:
        return None
    position, rotation = np.zeros((len(rows), len(parts), 3)), np.zeros((len(rows), len(parts), 3, 3))
    place = 0
    for k, part in enumerate(parts):
        values = np.array([x[place : place + 12] for x in rows])
        position[:, k] = values[:, :3]
        rigid = isinstance(part, RigidBody)
        rotation[:, k] = values[:, 3:12].reshape(-1, 3, 3) if rigid else np.eye(3)
        place += 12 if rigid else 3
    return position, rotation
