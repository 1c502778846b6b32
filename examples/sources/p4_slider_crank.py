"""Two bars, the end of the second on the x axis: Jacobian and right side by differentiation (PLANAR, examples 6.3.2, 6.3.5)."""

import math

import numpy as np

import dalembert as da

l1, l2, g, angle = 0.3, 0.5, 9.81, 0.6  # half lengths
tilt = -math.asin(l1 * math.sin(angle) / l2)
m = da.Mechanism("two-body slider-crank", plane=True, gravity=(0, -g))
knee = (2 * l1 * math.cos(angle), 2 * l1 * math.sin(angle))
crank = m.body("crank", da.rod(2 * l1, mass=1.3), at=(knee[0] / 2, knee[1] / 2), angle=angle)
rod = m.body(
    "rod", da.rod(2 * l2, mass=2.1), at=(knee[0] + l2 * math.cos(tilt), knee[1] + l2 * math.sin(tilt)), angle=tilt
)
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("A", crank, rod, at=crank.end)
m.absolute_y("B", rod, value=0.0, at=rod.end)
m.start(m["O"].angle, rate=3.0)
run = da.simulate(m, until=2.0, output=0.01)

# The source writes (x2, y2) by way of both bars; its rows are sums of ours.  6.3.11, and gamma with w1² where 6.3.5 prints w1 w2.
sums = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, -1, 0, -1, 1]])
for k in range(0, len(run.t), 20):
    e = da.equations(m, da.State(float(run.t[k]), run.q[k], run.v[k]))
    (s1, s2), (c1, c2), (w1, w2) = np.sin(run.q[k, 2::3]), np.cos(run.q[k, 2::3]), run.v[k, 2::3]
    jac = [
        [1, 0, l1 * s1, 0, 0, 0], [0, 1, -l1 * c1, 0, 0, 0], [0, 0, 2 * l1 * s1, 1, 0, l2 * s2],
        [0, 0, -2 * l1 * c1, 0, 1, -l2 * c2], [0, 0, 2 * l1 * c1, 0, 0, 2 * l2 * c2],
    ]  # fmt: skip
    gamma = [
        -l1 * c1 * w1**2, -l1 * s1 * w1**2, -2 * l1 * c1 * w1**2 - l2 * c2 * w2**2,
        -2 * l1 * s1 * w1**2 - l2 * s2 * w2**2, 2 * l1 * s1 * w1**2 + 2 * l2 * s2 * w2**2,
    ]  # fmt: skip
    assert np.allclose(sums @ e.jac, jac, atol=1e-12) and np.allclose(sums @ e.gamma, gamma, atol=1e-10)

if __name__ == "__main__":
    print(run.table(), "\n")
    print(run.audit)
    run.draw(path="out/p4_slider_crank.png", at=0.0, ghosts=4)
