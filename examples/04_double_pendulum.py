"""Two equal bars, released level and at rest (benchmark E01 with two links)."""

import numpy as np

import dalembert as da

m = da.Mechanism("double pendulum", plane=True, gravity=(0, -9.81))
upper = m.body("upper", da.rod(length=0.5, mass=0.5), at=(0.25, 0))
lower = m.body("lower", da.rod(length=0.5, mass=0.5), at=(0.75, 0))
m.revolute("A", m.ground, upper, at=(0, 0))
m.revolute("B", upper, lower, at=(0.5, 0))
m.measure("tip height", point=lower.end, along=(0, 1))

run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-13)
tip = run["lower"].point(lower.end).position

# Tip at 1 s, from an independent program at two tolerances.
assert np.allclose(tip[-1], (-0.96440937731, 0.04204958572), atol=1e-9)
# Energy is conserved: it starts with none.
assert np.max(np.abs(run.energy.total)) < 1e-9 * np.max(run.energy.kinetic)

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/04_double_pendulum.png")
