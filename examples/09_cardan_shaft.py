"""Two shafts at an angle, coupled by one universal joint: the output runs unevenly."""

import math

import numpy as np

import dalembert as da

bend, speed, inertia = math.radians(30), 10.0, 0.02
out = (math.cos(bend), math.sin(bend), 0.0)  # direction of the output shaft

m = da.Mechanism("cardan shaft", plane=False)
first = m.body("input", da.cylinder(0.02, 0.5, axis="x", mass=3.0), at=(-0.25, 0, 0))
second = m.body(
    "output", mass=3.0, inertia=(inertia, 0.1, 0.1), at=tuple(0.25 * x for x in out), rotation=((0, 0, 1), bend)
)
m.revolute("bearing 1", m.ground, first, at=(-0.25, 0, 0), axis=(1, 0, 0))
# the second bearing leaves the shaft free to slide and tilt, so that nothing is held twice
m.universal("cross", first, second, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
m.cylindrical("bearing 2", m.ground, second, at=tuple(0.5 * x for x in out), axis=out)
m.drive("motor", m["bearing 1"].angle, f"{speed}*t")

run = da.simulate(m, until=2 * math.pi / speed, rtol=1e-10, atol=1e-12)

# Fork of the input along y at the start, in the plane of the shafts:
#   tan(output) = tan(input) cos(bend) or its inverse, by which fork lies in that plane; here
#   ratio = cos(bend) / (1 - sin(bend)^2 sin(input)^2), from cos(bend) to 1/cos(bend)
turned = speed * run.t
ratio = math.cos(bend) / (1 - (math.sin(bend) * np.sin(turned)) ** 2)
measured = run["output"].spin @ out / speed
assert np.allclose(measured, ratio, atol=1e-8) or np.allclose(measured, np.roll(ratio, 50), atol=1e-8)

# The motor pays for the unevenness: its power is the rate of kinetic energy of the output shaft.
energy = 0.5 * inertia * (speed * measured) ** 2
assert np.allclose(run.energy.kinetic - run.energy.kinetic[0], energy - energy[0], atol=1e-8)
assert abs(np.trapezoid(run["motor"].power, run.t)) < 1e-8

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot("mechanism", "bearing 2.angle", "motor", "energy", path="out/09_cardan_shaft.png")
