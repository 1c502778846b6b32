"""Gaps against geometry that knows no formula of them: the lowest of many points of the surface, and rates against differences."""

import math

import numpy as np
import pytest

import dalembert as da
from tests.contracts.motion import Observer, derivative, flow, random_velocity

RNG = np.random.default_rng(14)


def turned(axis, angle):
    """Rotation matrix by Rodrigues' formula."""
    n = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def sphere_points(radius, n=400):
    """Points of a sphere; the lowest of them is right to radius (pi/n)^2/2."""
    theta, phi = np.meshgrid(np.linspace(0, math.pi, n), np.linspace(0, 2 * math.pi, 2 * n))
    return radius * np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1
    ).reshape(-1, 3)


def circle_points(radius, z, n=200_000):
    phi = np.linspace(0, 2 * math.pi, n)
    return np.stack([radius * np.cos(phi), radius * np.sin(phi), np.full(n, z)], axis=-1)


# shape, arguments of the contact, points of the surface in body axes, how far the lowest of them may be off
SURFACES = {
    "sphere": (da.sphere(0.3, mass=1.0), {}, sphere_points(0.3), 2e-5),
    "box": (
        da.box(0.4, 0.3, 0.2, mass=1.0), {},
        np.array([(x, y, z) for x in (-0.2, 0, 0.2) for y in (-0.15, 0, 0.15) for z in (-0.1, 0, 0.1)]), 1e-13,
    ),
    "cylinder": (
        da.cylinder(0.2, 0.5, mass=1.0), {}, np.vstack([circle_points(0.2, z) for z in (-0.25, 0.0, 0.25)]), 1e-9,
    ),
    "disk": (da.disk(0.2, mass=1.0, thickness=0.1), {}, np.vstack([circle_points(0.2, z) for z in (-0.05, 0.05)]), 1e-9),
    "cone": (
        da.cone(0.2, 0.6, mass=1.0), {}, np.vstack([circle_points(0.2, 0.0), [[0, 0, 0.6]]]), 1e-9,
    ),
    "plate": (
        da.plate(0.4, 0.3, 0.1, mass=1.0), {}, np.array([(x, y, z) for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.05, 0.05)]), 1e-13,
    ),
    "capsule": (
        da.rod(length=0.6, mass=1.0, radius=0.1), {"radius": 0.1, "points": [(-0.3, 0, 0), (0.3, 0, 0)]},
        np.vstack([sphere_points(0.1) + (x, 0, 0) for x in (-0.3, -0.1, 0.1, 0.3)]), 1e-5,
    ),
    "rod": (
        da.rod(length=0.6, mass=1.0, radius=0.05), {},
        np.vstack([circle_points(0.05, 0.0)[:, [2, 0, 1]] + (x, 0, 0) for x in (-0.3, 0.3)]), 1e-9,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SURFACES)
def test_lowest_point_over_a_plane(kind):
    """The smallest of all gaps is the distance of the lowest point of the surface, for random poses and planes."""
    shape, options, surface, near = SURFACES[kind]
    for _ in range(4):
        at, axis, angle, normal = RNG.uniform(-1, 1, 3), RNG.normal(size=3), RNG.uniform(0, 3), RNG.normal(size=3)
        through = RNG.uniform(-1, 1, 3)
        m = da.Mechanism("one", plane=False)
        body = m.body("body", shape, at=at, rotation=(axis, angle))
        given = dict(options)
        if "points" in given:
            given["points"] = [body.point(*p) for p in given["points"]]
        part = m.contact("c", m.ground, body, normal=normal, through=through, stiffness=1.0, **given)
        system = da.compile(m, extra=tuple(part.gaps.values()))
        gaps = [Observer(system, gap)(0.0, system.q0, np.zeros(6))[0] for gap in part.gaps.values()]
        world = at + surface @ turned(axis, angle).T
        lowest = float(np.min((world - through) @ normal) / np.linalg.norm(normal))
        assert min(gaps) == pytest.approx(lowest, abs=near)
        assert min(gaps) <= lowest + 1e-12, "no point of the surface lies deeper"


@pytest.mark.parametrize("kind", SURFACES)
@pytest.mark.parametrize("ground", [True, False])
def test_rates_against_differences(kind, ground):
    """s' = J v and the row itself, by differences along motions of both bodies; the plane turns with its body."""
    shape, options, *_ = SURFACES[kind]
    m = da.Mechanism("two", plane=False)
    base = m.ground if ground else m.body("base", da.box(1, 1, 1, mass=1.0), at=(0.1, 0.2, -1.0))
    body = m.body("body", shape, at=(0.1, 0.2, 0.7), rotation=((1, 2, 0.5), 0.8))
    given = dict(options)
    if "points" in given:
        given["points"] = [body.point(*p) for p in given["points"]]
    part = m.contact("c", base, body, normal=(0.1, -0.2, 1.0), stiffness=1.0, **given)
    system = da.compile(m, extra=tuple(part.gaps.values()))
    v = random_velocity(system, RNG)
    for gap in part.gaps.values():
        look = Observer(system, gap)
        by_differences = derivative(lambda h: look(0.0, flow(False, system.q0, v, h), v)[0])  # noqa: B023
        assert look(0.0, system.q0, v)[1] == pytest.approx(by_differences, abs=1e-9)


@pytest.mark.parametrize("inside", [False, True])
def test_two_balls(inside):
    """Nearest points of two circles in the plane, by trying many of both."""
    m = da.Mechanism("two", plane=True)
    big = m.body("big", mass=1.0, inertia=0.1, at=(0.2, -0.1), angle=0.4)
    small = m.body("small", mass=1.0, inertia=0.1, at=(0.45, 0.1) if inside else (1.2, 0.9))
    part = m.contact("c", big, small, radii=(0.8, 0.3), through=big.point(0.05, 0.0), inside=inside, stiffness=1.0)
    system = da.compile(m, extra=tuple(part.gaps.values()))
    found = Observer(system, part.gap)(0.0, system.q0, np.zeros(6))[0]
    turn = np.linspace(0, 2 * math.pi, 3001)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    first = np.array([0.2 + 0.05 * math.cos(0.4), -0.1 + 0.05 * math.sin(0.4)]) + 0.8 * ring
    second = np.array(small.at[:2]) + 0.3 * ring
    apart = np.sqrt(((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=-1))
    # two circles 2 pi/3000 apart: the nearest pair is right to a second-order bit
    assert found == pytest.approx(float(apart.min()), abs=1e-5) and found > 0.0


def test_shapes_in_the_plane():
    """Corners of blocks, polygons, triangles and thick rods; disks are balls."""
    for shape, labels in (
        (da.block(0.4, 0.2, mass=1.0), {"bottom_left", "bottom_right", "top_right", "top_left"}),
        (da.box(0.4, 0.2, 0.1, mass=1.0), {"bottom_left", "bottom_right", "top_right", "top_left"}),
        (da.polygon([(0, 0), (1, 0), (0, 1)], mass=1.0), {"corner_1", "corner_2", "corner_3"}),
        (da.triangle(0.4, 0.3, mass=1.0), {"left", "right", "apex"}),
        (da.rod(length=1.0, mass=1.0), {"start", "end"}),
        (da.rod(length=1.0, mass=1.0, radius=0.1), {"start_bottom", "start_top", "end_bottom", "end_top"}),
        (da.disk(0.3, mass=1.0), {"gap"}),
        (da.cylinder(0.3, 0.1, mass=1.0), {"gap"}),
    ):
        m = da.Mechanism("one", plane=True)
        body = m.body("body", shape, at=(0, 2), angle=0.3)
        part = m.contact("c", m.ground, body, restitution=0.2)
        assert set(part.gaps) == labels
        system = da.compile(m, extra=tuple(part.gaps.values()))
        found = min(Observer(system, gap)(0.0, system.q0, np.zeros(3))[0] for gap in part.gaps.values())
        outline = np.vstack(da.model.shapes.polylines(shape.outline(), 4000))[:, :2]
        lowest = 2.0 + float(np.min(outline @ (math.sin(0.3), math.cos(0.3))))
        assert found == pytest.approx(lowest, abs=1e-6)
