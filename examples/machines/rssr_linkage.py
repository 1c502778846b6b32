"""RSSR: a crank and a rocker with crossed axes, joined by a bar with a ball at each end."""

import numpy as np

import dalembert as da

r, s, bar_length = 0.10, 0.25, 0.40  # crank, rocker, bar between the balls [m]
away, height = 0.35, 0.15  # of the hinge of the rocker from that of the crank

m = da.Mechanism("RSSR linkage", plane=False, gravity=(0, 0, -9.81))
crank = m.body("crank", da.cylinder(0.012, r, axis="x", mass=0.3), at=(r / 2, 0, 0))
# drawn roughly: the bar from ball to ball, put together before the motion starts
bar = m.body("bar", da.cylinder(0.008, bar_length, axis="x", mass=0.4), at=(r + bar_length / 2, 0, height / 2))
rocker = m.body("rocker", da.cylinder(0.012, s, axis="z", mass=0.5), at=(away, 0, height + s / 2))
m.revolute("O", m.ground, crank, at=crank.start, axis="z")
m.revolute("Q", m.ground, rocker, at=rocker.start, axis="y")
m.spherical("A", crank, bar, at=(crank.end, bar.start))
m.spherical("B", bar, rocker, at=(bar.end, rocker.end))
# the bar may turn about its own line: a second freedom that nobody sees
assert da.mobility(m).dof == 2
m.drive("motor", m["O"].angle, "2*pi*t")
run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)

# The ball of the rocker at angle psi from the vertical is l away from that of the crank at theta:
#   (away + s sin psi - r cos theta)^2 + (r sin theta)^2 + (height + s cos psi)^2 = l^2,   a sin psi + b cos psi = c
theta = run["O.angle"]
x = away - r * np.cos(theta)
a, b = 2 * s * x, 2 * s * height
c = bar_length**2 - s**2 - height**2 - x**2 - (r * np.sin(theta)) ** 2
expected = np.arctan2(a, b) - np.arccos(c / np.hypot(a, b))  # with + the other way to put it together
tip = run["rocker"].point(rocker.end).position
psi = np.arctan2(tip[:, 0] - away, tip[:, 2] - height)
assert np.allclose(psi, expected, atol=1e-9)

if __name__ == "__main__":
    low, high = np.degrees(psi.min()), np.degrees(psi.max())
    print(f"the crank goes round, the rocker swings from {low:.2f} to {high:.2f} degrees")
    print(run.audit)
    run.draw("out/rssr_linkage.png", ghosts=4, traces=["A", "B"], view=(-65, 22))
