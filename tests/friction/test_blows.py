"""Friction of joints and rows in a blow: impulses in the cone of what presses, in strikes, impacts, impulsive starts and events; closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.solve.contact_problem import Contacts, Element, solve

G = 9.81


def guide(rate=0.0, gravity=0.0, **sizes):
    m = da.Mechanism("guide", plane=True, gravity=(0, -gravity))
    block = m.body("block", mass=2.0, inertia=0.1)
    way = m.prismatic("guide", m.ground, block, along=(1, 0))
    m.friction("rub", way, **sizes)
    m.start(way.slide, 0.0, rate=rate)
    return m


def rail(rate=0.0, gravity=0.0, **sizes):
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", potential=f"{2 * gravity}*y", holonomic={"floor": "y"})
    m.friction("rub", "x", normal="floor", **sizes)
    m.start("x", 0.0, rate=rate)
    return m


def hit(make, rate, along, down, **sizes):
    """The velocity after a blow (along, -down) on 2 kg."""
    m = make(rate, **sizes)
    blow = da.strike(m, {"block": (along, -down)} if make is guide else {"x": along, "y": -down})
    p = blow.impulse["rub"]
    return blow.after.v[0], p.effort if make is guide else p, blow


@pytest.mark.parametrize("make", [guide, rail])
def test_what_slips_has_mu_times_the_impulse_that_presses(make):
    v, p, blow = hit(make, 1.0, 0.0, 2.0, mu=0.3)
    assert v == pytest.approx(1.0 - 0.3 * 2.0 / 2.0, rel=1e-12) and p == pytest.approx(-0.6, rel=1e-12)
    assert blow.energy_change == pytest.approx(v**2 - 1.0, rel=1e-12)
    # pushed back and through 0: against what slides after
    assert hit(make, 1.0, -5.0, 2.0, mu=0.3)[0] == pytest.approx((2.0 - 5.0 + 0.6) / 2.0, rel=1e-12)
    # it stops, and takes no more than that
    v, p, _ = hit(make, 0.2, 0.0, 2.0, mu=0.3)
    assert abs(v) < 1e-15 and p == pytest.approx(-0.4, rel=1e-12)


@pytest.mark.parametrize("make", [guide, rail])
def test_what_rests_holds_up_to_static_and_is_torn_off_with_mu(make):
    assert abs(hit(make, 0.0, 0.9, 2.0, mu=0.3, static=0.5)[0]) < 1e-15
    assert hit(make, 0.0, 1.1, 2.0, mu=0.3, static=0.5)[0] == pytest.approx((1.1 - 0.6) / 2.0, rel=1e-12)
    assert hit(make, 0.0, -1.1, 2.0, mu=0.3, static=0.5)[0] == pytest.approx(-(1.1 - 0.6) / 2.0, rel=1e-12)


def test_a_constant_size_has_no_impulse():
    m = da.Lagrangian("x", kinetic="rate(x)**2")
    m.friction("rub", "x", force=100.0)
    assert da.strike(m, {"x": 1.0}).after.v[0] == pytest.approx(0.5)


def test_a_coefficient_of_the_speed_is_that_before():
    v, _, _ = hit(guide, 1.0, 0.0, 2.0, mu="0.1 + 0.2*v")
    assert v == pytest.approx(1.0 - 0.3, rel=1e-12)
    assert hit(rail, 1.0, 0.0, 2.0, mu="0.1 + 0.2*v")[0] == pytest.approx(v, rel=1e-12)


def puck(vx, vy):
    m = da.Mechanism("puck", plane=False)
    body = m.body("puck", da.box(0.1, 0.1, 0.02, mass=0.5))
    m.planar("ice", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction("rub", "ice", mu=0.2)
    m.start(m["ice"].x, 0.0, rate=vx)
    m.start(m["ice"].y, 0.0, rate=vy)
    return m


def test_two_components_slip_along_a_line():
    """Against the velocity, whatever its direction; struck aside, along what slips after."""
    after = da.strike(puck(3.0, 4.0), {"puck": (0, 0, -1.0)}).after.v
    assert after[:2] == pytest.approx([3.0 - 0.4 * 0.6, 4.0 - 0.4 * 0.8], rel=1e-12)
    after = da.strike(puck(3.0, 0.0), {"puck": (0, 2.0, -1.0)}).after.v
    assert after[:2] == pytest.approx([3.0 - 0.4 * 0.6, 4.0 - 0.4 * 0.8], rel=1e-12)
    assert da.strike(puck(0.3, 0.0), {"puck": (0, 0, -1.0)}).after.v == pytest.approx(np.zeros(6), abs=1e-15)


@pytest.mark.parametrize("make", [guide, rail])
def test_joints_that_catch_press_too(make):
    """It comes down with 3 m/s and is caught: 0.2 * 3 m/s are lost along the floor."""
    m = make(2.0, mu=0.2)
    if make is rail:
        m.start("y", 0.0, rate=-3.0)
    else:
        m = da.Mechanism("guide", plane=True)
        block = m.body("block", mass=2.0, inertia=0.1, velocity=(2.0, -3.0), spin=0)
        m.prismatic("guide", m.ground, block, along=(1, 0))
        m.friction("rub", "guide", mu=0.2)
    run = da.simulate(m, until=0.1, velocities="impulsive")
    assert run.v[0, 0] == pytest.approx(1.4, rel=1e-12)


@pytest.mark.parametrize(("down", "after"), [(0.5, None), (20.0, 0.0)])
@pytest.mark.parametrize("make", [guide, rail])
def test_a_blow_of_an_event(make, down, after):
    """It slows by mu g, loses mu J/m at 0.1 s, and goes on, or stands still from there on."""
    m = make(1.0, G, mu=0.3)
    m.event("hit", "t", level=0.1, strike={"block": (0, -down)} if make is guide else {"y": -down})
    run = da.simulate(m, until=0.12)
    v = 1.0 - 0.3 * G * 0.1 - 0.3 * down / 2.0 if after is None else after
    assert run.at(0.1).v[0] == pytest.approx(v, rel=1e-9, abs=1e-15)
    assert run.status == "ok"
    run.check()


def hammer(mu, restitution=0.0, hypothesis="newton"):
    """A ball falls on the end of a lever of no weight beside it, whose pin rubs."""
    m = da.Mechanism("lever", plane=True, gravity=(0, -G))
    lever = m.body("lever", da.rod(length=1.0, mass=0.3), at=(0, 0))
    ball = m.body("ball", mass=1.0, inertia=0.1, at=(0.5, 0.5))
    m.revolute("A", m.ground, lever, at=(0, 0))
    m.prismatic("fall", m.ground, ball, along=(0, 1))
    m.friction("rub", "A", mu=mu, radius=0.02)
    m.measure("tip", point=lever.end, along=(0, 1))
    m.impact("touch", "fall.slide + 0.5 - tip", restitution=restitution, hypothesis=hypothesis)
    return da.simulate(m, until=0.33).events.of("impact")[0]


@pytest.mark.parametrize("hypothesis", ["newton", "poisson"])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_an_impact_feels_the_friction_of_a_pin(e, hypothesis):
    """I w = (d - mu r) p with d = 0.5, and (1 + e) v = p (1/m + d (d - mu r)/I): the pin takes p."""
    found, v, inertia, arm = hammer(3.0, e, hypothesis), math.sqrt(2 * G * 0.5), 0.3 / 12, 0.5 - 0.06
    p = (1 + e) * v / (1.0 + 0.5 * arm / inertia)
    assert found.impulse["touch"] == pytest.approx(p, rel=1e-9)
    assert found.impulse["rub"] == pytest.approx(0.06 * p, rel=1e-9)
    assert found.after.v[2] == pytest.approx(-arm * p / inertia, rel=1e-9)
    assert found.dissipated > 0.0


def test_a_pin_that_holds_the_blow_is_a_wall():
    """Beyond mu r = 0.5 the lever does not turn at all."""
    found = hammer(26.0)
    assert found.impulse["touch"] == pytest.approx(math.sqrt(2 * G * 0.5), rel=1e-9)
    assert np.abs(found.after.v).max() < 1e-9


def test_a_jerk_that_tears_off_what_sticks_is_refused():
    """The rate of a driver jumps in the middle of a run: what sticks beside it would take any impulse."""
    m = da.Mechanism("jerk", gravity=(0, -G))
    cart = m.body("cart", da.block(0.2, 0.1, mass=3.0), at=(0, 0))
    rod = m.body("rod", da.rod(length=1.0, mass=2.0), at=(0, -0.5), angle=-math.pi / 2)
    m.prismatic("rail", m.ground, cart, along=(1, 0))
    m.revolute("pin", cart, rod, at=(0, 0))
    m.friction("rub", "pin", mu=0.2, radius=0.05)
    m.drive("motor", m["rail"].slide, "if_(t > 1, 2*(t - 1), 0)")
    with pytest.raises(da.MethodError, match=r"'rub' sticks, and would have to hold an impulse of 2 \(at most 0.04\)"):
        da.simulate(m, until=1.5)


def test_the_law_of_many():
    """Random machines as numbers: every element obeys its law by the impulses that were found."""
    rng = np.random.default_rng(5)
    slipped = stuck = 0
    for _ in range(200):
        n = int(rng.integers(1, 5))
        root = rng.normal(size=(n, n + 2))
        A, L, lam, u = root @ root.T, 0.3 * rng.normal(size=(4, n)), rng.normal(size=4), rng.normal(size=n)
        some = [Element(None, (k,), 0.3, 0.4, pads=(rng.normal(size=(2, 4)),), felt=(0, 1, 2, 3)) for k in range(n)]
        found = solve(Contacts(A, u, some, lam, L))
        assert found is not None
        p = found.p
        after = u + A @ p
        for k, one in enumerate(some):
            (pad,) = one.pads
            press = float(np.linalg.norm(pad @ (lam + L @ p)))
            if abs(after[k]) > 1e-9:
                assert p[k] == pytest.approx(-0.3 * press * np.sign(after[k]), rel=1e-9)
                slipped += 1
            else:
                assert abs(p[k]) <= 0.4 * press * (1 + 1e-9)
                stuck += 1
    assert slipped > 100 and stuck > 100


def test_friction_that_feeds_on_itself_is_told():
    one = Element(None, (0,), 2.0, 2.0, pads=(np.ones((1, 1)),), felt=(0,))
    # N = |1 - 2 p| grows faster than p: it jams, whatever strikes; where its rate cannot change, nothing solves g = 2 |1 + g|
    found = solve(Contacts(np.eye(1), np.array([10.0]), [one], np.ones(1), -2.0 * np.ones((1, 1))))
    assert found is not None and found.p == [-10.0]
    assert solve(Contacts(np.zeros((1, 1)), np.array([-10.0]), [one], np.ones(1), np.ones((1, 1)))) is None
