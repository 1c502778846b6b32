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


def test_rates_of_a_mechanism():
    """A weight on a spring, x = x0 cos(w t): the rate passes zero at k pi/w, and -x0 w sin(w t) + x0 cos(w t) where tan(w t) = 1/w."""
    m = da.Mechanism("oscillator", plane=True)
    block = m.body("block", mass=2.0, inertia=1.0, at=(0, 0))
    m.prismatic("rail", m.ground, block, along="x")
    m.actuator("spring", "rail", force="-18*s")
    m.state("z", rate="rate(rail.slide)", start=0.0)
    m.start("rail.slide", 0.3)
    run = da.simulate(m, until=2.0, output=0.5, rtol=1e-10)
    w = 3.0
    wanted = np.arange(0, 2) * math.pi / w
    assert run.crossings("rate(rail.slide)") == pytest.approx(wanted, abs=1e-7)
    assert run.crossings(m["rail"].slide.rate) == pytest.approx(wanted, abs=1e-7)
    both = (math.atan(1 / w) + np.arange(0, 2) * math.pi) / w
    assert run.crossings("rate(rail.slide) + rail.slide") == pytest.approx(both, abs=1e-7)
    # z = x - x0: the state and the rate together
    third = run.crossings("z + 0.3 + rate(rail.slide)")
    assert third == pytest.approx(both, abs=1e-7)
    assert run.value("rate(rail.slide)**2 + 9*rail.slide**2") == pytest.approx(np.full(5, 9 * 0.09), abs=1e-7)


def test_rates_that_do_not_exist(slide):
    with pytest.raises(da.DalembertError, match="known: .*rail.slide"):
        slide.crossings("rate(rail.slid)")
    with pytest.raises(da.DalembertError, match="divisor other than zero"):
        slide.crossings("rate(block.x)/0")
