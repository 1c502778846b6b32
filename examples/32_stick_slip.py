"""A block on a belt sticks and slips, a shoe that helps itself stops a drum, a puck turns down a slope and stays: dry friction that is solved, not smoothed."""

import math

import numpy as np

import dalembert as da

# -- A block on a belt: it is carried along until its spring is stronger than the friction, then slips back ---------------
m = da.Mechanism("block on a belt", plane=True, gravity=(0, -10))
block = m.body("block", da.block(0.6, 0.4, mass=1.0))
m.prismatic("guide", m.ground, block, along=(1, 0))
x = m.measure("x", point=block.point(0, 0), along=(1, 0))
m.actuator("spring", x, force="-s")  # 1 N/m
slip = m.measure("slip", "x - 3*t")  # the belt moves at 3 m/s
m.friction("belt", slip, force="5 - 2*(2/pi)*atan(3*v)", static_force=5.0)
run = da.simulate(m, until=22.0)

# The cycle repeats: 5.011059889 s of slip, 1.659297596 s of stick (recorded with other software).
cycle = np.diff([e.t for e in run.events])[1:5]
assert np.allclose(cycle, [5.011059889, 1.659297596] * 2, atol=1e-6)
# While it sticks its speed is that of the belt, exactly.
stuck = (run.t > run.events[0].t) & (run.t < run.events[1].t)
assert np.max(np.abs(run["x"].rate[stuck] - 3.0)) < 1e-12


# -- A drum draws the shoe of its brake in ---------------------------------------------------------------------------------
def brake(speed, mu=0.3, hand=100.0):
    """A lever, pivoted 0.1 m beside and 0.05 m above its pad, is pressed down 0.4 m from the pivot."""
    m = da.Mechanism("brake", plane=True)
    drum = m.body("drum", da.disk(0.2, mass=10.0))
    lever = m.body("lever", da.rod(length=0.4, mass=1.0), at=(0.1, 0.25))
    m.revolute("O", m.ground, drum, at=(0, 0))
    m.revolute("P", m.ground, lever, at=(-0.1, 0.25))
    m.pin_in_slot("pad", m.ground, lever, at=(0, 0.2), along=(1, 0))
    m.measure("pad_x", point=lever.point(-0.1, -0.05), along=(1, 0))
    m.measure("slip", "pad_x + 0.2*O.angle")
    m.force("hand", lever, (0, -hand), at=lever.end)
    m.friction("lining", "pad", mu=mu, along="slip")
    m.start(m["O"].angle, 0.0, rate=speed)
    return m


forward, back = (da.simulate(brake(speed), until=1.0) for speed in (20.0, -20.0))
# N (b - mu c) = F a one way round, N (b + mu c) = F a the other: the same hand stops the drum in 0.142 s or in 0.192 s.
for one, way in ((forward, 1.0), (back, -1.0)):
    normal = 100.0 * 0.4 / (0.1 - way * 0.3 * 0.05)
    stops = 0.5 * 10.0 * 0.2**2 * 20.0 / (0.3 * normal * 0.2)
    assert math.isclose(one.events[0].t, stops, rel_tol=1e-9)


# -- A puck that slides across a slope turns towards the fall line, and stops: friction acts against the direction of its velocity ----------
TILT, MU = 0.1, 0.2
slope = da.Mechanism("puck", plane=False, gravity=(9.81 * math.sin(TILT), 0, -9.81 * math.cos(TILT)))
puck = slope.body("puck", da.box(0.1, 0.1, 0.02, mass=0.5))
slope.planar("ice", slope.ground, puck, at=(0, 0, 0), axis=(0, 0, 1))
slope.friction("rub", "ice", mu=MU)
slope.start(slope["ice"].x, 0.0, rate=3.0)
slope.start(slope["ice"].y, 0.0, rate=4.0)
path = da.simulate(slope, until=6.0)
# With a the angle from the fall line, v = C tan(a/2)^k / sin(a), k = mu/tan(tilt): the time until it stops has a closed form.
k, w = MU / math.tan(TILT), math.tan(0.5 * math.atan2(4.0, 3.0))
c = 4.0 / w**k
stops = c / (2 * 9.81 * math.sin(TILT)) * (w ** (k - 1) / (k - 1) + w ** (k + 1) / (k + 1))
assert abs(path.events[0].t - stops) < 1e-6
# It stays, held by less than mu N.
assert math.isclose(float(np.linalg.norm(path["rub"].force[-1])), 0.5 * 9.81 * math.sin(TILT), rel_tol=1e-9)

if __name__ == "__main__":
    print(run.events)
    print(run.table())
    print(run.audit)
    run.plot(path="out/32_stick_slip.png")
