"""A01: planar simple pendulum, m = 1 kg on a massless bar of 1 m, released horizontally at x = +1, g = 9.81.

Source: IFToMM library of benchmarks / Gonzalez, Dopico, Gonzalez, Cuadrado 2006, problem A01.  The numbers are closed form (Jacobi
elliptic functions, mpmath with 30 digits): with k = sin(pi/4) the period is 4 K(k) sqrt(L/g), the tension at the bottom 3 m g.

Tolerance: the error of the motion grows linearly in time for a tolerance of 1e-12 per step of about 0.03 s, so 1e-9 after 10 s
leaves a factor of ten; the instant of passing the bottom is a root of the motion and as good as the motion itself.
"""

import math

import pytest

import dalembert as da

PERIOD = 2.36784194757623744930
POSITION = {
    1.0: (-0.9862917511318753, -0.1650108531255412),
    2.0: (0.7935661953433217, -0.6084839304437915),
    10.0: (0.2750874625761169, -0.9614192050991251),
}


def particle_on_link():
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    bob = m.particle("bob", mass=1.0, at=(1, 0))
    m.distance("bar", m.ground.point(0, 0), bob.point(0, 0))
    return m


def body_without_inertia():
    # mass at the far end and no inertia: singular mass matrix, legal because the pin leaves no motion without energy
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    bob = m.body("bob", mass=1.0, inertia=0.0, at=(1, 0))
    m.revolute("bar", m.ground, bob, at=(0, 0))
    return m


def particle_in_space():
    # gravity along -z: nothing drives the bob out of the plane x, z
    m = da.Mechanism("pendulum", plane=False, gravity=(0, 0, -9.81))
    bob = m.particle("bob", mass=1.0, at=(1, 0, 0))
    m.distance("bar", m.ground.point(0, 0, 0), bob.point(0, 0, 0))
    return m


@pytest.mark.parametrize("build", [particle_on_link, body_without_inertia, particle_in_space])
def test_motion_and_bar_force(build):
    run = da.simulate(build(), until=10.0, rtol=1e-12, atol=1e-13, output=[0.0, *POSITION])
    up = 1 if run.plane else 2
    for k, t in enumerate(POSITION, start=1):
        x, y = POSITION[t]
        assert run["bob"].position[k, [0, up]] == pytest.approx([x, y], abs=1e-9)
    # bottom: quarter period, then every half period; tension there 3 m g
    lowest = run.crossings("bob.x")
    assert lowest == pytest.approx([PERIOD * (0.25 + 0.5 * k) for k in range(len(lowest))], abs=1e-9)
    assert len(lowest) == math.floor((10.0 / PERIOD - 0.25) / 0.5) + 1
    force = run.resample(lowest[:2])["bar"].force
    assert force[:, up] == pytest.approx([29.43, 29.43], rel=1e-9)
    assert force[:, 0] == pytest.approx([0.0, 0.0], abs=1e-7)
    assert run.status == "ok"


def test_energy_over_the_official_ten_seconds():
    """IFToMM measures the drift of energy; the potential at the start is zero."""
    run = da.simulate(particle_on_link(), until=10.0, rtol=1e-10, atol=1e-12)
    # scale of the energies that are exchanged: m g L = 9.81 J
    assert abs(run.energy.total).max() < 9.81 * 1e-8
