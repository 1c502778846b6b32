"""A02: N-four-bar, 2N + 1 uniform bars of 1 m and 1 kg, uprights vertical at the start, top of the first moving at 1 m/s.

Source: Gonzalez et al. 2006 (N = 40) and IFToMM "double four-bar" (N = 2).  All uprights stay parallel, so the motion is that of one
angle, J th'' = -C cos th with J = (N + 1)/3 + N and C = g ((N + 1)/2 + N); the numbers are its solution at 1e-13, and for N = 2 the
published results of EXUDYN converge to them (0.32845810 by extrapolation).

In the flat positions (th = 0, pi, ...) the freedom jumps from 1 to N + 1; ten of them are passed in 10 s.

Tolerance: before the first flat position, local errors of 1e-12 accumulated over some tens of steps; beyond, errors grow by a factor of some
hundred over five revolutions.
"""

import math

import pytest

import dalembert as da

# (x, y, x', y') of the top of the first upright
REFERENCE = {
    2: {
        1.0: (-0.1950203019495, -0.9807992056622, -6.6766780368807, 1.3275783251608),
        4.0: (0.1176161023756, 0.9930591384515, 1.0690392650264, -0.1266150491651),
        10.0: (0.3284581115337, 0.9445185381811, 1.4230514701913, -0.4948688454696),
    },
    40: {
        1.0: (-0.1153568806322, -0.9933241113004, -6.6699875239416, 0.7746000986629),
        10.0: (0.1805122266807, 0.9835727405834, 1.1484412774584, -0.2107700667702),
    },
}


def n_four_bar(n):
    m = da.Mechanism("n-four-bar", gravity=(0, -9.81))
    bar = {"mass": 1.0, "inertia": 1 / 12}
    uprights = [m.body(f"upright {k}", **bar, at=(k, 0.5), angle=math.pi / 2) for k in range(n + 1)]
    for k, upright in enumerate(uprights):
        m.revolute(f"foot {k}", m.ground, upright, at=(k, 0))
    for k in range(n):
        coupler = m.body(f"coupler {k}", **bar, at=(k + 0.5, 1))
        m.revolute(f"left {k}", uprights[k], coupler, at=(k, 1))
        m.revolute(f"right {k}", coupler, uprights[k + 1], at=(k + 1, 1))
    m.start(m["foot 0"].angle, rate=-1.0)
    return m


def reduced_angle(n, t):
    """The angle of the uprights by the closed-form reduction, integrated by SciPy (another method, another formulation)."""
    from scipy.integrate import solve_ivp

    inertia, moment = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    run = solve_ivp(
        lambda _, y: (y[1], -moment / inertia * math.cos(y[0])),
        (0, t),
        (math.pi / 2, -1.0),
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    return run.y[:, -1]


@pytest.mark.parametrize("n", [2, 40])
def test_before_the_first_flat_position(n):
    """At t = 0.6 s the bars are 28 degrees above the flat position (N = 2)."""
    run = da.simulate(n_four_bar(n), until=0.6, rtol=1e-11, atol=1e-12, output=[0.0, 0.6])
    assert run.energy.kinetic[0] == pytest.approx(0.5 * ((n + 1) / 3 + n), rel=1e-12)  # velocities hold to 1e-13
    angle, rate = reduced_angle(n, 0.6)
    for k in range(n + 1):
        assert run[f"upright {k}"].angle[-1] == pytest.approx(angle, abs=1e-9)
        assert run[f"upright {k}"].spin[-1] == pytest.approx(rate, abs=1e-8)
    assert run.status == "ok"
    assert run.audit.degrees_of_freedom == 1


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("n, rtol", [(2, 1e-6), (2, 1e-8), (40, 1e-5), (40, 1e-8)])
def test_through_flat_positions(n, rtol, method):
    """The benchmark allows errors of 1e-1 (low) and 1e-3 (high precision); a thousand times the tolerance is 1e-5 to 1e-2."""
    times = list(REFERENCE[n])
    run = da.simulate(n_four_bar(n), until=10.0, rtol=rtol, atol=1e-2 * rtol, output=times, method=method)
    top = run["upright 0"].point(0.5, 0.0)
    for k, t in enumerate(times):
        assert top.position[k] == pytest.approx(REFERENCE[n][t][:2], abs=1e3 * rtol)
        assert top.velocity[k] == pytest.approx(REFERENCE[n][t][2:], abs=5e3 * rtol)
    assert run.audit.energy < 1e2 * rtol


@pytest.mark.parametrize("rtol", [1e-9, 1e-10])
def test_two_loops_at_the_tightest_tolerances(rtol):
    """Closer than s = 1e-3 rad to a flat position rounding over s^2 limits what is known; N = 40 stops there at 1e-10, and says so."""
    run = da.simulate(n_four_bar(2), until=10.0, rtol=rtol, atol=1e-2 * rtol, output=[10.0])
    assert run["upright 0"].point(0.5, 0.0).position[-1] == pytest.approx(REFERENCE[2][10.0][:2], abs=1e3 * rtol)
    assert run.status == "ok"
