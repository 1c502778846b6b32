"""Crossings of a signal that is faster than outputs and steps: 18 of 128 were found, by looking at samples only."""

import math

import numpy as np
import pytest

import dalembert as da


@pytest.fixture(scope="module")
def slide():
    """A body that slides at 1 m/s, which any step follows exactly."""
    m = da.Mechanism("slide", plane=True)
    block = m.body("block", mass=1.0, inertia=1.0, at=(0.1, 0), velocity=(1.0, 0))
    m.prismatic("rail", m.ground, block, along="x")
    m.measure("fast", "sin(80*block.x)")
    return da.simulate(m, until=5.0, output=0.5)


def test_mechanism(slide):
    """80 (0.1 + t) = k pi: k = 3 … 129, and 128 halves of a wave in all."""
    wanted = np.arange(3, 130) * math.pi / 80 - 0.1
    assert slide.crossings("fast") == pytest.approx(wanted, abs=1e-12)
    assert slide.crossings("fast", direction=1) == pytest.approx(wanted[1::2], abs=1e-12)
    assert slide.crossings(slide["fast"], direction=-1) == pytest.approx(wanted[::2], abs=1e-12)


def test_lagrangian():
    """x = cos t: 100 x passes k pi at arccos(k pi/100), down and up again."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2")
    m.start("x", 1.0)
    run = da.simulate(m, until=6.0, output=1.0)
    down = np.arccos(np.arange(31, -32, -1) * math.pi / 100)
    wanted = np.sort([*down, *(2 * math.pi - down)])
    assert run.crossings("sin(100*x)") == pytest.approx(wanted[wanted <= 6.0], abs=1e-6)


def test_period_of_the_outputs(slide):
    """A signal whose period is that of the outputs is the same at all of them."""
    found = slide.crossings(lambda r: np.sin(2 * math.pi * r.t / 0.125 + 1.0))
    assert found == pytest.approx((np.arange(1, 81) * math.pi - 1.0) / (16 * math.pi), abs=1e-12)


def test_two_crossings_close_together(slide):
    """A hump that reaches 1e-4 of its height above the value: both sides of it."""
    found = slide.crossings(lambda r: np.sin(r.t), 0.9999)
    assert found == pytest.approx([math.asin(0.9999), math.pi - math.asin(0.9999)], abs=1e-9)


def test_jumps(slide):
    """A jump is where it is, and costs little."""
    calls = []

    def jumping(r):
        calls.append(len(r.t))
        return np.where(np.floor(r.t / 1.3) % 2 == 0, 1.0, -1.0)

    assert slide.crossings(jumping) == pytest.approx([1.3, 2.6, 3.9], abs=1e-12)
    assert sum(calls) < 3000


def test_what_cannot_be_resolved_is_refused(slide, monkeypatch):
    """No list with crossings missing."""
    monkeypatch.setattr(da.results.crossings, "MOST", 2000)
    with pytest.raises(da.MethodError, match="not resolved in"):
        slide.crossings(lambda r: np.sin(1e6 * r.t))


@pytest.mark.parametrize("value", [10**400, -(10**400), np.float64("nan")])
def test_values_that_are_no_finite_numbers(slide, value):
    with pytest.raises(da.MethodError, match="finite number"):
        slide.crossings("fast", value)


def test_signal_without_a_value(slide):
    with pytest.raises(da.MethodError, match="not finite at t ="):
        slide.crossings(lambda r: np.where(r.t > 2.0, np.nan, 1.0))
