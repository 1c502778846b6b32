"""Work, impulse and angular impulse of elements: the first law and the theorems of momentum, by names (LAGRANGE 1.3, PRINCIPLES)."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

G = 9.81


@pytest.fixture(scope="module")
def run():
    m = da.Mechanism("two bars", plane=True, gravity=(0, -G))
    a = m.body("a", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    b = m.body("b", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("O", m.ground, a, at=(0, 0))
    m.revolute("A", a, b, at=(1, 0))
    m.spring("s", a.end, m.ground.point(1.5, 0.5), stiffness=50.0, free_length=0.3, damping=1.2)
    m.torsion_spring("k", m["A"], stiffness=3.0, free_angle=0.2)
    m.friction("f", m["O"].angle, force=0.5, speed=0.1)
    m.force("push", b, (3.0, 1.0), at=b.end)
    m.force("wave", b, ("2*sin(5*t)", 0.0))
    m.stop("st", m["O"].angle, lower=-0.1, stiffness=200.0, damping=1.0)
    return da.simulate(m, until=1.5)


def test_sum_of_works_is_the_change_of_kinetic_energy(run):
    works = run.work
    assert works.error <= run.audit.energy_tolerance and works.error < 1e-7
    assert set(works) == {"gravity", "s", "k", "f", "push", "wave", "st"}
    assert works.total == pytest.approx(works.kinetic, abs=1e-7)
    assert works.conservative + works.nonconservative == pytest.approx(np.asarray(works.total))
    # E - E0 of what the run's own potential knows, and constant forces besides
    stored = run.energy.total - run.energy.total[0]
    assert works.nonconservative + works["push"] == pytest.approx(np.asarray(stored), abs=1e-7)
    assert "T - T0" in str(works)


def test_works_of_single_elements(run):
    """Against the integrals of the time loop itself, which go another way (Lobatto's rule inside the steps, without potentials)."""
    kept = run.trace.kept.work[-1]
    names = [law.part for law in run.system.builder.laws]
    lost = {name: sum(x for n, x in zip(names, kept) if n == name) for name in ("s", "f", "wave", "push")}
    assert run["s"].nonconservative_work[-1] == pytest.approx(lost["s"], abs=1e-7)
    assert run["f"].work[-1] == pytest.approx(lost["f"], abs=1e-7)
    assert run["wave"].work[-1] == pytest.approx(lost["wave"], abs=1e-7)
    length = np.asarray(run["s.length"])
    assert run["s"].conservative_work == pytest.approx(25 * ((length[0] - 0.3) ** 2 - (length - 0.3) ** 2), abs=1e-12)
    # a constant force: F . (r - r0)
    tip = np.asarray(run["b"].point(run.model["b"].end).position)
    assert run["push"].work == pytest.approx((tip - tip[0]) @ [3.0, 1.0], abs=1e-8)
    assert np.max(np.abs(run["push"].nonconservative_work)) < 1e-10
    assert run["k"].nonconservative_work == pytest.approx(np.zeros(len(run.t)), abs=1e-8)
    assert run["st"].nonconservative_work[-1] < -1e-4 and np.max(np.abs(run["O"].work)) < 1e-12
    assert run["s"].work.unit == "J" and run["s"].impulse.unit == "N s" and run["s"].angular_impulse().unit == "N m s"


def test_impulses_are_the_change_of_momentum(run):
    parts = ("A", "k", "push", "wave")
    gravity = np.outer(run.t, [0.0, -G])
    total = sum(np.asarray(run[name].on("b").impulse) for name in parts) + gravity
    assert total == pytest.approx(np.asarray(run["b"].momentum - run["b"].momentum[0]), abs=1e-7)


@pytest.mark.parametrize("about", [None, "A", ("sin(t)", "0.3*t")])
def test_angular_impulses_about_moving_points(run, about):
    """M_A - M_A0 = sum of angular impulses + integral of m v_G x v_A: the theorem of the moving point, integrated."""
    total = sum(np.asarray(run[name].on("b").angular_impulse(about)) for name in ("A", "k", "push", "wave"))

    def rest(r):
        found = r.balance(about=about, of="b")
        return np.asarray(found.loads["gravity"][1]) + np.asarray(found.moving)

    gained = run.group("b").angular_momentum(about)
    assert total + run.integrals(rest) == pytest.approx(np.asarray(gained - gained[0]), abs=1e-7)


def test_motor_and_blow():
    """A cart of 3 kg is driven, and its speed jumps from 0 to 2 m/s: the motor does 6 J at once, with an impulse of 6 N s."""
    m = da.Mechanism("cart", plane=True)
    cart = m.body("cart", da.block(0.4, 0.2, mass=3.0))
    m.prismatic("rail", m.ground, cart, along=(1, 0))
    m.drive("motor", m["rail"].slide, "if_(t < 0.5, 0, 2*(t - 0.5))")
    run = da.simulate(m, until=1.0, output=0.1)
    assert run["motor"].work == pytest.approx(np.where(run.t > 0.5, 6.0, 0.0), abs=1e-9)
    assert run["motor"].impulse[:, 0] == pytest.approx(np.where(run.t > 0.5, 6.0, 0.0), abs=1e-9)
    assert run["motor"].angular_impulse(about=(0, 1)) == pytest.approx(np.where(run.t > 0.5, 6.0, 0.0), abs=1e-9)
    assert run.work.error < 1e-12


def test_driven_motion():
    """kinematics: no integration, and the same answers."""
    m = da.Mechanism("arm", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.drive("motor", m["O"].angle, "sin(2*t)")
    run = da.kinematics(m, np.linspace(0, 1, 21))
    lifted = 2 * G * 0.5 * np.sin(np.sin(2 * run.t))
    assert run["motor"].work == pytest.approx(0.5 * 2 / 3 * (2 * np.cos(2 * run.t)) ** 2 - 4 / 3 + lifted, abs=1e-8)
    assert run.work.error < 1e-9


def test_backward():
    """The same way back: works since the first output, with their signs."""
    m = da.Mechanism("fall", plane=True, gravity=(0, -G))
    m.particle("p", mass=2.0, at=(0, 0), velocity=(1, 0))
    m.force("drag", m["p"], ("-0.5*rate(p.x)", 0.0))
    run = da.simulate(m, until=1.0, output=0.1)
    back = da.simulate(m, until=0.0, start=run.at(1.0), backward=True, output=0.1)
    assert back["drag"].work[-1] == pytest.approx(-run["drag"].work[-1], abs=1e-8)
    assert run["drag"].work == pytest.approx(np.exp(-0.5 * run.t) - 1, abs=1e-8)  # m v^2/2, v = exp(-t/4)
    assert back.work.error < 1e-8


def test_lagrangian():
    m = da.Lagrangian(
        "x th", gravity=(0, "-g"), parameters={"g": G, "c": 0.3}, dissipation="c*rate(th)**2/2", forces={"x": "cos(3*t)"},
        potential="20*x**2/2", name="cart",
    )  # fmt: skip
    m.particle("cart", 3.0, at=("x", 0))
    m.body("bar", 1.0, 1 / 12, at=("x + sin(th)/2", "-cos(th)/2"), angle="th")
    m.force("push", "bar", (2.0, 0.5), at=(0, -0.5))
    m.couple("twist", "bar", "0.2*t")
    m.start("th", 0.5)
    run = da.simulate(m, until=2.0)
    works = run.work
    assert set(works) == {"potential", "push", "twist", "forces", "dissipation"} and works.error < 1e-7
    tip = np.asarray(run["bar"].point(0, -0.5).position)
    assert run["push"].work == pytest.approx((tip - tip[0]) @ [2.0, 0.5, 0.0], abs=1e-7)
    assert run["push"].impulse == pytest.approx(np.outer(run.t, [2.0, 0.5, 0.0]), abs=1e-9)
    assert run["twist"].angular_impulse()[:, 2] == pytest.approx(0.1 * run.t**2, abs=1e-9)
    assert run["push"].power == pytest.approx(
        np.asarray(run["bar"].point(0, -0.5).velocity) @ [2.0, 0.5, 0.0], abs=1e-12
    )
    assert run["twist"].force == pytest.approx(np.zeros((len(run.t), 3)))
    energy = run.energy.total
    # a constant force has a potential, which the run's own does not know
    assert works.nonconservative + works["push"] == pytest.approx(np.asarray(energy - energy[0]), abs=1e-7)


def test_refusals(run):
    with pytest.raises(da.ModelError, match="axes that turn"):
        _ = run["s"].frame("body").impulse
    with pytest.raises(da.MethodError, match="known"):
        run["s"].angular_impulse(about="nothing")
    still = da.reactions(run.model).run
    with pytest.raises(da.MethodError, match="single states"):
        _ = still["s"].work
