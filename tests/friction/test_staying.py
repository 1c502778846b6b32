"""Positions that dry friction holds where there are several free motions: closed forms, both kinds of models, and runs that stay or move."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def springs(x=0.1, y=0.3, first=2.0, second=1.5):
    """Two blocks on a floor: 10 N/m to the wall, 10 N/m between them."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="5*x**2 + 5*(y - x)**2", name="blocks")
    m.friction("one", "x", force=1.0, static_force=first)
    m.friction("two", "y", force=1.0, static_force=second)
    m.start("x", x)
    m.start("y", y)
    return m


def blocks(x=0.1, y=0.3):
    m = da.Mechanism("blocks", plane=True)
    a, b = (m.body(name, mass=1.0, inertia=0.1) for name in "ab")
    one, two = m.prismatic("one", m.ground, a, along=(1, 0)), m.prismatic("two", m.ground, b, along=(1, 0))
    m.measure("apart", "two.slide - one.slide")
    m.actuator("wall", one.slide, force="-10*s")
    m.actuator("between", "apart", force="-10*s")
    m.friction("on one", one.slide, force=1.0, static_force=2.0)
    m.friction("on two", two.slide, force=1.0, static_force=1.5)
    m.start(one.slide, x)
    m.start(two.slide, y)
    return m


@pytest.mark.parametrize("make", [springs, blocks])
def test_two_blocks_with_springs(make):
    """|10 x - 10 (y - x)| <= 2 and |10 (y - x)| <= 1.5."""
    found = da.equilibrium(make(0.1, 0.2))
    assert found.stays and found.used == pytest.approx(1.0 / 1.5, rel=1e-9)
    assert list(found.forces.values()) == pytest.approx([0.0, 1.0], abs=1e-9)
    one, two = found
    # y - x <= 0.15, and 20 x - 2 >= -2: x from 0.05 to 0.2; y: 10 y - 2 within 2, and up to x + 0.15
    assert (one.low, one.high) == pytest.approx((0.05, 0.2), abs=1e-7)
    assert (two.low, two.high) == pytest.approx((0.0, 0.25), abs=1e-7)
    moved = da.equilibrium(make(0.1, 0.3))
    assert not moved.stays and moved.used == pytest.approx(2.0 / 1.5, rel=1e-9) and len(moved) == 0
    for y, stays in ((0.2, True), (0.3, False)):
        assert (np.abs(da.simulate(make(0.1, y), until=0.2).v).max() == 0.0) == stays


def stack(angle, low, high):
    """A block on a block on a slope."""
    m = da.Mechanism("stack", plane=True, gravity=(-G * math.sin(angle), -G * math.cos(angle)))
    a, b = m.body("a", mass=2.0, inertia=0.1), m.body("b", mass=1.0, inertia=0.1, at=(0, 0.1))
    m.prismatic("slope", m.ground, a, along=(1, 0))
    m.prismatic("top", a, b, along=(1, 0), at=(0, 0.1))
    m.friction("low", "slope", mu=low)
    m.friction("high", "top", mu=high)
    return m


def stacked(angle, low, high):
    m = da.Lagrangian(
        "x y u v", kinetic="rate(x)**2 + rate(y)**2 + rate(u)**2/2 + rate(v)**2/2", holonomic={"slope": "y", "top": "v - y"},
        potential=f"{G * math.sin(angle)}*(2*x + u) + {G * math.cos(angle)}*(2*y + v)", name="stack",
    )  # fmt: skip
    m.friction("low", "x", mu=low, normal="slope")
    m.friction("high", "u - x", mu=high, normal="top")
    return m


@pytest.mark.parametrize("make", [stack, stacked])
@pytest.mark.parametrize(("low", "high"), [(0.3, 0.4), (0.4, 0.3), (0.15, 0.4)])
def test_a_stack_on_a_slope(make, low, high):
    """tan(a) beside the smaller coefficient, whichever it is."""
    found = da.equilibrium(make(0.2, low, high))
    assert found.used == pytest.approx(math.tan(0.2) / min(low, high), rel=1e-9)
    assert found.limits == pytest.approx(
        {"low": low * 3 * G * math.cos(0.2), "high": high * G * math.cos(0.2)}, rel=1e-9
    )
    assert found.stays == (min(low, high) > math.tan(0.2))
    assert [(x.low, x.high) for x in found] == ([(-math.inf, math.inf)] * 2 if found.stays else [])


def test_more_frictions_than_free_motions():
    """T1 + T3 = c1, T2 - T3 = c2: the smallest share is found over T3 too, against all corners of the program."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        c, F = rng.normal(size=2), rng.uniform(0.5, 2.0, 3)
        m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", potential=f"-({c[0]})*x - ({c[1]})*y")
        for k, what in enumerate(("x", "y", "x - y")):
            m.friction(f"f{k}", what, force=float(F[k]))
        # |c1 - s| <= q F1, |c2 + s| <= q F2, |s| <= q F3: the largest of lines in s is lowest where two of them meet
        lines = [(sign * a / f, -sign * b / f) for a, b, f in ((c[0], 1.0, F[0]), (c[1], -1.0, F[1]), (0.0, -1.0, F[2])) for sign in (1, -1)]  # fmt: skip
        meet = [(p[0] - q[0]) / (q[1] - p[1]) for p, q in itertools.combinations(lines, 2) if p[1] != q[1]]
        least = min(max(a + b * s for a, b in lines) for s in meet)
        found = da.equilibrium(m)
        assert found.used == pytest.approx(least, rel=1e-6)
        forces = np.array(list(found.forces.values()))
        assert [forces[0] + forces[2], forces[1] - forces[2]] == pytest.approx(-c, abs=1e-9)


def test_three_that_press():
    """A block between two walls and on a wedge: more frictions than freedoms, each pressed by a multiplier of its own."""
    m = da.Lagrangian(
        "x y z", kinetic="rate(x)**2 + rate(y)**2 + rate(z)**2", holonomic={"floor": "z"}, potential=f"{2 * G}*z - 3*x - 2*y", name="block"
    )  # fmt: skip
    m.friction("a", "x", mu=0.2, normal="floor")
    m.friction("b", "y", mu=0.3, normal="floor")
    m.friction("c", "x + y", force=1.0)
    # T_a + T_c = 3, T_b + T_c = 2: q = (3 - q)/(0.4 g), as T_c = q helps both
    assert da.equilibrium(m).used == pytest.approx(3.0 / (0.4 * G + 1.0), rel=1e-6)


def test_a_free_motion_without_friction():
    """It must be balanced by itself."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="x**2 + y**2")
    m.friction("rub", "x", force=1.0)
    m.start("x", 0.2)
    found = da.equilibrium(m)
    assert found.stays and found.used == pytest.approx(0.4, rel=1e-9)
    assert [(x.low, x.high) for x in found] == [(pytest.approx(-0.5, abs=1e-7), pytest.approx(0.5, abs=1e-7))]
    m.start("y", 0.1)
    found = da.equilibrium(m)
    assert not found.stays and found.used == math.inf and "no friction acts along" in str(found)


@pytest.mark.parametrize("aside", [0.0, 0.001, 0.0019, 0.0021])
def test_friction_with_three_components(aside):
    """A ball in a socket whose weight acts `aside` of its middle needs the torque W aside of mu r W; with it, in any direction."""
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0.6 * aside, 0.8 * aside, 0.2))
    m.spherical("socket", m.ground, ball, at=(0, 0, 0.2))
    m.friction("rub", "socket", mu=0.1, radius=0.02)
    found = da.equilibrium(m)
    assert found.used == pytest.approx(aside / 0.002, rel=1e-9, abs=1e-9) and found.stays == (aside < 0.002)
    assert np.linalg.norm(found.forces["rub"]) == pytest.approx(G * aside, abs=1e-9)
    assert found.limits["rub"] == pytest.approx(0.002 * G, rel=1e-9) and "rub" in str(found)


def test_a_puck_on_a_table():
    """Two components on a slope: sin(a) beside mu cos(a), whatever the direction of the fall."""
    for turn, angle in ((0.0, 0.1), (0.7, 0.2), (2.0, 0.3)):
        s, c = math.sin(angle), math.cos(angle)
        m = da.Mechanism("puck", plane=False, gravity=(G * s * math.cos(turn), G * s * math.sin(turn), -G * c))
        puck = m.body("puck", da.box(0.1, 0.1, 0.02, mass=0.5))
        m.planar("table", m.ground, puck, at=(0, 0, 0), axis=(0, 0, 1))
        m.friction("rub", "table", mu=0.25)
        found = da.equilibrium(m)
        assert found.used == pytest.approx(math.tan(angle) / 0.25, rel=1e-9)


def test_what_is_refused():
    with pytest.raises(da.MethodError, match="does not say of which"):
        0.1 in da.equilibrium(springs())  # noqa: B015
    with pytest.raises(da.MethodError, match="leave them out"):
        da.equilibrium(springs(), method="energy")
