"""Work where coordinates are taken in a frame that moves by itself: power is f.v + l.omega, and T - T0 is T - T0 (LAGRANGE 1.3.10-12, 1.5.11, 2.3.1)."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

G = 9.81


@pytest.fixture(scope="module")
def pendulum():
    """A pendulum of 0.5 m on a pivot that moves along x at 2 m/s."""
    m = da.Lagrangian("q", gravity=(0, -G))
    m.particle("p", 1.0, at=("2*t + 0.5*sin(q)", "-0.5*cos(q)"))
    m.force("wind", "p", ("0.3*cos(t)", -0.2))
    m.start("q", 0.5)
    return da.simulate(m, until=1.0)


def test_work_is_what_changes_the_kinetic_energy(pendulum):
    run = pendulum
    v = np.asarray(run["p"].velocity)
    kinetic = 0.5 * np.sum(v**2, axis=1)
    assert run.work.kinetic == pytest.approx(kinetic - kinetic[0], abs=1e-12)
    assert set(run.work) == {"potential", "wind", "moving frame"} and run.work.error < 1e-8
    y = np.asarray(run["p"].position)[:, 1]
    assert run.work["potential"] == pytest.approx(-G * (y - y[0]), abs=1e-12)
    force = np.column_stack([0.3 * np.cos(run.t), np.full(len(run.t), -0.2), np.zeros(len(run.t))])
    assert run["wind"].power == pytest.approx(np.sum(force * v, axis=1), abs=1e-12)
    # theorem of momentum: what the pivot carries along x is m a_x - f_x, at 2 m/s
    pivot = 2.0 * (v[:, 0] - v[0, 0] - 0.3 * np.sin(run.t))
    assert run.work["moving frame"] == pytest.approx(pivot, abs=1e-7)


def test_twin_of_bodies_with_a_motor(pendulum):
    """The pivot is a cart that a motor drives at 2 m/s: its motor does the work of the frame."""
    m = da.Mechanism("cart", plane=True, gravity=(0, -G))
    cart = m.body("cart", da.block(0.4, 0.2, mass=3.0))
    bob = m.particle("bob", mass=1.0, at=(0.5 * np.sin(0.5), -0.5 * np.cos(0.5)), velocity=(2.0, 0.0))
    m.prismatic("rail", m.ground, cart, along=(1, 0))
    m.drive("motor", m["rail"].slide, "2*t")
    m.distance("arm", cart, bob, length=0.5)
    m.force("wind", bob, ("0.3*cos(t)", -0.2))
    twin = da.simulate(m, until=1.0)
    run = pendulum
    assert twin["motor"].work == pytest.approx(np.asarray(run.work["moving frame"]), abs=1e-6)
    assert twin["wind"].work == pytest.approx(np.asarray(run["wind"].work), abs=1e-6)
    assert twin.work.kinetic == pytest.approx(np.asarray(run.work.kinetic), abs=1e-6)


def test_couple_on_a_body_that_a_frame_turns():
    """l.omega = 0.4 * 5 W, though the coordinate feels nothing of it; the turntable does 5 (dH_z/dt - l_z)."""
    m = da.Lagrangian("q")
    m.body("b", 1.0, (0.1, 0.2, 0.3), at=(0, 0, 0), turns=[("z", "5*t"), ("x", "q")])
    m.couple("c", "b", (0, 0, 0.4))
    m.start("q", 0.3, rate=0.2)
    run = da.simulate(m, until=1.0)
    assert run["c"].power == pytest.approx(np.full(len(run.t), 2.0), abs=1e-12)
    assert run["c"].work == pytest.approx(2.0 * run.t, abs=1e-12)
    h = np.asarray(run.angular_momentum(about=(0, 0, 0)))[:, 2]
    assert run.work["moving frame"] == pytest.approx(5.0 * (h - h[0] - 0.4 * run.t), abs=1e-7)
    assert run.work.kinetic == pytest.approx(np.asarray(run.energy.kinetic - run.energy.kinetic[0]), abs=1e-14)


def test_local_couple_turns_with_its_body():
    m = da.Lagrangian("q")
    m.body("b", 1.0, (0.1, 0.2, 0.3), at=(0, 0, 0), turns=[("z", "5*t"), ("x", "q")])
    m.couple("c", "b", (0.1, 0.2, 0.4), local=True)
    m.start("q", 0.3, rate=0.2)
    run = da.simulate(m, until=0.5)
    omega = np.einsum("tji,tj->ti", np.asarray(run["b"].rotation), np.asarray(run["b"].spin))
    assert run["c"].power == pytest.approx(omega @ [0.1, 0.2, 0.4], abs=1e-12)
    assert run.work.error < 1e-8


def test_everything_at_once():
    """Lifted frame, a spring whose end moves, dissipation, a moving row, a force on a point of a body: quadrature of f.v beside them."""
    m = da.Lagrangian(
        "x th", gravity=(0, "-9.81 - t"), potential="20*(x - 0.1*sin(3*t))**2/2", dissipation="0.3*rate(th)**2/2",
        forces={"x": "cos(3*t)"}, nonholonomic={"belt": "rate(x) - 0.4*cos(t)"},
    )  # fmt: skip
    m.body("bar", 1.3, 0.1, at=("x + t**2 + sin(th)/2", "0.5*sin(2*t) - cos(th)/2"), angle="th + 3*t")
    m.force("push", "bar", ("2 + x", 0.5), at=(0, -0.5))
    m.couple("twist", "bar", "0.2*t")
    m.start("th", 0.5)
    m.start("x", 0.2, rate=0.4)
    t = np.linspace(0.0, 2.0, 2001)
    run = da.simulate(m, until=2.0, output=t)
    works = run.work
    assert works.error < 1e-7
    assert set(works) == {"potential", "push", "twist", "forces", "dissipation", "constraints", "time", "moving frame"}
    v, omega = np.asarray(run["bar"].velocity), np.asarray(run["bar"].spin)[:, 2]
    kinetic = 0.5 * 1.3 * np.sum(v**2, axis=1) + 0.05 * omega**2
    assert works.kinetic == pytest.approx(kinetic - kinetic[0], abs=1e-11)

    def sums(power):
        """Simpson's rule on 1 ms: (h^4/180) f'''' is below 1e-9 here."""
        return (t[2] - t[0]) / 6.0 * np.sum(power[:-2:2] + 4.0 * power[1:-1:2] + power[2::2])

    tip = np.asarray(run["bar"].point(0, -0.5).velocity)
    x = np.asarray(run["x"])
    assert works["push"][-1] == pytest.approx(sums((2.0 + x) * tip[:, 0] + 0.5 * tip[:, 1]), abs=1e-8)
    assert works["twist"][-1] == pytest.approx(sums(0.2 * t * omega), abs=1e-8)
    # what changes the potentials themselves: the end of the spring, and gravity that grows by 1 m/s^3
    y = np.asarray(run["bar"].position)[:, 1]
    spring = -20.0 * (x - 0.1 * np.sin(3 * t)) * 0.3 * np.cos(3 * t)
    assert works["time"][-1] == pytest.approx(sums(spring + 1.3 * y), abs=1e-8)


def test_impact_in_a_moving_frame():
    """A ball leaves a wall that moves at 1 m/s with e = 1/2: x' from 3 to -1.5 in the frame, 4 to -0.5 m/s in space."""
    m = da.Lagrangian("x")
    m.particle("ball", 2.0, at=("x + t", 0))
    m.impact("wall", "1 - x", restitution=0.5)
    m.start("x", 0.0, rate=3.0)
    run = da.simulate(m, until=1.0)
    assert np.asarray(run.work["blows"])[-1] == pytest.approx(0.5**2 - 4.0**2, abs=1e-9)
    assert run.work.kinetic[-1] == pytest.approx(0.5**2 - 4.0**2, abs=1e-9)
    assert run.work.error < 1e-9


def test_no_line_where_no_frame_moves():
    m = da.Lagrangian("q", gravity=(0, -G))
    m.particle("p", 1.0, at=("0.5*sin(q)", "-0.5*cos(q)"))
    m.start("q", 0.5)
    assert set(da.simulate(m, until=0.5).work) == {"potential"}


def test_time_is_a_line_where_the_potential_changes_by_itself():
    """A frame in free acceleration under springs: T holds t, V does not, and nothing is left of its rate."""
    given = {"kinetic": "1.5*(rate(x) + 2*t**2)**2/2", "dissipation": "0.3*rate(x)**2/2", "name": "sled"}
    m = da.Lagrangian("x", potential="20*x**2/2", **given)
    m.start("x", 0.2)
    assert set(da.simulate(m, until=2.0).work) == {"potential", "dissipation", "moving frame"}
    m = da.Lagrangian("x", potential="20*x**2/2 + x*sin(t)", **given)
    m.start("x", 0.2)
    run = da.simulate(m, until=2.0)
    assert "time" in run.work and run.work.error < 1e-8
