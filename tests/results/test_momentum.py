"""Momentum, mass centre and angular momentum of runs, about points at rest and moving, and their balance (LAGRANGE 1.3-1.4, PRINCIPLES)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import dalembert as da
from dalembert.results.balance import DIFFERENCE, sampled

M, L, G = 12.0, 3.0, 9.81
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def sliding_bar():
    """K2: a bar between a wall and a floor; th from the floor is minus the angle of the body."""
    m = da.Mechanism("sliding bar", plane=True, gravity=(0, -G))
    s, c = math.sin(1.1), math.cos(1.1)
    bar = m.body("bar", da.rod(length=L, mass=M), at=(L * c / 2, L * s / 2), angle=-1.1)
    m.measure("top", point=bar.start, along=(1, 0))
    m.measure("sole", point=bar.end, along=(0, 1))
    m.constraint("wall", "top")
    m.constraint("floor", "sole")
    return m


def sliding_bar_in_coordinates():
    m = da.Lagrangian("th", gravity=(0, "-g"), parameters={"m": M, "L": L, "g": G}, name="sliding bar")
    m.body("bar", "m", "m*L**2/12", at=("L/2*cos(th)", "L/2*sin(th)"), angle="-th")
    m.start("th", 1.1)
    return m


def test_about_the_instant_centre():
    """K2: about I, where the normals of wall and floor meet, M_I = -m L^2 th'/3, and no reaction has a moment there."""
    run = da.simulate(sliding_bar(), until=0.8, output=0.02, **TIGHT)
    centre = (f"{L}*cos(bar.angle)", f"-{L}*sin(bar.angle)")
    rate = -np.asarray(run["bar"].spin)
    assert np.max(np.abs(run.angular_momentum(about=centre) + M * L**2 * rate / 3)) < 1e-10
    other = da.simulate(sliding_bar_in_coordinates(), until=0.8, output=0.02, **TIGHT)
    about = other.angular_momentum(about=("L*cos(th)", "L*sin(th)"))
    assert np.max(np.abs(about[:, 2] + M * L**2 * np.asarray(other.rate("th")) / 3)) < 1e-10
    # v_G and v_I are parallel, so that the term of the moving point vanishes, and gravity alone has a moment
    found = run.balance(about=centre)
    assert np.max(np.abs(found.moving)) < 1e-9 and found.error < 1e-12
    assert np.max(np.abs(found.angular_rate - found.loads["gravity"][1])) < 1e-9
    assert "dM/dt" in str(found)


def double_pendulum():
    m = da.Mechanism("double pendulum", plane=True, gravity=(0, -G))
    a = m.body("a", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    b = m.body("b", da.rod(length=0.8, mass=1.0), at=(1.4, 0))
    m.revolute("O", m.ground, a, at=(0, 0))
    m.revolute("A", a, b, at=(1, 0))
    return m


@pytest.fixture(scope="module")
def run():
    return da.simulate(double_pendulum(), until=1.0)


def test_by_hand(run):
    """Sums written out once more, from positions, velocities and spins."""
    a, b = run["a"], run["b"]
    r, v = (np.asarray(x.position) for x in (a, b)), (np.asarray(x.velocity) for x in (a, b))
    (ra, rb), (va, vb) = r, v
    assert run.center == pytest.approx((2 * ra + rb) / 3, abs=1e-14)
    assert run.center.rate == pytest.approx((2 * va + vb) / 3, abs=1e-14)
    assert run.momentum == pytest.approx(2 * va + vb, abs=1e-13)
    assert run.momentum.unit == "kg m/s" and run.momentum.axes == ("x", "y")
    z = lambda x, y: x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]  # noqa: E731
    spins = 2 / 12 * np.asarray(a.spin), 0.64 / 12 * np.asarray(b.spin)
    assert run.angular_momentum() == pytest.approx(2 * z(ra, va) + z(rb, vb) + sum(spins), abs=1e-13)
    assert run.group("b").angular_momentum("center") == pytest.approx(spins[1], abs=1e-14)
    assert b.angular_momentum() == pytest.approx(spins[1], abs=1e-14)
    about_pin = z(rb - np.asarray(a.point(run.model["a"].end).position), vb) + spins[1]
    assert run.group("b").angular_momentum(about="A") == pytest.approx(about_pin, abs=1e-12)
    assert a.momentum == pytest.approx(2 * va) and run.group("a", "b").mass == pytest.approx(3.0)


@pytest.mark.parametrize("about", [None, "center", "A", "a", ("sin(3*t)", "0.5*t"), ("A.angle", "O.angle/2")])
def test_balance_about_any_point(run, about):
    """dM_A/dt = m v_G x v_A + m_A: rates by accelerations, moments by the loads of the joints and gravity."""
    found = run.balance(about=about)
    assert found.error < 1e-12
    assert found.angular_rate == pytest.approx(found.moving + found.moment, abs=1e-9)
    only = run.balance(about=about, of="b")
    assert only.error < 1e-12 and set(only.loads) == {"gravity", "A"}


def test_rates_are_rates(run):
    """The rate of M_A against differences of M_A of the run itself."""
    h = 1e-4
    near = run.resample([0.6 - h, 0.6, 0.6 + h])
    for about in ("A", ("sin(3*t)", "0.5*t"), "center"):
        m = near.angular_momentum(about)
        assert (m[2] - m[0]) / (2 * h) == pytest.approx(m.rate[1], rel=1e-5, abs=1e-5)


def test_audit_sees_a_wrong_load(run):
    assert 0.0 < run.audit.balance < DIFFERENCE and "balanced with the loads" in str(run.audit)
    wrong = dataclasses.replace(run, basic_lam=1.001 * run.basic_lam, _cache={}, _audit=None)
    assert sampled(wrong) > 1e-5
    assert not wrong.audit.passed and any("momentum of all bodies" in x for x in wrong.audit.failures)


def test_nothing_acts():
    """A free body in space: the angular momentum stays, about the mass centre and about any fixed point."""
    m = da.Mechanism("free", plane=False)
    m.body("top", mass=2.0, inertia=(1.0, 2.0, 3.0), velocity=(1, 2, 0), spin=(0.5, 1.0, 0.2))
    run = da.simulate(m, until=2.0, **TIGHT)
    for about in ("center", None, (3, -1, 2)):
        h = run.angular_momentum(about)
        assert np.max(np.abs(h - h[0])) < 1e-11 and np.max(np.abs(h.rate)) < 1e-12
    rest = da.Mechanism("rest", plane=True)
    rest.body("bar", da.rod(length=1.0, mass=1.0))
    assert da.simulate(rest, until=1.0).status == "ok"


def test_lagrangian_parts_and_whole():
    m = da.Lagrangian("x th", gravity=(0, -G), name="cart")
    m.particle("cart", 3.0, at=("x", 0))
    m.particle("bob", 1.0, at=("x + sin(th)", "-cos(th)"))
    m.start("th", 0.5)
    run = da.simulate(m, until=1.0)
    # nothing pushes along x
    assert np.max(np.abs(run.momentum[:, 0])) < 1e-8 and np.max(np.abs(run.momentum.rate[:, 0])) < 1e-11
    assert np.ptp(run.center[:, 0]) < 1e-8
    assert run.group("bob").angular_momentum("cart").shape == (201, 3)
    plain = da.Lagrangian("th", kinetic="rate(th)**2/2", potential="-cos(th)")
    with pytest.raises(da.MethodError, match="no particles or bodies"):
        _ = da.simulate(plain, until=0.1).momentum
    mixed = da.Lagrangian("x", kinetic="rate(x)**2/2")
    mixed.particle("p", 1.0, at=("x", 0))
    held = da.simulate(mixed, until=0.1)
    with pytest.raises(da.MethodError, match="besides the parts"):
        _ = held.momentum
    assert held.group("p").mass == 1.0


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("nix", "known: a, b"),
        (3, "coordinates"),
        ((1,), "coordinates"),
        ((1, 2, 3), "coordinates"),
        ((None, 1), "number or an expression"),
    ],
)
def test_refused_points(run, about, words):
    with pytest.raises(da.DalembertError, match=words):
        run.angular_momentum(about)


def test_refused_groups(run):
    for names, words in ((("c",), "known: a, b"), (("a", "a"), "twice"), ((3,), "known")):
        with pytest.raises(da.MethodError, match=words):
            run.group(*names)
