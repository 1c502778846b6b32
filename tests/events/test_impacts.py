"""Rigid stops: restitution, several at once, rest, release; energy is never created, and every impact has its account."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da

G = 9.81


def row_of_balls(e, hypothesis="newton", masses=(1.0, 1.0, 1.0), gap=0.0):
    m = da.Lagrangian("x1 x2 x3", kinetic=" + ".join(f"{mass}*rate(x{k + 1})**2/2" for k, mass in enumerate(masses)))
    m.start("x1", -1.0, rate=1.0)
    m.start("x2", 0.0, rate=0.0)
    m.start("x3", gap, rate=0.0)
    m.impact("first", "x2 - x1", restitution=e, hypothesis=hypothesis)
    m.impact("second", "x3 - x2", restitution=e, hypothesis=hypothesis)
    return m


@pytest.mark.parametrize("e", [0.3, 1.0])
def test_two_balls_one_after_the_other(e):
    """With a gap between them the impacts are two: v2 = (1 + e)/2, then v3 = (1 + e)^2/4."""
    run = da.simulate(row_of_balls(e, gap=0.5), until=4.0)
    assert run.v[-1, 2] == pytest.approx((1 + e) ** 2 / 4, abs=1e-12)
    assert run.v[-1].sum() == pytest.approx(1.0, abs=1e-12), "momentum"


def test_three_balls_at_once_by_newton():
    """u- = (-1, 0), A = [[2, -1], [-1, 2]]: without restitution all move with 1/3; with e = 1 the first gap opens with 1, the second stays
    at 0: v1 = -1/3, v2 = v3 = 2/3."""
    plastic = da.simulate(row_of_balls(0.0), until=2.0)
    assert plastic.v[-1] == pytest.approx([1 / 3] * 3, abs=1e-12)
    elastic = da.simulate(row_of_balls(1.0), until=2.0)
    assert elastic.v[-1] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)
    assert elastic.events[0].energy_lost == pytest.approx(0.0, abs=1e-12)
    # one after the other they would leave with 0, 0 and 1, which is said
    assert "'first', 'second' are struck at one time" in str(elastic.audit.notes) and not plastic.audit.notes


def test_three_balls_at_once_by_poisson():
    """Compression: pc = (2/3, 1/3), all with 1/3; expansion gives as much once more: v1 = -1/3, v2 = 1/3 + 1/3, v3 = 2/3."""
    run = da.simulate(row_of_balls(1.0, "poisson"), until=2.0)
    assert run.v[-1] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)
    first = run.events[0]
    assert first.impulse == pytest.approx({"first": 4 / 3, "second": 2 / 3}, abs=1e-12)


@pytest.mark.parametrize(("hypothesis", "after"), [("newton", 1.0), ("poisson", 16.0 / 15.0)])
def test_the_two_hypotheses_differ_where_coefficients_do(hypothesis, after):
    """The coordinates are the gaps: A = [[3, -1], [-1, 3]]/2, u- = (-1, -1/5), e = (1, 0).  Newton: u+ = (1, 0).  Poisson: pc = (0.8, 0.4), and
    A (0.8, s) = (1.2 - s/2, -0.4 + 3 s/2) with s = 4/15, so that the second gap does not close: u+ = (16/15, 0)."""
    m = da.Lagrangian("x y", kinetic="(1.5*rate(x)**2 + rate(x)*rate(y) + 1.5*rate(y)**2)/4")
    m.start("x", 1.0, rate=-1.0)
    m.start("y", 0.2, rate=-0.2)
    m.impact("one", "x", restitution=1.0, hypothesis=hypothesis)
    m.impact("two", "y", restitution=0.0, hypothesis=hypothesis)
    run = da.simulate(m, until=2.0)
    hit = run.events[0]
    assert hit.t == pytest.approx(1.0, abs=1e-12) and hit.after.v == pytest.approx([after, 0.0], abs=1e-12)
    assert hit.dissipated == pytest.approx(hit.energy_lost, abs=1e-12) and hit.energy_lost > 0.0


def test_a_stop_of_an_angle_in_a_small_machine():
    """A bar of a tenth of a millimetre: what counts as touching follows the gap, here radians, not the length of the model.  It arrives with
    w^2 = 3 g sin(1)/L, and its bounces come to an end."""
    m, length = da.Mechanism("tiny", gravity=(0, -G)), 1e-4
    bar = m.body("bar", da.rod(length=length, mass=1e-6), at=(length / 2, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.impact("stop", "A.angle + 1", restitution=0.5)
    run = da.simulate(m, until=0.05)
    assert run.status == "ok" and run.events[-1].what == "rest"
    assert run.events[0].before.v[2] == pytest.approx(-math.sqrt(3.0 * G * math.sin(1.0) / length), rel=1e-7)
    assert run["A.angle"][-1] == pytest.approx(-1.0, abs=1e-10)


def test_a_bar_falls_flat_on_two_stops():
    """Both ends meet the floor at once: the centre turns back with e, without spin."""
    m = da.Mechanism("bar", gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, 1.0))
    for name, point in (("left", bar.start), ("right", bar.end)):
        m.impact(name, m.measure(f"{name} height", point=point, along=(0, 1)), restitution=0.5)
    run = da.simulate(m, until=0.5)
    (hit,) = run.events
    v = math.sqrt(2.0 * G)
    assert hit.t == pytest.approx(math.sqrt(2.0 / G), abs=1e-12)
    assert hit.impulse == pytest.approx({"left": 1.5 * v, "right": 1.5 * v}, rel=1e-12)
    assert hit.state.v == pytest.approx([0.0, 0.5 * v, 0.0], abs=1e-12)


def test_one_end_first():
    """A bar at an angle a: the impulse at its end is (1 + e) v / (1/m + (L cos a/2)^2/J), J = m L^2/12."""
    m, a, e = da.Mechanism("bar", gravity=(0, -G)), 0.3, 0.7
    height = 1.0 + 0.5 * math.sin(a)
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, height), angle=a)
    for name, point in (("left", bar.start), ("right", bar.end)):
        m.impact(name, m.measure(f"{name} height", point=point, along=(0, 1)), restitution=e)
    hit = da.simulate(m, until=0.5).events[0]
    v = math.sqrt(2.0 * G)
    assert hit.name == "left"
    assert hit.impulse["left"] == pytest.approx((1 + e) * v / (0.5 + (0.5 * math.cos(a)) ** 2 * 6.0), rel=1e-9)
    assert hit.energy_lost == pytest.approx(0.5 * hit.impulse["left"] * (1 - e) * v, rel=1e-9)


def test_at_rest_and_lifted():
    """A block on the floor under a force that grows: it leaves where F = m g, t = 9.81/5, and then moves by (5 t - g)^3/(6 * 25)."""
    m = da.Mechanism("block", gravity=(0, -G))
    m.particle("block", mass=1.0, at=(0, 0))
    m.force("lift", "block", (0, "5*t"))
    m.impact("floor", "block.y")
    run = da.simulate(m, until=3.0, rtol=1e-11, atol=1e-12)
    (left,) = run.events
    assert left.what == "release" and left.t == pytest.approx(G / 5.0, abs=1e-12)
    assert run["floor"].force[0] == pytest.approx([0.0, G], abs=1e-12)
    t = 3.0 - left.t
    assert run["block"].position[-1, 1] == pytest.approx(5.0 * t**3 / 6.0, abs=1e-9)


def test_a_stop_that_is_hit_by_a_mechanism():
    """A pendulum that meets a wall at the bottom turns back with e w; the wall's impulse is J (1 + e) w / L."""
    m, e = da.Mechanism("pendulum", gravity=(0, -G)), 0.6
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.impact("wall", m.measure("tip", point=bar.end, along=(1, 0)), restitution=e)
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-12)
    hit, w = run.events[0], math.sqrt(3.0 * G)
    assert hit.state.v[2] == pytest.approx(e * w, abs=1e-9)
    assert hit.impulse["wall"] == pytest.approx(2.0 / 3.0 * (1 + e) * w, abs=1e-9)
    assert run.status == "ok" and run.audit.impacts >= 1


def test_restitution_that_creates_energy_is_refused():
    """Newton's hypothesis at stops that touch at one time, one of which opens already: with u- = (-1, 0.1), A = [[1, c], [c, 1]], c = -0.8 and e = 1 the impulses are
    p1 - 0.8 p2 = 2, p2 = 0.8 p1 - 0.1, and the energy would grow by 1/2 p2 0.1 = 0.208 J.  Poisson's hypothesis takes energy."""

    def model(hypothesis):
        c = -0.8
        # M = A^-1 = [[1, -c], [-c, 1]]/(1 - c^2)
        m = da.Lagrangian("x y", kinetic=f"(rate(x)**2 + rate(y)**2 - 2*{c}*rate(x)*rate(y))/2/{1 - c * c}")
        m.start("x", 0.0, rate=-1.0)
        m.start("y", 0.0, rate=0.1)
        m.impact("one", "x", restitution=1.0, hypothesis=hypothesis)
        m.impact("two", "y", restitution=1.0, hypothesis=hypothesis)
        return m

    with pytest.raises(da.ModelError, match="would create 0.208 J"):
        da.simulate(model("newton"), until=2.0)
    hit = da.simulate(model("poisson"), until=2.0).events[0]
    assert hit.energy_lost >= 0.0 and hit.energy_lost == pytest.approx(hit.dissipated, abs=1e-12)


def test_a_table_that_shakes():
    """A table at A sin(w t) with A w^2 = 2 g: a ball on it leaves where sin(w t) = 1/2, and falls back onto it; the table does work, the stop takes energy."""
    w, m = (
        10.0,
        da.Lagrangian(
            "y", kinetic="rate(y)**2/2", potential="g*y", parameters={"g": G, "w": 10.0, "A": 2.0 * G / 100.0}
        ),
    )
    a = 2.0 * G / w**2
    m.start("y", 0.0, rate=a * w)
    m.impact("table", "y - A*sin(w*t)", restitution=0.5)
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-12)
    left, hit = run.events[0], run.events[1]
    t0 = math.pi / 6 / w
    assert left.what == "release" and left.t == pytest.approx(t0, abs=1e-10)
    y0, v0 = a * math.sin(w * t0), a * w * math.cos(w * t0)
    back = brentq(
        lambda t: y0 + v0 * (t - t0) - G * (t - t0) ** 2 / 2 - a * math.sin(w * t), t0 + 0.1, t0 + 1.0, xtol=1e-14
    )
    assert hit.what == "impact" and hit.t == pytest.approx(back, abs=1e-9)
    table = a * w * math.cos(w * back)
    u = v0 - G * (back - t0) - table
    assert hit.after.v[0] == pytest.approx(table - 0.5 * u, abs=1e-8)
    assert hit.dissipated == pytest.approx(0.5 * u**2 * 0.75, abs=1e-8)
    assert run.status == "ok"


def test_a_table_that_shakes_below_a_body():
    m = da.Mechanism("table", gravity=(0, -G))
    m.particle("ball", mass=2.0, at=(0, 0), velocity=(0, 2.0 * G / 10.0))
    m.impact("table", f"ball.y - {2.0 * G / 100.0}*sin(10*t)", restitution=0.5)
    run = da.simulate(m, until=1.0)
    assert run.status == "ok" and run.events[0].t == pytest.approx(math.pi / 60.0, abs=1e-8)


def test_overlapping_stops_are_refused():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2")
    m.start("y", -0.1)
    m.impact("floor", "y")
    with pytest.raises(da.MethodError, match="overlap"):
        da.simulate(m, until=1.0)


def test_random_impacts_never_create_energy():
    """Balls in a row with random masses, places and one restitution: momentum stays, energy falls, gaps stay open."""
    random = np.random.default_rng(7)
    for _ in range(10):
        masses, e = random.uniform(0.2, 3.0, 4), float(random.uniform(0.0, 1.0))
        m = da.Lagrangian("a b c d", kinetic=" + ".join(f"{x}*rate({q})**2/2" for x, q in zip(masses, "abcd")))
        speeds = random.uniform(-1.0, 1.0, 4)
        for k, q in enumerate("abcd"):
            m.start(q, float(k), rate=float(speeds[k]))
        for one, two in ("ab", "bc", "cd"):
            m.impact(one + two, f"{two} - {one}", restitution=e)
        run = da.simulate(m, until=10.0)
        assert run.status == "ok"
        assert run.v @ masses == pytest.approx(np.full(len(run.t), speeds @ masses), abs=1e-11)
        assert all(x.energy_lost >= -1e-14 for x in run.events)
        assert np.min(np.diff(run.q, axis=1)) > -1e-10


def test_wrong_arguments_are_refused():
    m = da.Mechanism("ball")
    m.particle("ball", mass=1.0)
    for given in ({"restitution": 2.0}, {"hypothesis": "huygens"}):
        with pytest.raises(da.ModelError):
            m.impact("floor", "ball.y", **given)
    with pytest.raises(da.ModelError, match="taken"):
        m.impact("ball", "ball.y")


def test_joints_answer_an_impact():
    """A rod on a pin is hit at its end, p = J (1 + e) w/L: the pin gets p (3/2 - 1), LAGRANGE 1.5; the impulse of the pin over the run has it too."""
    m, e = da.Mechanism("pendulum", gravity=(0, -G)), 0.6
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.impact("wall", m.measure("tip", point=bar.end, along=(1, 0)), restitution=e)
    run = da.simulate(m, until=0.6, rtol=1e-10, atol=1e-11)
    hit = run.events[0]
    (account,) = hit.accounts
    p = hit.impulse["wall"]
    assert account.impulse["wall"].effort == pytest.approx(p) and account.impulse["wall"].linear == pytest.approx(
        [p, 0.0]
    )
    assert account.impulse["A"].linear == pytest.approx([0.5 * p, 0.0], abs=1e-9)
    assert run.impulses == (account,)
    # impulse and momentum over the whole run: pin, wall and weight change m v
    total = run["A"].impulse[-1] + run["wall"].impulse[-1] + np.array([0.0, -2.0 * G * 0.6])
    assert total == pytest.approx(2.0 * run.v[-1, :2], abs=1e-7)
