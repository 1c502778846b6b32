"""An Oldham coupling: two parallel shafts that are not in line turn alike, and the disk between them whirls twice as fast."""

import math

import numpy as np

import dalembert as da

e, speed, load = 0.02, 50.0, -8.0  # offset of the shafts [m], rad/s, torque on the second shaft [N m]

m = da.Mechanism("Oldham coupling", plane=True)
# behind, the first hub with a groove; before it the disk with a tongue in that groove, and a groove across it; in that one the tongue of
# the second hub
groove, tongue = da.rectangle(0.156, 0.018, mass=0.2), da.rectangle(0.116, 0.015, mass=0.1)
first = m.body("first", da.disk(0.082, mass=1.2) - groove, at=(0, 0))
middle = tongue + da.disk(0.046, mass=0.4) - da.rectangle(0.09, 0.018, mass=0.1).at(0, 0, angle=math.pi / 2)
disk = m.body("disk", middle, at=(e, 0))
second = m.body("second", da.rectangle(0.12, 0.015, mass=0.4) + da.disk(0.014, mass=0.6), at=(e, 0), angle=math.pi / 2)
m.revolute("S1", m.ground, first, at=(0, 0))
m.revolute("S2", m.ground, second, at=(e, 0))
m.prismatic("groove 1", first, disk, along=(1, 0))
m.prismatic("groove 2", second, disk, along=(0, 1))  # across the other one
m.torque("load", second, load)
m.drive("motor", m["S1"].angle, f"{speed}*t")

run = da.kinematics(m, times=np.linspace(0, 2 * math.pi / speed, 181))

# The grooves keep all three parallel: the second shaft turns as the first does, and takes the same torque.
assert np.max(np.abs(run["S2.angle"] - run["S1.angle"] - math.pi / 2)) < 1e-12
assert np.max(np.abs(run["motor"].torque + load)) < 1e-9
# The centre of the disk sees both shafts at a right angle: it runs on Thales' circle over their distance, twice a turn.
twice = 2 * speed * run.t
circle = e / 2 * np.column_stack([1 + np.cos(twice), np.sin(twice)])
assert np.max(np.abs(run["disk"].position - circle)) < 1e-12
# The shafts carry its centrifugal force m (e/2) (2 w)^2.
whirl = np.hypot(*run["disk"].acceleration.T)
assert np.max(np.abs(whirl - e / 2 * (2 * speed) ** 2)) < 1e-8

if __name__ == "__main__":
    print(
        f"the disk turns once and whirls twice: {0.4 * whirl[0]:.0f} N on the bearings at {speed * 30 / math.pi:.0f} rpm"
    )
    print(run.audit)
    run.draw(
        "out/oldham_coupling.png",
        at=math.radians(25) / speed,
        names=["S1", "S2"],
    )
