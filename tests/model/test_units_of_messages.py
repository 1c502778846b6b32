"""Units of the model in messages; dimensions of measures from their expressions; numbers without a unit beside revolutions per minute."""

from __future__ import annotations

import numpy as np
import pytest
from errors.checks import refused

import dalembert as da
from dalembert.model.output_units import read_units


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("'A' stays open by 0.0795331 m, 'B' by 1.2e-05 m", "'A' stays open by 79.5331 mm, 'B' by 0.012 mm"),
        ("driver 'motor' at 6.283 rad/s", "driver 'motor' at 60 rpm"),
        ("a (0.3, 0.4) at -1.5708 rad; off by 2 m/s²", "a (0.3, 0.4) at -90 deg; off by 2000 mm/s²"),
        ("5 N m, 3 N/m, 2 N s, 4 N m s, 7 mm, 8 m^2, t = 0.1 s, x1 m", "5 N m, 0.003 N/mm, 2 N s, 4 N m s, 7 mm, 8 m^2, t = 0.1 s, x1 m"),
    ],
)  # fmt: skip
def test_quantities_in_text(text, shown):
    units = read_units("test", "mm, deg, rpm, N/mm")
    assert units.in_text(text) == shown and units.in_text(shown) == shown
    assert read_units("test", None).in_text(text) == text


def ram(units):
    m = da.Mechanism("ram", plane=True)
    body = m.body("ram", mass=1.0, inertia=0.1, at=(0, 0.5))
    m.prismatic("guide", m.ground, body, at=(0, 0), along=(0, 1))
    m.units = units
    return m


def test_errors_in_units_of_the_model():
    m = ram("mm, deg")
    m.drive("turn", "ram.angle", "0.3*t")
    with refused(da.AssemblyError, "'turn' by 17.19 deg/s"):
        da.simulate(m, until=1.0)
    m.units = "SI"
    with refused(da.AssemblyError, "'turn' by 0.3 rad/s"):
        da.simulate(m, until=1.0)


def test_pose_of_a_lock_up_in_units_of_the_model():
    m = da.Mechanism("lock", plane=True)
    crank, rod = (
        m.body("c", da.rod(length=1.0, mass=1.0), at=(0.5, 0)),
        m.body("r", da.rod(length=0.8, mass=1.0), at=(1.4, 0)),
    )
    slider = m.body("s", mass=1.0, inertia=0.1, at=(1.8, 0))
    pin = m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(1, 0))
    m.revolute("B", rod, slider, at=(1.8, 0))
    m.prismatic("g", m.ground, slider, along=(1, 0))
    m.drive("d", pin.angle, "0.1 + t")
    m.units = "mm, deg"
    # the rod stands across: sin(angle) = 0.8, crank at 53.13 deg
    with refused(da.SingularPositionError, "c (300, 400) mm at 53.13"):
        da.kinematics(m, [0.0, 2.0])


@pytest.mark.parametrize(
    ("expression", "unit", "si"),
    [
        ("2*guide.slide + 0.0837", "mm", "m"), ("ram.y - 0.1", None, "m"), ("ram.x*ram.y", None, "m^2"), ("2*ram.angle", None, "rad"), ("2*ram.angle", "deg", "rad"),
        ("sin(ram.angle)", None, "1"), ("ram.y/ram.x", None, "1"), ("k*ram.y", None, "1"), ("10*ram.y", "N", "N"), ("ram.y", "notches", "notches"), ("guide.slide", "mm", "m"),
    ],
)  # fmt: skip
def test_unit_of_a_measure(expression, unit, si):
    m = ram("SI")
    m.parameter("k", 3.0)
    assert m.measure("gap", expression, unit=unit).unit == si


def test_measure_in_units_of_the_model():
    m = ram("mm")
    m.measure("gap", "2*guide.slide + 0.0837", unit="mm")
    run = da.simulate(m, until=0.1, output=0.05)
    assert np.allclose(run["gap"], 0.0837) and "83.7" in run.table() and "gap [mm]" in run.table()


def test_unit_that_contradicts_the_expression():
    with refused(da.ModelError, "'ram.x*ram.y' is an area", "'mm' is a unit of a length"):
        ram("SI").measure("gap", "ram.x*ram.y", unit="mm")
    with refused(da.ModelError, "a length", "an angle"):
        ram("SI").measure("gap", "ram.y", unit="deg")


def test_normal_of_a_follower_that_swings_is_a_moment():
    """A lever of 0.2 m on a cam at rest, pressed by 5 N m: 5 N m about its pin, 25 N at the cam."""
    m = da.Mechanism("valve", plane=True)
    cam, lever = m.body("cam", mass=1.0, inertia=0.1), m.body("lever", mass=1.0, inertia=0.1, at=(0.1, 0.06))
    shaft, pin = m.revolute("A", m.ground, cam, at=(0, 0)), m.revolute("P", m.ground, lever, at=(0.2, 0.05))
    m.cam(
        "track",
        shaft,
        pin,
        lift="0.1*(1 - cos(theta))",
        follower="roller",
        radius=0.02,
        base=0.05,
        arm=0.2,
        closed=True,
    )
    m.drive("motor", shaft.angle, "0")
    m.torque("load", lever, "-5")
    run = da.simulate(m, until=0.01)
    assert run["track"].normal.unit == "N m" and run["track"].normal[0] == pytest.approx(5.0)
    assert np.linalg.norm(run["track"].force[0]) == pytest.approx(25.0, rel=1e-6)
