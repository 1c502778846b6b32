"""P9: PLANAR problem 6.5.2: two equal bars of half-length l and mass m, tip held at x = 2 l (inferred; the figure is lost).

phi1 = 5.02332107, phi2 = 5.47949379 (source 5.0233, 5.4795); force on the tip +0.48203331 m g, that is lam = -0.48203331 m g for
Phi = x - 2 l; the other equilibrium (1.259864, 0.803692) is unstable.  By hand: V = m g l (3 sin phi1 + sin phi2) with cos phi1 + cos phi2 = 1
is stationary where 3 cos phi1 sin phi2 = cos phi2 sin phi1.  Tolerances: the digits given, and 1e-10 for the conditions by hand.
"""

import math

import pytest

import dalembert as da

M, L, G = 2.0, 0.5, 9.81


@pytest.fixture(scope="module")
def found():
    m = da.Mechanism("bars with the tip in a slot", plane=True, gravity=(0, -G))
    # drawn far from equilibrium, with cos + cos = 1
    first = -0.3
    second = -math.acos(1 - math.cos(first))
    knee = (2 * L * math.cos(first), 2 * L * math.sin(first))
    one = m.body("one", da.rod(length=2 * L, mass=M), at=(knee[0] / 2, knee[1] / 2), angle=first)
    two = m.body(
        "two",
        da.rod(length=2 * L, mass=M),
        at=(knee[0] + L * math.cos(second), knee[1] + L * math.sin(second)),
        angle=second,
    )
    m.revolute("O", m.ground, one, at=(0, 0))
    m.revolute("A", one, two, at=knee)
    m.absolute_x("slot", two, 2 * L, at=two.end)
    return da.equilibrium(m)


def angles(e):
    return tuple(x % (2 * math.pi) for x in (e.state.q[2], e.state.q[5]))


def test_stable_one(found):
    (stable,) = found.stable
    assert angles(stable) == pytest.approx((5.02332107, 5.47949379), abs=1e-8)
    assert stable.reactions["slot"].force == pytest.approx([0.48203331 * M * G, 0.0], abs=1e-7)
    row = stable._system.row_names.index("slot.x")
    assert stable.multipliers[row] == pytest.approx(-0.48203331 * M * G, abs=1e-7)


def test_unstable_ones(found):
    assert (1.259864, 0.803692) == pytest.approx(
        angles([e for e in found if angles(e)[0] < math.pi and angles(e)[1] < math.pi][0]), abs=1e-6
    )
    assert all(e.verdict == "unstable" for e in found if e not in found.stable)


def test_every_one_fulfils_the_condition_by_hand(found):
    for e in found:
        one, two = angles(e)
        assert math.cos(one) + math.cos(two) == pytest.approx(1.0, abs=1e-12)
        assert 3 * math.cos(one) * math.sin(two) == pytest.approx(math.cos(two) * math.sin(one), abs=1e-10)
        assert e.energy == pytest.approx(M * G * L * (3 * math.sin(one) + math.sin(two)), rel=1e-10)
