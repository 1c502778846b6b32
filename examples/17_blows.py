"""A four-bar linkage starts with a jerk, and later its rocker is struck: impulses at every pin, and where the energy goes."""

import math

import numpy as np

import dalembert as da

corners = [(0.0, 0.0), (0.0, 1.0), ((48 + math.sqrt(128)) / 17, (5 + 4 * math.sqrt(128)) / 17), (4.0, 0.0)]


def bar(m, name, p, q):
    """Bar of square section 0.1 m and 1000 kg/m³ from p to q."""
    shape = da.rod(math.dist(p, q), section=(0.1, 0.1), density=1000.0)
    middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
    return m.body(name, shape, at=middle, angle=math.atan2(q[1] - p[1], q[0] - p[0]))


m = da.Mechanism("four-bar with blows", gravity=(0, -9.81))
crank = bar(m, "crank", corners[0], corners[1])
coupler = bar(m, "coupler", corners[1], corners[2])
rocker = bar(m, "rocker", corners[3], corners[2])
m.revolute("A", m.ground, crank, at=corners[0])
m.revolute("B", crank, coupler, at=corners[1])
m.revolute("C", coupler, rocker, at=corners[2])
m.revolute("D", m.ground, rocker, at=corners[3])

# The crank turns at 5 rad/s about its pin, the others rest, when the pins are put in: (x', y', spin) of each body.
before = da.State(0.0, da.assemble(m).state.q, [-2.5, 0, 5, 0, 0, 0, 0, 0, 0])
run = da.simulate(m, until=1.0, start=before, velocities="impulsive")
jerk = run.impulse

# These velocities contradict pin B by 5 m/s: 93 % of the energy is lost.  The numbers follow from M and J of the three bars.
assert np.allclose([jerk.after.v[k] for k in (2, 5, 8)], (0.34234994, -0.01546147, 0.10557751), atol=5e-9)
assert abs(jerk.energy_before - 41.770833) < 1e-6 and abs(jerk.energy_after - 2.860048) < 1e-6

# After a second the rocker is struck in its middle, across.
state = run.at(1.0)
angle = state.q[8]
blow = da.strike(m, {"rocker": (50 * math.sin(angle), -50 * math.cos(angle))}, state=state)
after = da.simulate(m, until=2.0, start=blow.after)

# Work of the blow: the impulse times the mean velocity of the point it hits.
mean = (blow.before.v[6:8] + blow.after.v[6:8]) / 2
assert abs(blow.energy_change - mean @ (50 * math.sin(angle), -50 * math.cos(angle))) < 1e-9

if __name__ == "__main__":
    print(jerk)
    print(blow)
    print(run.table())
    print(run.audit)
    after.plot(path="out/17_blows.png")
