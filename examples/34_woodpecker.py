"""A woodpecker on its pole: impacts with friction, sticking and sliding, until the toy pecks its way down in a steady rhythm (Glocker's data)."""

from pathlib import Path

import numpy as np

import dalembert as da

# masses [kg], inertias [kg m^2], spring [N m/rad], lengths [m], coefficient of friction
numbers = {
    "mM": 3e-4, "JM": 5e-9, "mS": 4.5e-3, "JS": 7e-7, "c": 0.0056, "r0": 0.0025, "rM": 0.0031, "hM": 0.0058,
    "lM": 0.01, "lG": 0.015, "hS": 0.02, "lS": 0.0201, "mu": 0.3,
}  # fmt: skip
tilted, swung, sinks, swings = -0.0006 / 0.0058, -0.2788, -0.3411, -7.4583

m = da.Mechanism("woodpecker", plane=True, gravity=(0, -9.81))
for name, value in numbers.items():
    m.parameter(name, value)

# sleeve and bird move along the pole; their rotations, which are small, stand beside it
m.particle("sleeve", mass="mM", at=(0, 0), velocity=(0, sinks))
m.particle("bird", mass="mS", at=(0.05, 0.01 * tilted + 0.015 * swung), velocity=(0, sinks + 0.015 * swings))
tilt = m.body("tilt", mass=1.0, inertia="JM", at=(0.1, 0), angle=tilted, spin=0.0)
swing = m.body("swing", mass=1.0, inertia="JS", at=(0.15, 0), angle=swung, spin=swings)
m.revolute("M", m.ground, tilt, at=(0.1, 0))
m.revolute("S", m.ground, swing, at=(0.15, 0))
m.constraint("pole of the sleeve", "sleeve.x")
m.constraint("pole of the bird", "bird.x - 0.05")
m.constraint("arm", "bird.y - sleeve.y - lM*tilt.angle - lG*swing.angle")
m.spring("spring", m.measure("twist", "tilt.angle - swing.angle"), stiffness="c")

# the beak on the pole, and the two edges of the sleeve in their play
m.impact("beak", "lM + lG - lS - r0 - hS*swing.angle", restitution=0.5)
m.impact("bottom", "rM - r0 + hM*tilt.angle")
m.impact("top", "rM - r0 - hM*tilt.angle")
m.friction("beak rubs", "beak", mu="mu", along="sleeve.y + lM*tilt.angle + (lG - lS)*swing.angle")
m.friction("bottom rubs", "bottom", mu="mu", along="sleeve.y + rM*tilt.angle")
m.friction("top rubs", "top", mu="mu", along="sleeve.y + rM*tilt.angle")

run = da.simulate(m, until=1.5, rtol=1e-9, atol=1e-12)
hits = run.events["beak"].of("impact")
period = float(np.mean(np.diff(hits.times)[-4:]))
drop = -float(np.mean(np.diff([x.before.q[1] for x in hits])[-4:]))

# Glocker's toy, by Moreau steps of 1e-5 s: 0.0810 s, 0.1460 s, 19.44 mm
assert abs(hits[0].t - 0.0810) < 1e-4 and abs(period - 0.1460) < 1e-4 and abs(drop - 0.01944) < 1e-4
assert all(x.dissipated >= 0 for x in run.events.of("impact"))


def picture(path):
    """Height, tilt and swing over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(8, 6), layout="constrained")
    for axis, (text, x) in zip(axes, (("height [mm]", 1e3 * run["sleeve"].position[:, 1]), ("sleeve [rad]", run["tilt"].angle), ("bird [rad]", run["swing"].angle))):  # fmt: skip
        axis.plot(run.t, x)
        axis.set_ylabel(text)
    axes[-1].set_xlabel("t [s]")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


if __name__ == "__main__":
    print(f"first blow at {hits[0].t:.4f} s; a period of {period:.4f} s, {1e3 * drop:.2f} mm down in each")
    print(run.work)
    print(run.audit)
    picture(Path("out/34_woodpecker.png"))
