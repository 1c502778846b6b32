"""Delta robot: three motors on the frame move a small plate that always stays level."""

import math

import numpy as np

import dalembert as da

frame, plate, upper, lower, g = 0.20, 0.06, 0.30, 0.70, 9.81  # radii of motors and plate, arm and rods [m]
wide = 0.04  # half the distance of the two rods of an arm
arm_mass, plate_mass = 0.5, 0.8
depth = math.sqrt(lower**2 - (frame + upper - plate) ** 2)  # of the plate while the arms are level

m = da.Mechanism("delta robot", plane=False, gravity=(0, 0, -g))
m.parameter("swing", 0.0, "rad")
hand = m.body("hand", da.cylinder(plate, 0.02, mass=plate_mass), at=(0, 0, -depth))
for k in range(3):
    c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
    middle = frame + upper / 2
    arm = m.body(
        f"arm{k + 1}",
        da.cylinder(0.015, upper, axis="x", mass=arm_mass),
        at=(middle * c, middle * s, 0),
        rotation=("z", 2 * math.pi * k / 3),
    )
    # positive downwards
    m.revolute(f"motor{k + 1}", m.ground, arm, at=arm.start, axis=(-s, c, 0))
    # two equal rods side by side keep the plate from turning
    for side, y in (("l", wide), ("r", -wide)):
        m.distance(f"rod{k + 1}{side}", arm.point(upper / 2, y, 0), hand.point(plate * c - y * s, plate * s + y * c, 0))
    m.drive(f"servo{k + 1}", m[f"motor{k + 1}"].angle, f"swing*sin(2*pi*t)*sin(2*pi*t + {2 * k}*pi/3)")

# At rest with level arms a motor holds its arm and a third of the plate: the rods hang down as the arm turns, so that the
# plate sinks by `upper` for each radian, whatever the rods are.
torque = -da.reactions(m)["servo1"].torque[1]
assert abs(torque - (plate_mass / 3 + arm_mass / 2) * g * upper) < 1e-9

m.set_parameter("swing", 0.35)
run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
hand_at = run["hand"].position
assert np.allclose(run["hand"].rotation, np.eye(3), atol=1e-10)

# Closed form of the inverse kinematics: in the plane of an arm, with the plate at (x, y, z) seen from the motor,
#   (x - upper cos)^2 + y^2 + (z + upper sin)^2 = lower^2,  so  a cos + b sin = c
for k in range(3):
    c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
    x = hand_at[:, 0] * c + hand_at[:, 1] * s + plate - frame
    y = -hand_at[:, 0] * s + hand_at[:, 1] * c
    z = hand_at[:, 2]
    a, b = 2 * upper * x, -2 * upper * z
    rest = x**2 + y**2 + z**2 + upper**2 - lower**2
    angle = np.arctan2(b, a) - np.arccos(rest / np.hypot(a, b))
    assert np.allclose(run[f"motor{k + 1}.angle"], angle, atol=1e-9)

if __name__ == "__main__":
    reach = np.ptp(hand_at, axis=0)
    print(
        f"the hand moves by {reach[0]:.3f} m, {reach[1]:.3f} m and {reach[2]:.3f} m along x, y and z, and never turns"
    )
    print(f"to hold it still each motor needs {torque:.4f} N m")
    print(run.audit)
    run.draw("out/delta_robot.png", names=["arm1", "arm2", "arm3", "hand"], traces=["hand"], view=(-60, 12))
