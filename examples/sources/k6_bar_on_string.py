"""A bar on a string, pulled sideways at its lower end (PRINCIPLES, after Meirovitch)."""

import math

import numpy as np

import dalembert as da

mass, l1, l2, g, pull = 1.4, 0.5, 0.8, 9.81, 2.0
m = da.Mechanism("bar on a string", plane=True, gravity=(0, -g))
bar = m.body("bar", da.rod(l2, mass=mass), at=(0, -l1 - l2 / 2), angle=-math.pi / 2)
m.distance("string", m.ground.point(0, 0), bar.start, length=l1)
m.force("F", bar, (pull, 0), at=bar.end)
run = da.simulate(m, until=2.0, output=0.02)

# the two equations of the source, angles from the vertical
top = np.asarray(run["bar"].point(bar.start).position)
th1, th2 = np.arctan2(top[:, 0], -top[:, 1]), np.asarray(run["bar"].angle) + math.pi / 2
rate, second = np.asarray(run["bar"].point(bar.start).velocity), np.asarray(run["bar"].point(bar.start).acceleration)
w1 = (rate[:, 0] * np.cos(th1) + rate[:, 1] * np.sin(th1)) / l1
e1 = (second[:, 0] * np.cos(th1) + second[:, 1] * np.sin(th1)) / l1
w2, e2, d = np.asarray(run["bar"].spin).ravel(), np.asarray(run["bar"].spin_rate).ravel(), th2 - th1
one = mass * l1**2 * e1 + mass * l1 * l2 / 2 * (e2 * np.cos(d) - w2**2 * np.sin(d)) + mass * g * l1 * np.sin(th1)
two = (
    mass * l1 * l2 / 2 * (e1 * np.cos(d) + w1**2 * np.sin(d)) + mass * l2**2 / 3 * e2 + mass * g * l2 / 2 * np.sin(th2)
)
assert np.allclose(one, pull * l1 * np.cos(th1), atol=1e-9) and np.allclose(two, pull * l2 * np.cos(th2), atol=1e-9)

if __name__ == "__main__":
    tension = np.linalg.norm(run["string"].force, axis=1)
    print(f"the string carries {tension.min():.2f} to {tension.max():.2f} N\n")
    print(run.audit)
    run.draw(path="out/k6_bar_on_string.png", at=0.0, ghosts=4)
