"""Points and axes in space as drawn, or on either body: the same mechanism."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da


def crank(at):
    """Bar drawn at 0.7 rad, pinned with its lower end to (0.2, 0.1), with a second bar at the other end."""
    m = da.Mechanism("crank", plane=True, gravity=(0, -9.81))
    c, s = math.cos(0.7), math.sin(0.7)
    first = m.body("first", mass=1.0, inertia=0.1, at=(0.2 + 0.5 * c, 0.1 + 0.5 * s), angle=0.7)
    second = m.body("second", mass=1.0, inertia=0.1, at=(0.2 + c, 0.1 + s + 0.5), angle=math.pi / 2)
    m.revolute("A", m.ground, first, **at(m, first, second)["A"])
    m.revolute("B", first, second, **at(m, first, second)["B"])
    return m


END = (0.2 + math.cos(0.7), 0.1 + math.sin(0.7))
WAYS = {
    "in space": lambda m, f, s: {"A": {"at": (0.2, 0.1)}, "B": {"at": END}},
    "list": lambda m, f, s: {"A": {"at": [0.2, 0.1]}, "B": {"at": list(END)}},
    "array": lambda m, f, s: {"A": {"at": np.array([0.2, 0.1])}, "B": {"at": np.array(END)}},
    "three numbers": lambda m, f, s: {"A": {"at": (0.2, 0.1, 0)}, "B": {"at": (*END, 0.0)}},
    "on the first body": lambda m, f, s: {"A": {"at": f.point(-0.5, 0)}, "B": {"at": f.point(0.5, 0)}},
    "on the second body": lambda m, f, s: {"A": {"at": m.ground.point(0.2, 0.1)}, "B": {"at": s.point(-0.5, 0)}},
    "pair": lambda m, f, s: {"A": {"at": (f, (-0.5, 0))}, "B": {"at": ("second", (-0.5, 0))}},
    "one point on each": lambda m, f, s: {
        "A": {"at": (m.ground.point(0.2, 0.1), f.point(-0.5, 0))},
        "B": {"at": (s.point(-0.5, 0), f.point(0.5, 0))},
    },
    "place and point": lambda m, f, s: {
        "A": {"at": (0.2, 0.1), "on": f.point(-0.5, 0)},
        "B": {"on": [f.point(0.5, 0), s.point(-0.5, 0)]},
    },
    "text": lambda m, f, s: {"A": {"at": ("0.1*2", "1/10")}, "B": {"at": ("0.2 + cos(0.7)", "0.1 + sin(0.7)")}},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_mechanism(way):
    reference, other = (da.compile(crank(WAYS[w])) for w in ("in space", way))
    assert np.array_equal(reference.numbering.I, other.numbering.I)
    # coordinates of points differ by the rounding of a rotation back and forth
    assert np.abs(reference.numbering.P - other.numbering.P).max() < 1e-15
    assert reference.row_names == other.row_names


def test_the_same_motion():
    runs = [da.simulate(crank(WAYS[w]), until=0.5, output=[0.5]) for w in ("in space", "on the first body")]
    # points agree to 1e-16; half a second of smooth motion multiplies that by less than 1e3
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12
    assert np.abs(runs[0]["B"].force - runs[1]["B"].force).max() < 1e-11


def test_axes_in_space_and_on_bodies():
    def hinge(axis):
        m = da.Mechanism("hinge", plane=False)
        b = m.body("b", mass=1, inertia=(1, 1, 1), rotation=((0, 0, 1), 0.3))
        m.revolute("A", m.ground, b, at=(0, 0, 0), axis=axis(m, b))
        return da.compile(m).numbering.P

    c, s = math.cos(0.3), math.sin(0.3)
    reference = hinge(lambda m, b: (c, s, 0))
    for axis in (
        lambda m, b: (5 * c, 5 * s, 0),
        lambda m, b: b.axis(1, 0, 0),
        lambda m, b: m.ground.axis(c, s, 0),
        lambda m, b: (m.ground.axis(c, s, 0), b.axis(2, 0, 0)),
        lambda m, b: (b.axis(2, 0, 0), m.ground.axis(c, s, 0)),
        lambda m, b: ((c, s, 0), b.axis(1, 0, 0)),
    ):
        assert np.abs(hinge(axis) - reference).max() < 1e-15


def test_directions_by_letter():
    m = da.Mechanism("slides")
    b = m.body("b", mass=1, inertia=1)
    m.prismatic("P", m.ground, b, along="y")
    other = da.Mechanism("slides")
    c = other.body("b", mass=1, inertia=1)
    other.prismatic("P", other.ground, c, along=(0, 3))
    assert np.array_equal(da.compile(m).numbering.P, da.compile(other).numbering.P)


def test_a_body_stands_for_its_origin():
    """Springs between particles need no points."""
    one, two = (da.Mechanism("balls") for _ in range(2))
    for m in (one, two):
        m.particle("p", mass=1, at=(0, 0))
        m.particle("q", mass=2, at=(1, 0))
    one.spring("S", one["p"], "q", stiffness=10, free_length=0.5)
    two.spring("S", (two["p"], (0, 0)), two["q"].point(0, 0), stiffness=10, free_length=0.5)
    assert np.array_equal(da.compile(one).numbering.P, da.compile(two).numbering.P)


def test_named_points_of_shapes():
    m = da.Mechanism("rod", gravity=(0, -9.81))
    rod = m.body("rod", da.rod(length=2.0, mass=3.0), at=(1, 1), angle=0.5)
    length = rod.end.coordinates[0] - rod.start.coordinates[0]
    assert length == pytest.approx(2.0, abs=1e-15)
    assert rod.center.coordinates[0] == pytest.approx(
        (rod.end.coordinates[0] + rod.start.coordinates[0]) / 2, abs=1e-15
    )
