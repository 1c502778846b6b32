"""A differential gear train: its rolling conditions are geometry in disguise (LAGRANGE 2.2.1, 2.3.1)."""

import numpy as np

import dalembert as da

mA, mB, a, b = 2.0, 1.5, 0.3, 0.1
tau1, tau2, tau3 = 1.0, -0.4, 0.3
across = mB * (a**2 + b**2 / 4)  # of disk B about the common axis
train = da.Lagrangian(
    "th1 th2 th3 th4",
    kinetic="mA*a**2*(rate(th1)**2 + rate(th2)**2)/4 + mB*b**2*rate(th3)**2/4 + It*rate(th4)**2/2",
    nonholonomic={"P": "a*(rate(th4) - rate(th1)) - b*rate(th3)", "Q": "a*(rate(th4) - rate(th2)) + b*rate(th3)"},
    forces={"th1": tau1, "th2": tau2, "th4": tau3},
    parameters={"mA": mA, "mB": mB, "a": a, "b": b, "It": across},
    name="differential gear train",
)
train.start("th1", 0.0, rate=3.0)
train.start("th2", 0.0, rate=-1.0)

kind = da.classify(train)
assert kind.holonomic  # both rows together are relations of angles

run = da.simulate(train, until=2.0, output=0.02)
w = np.asarray(run.v)
assert np.allclose(w[:, 2], a / (2 * b) * (w[:, 1] - w[:, 0]), atol=1e-9) and np.allclose(
    w[:, 3], (w[:, 0] + w[:, 1]) / 2, atol=1e-9
)
# the source loses a factor 2 on m_A: (2 m_A a² + I_t + m_B a²/2) th1'' + (I_t - m_B a²/2) th2'' = 2 (2 tau1 + tau3)
one, two = 2 * mA * a**2 + across + mB * a**2 / 2, across - mB * a**2 / 2
e1, e2 = np.linalg.solve([[one, two], [two, one]], [2 * (2 * tau1 + tau3), 2 * (2 * tau2 + tau3)])
assert np.allclose(w[-1, :2], [3.0 + e1 * 2.0, -1.0 + e2 * 2.0], atol=1e-8)

if __name__ == "__main__":
    print(kind, "\n")
    print(run.audit)
    run.plot("th1", "th2", "th3", path="out/l2_differential_gear.png")
