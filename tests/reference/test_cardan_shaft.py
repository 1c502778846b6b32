"""Cardan shaft: speed ripple of one universal joint, none of two in phase, none of a constant-velocity joint.

Source: kinematics of Hooke's joint (any textbook; SOURCES.md asks for the joints).  With phi the turn of the input whose arm starts normal to the
plane of the shafts, the arms of the cross are n cos(phi) + u1 sin(phi) and u2 cos(psi) - n sin(psi), perpendicular when
tan(psi) = cos(bend) tan(phi), so psi'/phi' = cos(bend)/(1 - sin(bend)^2 sin(phi)^2).

Shafts in fixed bearings through the centre of the cross make its three rows of position redundant: they must be found and named.

Tolerance: angles are driven, so the constraints hold to 1e-12 and nothing accumulates: 1e-11; torques with the rounding of the
inertia torques of 100 N m.
"""

import math

import numpy as np
import pytest

import dalembert as da

SPEED, LOAD, INERTIA = 3.0, -2.0, 0.4


def tilted(bend, azimuth=0.3):
    """Directions of the shafts and the normal of their plane, in no special orientation to the axes of space."""
    first = np.array([math.cos(azimuth), math.sin(azimuth), 0.2])
    first /= np.linalg.norm(first)
    normal = np.cross(first, [0.1, -0.3, 1.0])
    normal /= np.linalg.norm(normal)
    across = np.cross(normal, first)
    return first, math.cos(bend) * first + math.sin(bend) * across, normal


def shaft(m, name, direction, at):
    # a round shaft: the same inertia about all cross axes; its own axis is the third
    third = direction / np.linalg.norm(direction)
    x = np.cross(third, [0.3, 0.5, -0.7])
    x /= np.linalg.norm(x)
    frame = np.column_stack([x, np.cross(third, x), third])
    return m.body(name, mass=2.0, inertia=(0.5, 0.5, INERTIA), at=at, rotation=frame)


def joined(bend, joint, axis="of each shaft"):
    """Two shafts in fixed bearings, joined at the origin; the first driven at constant speed, the second loaded."""
    one, two, normal = tilted(bend)
    m = da.Mechanism("shafts", plane=False)
    first, second = shaft(m, "input", one, -0.5 * one), shaft(m, "output", two, 0.5 * two)
    m.revolute("in", m.ground, first, at=-one, axis=one)
    m.revolute("out", m.ground, second, at=two, axis=two)
    if joint == "universal":
        m.universal("cross", first, second, at=(0, 0, 0), axes=(normal, np.cross(two, normal)))
    else:
        given = {
            "of each shaft": (tuple(one), tuple(two)), "of each body": (first.axis(0, 0, 1), second.axis(0, 0, 1)),
            "one": tuple(one), "one, of a body": second.axis(0, 0, 1),
        }  # fmt: skip
        m.constant_velocity("cross", first, second, at=(0, 0, 0), axis=given[axis])
    m.drive("motor", m["in"].angle, f"{SPEED}*t")
    m.torque("load", second, LOAD * two)
    return m


@pytest.mark.parametrize("bend", [0.2, math.radians(35), 1.1])
def test_one_universal_joint(bend):
    run = da.simulate(joined(bend, "universal"), until=4.0, output=0.05)
    phi = SPEED * run.t
    c, s = math.cos(bend), math.sin(bend)
    # turns counted: psi and phi agree at every quarter turn
    psi = np.arctan2(c * np.sin(phi), np.cos(phi))
    psi += 2 * math.pi * np.round((phi - psi) / (2 * math.pi))
    ratio = c / (1 - s**2 * np.sin(phi) ** 2)
    slope = c * s**2 * np.sin(2 * phi) / (1 - s**2 * np.sin(phi) ** 2) ** 2
    assert run["out"].angle == pytest.approx(psi, abs=1e-11)
    assert run["out"].angle.rate == pytest.approx(SPEED * ratio, abs=1e-10)
    # virtual work: motor d(phi) + (load - inertia psi'') d(psi) = 0
    torque = (INERTIA * SPEED**2 * slope - LOAD) * ratio
    assert run["motor"].effort == pytest.approx(torque, abs=1e-8)
    assert run.audit.degrees_of_freedom == 0
    assert len(run.audit.redundant_rows) == 3
    assert "cross" in run.audit.not_unique
    assert run.status == "ok"


def test_arms_of_the_cross():
    """Drawn, the arm on the output lies in the plane of the shafts; a quarter turn later the arm on the input does.

    The bend is taken about one arm, then about the other: by then the cross has turned by the whole bend about both.
    """
    bend = 0.6
    run = da.simulate(joined(bend, "universal"), until=2.0, output=[0.0, math.pi / 2 / SPEED])
    assert np.abs(run["cross"].angle_i) == pytest.approx([0.0, bend], abs=1e-10)
    assert np.abs(run["cross"].angle_j) == pytest.approx([0.0, bend], abs=1e-10)


@pytest.mark.parametrize("phase, constant", [(0.0, True), (math.pi / 2, False)])
def test_two_universal_joints(phase, constant):
    """Parallel shafts offset by a middle shaft: constant speed with the middle forks in phase, double ripple a quarter turn off."""
    bend = 0.5
    one, two, normal = tilted(bend)
    end = 1.5 * two
    m = da.Mechanism("cardan shaft", plane=False)
    first, middle, last = (
        shaft(m, "input", one, -0.5 * one),
        shaft(m, "middle", two, 0.5 * end),
        shaft(m, "output", one, end + 0.5 * one),
    )
    m.revolute("in", m.ground, first, at=-one, axis=one)
    m.universal("A", first, middle, at=(0, 0, 0), axes=(normal, np.cross(two, normal)))
    # fork of the middle shaft at B, in phase with its fork at A or turned by a quarter
    side = np.cross(two, normal)
    fork = math.cos(phase) * side + math.sin(phase) * normal
    other = np.cross(one, fork)
    m.universal("B", middle, last, at=end, axes=(fork, other))
    m.revolute("out", m.ground, last, at=end + one, axis=one)
    m.drive("motor", m["in"].angle, f"{SPEED}*t")
    run = da.simulate(m, until=2.5, output=0.05)
    phi = SPEED * run.t
    if constant:
        assert run["out"].angle == pytest.approx(phi, abs=1e-11)
        assert run["out"].angle.rate == pytest.approx(np.full(len(run.t), SPEED), abs=1e-10)
    else:
        # the second joint starts with its fork normal to the plane: the ripples multiply
        c, s = math.cos(bend), math.sin(bend)
        psi = np.arctan2(c * np.sin(phi), np.cos(phi))
        both = c / (1 - s**2 * np.sin(phi) ** 2) * c / (1 - s**2 * np.sin(psi) ** 2)
        assert run["out"].angle.rate == pytest.approx(SPEED * both, abs=1e-10)
    # the length of the middle shaft is fixed twice
    assert len(run.audit.redundant_rows) == 1
    assert run.status == "ok"


@pytest.mark.parametrize("bend", [0.2, math.radians(35), 1.1])
def test_constant_velocity_joint(bend):
    run = da.simulate(joined(bend, "constant velocity"), until=4.0, output=0.05)
    assert run["out"].angle == pytest.approx(SPEED * run.t, abs=1e-11)
    assert run["out"].angle.rate == pytest.approx(np.full(len(run.t), SPEED), abs=1e-10)
    # no ripple, no inertia torque: the load is passed on unchanged
    assert run["motor"].effort == pytest.approx(np.full(len(run.t), -LOAD), abs=1e-9)
    assert run.status == "ok"


@pytest.mark.parametrize("bend", [0.0, 20.0, 40.0, 60.0])
def test_equal_rates_at_every_bend(bend):
    """Axes given in space or on the bodies; a Cardan joint between the same shafts has the ratio 1/cos(bend) at its extreme."""
    for axis in ("of each shaft", "of each body"):
        run = da.simulate(joined(math.radians(bend), "constant velocity", axis), until=2.0, output=0.05)
        assert run["out"].angle.rate / SPEED == pytest.approx(np.ones(len(run.t)), abs=1e-12)
    quarter = math.pi / 2 / SPEED
    cardan = da.simulate(joined(math.radians(bend), "universal"), until=quarter, output=[0.0, quarter])
    extremes = math.cos(math.radians(bend)), 1.0 / math.cos(math.radians(bend))
    assert cardan["out"].angle.rate / SPEED == pytest.approx(extremes, abs=1e-10)


@pytest.mark.parametrize("axis", ["one", "one, of a body"])
def test_one_axis_for_two_bent_shafts_is_refused(axis):
    """It held p_a tan(phi/2) = p_b tan(psi/2) with the cosines of the axis to both shafts: a ratio of 1/cos(40 degrees) at rest, status "ok"."""
    with pytest.raises(da.ModelError, match="40 degrees"):
        da.simulate(joined(math.radians(40), "constant velocity", axis), until=0.1)
    run = da.simulate(joined(0.0, "constant velocity", axis), until=0.1)
    assert run["out"].angle.rate == pytest.approx(np.full(len(run.t), SPEED), abs=1e-12)


@pytest.mark.parametrize("bend", [0.0, 30.0])
def test_a_shaft_between_two_joints(bend):
    """A half-shaft without bearings of its own: the centres of its two joints show where it lies."""
    one, two, _ = tilted(math.radians(bend))
    m = da.Mechanism("half-shaft", plane=False)
    first, middle, last = (
        shaft(m, "first", one, -0.5 * one),
        shaft(m, "middle", two, two),
        shaft(m, "last", one, 2 * two + one),
    )
    m.revolute("in", m.ground, first, at=-one, axis=one)
    m.revolute("out", m.ground, last, at=2 * two + one, axis=one)
    m.constant_velocity("A", first, middle, at=(0, 0, 0), axis=tuple(one))
    m.constant_velocity("B", middle, last, at=tuple(2 * two), axis=tuple(one))
    m.drive("motor", m["in"].angle, f"{SPEED}*t")
    if bend:
        with pytest.raises(da.ModelError, match="'B' shows that of 'middle' at 30 degrees"):
            da.mobility(m)
    else:
        assert da.simulate(m, until=1.0, output=0.1)["out"].angle.rate == pytest.approx(np.full(11, SPEED), abs=1e-11)
