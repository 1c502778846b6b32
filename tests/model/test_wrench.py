"""Wrenches: moving, adding, central axis, refused input. Reduction is in sources/test_b1_wrench_reduction.py.

Source: BASICS 8.3.1. Tolerance 1e-13: a few products of numbers of size one.
"""

import doctest
import math

import numpy as np
import pytest

from dalembert.errors import ModelError
from dalembert.model import wrench
from dalembert.model.wrench import Wrench, reduce


def random_wrench(seed):
    generator = np.random.default_rng(seed)
    return Wrench(*generator.normal(size=(3, 3)))


@pytest.mark.parametrize("seed", range(5))
def test_power_on_a_rigid_body_does_not_depend_on_the_point(seed):
    """Independent route: f·v_P + n_P·ω is the same at all points of a body moving with v_P = v_O + ω × r_P."""
    generator = np.random.default_rng(100 + seed)
    v, omega, point = generator.normal(size=(3, 3))
    a = random_wrench(seed)
    b = a.about(point)
    power = [w.force @ (v + np.cross(omega, w.point)) + w.moment @ omega for w in (a, b)]
    assert power[0] == pytest.approx(power[1], rel=1e-13)
    assert b.about(a.point).moment == pytest.approx(a.moment, abs=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_central_axis_has_the_least_moment_along_the_force(seed):
    w = random_wrench(seed)
    axis = w.central_axis()
    there = w.about(axis.point)
    assert np.cross(there.moment, w.force) == pytest.approx(np.zeros(3), abs=1e-13)
    assert there.moment == pytest.approx(axis.pitch * w.force, abs=1e-13)
    # nearest point of the line, and the moment is least there among points around it
    assert (axis.point - w.point) @ axis.direction == pytest.approx(0.0, abs=1e-13)
    steps = np.random.default_rng(seed).normal(size=(50, 3))
    assert all(np.linalg.norm(w.about(axis.point + s).moment) >= np.linalg.norm(there.moment) - 1e-13 for s in steps)


def test_central_axis_of_one_force_is_its_line():
    axis = Wrench((0, 10), 0, point=(2, 0)).about((0, 0)).central_axis()
    assert axis.point.tolist() == [2.0, 0.0, 0.0] and axis.direction.tolist() == [0.0, 1.0, 0.0] and axis.pitch == 0.0


def test_central_axis_of_tiny_and_huge_forces():
    for size in (1e-200, 1e200):
        axis = Wrench((0, size), 2 * size).central_axis()
        assert axis.point == pytest.approx([2.0, 0.0, 0.0])


def test_pure_couple_has_no_axis():
    with pytest.raises(ModelError, match="the same about all points"):
        Wrench((0, 0), 5.0).central_axis()
    with pytest.raises(ModelError, match="of size 1e-15 N"):
        Wrench((0, 1e-15), 5.0).central_axis(smallest_force=1e-12)


def test_sum_and_opposite():
    a, b = random_wrench(1), random_wrench(2)
    total = a + b
    expected = reduce([(a.force, a.point), (b.force, b.point)], [a.moment, b.moment], about=a.point)
    assert total.moment == pytest.approx(expected.moment, abs=1e-13) and total.point.tolist() == a.point.tolist()
    nothing = a + -a.about((5, 6, 7))
    assert nothing.force.tolist() == [0, 0, 0] and nothing.moment == pytest.approx(np.zeros(3), abs=1e-13)
    with pytest.raises(TypeError):
        a + 3


def test_frozen():
    with pytest.raises(ValueError, match="read-only"):
        random_wrench(1).force[0] = 1.0


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, "f", None, (1,), (1, 2, 3, 4), ((1, 2), (3, 4)), (1, "2"), (1, True)]
)
def test_bad_vectors_are_refused_by_name(bad):
    with pytest.raises(ModelError, match="found: force"):
        Wrench(bad, 0)
    with pytest.raises(ModelError, match="found: moment"):
        Wrench((0, 0), bad)
    with pytest.raises(ModelError, match="found: point"):
        Wrench((0, 0), 0, bad)
    with pytest.raises(ModelError, match=r"found: forces\[0\]"):
        reduce([(bad, (0, 0))])


def test_force_without_a_point_is_refused():
    with pytest.raises(ModelError, match="a force comes with a point"):
        reduce([(1, 2, 3)])


def test_docstring_examples():
    result = doctest.testmod(wrench)
    assert result.attempted > 0 and result.failed == 0
