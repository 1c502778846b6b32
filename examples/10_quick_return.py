"""A crank and slotted lever drive the ram of a shaper: slow cut, quick return."""

import math

import dalembert as da

crank_l, pivot, lever_l, link_l = 0.1, 0.25, 0.5, 0.15  # lever pivot 0.25 m below the crank
speed = 2 * math.pi

m = da.Mechanism("quick return", plane=True, gravity=(0, -9.81))
crank = m.body("crank", da.rod(crank_l, mass=1.0), at=(crank_l / 2, 0))
lean = math.atan2(crank_l, pivot)  # crank to the right: the lever leans by this
lever = m.body(
    "lever",
    da.rod(lever_l, mass=3.0),
    at=(lever_l / 2 * math.sin(lean), -pivot + lever_l / 2 * math.cos(lean)),
    angle=math.pi / 2 - lean,
)
tip = (lever_l * math.sin(lean), -pivot + lever_l * math.cos(lean))
height = lever_l - pivot + 0.03  # of the ram above the crank
rise = math.asin((height - tip[1]) / link_l)
ram_x = tip[0] - link_l * math.cos(rise)
link = m.body("link", da.rod(link_l, mass=0.5), at=((tip[0] + ram_x) / 2, (tip[1] + height) / 2), angle=math.pi - rise)
ram = m.body("ram", da.block(0.2, 0.04, mass=5.0), at=(ram_x, height))

m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("P", m.ground, lever, at=(0, -pivot))
m.pin_in_slot("die", lever, crank, at=crank.end, along=lever.axis(1, 0))
m.revolute("T", lever, link, at=lever.end)
m.revolute("R", link, ram, at=link.end)
m.prismatic("guide", m.ground, ram, along=(1, 0))
m.drive("motor", m["O"].angle, f"{speed}*t")

run = da.simulate(m, until=2.0, output=0.005)

# The lever turns back where it is tangent to the crank circle: between the two the crank turns by
# 2 acos(crank/pivot) on one side and by the rest of a turn on the other.
turns = run.crossings(lambda r: r["P.angle"].rate)
strokes = sorted((turns[1] - turns[0], turns[2] - turns[1]))
quick = 2 * math.acos(crank_l / pivot) / speed
assert abs(strokes[0] - quick) < 1e-9 and abs(sum(strokes) - 2 * math.pi / speed) < 1e-9

if __name__ == "__main__":
    print(run.table())
    print(f"\ncut {strokes[1]:.4f} s, return {strokes[0]:.4f} s, ratio {strokes[1] / strokes[0]:.3f}\n")
    print(run.audit)
    run.plot(path="out/10_quick_return.png")
