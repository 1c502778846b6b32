"""Watt's linkage (1784): three bars guide a piston rod along a line that is nearly straight."""

import math

import numpy as np

import dalembert as da

b, c = 0.3, 0.1  # arms, half the coupler [m]
mu = 2.0  # kg per metre of a bar

m = da.Mechanism("Watt linkage", plane=True, gravity=(0, -9.81))
# in the middle both arms are level and the coupler stands upright
left = m.body("left", da.rod(b, mass=mu * b), at=(-b / 2, c))
coupler = m.body("coupler", da.rod(2 * c, mass=2 * mu * c), at=(0, 0), angle=-math.pi / 2)
right = m.body("right", da.rod(b, mass=mu * b), at=(b / 2, -c))
m.revolute("A", m.ground, left, at=(-b, c), on=left.start)
m.revolute("B", left, coupler, on=[left.end, coupler.start])
m.revolute("C", coupler, right, on=[coupler.end, right.start])
m.revolute("D", m.ground, right, at=(b, -c), on=right.end)
m.drive("motor", m["A"].angle, "0.5*sin(2*pi*t)")

run = da.kinematics(m, times=np.linspace(0, 1, 241))
x, y = run["coupler"].position.T

# Watt's curve, in axes along and across the line of the bearings:
#   r^2 (r^2 - a^2 - b^2 + c^2)^2 + 4 a^2 across^2 (r^2 - b^2) = 0
a = math.hypot(b, c)  # half the distance of the bearings
across = (c * x + b * y) / a
r2 = x**2 + y**2
sextic = r2 * (r2 - a**2 - b**2 + c**2) ** 2 + 4 * a**2 * across**2 * (r2 - b**2)
assert np.max(np.abs(sextic)) < 1e-14 * a**6

# Straight within 0.1 mm over a stroke of 140 mm, and it leaves the line with the fifth power: 32 times nearer at half the stroke.
near = np.abs(y) < 0.07
assert np.ptp(y[near]) > 0.13 and np.max(np.abs(x[near])) < 1e-4
ends = run.resample([run.crossings("coupler.y", 0.05)[0], run.crossings("coupler.y", 0.025)[0]])["coupler"].position[
    :, 0
]
assert 28 < ends[0] / ends[1] < 36

if __name__ == "__main__":
    print(
        f"over a stroke of 140 mm the middle of the coupler leaves the straight line by {np.max(np.abs(x[near])) * 1e3:.3f} mm"
    )
    print(run.audit)
    run.draw("out/watt_linkage.png", at=0.08, ghosts=4, traces=["B", "C", coupler.center])
