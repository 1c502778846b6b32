"""Small oscillations of a four-bar with a diagonal spring (benchmark A07): equilibrium, mode, transfer function, and the run that shows them."""

import math

import numpy as np

import dalembert as da


def linkage(damping):
    """Four links of 1 m, bars of 1 kg, a spring-damper across the parallelogram."""
    m = da.Mechanism("four-bar with a diagonal spring", plane=True, gravity=(0, -9.81))
    x, y = math.cos(2.0), math.sin(2.0)
    left = m.body("left", da.rod(length=1.0, mass=1.0), at=(x / 2, y / 2), angle=2.0)
    coupler = m.body("coupler", da.rod(length=1.0, mass=1.0), at=(x + 0.5, y))
    right = m.body("right", da.rod(length=1.0, mass=1.0), at=(1 + x / 2, y / 2), angle=2.0)
    m.revolute("A", m.ground, left, at=(0, 0))
    m.revolute("B", left, coupler, at=left.end)
    m.revolute("C", coupler, right, at=right.end)
    m.revolute("D", m.ground, right, at=(1, 0))
    m.spring("spring", m.ground.point(0, 0), right.end, stiffness=25.0, free_length=math.sqrt(2), damping=damping)
    return m


def standing(m):
    """The equilibrium of the benchmark: raised, held by the spring; another one hangs below."""
    return min(da.equilibrium(m).stable, key=lambda e: abs(e["D.angle"] - 2.2))


m = linkage(damping=1.0)
e = standing(m)
small = da.linearize(m, e)
(mode,) = small.modes
# Published angle 2.23433101898; eigenvalue of the exact equations with the damper of 1 N s/m.
assert abs(e["D.angle"] - 2.23433101898) < 1e-10
assert abs(mode.eigenvalue - complex(-0.2423858093105051, 2.13395502834838)) < 1e-8

# Pulled out a little and released, the linkage swings with this frequency and this decay.
pulled = mode.states(frames=2, amplitude=0.01)[0]
run = da.simulate(m, until=4 * math.pi / mode.eigenvalue.imag, start=pulled, output=0.05, rtol=1e-10, atol=1e-12)
swing = run["D.angle"] - e["D.angle"]
assert abs(swing[-1] / swing[0] - math.exp(mode.eigenvalue.real * run.t[-1])) < 2e-3

# A torque on the left link: how far it moves the coupler at rest is the static compliance, at resonance much more.
transfer = small.transfer("A.angle", "coupler.y")
omega = np.array([0.0, mode.omega])
still, resonant = np.abs(transfer.response(omega))
assert 1.0 / (2 * mode.damping_ratio) * 0.99 < resonant / still < 1.0 / (2 * mode.damping_ratio) * 1.01

if __name__ == "__main__":
    print(da.equilibrium(m))
    print(small)
    print(run.audit)
    run.plot(path="out/21_modes_of_a_linkage.png")
