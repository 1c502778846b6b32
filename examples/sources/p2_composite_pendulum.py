"""Mass properties of a pendulum of a rod and a disk with a hole, and its period (PLANAR, example 6.1.2)."""

import math

import dalembert as da

plate = {"density": 8000.0, "thickness": 0.01}
bar = da.rod(1.0, mass=2.8).at(0, -0.5, angle=math.pi / 2)  # hangs from O at the origin
shape = da.composite(bar, da.disk(0.25, **plate).at(0, -1.25), da.void(da.disk(0.125, **plate).at(0, -1.25)))
whole = shape.mass_properties()

# the source rounds the mass centre to 1.11 m before it squares distances; these are exact
assert abs(whole.mass - 14.580972450961724) < 1e-13
assert abs(whole.center[1] + 1.1059766841983512) < 1e-14
assert abs(whole.polar - 1.9660786065155635) < 1e-13

m = da.Mechanism("composite pendulum", plane=True, gravity=(0, -9.81))
pendulum = m.body("pendulum", shape, at=(0, 0))
m.revolute("O", m.ground, pendulum, at=(0, 0))
m.start(m["O"].angle, value=0.02)

# small swings: w² = m g s / (J + m s²)
s = -whole.center[1]
period = 2 * math.pi * math.sqrt((whole.polar + whole.mass * s**2) / (whole.mass * 9.81 * s))
run = da.simulate(m, until=2 * period, output=period / 50)
zeros = run.crossings("O.angle", 0.0)
assert abs((zeros[2] - zeros[0]) / period - 1) < 1e-4  # 1 + angle²/16 = 1 + 2.5e-5

if __name__ == "__main__":
    print(
        f"{whole.mass:.6f} kg, mass centre {s:.6f} m below O, {whole.polar:.6f} kg m² about it; period {period:.4f} s\n"
    )
    print(run.audit)
    run.draw(path="out/p2_composite_pendulum.png")
