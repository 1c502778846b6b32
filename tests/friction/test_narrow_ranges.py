"""Ranges of rest narrower than the distance of the places that are looked at: ends are roots of the limits of load, found whatever their distance."""

import math

import numpy as np
import pytest

import dalembert as da
from tests.soak import share

G, MASS, K = 9.81, 2.0, 200.0
AT = 0.12345678


def block(force, mu, **options):
    m = da.Mechanism("block", plane=True, gravity=(0, -G), length=1.0)
    body = m.body("block", mass=MASS, inertia=0.1)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.actuator("pull", m["guide"].slide, force=force)
    m.friction("rub", "guide", mu=mu, **options)
    return m


def ends(found):
    return [(one.low, one.high) for one in found]


# assembly holds the coordinate to some 1e-14 of the length
@pytest.mark.parametrize("half", [0.4, 4e-2, 4e-4, 4e-6, 4e-9])
def test_a_block_at_a_spring(half):
    """|K (x - AT)| <= mu m g, from a tenth to 1e-9 of the interval from -2 to 2 m."""
    found = da.equilibrium(block(f"-{K}*(s - {AT})", K * half / (MASS * G)))
    assert found.looked == pytest.approx((-2.0, 2.0))
    ((low, high),) = ends(found)
    assert (low - AT, high - AT) == pytest.approx((-half, half), abs=1e-13)
    assert AT in found and [s is not None for s in found[0].states] == [True, True]
    assert found[0].states[1].q[0] == pytest.approx(high, abs=1e-13)


def test_several_narrow_ranges():
    """F = 3 sin(7 x): about all its zeros a range of the half-width asin(mu m g/3)/7."""
    half = 1e-5
    found = da.equilibrium(block("3*sin(7*s)", 3.0 * math.sin(7.0 * half) / (MASS * G)))
    zeros = [k * math.pi / 7 for k in range(-4, 5)]
    assert ends(found) == [pytest.approx((x - half, x + half), abs=1e-13) for x in zeros]


@pytest.mark.parametrize("least", [0.0, 0.5, -1.0])
def test_a_force_that_touches_zero(least):
    """F = c ((x - AT)^2 + p R/c) beside R = mu m g: one range where |p| <= 1; for p = -1 it is sqrt(2 R/c) to either side."""
    limit, c = 1e-8, 50.0
    found = da.equilibrium(block(f"{c}*(s - {AT})**2 + {least * limit}", limit / (MASS * G)))
    half = math.sqrt((1.0 - least) * limit / c)
    # c x^2 is known to 1e-16 N at best, as gravity beside it to 1e-15 of itself: x to 1e-16/(2 c half)
    assert ends(found) == [pytest.approx((AT - half, AT + half), abs=1e-10)]


def test_a_pair_of_zeros_between_two_places():
    """F = c ((x - AT)^2 - d^2) with d a tenth of the distance of places: two narrow ranges, |x - AT| from sqrt(d^2 - R/c) to sqrt(d^2 + R/c)."""
    c, d, limit = 50.0, 2e-3, 1e-7
    found = da.equilibrium(block(f"{c}*((s - {AT})**2 - {d**2})", limit / (MASS * G)))
    inner, outer = math.sqrt(d**2 - limit / c), math.sqrt(d**2 + limit / c)
    expected = [(AT - outer, AT - inner), (AT + inner, AT + outer)]
    assert ends(found) == [pytest.approx(x, abs=1e-12) for x in expected]


def test_a_force_that_keeps_away_from_zero():
    """F >= 2 R: nothing rests; F >= 0.9 R at one place: it does."""
    limit, c = 1e-8, 50.0
    assert not len(da.equilibrium(block(f"{c}*(s - {AT})**2 + {2 * limit}", limit / (MASS * G))))
    assert len(da.equilibrium(block(f"{c}*(s - {AT})**2 + {0.9 * limit}", limit / (MASS * G)))) == 1


def test_a_narrow_place_without_rest_inside_a_range():
    """F = c (x - AT)^2 - b, |F| <= R: for b = 1.0001 R rest begins a little beside AT on both sides."""
    limit, c = 5.0, 50.0
    b = 1.000001 * limit
    found = da.equilibrium(block(f"{c}*(s - {AT})**2 - {b}", limit / (MASS * G)))
    inner, outer = math.sqrt((b - limit) / c), math.sqrt((b + limit) / c)
    expected = [(AT - outer, AT - inner), (AT + inner, AT + outer)]
    assert ends(found) == [pytest.approx(x, abs=1e-10) for x in expected]


@pytest.mark.parametrize("half", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("turned", [0.3, 1.234])
def test_a_pendulum_with_a_pin(half, turned):
    """W l/2 |sin| <= mu r W about the lowest and the highest position, neither of them a place that is looked at."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5 * math.cos(turned), 0.5 * math.sin(turned)), angle=turned)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.friction("rub", "A", mu=0.5 * math.sin(half) / 0.05, radius=0.05)
    found = da.equilibrium(m)
    assert ends(found) == [pytest.approx((x - half, x + half), abs=1e-13) for x in (-math.pi / 2, math.pi / 2)]


@pytest.mark.parametrize("half", [1e-2, 1e-5, 1e-8])
def test_a_lagrangian_system(half):
    """The same block, and a pair of ranges, in coordinates."""
    L = da.Lagrangian("x", kinetic="rate(x)**2", potential=f"{K}/2*(x - {AT})**2", name="block")
    L.friction("rub", "x", force=K * half)
    L.start("x", 0.05)
    assert ends(da.equilibrium(L)) == [pytest.approx((AT - half, AT + half), abs=1e-13)]


def test_a_slope_with_a_place_just_flat_enough():
    """A Lagrangian bead on a wire y(x) with least slope 0.3 - 1e-9 at AT and mu = 0.3: rest where y' <= mu."""
    excess, c = 1e-9, 1.0
    L = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential=f"{G}*y", name="bead")
    L.constraint("wire", f"y - {0.3 - excess}*(x - {AT}) - {c}*(x - {AT})**3/3")
    L.friction("rub", "x", force=f"0.3*{G}")
    found = da.equilibrium(L)
    half = math.sqrt(excess / c)
    assert ends(found) == [pytest.approx((AT - half, AT + half), abs=1e-10)]


def test_random_polynomials():
    """All ranges of |p(x)| <= R of random polynomials with roots in the interval, against numpy's roots of p - R and p + R."""
    random = np.random.default_rng(20261118)
    for _ in range(share(6, 2)):
        roots = np.sort(random.uniform(-1.9, 1.9, size=4))
        if np.min(np.diff(roots)) < 0.05:
            roots = np.linspace(-1.5, 1.7, 4) + random.uniform(-0.1, 0.1, size=4)
        p = np.poly(roots)
        limit = 10.0 ** random.uniform(-8, -1)
        cuts = np.concatenate([np.roots(np.polyadd(p, [x])) for x in (limit, -limit)])
        cuts = np.sort(cuts[np.abs(cuts.imag) < 1e-12].real)
        cuts = cuts[np.abs(cuts) < 2.0]
        text = " + ".join(f"({x!r})*s**{len(p) - 1 - k}" for k, x in enumerate(map(float, p)))
        found = da.equilibrium(block(text, limit / (MASS * G)))
        flat = [x for one in ends(found) for x in one if math.isfinite(x)]
        # roots of a polynomial of degree four with coefficients of size 10: 1e-14 over its slope there
        assert flat == pytest.approx(list(cuts), abs=1e-10)


@pytest.mark.parametrize("half", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("contact", [{}, {"stiffness": 1e5, "exponent": 1.0}])
def test_a_block_on_a_floor(half, contact):
    """The same block on a contact, rigid or compliant: about the equilibrium without friction there is a range, and no single place."""
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    body = m.body("block", da.block(0.4, 0.2, mass=MASS), at=(0, 0.1))
    m.contact("floor", m.ground, body, mu=K * half / (MASS * G), **contact)
    m.actuator("spring", body.x, force=f"-{K}*(s - {AT})")
    found = [one for one in da.equilibrium(m) if one.on in (("floor",), ("floor.bottom_left", "floor.bottom_right"))]
    # forces balance to 1e-9 of the largest, which is some 20 N: to 1e-10 m
    assert ends(found) == [pytest.approx((AT - half, AT + half), abs=1e-10)]


def beside(order, mu=0.1):
    """The block at its spring beside a bar that a link holds in its place, with friction in both, in either order."""
    m = da.Mechanism("two", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("P", m.ground, bar, at=(0, 0))
    m.distance("stay", m.ground.point(0, 1), bar.point(0.4, 0))
    body = m.body("block", mass=MASS, inertia=0.1, at=(2, 0))
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.actuator("spring", m["guide"].slide, force=f"-{K}*(s - {AT})")
    for name in order:
        if name == "guide":
            m.friction("rub", "guide", mu=mu)
        else:
            m.friction("pin", m["P"].angle, force=0.1)
    return m


@pytest.mark.parametrize("order", [("P", "guide"), ("guide", "P")])
def test_friction_in_a_joint_that_cannot_move(order):
    """Which friction is stated first does not decide what is held: with that of P held "the machine still moves", and was refused."""
    half = 0.1 * MASS * G / K
    assert ends(da.equilibrium(beside(order))) == [pytest.approx((AT - half, AT + half), abs=1e-12)]


def test_no_friction_along_the_motion():
    """Friction in P alone: the block rests at a single place, as without friction."""
    m = beside(("P",))
    ((low, high),) = ends(da.equilibrium(m))
    assert low == high == pytest.approx(AT, abs=1e-12)
    (free,) = da.equilibrium(beside(()))
    assert free["guide.slide"] == pytest.approx(low, abs=1e-12)


def test_a_force_that_jumps_through_zero():
    """F = -5 sign(x - AT) beside R = 2: nowhere is a force that friction holds."""
    assert not len(da.equilibrium(block(f"-5*sign(s - {AT})", 2.0 / (MASS * G))))


@pytest.mark.parametrize("order", [("y", "x"), ("x", "y")])
def test_a_coordinate_that_cannot_move(order):
    L = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", potential=f"{K}/2*(x - {AT})**2", name="block")
    L.constraint("stay", "y - 1")
    for name in order:
        L.friction(f"rub_{name}", name, force=2.0)
    L.start("y", 1.0)
    assert ends(da.equilibrium(L)) == [pytest.approx((AT - 2.0 / K, AT + 2.0 / K), abs=1e-12)]
