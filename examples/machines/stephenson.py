"""A Stephenson six-bar whose output rests while its crank turns on: a coupler curve with a piece that is nearly a circle."""

import numpy as np

import dalembert as da

a, b, c, d, h = 0.050, 0.230, 0.175, 0.115, 0.120  # crank, base and height of the coupler, rocker, bearings [m]
link_l, output_l, pivot = 0.138, 0.100, (0.131, 0.045)  # the second loop: link, output, its bearing
mu = 2.0  # kg per metre of a bar

m = da.Mechanism("Stephenson six-bar", plane=True, gravity=(0, -9.81))
crank = m.body("crank", da.rod(a, mass=mu * a), at=(0.025, 0))
coupler = m.body("coupler", da.triangle(b, h, mass=2 * mu * b), at=(0.15, 0.05), angle=0.48)
rocker = m.body("rocker", da.rod(c, mass=mu * c), at=(0.18, 0.05), angle=0.65)
coupling = m.body("coupling", da.rod(link_l, mass=mu * link_l), at=(0.06, 0.10), angle=-2.0)
follower = m.body("follower", da.rod(output_l, mass=mu * output_l), at=(0.08, 0.04), angle=3.2)
m.revolute("A", m.ground, crank, at=(0, 0), on=crank.start)
m.revolute("B", crank, coupler, on=[crank.end, coupler.left])
m.revolute("C", coupler, rocker, on=[coupler.right, rocker.end])
m.revolute("D", m.ground, rocker, at=(d, 0), on=rocker.start)
m.revolute("P", coupler, coupling, on=[coupler.apex, coupling.start])
m.revolute("G", coupling, follower, on=[coupling.end, follower.end])
m.revolute("E", m.ground, follower, at=pivot, on=follower.start)
m.drive("motor", m["A"].angle, "2*pi*t")

run = da.kinematics(m, times=np.linspace(0, 1, 361))
theta = 2 * np.pi * run.t


def apex(p, to_p, q, to_q, side):
    """Third corner of triangles over p and q, with given sides; on the left of p to q if side is 1."""
    base = q - p
    length = np.hypot(*base.T)[:, None]
    x = (to_p**2 - to_q**2 + length**2) / (2 * length)
    return p + (x * base + side * np.sqrt(to_p**2 - x**2) * np.column_stack([-base[:, 1], base[:, 0]])) / length


# Triangle by triangle: C from B and D, P from B and C, G from P and E.
B = a * np.column_stack([np.cos(theta), np.sin(theta)])
C = apex(B, b, np.tile((d, 0.0), (361, 1)), c, 1)
P = apex(B, np.hypot(b / 2, h), C, np.hypot(b / 2, h), 1)
G = apex(P, link_l, np.tile(pivot, (361, 1)), output_l, -1)
assert np.max(np.abs(run["follower"].point(follower.end).position - G)) < 1e-12

# The output swings by 42 degrees, and rests within 0.15 degrees while the crank turns from 75 to 175 degrees.
swing, rest = np.ptp(run["follower"].angle), np.ptp(run["follower"].angle[75:176])
assert abs(np.degrees(swing) - 42.3) < 0.1 and np.degrees(rest) < 0.15

if __name__ == "__main__":
    print(
        f"the output swings by {np.degrees(swing):.1f} degrees and rests within {np.degrees(rest):.2f} for 100 degrees of the crank"
    )
    print(run.audit)
    run.draw("out/stephenson.png", at=0.15, ghosts=3, traces=[coupler.apex, follower.end])
