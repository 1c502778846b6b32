"""Series in small parameters: K8's A - B cos(2 theta) beside the true first order; small oscillations."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic import machines
from tests.symbolic.machines import INERTIA, same

J0, mA, mB, m3, JAB, r, lam, theta = (
    sp.Symbol(x, real=True) for x in ("J0", "mA", "mB", "m3", "JAB", "r", "lam", "theta")
)
A = J0 + mA * r**2 + ((m3 + mB) * r**2 + JAB * lam**2) / 2
B = ((m3 + mB) * r**2 - JAB * lam**2) / 2
USUAL = "J0 + mA*r**2 + ((m3 + mB)*r**2 + JAB*lam**2)/2 - ((m3 + mB)*r**2 - JAB*lam**2)/2*cos(2*theta)"
NUMBERS = {"J0": 0.02, "mA": 0.5, "mB": 0.3, "m3": 0.5, "JAB": -0.01, "r": 0.1, "lam": 0.25, "w": 3.0}


def test_k8_first_order():
    """The usual formula omits (m3 + mB) r^2 (lam/2)(cos(theta) - cos(3 theta)), which is of first order."""
    series = da.expand(INERTIA, small={"lam": 1})
    assert same(
        series.expanded,
        J0 + mA * r**2 + (m3 + mB) * r**2 * (sp.sin(theta) ** 2 + 2 * lam * sp.sin(theta) ** 2 * sp.cos(theta)),
    )
    left_out = series.beside(USUAL, harmonics=True)
    assert same(left_out.expanded, (m3 + mB) * r**2 * lam / 2 * (sp.cos(theta) - sp.cos(3 * theta)))
    assert set(left_out.orders) == {1}
    # the usual formula keeps a term of second order, J_AB lam^2 cos^2(theta), and is A - B cos(2 theta)
    assert same(series.symbols.of(da.model.expression.parse(USUAL)), A - B * sp.cos(2 * theta))


def test_k8_second_order():
    series = da.expand(INERTIA, small={"lam": 2})
    assert same(series.orders[2], (m3 + mB) * r**2 * sp.sin(theta) ** 2 * sp.cos(theta) ** 2 + JAB * sp.cos(theta) ** 2)
    # the error of the series is of third order: halving lam divides it by eight
    exact, cut = da.model.expression.parse(INERTIA), series.expression
    point = NUMBERS | {"theta": 0.9}
    error = [abs(exact.evaluate(point | {"lam": x}) - cut.evaluate(point | {"lam": x})) for x in (0.02, 0.01)]
    assert error[0] / error[1] == pytest.approx(8.0, rel=0.02)


def test_k8_system():
    """Torque at constant speed: I'/2 w^2, with B sin(2 theta) w^2 from the usual formula at order zero of lam."""
    m = da.Lagrangian(
        "theta",
        kinetic=f"({INERTIA})*rate(theta)**2/2",
        forces={"theta": "-MT"},
        parameters=NUMBERS | {"MT": 1.0},
        name="engine",
    )
    found = da.expand(m, small={"lam": 1})
    rate = sp.Symbol("theta'", real=True)
    torque = -found.rhs[0].subs(sp.Symbol("MT", real=True), 0)
    inertia = J0 + mA * r**2 + (m3 + mB) * r**2 * (sp.sin(theta) ** 2 + 2 * lam * sp.sin(theta) ** 2 * sp.cos(theta))
    assert same(torque, sp.diff(inertia, theta) / 2 * rate**2)
    assert same(torque.subs(lam, 0), (B.subs(lam, 0) * sp.sin(2 * theta)) * rate**2)
    assert same(found.M[0], inertia)
    assert same(found.T.expanded, inertia * rate**2 / 2)
    assert found.forces["theta"].expanded == -sp.Symbol("MT", real=True)
    assert len(found.equations) == 1 and "order 1" in str(found)


def test_two_small_parameters_and_coordinates():
    series = da.expand("cos(x)*exp(eps*y)", small={"x": 2, "eps": 1})
    x, y, eps = (sp.Symbol(k, real=True) for k in ("x", "y", "eps"))
    assert same(series.expanded, (1 - x**2 / 2) * (1 + eps * y))
    assert set(series.orders) == {(0, 0), (0, 1), (2, 0), (2, 1)}
    duffing = da.expand(machines.pendulum(), small={"theta": 4})
    th = sp.Symbol("theta", real=True)
    m, l, g = (sp.Symbol(k, real=True) for k in ("m", "l", "g"))
    assert same(duffing.V.expanded, -m * g * l * (1 - th**2 / 2 + th**4 / 24))


@pytest.mark.parametrize(
    ("what", "small", "part"),
    [
        ("1/lam + x", {"lam": 1}, "has no value there"),
        ("log(lam)", {"lam": 1}, "has no value there"),
        ("sin(x)", {"lam": 1}, "does not occur"),
        ("sin(lam)", {"lam": 1.5}, "whole number"),
        ("sin(lam)", {"lam": -1}, "whole number"),
        ("sin(lam)", {}, "names with orders"),
        ("sin(lam", {"lam": 1}, "never closed"),
    ],
)
def test_what_cannot_be_expanded(what, small, part):
    with pytest.raises(da.DalembertError) as caught:
        da.expand(what, small=small)
    assert part in str(caught.value)


def test_system_knows_the_name():
    with pytest.raises(da.ModelError, match="neither a parameter nor a coordinate"):
        da.expand(machines.pendulum(), small={"eps": 1})


# -- small oscillations ------------------------------------------------------------------------------------------------


def test_double_pendulum_frequencies():
    """w^2 of two equal particles on equal rods: (2 -+ sqrt(2)) g/l (textbook)."""
    model = machines.double_pendulum()
    for name, value in (("m1", 1.0), ("m2", 1.0), ("l1", 0.6), ("l2", 0.6)):
        model.parameter(name, value)
    found = da.small_oscillations(model)
    w = np.sort(np.abs(found.eigenvalues().imag))[::2]
    assert w**2 == pytest.approx([(2 - math.sqrt(2)) * 9.81 / 0.6, (2 + math.sqrt(2)) * 9.81 / 0.6], rel=1e-12)
    m1, m2, l1, l2, g = (sp.Symbol(x, real=True) for x in ("m1", "m2", "l1", "l2", "g"))
    assert found.M == sp.Matrix([[l1**2 * (m1 + m2), l1 * l2 * m2], [l1 * l2 * m2, l2**2 * m2]])
    assert found.K == sp.diag(g * l1 * (m1 + m2), g * l2 * m2) and found.C == sp.zeros(2)


def test_stiffness_of_constraints_under_load():
    """A pendulum in x and y: V has no curvature, the row under tension gives all the stiffness, m g/l."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", holonomic=["x**2 + y**2 - l**2"],
        parameters={"m": 1.0, "g": 9.81, "l": 0.5},
    )  # fmt: skip
    found = da.small_oscillations(m, about={"y": "-l"})
    mass, g, l = (sp.Symbol(x, real=True) for x in ("m", "g", "l"))
    assert found.names == ("x",) and found.M[0] == mass and same(found.K[0], mass * g / l)
    # on top it is as much the other way
    assert same(da.small_oscillations(m, about={"y": "l"}).K[0], -mass * g / l)


def test_damping_and_turning_frame():
    """Particle in a turning frame: C = 2 m w [[0, -1], [1, 0]] + c, K = k - m w^2."""
    m = da.Lagrangian(
        "x y", kinetic="m*((rate(x) - w*y)**2 + (rate(y) + w*x)**2)/2", potential="k*(x**2 + y**2)/2",
        dissipation="c*(rate(x)**2 + rate(y)**2)/2", parameters={"m": 1.0, "w": 0.7, "k": 3.0, "c": 0.1},
    )  # fmt: skip
    found = da.small_oscillations(m)
    mass, w, k, c = (sp.Symbol(x, real=True) for x in ("m", "w", "k", "c"))
    assert all(same(a, b) for a, b in zip(found.C, sp.Matrix([[c, -2 * mass * w], [2 * mass * w, c]])))
    assert all(same(a, b) for a, b in zip(found.K, (k - mass * w**2) * sp.eye(2)))


def test_governor():
    """Bead on a turning hoop at cos(theta) = g/(l w^2): frequency w sin(theta) (textbook)."""
    m = da.Lagrangian(
        "theta", kinetic="m*l**2*(rate(theta)**2 + w**2*sin(theta)**2)/2", potential="-m*g*l*cos(theta)",
        parameters={"m": 1.0, "l": 0.4, "w": 7.0, "g": 9.81},
    )  # fmt: skip
    found = da.small_oscillations(m, about={"theta": "acos(g/(l*w**2))"})
    expected = 7.0 * math.sqrt(1 - (9.81 / (0.4 * 49)) ** 2)
    assert found.eigenvalues().imag[-1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("about", "part"),
    [
        ({"th1": 0.1}, "no position of rest"),
        ({"phi": 0.0}, "no coordinate"),
        ({"th1": "alpha"}, "nothing has this name"),
    ],
)
def test_wrong_places(about, part):
    with pytest.raises(da.DalembertError) as caught:
        da.small_oscillations(machines.double_pendulum(), about=about)
    assert part in str(caught.value)


def test_driven_systems_have_no_rest():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "sin(t)"})
    with pytest.raises(da.ModelError, match="no position of rest"):
        da.small_oscillations(m)


def test_latex_of_a_series_says_what_is_left_out():
    series = da.expand("1/sqrt(1 - lam**2*sin(theta)**2)", small={"lam": 1})
    assert series.latex() == r"1 + \mathcal{O}\left(\lambda^{2}\right)" and str(series) == "1 + … (lam**2)"
