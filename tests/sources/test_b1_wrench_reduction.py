"""B1: moments and couples, BASICS 8.3.1 (8.12 to 8.16, 8.17, Figs. 8.4 to 8.8).

Independent route: forces on a rigid body do the same work as what they are reduced to, in every rigid velocity.
Tolerance 1e-12: sums of ten products of numbers of size one to ten.
"""

import numpy as np
import pytest

from dalembert.model.wrench import Wrench, reduce

TOLERANCE = 1e-12


def system(seed, n=10):
    generator = np.random.default_rng(seed)
    forces = [tuple(pair) for pair in generator.normal(size=(n, 2, 3)) * 3]
    return forces, list(generator.normal(size=(2, 3))), generator


def test_moment_does_not_depend_on_the_point_of_the_line():
    """8.12: s leads to any point of the line of action."""
    forces, _, generator = system(1)
    for force, point in forces:
        a = reduce([(force, point)]).moment
        b = reduce([(force, point + generator.normal() * force)]).moment
        assert a == pytest.approx(b, abs=TOLERANCE)
        assert a == pytest.approx(np.cross(point, force), abs=TOLERANCE)


def test_principle_of_moments():
    """8.13: concurrent forces have the moment of their sum."""
    forces, _, generator = system(2)
    common = generator.normal(size=3)
    whole = reduce([(force, common) for force, _ in forces])
    assert whole.moment == pytest.approx(np.cross(common, sum(f for f, _ in forces)), abs=TOLERANCE)


def test_couple_is_the_same_about_all_points():
    """8.14: two opposite forces have the moment s × f about every point, of size f d."""
    _, _, generator = system(3)
    f, a, b = generator.normal(size=(3, 3))
    d = np.linalg.norm(np.cross(a - b, f)) / np.linalg.norm(f)
    for point in generator.normal(size=(20, 3)) * 10:
        couple = reduce([(f, a), (-f, b)], about=point)
        assert couple.force.tolist() == [0.0, 0.0, 0.0]
        assert couple.moment == pytest.approx(np.cross(a - b, f), abs=TOLERANCE)
        assert couple.about(generator.normal(size=3)).moment == pytest.approx(couple.moment, abs=0)
        assert np.linalg.norm(couple.moment) == pytest.approx(np.linalg.norm(f) * d, abs=TOLERANCE)


def test_force_moved_with_its_couple():
    """Fig. 8.7: f at A equals f at B and the couple (r_A − r_B) × f of size f d."""
    at_a = Wrench((0, -4), 0, point=(3, 1))
    at_b = at_a.about((1, 5))
    assert at_b.force.tolist() == [0.0, -4.0, 0.0] and at_b.moment.tolist() == [0.0, 0.0, -8.0]


@pytest.mark.parametrize("seed", range(5))
def test_reduction_to_the_centroid(seed):
    """8.15, 8.16: one force and one couple that work as the system does in any rigid velocity."""
    forces, couples, generator = system(10 + seed)
    centroid, v, omega = generator.normal(size=(3, 3))
    whole = reduce(forces, couples, about=centroid)
    power = sum(f @ (v + np.cross(omega, p - centroid)) for f, p in forces) + sum(n @ omega for n in couples)
    assert whole.force @ v + whole.moment @ omega == pytest.approx(power, abs=TOLERANCE)
    assert whole.force == pytest.approx(sum(f for f, _ in forces), abs=TOLERANCE)


def test_moment_about_the_origin_and_about_the_centroid():
    """8.17: n^G = r × f + n."""
    forces, couples, generator = system(4)
    centroid = generator.normal(size=3)
    about_centroid, about_origin = reduce(forces, couples, about=centroid), reduce(forces, couples)
    expected = np.cross(centroid, about_centroid.force) + about_centroid.moment
    assert about_origin.moment == pytest.approx(expected, abs=TOLERANCE)


def test_nothing_reduces_to_nothing():
    assert reduce().force.tolist() == reduce().moment.tolist() == [0.0, 0.0, 0.0]
