"""Friction at compliant contacts: what presses is known, so that closed forms of sliding, sticking and oblique bounces hold to the tolerance of the run."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def ball(plane, v=2.0, mu=0.2, **options):
    """A ball at rest on a soft floor, but for a velocity along it."""
    m = da.Mechanism("ball", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    k, mass, r = 1e5, 0.5, 0.1
    deep = mass * G / k
    if plane:
        body = m.body("ball", da.disk(r, mass=mass), at=(0, r - deep), velocity=(v, 0))
    else:
        body = m.body("ball", da.sphere(r, mass=mass), at=(0, 0, r - deep), velocity=(0.6 * v, 0.8 * v, 0))
    m.contact("floor", m.ground, body, mu=mu, stiffness=k, exponent=1.0, **options)
    return m


@pytest.mark.parametrize(("plane", "share"), [(True, 1 / 3), (False, 2 / 7)])
@pytest.mark.parametrize("own", [False, True])
def test_a_ball_slides_until_it_rolls(plane, share, own):
    """v - mu g t meets r w at t = share v/(mu g), share = 1/(1 + m r^2/I) of a disk 1/3, of a sphere 2/7; then it rolls, without friction."""
    m = ball(plane, mu=None if own else 0.2)
    if own:
        m.friction("rub", "floor", mu=0.2)
    run = da.simulate(m, until=0.6, rtol=1e-10, atol=1e-12)
    t = share * 2.0 / (0.2 * G)
    assert [(x.what, x.t) for x in run.events] == [("stick", pytest.approx(t, rel=1e-9))]
    assert run.status == "ok"
    speed = np.linalg.norm(np.asarray(run["ball"].velocity)[:, :2], axis=1)
    assert speed == pytest.approx(np.where(run.t < t, 2.0 - 0.2 * G * run.t, 2.0 * (1 - share)), rel=1e-8)
    name = "rub" if own else "floor"
    along = np.linalg.norm(np.asarray(run[name].force)[:, : 1 if plane else 2], axis=1)
    assert along[run.t < t] == pytest.approx(0.2 * 0.5 * G, rel=1e-8)
    assert along[run.t > t] == pytest.approx(0.0, abs=1e-8)
    assert run["floor"].normal == pytest.approx(0.5 * G, rel=1e-8)


def pulled(static, plane=True, coefficient="0.3"):
    """A point of 1 kg on a soft floor, pulled by 10 N/s."""
    m = da.Mechanism("pulled", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    zero = (0.0,) * (1 if plane else 2)
    inertia = 1.0 if plane else (1.0,) * 3
    body = m.body("block", mass=1.0, inertia=inertia, at=(*zero, -G / 1e5))
    m.contact("floor", m.ground, body, points=[body.point(*zero, 0)], mu=coefficient, static=static, stiffness=1e5, exponent=1.0)  # fmt: skip
    m.force("pull", body, ("10*t", *zero))
    return m


@pytest.mark.parametrize("plane", [True, False])
def test_it_holds_up_to_its_limit(plane):
    """It slips where 10 t = static m g, then x'' = 10 t/m - mu g."""
    run = da.simulate(pulled(0.5, plane), until=1.0, rtol=1e-11, atol=1e-13)
    t = 0.5 * G / 10
    assert [(x.what, x.t) for x in run.events] == [("slip", pytest.approx(t, rel=1e-9))]
    x = np.asarray(run["block"].velocity)[:, 0]
    exact = 5 * (run.t**2 - t**2) - 0.3 * G * (run.t - t)
    assert x == pytest.approx(np.where(run.t < t, 0.0, exact), abs=1e-8)
    assert -np.asarray(run["floor"].force)[run.t < t, 0] == pytest.approx(10 * run.t[run.t < t], abs=1e-9)


def test_a_coefficient_of_the_speed():
    """mu = 0.3 - 0.1 v, v the speed: x'' = 10 t - (0.3 - 0.1 x') g, a linear equation."""
    run = da.simulate(pulled(None, coefficient="0.3 - 0.1*v"), until=0.8, rtol=1e-11, atol=1e-13)
    t0, a = 0.3 * G / 10, 0.1 * G
    u = run.t - t0
    exact = 10 / a**2 * (np.exp(a * u) - 1 - a * u)  # v' = 10 u + a v
    assert np.asarray(run["block"].velocity)[:, 0] == pytest.approx(np.where(u < 0, 0.0, exact), abs=1e-8)


@pytest.mark.parametrize("plane", [True, False])
def test_an_oblique_bounce(plane):
    """Sliding all the time, whatever the law of the normal is: the impulse along the floor is mu times that of the normal, mu (1 + e) m v; in the air there is none."""
    m = da.Mechanism("bounce", plane=plane)
    r, mass, mu, e = 0.1, 0.5, 0.1, 0.7
    if plane:
        body = m.body("ball", da.disk(r, mass=mass), at=(0, 0.11), velocity=(3.0, -1.0), spin=5.0)
    else:
        body = m.body("ball", da.sphere(r, mass=mass), at=(0, 0, 0.11), velocity=(3.0, 0, -1.0), spin=(0, -5.0, 0))
    m.contact("floor", m.ground, body, mu=mu, young=1e7, restitution=e, speed=1.0)
    run = da.simulate(m, until=0.1, rtol=1e-11, atol=1e-13)
    assert run.status == "ok" and [x.what for x in run.events] == ["contact", "release"]
    last = np.asarray(run["ball"].velocity)[-1]
    assert last[0] == pytest.approx(3.0 - mu * (1 + e), rel=1e-8) and last[-1] == pytest.approx(e, rel=1e-8)
    inertia = (0.5 if plane else 0.4) * mass * r * r
    spin = np.asarray(run["ball"].spin)[-1]
    spin = spin if plane else -spin[1]
    assert spin == pytest.approx(5.0 - mu * (1 + e) * mass * r / inertia, rel=1e-8)


def test_a_bounce_whose_slip_ends():
    """It lands with little slip, which ends while it touches; then it rolls and leaves rolling: r w = v.  Against the same by hand, in the plane."""
    from scipy.integrate import solve_ivp

    m = da.Mechanism("bounce", plane=True)
    r, mass, mu, k = 0.1, 0.5, 0.4, 2e4
    body = m.body("ball", da.disk(r, mass=mass), at=(0, r), velocity=(0.5, -1.0))
    m.contact("floor", m.ground, body, mu=mu, stiffness=k, exponent=1.5)
    run = da.simulate(m, until=0.05, rtol=1e-11, atol=1e-13)
    # slip u = v - r w falls with 3 mu N/m of a disk; y'' = k (-y)^1.5/m
    end = lambda t, x: x[2]  # noqa: E731
    end.terminal = True
    by_hand = lambda t, x: (x[1], k * max(-x[0], 0.0) ** 1.5 / mass, -3 * mu * k * max(-x[0], 0.0) ** 1.5 / mass)  # noqa: E731
    t = solve_ivp(by_hand, (0, 0.05), (0.0, -1.0, 0.5), events=end, rtol=1e-11, atol=1e-13).t_events[0][0]
    stick = run.events.of("stick")[0]
    assert stick.t == pytest.approx(t, rel=1e-7)
    assert np.asarray(run["ball"].velocity)[-1] == pytest.approx([0.5 * 2 / 3, 1.0], rel=1e-7)
    assert run["ball"].spin[-1] == pytest.approx(-0.5 * 2 / 3 / r, rel=1e-7)


def test_a_crate_on_two_soft_corners():
    """It brakes with mu g whatever its corners share, as its sum is the weight once it has settled, and stands still."""
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    k = 1e6
    # level while it brakes: the corners carry m g/2 -+ mu m g h/b, h = 0.1, b = 0.4
    shift = 0.3 * 2.0 * G * 0.1 / 0.4
    left, right = (G + s for s in (-shift, shift))
    crate = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1 - 0.5 * (left + right) / k), angle=-(right - left) / k / 0.4, velocity=(1.0, 0))  # fmt: skip
    m.contact("floor", m.ground, crate, mu=0.3, stiffness=k, exponent=1.0, damping=2.0)
    run = da.simulate(m, until=0.6)
    stick = run.events.of("stick")[0]
    assert stick.t == pytest.approx(1 / (0.3 * G), rel=1e-4)
    # what is left is the rocking of corners of 1e6 N/m, damped by a part c x' of itself
    assert np.asarray(run["crate"].velocity)[-1] == pytest.approx([0, 0], abs=1e-4)
    assert run["floor"].force[-1] == pytest.approx([0.0, 2 * G], abs=1e-2) and run.status == "ok"


CORNERS = np.array([(x, y) for x in (-0.2, 0.2) for y in (-0.15, 0.15)])


def soft_box(velocity=(0, 0, 0), spin=0.0, mu=0.3):
    """A box that stands on four soft corners, which carry a quarter of its weight each."""
    m, k = da.Mechanism("box", plane=False, gravity=(0, 0, -G)), 1e5
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1 - 2 * G / 4 / k), velocity=velocity, spin=(0, 0, spin))  # fmt: skip
    m.contact("floor", m.ground, box, mu=mu, stiffness=k, exponent=1.0, damping=5.0)
    return m


@pytest.mark.parametrize(("velocity", "spin"), [((1, 0.5, 0), 0.0), ((1, 0.5, 0), 3.0), ((0, 0, 0), -3.0)])
def test_every_corner_of_a_box_rubs_with_its_own_force(velocity, spin):
    slide = np.array(velocity)[:2] + spin * np.column_stack([-CORNERS[:, 1], CORNERS[:, 0]])
    friction = -0.3 * 2 * G / 4 * slide / np.linalg.norm(slide, axis=1)[:, None]
    m = soft_box(velocity, spin)
    assert da.instant(m)["floor"].force[:2] == pytest.approx(friction.sum(axis=0), abs=1e-9)
    run = da.simulate(m, until=0.01)
    turning = float(np.sum(CORNERS[:, 0] * friction[:, 1] - CORNERS[:, 1] * friction[:, 0]))
    assert run.a[0, 5] == pytest.approx(turning / (2 * (0.4**2 + 0.3**2) / 12), abs=1e-9)
    assert not run.audit.failures and run.work.error < 1e-9


def test_a_box_that_spins_on_soft_corners_stops_where_they_come_to_rest_together():
    # all corners at the distance 0.25 slide across their arms: J w' = -mu m g r
    with pytest.raises(da.SingularError, match="come to rest together") as told:
        da.simulate(soft_box(spin=3.0), until=0.2)
    assert told.value.t == pytest.approx(3.0 * 2 * 0.25 / 12 / (0.3 * 2 * G * 0.25), rel=1e-8)
    assert told.value.result.v[-1, 5] < 3.0
    with pytest.raises(da.SingularError, match="come to rest together"):
        da.simulate(soft_box(), until=0.2)


def test_other_questions():
    """An instant knows it; what does not says so."""
    m = ball(True)
    assert da.instant(m)["floor"].force == pytest.approx([-0.2 * 0.5 * G, 0.5 * G], rel=1e-9)
    with pytest.raises(da.DalembertError, match="floor.friction"):
        da.lagrangian_of(m)
    m.friction("rub", m["ball"].x, force=1.0)
    assert da.classify(m).verdict == "free"


def test_a_file_and_back(tmp_path):
    m = ball(True)
    da.write_model(m, tmp_path / "ball.toml")
    one, two = (da.simulate(x, until=0.5) for x in (m, da.read_model(tmp_path / "ball.toml")))
    assert [x.text for x in one.events] == [x.text for x in two.events] and len(one.events) == 1


def test_released_and_put_back():
    """An event that releases the contact takes its friction with it, and one that adds it brings both."""
    m = da.Mechanism("wall", plane=True)
    r, k, press = 0.1, 1e5, 5.0
    body = m.body("puck", da.disk(r, mass=0.5), at=(0, r - press / k), velocity=(2.0, 0))
    m.prismatic("way", m.ground, body, along=(1, 0), at=(0, r - press / k))
    m.contact("floor", m.ground, body, stiffness=k, exponent=1.0, mu=0.2)
    m.event("off", "t", level=0.1, release="floor")
    m.event("on", "t", level=0.2, add="floor")
    run = da.simulate(m, until=0.3)
    pressed = np.where(run.t < 0.1, run.t, np.where(run.t < 0.2, 0.1, run.t - 0.1))
    assert np.asarray(run["puck"].velocity)[:, 0] == pytest.approx(2.0 - 0.2 * press / 0.5 * pressed, abs=1e-9)


def test_small_motions_while_it_slides():
    """A change of the height changes the force along the floor by mu times that across it; the speed changes nothing."""
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    body = m.body("block", mass=0.5, inertia=1e-3, at=(0, -0.5 * G / 1e5), velocity=(2.0, 0))
    m.contact("floor", m.ground, body, points=[body.point(0, 0)], stiffness=1e5, exponent=1.0, mu=0.2)
    found = da.linearize(m)
    # coordinates are turned ones: trace and norm do not depend on that
    K, M = np.asarray(found.K), np.asarray(found.M)
    bend = np.linalg.solve(M, K)
    k = 1e5 / 0.5
    assert np.trace(bend) == pytest.approx(k, rel=1e-9)
    # the only stiffness is that of the height, whose force is along (mu, 1): K/m = k (mu, 1)^T (0, 1) in axes of the floor
    assert np.linalg.norm(bend) == pytest.approx(k * math.hypot(0.2, 1.0), rel=1e-9)
