"""K8: piston engine, PRINCIPLES (Lagrange's equation, and Lagrange with multipliers), as a mechanism and as a Lagrangian system.

Crank 1 (O to A, length r, mass centre at c), rod 2 (A to B, length l, mass centre at a from A, b = l - a), piston 3 on a line at height e;
load P against the piston, torque M_T against the crank, no gravity.  phi is the angle of the rod below the horizontal:

    sin phi = lam sin th - e/l,  lam = r/l,  s = r cos th + l cos phi,  k_phi = lam cos th / cos phi,  k_s = -r (sin th + cos th tan phi)
    I(th) = J0 + m_A r^2 + (m3 + m_B) k_s^2 + J_AB k_phi^2,   J0 = J1 + m1 c^2, m_A = m2 b/l, m_B = m2 a/l, J_AB = J2 - m2 a b
    I th'' + I'/2 th'^2 = -P k_s - M_T;  at constant speed and P = 0 the torque on the crank is -M_T = I'/2 w^2

Reactions by seven coordinates and six rows.  With the source's multipliers (ours with the opposite sign, l_k = -lam_k), forces on the crank:

    X12 = -(l1 + l5), Y12 = -l2 at A,   X01 = l1 + l3 + l5, Y01 = l2 + l4 at O,   wall on the piston l6 - l2

Row f6 of the source puts the mass centre of the rod at y2 = b sin phi + e, its rows f2 and phi being those of a rod that falls from A to B; so
does the mechanism.  The force of the rod on the piston is P + m3 s'' = l1 along x, and minus the wall force along y (e = 0 or not).
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

# masses in kg, lengths in m; a slight crank and a rod that is not two point masses, so that every term of I(th) is there
M1, M2, M3, J1, J2 = 1.0, 0.8, 0.5, 0.02, 0.015
R, L, A, C = 0.1, 0.35, 0.12, 0.03
B = L - A
P, MT = 60.0, 4.0


def as_mechanism(theta=0.4, rate=None, drive=None, e=0.02, load=P, torque=MT):
    """Mechanism: the rod lies at the angle -phi."""
    phi = math.asin((R * math.sin(theta) - e) / L)
    pin = np.array([R * math.cos(theta), R * math.sin(theta)])
    end = pin + L * np.array([math.cos(phi), -math.sin(phi)])
    m = da.Mechanism("piston engine", plane=True)
    crank = m.body("crank", mass=M1, inertia=J1, at=tuple(pin * C / R), angle=theta)
    rod = m.body("rod", mass=M2, inertia=J2, at=tuple(pin + (end - pin) * A / L), angle=-phi)
    piston = m.body("piston", mass=M3, inertia=0.001, at=tuple(end))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=tuple(pin))
    m.revolute("B", rod, piston, at=tuple(end))
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    if load:
        m.force("P", piston, (-load, 0))
    if torque:
        m.torque("M_T", crank, -torque)
    if rate is not None:
        m.start(m["O"].angle, value=theta, rate=rate)
    if drive is not None:
        m.drive("motor", m["O"].angle, f"{theta} + {drive}*t")
    return m


def as_lagrangian(theta=0.4, rate=None, drive=None, e=0.02, load=P, torque=MT):
    """The source's seven coordinates and six rows."""
    m = da.Lagrangian(
        "x1 y1 x2 y2 theta phi s",
        kinetic="m1*(rate(x1)**2 + rate(y1)**2)/2 + J1*rate(theta)**2/2 + m2*(rate(x2)**2 + rate(y2)**2)/2 + J2*rate(phi)**2/2"
        " + m3*rate(s)**2/2",
        forces={"theta": "-MT", "s": "-P"},
        holonomic={
            "f1": "s - r*cos(theta) - l*cos(phi)", "f2": "e0 - r*sin(theta) + l*sin(phi)", "f3": "x1 - c*cos(theta)",
            "f4": "y1 - c*sin(theta)", "f5": "x2 - r*cos(theta) - a*cos(phi)", "f6": "y2 - (l - a)*sin(phi) - e0",
        },
        parameters={"m1": M1, "m2": M2, "m3": M3, "J1": J1, "J2": J2, "r": R, "l": L, "a": A, "c": C, "e0": e, "P": load, "MT": torque},
        name="piston engine",
    )  # fmt: skip
    if drive is not None:
        m.constraint("motor", f"theta - {theta} - {drive}*t")
        m.guess("theta", theta)
    else:
        m.start("theta", theta, rate=rate)
    for name, value in (("x1", C), ("x2", R + A), ("s", R + L)):
        m.guess(name, value)
    return m


def in_one_coordinate(theta=0.4, rate=None, e=0.02, load=P, torque=MT):
    """T = I(th) th'^2/2 with the exact inertia."""
    phi = "asin(r/l*sin(theta) - e0/l)"
    slide = f"r*(sin(theta) + cos(theta)*tan({phi}))"
    turn = f"(r/l*cos(theta)/cos({phi}))"
    m = da.Lagrangian(
        "theta",
        kinetic=f"(J0 + mA*r**2 + (m3 + mB)*({slide})**2 + JAB*{turn}**2)*rate(theta)**2/2",
        forces={"theta": f"P*{slide} - MT"},
        parameters={
            "r": R, "l": L, "e0": e, "J0": J1 + M1 * C**2, "mA": M2 * B / L, "mB": M2 * A / L, "JAB": J2 - M2 * A * B,
            "m3": M3, "P": load, "MT": torque,
        }, name="engine in theta",
    )  # fmt: skip
    m.start("theta", theta, rate=rate)
    return m


def inertia(theta, e=0.0, order=None):
    """I(th), or with the source's k_s = -r sin th, k_phi = lam cos th."""
    s, c = np.sin(theta), np.cos(theta)
    sin_phi = R / L * s - e / L
    cos_phi = np.sqrt(1 - sin_phi**2)
    k_s, k_phi = -R * (s + c * sin_phi / cos_phi), R / L * c / cos_phi
    if order == "source":
        k_s, k_phi = -R * s, R / L * c
    return J1 + M1 * C**2 + M2 * B / L * R**2 + (M3 + M2 * A / L) * k_s**2 + (J2 - M2 * A * B) * k_phi**2


def source_multipliers(run):
    return [-np.asarray(run[f"f{k}"]) for k in range(1, 7)]


def pins_and_wall(run):
    """The source's table, forces on the crank and on the piston."""
    l1, l2, l3, l4, l5, l6 = source_multipliers(run)
    at_a, at_o = np.column_stack([-(l1 + l5), -l2]), np.column_stack([l1 + l3 + l5, l2 + l4])
    return at_o, at_a, np.column_stack([l1, l2 - l6]), l6 - l2


def compare_reactions(one, two):
    at_o, at_a, at_b, wall = pins_and_wall(two)
    assert agree(at_o, one["O"].force)
    assert agree(at_a, one["A"].on("crank").force)
    # the piston does not move across the bore: the rod pushes it with minus the force of the wall
    assert agree(at_b, one["B"].on("piston").force)
    assert agree(wall, np.asarray(one["bore"].force)[:, 1])


@pytest.mark.parametrize("e", [0.0, 0.02])
def test_motion_and_reactions(e):
    """Free motion through two dead centres: 25 rad/s against M_T, with the load P."""
    options = {"rate": 25.0, "e": e}
    one = da.simulate(as_mechanism(**options), until=0.5, output=0.005, **TIGHT)
    two = da.simulate(as_lagrangian(**options), until=0.5, output=0.005, **TIGHT)
    three = da.simulate(in_one_coordinate(**options), until=0.5, output=0.005, **TIGHT)
    theta = np.asarray(one["O.angle"])
    assert np.ptp(theta) > 2 * math.pi
    for other in (two, three):
        assert other.status == "ok"
        assert agree(other["theta"], theta)
        assert agree(other.rate("theta"), one["O.angle"].rate)
        assert agree(other.acceleration("theta"), one["crank"].spin_rate)
    assert agree(-two["phi"], one["rod"].angle)
    assert agree(two["s"], np.asarray(one["piston"].position)[:, 0])
    assert agree(np.column_stack([two["x2"], two["y2"]]), one["rod"].position)
    compare_reactions(one, two)


def test_torque_at_constant_speed():
    """-M_T = I' w^2/2 + P k_s, exact; every reaction of the driven engine over two turns, through all dead centres."""
    w = 40.0
    times = np.linspace(0.0, 4 * math.pi / w, 145)
    one = da.inverse_dynamics(as_mechanism(theta=0.0, drive=w, torque=0.0), times)
    two = da.inverse_dynamics(as_lagrangian(theta=0.0, drive=w, torque=0.0), times)
    torque = np.asarray(one["motor"].multiplier)
    assert agree(two["motor"].multiplier, torque)
    for way in ("power", "newton_euler"):
        assert agree(getattr(one["motor"], way), torque)
    assert agree(two["motor"].power, torque)
    angle, step = w * times, 1e-3
    # I' by differences of fourth order: error of step^4 I^(5)/30, below 1e-12 of I
    slope = sum(k * inertia(angle + n * step, 0.02) for n, k in ((1, 8), (-1, -8), (2, -1), (-2, 1))) / (12 * step)
    s, c = np.sin(angle), np.cos(angle)
    sin_phi = (R * s - 0.02) / L
    k_s = -R * (s + c * sin_phi / np.sqrt(1 - sin_phi**2))
    assert agree(slope * w**2 / 2 + P * k_s, torque)
    compare_reactions(one.run, two.run)


def test_usual_inertia_and_its_missing_term():
    """A - B cos 2th, and what a true first-order expansion in r/l adds: (m3 + m_B) r^2 (lam/2) (cos th - cos 3th)."""
    theta = np.linspace(0, 2 * math.pi, 73)
    lam, sliding, rest = R / L, M3 + M2 * A / L, J2 - M2 * A * B
    big_a = J1 + M1 * C**2 + M2 * B / L * R**2 + (sliding * R**2 + rest * lam**2) / 2
    big_b = (sliding * R**2 - rest * lam**2) / 2
    usual = big_a - big_b * np.cos(2 * theta)
    assert usual == pytest.approx(inertia(theta, order="source"), rel=1e-13)
    exact = np.asarray([moment(in_one_coordinate(theta=x, rate=1.0, e=0.0)) for x in theta[::6]])
    assert exact == pytest.approx(inertia(theta[::6]), rel=1e-13)
    missing = sliding * R**2 * lam / 2 * (np.cos(theta) - np.cos(3 * theta))
    # without the term the error is of first order, with it of second: lam^2 = 0.08 of (m3 + m_B) r^2
    assert np.max(np.abs(inertia(theta) - usual)) > 0.9 * np.max(np.abs(missing))
    assert np.max(np.abs(inertia(theta) - usual - missing)) < 1.1 * lam**2 * sliding * R**2
    # the torque that keeps the speed: B sin 2th w^2 by the usual inertia
    w, step = 40.0, 1e-4
    slope = (inertia(theta + step, order="source") - inertia(theta - step, order="source")) / (2 * step)
    assert slope * w**2 / 2 == pytest.approx(big_b * np.sin(2 * theta) * w**2, abs=1e-6)


def moment(m):
    """Twice the kinetic energy at 1 rad/s."""
    return 2.0 * float(da.simulate(m, until=1e-3).energy.kinetic[0])


def test_kinetic_energy_is_that_of_the_exact_inertia():
    """T = I(th) th'^2/2 along the motion of the mechanism and of the seven coordinates."""
    options = {"rate": 25.0, "e": 0.0}
    for model, angle in ((as_mechanism(**options), "O.angle"), (as_lagrangian(**options), "theta")):
        run = da.simulate(model, until=0.3, **TIGHT)
        expected = inertia(np.asarray(run[angle])) * np.asarray(run[angle].rate) ** 2 / 2
        assert np.asarray(run.energy.kinetic) == pytest.approx(expected, rel=1e-11)
