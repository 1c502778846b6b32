"""Geometry: axes of zero length, wrong dimensions, bodies joined to themselves, rotations that are none, particles that turn."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .checks import pendulum, refused, space

pytestmark = pytest.mark.usefixtures("no_kernels")


@pytest.mark.parametrize(
    "axis", [(0, 0, 0), np.zeros(3), (0.0, -0.0, 0.0), (1e-200, 0, 0), ("r - r", 0, 0), ("r - 0.5", "0", 0)]
)
def test_axes_of_zero_length_in_space(axis):
    for make in (
        lambda m, b: m.revolute("new", m.ground, b, at=(0, 0, 0), axis=axis),
        lambda m, b: m.cylindrical("new", m.ground, b, at=(0, 0, 0), axis=axis),
        lambda m, b: m.prismatic("new", m.ground, b, along=axis),
        lambda m, b: m.universal("new", m.ground, b, at=(0, 0, 0), axes=((1, 0, 0), axis)),
        lambda m, b: m.point_on_plane("new", m.ground, b, at=(0, 0, 0), normal=axis),
        lambda m, b: m.bushing("new", m.ground, b, at=(0, 0, 0), axis=axis),
        lambda m, b: m.measure("new", angle=(m.ground, b), axis=axis),
        lambda m, b: m.measure("new", point=b.point(0, 0, 0), along=axis),
        lambda m, b: m.body("new", mass=1, inertia=(1, 1, 1), rotation=(axis, 0.5)),
    ):
        m = space()
        m.parameter("r", 0.5)
        with refused(da.ModelError, "new", "no direction"):
            make(m, m["b"])
        with refused(da.ModelError, "body 'b'", "no direction"):
            m["b"].axis(*axis)


def test_axes_of_zero_length_in_the_plane():
    m = pendulum()
    for make in (
        lambda: m.prismatic("new", m.ground, "bar", along=(0, 0)),
        lambda: m.pin_in_slot("new", m.ground, "bar", at=(0, 0), along=(0.0, 0.0)),
        lambda: m.measure("new", point=m["bar"].point(0, 0), along=[0, 0]),
    ):
        with refused(da.ModelError, "new", "along = (0, 0)", "no direction"):
            make()


def test_an_axis_that_vanishes_with_its_parameter():
    m = space()
    r = m.parameter("r", 0.5)
    m.revolute("hinge", m.ground, "b", at=(0, 0, 0), axis=(0, 0, r))
    m.set_parameter("r", 0.0)
    with refused(da.ModelError, "revolute 'hinge'", "no direction"):
        da.compile(m)


def test_parallel_arms_of_a_cross():
    m = space()
    m.universal("cross", m.ground, "b", at=(0, 0, 0), axes=((0, 0, 1), (0, 0, 2)))
    with refused(da.ModelError, "universal 'cross'", "parallel"):
        da.compile(m)


@pytest.mark.parametrize(
    "at", [(1,), (1, 2, 3), (1, 2, 3, 4), 1.0, "here", {"x": 1}, {1, 2}, (), [[1, 2]], np.zeros((2, 2)), np.zeros(0)]
)
def test_wrong_dimensions_in_the_plane(at):
    m = pendulum()
    bar = m["bar"]
    for make in (
        lambda: m.revolute("new", m.ground, bar, at=at),
        lambda: m.body("new", mass=1, inertia=1, at=at),
        lambda: m.body("new", mass=1, inertia=1, velocity=at),
        lambda: m.force("new", bar, at),
        lambda: m.spring("new", (m.ground, at), (bar, (0, 0)), stiffness=1),
    ):
        with refused(da.ModelError, "new"):
            make()
    with refused(da.ModelError, "bar"):
        bar.point(at)


def test_three_numbers_in_the_plane_pass_when_the_third_is_zero():
    m = pendulum()
    m.revolute("B", m.ground, m.body("b", mass=1, inertia=1), at=(1, 2, 0))
    with refused(da.ModelError, "(1, 2, 3)", "2 numbers"):
        m.revolute("C", m.ground, "b", at=(1, 2, 3))


def test_wrong_dimensions_in_space():
    m = space()
    with refused(da.ModelError, "revolute 'new'", "(1, 2)", "3 numbers"):
        m.revolute("new", m.ground, "b", at=(1, 2), axis="z")
    with refused(da.ModelError, "revolute 'new'", "axis is missing"):
        m.revolute("new", m.ground, "b", at=(1, 2, 3))
    with refused(da.ModelError, "revolute 'new'", "at is missing"):
        m.revolute("new", m.ground, "b", axis="z")
    with refused(da.ModelError, "body 'new'", "3x3 tensor"):
        m.body("new", mass=1, inertia=1.0)
    with refused(da.ModelError, "body 'new'", "rotation"):
        m.body("new", mass=1, inertia=(1, 1, 1), angle=0.5)
    with refused(da.ModelError, "torque 'new'", "3 components"):
        m.torque("new", "b", 1.0)
    with refused(da.ModelError, "measure 'new'", "axis"):
        m.measure("new", angle=(m.ground, "b"))
    m2 = pendulum()
    with refused(da.ModelError, "body 'new'", "angle"):
        m2.body("new", mass=1, inertia=1, rotation=((0, 0, 1), 1))
    with refused(da.ModelError, "'z'", "plane"):
        m2.prismatic("new", m2.ground, "bar", along="z")


def test_joints_of_the_other_dimension():
    m, s = pendulum(), space()
    for tag in ("spherical", "universal", "cylindrical", "screw", "planar", "differential"):
        with refused(da.ModelError, f"{tag} 'new'", "space only"):
            getattr(m, tag)("new", m.ground, "bar")
    for tag in ("pin_in_slot", "absolute_x", "belt"):
        with refused(da.ModelError, f"{tag} 'new'", "the plane only"):
            getattr(s, tag)("new", s.ground, "b")


def test_bodies_joined_to_themselves():
    m = pendulum()
    bar = m["bar"]
    for make in (
        lambda: m.revolute("new", bar, bar, at=(0, 0)),
        lambda: m.revolute("new", "bar", bar, at=(0, 0)),
        lambda: m.prismatic("new", bar, bar, along=(1, 0)),
        lambda: m.fixed("new", bar, bar),
        lambda: m.distance("new", bar.point(0, 0), bar.point(1, 0)),
        lambda: m.spring("new", bar.point(0, 0), bar.point(1, 0), stiffness=1),
        lambda: m.bushing("new", bar, bar, at=(0, 0), stiffness=1),
        lambda: m.torque("new", bar, 1.0, against=bar),
        lambda: m.measure("new", between=(bar.point(0, 0), bar.point(1, 0))),
        lambda: m.measure("new", angle=(bar, bar)),
        lambda: m.measure("new", point=bar.point(0, 0), relative_to=bar.point(1, 0), along=(1, 0)),
    ):
        with refused(da.ModelError, "'new'", "'bar'"):
            make()
    with refused(da.ModelError, "'new'", "'ground'"):
        m.revolute("new", m.ground, "ground", at=(0, 0))


def test_coordinates_coupled_to_themselves():
    m = pendulum()
    with refused(da.ModelError, "gear 'g'", "'A.angle' twice"):
        m.gear("g", "A", m["A"].angle, ratio=2)
    with refused(da.ModelError, "rack 'g'", "'A.angle'"):
        m.rack("g", "A", "A", radius=1)
    with refused(da.ModelError, "gear 'g'", "'bar.x' in m", "an angle"):
        m.gear("g", "A", "bar.x", ratio=2)
    with refused(da.ModelError, "gear 'g'", "ratio = 0", "zero"):
        m.gear("g", "A", "bar.angle", ratio=0)
    with refused(da.ModelError, "gear 'g'", "exactly one"):
        m.gear("g", "A", "bar.angle", ratio=2, teeth=(1, 2))
    with refused(da.ModelError, "driver 'D'", "'A.angle'", "'motor'"):
        m.drive("motor", "A", "t")
        m.drive("D", "A.angle", "2*t")


def test_loads_on_the_ground_and_on_nothing():
    m = pendulum()
    m.measure("clock", "sin(t)")
    for make in (
        lambda: m.force("new", m.ground, (1, 0)),
        lambda: m.torque("new", "ground", 1.0),
        lambda: m.absolute_x("new", m.ground),
        lambda: m.damper("new", "clock", damping=1.0),
        lambda: m.constraint("new", "sin(t)"),
        lambda: m.drive("new", "clock", "t"),
        lambda: m.start("clock", value=0.0),
    ):
        with refused(da.ModelError):
            make()
    with refused(da.ModelError, "force 'new'", "not on body 'bar'"):
        m.force("new", "bar", (1, 0), at=m.ground.point(0, 0))
    with refused(da.ModelError, "force 'new'", "frame"):
        m.force("new", "bar", (1, 0), frame="world")


@pytest.mark.parametrize(
    "rotation",
    [
        0.5, "x", (), (1, 0, 0), ((0, 0, 1), 0.5, 2), ((0, 0), 0.5), ((0, 0, 1), (1, 2)), (0, 0, 0, 0), (1, 2, 3, 4, 5), np.zeros((3, 3)),
        2 * np.eye(3), -np.eye(3), np.eye(2), np.eye(4), [[1, 0], [0, 1], [0, 0]], [[1, 0, 0], [0, 1, 0], [0, 0]], ((0, 0, 0), 1), object(),
        {"axis": 1}, np.diag([1.0, 1.0, math.nan]), ("w", 1.0), (1, "x", 0, 0),
    ],
)  # fmt: skip
def test_rotations_that_are_none(rotation):
    m = space()
    with refused(da.ModelError, "body 'new'", "rotation"):
        m.body("new", mass=1, inertia=(1, 1, 1), rotation=rotation)


def test_a_stack_of_scipy_rotations():
    from scipy.spatial.transform import Rotation

    m = space()
    with refused(da.ModelError, "body 'new'", "rotation"):
        m.body("new", mass=1, inertia=(1, 1, 1), rotation=Rotation.from_rotvec([[0, 0, 0.1], [0, 0, 0.2]]))


def test_particles_do_not_turn():
    m = pendulum()
    p = m.particle("p", mass=1.0, at=(1, 1))
    for make in (
        lambda: m.fixed("new", m.ground, p),
        lambda: m.prismatic("new", m.ground, p, along=(1, 0)),
        lambda: m.absolute_angle("new", p),
        lambda: m.torque("new", p, 1.0),
        lambda: m.measure("new", angle=(m.ground, p)),
        lambda: m.bushing("new", m.ground, p, at=(1, 1), stiffness=1.0),
    ):
        with refused(da.ModelError, "'new'", "'p'", "particle"):
            make()
    with refused(da.ModelError, "'p'", "angle"):
        p.angle
    m.revolute("away", "bar", p, at=(0.5, 0))
    with refused(da.ModelError, "revolute 'away'", "particle 'p'", "no extent"):
        da.compile(m)
    s = space()
    with refused(da.ModelError, "revolute 'new'", "'q'"):
        s.revolute("new", s.ground, s.particle("q", mass=1), at=(0, 0, 0), axis="z")


def test_points_given_twice_or_on_the_wrong_body():
    m = pendulum()
    b = m.body("b", mass=1, inertia=1)
    c = m.body("c", mass=1, inertia=1)
    with refused(da.ModelError, "revolute 'B'", "'bar' or 'b'"):
        m.revolute("B", "bar", b, at=(c.point(0, 0), b.point(0, 0)))
    with refused(da.ModelError, "revolute 'B'", "'bar' or 'b'"):
        m.revolute("B", "bar", b, at=(0, 0), on=c.point(0, 0))
    with refused(da.ModelError, "revolute 'B'"):
        m.revolute("B", "bar", b, at=(0, 0), on="b")
    with refused(da.ModelError, "spring 'S'", "another body"):
        m.spring("S", (b, c.point(0, 0)), (m.ground, (0, 0)), stiffness=1)
    with refused(da.ModelError, "spring 'S'", "point of a body"):
        m.spring("S", (0, 0), (1, 0), stiffness=1)
    with refused(da.ModelError, "spring 'S'", "second end"):
        m.spring("S", b.point(0, 0), stiffness=1)


def test_measures_need_one_definition():
    m = pendulum()
    bar = m["bar"]
    with refused(da.ModelError, "measure 'd'", "nothing"):
        m.measure("d")
    with refused(da.ModelError, "measure 'd'", "between, angle"):
        m.measure("d", between=(bar.point(0, 0), m.ground.point(0, 0)), angle=(m.ground, bar))
    with refused(da.ModelError, "measure 'd'", "along"):
        m.measure("d", between=(bar.point(0, 0), m.ground.point(0, 0)), along=(1, 0))
    with refused(da.ModelError, "measure 'd'", "along is missing"):
        m.measure("d", point=bar.point(0, 0))
    with refused(da.ModelError, "measure 'd'", "on a body"):
        m.measure("d", point=(0, 0), along=(1, 0))
    with refused(da.ModelError, "measure 'd'", "unit = 3"):
        m.measure("d", "bar.x", unit=3)
    with refused(da.ModelError, "measure 'd'", "two points"):
        m.measure("d", between=bar.point(0, 0))
    with refused(da.ModelError, "stop 's'", "lower = 1", "upper = 0"):
        m.stop("s", "A", lower=1.0, upper=0.0, stiffness=1.0)
    with refused(da.ModelError, "stop 's'", "neither"):
        m.stop("s", "A", stiffness=1.0)
