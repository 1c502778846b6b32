"""A coin rolls steadily on a circle, leaning inwards; slower than a certain speed an upright one falls over (benchmarks C03, C04)."""

import numpy as np

import dalembert as da

mass, r, g = 0.3048, 0.05, 9.81
circle, lean = 0.5, np.radians(5)
side, polar = mass * r**2 / 4, mass * r**2 / 2
# Le Saux, Leine and Glocker (2005): spin about the axis and rate of turning for this lean and circle
ratio = r / circle
spin = np.sqrt(4 * (g / r) * np.sin(lean) / ((6 - 5 * ratio * np.sin(lean)) * ratio * np.cos(lean)))
turn = ratio * spin

m = da.Mechanism("coin", plane=False, gravity=(0, 0, -g))
place = (circle - r * np.sin(lean), 0, r * np.cos(lean))
coin = m.body("coin", da.disk(r, mass=mass), at=place, rotation=((0, 1, 0), np.pi / 2 - lean))
floor = m.rolling_disk("floor", m.ground, coin, radius=r, axis=coin.axis(0, 0, 1), through=(0, 0, 0))
m.start(floor.yaw, rate=turn - spin * np.sin(lean))
m.start(floor.roll, rate=turn * np.sin(lean) - spin)
m.start(floor.tilt, rate=0.0)
run = da.simulate(m, until=2 * np.pi / turn, output=2 * np.pi / turn / 64, rtol=1e-11, atol=1e-12)

# one lap of 5.852 s on the circle; the floor carries the weight and pushes inwards with m v^2 / R of the mass centre
assert abs(2 * np.pi / turn - 5.852173782956) < 1e-11
assert np.allclose(np.hypot(*run["floor"].contact[:, :2].T), circle, atol=1e-9)
assert np.allclose(run["floor"].normal, mass * g, atol=1e-8)
inward = mass * turn**2 * (circle - r * np.sin(lean))
assert abs(inward - 0.17414402) < 1e-8
assert np.allclose(np.linalg.norm(run["floor"].friction, axis=1), inward, atol=1e-8)


def upright(speed):
    """A coin rolling straight ahead."""
    model = da.Mechanism("upright coin", plane=False, gravity=(0, 0, -g))
    body = model.body("coin", mass=mass, inertia=(side, polar, side), at=(0, 0, r))
    contact = model.rolling_disk("floor", model.ground, body, radius=r, axis="y", through=(0, 0, 0))
    model.start(contact.x, rate=speed)
    model.start(contact.yaw, rate=0.0)
    model.start(contact.tilt, rate=0.0)
    return model


# upright it is stable above sqrt(g r / 3)
threshold = np.sqrt(g * r / 3)
slow, fast = upright(0.98 * threshold), upright(1.02 * threshold)
assert not da.linearize(slow).stable and da.linearize(fast).stable

if __name__ == "__main__":
    print(
        f"leaning by 5 degrees the coin rolls round a circle of 0.5 m in {2 * np.pi / turn:.3f} s; the floor pushes it inwards with {inward:.4f} N"
    )
    print(f"upright it falls over when it is slower than sqrt(g r/3) = {threshold:.3f} m/s")
    print(run.audit)
    run.draw("out/rolling_coin.png", ghosts=8, traces=["coin"], view=(-60, 30))
