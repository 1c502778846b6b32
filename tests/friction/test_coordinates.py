"""Dry friction of a constant size on Lagrangian systems: closed forms, and the same machine built of bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def block(**sizes):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential=f"{G * math.sin(0.3)}*x", name="slope")
    m.friction("rub", "x", **sizes)
    m.start("x", 0.0, rate=2.0)
    return m


def test_a_block_on_a_slope_stops_and_stays():
    run = da.simulate(block(force=4.0), until=3.0)
    pull = G * math.sin(0.3)
    assert [x.text for x in run.events] == ["sticks"]
    assert run.events[0].t == pytest.approx(2.0 / (pull + 4.0), rel=1e-12)
    assert run["x"][-1] == pytest.approx(2.0**2 / (2 * (pull + 4.0)), rel=1e-10)
    assert run["x"][-1] == pytest.approx(0.289895, abs=5e-7)
    # of the 2 m/s nothing is left but roundings: 2 - a t, where 2, a t and a times an ulp of t (4e-16) are rounded to 4e-16 each
    assert run["x"].rate[-1] == pytest.approx(0.0, abs=4 * np.spacing(2.0))
    # multipliers: the reaction is -lam ds/dq, against the rate while it slips, against the pull while it sticks
    assert run["rub"][0] == pytest.approx(4.0) and run["rub"][-1] == pytest.approx(-pull)
    assert run.reaction("rub")[-1, 0] == pytest.approx(pull)
    assert run.work["rub"][-1] == pytest.approx(-4.0 * run["x"][-1], rel=1e-9)
    run.check()


def test_a_steeper_slope_lets_it_slide_back():
    run = da.simulate(block(force=2.0), until=3.0)
    pull = G * math.sin(0.3)
    turn = 2.0 / (pull + 2.0)
    assert [x.text for x in run.events] == ["slips down"]
    top = 2.0**2 / (2 * (pull + 2.0))
    assert run["x"][-1] == pytest.approx(top - 0.5 * (pull - 2.0) * (3.0 - turn) ** 2, rel=1e-9)
    run.check()


def test_oscillator_of_code_aster():
    """SDND100: turning points every pi/100 s, 0.2 mm less each time; it stops at 0.05 mm, where the spring has 0.5 N."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="k*x**2/2", parameters={"k": 1e4, "mu": 0.1}, name="osc")
    m.friction("rub", "x", force="mu*10")
    m.start("x", 0.85e-3)
    run = da.simulate(m, until=0.2)
    turns = [k * math.pi / 100 for k in range(1, 5)]
    assert [x.text for x in run.events] == ["slips up", "slips down", "slips up", "sticks"]
    # at a turning point x is flat: a time is known to the root of what x is known to
    assert np.allclose([x.t for x in run.events], turns, rtol=0, atol=1e-9)
    assert np.allclose([run.at(t).q[0] for t in turns], [-0.65e-3, 0.45e-3, -0.25e-3, 0.05e-3], rtol=0, atol=1e-10)
    assert run["x"][-1] == pytest.approx(0.05e-3, abs=1e-10)
    run.check()


def pendulum_of_bodies():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", mass=1.0, inertia=0.1, at=(0, -0.5))
    pin = m.revolute("pin", m.ground, bar, at=(0, 0))
    m.friction("rub", pin.angle, force=0.8)
    m.start(pin.angle, 1.2)
    return m


def test_a_pendulum_sticks_off_its_lowest_point():
    m = da.Lagrangian("theta", kinetic="0.35*rate(theta)**2/2", potential=f"-{0.5 * G}*cos(theta)", name="pendulum")
    m.friction("rub", "theta", force=0.8)
    m.start("theta", 1.2)
    run, other = da.simulate(m, until=6.0), da.simulate(pendulum_of_bodies(), until=6.0)
    assert [x.text for x in run.events] == [x.text for x in other.events]
    assert np.allclose([x.t for x in run.events], [x.t for x in other.events], rtol=0, atol=1e-7)
    end = run["theta"][-1]
    assert end == pytest.approx(other["pin"].angle[-1], abs=1e-7)
    assert run.events[-1].text == "sticks"
    assert 1e-3 < abs(0.5 * G * math.sin(end)) < 0.8
    # at every turn energy: m g l (cos b - cos a) = M |a - b|
    angles = [1.2, *(run.at(x.t).q[0] for x in run.events)]
    for a, b in zip(angles, angles[1:]):
        assert 0.5 * G * (math.cos(b) - math.cos(a)) == pytest.approx(0.8 * abs(b - a), abs=1e-7)
    run.check()


def test_belt_with_static_friction():
    """Sticking on the belt until k x = F_s, then an arc about F_k/k of radius r with r^2 = ((F_s - F_k)/k)^2 + (v/w)^2."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", name="belt")
    m.friction("rub", "x - 3*t", force=3.0, static_force=5.0)
    m.start("x", 0.0, rate=3.0)
    run = da.simulate(m, until=30.0, output=0.01)
    first, second = run.events[0], run.events[1]
    assert first.t == pytest.approx(5.0 / 3.0, rel=1e-10)
    assert second.t - first.t == pytest.approx(2 * (math.pi - math.atan(2.0 / 3.0)), abs=1e-7)
    assert run.at(second.t).q[0] == pytest.approx(1.0, abs=1e-7)
    assert run.work["rub"][-1] == pytest.approx(run.energy.total[-1] - run.energy.total[0], abs=1e-6)
    run.check()


def billiard_of_bodies():
    m = da.Mechanism("balls", plane=True)
    a, b = m.body("a", mass=1, inertia=1), m.body("b", mass=1, inertia=1, at=(2, 0))
    p = m.prismatic("p", m.ground, a, along=(1, 0))
    q = m.prismatic("q", m.ground, b, along=(1, 0), at=(2, 0))
    m.friction("rub", q.slide, force=1.0)
    m.impact("hit", "b.x - a.x - 1")
    m.start(p.slide, 0.0, rate=2.0)
    return m


def billiard():
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", name="balls")
    m.friction("rub", "y", force=1.0)
    m.impact("hit", "y - x - 1")
    m.start("x", 0.0, rate=2.0)
    m.start("y", 2.0)
    return m


@pytest.mark.parametrize("make", [billiard, billiard_of_bodies])
def test_a_constant_force_takes_no_impulse(make):
    """Both go on with 1 m/s, pressed together, and stop after 2 s."""
    run = da.simulate(make(), until=3.0)
    assert [x.name for x in run.events] == ["hit", "rub"]
    assert run.events[0].energy_after == pytest.approx(1.0)
    assert run.events[1].t == pytest.approx(2.5, rel=1e-9)
    run.check()


def test_instant_decides():
    m = block(force=4.0)
    assert da.instant(m).second_rate("x") == pytest.approx(-G * math.sin(0.3) - 4.0)
    m.start("x", 0.0, rate=0.0)
    assert da.instant(m).second_rate("x") == 0.0
    assert da.reactions(m)["rub"].multiplier == pytest.approx(-G * math.sin(0.3))


def test_a_file_keeps_it(tmp_path):
    m = block(force="F", static_force=5.0)
    m.parameter("F", 4.0)
    da.write_model(m, tmp_path / "m.toml")
    again = da.read_model(tmp_path / "m.toml")
    assert da.simulate(again, until=1.0)["x"][-1] == da.simulate(m, until=1.0)["x"][-1]
    assert again.frictions[0].holding(again.value) == 5.0


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({"mu": 0.3}, "mu without normal"),
        ({}, "give force=2.0"),
        ({"force": -2}, "0 or more"),
    ],
)
def test_what_is_refused(sizes, told):
    with pytest.raises(da.ModelError, match=told):
        block(**sizes)


def test_sizes_that_are_none_are_refused():
    m = block(force="F")
    m.parameter("F", -1.0)
    with pytest.raises(da.ModelError, match="0 or more"):
        da.simulate(m, until=1.0)
    with pytest.raises(da.ModelError, match="static_force = 1"):
        da.simulate(block(force=4.0, static_force=1.0), until=1.0)
    m = da.Lagrangian("x", kinetic="rate(x)**2")
    with pytest.raises(da.ModelError, match="nothing slips"):
        m.friction("rub", "2*t", force=1.0)
    m.friction("rub", "x", force=1.0)
    with pytest.raises(da.ModelError, match="names are unique"):
        m.friction("rub", "x", force=1.0)


@pytest.mark.parametrize("rate", [0.0, 2.0])
@pytest.mark.parametrize(
    "sizes, held, slips",
    [({"force": 4.0}, 3.0, 4.0), ({"force": 1.0}, 1.0, 1.0), ({"mu": 0.5, "normal": "rail"}, 3.0, 0.5 * 9.81)],
)
def test_an_instant_has_the_force(rate, sizes, held, slips):
    """Pushed by 3 N: what holds it at rest, or the size of what slips; on the coordinate that is a force against it."""
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y - 3*x", holonomic={"rail": "y"})
    m.friction("rub", "2*x", **{k: v / 2 if k != "normal" else v for k, v in sizes.items()})
    m.start("x", 0.0, rate=rate)
    now = da.instant(m)
    assert now["rub"] == pytest.approx((slips if rate else held) / 2, rel=1e-12)
    assert now["rail"] == pytest.approx(-9.81, rel=1e-12)
    assert da.simulate(m, until=0.01).reaction("rub")[0] == pytest.approx([-(slips if rate else held), 0.0], rel=1e-9)
    with pytest.raises(da.DalembertError) as error:
        now["other"]
    assert "size of" not in str(error.value) and "rate(x)" in str(error.value)


def test_a_driven_motion_has_the_generalized_force():
    """-force sign(ds/dt) ds/dq, as along a run; what is solved for is no parameter of the model."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", holonomic={"motor": "x - sin(t)"}, parameters={"F": 3.0})
    m.friction("rub", "2*x", force="F")
    run = da.kinematics(m, [0.5, 1.0, 2.0])
    assert run.reaction("rub")[:, 0] == pytest.approx([-6.0, -6.0, 6.0], rel=1e-12)
    assert run.parameters == {"F": 3.0}


def test_a_force_that_grows_from_nothing_finds_it_at_rest():
    # nothing moves until it slips: energies are rounding, and no imbalance
    m = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": "8*t"}, name="block")
    m.friction("rub", "x", force=5.886)
    run = da.simulate(m, until=1.5)
    begun = 5.886 / 8
    assert run.status == "ok" and run.events[0].t == pytest.approx(begun, rel=1e-10)
    assert run["x"][-1] == pytest.approx(8 / 2 * (1.5 - begun) ** 3 / 6, rel=1e-7)
