"""A force law as a Python function: convenient, and slower than the same law as a text."""

import math

import numpy as np

import dalembert as da

g, mass, drag = 9.81, 0.5, 0.02


def falling(law):
    m = da.Mechanism("falling ball", plane=True, gravity=(0, -g))
    ball = m.particle("ball", mass=mass, at=(0, 0))
    m.actuator("air", ball.y, force=law)
    return da.simulate(m, until=3.0)


def air(y, v, t):
    """Force along y for height y, speed v and time t."""
    return -drag * v * abs(v)


run = falling(air)
same = falling(f"-{drag}*v*abs(v)")

# Known in closed form: v = -v_end tanh(g t / v_end), v_end = sqrt(m g / drag).
v_end = math.sqrt(mass * g / drag)
exact = -v_end * np.tanh(g * run.t / v_end)
assert np.allclose(run["ball"].velocity[:, 1], exact, atol=1e-7)
assert np.allclose(run["ball"].position, same["ball"].position, atol=1e-9)

if __name__ == "__main__":
    print(run.table())
    slow, fast = run.audit.seconds, same.audit.seconds
    print(f"\nfunction {1e3 * slow:.1f} ms, text {1e3 * fast:.2f} ms: {slow / fast:.0f} times slower\n")
    print(run.audit)
    run.plot("ball", "air", path="out/11_callable_law.png")
