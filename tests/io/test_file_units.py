"""The table of units and its arithmetic."""

import math

import pytest

from dalembert.model.units import UNITS, UnitError, fits, kind_of, parse_unit, si_text, split_quantity


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("200 mm", 0.2, "m"),
        ("30 deg", math.radians(30), "rad"),
        ("2.5 kN/mm", 2.5e6, "N/m"),
        ("1500 rpm", 50 * math.pi, "rad/s"),
        ("9.81 m/s²", 9.81, "m/s^2"),
        ("9.81 m/s**2", 9.81, "m/s^2"),
        ("3 kg m^2", 3.0, "kg m^2"),
        ("4 N/(m/s)", 4.0, "N s/m"),
        ("4 N·s/m", 4.0, "N s/m"),
        ("1 N m/rad", 1.0, "N m/rad"),
        ("-7mm", -0.007, "m"),
        ("50 Hz", 50.0, "1/s"),
        ("5 1/s", 5.0, "1/s"),
        ("7.85 g/cm^3", 7850.0, "kg/m^3"),
        ("1 bar", 1e5, "Pa"),
        ("90°", math.pi / 2, "rad"),
        ("1e3 N", 1000.0, "N"),
        ("2 rev/min", 2 * 2 * math.pi / 60, "rad/s"),
        ("1e4 N/m^1.5", 1e4, "N/m^1.5"),
        ("3 N/mm^1.5", 3 * 1000**1.5, "N/m^1.5"),
        ("3 kN/m**3", 3000.0, "N/m^3"),
        ("2 m^0.5", 2.0, "m^0.5"),
    ],
)
def test_quantities(text, value, unit):
    number, name = split_quantity(text)
    made = parse_unit(name)
    # one rounding of the exact product; 2 ulp where pi enters
    assert made.number(number) == pytest.approx(value, rel=5e-16)
    assert si_text(made.dimension) == unit


def test_decimal_factors_round_once():
    # 0.1 mm + ... : n thousandths, as exact as the literal
    for n in range(1, 2000):
        assert parse_unit("mm").number(str(n)) == float(f"{n}e-3")


@pytest.mark.parametrize("text", ["2*pi*t", "r", "3", "1 or t", "2 and 3", "x mm", "", "51/s", "1e3", "m"])
def test_no_quantities(text):
    assert split_quantity(text) is None


@pytest.mark.parametrize(
    "unit",
    ["mmm", "m^99", "m^", "N/", "/m", "(m", "m)", "m//s", "kg?", "x" * 100, "m s^-99999999", "", "m^1.", "deg^0.5"],
)
def test_bad_units(unit):
    with pytest.raises(UnitError):
        parse_unit(unit)


def test_every_unit_has_a_name_in_si():
    for name, (_, _, dimension) in UNITS.items():
        text = si_text(dimension)
        made = parse_unit(text)
        assert made.is_si and made.dimension == dimension, name
        assert kind_of(dimension)
    assert parse_unit(si_text((3, -2, 5, -1))).dimension == (3, -2, 5, -1)


def test_angles_are_understood_in_stiffness_only():
    torsion, torque, angle, none = (parse_unit(u).dimension for u in ("N m/rad", "N m", "rad", "1"))
    assert fits(torque, torsion) and not fits(torsion, torque)
    assert not fits(none, angle) and not fits(angle, none)
