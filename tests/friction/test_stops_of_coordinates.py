"""Friction at rigid stops of Lagrangian systems: closed forms, and the same machines built of bodies with contacts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def ball(mu=0.15, e=0.6, v=(1.0, -1.0), spin=25.0, gravity=0.0, gap="y - 0.1", normal="floor"):
    """A disk of 2 kg and 0.1 m above a floor."""
    m = da.Lagrangian(
        "x y a", kinetic="rate(x)**2 + rate(y)**2 + 0.005*rate(a)**2", potential=f"{2 * gravity}*y", name="ball"
    )
    m.impact("floor", gap, restitution=e)
    m.friction("rub", "x + 0.1*a", mu=mu, normal=normal)
    for name, value, rate in (("x", 0.0, v[0]), ("y", 0.15, v[1]), ("a", 0.0, spin)):
        m.start(name, value, rate=rate)
    return m


def disk(mu, e, spin=0.0):
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    body = m.body("ball", da.disk(0.1, mass=2.0), at=(0, 0.15), velocity=(1.0, -1.0), spin=spin)
    m.contact("floor", m.ground, body, mu=mu, restitution=e)
    return m


@pytest.mark.parametrize(("gap", "normal"), [("y - 0.1", "floor"), ("2*y - 0.2", "2*`floor`")])
def test_a_ball_with_spin_slides_all_the_time(gap, normal):
    """mu (1 + e) m v along the floor."""
    hit = da.simulate(ball(gap=gap, normal=normal), until=0.1).events[0]
    assert hit.impulse["rub"] == pytest.approx(-0.48, rel=1e-12)
    assert hit.after.v == pytest.approx([0.76, 0.6, 20.2], rel=1e-12)


@pytest.mark.parametrize(("mu", "spin"), [(0.3, 0.0), (0.05, 0.0), (0.3, 60.0)])
def test_it_bounces_and_rolls_as_the_body_does(mu, spin):
    run, other = (
        da.simulate(ball(mu, 0.5, spin=spin, gravity=G), until=2.0),
        da.simulate(disk(mu, 0.5, spin), until=2.0),
    )
    one, two = ([x for x in r.events if x.what in ("impact", "stick", "slip")] for r in (run, other))
    assert [x.what for x in one][:6] == [x.what for x in two][:6]
    assert np.allclose([x.t for x in one][:6], [x.t for x in two][:6], rtol=0, atol=1e-9)
    # the last bounces are left out with their friction where they are lower than 1e-10 of a length, which is 1 of coordinates: mu (1 + e) sqrt(2 g h) for 2 s
    assert run["x"][-1] == pytest.approx(other["ball"].position[-1, 0], abs=1e-5)
    # it rolls at the end; the moment of momentum about the floor stays: m v r + J w
    assert run["x"].rate[-1] == pytest.approx(-0.1 * run["a"].rate[-1], abs=1e-12)
    assert 2 * run["x"].rate[-1] - 0.1 * run["a"].rate[-1] == pytest.approx(2.0 - 0.1 * spin, rel=1e-9)
    assert run.status == other.status == "ok"
    run.check()


def block(rate=2.0, potential=f"{G}*y", **sizes):
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential=potential, name="block")
    m.impact("floor", "y")
    m.friction("rub", "x", normal="floor", **sizes)
    m.start("x", 0.0, rate=rate)
    return m


def test_a_block_stops_on_a_floor_that_it_could_leave():
    run = da.simulate(block(mu=0.4), until=1.0)
    assert [(x.name, x.text) for x in run.events] == [("rub", "sticks")]
    assert run.events[0].t == pytest.approx(2.0 / (0.4 * G), rel=1e-10)
    assert run["x"][-1] == pytest.approx(2.0 / (0.4 * G), rel=1e-9)
    assert run["rub"][0] == pytest.approx(0.4 * G) and run["rub"][-1] == pytest.approx(0.0, abs=1e-12)
    assert run.work["rub"][-1] == pytest.approx(-2.0, rel=1e-9)
    run.check()


def test_it_is_gone_where_the_stop_opens():
    """Lifted by 4 t: what presses falls to 0 at g/4; until then v = 2 - mu (g t - 2 t^2), afterwards it does not change."""
    m = block(mu=0.1, potential=f"({G} - 4*t)*y")
    run = da.simulate(m, until=4.0)
    leaves = G / 4
    assert [(x.name, x.what) for x in run.events] == [("floor", "release")]
    assert run.events[0].t == pytest.approx(leaves, rel=1e-9)
    v = 2.0 - 0.1 * (G * leaves - 2 * leaves**2)
    assert run["x"].rate[-1] == pytest.approx(v, rel=1e-9) and run["rub"][-1] == 0.0


def test_a_coefficient_of_the_place():
    run = da.simulate(block(mu="0.1 + 0.4*x"), until=4.0, rtol=1e-10)
    x = run["x"][-1]
    assert G * (0.1 * x + 0.2 * x**2) == pytest.approx(2.0, rel=1e-9)
    with pytest.raises(da.ModelError, match="falls below 0"):
        da.simulate(block(mu="0.1 - 0.2*x"), until=4.0)


def test_small_motions_on_a_belt():
    """x'' - mu'(v) g x' + k x = 0 with mu = 0.3 exp(-v), on a belt of 0.4 m/s."""
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential=f"{G}*y + 25*x**2")
    m.impact("floor", "y")
    assert abs(da.linearize(m).modes[0].eigenvalue) == pytest.approx(math.sqrt(50.0))  # what presses is held
    m.friction("rub", "x - 0.4*t", mu="0.3*exp(-v)", normal="floor")
    size = 0.3 * math.exp(-0.4) * G
    m.start("x", size / 50)
    assert da.linearize(m).modes[0].eigenvalue.real == pytest.approx(size / 2, rel=1e-9)
    assert da.instant(m)["rub"] == pytest.approx(-size, rel=1e-12)


def test_loads_beside_a_stop_that_rubs():
    m = block(rate=0.0, mu=0.3, static=0.4, potential=f"{G}*y + 2*x")
    held = da.holding_load(m, "x")["x"]
    assert (held.low, held.high) == pytest.approx((2 - 0.4 * G, 2 + 0.4 * G), rel=1e-9)


def test_a_file_keeps_it(tmp_path):
    m = block(mu=0.4, static=0.5)
    da.write_model(m, tmp_path / "m.toml")
    again = da.read_model(tmp_path / "m.toml")
    assert da.simulate(again, until=1.0)["x"][-1] == da.simulate(m, until=1.0)["x"][-1]


def test_steps_of_one_length_know_it():
    loop = da.Stepper(block(mu=0.4), step=0.001)
    for _ in range(1000):
        loop.step()
    assert loop.get("x") == pytest.approx(2.0 / (0.4 * G), rel=1e-6)


def test_what_is_refused():
    m = block(mu=0.3)
    with pytest.raises(da.ModelError, match="it has the friction 'rub'"):
        m.friction("again", "x", mu=0.2, normal="floor")
    m.impact("wall", "x + 5")
    with pytest.raises(da.ModelError, match="while it is closed"):
        m.friction("both", "x", mu=0.2, normal="`floor` + wall")
    m.impact("rough", "y + 1", rough="x")
    with pytest.raises(da.ModelError, match="never slip"):
        m.friction("third", "x", mu=0.2, normal="rough")


@pytest.mark.parametrize("push", [0.0, 2.0, 7.0])
def test_a_place_on_a_stop(push):
    """A block of 1 kg on its floor stays where its push is at most mu m g."""
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential=f"{G}*y - {push}*x")
    m.impact("floor", "y")
    m.friction("rub", "x", mu=0.3, normal="floor")
    found = da.equilibrium(m)
    assert found.used == pytest.approx(push / (0.3 * G), abs=1e-9) and found.stays == (push < 0.3 * G)
    m.start("y", 0.1)
    assert da.equilibrium(m).used == math.inf  # it falls


@pytest.mark.parametrize("gap", ["2", "1 - t", "0*x + 1"])
def test_a_gap_that_no_motion_changes_is_refused(gap):
    m = da.Lagrangian("x", kinetic="rate(x)**2")
    with pytest.raises(da.ModelError, match="it contains no coordinate"):
        m.impact("stop", gap)
