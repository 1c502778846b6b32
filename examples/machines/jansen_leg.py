"""Theo Jansen's leg: eleven bars with his thirteen numbers turn a crank into a step."""

import numpy as np

import dalembert as da

# Theo Jansen's "holy numbers", here in millimetres
a, b, c, d, e, f, g, h, i, j, k, l, crank_l = (
    x / 1000 for x in (38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0)
)
mu = 0.1  # kg per metre of a bar

# where the pins are when the crank points to the right, roughly
O, Q, M = (0, 0), (-a, -l), (0.015, 0)  # crankshaft, bearing on the frame, crank pin
X, Y, Z, W, F = (-0.024, 0.031), (-0.075, 0.008), (-0.027, -0.046), (-0.059, -0.028), (-0.043, -0.092)  # F is the foot
bars = {
    "crank": (crank_l, O, M),
    "j": (j, M, X),
    "b": (b, Q, X),
    "e": (e, X, Y),
    "d": (d, Q, Y),
    "k": (k, M, Z),
    "c": (c, Q, Z),
    "f": (f, Y, W),
    "g": (g, Z, W),
    "h": (h, W, F),
    "i": (i, Z, F),
}
# which ends meet; a pin that joins three bars is two joints, one that joins four bars is three
pins = {
    "Mj": ("crank", "end", "j", "start"),
    "Mk": ("crank", "end", "k", "start"),
    "Xb": ("j", "end", "b", "end"),
    "Xe": ("j", "end", "e", "start"),
    "Yd": ("e", "end", "d", "end"),
    "Yf": ("e", "end", "f", "start"),
    "Zc": ("k", "end", "c", "end"),
    "Zg": ("k", "end", "g", "start"),
    "Zi": ("k", "end", "i", "start"),
    "Wg": ("f", "end", "g", "end"),
    "Wh": ("f", "end", "h", "start"),
    "F": ("h", "end", "i", "end"),
}

m = da.Mechanism("Jansen leg", plane=True, gravity=(0, -9.81))
for name, (length, p, q) in bars.items():
    middle, angle = np.add(p, q) / 2, np.arctan2(q[1] - p[1], q[0] - p[0])
    m.body(name, da.rod(length, mass=mu * length), at=tuple(middle), angle=angle)
m.revolute("O", m.ground, m["crank"], at=O, on=m["crank"].start)
for name in ("b", "d", "c"):
    m.revolute(f"Q{name}", m.ground, m[name], at=Q, on=m[name].start)
for name, (one, its, other, others) in pins.items():
    m.revolute(name, m[one], m[other], on=[getattr(m[one], its), getattr(m[other], others)])
m.drive("motor", m["O"].angle, "2*pi*t")

run = da.kinematics(m, times=np.linspace(0, 1, 361))
foot = run["h"].point(m["h"].end).position

# 11 bars with 3 freedoms each, 16 pins with 2 conditions each: one freedom, the crank.
assert da.mobility(m).grubler == 0 == da.mobility(m).dof  # and the motor holds that one

# Pin by pin, each the third corner of a triangle over two pins that are known.
turn = np.exp(2j * np.pi * run.t)  # the plane as complex numbers


def corner(p, to_p, q, to_q, side):
    """Third corner of triangles over p and q, on the left of p to q if side is 1."""
    base = q - p
    x = (to_p**2 - to_q**2 + abs(base) ** 2) / (2 * abs(base))
    return p + base / abs(base) * (x + side * 1j * np.sqrt(to_p**2 - x**2))


pin_m, pin_q = crank_l * turn, complex(-a, -l)
pin_x, pin_z = corner(pin_m, j, pin_q, b, -1), corner(pin_m, k, pin_q, c, 1)
pin_w = corner(corner(pin_x, e, pin_q, d, -1), f, pin_z, g, -1)
expected = corner(pin_w, h, pin_z, i, -1)
assert np.max(np.abs(foot[:, 0] + 1j * foot[:, 1] - expected)) < 1e-12

# On the ground for 43 % of a turn: 57 of its 68 mm of stride are flat within 1 mm; then it is lifted by 22 mm.
down = foot[:-1, 1] < foot[:, 1].min() + 0.001
stride, flat, lift = np.ptp(foot[:, 0]), np.ptp(foot[:-1, 0][down]), np.ptp(foot[:, 1])
assert (
    abs(stride - 0.068) < 5e-4
    and abs(flat - 0.057) < 5e-4
    and abs(lift - 0.0225) < 5e-4
    and abs(np.mean(down) - 0.43) < 0.01
)

if __name__ == "__main__":
    print(f"stride {stride * 1e3:.1f} mm, of which {flat * 1e3:.1f} mm are flat within 1 mm; lift {lift * 1e3:.1f} mm")
    print(f"the foot is down for {np.mean(down):.0%} of a turn")
    print(run.audit)
    run.draw("out/jansen_leg.png", at=0.15, ghosts=2, traces=["F"], names=["bodies"])
