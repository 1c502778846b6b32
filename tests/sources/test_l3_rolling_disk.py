"""L3: disk rolling on a plane, LAGRANGE 2.2.2 and 2.6.1: theta the tilt from the vertical, phi the heading, psi the spin.

    5 th'' - 5 s c phi'^2 - 6 c phi' psi' - 4 g s/r = 0      s = sin th, c = cos th
    c phi'' + 2 th' psi' = 0
    3 s phi'' + 3 psi'' + 5 c th' phi' = 0

The third rolling condition integrates to z = r cos th: a holonomic row whose multiplier is minus the normal force; the other two are rows of rates
whose multipliers are minus the friction.  Independent of the Lagrangian system: Newton and Euler for the disk with the force at its contact,
and the steady motion, which the first equation gives at constant th, phi', psi':  the centre goes round a circle of radius r |s + psi'/phi'|.

The disk as a mechanism, with a rolling joint, belongs beside `as_lagrangian`, and its motion and contact force into the same tests.

Tolerances: 1e-11 for single evaluations with numbers up to 100, 1e-10 of the size for motion and forces.
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

M, R, G = 1.3, 0.4, 9.81


def as_lagrangian(angles, rates):
    """Angles (theta, phi, psi); the mass centre (x, y, z) in space."""
    m = da.Lagrangian(
        "theta phi psi x y z", gravity=(0, 0, "-g"), parameters={"m": M, "r": R, "g": G}, name="rolling disk",
        nonholonomic={
            "along x": "r*cos(theta)*sin(phi)*rate(theta) + r*sin(theta)*cos(phi)*rate(phi) + r*cos(phi)*rate(psi) + rate(x)",
            "along y": "-r*cos(theta)*cos(phi)*rate(theta) + r*sin(theta)*sin(phi)*rate(phi) + r*sin(phi)*rate(psi) + rate(y)",
        },
        holonomic={"contact": "z - r*cos(theta)"},
    )  # fmt: skip
    m.body(
        "disk", "m", ("m*r**2/4", "m*r**2/4", "m*r**2/2"), at=("x", "y", "z"),
        turns=[("z", "phi"), ("x", "pi/2 - theta"), ("z", "psi")],
    )  # fmt: skip
    for name, value, rate in zip(("theta", "phi", "psi"), angles, rates):
        m.start(name, value, rate=rate)
    return m


def frame(theta, phi):
    """Direction of the horizontal diameter, axis of the disk, and centre to contact, in space."""
    along = np.array([math.cos(phi), math.sin(phi), 0.0])
    axis = np.array([math.sin(phi) * math.cos(theta), -math.cos(phi) * math.cos(theta), math.sin(theta)])
    return along, axis, -R * np.cross(axis, along)


def spin(theta, phi, rates):
    """Angular velocity in space: phi' about the vertical, -theta' about the diameter, psi' about the axis."""
    along, axis, _ = frame(theta, phi)
    return rates[1] * np.array([0.0, 0.0, 1.0]) - rates[0] * along + rates[2] * axis


def random_case(seed):
    rng = np.random.default_rng(seed)
    return (rng.uniform(-1.2, 1.2), *rng.uniform(-3, 3, 2)), rng.normal(size=3) * 2


def residuals(angles, rates, turn):
    """The three equations of the source."""
    s, c = np.sin(angles[0]), np.cos(angles[0])
    th, phi, psi = rates
    return (
        5 * turn[0] - 5 * s * c * phi**2 - 6 * c * phi * psi - 4 * G * s / R,
        c * turn[1] + 2 * th * psi,
        3 * s * turn[1] + 3 * turn[2] + 5 * c * th * phi,
    )


@pytest.mark.parametrize("seed", range(8))
def test_equations_of_the_source(seed):
    angles, rates = random_case(seed)
    run = da.simulate(as_lagrangian(angles, rates), until=1e-4)
    assert run.audit.degrees_of_freedom == 3
    assert residuals(angles, rates, run.a[0, :3]) == pytest.approx([0, 0, 0], abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_the_contact_does_not_slip(seed):
    """v + w x (centre to contact) = 0 by the vectors of the disk."""
    angles, rates = random_case(seed)
    run = da.simulate(as_lagrangian(angles, rates), until=1e-4)
    _, _, arm = frame(*angles[:2])
    assert arm[2] == pytest.approx(-R * math.cos(angles[0]))
    assert run.v[0, 3:] + np.cross(spin(*angles[:2], rates), arm) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_contact_force_by_newton_and_euler(seed):
    """F = m (a + g z) at the contact, and dH/dt = arm x F with H = m r^2/4 w + m r^2/4 (w . axis) axis.

    Rates by central differences along the motion: 1e-7.
    """
    angles, rates = random_case(seed)
    step = 1e-4
    run = da.simulate(as_lagrangian(angles, rates), until=2 * step, output=step, **TIGHT)
    force = -np.column_stack([run[name] for name in ("along x", "along y", "contact")])
    assert force == pytest.approx(M * (run.a[:, 3:] + (0, 0, G)), abs=1e-10)
    momentum = []
    for q, v in zip(run.q, run.v):
        _, axis, _ = frame(q[0], q[1])
        w = spin(q[0], q[1], v[:3])
        momentum.append(M * R**2 / 4 * (w + (w @ axis) * axis))
    _, _, arm = frame(*run.q[1, :2])
    assert (momentum[2] - momentum[0]) / (2 * step) == pytest.approx(np.cross(arm, force[1]), abs=1e-5)


def steady(theta=0.35, turning=-3.0):
    """Spin of the steady motion from the first equation, and radius of the circle of the centre."""
    psi = -(5 * math.sin(theta) * math.cos(theta) * turning**2 + 4 * G * math.sin(theta) / R) / (
        6 * math.cos(theta) * turning
    )
    return (theta, 0.2, 0.0), (0.0, turning, psi), R * abs(math.sin(theta) + psi / turning)


def test_steady_circle():
    """Constant tilt; horizontal force m v^2/radius, normal force m g.

    The motion is stable, so 4 s (two turns) do not spoil the digits.
    """
    angles, rates, radius = steady()
    run = da.simulate(as_lagrangian(angles, rates), until=4.0, output=0.05, **TIGHT)
    assert run.q[:, 0] == pytest.approx(np.full(len(run.t), angles[0]), abs=1e-10)
    assert agree(run.v[:, 1:3], np.tile(rates[1:], (len(run.t), 1)))
    place = run.q[:, 3:5] - run.q[0, 3:5]
    heading = angles[1] + rates[1] * run.t
    # x' = -r (s phi' + psi') cos phi, y' = -r (s phi' + psi') sin phi
    speed = -R * (math.sin(angles[0]) * rates[1] + rates[2])
    expected = (
        speed
        / rates[1]
        * np.column_stack([np.sin(heading) - math.sin(angles[1]), math.cos(angles[1]) - np.cos(heading)])
    )
    assert agree(place, expected)
    assert abs(speed / rates[1]) == pytest.approx(radius)
    force = np.column_stack([run["along x"], run["along y"]])
    assert np.hypot(*force.T) == pytest.approx(np.full(len(run.t), M * speed**2 / radius), rel=1e-9)
    assert agree(-run["contact"], np.full(len(run.t), M * G))


def test_energy_and_equations_along_a_wobbling_motion():
    """Neither friction nor normal force does work; the three equations hold at every output."""
    angles, rates, _ = steady()
    run = da.simulate(as_lagrangian((angles[0] + 0.1, *angles[1:]), rates), until=2.0, output=0.02, **TIGHT)
    assert np.ptp(run.q[:, 0]) > 0.1
    total = np.asarray(run.energy.total)
    assert total == pytest.approx(np.full(len(total), total[0]), rel=1e-11)
    assert np.max(np.abs(residuals(run.q[:, :3].T, run.v[:, :3].T, run.a[:, :3].T))) < 1e-9
