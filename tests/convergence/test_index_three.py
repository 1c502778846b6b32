"""Generalized-alpha on the equations of index 3, as M. Arnold and O. Bruels (2007) write it, as a slow twin of ours: accelerations solve the constraints, and states are projected.

The twin has constraints at the level of positions and multipliers as unknowns, and equations of its own in plain numpy:

    M a1 + J1^T lam1 = Q1,   Phi(q1) = 0,   (1 - am) a~1 + am a~0 = (1 - af) a1 + af a0
    q1 = q0 exp(h v0 + h^2 ((1/2 - b) a~0 + b a~1)),   v1 = v0 + h ((1 - g) a~0 + g a~1)

Both are of order 2, for positions, velocities and reactions, and come to the same motion.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da

from .test_order_implicit import LOOSE, first, slope  # noqa: F401  (Newton's method that leaves nothing)

RHO = 0.8
AM, AF = (2 * RHO - 1) / (RHO + 1), RHO / (RHO + 1)
G = 0.5 + AF - AM
B = 0.25 * (1 + AF - AM) ** 2
UNTIL = 0.5


def twin(system, q, v, h):
    """(v, lam, residual of J v) at the end of equal steps."""
    a, lam = system.saddle(q, v)
    shifted = a
    for _ in range(round(UNTIL / h)):
        new, before = a.copy(), shifted
        for _ in range(50):
            shifted = ((1 - AF) * new + AF * a - AM * before) / (1 - AM)
            q1 = system.moved(q, h * v + h * h * ((0.5 - B) * before + B * shifted))
            v1 = v + h * ((1 - G) * before + G * shifted)
            jac, scale = system.jac(q1), h * h * B * (1 - AF) / (1 - AM)
            balance = system.mass @ new + jac.T @ lam - system.force(q1, v1)
            rest = np.concatenate([balance, system.phi(q1) / scale])
            zero = np.zeros((len(lam), len(lam)))
            change = np.linalg.solve(np.block([[system.mass, jac.T], [jac, zero]]), -rest)
            new, lam = new + change[: len(v)], lam + change[len(v) :]
            # rounding of positions over the square of a step is 1e-10
            if np.abs(change).max() < 1e-9 * (1 + np.abs(lam).max()):
                break
        else:
            raise AssertionError("the twin did not converge")
        q, v, a = q1, v1, new
    return v, lam, np.abs(system.jac(q) @ v).max()


class Twin:
    """Accelerations and multipliers at a consistent start: J a = -J' v, by a difference along the motion."""

    def saddle(self, q, v):
        jac, e = self.jac(q), 1e-6
        rate = (self.jac(self.moved(q, e * v)) - self.jac(self.moved(q, -e * v))) @ v / (2 * e)
        zero = np.zeros((len(jac), len(jac)))
        found = np.linalg.solve(np.block([[self.mass, jac.T], [jac, zero]]), np.concatenate([self.force(q, v), -rate]))
        return found[: len(v)], found[len(v) :]


class SliderCrank(Twin):
    """Crank, rod and piston by (x, y, angle) each; pins O, A, B and the bore."""

    mass = np.diag([1.0, 1.0, 0.2**2 / 12, 2.0, 2.0, 2 * 0.6**2 / 12, 0.5, 0.5, 1e-3])
    start = np.array([0.1, 0, 0, 0.5, 0, 0, 0.8, 0, 0]), np.zeros(9)
    # (sign, body, distance along it) of the two points of a pin
    pins = (((1, 0, -0.1),), ((1, 0, 0.1), (-1, 1, -0.3)), ((1, 1, 0.3), (-1, 2, 0.0)))

    def __init__(self):
        # 10 rad/s of the crank: the rod turns by -10/3 rad/s, its end is at rest
        self.start[1][:] = [0, 1, 10, 0, 1, -10 / 3, 0, 0, 0]

    def moved(self, q, u):
        return q + u

    def force(self, q, v):
        return self.mass @ np.tile([0, -9.81, 0], 3)

    def phi(self, q):
        at = [
            sum(
                k * (q[3 * b : 3 * b + 2] + s * np.array([np.cos(q[3 * b + 2]), np.sin(q[3 * b + 2])]))
                for k, b, s in pin
            )
            for pin in self.pins
        ]
        return np.concatenate([*at, q[7:]])

    def jac(self, q):
        found = np.zeros((8, 9))
        for n, pin in enumerate(self.pins):
            for k, b, s in pin:
                found[2 * n : 2 * n + 2, 3 * b : 3 * b + 2] = k * np.eye(2)
                found[2 * n : 2 * n + 2, 3 * b + 2] = k * s * np.array([-np.sin(q[3 * b + 2]), np.cos(q[3 * b + 2])])
        found[6, 7] = found[7, 8] = 1.0
        return found

    def model(self):
        m = da.Mechanism("slider-crank", gravity=(0, -9.81))
        crank = m.body("crank", mass=1.0, inertia=0.2**2 / 12, at=(0.1, 0))
        rod = m.body("rod", mass=2.0, inertia=2 * 0.6**2 / 12, at=(0.5, 0))
        piston = m.body("piston", mass=0.5, inertia=1e-3, at=(0.8, 0))
        m.revolute("O", m.ground, crank, at=(0, 0))
        m.revolute("A", crank, rod, at=(0.2, 0))
        m.revolute("B", rod, piston, at=(0.8, 0))
        m.prismatic("bore", m.ground, piston, at=(0.8, 0), along=(1, 0))
        m.start(m["O"].angle, rate=10.0)
        return m

    def reaction(self, lam):
        """Force of pin A on the rod, -J^T lam."""
        return lam[2:4]

    name = "A"


class Top(Twin):
    """A heavy top: (position of the mass centre, rotation), velocities (of it, turning in axes of the body), a pin at the origin."""

    arm, inertia = np.array([0.0, 0.4, 0.0]), np.array([0.02, 0.05, 0.03])
    mass = np.diag([2.0, 2.0, 2.0, *inertia])
    name = "O"

    def __init__(self):
        spin = np.array([0.5, 12.0, -1.0])
        self.start = (self.arm, Rotation.identity()), np.concatenate([np.cross(spin, self.arm), spin])

    def moved(self, q, u):
        return q[0] + u[:3], q[1] * Rotation.from_rotvec(u[3:])

    def force(self, q, v):
        return np.concatenate([[0, 0, -2 * 9.81], -np.cross(v[3:], self.inertia * v[3:])])

    def phi(self, q):
        return q[0] - q[1].apply(self.arm)

    def jac(self, q):
        x, y, z = self.arm
        return np.hstack([np.eye(3), q[1].as_matrix() @ np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])])

    def model(self):
        m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
        body = m.body("top", mass=2.0, inertia=tuple(self.inertia), at=tuple(self.arm), spin=tuple(self.start[1][3:]))
        m.spherical("O", m.ground, body, at=(0, 0, 0))
        return m

    def reaction(self, lam):
        """Force of the pin on the top."""
        return -lam


@pytest.mark.parametrize("system", [SliderCrank(), Top()], ids=["slider-crank", "top"])
def test_order_and_reactions_of_both(system, first):  # noqa: F811
    exact = da.simulate(system.model(), until=UNTIL, rtol=1e-13, atol=1e-14, method=8, output=[UNTIL])
    force = exact[system.name].force[-1]
    steps, ours, its = UNTIL / np.array([400, 560, 800]), [], []
    for h in steps:
        first.append(h)
        run = da.simulate(
            system.model(),
            until=UNTIL,
            max_step=h * (1 + 1e-12),
            method="generalized_alpha",
            rho_inf=RHO,
            output=[UNTIL],
            **LOOSE,
        )
        assert run.audit.rejected == 0
        ours.append([np.abs(run.v[-1] - exact.v[-1]).max(), np.abs(run[system.name].force[-1] - force).max()])
        v, lam, off = twin(system, *system.start, h)
        its.append([np.abs(v - exact.v[-1]).max(), np.abs(system.reaction(lam) - force).max()])
        # projected to round-off; of the twin only positions are on the constraints
        assert run.audit.velocity < 1e-11 < off
    for errors in (ours, its):
        for column in np.transpose(errors):
            assert slope(steps, column) == pytest.approx(2, abs=0.35)
    # neither is ten times as exact as the other
    assert np.all(np.array(ours) < 10 * np.array(its)) and np.all(np.array(its) < 10 * np.array(ours))
