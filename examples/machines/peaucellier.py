"""Peaucellier's inversor (1864): seven bars and pins only, and a point on an exact straight line."""

import numpy as np

import dalembert as da

L, s, q = 0.5, 0.3, 0.15  # long bars, sides of the rhombus, crank [m]
mu = 1.0  # kg per metre of a bar

m = da.Mechanism("Peaucellier inversor", plane=True)
crank = m.body("crank", da.rod(q, mass=mu * q), at=(0.22, 0))
upper = m.body("upper", da.rod(L, mass=mu * L), at=(0.21, 0.14), angle=0.6)
lower = m.body("lower", da.rod(L, mass=mu * L), at=(0.21, -0.14), angle=-0.6)
side1 = m.body("side1", da.rod(s, mass=mu * s), at=(0.36, 0.14), angle=1.2)  # from the crank up
side2 = m.body("side2", da.rod(s, mass=mu * s), at=(0.36, -0.14), angle=-1.2)  # from the crank down
side3 = m.body("side3", da.rod(s, mass=mu * s), at=(0.48, 0.14), angle=-1.2)  # from above to the tracing point
side4 = m.body("side4", da.rod(s, mass=mu * s), at=(0.48, -0.14), angle=1.2)  # from below to the tracing point
m.revolute(
    "Q", m.ground, crank, at=(q, 0), on=crank.start
)  # as far from O as the crank is long: its circle passes through O
m.revolute("O1", m.ground, upper, at=(0, 0), on=upper.start)
m.revolute("O2", m.ground, lower, at=(0, 0), on=lower.start)
m.revolute("B1", crank, side1, on=[crank.end, side1.start])
m.revolute("B2", crank, side2, on=[crank.end, side2.start])
m.revolute("U1", upper, side1, on=[upper.end, side1.end])
m.revolute("U3", upper, side3, on=[upper.end, side3.start])
m.revolute("L2", lower, side2, on=[lower.end, side2.end])
m.revolute("L4", lower, side4, on=[lower.end, side4.start])
m.revolute("P", side3, side4, on=[side3.end, side4.end])
m.drive("motor", m["Q"].angle, "1.4*sin(2*pi*t)")

run = da.kinematics(m, times=np.linspace(0, 1, 241))
point = run["side3"].point(side3.end).position

# The rhombus inverts: OB * OP = L^2 - s^2.  B runs on a circle through O, so P runs on the line x = (L^2 - s^2)/(2 q), and O, B, P
# stay in line, at half the angle of the crank.
line = (L**2 - s**2) / (2 * q)
half = 0.7 * np.sin(2 * np.pi * run.t)
assert np.max(np.abs(point[:, 0] - line)) < 1e-12
assert np.max(np.abs(point[:, 1] - line * np.tan(half))) < 1e-12
B = run["crank"].point(crank.end).position
assert np.max(np.abs(np.hypot(*B.T) * np.hypot(*point.T) - (L**2 - s**2))) < 1e-12

if __name__ == "__main__":
    print(f"stroke {np.ptp(point[:, 1]) * 1e3:.1f} mm, off the line by {np.ptp(point[:, 0]) * 1e3:.0e} mm")
    print(run.audit)
    run.draw("out/peaucellier.png", at=0.06, ghosts=2, traces=["B1", "P"], names=["joints"])
