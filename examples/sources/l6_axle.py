"""Two wheels on an axle: two conditions that are not geometry, one that is, and a circle (LAGRANGE 2.6.2)."""

import numpy as np

import dalembert as da

mass, a, l = 1.1, 0.25, 0.9
axle = da.Lagrangian(
    "q1 q2 q3 q4 q5",
    kinetic="m*(rate(q1)**2 + rate(q2)**2) + m*(l**2 + a**2)/4*rate(q5)**2 + m*a**2/4*(rate(q3)**2 + rate(q4)**2)",
    nonholonomic={
        "roll 1": "2*rate(q1) + a*cos(q5)*(rate(q3) + rate(q4))",
        "roll 2": "2*rate(q2) - a*sin(q5)*(rate(q3) + rate(q4))",
        "turn": "rate(q5) - a/l*(rate(q4) - rate(q3))",
    },
    parameters={"m": mass, "a": a, "l": l},
    name="axle",
)
axle.start("q3", 0.0, rate=3.0)
axle.start("q4", 0.0, rate=5.0)
kind = da.classify(axle)
assert kind.growth == (2, 3, 4, 4)  # of five coordinates: one integral, q5 = (a/l) (q4 - q3)

run = da.simulate(axle, until=4.0, output=0.02)
assert np.allclose(run.v[:, 2:4], [3.0, 5.0], atol=1e-8)  # the wheels run evenly
# the centre goes round a circle of radius (l/2) |(q3' + q4')/(q4' - q3')|
radius = l / 2 * (3.0 + 5.0) / (5.0 - 3.0)
# q1' = -(a/2) (q3' + q4') cos(q5), q2' = (a/2) (q3' + q4') sin(q5): its middle is at q2 = radius
assert np.allclose(np.hypot(run["q1"] - run.q[0, 0], run["q2"] - run.q[0, 1] - radius), radius, atol=1e-7)

if __name__ == "__main__":
    print(kind, "\n")
    print(f"circle of radius {radius:.3f} m\n")
    print(run.audit)
    run.plot("q1", "q2", path="out/l6_axle.png")
