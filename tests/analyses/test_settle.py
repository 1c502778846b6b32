"""equilibrium(method="settle"): integrate with damping until at rest, the third route of PLANAR 6.5."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def test_double_pendulum_with_a_tip_force():
    """P8: phi1 = atan2(-(m1 + 2 m2) g, 2 F), phi2 = atan2(-m2 g, 2 F), from level bars."""
    m = da.Mechanism("P8", plane=True, gravity=(0, -G))
    a = m.body("a", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    b = m.body("b", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("O", m.ground, a, at=(0, 0))
    m.revolute("A", a, b, at=(1, 0))
    m.force("tip", b, (8.0, 0.0), at=b.end)
    every = da.equilibrium(m, method="settle")
    (found,) = every
    assert found.verdict == "stable" and every.complete is None
    assert found["a.angle"] == pytest.approx(math.atan2(-4 * G, 16), abs=1e-10)
    assert found["b.angle"] == pytest.approx(math.atan2(-G, 16), abs=1e-10)
    other = da.equilibrium(m, start=found, method="settle")
    assert other[0]["a.angle"] == pytest.approx(found["a.angle"], abs=1e-10)
    assert "settling" not in m and not m.starts  # the model is left as it was


def test_an_unstable_start_is_left():
    m = da.Mechanism("upright", plane=True, gravity=(0, -G))
    m.body("bar", da.rod(length=1.0, mass=1.0), at=(0, 0.5), angle=math.pi / 2)
    m.revolute("O", m.ground, "bar", at=(0, 0))
    (found,) = da.equilibrium(m, method="settle")
    assert found.verdict == "stable" and math.sin(found["bar.angle"]) == pytest.approx(-1.0, abs=1e-12)


def test_in_space_with_friction():
    """Forces without a potential do not matter: dry friction is regularised, and creeps to the same place."""
    m = da.Mechanism("arm", plane=False, gravity=(0, 0, -G))
    one = m.body("one", da.box(1.0, 0.1, 0.2, mass=1.0), at=(0.5, 0, 0))
    two = m.body("two", da.box(1.0, 0.1, 0.2, mass=1.0), at=(1.5, 0, 0))
    m.revolute("O", m.ground, one, at=(0, 0, 0), axis=(0, 1, 0))
    m.universal("U", one, two, at=(1, 0, 0), axes=[(0, 1, 0), (0, 0, 1)])
    m.friction("f", m["O"].angle, force=0.1, speed=0.2)
    (found,) = da.equilibrium(m, method="settle")
    assert found.state.q[2] == pytest.approx(-0.5, abs=1e-9) and found.state.q[9] == pytest.approx(-1.5, abs=1e-9)


def test_lagrangian():
    """K7: a mass on a spring of free length l along a pendulum rests at th = 0, x = l + m g/k; from 2 rad."""
    m = da.Lagrangian("th x", gravity=(0, -G), potential="40*(x - 1)**2/2", name="K7")
    m.particle("p", 1.0, at=("x*sin(th)", "-x*cos(th)"))
    m.start("th", 2.0)
    m.start("x", 1.0)
    (found,) = da.equilibrium(m, method="settle")
    assert found["th"] == pytest.approx(0.0, abs=1e-10) and found["x"] == pytest.approx(1 + G / 40, abs=1e-10)
    held = da.Lagrangian("x y", gravity=(0, -G), holonomic=["x**2 + y**2 - 1"], name="on a circle")
    held.particle("p", 1.0, at=("x", "y"))
    held.guess("x", 1.0)
    (found,) = da.equilibrium(held, method="settle")
    assert found.state.q == pytest.approx([0.0, -1.0], abs=1e-9)


def test_nearest_of_several():
    """A torsion pendulum with many equilibria: the one of the valley in which it starts, as `auto` lists it among the others."""
    m = da.Mechanism("P7", plane=True, gravity=(0, -G))
    m.body("bar", da.rod(length=2.0, mass=1.0), at=(math.cos(2.0), math.sin(2.0)), angle=2.0)
    m.revolute("O", m.ground, "bar", at=(0, 0))
    m.torsion_spring("k", m["O"], stiffness=4.0)
    (found,) = da.equilibrium(m, method="settle")
    phi = found["bar.angle"]
    assert 4.0 * phi + G * math.cos(phi) == pytest.approx(0.0, abs=1e-9) and 4.0 > G * math.sin(phi)
    assert any(np.allclose(e["bar.angle"], phi, atol=1e-8) for e in da.equilibrium(m).stable)


def test_refusals():
    m = da.Mechanism("wheel", plane=True)
    m.body("w", da.disk(0.1, mass=1.0))
    m.revolute("O", m.ground, "w", at=(0, 0))
    m.torque("T", "w", 1.0)
    with pytest.raises(da.ConvergenceError, match="damped motion"):
        da.equilibrium(m, method="settle")
    m.torque("wave", "w", "sin(t)")
    with pytest.raises(da.MethodError, match="'wave' with an explicit time"):
        da.equilibrium(m, method="settle")
    with pytest.raises(da.MethodError, match="spinning"):
        da.equilibrium(m, method="settle", spinning=("O.angle", 1.0))
    with pytest.raises(da.MethodError, match="settle"):
        da.equilibrium(m, method="setle")
    timed = da.Lagrangian("th", kinetic="rate(th)**2/2", forces={"th": "sin(t)"})
    with pytest.raises(da.MethodError, match="explicit time"):
        da.equilibrium(timed, method="settle")
