"""K2, static part: bar against a wall and a floor, held by a horizontal force at its foot (PRINCIPLES, virtual work).

    P = 1/2 M g tan(theta)      theta from the wall, smooth wall and floor

The reactions of wall and floor do no work and do not appear; the multiplier of a driver that holds the foot gives the same force.
Tolerance: one linear equation, round-off only.
"""

import math

import pytest

import dalembert as da

M, L, G = 12.0, 3.0, 9.81


def ladder(theta):
    """Top on the wall x = 0, foot on the floor y = 0; the force acts on the foot, towards the wall."""
    m = da.Mechanism("ladder", plane=True, gravity=(0, -G))
    s, c = math.sin(theta), math.cos(theta)
    bar = m.body("bar", da.rod(length=L, mass=M), at=(L * s / 2, L * c / 2), angle=math.atan2(-c, s))
    m.measure("top", point=bar.start, along=(1, 0))
    m.measure("sole", point=bar.end, along=(0, 1))
    m.constraint("wall", "top")
    m.constraint("floor", "sole")
    m.measure("foot", point=bar.end, along=(1, 0))
    m.force("P", bar, (-1, 0), at=bar.end)
    return m


@pytest.mark.parametrize("degrees", [1, 20, 45, 70, 89])
def test_holding_force(degrees):
    theta = math.radians(degrees)
    held = da.holding_load(ladder(theta), "P")
    expected = M * G * math.tan(theta) / 2
    assert held.value == pytest.approx(expected, rel=1e-12)
    assert held["P"].multiplier == pytest.approx(expected, rel=1e-11)
    assert held["P"].unit == "N" and held.freedoms == 1


def test_along_a_measure_and_by_a_driver():
    """The same force along the position of the foot (outwards positive), and as the multiplier of a driver that holds it."""
    theta = 0.6
    expected = -M * G * math.tan(theta) / 2
    m = ladder(theta)
    # the given force P of 1 N towards the wall takes its part
    assert da.holding_load(m, "foot").value == pytest.approx(expected + 1.0, rel=1e-12)
    m.drive("hold", "foot", repr(L * math.sin(theta)))
    found = da.inverse_dynamics(m, [0.0])["hold"]
    for x in (found.multiplier, found.power, found.newton_euler):
        assert x[0] == pytest.approx(expected + 1.0, rel=1e-11)
    assert da.holding_load(m, "hold").value == pytest.approx(expected + 1.0, rel=1e-12)


def test_released_bar_starts_as_the_sum_of_forces_says():
    """With the force found, the accelerations vanish; without it the bar starts to slide."""
    theta = 0.6
    m = ladder(theta)
    value = da.holding_load(m, "P").value
    still = da.Mechanism("held", plane=True, gravity=(0, -G))
    s, c = math.sin(theta), math.cos(theta)
    bar = still.body("bar", da.rod(length=L, mass=M), at=(L * s / 2, L * c / 2), angle=math.atan2(-c, s))
    still.measure("top", point=bar.start, along=(1, 0))
    still.measure("sole", point=bar.end, along=(0, 1))
    still.constraint("wall", "top")
    still.constraint("floor", "sole")
    still.force("P", bar, (-value, 0), at=bar.end)
    assert da.equations(still).a == pytest.approx([0, 0, 0], abs=1e-12 * G)
    assert abs(da.equations(m).a[2]) > 1.0


def of_energies(theta, hold=False):
    """The same bar in x, y of its mass centre and its angle th from the wall; wall, floor and the hold of the foot are rows."""
    m = da.Lagrangian(
        "x y th", gravity=(0, "-g"), parameters={"M": M, "L": L, "g": G},
        holonomic={"wall": "x - L/2*sin(th)", "floor": "y - L/2*cos(th)"}, name="ladder",
    )  # fmt: skip
    m.particle("bar", "M", ("x", "y"))
    if hold:
        m.constraint("hold", f"x + L/2*sin(th) - {L * math.sin(theta)!r}")
        m.guess("th", theta)
    else:
        m.start("th", theta)
    return m


@pytest.mark.parametrize("degrees", [20, 45, 70])
def test_both_ways(degrees):
    """Holding force and the reactions M g of the floor and P of the wall."""
    theta = math.radians(degrees)
    expected = M * G * math.tan(theta) / 2
    other = da.reactions(of_energies(theta, hold=True))
    # the hold pushes the foot towards the wall
    assert other["hold"].force[0] == pytest.approx(-expected, rel=1e-11)
    m = ladder(theta)
    m.drive("hold", "foot", repr(L * math.sin(theta)))
    # the force P of 1 N acts as well
    assert da.inverse_dynamics(m, [0.0])["hold"].multiplier[0] - 1.0 == pytest.approx(other["hold"].force[0], rel=1e-11)
    assert other["wall"].force[0] == pytest.approx(expected, rel=1e-11)
    assert other["floor"].force[1] == pytest.approx(M * G, rel=1e-11)
    run = da.simulate(m, until=0.01)
    assert run["wall"].on("bar").force[0] == pytest.approx([expected, 0], abs=1e-9)
    assert run["floor"].on("bar").force[0] == pytest.approx([0, M * G], abs=1e-9)
