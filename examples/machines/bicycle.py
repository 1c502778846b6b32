"""The Whipple bicycle: stable by itself between 4.3 and 6.0 m/s (J. P. Meijaard and others 2007; benchmarks C01, A08)."""

import math

import numpy as np

import dalembert as da

base, trail, tilt, g = 1.02, 0.08, math.pi / 10, 9.81
rear_radius, front_radius = 0.3, 0.35


def bicycle(speed, lean_rate=0.0):
    """Rear wheel, frame with rider, fork, front wheel, upright; x forward, y to the left, z up."""
    m = da.Mechanism("bicycle", plane=False, gravity=(0, 0, -g))
    rear = m.body("rear_wheel", mass=2.0, inertia=(0.0603, 0.12, 0.0603), at=(0, 0, rear_radius))
    frame = m.body("frame", mass=85.0, inertia=((9.2, 0, -2.4), (0, 11, 0), (-2.4, 0, 2.8)), at=(0.3, 0, 0.9))
    tensor = ((0.05892, 0, 0.00756), (0, 0.06, 0), (0.00756, 0, 0.00708))
    fork = m.body("fork", mass=4.0, inertia=tensor, at=(0.9, 0, 0.7))
    front = m.body("front_wheel", mass=3.0, inertia=(0.1405, 0.28, 0.1405), at=(base, 0, front_radius))
    m.revolute("rear_hub", frame, rear, at=(0, 0, rear_radius), axis="y")
    m.revolute(
        "steer",
        frame,
        fork,
        at=(base + trail - 0.8 * math.tan(tilt), 0, 0.8),
        axis=(math.sin(tilt), 0, -math.cos(tilt)),
    )
    m.revolute("front_hub", fork, front, at=(base, 0, front_radius), axis="y")
    m.rolling_disk("rear", m.ground, rear, radius=rear_radius, axis="y", through=(0, 0, 0))
    m.rolling_disk("front", m.ground, front, radius=front_radius, axis="y", through=(0, 0, 0))
    m.start(m["rear"].x, rate=speed)
    m.start(m["steer"].angle, rate=0.0)
    m.start(m["rear"].tilt, rate=lean_rate)
    return m


# 24 velocities, 21 rows: lean, steer and speed
assert da.mobility(bicycle(5.0)).dof == 3

# eigenvalues at 5 m/s: capsize, weave, caster, as published; place, heading and wheel turns add zeros
linear = da.linearize(bicycle(5.0))
moving = [s for s in linear.eigenvalues if abs(s) > 1e-3]
assert np.allclose(sorted(s.real for s in moving), [-14.07838969, -0.77534188, -0.77534188, -0.32286643], atol=1e-7)
assert abs(max(s.imag for s in moving) - 4.46486771) < 1e-7
# it falls below the weave speed 4.292 m/s, and slowly above the capsize speed 6.024 m/s
assert [da.linearize(bicycle(v)).stable for v in (4.2, 4.4, 5.9, 6.2)] == [False, True, True, False]

# pushed to the side at 4.6 m/s it steers into the fall and recovers: lean after 1 and 5 s from an independent program
run = da.simulate(bicycle(4.6, lean_rate=0.5), until=5.0, output=0.02, rtol=1e-10, atol=1e-11)
lean = np.arcsin(run["frame"].rotation[:, 2, 1])
assert abs(lean[50] - -0.041293869717) < 1e-8 and abs(lean[-1] - 0.010342440647) < 1e-8
assert min(run["rear"].normal.min(), run["front"].normal.min()) > 0
# nothing dissipates
assert np.ptp(run.energy.total) < 1e-9 * run.energy.total[0]

if __name__ == "__main__":
    print(linear)
    print("by itself it falls below 4.29 m/s (weave) and, slowly, above 6.02 m/s (capsize)")
    print(f"pushed at 4.6 m/s it leans by {np.degrees(abs(lean)).max():.1f} degrees, steers into the fall and recovers")
    print(run.audit)
    run.draw("out/bicycle.png", names=["bodies", "steer"], view=(-70, 15))
