"""An Oldham coupling: two parallel shafts that are not in line turn alike, and the disk between them whirls twice as fast."""

import math

import numpy as np

import dalembert as da

e, speed, load = 0.03, 50.0, -8.0  # offset of the shafts [m], rad/s, torque on the second shaft [N m]

m = da.Mechanism("Oldham coupling", plane=True)
# of both hubs the grooves are drawn, of the disk between them its middle
first = m.body("first", da.rod(0.16, mass=1.0), at=(0, 0))
second = m.body("second", da.rod(0.16, mass=1.0), at=(e, 0), angle=math.pi / 2)
disk = m.body("disk", da.disk(0.008, mass=0.4), at=(e, 0))
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
        traces=[disk.center],
        names=["first", "second", "S1", "S2"],
    )
