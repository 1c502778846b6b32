"""A07: four-bar with a diagonal spring: equilibrium and eigenvalues (IFToMM library; published solution by EoM, Minaker).

Four links of 1 m (ground from (0, 0) to (1, 0)), three uniform bars of 1 kg, g = 9.81 along -y, parallelogram branch; spring of 25 N/m and free
length sqrt 2 from (0, 0) to the pin of coupler and right link.  phi is the angle of the right link:

    V'(phi) = 2 g cos(phi) - k (2 cos(phi/2) - l0) sin(phi/2),   J = 5/3

Published phi = 2.23433101898; exact 2.234331019017586 from the equation above, frequency 2.147676638502278 rad/s, with a damper of 1 N s/m in
parallel -0.2423858093105051 +- 2.13395502834838 i.  Tolerance: 1e-10 for the place (rounding), 1e-9 for eigenvalues (differences).
"""

import math

import numpy as np
import pytest

import dalembert as da

PHI = 2.234331019017586


def linkage(damping=0.0):
    m = da.Mechanism("four-bar with a diagonal spring", gravity=(0, -9.81))
    drawn = 2.0
    c, s = math.cos(drawn), math.sin(drawn)
    left = m.body("left", da.rod(length=1, mass=1), at=(c / 2, s / 2), angle=drawn)
    coupler = m.body("coupler", da.rod(length=1, mass=1), at=(c + 0.5, s))
    right = m.body("right", da.rod(length=1, mass=1), at=(1 + c / 2, s / 2), angle=drawn)
    m.revolute("A", m.ground, left, at=(0, 0))
    m.revolute("B", left, coupler, at=(c, s))
    m.revolute("C", coupler, right, at=(1 + c, s))
    m.revolute("D", m.ground, right, at=(1, 0))
    m.spring("spring", m.ground.point(0, 0), right.end, stiffness=25, free_length=math.sqrt(2), damping=damping)
    return m


def near(found):
    """The equilibrium of the benchmark; the others hang below or stand upright."""
    (e,) = [e for e in found if abs(e.state.q[8] - PHI) < 0.1]
    return e


def test_equilibrium():
    found = da.equilibrium(linkage())
    e = near(found)
    assert e.state.q[8] == pytest.approx(PHI, abs=1e-10)
    assert e.state.q[8] == pytest.approx(2.23433101898, abs=1e-10), "published"
    assert e.verdict == "stable"
    assert e.eigenvalues == pytest.approx([2.147676638502278**2], rel=1e-9)
    # V'' = 7.687524905947408 with J = 5/3 for the angle
    assert e.K[0, 0] / e.motions[8, 0] ** 2 == pytest.approx(7.687524905947408, rel=1e-9)
    assert e.M[0, 0] / e.motions[8, 0] ** 2 == pytest.approx(5 / 3, rel=1e-12)


def test_every_equilibrium_of_a_turn():
    """Roots of V' between the flat positions, where the parallelogram may change its branch."""

    def slope(x):
        pull = 25 * (2 * abs(math.cos(x / 2)) - math.sqrt(2))
        return 2 * 9.81 * math.cos(x) - pull * math.sin(x / 2) * np.sign(math.cos(x / 2))

    grid = np.linspace(1e-3, 2 * math.pi - 1e-3, 4000)
    values = [slope(x) for x in grid]
    expected = [a for a, f, g in zip(grid, values, values[1:]) if f * g < 0 and abs(f) < 1.0]
    found = da.equilibrium(linkage())
    assert sorted(e.state.q[8] % (2 * math.pi) for e in found) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(
    "damping, expected", [(0.0, complex(0.0, 2.147676638502278)), (1.0, complex(-0.2423858093105051, 2.13395502834838))]
)
def test_eigenvalues(damping, expected):
    m = linkage(damping)
    made = da.linearize(m, near(da.equilibrium(m)))
    (mode,) = made.modes
    assert mode.eigenvalue == pytest.approx(expected, rel=1e-9, abs=1e-10)
    assert mode.damping_ratio == pytest.approx(-expected.real / abs(expected), abs=1e-9)
