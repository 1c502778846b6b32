"""Solids of the scene, against sizes and places known beforehand."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.page import SOLID, page, page_data, scripts

from .machines import engine


def drawn(m, until=0.01):
    return page_data(da.simulate(m, until=until))["scene"]


def one(shape, **options):
    """Solids of a single free body."""
    m = da.Mechanism("one", plane=False, gravity=(0, 0, -9.81))
    m.body("body", shape, at=(1, 2, 3), **options)
    return drawn(m)["bodies"][0]["solids"]


@pytest.mark.parametrize(
    ("shape", "kind", "sizes"),
    [
        (da.box(0.3, 0.2, 0.1, mass=1.0), "box", {"size": [0.3, 0.2, 0.1]}),
        (da.sphere(radius=0.2, mass=1.0), "sphere", {"radius": 0.2}),
        (da.cylinder(radius=0.1, length=0.5, mass=1.0), "cylinder", {"radius": 0.1, "inner": 0.0, "length": 0.5}),
        (da.tube(outer=0.2, inner=0.1, length=0.5, mass=1.0), "cylinder", {"radius": 0.2, "inner": 0.1, "length": 0.5}),
        (da.cone(radius=0.1, height=0.3, mass=1.0), "cone", {"radius": 0.1, "height": 0.3}),
        (da.rod(0.4, mass=1.0, radius=0.02), "cylinder", {"radius": 0.02, "length": 0.4}),
        (da.disk(0.3, mass=1.0), "cylinder", {"radius": 0.3, "inner": 0.0, "length": 0.0}),
        (da.block(0.4, 0.2, mass=1.0, thickness=0.05), "prism", {"length": 0.05}),
    ],
)
def test_shapes_become_solids(shape, kind, sizes):
    (solid,) = one(shape)
    assert solid["solid"] == kind and not solid.get("void")
    assert {what: pytest.approx(value) for what, value in sizes.items()} == {what: solid[what] for what in sizes}
    # axes of a solid are a rotation
    assert np.allclose(solid["axes"].T @ solid["axes"], np.eye(3)) and np.linalg.det(solid["axes"]) == pytest.approx(
        1.0
    )


def test_a_rod_lies_along_its_x_axis():
    (solid,) = one(da.rod(0.4, mass=1.0, radius=0.02))
    assert np.allclose(np.abs(solid["axes"][:, 2]), [1, 0, 0])


def test_a_bore_straight_through_is_a_hole_and_a_hollow_is_not():
    bore = one(
        da.box(0.4, 0.3, 0.1, density=1000.0)
        - da.cylinder(radius=0.05, length=0.1, axis=(0, 0, 1), density=1000.0).at(0.1, 0, 0)
    )
    (plate,) = bore
    (hole,) = plate["holes"]
    assert plate["solid"] == "prism" and plate["length"] == pytest.approx(0.1)
    # corners of the hole lie on the circle of the bore
    space = plate["center"] + np.column_stack([hole, np.zeros(len(hole))]) @ plate["axes"].T
    assert np.allclose(np.hypot(space[:, 0] - 0.1, space[:, 1]), 0.05) and np.allclose(space[:, 2], 0.0)
    hollow = one(da.box(0.4, 0.3, 0.2, density=1000.0) - da.sphere(radius=0.05, density=1000.0))
    assert [s["solid"] for s in hollow] == ["box", "sphere"] and [bool(s.get("void")) for s in hollow] == [False, True]


def link(*points, center=(0, 0, 0)):
    """Solids of a body given by numbers, with ball joints at some points."""
    m = da.Mechanism("link", plane=False, gravity=(0, 0, -9.81))
    body = m.body("link", mass=1.0, inertia=(1.0, 1.0, 1.0), center=center, at=(0, 0, 0))
    for k, p in enumerate(points):
        other = m.body(f"end{k}", da.sphere(radius=0.01, mass=1.0), at=p)
        m.spherical(f"J{k}", body, other, at=p)
    return drawn(m)["bodies"][0]["solids"]


def test_bodies_without_a_shape_are_links_between_their_joints():
    assert [s["solid"] for s in link()] == ["sphere"]
    _, bar = link((1, 0, 0), (-1, 0, 0))
    assert sorted(p[0] for p in bar["points"].tolist()) == [-1.0, 1.0]
    # mass centre beside the bar: a thin bar says that it belongs to it
    _, bar, thin = link((1, 0, 0), (-1, 0, 0), center=(0, 0.5, 0))
    assert not bar["thin"] and thin["thin"] and np.allclose(thin["points"], [[0, 0, 0], [0, 0.5, 0]])
    corners = [(math.cos(a), math.sin(a), 0.0) for a in (0.0, 2.0, 4.0)]
    _, plate = link(*corners)
    assert plate["solid"] == "prism" and len(plate["points"]) == 3
    space = plate["center"] + np.column_stack([plate["points"], np.zeros(3)]) @ plate["axes"].T
    assert np.allclose(np.linalg.norm(space, axis=1), 1.0) and np.allclose(space[:, 2], 0.0)
    # four corners of a tetrahedron lie in no plane
    star = link((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
    assert [s["solid"] for s in star] == ["sphere"] + 4 * ["bar"]


def test_a_joint_beside_a_shape_is_connected_to_it():
    m = da.Mechanism("pendulum", plane=False, gravity=(0, 0, -9.81))
    bob = m.body("bob", da.sphere(radius=0.1, mass=1.0), at=(0, 0, 0))
    m.spherical("A", m.ground, bob, at=(0, 0, 1))
    ball, wire = drawn(m)["bodies"][0]["solids"]
    assert ball["solid"] == "sphere" and np.allclose(wire["points"], [[0, 0, 0.1], [0, 0, 1]])


def test_wheels_that_roll_have_rims_and_spokes_and_stand_on_the_floor():
    m = da.Mechanism("wheel", plane=False, gravity=(0, 0, -9.81))
    wheel = m.body("wheel", mass=1.0, inertia=(0.05, 0.1, 0.05), at=(0, 0, 0.8))
    m.rolling_disk("tyre", m.ground, wheel, radius=0.3, tube=0.02, axis=(0, 1, 0))
    scene = drawn(m)
    rim, *spokes = scene["bodies"][0]["solids"]
    assert rim["solid"] == "ring" and rim["radius"] == pytest.approx(0.28) and rim["tube"] == pytest.approx(0.02)
    assert np.allclose(np.abs(rim["axes"][:, 2]), [0, 1, 0]) and len(spokes) == 8
    # upright as drawn, its centre stands one radius over the ground
    assert scene["floor"] == pytest.approx(0.5)


def test_joints_have_their_axes_and_guides_their_travel():
    m = da.Mechanism("guide", plane=False, gravity=(0, 0, 0))
    sled = m.body("sled", mass=1.0, inertia=(1.0, 1.0, 1.0), at=(0, 0, 0))
    m.prismatic("rail", m.ground, sled, along=(0, 1, 0), at=(0, 0, 0))
    m.drive("push", m["rail"].slide, "0.5*sin(t)")
    (rail,) = [mark for mark in drawn(m, until=math.pi)["marks"] if mark["name"] == "rail"]
    assert np.allclose(rail["frames"][0][:, 2], [0, 1, 0])
    low, high = rail["travel"]
    # slide from 0 to 0.5 and back; outputs may miss the top a little
    assert low[2] == pytest.approx(0.0, abs=1e-6) and high[2] == pytest.approx(0.5, rel=1e-3)


def test_hinges_come_out_of_thick_bodies():
    m = da.Mechanism("drum", plane=False, gravity=(0, 0, -9.81))
    drum = m.body("drum", da.cylinder(radius=1.0, length=0.2, axis=(0, 0, 1), mass=1.0), at=(0, 0, 0))
    m.revolute("A", m.ground, drum, at=(0, 0, 0), axis=(0, 0, 1))
    scene = drawn(m)
    (hinge,) = scene["marks"]
    assert hinge["half"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("gravity", "up", "down"), [((0, 0, -9.81), 2, False), ((0, 0, 9.81), 2, True), ((0, -9.81, 0), 1, False)]
)
def test_gravity_points_down(gravity, up, down):
    m = da.Mechanism("stone", plane=False, gravity=gravity)
    m.body("stone", da.sphere(radius=0.1, mass=1.0), at=(0, 0, 0))
    scene = drawn(m)
    assert (scene["up"], scene["down"]) == (up, down)


def test_only_pages_in_space_carry_the_shaded_drawing(monkeypatch, tmp_path):
    flat = da.simulate(engine(), until=0.1)
    assert not set(SOLID) & set(scripts(page_data(flat)["scene"])) and "THREE" not in page(flat)
    assert not set(SOLID) & set(scripts(None))


def test_a_lone_point_mass_is_small_beside_its_path():
    m = da.Mechanism("stone", plane=False, gravity=(0, 0, -9.81))
    m.particle("stone", mass=1.0, at=(0, 0, 0))
    scene = drawn(m, until=1.0)
    # it falls g/2 in the first second
    assert scene["unit"] == pytest.approx(0.02 * 9.81 / 2, rel=1e-3)


def test_symbols_of_a_long_chain_are_small_beside_its_links():
    m = da.Mechanism("chain", plane=False, gravity=(0, 0, -9.81))
    before = m.ground
    for k in range(40):
        link = m.body(f"link{k}", da.rod(0.1, mass=0.1, radius=0.01), at=(0.1 * k + 0.05, 0, 0))
        m.spherical(f"J{k}", before, link, at=(0.1 * k, 0, 0))
        before = link
    assert drawn(m, until=1e-3)["unit"] <= 0.25 * 0.1 + 1e-12
