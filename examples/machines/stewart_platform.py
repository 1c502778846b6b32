"""Stewart platform: six legs that grow and shrink move a plate in all six ways."""

import math

import numpy as np

import dalembert as da

base, top, height, g = 0.8, 0.5, 0.9, 9.81  # radii of the circles of balls, height of the plate [m]
plate_mass, leg_mass, half = 40.0, 1.5, 0.65  # [kg], the length of the cylinder and of the piston of a leg [m]
feet = np.radians([-10, 10, 110, 130, 230, 250])
heads = np.radians([-50, 50, 70, 170, 190, 290])

m = da.Mechanism("Stewart platform", plane=False, gravity=(0, 0, -g))
m.parameter("stroke", 0.0, "m")
plate = m.body("plate", da.cylinder(top, 0.04, mass=plate_mass), at=(0, 0, height))
for k in range(6):
    foot = np.array([base * math.cos(feet[k]), base * math.sin(feet[k]), 0.0])
    head = np.array([top * math.cos(heads[k]), top * math.sin(heads[k]), height])
    dx, dy, dz = head - foot
    turned = (math.hypot(dx, dy, dz) + dz, -dy, dx, 0)  # quaternion from z to the line of the leg
    tube, rod = da.tube(0.04, 0.016, half, mass=leg_mass), da.cylinder(0.016, half, mass=leg_mass)
    cylinder = m.body(f"cylinder{k + 1}", tube.at(0, 0, half / 2), at=tuple(foot), rotation=turned)
    piston = m.body(f"piston{k + 1}", rod.at(0, 0, -half / 2), at=tuple(head), rotation=turned)
    m.universal(f"foot{k + 1}", m.ground, cylinder, at=tuple(foot), axes=((-dy, dx, 0), cylinder.axis(dx, dy, 0)))
    m.prismatic(f"leg{k + 1}", cylinder, piston, along=cylinder.axis(0, 0, 1), at=cylinder.point(0, 0, half))
    m.spherical(f"head{k + 1}", piston, plate, at=tuple(head))
    m.drive(f"jack{k + 1}", m[f"leg{k + 1}"].slide, f"stroke*(cos({k}*pi/3) - cos(pi*t + {k}*pi/3))")

assert da.mobility(m).dof == 0

# At rest, as drawn, all legs press alike: each ball carries a sixth of the weight of the plate.
rest = da.reactions(m)
assert all(abs(rest[f"head{k}"].force[2] - plate_mass * g / 6) < 1e-9 for k in range(1, 7))

m.set_parameter("stroke", 0.08)
run = da.simulate(m, until=2.0, rtol=1e-9, atol=1e-11)

# Closed form, from the pose to the legs: |p + R b - a|, for all times.
for k in range(6):
    foot = np.array([base * math.cos(feet[k]), base * math.sin(feet[k]), 0.0])
    ball = np.array([top * math.cos(heads[k]), top * math.sin(heads[k]), 0.0])
    length = np.linalg.norm(run["plate"].position + run["plate"].rotation @ ball - foot, axis=1)
    assert np.allclose(run[f"leg{k + 1}.slide"] - run[f"leg{k + 1}.slide"][0], length - length[0], atol=1e-9)

# The balls carry the plate, and move it: together they give m (a + g).
lift = sum(run[f"head{k}"].force for k in range(1, 7))
assert np.allclose(lift, plate_mass * (run["plate"].acceleration + (0, 0, g)), atol=1e-6)


if __name__ == "__main__":
    push = [np.linalg.norm(rest[f"jack{k}"].force) for k in range(1, 7)]
    print(
        f"at rest each jack pushes with {push[0]:.2f} N; the balls carry {6 * rest['head1'].force[2]:.2f} N, the plate"
    )
    tilt = np.degrees(np.arccos(run["plate"].rotation[:, 2, 2])).max()
    print(f"with jacks that move by 160 mm, one after the other, the plate leans by up to {tilt:.1f} degrees")
    print(run.audit)
    run.draw("out/stewart_platform.png", names=["plate", "cylinder1", "piston1"], view=(-50, 18))
