"""A handful of runs with known answers, meant for DALEMBERT_COMPILE=0: kernels are ordinary Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da


def test_pendulum():
    # PLANAR 6.3.1 with half length l: phi'' = -3 g cos(phi) / (4 l), and energy is kept
    half, g = 0.5, 9.81
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -g))
    bar = m.body("bar", da.rod(length=2 * half, mass=2.0), at=(half, 0))
    pin = m.revolute("pin", m.ground, bar, at=(0, 0))
    m.start(pin.angle, rate=1.0)
    run = da.simulate(m, until=0.2, output=0.05)
    assert run.status == "ok", run.audit
    phi = np.asarray(run["pin"].angle)
    assert np.asarray(run["bar"].spin_rate) == pytest.approx(-3 * g * np.cos(phi) / (4 * half), rel=1e-9)
    # 2/3 m l^2 phi'^2 + m g l sin(phi) is constant; rtol 1e-8
    energy = 2 / 3 * 2.0 * half**2 * np.asarray(run["bar"].spin) ** 2 + 2.0 * g * half * np.sin(phi)
    assert energy == pytest.approx(energy[0], abs=1e-7)


def test_revolute_in_space():
    # a body on an inclined hinge n through the origin: (n . J_O n) angle'' = n . (r x m g)
    n = np.array([1.0, 2.0, 2.0]) / 3.0
    r, gravity, mass = np.array([0.4, -0.2, 0.3]), np.array([0.0, 0.0, -9.81]), 1.5
    inertia = np.diag([0.1, 0.2, 0.25])
    m = da.Mechanism("door", plane=False, gravity=gravity)
    door = m.body("door", mass=mass, inertia=(0.1, 0.2, 0.25), at=r)
    m.revolute("hinge", m.ground, door, at=(0, 0, 0), axis=n)
    e = da.equations(m)
    about = n @ (inertia + mass * ((r @ r) * np.eye(3) - np.outer(r, r))) @ n
    assert e.a[3:] == pytest.approx(n * (n @ np.cross(r, mass * gravity)) / about, rel=1e-12)
    run = da.simulate(m, until=0.05, output=0.05)
    assert run.status == "ok", run.audit
    # at rest at first: angle = angle'' t^2 / 2 up to terms in t^4, which are below 1e-4 of it here
    assert run["hinge"].angle[-1] == pytest.approx(0.5 * (n @ e.a[3:]) * 0.05**2, rel=1e-2)


def test_expression_law():
    # m x'' = -k x with the spring written as an expression: x = cos(2 t)
    m = da.Mechanism("oscillator", plane=True)
    body = m.body("body", mass=1.5, inertia=1.0, at=(1.0, 0))
    guide = m.prismatic("guide", m.ground, body, along=(1, 0))
    m.actuator("law", body.x, force="-6*s + 0*v*t")
    run = da.simulate(m, until=0.3, output=0.1)
    assert run.status == "ok", run.audit
    assert np.asarray(run["body"].position)[:, 0] == pytest.approx(np.cos(2 * run.t), abs=1e-8)
    assert np.asarray(run[guide.slide].rate) == pytest.approx(-2 * np.sin(2 * run.t), abs=1e-8)


def test_driver_and_redundant_rows():
    # a driven crank on two hinges of the same axis: five redundant rows, the motor carries J angle''
    m = da.Mechanism("crank", plane=False)
    crank = m.body("crank", mass=1.0, inertia=(0.1, 0.2, 0.3))
    left = m.revolute("left", m.ground, crank, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("right", m.ground, crank, at=(0, 0, 1), axis=(0, 0, 1))
    m.drive("motor", left.angle, "t**2")
    run = da.simulate(m, until=0.2, output=0.1)
    assert run.status == "ok", run.audit
    assert len(run.audit.redundant_rows) == 5
    assert np.asarray(run["motor"].effort) == pytest.approx(0.3 * 2.0, rel=1e-9)
    assert run["left"].angle[-1] == pytest.approx(0.04, abs=1e-12)


def test_massless_link_uses_the_other_solver():
    # two masses on a massless bar that turns about its middle: angle'' from m g (r1 - r2) / (m (r1^2 + r2^2))
    m = da.Mechanism("balance", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", mass=0.0, inertia=0.0)
    m.revolute("pivot", m.ground, bar, at=(0, 0))
    for name, x in (("near", -0.3), ("far", 0.5)):
        weight = m.particle(name, mass=2.0, at=(x, 0))
        m.revolute(f"pin {name}", bar, weight, at=(x, 0))
    e = da.equations(m)
    assert e.a[e.velocity_names.index("bar.angle'")] == pytest.approx(-9.81 * 0.2 / (0.09 + 0.25), rel=1e-12)


def test_python_law_is_called():
    calls = []

    def law(s, v, t):
        calls.append(t)
        return -6 * s

    m = da.Mechanism("oscillator", plane=True)
    body = m.body("body", mass=1.5, inertia=1.0, at=(1.0, 0))
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.actuator("law", body.x, force=law)
    run = da.simulate(m, until=0.1, output=0.1)
    assert run["body"].position[-1, 0] == pytest.approx(math.cos(0.2), abs=1e-8)
    assert len(calls) > 10


def test_state_of_a_filter():
    # z' = 4 (x - z) of a cart at x = t: z = t - (1 - exp(-4 t))/4
    m = da.Mechanism("filter", plane=True)
    cart = m.body("cart", mass=1.0, inertia=1.0, velocity=(1.0, 0.0))
    m.prismatic("P", m.ground, cart, along=(1, 0))
    m.state("z", rate="4*(P.slide - z)")
    run = da.simulate(m, until=0.3, output=0.1)
    assert np.asarray(run["z"]) == pytest.approx(run.t - (1.0 - np.exp(-4.0 * run.t)) / 4.0, abs=1e-9)


def test_events():
    # a ball falls 1 m, t = sqrt(2/g), and is thrown back with half of its speed; at y = 1/2 it was recorded
    m = da.Mechanism("ball", plane=True, gravity=(0, -9.81))
    m.particle("ball", mass=1.0, at=(0, 1.0))
    m.impact("floor", "ball.y", restitution=0.5)
    m.event("half", "ball.y", level=0.5, direction="down")
    run = da.simulate(m, until=0.5, output=0.1)
    half, hit = run.events
    assert half.t == pytest.approx(math.sqrt(1.0 / 9.81), abs=1e-13) and hit.t == pytest.approx(
        math.sqrt(2.0 / 9.81), abs=1e-13
    )
    assert hit.after.v[1] == pytest.approx(0.5 * math.sqrt(2.0 * 9.81), rel=1e-12)


@pytest.mark.parametrize(
    "method, allowed", [("radau5", 1e-5), ("radau3", 1e-5), ("radau1", 1e-3), ("generalized_alpha", 1e-4)]
)
def test_implicit_methods(method, allowed):
    # an overdamped slider: x'' + 1e3 x' + 1e4 x = 0 from x = 0.1 at rest; errors near the tolerance of 1e-3 of a step are far below it at the end
    m = da.Mechanism("oscillator")
    slider = m.body("slider", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0))
    m.spring("spring", m["P"].slide, stiffness=1e4, damping=1e3)
    m.start(m["P"].slide, value=0.1)
    run = da.simulate(m, until=0.02, method=method, rtol=1e-3, atol=1e-3, output=[0.02])
    rates = np.roots([1.0, 1e3, 1e4])
    parts = np.linalg.solve([[1.0, 1.0], rates], [0.1, 0.0])
    assert run["P"].slide[-1] == pytest.approx(np.exp(0.02 * rates) @ parts, abs=allowed)
    assert run.status == "ok"
