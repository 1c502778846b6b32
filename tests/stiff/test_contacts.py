"""Stiff contacts with friction: what vibrates is followed, what rests is passed over, and what ends slipping is bounded without halving a step."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.results import momentum
from tests.trust.test_ranges import Bounds

G, K, MU = 9.81, 1e9, 0.3


def on_floor(shape, height, speed=1.0, **options):
    m = da.Mechanism("on a stiff floor", plane=True, gravity=(0, -G))
    body = m.body("body", shape, at=(0, height), velocity=(speed, 0))
    m.contact("floor", m.ground, body, stiffness=K, exponent=1, mu=MU, **options)
    return m


@pytest.mark.parametrize("method", ["auto", 8, "radau"])
def test_a_disk_that_slides_and_vibrates(method):
    """Let down without damping it vibrates with m g/k about its place for ever, and m x'' = -mu N, N = m (g + y'')."""
    m = on_floor(da.disk(0.1, mass=1.0), 0.1)
    run = da.simulate(m, until=0.02, method=method)
    w, t = math.sqrt(K), run.t
    down = G / w * np.sin(w * t)
    # the phase of a hundred periods, to a few parts of a million of one
    assert np.asarray(run["body"].velocity)[:, 1] == pytest.approx(-down, abs=2e-5 * G / w)
    assert np.asarray(run["body"].velocity)[:, 0] == pytest.approx(1.0 - MU * (G * t - down), abs=1e-8)
    assert not run.events and run.audit.passed
    if method == "auto":
        # a vibration that is there is no stiffness
        assert [one.method for one in run.methods] == ["dop853"]


def test_a_box_that_slides_comes_to_rest_and_stays():
    """Sliding and at rest the vibration has died: implicit steps take over in both parts of the run, a fortieth of the explicit ones."""
    m = on_floor(da.block(0.4, 0.2, mass=1.0), 0.1, damping=1e4)
    auto, explicit, implicit = (da.simulate(m, until=0.5, method=way) for way in ("auto", 8, "radau"))
    assert [one.what for one in auto.events] == ["stick"]
    for piece in auto.pieces:
        assert [one.method for one in piece.trace.methods][:2] == ["dop853", "radau9"]
    assert 40 * auto.audit.steps < explicit.audit.steps
    for other in (explicit, implicit):
        assert auto.events[0].t == pytest.approx(other.events[0].t, abs=1e-8)
        assert auto.q[-1] == pytest.approx(other.q[-1], abs=1e-8)
        # 1e-13 m of the depth, a thousandth of the tolerance of positions, are 1e-4 N at this stiffness
        assert auto["floor"].force[-1] == pytest.approx(other["floor"].force[-1], abs=1e-4)
    # v0^2/(2 mu g) but for the little that it sinks
    assert auto.q[-1, 0] == pytest.approx(1.0 / (2 * MU * G), abs=1e-6)


@pytest.mark.parametrize(("damping", "until", "method"), [(1e3, 5.0, "auto"), (1e4, 0.6, "auto"), (1e4, 0.6, "radau")])
def test_rest_on_something_stiff_passes_the_audit(damping, until, method):
    """Accelerations at rest are the last digits of positions times k/m: they explain no velocity, and need not; others are still found."""
    m = on_floor(da.block(0.4, 0.2, mass=1.0), 0.1, speed=0.0, damping=damping)
    run = da.simulate(m, until=until, method=method)
    assert run.audit.passed and abs(run.v[-1]).max() < 1e-10
    (piece,) = run.pieces
    assert 0.0 < momentum._unknown(piece).max() < 1e-4
    piece.a[:, 0] += 1e-3
    assert momentum.momentum_error(piece)[0] > 0.0


@pytest.mark.parametrize("atol", [1e-16, 1e-10, 1e-9])
def test_what_is_left_open_of_what_slides(atol):
    """Friction is part of the accelerations that are looked at beside the run: k/m times what is left open of y, and mu of it.

    That is the absolute tolerance, but at least 8 units of the last place of 0.1 m.  A tolerance that is 0.07 N at this stiffness, beside a weight of 10 N, says nothing of
    the motion up and down: the last digits remain of it.
    """
    (piece,) = da.simulate(on_floor(da.disk(0.1, mass=1.0), 0.1), until=0.001, atol=atol).pieces
    digits, tolerance = 8.0 * np.spacing(0.1) * K, atol * piece.system.length * K
    along, across = momentum._unknown(piece)[:2]
    assert across == pytest.approx(digits if tolerance > 1e-3 * 2.0 * G else max(tolerance, digits), rel=0.3)
    if atol < 1e-9:
        assert along == pytest.approx(MU * across, rel=0.3)


def test_what_ends_slipping_is_bounded_as_narrowly_as_rate_and_depth():
    """A depth of 1e-8 m beside a rate that changes by 1e-2 m/s: that neither has passed 0 is known at once, in whatever units they are."""
    (rub,) = on_floor(da.disk(0.1, mass=1.0), 0.1).soft_rubs
    watched, direction = rub.slip_watch(1, 1e-7)
    rate, gap = rub.slips[0].rate, rub.gap.symbol
    bounds = Bounds(watched, [str(next(iter(x.names))) for x in (rate, gap)])
    assert direction == -1
    assert bounds.between([0.85, -2e-8], [0.86, -1e-8]) == (1e-8, 2e-8)
    assert bounds.value([-1e-3, -1e-8]) < 0 < bounds.value([1e-3, -1e-8]) and bounds.value([0.85, 1e-12]) < 0


def coupled(beside):
    """Two carriages in a row, joined by a spring of 1e9 N/m with a damper, and something else that makes parts of the run."""
    m = da.Mechanism("two carriages", plane=True, gravity=(0, -G))
    one = m.body("one", da.block(0.1, 0.1, mass=1.0), at=(0, 0), velocity=(1, 0))
    two = m.body("two", da.block(0.1, 0.1, mass=1.0), at=(0.5, 0), velocity=(1, 0))
    for name, body, x in (("P", one, 0.0), ("Q", two, 0.5)):
        m.prismatic(name, m.ground, body, at=(x, 0), along=(1, 0))
    m.spring("coupling", one, two, stiffness=K, free_length=0.5, damping=1e4)
    if beside == "friction":
        m.friction("rub", "P", mu=0.2)
    elif beside == "stop":
        m.impact("wall", "1.0 - two.x", restitution=0.5)
    else:
        for k in range(5):
            m.event(f"passes {k}", "two.x", level=0.55 + 0.03 * k)
    return m


@pytest.mark.parametrize(("beside", "happens"), [("friction", 0), ("stop", 3), ("event", 5)])
def test_a_stiff_spring_beside_what_makes_parts_of_a_run(beside, happens):
    """It is noticed in each part, with the same answers; friction takes mu g/2 of both: x = t - mu g t^2/4."""
    auto, explicit, implicit = (da.simulate(coupled(beside), until=0.7, method=way) for way in ("auto", 8, "radau"))
    assert 20 * auto.audit.steps < explicit.audit.steps and auto.methods[1].why.startswith("stiff")
    for run in (auto, explicit, implicit):
        assert len(run.events) == happens and run.audit.passed
        assert run.q[-1] == pytest.approx(auto.q[-1], abs=1e-7)
    if beside == "friction":
        assert auto.q[-1, 0] == pytest.approx(0.7 - 0.2 * G * 0.7**2 / 4, abs=1e-7)
