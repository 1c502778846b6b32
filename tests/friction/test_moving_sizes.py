"""Friction of Lagrangian systems whose sizes change with place, time and speed: closed forms, and the same machine built of bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import dalembert as da

G = 9.81


def block(rate=3.0, pull=0.0, **sizes):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", parameters={"c": 2.0}, forces={"x": pull}, name="block")
    m.friction("rub", "x", **sizes)
    m.start("x", 0.0, rate=rate)
    return m


def test_a_size_of_the_place():
    """c (x + x^3/3) = v0^2/2 where it stops."""
    run = da.simulate(block(force="c*(1 + x**2)"), until=2.0, rtol=1e-10)
    x = run["x"][-1]
    assert 2.0 * (x + x**3 / 3) == pytest.approx(4.5, rel=1e-9)
    assert [e.text for e in run.events] == ["sticks"]
    assert run["rub"][0] == pytest.approx(2.0) and run.reaction("rub")[0, 0] == pytest.approx(-2.0)
    assert run.work["rub"][-1] == pytest.approx(-4.5, rel=1e-9)
    run.check()


@pytest.mark.parametrize("sizes", [{"force": "1 + 2*exp(-v)"}, {"force": "1 + 2*exp(-abs(rate(x)))"}])
def test_a_size_of_the_speed(sizes):
    run = da.simulate(block(**sizes), until=5.0, rtol=1e-10)
    assert run.events[0].t == pytest.approx(quad(lambda v: 1 / (1 + 2 * math.exp(-v)), 0, 3)[0], rel=1e-8)


def test_the_curve_of_stribeck_as_of_bodies():
    """On a belt with a spring: sticks and slips as the same block in a guide."""
    law = "1 + 2*exp(-(v/0.3)**2)"
    m = da.Lagrangian("x", kinetic="rate(x)**2", potential="25*x**2", name="belt")
    m.friction("rub", "x - 0.4*t", force=law)
    m.start("x", 0.0)
    other = da.Mechanism("belt", plane=True)
    guide = other.prismatic("guide", other.ground, other.body("block", mass=2.0, inertia=0.1), along=(1, 0))
    other.actuator("spring", guide.slide, force="-50*s")
    other.measure("slip", "guide.slide - 0.4*t")
    other.friction("rub", "slip", force=law)
    one, two = (da.simulate(x, until=4.0, rtol=1e-10) for x in (m, other))
    assert [x.text for x in one.events] == [x.text for x in two.events] and len(one.events) > 3
    assert np.allclose([x.t for x in one.events], [x.t for x in two.events], rtol=0, atol=1e-7)
    assert one["x"][-1] == pytest.approx(two["guide"].slide[-1], abs=1e-8)


def test_what_holds_changes_with_time():
    """Pulled by 2 N it is let go where static_force = 5 - t has fallen to 2, and slips with 1 N."""
    run = da.simulate(block(rate=0.0, pull=2.0, force=1.0, static_force="5 - t"), until=4.0)
    assert [x.text for x in run.events] == ["slips up"] and run.events[0].t == pytest.approx(3.0, rel=1e-9)
    assert run["x"][-1] == pytest.approx(0.5, rel=1e-8)


def rail(rate=2.0, **sizes):
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential=f"{G}*y", holonomic={"floor": "y"}, name="rail"
    )
    m.friction("rub", "x", normal="floor", **sizes)
    m.start("x", 0.0, rate=rate)
    return m


def test_a_coefficient_of_the_place():
    """Ice that becomes rough: g (0.1 x + 0.2 x^2) = v0^2/2."""
    run = da.simulate(rail(mu="0.1 + 0.4*x"), until=4.0, rtol=1e-10)
    x = run["x"][-1]
    assert G * (0.1 * x + 0.2 * x**2) == pytest.approx(2.0, rel=1e-9)
    assert run["rub"][0] == pytest.approx(0.1 * G, rel=1e-12)
    assert da.verify(rail(mu="0.1 + 0.4*x**2")).agree
    run.check()


def test_it_rests_where_the_place_lets_it():
    """k x <= F (1 + x^2) with k = 5, F = 2: up to x = 1/2, and from 2 on; held on either side."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="2.5*x**2", name="spring")
    m.friction("rub", "x", force=1.0, static_force="2*(1 + x**2)")
    found = da.equilibrium(m)
    ends = [(one.low, one.high) for one in found]
    assert np.allclose(ends[1], [-0.5, 0.5], atol=1e-7) and ends[0][1] == pytest.approx(-2.0, abs=1e-7)
    assert ends[2][0] == pytest.approx(2.0, abs=1e-7)
    m.start("x", 0.3)
    held = da.holding_load(m, "x")["x"]
    assert (held.low, held.high) == pytest.approx((1.5 - 2.18, 1.5 + 2.18), rel=1e-9)


def test_a_driven_motion_has_the_size_of_its_place():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", holonomic={"motor": "x - sin(t)"})
    m.friction("rub", "x", force="1 + x**2 + v")
    t = np.array([0.5, 1.0, 2.0])
    run = da.kinematics(m, t)
    size = 1 + np.sin(t) ** 2 + np.abs(np.cos(t))
    assert run["rub"] == pytest.approx(np.sign(np.cos(t)) * size, rel=1e-12)
    effort = -np.sin(t) + np.sign(np.cos(t)) * size
    assert da.inverse_dynamics(m, t)["motor"].multiplier == pytest.approx(effort, rel=1e-10)


def test_small_motions_feel_the_size():
    """On a belt: x'' = F(x) - F'(v) x' - k x; slope of the place and of the speed of slip."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="25*x**2", name="belt")
    m.friction("rub", "x - 2*t", force="(3 - 4*x)*exp(-v/5)")
    size = math.exp(-0.4)
    x = 3 * size / (50 + 4 * size)
    m.start("x", x)
    found = da.linearize(m)
    damping = -(3 - 4 * x) * size / 5
    roots = np.roots([1.0, damping, 50 + 4 * size])
    assert found.steady and not found.stable
    assert found.modes[0].eigenvalue.real == pytest.approx(roots[0].real, rel=1e-9)
    assert abs(found.modes[0].eigenvalue.imag) == pytest.approx(abs(roots[0].imag), rel=1e-9)


def test_sizes_below_zero_are_told_where_they_come():
    with pytest.raises(da.ModelError, match="falls below 0 at t = 1 s") as error:
        da.simulate(block(force="1 - t"), until=3.0)
    assert error.value.t == pytest.approx(1.0) and error.value.result.t[-1] == pytest.approx(0.99)
    # in the middle of a step, and not at any output
    with pytest.raises(da.ModelError, match="falls below 0 at t = 0.99999 s"):
        da.simulate(block(rate=30.0, force="10*(t - 1)**2 - 1e-9"), until=2.0, output=2.0)
    run = da.simulate(block(force="max(0, 1 - t)"), until=3.0)
    assert run["x"].rate[-1] == pytest.approx(2.5, rel=1e-9) and not run.events
    for sizes in ({"force": "x - 1"}, {"force": "-1 + 0*x", "static_force": 2.0}):
        with pytest.raises(da.ModelError, match="force = -1 at t = 0 s, x = 0"):
            da.instant(block(**sizes))
    with pytest.raises(da.ModelError, match="static_force = 1, force = 2 at t = 0 s"):
        da.simulate(block(rate=0.0, force="c + t", static_force=1.0), until=1.0)
    with pytest.raises(da.ModelError, match="mu = -0.1 at t = 0 s"):
        da.simulate(rail(mu="x - 0.1"), until=1.0)
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", holonomic={"motor": "x - t"})
    m.friction("rub", "x", force="1 - x")
    with pytest.raises(da.ModelError, match=r"force = -0.5 at t = 1.5 s"):
        da.kinematics(m, [0.5, 1.5])
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="2.5*x**2")
    m.friction("rub", "x", force="1 - x")
    with pytest.raises(da.ModelError, match="force = -0"):
        da.equilibrium(m)


@pytest.mark.parametrize("key", ["force", "static_force"])
def test_a_number_below_zero_is_refused_where_it_is_stated(key):
    with pytest.raises(da.ModelError, match=f"{key} = -1"):
        block(**{"force": 1.0} | {key: -1.0})


def test_v_is_a_coordinate_where_there_is_one():
    m = da.Lagrangian("v", kinetic="rate(v)**2/2")
    m.friction("rub", "v", force="1 + v")
    m.start("v", 0.0, rate=1.0)
    x = da.simulate(m, until=2.0)["v"][-1]
    assert x + x**2 / 2 == pytest.approx(0.5, rel=1e-8)
    m = block(force="1 + v")
    with pytest.raises(da.ModelError, match="v is the size of the rate"):
        m.parameter("v", 2.0)


def test_a_file_keeps_it(tmp_path):
    m = block(force="c*(1 + x**2) + v", static_force="9 + t")
    da.write_model(m, tmp_path / "m.toml")
    again = da.read_model(tmp_path / "m.toml")
    assert da.simulate(again, until=1.0)["x"][-1] == da.simulate(m, until=1.0)["x"][-1]


def test_steps_of_one_length_know_it():
    loop = da.Stepper(block(force="1 - t"), step=0.01)
    with pytest.raises(da.ModelError, match="falls below 0 at t = 1"):
        for _ in range(200):
            loop.step()
