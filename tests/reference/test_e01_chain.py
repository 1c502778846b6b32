"""E01: pendulum of n equal uniform rods, 1 m and 1 kg in all, released from the horizontal; position of the tip.

The problem is common but no table of numbers was found; these were computed with SciPy's DOP853 at 1e-12 to 1e-13 and converged at two
tolerances.  `minimal_coordinates` below derives them once more by another formulation.  The chain is chaotic after the first swing, so
times end at 1 s.

Tolerance: 1e-9 before the whip of the tip for a local error of 1e-12; after it (t = 1) errors have grown about a hundredfold.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

TIP = {
    2: {1.0: (-0.96440937731, 0.04204958572)},
    5: {0.5: (-0.25748235052, -0.89089700055), 1.0: (-0.88458095006, -0.10800545474)},
    10: {
        0.25: (0.87746252478, -0.30665667116),
        0.5: (-0.264645112, -0.86354675475),
        1.0: (-0.89431685236, -0.14656506475),
    },
    40: {0.25: (0.87730802875, -0.30656250017), 0.5: (-0.26307961851, -0.84095031821)},
    100: {0.25: (0.8773142334, -0.3065625)},
}


def chain(n, plane=True):
    m = da.Mechanism(f"chain of {n}", plane=plane, gravity=(0, -9.81) if plane else (0, -9.81, 0))
    flat = (lambda *x: x) if plane else (lambda *x: (*x, 0.0))
    length, before = 1.0 / n, m.ground
    for k in range(n):
        polar = length**2 / n / 12
        inertia = polar if plane else (0.1 * polar, polar, polar)
        rod = m.body(f"rod {k}", mass=1.0 / n, inertia=inertia, at=flat(length * (k + 0.5), 0.0))
        axis = {} if plane else {"axis": (0, 0, 1)}
        m.revolute(f"pin {k}", before, rod, at=flat(length * k, 0.0), **axis)
        before = rod
    return m


@pytest.mark.parametrize("n", list(TIP))
def test_tip(n):
    m = chain(n)
    run = da.simulate(m, until=max(TIP[n]), rtol=1e-12, atol=1e-13, output=[0.0, *TIP[n]])
    tip = run[f"rod {n - 1}"].point(0.5 / n, 0.0).position
    for k, (t, place) in enumerate(TIP[n].items(), start=1):
        assert tip[k] == pytest.approx(place, abs=1e-9 if t < 1.0 else 1e-7)
    assert run.status == "ok"
    assert run.audit.degrees_of_freedom == n


def minimal_coordinates(n, t):
    """Tip by Lagrange's equations in the absolute angles of the rods: M_ij = c_ij cos(th_i - th_j), no constraints at all."""
    length = mass = 1.0 / n
    beyond = np.arange(n)[::-1]  # rods after rod i
    most = np.minimum.outer(beyond, beyond)
    c = mass * length**2 * (most + 0.5 * (1 - np.eye(n)) + np.eye(n) / 3)
    gravity = 9.81 * mass * length * (beyond + 0.5)

    def rate(_, y):
        turn, spin = y[:n], y[n:]
        d = turn[:, None] - turn[None, :]
        force = -(c * np.sin(d)) @ spin**2 - gravity * np.cos(turn)
        return np.concatenate([spin, np.linalg.solve(c * np.cos(d), force)])

    turn = solve_ivp(rate, (0, t), np.zeros(2 * n), method="DOP853", rtol=1e-12, atol=1e-13).y[:n, -1]
    return length * np.cos(turn).sum(), length * np.sin(turn).sum()


def test_reference_by_minimal_coordinates():
    assert minimal_coordinates(10, 0.5) == pytest.approx(TIP[10][0.5], abs=1e-10)


def test_the_same_in_space():
    n = 10
    run = da.simulate(chain(n, plane=False), until=0.5, rtol=1e-11, atol=1e-12, output=[0.0, 0.25, 0.5])
    tip = run[f"rod {n - 1}"].point(0.5 / n, 0.0, 0.0).position
    assert tip[1] == pytest.approx((*TIP[n][0.25], 0.0), abs=1e-9)
    assert tip[2] == pytest.approx((*TIP[n][0.5], 0.0), abs=1e-8)
    assert run.audit.degrees_of_freedom == n


def test_first_link_force_at_release():
    """Force of the first pin at release against the dense solution of M a + J^T lam = Q, J a = 0 (NumPy)."""
    n = 10
    eq = da.equations(chain(n))
    mass, jac = eq.M, eq.jac
    full = np.block([[mass, jac.T], [jac, np.zeros((len(jac), len(jac)))]])
    x = np.linalg.solve(full, np.concatenate([eq.Q, eq.gamma]))
    assert eq.a == pytest.approx(x[: len(mass)], abs=1e-10)
    assert eq.lam == pytest.approx(x[len(mass) :], abs=1e-11)
