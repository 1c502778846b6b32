"""A slider-crank turned by a motor: piston, torque and pin forces over a turn."""

import numpy as np

import dalembert as da

r, l = 0.2, 0.6  # crank, connecting rod [m]

m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
crank = m.body("crank", da.rod(r, mass=1.0), at=(r / 2, 0))
rod = m.body("rod", da.rod(l, mass=2.0), at=(r + l / 2, 0))
piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(r + l, 0))
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("A", crank, rod, at=crank.end)
m.revolute("B", rod, piston, at=rod.end)
m.prismatic("bore", m.ground, piston, along=(1, 0))
m.drive("motor", m["O"].angle, "2*pi*t")

run = da.simulate(m, until=2.0, output=0.01)

# In closed form: x = r cos + sqrt(l^2 - r^2 sin^2).
angle = 2 * np.pi * run.t
assert (
    np.max(np.abs(run["piston"].position[:, 0] - r * np.cos(angle) - np.sqrt(l**2 - (r * np.sin(angle)) ** 2))) < 1e-12
)
# At the outer dead centre the motor holds weights alone: that of the crank at r/2, and half the rod, which hangs on the crank pin.
weights = 9.81 * (1.0 * r / 2 + 2.0 * r / 2)
assert abs(run["motor"].torque[0] - weights) < 1e-9

if __name__ == "__main__":
    print(run.table(9))
    print(run.audit)
    run.draw("out/slider_crank.png", at=0.15, ghosts=4, traces=["A", "B"])
