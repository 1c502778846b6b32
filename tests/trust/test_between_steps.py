"""Forces and drivers between two steps: a run that misses them was called "ok"."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import Name


def slider(law, start=0.0, rate=0.0, **options):
    """A mass of 1 kg on a rail under a force along it."""
    m = da.Mechanism("slider")
    block = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(start, 0))
    m.prismatic("rail", m.ground, block, along=(1, 0))
    m.force("push", block, value=(law, 0))
    if rate:
        m.start("rail.slide", rate=rate)
    return da.simulate(m, **{"until": 10.0, "progress": False, **options})


# (force, impulse over the run): closed forms of the integral of the force over time
PULSES = [
    ("if_(t > 5 and t < 6, 1, 0)", 1.0),
    ("if_(abs(t - 5.3) < 0.01, 50, 0)", 1.0),
    ("1000*(step(t, 5, 0, 5.0005, 1) - step(t, 5.001, 0, 5.0015, 1))", 1.0),
    ("ramp(t, 5, 5.001) - ramp(t, 5.002, 5.003)", 2e-3),
    ("exp(-((t - 5)/0.001)**2)", 1e-3 * math.sqrt(math.pi)),
    ("max(0, 1 - abs(t - 7)/0.002)", 2e-3),
    ("1/(1 + ((t - 3)/1e-4)**2)", 1e-4 * (math.atan(7e4) + math.atan(3e4))),
    ("floor(t/4)", 4.0 + 2 * 2.0),
]


@pytest.mark.parametrize("law, impulse", PULSES, ids=[law for law, _ in PULSES])
@pytest.mark.parametrize("rtol", [1e-4, 1e-8])
def test_a_mass_at_rest_feels_every_pulse(law, impulse, rtol):
    run = slider(law, rtol=rtol, atol=1e-2 * rtol)
    assert run.status == "ok"
    # atol counts in the model's length and 1/s
    assert run.v[-1, 0] == pytest.approx(impulse, rel=10 * rtol, abs=0.1 * rtol)


@pytest.mark.parametrize("law, impulse", PULSES[:5], ids=[law for law, _ in PULSES[:5]])
def test_a_lagrangian_mass_feels_every_pulse(law, impulse):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": law})
    run = da.simulate(m, until=10.0, progress=False)
    assert run.status == "ok"
    assert run.v[-1, 0] == pytest.approx(impulse, rel=1e-7)


def test_a_table_with_a_narrow_peak():
    peak = da.spline([0, 4.999, 5.0, 5.001, 10], [0, 0, 1, 0, 0], name="peak")
    run = slider(peak(Name("t")))
    area = sum(
        c0 * h + c1 * h**2 / 2 + c2 * h**3 / 3 + c3 * h**4 / 4
        for (c0, c1, c2, c3), h in zip(peak.coefficients, np.diff(peak.x))
    )
    assert run.status == "ok" and run.v[-1, 0] == pytest.approx(area, rel=1e-6)


def test_a_pendulum_at_rest_is_hit():
    """200 ms in a run of 2 s."""
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, -0.5), angle=-math.pi / 2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.torque("hit", bar, value="if_(t > 1 and t < 1.2, 0.5, 0)")
    run = da.simulate(m, until=1.2, progress=False)
    # small oscillation about the lower position under a constant torque: phi = M/(m g l/2) (1 - cos w t)
    w = math.sqrt(2.0 * 9.81 * 0.5 / (2.0 / 3.0))
    angle = 0.5 / (2.0 * 9.81 * 0.5) * (1.0 - math.cos(w * 0.2))
    assert run.status == "ok"
    assert float(run["A.angle"][-1] - run["A.angle"][0]) == pytest.approx(angle, rel=1e-3)
    assert [name for _, name in run.switches] == ["hit"] * len(run.switches) and len(run.switches) >= 1


def test_a_short_bump_of_a_driver():
    """30 ms: the driven slider itself goes there, and a mass hung on it by a spring feels it."""
    m = da.Mechanism("bump")
    base = m.body("base", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    load = m.body("load", da.block(0.1, 0.1, mass=1.0), at=(1, 0))
    m.prismatic("rail", m.ground, base, along=(1, 0))
    m.prismatic("other", m.ground, load, along=(1, 0))
    m.drive("cam", m["rail"].slide, "-0.01*(step(t, 5, 0, 5.015, 1) - step(t, 5.015, 0, 5.03, 1))")
    m.spring("spring", base.point(0, 0), load.point(0, 0), stiffness=100.0, free_length=1.0)
    run = da.simulate(m, until=10.0, progress=False)
    # the spring pulls for the area of the bump: 2 * 0.01 * 0.015/2, while the load hardly moves
    assert run.status == "ok"
    swing = float(np.max(np.abs(run["other.slide"])))
    w = math.sqrt(100.0)
    assert swing == pytest.approx(100.0 * 0.01 * 0.015 / w, rel=5e-3)


@pytest.mark.parametrize("thick", [1e-3, 1e-2, 0.1])
def test_a_potential_wall_is_not_passed_through(thick):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential=f"1000*exp(-((x - 5)/{thick})**2)")
    m.start("x", 0.0, rate=1.0)
    run = da.simulate(m, until=10.0, progress=False)
    assert run.status == "ok" and run.v[-1, 0] == pytest.approx(-1.0, rel=1e-7)
    mechanism = slider(f"2000*(rail.slide - 5)/{thick}**2*exp(-((rail.slide - 5)/{thick})**2)", rate=1.0)
    assert mechanism.status == "ok" and mechanism.v[-1, 0] == pytest.approx(-1.0, rel=1e-6)


@pytest.mark.parametrize("stiffness", [1e3, 1e6])
def test_a_stop_keeps_the_energy_of_many_contacts(stiffness):
    """A ball between two stops without damping: its speed is the same after every contact."""
    m = da.Mechanism("between stops")
    ball = m.body("ball", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("rail", m.ground, ball, along=(1, 0))
    m.stop("stops", m["rail"].slide, lower=-1.0, upper=1.0, stiffness=stiffness)
    m.start("rail.slide", rate=3.0)
    run = da.simulate(m, until=10.0, progress=False)
    assert run.status == "ok"
    # half an oscillation in each stop, 2 m between them
    period = 2.0 * (2.0 / 3.0 + math.pi / math.sqrt(stiffness))
    contacts = math.floor((10.0 - 1.0 / 3.0) / (0.5 * period)) + 1
    assert len([t for t, _ in run.switches]) >= 2 * contacts - 1
    free = np.abs(run["rail.slide"]) < 1.0
    assert np.abs(np.abs(run.v[free, 0]) - 3.0).max() < 3e-7


def test_a_bouncing_ball_against_the_closed_form():
    """Falling 1 m onto a stop with damping: speed before and after by the half oscillation of the contact."""
    k, c, mass = 1e4, 20.0, 1.0
    m = da.Mechanism("ball", gravity=(0, 0))
    ball = m.body("ball", da.block(0.1, 0.1, mass=mass), at=(0, 0))
    m.prismatic("rail", m.ground, ball, along=(1, 0))
    m.stop("wall", m["rail"].slide, upper=1.0, stiffness=k, damping=c)
    m.start("rail.slide", rate=2.0)
    run = da.simulate(m, until=1.0, progress=False)
    # x = (v0/w) exp(-d t) sin(w t); contact ends where k x + c x' = 0: tan(w t) = -c w/(k - c d)
    d = c / (2 * mass)
    w = math.sqrt(k / mass - d * d)
    end = (math.pi - math.atan2(c * w, k - c * d)) / w
    after = 2.0 / w * math.exp(-d * end) * (w * math.cos(w * end) - d * math.sin(w * end))
    assert run.status == "ok" and run.v[-1, 0] == pytest.approx(after, rel=1e-8)


def test_backwards_through_the_same_pulses():
    law = "if_(t > 5 and t < 6, 1, 0)"
    forward = slider(law)
    m = forward.model
    back = da.simulate(m, until=0.0, start=forward.at(10.0), backward=True, progress=False)
    assert back.status == "ok" and np.abs(back.v[-1]).max() < 1e-12 and np.abs(back.q[-1]).max() < 1e-9


def test_states_between_outputs_see_the_pulse():
    run = slider("if_(t > 5 and t < 6, 1, 0)", output=[0.0, 10.0])
    for t in (4.9, 5.0, 5.5, 6.0, 7.3):
        assert run.at(t).v[0] == pytest.approx(min(max(t - 5.0, 0.0), 1.0), abs=1e-10)


def test_python_laws_are_sampled_at_least_every_hundredth_of_the_run():
    run = slider(lambda t: 1.0 if 5.0 < t < 6.0 else 0.0)
    assert run.v[-1, 0] == pytest.approx(1.0, rel=1e-5)


def test_a_law_that_jumps_back_and_forth_is_told():
    """Dry friction by sign(v) brings a body to rest, where no motion satisfies the law: told as what it is."""
    with pytest.raises(da.ConvergenceError, match="jumps back and forth") as caught:
        slider("-sign(rate(rail.slide))", rate=1.0)
    assert "push" in str(caught.value) and "t = 1" in str(caught.value)
    assert caught.value.result.t[-1] <= 1.0 + 1e-6
