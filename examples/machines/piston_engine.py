"""A single-cylinder engine at constant speed: motor torque in three ways over 720 degrees, shaking force on its mounts."""

import numpy as np

import dalembert as da

r, l, s = 0.04, 0.14, 0.05  # crank, rod, crank pin to mass centre of the rod [m]
rod_mass, piston_mass, speed = 0.45, 0.38, 300.0  # kg, kg, rad/s

m = da.Mechanism("piston engine", plane=True)
crank = m.body("crank", mass=4.0, inertia=0.01)  # balanced: its mass centre is on its axis
# the inertia that makes the rod equal to two point masses, one at each pin
rod = m.body("rod", mass=rod_mass, inertia=rod_mass * s * (l - s), at=(r + s, 0))
piston = m.body("piston", da.block(0.08, 0.06, mass=piston_mass), at=(r + l, 0))
m.revolute("O", m.ground, crank, at=(0, 0))
m.revolute("A", crank, rod, at=(r, 0))
m.revolute("B", rod, piston, at=(r + l, 0))
m.prismatic("bore", m.ground, piston, along=(1, 0))
head = m.ground.point(r + l + 0.06, 0)
m.actuator("gas", head, piston.right, force=f"60*(1 + cos({speed}*t/2 - 0.3))**6")  # fires once in two turns
m.drive("motor", m["O"].angle, f"{speed}*t")

angle = np.radians(np.arange(721))
found = da.inverse_dynamics(m, times=angle / speed)
run, torque = found.run, found["motor"]

# Multiplier, virtual power and Newton-Euler agree, in the dead centres (every 180 degrees) as well.
assert found.spread < 1e-9

# Closed form: piston and its share of the rod on x = r cos + sqrt(l^2 - r^2 sin^2), the rest of the rod on the crank pin.
c, sin = np.cos(angle), np.sin(angle)
root = np.sqrt(l**2 - r**2 * sin**2)
slope = -r * sin - r**2 * sin * c / root  # dx/dangle
curve = -r * c - r**2 * ((c**2 - sin**2) + r**2 * sin**2 * c**2 / root**2) / root
gas = -60 * (1 + np.cos(angle / 2 - 0.3)) ** 6
on_pin, sliding = rod_mass * (l - s) / l, piston_mass + rod_mass * s / l
expected = (sliding * speed**2 * curve - gas) * slope
assert np.max(np.abs(torque.multiplier - expected)) < 1e-9 * np.max(np.abs(expected))

# Over a cycle inertia gives back what it took: the mean torque is the work of the gas over the angle, - (integral of gas dx) / 4 pi.
work = np.sum(gas[:-1] * slope[:-1]) * np.radians(1)
assert abs(np.mean(torque.multiplier[:-1]) + work / (4 * np.pi)) < 1e-9 * abs(work)

# The mounts feel inertia only: the gas pushes the head as much as the piston.
shaking = np.column_stack([-sliding * speed**2 * curve + on_pin * speed**2 * r * c, on_pin * speed**2 * r * sin])
assert np.max(np.abs(found.shaking_force - shaking)) < 1e-9 * np.max(np.abs(shaking))

if __name__ == "__main__":
    print(found)
    print(f"mean torque {float(np.mean(torque.multiplier[:-1])):.3f} N m: negative, the engine drives its motor\n")
    print(run.audit)
    run.draw("out/piston_engine.png", at=0.002, ghosts=3, arrows={"reactions": ["A", "B", "bore"]})
