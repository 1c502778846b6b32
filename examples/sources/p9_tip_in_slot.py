"""Two equal bars whose tip slides in an upright slot: where they rest, and the force of the slot (PLANAR, problem 6.5.2)."""

import math

import numpy as np

import dalembert as da

mass, half, g = 2.0, 0.5, 9.81
first = -0.3
second = -math.acos(1 - math.cos(first))  # drawn anywhere with the tip at x = 2 l
knee = (2 * half * math.cos(first), 2 * half * math.sin(first))
m = da.Mechanism("tip in a slot", plane=True, gravity=(0, -g))
one = m.body("one", da.rod(2 * half, mass=mass), at=(knee[0] / 2, knee[1] / 2), angle=first)
two = m.body(
    "two",
    da.rod(2 * half, mass=mass),
    at=(knee[0] + half * math.cos(second), knee[1] + half * math.sin(second)),
    angle=second,
)
m.revolute("O", m.ground, one, at=(0, 0))
m.revolute("A", one, two, at=knee)
m.absolute_x("slot", two, 2 * half, at=two.end)

found = da.equilibrium(m)
(rest,) = found.stable
# the source gives 5.0233 and 5.4795; 3 cos(phi1) sin(phi2) = cos(phi2) sin(phi1) by hand
angles = rest.state.q[2::3] % (2 * math.pi)
assert np.allclose(angles, [5.02332107, 5.47949379], atol=1e-8)
assert abs(3 * math.cos(angles[0]) * math.sin(angles[1]) - math.cos(angles[1]) * math.sin(angles[0])) < 1e-10
assert abs(rest.reactions["slot"].force[0] / (mass * g) - 0.48203331) < 1e-8

run = da.simulate(m, until=2.0)  # let go as drawn
assert np.max(np.abs(run["two"].point(two.end).position[:, 0] - 2 * half)) < 1e-12

if __name__ == "__main__":
    print(found, "\n")
    print(run.audit)
    da.draw(found, path="out/p9_tip_in_slot.png")
