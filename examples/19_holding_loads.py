"""What holds a scissor lift, and what a toggle clamp makes of a small force: virtual work, without any reaction."""

import math

import numpy as np

import dalembert as da

g, a, arm, load = 9.81, 0.8, 25.0, 400.0  # half an arm [m], mass of an arm, mass on the table [kg]


def scissor_lift(theta, law="0"):
    """Two crossed arms at an angle theta from the floor, one pinned, one on a roller that a cylinder pushes; a table on top."""
    m = da.Mechanism("scissor lift", plane=True, gravity=(0, -g))
    w, h = 2 * a * math.cos(theta), 2 * a * math.sin(theta)
    up = m.body("up", da.rod(length=2 * a, mass=arm), at=(w / 2, h / 2), angle=theta)
    down = m.body("down", da.rod(length=2 * a, mass=arm), at=(w / 2, h / 2), angle=-theta)
    table = m.body("table", da.block(2.0, 0.1, mass=load), at=(w / 2, h))
    m.revolute("pin", m.ground, up, at=(0, 0))
    m.revolute("middle", up, down, at=(w / 2, h / 2))
    m.pin_in_slot("roller", m.ground, down, at=(w, 0), along=(1, 0))
    m.revolute("hinge", down, table, at=(0, h))
    m.pin_in_slot("rail", table, up, at=(w, h), along=(1, 0))
    m.drive("cylinder", m["roller"].slide, law)  # from the drawn pose
    return m


# Height 2 a sin, roller at 2 a cos; both arms have their mass centres at half the height: force (load + arm) g / tan.
for degrees in (10, 30, 60):
    held = da.holding_load(scissor_lift(math.radians(degrees)), "cylinder")
    assert abs(held.value + (load + arm) * g / math.tan(math.radians(degrees))) < 1e-9 * abs(held.value)


def toggle_clamp(angle, hand):
    """Two links of 0.15 m at an angle from their straight line; a hand presses the knee down, a pad clamps along x."""
    m = da.Mechanism("toggle clamp", plane=True)
    x, y = 0.15 * math.cos(angle), 0.15 * math.sin(angle)
    left = m.body("left", da.rod(length=0.15, mass=0.2), at=(x / 2, y / 2), angle=angle)
    right = m.body("right", da.rod(length=0.15, mass=0.2), at=(1.5 * x, y / 2), angle=-angle)
    pad = m.body("pad", da.block(0.04, 0.04, mass=0.1), at=(2 * x, 0))
    m.revolute("O", m.ground, left, at=(0, 0))
    m.revolute("knee", left, right, at=(x, y))
    m.revolute("E", right, pad, at=(2 * x, 0))
    m.prismatic("guide", m.ground, pad, along=(1, 0))
    m.force("hand", left, (0, -hand), at=left.end)
    m.force("clamp", pad, (-1, 0))  # its direction; its size is asked for
    return m


# The nearer to the dead centre, the larger the force: hand / (2 tan(angle)) ...
for angle in (0.5, 0.1, 0.01, 0.001):
    clamp = da.holding_load(toggle_clamp(angle, hand=50.0), "clamp")
    assert abs(clamp.value - 50.0 / (2 * math.tan(angle))) < 1e-9 * clamp.value
# ... and in the dead centre itself no clamp force does any work: the error says so.
try:
    da.holding_load(toggle_clamp(0.0, hand=50.0), "clamp")
except da.SingularError as error:
    told = str(error)
assert "'clamp' does no work" in told

# Raised at 1 cm/s, where inertia hardly counts, the cylinder needs the holding load all the way.
lift = scissor_lift(math.radians(15), law="-0.01*t")
run = da.kinematics(lift, times=np.linspace(0, 100, 101))
theta = np.arccos((2 * a * math.cos(math.radians(15)) - 0.01 * run.t) / (2 * a))
assert np.max(np.abs(run["cylinder"].effort * np.tan(theta) / ((load + arm) * g) + 1)) < 1e-3
# The same pose by pose: stop the motion anywhere and ask.
state = run.at(40.0)
held = da.holding_load(lift, "cylinder", state=da.State(state.t, state.q, 0 * state.v))
assert abs(held.value + (load + arm) * g / math.tan(theta[40])) < 1e-9 * abs(held.value)

if __name__ == "__main__":
    print(held)
    print(clamp)
    print(told)
    print(run.audit)
    run.plot(path="out/19_holding_loads.png")
