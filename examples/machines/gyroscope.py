"""A gyroscope in gimbals: a weight does not tip it but makes it go round; a knock makes it nod."""

import math

import numpy as np

import dalembert as da

g, weight, arm = 9.81, 0.3, 0.14  # weight [kg] and its distance [m] from the centre, along the axle
speed = 2 * math.pi * 20  # of the rotor [rad/s]
disk = da.cylinder(0.06, 0.02, axis="y", mass=1.2)


def gyroscope(gravity, precession):
    """Rotor in the inner_gimbal (turns about x) in the outer_gimbal (turns about z); the axle of the rotor lies along y."""
    m = da.Mechanism("gyroscope", plane=False, gravity=(0, 0, -gravity))
    outer = m.body("outer_gimbal", da.ring(0.12, mass=0.25, width=0.012), rotation=("x", math.pi / 2))
    ring = da.ring(0.10, mass=0.20, width=0.012)
    inner = m.body("inner_gimbal", ring + da.sphere(0.02, mass=weight).at(0, arm, 0))
    rotor = m.body("rotor", disk)
    m.revolute("pillar", m.ground, outer, at=(0, 0, -0.12), axis="z")
    m.revolute("trunnion", outer, inner, at=(0.11, 0, 0), axis="x")
    m.revolute("axle", inner, rotor, at=(0, 0.1, 0), axis="y")
    m.start("axle.angle", 0.0, rate=speed)
    m.start("pillar.angle", 0.0, rate=precession)
    m.start("trunnion.angle", 0.0, rate=0.0)
    return m


# The moment of the weight turns the momentum C w of the rotor: m g a = C w W, exactly so while the axle is level.
polar = 1.2 * 0.06**2 / 2
precession = weight * g * arm / (polar * speed)
run = da.simulate(gyroscope(g, precession), until=2 * math.pi / precession, rtol=1e-10, atol=1e-12)
assert np.allclose(run["pillar.angle"].rate, precession, rtol=1e-6)
assert abs(run["trunnion.angle"]).max() < 1e-8

# Without gravity and precession it nods at C w / sqrt(I_x I_z), the moments of all that tilts and of all that turns.
free = gyroscope(0.0, 0.0)
small = da.linearize(free)
moment = {
    name: free[name].shape.mass_properties().about((0, 0, 0)) for name in ("outer_gimbal", "inner_gimbal", "rotor")
}
tilting = moment["inner_gimbal"][0, 0] + moment["rotor"][0, 0]
turning = moment["outer_gimbal"][1, 1] + moment["inner_gimbal"][2, 2] + moment["rotor"][2, 2]
nutation = polar * speed / math.sqrt(tilting * turning)
assert abs(max(abs(s.imag) for s in small.eigenvalues) - nutation) < 1e-8 * nutation

if __name__ == "__main__":
    print(
        f"the weight of {weight * 1e3:.0f} g goes round once in {2 * math.pi / precession:.2f} s and stays at its height"
    )
    print(
        f"knocked, the gimbals nod at {nutation / (2 * math.pi):.1f} Hz; the rotor turns at {speed / (2 * math.pi):.0f} Hz"
    )
    print(run.audit)
    run.draw("out/gyroscope.png", names=["bodies"], view=(-50, 18))
