"""L7: generalized impulse and momentum, LAGRANGE 1.5.

The source defines the generalized impulse sum (dv/dq')^T a + sum (dw/dq')^T b and has no example; the machines here are ours, with
closed forms by hand.  A uniform rod has the inertia m L^2/3 about its end.

    rod on a pivot, struck across by P at distance d     dw = 3 P d / (m L^2), pivot P (3 d/(2 L) - 1) along P
    level rod falling with v, caught at one end          w = 3 v/(2 L), impulse m v/4 upwards
    two equal rods hanging, the lower struck across at its tip
        (m L^2) [[4/3, 1/2], [1/2, 1/3]] (w1, w2) = (P L, P L): w1 = -6 P/(7 m L), w2 = 30 P/(7 m L)

Tolerance: 1e-13, a few roundings of numbers of size 1 to 10.
"""

import math

import numpy as np
import pytest

import dalembert as da

M, L, P = 2.5, 1.4, 3.2
TOLERANCE = 1e-13


def rod_on_pivot(angle=0.0, plane=True):
    m = da.Mechanism("rod on a pivot", plane=plane)
    if plane:
        rod = m.body("rod", da.rod(length=L, mass=M), angle=angle)
        m.revolute("A", m.ground, rod, at=rod.start)
    else:
        inertia = (1e-3, M * L**2 / 12, M * L**2 / 12)
        rod = m.body("rod", mass=M, inertia=inertia, rotation=((0, 0, 1), angle))
        m.revolute("A", m.ground, rod, at=rod.point(-L / 2, 0, 0), axis=(0, 0, 1))
    return m, rod


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
@pytest.mark.parametrize("d", [0.0, 0.3, 2 * L / 3, L])
@pytest.mark.parametrize("plane", [True, False])
def test_rod_on_a_pivot(d, angle, plane):
    m, rod = rod_on_pivot(angle, plane)
    across = P * np.array([-math.sin(angle), math.cos(angle), 0.0])
    place = d - L / 2
    blow = (across[:2], rod.point(place, 0)) if plane else (across, rod.point(place, 0, 0))
    if plane:
        # the frame of a rod is at its middle
        assert rod.start.coordinates[0] == pytest.approx(-L / 2)
    found = da.strike(m, {"rod": blow})
    spin = found.after.v[2 if plane else 5]
    assert spin == pytest.approx(3 * P * d / (M * L**2), abs=TOLERANCE)
    pivot = found.impulse["A"]
    assert pivot.linear == pytest.approx(across[: 2 if plane else 3] * (3 * d / (2 * L) - 1), abs=TOLERANCE)
    assert np.max(np.abs(pivot.angular)) < TOLERANCE
    # work of the blow: P times the mean velocity of the point struck
    assert found.energy_change == pytest.approx(P * spin * d / 2, abs=TOLERANCE)


def test_the_centre_of_percussion_needs_no_pivot():
    """d = 2 L/3: the free rod would turn about its end by itself."""
    m, rod = rod_on_pivot()
    assert np.abs(da.strike(m, {"rod": ((0, P), rod.point(L / 6, 0))}).impulse["A"].linear).max() < TOLERANCE


def test_falling_rod_caught_at_one_end():
    v = 2.0
    m = da.Mechanism("caught", gravity=(0, -9.81))
    rod = m.body("rod", da.rod(length=L, mass=M), velocity=(0, -v), spin=0)
    m.revolute("A", m.ground, rod, at=rod.start)
    found = da.strike(m, velocities="impulsive")
    # the free end goes on downwards: clockwise for a rod caught at its left end
    assert found.after.v[2] == pytest.approx(-3 * v / (2 * L), abs=TOLERANCE)
    assert found.impulse["A"].linear == pytest.approx([0, M * v / 4], abs=TOLERANCE)
    assert found.energy_change == pytest.approx(-M * v**2 / 8, abs=TOLERANCE)  # 1/2 * impulse * v
    # the same as a start of a simulation, and as an impact without rebound of the end of a free rod
    run = da.simulate(m, until=0.01, velocities="impulsive")
    assert run.impulse.impulse["A"].linear == pytest.approx([0, M * v / 4], abs=TOLERANCE)
    free = da.Mechanism("free")
    rod = free.body("rod", da.rod(length=L, mass=M), velocity=(0, -v), spin=0)
    free.measure("end height", point=rod.start, along=(0, 1))
    again = da.strike(free, restitution=("end height", 0.0))
    assert again.after.v == pytest.approx(found.after.v, abs=TOLERANCE)
    assert again.impulse["end height"].effort == pytest.approx(M * v / 4, abs=TOLERANCE)


def test_struck_double_pendulum():
    m = da.Mechanism("double pendulum", gravity=(0, -9.81))
    upper = m.body("upper", da.rod(length=L, mass=M), at=(0, -L / 2), angle=-math.pi / 2)
    lower = m.body("lower", da.rod(length=L, mass=M), at=(0, -3 * L / 2), angle=-math.pi / 2)
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=(0, -L))
    found = da.strike(m, {"lower": ((P, 0), lower.end)})
    w1, w2 = found.after.v[2], found.after.v[5]
    assert (w1, w2) == pytest.approx((-6 * P / (7 * M * L), 30 * P / (7 * M * L)), abs=TOLERANCE)
    # impulse and momentum of each rod: the lower one B + P = m v2, the upper one A - B = m v1
    v1, v2 = w1 * L / 2, w1 * L + w2 * L / 2
    b = M * v2 - P
    assert found.impulse["B"].linear == pytest.approx([b, 0], abs=TOLERANCE)
    assert found.impulse["A"].linear == pytest.approx([M * v1 + b, 0], abs=TOLERANCE)
    assert found.impulse["B"].on("upper").linear == pytest.approx([-b, 0], abs=TOLERANCE)


# -- both ways ---------------------------------------------------------------------------------------------------------


def rod_of_energies(angle=0.0):
    """The rod in x, y, th with two rows for its pin."""
    m = da.Lagrangian(
        "x y th",
        parameters={"m": M, "L": L},
        holonomic={"pin x": "x - L/2*cos(th)", "pin y": "y - L/2*sin(th)"},
        name="rod on a pivot",
    )
    m.body("rod", "m", "m*L**2/12", at=("x", "y"), angle="th")
    m.start("th", angle)
    return m


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
@pytest.mark.parametrize("d", [0.0, 0.3, 2 * L / 3, L])
def test_rod_on_a_pivot_both_ways(d, angle):
    """Also with the angle alone, where the generalized impulse is P d."""
    across = P * np.array([-math.sin(angle), math.cos(angle)])
    m, rod = rod_on_pivot(angle)
    one = da.strike(m, {"rod": (across, rod.point(d - L / 2, 0))})
    two = da.strike(rod_of_energies(angle), {"rod": (across, (d - L / 2, 0))})
    single = da.Lagrangian("th", kinetic="m*L**2*rate(th)**2/6", parameters={"m": M, "L": L})
    single.start("th", angle)
    three = da.strike(single, {"th": P * d})
    assert two.after.v == pytest.approx(one.after.v, abs=TOLERANCE)
    assert three.after.v[0] == pytest.approx(one.after.v[2], abs=TOLERANCE)
    pivot = [-two.impulse["pin x"], -two.impulse["pin y"]]
    assert pivot == pytest.approx(one.impulse["A"].linear, abs=TOLERANCE)
    assert two.energy_change == pytest.approx(one.energy_change, abs=TOLERANCE)
    assert three.energy_change == pytest.approx(one.energy_change, abs=TOLERANCE)


def test_caught_rod_both_ways():
    v = 2.0
    m = da.Mechanism("caught")
    rod = m.body("rod", da.rod(length=L, mass=M), velocity=(0, -v), spin=0)
    m.revolute("A", m.ground, rod, at=rod.start)
    one = da.strike(m, velocities="impulsive")
    two = da.strike(rod_of_energies(), state=da.State(0.0, [L / 2, 0.0, 0.0], [0.0, -v, 0.0]), velocities="impulsive")
    assert two.after.v == pytest.approx(one.after.v, abs=TOLERANCE)
    assert -two.impulse["pin y"] == pytest.approx(one.impulse["A"].linear[1], abs=TOLERANCE)
    assert -two.impulse["pin y"] == pytest.approx(M * v / 4, abs=TOLERANCE)
    assert two.energy_change == pytest.approx(one.energy_change, abs=TOLERANCE)


def test_struck_double_pendulum_both_ways():
    """Bent, so that every term is there; pins relaxed by (u, v), their impulses are minus the multipliers' impulses."""
    angles, blow = (-1.2, -0.5), (3.2, 0.7)
    m = da.Mechanism("double pendulum", gravity=(0, -9.81))
    ends = np.cumsum([[L * math.cos(x), L * math.sin(x)] for x in angles], axis=0)
    upper = m.body("upper", da.rod(length=L, mass=M), at=tuple(ends[0] / 2), angle=angles[0])
    lower = m.body("lower", da.rod(length=L, mass=M), at=tuple((ends[0] + ends[1]) / 2), angle=angles[1])
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=tuple(ends[0]))
    one = da.strike(m, {"lower": (blow, lower.end)})
    other = da.Lagrangian(
        "a b uA vA uB vB", gravity=(0, "-g"), parameters={"m": M, "L": L, "g": 9.81}, name="double pendulum",
        holonomic={"A x": "uA", "A y": "vA", "B x": "uB", "B y": "vB"},
    )  # fmt: skip
    other.body("upper", "m", "m*L**2/12", at=("uA + L/2*cos(a)", "vA + L/2*sin(a)"), angle="a")
    other.body(
        "lower", "m", "m*L**2/12", at=("uA + uB + L*cos(a) + L/2*cos(b)", "vA + vB + L*sin(a) + L/2*sin(b)"), angle="b"
    )
    other.start("a", angles[0])
    other.start("b", angles[1])
    two = da.strike(other, {"lower": (blow, (L / 2, 0))})
    assert two.after.v[:2] == pytest.approx(one.after.v[[2, 5]], abs=TOLERANCE)
    for pin in "AB":
        assert [-two.impulse[f"{pin} {x}"] for x in "xy"] == pytest.approx(one.impulse[pin].linear, abs=TOLERANCE)
    # generalized impulse and momentum: m L^2 [[4/3, c/2], [c/2, 1/3]] (w1, w2) = L P . (direction across each rod)
    c = math.cos(angles[1] - angles[0])
    across = [L * (blow[1] * math.cos(x) - blow[0] * math.sin(x)) for x in angles]
    expected = np.linalg.solve(M * L**2 * np.array([[4 / 3, c / 2], [c / 2, 1 / 3]]), across)
    assert two.after.v[:2] == pytest.approx(expected, abs=TOLERANCE)
    assert two.energy_change == pytest.approx(one.energy_change, abs=TOLERANCE)
