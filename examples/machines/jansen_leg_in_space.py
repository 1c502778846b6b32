"""Theo Jansen's leg with real hinges: in space fifteen conditions too many, and the doctor says what that means."""

import numpy as np
from jansen_leg import O, Q, bars, foot, mu, pins

import dalembert as da

thickness = 0.004  # of a bar, square [m]

# the same bars and pins; every pin becomes a hinge about z
m = da.Mechanism("Jansen leg in space", plane=False, gravity=(0, -9.81, 0))
for name, (length, p, q) in bars.items():
    middle, angle = np.add(p, q) / 2, np.arctan2(q[1] - p[1], q[0] - p[0])
    shape = da.rod(length, section=(thickness, thickness), mass=mu * length)
    m.body(name, shape, at=(*middle, 0), rotation=("z", angle))
m.revolute("O", m.ground, m["crank"], at=(*O, 0), on=m["crank"].start, axis="z")
for name in ("b", "d", "c"):
    m.revolute(f"Q{name}", m.ground, m[name], at=(*Q, 0), on=m[name].start, axis="z")
for name, (one, its, other, others) in pins.items():
    m.revolute(name, m[one], m[other], on=[getattr(m[one], its), getattr(m[other], others)], axis="z")

# 11 bars with 6 freedoms each, 16 hinges with 5 conditions each: the formula says that it is stuck, 14 times over.
doctor = da.mobility(m)
assert doctor.grubler == 11 * 6 - 16 * 5 == -14 and doctor.dof == 1
# Five loops, and each is held in its plane three times too often: once along the axes, twice across them.
assert [found.count for found in doctor.dependent] == [3, 3, 3, 3, 3]
# It moves because all axes are parallel, and only as long as they are: one hinge askew, and it jams.
assert {found.verdict for found in doctor.dependent} == {"permanent, fragile"}

m.drive("motor", m["O"].angle, "2*pi*t")
run = da.kinematics(m, times=np.linspace(0, 1, 91))
sole = run["h"].point(m["h"].end).position
# The foot steps as in the plane; what the hinges carry beside that is not unique.
assert np.max(np.abs(sole[:, :2] - foot[::4])) < 1e-12 and np.max(np.abs(sole[:, 2])) < 1e-12
assert set(pins) <= set(da.reactions(m).not_unique)

if __name__ == "__main__":
    print("\n".join(str(doctor).splitlines()[:15]), "\n  … and four more such sets\n")
    print(run.audit)
    run.draw("out/jansen_leg_in_space.png", at=0.15, traces=["F"], names=False)
