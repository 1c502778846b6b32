"""A four-bar linkage: does its crank turn, how well does it push its rocker, and which curve does a point of its coupler draw?"""

import numpy as np

import dalembert as da

a, b, c, d = 0.08, 0.20, 0.16, 0.22  # crank, coupler, rocker, distance of the bearings [m]
h = 0.10  # height of the triangle that the coupler is
mu = 2.0  # kg per metre of a bar

m = da.Mechanism("four-bar", plane=True, gravity=(0, -9.81))
# drawn roughly; the joints say which points meet, and the bodies are put together before they move
crank = m.body("crank", da.rod(a, mass=mu * a), at=(0.04, 0))
coupler = m.body("coupler", da.triangle(b, h, mass=2 * mu * b), at=(0.15, 0.08), angle=0.9)
rocker = m.body("rocker", da.rod(c, mass=mu * c), at=(0.21, 0.08), angle=1.7)
m.revolute("A", m.ground, crank, at=(0, 0), on=crank.start)
m.revolute("B", crank, coupler, on=[crank.end, coupler.left])
m.revolute("C", coupler, rocker, on=[coupler.right, rocker.end])
m.revolute("D", m.ground, rocker, at=(d, 0), on=rocker.start)
m.drive("motor", m["A"].angle, "2*pi*t")

run = da.kinematics(m, times=np.linspace(0, 1, 361))
theta = 2 * np.pi * run.t

# Grashof: shortest + longest <= sum of the others, and the shortest is the crank: it turns fully, the rocker swings.
assert a + max(b, c, d) <= b + c + d - max(b, c, d)
swing = np.degrees(np.ptp(run["rocker"].angle))
assert abs(run["crank"].angle[-1] - run["crank"].angle[0] - 2 * np.pi) < 1e-12 and swing < 180

# Transmission angle between coupler and rocker: by the law of cosines, worst where the crank lies along the line of the bearings.
transmission = np.arccos(np.cos(run["coupler"].angle - run["rocker"].angle))
worst = [np.arccos((b**2 + c**2 - (d + s * a) ** 2) / (2 * b * c)) for s in (-1, 1)]
assert abs(transmission.min() - worst[0]) < 1e-12 and abs(transmission.max() - worst[1]) < 1e-12

# Coupler curve: pin C is where a circle about B and a circle about D meet, the point stands h above the middle of BC.
B = a * np.column_stack([np.cos(theta), np.sin(theta)])
across = (d, 0) - B
distance = np.hypot(*across.T)
along = (b**2 - c**2 + distance**2) / (2 * distance)
u = across / distance[:, None]
C = B + along[:, None] * u + np.sqrt(b**2 - along**2)[:, None] * np.column_stack([-u[:, 1], u[:, 0]])
curve = (B + C) / 2 + h / b * np.column_stack([-(C - B)[:, 1], (C - B)[:, 0]])
traced = run["coupler"].point(coupler.apex).position
assert np.max(np.abs(traced - curve)) < 1e-12

if __name__ == "__main__":
    print(f"the crank turns, the rocker swings by {swing:.2f} degrees")
    print(
        f"transmission angle from {np.degrees(worst[0]):.1f} to {np.degrees(worst[1]):.1f} degrees; 40 to 140 is good practice"
    )
    print(run.audit)
    run.draw("out/four_bar.png", at=0.15, ghosts=4, traces=["B", "C", coupler.apex])
