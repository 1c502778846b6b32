"""A cam with a flat-faced follower and a spring: the law is followed to the last digits, until the cam turns too fast and the follower flies."""

import math
from pathlib import Path

import numpy as np

import dalembert as da

lift, base, mass, stiffness, preload, g = 0.012, 0.03, 0.4, 4000.0, 60.0, 9.81


def valve_train(speed):
    """Driven cam with the lift h/2 (1 - cos theta), follower in its guide, spring; speed in rad/s."""
    m = da.Mechanism("valve train", plane=True, gravity=(0, -g))
    cam = m.body("camshaft", da.disk(base, mass=2.0))
    follower = m.body("follower", da.block(0.05, 0.004, mass=mass), at=(0, base + 0.002))
    shaft = m.revolute("O", m.ground, cam, at=(0, 0))
    guide = m.prismatic("guide", m.ground, follower, along=(0, 1))
    m.drive("motor", shaft, f"{speed!r}*t")
    m.spring("coil", guide, stiffness=stiffness, force=preload)
    m.cam("cam", shaft, guide, lift=f"{lift / 2}*(1 - cos(theta))", follower="flat", base=base, restitution=0.3)
    return m


# The force m (g + w^2 s'') + F0 + k s is smallest at the top, where s'' = -h/2: there the follower would begin to fly.
limit = math.sqrt((mass * g + preload + stiffness * lift) / (mass * lift / 2))
runs = {f: da.simulate(valve_train(f * limit), until=2 * 2 * math.pi / limit, rtol=1e-10) for f in (0.95, 1.3)}

run = runs[0.95]
law = lift / 2 * (1 - np.cos(0.95 * limit * run.t))
assert not run.events and np.max(np.abs(np.asarray(run["guide"].slide) - law)) < 1e-10

# Above the limit it leaves where the force is zero, and lands with blows.
w, flying = 1.3 * limit, runs[1.3].events
angle = math.acos(-(mass * g + preload + stiffness * lift / 2) / (lift / 2 * (mass * w * w - stiffness)))
assert abs(w * flying.of("release")[0].t - angle) < 1e-8
assert all(hit.dissipated >= 0.0 for hit in flying.of("impact"))


def picture(path):
    """Profile of the cam, way of the follower, contact force."""
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    left.plot(*(1e3 * valve_train(w)["cam"].outline()).T, "k")
    left.set(aspect="equal", title="profile [mm]")
    for f, each in runs.items():
        turns = f * limit * each.t / (2 * math.pi)
        middle.plot(turns, 1e3 * np.asarray(each["guide"].slide), label=f"{f:.0%} of the limit")
        right.plot(turns, each["cam"].normal)
    middle.set(xlabel="turns", title="follower [mm]")
    right.set(xlabel="turns", title="contact force [N]")
    middle.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


if __name__ == "__main__":
    print(
        f"lift-off above {limit * 30 / math.pi:.0f} rpm; at {w * 30 / math.pi:.0f} rpm at {math.degrees(angle):.3f} degrees"
    )
    print(flying[0], *flying.of("rest"), sep="\n")
    print(run.audit)
    print(runs[1.3].audit)
    picture(Path("out/33_cam.png"))
