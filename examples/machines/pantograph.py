"""A pantograph: four bars copy a drawing, three times as large."""

import numpy as np

import dalembert as da

L, k = 0.6, 3.0  # long bars [m], magnification
s = L / k  # short bars
mu = 0.5  # kg per metre of a bar

m = da.Mechanism("pantograph", plane=True)
first = m.body("first", da.rod(L, mass=mu * L), at=(0.13, 0.27), angle=1.1)  # from the fixed point to the top
second = m.body("second", da.rod(L, mass=mu * L), at=(0.42, 0.27), angle=-1.1)  # from the top to the pencil
short = m.body("short", da.rod(s, mass=mu * s), at=(0.14, 0.09), angle=-1.1)  # parallel to the second
long = m.body("long", da.rod(L - s, mass=mu * (L - s)), at=(0.28, 0.18), angle=1.1)  # parallel to the first
m.revolute("O", m.ground, first, at=(0, 0), on=first.start)
m.revolute("A", first, second, on=[first.end, second.start])
m.revolute("B", first, short, on=[first.point(s - L / 2, 0), short.start])
m.revolute("C", second, long, on=[second.point(s - L / 2, 0), long.end])
m.revolute("P", short, long, on=[short.end, long.start])
# a pen follows a drawing: a heart
m.measure("x", point=short.end, along=(1, 0))
m.measure("y", point=short.end, along=(0, 1))
m.force("paper", second, (-1.0, 0.0), at=second.end)  # rubs
m.drive("pen x", m["x"], "0.18 + 0.05*sin(2*pi*t)**3")
m.drive("pen y", m["y"], "0.05*(13*cos(2*pi*t) - 5*cos(4*pi*t) - 2*cos(6*pi*t) - cos(8*pi*t))/16")

run = da.kinematics(m, times=np.linspace(0, 1, 241))
pen = run["short"].point(short.end).position
pencil = run["second"].point(second.end).position

# Triangles OBP and OAQ are similar: fixed point, pen and pencil stay in line, at distances 1 : k.
assert np.max(np.abs(pencil - k * pen)) < 1e-12
# So are forces, the other way round: one newton on the pencil is felt as k newtons at the pen.
at_pen = da.holding_load(m, ["pen x", "pen y"])
assert abs(at_pen["pen x"].value - k) < 1e-9 and abs(at_pen["pen y"].value) < 1e-9

if __name__ == "__main__":
    print(
        f"the copy is {np.ptp(pencil[:, 0]) / np.ptp(pen[:, 0]):.6f} times as wide and {np.ptp(pencil[:, 1]) / np.ptp(pen[:, 1]):.6f} times as high"
    )
    print(run.audit)
    run.draw("out/pantograph.png", at="start", ghosts=2, traces=[short.end, second.end], names=["joints"])
