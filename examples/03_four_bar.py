"""A four-bar linkage falls from rest: rough drawing, assembly, and the first acceleration by hand."""

import math

import numpy as np

import dalembert as da

g = 9.81
ground, crank_l, coupler_l, rocker_l = 4.0, 1.0, 4.0, 3.0


def bar(length):
    return da.rod(length, section=(0.1, 0.1), density=1000.0)


m = da.Mechanism("four-bar", plane=True, gravity=(0, -g))
# drawn roughly: only the pins on the bars are exact, the bars are put together by `simulate`
crank = m.body("crank", bar(crank_l), at=(0, 0.5), angle=math.pi / 2)
coupler = m.body("coupler", bar(coupler_l), at=(1.8, 1.9), angle=0.5)
rocker = m.body("rocker", bar(rocker_l), at=(3.8, 1.5), angle=1.7)
m.revolute("A", m.ground, crank, at=(0, 0))
m.revolute("B", crank, coupler, on=[crank.end, coupler.start])
m.revolute("C", coupler, rocker, on=[coupler.end, rocker.end])
m.revolute("D", m.ground, rocker, at=(ground, 0), on=rocker.start)
m.start(m["A"].angle, value=math.pi / 2)

run = da.simulate(m, until=3.0)

# The pin between coupler and rocker: intersection of two circles about (0, 1) and (4, 0).
pin = run["coupler"].point(coupler.end).position
assert np.allclose(pin[0], (3.48904168, 2.95616671), atol=1e-8)

# Starting from rest, the crank accelerates with -V'/I: everything moves in proportion to the crank.
B, C, D = np.array([0.0, 1.0]), pin[0], np.array([ground, 0.0])


def turn(r):
    return np.array([-r[1], r[0]])


# velocity of C both ways, for a crank speed of 1: turn(B) + w2 turn(C - B) = w3 turn(C - D)
w2, w3 = np.linalg.solve(np.column_stack([turn(C - B), -turn(C - D)]), -turn(B))
masses, speeds = [10.0, 40.0, 30.0], [turn(B) / 2, turn(B) + w2 * turn(C - B) / 2, w3 * turn(C - D) / 2]
inertias = [mass * (length**2 + 0.1**2) / 12 for mass, length in zip(masses, (crank_l, coupler_l, rocker_l))]
inertia = sum(mk * vk @ vk for mk, vk in zip(masses, speeds)) + inertias[0] + inertias[1] * w2**2 + inertias[2] * w3**2
slope = sum(mk * g * vk[1] for mk, vk in zip(masses, speeds))
assert abs(run["crank"].spin_rate[0] + slope / inertia) < 1e-10

# No energy is lost.
total = run.energy.total
assert np.ptp(total) < 1e-6 * np.ptp(run.energy.kinetic)

if __name__ == "__main__":
    print(run.table())
    print(run.audit)
    run.plot(path="out/03_four_bar.png")
