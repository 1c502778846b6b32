"""Particles: bodies without extent."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize("plane", [True, False])
def test_projectile(plane):
    """x = u t, z = w t - g t²/2, exact for a method of order 2 and more: only rounding is left."""
    m = da.Mechanism("throw", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    velocity = (3.0, 4.0) if plane else (3.0, 1.0, 4.0)
    m.particle("ball", mass=0.2, at=(1, 2) if plane else (1, 0, 2), velocity=velocity)
    run = da.simulate(m, until=0.8, output=0.1)
    x, z = run["ball"].position[:, 0], run["ball"].position[:, -1]
    assert np.abs(x - 1 - 3 * run.t).max() < 1e-12
    assert np.abs(z - 2 - 4 * run.t + 0.5 * 9.81 * run.t**2).max() < 1e-12
    # a planar body has three velocities, a spatial one six; the particle's rotation is not one of its freedoms
    assert run.audit.degrees_of_freedom == (2 if plane else 3)


@pytest.mark.parametrize("plane", [True, False])
def test_two_particles_on_a_spring(plane):
    """Relative motion with the reduced mass: stretch = a cos(sqrt(k/mu) t), mu = m1 m2/(m1 + m2); the mass centre rests."""
    m = da.Mechanism("molecule", plane=plane)
    zero = () if plane else (0.0,)
    p = m.particle("p", mass=1.0, at=(0.0, 0.0, *zero))
    q = m.particle("q", mass=3.0, at=(1.2, 0.0, *zero))
    spring = m.spring("S", p, q, stiffness=12.0, free_length=1.0)
    run = da.simulate(m, until=2.0, rtol=1e-10, atol=1e-12)
    length = run[spring.length]
    # 1e-8: two orders above the tolerance of the integration
    assert np.abs(length - 1.0 - 0.2 * np.cos(math.sqrt(12.0 / 0.75) * run.t)).max() < 1e-8
    centre = (run["p"].position[:, 0] + 3 * run["q"].position[:, 0]) / 4
    assert np.abs(centre - 0.9).max() < 1e-9


def test_particle_on_a_link():
    """Pendulum of a particle on a massless link of 2 m: energy gives the speed at the bottom, v² = 2 g l."""
    m = da.Mechanism("bob", gravity=(0, -10.0))
    bob = m.particle("bob", mass=0.5, at=(2, 0))
    m.distance("rod", (m.ground, (0, 0)), bob)
    run = da.simulate(m, until=2.0, rtol=1e-10, atol=1e-12)
    bottom = run.crossings("bob.x", 0.0)[0]
    state = run.at(bottom)
    assert np.hypot(*state.v[:2]) == pytest.approx(math.sqrt(2 * 10 * 2), rel=1e-8)
    # tension at the bottom: m g + m v²/l = 3 m g
    at_bottom = run.resample([bottom])
    assert np.abs(at_bottom["rod"].force[0]) @ [0, 1] == pytest.approx(3 * 0.5 * 10, rel=1e-7)


def test_particle_in_joints_without_rotation():
    m = da.Mechanism("bead", plane=False, gravity=(0, 0, -9.81))
    bead = m.particle("bead", mass=1.0, at=(0, 0, 0))
    m.point_on_line("wire", m.ground, bead, at=(0, 0, 0), along=(1, 0, -1))
    run = da.simulate(m, until=1.0, output=[1.0])
    # slope of 45 degrees: acceleration g sin 45 along the wire, so g/2 along x and along -z
    assert np.allclose(run["bead"].position[-1], [9.81 / 4, 0, -9.81 / 4], atol=1e-12)
