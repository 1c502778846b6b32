"""Chebyshev's lambda linkage, also Hoecken's: a crank drives a point along a line for half a turn, and quickly back."""

import numpy as np

import dalembert as da

a = 0.1  # crank; the bearings are 2 a apart, rocker and both halves of the coupler are 2.5 a long [m]
mu = 2.0  # kg per metre of a bar

m = da.Mechanism("Chebyshev lambda", plane=True, gravity=(0, -9.81))
crank = m.body("crank", da.rod(a, mass=mu * a), at=(0.05, 0))
coupler = m.body("coupler", da.rod(5 * a, mass=5 * mu * a), at=(0.15, 0.25), angle=1.37)
rocker = m.body("rocker", da.rod(2.5 * a, mass=2.5 * mu * a), at=(0.18, 0.12), angle=1.77)
m.revolute("A", m.ground, crank, at=(0, 0), on=crank.start)
m.revolute("B", crank, coupler, on=[crank.end, coupler.start])
m.revolute("C", coupler, rocker, on=[coupler.center, rocker.end])
m.revolute("D", m.ground, rocker, at=(2 * a, 0), on=rocker.start)
m.drive("motor", m["A"].angle, "2*pi*t")

run = da.kinematics(m, times=np.linspace(0, 1, 361))
theta = 2 * np.pi * run.t
x, y = run["coupler"].point(coupler.end).position.T

# C stands on the middle of B and D, which are 2.5 a away from it; P is as far beyond C as B is before it.
B, D = a * np.exp(1j * theta), 2 * a
half = (D - B) / 2
P = B + 2 * (half + 1j * half / abs(half) * np.sqrt((2.5 * a) ** 2 - abs(half) ** 2))
assert np.max(np.abs(x + 1j * y - P)) < 1e-12

# While the crank turns through the half that is away from the rocker, P goes 4 a to the side, at a height of 4 a within 0.5 % of that.
away = np.cos(theta) <= 1e-12
assert abs(np.ptp(x[away]) - 4 * a) < 0.01 * a
assert np.max(np.abs(y[away] - 4 * a)) < 0.02 * a

if __name__ == "__main__":
    print(f"{np.ptp(x[away]) * 1e3:.1f} mm to the side, off the line by {np.ptp(y[away]) * 1e3:.2f} mm, in half a turn")
    print(run.audit)
    run.draw("out/chebyshev_lambda.png", at=0.45, ghosts=4, traces=[coupler.end])
