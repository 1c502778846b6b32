"""A bob on a string swings out of the plane: it goes round on a cone, or on a rosette that turns by its apsidal angle."""

import math

from scipy.integrate import quad

import dalembert as da

length, mass, g = 1.0, 2.0, 9.81
out, push = math.radians(50), 1.2  # angle from the vertical, speed across [m/s]


def pendulum(speed):
    """Released at the same angle with some speed across, along y."""
    m = da.Mechanism("spherical pendulum", plane=False, gravity=(0, 0, -g))
    place = (length * math.sin(out), 0, -length * math.cos(out))
    bob = m.particle("bob", mass=mass, at=place, velocity=(0, speed, 0))
    m.distance("string", m.ground.point(0, 0, 0), bob.point(0, 0, 0))
    return m


# On the cone the string carries m g / cos(out) and the bob goes round in 2 pi sqrt(l cos(out) / g).
radius, period = length * math.sin(out), 2 * math.pi * math.sqrt(length * math.cos(out) / g)
cone = da.simulate(pendulum(2 * math.pi * radius / period), until=period, rtol=1e-11, atol=1e-13)
assert abs(cone["bob"].position[:, 2] + length * math.cos(out)).max() < 1e-9
assert abs(cone["bob"].position[-1] - cone["bob"].position[0]).max() < 1e-9
tension = (cone["string"].force ** 2).sum(axis=1) ** 0.5
assert abs(tension - mass * g / math.cos(out)).max() < 1e-6

# Slower it falls towards the middle: with z up, z'^2 = 2 (e - g z) (1 - z^2/l^2) - h^2/l^2 = 0 where it turns.
run = da.simulate(pendulum(push), until=8.0, output=0.02, rtol=1e-11, atol=1e-13)
top = -length * math.cos(out)
momentum, energy = radius * push, push**2 / 2 + g * top
# one turning point is the start, at z = top; the others follow from z^2 + a z + b = 0
a = top - energy / g
b = (momentum**2 / (2 * g)) / top - length**2 * energy / (g * top)
low = (-a - math.sqrt(a * a - 4 * b)) / 2
third = (-a + math.sqrt(a * a - 4 * b)) / 2


def turned(s):
    """Rate of the azimuth in s, where z = middle - half*cos(s) runs from the lowest to the highest height."""
    z = (low + top) / 2 - (top - low) / 2 * math.cos(s)
    return momentum / (length**2 - z**2) / math.sqrt(2 * g / length**2 * (third - z))


apsidal = quad(turned, 0, math.pi, epsabs=1e-13)[0]
lowest = run.resample([t for t in run.crossings(run["bob"].velocity[:, 2], 0.0) if t > 1e-6][:1])
azimuth = math.atan2(lowest["bob.y"][0], lowest["bob.x"][0])
assert abs(lowest["bob.z"][0] - low) < 1e-8
assert abs(azimuth - apsidal) < 1e-6

if __name__ == "__main__":
    print(f"on the cone: once round in {period:.4f} s, the string pulls with {tension[0]:.2f} N")
    print(f"on the rosette: from the highest to the lowest point in {math.degrees(apsidal):.3f} degrees, not 90")
    print(f"so the orbit turns forwards by {math.degrees(4 * apsidal) - 360:.2f} degrees in each round")
    print(run.audit)
    run.draw("out/spherical_pendulum.png", names=["bob", "string"], traces=["bob"], view=(-60, 30))
