"""B2: inertia tensor in space, BASICS 8.3.3 (8.22 to 8.29), and what its products do in a turn about ζ, BASICS 8.5.

Independent route for composites: the surface of the body is triangulated and the integrals 8.24 are summed over signed
tetrahedra, which is exact for bodies with plane faces. Solids of revolution are integrated in test_shapes.py.

Tolerance: 1e-12 of the largest entry, rounding of some hundred terms that partly cancel.
"""

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert.model.shapes import MassProperties, box, composite, cylinder, lump, plate, rod, sphere, triangle

TOLERANCE = 1e-12


# -- tetrahedral sums -------------------------------------------------------------------------------------------------


def tetrahedra(points, faces):
    """Volume, first moment and ∫ r rᵀ dV of a closed surface; faces turn counterclockwise seen from outside.

    Tetrahedron (0, a, b, c): V = a·(b×c)/6, ∫r dV = V s/4, ∫r rᵀ dV = V (Σ v vᵀ + s sᵀ)/20, s = a + b + c.
    """
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for face in faces:
        for b, c in itertools.pairwise(face[1:]):
            v = points[[face[0], b, c]]
            V, s = np.linalg.det(v) / 6, v.sum(axis=0)
            volume += V
            first += V * s / 4
            second += V * (v.T @ v + np.outer(s, s)) / 20
    return volume, first, second


def extruded(corners, z0, z1):
    """Prism over a polygon given counterclockwise."""
    n = len(corners)
    points = np.array([(x, y, z) for z in (z0, z1) for x, y in corners])
    sides = [[k, (k + 1) % n, n + (k + 1) % n, n + k] for k in range(n)]
    return points, [list(range(n))[::-1], list(range(n, 2 * n)), *sides]


def brick(x, y, z):
    return extruded([(-x / 2, -y / 2), (x / 2, -y / 2), (x / 2, y / 2), (-x / 2, y / 2)], -z / 2, z / 2)


def properties(solids):
    """Mass properties of (density, at, rotation, solid) summed by tetrahedra."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for density, at, turn, (points, faces) in solids:
        V, f, s = tetrahedra(np.asarray(at) + points @ np.asarray(turn).T, faces)
        mass, first, second = mass + density * V, first + density * f, second + density * s
    center = first / mass
    second = second - mass * np.outer(center, center)
    return mass, center, np.trace(second) * np.eye(3) - second


def rotation(seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def close(found, mass, center, inertia):
    size = np.abs(inertia).max()
    return (
        abs(found.mass - mass) <= TOLERANCE * mass
        and np.abs(found.center - center).max() <= TOLERANCE
        and np.abs(found.inertia - inertia).max() <= TOLERANCE * size
    )


def test_single_solids():
    tip = [(-0.2, 0), (0.2, 0), (0, 0.7)]
    for shape, solid in [
        (box(0.3, 0.5, 0.7, density=3.0), brick(0.3, 0.5, 0.7)),
        (plate(0.3, 0.5, 0.02, density=3.0), brick(0.3, 0.5, 0.02)),
        (rod(0.9, section=(0.1, 0.2), density=3.0), brick(0.9, 0.1, 0.2)),
        (triangle(0.4, 0.7, density=3.0, thickness=0.1), extruded(tip, -0.05, 0.05)),
    ]:
        assert close(shape.mass_properties(), *properties([(3.0, (0, 0, 0), np.eye(3), solid)])), shape


@pytest.mark.parametrize("seed", range(5))
def test_composite_of_turned_parts_with_a_void(seed):
    generator = np.random.default_rng(seed)
    turns, places = [rotation(10 * seed + k) for k in range(3)], generator.normal(size=(3, 3))
    base = box(1.0, 2.0, 0.5, density=7.0).at(*places[0], rotation=turns[0])
    pocket = box(0.5, 0.6, 0.4, density=7.0).at(*places[0], rotation=turns[0])
    arm = rod(3.0, section=(0.2, 0.1), density=2.0).at(*places[1], rotation=turns[1])
    fin = triangle(0.4, 0.7, density=3.0, thickness=0.1).at(*places[2], rotation=turns[2])
    tip = [(-0.2, 0), (0.2, 0), (0, 0.7)]
    expected = properties(
        [
            (7.0, places[0], turns[0], brick(1.0, 2.0, 0.5)),
            (-7.0, places[0], turns[0], brick(0.5, 0.6, 0.4)),
            (2.0, places[1], turns[1], brick(3.0, 0.2, 0.1)),
            (3.0, places[2], turns[2], extruded(tip, -0.05, 0.05)),
        ]
    )
    assert close((base - pocket + arm + fin).mass_properties(), *expected)


def test_products_of_inertia_are_tensor_entries():
    """8.24: j_ξη = −∫ξη dm; two particles in the first and third quadrant have j_ξη < 0."""
    pair = (lump(1.0).at(1, 2, 3) + lump(1.0).at(-1, -2, -3)).mass_properties()
    assert pair.inertia.tolist() == [[26.0, -4.0, -6.0], [-4.0, 20.0, -12.0], [-6.0, -12.0, 10.0]]


# -- rotation and principal axes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_rotation(seed):
    """8.27: J = A J' Aᵀ; the same by turning the parts, and undone by Aᵀ."""
    A = rotation(seed)
    body = box(1, 2, 3, mass=2.0).at(1, 0, 0) + sphere(0.3, mass=1.0).at(0, 2, 1)
    local, turned = body.mass_properties(), body.at(0, 0, 0, rotation=A).mass_properties()
    assert turned.inertia == pytest.approx(A @ local.inertia @ A.T, rel=1e-12)
    assert turned.center == pytest.approx(A @ local.center, abs=1e-14)
    assert turned.rotated(A.T).inertia == pytest.approx(local.inertia, abs=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_principal_axes(seed):
    """8.26: in principal axes the products vanish; found again after any turn, up to sign."""
    A = rotation(seed)
    body = box(1, 2, 3, mass=12.0).mass_properties()
    moments, axes = body.rotated(A).principal()
    assert moments == pytest.approx([5.0, 10.0, 13.0], rel=1e-13)
    assert np.linalg.det(axes) == pytest.approx(1.0, abs=1e-14)
    # the moments 1² + 2², 1² + 3², 2² + 3² belong to z, y, x
    assert np.abs(axes.T @ A[:, [2, 1, 0]]) == pytest.approx(np.eye(3), abs=1e-13)
    assert body.rotated(A).rotated(axes.T).inertia == pytest.approx(np.diag(moments), abs=1e-13)


def test_repeated_moments():
    """The source calls principal axes unique; for repeated moments they are not, and any answer must diagonalize."""
    for shape in (cylinder(1, 5, axis=(1, 2, 3), mass=1), sphere(1, mass=1), box(2, 2, 2, mass=1)):
        J = shape.mass_properties()
        moments, axes = J.principal()
        assert axes.T @ J.inertia @ axes == pytest.approx(np.diag(moments), abs=1e-14)
        assert np.linalg.det(axes) == pytest.approx(1.0, abs=1e-14)


def test_moments_obey_the_triangle_inequality():
    generator = np.random.default_rng(5)
    for _ in range(20):
        parts = [lump(m).at(*r) for m, r in zip(generator.uniform(0, 1, 4), generator.normal(size=(4, 3)))]
        a, b, c = composite(*parts).mass_properties().check("cloud").principal()[0]
        assert a + b >= c * (1 - 1e-14)


def test_rate_of_the_global_tensor():
    """8.29: J̇ = ω̃J − Jω̃ of a body of a mechanism. The derivative is taken by a complex step, exact to rounding, in A(t) = exp(ω̃ t) A."""
    shape = box(1, 2, 3, mass=2.0).at(1, 0, 0) + sphere(0.3, mass=1.0).at(0, 2, 1)
    J1 = shape.mass_properties().inertia
    w = np.array([0.3, -1.2, 0.7])
    W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    A, h = rotation(6), 1e-30
    moved = (np.eye(3) + 1j * h * W) @ A
    rate = (moved @ J1 @ moved.T).imag / h
    m = da.Mechanism("tumbling", plane=False)
    m.body("body", shape, rotation=A, spin=tuple(w))
    e = da.equations(m)
    assert e.inertia("body") == pytest.approx(A @ J1 @ A.T, abs=1e-13)
    assert e.inertia_rate("body") == pytest.approx(rate, abs=1e-12)
    # 8.30: n' = J'ω̇' + ω̃'J'ω' = 0 for a free body, and 8.38 is the second term
    own = A.T @ w
    assert e.gyroscopic("body") == pytest.approx(np.cross(own, J1 @ own), abs=1e-12)
    assert J1 @ e.a[3:] + e.gyroscopic("body") == pytest.approx(np.zeros(3), abs=1e-12)


# -- planar motion ----------------------------------------------------------------------------------------------------


def crank():
    """A crank with mass off the plane on both sides of it: j_ξζ and j_ηζ are not zero."""
    pin, web = lump(0.8).at(0.3, 0.1, 0.2), lump(0.5).at(-0.2, 0.25, -0.3)
    return [(0.8, (0.3, 0.1, 0.2)), (0.5, (-0.2, 0.25, -0.3)), (1.1, (0.1, -0.2, 0.05))], pin + web + lump(1.1).at(
        0.1, -0.2, 0.05
    )


def test_bending_moments_of_an_unbalanced_crank():
    """8.5 (a), (b) with φ̈ in both: n_ξ = j_ξζ φ̈ − j_ηζ φ̇², n_η = j_ηζ φ̈ + j_ξζ φ̇², n_ζ = j_ζζ φ̈ (8.52).

    Independent route: Σ m s × s̈ of the particles, s̈ = φ̈ k × s − φ̇² (s − k kᵀs).
    """
    particles, body = crank()
    J = body.mass_properties()
    acceleration, speed = 3.0, 7.0
    k = np.array([0.0, 0.0, 1.0])
    total = np.zeros(3)
    for m, r in particles:
        s = np.array(r) - J.center
        total += m * np.cross(s, acceleration * np.cross(k, s) - speed**2 * (s - k * s[2]))
    xz, yz, zz = J.inertia[0, 2], J.inertia[1, 2], J.polar
    expected = [xz * acceleration - yz * speed**2, yz * acceleration + xz * speed**2, zz * acceleration]
    assert abs(xz) > 1e-3 and abs(yz) > 1e-3
    assert total == pytest.approx(expected, abs=1e-13)


def test_bodies_symmetric_to_the_plane_have_no_such_products():
    """Condition 2: a body symmetric to its plane of motion has j_ξζ = j_ηζ = 0, exactly."""
    body = rod(1, section=(0.1, 0.2), mass=1).at(0.5, 0.2, angle=0.4) + cylinder(0.1, 0.3, mass=2).at(1, 0)
    assert body.mass_properties().inertia[:2, 2].tolist() == [0.0, 0.0]


def test_given_tensor_survives():
    J = np.array([[2.0, -0.1, 0.2], [-0.1, 3.0, 0.3], [0.2, 0.3, 4.0]])
    found = lump(1.5, center=(1, 2, 3), inertia=J).mass_properties()
    assert found == MassProperties(1.5, (1, 2, 3), J)
