"""The simple pendulum as the source sets it up: matrix, right side, start and motion (PLANAR, examples 6.3.1, 6.3.4, 6.3.6)."""

import math

import numpy as np

import dalembert as da

mass, half, g = 2.0, 0.7, 9.81
m = da.Mechanism("simple pendulum", plane=True, gravity=(0, -g))
bar = m.body("bar", da.rod(2 * half, mass=mass), at=(0, -half), angle=1.5 * math.pi)
m.revolute("O", m.ground, bar, at=(0, 0), on=bar.start)
m.start(m.measure("phi", "bar.angle"), value=1.5 * math.pi, rate=2 * math.pi)

# 6.3.28, 6.3.29: position (0, -l), velocity (2 pi l, 0)
start = da.assemble(m).state
assert np.allclose(start.q, [0, -half, 1.5 * math.pi], atol=1e-13)
assert np.allclose(start.v, [2 * math.pi * half, 0, 2 * math.pi], atol=1e-12)

# 6.3.20 at any angle, and what is left of it: phi'' = -3 g cos(phi) / (4 l)
run = da.simulate(m, until=2.0, output=0.02)
for k in range(0, len(run.t), 10):
    e = da.equations(m, da.State(float(run.t[k]), run.q[k], run.v[k]))
    phi, rate = run.q[k, 2], run.v[k, 2]
    s, c = math.sin(phi), math.cos(phi)
    assert np.allclose(e.jac, [[1, 0, half * s], [0, 1, -half * c]], atol=1e-12)
    assert np.allclose(e.gamma, [-half * c * rate**2, -half * s * rate**2], atol=1e-10)
    assert abs(e.a[2] + 3 * g * c / (4 * half)) < 1e-10

if __name__ == "__main__":
    print(run.table(), "\n")
    print(run.audit)
    run.draw(path="out/p3_simple_pendulum.png", at=0.0, ghosts=6)
