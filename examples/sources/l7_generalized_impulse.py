"""Blows on a rod, and the point that a bat should hit with (LAGRANGE 1.5)."""

import numpy as np

import dalembert as da

mass, length, blow = 2.5, 1.4, 3.2
m = da.Mechanism("rod on a pivot", plane=True)
rod = m.body("rod", da.rod(length, mass=mass), at=(length / 2, 0))
m.revolute("A", m.ground, rod, at=(0, 0))

# struck across at a distance d from the pivot: w = 3 P d/(m L²), the pivot feels P (3 d/(2 L) - 1)
for d in (0.3, 2 * length / 3, length):
    found = da.strike(m, {"rod": ((0, blow), rod.point(d - length / 2, 0))})
    assert abs(found.after.v[2] - 3 * blow * d / (mass * length**2)) < 1e-13
    assert abs(found.impulse["A"].linear[1] - blow * (3 * d / (2 * length) - 1)) < 1e-13
# at two thirds of its length the pivot feels nothing: the centre of percussion

# two equal rods hanging, the lower struck at its tip: w1 = -6 P/(7 m L), w2 = 30 P/(7 m L)
m = da.Mechanism("two rods", plane=True, gravity=(0, -9.81))
one = m.body("one", da.rod(length, mass=mass), at=(0, -length / 2), angle=-np.pi / 2)
two = m.body("two", da.rod(length, mass=mass), at=(0, -3 * length / 2), angle=-np.pi / 2)
m.revolute("O", m.ground, one, at=(0, 0))
m.revolute("K", one, two, at=(0, -length))
struck = da.strike(m, {"two": ((blow, 0), two.end)})
assert np.allclose(struck.after.v[2::3], np.array([-6, 30]) * blow / (7 * mass * length), atol=1e-12)

run = da.simulate(m, until=2.0, output=0.02, start=struck.after)  # and on it goes
assert abs(run.energy.kinetic[0] - struck.energy_change) < 1e-12

if __name__ == "__main__":
    print(struck, "\n")
    print(run.audit)
    run.draw(path="out/l7_generalized_impulse.png", at=0.4, arrows=["velocities"])
