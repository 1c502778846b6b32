"""D03: sleeping symmetric top (closed form; data of EoM's top after Pappalardo et al. 2020).

m = 0.01 kg, h = 0.04 m, transverse inertia 3e-4 about the mass centre, axial 4e-4, g = 9.81, upright on a ball joint, spin r about the axis.
With It = 3e-4 + m h^2 the tilt u (as a complex number in space axes) obeys It u'' - i Ia r u' - m g h u = 0, so

    s = i Ia r/(2 It) +- sqrt(m g h/It - (Ia r/(2 It))^2),     critical spin 2 sqrt(m g h It)/Ia = 5.567728441653742 rad/s

Tolerance: 1e-8, the digits given; eigenvalues from differences are accurate to about 1e-10.
"""

import math

import numpy as np
import pytest

import dalembert as da

MASS, H, IT, IA, G = 0.01, 0.04, 3e-4, 4e-4, 9.81
CRITICAL = 5.567728441653742


def top(spin):
    m = da.Mechanism("sleeping top", plane=False, gravity=(0, 0, -G))
    body = m.body("top", mass=MASS, inertia=(IT, IT, IA), at=(0, 0, H), spin=(0, 0, spin))
    m.spherical("tip", m.ground, body, at=(0, 0, 0))
    return m


def tilting(made):
    """Eigenvalues of the tilt: all but the pair of zeros of the free spin."""
    return sorted((s for s in made.eigenvalues if abs(s) > 1e-3), key=lambda s: (round(s.imag, 6), s.real))


def test_below_the_threshold():
    made = da.linearize(top(5.0))
    assert made.steady and not made.stable
    expected = [complex(re, im) for im in (-3.16455696, 3.16455696) for re in (-1.55025829, 1.55025829)]
    assert tilting(made) == pytest.approx(expected, abs=1e-8)


def test_above_the_threshold():
    made = da.linearize(top(6.0))
    assert made.steady and made.stable
    assert [s.imag for s in tilting(made)] == pytest.approx(
        [-5.21275786, -2.38217885, 2.38217885, 5.21275786], abs=1e-8
    )
    assert [s.real for s in tilting(made)] == pytest.approx([0.0] * 4, abs=1e-8)


def test_threshold():
    """Bisection of the verdict: growth begins as the root of the distance to the critical spin."""
    assert 2 * math.sqrt(MASS * G * H * (IT + MASS * H**2)) / IA == pytest.approx(CRITICAL, rel=1e-14)
    low, high = 5.5, 5.6
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if da.linearize(top(middle)).stable else (middle, high)
    assert high == pytest.approx(CRITICAL, abs=1e-6)


@pytest.mark.parametrize("axis", [(1.0, 2.0, 2.0), (0.0, -1.0, 0.0)])
def test_the_same_about_any_direction(axis):
    """Gravity, axis and spin turned together: the same eigenvalues."""
    e = np.array(axis) / np.linalg.norm(axis)
    turn = ((0, 0, 1), 0.0) if e[2] == 1 else (tuple(np.cross((0, 0, 1), e)), math.acos(e[2]))
    m = da.Mechanism("sleeping top", plane=False, gravity=tuple(-G * e))
    body = m.body("top", mass=MASS, inertia=(IT, IT, IA), at=tuple(H * e), rotation=turn, spin=tuple(5.0 * e))
    m.spherical("tip", m.ground, body, at=(0, 0, 0))
    assert tilting(da.linearize(m)) == pytest.approx(tilting(da.linearize(top(5.0))), abs=1e-8)
