"""K1: spring-mass, pendulum and shaft in torsion, PRINCIPLES (Newton's laws).

    m x'' + k x = f                                 natural frequency sqrt(k/m)
    m x'' = -F_r sin th,  m y'' = F_r cos th - m g  ->  m l th'' + m g sin th = 0,  small: frequency sqrt(g/l)
    tension F_r = m g cos th + m l th'^2
    M_shaft = K th,  K = G I_p/L = E/(2(1+nu) L) pi D^4/32 = E pi R^4/(4(1+nu) L);  J th'' + K th = 0

Each machine as a mechanism and, in the last part, as a Lagrangian system as well.  The springs and the rod do work or carry load in both.

Tolerances: 1e-12 relative for single evaluations; 1e-9 for motion at rtol = 1e-11 over a few periods.  Our distance
link holds |d| = l, so its multiplier is the tension.
"""

import math

import numpy as np
import pytest
import two_ways
from scipy.special import ellipj, ellipk
from two_ways import agree

import dalembert as da

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


# -- spring-mass -------------------------------------------------------------------------------------------------------

M, K = 1.6, 250.0
W = math.sqrt(K / M)


def spring_mass(x=0.0, force=None, velocity=None):
    m = da.Mechanism("spring-mass", plane=True)
    mass = m.body("mass", mass=M, inertia=0.01, at=(x, 0), velocity=None if velocity is None else (velocity, 0))
    m.prismatic("rail", m.ground, mass, at=(m.ground.point(0, 0), mass.point(0, 0)), along=(1, 0))
    m.spring("spring", m["rail"].slide, stiffness=K)
    if force is not None:
        m.force("f", mass, (force, 0))
    return m


@pytest.mark.parametrize("x", [-0.3, 0.0, 0.7])
@pytest.mark.parametrize("f", [0.0, 12.5])
def test_spring_mass_equation(x, f):
    e = da.equations(spring_mass(x, f))
    assert M * e.a[0] + K * x == pytest.approx(f, abs=1e-12)
    assert e.Q[0] == pytest.approx(f - K * x, abs=1e-12)
    assert e.a[1:] == pytest.approx([0, 0], abs=1e-13)


def test_spring_mass_natural_frequency():
    """x = x0 cos w t + v0/w sin w t; w from upward crossings of zero over five periods."""
    run = da.simulate(spring_mass(0.2, velocity=1.5), until=5.3 * 2 * math.pi / W, **TIGHT)
    expected = 0.2 * np.cos(W * run.t) + 1.5 / W * np.sin(W * run.t)
    assert run["mass"].position[:, 0] == pytest.approx(expected, abs=1e-9)
    times = run.crossings(run.model["rail"].slide, 0.0, direction=1)
    assert 2 * math.pi * (len(times) - 1) / (times[-1] - times[0]) == pytest.approx(W, rel=1e-9)
    assert run["spring"].effort == pytest.approx(-K * expected, abs=1e-6)
    assert run.energy.total == pytest.approx(np.full(len(run.t), 0.5 * K * 0.2**2 + 0.5 * M * 1.5**2), rel=1e-9)


def test_spring_mass_forced():
    """f = F sin(p t) from rest: x = F/(k - m p^2) (sin p t - p/w sin w t)."""
    F, p = 20.0, 0.6 * W
    run = da.simulate(spring_mass(0.0, f"{F}*sin({p}*t)"), until=2.0, **TIGHT)
    expected = F / (K - M * p**2) * (np.sin(p * run.t) - p / W * np.sin(W * run.t))
    assert run["mass"].position[:, 0] == pytest.approx(expected, abs=1e-9)


# -- pendulum ----------------------------------------------------------------------------------------------------------

L, BOB = 0.8, 1.3


def pendulum(theta, rate=None):
    """Particle on a massless link; theta from the downward vertical, x = l sin th, y = -l cos th."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    velocity = None if rate is None else (L * rate * math.cos(theta), L * rate * math.sin(theta))
    bob = m.particle("bob", mass=BOB, at=(L * math.sin(theta), -L * math.cos(theta)), velocity=velocity)
    m.distance("link", m.ground.point(0, 0), bob.point(0, 0), length=L)
    return m


@pytest.mark.parametrize("theta", [0.0, 0.3, -1.2, 2.5])
@pytest.mark.parametrize("rate", [0.0, 2.7])
def test_pendulum_equations_and_tension(theta, rate):
    e = da.equations(pendulum(theta, rate))
    s, c = math.sin(theta), math.cos(theta)
    turn = -G / L * math.sin(theta)
    x, y = L * turn * c - L * rate**2 * s, L * turn * s + L * rate**2 * c
    assert e.a[:2] == pytest.approx([x, y], abs=1e-12)
    tension = BOB * G * c + BOB * L * rate**2
    assert e.lam == pytest.approx([tension], abs=1e-12)
    # the two equations of the source with that tension
    assert BOB * e.a[0] == pytest.approx(-tension * s, abs=1e-12)
    assert BOB * e.a[1] == pytest.approx(tension * c - BOB * G, abs=1e-12)


def test_pendulum_large_swing():
    """From rest at th0: sin(th/2) = k cn/dn (w t), k = sin(th0/2); period 4 K(k^2)/w.

    Tension m g (3 cos th - 2 cos th0), from the energy integral.
    """
    start, w = 2.0, math.sqrt(G / L)
    k = math.sin(start / 2)
    period = 4 * ellipk(k**2) / w
    run = da.simulate(pendulum(start), until=2 * period, **TIGHT)
    _, cn, dn, _ = ellipj(w * run.t, k**2)
    theta = 2 * np.arcsin(k * cn / dn)
    expected = np.column_stack([L * np.sin(theta), -L * np.cos(theta)])
    assert run["bob"].position == pytest.approx(expected, abs=1e-8)
    tension = BOB * G * (3 * np.cos(theta) - 2 * math.cos(start))
    assert run["link"].multipliers[:, 0] == pytest.approx(tension, abs=1e-7)
    # force of the link on the bob: towards the pivot when pulled
    assert run["link"].force == pytest.approx(-expected / L * tension[:, None], abs=1e-7)
    downward = run.crossings(run.model["bob"].x, 0.0, direction=-1)
    assert downward[1] - downward[0] == pytest.approx(period, abs=1e-8)


def test_pendulum_small_displacement():
    """Small: th = th0 cos(w t), w = sqrt(g/l); the period is longer by th0^2/16 (next term 11 th0^4/3072)."""
    start, w = 1e-3, math.sqrt(G / L)
    run = da.simulate(pendulum(start), until=7.0, rtol=1e-12, atol=1e-15)
    # after 7 s the longer period has shifted the phase by w t th0^2/16 = 1.5e-6
    assert run["bob"].position[:, 0] == pytest.approx(L * start * np.cos(w * run.t), abs=2e-6 * L * start)
    times = run.crossings(run.model["bob"].x, 0.0, direction=-1)
    period = (times[-1] - times[0]) / (len(times) - 1)
    assert period == pytest.approx(2 * math.pi / w * (1 + start**2 / 16), rel=1e-9)


# -- shaft in torsion --------------------------------------------------------------------------------------------------

SHEAR, RADIUS, LENGTH, INERTIA = 80e9, 0.008, 1.5, 0.4
POISSON = 0.3
YOUNG = 2 * (1 + POISSON) * SHEAR


def shaft_stiffness():
    return SHEAR * (math.pi * (2 * RADIUS) ** 4 / 32) / LENGTH


def shaft(plane, angle=0.0, rate=0.0):
    m = da.Mechanism("shaft", plane=plane)
    shear, radius, length = (m.parameter(n, x) for n, x in (("G", SHEAR), ("R", RADIUS), ("L", LENGTH)))
    if plane:
        disk = m.body("disk", mass=10.0, inertia=INERTIA)
        hinge = m.revolute("bearing", m.ground, disk, at=(0, 0))
    else:
        disk = m.body("disk", mass=10.0, inertia=(0.3, 0.3, INERTIA))
        hinge = m.revolute("bearing", m.ground, disk, at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion_spring("shaft", hinge.angle, stiffness=shear * math.pi * (2 * radius) ** 4 / (32 * length))
    m.start(hinge.angle, value=angle, rate=rate)
    return m


def test_shaft_stiffness_formulas():
    """G I_p/L with I_p = pi D^4/32, and the two forms with E and nu, are one number."""
    K = shaft_stiffness()
    assert K == pytest.approx(YOUNG / (2 * (1 + POISSON) * LENGTH) * math.pi * (2 * RADIUS) ** 4 / 32, rel=1e-14)
    assert K == pytest.approx(YOUNG * math.pi * RADIUS**4 / (4 * (1 + POISSON) * LENGTH), rel=1e-14)


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("angle", [-0.2, 0.35])
def test_shaft_equation(plane, angle):
    e = da.equations(shaft(plane, angle))
    acceleration = e.a[2 if plane else 5]
    assert INERTIA * acceleration + shaft_stiffness() * angle == pytest.approx(0, abs=1e-11 * shaft_stiffness())


@pytest.mark.parametrize("plane", [True, False])
def test_shaft_frequency_and_moment(plane):
    w = math.sqrt(shaft_stiffness() / INERTIA)
    run = da.simulate(shaft(plane, 0.1, 2.0), until=6.2 * math.pi / w, **TIGHT)
    expected = 0.1 * np.cos(w * run.t) + 2.0 / w * np.sin(w * run.t)
    assert run["bearing"].angle == pytest.approx(expected, abs=1e-9)
    torque = run["shaft"].on("disk").torque
    assert (torque if plane else torque[:, 2]) == pytest.approx(-shaft_stiffness() * expected, abs=1e-6)
    times = run.crossings(run.model["bearing"].angle, 0.0)
    assert math.pi * (len(times) - 1) / (times[-1] - times[0]) == pytest.approx(w, rel=1e-9)


# -- both ways ---------------------------------------------------------------------------------------------------------


def test_spring_mass_both_ways():
    """x and y, with the rail as a row y = 0: the force of the rail is -lam, here of a slanted pull f on the mass."""
    pull, lift = 12.5, 7.0
    one = spring_mass(0.2, velocity=1.5)
    one.force("f", one["mass"], (f"{pull}*sin(3*t)", f"{lift}*cos(2*t)"))
    two = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="k*x**2/2", holonomic={"rail": "y"},
        forces={"x": f"{pull}*sin(3*t)", "y": f"{lift}*cos(2*t)"}, parameters={"m": M, "k": K}, name="spring-mass",
    )  # fmt: skip
    two.start("x", 0.2, rate=1.5)
    one, two = (da.simulate(m, until=2.0, output=0.02, **two_ways.TIGHT) for m in (one, two))
    assert agree(two["x"], np.asarray(one["mass"].position)[:, 0])
    assert agree(two.rate("x"), np.asarray(one["mass"].velocity)[:, 0])
    assert agree(-two["rail"], np.asarray(one["rail"].force)[:, 1])
    assert agree(-np.asarray(two["rail"]), -lift * np.cos(2 * two.t))
    assert agree(two["-k*x"], one["spring"].effort)
    # closed form: free motion with the particular integral F/(k - 9 m) sin 3t
    part = pull / (K - 9 * M)
    expected = part * np.sin(3 * two.t) + 0.2 * np.cos(W * two.t) + (1.5 - 3 * part) / W * np.sin(W * two.t)
    assert agree(two["x"], expected)


def pendulum_of_energies(theta, rate=0.0):
    """One coordinate; and x, y with the rod as a row, whose multiplier is the tension."""
    one = da.Lagrangian(
        "theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)", parameters={"m": BOB, "l": L, "g": G}, name="angle"
    )  # fmt: skip
    one.start("theta", theta, rate=rate)
    two = da.Lagrangian(
        "x y",
        gravity=(0, "-g"),
        holonomic={"link": "sqrt(x**2 + y**2) - l"},
        parameters={"m": BOB, "l": L, "g": G},
        name="rod",
    )
    two.particle("bob", "m", ("x", "y"))
    two.start("x", L * math.sin(theta), rate=L * rate * math.cos(theta))
    two.guess("y", -L * math.cos(theta))
    return one, two


def test_pendulum_both_ways():
    """Large swing, 2 s: motion and tension, also m g cos th + m l th'^2 from the single coordinate."""
    start = 2.0
    models = [pendulum(start), *pendulum_of_energies(start)]
    one, angle, rod = (da.simulate(m, until=2.0, output=0.02, **two_ways.TIGHT) for m in models)
    path = one["bob"].position
    assert agree(np.column_stack([angle["l*sin(theta)"], angle["-l*cos(theta)"]]), path)
    assert agree(np.column_stack([rod["x"], rod["y"]]), path)
    tension = one["link"].multipliers[:, 0]
    assert agree(rod["link"], tension)
    assert agree(angle["m*g*cos(theta) + m*l*rate(theta)**2"], tension)
    assert agree(rod.reaction("link"), one["link"].force)
    assert agree(tension, BOB * G * (3 * np.cos(np.asarray(angle["theta"])) - 2 * math.cos(start)))


@pytest.mark.parametrize("plane", [True, False])
def test_shaft_both_ways(plane):
    """K = G I_p/L = G pi (2 R)^4/(32 L) with parameters as symbols in both; moment of the shaft and natural frequency."""
    two = da.Lagrangian(
        "theta", kinetic="J*rate(theta)**2/2", potential="G*pi*(2*R)**4/(32*L)*theta**2/2",
        parameters={"J": INERTIA, "G": SHEAR, "R": RADIUS, "L": LENGTH}, name="shaft",
    )  # fmt: skip
    two.start("theta", 0.1, rate=2.0)
    w = math.sqrt(shaft_stiffness() / INERTIA)
    one, two = (da.simulate(m, until=20.0 / w, **two_ways.TIGHT) for m in (shaft(plane, 0.1, 2.0), two))
    assert agree(two["theta"], one["bearing"].angle)
    torque = np.asarray(one["shaft"].on("disk").torque)
    assert agree(two["-G*pi*(2*R)**4/(32*L)*theta"], torque if plane else torque[:, 2])
    assert agree(two["theta"], 0.1 * np.cos(w * two.t) + 2.0 / w * np.sin(w * two.t))


def test_natural_frequencies_both_ways():
    """sqrt(k/m), sqrt(g/l), sqrt(K/J) from the linearized equations."""
    spring = da.Lagrangian("x", kinetic="m*rate(x)**2/2", potential="k*x**2/2", parameters={"m": M, "k": K})
    turning = da.Lagrangian(
        "th", kinetic="J*rate(th)**2/2", potential="K*th**2/2", parameters={"J": INERTIA, "K": shaft_stiffness()}
    )
    hanging, rod = pendulum_of_energies(0.0)
    machines = {
        W: (spring_mass(), spring),
        math.sqrt(G / L): (pendulum(0.0), hanging, rod),
        math.sqrt(shaft_stiffness() / INERTIA): (shaft(True), turning),
    }
    for w, models in machines.items():
        for m in models:
            assert np.max(np.abs(np.imag(da.linearize(m).eigenvalues))) == pytest.approx(w, rel=1e-10)
