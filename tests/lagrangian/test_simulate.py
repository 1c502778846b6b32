"""Motion of Lagrangian systems against closed forms, mechanisms, and their own integrals."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da

from .machines import G, double_pendulum, pendulum, sleigh, slider_crank, slider_crank_of_joints

TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def test_pendulum():
    """sin(theta/2) = k sn(K + w t | k^2) from rest at theta_0, k = sin(theta_0/2)."""
    run = da.simulate(pendulum(theta=2.0), until=5.0, **TIGHT)
    k, w = math.sin(1.0), math.sqrt(G / 2.0)
    expected = 2.0 * np.arcsin(k * ellipj(ellipk(k**2) + w * run.t, k**2)[0])
    assert run["theta"] == pytest.approx(expected, abs=1e-10)
    assert run.status == "ok"
    assert run["theta"].rate[0] == 0.0


@pytest.mark.parametrize("method", [5, 8])
def test_both_methods(method):
    run = da.simulate(pendulum(), until=1.0, method=method)
    assert run.audit.passed and run.audit.steps > 3


def test_double_pendulum_as_a_mechanism():
    m = da.Mechanism("double pendulum", gravity=(0, -G))
    points = [(0, 0), (0.7 * math.sin(1.0), -0.7 * math.cos(1.0))]
    points.append((points[1][0] + 0.7 * math.sin(2.0), points[1][1] - 0.7 * math.cos(2.0)))
    upper, lower = m.particle("upper", mass=1.3, at=points[1]), m.particle("lower", mass=2.6, at=points[2])
    m.distance("one", m.ground, upper)
    m.distance("two", upper, lower)
    m.start(lower.x, rate=-0.35 * math.cos(2.0))
    m.start(lower.y, rate=-0.35 * math.sin(2.0))
    m.start(upper.x, rate=0.0)
    one, two = da.simulate(m, until=1.0, **TIGHT), da.simulate(double_pendulum(), until=1.0, **TIGHT)
    assert two["lower"].position[:, :2] == pytest.approx(np.asarray(one["lower"].position)[:, :2], abs=1e-10)


def test_slider_crank_as_a_mechanism():
    """Loop closed by rows: motion and reactions of both ways."""
    one, two = slider_crank_of_joints(), slider_crank()
    one.start(one["O"].angle, 0.5, rate=8.0)
    two.start("th", 0.5, rate=8.0)
    one, two = da.simulate(one, until=1.0, **TIGHT), da.simulate(two, until=1.0, **TIGHT)
    assert two.audit.passed and one.audit.passed
    assert two["th"] == pytest.approx(np.asarray(one["O.angle"]), abs=1e-10)
    # rows x - ... and y - ... hold the pin B: their multipliers are the force on the rod there, X = lam, Y = -lam
    force = np.asarray(one["B"].on(one.model["rod"]).force)
    assert -two["closure y"] == pytest.approx(force[:, 1], abs=1e-8)
    assert two["closure x"] == pytest.approx(force[:, 0], abs=1e-8)


def test_sleigh_on_a_circle():
    """K5-like: speed 1 and turning 0.5 give a circle of radius 2, with the force m v w across the blade."""
    run = da.simulate(sleigh(), until=10.0, **TIGHT)
    assert run.audit.passed and run.audit.degrees_of_freedom == 2
    assert run["x"] == pytest.approx(2.0 * np.sin(0.5 * run.t), abs=1e-10)
    assert run["y"] == pytest.approx(2.0 - 2.0 * np.cos(0.5 * run.t), abs=1e-10)
    assert run["blade"] == pytest.approx(-1.2 * 0.5, abs=1e-9)
    across = run.reaction("blade")
    assert np.hypot(across[:, 0], across[:, 1]) == pytest.approx(0.6, abs=1e-9)


def test_bead_on_a_spinning_wire():
    """Explicit time in T: straight wire turning at w, r = r0 cosh(w t); T + V is not constant, the Jacobi integral is."""
    m = da.Lagrangian("r", parameters={"m": 2.0, "w": 3.0})
    m.particle("bead", "m", ("r*cos(w*t)", "r*sin(w*t)"))
    m.start("r", 0.1)
    run = da.simulate(m, until=1.0, **TIGHT)
    assert run["r"] == pytest.approx(0.1 * np.cosh(3.0 * run.t), rel=1e-10)
    assert run.audit.passed
    assert run.energy.jacobi == pytest.approx(run.energy.jacobi[0], abs=1e-9)
    assert run.energy.total[-1] > 100.0 * run.energy.total[0]


def test_moving_support():
    """x'' + w0^2 (x - u) = 0 with u = sin(2 t): explicit time in V; the audit follows its power."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="k*(x - sin(2*t))**2/2", parameters={"k": 9.0})
    run = da.simulate(m, until=4.0, **TIGHT)
    # from rest: x = (9 sin 2t - 6 sin 3t) / 5
    assert run["x"] == pytest.approx((9.0 * np.sin(2.0 * run.t) - 6.0 * np.sin(3.0 * run.t)) / 5.0, abs=1e-10)
    assert run.audit.passed


def test_dissipation_and_force():
    """x'' + 2 z w x' + w^2 x = 1 from rest, and the power of damping is -2 D."""
    m = da.Lagrangian(
        "x", kinetic="rate(x)**2/2", potential="w**2*x**2/2", dissipation="z*w*rate(x)**2", forces={"x": 1},
        parameters={"w": 4.0, "z": 0.1},
    )  # fmt: skip
    run = da.simulate(m, until=3.0, **TIGHT)
    w, z = 4.0, 0.1
    d = w * math.sqrt(1 - z * z)
    expected = (1.0 - np.exp(-z * w * run.t) * (np.cos(d * run.t) + z * w / d * np.sin(d * run.t))) / w**2
    assert run["x"] == pytest.approx(expected, abs=1e-11)
    assert run.powers[:, 1] == pytest.approx(-2.0 * np.asarray(run["z*w*rate(x)**2"]), abs=1e-12)
    assert run.audit.passed


def test_driven_row_does_work():
    """Motor on a pendulum: the first law closes with the power of the moving row."""
    m = pendulum(theta=0.0, rate=3.0)
    m.constraint("motor", "theta - sin(3*t)")
    run = da.simulate(m, until=2.0)
    assert run.audit.passed
    torque = -1.5 * 4.0 * 9.0 * np.sin(3.0 * run.t) + 1.5 * G * 2.0 * np.sin(np.sin(3.0 * run.t))
    assert -run["motor"] == pytest.approx(torque, abs=1e-8)


def test_repeated_row():
    """A row given twice: one is left out and named, the motion is right, nothing is NaN."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 1.5, "l": 2.0, "g": G},
        holonomic={"rod": "x**2 + y**2 - l**2", "again": "3*x**2 + 3*y**2 - 3*l**2"},
    )  # fmt: skip
    m.start("x", 2.0 * math.sin(0.3))
    m.guess("y", -2.0)
    run, plain = da.simulate(m, until=2.0, **TIGHT), da.simulate(pendulum(), until=2.0, **TIGHT)
    assert run["x"] == pytest.approx(2.0 * np.sin(np.asarray(plain["theta"])), abs=1e-10)
    assert run.audit.passed and run.audit.degrees_of_freedom == 1
    assert len(run.audit.redundant_rows) == 1 and set(run.audit.not_unique) == {"rod", "again"}


def test_coordinate_without_inertia_held_by_a_row():
    """Kinetic energy only in x, y tied to it: legal, and right."""
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2", potential="k*y**2/2", holonomic={"tie": "y - 2*x"}, parameters={"k": 3.0}
    )
    m.start("x", 0.1)
    run = da.simulate(m, until=3.0, **TIGHT)
    assert run["x"] == pytest.approx(0.1 * np.cos(math.sqrt(12.0) * run.t), abs=1e-11)
    assert run["tie"] == pytest.approx(-3.0 * np.asarray(run["y"]), abs=1e-9)


def test_through_a_dead_centre():
    """Rows lose their independence in the flat crank; a free slider-crank passes it again and again."""
    m = slider_crank()
    m.start("th", 0.3, rate=20.0)
    assert da.simulate(m, until=2.0).audit.passed


def test_other_times_and_crossings():
    run = da.simulate(pendulum(), until=2.0)
    assert run.at(1.2345).q[0] == pytest.approx(da.simulate(pendulum(), until=1.2345, **TIGHT)["theta"][-1], abs=1e-8)
    w = math.sqrt(G / 2.0) * math.pi / (2.0 * ellipk(math.sin(0.15) ** 2))
    assert run.crossings("theta")[0] == pytest.approx(math.pi / (2.0 * w), abs=1e-7)
    assert run.resample([0.5, 1.0])["theta"].shape == (2,)
    assert len(da.simulate(pendulum(), until=2.0, output="steps").t) == run.audit.steps + 1


def test_backward():
    run = da.simulate(pendulum(), until=1.0, **TIGHT)
    back = da.simulate(pendulum(), until=0.0, start=run.at(1.0), backward=True, **TIGHT)
    assert back["theta"][-1] == pytest.approx(0.3, abs=1e-10)


def test_impulsive_start(tmp_path):
    """Rates that contradict a row are refused, or caught: v+ = M^-1-projection of the rates given."""
    m = sleigh()
    m.start("y", 0.0, rate=2.0)
    with pytest.raises(da.AssemblyError, match="'blade' by|rate of 'y' missed"):
        da.simulate(m, until=1.0)
    run = da.simulate(m, until=1.0, velocities="impulsive")
    assert run.v[0] == pytest.approx([1.0, 0.0, 0.5], abs=1e-12)
    assert run.impulse.energy_change == pytest.approx(-0.5 * 1.2 * 4.0, rel=1e-12)
    assert run.impulse.impulse["blade"] == pytest.approx(1.2 * 2.0, rel=1e-12)
    run.save(tmp_path / "run.npz")
    told = da.load(tmp_path / "run.npz").impulse
    assert told["before"] == run.impulse.before.v.tolist() and told["impulse"] == run.impulse.impulse
    assert told["energy_after"] - told["energy_before"] == run.impulse.energy_change


def test_sympy_input():
    """The same pendulum from SymPy objects."""
    import sympy as sp
    from sympy.physics.vector import dynamicsymbols

    theta, (mass, length, g) = dynamicsymbols("theta"), sp.symbols("m l g")
    m = da.Lagrangian(
        [theta], kinetic=mass * length**2 * theta.diff() ** 2 / 2, potential=-mass * g * length * sp.cos(theta),
        parameters={mass: 1.5, length: 2.0, g: G},
    )  # fmt: skip
    m.start(theta, 0.3)
    one, two = da.simulate(m, until=1.0), da.simulate(pendulum(), until=1.0)
    assert np.array_equal(one.q, two.q)


def test_many_coordinates():
    """Twenty-four links in joint angles: energy to round-off of the method, in one piece."""
    n = 24
    m = da.Lagrangian([f"p{k}" for k in range(n)], gravity=(0, -G))
    angle, x, y = 0, 0, 0
    for k, p in enumerate(m.coordinates):
        angle = p if k == 0 else angle + p
        x, y = x + da.functions.sin(angle) / n, y - da.functions.cos(angle) / n
        m.particle(f"mass {k}", 1.0 / n, (x, y))
    m.start("p0", 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = da.simulate(m, until=0.2, output=0.1)
    assert run.audit.passed


def test_rest_up_to_rounding():
    """Hanging at rest where the force is the rounding of cos(pi/2); and a start that is zero up to rounding."""
    m = da.Lagrangian("theta", kinetic="rate(theta)**2/2", potential="9.81*sin(theta)")
    m.start("theta", -math.pi / 2)
    assert da.simulate(m, until=0.8, rtol=1e-13, atol=1e-14).audit.passed
    free = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*x + 3*y")
    free.start("x", 1e-16)
    free.start("y", 2e-15)
    run = da.simulate(free, until=1.0, rtol=1e-13, atol=1e-13)
    assert run["x"][-1] == pytest.approx(-9.81 / 2, rel=1e-12)
