"""Reactions by the formulas of the source for a distance, a pin in a slot and a driven angle (PLANAR 6.6 and problem 6.6.4)."""

import math

import numpy as np

import dalembert as da

g = 9.81
m = da.Mechanism("reactions", plane=True, gravity=(0, -g))
arm = m.body("arm", da.rod(1.0, mass=2.0), at=(0.5 * math.cos(0.4), 0.5 * math.sin(0.4)), angle=0.4)
rider = m.body("rider", da.rod(0.6, mass=1.0), at=(1.3, 0.2), angle=-0.3)
m.revolute("O", m.ground, arm, at=(0, 0))
m.drive("motor", m["O"].angle, "0.4 + t")
m.pin_in_slot("slot", arm, rider, on=rider.start, at=rider.start, along=arm.axis(1, 0))
m.distance("link", m.ground.point(1.8, 0.6), rider.end)
run = da.simulate(m, until=0.5, output=0.01)

names = run.system.row_names
lam = {name: run.lam[:, k] for k, name in enumerate(names)}
# revolute: F on the second body is -lam; angle driver: T = -lam
assert np.allclose(run["O"].force, -np.column_stack([lam["O.gap_x"], lam["O.gap_y"]]), atol=1e-10)
assert np.allclose(run["motor"].torque, -lam["O.angle"], atol=1e-10)
# a link holds |d| and not d'd - C² as in the source: F = -lam d/|d|, twice C times the source's multiplier
d = run["rider"].point(rider.end).position - (1.8, 0.6)
along = d / np.linalg.norm(d, axis=1)[:, None]
row = next(name for name in names if name.startswith("link"))
assert np.allclose(run["link"].force, -lam[row][:, None] * along, atol=1e-9)
# a pin in a slot pushes across the slot only, and the slot gets the opposite force
angle = run["arm"].angle
across = np.column_stack([-np.sin(angle), np.cos(angle)])
pin = run["slot"].force
assert np.allclose(pin, np.sum(pin * across, axis=1)[:, None] * across, atol=1e-9)
assert np.allclose(run["slot"].on("arm").force, -pin, atol=1e-12)

if __name__ == "__main__":
    print(da.reactions(m, run.at(0.25)), "\n")
    print(run.audit)
    run.draw(path="out/p10_reactions.png", at=0.25, arrows=["reactions"])
