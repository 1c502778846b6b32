"""Flyball governor: the faster the spindle, the wider the balls, the higher the sleeve."""

import math

import numpy as np

import dalembert as da

g = 9.81
arm, joint = 0.25, 0.18  # length of the arms, and how far down the links are fixed to them [m]
ball, rod, sleeve = 1.2, 0.1, 2.0  # masses [kg]
drawn = math.radians(30)  # opening of the arms in the drawing


def governor(m, spindle):
    """Two arms with balls on a spindle that turns about z, hinged at the origin, with two links to a sleeve."""
    shape = da.cylinder(0.006, arm, mass=rod).at(0, 0, -arm / 2) + da.sphere(0.035, mass=ball).at(0, 0, -arm)
    collar = m.body("sleeve", da.tube(0.03, 0.012, 0.05, mass=sleeve), at=(0, 0, -2 * joint * math.cos(drawn)))
    m.prismatic("rod", spindle, collar, along="z")
    for name, sign in (("right", 1), ("left", -1)):
        body = m.body(f"{name}_arm", shape, rotation=("y", -sign * drawn))
        m.revolute(name, spindle, body, at=(0, 0, 0), axis=(0, -sign, 0))
        m.distance(f"{name}_link", body.point(0, 0, -joint), collar.point(0, 0, 0))
    m.measure("opening", f"right.angle + {drawn!r}")
    m.damper("dashpot", m["rod"].slide, damping=60.0)


m = da.Mechanism("flyball governor", plane=False, gravity=(0, 0, -g))
speed = m.parameter("speed", 120 * 2 * math.pi / 60, "rad/s")
spindle = m.body("spindle", da.cylinder(0.01, 0.5, mass=1.2), at=(0, 0, -0.2))
m.revolute("bearing", m.ground, spindle, at=(0, 0, -0.45), axis="z")
governor(m, spindle)
m.drive("motor", m["bearing"].angle, "speed*t")

# Rest on the turning spindle: w^2 cos(opening) (J_across - J_along) = S g + M g a, for each arm about its hinge, with its first
# moment S, and the sleeve M, which goes up by 2 a sin(opening) for each radian.
across = ball * (arm**2 + 0.4 * 0.035**2) + rod * (4 * arm**2 + 3 * 0.006**2) / 12
along = ball * 0.4 * 0.035**2 + rod * 0.006**2 / 2
weight = (ball * arm + rod * arm / 2 + sleeve * joint) * g


def expected(w):
    """Opening at a speed; below the speed of the cosine 1 the balls hang down."""
    return math.acos(weight / ((across - along) * w**2))


curve = []
for rpm in (95, 100, 110, 140, 120):
    m.set_parameter("speed", rpm * 2 * math.pi / 60)
    run = da.simulate(m, until=8.0)
    curve.append((rpm, run["opening"][-1]))
assert all(abs(opening - expected(rpm * 2 * math.pi / 60)) < 1e-6 for rpm, opening in curve)

if __name__ == "__main__":
    lowest = math.sqrt(weight / (across - along)) * 60 / (2 * math.pi)
    print(f"below {lowest:.1f} rpm the balls hang down; above, they open to")
    for rpm, opening in sorted(curve):
        print(f"  {rpm} rpm: {math.degrees(opening):6.2f} degrees, sleeve {-2 * joint * np.cos(opening) * 1e3:7.1f} mm")
    print(run.audit)
    run.draw("out/flyball_governor.png", ghosts=3, names=["spindle", "sleeve", "right_arm", "left_arm"], view=(-70, 10))
