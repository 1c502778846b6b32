"""A planetary gear with three planets: Willis' ratios, and why one planet would be enough."""

import math

import numpy as np

import dalembert as da

sun_z, planet_z, ring_z = 24, 18, 60  # teeth: ring = sun + 2 planets
module = 0.004  # diameter per tooth [m]
arm = module * (sun_z + planet_z) / 2  # centre of a planet
turns = [2 * math.pi / 3 * k for k in (1, 2, 3)]  # where the planets are
speed, load = 100.0, -30.0  # of the sun [rad/s], torque on the carrier [N m]

m = da.Mechanism("planetary gear", plane=True)
sun = m.body("sun", da.disk(module * sun_z / 2, mass=0.6))
ring = m.body("ring", da.ring(module * ring_z / 2, mass=2.0))
for k, a in enumerate(turns, start=1):
    m.body(f"planet{k}", da.disk(module * planet_z / 2, mass=0.3), at=(arm * math.cos(a), arm * math.sin(a)))
arms = [da.rod(arm, mass=0.5).at(arm / 2 * math.cos(a), arm / 2 * math.sin(a), angle=a) for a in turns]
carrier = m.body("carrier", da.composite(*arms))
m.revolute("carrier bearing", m.ground, carrier, at=(0, 0))
# sun and ring turn about the carrier: Willis' trick, who sits on it and sees a plain gear train
m.revolute("sun bearing", carrier, sun, at=(0, 0))
m.revolute("ring bearing", carrier, ring, at=(0, 0))
for k in (1, 2, 3):
    pin = m.revolute(f"pin{k}", carrier, m[f"planet{k}"], at=m[f"planet{k}"].center)
    m.gear(f"outer{k}", m["ring bearing"], pin, teeth=(ring_z, planet_z), internal=True)
    m.gear(f"inner{k}", m["sun bearing"], pin, teeth=(sun_z, planet_z))
m.torque("output", carrier, load)

# Two freedoms.  Every planet is enough to tie the three shafts: the other two say the same again.
doctor = da.mobility(m)
assert doctor.dof == 2 and doctor.grubler == 0
assert sum(found.count for found in doctor.dependent) == 2
assert {found.verdict for found in doctor.dependent} == {"permanent"}

# The ring is held and the sun driven: carrier/sun = sun/(sun + ring), torques the other way round.
m.absolute_angle("brake", ring)
m.drive("motor", sun.angle, f"{speed}*t")
run = da.kinematics(m, times=np.linspace(0, 2 * math.pi / speed * (sun_z + ring_z) / sun_z, 241))
ratio = (sun_z + ring_z) / sun_z
assert np.max(np.abs(run["carrier"].spin * ratio - speed)) < 1e-9
assert np.max(np.abs(run["motor"].torque * ratio + load)) < 1e-9
# the planets turn backwards as seen from the floor: (1 - ring/planet) times the carrier
assert np.max(np.abs(run["planet1"].spin / run["carrier"].spin - (1 - ring_z / planet_z))) < 1e-9
# what comes in goes out: motor and load balance, and the brake holds the difference of their torques
assert abs(run["brake"].on(ring).torque[0] + run["motor"].torque[0] + load) < 1e-9

if __name__ == "__main__":
    print(doctor, end="\n\n")
    print(f"ring held: the carrier turns {ratio:.2f} times slower than the sun, with {ratio:.2f} times its torque")
    print(run.audit)
    run.draw("out/planetary_gear.png", at=0.01, traces=["pin3"], names=["pin1", "pin2", "pin3"])
