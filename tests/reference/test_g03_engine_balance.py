"""G03: shaking force and couple of a radial engine of three cylinders and of an in-line engine of four, by harmonics of the crank.

Source: textbook questions with the harmonics of a piston cut off after the second, m r w^2 (cos a + (r/l) cos 2 a).  A whole engine, with
pistons in guides and rods without mass, has the same first harmonic exactly; its second is larger by the factor
1 + L^2/4 + 15 L^4/128 + ..., L = r/l, and must be four w^2 times the second coefficient of the piston's *position*, by quadrature.

Tolerance: a driver gives the motion, so nothing is integrated; harmonics above the 64th are below (L/2)^64, and rounding of 1e4 N remains.
"""

import numpy as np
import pytest
from scipy.integrate import quad

import dalembert as da

SAMPLES = 128
RADIAL = {"r": 0.06, "l": 0.24, "mass": 1.0, "rpm": 2400}
IN_LINE = {"r": 0.05, "l": 0.2, "mass": 2.0, "rpm": 2000, "pitch": 0.2}


def speed(engine):
    return 2 * np.pi * engine["rpm"] / 60


def harmonics(values):
    """Coefficients of e^(i n w t), n modulo the number of samples, over one turn."""
    return np.fft.fft(np.asarray(values)) / SAMPLES


def one_turn(m, engine):
    turn = 2 * np.pi / speed(engine)
    return da.inverse_dynamics(m, np.arange(SAMPLES + 1) / SAMPLES * turn)


def piston_position(engine, angle):
    r, l = engine["r"], engine["l"]
    return r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2)


def inertia_force(engine, n):
    """Amplitude of the n-th harmonic of one piston's inertia force, by Fourier's integral of its position."""
    found, _ = quad(lambda a: piston_position(engine, a) * np.cos(n * a) / np.pi, 0, 2 * np.pi, epsabs=1e-14)
    return engine["mass"] * (n * speed(engine)) ** 2 * abs(found)


def growth(engine):
    """Second harmonic over its first term, by the first terms of the binomial series; the next one is 35 L^6/512."""
    ratio = engine["r"] / engine["l"]
    return 1 + ratio**2 / 4 + 15 * ratio**4 / 128


def radial():
    """One crank pin, cylinders at 0, 120 and 240 degrees in one plane."""
    r, l, mass = (RADIAL[x] for x in ("r", "l", "mass"))
    m = da.Mechanism("radial", plane=True)
    crank = m.body("crank", mass=1.0, inertia=1e-3, at=(0, 0))  # balanced: its centre is on the axis
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.drive("motor", m["O"].angle, f"{speed(RADIAL)!r}*t")
    pin = np.array([r, 0.0])
    for k in range(3):
        along = np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)])
        # |pin - s along| = l, the outer of the two places
        at = (along @ pin + np.sqrt(l**2 - r**2 + (along @ pin) ** 2)) * along
        piston = m.body(f"piston{k}", mass=mass, inertia=1e-3, at=at)
        m.prismatic(f"cylinder{k}", m.ground, piston, along=along)
        m.distance(f"rod{k}", crank.point(*pin), piston.point(0, 0), length=l)
    return m


def in_line():
    """Shaft along x, pistons along z, cranks 1, 4, 2, 3 at 0, 90, 180 and 270 degrees."""
    r, l, mass, pitch = (IN_LINE[x] for x in ("r", "l", "mass", "pitch"))
    m = da.Mechanism("in-line", plane=False)
    crank = m.body("crank", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), at=(0, 0, 0))
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis=(1, 0, 0))
    m.drive("motor", m["O"].angle, f"{speed(IN_LINE)!r}*t")
    for k, angle in ((1, 0), (4, 90), (2, 180), (3, 270)):
        a, x = np.radians(angle), (k - 1) * pitch
        pin = (x, -r * np.sin(a), r * np.cos(a))
        piston = m.body(f"piston{k}", mass=mass, inertia=(1e-3, 1e-3, 1e-3), at=(x, 0, piston_position(IN_LINE, a)))
        m.prismatic(f"cylinder{k}", m.ground, piston, along=(0, 0, 1))
        m.distance(f"rod{k}", crank.point(*pin), piston.point(0, 0, 0), length=l)
    return m


def test_radial_three():
    """Force of constant size that turns with the crank, and one that turns backwards at twice its speed."""
    found = one_turn(radial(), RADIAL)
    force = np.asarray(found.shaking_force)[:-1]
    waves = harmonics(force[:, 0] + 1j * force[:, 1])
    assert abs(waves[1]) == pytest.approx(5684.892135, abs=1e-6)
    assert abs(waves[-2]) == pytest.approx(1.5 * inertia_force(RADIAL, 2), rel=1e-11)
    assert abs(waves[-2]) == pytest.approx(1421.223034 * growth(RADIAL), rel=2e-5)
    assert abs(waves[-1]) + abs(waves[2]) + abs(waves[0]) < 1e-7, "no others of these orders"
    # pistons on lines through O have no moment of momentum: walls and motor balance each other, whatever the torque
    assert np.abs(found.shaking_moment).max() < 1e-8 * np.abs(force).max()


def test_in_line_four():
    """Forces of first and second order cancel; their couples about the y-axis do not."""
    found = one_turn(in_line(), IN_LINE)
    force, moment = np.asarray(found.shaking_force)[:-1], np.asarray(found.shaking_moment)[:-1]
    for axis in range(3):
        assert np.abs(harmonics(force[:, axis])[1:4]).max() < 1e-7
    couple = 2 * harmonics(moment[:, 1])
    assert abs(couple[1]) == pytest.approx(1240.6869688, abs=1e-6)
    assert abs(couple[2]) == pytest.approx(4 * IN_LINE["pitch"] * inertia_force(IN_LINE, 2), rel=1e-11)
    assert abs(couple[2]) == pytest.approx(877.2981690 * growth(IN_LINE), rel=2e-5)
    # what is left of the force is of fourth order, all pistons in step
    assert abs(2 * harmonics(force[:, 2])[4]) == pytest.approx(4 * inertia_force(IN_LINE, 4), rel=1e-9)
