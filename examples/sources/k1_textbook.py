"""Three oscillators that every text begins with: mass on a spring, pendulum, disk on a shaft (PRINCIPLES)."""

import math

import numpy as np

import dalembert as da

mass, k, g = 2.0, 50.0, 9.81
m = da.Mechanism("mass on a spring", plane=True, gravity=(0, -g))
block = m.body("block", da.block(0.2, 0.1, mass=mass), at=(0, -1.0))
m.prismatic("guide", m.ground, block, along=(0, 1))
m.spring("spring", m.ground.point(0, 0), block.point(0, 0), stiffness=k, free_length=1.0)
run = da.simulate(m, until=4.0, output=0.02)
w = math.sqrt(k / mass)
assert np.allclose(run["block"].position[:, 1], -1.0 - mass * g / k * (1 - np.cos(w * run.t)), atol=1e-7)

# a disk on a shaft in torsion, K = G I_p / L
shear, radius, length = 80e9, 0.01, 1.0
stiffness = shear * math.pi * radius**4 / 2 / length
shaft = da.Mechanism("disk on a shaft", plane=False)
disk = shaft.body("disk", da.cylinder(radius=0.2, length=0.05, mass=20.0))
shaft.revolute("bearing", shaft.ground, disk, at=(0, 0, 0), axis=(0, 0, 1))
shaft.torsion_spring("shaft", shaft["bearing"].angle, stiffness=stiffness)
mode = da.linearize(shaft).modes[0]
assert abs(mode.omega - math.sqrt(stiffness / (20.0 * 0.2**2 / 2))) < 1e-6 * mode.omega

# a pendulum of a particle: w² = g / l for small swings, and the string pulls m g cos + m l w²
l = 0.8
swing = da.Mechanism("pendulum", plane=True, gravity=(0, -g))
bob = swing.particle("bob", mass=mass, at=(l * math.sin(0.5), -l * math.cos(0.5)))
swing.distance("string", swing.ground.point(0, 0), bob.point(0, 0))
fall = da.simulate(swing, until=2.0, output=0.02)
sine, down = fall["bob"].position[:, 0] / l, -fall["bob"].position[:, 1] / l
speed = np.sum(np.asarray(fall["bob"].velocity) ** 2, axis=1)
assert np.allclose(np.linalg.norm(fall["string"].force, axis=1), mass * (g * down + speed / l), atol=1e-8)

if __name__ == "__main__":
    print(f"block {w:.4f} rad/s, disk {mode.omega:.2f} rad/s, pendulum {math.sqrt(g / l):.4f} rad/s for small swings\n")
    print(run.audit)
    run.draw(path="out/k1_textbook.png", at=0.5)
