"""Two particles on strings: tensions by Newton's laws of each (PRINCIPLES)."""

import numpy as np

import dalembert as da

m1, m2, l1, l2, g = 1.2, 0.7, 0.9, 0.6, 9.81
m = da.Mechanism("two particles", plane=True, gravity=(0, -g))
one = m.particle("one", mass=m1, at=(l1 * np.sin(1.0), -l1 * np.cos(1.0)))
two = m.particle("two", mass=m2, at=(l1 * np.sin(1.0) + l2 * np.sin(0.3), -l1 * np.cos(1.0) - l2 * np.cos(0.3)))
m.distance("upper", m.ground.point(0, 0), one.point(0, 0))
m.distance("lower", one.point(0, 0), two.point(0, 0))
run = da.simulate(m, until=3.0, output=0.02)

# the source's four equations at every output, with the unit vectors along the strings
r1, r2 = np.asarray(run["one"].position), np.asarray(run["two"].position)
u1, u2 = r1 / l1, (r2 - r1) / l2
t1, t2 = (np.sum(np.asarray(run[name].force) * -u, axis=1) for name, u in (("upper", u1), ("lower", u2)))
weight = np.array([0, -g])
assert np.allclose(
    m1 * np.asarray(run["one"].acceleration), -t1[:, None] * u1 + t2[:, None] * u2 + m1 * weight, atol=1e-9
)
assert np.allclose(m2 * np.asarray(run["two"].acceleration), -t2[:, None] * u2 + m2 * weight, atol=1e-9)

if __name__ == "__main__":
    print(
        f"tensions up to {t1.max():.2f} N and {t2.max():.2f} N; the strings stay taut: smallest {min(t1.min(), t2.min()):.2f} N\n"
    )
    print(run.audit)
    run.draw(path="out/k3_double_pendulum.png", at=0.0, traces=["two"])
