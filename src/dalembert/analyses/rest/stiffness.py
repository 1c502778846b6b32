"""A mechanism at rest, or turning steadily as a whole: rows, forces, free motions and reduced stiffness at a configuration.

    J^T lam = Q(q)  with  phi(q) = 0          equilibrium
    K = Z^T d(J^T lam - Q)/d(delta) Z         stiffness of the free motions J Z = 0, lam held: with the geometric stiffness of the joints

delta are displacements like velocities (`Pose.shifted`).  Displacements by different directions do not commute for rotations in space;
the difference is a combination of J^T lam - Q itself, which is zero at an equilibrium, so K is the Hessian of the energy there.
A steady turn adds the force of its own accelerations, Q(q, v) - M a, which is the gradient of 1/2 omega^2 I.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...kernels.operate import FORCES
from ...model.measure import Measure
from ...model.reading import cross_matrix, quaternion_matrix
from ...system.rows import mass_blocks, scale_blocks, slots_of
from ...system.subspaces import factor, null_space
from ...system.trace.derivatives import Tangents, tangents
from ..equations import call_laws
from ..pose.pose import Pose
from .slopes import FINER, SPEED, STEP, Moves, Slope, along

# singular values of the scaled Jacobian below this part of the largest belong to dependent rows: a search visits configurations that are
# not quite closed, where dependent rows differ by as much
SEARCHED = 1e-6
EPS = float(np.finfo(float).eps)
# rounding of exact derivatives, as a part of the sizes that they are made of
ROUNDED = 100.0 * EPS


@dataclass(frozen=True)
class Spin:
    """Steady turn of the whole mechanism about an axis fixed in space; in the plane the axis is z."""

    point: np.ndarray
    axis: np.ndarray
    omega: float

    def motion(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations of all bodies.

        omega e x (r - O) and omega^2 e x (e x (r - O)); angular velocities are omega e, in body axes, where they do not change.
        """
        w, n = self.omega, len(pose.system.builder.bodies)
        if pose.system.plane:
            q = pose.q.reshape(n, 3)
            x, y = q[:, 0] - self.point[0], q[:, 1] - self.point[1]
            v = np.column_stack([-w * y, w * x, np.full(n, w)])
            a = np.column_stack([-w * w * x, -w * w * y, np.zeros(n)])
        else:
            q = pose.q.reshape(n, 7)
            across = cross_matrix(w * self.axis)
            velocity = (q[:, :3] - self.point) @ across.T
            v = np.hstack([velocity, [w * (self.axis @ quaternion_matrix(p)) for p in q[:, 3:]]])
            a = np.hstack([velocity @ across.T, np.zeros((n, 3))])
        for b, body in enumerate(pose.system.builder.bodies):
            if body.particle:
                v[b, 2 if pose.system.plane else 3 :] = 0.0
        return v.ravel(), a.ravel()

    def tangents(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of these velocities and accelerations by displacements; d(A^T e) = (A^T e) x delta."""
        w, width, bodies = self.omega, pose.system.builder.width, pose.system.builder.bodies
        by_v, by_a = (np.zeros((pose.system.nv, pose.system.nv)) for _ in range(2))
        linear = 2 if pose.system.plane else 3
        across = cross_matrix(w * self.axis)[:linear, :linear]
        for b, body in enumerate(bodies):
            o = slice(width * b, width * b + linear)
            by_v[o, o], by_a[o, o] = across, across @ across
            if not body.particle and not pose.system.plane:
                o = slice(6 * b + 3, 6 * b + 6)
                by_v[o, o] = cross_matrix(w * (self.axis @ quaternion_matrix(pose.q[7 * b + 3 : 7 * b + 7])))
        return by_v, by_a

    def turned(self, pose: Pose, angle: float) -> np.ndarray:
        """Configuration of the whole mechanism turned about the axis by an angle."""
        every = np.arange(len(pose.system.builder.bodies))
        return turned(pose.q, pose.system.plane, every, self.point, self.axis, angle)


def turned(
    q: np.ndarray, plane: bool, bodies: np.ndarray, point: np.ndarray, axis: np.ndarray, angle: float
) -> np.ndarray:
    """Configuration with some bodies turned as one about an axis through a point."""
    c, s, linear = math.cos(angle), math.sin(angle), 2 if plane else 3
    turn = c * np.eye(3) + s * cross_matrix(axis) + (1 - c) * np.outer(axis, axis)
    whole = q.reshape(-1, 3 if plane else 7).copy()
    some = whole[bodies]
    some[:, :linear] = (some[:, :linear] - point[:linear]) @ turn[:linear, :linear].T + point[:linear]
    if plane:
        some[:, 2] += angle
    else:
        half, p = math.sin(0.5 * angle) * axis, some[:, 3:].copy()
        scalar = math.cos(0.5 * angle) * p[:, 0] - p[:, 1:] @ half
        vector = math.cos(0.5 * angle) * p[:, 1:] + p[:, :1] * half + np.cross(half, p[:, 1:])
        some[:, 3:] = np.column_stack([scalar, vector])
    whole[bodies] = some
    return whole.ravel()


def principal(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal values, smallest first, and directions of the symmetric part of a matrix."""
    if k.size == 1:
        return k[0].copy(), np.ones((1, 1))
    values, vectors = np.linalg.eigh(0.5 * (k + k.T))
    return values, vectors


def largest(k: np.ndarray) -> float:
    """Largest factor by which a matrix lengthens a vector (its 2-norm)."""
    return abs(float(k[0, 0])) if k.size == 1 else float(np.linalg.norm(k, 2)) if k.size else 0.0


class Statics:
    """Statics of a system around the configuration of a pose, which it moves.

    Parameters
    ----------
    pose
        Where to begin; its q changes with every motion made here.
    spin
        Steady turn, or None for rest.
    held
        Measures kept at their present values besides the constraints; they must be among the pose's measures.
    """

    def __init__(self, pose: Pose, spin: Spin | None = None, held: Sequence[Measure] = ()) -> None:
        self.pose, self.system, self.spin = pose, pose.system, spin
        builder, width = self.system.builder, self.system.builder.width
        n, self.n_rows, self.nv = len(builder.bodies), self.system.n_rows, self.system.nv
        numbering = self.system.numbering
        linear = 2 if self.system.plane else 3
        # rotations count as lengths on a circle of the model's length; particles do not turn
        self.size = np.tile([1.0] * linear + [self.system.length] * (width - linear), n)
        turning = np.tile([False] * linear + [True] * (width - linear), n)
        self.active = ~(turning & np.repeat([body.particle for body in builder.bodies], width))
        self.turning, self._all = turning & self.active, bool(self.active.all())
        free = [self.n_rows + builder.free_row(measure.name, measure) for measure in held]
        index = [*range(self.n_rows), *free]
        self.held_rows = np.array(free, dtype=int)
        units = [numbering.rows[r].unit for r in index]
        # conditions on velocities: they say how the configuration may move, not where it is
        self.on_rates = np.array([numbering.rows[r].rate_only for r in index], dtype=bool)
        self.scale = np.array([1.0 / self.system.length if unit == "m" else 1.0 for unit in units])
        self._scales = self.scale / self.size[:, None]
        # where the rows lie in the memory of the kernels
        slots = slots_of(self.system)
        some = [(k, s) for k, r in enumerate(index) for s in slots.of(r)]
        own = np.array([s for _, s in some], dtype=int)
        self._scaling = scale_blocks(self.system)
        self._places = (slots.place[own, None] + np.arange(width))[:, :, None]
        self._blocks = self._scaling[slots.body[own]]
        # rows with the first columns of the bodies that they touch
        self.touched = [(k, width * int(slots.body[s])) for k, s in some]
        first = np.array([row * self.nv + column for row, column in self.touched], dtype=int)
        self._flat = (first[:, None] + np.arange(width)).ravel()
        self._units = np.einsum("bii->bi", self._scaling).ravel()
        self._row_places, self._row_units = self._places.ravel(), self._units[self._flat % self.nv]
        self._offset = self.system.row_offsets
        self._called = any(law.law.function is not None for law in builder.laws)
        # whether laws may have corners: those with switches, and Python functions, which cannot be read
        self.one_sided = self._called or len(pose.work.side) > 0
        self.mass = np.zeros((self.nv, self.nv))
        for b, block in enumerate(mass_blocks(self.system)):
            self.mass[b * width : b * width + width, b * width : b * width + width] = block
        # parts of the memory that every evaluation reads
        work = pose.work
        self._loads, self._values, self._drives = work.acc[: self.nv], work.value[: self.n_rows], work.drive[0::3]
        self._reaches = self.size / self.system.length
        self.targets = np.zeros(len(free))
        self.evaluate()
        self.targets = self.pose.work.value[self.held_rows].copy()
        self.evaluate()

    # -- evaluation ------------------------------------------------------------------------------------------------------

    def evaluate(self, velocity: np.ndarray | None = None) -> None:
        """phi, J and Q at the present configuration, into `phi`, `jac`, `force`; Q for other velocities if they are given."""
        pose, work = self.pose, self.pose.work
        acceleration = None
        if velocity is not None:
            pose.v[:] = velocity
        elif self.spin is None:
            pose.v[:] = 0.0
        else:
            pose.v[:], acceleration = self.spin.motion(pose)
        if self._called:
            call_laws(self.system, work, pose.t, pose.q, pose.v)
        pose._operate(FORCES)
        # Q = G (G^-1 Q); G is diagonal in the plane
        plane = self.system.plane
        if plane:
            self.force = self._units * self._loads
        else:
            self.force = (self._scaling @ self._loads.reshape(len(self._scaling), -1, 1)).ravel()
        if acceleration is not None:
            self.force -= self.mass @ acceleration
        if not self._all:
            self.force[~self.active] = 0.0
        self.phi = self._values - self._offset - self._drives
        if len(self.held_rows):
            self.phi = np.concatenate([self.phi, work.value[self.held_rows] - self.targets])
        jac = np.zeros(len(self.scale) * self.nv)
        if plane:
            jac[self._flat] = self._row_units * work.F.take(self._row_places)
        elif len(self._places):
            jac[self._flat] = (self._blocks @ work.F[self._places]).ravel()
        self.jac = jac.reshape(len(self.scale), self.nv)

    def factor(self) -> None:
        """Singular values and vectors of the scaled Jacobian: rank, free motions, least solutions."""
        scaled = self.scale[:, None] * self.jac / self.size
        scaled = scaled if self._all else scaled[:, self.active]
        self._factored = factor(scaled, SEARCHED)
        self.rank = self._factored.rank

    @property
    def dof(self) -> int:
        """Free motions at the present configuration (after `factor`)."""
        return int(self.active.sum()) - self.rank

    def free_motions(self) -> np.ndarray:
        """Columns Z with J Z = 0, orthonormal where rotations count as arcs (after `factor`)."""
        z = np.zeros((self.nv, self.dof))
        z[self.active] = self._factored.null
        return z / self.size[:, None]

    def displacements(self) -> np.ndarray:
        """Columns Z with J Z = 0 for the rows on positions: the free motions, and what conditions on velocities forbid to go directly."""
        if not self.on_rates.any():
            return self.free_motions()
        scaled = (self.scale[:, None] * self.jac / self.size)[~self.on_rates][:, self.active]
        free = null_space(scaled, SEARCHED)
        z = np.zeros((self.nv, free.shape[1]))
        z[self.active] = free
        return z / self.size[:, None]

    def correction(self, phi: np.ndarray) -> np.ndarray:
        """Smallest displacement with J delta = -phi (after `factor`); for columns of phi in columns."""
        k, f = self.rank, self._factored
        x = f.vt[:k].T @ (((f.u[:, :k].T @ (-self.scale * phi.T).T).T / f.s[:k]).T)
        delta = np.zeros((self.nv, *phi.shape[1:]))
        delta[self.active] = x
        return (delta.T / self.size).T

    def multipliers(self, force: np.ndarray) -> np.ndarray:
        """Smallest multipliers with J^T lam = force, as far as rows can carry it (after `factor`)."""
        k, f = self.rank, self._factored
        x = f.u[:, :k] @ ((f.vt[:k] @ (force / self.size)[self.active]) / f.s[:k])
        return self.scale * x

    def accelerated(self, force: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Changes of a that balance those of the residuals M a + J^T lam - Q and J a - gamma, in columns (after `factor`)."""
        z, first = self.free_motions(), self.correction(second)
        return first - z @ np.linalg.solve(z.T @ self.mass @ z, z.T @ (force + self.mass @ first))

    # -- motion ----------------------------------------------------------------------------------------------------------

    def reach(self, delta: np.ndarray) -> float:
        """Largest motion of a displacement: lengths in model lengths, rotations in radians."""
        return float(np.abs(delta * self._reaches).max())

    def move(self, delta: np.ndarray) -> None:
        """Displace the configuration; angles in space keep their turns."""
        self.pose.q = self.pose.shifted(delta)

    def onto(self, tolerance: float = 1e-14, limit: int = 40) -> bool:
        """Bring the configuration onto all rows by the smallest displacements; whether that worked.

        The factor is kept while it serves: near the rows every step with it gains some digits.
        """
        before, current = math.inf, False
        for _ in range(limit):
            self.evaluate()
            residual = float(np.abs(self.scale * self.phi).max()) if len(self.phi) else 0.0
            if not math.isfinite(residual):
                return False
            if residual <= tolerance or (residual <= 1e-6 and residual > 0.5 * before and current):
                break
            if not current or residual > 0.1 * before:
                self.factor()
                current = True
            before = residual
            delta = self.correction(self.phi)
            self.move(delta * min(1.0, 0.5 / max(self.reach(delta), 1e-300)))
        else:
            return False
        self.factor()
        self.pose.follow()
        return residual <= 1e-6

    def across(self, direction: np.ndarray, tolerance: float, farthest: float) -> np.ndarray | None:
        """Bring the configuration of one free motion onto all rows across a direction; the free motion there, as long along it.

        Rows and direction make one square system,  [J; d^T] (delta, z) = [(-phi, 0); (0, 1)],  which takes half as long as singular values.
        None where it does not lead there (dependent rows, a position with more free motions): `retract` tells more.
        """
        from scipy.linalg.lapack import dgesv

        n = len(self.scale)
        if n + 1 != len(self.size) or not self._all:
            return None
        # columns of the matrix in rows, as LAPACK has them
        matrix, right = np.empty((n + 1, n + 1)), np.zeros((2, n + 1))
        border = self.size * direction
        matrix[:, n] = border / math.sqrt(float(border @ border))
        right[1, n] = 1.0
        for _ in range(8):
            self.evaluate()
            np.multiply(self.jac.T, self._scales, out=matrix[:, :n])
            np.multiply(self.phi, -self.scale, out=right[0, :n])
            *_, found, failed = dgesv(matrix.T, right.T)
            if failed:
                return None
            if max(right[0].max(), -right[0].min()) <= tolerance:
                if not np.abs(found[:, 1]).max() < 2.0:
                    return None
                self.pose.follow()
                return found[:, 1] / self.size
            delta = found[:, 0] / self.size
            if not self.reach(delta) < farthest:
                return None
            self.move(delta)
        return None

    def retract(self, delta: np.ndarray, tolerance: float = 1e-14) -> bool:
        """Displace and bring back onto the rows."""
        self.move(delta)
        return self.onto(tolerance)

    def largest_force(self) -> float:
        """Largest weight or force element [N], torques by the model's length: their sum may vanish where nothing else holds a body."""
        weight = np.linalg.norm(self.system.builder.gravity)
        found = [float(np.max(np.abs(self.force / self.size)[self.active], initial=0.0))]
        # the first entry of each block of M is the mass of a body
        found.append(float(weight * np.max(np.diag(self.mass)[:: self.system.builder.width], initial=0.0)))
        found += [float(x) for x in np.abs(self.pose.work.force[: len(self._arms)]) / self._arms]
        return max(x for x in found if math.isfinite(x))

    @cached_property
    def _arms(self) -> np.ndarray:
        """What makes forces of the effort of each law: 1, or the model's length for torques."""
        laws = [measure for part in self.system.model.parts("force") for measure, _ in part.elements()]
        return np.array([self.system.length if measure.unit.startswith("rad") else 1.0 for measure in laws])

    # -- stiffness -------------------------------------------------------------------------------------------------------

    def residual(self, lam: np.ndarray) -> np.ndarray:
        """J^T lam - Q at the present configuration (after `evaluate`)."""
        return self.jac.T @ lam - self.force

    @cached_property
    def _tangents(self) -> Tangents | None:
        """Exact derivatives; None for laws in Python and models whose derivatives would be long programs, which are left to differences."""
        made = tangents(self.system.numbering)
        return None if made.refused else made

    @property
    def exact(self) -> bool:
        """Whether derivatives are exact."""
        return self._tangents is not None

    def along(
        self, wanted: Sequence[str], v: np.ndarray, moves: Moves, given: Moves | None = None, **how: Any
    ) -> list[Slope]:
        """Derivatives here (after `evaluate`) along changes of q, v and z; see `slopes.along`."""
        return along(self, wanted, v, moves, given or {}, **how)

    def tangent(self, directions: np.ndarray, lam: np.ndarray, part: float | None = None, levels: int = 1) -> Slope:
        """d(J^T lam - Q)/d(delta) along displacements, in a steady turn with the force of its accelerations."""
        v, moves, by_a = np.zeros(self.nv), {"q": directions}, np.zeros_like(directions)
        if self.spin is not None:
            v, _ = self.spin.motion(self.pose)
            by_v, by_a = (x @ directions for x in self.spin.tangents(self.pose))
            moves["v"] = by_v
        (made,) = self.along(["force"], v, moves, {"lam": lam}, part=part, levels=levels)
        made.mean[:] += self.mass @ by_a
        made.mean[~self.active] = 0.0
        return made

    def bounded_stiffness(self, z: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, float]:
        """Reduced stiffness of free motions, and a bound of its error (2-norm): of rounding, of differences, of corners of laws.

        At a corner K is the mean of its two sides, and half their difference its error.  Of differences the step with the smallest bound is
        taken; at a corner both sides differ however small the step is.
        """
        made = self.tangent(z, lam, levels=3)
        if made.exact:
            terms = np.abs(self.jac.T) @ np.abs(lam) + np.abs(self.force)
            size = float(np.linalg.norm(np.abs(z.T) @ np.abs(made.mean)))
            size += float(np.linalg.norm(np.abs(z.T) @ terms)) / self.system.length
            return z.T @ made.mean, ROUNDED * size + largest(z.T @ made.half)
        best, error = np.zeros((z.shape[1], z.shape[1])), math.inf
        corners: list[float] = []
        for part in (STEP, *FINER):
            made = made if part == STEP else self.tangent(z, lam, part, 3)
            near, cut, corner = z.T @ made.mean, largest(z.T @ made.cut), largest(z.T @ made.half)
            rounding = 2.0 * float(np.linalg.norm(self._noise(z, lam, part))) / (part * self.system.length)
            size = largest(near)
            if not math.isfinite(size + cut + rounding):
                continue  # beyond the end of a law: closer
            corners.append(corner if corner > 2.0 * rounding else 0.0)
            agree = largest(near - best) <= 1e-4 * size
            if cut + rounding < error:
                best, error = near, cut + rounding
            if cut <= 1e-6 * size and (not self.one_sided or (len(corners) > 1 and agree)):
                break
            if rounding > cut and not self.one_sided:
                break
        if self.one_sided and len(corners) > 1 and corners[-1] > 0.3 * corners[-2]:
            error += corners[-1]
        return best, error

    def rounding(self, z: np.ndarray, lam: np.ndarray, parts: Sequence[float] = (STEP, 0.1)) -> np.ndarray:
        """Rounding of the reduced force next to here, along each free motion, with that of loads carried by the rows."""
        noise = np.array([self._noise(z, lam, part) for part in parts])
        largest: np.ndarray = np.max(np.where(np.isfinite(noise), noise, 0.0), axis=0)
        return largest + 1e-14 * float(np.max(np.abs(self.force / self.size), initial=0.0))

    def damping(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Reduced damping -Z^T dQ/dv Z of free motions at rest, and a bound of its error."""
        (made,) = self.along(["force"], np.zeros(self.nv), {"v": z})
        if made.exact:
            error = ROUNDED * float(np.linalg.norm(np.abs(z.T) @ np.abs(made.mean)))
        else:
            error = (
                100.0 * EPS * float(np.max(np.abs(self.force / self.size), initial=0.0)) / (SPEED * self.system.length)
            )
            error += 1e-6 * largest(z.T @ made.mean)
        return z.T @ made.mean, error + largest(z.T @ made.half)

    def _noise(self, z: np.ndarray, lam: np.ndarray, part: float) -> np.ndarray:
        """Rounding of the reduced force beside here: third differences over next to nothing, and the last digits of its terms."""
        start = self.pose.q
        beside = z @ np.cos(np.arange(z.shape[1]))
        beside /= max(self.reach(beside), 1e-300)
        largest, tiny = np.zeros(z.shape[1]), max(1e-4 * part, 1e-12)
        for gap in (tiny, 2.7 * tiny):
            values = []
            for k in range(4):
                self.pose.q = start
                self.pose.q = self.pose.shifted((part + k * gap) * beside)
                self.evaluate()
                values.append(z.T @ self.residual(lam))
            third = values[3] - 3.0 * values[2] + 3.0 * values[1] - values[0]
            largest = np.maximum(largest, np.abs(third))
        self.pose.q = start
        self.evaluate()
        # the terms J^T lam and Q that cancel
        terms = np.abs(self.jac.T) @ np.abs(lam) + np.abs(self.force)
        made: np.ndarray = largest + 4.0 * EPS * (np.abs(z.T) @ terms)
        return made
