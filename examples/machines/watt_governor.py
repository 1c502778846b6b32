"""Watt's governor on a steam engine: too much gain, or too little friction, and the speed hunts (Maxwell 1868, Vyshnegradsky 1876)."""

import importlib
import math

import numpy as np

import dalembert as da

fly = importlib.import_module("flyball_governor")
ratio, wheel_mass, wheel_radius = 0.5, 60.0, 0.4  # turns of the spindle per turn of the engine; flywheel
spindle_speed = math.sqrt(fly.weight / ((fly.across - fly.along) * math.cos(fly.drawn)))  # balls at rest as drawn
axle_mass, axle_radius = 6.0, 0.025
load = 40.0  # torque that the engine drives [N m]


def engine(gain, drop=0.0):
    """Engine at its speed; the balls close the throttle: torque = load - gain*(opening - drawn).  Part of the load drops."""
    m = da.Mechanism("Watt governor", plane=False, gravity=(0, 0, -fly.g))
    axle = da.cylinder(axle_radius, 0.46, axis="x", mass=axle_mass)
    rim = da.cylinder(wheel_radius, 0.08, axis="x", mass=wheel_mass)
    wheel = m.body("flywheel", rim + axle, at=(-0.35, 0, -0.55))
    posts = [da.box(0.05, 0.12, 0.5, mass=10.0).at(x, 0, -0.75) for x in (-0.53, -0.17)]
    base = da.box(0.75, 0.5, 0.04, mass=50.0).at(-0.27, 0, -1.02) + da.box(0.06, 0.12, 0.45, mass=10.0).at(0, 0, -0.775)
    frame = m.body("frame", da.composite(base, *posts))
    spindle = m.body("spindle", da.cylinder(0.01, 0.6, mass=1.4), at=(0, 0, -0.25))
    m.revolute("shaft", frame, wheel, at=(-0.17, 0, -0.55), axis="x")
    m.revolute("bearing", frame, spindle, at=(0, 0, -0.55), axis="z")
    m.gear("bevel", m["shaft"], m["bearing"], ratio=ratio)
    fly.governor(m, spindle)
    m.fixed("bolts", m.ground, frame, at=(0, 0, -1))
    m.actuator("steam", m["shaft"].angle, force=f"{load} - {gain}*(opening - {fly.drawn!r})")
    m.actuator("mill", m["shaft"].angle, force=f"{-load} + {drop}*step(t, 1, 0, 1.2, 1)")
    m.start("shaft.angle", 0.0, rate=spindle_speed / ratio)
    m.start("right.angle", 0.0, rate=0.0)
    return m


# Small motions about the steady speed, as a cubic: A I s^3 + b I s^2 + (K I + G^2) s + G k = 0.  All seen from the spindle:
s, c = math.sin(fly.drawn), math.cos(fly.drawn)
lever = 2 * fly.joint * s  # of the sleeve
A = 2 * fly.across + fly.sleeve * lever**2
b = 60.0 * lever**2
D = 2 * (fly.across - fly.along)
sleeve = fly.sleeve * (0.03**2 + 0.012**2) / 2
engine_inertia = (wheel_mass * wheel_radius**2 + axle_mass * axle_radius**2) / 2
inertia = engine_inertia / ratio**2 + 1.4 * 0.01**2 / 2 + sleeve + 2 * fly.along + D * s**2
K, G = D * (spindle_speed * s) ** 2, 2 * D * spindle_speed * s * c
# stable while b (K I + G^2) > A G k (Routh); k is the gain as the spindle feels it
limit = ratio * b * (K * inertia + G**2) / (A * G)

# The mechanism in the coordinates of its joints has just these small motions, and a zero for the angle of the engine.
small = da.linearize(da.lagrangian_of(engine(limit)))
cubic = np.roots([A * inertia, b * inertia, K * inertia + G**2, G * limit / ratio])
assert np.allclose(np.poly(small.eigenvalues), np.poly([*cubic, 0.0]), rtol=1e-9, atol=1e-9)
hunting = max(cubic.imag) / (2 * math.pi)

# A fifth of the load drops: with a third of that gain or so the engine settles at the speed at which the balls stand wide enough.
drop, gain = load / 5, 80.0
run = da.simulate(engine(gain, drop), until=20.0, output=0.04)
settled = math.sqrt(fly.weight / ((fly.across - fly.along) * math.cos(fly.drawn + drop / gain))) / ratio
assert abs(run["shaft.angle"].rate[-1] - settled) < 1e-3

if __name__ == "__main__":
    rpm = 60 / (2 * math.pi)
    rate = run["shaft.angle"].rate * rpm
    print(f"with more than {limit:.1f} N m of torque per radian of opening the engine hunts, at {hunting:.2f} Hz")
    print(
        f"with {gain} N m, a fifth of the load taken off: from {rate[0]:.1f} rpm over {max(rate):.1f} rpm to {rate[-1]:.1f} rpm"
    )
    print(run.audit)
    run.draw("out/watt_governor.png", names=["flywheel", "spindle", "sleeve", "right_arm", "left_arm"], view=(-60, 15))
