"""What a tolerance promises, by every implicit method of a fixed order: the error of a run falls with rtol, whatever the order.

A method of order p whose estimate is that of the whole error of a step would leave rtol^(p/(p+1)): at order 2 a van der Pol oscillator was late by 1e3 rtol
of the time of the run at 1e-8, and ten times nearer at 1e-5.  What is compared is by how much a motion is late, over rtol and the length of the run: errors of a place
are that times a speed, which is 1300 in a jump of the oscillator at mu = 1000.

Tolerance: 3 of these units; the largest that was measured is 1.8.  Backward Euler, whose error per step is of the size of the step squared, 20 (largest 14).
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline
from scipy.linalg import expm
from scipy.special import ellipk

import dalembert as da

METHODS = {
    "generalized_alpha": (3.0, (1e-3, 1e-5, 1e-7)),
    "hht": (3.0, (1e-3, 1e-5, 1e-7)),
    "radau1": (20.0, (1e-3, 1e-4)),
    "radau3": (3.0, (1e-3, 1e-5, 1e-7)),
}


def van_der_pol(mu):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2/2", forces={"x": f"{mu}*(1 - x**2)*rate(x)"})
    m.start("x", 2.0)
    return m


def oscillator_in_a_machine(mu):
    """The same as a slider of 1 kg on a spring of 1 N/m with a force that feeds and brakes it."""
    m = da.Mechanism("van der Pol", plane=True)
    slider = m.body("slider", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    slide = m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0)).slide
    m.actuator("push", slide, force=f"{mu}*(1 - P.slide**2)*rate(P.slide) - P.slide")
    m.start(slide, 2.0)
    return m


def zeros_of_van_der_pol(mu, until):
    """Times at which x vanishes, by SciPy's Radau."""
    found = solve_ivp(
        lambda t, y: (y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]), (0.0, until), (2.0, 0.0), "Radau", events=lambda t, y: y[0],
        jac=lambda t, y: ((0.0, 1.0), (-2.0 * mu * y[0] * y[1] - 1.0, mu * (1.0 - y[0] ** 2))), rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    return found.t_events[0]


def late(model, what, zeros, until, **options):
    """By how much a motion comes late to its zeros, located between steps by their cubics."""
    run = da.simulate(model, until=until, output="steps", **options)
    assert run.status == "ok"
    found = CubicHermiteSpline(run.t, run[what], run[what].rate).roots(extrapolate=False)
    assert len(found) == len(zeros)
    return np.abs(found - zeros).max()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("mu", "until"), [(1, 20.0), (10, 40.0), (100, 200.0), (1000, 2000.0)])
def test_van_der_pol(method, mu, until):
    allowed, tolerances = METHODS[method]
    zeros = zeros_of_van_der_pol(mu, until)
    for rtol in tolerances if method != "radau1" else tolerances[:1]:
        assert late(van_der_pol(mu), "x", zeros, until, method=method, rtol=rtol) < allowed * rtol * until, rtol


def test_the_value_of_the_test_set():
    """van der Pol of the test set for initial value problems (Mazzia, Magherini): 1.70616773217 after two seconds of its scaled time, mu = 1000.

    The flow contracts onto a slow path on which x falls by 9e-4 a second: being late by 3 rtol of 2000 s is 6 rtol of a place.
    """
    for rtol in (1e-4, 1e-6):
        run = da.simulate(van_der_pol(1000), until=2000.0, method="generalized_alpha", rtol=rtol)
        assert run["x"][-1] == pytest.approx(1.706167732170469, abs=6.0 * rtol)


@pytest.mark.parametrize("method", ["generalized_alpha", "hht"])
def test_van_der_pol_as_a_machine(method):
    zeros = zeros_of_van_der_pol(100, 200.0)
    for rtol in METHODS[method][1][1:]:
        assert (
            late(oscillator_in_a_machine(100), "P.slide", zeros, 200.0, method=method, rtol=rtol) < 3.0 * rtol * 200.0
        ), rtol


@pytest.mark.parametrize("method", METHODS)
def test_pendulum(method):
    """Through its lowest place at odd quarters of the period 4 K(sin^2(a/2))/w0, a = 2 rad."""
    m = da.Lagrangian("theta", kinetic="rate(theta)**2/2", potential="-9.81*cos(theta)")
    m.start("theta", 2.0)
    quarter = ellipk(np.sin(1.0) ** 2) / np.sqrt(9.81)
    zeros = np.arange(1, 10.0 / quarter, 2) * quarter
    allowed, tolerances = METHODS[method]
    for rtol in tolerances:
        assert late(m, "theta", zeros, 10.0, method=method, rtol=rtol) < allowed * rtol * 10.0, rtol


@pytest.mark.parametrize("method", METHODS)
def test_stiff_spring(method):
    """Two masses tied by 1e6 N/m and 2000 N s/m, one on a spring of 10 N/m: exp(A t), by SciPy."""
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="1e6*(x - y)**2/2 + 10*x**2/2", dissipation="2e3*(rate(x) - rate(y))**2/2"
    )  # fmt: skip
    m.start("x", 1.0)
    m.start("y", 1.0)
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-1e6 - 10, 1e6, -2e3, 2e3], [1e6, -1e6, 2e3, -2e3]], dtype=float)
    allowed, tolerances = METHODS[method]
    for rtol in tolerances:
        run = da.simulate(m, until=10.0, method=method, rtol=rtol, output=1.0)
        exact = [(expm(A * t) @ (1.0, 1.0, 0.0, 0.0))[0] for t in run.t]
        # 2.24 m/s is the largest speed
        assert np.abs(run["x"] - exact).max() < 2.24 * allowed * rtol * 10.0, rtol
