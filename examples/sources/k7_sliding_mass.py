"""A pendulum whose mass slides on a spring of no free length: two coordinates, and a closed form (PRINCIPLES)."""

import math

import numpy as np

import dalembert as da

mass, k, g = 0.8, 30.0, 9.81
m = da.Lagrangian(
    "q1 q2", potential="k*q1**2/2", gravity=(0, "-g"), parameters={"m": mass, "k": k, "g": g}, name="sliding mass"
)
m.particle("mass", "m", ("q1*sin(q2)", "-q1*cos(q2)"))
m.start("q1", 0.7, rate=0.4)
m.start("q2", 0.5, rate=-1.2)
run = da.simulate(m, until=2.0, output=0.02, rtol=1e-11, atol=1e-12)

# the spring pulls with k times the position: x'' = -(k/m) x, y'' = -(k/m) y - g
w, sag = math.sqrt(k / mass), mass * g / k
x0, y0 = 0.7 * math.sin(0.5), -0.7 * math.cos(0.5)
vx, vy = 0.4 * math.sin(0.5) - 0.7 * 1.2 * math.cos(0.5), -0.4 * math.cos(0.5) - 0.7 * 1.2 * math.sin(0.5)
x = x0 * np.cos(w * run.t) + vx / w * np.sin(w * run.t)
y = -sag + (y0 + sag) * np.cos(w * run.t) + vy / w * np.sin(w * run.t)
assert np.allclose(np.asarray(run["mass"].position)[:, :2], np.column_stack([x, y]), atol=1e-8)

if __name__ == "__main__":
    print(da.equations(m, form="lagrange"), "\n")
    print(run.audit)
    run.plot("q1", "q2", path="out/k7_sliding_mass.png")
