"""Friction in machine code against its slow twin, on the same states."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics.motion import problem_of
from dalembert.analyses.dynamics.start import prepare
from dalembert.analyses.events.course import Course, Settings
from dalembert.kernels.friction import SIZE, slipping
from dalembert.kernels.operate import EVALUATE
from dalembert.solve.friction import DryFriction
from dalembert.solve.integrators import method
from dalembert.solve.problem import evaluate_at

G = 9.81


def slider_crank(mu=0.1):
    """A slider-crank with friction in its three pins and its guide."""
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -G))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1 * math.cos(0.7), 0.1 * math.sin(0.7)), angle=0.7)
    far = 0.2 * math.cos(0.7) + math.sqrt(0.6**2 - (0.2 * math.sin(0.7)) ** 2)
    tilt = -math.asin(0.2 * math.sin(0.7) / 0.6)
    rod = m.body(
        "rod", da.rod(length=0.6, mass=2.0), at=(far - 0.3 * math.cos(tilt), -0.3 * math.sin(tilt)), angle=tilt
    )
    piston = m.body("piston", da.block(0.1, 0.1, mass=0.5), at=(far, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    for pin in "OAB":
        m.friction(f"rub_{pin}", pin, mu=mu, radius=0.01)
    m.friction("rub_bore", "bore", mu=f"{mu} + {mu}*exp(-10*v)", length=0.1)
    m.start(m["O"].angle, None, rate=30.0)
    return m


def on_a_ball():
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    bar = m.body("bar", da.box(0.8, 0.1, 0.05, mass=2.0), at=(0.5, 0, -0.3))
    tip = m.body("tip", da.box(0.2, 0.1, 0.05, mass=1.0), at=(0.9, 0, -0.3))
    m.spherical("socket", m.ground, bar, at=(0, 0, 0))
    m.cylindrical("sleeve", bar, tip, at=(0.9, 0, -0.3), axis=(1, 0, 0))
    m.friction("rub", "socket", mu="0.2 + 0.1*exp(-v)", radius=0.05)
    m.friction("slide", "sleeve", mu=0.15, radius=0.03, length=0.2)
    return m


def massless():
    """A model with a body without inertia, which the other solver serves."""
    n = da.Mechanism("light rod", plane=True, gravity=(0, -G))
    a = n.body("a", mass=1.0, inertia=0.01, at=(0, 0))
    light = n.body("light", mass=0.0, inertia=0.0, at=(0.5, 0))
    b = n.body("b", mass=2.0, inertia=0.02, at=(1, 0))
    n.prismatic("left", n.ground, a, along=(0, 1))
    n.revolute("A", a, light, at=(0, 0))
    n.revolute("B", light, b, at=(1, 0))
    n.prismatic("right", n.ground, b, along=(1, 0))
    n.friction("rub_left", "left", mu=0.2)
    n.friction("rub_B", "B", mu=0.3, radius=0.02)
    return n


@pytest.mark.parametrize("make", [slider_crank, on_a_ball, massless])
def test_the_same_forces_and_accelerations(make):
    m, random = make(), np.random.default_rng(3)
    settings = method(8), 1e-8, 1e-10, math.inf
    course = Course(m, Settings("simulate", 1.0, np.array([0.0]), settings, False, None))
    start = prepare(m, 0.0, None).state
    ways = {}
    for one in m.frictions:
        ways[one.name] = 1 if len(one.slips) > 1 else int(random.choice([-1, 1]))
    course.grips._put(ways)
    prepared = course.prepared(start)
    problem = problem_of(prepared, settings)
    problem.friction = friction = course.grips.friction(prepared.system)
    assert isinstance(friction, DryFriction)
    S, X = friction.tables()
    for _ in range(5):
        v = random.normal(size=len(start.v))
        slow, fast = np.zeros(len(v)), np.zeros(len(v))
        evaluate_at(problem, 0.0, start.q, v, slow)
        lam = prepared.work.lam.copy()
        slipping(problem.operate, S, X, EVALUATE, problem.I, problem.P, problem.F, 0.0, start.q, v, fast)
        assert fast == pytest.approx(slow, rel=1e-9, abs=1e-9 * np.max(np.abs(slow)))
        assert prepared.work.lam == pytest.approx(lam, rel=1e-9, abs=1e-9 * np.max(np.abs(lam)))
        coupled = len(friction.coupled)
        assert X[S[SIZE] : S[SIZE] + coupled] == pytest.approx(friction.force[:coupled], rel=1e-9)


def test_a_run_is_the_same_either_way(monkeypatch):
    # their steps differ: the one is a single part, the other has a part for each change; at this tolerance both are known to 1e-8
    fast = da.simulate(slider_crank(), until=0.5, rtol=1e-10)
    monkeypatch.setattr(DryFriction, "tables", lambda self: None)
    slow = da.simulate(slider_crank(), until=0.5, rtol=1e-10)
    assert [(e.name, e.what) for e in fast.events] == [(e.name, e.what) for e in slow.events]
    assert [e.t for e in fast.events] == pytest.approx([e.t for e in slow.events], abs=1e-8)
    assert fast["O"].angle == pytest.approx(slow["O"].angle, abs=3e-8)
    assert fast.status == slow.status == "ok" and len(fast.events) > 5


def test_sizes_from_a_table_are_looked_up_in_python():
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    block = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.table("curve", [0.0, 1.0, 10.0], [0.2, 0.2, 0.2])
    m.friction("rub", "guide", mu="curve(v)")
    m.start(m["guide"].slide, 0.0, rate=2.0)
    run = da.simulate(m, until=2.0)
    assert run.events[0].t == pytest.approx(2.0 / (0.2 * G), rel=1e-9)
