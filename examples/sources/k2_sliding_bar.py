"""A bar slides down between a smooth wall and a smooth floor: when does it leave the wall? (PRINCIPLES)"""

import math

import numpy as np

import dalembert as da

mass, length, g, start = 12.0, 3.0, 9.81, 1.1  # angle from the floor [rad]
m = da.Mechanism("sliding bar", plane=True, gravity=(0, -g))
bar = m.body(
    "bar", da.rod(length, mass=mass), at=(length / 2 * math.cos(start), length / 2 * math.sin(start)), angle=-start
)
m.constraint("wall", m.measure("top", point=bar.start, along=(1, 0)))
m.constraint("floor", m.measure("sole", point=bar.end, along=(0, 1)))
height = m.measure("height", point=bar.start, along=(0, 1))
run = da.simulate(m, until=0.85, output=0.01, rtol=1e-11, atol=1e-12)

theta = -np.asarray(run["bar"].angle)
s, s0 = np.sin(theta), math.sin(start)
assert np.allclose(run["wall"].force[:, 0], 0.75 * mass * g * np.cos(theta) * (3 * s - 2 * s0), atol=1e-6)
assert np.allclose(run["floor"].force[:, 1], 0.25 * mass * g * (1 + 9 * s**2 - 6 * s * s0), atol=1e-6)
# without friction the wall lets go when the upper end has fallen to two thirds of its height
leaves = run.crossings(lambda r: r["wall"].force[:, 0])[0]
assert abs(run.resample([leaves])["height"][0] - 2 / 3 * length * s0) < 1e-6

# held by a push P at the foot instead, with the angle from the wall: P = m g tan / 2
held = da.holding_load(m, m.measure("foot", point=bar.end, along=(1, 0)))
assert abs(abs(held.value) - 0.5 * mass * g / math.tan(start)) < 1e-9

if __name__ == "__main__":
    print(f"it leaves the wall after {leaves:.4f} s; at rest the foot must be held with {abs(held.value):.2f} N\n")
    print(run.audit)
    run.draw(path="out/k2_sliding_bar.png", at=0.0, ghosts=5, traces=["bar"])
