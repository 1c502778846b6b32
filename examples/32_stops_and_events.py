"""A block rocks on its corners until it stands; a pendulum hits a wall, and its pin is cut: what happens on the way, to the last digits."""

import math

import dalembert as da

# Housner's block, 0.2 m wide and 1 m high, let go at 0.1 rad: its corners are rough stops without restitution.
m = da.Mechanism("rocking block", gravity=(0, -9.81))
c, s = math.cos(0.1), -math.sin(0.1)
block = m.body("block", da.block(0.2, 1.0, mass=3.0), at=(0.1 - 0.1 * c - 0.5 * s, -0.1 * s + 0.5 * c), angle=-0.1)
for name, side in (("left", -0.1), ("right", 0.1)):
    corner = block.point(side, -0.5)
    along = m.measure(f"{name} x", point=corner, along=(1, 0))
    m.impact(name, m.measure(f"{name} y", point=corner, along=(0, 1)), rough=along)
rocking = da.simulate(m, until=10.0)
hits = rocking.events.of("impact")

# At every impact the spin falls by 1 - 3/2 sin^2(alpha), tan(alpha) = width/height; after some hundred of them it stands.
alpha = math.atan2(0.2, 1.0)
assert abs(hits[0].after.v[2] / hits[0].before.v[2] - (1 - 1.5 * math.sin(alpha) ** 2)) < 1e-9
assert rocking.events[-1].what == "rest" and abs(rocking["left"].force[-1, 1] - 1.5 * 9.81) < 1e-9
print(f"{len(hits)} impacts, the first at {hits[0].t:.6f} s; at rest after {rocking.events[-1].accumulates:.4f} s")

# A pendulum against a wall; after a second its pin is cut.
m = da.Mechanism("pendulum and wall", gravity=(0, -9.81))
bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
m.revolute("A", m.ground, bar, at=(0, 0))
m.impact("wall", m.measure("tip", point=bar.end, along=(1, 0)), restitution=0.6)
m.event("cut", "t", level=1.2, release="A")
run = da.simulate(m, until=1.5)
hit = run.events[0]

# It comes with w = sqrt(3 g/L) and leaves with 0.6 of it; the wall takes 1 - 0.36 of the energy, the pin gets half of the impulse.
w = math.sqrt(3 * 9.81)
assert abs(hit.before.v[2] + w) < 1e-7 and abs(hit.after.v[2] - 0.6 * w) < 1e-7
assert abs(hit.dissipated - 0.64 * 9.81) < 1e-6
assert abs(hit.accounts[0].impulse["A"].linear[0] - 0.5 * hit.impulse["wall"]) < 1e-7
print(run.events)
print(run.audit)
