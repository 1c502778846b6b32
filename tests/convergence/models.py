"""Smooth constrained problems with known answers, shared by the tests of this folder."""

from pathlib import Path

import numpy as np
from scipy.special import ellipj, ellipk

import dalembert as da

GRAVITY, LENGTH, MASS = 9.81, 1.0, 2.0


def pendulum():
    """Uniform bar on a pin, released horizontally to the right."""
    m = da.Mechanism("pendulum", gravity=(0, -GRAVITY))
    bar = m.body("bar", da.rod(length=LENGTH, mass=MASS), at=(LENGTH / 2, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def pendulum_angle(t):
    """Angle and rate in Jacobi functions: sin((phi + pi/2)/2) = k sn(K - w t), k = sin(pi/4), w^2 = 3 g/(2 L)."""
    k = np.sqrt(0.5)
    w = np.sqrt(1.5 * GRAVITY / LENGTH)
    sn, cn, _, _ = ellipj(ellipk(0.5) - w * np.asarray(t), 0.5)
    return -np.pi / 2 + 2 * np.arcsin(k * sn), -2 * w * k * cn


def pendulum_force(t):
    """Force of the pin on the bar: m (a - g) of the mass centre."""
    angle, rate = pendulum_angle(t)
    e, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    second = -1.5 * GRAVITY / LENGTH * np.cos(angle)
    a = 0.5 * LENGTH * (second * n - rate**2 * e)
    return (MASS * (a + np.array([[0.0], [GRAVITY]]))).T


def shaken_loop():
    """A closed loop in space with ball, cross, slider and hinge, under gravity and a spring; one degree of freedom, conservative."""
    from tests.reference.test_a06_spatial_slider_crank import slider_crank

    m = slider_crank()
    m.spring("spring", m.ground.point(0.5, 0, 0), m["slider"].point(0, 0, 0), stiffness=30.0, free_length=0.2)
    return m


def double_pendulum():
    """Two rods in space, ball and cross, five degrees of freedom, conservative; gentle enough not to be chaotic within seconds."""
    m = da.Mechanism("double pendulum", plane=False, gravity=(0, 0, -GRAVITY))
    upper = m.body("upper", mass=1.0, inertia=(0.01, 0.03, 0.035), at=(0.15, 0, -0.4), spin=(0.4, 0.5, 1.0))
    lower = m.body("lower", mass=0.5, inertia=(0.02, 0.015, 0.01), at=(0.3, 0.1, -0.9))
    m.spherical("ball", m.ground, upper, at=(0, 0, 0))
    m.universal("cross", upper, lower, at=(0.3, 0, -0.7), axes=((1, 0, 0), (0, 1, 0)))
    m.start(m["cross"].angle_i, rate=0.3)
    m.start(m["cross"].angle_j, rate=-0.2)
    return m


def driven_arm():
    """An arm that a motor swings, with a rod hanging on it: a driver, two multipliers at each pin, one degree of freedom."""
    m = da.Mechanism("driven arm", gravity=(0, -GRAVITY))
    arm = m.body("arm", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    m.revolute("O", m.ground, arm, at=(0, 0))
    m.revolute("A", arm, rod, at=(0.2, 0))
    m.drive("motor", m["O"].angle, "0.5*sin(3*t)")
    return m


def rolling_disk():
    """A disk that rolls in space, upright at first and leaning soon: rows of rates."""
    return da.read_model(Path(da.__file__).parent / "machines" / "rolling-coin.toml")
