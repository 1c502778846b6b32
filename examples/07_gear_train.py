"""A two-stage gear train run up by a motor: one degree of freedom, one inertia as the motor feels it."""

import dalembert as da

radii = (0.05, 0.15, 0.04, 0.16)  # pinion, wheel and pinion on the middle shaft, wheel
torque = 2.0

m = da.Mechanism("gear train", plane=True)
motor = m.body("motor", da.disk(radii[0], mass=1.0), at=(0, 0))
middle = m.body("middle", da.disk(radii[1], mass=4.0) + da.disk(radii[2], mass=0.5), at=(radii[0] + radii[1], 0))
output = m.body("output", da.disk(radii[3], mass=6.0), at=(radii[0] + radii[1] + radii[2] + radii[3], 0))
for name, body in (("S1", motor), ("S2", middle), ("S3", output)):
    m.revolute(name, m.ground, body, at=body.center)
m.gear("first", m["S1"], m["S2"], radii=radii[:2])
m.gear("second", m["S2"], m["S3"], radii=radii[2:])
m.torque("drive", motor, torque)

run = da.simulate(m, until=2.0)

# Speeds in the ratio of the radii, turning to and fro; inertias seen through the squares of the ratios.
first, both = -radii[0] / radii[1], radii[0] / radii[1] * radii[2] / radii[3]
inertia = [1.0 * radii[0] ** 2 / 2, (4.0 * radii[1] ** 2 + 0.5 * radii[2] ** 2) / 2, 6.0 * radii[3] ** 2 / 2]
acceleration = torque / (inertia[0] + first**2 * inertia[1] + both**2 * inertia[2])

assert abs(run["motor"].angle[-1] - acceleration * 2.0**2 / 2) < 1e-9 * acceleration
assert abs(run["S3.angle"][-1] - both * run["S1.angle"][-1]) < 1e-11
# The second gear passes on what turns the output shaft.
assert abs(run["second"].on(output).torque[-1] - inertia[2] * both * acceleration) < 1e-10

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/07_gear_train.png")
