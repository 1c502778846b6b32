"""A bar on a spinning shaft with a torsion spring: what stays constant, and the torque that changes it (LAGRANGE 2.4.1, 2.5.1)."""

import numpy as np

import dalembert as da

mass, a, k, g = 1.2, 0.7, 3.0, 9.81


def bar_on_shaft(torque):
    m = da.Lagrangian(
        "theta phi", potential="k*phi**2/2", gravity=(0, 0, "-g"), name="bar on a shaft",
        parameters={"m": mass, "a": a, "g": g, "k": k, "tau": torque},
    )  # fmt: skip
    at = ("a/2*sin(phi)*cos(theta)", "a/2*sin(phi)*sin(theta)", "-a/2*cos(phi)")
    bar = m.body("bar", "m", ("m*a**2/12", "m*a**2/12", 0), at=at, turns=[("z", "theta"), ("y", "-phi")])
    if torque:
        m.couple("torque", bar, (0, 0, "tau"))
    m.start("theta", 0.0, rate=4.0)
    m.start("phi", 0.9, rate=0.5)
    return m


# without torque theta is ignorable: theta' sin²(phi) is constant
free = bar_on_shaft(0.0)
constants = da.conserved(free)
run = da.simulate(free, until=3.0, output=0.02)
s, c = np.sin(run["phi"]), np.cos(run["phi"])
alpha = np.asarray(run["theta"].rate) * s**2
assert np.allclose(alpha, 4.0 * np.sin(0.9) ** 2, rtol=1e-7)
# phi'' - theta'² s c + (3 g/2a) s + 3 k phi/(m a²) = 0: the source prints the spring with the other sign
spring = 3 * k * np.asarray(run["phi"]) / (mass * a**2)
assert np.allclose(run.a[:, 1] - (alpha / s**2) ** 2 * s * c + 1.5 * g / a * s + spring, 0, atol=1e-7)

# with a torque: theta'' s² + 2 theta' phi' s c = 3 tau/(m a²)
other = da.simulate(bar_on_shaft(0.8), until=1.0, output=0.02)
s, c = np.sin(other["phi"]), np.cos(other["phi"])
assert np.allclose(other.a[:, 0] * s**2 + 2 * other.v[:, 0] * other.v[:, 1] * s * c, 3 * 0.8 / (mass * a**2), atol=1e-7)

if __name__ == "__main__":
    print(constants, "\n")
    print(run.audit)
    run.plot("theta", "phi", path="out/l4_bar_on_shaft.png")
