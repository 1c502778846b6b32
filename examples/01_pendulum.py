"""A bar swings from a pin: the whole way from a model to a checked number."""

import math

import dalembert as da

g, length, mass = 9.81, 1.0, 2.0

m = da.Mechanism("pendulum", plane=True, gravity=(0, -g))
bar = m.body("bar", da.rod(length=length, mass=mass), at=(length / 2, 0))
m.revolute("A", m.ground, bar, at=(0, 0))

# released level and at rest
run = da.simulate(m, until=2.0)

# The bar passes the lowest point when its angle is -90 degrees.  There, from energy:
#   1/2 (m l^2/3) w^2 = m g l/2    so  w = sqrt(3 g/l)
#   pin force = weight + m w^2 l/2 = 5/2 m g
bottom = run.resample(run.crossings("A.angle", -math.pi / 2)[:1])
speed = abs(bottom["bar"].spin[0])
pin = bottom["A"].force[0]

assert abs(speed - math.sqrt(3 * g / length)) < 1e-7
assert abs(pin[1] - 2.5 * mass * g) < 1e-6 and abs(pin[0]) < 1e-6

if __name__ == "__main__":
    print(run.table())
    print(f"\nlowest point at t = {bottom.t[0]:.6f} s: {speed:.6f} rad/s, pin force {pin[1]:.6f} N\n")
    print(run.audit)
    run.plot(path="out/01_pendulum.png")
