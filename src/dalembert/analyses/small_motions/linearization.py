"""Reduced equations for small motions about a state, M y'' + C y' + K y = 0, from derivatives of the accelerations.

A motion near the base motion is displaced from it by delta (like a velocity) and its velocity differs by dv.  On the constraints

    delta = Z y,    dv = P y + Z w,    J Z = 0,    P: how consistent velocities change along Z

Both are expressed in axes that turn with the angular velocity Omega, with rotations as vectors in those axes.  A steady motion
(at rest, turning as a whole, a spinning top) has constant coefficients there.  With B from body axes to space axes for rotations,
O = (Omega x) on every vector and S = (omega x) on the angular velocities of the bodies

    y' = w + G y                                        G   = Z^+ (P - B^T O B Z)
    w' = A21 y + A22 w                                  A21 = Z^+ (da/dy + B^T (S - O) B P - P G)
                                                        A22 = Z^+ (da/dw + B^T (S - O) B Z - P)

and so y'' = (A21 - A22 G) y + (A22 + G) y'.

Conditions on velocities only (rolling) leave more displacements than velocities: delta = Z_q y with the rows on positions, J_q Z_q = 0,
and dv = P y + Z w as before.  Then with S = Z_q^+ Z

    y' = S w + G y                                      G   = Z_q^+ (P - B^T O B Z_q)
    w' = A21 y + A22 w                                  A21 as above, A22 = Z^+ (da/dw + B^T (S_omega - O) B Z - P S)

and the equations stay of first order in y.

P and da/dy, da/dw are exact, with the residuals R = J^T lam - Q at fixed lam, W = J v - nu, E = J a - gamma at fixed a:

    J P = -dW/dq Z,      M da + J^T dlam = -(dR/dq Z + dR/dv P),      J da = -(dE/dq Z + dE/dv P)

Where there are no derivatives (`rest/slopes.py`: laws in Python, large models) they are differences of these residuals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...errors import ModelError, SingularError
from ...model.reading import cross_matrix, quaternion_matrix
from ...results.guard import Guard
from ..pose.pose import Pose
from ..rest.bodies import Bodies
from ..rest.problem import singular

# a state counts as steady if what is left of its accelerations, and the change of M, C, K along its motion, are below this
STEADY = 1e-6
# ratio of stiffnesses of different motions from which on these are separated
UNEVEN = 1e4


@dataclass(frozen=True)
class Reduced:
    """Free motions and reduced matrices at one state."""

    motions: np.ndarray  # displacements Z_q; the same as the speeds without conditions on velocities
    speeds: np.ndarray  # Z
    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    drift: np.ndarray  # G above
    coupling: np.ndarray | None  # S above; None without conditions on velocities
    carried: np.ndarray  # P above
    stiffness_error: np.ndarray  # bounds of what rounding and differences leave in the stiffness
    damping_error: np.ndarray
    loads: np.ndarray  # bounds of the stiffness that the forces in this state would have over one length of the model
    accuracy: float  # relative error of the derivatives


class Linearizer:
    """A mechanism at a state; computes its reduced matrices there in axes that turn at a given rate."""

    def __init__(self, pose: Pose, asked: str) -> None:
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
        if singular(self.statics):
            raise SingularError(
                asked,
                f"a singular position: {self.statics.dof} free motions here, fewer nearby",
                "the free motions change their number here, so that no linear equations describe them",
                "take a state away from the singular position",
            )
        self.weight = self.statics.size**2
        masses = np.linalg.eigvalsh(self._reduced_mass())
        if masses[0] <= 1e-14 * masses[-1]:
            raise SingularError(
                asked,
                f"the smallest reduced mass is {float(masses[0]):.3g} kg, the largest {float(masses[-1]):.3g} kg",
                "some motion is without inertia in this state",
                "give all bodies mass and inertia",
            )
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
        """Velocity brought onto the rows at q, and the acceleration there.

        From the free motions, a = a0 + Z (Z^T M Z)^-1 Z^T (Q - M a0) with J a0 = gamma: accurate also for very light bodies.
        """
        s, n = self.statics, self.system.n_rows
        s.pose.q = q.copy()
        s.evaluate(v)
        s.factor()
        work = s.pose.work
        v = v + s.correction(s.jac @ v - (work.drive[1::3] - work.partial[:n]))
        s.evaluate(v)
        a0 = s.correction(work.bias[:n] - work.drive[2::3])
        z = s.free_motions()
        a = a0 + z @ np.linalg.solve(z.T @ s.mass @ z, z.T @ (s.force - s.mass @ a0))
        off = float(np.max(np.abs(s.scale * s.phi), initial=0.0, where=~s.on_rates))
        found = self._guard.twin(s.pose.t, s.pose.q, v, a, s.multipliers(s.force - s.mass @ a)).copy()
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

    def crossing(self, rate: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        """O: rate x on every vector of every body; with velocities (in space axes): S, omega x on rotations only."""
        n, width = len(self.system.builder.bodies), self.system.builder.width
        made = np.zeros((self.system.nv, self.system.nv))
        for k in range(n):
            if self.system.plane:
                if v is None:
                    made[3 * k : 3 * k + 2, 3 * k : 3 * k + 2] = [[0.0, -rate[2]], [rate[2], 0.0]]
                continue
            o = width * k
            if v is None:
                made[o : o + 3, o : o + 3] = cross_matrix(rate)
            made[o + 3 : o + 6, o + 3 : o + 6] = cross_matrix(rate if v is None else v[o + 3 : o + 6])
        return made

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

    def _reduced_mass(self) -> np.ndarray:
        z = self.statics.free_motions()
        return z.T @ self.statics.mass @ z

    # -- matrices --------------------------------------------------------------------------------------------------------

    def reduced(self, rate: np.ndarray, basis: tuple[np.ndarray, np.ndarray] | None = None) -> Reduced:
        """Reduced matrices in axes that turn at the rate; basis: displacements and speeds to use.

        Default: orthonormal ones, turned to the principal directions of the stiffness where it is very uneven: a soft motion that is
        mixed from stiff ones would be the small difference of large numbers.
        """
        made = self._reduced(rate, basis)
        if basis is None and made.coupling is None and np.isfinite(made.stiffness).all():
            values, turned = np.linalg.eigh(0.5 * (made.stiffness + made.stiffness.T))
            if np.max(np.abs(values)) > UNEVEN * np.min(np.abs(values)):
                z = made.motions @ turned
                made = self._reduced(rate, (z, z))
        return made

    def _reduced(self, rate: np.ndarray, basis: tuple[np.ndarray, np.ndarray] | None) -> Reduced:
        s = self.statics
        if basis is None:
            s.pose.q = self.q.copy()
            s.evaluate()
            s.factor()
            basis = s.displacements(), s.free_motions()
        z_q, z = basis
        loads = np.outer(self._work_at_most(z), [s.reach(column) for column in z_q.T])
        p, by_y, by_w, accuracy = self._derivatives(z_q, z)
        b = self.axes(self.q)
        turn = b.T @ self.crossing(rate) @ b
        spin = b.T @ self.crossing(rate, b @ self.v) @ b
        inverse, inverse_q = (np.linalg.solve(x.T @ (self.weight[:, None] * x), x.T * self.weight) for x in (z, z_q))
        drift = inverse_q @ (p - turn @ z_q)
        coupling = inverse_q @ z
        a21 = inverse @ (by_y + (spin - turn) @ p - p @ drift)
        a22 = inverse @ (by_w + (spin - turn) @ z - p @ coupling)
        mass = z.T @ s.mass @ z
        # bounds coordinate by coordinate: a stiff spring blurs the motions of the bodies that it acts on, in all directions, no others
        weight = np.abs(mass) @ np.abs(inverse)
        by_position = (
            np.linalg.norm(by_y, axis=1)[:, None] + np.abs(spin - turn) @ np.abs(p) + np.abs(p) @ np.abs(drift)
        )
        by_rate = np.abs(by_w) + np.abs(spin - turn) @ np.abs(z) + np.abs(p) @ np.abs(coupling)
        # forces that balance each other leave their rounding
        stiffness_error = weight @ by_position + loads
        if s.on_rates.any():
            damping_error = weight @ by_rate
            matrices = (mass, -mass @ a22, -mass @ a21)
        else:
            damping_error = weight @ (by_rate + np.abs(p) + np.abs(turn) @ np.abs(z))
            stiffness_error += np.abs(mass @ a22) @ np.abs(drift)
            matrices = (mass, -mass @ (a22 + drift), -mass @ (a21 - a22 @ drift))
        held = coupling if s.on_rates.any() else None
        bounds = accuracy * stiffness_error, accuracy * damping_error
        return Reduced(z_q, z, *matrices, drift, held, p, *bounds, loads, accuracy)

    def put(self, z: np.ndarray) -> None:
        """Counted angles of this state, and other auxiliary states."""
        self.statics.pose.work.angle[:], self.statics.pose.work.state[:] = self.angles, z

    def here(self) -> dict[str, np.ndarray]:
        """Go to the state itself; its multipliers and accelerations."""
        s = self.statics
        s.pose.q = self.q.copy()
        self.put(self.z)
        s.evaluate(self.v)
        s.factor()
        return {"lam": s.multipliers(s.force - s.mass @ self.a), "a": self.a}

    def _derivatives(self, z_q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """P, da/dy and da/dw, from the equations of this file, and their accuracy."""
        s, n, given = self.statics, self.system.n_rows, self.here()
        (rate,) = s.along(["rate"], self.v, {"q": z_q}, given)
        p = s.correction(rate.mean[:n])
        # along y, then along w
        moves = {"q": np.hstack([z_q, 0.0 * z]), "v": np.hstack([p, z])}
        force, second = s.along(["force", "second"], self.v, moves, given)
        a = s.solve(-force.mean, -second.mean[:n])[0]
        accuracy = max(slope.accuracy for slope in (rate, force, second))
        return p, a[:, : z_q.shape[1]], a[:, z_q.shape[1] :], accuracy

    def _work_at_most(self, z: np.ndarray) -> np.ndarray:
        """Work of the forces along each motion if they all pointed along it: they may turn, and reactions are as large."""
        width, linear = self.system.builder.width, 2 if self.system.plane else 3
        force = np.where(self.statics.active, self.statics.force, 0.0).reshape(-1, width)
        motion = z.reshape(-1, width, z.shape[1])
        parts = slice(0, linear), slice(linear, width)
        return sum(np.linalg.norm(force[:, p], axis=1) @ np.linalg.norm(motion[:, p], axis=1) for p in parts)  # type: ignore[return-value]

    def is_steady(self, rate: np.ndarray, here: Reduced) -> bool:
        """Whether M, C, K stay what they are along the motion, in axes that turn at the rate."""
        speed = float(np.max(np.abs(self.v * self.statics.size))) / self.system.length
        if speed == 0.0:
            return True
        later, dt = self._later(0.7 / speed)
        turned = _turn(rate * dt)
        n = len(self.system.builder.bodies)
        full = np.eye(self.system.nv)
        for k in range(n):
            if self.system.plane:
                full[3 * k : 3 * k + 2, 3 * k : 3 * k + 2] = turned[:2, :2]
            else:
                for o in (6 * k, 6 * k + 3):
                    full[o : o + 3, o : o + 3] = turned
        moved = later.axes(later.q).T @ full @ self.axes(self.q)
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

    def _later(self, dt: float) -> tuple[Linearizer, float]:
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
        return Linearizer(pose, self.asked), steps * h


def _turn(angle: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    size = float(np.linalg.norm(angle))
    if size == 0.0:
        return np.eye(3)
    k = cross_matrix(angle / size)
    return np.eye(3) + math.sin(size) * k + (1.0 - math.cos(size)) * (k @ k)
