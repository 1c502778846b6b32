"""Statics beside rigid stops: what would ignore one is refused, and says what to do."""

import math

import pytest

import dalembert as da


def beam(stop, **contact):
    """A lever of 2 kg and 1 m on a pin at its left end, its right end over a stop at the height -0.2 - `stop` (a contact with a ball of 1 mm)."""
    m = da.Mechanism("beam", plane=True, gravity=(0, -10.0))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, -0.2))
    m.revolute("A", m.ground, bar, at=(0, -0.2))
    m.contact("block", m.ground, bar, points=[bar.end], radius=1e-3, through=(0, -0.201 - stop), **contact)
    return m


def test_the_load_of_a_pose_that_touches_nothing():
    assert da.holding_load(beam(0.01), "A.angle").value == pytest.approx(10.0)


def test_a_pose_that_touches_is_refused_and_the_advice_works():
    m = beam(0.0)
    with pytest.raises(da.MethodError, match=r"the gap of 'block' is(.|\n)*m\.open\('block'\).*da\.reactions"):
        da.holding_load(m, "A.angle")
    assert da.reactions(m)["block"].force == pytest.approx([0, 10.0])  # half the weight
    m.open("block")
    assert da.holding_load(m, "A.angle").value == pytest.approx(10.0)  # at which it carries nothing


def test_bodies_that_overlap_are_no_pose():
    with pytest.raises(da.MethodError, match="the gap of 'block' is -0.01"):
        da.holding_load(beam(-0.01), "A.angle")


def test_equilibria_beyond_a_stop_are_none():
    m = beam(0.0)
    with pytest.raises(da.MethodError, match=r"the rigid stop 'block'(.|\n)*stiffness=.*m\.open\('block'\)"):
        da.equilibrium(m)
    m.open("block")
    assert [x.verdict for x in da.equilibrium(m)] == ["stable", "unstable"]


def test_the_advice_for_equilibria_works():
    # a soft contact is a force: it rests on it with half its weight, to the right and, since planes do not end, to the left
    rests = [x["A.angle"] for x in da.equilibrium(beam(0.0, stiffness=1e5, exponent=1.0)) if x.verdict == "stable"]
    assert sorted(abs(math.sin(x)) for x in rests) == pytest.approx([10.0 / 1e5] * 2, rel=1e-6)
    m = beam(0.05)
    m.damper("oil", m["A"].angle, damping=2.0)
    assert da.simulate(m, until=10.0)["block"].force[-1, 1] == pytest.approx(10.0, rel=1e-3)


def test_lagrangian_systems_too():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="(y + 1)**2")
    m.impact("floor", "y")
    with pytest.raises(da.MethodError, match="the rigid stop 'floor'"):
        da.equilibrium(m)
