"""Screw, rack, belt, gear trains and the differential against closed forms with one degree of freedom.

Source: each device has a constant ratio, so its equation is (sum of I_k i_k^2 + sum of m_k j_k^2) theta'' = sum of torques i_k (textbook).

Tolerance: in the plane constant accelerations are integrated exactly; in space turns are quaternions, which are not polynomials of time: a
local error of 1e-12 and an interpolation error at outputs of about ten times that, scaled by turns of up to 100 rad.
"""

import math

import numpy as np
import pytest

import dalembert as da

UNTIL = 1.0


def simulate(m):
    run = da.simulate(m, until=UNTIL, rtol=1e-12, atol=1e-13, output=0.1)
    assert run.status == "ok"
    return run


@pytest.mark.parametrize("pitch", [0.05, -0.3])
@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 2, 3)])
def test_nut_on_a_thread_under_gravity(pitch, axis):
    """(m + I (2 pi/p)^2) z'' = m g.axis; the thread passes force F and torque -F p/(2 pi)."""
    mass, inertia = 2.0, 0.01
    n = np.array(axis) / np.linalg.norm(axis)
    m = da.Mechanism("nut", plane=False, gravity=(0, 0, -9.81))
    nut = m.body("nut", mass=mass, inertia=(inertia,) * 3, at=0.2 * n)
    m.screw("thread", m.ground, nut, at=0.2 * n, axis=axis, pitch=pitch)
    run = simulate(m)
    turns = 2 * math.pi / pitch
    a = -mass * 9.81 * n[2] / (mass + inertia * turns**2)
    assert run["thread"].slide == pytest.approx(0.5 * a * run.t**2, abs=1e-11)
    assert run["thread"].angle == pytest.approx(turns * 0.5 * a * run.t**2, abs=1e-9)
    axial, twist = np.asarray(run["thread"].force) @ n, np.asarray(run["thread"].torque) @ n
    assert axial == pytest.approx(np.full(len(run.t), mass * (a + 9.81 * n[2])), rel=1e-10)
    assert twist == pytest.approx(np.full(len(run.t), inertia * turns * a), rel=1e-10)
    assert twist == pytest.approx(-axial * pitch / (2 * math.pi), rel=1e-10)


def pinion_and_rack(plane, radius):
    m = da.Mechanism("rack", plane=plane)
    flat = (lambda *x: x[:2]) if plane else (lambda *x: x)
    inertia = 0.02 if plane else (0.02,) * 3
    pinion = m.body("pinion", mass=1.0, inertia=inertia)
    bar = m.body("bar", mass=3.0, inertia=inertia, at=flat(0.0, -abs(radius), 0.0))
    m.revolute("axle", m.ground, pinion, at=flat(0, 0, 0), **({} if plane else {"axis": (0, 0, 1)}))
    m.prismatic("guide", m.ground, bar, along=flat(1, 0, 0))
    m.rack("teeth", m["axle"], m["guide"], radius=radius)
    m.torque("drive", pinion, 0.7 if plane else (0, 0, 0.7))
    return m


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("radius", [0.1, -0.1])
def test_rack_and_pinion(plane, radius):
    run = simulate(pinion_and_rack(plane, radius))
    a = 0.7 / (0.02 + 3.0 * radius**2)
    assert run["axle"].angle == pytest.approx(0.5 * a * run.t**2, abs=1e-10)
    assert run["guide"].slide == pytest.approx(radius * 0.5 * a * run.t**2, abs=1e-11)
    push = np.asarray(run["teeth"].on("bar").force)[:, 0]
    assert push == pytest.approx(np.full(len(run.t), 3.0 * radius * a), rel=1e-10)


@pytest.mark.parametrize("crossed", [False, True])
def test_belt(crossed):
    m = da.Mechanism("belt")
    small, large = m.body("small", mass=1.0, inertia=0.02), m.body("large", mass=1.0, inertia=0.5, at=(1, 0))
    m.revolute("A", m.ground, small, at=(0, 0))
    m.revolute("B", m.ground, large, at=(1, 0))
    m.belt("belt", m["A"], m["B"], radii=(0.1, 0.25), crossed=crossed)
    m.torque("drive", small, 0.7)
    run = simulate(m)
    ratio = -0.4 if crossed else 0.4
    a = 0.7 / (0.02 + 0.5 * ratio**2)
    assert run["A"].angle == pytest.approx(0.5 * a * run.t**2, abs=1e-10)
    assert run["B"].angle == pytest.approx(ratio * 0.5 * a * run.t**2, abs=1e-10)
    # pull of the belt: the moment that turns the large wheel over its radius
    assert run["belt"].multipliers[:, 0] == pytest.approx(np.full(len(run.t), -0.5 * ratio * a / 0.25), rel=1e-10)


def planetary(plane):
    """Sun 20 teeth, planet 15, ring 50 fixed; the planet runs on the arm at radius R: gears of three bodies each."""
    m = da.Mechanism("planetary", plane=plane)
    flat = (lambda *x: x[:2]) if plane else (lambda *x: x)
    axis = {} if plane else {"axis": (0, 0, 1)}
    inertia = (lambda x: x) if plane else (lambda x: (x, x, x))
    sun = m.body("sun", mass=1.0, inertia=inertia(0.03))
    arm = m.body("arm", mass=1.0, inertia=inertia(0.2))
    planet = m.body("planet", mass=0.5, inertia=inertia(0.01), at=flat(0.35, 0, 0))
    m.revolute("sun axle", m.ground, sun, at=flat(0, 0, 0), **axis)
    m.revolute("arm axle", m.ground, arm, at=flat(0, 0, 0), **axis)
    m.revolute("pin", arm, planet, at=flat(0.35, 0, 0), **axis)
    on_arm = m.measure("sun on arm", angle=(arm, sun), **axis)
    ring = m.measure("ring on arm", angle=(arm, m.ground), **axis)
    m.gear("inner", on_arm, m["pin"], teeth=(20, 15))
    m.gear("outer", ring, m["pin"], teeth=(50, 15), internal=True)
    m.torque("drive", sun, 0.4 if plane else (0, 0, 0.4))
    return m


@pytest.mark.parametrize("plane", [True, False])
def test_planetary_gear(plane):
    """Willis: sun/arm = 1 + 50/20; planet/arm = 1 - 50/15."""
    run = simulate(planetary(plane))
    sun, planet = 1 + 50 / 20, 1 - 50 / 15
    inertia = 0.03 * sun**2 + 0.2 + 0.5 * 0.35**2 + 0.01 * planet**2
    a = 0.4 * sun / inertia
    angle = 0.5 * a * run.t**2
    assert run["arm axle"].angle == pytest.approx(angle, abs=1e-9)
    assert run["sun axle"].angle == pytest.approx(sun * angle, abs=1e-9)
    assert run["pin"].angle == pytest.approx((planet - 1) * angle, abs=1e-9)
    assert run.audit.degrees_of_freedom == 1
    assert not run.audit.redundant_rows


def test_reactions_of_a_planetary_gear():
    """All that the arm takes: torque on it is what accelerates it and carries the planet."""
    m = planetary(True)
    run = simulate(m)
    sun, planet = 1 + 50 / 20, 1 - 50 / 15
    a = 0.4 * sun / (0.03 * sun**2 + 0.2 + 0.5 * 0.35**2 + 0.01 * planet**2)
    # torque of the inner gear on the sun: its inertia less the drive
    on_sun = np.asarray(run["inner"].on("sun").torque)
    assert on_sun == pytest.approx(np.full(len(run.t), 0.03 * sun * a - 0.4), rel=1e-9)
    # gears are internal to their bodies: their couples on all of them sum to zero
    for gear in ("inner", "outer"):
        total = sum(np.asarray(run[gear].on(body).torque) for body in m[gear].bodies)
        assert total == pytest.approx(np.zeros(len(run.t)), abs=1e-12)


def test_differential():
    """left'' and right'' from the two equations of its two freedoms, with the carrier at their mean."""
    m = da.Mechanism("differential", plane=False)
    inertias, loads = {"left": 0.3, "right": 0.5, "carrier": 0.2}, {"left": -0.1, "right": -0.4, "carrier": 1.0}
    for k, (name, inertia) in enumerate(inertias.items()):
        body = m.body(name, mass=1.0, inertia=(inertia,) * 3, at=(0.2 * k, 0, 0))
        m.revolute(f"{name} axle", m.ground, body, at=(0.2 * k, 0, 0), axis=(1, 0, 0))
        m.torque(f"{name} load", body, (loads[name], 0, 0))
    m.differential("gear", m["left axle"], m["right axle"], m["carrier axle"])
    run = simulate(m)
    quarter = inertias["carrier"] / 4
    matrix = np.array([[inertias["left"] + quarter, quarter], [quarter, inertias["right"] + quarter]])
    left, right = np.linalg.solve(matrix, [loads["left"] + 0.5, loads["right"] + 0.5])
    assert run["left axle"].angle == pytest.approx(0.5 * left * run.t**2, abs=1e-10)
    assert run["right axle"].angle == pytest.approx(0.5 * right * run.t**2, abs=1e-10)
    assert run["carrier axle"].angle == pytest.approx(0.25 * (left + right) * run.t**2, abs=1e-10)
    assert run.audit.degrees_of_freedom == 2
    # both outputs get half of what the carrier gives, whatever they do
    shared = loads["carrier"] - inertias["carrier"] * (left + right) / 2
    for name in ("left", "right"):
        assert run["gear"].on(name).torque[:, 0] == pytest.approx(np.full(len(run.t), shared / 2), rel=1e-10)


def test_gear_of_bevel_wheels():
    """Axes at right angles: the ratio ties turns about different axes; one wheel on a tilted axis."""
    m = da.Mechanism("bevel", plane=False)
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3))
    b = m.body("b", mass=1.0, inertia=(0.3, 0.1, 0.2), at=(0.1, 0.1, 0))
    m.revolute("A", m.ground, a, at=(0, 0, 0), axis=(1, 0, 0))
    m.revolute("B", m.ground, b, at=(0.1, 0.1, 0), axis=(0, 1, 0))
    m.gear("bevel", m["A"], m["B"], teeth=(12, 30))
    m.torque("drive", a, (0.5, 0, 0))
    run = simulate(m)
    acceleration = 0.5 / (0.1 + 0.1 * 0.4**2)
    assert run["A"].angle == pytest.approx(0.5 * acceleration * run.t**2, abs=1e-10)
    assert run["B"].angle == pytest.approx(-0.4 * 0.5 * acceleration * run.t**2, abs=1e-10)
