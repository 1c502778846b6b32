"""An upright disk rolls on a plane: two conditions on its speed that are none on its place, and a circle (PRINCIPLES)."""

import math

import numpy as np

import dalembert as da

mass, r, turning, spin = 1.4, 0.3, 0.8, 6.0
disk = da.Lagrangian(
    "x y theta phi",
    kinetic="m*(rate(x)**2 + rate(y)**2)/2 + m*r**2/8*rate(theta)**2 + m*r**2/4*rate(phi)**2",
    nonholonomic={"along": "rate(x) - r*cos(theta)*rate(phi)", "across": "rate(y) - r*sin(theta)*rate(phi)"},
    parameters={"m": mass, "r": r},
    name="upright disk",
)
disk.start("theta", 0.0, rate=turning)
disk.start("phi", 0.0, rate=spin)

kind = da.classify(disk)
assert kind.growth == (2, 3, 4)  # any place and heading can be reached

# free motion: a circle of radius r |phi'/theta'|
run = da.simulate(disk, until=2 * math.pi / turning, output=0.05)
radius = r * spin / turning
assert np.allclose(np.hypot(run["x"], np.asarray(run["y"]) - radius), radius, atol=1e-7)

if __name__ == "__main__":
    print(kind, "\n")
    print(f"circle of radius {radius:.3f} m\n")
    print(run.audit)
    run.plot("x", "y", path="out/k5_upright_disk.png")
