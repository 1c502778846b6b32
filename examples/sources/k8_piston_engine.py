"""One piston engine as bodies with joints and as energies with constraints: the same motion, and every reaction (PRINCIPLES)."""

import math

import numpy as np

import dalembert as da

# crank 1 (its mass centre at c), rod 2 (its mass centre at a from the crank pin), piston 3
m1, m2, m3, J1, J2 = 1.0, 0.8, 0.5, 0.02, 0.015  # kg, kg m²
r, l, a, c = 0.1, 0.35, 0.12, 0.03  # m
speed = 40.0  # rad/s at the start, with the crank towards the piston

# Bodies and joints: what touches what.
m = da.Mechanism("piston engine", plane=True)
crank = m.body("crank", mass=m1, inertia=J1, at=(c, 0))
rod = m.body("rod", mass=m2, inertia=J2, at=(r + a, 0))
piston = m.body("piston", da.block(0.08, 0.06, mass=m3), at=(r + l, 0))
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("A", crank, rod, at=(r, 0))
m.revolute("B", rod, piston, at=(r + l, 0))
m.prismatic("bore", m.ground, piston, along=(1, 0))
m.start(m["O"].angle, rate=speed)

# Energies and rows: the source's seven coordinates, phi counted downwards from the line of the piston, and six constraints.
engine = da.Lagrangian(
    "x1 y1 x2 y2 theta phi s",
    kinetic="m1*(rate(x1)**2 + rate(y1)**2)/2 + J1*rate(theta)**2/2 + m2*(rate(x2)**2 + rate(y2)**2)/2 + J2*rate(phi)**2/2"
    " + m3*rate(s)**2/2",
    holonomic={
        "f1": "s - r*cos(theta) - l*cos(phi)",
        "f2": "-r*sin(theta) + l*sin(phi)",
        "f3": "x1 - c*cos(theta)",
        "f4": "y1 - c*sin(theta)",
        "f5": "x2 - r*cos(theta) - a*cos(phi)",
        "f6": "y2 - (l - a)*sin(phi)",
    },
    parameters={"m1": m1, "m2": m2, "m3": m3, "J1": J1, "J2": J2, "r": r, "l": l, "a": a, "c": c},
    name="piston engine",
)
engine.start("theta", 0.0, rate=speed)
for name, value in (("x1", c), ("x2", r + a), ("s", r + l)):  # the piston is on the right, not on the left
    engine.guess(name, value)

tight = {"until": 2 * math.pi / speed, "output": math.pi / (180 * speed), "rtol": 1e-12, "atol": 1e-13}
run, other = da.simulate(m, **tight), da.simulate(engine, **tight)


def apart(x, y):
    """Largest difference, relative to the largest value."""
    return float(np.max(np.abs(np.asarray(x) - y)) / np.max(np.abs(y)))


# One motion.
assert apart(other["theta"], run["O.angle"]) < 1e-10
assert apart(other["s"], run["piston"].position[:, 0]) < 1e-10

# One set of reactions: the multipliers are not pin forces but sums of them.  The source writes them with the other sign, l = -lambda.
l1, l2, l3, l4, l5, l6 = -other.lam.T
reactions = {
    "O on crank": (np.column_stack([l1 + l3 + l5, l2 + l4]), run["O"].force),
    "A on crank": (-np.column_stack([l1 + l5, l2]), run["A"].on("crank").force),
    "B on piston": (np.column_stack([l1, l2 - l6]), run["B"].force),
    "wall on piston": (l6 - l2, run["bore"].force[:, 1]),
}
assert all(apart(*pair) < 1e-10 for pair in reactions.values())

# By hand, at the start: the inertia I(theta) seen at the crank has its extreme in line with the rod, so the crank does not accelerate
# there, and the piston is drawn back by r w² + l (r w/l)² = r w² (1 + r/l): the rod pulls it with m3 times that.
pull = m3 * r * speed**2 * (1 + r / l)
assert abs(-run["B"].force[0, 0] / pull - 1) < 1e-10 and abs(-l1[0] / pull - 1) < 1e-10

# The energy is that of one coordinate, T = I(theta) theta'²/2.
theta, rate = np.asarray(run["O.angle"]), np.asarray(run["O.angle"].rate)
sine = r / l * np.sin(theta)
slide, turn = (
    -r * (np.sin(theta) + np.cos(theta) * sine / np.sqrt(1 - sine**2)),
    r / l * np.cos(theta) / np.sqrt(1 - sine**2),
)
inertia = J1 + m1 * c**2 + m2 * (l - a) / l * r**2 + (m3 + m2 * a / l) * slide**2 + (J2 - m2 * a * (l - a)) * turn**2
assert apart(inertia * rate**2 / 2, run.energy.kinetic) < 1e-10

if __name__ == "__main__":
    for name, pair in reactions.items():
        print(f"{name:16} largest {np.max(np.abs(pair[1])):8.3f} N, both ways agree to {apart(*pair):.0e}")
    print(f"{'':16} B pulls the piston with {pull:.3f} N at the start, by hand and by both\n")
    print(da.verify(engine), "\n")
    print(run.audit)
    run.plot("mechanism", "O.angle", "A", "bore", path="out/k8_piston_engine.png")
