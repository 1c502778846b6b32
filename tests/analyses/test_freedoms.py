"""Drivers that are too many, drivers of what a joint holds, and freedoms that nothing acts on, by name."""

from __future__ import annotations

import math

import pytest
from errors.checks import refused

import dalembert as da
from dalembert.analyses.dependence.freedoms import freedoms


def ram():
    m = da.Mechanism("ram", plane=True, gravity=(0, -9.81))
    body = m.body("ram", mass=1.0, inertia=0.1, at=(0, 0.5))
    m.prismatic("guide", m.ground, body, at=(0, 0), along=(0, 1))
    return m


def four_bar(missing=()):
    """A parallelogram 2 m by 1 m, drawn upright."""
    m = da.Mechanism("four-bar", plane=True, gravity=(0, -9.81))
    up = math.pi / 2
    a = m.body("a", da.rod(length=1.0, mass=1.0), at=(0, 0.5), angle=up)
    b = m.body("b", da.rod(length=2.0, mass=1.0), at=(1, 1))
    c = m.body("c", da.rod(length=1.0, mass=1.0), at=(2, 0.5), angle=up)
    pins = {"A": (m.ground, a, (0, 0)), "B": (a, b, (0, 1)), "C": (b, c, (2, 1)), "D": (m.ground, c, (2, 0))}
    for name, (i, j, at) in pins.items():
        if name not in missing:
            m.revolute(name, i, j, at=at)
    return m


ASK = {
    "simulate": lambda m: da.simulate(m, until=0.1),
    "kinematics": lambda m: da.kinematics(m, [0.0, 0.1]),
    "assemble": da.assemble,
}


@pytest.mark.parametrize("ask", ASK.values(), ids=list(ASK))
def test_two_drivers_one_freedom(ask):
    m = ram()
    m.drive("d1", "guide.slide", "0.1*t")
    m.drive("d2", "ram.y", "0.5 + 0.2*t")
    with refused(da.AssemblyError, "2 drivers, 1 freedom: 'd1', 'd2'", "leave out 'd1' or 'd2' (m.drive)"):
        ask(m)


@pytest.mark.parametrize("ask", ASK.values(), ids=list(ASK))
@pytest.mark.parametrize("values", [("pi/2 + t", "pi/2 + 2*t"), ("1.2 + t", "1")], ids=["rates", "places"])
def test_two_drivers_of_a_loop(ask, values):
    m = four_bar()
    m.drive("left", "A.angle", values[0])
    m.drive("right", "D.angle", values[1])
    with refused(da.AssemblyError, "2 drivers, 1 freedom: 'left', 'right'"):
        ask(m)


@pytest.mark.parametrize("ask", ASK.values(), ids=list(ASK))
def test_a_joint_holds_what_is_driven(ask):
    m = ram()
    m.drive("turn", "ram.angle", "0.3*t")
    with refused(da.AssemblyError, "'guide' already holds ram.angle, which 'turn' drives", "leave out 'turn'"):
        ask(m)


@pytest.mark.parametrize("ask", ASK.values(), ids=list(ASK))
def test_a_joint_holds_what_is_driven_beside_another_freedom(ask):
    """Rounding of the motion that is left does not count as a motion of what is driven."""
    m = ram()
    m.revolute("O", m.ground, m.body("crank", da.rod(length=0.2, mass=1.0), at=(0.1, 0)), at=(0, 0))
    m.drive("one", "ram.angle", "0.1*t")
    with refused(da.AssemblyError, "'one' by 0.1 rad/s", "'guide' already holds ram.angle, which 'one' drives"):
        ask(m)


def test_drivers_that_agree_are_no_mistake():
    m = ram()
    m.drive("d1", "guide.slide", "0.1*t")
    m.drive("d2", "ram.y", "0.5 + 0.1*t")
    assert da.simulate(m, until=0.1).status == "ok"
    assert freedoms(m).overdriven()[0] == "2 drivers, 1 freedom: 'd1', 'd2'"


def test_count_of_drivers_leaves_the_others_out():
    """Two machines on one ground: three drivers on two freedoms, of which two share one."""
    m = ram()
    wheel = m.body("wheel", mass=1.0, inertia=0.1, at=(3, 0))
    m.revolute("axle", m.ground, wheel, at=(3, 0))
    m.drive("spin", "axle.angle", "t")
    m.drive("d1", "guide.slide", "0.1*t")
    assert freedoms(m).overdriven() is None
    m.drive("d2", "ram.y", "0.5 + 0.2*t")
    assert freedoms(m).overdriven()[0] == "2 drivers, 1 freedom: 'd1', 'd2'"


def test_a_chance_position_does_not_count():
    """A parallelogram drawn flat has a freedom more; drivers of two of its cranks are one too many nevertheless."""
    m = da.Mechanism("flat", plane=True)
    a, c = (m.body(n, da.rod(length=1.0, mass=1.0), at=(x, 0)) for n, x in (("a", 0.5), ("c", 2.5)))
    b = m.body("b", da.rod(length=2.0, mass=1.0), at=(2, 0))
    for name, i, j, x in (("A", m.ground, a, 0), ("B", a, b, 1), ("C", b, c, 3), ("D", m.ground, c, 2)):
        m.revolute(name, i, j, at=(x, 0))
    m.drive("left", "A.angle", "t")
    m.drive("right", "D.angle", "2*t")
    assert freedoms(m).overdriven()[0] == "2 drivers, 1 freedom: 'left', 'right'"


def test_a_dead_centre_is_no_joint():
    """A crank in line with its rod: the slide cannot begin to move, but nothing holds it."""
    m = da.Mechanism("crank", plane=True)
    crank, rod = (
        m.body("crank", da.rod(length=1.0, mass=1.0), at=(0.5, 0)),
        m.body("rod", da.rod(length=2.0, mass=1.0), at=(2, 0)),
    )
    slider = m.body("slider", mass=1.0, inertia=0.1, at=(3, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(1, 0))
    m.revolute("B", rod, slider, at=(3, 0))
    m.prismatic("bore", m.ground, slider, along=(1, 0))
    m.drive("push", "bore.slide", "-0.01*t")
    assert freedoms(m).overdriven() is None


def test_freedoms_that_nothing_acts_on():
    m = four_bar()
    assert freedoms(m).idle() == ["A.angle"]
    m.drive("left", "A.angle", "pi/2 + t")
    assert freedoms(m).idle() == []
    open_chain = four_bar(missing=["D"])
    open_chain.drive("left", "A.angle", "pi/2 + t")
    assert freedoms(open_chain).idle() == ["B.angle", "C.angle"]
    open_chain.torsion_spring("hinge", open_chain["B"], stiffness=3.0)
    assert freedoms(open_chain).idle() == ["C.angle"]
    box = da.Mechanism("box", plane=True, gravity=(0, -9.81))
    box.contact("floor", box.ground, box.body("b", da.block(0.2, 0.2, mass=1.0), at=(0, 0.1)))
    assert freedoms(box).idle() == []  # what it stands on holds it


def test_joints_that_do_not_go_together_are_told_elsewhere():
    m = da.Mechanism("bar", plane=True)
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.revolute("B", m.ground, bar, at=(m.ground.point(3, 0), bar.end))
    m.drive("motor", "A.angle", "t")
    assert freedoms(m) is None
