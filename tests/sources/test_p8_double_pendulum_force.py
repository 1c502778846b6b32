"""P8: double pendulum with a horizontal force F at its tip, PLANAR Example 6.5.2.

    phi1 = atan2(-(m1 + 2 m2) g, 2 F),   phi2 = atan2(-m2 g, 2 F)        stable (the source's Arctan holds for F > 0)

The other equilibria have one or both bars turned by pi: the energy is a sum of two cosines.  Half lengths l1, l2; V = -A1 cos(phi1 - a1)
- A2 cos(phi2 - a2) with A1 = l1 sqrt((m1 + 2 m2)^2 g^2 + 4 F^2), A2 = l2 sqrt(m2^2 g^2 + 4 F^2).  Tolerance 1e-10: roots to rounding.
"""

import math

import numpy as np
import pytest

import dalembert as da

M1, M2, L1, L2, G = 2.0, 3.0, 0.5, 0.4, 9.81


def double_pendulum(force):
    m = da.Mechanism("double pendulum", plane=True, gravity=(0, -G))
    one = m.body("one", da.rod(length=2 * L1, mass=M1), at=(L1, 0))
    two = m.body("two", da.rod(length=2 * L2, mass=M2), at=(2 * L1 + L2, 0))
    m.revolute("O", m.ground, one, at=(0, 0))
    m.revolute("A", one, two, at=(2 * L1, 0))
    m.force("F", two, (force, 0), at=two.end)
    return m


@pytest.mark.parametrize("force", [7.0, -7.0, 40.0, 0.5])
def test_four_equilibria(force):
    found = da.equilibrium(double_pendulum(force))
    stable = math.atan2(-(M1 + 2 * M2) * G, 2 * force), math.atan2(-M2 * G, 2 * force)
    assert [e.verdict for e in found] == ["stable", "unstable", "unstable", "unstable"]
    assert np.cos(np.array([found[0].state.q[2], found[0].state.q[5]]) - stable) == pytest.approx([1, 1], abs=1e-14)
    if force > 0:
        source = math.atan(-(M1 + 2 * M2) * G / (2 * force)), math.atan(-M2 * G / (2 * force))
        assert stable == pytest.approx(source, abs=1e-14)
    # the others: bar one turned, bar two turned, both
    turned = {(round(math.cos(e.state.q[2] - stable[0])), round(math.cos(e.state.q[5] - stable[1]))) for e in found}
    assert turned == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    energy = L1 * math.hypot((M1 + 2 * M2) * G, 2 * force) + L2 * math.hypot(M2 * G, 2 * force)
    assert found[0].energy == pytest.approx(-energy, rel=1e-10)


def test_reduced_stiffness():
    """In phi1, phi2 the Hessian is diag(A1, A2); with J_ij of two bars the eigenvalues of M^-1 K follow."""
    force = 7.0
    e = da.equilibrium(double_pendulum(force))[0]
    a1, a2 = L1 * math.hypot((M1 + 2 * M2) * G, 2 * force), L2 * math.hypot(M2 * G, 2 * force)
    coupling = 2 * M2 * L1 * L2 * math.cos(e.state.q[2] - e.state.q[5])
    mass = np.array([[4 * M1 * L1**2 / 3 + 4 * M2 * L1**2, coupling], [coupling, 4 * M2 * L2**2 / 3]])
    expected = np.linalg.eigvals(np.linalg.solve(mass, np.diag([a1, a2])))
    assert e.eigenvalues == pytest.approx(np.sort(expected), rel=1e-8)


def test_pin_carries_weight_and_force():
    e = da.equilibrium(double_pendulum(7.0))[0]
    assert e.reactions["O"].force == pytest.approx([-7.0, (M1 + M2) * G], abs=1e-9)
    assert e.reactions["A"].force == pytest.approx([-7.0, M2 * G], abs=1e-9)
