"""Roberts' linkage: the tip of a triangle glides along the line of the bearings, and touches it three times."""

import math

import numpy as np

import dalembert as da

c, l = 0.2, 0.30  # top of the triangle, its sides and both legs [m]; the bearings are 2 c apart
h = math.sqrt(l**2 - c**2 / 4)
mu = 2.0  # kg per metre of a bar

m = da.Mechanism("Roberts linkage", plane=True, gravity=(0, -9.81))
left = m.body("left", da.rod(l, mass=mu * l), at=(-0.75 * c, h / 2), angle=math.atan2(h, c / 2))
right = m.body("right", da.rod(l, mass=mu * l), at=(0.75 * c, h / 2), angle=math.atan2(h, -c / 2))
coupler = m.body("coupler", da.triangle(c, h, mass=2 * mu * c), at=(0, h), angle=math.pi)  # tip down
m.revolute("A", m.ground, left, at=(-c, 0), on=left.start)
m.revolute("B", left, coupler, on=[left.end, coupler.right])
m.revolute("C", coupler, right, on=[coupler.left, right.end])
m.revolute("D", m.ground, right, at=(c, 0), on=right.start)
# tilted until the tip is at a bearing: the triangle of that leg and the coupler's side stands on the line then
tilt = math.acos(c / (2 * l)) - math.acos(c / l)
m.drive("motor", coupler.angle, f"pi + {tilt}*sin(2*pi*t)")

run = da.kinematics(m, times=np.linspace(0, 1, 241))
x, y = run["coupler"].point(coupler.apex).position.T

# Exactly on the line in the middle and at both bearings, and nearly so between.
assert np.max(np.abs(y[::60])) < 1e-12
assert np.allclose(np.sort(x[[60, 0, 180]]), (-c, 0, c), rtol=0, atol=1e-12)
assert np.ptp(y) < 0.02 * np.ptp(x)

if __name__ == "__main__":
    print(f"over {np.ptp(x) * 1e3:.0f} mm the tip leaves the line by {np.ptp(y) * 1e3:.2f} mm")
    print(run.audit)
    run.draw("out/roberts_linkage.png", at=0.06, ghosts=2, traces=[coupler.apex])
