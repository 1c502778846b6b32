"""A roller follows a cam as long as the spring can hold it; too fast, it flies and lands with blows."""

import math

import dalembert as da

speed, lift, base, stiffness, preload, mass, g = 300.0, 0.01, 0.04, 8000.0, 80.0, 0.4, 9.81

m = da.Mechanism("valve train", plane=True, gravity=(0, -g))
camshaft = m.body("camshaft", da.disk(0.02, mass=2.0))
valve = m.body("valve", da.rod(0.12, mass=mass), at=(0, base + 0.06), angle=math.pi / 2)
shaft = m.revolute("O", m.ground, camshaft, at=(0, 0))
guide = m.prismatic("guide", m.ground, valve, along=(0, 1), at=valve.start)
law = f"{lift / 2}*(1 - cos(theta))"
m.cam("cam", shaft, guide, lift=law, follower="roller", radius=0.01, base=base, restitution=0.3)
m.drive("motor", shaft.angle, f"{speed}*t")
m.spring("coil", guide, stiffness=stiffness, force=preload)

run = da.simulate(m, until=0.06, output=2e-4)

# It leaves where m (g + w^2 s'') + F0 + k s is zero; below the limit speed that is nowhere.
angle = math.acos(-(mass * g + preload + stiffness * lift / 2) / (lift / 2 * (mass * speed**2 - stiffness)))
limit = math.sqrt((mass * g + preload + stiffness * lift) / (mass * lift / 2))
assert abs(speed * run.events[0].t - angle) < 1e-6 and limit < speed
# Every turn is like the one before: it has settled on the cam before it leaves again.
leaves = [x.t for x in run.events.of("release")]
assert all(abs(b - a - 2 * math.pi / speed) < 1e-9 for a, b in zip(leaves, leaves[1:]))

if __name__ == "__main__":
    print(f"lifts off above {limit:.0f} rad/s; at {speed:.0f} rad/s at {math.degrees(angle):.1f} degrees of every turn")
    print(run.audit)
    run.draw("out/valve_train.png", at=0.004, arrows={"reactions": ["cam", "guide"]})
