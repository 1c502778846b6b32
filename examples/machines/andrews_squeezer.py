"""Andrews' squeezing mechanism: seven bodies, ten pins, a spring and a motor (benchmark B01)."""

import math

import numpy as np

import dalembert as da

# start of the published problem: angles of the seven bodies [rad]
beta, theta, gamma, phi, delta, omega, epsilon = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)

m = da.Mechanism("Andrews squeezer", plane=True)


def along(origin, angle, x, y=0.0):
    """Point (x, y) of a frame at `origin` turned by `angle`, in space."""
    c, s = math.cos(angle), math.sin(angle)
    return origin[0] + c * x - s * y, origin[1] + s * x + c * y


def link(name, mass, inertia, origin, angle, center):
    return m.body(name, mass=mass, inertia=inertia, at=origin, angle=angle, center=center)


# frames start at the pin nearest to the ground; -90 degrees where the source measures an angle from -y
down = -math.pi / 2
K1 = link("K1", 0.04325, 2.194e-6, (0, 0), beta, (0.00092, 0))
F = along((0, 0), beta, 0.007)
K2 = link("K2", 0.00365, 4.410e-7, F, beta + theta, (-0.0115, 0))
E = along(F, beta + theta, -0.028)
K3 = link("K3", 0.02373, 5.255e-6, B, gamma + down, (0.01043, 0.01874))
K5 = link("K5", 0.07050, 1.169e-5, A, delta, (0.02308, 0.00916))
G = along(A, delta, 0.04)
K4 = link("K4", 0.00706, 5.667e-7, G, phi + delta + down, (0.00579, 0))
K7 = link("K7", 0.05498, 1.912e-5, A, epsilon + down, (0.01228, 0.00449))
H = along(A, epsilon + down, 0.04)
K6 = link("K6", 0.00706, 5.667e-7, H, omega + epsilon, (0.00579, 0))

m.revolute("O", m.ground, K1, at=(0, 0))
m.revolute("F", K1, K2, at=F)
m.revolute("E3", K3, K2, at=E)
m.revolute("E4", K4, K2, at=E)
m.revolute("E6", K6, K2, at=E)
m.revolute("B", m.ground, K3, at=B)
m.revolute("G", K5, K4, at=G)
m.revolute("H", K7, K6, at=H)
m.revolute("A5", m.ground, K5, at=A)
m.revolute("A7", m.ground, K7, at=A)
m.spring("spring", (m.ground, C), K3.point(0.018, 0.02), stiffness=4530.0, free_length=0.07785)
m.torque("motor", K1, 0.033)

run = da.simulate(m, until=0.03, rtol=1e-9, atol=1e-11)
angle = {name: run[name].angle[-1] for name in ("K1", "K2", "K3", "K4", "K5", "K6", "K7")}
found = [
    angle["K1"],
    angle["K2"] - angle["K1"],
    angle["K3"] - down,
    angle["K4"] - angle["K5"] - down,
    angle["K5"],
    angle["K6"] - angle["K7"] + down,
    angle["K7"] - down,
]

# Angles at 0.03 s: refined from the Test Set for IVP Solvers (Bari) by extrapolation in 80-bit arithmetic.
refined = [
    15.81077119515371,
    -15.75637105841185,
    0.04082224011964555,
    -0.5347301163420803,
    0.5244099658799539,
    0.5347301163420801,
    1.048080741041938,
]
error = float(np.max(np.abs(np.subtract(found, refined))))
assert error < 1e-7
# Joint force at E between bodies 2 and 3 at the start, published as multipliers.
assert np.allclose(run["E3"].force[0], (-98.5668703962410896, 6.12268834425566266), rtol=1e-9)

if __name__ == "__main__":
    print(f"largest error of the seven angles: {error:.1e} rad")
    print(run.audit)
    run.draw("out/andrews_squeezer.png", at="start", ghosts=3, traces=["F", "E3"], names=["joints"])
