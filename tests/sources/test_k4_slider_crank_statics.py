"""K4: slider-crank statics at phi = 30 degrees (PRINCIPLES, virtual work); loads and dimensions of the source are lost with its figure.

Ours: two equal bars of half-length l and mass m (P4), crank at phi_1 = 30 degrees, the second bar falls to the slide on y = 0.  Both mass
centres are at height l sin(phi), the end at x = 4 l cos(phi):

    2 m g l cos(phi) dphi = Z dx = -4 l sin(phi) Z dphi,   Z = -m g / (2 tan(phi)) = -(sqrt(3)/2) m g at 30 degrees

Z along +x on the sliding end; also equal to the multiplier of a driver that holds the end, and, as a torque on the crank,
2 m g l cos(phi) = sqrt(3) m g l.  Tolerance: round-off.
"""

import math

import pytest

import dalembert as da

M, H, G = 3.0, 0.4, 9.81  # H: half-length


def slider_crank(degrees=30.0):
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -G))
    phi = math.radians(degrees)
    c, s = math.cos(phi), math.sin(phi)
    crank = m.body("crank", da.rod(length=2 * H, mass=M), at=(H * c, H * s), angle=phi)
    rod = m.body("rod", da.rod(length=2 * H, mass=M), at=(3 * H * c, H * s), angle=-phi)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.measure("slide", point=rod.end, along=(0, 1))
    m.constraint("guide", "slide")
    m.measure("end", point=rod.end, along=(1, 0))
    return m


def test_holding_force_at_30_degrees():
    held = da.holding_load(slider_crank(), "end")
    assert held.value == pytest.approx(-math.sqrt(3) / 2 * M * G, rel=1e-12)
    assert held["end"].multiplier == pytest.approx(held.value, rel=1e-12)


def test_force_element_and_holding_driver():
    m = slider_crank()
    m.force("Z", m["rod"], (1, 0), at=m["rod"].end)
    assert da.holding_load(m, "Z").value == pytest.approx(-math.sqrt(3) / 2 * M * G, rel=1e-12)
    m = slider_crank()
    m.drive("hold", "end", repr(4 * H * math.cos(math.pi / 6)))
    found = da.inverse_dynamics(m, [0.0])["hold"]
    for x in (found.multiplier, found.power, found.newton_euler):
        assert x[0] == pytest.approx(-math.sqrt(3) / 2 * M * G, rel=1e-11)


def test_holding_torque():
    held = da.holding_load(slider_crank(), "O.angle")
    assert held.value == pytest.approx(math.sqrt(3) * M * G * H, rel=1e-12)
    assert held["O.angle"].unit == "N m"


@pytest.mark.parametrize("degrees", [1.0, 10.0, 60.0, 85.0, 120.0])
def test_other_poses(degrees):
    expected = -M * G / (2 * math.tan(math.radians(degrees)))
    assert da.holding_load(slider_crank(degrees), "end").value == pytest.approx(expected, rel=1e-11)
