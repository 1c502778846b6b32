"""P4: two-body slider-crank, PLANAR Examples 6.3.2 and 6.3.5 (bars of half lengths l1, l2; end of bar 2 on the x
axis).

    Phi = (x1 - l1 c1,  y1 - l1 s1,  x2 - 2 l1 c1 - l2 c2,  y2 - 2 l1 s1 - l2 s2,  2 l1 s1 + 2 l2 s2)     6.3.10
    Jacobian 6.3.11;  gamma by differentiation:
    -gamma = (l1 c1 w1^2,  l1 s1 w1^2,  2 l1 c1 w1^2 + l2 c2 w2^2,  2 l1 s1 w1^2 + l2 s2 w2^2,
              -2 l1 s1 w1^2 - 2 l2 s2 w2^2)

6.3.5 prints w1 w2 for w1^2 in rows 3 and 4; the right side of the big matrix after it is correct, the matrix itself
is corrupt.

Ours is the machine: revolute O (ground, bar 1), revolute A (bar 1, bar 2), y of the end B of bar 2.  The rows differ:
O = rows 1, 2;  A = (x2 - l2 c2) - (x1 + l1 c1), ...;  B = y2 + l2 s2.  Hence source = T ours with
row 3 = A_x + O_x, row 4 = A_y + O_y, row 5 = B - row 4 = B - A_y - O_y, and lam_ours = T^T lam_source.

Tolerance: 1e-12, rounding of numbers up to 100; complex-step derivatives are exact to rounding.
"""

import math

import numpy as np
import pytest

import dalembert as da

L1, L2, M1, M2, G = 0.3, 0.5, 1.3, 2.1, 9.81
ROWS = ("O.gap_x", "O.gap_y", "A.gap_x", "A.gap_y", "B.y")
T = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, -1, 0, -1, 1]], dtype=float)
TOLERANCE = 1e-12


def slider_crank(angle=0.6):
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -G))
    other = -math.asin(L1 * math.sin(angle) / L2)
    c1, s1, c2, s2 = math.cos(angle), math.sin(angle), math.cos(other), math.sin(other)
    crank = m.body("crank", da.rod(length=2 * L1, mass=M1), at=(L1 * c1, L1 * s1), angle=angle)
    rod = m.body("rod", da.rod(length=2 * L2, mass=M2), at=(2 * L1 * c1 + L2 * c2, 2 * L1 * s1 + L2 * s2), angle=other)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.absolute_y("B", rod, value=0.0, at=rod.end)
    return m


def state(phi1, w1, consistent=True):
    """A state on the constraints; with consistent=False the velocities are arbitrary (gamma is a form in them)."""
    phi2 = -math.asin(L1 * math.sin(phi1) / L2)
    c1, s1, c2, s2 = math.cos(phi1), math.sin(phi1), math.cos(phi2), math.sin(phi2)
    q = np.array([L1 * c1, L1 * s1, phi1, 2 * L1 * c1 + L2 * c2, 2 * L1 * s1 + L2 * s2, phi2])
    if not consistent:
        return da.State(0.0, q, np.random.default_rng(63).normal(size=6) * 3)
    w2 = -L1 * c1 * w1 / (L2 * c2)
    v = [-L1 * s1 * w1, L1 * c1 * w1, w1, -2 * L1 * s1 * w1 - L2 * s2 * w2, 2 * L1 * c1 * w1 + L2 * c2 * w2, w2]
    return da.State(0.0, q, np.array(v))


def source_phi(q):
    x1, y1, p1, x2, y2, p2 = q
    c1, s1, c2, s2 = np.cos(p1), np.sin(p1), np.cos(p2), np.sin(p2)
    return np.array(
        [
            x1 - L1 * c1,
            y1 - L1 * s1,
            x2 - 2 * L1 * c1 - L2 * c2,
            y2 - 2 * L1 * s1 - L2 * s2,
            2 * L1 * s1 + 2 * L2 * s2,
        ]
    )


def source_jacobian(q):
    """6.3.11."""
    c1, s1, c2, s2 = np.cos(q[2]), np.sin(q[2]), np.cos(q[5]), np.sin(q[5])
    return np.array(
        [
            [1, 0, L1 * s1, 0, 0, 0],
            [0, 1, -L1 * c1, 0, 0, 0],
            [0, 0, 2 * L1 * s1, 1, 0, L2 * s2],
            [0, 0, -2 * L1 * c1, 0, 1, -L2 * c2],
            [0, 0, 2 * L1 * c1, 0, 0, 2 * L2 * c2],
        ]
    )


def source_gamma(q, v, misprint=False):
    c1, s1, c2, s2 = np.cos(q[2]), np.sin(q[2]), np.cos(q[5]), np.sin(q[5])
    w1, w2 = v[2], v[5]
    product = w1 * w2 if misprint else w1**2
    return -np.array(
        [
            L1 * c1 * w1**2,
            L1 * s1 * w1**2,
            2 * L1 * c1 * product + L2 * c2 * w2**2,
            2 * L1 * s1 * product + L2 * s2 * w2**2,
            -2 * L1 * s1 * w1**2 - 2 * L2 * s2 * w2**2,
        ]
    )


def in_order(e):
    """Our arrays with the rows in the order of ROWS."""
    assert sorted(e.row_names) == sorted(ROWS)
    order = [e.row_names.index(name) for name in ROWS]
    return e.phi[order], e.jac[order], e.gamma[order], e.lam[order]


CASES = [(0.6, 4.0), (2.0, -3.0), (0.0, 5.0), (math.pi / 2, 2.0), (-2.5, 0.0), (5.5, 9.0)]


@pytest.mark.parametrize(("phi1", "w1"), CASES)
def test_jacobian_6_3_11(phi1, w1):
    s = state(phi1, w1)
    phi, jac, _, _ = in_order(da.equations(slider_crank(), s))
    assert T @ phi == pytest.approx(source_phi(s.q), abs=TOLERANCE)
    assert T @ jac == pytest.approx(source_jacobian(s.q), abs=TOLERANCE)
    # the printed Jacobian is the derivative of the printed constraints: complex step
    derivative = np.column_stack([source_phi(s.q + 1e-30j * e).imag / 1e-30 for e in np.eye(6)])
    assert source_jacobian(s.q) == pytest.approx(derivative, abs=1e-14)


@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize(("phi1", "w1"), CASES)
def test_gamma(phi1, w1, consistent):
    """gamma = -(Phi_q v)_q v; the printed form with w1 w2 is not that."""
    s = state(phi1, w1, consistent)
    _, _, gamma, _ = in_order(da.equations(slider_crank(), s))
    by_derivative = -(source_jacobian_complex(s.q + 1e-30j * s.v) @ s.v).imag / 1e-30
    assert source_gamma(s.q, s.v) == pytest.approx(by_derivative, abs=TOLERANCE)
    assert T @ gamma == pytest.approx(source_gamma(s.q, s.v), abs=TOLERANCE)
    w1, w2 = s.v[2], s.v[5]
    error = np.abs(source_gamma(s.q, s.v, misprint=True) - by_derivative)
    expected = 2 * L1 * abs(w1 * (w2 - w1)) * np.abs([0, 0, math.cos(phi1), math.sin(phi1), 0])
    assert error == pytest.approx(expected, abs=TOLERANCE)
    if abs(w1) > 1:
        assert error.max() > 0.5


def source_jacobian_complex(q):
    columns = []
    c1, s1, c2, s2 = np.cos(q[2]), np.sin(q[2]), np.cos(q[5]), np.sin(q[5])
    zero, one = 0 * c1, 1 + 0 * c1
    columns.append([one, zero, L1 * s1, zero, zero, zero])
    columns.append([zero, one, -L1 * c1, zero, zero, zero])
    columns.append([zero, zero, 2 * L1 * s1, one, zero, L2 * s2])
    columns.append([zero, zero, -2 * L1 * c1, zero, one, -L2 * c2])
    columns.append([zero, zero, 2 * L1 * c1, zero, zero, 2 * L2 * c2])
    return np.array(columns)


@pytest.mark.parametrize(("phi1", "w1"), CASES)
def test_equations_of_motion(phi1, w1):
    """The system of 6.3.5 with its correct right side, solved densely, against ours; multipliers converted by T^T."""
    s = state(phi1, w1)
    e = da.equations(slider_crank(), s)
    _, _, _, lam = in_order(e)
    mass = np.diag([M1, M1, M1 * L1**2 / 3, M2, M2, M2 * L2**2 / 3])
    applied = np.array([0, -M1 * G, 0, 0, -M2 * G, 0])
    assert e.M == pytest.approx(mass, rel=1e-14) and e.Q == pytest.approx(applied, rel=1e-14, abs=1e-14)
    jac = source_jacobian(s.q)
    matrix = np.block([[mass, jac.T], [jac, np.zeros((5, 5))]])
    solution = np.linalg.solve(matrix, np.concatenate([applied, source_gamma(s.q, s.v)]))
    assert e.a == pytest.approx(solution[:6], abs=1e-11 * (1 + np.abs(solution[:6]).max()))
    assert lam == pytest.approx(T.T @ solution[6:], abs=1e-11 * (1 + np.abs(solution[6:]).max()))


def test_motion_keeps_the_source_constraints():
    """Free fall of the crank: all five source constraints to 1e-12 at every output, energy to 1e-9 (rtol 1e-10)."""
    m = slider_crank(0.6)
    run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
    q = np.column_stack([np.column_stack([run[n].position, run[n].angle]) for n in ("crank", "rod")])
    v = np.column_stack([np.column_stack([run[n].velocity, run[n].spin]) for n in ("crank", "rod")])
    assert max(np.abs(source_phi(x)).max() for x in q) < 1e-12
    assert max(np.abs(source_jacobian(x) @ y).max() for x, y in zip(q, v)) < 1e-11
    energy = (
        0.5 * M1 * (v[:, 0] ** 2 + v[:, 1] ** 2)
        + M1 * L1**2 / 6 * v[:, 2] ** 2
        + 0.5 * M2 * (v[:, 3] ** 2 + v[:, 4] ** 2)
        + M2 * L2**2 / 6 * v[:, 5] ** 2
        + G * (M1 * q[:, 1] + M2 * q[:, 4])
    )
    assert energy == pytest.approx(np.full(len(energy), energy[0]), abs=1e-8)
