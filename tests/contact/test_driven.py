"""Rigid contacts of driven machines: held while they press, open while they are open, told where that ends."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def cam(rate=10.0):
    m = da.Mechanism("cam", plane=True, gravity=(0, -G))
    shaft = m.revolute("O", m.ground, m.body("wheel", da.disk(0.04, mass=1.0)), at=(0, 0))
    guide = m.prismatic("guide", m.ground, m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.05)), along=(0, 1))
    m.drive("motor", shaft, f"{rate}*t")
    m.spring("coil", guide, stiffness=2000.0, force=20.0)
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))")
    return m


def test_the_torque_of_a_cam_whose_valve_presses():
    t = np.linspace(0, 0.6, 13)
    found = da.inverse_dynamics(cam(), t)
    lift, a = 0.01 * (1 - np.cos(10 * t)), 0.01 * 100 * np.cos(10 * t)
    press = 0.3 * (G + a) + 20 + 2000 * lift
    assert found.run["cam"].normal == pytest.approx(press, rel=1e-10)
    assert found["motor"].multiplier == pytest.approx(press * 0.01 * np.sin(10 * t), abs=1e-10)
    assert found.spread < 1e-12


def test_where_the_valve_lifts_off():
    """m w^2 s'' + m g + F + k s = 0, between the times that were asked for."""
    off = math.acos(-(0.3 * G + 20 + 2000 * 0.01) / (0.01 * (0.3 * 200**2 - 2000))) / 200
    with pytest.raises(da.MethodError, match=rf"'cam' would have to pull at t = {off:.6f}"):
        da.kinematics(cam(200.0), np.linspace(0, 0.031, 5))
    assert len(da.kinematics(cam(200.0), np.linspace(0, 0.999 * off, 5)).t) == 5
    # a run agrees
    assert da.simulate(cam(200.0), until=0.02).events[0].t == pytest.approx(off, abs=1e-8)


def arm():
    m = da.Mechanism("arm", plane=True, gravity=(0, -10))
    bar = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.drive("motor", m.revolute("A", m.ground, bar, at=(0, 0)).angle, "0.3 - t")
    m.contact("floor", m.ground, bar, points=[bar.end], through=(0, -0.5))
    return m


def test_drivers_that_push_through_a_floor():
    touch = 0.3 + math.asin(0.5)  # 0.823598776
    assert da.inverse_dynamics(arm(), [0.0, 0.3])["motor"].multiplier[1] == pytest.approx(10.0)
    # up again at the last time: the visit in between is seen
    for times in ([0.0, 1.0], np.linspace(0, 2 * math.pi, 4)):
        with pytest.raises(da.MethodError, match=r"the gap of 'floor' is negative at t = 0\.82359877"):
            da.kinematics(arm(), times)
    with pytest.raises(da.MethodError, match=r"'floor' touches at t = 0\.8235987(.|\n)*not determined"):
        da.kinematics(arm(), [0.0, touch])
    with pytest.raises(da.MethodError, match="the gap of 'floor' is -"):
        da.kinematics(arm(), [1.0, 1.1])
    m = arm()
    m.open("floor")
    assert len(da.kinematics(m, [0.0, 1.0]).t) == 2


def test_stops_between_bodies_and_in_lagrangian_systems():
    m = da.Mechanism("lifter", plane=True, gravity=(0, -10))
    crank = m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0))
    m.drive("motor", m.revolute("O", m.ground, crank, at=(0, 0)).angle, "2*t")
    m.prismatic("guide", m.ground, m.body("box", mass=3.0, inertia=0.1, at=(1.0, 0.0)), along=(0, 1))
    m.measure("tip", point=crank.end, along=(0, 1))
    m.impact("push", "box.y - tip")
    found = da.inverse_dynamics(m, np.linspace(0, 1, 5))
    angle = 2 * found.t
    press = 3 * (10 - 0.2 * 4 * np.sin(angle))
    assert found["motor"].multiplier == pytest.approx((0.2 * press + 0.1 * 10) * np.cos(angle), abs=1e-12)
    # the ground carries the weights less the inertia of the two
    down = 4 * 10 - 3 * 0.8 * np.sin(angle) - 0.1 * 4 * np.sin(angle)
    assert found.shaking_force[:, 1] == pytest.approx(-down, abs=1e-10)

    bead = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="10*y", name="bead")
    bead.constraint("drive", "x - t")
    bead.impact("hill", "y - x**2/2")
    bead.start("x", 0.0)
    bead.start("y", 0.0)
    run = da.kinematics(bead, [0, 0.5, 1.0])
    assert run["y"] == pytest.approx([0, 0.125, 0.5]) and run["hill"] == pytest.approx([-11.0] * 3)  # 10 + y''


def test_friction_of_a_cam_that_presses():
    """Against the angle of the shaft: a torque of 0.1 m times what presses, besides that of the lift."""
    m, t = cam(), np.linspace(0, 0.6, 13)
    m.friction("rub", m["cam"].stops[0], mu=0.1, along=m["O"].angle)
    press = 0.3 * (G + 0.01 * 100 * np.cos(10 * t)) + 20 + 2000 * 0.01 * (1 - np.cos(10 * t))
    found = da.inverse_dynamics(m, t)
    assert found["motor"].multiplier == pytest.approx(press * (0.01 * np.sin(10 * t) + 0.1), abs=1e-10)
    assert found.spread < 1e-12 and found.run.status == "ok"


def crate(law, mu=0.3, height=0.2):
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, height, mass=2.0), at=(0, height / 2))
    m.contact("floor", m.ground, body, mu=mu)
    m.drive("pull", m.find_measure("crate.x"), law)
    return m


def test_a_crate_that_is_pulled_over_a_rough_floor():
    """m a + mu m g through its middle: its corners carry m g/2 -+ mu m g h/b, and a tall one tips."""
    t = np.linspace(0.0, 1.0, 5)
    found = da.inverse_dynamics(crate("0.5*t + 2*t**2"), t)
    assert found["pull"].multiplier == pytest.approx(np.full(5, 2.0 * 4.0 + 0.3 * 2.0 * G))
    front, back = (found.run["floor"].of(f"bottom_{x}").force[:, 1] for x in ("right", "left"))
    assert front - back == pytest.approx(np.full(5, 2 * 0.3 * 2.0 * G * 0.1 / 0.4)) and found.spread < 1e-12
    # the same as a run that begins with these velocities
    here = da.instant(crate("0.5*t + 2*t**2"), found.run.at(0.5))
    assert here["floor"].force == pytest.approx(found.run["floor"].force[2], abs=1e-9)
    with pytest.raises(da.MethodError, match=r"'floor\.bottom_left' would have to pull"):
        da.kinematics(crate("t", mu=0.5, height=0.9), t)
    with pytest.warns(da.AuditWarning, match="sticks at t = 0 s"):
        da.kinematics(crate("0*t"), t)


def test_a_point_that_is_drawn_along_a_floor_in_space():
    m = da.Mechanism("pen", plane=False, gravity=(0, 0, -G))
    pen = m.particle("pen", mass=0.5, at=(0, 0, 0))
    m.contact("paper", m.ground, pen, points=[pen.point(0, 0, 0)], mu=0.4)
    m.drive("x", m.find_measure("pen.x"), "cos(t)")
    m.drive("y", m.find_measure("pen.y"), "sin(t)")
    t = np.linspace(0.0, 3.0, 4)
    found = da.inverse_dynamics(m, t)
    rub = 0.4 * 0.5 * G
    assert found["x"].multiplier == pytest.approx(-0.5 * np.cos(t) - rub * np.sin(t), abs=1e-10)
    assert found["y"].multiplier == pytest.approx(-0.5 * np.sin(t) + rub * np.cos(t), abs=1e-10)


def test_contacts_that_hold_what_is_held_are_refused():
    m = da.Mechanism("two", plane=True, gravity=(0, -10))
    bar = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.drive("motor", m.revolute("A", m.ground, bar, at=(0, 0)).angle, "0*t")
    m.contact("rest", m.ground, bar, points=[bar.end])  # the motor holds it, too
    m.contact("floor", m.ground, m.body("ball", da.disk(0.1, mass=1.0), at=(3, 0.1)))
    with pytest.raises(da.MethodError, match=r"'rest', 'floor' touch at t = 0 s(.|\n)*not determined"):
        da.kinematics(m, [0.0, 1.0])
