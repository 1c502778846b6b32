"""P3: simple pendulum, PLANAR Examples 6.3.1, 6.3.4 and 6.3.6.

Uniform bar of half length l, J = m l^2/3, pivot at its end.

    Phi = (x - l cos phi, y - l sin phi)                                              6.3.7
    [M Phi_q^T; Phi_q 0] [q''; lam] = [0, -m g, 0, -l cos phi phi'^2, -l sin phi phi'^2]    6.3.20

Eliminated: phi'' = -3 g cos(phi) / (4 l).  Start phi = 3 pi/2, phi' = 2 pi (6.3.28, 6.3.29): position (0, -l),
velocity (2 pi l, 0).

Our rows of a revolute are P_j - P_i with j the bar: the same as 6.3.7 in order and sign, so nothing is converted.

Tolerance: 1e-13 for single evaluations (numbers of size 10, a few roundings); 1e-9 for the motion at rtol = 1e-11.
"""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da

M, L, G = 2.0, 0.7, 9.81
TOLERANCE = 1e-13


def pendulum(angle=1.5 * math.pi, at=None):
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    at = (L * math.cos(angle), L * math.sin(angle)) if at is None else at
    bar = m.body("bar", da.rod(length=2 * L, mass=M), at=at, angle=angle)
    m.revolute("O", m.ground, bar, at=((m.ground.point(0, 0)), bar.start))
    return m


def state(phi, rate):
    q = np.array([L * math.cos(phi), L * math.sin(phi), phi])
    return da.State(0.0, q, rate * np.array([-L * math.sin(phi), L * math.cos(phi), 1.0]))


@pytest.mark.parametrize("phi", [0.0, 0.4, math.pi / 2, 2.2, 1.5 * math.pi, 6.0, -1.0])
@pytest.mark.parametrize("rate", [0.0, -3.0, 2 * math.pi])
def test_matrix_and_right_side(phi, rate):
    e = da.equations(pendulum(), state(phi, rate))
    assert e.row_names == ("O.gap_x", "O.gap_y")
    c, s = math.cos(phi), math.sin(phi)
    matrix = np.block([[e.M, e.jac.T], [e.jac, np.zeros((2, 2))]])
    printed = [
        [M, 0, 0, 1, 0],
        [0, M, 0, 0, 1],
        [0, 0, M * L**2 / 3, L * s, -L * c],
        [1, 0, L * s, 0, 0],
        [0, 1, -L * c, 0, 0],
    ]
    right = [0, -M * G, 0, -L * c * rate**2, -L * s * rate**2]
    assert matrix == pytest.approx(np.array(printed), abs=TOLERANCE)
    assert np.concatenate([e.Q, e.gamma]) == pytest.approx(right, abs=TOLERANCE * rate**2 + TOLERANCE)
    assert e.phi == pytest.approx([0, 0], abs=TOLERANCE) and e.nu == pytest.approx([0, 0], abs=0)
    assert e.jac @ e.state.v == pytest.approx([0, 0], abs=TOLERANCE * 10)
    # our solution solves the source's system
    assert np.array(printed) @ np.concatenate([e.a, e.lam]) == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("phi", [0.0, 0.4, 2.2, 1.5 * math.pi, 6.0])
def test_angular_acceleration(phi):
    """phi'' = -3 g cos(phi) / (4 l) at any rate, the other unknowns by substitution into 6.3.20."""
    rate = 1.7
    e = da.equations(pendulum(), state(phi, rate))
    c, s = math.cos(phi), math.sin(phi)
    turn = -3 * G * c / (4 * L)
    x, y = -L * s * turn - L * c * rate**2, L * c * turn - L * s * rate**2
    assert e.a == pytest.approx([x, y, turn], abs=1e-12)
    assert e.lam == pytest.approx([-M * x, -M * (y + G)], abs=1e-12)


# -- initial conditions, 6.3.6 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "at"), [(1.5 * math.pi, None), (4.0, None), (4.3, (0.1, -0.5)), (1.0, (0.0, 0.3))])
def test_start_conditions(angle, at):
    """However the bar is drawn, joined or not: phi = 3 pi/2, phi' = 2 pi give (0, -l) and (2 pi l, 0)."""
    m = pendulum(angle, at)
    m.start(m["O"].angle, value=1.5 * math.pi, rate=2 * math.pi)
    for state in (da.assemble(m, complete=True).state, da.equations(m).state):
        assert state.q == pytest.approx([0, -L, 1.5 * math.pi], abs=1e-12)
        assert state.v == pytest.approx([2 * math.pi * L, 0, 2 * math.pi], abs=1e-12)
    run = da.simulate(m, until=0.01)
    assert run["bar"].position[0] == pytest.approx([0, -L], abs=1e-12)
    assert run["bar"].velocity[0] == pytest.approx([2 * math.pi * L, 0], abs=1e-12)
    assert run["bar"].angle[0] == pytest.approx(1.5 * math.pi, abs=1e-12)
    assert run["bar"].spin[0] == pytest.approx(2 * math.pi, abs=1e-12)


def test_start_conditions_on_different_variables():
    """Section 6.3.4: conditions need not be on the same variable, only independent of the constraints."""
    m = pendulum(4.3)
    m.start(m["bar"].angle, value=1.5 * math.pi)
    m.start(m["bar"].x, rate=2 * math.pi * L)
    e = da.equations(m)
    assert e.state.q == pytest.approx([0, -L, 1.5 * math.pi], abs=1e-12)
    assert e.state.v == pytest.approx([2 * math.pi * L, 0, 2 * math.pi], abs=1e-12)


def test_start_conditions_that_the_constraints_forbid():
    """y' at the lowest point is zero by the constraints (row l cos phi = 0): a condition on it is not independent."""
    m = pendulum()
    m.start(m["bar"].y, rate=1.0)
    with pytest.raises(da.AssemblyError, match="bar.y"):
        da.equations(m)
    m = pendulum()
    m.start(m["bar"].x, value=1.5 * L)
    with pytest.raises(da.AssemblyError):
        da.equations(m)


# -- motion ------------------------------------------------------------------------------------------------------------


def test_motion_against_elliptic_functions():
    """theta = phi - 3 pi/2 obeys theta'' = -w^2 sin theta, w^2 = 3 g/(4 l).

    From theta = 0 with rate r below 2 w it swings: sin(theta/2) = k sn(w t, k^2), k = r / (2 w); period 4 K(k^2) / w.
    """
    w, rate = math.sqrt(3 * G / (4 * L)), 2 * math.pi
    k = rate / (2 * w)
    assert k < 1
    m = pendulum()
    m.start(m["O"].angle, value=1.5 * math.pi, rate=rate)
    period = 4 * ellipk(k**2) / w
    run = da.simulate(m, until=1.5 * period, rtol=1e-11, atol=1e-13)
    sn = ellipj(w * run.t, k**2)[0]
    theta = 2 * np.arcsin(k * sn)
    assert run["O"].angle == pytest.approx(1.5 * math.pi + theta, abs=1e-9)
    phi, phi_dot, phi_ddot = run["bar"].angle, run["bar"].spin, run["bar"].spin_rate
    assert phi_ddot == pytest.approx(-3 * G * np.cos(phi) / (4 * L), abs=1e-12)
    assert phi_dot**2 == pytest.approx(rate**2 - 4 * w**2 * np.sin(theta / 2) ** 2, abs=1e-8)
    assert run.crossings(m["O"].angle, 1.5 * math.pi, direction=1)[-1] == pytest.approx(period, abs=1e-9)
    # pin force on the bar, from the closed form of the acceleration
    c, s = np.cos(phi), np.sin(phi)
    ax, ay = -L * s * phi_ddot - L * c * phi_dot**2, L * c * phi_ddot - L * s * phi_dot**2
    assert run["O"].force == pytest.approx(np.column_stack([M * ax, M * (ay + G)]), abs=1e-10)
    assert run.status == "ok"
