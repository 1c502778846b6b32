"""A crank and slotted lever drive the ram of a shaper: slow cut, quick return."""

import math

import numpy as np

import dalembert as da

crank_l, pivot, lever_l, link_l = 0.1, 0.25, 0.5, 0.15  # lever pivot 0.25 m below the crank [m]
height = 0.28  # of the ram above the crank
speed = 2 * math.pi

m = da.Mechanism("quick return", plane=True, gravity=(0, -9.81))
crank = m.body("crank", da.rod(crank_l, mass=1.0), at=(0.05, 0))
lever = m.body("lever", da.rod(lever_l, mass=3.0), at=(0.09, -0.02), angle=1.2)
link = m.body("link", da.rod(link_l, mass=0.5), at=(0.12, 0.25), angle=2.7)
ram = m.body("ram", da.block(0.2, 0.04, mass=5.0), at=(0.05, height))
m.revolute("O", m.ground, crank, at=(0, 0), on=crank.start)
m.revolute("P", m.ground, lever, at=(0, -pivot), on=lever.start)
m.pin_in_slot("die", lever, crank, on=[lever.start, crank.end], along=lever.axis(1, 0))
m.revolute("T", lever, link, on=[lever.end, link.start])
m.revolute("R", link, ram, on=[link.end, ram.center])
m.prismatic("guide", m.ground, ram, along=(1, 0))
m.drive("motor", m["O"].angle, f"{speed}*t")

run = da.simulate(m, until=2.0, output=0.005)

# The lever turns back where it is tangent to the crank circle: between the two the crank turns by
# 2 acos(crank/pivot) on one side and by the rest of a turn on the other.
turns = run.crossings(lambda r: r["P.angle"].rate)
strokes = sorted((turns[1] - turns[0], turns[2] - turns[1]))
quick = 2 * math.acos(crank_l / pivot) / speed
assert abs(strokes[0] - quick) < 1e-9 and abs(sum(strokes) - 2 * math.pi / speed) < 1e-9

# The lever swings by the angle between those tangents.
assert abs(np.ptp(run.resample(turns)["lever"].angle) - 2 * math.asin(crank_l / pivot)) < 1e-9

if __name__ == "__main__":
    print(run.table())
    print(f"\ncut {strokes[1]:.4f} s, return {strokes[0]:.4f} s, ratio {strokes[1] / strokes[0]:.3f}\n")
    print(run.audit)
    run.draw("out/quick_return.png", at=0.12, ghosts=3, traces=["die", "T"])
