"""A pendulum driven at constant speed: multipliers, pin force along and across the bar, torque (PLANAR, examples 6.4.1, 6.6.1)."""

import math

import numpy as np

import dalembert as da

mass, half, g, w = 2.0, 0.7, 9.81, 2 * math.pi
m = da.Mechanism("driven pendulum", plane=True, gravity=(0, -g))
bar = m.body("bar", da.rod(2 * half, mass=mass), at=(half, 0))
m.revolute("O", m.ground, bar, at=(0, 0))
m.drive("motor", m["O"].angle, "3*pi/2 + 2*pi*t")
run = da.simulate(m, until=1.0, output=0.01)

phi = 1.5 * math.pi + w * run.t
s, c = np.sin(phi), np.cos(phi)
# 6.6.10 in the frame of the bar, 6.6.11 (the source loses an l on the way)
pin = run["O"].frame("body").force
assert np.allclose(pin, np.column_stack([-mass * half * w**2 + mass * g * s, mass * g * c]), atol=1e-10)
assert np.allclose(run["motor"].torque, mass * g * half * c, atol=1e-10)
# multipliers: lam = (m l cos w², -m g + m l sin w², -m g l cos), in the order of the rows
names = run.system.row_names
lam = run.lam[:, [names.index(x) for x in ("O.gap_x", "O.gap_y", "O.angle")]]
expected = np.column_stack([mass * half * c * w**2, -mass * g + mass * half * s * w**2, -mass * g * half * c])
assert np.allclose(lam, expected, atol=1e-10)

if __name__ == "__main__":
    print(run.table(), "\n")
    print(run.audit)
    run.plot(path="out/p6_driven_pendulum.png")
