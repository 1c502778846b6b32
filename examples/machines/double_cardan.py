"""A shaft between two universal joints: with its forks in line the output runs evenly, turned by a quarter it is worse than one joint."""

import math

import numpy as np

import dalembert as da

bend, speed, middle_length = math.radians(30), 10.0, 0.5
along = np.array([math.cos(bend), math.sin(bend), 0.0])  # of the middle shaft; input and output lie along x


def shafts(quarter):
    """Three shafts; `quarter`: the second fork of the middle shaft is turned by 90 degrees."""
    m = da.Mechanism("double Cardan shaft", plane=False)
    joint = middle_length * along
    first = m.body("input", da.cylinder(0.02, 0.4, axis="x", mass=3.0), at=(-0.2, 0, 0))
    middle = m.body(
        "middle", da.cylinder(0.015, middle_length, axis="x", mass=1.5), at=tuple(joint / 2), rotation=("z", bend)
    )
    last = m.body("output", da.cylinder(0.12, 0.1, axis="x", mass=4.0), at=(joint[0] + 0.2, joint[1], 0))
    m.revolute("bearing", m.ground, first, at=(-0.4, 0, 0), axis="x")
    m.universal("first", first, middle, at=(0, 0, 0), axes=((0, 1, 0), (0, 0, 1)))
    across = (-math.sin(bend), math.cos(bend), 0)
    m.universal(
        "second", middle, last, at=tuple(joint), axes=(across, (0, 0, 1)) if quarter else ((0, 0, 1), (0, 1, 0))
    )
    m.cylindrical("support", m.ground, last, at=(joint[0] + 0.4, joint[1], 0), axis="x")
    m.drive("motor", m["bearing"].angle, f"{speed}*t")
    return m


run = da.simulate(shafts(False), until=2 * math.pi / speed, rtol=1e-10, atol=1e-12)
wrong = da.simulate(shafts(True), until=2 * math.pi / speed, rtol=1e-10, atol=1e-12)

# In line: the second joint takes back what the first one does.  The middle shaft still runs unevenly.
assert np.allclose(run["support.angle"], run["bearing.angle"], atol=1e-9)
assert np.allclose(run["support.angle"].rate, speed, atol=1e-8)
ripple = run["middle"].spin @ along
assert abs(ripple.max() - speed / math.cos(bend)) < 1e-6
# Turned by a quarter: the ripples multiply, from cos² to 1/cos².
rate = wrong["support.angle"].rate
assert abs(rate.max() - speed / math.cos(bend) ** 2) < 1e-6 and abs(rate.min() - speed * math.cos(bend) ** 2) < 1e-3

if __name__ == "__main__":
    print(f"input {speed} rad/s; middle shaft {ripple.min():.3f} to {ripple.max():.3f} rad/s; output {speed} rad/s")
    print(f"with a fork turned by a quarter the output runs at {rate.min():.3f} to {rate.max():.3f} rad/s")
    print(run.audit)
    run.draw("out/double_cardan.png", view=(-70, 25))
