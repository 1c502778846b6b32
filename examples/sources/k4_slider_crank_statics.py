"""What holds a slider–crank at 30 degrees: virtual work, a multiplier, and a torque instead (PRINCIPLES)."""

import math

import dalembert as da

mass, half, g, phi = 3.0, 0.4, 9.81, math.radians(30)
c, s = math.cos(phi), math.sin(phi)
m = da.Mechanism("slider-crank at rest", plane=True, gravity=(0, -g))
crank = m.body("crank", da.rod(2 * half, mass=mass), at=(half * c, half * s), angle=phi)
rod = m.body("rod", da.rod(2 * half, mass=mass), at=(3 * half * c, half * s), angle=-phi)
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("A", crank, rod, at=crank.end)
m.constraint("guide", m.measure("slide", point=rod.end, along=(0, 1)))
end = m.measure("end", point=rod.end, along=(1, 0))

# both mass centres are at l sin, the end at 4 l cos: 2 m g l cos = -4 l sin Z
held = da.holding_load(m, end)
assert abs(held.value + math.sqrt(3) / 2 * mass * g) < 1e-10
# a torque on the crank does it as well: 2 m g l cos
turned = da.holding_load(m, m["O"].angle)
assert abs(abs(turned.value) - math.sqrt(3) * mass * g * half) < 1e-10

# let go, it falls
run = da.simulate(m, until=0.3, output=0.01)
# first acceleration: virtual work of the weights over the inertia seen at the crank, 4 m l²/3 of each bar about its end,
# and for the rod that of its moving centre: (3 l s, l c) per unit rate, m l² (9 s² + c²) + m l²/3
inertia = mass * half**2 * (4 / 3 + 9 * s**2 + c**2 + 1 / 3)
assert abs(da.equations(m).a[2] + 2 * mass * g * half * c / inertia) < 1e-9

if __name__ == "__main__":
    print(held, "\n")
    print(run.audit)
    run.draw(path="out/k4_slider_crank_statics.png", at=0.0)
