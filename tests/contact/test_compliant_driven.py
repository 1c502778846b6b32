"""Friction of compliant contacts in driven motions: what presses and what slips are known, so that closed forms hold to rounding."""

import warnings

import numpy as np
import pytest

import dalembert as da

G = 9.81


def pad(x="2*t", angle="3*t", damping=0.3):
    """A disk that is moved along a soft floor, up and down, turning."""
    m = da.Mechanism("pad", plane=True, gravity=(0, -G))
    body = m.body("disk", da.disk(0.1, mass=0.5), at=(0, 0.0999))
    m.contact("floor", m.ground, body, stiffness=1e5, exponent=1.0, damping=damping, mu="0.2 + 0.1*exp(-v)", static=0.4)
    m.drive("along", m.find_measure("disk.x"), x)
    m.drive("up", m.find_measure("disk.y"), "0.0999 - 0.0005*sin(10*t)")
    m.drive("turn", m.find_measure("disk.angle"), angle)
    return m


def pressed(t):
    depth, rate = 0.0001 + 0.0005 * np.sin(10 * t), 0.005 * np.cos(10 * t)
    return np.where(depth > 0.0, 1e5 * depth * (1.0 + 0.3 * rate), 0.0)


def test_the_effort_of_a_disk_that_is_rubbed_along():
    """mu(v) N against v + r w; open half of the time."""
    t = np.linspace(0.0, 1.0, 21)
    found = da.inverse_dynamics(pad(), t)
    press = pressed(t)
    rub = (0.2 + 0.1 * np.exp(-(2.0 + 3.0 * 0.1))) * press
    assert found["along"].multiplier == pytest.approx(rub, abs=1e-12)
    assert found["turn"].multiplier == pytest.approx(rub * 0.1, abs=1e-12)
    assert found.run["floor"].normal == pytest.approx(press, abs=1e-12)
    assert found.run["floor"].force[:, 0] == pytest.approx(-rub, abs=1e-12)
    assert found.spread < 1e-12 and found.run.status == "ok" and np.any(press == 0.0)
    # the same as at an instant with these velocities
    for k in (3, 12):
        here = da.instant(pad(), found.run.at(t[k]))["floor"].force
        assert here == pytest.approx(found.run["floor"].force[k], abs=1e-10)


def test_its_work_is_that_of_the_drivers():
    """In steady sliding the floor takes mu N v; the power of the drivers is the same."""
    m = da.Mechanism("block", plane=True)
    body = m.body("block", da.block(0.4, 0.2, mass=2.0), at=(0, 0.099))
    m.contact("floor", m.ground, body, stiffness=1e4, exponent=1.0, mu=0.3)
    m.prismatic("way", m.ground, body, along=(1, 0), at=(0, 0.099))
    m.drive("pull", m["way"].slide, "0.5*t")
    run = da.kinematics(m, np.linspace(0.0, 2.0, 5))
    # two corners, 1 mm deep
    assert run["pull"].effort == pytest.approx(np.full(5, 0.3 * 2 * 10.0), rel=1e-9)
    assert run.work["floor"][-1] == pytest.approx(-0.3 * 20.0 * 1.0, rel=1e-9)


def test_in_space_it_is_against_the_direction():
    m = da.Mechanism("pin", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=0.5), at=(0, 0, 0.099))
    m.contact("floor", m.ground, ball, stiffness=1e4, exponent=1.0, mu=0.25)
    m.planar("table", m.ground, ball, at=(0, 0, 0.099), axis=(0, 0, 1))
    for name, law in (("x", "0.3*t"), ("y", "0.4*t"), ("angle", "0*t")):
        m.drive(f"move {name}", m.find_measure(f"table.{name}"), law)
    found = da.inverse_dynamics(m, [0.0, 1.0])
    assert [found[f"move {x}"].multiplier[1] for x in "xy"] == pytest.approx([0.25 * 10 * 0.6, 0.25 * 10 * 0.8])
    assert found.spread < 1e-10


def test_what_sticks_in_a_driven_motion_is_said():
    """A disk that is pressed down and moved not at all: what its friction takes of the drivers' load is anything up to its limit."""
    with pytest.warns(da.AuditWarning, match=r"friction 'floor\.friction' sticks at t = 0 s.*anything up to") as told:
        run = da.kinematics(pad("0*t", "0*t"), [0.0, 0.1])
    press = pressed(np.zeros(1))
    assert run.status == "doubtful" and len(told) == 1
    (note,) = run.warnings
    assert note.value == pytest.approx(0.3 * press[0]) and note.parts == ("floor.friction",)
    # at an instant of rest that goes on it is against the motion that is about to be
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = da.inverse_dynamics(pad("t**2", "0*t"), [0.0, 0.1])
    assert found["along"].multiplier[0] == pytest.approx(0.5 * 2.0 + 0.3 * press[0])


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("speed", [0.0, 2.0])
def test_all_formulations_agree(plane, speed):
    """Slipping and sticking, at rest too, where weight and floor balance each other."""
    m = da.Mechanism("ball", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    height, shape = 0.1 - 0.5 * G / 1e5, da.disk(0.1, mass=0.5) if plane else da.sphere(0.1, mass=0.5)
    at, v = ((0, height), (speed, 0)) if plane else ((0, 0, height), (0.6 * speed, 0.8 * speed, 0))
    ball = m.body("ball", shape, at=at, velocity=v)
    m.contact("floor", m.ground, ball, stiffness=1e5, exponent=1.0, mu=0.2)
    found = da.verify(m)
    assert found.agree and found.spread < 1e-9 and "null space" in found.ways
    assert any(key[1] == "reaction" for key in found.largest)
