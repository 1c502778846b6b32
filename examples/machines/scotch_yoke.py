"""A Scotch yoke: a pin in a slot makes a pure sine of a turning crank."""

import math

import numpy as np

import dalembert as da

r, yoke_mass, speed = 0.1, 3.0, 20.0  # crank [m], kg, rad/s

m = da.Mechanism("Scotch yoke", plane=True)
crank = m.body("crank", da.rod(r, mass=0.5), at=(r / 2, 0))
# an upright plate with the slot, and the rod that it pushes
plate, stem = da.block(0.05, 0.26, mass=yoke_mass / 2), da.rod(0.25, mass=yoke_mass / 2).at(0.15, 0)
yoke = m.body("yoke", da.composite(plate, stem), at=(r, 0))
m.revolute("O", m.ground, crank, at=(0, 0), on=crank.start)
m.pin_in_slot("slot", yoke, crank, on=[yoke.point(0, 0), crank.end], along=yoke.axis(0, 1))
m.prismatic("guide", m.ground, yoke, along=(1, 0))
m.drive("motor", m["O"].angle, f"{speed}*t")

run = da.kinematics(m, times=np.linspace(0, 2 * math.pi / speed, 181))
angle = speed * run.t

# x = r cos: no other harmonics, as a slider-crank would have them.
assert np.max(np.abs(run["yoke"].position[:, 0] - r * np.cos(angle))) < 1e-12
assert np.max(np.abs(run["yoke"].acceleration[:, 0] + r * speed**2 * np.cos(angle))) < 1e-10
# The torque speeds the yoke up and slows it down, twice a turn: m r^2 w^2 sin(2 angle) / 2.
torque = yoke_mass * (r * speed) ** 2 * np.sin(2 * angle) / 2
assert np.max(np.abs(run["motor"].torque - torque)) < 1e-10

if __name__ == "__main__":
    print(f"stroke {2 * r:.2f} m, torque up to {np.max(torque):.1f} N m, twice a turn and back")
    print(run.audit)
    run.draw("out/scotch_yoke.png", at=math.radians(50) / speed, ghosts=2, traces=["slot"])
