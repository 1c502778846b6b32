"""Rebound of a Lagrangian system from what moves by itself: Newton's rule is about the rate of the gap, time included."""

import pytest

import dalembert as da


def bead():
    m = da.Lagrangian("x", kinetic="m*rate(x)**2/2", parameters={"m": 2.0}, name="bead")
    m.start("x", 0.0, rate=5.0)
    return m


def test_a_wall_that_moves_throws_back_relative_to_itself():
    # the wall runs at 2 m/s: approached at 3 m/s, left at 0.5 * 3 m/s, so 2 - 1.5 = 0.5 m/s in space, and 2 (0.5 - 5) = -9 N s along the gap
    blow = da.strike(bead(), restitution={"x - 2*t": 0.5})
    assert blow.after.v == pytest.approx([0.5], abs=1e-12)
    assert blow.impulse["x - 2*t"] == pytest.approx(-9.0, abs=1e-12)
    assert blow.energy_change == pytest.approx(0.5**2 - 5.0**2, abs=1e-12)


def test_what_does_not_approach_is_not_thrown_back():
    with pytest.raises(da.MethodError, match="nothing approaches"):
        da.strike(bead(), restitution={"x - 5*t": 0.5})
