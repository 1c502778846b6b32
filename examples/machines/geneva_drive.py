"""A Geneva drive: a pin enters a slot, turns the wheel by a quarter and leaves it; then the wheel rests."""

import math

import numpy as np

import dalembert as da

r = 0.05  # of the pin [m]
d = r * math.sqrt(2)  # distance of the shafts: the pin enters and leaves a slot along it, without a knock

m = da.Mechanism("Geneva drive", plane=True)
# the crank is drawn along its x axis: an arm, the pin on it, and half a disk as counterweight, clear of the wheel
half = da.semicircle(0.76 * r, mass=0.2).at(0, 0, angle=math.pi / 2)
crank = m.body(
    "crank", da.rod(r, mass=0.2).at(r / 2, 0) + da.disk(0.07 * r, mass=0.02).at(r, 0) + half, angle=-math.pi / 2
)
# the wheel is a hub with four forks, two bars each; the slots between them are as wide as the pin, and open at the rim
bar = da.rectangle(0.76 * r, 0.12 * r, mass=0.04)
bars = [
    bar.at(0.62 * r * math.cos(a) - y * math.sin(a), 0.62 * r * math.sin(a) + y * math.cos(a), angle=a)
    for a in np.arange(4) * math.pi / 2
    for y in (-0.14 * r, 0.14 * r)
]
wheel = m.body("wheel", da.composite(*bars, da.disk(0.33 * r, mass=0.08)), at=(d, 0), angle=math.pi / 4)
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("W", m.ground, wheel, at=(d, 0))
# the crank from -180 to 180 degrees; within 45 degrees of the wheel the pin is in a slot and leads it, otherwise the wheel is locked
m.measure("turns", "floor((O.angle + pi)/(2*pi))")
m.measure("phase", "O.angle - 2*pi*turns")
leads = f"if_(abs(phase) < pi/4, atan2({r}*sin(phase), {d} - {r}*cos(phase)), sign(phase)*pi/4)"
m.constraint("slot", f"W.angle + {leads} + pi/2*turns")
m.drive("motor", m["O"].angle, "-pi/2 + 2*pi*t")

run = da.kinematics(m, times=np.linspace(0, 2, 401))
theta = 2 * math.pi * run.t - math.pi / 2
moving = np.abs((theta + math.pi) % (2 * math.pi) - math.pi) < math.pi / 4 - 1e-9

# A quarter of a turn for every turn of the crank, in a quarter of its time.
assert np.max(np.abs(run["wheel"].angle[[200, 400]] - math.pi / 4 + np.array([1, 2]) * math.pi / 2)) < 1e-12
assert abs(np.mean(moving[:-1]) - 0.25) < 0.01 and np.max(np.abs(run["wheel"].spin[~moving])) < 1e-12
# While it leads, the pin is on the middle line of a slot: one of its coordinates on the wheel is zero.
pin = run["crank"].point(r, 0).position - (d, 0)
turned = run["wheel"].angle
on_wheel = np.abs(
    [np.cos(turned) * pin[:, 0] + np.sin(turned) * pin[:, 1], np.cos(turned) * pin[:, 1] - np.sin(turned) * pin[:, 0]]
)
assert np.max(np.min(on_wheel, axis=0)[moving]) < 1e-12
# It is fastest when the pin is between the shafts: r/(d - r) = 1 + sqrt(2) times the speed of the crank.
assert abs(np.max(-run["wheel"].spin) / (2 * math.pi) - (1 + math.sqrt(2))) < 1e-12

if __name__ == "__main__":
    print(
        f"the wheel moves for a quarter of the time, at most {np.max(-run['wheel'].spin) / (2 * math.pi):.3f} times as fast as the crank"
    )
    print(run.audit)
    run.draw("out/geneva_drive.png", at=0.19, traces=[crank.point(r, 0)], names=["bodies", "drivers", "O", "W"])
