"""Rolling along a line is a constraint on positions, rolling on a plane is not, and two wheels on an axle are something between."""

import math

import numpy as np

import dalembert as da

r, length, slope = 0.3, 1.2, 0.2  # radius of all wheels, axle [m], slope of the line [rad]

# A wheel on a line: x' = r turn' is the rate of x - r turn = 0.  Hence it may be a joint of a mechanism.
line = da.classify(["rate(x) - r*rate(turn)"], q="x turn", parameters={"r": r})
assert line.verdict == "holonomic" and str(line.integrals[0]) == "x - r*turn = const"

m = da.Mechanism("wheel on a slope", gravity=(9.81 * math.sin(slope), -9.81 * math.cos(slope)))
wheel = m.body("wheel", da.disk(radius=r, mass=2.0), at=(0, r))
m.prismatic("height", m.ground, m.body("hub", da.lump(mass=0.1, inertia=1e-3), at=(0, r)), along=(1, 0))
m.revolute("axis", m["hub"], wheel, at=(0, r))
m.rack("rolling", m["axis"], m["height"], radius=-r)
run = da.simulate(m, until=2.0, output=0.01)
# all mass moves, the wheel turns: (m + J/r^2) x'' = m g sin(slope)
acceleration = 2.1 * 9.81 * math.sin(slope) / (2.1 + 0.5 * 2.0)
assert np.allclose(run["height.slide"], 0.5 * acceleration * run.t**2, atol=1e-7)

# A disk that rolls on a plane, tilting: two rows on rates, of which no combination is a constraint on positions.
disk = da.classify(
    {
        "along x": "rate(x) + r*(cos(theta)*sin(phi)*rate(theta) + sin(theta)*cos(phi)*rate(phi) + cos(phi)*rate(psi))",
        "along y": "rate(y) + r*(sin(theta)*sin(phi)*rate(phi) - cos(theta)*cos(phi)*rate(theta) + sin(phi)*rate(psi))",
    },
    q="theta phi psi x y",
    parameters={"r": r},
)
assert disk.verdict == "nonholonomic" and disk.growth == (3, 4, 5)
assert (disk.n_speeds, disk.n_positions) == (3, 5)  # three ways to move at any moment, every position within reach

# Two wheels on an axle: none of the three rows is integrable, but the difference of two is.
rows = {
    "left": "cos(psi)*rate(x) + sin(psi)*rate(y) - l/2*rate(psi) - r*rate(a)",
    "right": "cos(psi)*rate(x) + sin(psi)*rate(y) + l/2*rate(psi) - r*rate(b)",
    "side": "sin(psi)*rate(x) - cos(psi)*rate(y)",
}
axle = da.Lagrangian(
    "x y a b psi", kinetic="m*(rate(x)**2 + rate(y)**2)/2 + I*rate(psi)**2/2 + J*(rate(a)**2 + rate(b)**2)/2",
    nonholonomic=rows, parameters={"m": 4.0, "I": 0.9, "J": 0.09, "l": length, "r": r}, name="axle",
)  # fmt: skip
found = da.classify(axle)
assert found.growth == (2, 3, 4, 4) and found.n_positions == 4
assert [str(f) for f in found.integrals] == ["r*a - r*b + l*psi = const"]

# Along a run the integral keeps its value, while the axle goes round a circle.
axle.start("a", 0.0, rate=2.0)
axle.start("b", 0.0, rate=3.0)
circle = da.simulate(axle, until=8.0)
kept = r * circle["a"] - r * circle["b"] + length * circle["psi"]
assert np.max(np.abs(kept)) < 1e-8
turned, radius = circle["psi"], length / 2 * (2.0 + 3.0) / (3.0 - 2.0)
assert np.allclose(circle["x"], radius * np.sin(turned), atol=1e-6)

if __name__ == "__main__":
    print(line, disk, found, sep="\n\n")
    print(run.audit)
    run.plot(path="out/25_rolling_and_integrals.png")
