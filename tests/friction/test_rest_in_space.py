"""What friction at contacts in space holds: round cones against closed forms, against the plane, and against polygons of many sides."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import dalembert as da
from dalembert.analyses.rest.static_forces import Grip, StaticForces

G = 9.81


def block(angle, mu, along, compliant=False, **more):
    """A point of 2 kg on a slope that falls to -x, and a load along a direction."""
    m = da.Mechanism("slope", plane=False, gravity=(-G * math.sin(angle), 0, -G * math.cos(angle)))
    press = 2.0 * G * math.cos(angle)
    body = m.particle("block", mass=2.0, at=(0, 0, -1e-4 if compliant else 0.0))
    yields = {"stiffness": press / 1e-4, "exponent": 1.0} if compliant else {}
    m.contact("slope", m.ground, body, points=[body.point(0, 0, 0)], mu=mu, **yields, **more)
    m.force("load", body, along)
    return m


@pytest.mark.parametrize("compliant", [False, True])
@pytest.mark.parametrize(("turn", "static"), [(math.pi / 2, None), (0.3, None), (2.0, 0.6)])
def test_a_block_pushed_along_a_slope(turn, static, compliant):
    """|W sin(a) down + F e| <= mu W cos(a), e at an angle to the line of fall: a quadratic equation for F."""
    angle, mu, weight = 0.3, 0.5, 2.0 * G
    m = block(angle, mu, (math.cos(turn), math.sin(turn), 0), compliant, static=static)
    held = da.holding_load(m, "load")["load"]
    down, most = weight * math.sin(angle), (static or mu) * weight * math.cos(angle)
    middle, half = down * math.cos(turn), math.sqrt(most**2 - (down * math.sin(turn)) ** 2)
    assert (held.low, held.high) == pytest.approx((middle - half, middle + half), rel=1e-9)
    assert held.multiplier == pytest.approx(held.value, abs=1e-9 * weight)


@pytest.mark.parametrize(("rise", "mu"), [(0.7, 0.4), (0.7, 1.3), (-0.4, 0.5)])
def test_a_load_that_presses_too(rise, mu):
    """F (cos b sideways, sin b down): (W sin a)^2 + (F cos b)^2 = mu^2 (W cos a + F sin b)^2; without end where the load lies inside the cone."""
    angle, weight, c, s = 0.2, 2.0 * G, math.cos(rise), math.sin(rise)
    held = da.holding_load(block(angle, mu, (0, c, -s)), "load")["load"]
    roots = np.roots([c**2 - (mu * s) ** 2, -2 * mu**2 * s * weight * math.cos(angle), weight**2 * (math.sin(angle) ** 2 - (mu * math.cos(angle)) ** 2)])  # fmt: skip
    inside = mu * abs(s) > c
    low, high = (max(x for x in roots if x < 0.0), math.inf) if inside else (min(roots), max(roots))
    assert held.low == pytest.approx(low, rel=1e-8)
    assert held.high == (math.inf if inside else pytest.approx(high, rel=1e-8))


def test_what_holds_no_load_is_told():
    """Steeper than the friction: no load across the line of fall helps."""
    with pytest.raises(da.MethodError, match="no size of 'load' holds the pose beside 'slope'"):
        da.holding_load(block(0.6, 0.5, (0, 1, 0)), "load")
    # a ball is turned by what holds its contact: it is held by nothing at all
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -10))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, ball, mu=0.3)
    m.force("push", ball, (1, 0, 0), at=(0, 0, 0.1))
    held = da.holding_load(m, "push")["push"]
    assert (held.low, held.high) == pytest.approx((0.0, 0.0), abs=1e-9)


def corner(plane, floor, wall, push):
    """A ball of 1 kg on a floor and pushed against a wall."""
    m = da.Mechanism("corner", plane=plane, gravity=(0, -G) if plane else (0, -G, 0))
    shape, at = (da.disk(0.1, mass=1.0), (0.1, 0.1)) if plane else (da.sphere(0.1, mass=1.0), (0.1, 0.1, 0))
    body = m.body("ball", shape, at=at)
    up, left = ((0, 1), (1, 0)) if plane else ((0, 1, 0), (1, 0, 0))
    m.contact("floor", m.ground, body, normal=up, mu=floor)
    m.contact("wall", m.ground, body, normal=left, mu=wall)
    m.force("push", body, (-push, 0) if plane else (-push, 0, 0))
    if not plane:
        m.measure("turn", angle=(m.ground, body), axis=(0, 0, 1))
    return m


@pytest.mark.parametrize(("floor", "wall", "push"), [(0.3, 0.2, 4.0), (0.5, 0.5, 0.0), (0.1, 0.7, 30.0)])
def test_a_ball_in_a_corner_is_turned_as_a_disk(floor, wall, push):
    """About the line of the corner nothing happens out of the plane: cones of the plane, found by other rows."""
    flat = da.holding_load(corner(True, floor, wall, push), "ball.angle")["ball.angle"]
    held = da.holding_load(corner(False, floor, wall, push), "turn")["turn"]
    assert (held.low, held.high) == pytest.approx((flat.low, flat.high), rel=1e-8, abs=1e-9)
    # turned up the wall: T = mu N at both, N_floor = W - T_wall, N_wall = P + T_floor
    weight = G
    n = (weight - wall * push) / (1 + floor * wall)
    most = 0.1 * (floor * n + wall * (push + floor * n))
    assert n < 0 or min(abs(flat.low - most), abs(flat.high - most), abs(flat.low + most), abs(flat.high + most)) < 1e-9


def test_a_box_on_four_corners():
    """Turned about the normal each corner holds mu n at its distance from the middle, whatever their shares; along the floor mu W, in any direction."""
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -G))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, box, mu=0.3)
    m.measure("turn", angle=(m.ground, box), axis=(0, 0, 1))
    most = 0.3 * 2.0 * G
    turned = da.holding_load(m, "turn")["turn"]
    assert (turned.low, turned.high) == pytest.approx((-0.25 * most, 0.25 * most), rel=1e-8)
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -G))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, box, mu=0.3)
    m.force("push", box, (3, 4, 0), at=(0, 0, 0))
    pushed = da.holding_load(m, "push")["push"]
    assert (pushed.low, pushed.high) == pytest.approx((-most, most), rel=1e-8)


def polygon(bases, across, more, b, c, sides=4000):
    """The largest c of the same by polygons of many sides, from inside: the error is that of cos(pi/sides)."""
    turn = 2 * math.pi * np.arange(sides) / sides
    columns = [base[:, None] + rows @ np.vstack([np.cos(turn), np.sin(turn)]) for base, rows in zip(bases, across)]
    A = np.column_stack([*columns, more, -more])
    cost = np.zeros(A.shape[1])
    cost[-2 * more.shape[1] :] = np.r_[c, -c]
    found = linprog(-cost, A_eq=A, b_eq=b, bounds=(0, None), method="highs")
    return -found.fun if found.status == 0 else math.inf


@pytest.mark.parametrize("seed", range(20))
def test_round_cones_beside_polygons(seed):
    """Three random cones in five dimensions, and one load."""
    random = np.random.default_rng(seed)
    bases = [np.r_[1.0, 0.3 * random.normal(size=4)] for _ in range(3)]
    across = [np.vstack([np.zeros(2), 0.5 * random.normal(size=(4, 2))]) for _ in range(3)]
    load = np.r_[0.0, random.normal(size=4)][:, None]
    inside = sum(random.uniform(0.5, 1.0) * base for base in bases)
    grips = [Grip("", rows.T, contact=k, mu=1.0) for k, rows in enumerate(across)]

    def forces(b, loads):
        return StaticForces(-b, np.zeros((0, 5)), np.ones(5), loads, np.array(bases), grips)

    low, high = forces(inside, load).extremes(0)
    one = np.ones(1)
    assert high == pytest.approx(polygon(bases, across, load, inside, one), rel=1e-5, abs=1e-6)
    assert low == pytest.approx(-polygon(bases, across, load, inside, -one), rel=1e-5, abs=1e-6)
    # what is just inside is found to be held, what is just beyond is not
    for end, way in ((high, 1.0), (low, -1.0)):
        for beyond in (-1e-6, 1e-6):
            b = inside - load[:, 0] * (end + way * beyond)
            assert (forces(b, None).inside()[0] >= 0.0) == (beyond < 0)


def leaning(mu, turn=0.0):
    """A rod on a universal joint, 0.6 m before a rough wall that its end leans on, 0.8 m from the middle of its circle there."""
    d, R = 0.6, 0.8
    tip = np.array([d, R * math.sin(turn), R * math.cos(turn)])
    m = da.Mechanism("leaning", plane=False, gravity=(0, 0, -G))
    rod = m.body("rod", mass=3.0, inertia=(0.01, 0.01, 0.01), at=tuple(tip / 2))
    m.universal("foot", m.ground, rod, at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    m.contact("wall", m.ground, rod, normal=(-1, 0, 0), through=(d, 0, 0), points=[rod.point(*(tip / 2))], mu=mu)
    return m


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_a_rod_that_leans_on_a_wall(mu):
    """The end can stand up to sin(phi) = mu d/R beside its highest place, where it also rubs along the radius of its circle; beyond it slides.

    The end pushes with N across the wall; what it carries across the rod is half the weight W: T = W/2 up - N (R/d) out, |T| <= mu N for some N >= 0.
    """
    limit = math.asin(mu * 0.6 / 0.8)
    found = da.equilibrium(leaning(mu))
    tips = []
    for one in found:
        for state in one.states:
            here = da.instant(leaning(mu), state)["rod"].position
            tips.append(math.atan2(here[1], here[2]))
    # turned by half a turn about itself the rod has its end in the same places
    assert len(found) == 2 and sorted(tips) == pytest.approx([-limit, -limit, limit, limit], abs=1e-6)
    run = da.simulate(leaning(mu, limit + 1e-3), until=0.05)
    assert np.abs(run.q[-1] - run.q[0]).max() > 1e-6
