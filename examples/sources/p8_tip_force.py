"""A double pendulum pulled sideways at its tip: four positions of rest, one of them stable (PLANAR, example 6.5.2)."""

import math

import numpy as np

import dalembert as da

m1, m2, l1, l2, g, pull = 2.0, 3.0, 0.5, 0.4, 9.81, 20.0
m = da.Mechanism("double pendulum with a force", plane=True, gravity=(0, -g))
one = m.body("one", da.rod(2 * l1, mass=m1), at=(l1, 0))
two = m.body("two", da.rod(2 * l2, mass=m2), at=(2 * l1 + l2, 0))
m.revolute("O", m.ground, one, at=(0, 0))
m.revolute("A", one, two, at=(2 * l1, 0))
m.force("F", two, (pull, 0), at=two.end)

found = da.equilibrium(m)
assert [e.verdict for e in found] == ["stable", "unstable", "unstable", "unstable"]
phi = math.atan2(-(m1 + 2 * m2) * g, 2 * pull), math.atan2(-m2 * g, 2 * pull)
assert np.allclose(np.cos(found[0].state.q[2::3] - phi), 1.0, atol=1e-13)
assert np.allclose(found[0].reactions["O"].force, [-pull, (m1 + m2) * g], atol=1e-9)

# let go there, it stays
run = da.simulate(m, until=1.0, start=found[0].state)
assert np.max(np.abs(run.v)) < 1e-8

if __name__ == "__main__":
    print(found, "\n")
    print(run.audit)
    da.draw(found, path="out/p8_tip_force.png")
