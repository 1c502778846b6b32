"""Two shafts at an angle, coupled by one universal joint: the output runs unevenly."""

import math

import numpy as np

import dalembert as da

bend, speed, inertia = math.radians(30), 10.0, 0.02
out = (math.cos(bend), math.sin(bend), 0.0)  # direction of the output shaft

m = da.Mechanism("Cardan shaft", plane=False)
first = m.body("input", da.cylinder(0.02, 0.5, axis="x", mass=3.0), at=(-0.25, 0, 0))
second = m.body(
    "output", da.cylinder(0.12, 0.1, axis="x", mass=2.0), at=tuple(0.4 * x for x in out), rotation=((0, 0, 1), bend)
)
m.revolute("bearing1", m.ground, first, at=(-0.5, 0, 0), axis=(1, 0, 0))
m.universal("cross", first, second, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
# a self-aligning bearing that slides: any more would hold something twice
m.point_on_line("bearing2", m.ground, second, at=tuple(0.5 * x for x in out), along=out)
m.measure("output_angle", angle=(m.ground, second), axis=out)
m.drive("motor", m["bearing1"].angle, f"{speed}*t")

run = da.simulate(m, until=2 * math.pi / speed, rtol=1e-10, atol=1e-12)

# At the start the fork of the input lies in the plane of the shafts.  With that (see any book on machines)
#   tan(output) = tan(input) / cos(bend),   ratio of speeds = cos(bend) / (1 - sin(bend)^2 cos(input)^2)
turned = speed * run.t
ratio = math.cos(bend) / (1 - (math.sin(bend) * np.cos(turned)) ** 2)
assert np.allclose(run["output_angle"].rate / speed, ratio, atol=1e-8)
assert abs(run["output_angle"][-1] - 2 * math.pi) < 1e-9

# The motor pays for the unevenness: torque * speed = J w w' of the output shaft, with J = m r^2 / 2.
J = 2.0 * 0.12**2 / 2
w = speed * ratio
rate = np.gradient(w, run.t, edge_order=2)  # good to some 1e-3 here
assert np.allclose(run["motor"].effort * speed, J * w * rate, atol=2e-3 * J * np.max(np.abs(w * rate)))

if __name__ == "__main__":
    print(f"the input turns at {speed} rad/s, the output at {w.min():.3f} to {w.max():.3f} rad/s, twice in each turn")
    print(f"the motor needs up to {abs(run['motor'].effort).max():.3f} N m for that, to and fro")
    print(run.audit)
    run.draw("out/cardan_shaft.png", view=(-70, 25))
