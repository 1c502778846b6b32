"""An excavator digs: three cylinders move boom, stick and bucket; which forces do they need?"""

import numpy as np

import dalembert as da

boom_l, stick_l, bucket_l = 3.0, 1.8, 0.9  # from pin to pin, and to the teeth [m]
masses = {"boom": 420.0, "stick": 210.0, "bucket": 340.0}  # the bucket with its earth [kg]
g = 9.81

m = da.Mechanism("excavator", plane=True, gravity=(0, -g))
# boom and stick by their masses alone: what is drawn of them spans the points where something is fixed
boom = m.body("boom", mass=masses["boom"], inertia=masses["boom"] * boom_l**2 / 12, at=(1.20, 1.90), angle=0.66)
stick = m.body("stick", mass=masses["stick"], inertia=masses["stick"] * stick_l**2 / 12, at=(2.80, 2.45), angle=-0.74)
bucket = m.body("bucket", da.triangle(bucket_l, 0.3, mass=masses["bucket"]), at=(3.90, 1.70), angle=-0.3)
m.revolute("foot", m.ground, boom, at=(0, 1), on=boom.point(-boom_l / 2, 0))
m.revolute("elbow", boom, stick, on=[boom.point(boom_l / 2, 0), stick.point(0.3 - stick_l / 2, 0)])
m.revolute("wrist", stick, bucket, on=[stick.point(stick_l / 2, 0), bucket.left])
# a cylinder is a length between two points that a pump prescribes
m.measure("boom cylinder", between=(m.ground.point(0.5, 0.6), boom.point(0.0, -0.2)))
m.measure("stick cylinder", between=(boom.point(0.1, 0.3), stick.point(-stick_l / 2, 0)))
m.measure("bucket cylinder", between=(stick.point(-0.2, 0.25), bucket.apex))
m.drive("boom pump", m["boom cylinder"], "1.42 - 0.20*step(t, 0.5, 0, 3, 1) + 0.28*step(t, 5, 0, 8, 1)")
m.drive("stick pump", m["stick cylinder"], "1.35 + 0.28*step(t, 2, 0, 5, 1) - 0.15*step(t, 6, 0, 8, 1)")
m.drive("bucket pump", m["bucket cylinder"], "1.39 + 0.24*step(t, 3, 0, 6, 1)")

found = da.inverse_dynamics(m, times=np.linspace(0, 8.5, 171))
run = found.run
assert found.spread < 1e-9

# At the start nothing moves yet.  Moments about the foot of the boom: the cylinder carries all three weights.
pose = run.resample(0.0)
low, high = np.array([0.5, 0.6]), pose["boom"].point(0.0, -0.2).position[0]
push = (high - low) / np.linalg.norm(high - low)
lever = (high - (0, 1))[0] * push[1] - (high - (0, 1))[1] * push[0]
weights = sum(mass * g * pose[name].point(m[name].center).position[0, 0] for name, mass in masses.items())
assert abs(found["boom pump"].multiplier[0] * lever - weights) < 1e-9 * weights

# What the pumps do is what the weights gain: all at rest again in the end.
power = sum(run[name].power for name in ("boom pump", "stick pump", "bucket pump"))
gained = run.energy.potential[-1] - run.energy.potential[0]
assert abs(np.trapezoid(power, run.t) - gained) < 1e-4 * np.ptp(run.energy.potential)

if __name__ == "__main__":
    print(found)
    print(
        f"to hold the arm the boom cylinder pushes with {found['boom pump'].multiplier[0] / 1e3:.1f} kN: {weights / 1e3:.1f} kNm over {lever:.3f} m"
    )
    print(run.audit)
    run.draw("out/excavator.png", at="start", ghosts=3, traces=[bucket.right])
