"""P2: composite pendulum, PLANAR Example 6.1.2 (rod 2.8 kg, disk R = 0.25 m with a hole of radius 0.125 m).

The source rounds the centroid to 1.11 m before squaring distances, which shifts its part inertias (1.275, 0.799,
0.108); the exact ones are 1.26152, 0.81670, 0.11214 and the errors cancel in the sum 1.966.

Tolerance: 1e-14 relative, rounding of a handful of operations; for the source's own digits half a unit of the last.
"""

import math
from fractions import Fraction

import pytest

from dalembert.model.shapes import composite, disk, rod, void

MATTER = {"density": 8000.0, "thickness": 0.01}


@pytest.fixture
def parts():
    # O at the origin, y up: the rod hangs from O, the disk below it
    bar = rod(1.0, mass=2.8).at(0, -0.5, angle=math.pi / 2)
    wheel = disk(0.25, **MATTER).at(0, -1.25)
    hole = disk(0.125, **MATTER).at(0, -1.25)
    return bar, wheel, hole


def test_whole(parts):
    bar, wheel, hole = parts
    pendulum = composite(bar, wheel, void(hole)).mass_properties()
    assert pendulum.mass == pytest.approx(14.580972450961724, rel=1e-14)
    assert pendulum.center == pytest.approx([0.0, -1.1059766841983512, 0.0], rel=1e-14)
    assert pendulum.polar == pytest.approx(1.9660786065155635, rel=1e-14)
    assert (bar + wheel - hole).mass_properties() == pendulum


def test_parts_about_the_common_centroid(parts):
    center = (parts[0] + parts[1] - parts[2]).center
    found = [part.mass_properties().about(center)[2, 2] for part in parts]
    assert found == pytest.approx([1.26152, 0.81670, 0.11214], abs=5e-6)
    assert found[0] + found[1] - found[2] == pytest.approx(1.9660786065155635, rel=1e-14)


def test_masses_and_rounded_values_of_the_source(parts):
    bar, wheel, hole = (part.mass_properties() for part in parts)
    assert wheel.mass == pytest.approx(15.71, abs=5e-3) and hole.mass == pytest.approx(3.93, abs=5e-3)
    assert bar.polar == pytest.approx(0.233, abs=5e-4)
    whole = (parts[0] + parts[1] - parts[2]).mass_properties()
    assert -whole.center[1] == pytest.approx(1.11, abs=5e-3) and whole.polar == pytest.approx(1.966, abs=5e-4)


def test_against_rational_arithmetic():
    """Independent route: exact fractions in everything but π, moments taken about O and shifted once."""
    plate = Fraction(80) * Fraction(math.pi)
    masses = [Fraction(28, 10), plate * Fraction(1, 16), -plate * Fraction(1, 64)]
    depths = [Fraction(1, 2), Fraction(5, 4), Fraction(5, 4)]
    own = [masses[0] / 12, masses[1] * Fraction(1, 32), masses[2] * Fraction(1, 128)]
    mass = sum(masses)
    center = sum(m * y for m, y in zip(masses, depths)) / mass
    polar = sum(j + m * y**2 for j, m, y in zip(own, masses, depths)) - mass * center**2
    assert float(mass) == pytest.approx(14.580972450961724, rel=1e-15)
    assert float(center) == pytest.approx(1.1059766841983512, rel=1e-15)
    assert float(polar) == pytest.approx(1.9660786065155635, rel=1e-15)
