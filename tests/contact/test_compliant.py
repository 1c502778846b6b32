"""Compliant contacts: Hertz' indentation, restitution of Hunt and Crossley by its closed form, energy."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def dropped(e=None, speed=2.0, **options):
    """A ball that meets a plane without gravity."""
    m = da.Mechanism("ball", plane=False)
    ball = m.body("ball", da.sphere(0.1, mass=0.5), at=(0, 0, 0.2), velocity=(0, 0, -speed))
    at = {} if e is None else {"restitution": e, "speed": speed}
    m.contact("floor", m.ground, ball, **at, **options)
    return m


def test_static_indentation():
    """m g = 4/3 E* sqrt(R) x^(3/2), two materials."""
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=5.0), at=(0, 0, 0.0999))
    m.contact("floor", m.ground, ball, young=(1e8, 2e9), poisson=(0.3, 0.2), damping=5.0)
    hard = 1 / ((1 - 0.3**2) / 1e8 + (1 - 0.2**2) / 2e9)
    depth = (5 * G / (4 / 3 * hard * math.sqrt(0.1))) ** (2 / 3)
    m.prismatic("guide", m.ground, ball, along=(0, 0, 1))
    (rest,) = da.equilibrium(m)
    assert rest.verdict == "stable"
    assert 0.1 - rest.state.q[2] == pytest.approx(depth, rel=1e-9)
    # the stiffness there is df/dx = 3/2 m g/x
    assert rest.eigenvalues[0] == pytest.approx(1.5 * G / depth, rel=1e-5)


def test_two_balls_and_a_bowl():
    """The relative radius: R r/(R + r) beside each other, R r/(R - r) inside."""
    for inside, radius in ((False, 0.3 * 0.1 / 0.4), (True, 0.3 * 0.1 / 0.2)):
        m = da.Mechanism("balls", plane=False)
        big = m.body("big", mass=1.0, inertia=(1, 1, 1))
        small = m.body("small", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0.201 if inside else 0.399))
        m.contact("c", big, small, radii=(0.3, 0.1), inside=inside, young=1e9)
        a = da.equations(m).a
        push = 4 / 3 * 1e9 / (2 * (1 - 0.09)) * math.sqrt(radius) * 0.001**1.5
        assert abs(a[8]) == pytest.approx(push, rel=1e-9)
        assert a[8] * (-1 if inside else 1) > 0.0


@pytest.mark.parametrize("e", [0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("law", [{"stiffness": 1e6}, {"stiffness": 1e5, "exponent": 1.0}, {"young": 1e7}])
def test_restitution(e, law):
    """The damping for e at a speed gives just that, whatever the stiffness and the exponent."""
    m = dropped(e, speed=2.0, **law)
    run = da.simulate(m, until=0.3, rtol=1e-10, atol=1e-13)
    assert run.v[-1, 2] == pytest.approx(2.0 * e, rel=1e-7)
    work = np.asarray(run["floor"].work)
    assert work[-1] == pytest.approx(0.5 * 0.5 * 4.0 * (e * e - 1), rel=1e-6)
    assert run.status == "ok" and np.min(run["floor"].normal) >= 0.0


def test_restitution_falls_with_speed():
    """d - ln(1 + d) = -d e - ln(1 - d e) with d = c v: for slow ones 1 - 2/3 c v; every bounce loses energy."""
    found = []
    for speed in (0.01, 0.1, 1.0, 10.0):
        run = da.simulate(
            dropped(speed=speed, stiffness=1e6, damping=0.3), until=0.1 / speed + 0.2, rtol=1e-10, atol=1e-14
        )
        e, d = run.v[-1, 2] / speed, 0.3 * speed
        assert d - math.log1p(d) == pytest.approx(-d * e - math.log1p(-d * e), rel=1e-5)
        found.append(e)
    assert found == sorted(found, reverse=True) and found[0] == pytest.approx(1 - 2 / 3 * 0.003, abs=1e-5)
    assert all(0.0 < e < 1.0 for e in found)


def test_no_damping_loses_nothing():
    run = da.simulate(dropped(stiffness=1e6), until=0.3, rtol=1e-11, atol=1e-13)
    assert run.v[-1, 2] == pytest.approx(2.0, rel=1e-9)
    # deepest: 1/2 m v^2 = 2/5 k x^(5/2)
    deepest = (2.5 * 0.5 * 0.5 * 4.0 / 1e6) ** 0.4
    fine = run.resample(np.linspace(0.04, 0.07, 4001))
    assert -np.min(fine["floor"].gap) == pytest.approx(deepest, rel=1e-5)


def test_never_pulls():
    """A plane that is pulled away faster than the law recovers lets the ball go: the force is zero, not negative."""
    m = da.Mechanism("ball", plane=True)
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.09), velocity=(0, 5.0))
    m.contact("floor", m.ground, ball, stiffness=1e4, damping=1.0)
    e = da.equations(m)
    assert e.a == pytest.approx([0.0, 0.0, 0.0], abs=0.0)
