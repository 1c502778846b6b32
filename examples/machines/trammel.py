"""The trammel of Archimedes: a bar on two crossed slots draws an exact ellipse."""

import numpy as np

import dalembert as da

L, p = 0.2, 0.15  # between the pins, from the second pin to the pencil [m]

m = da.Mechanism("trammel", plane=True)
bar = m.body("bar", da.rod(L + p, mass=1.0), at=((L + p) / 2, 0))
pin = bar.point(L - (L + p) / 2, 0)
m.pin_in_slot("upright", m.ground, bar, on=[m.ground.point(0, 0), bar.start], along=(0, 1))
m.pin_in_slot("level", m.ground, bar, on=[m.ground.point(0, 0), pin], along=(1, 0))
m.drive("motor", bar.angle, "2*pi*t")

run = da.kinematics(m, times=np.linspace(0, 1, 241))
x, y = run["bar"].point(bar.end).position.T

# The pencil is at ((L + p) cos, p sin): an ellipse with these half axes.
assert np.max(np.abs((x / (L + p)) ** 2 + (y / p) ** 2 - 1)) < 1e-12
# The middle of the two pins stays at L/2 from the crossing: they are corners of a rectangle.
middle = run["bar"].point(L / 2 - (L + p) / 2, 0).position
assert np.max(np.abs(np.hypot(*middle.T) - L / 2)) < 1e-12

if __name__ == "__main__":
    print(f"ellipse with half axes {np.max(x):.3f} m and {np.max(y):.3f} m")
    print(run.audit)
    run.draw("out/trammel.png", at=0.1, ghosts=3, traces=[bar.end])
