"""A toggle clamp: two links near their straight line make a large force of a small one."""

import math

import numpy as np

import dalembert as da

l, clamping = 0.15, 2000.0  # a link [m], force on the work piece [N]


def toggle_clamp(angle):
    """Links at an angle from their straight line; the knee is pressed down, a pad clamps along x."""
    m = da.Mechanism("toggle clamp", plane=True)
    x, y = l * math.cos(angle), l * math.sin(angle)
    left = m.body("left", da.rod(l, mass=0.2), at=(x / 2, y / 2), angle=angle)
    right = m.body("right", da.rod(l, mass=0.2), at=(1.5 * x, y / 2), angle=-angle)
    pad = m.body("pad", da.block(0.04, 0.04, mass=0.1), at=(2 * x, 0))
    m.revolute("O", m.ground, left, at=left.start)
    m.revolute("knee", left, right, at=left.end)
    m.revolute("E", right, pad, at=right.end)
    m.prismatic("guide", m.ground, pad, along=(1, 0))
    m.force("work piece", pad, (-clamping, 0))
    return m


m = toggle_clamp(math.radians(30))
m.measure("height", point=m["left"].end, along=(0, 1))  # of the knee above the line of the bearings
m.drive("hand", m["height"], f"{l}*sin(pi/6)*(1 - t/10)")

run = da.kinematics(m, times=np.linspace(0, 10, 201))  # slowly: inertia hardly counts

# Virtual work: the knee comes down by l cos(angle) while the pad goes out by 2 l sin(angle): hand = 2 clamping tan(angle).
angle = np.arcsin(run["height"] / l)
assert np.max(np.abs(run["hand"].effort + 2 * clamping * np.tan(angle))) < 0.1
for degrees in (30, 10, 1, 0.1):
    held = toggle_clamp(math.radians(degrees))
    held.force("hand", held["left"], (0, -1), at=held["left"].end)  # its direction; its size is asked for
    hand = da.holding_load(held, "hand").value
    assert abs(hand - 2 * clamping * math.tan(math.radians(degrees))) < 1e-9 * clamping

# In the dead centre itself the work piece pushes, and no hand is needed; nor could any hand say how hard it clamps.
dead = toggle_clamp(0.0)
dead.force("hand", dead["left"], (0, -50.0), at=dead["left"].end)
try:
    da.holding_load(dead, "work piece")
except da.SingularError as error:
    told = str(error)
assert "'work piece' does no work" in told

if __name__ == "__main__":
    for k in (0, 100, 180):
        print(f"{np.degrees(angle[k]):5.1f} degrees: hand {-run['hand'].effort[k]:7.1f} N, clamp {clamping:.0f} N")
    print(told)
    print(run.audit)
    run.draw("out/toggle_clamp.png", at="start", ghosts=3, arrows="reactions")
