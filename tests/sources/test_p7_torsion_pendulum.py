"""P7: pendulum with a torsion spring, PLANAR Example 6.5.1: half length l, mass m, spring k with free angle phi0.

    k (phi - phi0) + m g l cos(phi) = 0,   stable exactly where d2V/dphi2 = k - m g l sin(phi) > 0

All equilibria of a turn about the drawing (phi from -pi to pi), compared with the roots found by bisection of the source's equation.
Tolerance: both are roots to rounding, 1e-10.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da

M, L, G = 2.0, 0.5, 9.81


def pendulum(k, phi0):
    m = da.Mechanism("pendulum with a torsion spring", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=2 * L, mass=M), at=(L, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.torsion_spring("spring", m["O"].angle, stiffness=k, free_angle=phi0)
    return m


def roots(k, phi0):
    balance = lambda phi: k * (phi - phi0) + M * G * L * math.cos(phi)  # noqa: E731
    grid = np.linspace(-math.pi, math.pi, 4001)
    values = [balance(x) for x in grid]
    return [brentq(balance, a, b, xtol=1e-14) for a, b, f, g in zip(grid, grid[1:], values, values[1:]) if f * g < 0]


@pytest.mark.parametrize(
    "k, phi0, count",
    [
        (5.0, 0.3, 1),
        (1.0, 0.3, 2),
        (1.0, 2.5, 2),
        (3.25, 0.0, 3),
        (4.0, math.pi / 2, 2),
        (20.0, -1.0, 1),
        (0.2, 0.0, 2),
    ],
)
def test_all_equilibria_of_a_turn(k, phi0, count):
    expected = roots(k, phi0)
    assert len(expected) == count
    found = da.equilibrium(pendulum(k, phi0))
    # strides may reach a little past half a turn: what lies there is an equilibrium as well
    inside = [e for e in found if abs(e.state.q[2]) < math.pi]
    assert sorted(e.state.q[2] for e in inside) == pytest.approx(expected, abs=1e-10)
    for e in found:
        phi = e.state.q[2]
        stiffness = k - M * G * L * math.sin(phi)
        assert e.verdict == ("stable" if stiffness > 0 else "unstable")
        # about the pivot J = 4 m l^2/3
        assert e.eigenvalues == pytest.approx([stiffness / (4 * M * L**2 / 3)], rel=1e-8)
        energy = 0.5 * k * (phi - phi0) ** 2 + M * G * L * math.sin(phi)
        assert e.energy == pytest.approx(energy, rel=1e-10)


def test_both_ways_of_the_source_agree():
    """Phi_q^T lam = Q (6.5.3) finds what the minimum of the total potential energy (6.5.5) finds, and the maxima besides."""
    by_force = da.equilibrium(pendulum(1.0, 0.3), method="force")
    by_energy = da.equilibrium(pendulum(1.0, 0.3), method="energy")
    assert sorted(e.state.q[2] for e in by_force) == pytest.approx(sorted(e.state.q[2] for e in by_energy), abs=1e-10)


def test_energy_decides_where_the_stiffness_vanishes():
    """phi = pi/2 with k = m g l and phi0 = pi/2: V grows with the fourth power, so the second derivative cannot tell, but V can."""
    found = da.equilibrium(pendulum(M * G * L, math.pi / 2))
    (flat,) = [e for e in found if abs(e.state.q[2] - math.pi / 2) < 1e-2]
    assert flat.verdict == "stable" and "|s|^4" in flat.reason


def test_third_way_of_the_source():
    """Integrate with damping to rest (PLANAR 6.5): after 30 time constants of the damper what is left is below 1e-9."""
    m = pendulum(5.0, 0.3)
    m.damper("damper", m["O"].angle, damping=1.0)
    run = da.simulate(m, until=60.0, output=[0.0, 60.0], rtol=1e-10, atol=1e-12)
    # decay rate c/(2 J) = 0.75 1/s
    assert run["O.angle"][-1] == pytest.approx(da.equilibrium(m)[0]["O.angle"], abs=1e-9)
