"""A scissor lift of three stages: what must the cylinder push, from the floor to the top?"""

import math

import numpy as np

import dalembert as da

a, arm, load, g = 0.8, 25.0, 400.0, 9.81  # half an arm [m], mass of an arm and of the table with its load [kg]
lowest = math.radians(12)  # angle of the arms at the start
stages = 3

m = da.Mechanism("scissor lift", plane=True, gravity=(0, -g))
w, h = 2 * a * math.cos(lowest), 2 * a * math.sin(lowest)  # of one stage
for k in range(1, stages + 1):
    m.body(f"up{k}", da.rod(2 * a, mass=arm), at=(w / 2, (k - 0.5) * h), angle=lowest)
    m.body(f"down{k}", da.rod(2 * a, mass=arm), at=(w / 2, (k - 0.5) * h), angle=-lowest)
table = m.body("table", da.block(1.8, 0.1, mass=load), at=(w / 2, stages * h))

m.revolute("foot", m.ground, m["up1"], at=(0, 0))
m.pin_in_slot("roller", m.ground, m["down1"], at=(w, 0), along=(1, 0))
for k in range(1, stages + 1):
    m.revolute(f"middle{k}", m[f"up{k}"], m[f"down{k}"], at=(w / 2, (k - 0.5) * h))
    if k > 1:
        m.revolute(f"left{k}", m[f"down{k - 1}"], m[f"up{k}"], at=(0, (k - 1) * h))
        m.revolute(f"right{k}", m[f"up{k - 1}"], m[f"down{k}"], at=(w, (k - 1) * h))
m.revolute("hinge", m[f"down{stages}"], table, at=(0, stages * h))
m.pin_in_slot("rail", table, m[f"up{stages}"], at=(w, stages * h), along=(1, 0))
m.drive("cylinder", m["roller"].slide, "-0.01*t")  # 1 cm/s: inertia hardly counts

run = da.kinematics(m, times=np.linspace(0, 70, 141))
theta = np.arccos((w - 0.01 * run.t) / (2 * a))

# Virtual work, without any reaction.  n stages of height 2 a sin lift the load n times that, and the arms n/2 times on average;
# the roller is at 2 a cos:  force = (n load + n^2 arm) g / tan(theta)
force = (stages * load + stages**2 * arm) * g / np.tan(theta)
for k in (0, 70, 140):
    state = run.at(run.t[k])
    held = da.holding_load(m, "cylinder", state=da.State(state.t, state.q, 0 * state.v))
    assert abs(held.value + force[k]) < 1e-9 * force[k]
# Raised slowly, it needs the holding load all the way, and all work goes into height.
assert np.max(np.abs(run["cylinder"].effort / force + 1)) < 3e-3
lifted = run["table"].position[-1, 1] - run["table"].position[0, 1]
assert abs(lifted - stages * 2 * a * (np.sin(theta[-1]) - math.sin(lowest))) < 1e-12

if __name__ == "__main__":
    print(held)
    print(
        f"lifted by {lifted:.2f} m by {0.01 * run.t[-1]:.2f} m of stroke; force from {force[0]:.0f} N down to {force[-1]:.0f} N"
    )
    print(run.audit)
    run.draw("out/scissor_lift.png", at=60.0, ghosts=2, names=["foot", "roller", "table"])
