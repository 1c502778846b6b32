"""A pendulum with a torsion spring: all positions of rest, and which of them are stable (PLANAR, example 6.5.1)."""

import math

import dalembert as da

mass, half, g, k, free = 2.0, 0.5, 9.81, 1.0, 0.3
m = da.Mechanism("torsion pendulum", plane=True, gravity=(0, -g))
bar = m.body("bar", da.rod(2 * half, mass=mass), at=(half, 0))
m.revolute("O", m.ground, bar, at=(0, 0))
m.torsion_spring("spring", m["O"].angle, stiffness=k, free_angle=free)

found = da.equilibrium(m)
for e in found:
    phi = e.state.q[2]
    assert abs(k * (phi - free) + mass * g * half * math.cos(phi)) < 1e-9
    assert (e.verdict == "stable") == (k > mass * g * half * math.sin(phi))
assert len(found) == 2

# released beside the stable one it swings about it: w² = (k - m g l sin)/(J + m l²)
rest = next(e for e in found if e.verdict == "stable")
angle = float(rest.state.q[2])
w = math.sqrt((k - mass * g * half * math.sin(angle)) / (4 * mass * half**2 / 3))
m.start(m["O"].angle, value=angle + 0.01)
run = da.simulate(m, until=2 * math.pi / w, output=0.02)
assert abs(run["O.angle"][-1] - angle - 0.01) < 1e-6

if __name__ == "__main__":
    print(found, "\n")
    print(run.audit)
    da.draw(found, path="out/p7_torsion_pendulum.png")
