"""The Whipple bicycle of J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab (2007), doi 10.1098/rspa.2007.1857, table 1.

Four bodies: rear wheel, frame with rider, fork with handlebar, front wheel; sharp wheels that roll without slipping.  The paper has z
downwards; here x points forward, y to the left and z upwards, so products of inertia change their sign and the steering angle is counted
about the downward steering axis, positive to the right as in the paper.
"""

import math

import dalembert as da

BASE, TRAIL, TILT, GRAVITY = 1.02, 0.08, math.pi / 10, 9.81
REAR, FRONT = 0.3, 0.35


def bicycle(speed, lean_rate=0.0):
    """The bicycle upright and unsteered, with a forward speed and a rate of lean (positive to the right)."""
    m = da.Mechanism("bicycle", plane=False, gravity=(0, 0, -GRAVITY))
    rear = m.body("rear_wheel", mass=2.0, inertia=(0.0603, 0.12, 0.0603), at=(0, 0, REAR))
    frame = m.body("frame", mass=85.0, inertia=((9.2, 0, -2.4), (0, 11, 0), (-2.4, 0, 2.8)), at=(0.3, 0, 0.9))
    tensor = ((0.05892, 0, 0.00756), (0, 0.06, 0), (0.00756, 0, 0.00708))
    fork = m.body("fork", mass=4.0, inertia=tensor, at=(0.9, 0, 0.7))
    front = m.body("front_wheel", mass=3.0, inertia=(0.1405, 0.28, 0.1405), at=(BASE, 0, FRONT))
    m.revolute("rear_hub", frame, rear, at=(0, 0, REAR), axis="y")
    m.revolute("steer", frame, fork, at=(BASE + TRAIL, 0, 0), axis=(math.sin(TILT), 0, -math.cos(TILT)))
    m.revolute("front_hub", fork, front, at=(BASE, 0, FRONT), axis="y")
    m.rolling_disk("rear", m.ground, rear, radius=REAR, axis="y", through=(0, 0, 0))
    m.rolling_disk("front", m.ground, front, radius=FRONT, axis="y", through=(0, 0, 0))
    m.start(m["rear"].x, rate=speed)
    m.start(m["steer"].angle, rate=0.0)
    # the cosine of the wheel axis (to the left) and the vertical is the sine of the lean to the right
    m.start(m["rear"].tilt, rate=lean_rate)
    return m
