"""Fifty disks fall into a box: impacts, friction and rest of 1,375 contacts by steps of one length, and nothing gains energy."""

from pathlib import Path

import numpy as np

import dalembert as da

random = np.random.default_rng(7)
m = da.Mechanism("pile", plane=True, gravity=(0, -9.81))
disks = []
for k in range(50):
    radius = random.uniform(0.035, 0.06)
    at = (0.13 * (k % 6) - 0.33 + random.uniform(-0.005, 0.005), 0.1 + 0.13 * (k // 6))
    disks.append(m.body(f"d{k}", da.disk(radius, mass=800 * np.pi * radius**2 * 0.05), at=at))
surface = {"mu": 0.3, "restitution": 0.2}
m.contact("pile", disks, **surface)
m.contact("floor", m.ground, disks, **surface)
m.contact("left", m.ground, disks, normal=(1, 0), through=(-0.4, 0), **surface)
m.contact("right", m.ground, disks, normal=(-1, 0), through=(0.4, 0), **surface)

run = da.simulate(m, until=2.0, method="moreau", step=1e-3)

# the work of contacts and friction is what is missing; the box carries the weight as soon as all is at rest
energy = np.asarray(run.energy.total)
weight = 9.81 * sum(800 * np.pi * d.shape.radius**2 * 0.05 for d in disks)
carried = sum(run[f"{wall}_d{k}"].force[:, 1] for wall in ("floor", "left", "right") for k in range(50))
assert np.diff(energy).max() <= 1e-9 * energy[0] and abs(energy[0] - energy[-1] - run.dissipated[-1]) < 1e-9 * energy[0]
assert abs(carried[-20:].mean() / weight - 1) < 0.01


def picture(path):
    """Four instants of the pile, with the forces between the disks as lines as thick as they press."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(12, 4.6), layout="constrained", sharey=True)
    for axis, t in zip(axes, (0.0, 0.25, 0.6, 2.0)):
        k = int(np.argmin(np.abs(run.t - t)))
        x, y = (np.array([run[d.name].position[k, i] for d in disks]) for i in (0, 1))
        for d, a, b in zip(disks, x, y):
            turn = run[d.name].angle[k]
            axis.add_patch(plt.Circle((a, b), d.shape.radius, fc="#dfe7ee", ec="#33475b", lw=0.8))
            axis.plot(
                [a, a + d.shape.radius * np.cos(turn)], [b, b + d.shape.radius * np.sin(turn)], color="#33475b", lw=0.6
            )
        for i in range(50):
            for j in range(i + 1, 50):
                press = run[f"pile_d{i}_d{j}"].normal[k]
                if press > 0:
                    axis.plot(x[[i, j]], y[[i, j]], color="#c0392b", lw=min(0.08 * press, 6), solid_capstyle="round")
        axis.plot([-0.4, -0.4, 0.4, 0.4], [1.3, 0, 0, 1.3], color="k", lw=1.5)
        axis.set(aspect="equal", xlim=(-0.45, 0.45), ylim=(-0.03, 1.3), title=f"t = {run.t[k]:.2f} s")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


if __name__ == "__main__":
    print(f"{energy[0]:.4f} J fall to {energy[-1]:.4f} J; contacts and friction took {run.dissipated[-1]:.4f} J")
    print(run.audit)
    picture(Path("out/35_pile.png"))
