"""Small motions of a mechanism: its accelerations, and the axes that turn with a steady motion."""

from __future__ import annotations

import math

import numpy as np

from ...errors import DalembertError, ModelError, SingularError
from ...model.reading import about_axis, cross_matrix, quaternion_matrix
from ...results.guard import Guard
from ..pose.pose import Pose
from ..rest.bodies import Bodies
from .friction import Smooth
from .linearization import Basis, Linearizer, Reduced


class OfBodies(Linearizer):
    """A mechanism at a state."""

    statics: Bodies

    def __init__(self, made: Smooth, asked: str) -> None:
        pose, self.felt, self.again = made.here, made.felt, made.again
        self.asked, self.system = asked, pose.system
        self.t, self.q, self.v = pose.t, pose.q.copy(), pose.v.copy()
        self.angles = pose.work.angle.copy()
        self.z = pose.work.state.copy()  # auxiliary states
        geometry = Pose(pose.system, pose.t, pose.q, None, self.angles)
        geometry.work.state[:] = self.z
        geometry.follow()
        self.statics = Bodies(geometry)
        self.statics.factor()
        if self.statics.dof == 0:
            rows, columns = self.statics.rank, int(self.statics.active.sum())
            raise ModelError(
                asked,
                f"nothing can move: {rows} independent rows for {columns} velocities",
                "there are no small motions to describe",
                "free a driver or joint",
            )
        self.refuse_singular(self.statics.dof)
        self.weight = self.statics.size**2
        masses = np.linalg.eigvalsh(self._reduced_mass())
        if masses[0] <= 1e-14 * masses[-1]:
            raise SingularError(
                asked,
                f"the smallest reduced mass is {float(masses[0]):.3g} kg, the largest {float(masses[-1]):.3g} kg",
                "some motion is without inertia in this state",
                "give all bodies mass and inertia",
            )
        self.statics.evaluate(self.v)
        if not np.isfinite(self.statics.force).all():
            raise SingularError(
                asked,
                "forces without a finite value",
                "a law is not defined in this state",
                "check the laws, or take another state",
            )
        self._guard = Guard(self.system, geometry.work)
        self._solved: list[tuple[float, float, np.ndarray, np.ndarray, np.ndarray]] = []
        self.a = self.acceleration(self.q, self.v)[1]

    def acceleration(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocity brought onto the rows at q, and the acceleration there."""
        s, n = self.statics, self.system.n_rows
        s.pose.q = q.copy()
        s.evaluate(v)
        s.factor()
        work = s.pose.work
        v = v + s.correction(s.jac @ v - (work.drive[1::3] - work.partial[:n]))
        s.evaluate(v)
        a, lam = s.solve(s.force, work.drive[2::3] - work.bias[:n])
        off = float(np.max(np.abs(s.scale * s.phi), initial=0.0, where=~s.on_rates))
        found = self._guard.twin(s.pose.t, s.pose.q, v, a, lam).copy()
        self._solved.append((s.pose.t, off, v, a, found))
        return v, a

    def check(self) -> None:
        """Refuse derivatives of accelerations of which one does not satisfy the equations of motion."""
        t, off, v, a, found = (np.array(x) for x in zip(*self._solved))
        # rows that contradict each other by some part are all served a little by least squares, and off by some times that part
        self._guard.judge(t, v, a, found, blur=10.0 * off[:, None]).refuse(self.asked)

    # -- axes ------------------------------------------------------------------------------------------------------------

    def axes(self, q: np.ndarray) -> np.ndarray:
        """B: rotations from body axes to space axes, for all bodies."""
        if self.system.plane:
            return np.eye(self.system.nv)
        n = len(self.system.builder.bodies)
        b = np.eye(6 * n)
        for k in range(n):
            b[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = quaternion_matrix(q[7 * k + 3 : 7 * k + 7])
        return b

    def turning(self) -> tuple[np.ndarray, float]:
        """Smallest rate Omega with a = Omega x v for all bodies, in space axes, and what is left of a, relative."""
        b = self.axes(self.q)
        v, a = b @ self.v, b @ self.a
        size = self.statics.size
        if self.system.plane:
            x = v.reshape(-1, 3)
            across = np.column_stack([-x[:, 1], x[:, 0], np.zeros(len(x))]).ravel()
            square = float(across @ across)
            rate = float(across @ a) / square if square > 0.0 else 0.0
            left = a - rate * across
            omega = np.array([0.0, 0.0, rate])
        else:
            rows = np.vstack([-cross_matrix(x) for x in v.reshape(-1, 3)]) * size[:, None]
            omega = np.linalg.lstsq(rows, a * size, rcond=1e-9)[0]
            left = a - np.ravel([np.cross(omega, x) for x in v.reshape(-1, 3)])
        # compared with the accelerations that forces give, and those of the motion itself
        speed = float(np.max(np.abs(v * size), initial=0.0))
        light = float(np.min(np.linalg.eigvalsh(self._reduced_mass())))
        scale = max(speed**2 / self.system.length, self.statics.largest_force() / max(light, 1e-300), 1e-300)
        return omega, float(np.max(np.abs(left * size), initial=0.0)) / scale

    def axes_at(self, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """B^T O B and B^T S B: rate x on every vector of every body, and omega x on rotations, which a plane does not turn."""
        b, nv = self.axes(self.q), self.system.nv
        spin, v = np.zeros((nv, nv)), b @ self.v
        for o in () if self.system.plane else range(3, nv, 6):
            spin[o : o + 3, o : o + 3] = cross_matrix(v[o : o + 3])
        return b.T @ np.kron(np.eye(nv // 3), cross_matrix(rate)) @ b, b.T @ spin @ b

    def _reduced_mass(self) -> np.ndarray:
        z = self.statics.free_motions()
        return z.T @ self.statics.mass @ z

    # -- matrices --------------------------------------------------------------------------------------------------------

    def inverses(self, z_q: np.ndarray, z: np.ndarray) -> Basis:
        """Least squares, where rotations count as arcs."""
        first, second = (np.linalg.solve(x.T @ (self.weight[:, None] * x), x.T * self.weight) for x in (z_q, z))
        return first, second

    def loads(self, z_q: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Work of the forces if they turned with the motion."""
        return np.outer(self._work_at_most(z), [self.statics.reach(column) for column in z_q.T])

    def here(self) -> dict[str, np.ndarray]:
        """Go to the state itself; its multipliers and accelerations."""
        s = self.statics
        s.pose.q = self.q.copy()
        s.pose.work.angle[:], s.pose.work.state[:] = self.angles, self.z
        s.evaluate(self.v)
        s.factor()
        return {"lam": s.multipliers(s.force - s.mass @ self.a), "a": self.a}

    def _work_at_most(self, z: np.ndarray) -> np.ndarray:
        """Work of the forces along each motion if they all pointed along it: they may turn, and reactions are as large."""
        width, linear = self.system.builder.width, 2 if self.system.plane else 3
        force = np.where(self.statics.active, self.statics.force, 0.0).reshape(-1, width)
        motion = z.reshape(-1, width, z.shape[1])
        parts = slice(0, linear), slice(linear, width)
        return sum(np.linalg.norm(force[:, p], axis=1) @ np.linalg.norm(motion[:, p], axis=1) for p in parts)

    def is_steady(self, rate: np.ndarray, here: Reduced) -> bool:
        """Whether M, C, K stay what they are along the motion, in axes that turn at the rate."""
        speed = float(np.max(np.abs(self.v * self.statics.size))) / self.system.length
        if speed == 0.0:
            return True
        try:
            later, dt = self._later(0.7 / speed)
        except DalembertError:
            if self.again is None:
                raise
            return False  # friction has no motion there, or presses no more
        if len(later.felt) != len(self.felt):
            return False
        angle = float(np.linalg.norm(rate * dt))
        turned = about_axis(rate * dt / angle, angle) if angle else np.eye(3)
        moved = later.axes(later.q).T @ np.kron(np.eye(self.system.nv // 3), turned) @ self.axes(self.q)
        z_q, z = moved @ here.motions, moved @ here.speeds
        later.statics.evaluate()
        rows = later.statics.scale[:, None] * later.statics.jac * self.system.length
        broken = max(
            float(np.max(np.abs(part), initial=0.0)) for part in (rows @ z, rows[~later.statics.on_rates] @ z_q)
        )
        if broken > 1e-5:
            return False
        there = later.reduced(rate, (z_q, z))
        # each compared with what it is beside the others and the speed of the motion
        mass, damping, stiffness = (
            float(np.max(np.abs(x), initial=0.0)) for x in (here.mass, here.damping, here.stiffness)
        )
        compared = [
            (here.mass - there.mass, mass),
            (here.damping - there.damping, max(damping, mass * speed, math.sqrt(mass * stiffness))),
            (here.stiffness - there.stiffness, max(stiffness, mass * speed**2)),
        ]
        # friction goes on with what presses now: only a load that stays does that
        compared += [(np.array(x.size - y.size), x.size) for x, y in zip(self.felt, later.felt)]
        if here.coupling is not None:
            compared.append((here.drift - there.drift, max(float(np.max(np.abs(here.drift), initial=0.0)), speed)))
        return all(float(np.max(np.abs(change), initial=0.0)) <= 1e-5 * size for change, size in compared)

    def _finite(self, delta: np.ndarray) -> np.ndarray:
        """Displacement that turns bodies in space by exactly the angles given: `move` takes 2 tan of half the angle."""
        if self.system.plane:
            return delta
        made = delta.copy().reshape(-1, 6)
        half = 0.5 * np.linalg.norm(made[:, 3:], axis=1, keepdims=True)
        made[:, 3:] *= np.where(half > 1e-12, np.tan(half) / np.where(half > 1e-12, half, 1.0), 1.0)
        return made.ravel()

    def _later(self, dt: float) -> tuple[OfBodies, float]:
        """The same mechanism a little later on its motion (classical Runge–Kutta steps)."""
        pose = Pose(self.system, self.t, self.q, self.v, self.angles)
        pose.work.state[:] = self.z
        steps = 100
        h = dt / steps

        def rates(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            self.statics.pose.t = t
            return self.acceleration(q, v)[1]

        for _ in range(steps):
            t, q, v = pose.t, pose.q.copy(), pose.v.copy()

            def moved(delta: np.ndarray, q: np.ndarray = q) -> np.ndarray:
                pose.q = q
                return pose.shifted(self._finite(delta))

            a1 = rates(t, q, v)
            a2 = rates(t + h / 2, moved(h / 2 * v), v + h / 2 * a1)
            a3 = rates(t + h / 2, moved(h / 2 * (v + h / 2 * a1)), v + h / 2 * a2)
            a4 = rates(t + h, moved(h * (v + h / 2 * a2)), v + h * a3)
            pose.q = moved(h * v + h * h / 6 * (a1 + a2 + a3))
            pose.v, pose.t = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), t + h
            pose.onto()
            pose.velocity_onto()
            pose.follow()
        self.statics.pose.t = self.t
        return OfBodies(Smooth(pose) if self.again is None else self.again(pose), self.asked), steps * h
