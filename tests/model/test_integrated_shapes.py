"""Shapes by integration: equal to the closed forms at 1e-13, and to integrals done by hand where the density varies."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

TIGHT = 1e-13


def same(a, b, tolerance=TIGHT):
    p, q = a.mass_properties(), b.mass_properties()
    assert p.mass == pytest.approx(q.mass, rel=tolerance)
    assert p.center == pytest.approx(q.center, abs=tolerance)
    assert p.inertia == pytest.approx(q.inertia, abs=tolerance * float(np.abs(q.inertia).max()))


RECTANGLE = [(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)]
TRIANGLE = [(-1, 0), (1, 0), (0, 1.5)]


def test_polygons_equal_the_closed_forms():
    same(da.polygon(RECTANGLE, mass=3.0), da.rectangle(2.0, 1.0, mass=3.0))
    same(
        da.polygon(RECTANGLE[::-1], density=800.0, thickness=0.1), da.rectangle(2.0, 1.0, density=800.0, thickness=0.1)
    )
    same(da.polygon(TRIANGLE, mass=3.0), da.triangle(2.0, 1.5, mass=3.0))
    same(da.polygon(RECTANGLE, thickness=0.7, mass=3.0), da.box(2.0, 1.0, 0.7, mass=3.0))
    # not convex, far from the origin: an L of two rectangles
    far = 1000.0
    corners = [(far, 0), (far + 3, 0), (far + 3, 1), (far + 1, 1), (far + 1, 4), (far, 4)]
    parts = da.rectangle(3.0, 1.0, mass=3.0).at(far + 1.5, 0.5) + da.rectangle(1.0, 3.0, mass=3.0).at(far + 0.5, 2.5)
    same(da.polygon(corners, mass=6.0), parts, 1e-12)


def test_polygon_with_holes():
    hole, other = [(0.2, -0.2), (0.6, -0.2), (0.6, 0.2), (0.2, 0.2)], [(-0.6, 0), (-0.4, 0), (-0.5, 0.3)]
    steel = {"density": 7800.0, "thickness": 0.02}
    plate = da.polygon(RECTANGLE, holes=[hole, other], **steel)
    parts = (
        da.rectangle(2.0, 1.0, **steel)
        - da.rectangle(0.4, 0.4, **steel).at(0.4, 0)
        - da.triangle(0.2, 0.3, **steel).at(-0.5, 0)
    )
    same(plate, parts)
    assert plate.hole_1 == pytest.approx((0.4, 0.0)) and plate.corner_3 == (1.0, 0.5)
    assert [each["void"] for each in plate.outline()] == [False, True, True]


def test_laminae_equal_the_closed_forms():
    same(da.lamina(da.disk(0.7, mass=1.0), mass=2.0), da.disk(0.7, mass=2.0))
    same(da.lamina(RECTANGLE, density=4.0), da.rectangle(2.0, 1.0, mass=8.0))
    same(da.lamina(x=(-1, 1), y=(0, "sqrt(1 - x**2)"), mass=2.0), da.semicircle(1.0, mass=2.0))
    same(da.lamina(x=(-1, 1), y=("-0.5", 0.5), mass=2.0, thickness=0.2), da.plate(2.0, 1.0, 0.2, mass=2.0))


def test_density_that_varies():
    # ρ = 3x over [0, 2] × [0, 1]: m = 6, x̄ = 4/3, ∫x²dm = 12, ∫y²dm = 2, ∫xy dm = 4
    p = da.lamina([(0, 0), (2, 0), (2, 1), (0, 1)], density="3*x").mass_properties()
    assert p.mass == pytest.approx(6.0, rel=TIGHT) and p.center == pytest.approx([4 / 3, 0.5, 0.0], rel=TIGHT)
    about = p.about((0, 0))
    assert [about[1, 1], about[0, 0], about[0, 1]] == pytest.approx([12.0, 2.0, -4.0], rel=TIGHT)
    # a disk whose density grows like r²: m = π R⁴/2, J = π R⁶/3
    p = da.lamina(da.disk(0.5, mass=1.0), density="x**2 + y**2").mass_properties()
    assert p.mass == pytest.approx(math.pi * 0.5**4 / 2, rel=TIGHT)
    assert p.polar == pytest.approx(math.pi * 0.5**6 / 3, rel=TIGHT)
    # no polynomial: ∫e^x dx = e − 1, centre 1/(e − 1)
    p = da.lamina([(0, 0), (1, 0), (1, 1), (0, 1)], density="exp(x)").mass_properties()
    assert p.mass == pytest.approx(math.e - 1, rel=TIGHT) and p.center[0] == pytest.approx(1 / (math.e - 1), rel=TIGHT)
    # a density and a mass: the density only says how the mass is spread
    half = da.lamina([(0, 0), (2, 0), (2, 1), (0, 1)], density="3*x", mass=1.5)
    assert half.mass_properties().center[0] == pytest.approx(4 / 3) and half.total_mass == 1.5


def test_revolved_profiles_equal_the_closed_forms():
    same(
        da.revolved([(0, -1), (0.3, -1), (0.3, 1), (0, 1)], mass=2.0, axis=(1, 2, 3)),
        da.cylinder(0.3, 2.0, axis=(1, 2, 3), mass=2.0),
    )
    same(da.revolved([(0.2, -1), (0.3, -1), (0.3, 1), (0.2, 1)], density=900.0), da.tube(0.3, 0.2, 2.0, density=900.0))
    same(da.revolved([(0, 0), (0.3, 0), (0, 2)], density=900.0, axis="x"), da.cone(0.3, 2.0, density=900.0, axis="x"))
    same(da.revolved(radius="sqrt(0.16 - z**2)", between=(-0.4, 0.4), density=900.0), da.sphere(0.4, density=900.0))
    same(
        da.revolved(radius=0.3, inner=0.2, between=(-1, 1), mass=2.0, axis="y"),
        da.tube(0.3, 0.2, 2.0, mass=2.0, axis="y"),
    )
    # a stepped shaft
    shaft = da.revolved([(0, 0), (0.05, 0), (0.05, 0.2), (0.03, 0.2), (0.03, 0.5), (0, 0.5)], density=7800.0)
    parts = da.cylinder(0.05, 0.2, density=7800.0).at(0, 0, 0.1) + da.cylinder(0.03, 0.3, density=7800.0).at(0, 0, 0.35)
    same(shaft, parts)
    # a ball denser inside, ρ = 1 − r_s²: m = 4π ∫(1 − s²) s² ds = 8π/15, J = 8π/3 ∫(1 − s²) s⁴ ds = 16π/105
    p = da.revolved(radius="sqrt(1 - z**2)", between=(-1, 1), density="1 - r**2 - z**2").mass_properties()
    assert p.mass == pytest.approx(8 * math.pi / 15, rel=TIGHT)
    assert np.diag(p.inertia) == pytest.approx([16 * math.pi / 105] * 3, rel=TIGHT)


def test_shapes_follow_parameters_and_files(tmp_path):
    m = da.Mechanism("plates", plane=True, gravity=(0, -9.81))
    b = m.parameter("b", 2.0, "m")
    m.parameter("k", 1.0)
    m.body("a", da.polygon([(0, 0), (b, 0), (b, 1), (0, 1)], mass=3.0))
    m.body("c", da.lamina([(0, 0), (b, 0), (b, 1), (0, 1)], density="1 + k*x"))
    m.body("d", da.revolved([(0, 0), (0.1, 0), (0, b)], density=1000.0, axis="x"))
    m.body("e", da.polygon([(0, 0), (3, 0), (3, 2), (0, 2)], holes=[[(1, 1), (2, 1), (2, 1.5)]], mass=1.0))
    m.body("f", da.lamina(da.disk(0.4, mass=1.0).at(1, 0), density="x**2"))
    path = tmp_path / "plates.toml"
    da.write_model(m, path)
    again = da.read_model(path)
    for model in (m, again):
        for width in (2.0, 3.0):
            model.set_parameter("b", width)
            system = da.compile(model)
            found = {body.name: system.builder.drawing.poses[body].properties for body in model.bodies}
            assert found["a"].polar == pytest.approx(3.0 * (width**2 + 1) / 12, rel=TIGHT)
            assert found["c"].mass == pytest.approx(width + width**2 / 2, rel=TIGHT)
            assert found["c"].center[0] == pytest.approx(
                (width**2 / 2 + width**3 / 3) / (width + width**2 / 2), rel=TIGHT
            )
            assert found["d"].mass == pytest.approx(1000.0 * math.pi * 0.01 * width / 3, rel=TIGHT)
            assert found["f"].mass == pytest.approx(math.pi * 0.16 * (1.0 + 0.04), rel=TIGHT)
            x, y = model.bodies[1].center.coordinates[:2]
            assert model.value(x) == pytest.approx(found["c"].center[0], rel=TIGHT) and model.value(y) == pytest.approx(
                0.5
            )


def test_pictures_and_points_of_integrated_shapes():
    m = da.Mechanism("shaft", plane=False)
    shaft = m.body("shaft", da.revolved([(0, 0), (0.05, 0), (0.05, 0.2), (0.03, 0.2), (0, 0.5)], density=7800.0))
    assert shaft.end.coordinates == (0.0, 0.0, 0.5)
    items = shaft.shape.outline()
    assert items[0]["radius"] == pytest.approx(0.05) and len(items) > 10
    volume = sum(math.pi * (i["radius"] ** 2 - i["inner"] ** 2) * i["length"] for i in items)
    assert volume == pytest.approx(shaft.shape.total_mass / 7800.0, rel=1e-2)
    assert da.draw(m) is not None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.polygon([(0, 0), (1, 0)], mass=1.0), "3 to 400 corners"),
        (lambda: da.polygon([(0, 0), (1, 1), (1, 0), (0, 1)], mass=1.0), "crosses itself"),
        (lambda: da.polygon([(0, 0), (1, 1), (2, 2)], mass=1.0), "no area"),
        (lambda: da.polygon(RECTANGLE, holes=[[(2, 2), (3, 2), (3, 3)]], mass=1.0), "lies outside"),
        (lambda: da.polygon(RECTANGLE, holes=[[(0, 0), (3, 0), (0, 0.2)]], mass=1.0), "cross"),
        (lambda: da.polygon(RECTANGLE, density=1.0), "density without a thickness"),
        (lambda: da.lamina(RECTANGLE), "neither mass nor density"),
        (lambda: da.lamina(RECTANGLE, density="x"), "a density is not negative"),
        (lambda: da.lamina(RECTANGLE, density="if_(x > 0.123, 1, 2)"), "corners or jumps"),
        (lambda: da.lamina(x=(0, 1), y=(1, 0), mass=1.0), "upper curve"),
        (lambda: da.lamina(mass=1.0), "one way"),
        (lambda: da.revolved([(-1, 0), (1, 0), (0, 1)], mass=1.0), "a radius is not negative"),
        (lambda: da.revolved(radius="z", mass=1.0), "one way"),
        (lambda: da.lamina(da.box(1, 1, 1, mass=1.0), mass=1.0), "a lamina is flat"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make, message):
    with pytest.raises(da.ModelError, match=message):
        make()


def test_rod_between_two_points(tmp_path):
    P, Q = (0.1, -0.2, 0.3), (1.1, 0.8, -0.7)
    rod = da.rod(between=(P, Q), mass=3.0)
    assert rod.start == pytest.approx(P) and rod.end == pytest.approx(Q)
    p, d = rod.mass_properties(), np.subtract(Q, P)
    assert p.center == pytest.approx(np.add(P, Q) / 2)
    # m/12 (dᵀd 1 − d dᵀ)
    assert p.inertia == pytest.approx(3.0 / 12 * (d @ d * np.eye(3) - np.outer(d, d)), abs=1e-14)
    m = da.Mechanism("tripod", plane=False, gravity=(0, 0, -9.81))
    leg = m.body("leg", da.rod(between=(P, Q), radius=0.02, mass=3.0))
    m.spherical("foot", m.ground, leg, at=leg.start)
    assert da.simulate(m, until=0.05)["leg"].position.shape[1] == 3
    flat = da.Mechanism("strut", plane=True)
    b = flat.parameter("b", 3.0)
    bar = flat.body("bar", da.rod(between=((0, 0), (b, 4)), mass=1.0))
    assert [flat.value(x) for x in bar.end.coordinates[:2]] == pytest.approx([3.0, 4.0])
    assert flat.value(bar.shape.shape.length) == pytest.approx(5.0)
    path = tmp_path / "rod.toml"
    path.write_text(
        'name = "r"\nplane = false\n[bodies.a]\nshape = { rod = { between = [[0, 0, 0], [0, "20 cm", "10 cm"]], mass = 1.0 } }\n'
    )
    assert da.read_model(path)["a"].shape.end == pytest.approx((0.0, 0.2, 0.1))
    for options in ({"length": 1.0, "between": (P, Q)}, {}, {"between": (P, P)}, {"between": P}):
        with pytest.raises(da.ModelError):
            da.rod(mass=1.0, **options)
