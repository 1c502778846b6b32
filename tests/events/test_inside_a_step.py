"""Nothing that is watched is passed over inside a step: corners of distances, points of bodies that spin, grazes, by every method.

Bodies without forces move in straight lines and turn evenly: the longest steps there are, and instants with a closed form.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.soak import share

METHODS = ("auto", "dop853", "dormand_prince", "radau5", "generalized_alpha", "variational")
RADIUS = 0.1


def options(method, **more):
    return {"method": method, **({"step": 0.05} if method == "variational" else {}), **more}


def flight(random, plane, least):
    """Two balls, the second one flying past the first at the least distance of centres: model, instant at which they touch, end."""
    size = 2 if plane else 3
    place, across = random.normal(size=size), random.normal(size=size)
    place *= random.uniform(0.5, 2.0) / np.linalg.norm(place)
    across -= across @ place / (place @ place) * place
    across /= np.linalg.norm(across)
    sine = least / np.linalg.norm(place)
    velocity = across * sine - place / np.linalg.norm(place) * math.sqrt(1.0 - sine**2)
    velocity *= random.uniform(0.3, 3.0)
    wind = 0.5 * random.normal(size=size)
    m = da.Mechanism("flight", plane=plane)
    for name, at, moving in (("a", np.zeros(size), wind), ("b", place, wind + velocity)):
        ball = da.disk(RADIUS, mass=1.0) if plane else da.sphere(RADIUS, mass=1.0)
        m.body(name, ball, at=tuple(at), velocity=tuple(moving))
    a, b, c = velocity @ velocity, place @ velocity, place @ place - 4.0 * RADIUS**2
    touch = (-b - math.sqrt(b * b - a * c)) / a
    return m, float(touch), float(-b / a * random.uniform(1.2, 6.0))


def watch(m, kind):
    apart = m.measure("apart", between=(m["a"], m["b"]))
    if kind == "event":
        m.event("touch", apart, level=2 * RADIUS, direction="down")
    elif kind == "contact":
        m.contact("touch", m["a"], m["b"], restitution=1.0)
    elif kind == "impact":
        m.impact("touch", f"apart - {2 * RADIUS}", restitution=1.0)
    elif kind == "distance written out":
        gap = "hypot(a.x - b.x, a.y - b.y)" if m.plane else "sqrt((a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2)"
        m.event("touch", gap, level=2 * RADIUS, direction="down")


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("kind", ["event", "contact", "impact", "distance written out"])
@pytest.mark.parametrize("method", METHODS)
def test_balls_that_meet(method, kind, plane):
    """The distance of two balls has a corner where their centres pass: 48 of 60 flights went through each other."""
    random = np.random.default_rng(5)
    for _ in range(share(50)):
        m, touch, end = flight(random, plane, random.uniform(0.0, 1.9 * RADIUS))
        watch(m, kind)
        run = da.simulate(m, until=end, **options(method))
        assert run.events and run.events[0].t == pytest.approx(touch, rel=1e-7), (touch, end, run.events)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6])
def test_grazes(depth, plane):
    """Balls that overlap by a part of their distance only, above what the tolerance (1e-8 of the lengths) leaves of it."""
    random = np.random.default_rng(1)
    for _ in range(share(100)):
        m, touch, end = flight(random, plane, 2 * RADIUS * (1.0 - depth))
        watch(m, "contact")
        run = da.simulate(m, until=end, rtol=1e-9, atol=1e-10)
        # near a graze the instant is as uncertain as the root of the depth: 1e-9/sqrt(1e-6)
        assert run.events and run.events[0].t == pytest.approx(touch, abs=1e-5)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("method", ["auto", "radau5"])
def test_balls_on_a_soft_stop(method, plane):
    """A compliant stop, and a spring that jumps where it begins: both balls are turned back, and keep their energy."""
    random = np.random.default_rng(7)
    for _ in range(share(50)):
        m, touch, _ = flight(random, plane, 0.0)
        m.stop("soft", on=m.measure("apart", between=(m["a"], m["b"])), lower=2 * RADIUS, stiffness=1e5)
        speed = np.subtract(m["b"].velocity, m["a"].velocity)[: 2 if plane else 3]
        run = da.simulate(m, until=3.0 * touch, method=method)
        after = run["b"].velocity[-1] - run["a"].velocity[-1]
        assert after == pytest.approx(-speed, abs=1e-4 * np.linalg.norm(speed))


def test_a_law_with_a_condition_on_a_distance():
    """Balls at 1 m/s each on a force of 10 N that begins at 0.2 m: 1 J is used up on 0.1 m, and given back."""
    m = da.Mechanism("head on", plane=True)
    a = m.body("a", da.disk(RADIUS, mass=1.0), at=(0, 0), velocity=(1, 0))
    b = m.body("b", da.disk(RADIUS, mass=1.0), at=(1, 0), velocity=(-1, 0))
    m.spring("wall", a, b, force="if_(l < 0.2, -10, 0)")
    run = da.simulate(m, until=2.0)
    assert run["a"].velocity[-1] == pytest.approx([-1.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("method", ["auto", "dop853", "dormand_prince", "radau5", "generalized_alpha", "hht"])
def test_a_wall_that_is_left_at_once(method):
    """A force that jumps on turns balls back within 4 m v/F, a millionth of the step before it: a step from the jump that is as long is back out where it is looked at."""
    random = np.random.default_rng(0)
    for _ in range(share(60)):
        place, speed, force = (
            random.uniform(0.4, 3.0),
            random.choice([0.1, 0.3, 1.0, 3.0]),
            10.0 ** random.integers(2, 6),
        )
        m = da.Mechanism("wall", plane=True)
        a = m.body("a", da.disk(RADIUS, mass=1.0), at=(0, 0))
        b = m.body("b", da.disk(RADIUS, mass=1.0), at=(place, 0), velocity=(-speed, 0))
        m.spring("wall", a, b, force=f"if_(l < {2 * RADIUS}, {-force}, 0)")
        run = da.simulate(m, until=(place - 2 * RADIUS) / speed * random.uniform(1.2, 20.0), method=method)
        assert run.status == "ok"
        # equal masses exchange their velocities
        assert run["a"].velocity[-1] == pytest.approx([-speed, 0.0], rel=1e-5, abs=1e-9)
        assert run["b"].velocity[-1] == pytest.approx([0.0, 0.0], abs=1e-5 * speed)


def test_a_narrow_law_of_a_distance():
    """A repulsion that is 2 cm wide, passed at 1 m/s: the same as with steps that cannot miss it, and the energy is kept."""
    m = da.Mechanism("narrow", plane=True)
    a = m.body("a", da.disk(RADIUS, mass=1.0), at=(0, 0), velocity=(1, 0))
    b = m.body("b", da.disk(RADIUS, mass=1e6), at=(1, 0.001))
    m.spring("core", a, b, force="-50*exp(-(l/0.02)^2)")
    run = da.simulate(m, until=2.0, rtol=1e-9, atol=1e-10)
    fine = da.simulate(m, until=2.0, rtol=1e-9, atol=1e-10, max_step=1e-3)
    assert run["a"].velocity[-1] == pytest.approx(fine["a"].velocity[-1], abs=1e-6)
    assert np.linalg.norm(run["a"].velocity[-1]) == pytest.approx(1.0, abs=1e-5)
    assert abs(run["a"].velocity[-1][1]) > 0.1


def spinning(plane, speed):
    m = da.Mechanism("spinning", plane=plane)
    rod = da.rod(length=1.0, mass=1.0, radius=0.02)
    if plane:
        body = m.body("b", rod, at=(0, 0), spin=speed)
    else:
        body = m.body("b", rod, at=(0, 0, 0), spin=(0, 0, speed))
    m.measure("height", point=body.end, along=(0, 1) if plane else (0, 1, 0))
    return m


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("level", [0.2, 0.4999])
@pytest.mark.parametrize("speed, end", [(5.0, 2.6), (300.0, 2.0), (3000.0, 0.3)])
@pytest.mark.parametrize("method", ["auto", "dormand_prince", "radau5", "generalized_alpha", "hht"])
def test_the_tip_of_a_spinning_rod(method, speed, end, level, plane):
    """Its height is sin(omega t)/2: every crossing of a level is found, and no other."""
    m = spinning(plane, speed)
    m.event("level", "height", level=level)
    run = da.simulate(m, until=end, method=method)
    first = math.asin(2.0 * level)
    turns = 2.0 * math.pi * np.arange(-1, speed * end / 6.0)
    times = np.sort(np.concatenate([first + turns, math.pi - first + turns])) / speed
    times = times[(times > 0.0) & (times < end)]
    # rates at a level just below the top are small: 1e-8 of a turn there is 1e-6 of the time
    assert np.array(run.events.times) == pytest.approx(times, abs=1e-5 / speed * max(1.0, speed * end / 10.0))


@pytest.mark.parametrize("rtol", [1e-8, 1e-5])
@pytest.mark.parametrize("method", ["generalized_alpha", "hht"])
def test_a_turn_inside_of_steps(method, rtol):
    """An even spin is exact from step to step, whatever their length; so the length is bounded by what cubics know of quaternions inside."""
    m = spinning(False, 30.0)
    run = da.simulate(m, until=1.0, output=0.0037, method=method, rtol=rtol, atol=0.01 * rtol)
    assert run.status == "ok" and run.trace.step.steps < 1000
    along = run["height"] * 2.0
    assert along == pytest.approx(np.sin(30.0 * run.t), abs=rtol)
    assert run.crossings("height") == pytest.approx(math.pi * np.arange(10) / 30.0, abs=rtol / 30.0)


@pytest.mark.parametrize("method", ["auto", "radau5"])
def test_a_spinning_rod_on_a_floor(method):
    """It sinks slowly and spins fast: no end is ever below the floor."""
    m = da.Mechanism("rod", plane=True)
    rod = m.body("rod", da.rod(length=1.0, mass=1.0), at=(0, 0.6), spin=5.0, velocity=(0, -0.05))
    m.contact("floor", m.ground, rod, restitution=1.0)
    run = da.simulate(m, until=5.0, output=0.0025, method=method)
    lowest = run["rod"].position[:, 1] - 0.5 * np.abs(np.sin(run["rod"].angle))
    assert len(run.events) >= 1
    assert np.min(lowest) > -1e-7


def test_measures_of_measures():
    """Fifty waves per metre at 1 m/s, and the corner of an absolute value: every crossing."""
    m = da.Mechanism("waves", plane=True)
    m.body("a", da.disk(RADIUS, mass=1.0), at=(0, 0), velocity=(1, 0))
    m.measure("wave", "sin(50*a.x)")
    m.measure("corner", "abs(a.x - 1.03)")
    m.event("up", "wave", level=0.3, direction="up")
    m.event("near", "corner", level=0.01)
    run = da.simulate(m, until=2.0)
    up = (math.asin(0.3) + 2.0 * math.pi * np.arange(16)) / 50.0
    assert np.array(run.events["up"].times) == pytest.approx(up[up < 2.0], abs=1e-9)
    assert np.array(run.events["near"].times) == pytest.approx([1.02, 1.04], abs=1e-9)


def test_coordinates_of_energies():
    """An oscillator by large steps at a loose tolerance: every passage just below its top is found."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2")
    m.start("x", 0.0, rate=1.0)
    m.event("top", "x", level=0.999, direction="up")
    run = da.simulate(m, until=100.0, rtol=1e-5, atol=1e-7)
    expected = math.asin(0.999) + 2.0 * math.pi * np.arange(16)
    # 1e-5 of the amplitude over 100 s, where the rate is 0.045
    assert np.array(run.events.times) == pytest.approx(expected[expected < 100.0], abs=0.05)


def test_a_stepper():
    """Steps of one length are looked into as well: a tip that turns by 2 rad in each."""
    m = spinning(True, 20.0)
    m.event("level", "height", level=0.45, direction="up")
    stepper = da.Stepper(m, step=0.1)
    times = []
    for _ in range(20):
        stepper.step()
        times += [event.t for event in stepper.events]
    first = (math.asin(0.9) + 2.0 * math.pi * np.arange(7)) / 20.0
    assert np.array(times) == pytest.approx(first[first < 2.0], abs=1e-9)
