"""Differential of a car: bevel gears share the torque between two wheels that may turn at different speeds."""

import numpy as np

import dalembert as da

side, pinion = 0.06, 0.04  # radii of the side gears and of the pinions between them [m]
torque, left_drag, right_drag = 60.0, 20.0, 26.0  # of the engine and of the road on the two wheels [N m]

m = da.Mechanism("differential", plane=False)
cage = m.body("cage", da.tube(0.12, 0.09, 0.03, axis="y", mass=3.0))
gear = da.cylinder(side, 0.02, axis="y", mass=1.0)
half_shaft = da.cylinder(0.012, 0.2, axis="y", mass=1.0)
road_wheel = da.cylinder(0.15, 0.04, axis="y", mass=10.0)
left = m.body("left", gear + half_shaft.at(0, 0.1, 0) + road_wheel.at(0, 0.2, 0), at=(0, pinion, 0))
right = m.body("right", gear + half_shaft.at(0, -0.1, 0) + road_wheel.at(0, -0.2, 0), at=(0, -pinion, 0))
small = da.cylinder(pinion, 0.02, axis="x", mass=0.4)
front = m.body("front_pinion", small, at=(side, 0, 0))
back = m.body("back_pinion", small, at=(-side, 0, 0))
m.revolute("input", m.ground, cage, at=(0, 0, 0), axis="y")
# everything else turns on the cage
m.revolute("L", cage, left, at=left.origin, axis="y")
m.revolute("R", cage, right, at=right.origin, axis="y")
m.revolute("P", cage, front, at=front.origin, axis="x")
m.revolute("Q", cage, back, at=back.origin, axis="x")
# teeth that touch move alike; the back pinion meets the left gear only: the right one would say the same again
m.gear("front_left", m["P"], m["L"], ratio=-pinion / side)
m.gear("front_right", m["P"], m["R"], ratio=pinion / side)
m.gear("back_left", m["Q"], m["L"], ratio=pinion / side)
m.actuator("engine", m["input"].angle, force=torque)
m.torque("left_road", left, (0, -left_drag, 0))
m.torque("right_road", right, (0, -right_drag, 0))

assert da.mobility(m).dof == 2
run = da.simulate(m, until=1.0)

# The cage turns by the mean of the wheels, whatever they do ...
speed = {name: run[name].spin[:, 1] for name in ("cage", "left", "right")}
assert np.allclose(speed["left"] + speed["right"], 2 * speed["cage"], atol=1e-9)
# ... and two inertias decide, one for going straight and one for the difference (LAGRANGE 2.3.1).
wheel = (1.0 * side**2 + 1.0 * 0.012**2 + 10.0 * 0.15**2) / 2
spin, tumble = 0.4 * pinion**2 / 2, 0.4 * (3 * pinion**2 + 0.02**2) / 12 + 0.4 * side**2
straight = 3.0 * (0.12**2 + 0.09**2) / 2 + 2 * wheel + 2 * tumble
turning = 2 * wheel + 2 * spin * (side / pinion) ** 2
mean, half_difference = (torque - left_drag - right_drag) / straight, (right_drag - left_drag) / turning
assert np.allclose(speed["left"], (mean + half_difference) * run.t, atol=1e-7)
assert np.allclose(speed["right"], (mean - half_difference) * run.t, atol=1e-7)

if __name__ == "__main__":
    print(
        f"after 1 s the left wheel turns at {speed['left'][-1]:.3f} rad/s, the right one at {speed['right'][-1]:.3f} rad/s"
    )
    print(f"and the cage between them at {speed['cage'][-1]:.3f} rad/s, the mean")
    print(run.audit)
    run.draw("out/differential.png", names=["bodies"], view=(-35, 35))
