"""One four-bar in five ways: in the plane, with hinges in space, tilted, driven, and on its crossed branch."""

import math

import numpy as np

import dalembert as da

g = 9.81
# pins: ground A and D, crank A-B of 1 m upright, coupler B-C of 4 m, rocker D-C of 3 m; C is where two circles meet
A, B, D = np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([4.0, 0.0])
root = math.sqrt(128.0)
OPEN = np.array([(48 + root) / 17, (5 + 4 * root) / 17])
CROSSED = np.array([(48 - root) / 17, (5 - 4 * root) / 17])
assert np.allclose(OPEN, (3.48904168, 2.95616671), atol=1e-8)
for C in (OPEN, CROSSED):
    assert abs(np.linalg.norm(C - B) - 4) < 1e-14 and abs(np.linalg.norm(C - D) - 3) < 1e-14


def fb4(name, C=OPEN, world=None):
    """FB4 in the plane, or in the plane of the first two axes of `world` in space."""
    plane = world is None
    axes = np.eye(3) if plane else world

    def put(x, y):
        return (x, y) if plane else tuple(axes @ (x, y, 0))

    m = da.Mechanism(name, plane=plane, gravity=put(0, -g))
    for link, P, Q in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        angle = math.atan2(*(Q - P)[::-1])
        c, s = math.cos(angle), math.sin(angle)
        pose = {"angle": angle} if plane else {"rotation": axes @ [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
        shape = da.rod(float(np.linalg.norm(Q - P)), section=(0.1, 0.1), density=1000.0)
        m.body(link, shape, at=put(*(P + Q) / 2), **pose)
    hinge = {} if plane else {"axis": tuple(axes[:, 2])}
    for pin, i, j, P in (
        ("A", "ground", "crank", A), ("B", "crank", "coupler", B), ("C", "coupler", "rocker", C), ("D", "ground", "rocker", D),
    ):  # fmt: skip
        m.revolute(pin, i, j, at=put(*P), **hinge)
    return m


tilt, _ = np.linalg.qr(np.array([[0.9, -0.2, 0.4], [0.3, 0.8, -0.5], [-0.2, 0.6, 0.8]]))
tilt = tilt * np.sign(np.diag(tilt))
models = {
    "planar": fb4("FB4"),
    "space": fb4("FB4, four hinges in space", world=np.eye(3)),
    "tilted": fb4("FB4, tilted", world=tilt),
    "driven": fb4("FB4, driven"),
    "crossed": fb4("FB4, crossed branch", CROSSED),
}
# from rest to rest, once round in a second
models["driven"].drive("motor", models["driven"]["A"].angle, "pi/2 + 2*pi*t - sin(2*pi*t)")

runs = {name: da.simulate(m, until=1.0 if name == "driven" else 2.0, output=0.02) for name, m in models.items()}
run = runs["planar"]

# Four hinges in space hold 20 of 18 velocities, and one freedom is left: 3 rows repeat what others say.  The motion is the same.
for name in ("space", "tilted"):
    audit = runs[name].audit
    assert audit.degrees_of_freedom == 1 and len(audit.redundant_rows) == 3
    assert np.allclose(runs[name]["A.angle"], run["A.angle"] - math.pi / 2, atol=1e-7)

# Pins C of the two branches are mirror images in the line B-D, in the drawing and, crank for crank, ever after.
across = np.array([1.0, 4.0]) / math.sqrt(17.0)
assert np.allclose(OPEN - CROSSED, 2 * across * (across @ (OPEN - B)), atol=1e-14)

# The motor starts at rest without acceleration, so its torque is the static one: by virtual work, weight times the rise of
# each centre for a unit turn of the crank.  turn(B) + w2 turn(C - B) = w3 turn(C - D) gives the turns of the others.
turn = np.array([[0.0, -1.0], [1.0, 0.0]])
w2, w3 = np.linalg.solve(np.column_stack([turn @ (OPEN - B), -turn @ (OPEN - D)]), -turn @ B)
rises = [turn @ B / 2, turn @ B + w2 * (turn @ (OPEN - B)) / 2, w3 * (turn @ (OPEN - D)) / 2]
static = sum(mass * g * rise[1] for mass, rise in zip((10.0, 40.0, 30.0), rises))
torque = runs["driven"]["motor"].effort
assert abs(torque[0] - static) < 1e-9
# After a full turn everything is back, at rest, and the motor has done no work in all.
assert np.allclose(runs["driven"].q[-1] - runs["driven"].q[0], np.eye(9)[2] * 2 * math.pi, atol=1e-9)
assert np.max(np.abs(runs["driven"].v[-1])) < 1e-9

# The same equations by five or six independent formulations.
checks = {name: da.verify(m) for name, m in models.items()}
assert all(check.agree for check in checks.values())


def pins(motion, k):
    """A, B, C, D at output k."""
    crank, rocker = (motion.model[name] for name in ("crank", "rocker"))
    ends = [motion["crank"].point(p).position[k] for p in (crank.start, crank.end)]
    return np.array([*ends, *(motion["rocker"].point(p).position[k] for p in (rocker.end, rocker.start))])


def gallery(path):
    """Five linkages in a few poses, the path of the middle of the coupler, and the turn of the cranks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 8), layout="constrained", dpi=110)
    colors = ("#0072B2", "#D55E00", "#009E73")
    for place, motion in enumerate(runs.values()):
        flat = motion.model.plane
        axes = figure.add_subplot(2, 3, place + 1, **({} if flat else {"projection": "3d"}))
        frames = np.linspace(0, len(motion.t) - 1, 9).astype(int)
        for frame in frames:
            corners = pins(motion, frame)
            for k, color in enumerate(colors):
                axes.plot(*corners[k : k + 2].T, color=color, lw=2.5, alpha=1.0 if frame == frames[0] else 0.25)
        axes.plot(*pins(motion, 0).T, "o", color="white", markeredgecolor="black", ms=5, ls="none")
        axes.plot(*motion["coupler"].position.T, color="#777777", lw=1.0, ls="--")
        axes.set_title(motion.model.name, fontsize=11, fontweight="bold")
        if not flat:
            axes.set_zlim(-1.2, 1.2)
        axes.set_aspect("equal")
        axes.set(xlabel="x [m]", ylabel="y [m]")
    axes = figure.add_subplot(2, 3, 6)
    for name, motion in runs.items():
        angle = motion["A.angle"]
        style = {"space": {"ls": "--", "lw": 4, "alpha": 0.5}, "tilted": {"ls": ":", "lw": 3}}.get(name, {})
        axes.plot(motion.t, np.degrees(angle - angle[0]), label=name, **style)
    axes.set_title("turn of the crank [deg] over time [s]", fontsize=11, fontweight="bold")
    axes.grid(color="#e3e3e3")
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    from pathlib import Path

    print(run.table())
    print(run.audit)
    print(*checks.values(), sep="\n")
    Path("out").mkdir(exist_ok=True)
    gallery("out/22_fb4_gallery.png")
    for variant, motion in runs.items():
        motion.plot(path=f"out/22_fb4_gallery_{variant}.png")
