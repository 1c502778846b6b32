"""Routh's equations: ignorable coordinates eliminated (LAGRANGE 2.4.1), against closed forms, other forms and motions."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic import machines
from tests.symbolic.machines import parameters, same, symbols


def test_l4_of_the_source():
    """φ̈ = α² cos φ/sin³ φ − (3g/2a) sin φ − 3kφ/(m a²), α = θ̇ sin² φ constant (the source prints α cos φ, and the spring with + )."""
    form = da.equations(machines.bar_on_shaft(), form="routh", ignore="theta")
    m, a, g, k = parameters(form, "m", "a", "g", "k")
    phi, rate, turn = symbols(form, "phi")
    (p,) = form.p
    assert form.ignored == ("theta",) and form.kept == ("phi",) and form.symbols["p_theta"] is p
    # α = θ̇ s² is 3 p/(m a²)
    alpha = sp.Symbol("alpha")
    theta_rate = form.symbols["theta'"]
    assert same(form.momenta[0], m * a**2 / 3 * theta_rate * sp.sin(phi) ** 2)
    assert same(form.rates[0].subs(p, m * a**2 * alpha / 3), alpha / sp.sin(phi) ** 2)
    expected = alpha**2 * sp.cos(phi) / sp.sin(phi) ** 3 - 3 * g / (2 * a) * sp.sin(phi) - 3 * k * phi / (m * a**2)
    found = sp.solve(form.residuals[0].subs(p, m * a**2 * alpha / 3), turn)[0]
    assert same(found, expected)
    assert same(form.rhs[0] / form.M[0, 0], found.subs(alpha, 3 * p / (m * a**2)))
    # effective potential, and R = T_2 - V_eff
    V = -m * g * a * sp.cos(phi) / 2 + k * phi**2 / 2 + 3 * p**2 / (2 * m * a**2 * sp.sin(phi) ** 2)
    assert same(form.V_effective, V) and same(form.R, m * a**2 * rate**2 / 6 - V)


def test_motion_of_the_reduced_system():
    """One coordinate and a parameter instead of two coordinates: the same motion."""
    whole = machines.bar_on_shaft()
    whole.start("phi", 0.8)
    whole.start("theta", 0.0, rate=4.0)
    form = da.equations(whole, form="routh")
    momenta = form.momenta_at({"phi": 0.8, "rate(theta)": 4.0})
    part = form.lagrangian(momenta)
    assert part.q == ("phi",) and part.parameters["p_theta"] == momenta["p_theta"]
    options = {"until": 1.0, "rtol": 1e-11, "atol": 1e-11, "output": 0.1}
    one, two = da.simulate(whole, **options), da.simulate(part, **options)
    assert np.asarray(two["phi"]) == pytest.approx(np.asarray(one["phi"]), abs=1e-9)
    # the energy of the reduced system is that of the whole
    assert np.asarray(two.energy.total) == pytest.approx(np.asarray(one.energy.total), abs=1e-9)


def test_mechanism_in_space():
    """L4 of bodies and joints: the turn of the cross about the shaft is ignorable."""
    m = da.Mechanism("bar on a shaft", plane=False, gravity=(0, 0, -9.81))
    M, A, K = 1.2, 0.7, 3.0
    bar = m.body("bar", mass=M, inertia=(M * A**2 / 12, M * A**2 / 12, 0), at=(0, 0, -A / 2))
    cross = m.universal("O", m.ground, bar, at=(0, 0, 0), axes=("z", "y"))
    m.torsion_spring("spring", cross.angle_j, stiffness=K)
    form = da.equations(m, form="routh")
    (shaft,), (pin,) = form.ignored, form.kept
    state = {pin: -0.9, f"rate({pin})": -0.5, f"rate({shaft})": 4.0}
    found = form.accelerations(state).accelerations
    alpha = 4.0 * np.sin(0.9) ** 2
    expected = alpha**2 * np.cos(0.9) / np.sin(0.9) ** 3 - 1.5 * 9.81 / A * np.sin(0.9) - 3 * K * 0.9 / (M * A**2)
    assert -found[pin] == pytest.approx(expected, rel=1e-12)
    # and the shaft: θ̈ sin²φ + 2 θ̇ φ̇ sinφ cosφ = 0
    assert found[shaft] * np.sin(0.9) ** 2 + 2 * 4.0 * 0.5 * np.sin(0.9) * np.cos(0.9) == pytest.approx(0, abs=1e-12)


def heavy_top():
    m = da.Lagrangian(
        "phi theta psi",
        gravity=(0, 0, "-g"),
        parameters={"m": 1.0, "A": 0.3, "C": 0.1, "h": 0.2, "g": 9.81},
        name="top",
    )
    place = ("h*sin(theta)*sin(phi)", "-h*sin(theta)*cos(phi)", "h*cos(theta)")
    m.body("top", "m", ("A", "A", "C"), at=place, turns=[("z", "phi"), ("x", "theta"), ("z", "psi")])
    return m


def test_two_ignorable_coordinates():
    """Lagrange's top: V_eff = m g h cos θ + (p_φ − p_ψ cos θ)²/(2 (A + m h²) sin² θ) + p_ψ²/(2 C), textbook."""
    form = da.equations(heavy_top(), form="routh")
    assert form.ignored == ("phi", "psi")
    m, A, C, h, g = parameters(form, "m", "A", "C", "h", "g")
    theta, (p, s) = form.symbols["theta"], form.p
    about = A + m * h**2
    V = m * g * h * sp.cos(theta) + (p - s * sp.cos(theta)) ** 2 / (2 * about * sp.sin(theta) ** 2) + s**2 / (2 * C)
    assert same(form.V_effective, V) and same(form.M[0, 0], about)
    # one of them only: the spin stays a parameter, the precession a coordinate; gyroscopic terms are linear in the rates
    one = da.equations(heavy_top(), form="routh", ignore=["psi"])
    state = {"theta": 0.6, "rate(theta)": 0.3, "rate(phi)": 1.1, "rate(psi)": 30.0}
    expected = da.equations(heavy_top(), form="lagrange").accelerations(state).accelerations
    for found in (one, form):
        assert found.accelerations(state).accelerations == pytest.approx(expected, rel=1e-10)
    assert da.compare(heavy_top()).agree


def test_rows_and_forces_stay():
    """A row and a force among the kept coordinates: multipliers and accelerations as with multipliers."""
    m = da.Lagrangian(
        "theta x y", kinetic="m*(rate(x)**2 + rate(y)**2 + x**2*rate(theta)**2)/2", potential="m*g*y", forces={"x": "-c*rate(x)"},
        holonomic={"bowl": "y - x**2"}, parameters={"m": 0.7, "g": 9.81, "c": 0.2}, name="bowl",
    )  # fmt: skip
    found = da.compare(m)
    assert found.agree and "routh" in found.forms
    assert found["routh"].ignored == ("theta",)
    part = found["routh"].lagrangian({"p_theta": 0.4})
    assert da.compare(part).agree and list(part.holonomic) == ["bowl"]


def test_what_is_refused():
    with pytest.raises(da.MethodError, match="'phi' is not ignorable: L contains it"):
        da.equations(machines.bar_on_shaft(), form="routh", ignore=["phi"])
    with pytest.raises(da.MethodError, match="a force acts on it"):
        da.equations(machines.bar_on_shaft(torque=True), form="routh", ignore="theta")
    with pytest.raises(da.MethodError, match="no ignorable coordinate"):
        da.equations(machines.double_pendulum(), form="routh")
    with pytest.raises(da.MethodError, match="the row 'along x' contains it"):
        da.equations(machines.rolling_disk(), form="routh", ignore="psi")
    with pytest.raises(da.ModelError, match="no coordinate"):
        da.equations(machines.bar_on_shaft(), form="routh", ignore="thet")
    with pytest.raises(da.MethodError, match="belongs to the forms routh"):
        da.equations(machines.bar_on_shaft(), form="lagrange", ignore="theta")
    with pytest.raises(da.MethodError, match="p_theta"):
        da.equations(machines.bar_on_shaft(), form="routh").lagrangian({})
    follower = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", forces={"y": "sin(x)"})
    with pytest.raises(da.MethodError, match="the force on y contains it"):
        da.equations(follower, form="routh", ignore="x")
