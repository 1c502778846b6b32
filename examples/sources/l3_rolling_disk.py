"""A disk that rolls and leans: three equations without multipliers, checked along a run (LAGRANGE 2.2.2, 2.6.1)."""

import numpy as np

import dalembert as da

mass, r, g = 1.3, 0.4, 9.81
# theta tilts the disk from the vertical, phi is its heading, psi its spin
disk = da.Lagrangian(
    "theta phi psi x y z",
    gravity=(0, 0, "-g"),
    nonholonomic={
        "along x": "r*cos(theta)*sin(phi)*rate(theta) + r*sin(theta)*cos(phi)*rate(phi) + r*cos(phi)*rate(psi) + rate(x)",
        "along y": "-r*cos(theta)*cos(phi)*rate(theta) + r*sin(theta)*sin(phi)*rate(phi) + r*sin(phi)*rate(psi) + rate(y)",
    },
    holonomic={"contact": "z - r*cos(theta)"},
    parameters={"m": mass, "r": r, "g": g},
    name="rolling disk",
)
disk.body(
    "disk", "m", ("m*r**2/4", "m*r**2/4", "m*r**2/2"), at=("x", "y", "z"),
    turns=[("z", "phi"), ("x", "pi/2 - theta"), ("z", "psi")],
)  # fmt: skip
disk.start("theta", 0.2)
disk.start("phi", 0.0, rate=0.5)
disk.start("psi", 0.0, rate=8.0)
run = da.simulate(disk, until=3.0, output=0.02)

s, c = np.sin(run["theta"]), np.cos(run["theta"])
(w1, w2, w3), (e1, e2, e3) = np.asarray(run.v)[:, :3].T, np.asarray(run.a)[:, :3].T
assert np.allclose(5 * e1 - 5 * s * c * w2**2 - 6 * c * w2 * w3 - 4 * g * s / r, 0, atol=1e-8)
assert np.allclose(c * e2 + 2 * w1 * w3, 0, atol=1e-8)
assert np.allclose(3 * s * e2 + 3 * e3 + 5 * c * w1 * w2, 0, atol=1e-8)

if __name__ == "__main__":
    print(da.classify(disk), "\n")
    print(run.audit)
    run.plot("theta", "phi", "psi", path="out/l3_rolling_disk.png")
