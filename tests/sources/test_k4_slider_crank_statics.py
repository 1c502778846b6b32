"""K4: slider-crank statics at phi = 30 degrees (PRINCIPLES, virtual work); loads and dimensions of the source are lost with its figure.

Ours: two equal bars of half-length l and mass m (P4), crank at phi_1 = 30 degrees, the second bar falls to the slide on y = 0.  Both mass
centres are at height l sin(phi), the end at x = 4 l cos(phi):

    2 m g l cos(phi) dphi = Z dx = -4 l sin(phi) Z dphi,   Z = -m g / (2 tan(phi)) = -(sqrt(3)/2) m g at 30 degrees

Z along +x on the sliding end; also equal to the multiplier of a driver that holds the end, and, as a torque on the crank,
2 m g l cos(phi) = sqrt(3) m g l.  Tolerance: round-off.
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

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


def of_energies(degrees=30.0, hold=False):
    """Angles of the two bars; the pin O and the pin A are relaxed by displacements (u, v) that rows hold at zero, the end is on a guide."""
    m = da.Lagrangian(
        "th1 th2 uO vO uA vA", gravity=(0, "-g"), parameters={"m": M, "h": H, "g": G}, name="slider-crank",
        holonomic={
            "O x": "uO", "O y": "vO", "A x": "uA", "A y": "vA", "guide": "vO + vA + 2*h*sin(th1) + 2*h*sin(th2)",
        },
    )  # fmt: skip
    m.body("crank", "m", "m*h**2/3", at=("uO + h*cos(th1)", "vO + h*sin(th1)"), angle="th1")
    m.body(
        "rod",
        "m",
        "m*h**2/3",
        at=("uO + uA + 2*h*cos(th1) + h*cos(th2)", "vO + vA + 2*h*sin(th1) + h*sin(th2)"),
        angle="th2",
    )
    phi = math.radians(degrees)
    if hold:
        m.constraint("hold", f"uO + uA + 2*h*cos(th1) + 2*h*cos(th2) - {4 * H * math.cos(phi)!r}")
        m.guess("th1", phi)
        m.guess("th2", -phi)
    else:
        m.start("th1", phi)
        m.guess("th2", -phi)
    return m


def test_held_both_ways():
    """Z = -(sqrt 3/2) m g on the end, and the pins: the crank's pin carries -Z and m g, half of the weight of all."""
    other = da.reactions(of_energies(hold=True))
    z = -math.sqrt(3) / 2 * M * G
    assert other["hold"].multiplier == pytest.approx(-z, rel=1e-11)
    m = slider_crank()
    m.drive("hold", "end", repr(4 * H * math.cos(math.pi / 6)))
    run = da.simulate(m, until=0.01)
    assert run["hold"].effort[0] == pytest.approx(-other["hold"].multiplier, rel=1e-10)
    for joint, load in (("O", (-z, M * G)), ("A", (-z, 0.0))):
        by_rows = [-other[f"{joint} {axis}"].multiplier for axis in "xy"]
        assert by_rows == pytest.approx(list(load), abs=1e-10 * M * G)
        assert run[joint].force[0] == pytest.approx(by_rows, abs=1e-10 * M * G)
    assert -other["guide"].multiplier == pytest.approx(M * G, rel=1e-11)
    assert run["guide"].on("rod").force[0] == pytest.approx([0, M * G], abs=1e-10 * M * G)


def test_released_both_ways():
    """Let go at 60 degrees, the bars fall to 16 degrees (at 0 both lie in a line, from where equal bars can go two ways)."""
    until = 0.6
    one, two = (da.simulate(m(60.0), until=until, output=until / 50, **TIGHT) for m in (slider_crank, of_energies))
    theta = np.asarray(one["O.angle"])
    assert 0.2 < theta[-1] < 0.6
    assert agree(two["th1"], theta)
    assert agree(two["th2"], one["rod"].angle)
    # energy: centres (h cos, h sin) and (3 h cos, h sin), so T = m h^2 w^2/2 (2 + 8 s^2 + 2/3) = 2 m g h (s0 - s)
    s = np.sin(theta)
    speed = 0.5 * M * H**2 * (2 * (1 + 1 / 3) + 8 * s**2)
    assert agree(speed * np.asarray(two.rate("th1")) ** 2, 2 * M * G * H * (math.sin(math.pi / 3) - s))
    for joint in "OA":
        assert agree(-np.column_stack([two[f"{joint} {axis}"] for axis in "xy"]), one[joint].force)
    assert agree(-two["guide"], np.asarray(one["guide"].on("rod").force)[:, 1])
