"""Friction of machine elements, by the numbers of textbooks."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def gears(mu, z=20, ratio=2.5, module=0.004):
    """A pinion drives a wheel against a load; mean distance from the pitch point p_b/4, as for a contact ratio of 1."""
    r1, r2 = 0.5 * z * module, 0.5 * z * module * ratio
    m = da.Mechanism("gears", plane=True)
    pinion = m.body("pinion", da.disk(r1, mass=1.0), at=(0, 0))
    wheel = m.body("wheel", da.disk(r2, mass=4.0), at=(r1 + r2, 0))
    m.revolute("A", m.ground, pinion, at=(0, 0))
    m.revolute("B", m.ground, wheel, at=(r1 + r2, 0))
    m.gear("teeth", "A", "B", radii=(r1, r2))
    base = 2 * math.pi * r1 * math.cos(math.radians(20)) / z
    m.friction("mesh", "teeth", mu=mu, radius=0.25 * base)
    m.actuator("load", m["B"].angle, force=30.0)
    m.drive("motor", m["A"].angle, "10*t")
    return m


def test_efficiency_of_a_gear_pair():
    """Lost is mu H_v, H_v = pi (u + 1)/(z_1 u) (1 - e + e_1^2 + e_2^2) (Niemann, Winter, Maschinenelemente II), with e_1 = e_2 = 1/2."""
    mu, z, u = 0.08, 20, 2.5
    with_friction, without = (da.inverse_dynamics(gears(x), [0.5])["motor"].multiplier[0] for x in (mu, 0.0))
    load, lost = abs(without), abs(with_friction) - abs(without)
    expected = mu * math.pi * (u + 1) / (z * u) * 0.5
    # mu N s (w_1 + w_2) with the force of the teeth as it is with friction: the same to the first order of the loss
    assert lost / load == pytest.approx(expected, rel=2.0 * expected)
    # and exactly: the wheel's balance F r_2 = T + F k, the pinion's torque F (r_1 + k), with k = mu s/cos(20 deg)
    r1, r2 = 0.04, 0.1
    k = mu * 0.25 * 2 * math.pi * r1 / z
    assert abs(with_friction) == pytest.approx(30.0 * (r1 + k) / (r2 - k), rel=1e-9)


def test_a_gear_needs_its_radii():
    m = gears(0.1)
    m.gear("other", "A", "B", ratio=-0.4)
    with pytest.raises(da.ModelError, match="radii"):
        m.friction("more", "other", mu=0.1, radius=0.01)


@pytest.mark.parametrize(
    ("joint", "angle", "told"), [("teeth", 20.0, "in radians"), ("A", 0.3, "only teeth have a pressure angle")]
)
def test_pressure_angles_are_of_teeth_and_in_radians(joint, angle, told):
    m = gears(0.1)
    with pytest.raises(da.ModelError, match=told):
        m.friction("more", joint, mu=0.1, radius=0.01, pressure_angle=angle)


def test_a_rack_and_its_pinion():
    """The rack pulls with F; the pinion has to bring F r + mu F s/cos(25 deg)."""
    m = da.Mechanism("rack", plane=True)
    pinion = m.body("pinion", da.disk(0.05, mass=1.0))
    rack = m.body("rack", da.block(0.5, 0.02, mass=2.0), at=(0, -0.06))
    m.revolute("A", m.ground, pinion, at=(0, 0))
    m.prismatic("guide", m.ground, rack, along=(1, 0))
    m.rack("teeth", "A", "guide", radius=0.05)
    m.friction("mesh", "teeth", mu=0.1, radius=0.003, pressure_angle=math.radians(25.0))
    m.actuator("load", m["guide"].slide, force=-200.0)
    m.drive("motor", m["A"].angle, "2*t")
    effort = da.inverse_dynamics(m, [0.3])["motor"].multiplier[0]
    assert abs(effort) == pytest.approx(200.0 * (0.05 + 0.1 * 0.003 / math.cos(math.radians(25.0))), rel=1e-9)


def test_a_load_drives_the_gears_back():
    """J_2 a = T - F (r_2 + k), J_1 a r_2/r_1 = F (r_1 - k), k = mu s/cos(20 deg)."""
    m = gears(0.08)
    del m._parts["motor"]
    run = da.simulate(m, until=0.1)
    r1, r2 = 0.04, 0.1
    k = 0.08 * 0.25 * 2 * math.pi * r1 / 20
    j1, j2 = 0.5 * 1.0 * r1**2, 0.5 * 4.0 * r2**2
    equations = np.array([[j2, r2 + k], [j1 * r2 / r1, -(r1 - k)]])
    a, _ = np.linalg.solve(equations, [30.0, 0.0])
    assert abs(run["B.angle"].rate[-1]) == pytest.approx(0.1 * a, rel=1e-9)
    assert run.status == "ok" and run.audit.energy < 1e-8


def test_band_brake():
    """T_1 = T_2 e^(mu phi) (Eytelwein): the band is pulled by T_2 at its loose end, and brakes with (T_1 - T_2) r."""
    mu, phi, r, pull = 0.3, 1.5 * math.pi, 0.15, 40.0
    m = da.Mechanism("band brake", plane=True)
    drum = m.body("drum", da.disk(r, mass=20.0))
    m.revolute("O", m.ground, drum, at=(0, 0))
    m.parameter("pull", pull)
    m.friction("band", "O", force=f"{r}*pull*(exp({mu}*{phi}) - 1)")
    m.start(m["O"].angle, 0.0, rate=50.0)
    run = da.simulate(m, until=2.0)
    torque = r * pull * (math.exp(mu * phi) - 1.0)
    assert run.events[0].t == pytest.approx(0.5 * 20.0 * r**2 * 50.0 / torque, rel=1e-9)


@pytest.mark.parametrize(("mu", "locks"), [(0.17, False), (0.19, True)])
def test_a_wedge_locks_itself(mu, locks):
    """A wedge of 2 x 10.2 degrees between rough faces is not pressed out where mu > tan(10.2 deg) = 0.18."""
    half = math.radians(10.2)
    m = da.Mechanism("wedge", plane=True, gravity=(0, 0))
    wedge = m.body("wedge", mass=1.0, inertia=0.01)
    jaw = m.body("jaw", mass=5.0, inertia=0.1, at=(0, 0.1))
    # half of it, by symmetry: it slides along its face in the jaw, and along its middle on the ground without friction
    m.prismatic("middle", m.ground, wedge, along=(1, 0))
    m.prismatic("face", wedge, jaw, along=(math.cos(half), math.sin(half)))
    m.prismatic("across", m.ground, jaw, along=(0, 1))
    m.force("clamp", jaw, (0, -1000.0))
    m.friction("rub", "face", mu=mu)
    run = da.simulate(m, until=0.05)
    assert (np.max(np.abs(run["middle"].slide)) < 1e-12) == locks
