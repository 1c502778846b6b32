"""Furuta pendulum: an arm turns about the vertical and carries a pendulum that swings across it."""

import math

import numpy as np

import dalembert as da

arm_length, rod_length, arm_mass, rod_mass, g = 0.25, 0.40, 0.30, 0.15, 9.81

m = da.Mechanism("Furuta pendulum", plane=False, gravity=(0, 0, -g))
arm = m.body("arm", da.cylinder(0.01, arm_length, axis="x", mass=arm_mass), at=(arm_length / 2, 0, 0))
rod = m.body("rod", da.cylinder(0.006, rod_length, axis="z", mass=rod_mass), at=(arm_length, 0, -rod_length / 2))
m.revolute("motor", m.ground, arm, at=arm.start, axis="z")
m.revolute("hinge", arm, rod, at=arm.end, axis="x")
# let go from 150 degrees, with the arm turning
m.start("hinge.angle", math.radians(150), rate=0.0)
m.start("motor.angle", 0.0, rate=2.0)

run = da.simulate(m, until=5.0, output=0.01, rtol=1e-10, atol=1e-12)

# Lagrange's equations in the angle phi of the arm and theta of the rod, from hanging down.  J is that of the rod about its
# hinge, across and along it; K that of the arm about the motor.
J, Jx = rod_mass * (3 * 0.006**2 + 4 * rod_length**2) / 12, rod_mass * 0.006**2 / 2
K = arm_mass * (3 * 0.01**2 + 4 * arm_length**2) / 12
static = rod_mass * rod_length / 2  # first moment of the rod
phi, theta = run["motor.angle"], run["hinge.angle"]
s, c = np.sin(theta), np.cos(theta)
inertia = K + rod_mass * arm_length**2 + J * s**2 + Jx * c**2
coupling = static * arm_length * c
right = np.array(
    [
        static * arm_length * s * theta.rate**2 - 2 * (J - Jx) * s * c * phi.rate * theta.rate,
        (J - Jx) * s * c * phi.rate**2 - static * g * s,
    ]
)
determinant = inertia * J - coupling**2
turn = (J * right[0] - coupling * right[1]) / determinant
swing = (inertia * right[1] - coupling * right[0]) / determinant
assert np.allclose(run["arm"].spin_rate[:, 2], turn, atol=1e-9 * abs(turn).max())
along = run["arm"].rotation[:, :, 0]  # the hinge lies along the arm
assert np.allclose(np.einsum("tj,tj->t", run["rod"].spin_rate, along), swing, atol=1e-9 * abs(swing).max())
# nothing turns the arm about the vertical, so that momentum stays
momentum = inertia * phi.rate + coupling * theta.rate
assert np.ptp(momentum) < 1e-9

if __name__ == "__main__":
    print(f"momentum about the vertical: {momentum[0]:.6f} kg m²/s throughout")
    print(f"the arm turns at {min(phi.rate):.2f} to {max(phi.rate):.2f} rad/s: the pendulum pulls it along")
    print(run.audit)
    run.draw("out/furuta_pendulum.png", traces=["rod"], view=(-55, 25))
