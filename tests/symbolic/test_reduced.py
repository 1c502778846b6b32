"""Equations without multipliers (LAGRANGE 2.6): L2, L3, L6, K5, quasi-velocities, the matrices X, Y, Z, W, rheonomic rows."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic.machines import axle, differential, four_bar, parameters, rolling_disk, same, symbols, upright_disk


def test_l2_differential_gear():
    form = da.equations(differential(), form="reduced", independent=["th1", "th2"])
    _, d1, dd1, _, d2, dd2 = symbols(form, "th1", "th2")
    mA, mB, a, b, It = parameters(form, "mA", "mB", "a", "b", "It")
    tau1, tau2, tau3 = parameters(form, "tau1", "tau2", "tau3")
    rates = dict(zip(form.derivation.names, form.partition.rates))
    assert same(rates["th3"], a / (2 * b) * (d2 - d1)) and same(rates["th4"], (d1 + d2) / 2)
    # the factor 2 on m_A that 2.3.1 loses, and any inertia I_t of B about AA'
    first = (2 * mA * a**2 + It + mB * a**2 / 2) * dd1 + (It - mB * a**2 / 2) * dd2 - 2 * (2 * tau1 + tau3)
    second = (2 * mA * a**2 + It + mB * a**2 / 2) * dd2 + (It - mB * a**2 / 2) * dd1 - 2 * (2 * tau2 + tau3)
    assert same(4 * form.residuals[0], first) and same(4 * form.residuals[1], second)


def test_l3_rolling_disk():
    form = da.equations(rolling_disk(), form="reduced")
    assert form.independent == ("theta", "phi", "psi") and form.dependent == ("x", "y")
    th, dth, ddth, _, dph, ddph, _, dps, ddps = symbols(form, "theta", "phi", "psi")
    m, r, g = parameters(form, "m", "r", "g")
    s, c = sp.sin(th), sp.cos(th)
    first = 5 * ddth - 5 * s * c * dph**2 - 6 * c * dph * dps - 4 * g * s / r
    second = c * ddph + 2 * dth * dps
    third = 3 * s * ddph + 3 * ddps + 5 * c * dth * dph
    scale = m * r**2 / 4
    assert same(form.residuals[0], scale * first)
    assert same(form.residuals[2], 2 * scale * third)
    # (b) of the source is cos(theta) times (b') plus 2 sin(theta) times (c)
    assert same(form.residuals[1], scale * (c * second + 2 * s * third))


def test_l3_matrices():
    form = da.equations(rolling_disk(), form="reduced")
    th, _, _, ph, _, _ = symbols(form, "theta", "phi")
    (r,) = parameters(form, "r")
    assert form.X == sp.eye(3) and form.Y == sp.zeros(3, 2) and form.W == sp.eye(2)
    A = r * sp.Matrix([[sp.cos(th) * sp.sin(ph), sp.sin(th) * sp.cos(ph), sp.cos(ph)], [-sp.cos(th) * sp.cos(ph), sp.sin(th) * sp.sin(ph), sp.sin(ph)]])  # fmt: skip
    assert all(same(x, y) for x, y in zip(form.Z, -A))  # Z = -A_m^-1 A_mp


def test_l3_by_components_of_the_angular_velocity():
    """Quasi-velocities w = (theta', cos(theta) phi', sin(theta) phi' + psi'): same motion, and Euler's way of writing it."""
    quasi = {"w1": "rate(theta)", "w2": "cos(theta)*rate(phi)", "w3": "sin(theta)*rate(phi) + rate(psi)"}
    form = da.equations(rolling_disk(), form="reduced", quasi_velocities=quasi)
    m, r, g = parameters(form, "m", "r", "g")
    assert [u.name for u in form.u] == ["w1", "w2", "w3"]
    # the mass matrix is constant in these: (1/4 + 1) m r^2, m r^2/4, (1/2 + 1) m r^2
    assert form.M == sp.diag(5 * m * r**2 / 4, m * r**2 / 4, 3 * m * r**2 / 2)
    plain = da.equations(rolling_disk(), form="multipliers")
    for state in da.compare(rolling_disk(), states=3, seed=5).states:
        one, two = form.accelerations(state), plain.accelerations(state)
        assert list(one.accelerations.values()) == pytest.approx(list(two.accelerations.values()), rel=1e-10, abs=1e-10)
        assert list(one.multipliers.values()) == pytest.approx(list(two.multipliers.values()), rel=1e-10, abs=1e-10)
    # C times its inverse is one: X, Y, Z, W are blocks of it
    C = sp.Matrix([[sp.diff(x, v) for v in form.derivation.symbols.v] for x in form.partition.definitions]).col_join(form.derivation.J)  # fmt: skip
    assert all(same(x, y) for x, y in zip(C * form.partition.inverse, sp.eye(5)))


def test_substituting_the_rows_into_l_first_would_be_wrong():
    """The reduced T as if it were an ordinary system gives other equations: the reason why L is formed first."""
    m = rolling_disk()
    right = da.equations(m, form="reduced")
    rates = dict(zip(m.q, right.partition.rates))
    T = right.derivation.T.subs({right.symbols[f"{x}'"]: rates[x] for x in ("x", "y")})
    wrong = da.Lagrangian(
        ["theta", "phi", "psi"],
        right.derivation.symbols.back(sp.expand(T)),
        m.potential,
        parameters=m.parameters,
        name="wrong",
    )
    state = {"theta": 0.4, "phi": 0.2, "psi": 0.1, "rate(theta)": 0.7, "rate(phi)": 1.1, "rate(psi)": -2.0}
    good = right.accelerations(state | {f"rate({x})": float(rates[x].subs({right.symbols[k.replace('rate(', '').replace(')', chr(39)) if 'rate' in k else k]: v for k, v in state.items()}).subs({right.symbols["r"]: 0.4})) for x in ("x", "y")})  # fmt: skip
    bad = da.equations(wrong, form="lagrange").accelerations(state)
    off = {k: bad.accelerations[k] - good.accelerations[k] for k in wrong.q}
    assert max(abs(x) for x in off.values()) > 0.1


def test_l6_axle():
    form = da.equations(axle(), form="reduced", independent=["q3", "q4"])
    m, a, l = parameters(form, "m", "a", "l")
    _, d3, dd3, _, d4, dd4 = symbols(form, "q3", "q4")
    alpha = a / l
    T = form.partition.admissible(form.derivation.T)
    assert same(T, m * a**2 / 4 * ((3 + alpha**2) * d3**2 - 2 * alpha**2 * d3 * d4 + (3 + alpha**2) * d4**2))
    assert same(form.residuals[0], m * a**2 / 2 * ((3 + alpha**2) * dd3 - alpha**2 * dd4))
    assert same(form.residuals[1], m * a**2 / 2 * (-(alpha**2) * dd3 + (3 + alpha**2) * dd4))
    # wheel rates are constant: the only solution of these two is zero
    assert sp.solve(form.residuals, [dd3, dd4]) == {dd3: 0, dd4: 0}
    # radius of the circle of C: |C'|/|q5'|
    rates = dict(zip(form.derivation.names, form.partition.rates))
    speed = sp.sqrt(rates["q1"] ** 2 + rates["q2"] ** 2)
    radius = sp.simplify((speed / sp.Abs(rates["q5"])).subs({d3: 2, d4: 5}))
    assert same(radius.subs({l: sp.Rational(9, 10), a: sp.Rational(1, 4)}), sp.Rational(9, 20) * sp.Rational(7, 3))


def test_k5_upright_disk():
    form = da.equations(upright_disk(), form="reduced")
    assert form.independent == ("theta", "phi")
    _, _, ddth, _, _, ddph = symbols(form, "theta", "phi")
    m, A, C, r = parameters(form, "m", "A", "C", "r")
    assert same(form.residuals[0], A * ddth) and same(form.residuals[1], (C + m * r**2) * ddph)


def test_four_bar_in_nine_coordinates():
    """Rates of coupler and rocker per crank rate: -l1 sin(a - c)/(l2 sin(b - c)) and l1 sin(a - b)/(l3 sin(c - b)) (textbook)."""
    form = da.equations(four_bar(), form="reduced")
    assert form.independent == ("a",) and len(form.equations) == 1
    a, da_, _, b, db, _, c, dc, _ = symbols(form, "a", "b", "c")
    l1, l2, l3 = parameters(form, "l1", "l2", "l3")
    rates = dict(zip(form.derivation.names, form.partition.rates))
    assert same(rates["b"], -l1 * sp.sin(a - c) / (l2 * sp.sin(b - c)) * da_)
    assert same(rates["c"], l1 * sp.sin(a - b) / (l3 * sp.sin(c - b)) * da_)


def test_rows_with_time():
    """A bead on a turning wire, the wire being a rate row with time: x' = -w y, y' = w x, and a free radius r."""
    m = da.Lagrangian(
        "r phi", kinetic="m*(rate(r)**2 + r**2*rate(phi)**2)/2", nonholonomic={"motor": "rate(phi) - w - b*t"},
        parameters={"m": 1.5, "w": 2.0, "b": 0.3}, name="bead",
    )  # fmt: skip
    form = da.equations(m, form="reduced")
    r, dr, ddr = symbols(form, "r")
    mass, w, b, t = *parameters(form, "m", "w", "b"), form.symbols["t"]
    assert same(form.residuals[0], mass * (ddr - r * (w + b * t) ** 2))
    found = form.accelerations({"r": 0.4, "rate(r)": 0.3, "rate(phi)": 2.3, "t": 1.0})
    assert found.accelerations["phi"] == pytest.approx(0.3)
    # torque of the motor on the wire: d/dt (m r^2 phi') = 2 m r r' phi' + m r^2 b = -lam
    assert -found.multipliers["motor"] == pytest.approx(1.5 * (2 * 0.4 * 0.3 * 2.3 + 0.4**2 * 0.3), rel=1e-12)


def test_motion_of_k5_is_a_circle():
    """Radius r |phi'/theta'|: curvature from the velocities and accelerations that the form gives."""
    form = da.equations(upright_disk(), form="reduced")
    th, dth, dph = 0.3, 0.7, 2.0
    v = np.array([0.3 * math.cos(th) * dph, 0.3 * math.sin(th) * dph])
    state = {"theta": th, "rate(theta)": dth, "rate(phi)": dph, "rate(x)": v[0], "rate(y)": v[1]}
    a = form.accelerations(state).accelerations
    curvature = abs(v[0] * a["y"] - v[1] * a["x"]) / np.linalg.norm(v) ** 3
    assert 1 / curvature == pytest.approx(0.3 * dph / dth, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"independent": ["theta", "phi"]}, "leave 3 independent"),
        ({"independent": ["theta", "phi", "spin"]}, "'spin' is no coordinate"),
        ({"quasi_velocities": {"u": "rate(theta)"}}, "3 are needed"),
        ({"quasi_velocities": {"u": "rate(theta)", "v": "rate(phi)", "w": "rate(psi)**2"}}, "not a linear combination"),
        ({"quasi_velocities": {"u": "rate(theta)", "v": "rate(phi)", "m": "rate(psi)"}}, "this name is taken"),
        ({"quasi_velocities": {"u": "rate(theta)", "v": "rate(phi)", "w": "rate(phi) - rate(theta)"}}, "do not determine all rates"),
        ({"unknown": "m"}, "belongs to the forms virtual-work"),
    ],
)  # fmt: skip
def test_wrong_choices(options, part):
    with pytest.raises(da.DalembertError) as caught:
        da.equations(rolling_disk(), form="reduced", **options)
    assert part in str(caught.value)
