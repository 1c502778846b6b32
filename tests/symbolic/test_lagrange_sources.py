"""Source examples that Lagrange's equations answer: L1, L4, L5, K1, K3, K6, K7, by simplification and at random points."""

import math

import pytest
import sympy as sp

import dalembert as da
from tests.symbolic.machines import (
    bar_on_shaft,
    bar_on_string,
    double_pendulum,
    double_pendulum_with_rods,
    manipulator,
    parameters,
    pendulum,
    same,
    sliding_pendulum,
    symbols,
)


def test_l1_three_freedoms_and_forward_kinematics():
    """Seven variables, four relations, three freedoms; x_D = l1 c1 + l2 c12 + l3 c123 (the source's x_B is a misprint)."""
    form = da.equations(manipulator(), form="lagrange")
    assert form.derivation.names == ("th1", "th2", "th3") and len(form.equations) == 3
    th1, th2, th3 = (form.symbols[x] for x in ("th1", "th2", "th3"))
    l1, l2, l3 = (sp.Symbol(x, real=True) for x in ("l1", "l2", "l3"))
    assert same(form.substituted["xB"], l1 * sp.cos(th1)) and same(form.substituted["yB"], l1 * sp.sin(th1))
    assert same(form.substituted["xC"], l1 * sp.cos(th1) + l2 * sp.cos(th1 + th2))
    assert same(form.substituted["yC"], l1 * sp.sin(th1) + l2 * sp.sin(th1 + th2))
    # kinetic energy of D by its forward kinematics, differentiated by SymPy
    t = sp.Symbol("t", real=True)
    f = [sp.Function(f"f{k}")(t) for k in range(3)]
    at = {th1: f[0], th2: f[1], th3: f[2]}
    x = l1 * sp.cos(th1) + l2 * sp.cos(th1 + th2) + l3 * sp.cos(th1 + th2 + th3)
    y = l1 * sp.sin(th1) + l2 * sp.sin(th1 + th2) + l3 * sp.sin(th1 + th2 + th3)
    T = (x.subs(at).diff(t) ** 2 + y.subs(at).diff(t) ** 2) / 2
    T = T.subs({f[k].diff(t): form.symbols[f"th{k + 1}'"] for k in range(3)}).subs(
        {f[k]: form.symbols[f"th{k + 1}"] for k in range(3)}
    )
    assert same(form.T.diff(sp.Symbol("mD", real=True)), T)


def test_l4_bar_on_shaft():
    form = da.equations(bar_on_shaft(), form="lagrange")
    th, dth, ddth, ph, dph, ddph = symbols(form, "theta", "phi")
    m, a, g, k = parameters(form, "m", "a", "g", "k")
    assert same(form.T, m * a**2 / 6 * (dth**2 * sp.sin(ph) ** 2 + dph**2))
    inertia = m * a**2 / 3
    first, second = form.residuals
    assert same(first, inertia * (ddth * sp.sin(ph) ** 2 + 2 * dth * dph * sp.sin(ph) * sp.cos(ph)))
    # the spring's sign as derived; 2.4.1 misprints it
    expected = ddph - dth**2 * sp.sin(ph) * sp.cos(ph) + 3 * g / (2 * a) * sp.sin(ph) + 3 * k * ph / (m * a**2)
    assert same(second, inertia * expected)
    # theta eliminated by its constant alpha = theta' sin^2(phi): -alpha^2 cos(phi)/sin^3(phi), not alpha cos(phi)
    alpha = sp.Symbol("alpha", real=True)
    left = ddph - alpha**2 * sp.cos(ph) / sp.sin(ph) ** 3 + 3 * g / (2 * a) * sp.sin(ph) + 3 * k * ph / (m * a**2)
    assert same(second.subs(dth, alpha / sp.sin(ph) ** 2), inertia * left)


def test_l5_shaft_torque():
    form = da.equations(bar_on_shaft(torque=True), form="lagrange")
    th, dth, ddth, ph, dph, ddph = symbols(form, "theta", "phi")
    m, a, tau = parameters(form, "m", "a", "tau")
    expected = ddth * sp.sin(ph) ** 2 + 2 * dth * dph * sp.sin(ph) * sp.cos(ph) - 3 * tau / (m * a**2)
    assert same(form.residuals[0], m * a**2 / 3 * expected)


def test_k1_spring_and_mass_and_shaft():
    m = da.Lagrangian(
        "x",
        kinetic="m*rate(x)**2/2",
        potential="k*x**2/2",
        forces={"x": "f"},
        parameters={"m": 2.0, "k": 5.0, "f": 1.0},
    )
    form = da.equations(m, form="lagrange")
    x, dx, ddx = symbols(form, "x")
    mass, k, f = parameters(form, "m", "k", "f")
    assert same(form.residuals[0], mass * ddx + k * x - f)
    shaft = da.Lagrangian(
        "theta", kinetic="I*rate(theta)**2/2", potential="G*pi*D**4/32/L*theta**2/2",
        parameters={"I": 0.4, "G": 8e10, "D": 0.016, "L": 1.5}, name="shaft",
    )  # fmt: skip
    small = da.small_oscillations(shaft)
    w = math.sqrt(8e10 * math.pi * 0.016**4 / 32 / 1.5 / 0.4)
    assert small.eigenvalues().imag == pytest.approx([-w, w], rel=1e-12)


def test_k1_pendulum_and_its_tension():
    form = da.equations(pendulum(), form="lagrange")
    th, dth, ddth = symbols(form, "theta")
    m, l, g = parameters(form, "m", "l", "g")
    assert same(form.residuals[0], m * l**2 * ddth + m * g * l * sp.sin(th))
    # free-body equations: the reaction along the string towards the pivot is m g cos(theta) + m l theta'^2
    newton = da.equations(pendulum(), form="newton-euler")
    state = {"theta": 0.7, "rate(theta)": 1.3}
    found = newton.solve_reactions(state)
    tension = 9.81 * math.cos(0.7) + 0.5 * 1.3**2
    assert found["R_bob_x"] == pytest.approx(-tension * math.sin(0.7), rel=1e-12)
    assert found["R_bob_y"] == pytest.approx(tension * math.cos(0.7), rel=1e-12)


def test_k3_double_pendulum():
    form = da.equations(double_pendulum(), form="lagrange")
    a, da_, dda, b, db, ddb = symbols(form, "th1", "th2")
    m1, m2, l1, l2, g = parameters(form, "m1", "m2", "l1", "l2", "g")
    first = (
        (m1 + m2) * l1**2 * dda
        + m2 * l1 * l2 * (ddb * sp.cos(a - b) + db**2 * sp.sin(a - b))
        + (m1 + m2) * g * l1 * sp.sin(a)
    )
    second = m2 * l2**2 * ddb + m2 * l1 * l2 * (dda * sp.cos(a - b) - da_**2 * sp.sin(a - b)) + m2 * g * l2 * sp.sin(b)
    assert same(form.residuals[0], first) and same(form.residuals[1], second)


def test_k3_tensions_are_multipliers():
    """Rods of true length as rows: the multiplier is the tension; both by Newton's equations of the source."""
    rods = da.equations(double_pendulum_with_rods(), form="multipliers")
    a, b, da_, db = 0.5, -0.8, 1.1, 0.4
    l1, l2, m1, m2 = 0.6, 0.9, 1.0, 2.0
    state = {"th1": a, "th2": b, "rate(th1)": da_, "rate(th2)": db}
    dda, ddb = da.equations(double_pendulum(), form="lagrange").accelerations(state).accelerations.values()
    x1, y1 = l1 * math.sin(a), -l1 * math.cos(a)
    at = {"x1": x1, "y1": y1, "x2": x1 + l2 * math.sin(b), "y2": y1 - l2 * math.cos(b)}
    at |= {"rate(x1)": l1 * da_ * math.cos(a), "rate(y1)": l1 * da_ * math.sin(a)}
    at |= {"rate(x2)": at["rate(x1)"] + l2 * db * math.cos(b), "rate(y2)": at["rate(y1)"] + l2 * db * math.sin(b)}
    found = rods.accelerations(at)
    ax2 = l1 * (dda * math.cos(a) - da_**2 * math.sin(a)) + l2 * (ddb * math.cos(b) - db**2 * math.sin(b))
    assert found.accelerations["x2"] == pytest.approx(ax2, rel=1e-10)
    T2 = -m2 * ax2 / math.sin(b)  # m2 x2'' = -T2 sin(th2)
    ax1 = l1 * (dda * math.cos(a) - da_**2 * math.sin(a))
    T1 = (T2 * math.sin(b) - m1 * ax1) / math.sin(a)  # m1 x1'' = -T1 sin(th1) + T2 sin(th2)
    assert found.multipliers["rod 1"] == pytest.approx(T1, rel=1e-10)
    assert found.multipliers["rod 2"] == pytest.approx(T2, rel=1e-10)


def test_k6_bar_on_string():
    form = da.equations(bar_on_string(), form="lagrange")
    a, da_, dda, b, db, ddb = symbols(form, "th1", "th2")
    m, L1, L2, g, F = parameters(form, "m", "L1", "L2", "g", "F")
    assert same(form.T, m / 2 * (L1**2 * da_**2 + L1 * L2 * da_ * db * sp.cos(b - a) + L2**2 / 3 * db**2))
    first = m * L1**2 * dda + m * L1 * L2 / 2 * (ddb * sp.cos(b - a) - db**2 * sp.sin(b - a)) + m * g * L1 * sp.sin(a)
    second = (
        m * L1 * L2 / 2 * (dda * sp.cos(b - a) + da_**2 * sp.sin(b - a))
        + m * L2**2 / 3 * ddb
        + m * g * L2 / 2 * sp.sin(b)
    )
    assert same(form.residuals[0], first - F * L1 * sp.cos(a))
    assert same(form.residuals[1], second - F * L2 * sp.cos(b))


def test_k7_sliding_mass():
    form = da.equations(sliding_pendulum(), form="lagrange")
    q1, d1, dd1, q2, d2, dd2 = symbols(form, "q1", "q2")
    m, k, g = parameters(form, "m", "k", "g")
    assert same(form.residuals[0], m * dd1 - m * q1 * d2**2 - m * g * sp.cos(q2) + k * q1)
    assert same(form.residuals[1], m * q1**2 * dd2 + 2 * m * q1 * d1 * d2 + m * g * q1 * sp.sin(q2))
