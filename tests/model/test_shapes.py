"""Shapes, mass properties and composites.

Sources: PLANAR Table 6.1.1 and 6.1.20 to 6.1.25; BASICS 8.22 to 8.27. Every closed formula is compared with an
independent route: Gauss-Legendre quadrature of the defining integrals over a parametrized solid (the integrands are
polynomials, or trigonometric polynomials that the quadrature resolves to rounding).

Tolerance: 1e-13 of the largest entry. Sums of some thousand terms of like size leave about 1e-15; a wrong formula is
off by more than 1e-3.
"""

import copy
import doctest
import importlib
import json
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model import shapes
from dalembert.model.expression import parse
from dalembert.model.shapes import (
    SHAPES,
    MassProperties,
    UnknownPointError,
    block,
    box,
    combine,
    composite,
    cone,
    cylinder,
    disk,
    lump,
    plate,
    polylines,
    rectangle,
    ring,
    rod,
    semicircle,
    sphere,
    triangle,
    tube,
    void,
)

TOLERANCE = 1e-13
DOCS = Path(__file__).parents[2] / "docs" / "shapes.md"


# -- quadrature over solids -------------------------------------------------------------------------------------------


def gauss(a, b, n=24):
    """Nodes and weights on [a, b]."""
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w


def grid(u, v, w):
    """Tensor product of three rules, as flat arrays and product weights."""
    (a, wa), (b, wb), (c, wc) = u, v, w
    A, B, C = np.meshgrid(a, b, c, indexing="ij")
    return A.ravel(), B.ravel(), C.ravel(), np.einsum("i,j,k->ijk", wa, wb, wc).ravel()


def across(t):
    """Rule over the thickness; one node on the plane if there is none."""
    return gauss(-t / 2, t / 2, 4) if t else (np.zeros(1), np.ones(1))


def brick(x, y, z):
    return grid(across(x), across(y), across(z))


def prism(base, height, t):
    # x = s (1 − y/h) b/2 with s in [−1, 1]
    s, y, z, w = grid(gauss(-1, 1, 6), gauss(0, height, 6), across(t))
    half = 0.5 * base * (1 - y / height)
    return s * half, y, z, w * half


def sector(r0, r1, end, t):
    r, a, z, w = grid(gauss(r0, r1, 6), gauss(0, end, 32), across(t))
    return r * np.cos(a), r * np.sin(a), z, w * r


def hoop(radius, t):
    _, a, z, w = grid((np.zeros(1), np.ones(1)), gauss(0, 2 * np.pi, 32), across(t))
    return radius * np.cos(a), radius * np.sin(a), z, w * radius


def cone_points(radius, height):
    s, a, z, w = grid(gauss(0, 1, 6), gauss(0, 2 * np.pi, 32), gauss(0, height, 6))
    rim = radius * (1 - z / height)
    return s * rim * np.cos(a), s * rim * np.sin(a), z, w * s * rim**2


def ball(radius):
    r, a, u, w = grid(gauss(0, radius, 6), gauss(0, 2 * np.pi, 32), gauss(-1, 1, 6))
    across_axis = r * np.sqrt(1 - u**2)
    return across_axis * np.cos(a), across_axis * np.sin(a), r * u, w * r**2


def turned(points, order):
    """Same solid with its axes exchanged in turn: order (2, 0, 1) brings z to x."""
    *xyz, w = points
    return tuple(xyz[k] for k in order) + (w,)


def moments(points):
    """Measure, centre and inertia per measure by BASICS 8.24."""
    x, y, z, w = points
    size = w.sum()
    center = np.array([w @ x, w @ y, w @ z]) / size
    s = np.stack([x, y, z]) - center[:, None]
    second = np.einsum("k,ik,jk->ij", w, s, s) / size
    return size, center, np.trace(second) * np.eye(3) - second


rng = np.random.default_rng(612)
A, B, C = rng.uniform(0.3, 2.0, 3)
T = 0.17

CASES = {
    "thin rod": (rod(A, mass=1.0), brick(A, 0, 0), None),
    "thin rod by area": (rod(A, density=2.0, area=0.01), brick(A, 0, 0), 0.01),
    "round rod": (rod(A, radius=B, density=2.0), turned(sector(0, B, 2 * np.pi, A), (2, 0, 1)), 1.0),
    "square rod": (rod(A, section=(B, C), density=2.0), brick(A, B, C), 1.0),
    "rectangle": (rectangle(A, B, mass=1.0), brick(A, B, 0), None),
    "thick rectangle": (block(A, B, density=2.0, thickness=T), brick(A, B, T), 1.0),
    "plate": (plate(A, B, T, density=2.0), brick(A, B, T), 1.0),
    "triangle": (triangle(A, B, mass=1.0), prism(A, B, 0), None),
    "thick triangle": (triangle(A, B, density=2.0, thickness=T), prism(A, B, T), 1.0),
    "disk": (disk(A, mass=1.0), sector(0, A, 2 * np.pi, 0), None),
    "thick disk": (disk(A, density=2.0, thickness=T), sector(0, A, 2 * np.pi, T), 1.0),
    "semicircle": (semicircle(A, mass=1.0), sector(0, A, np.pi, 0), None),
    "thick semicircle": (semicircle(A, density=2.0, thickness=T), sector(0, A, np.pi, T), 1.0),
    "thin ring": (ring(A, mass=1.0), hoop(A, 0), None),
    "thin ring by area": (ring(A, density=2.0, area=0.01), hoop(A, 0), 0.01),
    "thin hoop": (ring(A, mass=1.0, thickness=T), hoop(A, T), None),
    "flat ring": (ring(A, width=0.2, density=2.0, thickness=T), sector(A - 0.1, A + 0.1, 2 * np.pi, T), 1.0),
    "box": (box(A, B, C, density=2.0), brick(A, B, C), 1.0),
    "sphere": (sphere(A, density=2.0), ball(A), 1.0),
    "cylinder": (cylinder(A, B, density=2.0), sector(0, A, 2 * np.pi, B), 1.0),
    "cylinder along x": (cylinder(A, B, axis="x", density=2.0), turned(sector(0, A, 2 * np.pi, B), (2, 0, 1)), 1.0),
    "cylinder along y": (cylinder(A, B, axis="y", density=2.0), turned(sector(0, A, 2 * np.pi, B), (1, 2, 0)), 1.0),
    "tube": (tube(A, 0.3 * A, B, density=2.0), sector(0.3 * A, A, 2 * np.pi, B), 1.0),
    "cone": (cone(A, B, density=2.0), cone_points(A, B), 1.0),
    "cone along x": (cone(A, B, axis="x", density=2.0), turned(cone_points(A, B), (2, 0, 1)), 1.0),
}


@pytest.mark.parametrize("case", CASES)
def test_formula_equals_quadrature(case):
    shape, points, section = CASES[case]
    found = shape.mass_properties()
    size, center, per_mass = moments(points)
    # density 2 kg/m³ times the measure of the quadrature, times the section of lines
    mass = 1.0 if section is None else 2.0 * section * size
    assert found.mass == pytest.approx(mass, rel=TOLERANCE)
    assert found.center == pytest.approx(center, abs=TOLERANCE)
    assert np.abs(found.inertia - mass * per_mass).max() <= TOLERANCE * mass * np.abs(per_mass).max()
    assert found.check(case) == found


def test_every_registered_shape_is_integrated_or_built_of_parts():
    assert set(SHAPES) - {shape.kind for shape, _, _ in CASES.values()} == {
        "block",
        "lump",
        "composite",
        "void",
        "polygon",
        "lamina",
        "revolved",
    }  # fmt: skip; the last three: test_integrated_shapes.py


def test_oblique_axis_is_the_rotated_solid():
    n = np.array([1.0, -2.0, 0.5])
    z = n / np.linalg.norm(n)
    x = np.cross([0, 1, 0], z) / np.linalg.norm(np.cross([0, 1, 0], z))
    turn = np.column_stack([x, np.cross(z, x), z])
    for make in (cylinder, cone):
        oblique = make(0.3, 0.8, axis=n, mass=2.0).mass_properties()
        upright = make(0.3, 0.8, mass=2.0).mass_properties().rotated(turn)
        assert oblique.center == pytest.approx(upright.center, abs=1e-15)
        assert oblique.inertia == pytest.approx(upright.inertia, abs=1e-15)


def test_table_of_planar_bodies():
    """PLANAR Table 6.1.1 as printed, γ = density × thickness = 80 kg/m² as in problem 6.1.6."""
    matter = {"density": 8000.0, "thickness": 0.01}
    R, b, h = 0.3, 0.4, 0.7
    table = {
        rod(b, density=8000.0, area=0.01 * 0.02): (80 * b * 0.02, b**2 / 12),
        rectangle(b, h, **matter): (80 * b * h, (b**2 + h**2) / 12),
        triangle(b, h, **matter): (80 * b * h / 2, b**2 / 24 + h**2 / 18),
        disk(R, **matter): (80 * math.pi * R**2, R**2 / 2),
        semicircle(R, **matter): (80 * math.pi * R**2 / 2, R**2 * (1 / 2 - 16 / (9 * math.pi**2))),
        ring(R, density=8000.0, area=0.01 * 0.02): (2 * math.pi * R * 80 * 0.02, R**2),
    }
    for shape, (mass, per_mass) in table.items():
        found = shape.mass_properties()
        assert found.mass == pytest.approx(mass, rel=TOLERANCE), shape
        assert found.polar == pytest.approx(mass * per_mass, rel=TOLERANCE), shape


# -- frames and points ------------------------------------------------------------------------------------------------


def test_named_points():
    assert rod(2, mass=1).start == (-1.0, 0.0) and rod(2, mass=1).end == (1.0, 0.0)
    assert block(2, 4, mass=1).top_left == (-1.0, 2.0)
    assert triangle(2, 3, mass=1).center == (0.0, 1.0) and triangle(2, 3, mass=1).apex == (0.0, 3.0)
    assert disk(2, mass=1).bottom == (0.0, -2.0)
    assert semicircle(3, mass=1).center == pytest.approx((0.0, 4 / math.pi))
    assert box(2, 4, 6, mass=1).right_bottom_front == (1.0, -2.0, 3.0) and box(2, 4, 6, mass=1).back == (0.0, 0.0, -3.0)
    assert cylinder(1, 4, axis="x", mass=1).end == (2.0, 0.0, 0.0)
    assert cone(1, 4, axis="y", mass=1).apex == (0.0, 4.0, 0.0) and cone(1, 4, axis="y", mass=1).center == (
        0.0,
        1.0,
        0.0,
    )
    assert rod(2, mass=1).origin == (0.0, 0.0) and sphere(1, mass=1).origin == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("case", CASES)
def test_point_center_is_the_mass_center(case):
    shape = CASES[case][0]
    size = 2 if shape.planar else 3
    assert all(len(point) == size for point in shape.points.values())
    assert shape.center == pytest.approx(shape.mass_properties().center[:size], abs=1e-15)
    assert shape.mass_properties().center[size:] == pytest.approx(0.0, abs=0)
    assert shape.total_mass == shape.mass_properties().mass


def test_unknown_point_is_named():
    with pytest.raises(UnknownPointError, match="did you mean 'end'") as caught:
        _ = rod(1, mass=1).ends
    assert isinstance(caught.value, AttributeError)
    assert not hasattr(rod(1, mass=1), "ends")


def test_shapes_are_values():
    a = rod(1, mass=2)
    assert a == rod(1.0, mass=2.0) and hash(a) == hash(rod(1.0, mass=2.0)) and a != rod(2, mass=2)
    assert pickle.loads(pickle.dumps(a)) == a and copy.deepcopy(a) == a
    with pytest.raises(AttributeError):
        a.length = 3.0
    assert repr(tube(2, 1, 3, density=5)) == "tube(outer=2.0, inner=1.0, length=3.0, axis=(0.0, 0.0, 1.0), density=5.0)"
    assert eval(repr(plate(1, 2, 0.5, mass=1)), vars(shapes)) == plate(1, 2, 0.5, mass=1)
    assert eval(repr(a.at(1, 2, angle=0.5)), vars(shapes)) == a.at(1, 2, angle=0.5)


# -- refused input ----------------------------------------------------------------------------------------------------

BAD_NUMBERS = [
    0,
    0.0,
    -1.0,
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    "1",
    None,
    True,
    1j,
    [1.0],
    np.ones(1),
    np.bool_(1),
    int,
]
MAKERS = {
    "length": lambda x: rod(x, mass=1),
    "radius": lambda x: sphere(x, mass=1),
    "height": lambda x: triangle(1, x, density=1, thickness=1),
    "base": lambda x: triangle(x, 1, mass=1),
    "z": lambda x: box(1, 1, x, mass=1),
    "outer": lambda x: tube(x, 0.1, 1, mass=1),
    "thickness": lambda x: plate(1, 1, x, mass=1),
    r"section\[1\]": lambda x: rod(1, mass=1, section=(1, x)),
}


@pytest.mark.parametrize("bad", BAD_NUMBERS, ids=repr)
@pytest.mark.parametrize("name", MAKERS)
def test_bad_dimension_is_refused_by_name(name, bad):
    with pytest.raises(ModelError, match=rf"found: {name} = "):
        MAKERS[name](bad)


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, "1", True, [1.0]], ids=repr)
def test_bad_mass_and_density(bad):
    with pytest.raises(ModelError, match="found: mass = "):
        rod(1, mass=bad)
    with pytest.raises(ModelError, match="found: density = "):
        box(1, 1, 1, density=bad)


def test_message_has_four_parts_and_names_the_shape():
    with pytest.raises(ModelError) as caught:
        disk(-0.5, mass=1)
    error = caught.value
    assert error.asked == "disk(radius=-0.5, mass=1)" and "-0.5" in error.found and error.why and error.do


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rod(1), "neither mass nor density"),
        (lambda: box(1, 1, 1, mass=1, density=1), "mass = 1.0 and density = 1.0"),
        (lambda: rod(1, density=1), "density without a section"),
        (lambda: rod(1, density=1, area=1, radius=1), "area and radius together"),
        (lambda: rod(1, mass=1, area=1), "mass and area together"),
        (lambda: rod(1, mass=1, section=3), "section = 3"),
        (lambda: rod(1, mass=1, section=(1, 2, 3)), "section = "),
        (lambda: rod(1, mass=1, section="ab"), "section = "),
        (lambda: disk(1, density=1), "density without a thickness"),
        (lambda: disk(1, density=1, thickness=0), "thickness = 0"),
        (lambda: ring(1, density=1, thickness=1), "density without a section"),
        (lambda: ring(1, mass=1, area=1), "area and mass together"),
        (lambda: ring(1, density=1, area=1, width=1), "area and width together"),
        (lambda: ring(1, mass=1, width=2), "width = 2"),
        (lambda: tube(1, 1, 1, mass=1), "inner = 1 and outer = 1"),
        (lambda: tube(1, -0.1, 1, mass=1), "inner = -0.1"),
        (lambda: cylinder(1, 1, mass=1, axis="w"), "axis = 'w'"),
        (lambda: cylinder(1, 1, mass=1, axis=(0, 0, 0)), r"axis = \(0, 0, 0\)"),
        (lambda: cylinder(1, 1, mass=1, axis=(0, math.nan, 0)), r"axis\[1\] = nan"),
        (lambda: cylinder(1, 1, mass=1, axis=None), "axis = None"),
        (lambda: rod(1e200, mass=1), "beyond 1e308"),
        (lambda: box(1e150, 1e150, 1e150, density=1), "beyond 1e308"),
        (lambda: disk(1e150, mass=1e150), "beyond 1e308"),
        (lambda: composite(), "no parts"),
        (lambda: composite(rod(1, mass=1), 3), "part 1 is 3"),
        (lambda: void(3), "3 of type int"),
        (lambda: rod(1, mass=1).at((1, 2), 3), "x = "),
        (lambda: rod(1, mass=1).at(1, math.nan), r"position\[1\] = nan"),
        (lambda: rod(1, mass=1).at(1, 2, angle=1, rotation=np.eye(3)), "angle and rotation"),
        (lambda: rod(1, mass=1).at(1, 2, angle="90"), "angle = '90'"),
        (lambda: rod(1, mass=1).at(1, 2, rotation=np.diag([1, 1, -1])), "determinant -1"),
        (lambda: rod(1, mass=1).at(1, 2, rotation=2 * np.eye(3)), "off the identity by 3"),
        (lambda: rod(1, mass=1).at(1, 2, rotation=np.eye(2)), "rotation = "),
        (lambda: lump(-1.0), "mass = -1"),
        (lambda: lump(1.0, inertia="J"), "inertia = 'J'"),
        (lambda: lump(1.0, inertia=(1, 2)), "inertia = "),
        (lambda: lump(1.0, inertia=(1, 1, 3)), "exceeds the sum"),
        (lambda: lump(1.0, center=(1, 2, 3, 4)), "center = "),
    ],
)
def test_wrong_combinations(make, words):
    with pytest.raises(ModelError, match=words):
        make()


def test_massless_is_allowed():
    assert rod(1, mass=0).mass_properties().check("coupler").mass == 0.0
    assert not lump(0).mass_properties().inertia.any()
    assert composite(rod(1, mass=0), disk(1, mass=0).at(1, 0)).mass_properties().mass == 0.0


# -- expressions of parameters ----------------------------------------------------------------------------------------


def at_values(**values):
    return lambda x: x.evaluate(values)


def test_expressions_give_the_numbers_they_stand_for():
    r, h, a = parse("r"), parse("h"), parse("a")
    numbers = {"r": 0.3, "h": 0.8, "a": 0.4}
    value = at_values(**numbers)

    def machine(r, h, a):
        arm = rod(2 * h, density=7800.0, section=(r / 10, r / 5))
        hub = disk(r, density=7800.0, thickness=h / 10)
        return arm.at(h, 0, angle=a) + hub - disk(r / 2, density=7800.0, thickness=h / 10).at(r / 4, 0, name="hole")

    symbols, plain = machine(r, h, a), machine(**numbers)
    assert symbols.mass_properties(value).inertia == pytest.approx(plain.mass_properties().inertia, rel=1e-14)
    assert value(symbols.total_mass) == pytest.approx(plain.total_mass, rel=1e-15)
    for name, point in plain.points.items():
        found = [value(x) if not isinstance(x, float) else x for x in symbols.points[name]]
        assert found == pytest.approx(point, abs=1e-15), name
    assert polylines(symbols.outline(value))[0] == pytest.approx(polylines(plain.outline())[0])


def test_points_of_an_expression_stay_short():
    length = parse("l")
    assert str(rod(length, mass=1).start[0]) == "-l/2" and rod(length, mass=1).start[1] == 0.0
    assert rod(length, mass=1).at(0, 0, angle=math.pi / 2).end == (0.0, length / 2.0)
    assert cylinder(1, length, axis="y", mass=1).end == (0.0, length / 2.0, 0.0)


def test_expression_is_checked_when_evaluated():
    bar = rod(parse("l"), mass=1)
    with pytest.raises(ModelError, match=r"rod\(length=l, mass=1.0\)\n  found: length = l, which evaluates to -1.0"):
        bar.mass_properties(at_values(l=-1.0))
    with pytest.raises(ModelError, match="inner = 2 and outer = 1"):
        tube(1, parse("2*l"), 1, mass=1).mass_properties(at_values(l=1.0))
    with pytest.raises(ModelError, match="length = l could not be turned into a number"):
        bar.mass_properties()
    with pytest.raises(ModelError, match="ZeroDivisionError"):
        bar.mass_properties(lambda x: 1 / 0)
    with pytest.raises(ModelError, match="evaluates to 'one'"):
        bar.mass_properties(lambda x: "one")
    with pytest.raises(ModelError, match="angle = a, which evaluates to nan"):
        rod(1, mass=1).at(0, 0, angle=parse("a")).mass_properties(lambda x: math.nan)


def test_lump_takes_expressions():
    part = lump(parse("m"), inertia=parse("m*k**2"))
    found = part.mass_properties(at_values(m=2.0, k=0.5))
    assert found.mass == 2.0 and found.polar == 0.5 and found.inertia[0, 0] == 0.25


# -- mass properties --------------------------------------------------------------------------------------------------


def random_rotation(generator):
    q, _ = np.linalg.qr(generator.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def cloud(generator, n=7):
    """Particles, and their mass properties straight from the definition."""
    m, r = generator.uniform(0.1, 2, n), generator.normal(size=(n, 3))
    center = m @ r / m.sum()
    s = r - center
    second = np.einsum("k,ki,kj->ij", m, s, s)
    return m, r, MassProperties(m.sum(), center, np.trace(second) * np.eye(3) - second)


def test_particles_moved_added_and_seen_from_elsewhere():
    generator = np.random.default_rng(1)
    m, r, whole = cloud(generator)
    single = combine([MassProperties(mi, ri, np.zeros((3, 3))) for mi, ri in zip(m, r)])
    assert single.inertia == pytest.approx(whole.inertia, abs=1e-13) and single.center == pytest.approx(whole.center)
    assert (whole - (whole - single.scaled(0.5))).inertia == pytest.approx(0.5 * whole.inertia, abs=1e-12)

    turn, at, point = random_rotation(generator), generator.normal(size=3), generator.normal(size=3)
    moved = whole.moved(at, turn)
    direct = combine([MassProperties(mi, at + turn @ ri, np.zeros((3, 3))) for mi, ri in zip(m, r)])
    assert moved.center == pytest.approx(direct.center, abs=1e-13)
    assert moved.inertia == pytest.approx(direct.inertia, abs=1e-12)

    d = r - point
    about = np.einsum("k,kij->ij", m, np.array([x @ x * np.eye(3) - np.outer(x, x) for x in d]))
    assert whole.about(point) == pytest.approx(about, abs=1e-12)
    assert whole.rotated(turn).inertia == pytest.approx(turn @ whole.inertia @ turn.T, abs=1e-13)


def test_principal_axes():
    generator = np.random.default_rng(2)
    for _ in range(20):
        _, _, body = cloud(generator)
        values, axes = body.principal()
        assert (np.diff(values) >= 0).all() and np.linalg.det(axes) == pytest.approx(1.0, abs=1e-14)
        assert axes.T @ body.inertia @ axes == pytest.approx(np.diag(values), abs=1e-12)
    values, axes = MassProperties(1, (0, 0), np.diag([3.0, 1.0, 2.0])).principal()
    assert values.tolist() == [1.0, 2.0, 3.0] and axes.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]


def test_scaling():
    body = box(1, 2, 3, density=2).mass_properties()
    assert body.scaled(3.0).inertia == pytest.approx(box(1, 2, 3, density=6).mass_properties().inertia)
    assert body.with_mass(5.0).inertia == pytest.approx(box(1, 2, 3, mass=5).mass_properties().inertia)
    with pytest.raises(ModelError, match="mass = 0"):
        MassProperties(0, (0, 0), np.zeros((3, 3))).with_mass(1.0)
    assert MassProperties.planar(2.0, 0.3).check("known in the plane").polar == 0.3


def test_mass_properties_are_frozen_values():
    body = box(1, 2, 3, density=2).mass_properties()
    assert body == pickle.loads(pickle.dumps(body)) and hash(body) == hash(copy.deepcopy(body)) and body != 3
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 1.0
    given = np.eye(3)
    kept = MassProperties(1, (0, 0), given)
    given[0, 0] = 9.0
    assert kept.inertia[0, 0] == 1.0


@pytest.mark.parametrize(
    ("mass", "inertia", "words"),
    [
        (-1.0, np.eye(3), "mass = -1"),
        (1.0, [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "apart by 0.1"),
        (1.0, np.diag([-0.1, 1, 1]), "principal moments -0.1, 1, 1"),
        (1.0, [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "principal moments -1, 1, 3"),
        (1.0, np.diag([1, 1, 2.001]), "exceeds the sum of the others by 0.001"),
    ],
)
def test_impossible_inertia_is_refused(mass, inertia, words):
    with pytest.raises(ModelError, match=f"mass properties of crank\n  found: .*{words}"):
        MassProperties(mass, (0, 0), inertia).check("crank")


@pytest.mark.parametrize(
    ("mass", "center", "inertia"),
    [
        (math.nan, (0, 0), np.eye(3)),
        ("1", (0, 0), np.eye(3)),
        (1.0, (0,), np.eye(3)),
        (1.0, (0, math.inf), np.eye(3)),
        (1.0, "ab", np.eye(3)),
        (1.0, (0, 0), np.eye(2)),
        (1.0, (0, 0), np.full((3, 3), math.nan)),
        (1.0, (0, 0), "inertia"),
    ],
)
def test_mass_properties_refuse_what_is_no_number(mass, center, inertia):
    with pytest.raises(ModelError):
        MassProperties(mass, center, inertia)


# -- composites -------------------------------------------------------------------------------------------------------


def test_hollow_bodies_by_voids():
    tube_of_parts = cylinder(0.4, 2, density=10) - cylinder(0.3, 2, density=10)
    direct = tube(0.4, 0.3, 2, density=10).mass_properties()
    assert tube_of_parts.mass_properties().mass == pytest.approx(direct.mass, rel=1e-14)
    assert tube_of_parts.mass_properties().inertia == pytest.approx(direct.inertia, rel=1e-13)
    washer = disk(1.1, density=5, thickness=0.2) - disk(0.9, density=5, thickness=0.2)
    flat = ring(1.0, width=0.2, density=5, thickness=0.2)
    assert washer.mass_properties().inertia == pytest.approx(flat.mass_properties().inertia, rel=1e-13)


def test_two_halves_make_a_whole():
    half = semicircle(0.5, density=3, thickness=0.1)
    whole = (half + half.at(0, 0, angle=math.pi)).mass_properties()
    direct = disk(0.5, density=3, thickness=0.1).mass_properties()
    assert whole.center == pytest.approx(np.zeros(3), abs=1e-16)
    assert whole.inertia == pytest.approx(direct.inertia, abs=1e-15)
    # quarter turns leave no false products of inertia
    assert np.count_nonzero(whole.inertia - np.diag(np.diag(whole.inertia))) == 0


def test_order_and_nesting_do_not_matter():
    a = rod(1, mass=2).at(0.2, 0.1, angle=0.3)
    b = sphere(0.2, mass=1).at(1, 0, 2)
    c = cylinder(0.1, 0.4, axis=(1, 1, 0), mass=0.5).at(-1, 0, 0.5)
    reference = composite(a, b, c).mass_properties()
    assert len((a + b + c).parts) == 3
    for other in (c + b + a, a + composite(b, c, name="inner"), composite(composite(a, b), c)):
        assert other.mass_properties().inertia == pytest.approx(reference.inertia, rel=1e-13)
    moved = composite(a, b, c).at(1, 2, 3, rotation=random_rotation(np.random.default_rng(3))).mass_properties()
    assert moved.principal()[0] == pytest.approx(reference.principal()[0], rel=1e-13)


def test_far_from_the_origin_no_digits_are_lost():
    near = (disk(0.1, mass=1) + disk(0.1, mass=1).at(0.3, 0)).mass_properties()
    far = (disk(0.1, mass=1).at(1e6, 0) + disk(0.1, mass=1).at(1e6 + 0.3, 0)).mass_properties()
    # 1e6 + 0.3 is itself rounded at 1e-10: relative to 0.3 that is 4e-10; through the origin it would be 1e-2
    assert far.polar == pytest.approx(near.polar, rel=2e-9)


def test_impossible_composites_are_refused_by_name():
    with pytest.raises(ModelError, match="mass properties of gear\n  found: mass = -1 kg"):
        composite(disk(1, mass=1), void(disk(2, mass=2)), name="gear").mass_properties()
    with pytest.raises(ModelError, match="composite of disk, void disk\n  found: principal moments"):
        (disk(1, mass=2) - disk(2, mass=1)).mass_properties()
    with pytest.raises(ModelError, match="masses that cancel"):
        (disk(1, mass=1) - disk(1, mass=1).at(1, 0)).mass_properties()
    assert void(disk(1, mass=2)).mass_properties().mass == -2.0
    with pytest.raises(ModelError, match="mass = -2"):
        void(disk(1, mass=2)).mass_properties().check("hole")


def test_points_of_composites():
    arm = rod(1, mass=2).at(0.5, 0, name="arm")
    bob = sphere(0.1, mass=1).at(1, 0, name="bob")
    pendulum = arm + bob
    assert pendulum.arm_start == (0.0, 0.0, 0.0) and pendulum.bob_center == (1.0, 0.0, 0.0)
    assert pendulum.center == pytest.approx(pendulum.mass_properties().center, abs=1e-16)
    assert (arm + disk(0.1, mass=1)).arm_end == (1.0, 0.0)
    assert arm.origin == (0.0, 0.0) and arm.start == (0.0, 0.0)
    assert rod(1, mass=1).at(0, 0, 1).end == (0.5, 0.0, 1.0)


def test_no_arithmetic_with_numbers():
    with pytest.raises(TypeError):
        rod(1, mass=1) + 3
    with pytest.raises(TypeError):
        rod(1, mass=1).mass_properties() - 3


# -- outlines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_outline_is_plain_data_around_the_body(case):
    shape = CASES[case][0]
    outline = shape.outline()
    assert json.loads(json.dumps(outline)) == outline and not outline[0]["void"]
    lines = np.vstack(polylines(outline, segments=360))
    points = np.stack(CASES[case][1][:3])
    # quadrature nodes lie inside the box around the lines, and the lines reach the edges the nodes tend to
    slack = 0.02 * max(1.0, np.abs(points).max())
    assert (points.min(axis=1) >= lines.min(axis=0) - slack).all() and (
        points.max(axis=1) <= lines.max(axis=0) + slack
    ).all()
    assert np.abs(lines.max(axis=0) - points.max(axis=1)).max() < 0.1 * (1 + np.abs(points).max())


def test_outline_of_composites():
    turn = random_rotation(np.random.default_rng(4))
    part = cone(0.2, 0.5, mass=1)
    body = composite(
        part.at(1, 2, 3, rotation=turn), void(sphere(0.1, mass=0.01).at(1, 2, 3)), lump(1.0, center=(1, 1))
    )
    outline = body.outline()
    assert [each["type"] for each in outline] == ["cone", "sphere", "point"]
    assert [each["void"] for each in outline] == [False, True, False]
    expected = np.vstack(polylines(part.outline())) @ turn.T + [1, 2, 3]
    assert np.vstack(polylines(outline[:1])) == pytest.approx(expected, abs=1e-15)
    assert polylines(outline)[-1].tolist() == [[1.0, 1.0, 0.0]]


# -- documentation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["properties", "rods", "lump", "composite"])
def test_docstring_examples(module):
    result = doctest.testmod(importlib.import_module(f"dalembert.model.shapes.{module}"))
    assert result.attempted > 0 and result.failed == 0


def test_docs_page_runs_and_names_every_shape():
    text = DOCS.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(code, str(DOCS), "exec"), names)
    missing = [kind for kind in SHAPES if f"`{kind}(" not in text]
    assert not missing and "composite" in names


FLAT = [
    (shapes.rectangle, (2.0, 3.0), {}),
    (shapes.block, (2.0, 3.0), {}),
    (shapes.triangle, (2.0, 3.0), {}),
    (shapes.disk, (0.5,), {}),
    (shapes.semicircle, (0.5,), {}),
    (shapes.ring, (0.5,), {"width": 0.1}),
    (shapes.polygon, ([(0, 0), (4, 0), (4, 3)],), {"holes": [[(2, 0.5), (3, 0.5), (3, 1)]]}),
]


@pytest.mark.parametrize(("make", "sizes", "options"), FLAT, ids=[make.__name__ for make, *_ in FLAT])
def test_mass_per_area(make, sizes, options, tmp_path):
    """The mass is that of a solid of one metre with this density; files have it in its unit."""
    solid = make(*sizes, density=7.0, thickness=1.0, **options).mass_properties()
    sheet = make(*sizes, area_density=7.0, **options)
    assert sheet.mass_properties().mass == pytest.approx(solid.mass, rel=1e-14)
    assert sheet.mass_properties().polar == pytest.approx(solid.polar, rel=1e-13)
    assert sheet.total_mass == pytest.approx(solid.mass, rel=1e-14)
    m = da.Mechanism("sheet")
    m.body("b", sheet)
    da.write_model(m, tmp_path / "sheet.toml")
    assert "area_density" in (tmp_path / "sheet.toml").read_text(encoding="utf-8")
    assert da.read_model(tmp_path / "sheet.toml")["b"].shape == sheet
    with pytest.raises(ModelError, match=r"density = 3.0 and area_density = 7.0"):
        make(*sizes, density=3.0, area_density=7.0, thickness=1.0, **options)


def test_mass_per_area_beside_others(tmp_path):
    assert shapes.plate(2.0, 3.0, 0.1, area_density=7.0).mass_properties().mass == pytest.approx(42.0)
    with pytest.raises(ModelError, match="area_density without a width"):
        shapes.ring(0.5, area_density=7.0)
    with pytest.raises(ModelError, match="give thickness= in m, area_density= in kg/m²"):
        shapes.disk(0.5, density=7.0)
    file = tmp_path / "sheet.toml"
    file.write_text(
        'format = 1\nname = "sheet"\n[bodies.b]\nshape = { disk = { radius = "50 mm", area_density = "700 g/cm^2" } }\n',
        encoding="utf-8",
    )
    assert da.read_model(file)["b"].shape.total_mass == pytest.approx(7000.0 * math.pi * 0.05**2)
