"""Cubic splines: smoothness, reproduction of cubics, ends, and refusals."""

import doctest
import math
import pickle
import random

import numpy as np
import pytest

from dalembert.errors import ExpressionError
from dalembert.model.expression import Name, parse, spline, splines

POINTS = [0.0, 0.5, 1.2, 2.0, 3.5]
VALUES = [1.0, -0.5, 2.0, 0.0, 0.7]


@pytest.mark.parametrize("rate", [None, (0.5, -1.0), (None, 2.0), (0.0, None)])
def test_goes_through_the_points_and_is_smooth(rate):
    s = spline(POINTS, VALUES, rate)
    for x, y in zip(POINTS, VALUES):
        assert s.value(x) == pytest.approx(y, abs=1e-14)
    d = 1e-9
    for x in POINTS[1:-1]:
        for order, tolerance in ((0, 1e-7), (1, 1e-6), (2, 1e-6)):  # distance times the next derivative
            assert s.value(x - d, order) == pytest.approx(s.value(x + d, order), abs=tolerance)
    first, last = rate or (None, None)
    for end, slope, side in ((POINTS[0], first, d), (POINTS[-1], last, -d)):
        if slope is None:
            assert s.value(end + side, 2) == pytest.approx(0.0, abs=1e-6)
        else:
            assert s.value(end, 1) == pytest.approx(slope, abs=1e-12)


def test_clamped_spline_reproduces_a_cubic():
    """A cubic is its own clamped spline (uniqueness), also on uneven points."""

    def f(x: float) -> float:
        return 1 - 2 * x + 3 * x**2 - 0.7 * x**3

    def df(x: float) -> float:
        return -2 + 6 * x - 2.1 * x**2

    s = spline(POINTS, [f(x) for x in POINTS], (df(POINTS[0]), df(POINTS[-1])))
    for i in range(36):
        x = 0.1 * i
        assert s.value(x) == pytest.approx(f(x), abs=1e-12)
        assert s.value(x, 1) == pytest.approx(df(x), abs=1e-11)
        assert s.value(x, 3) == pytest.approx(-4.2 if x < POINTS[-1] else 0.0, abs=1e-10)


def test_same_as_scipy():
    interpolate = pytest.importorskip("scipy.interpolate")
    for rate, ends in ((None, "natural"), ((0.3, -2.0), ((1, 0.3), (1, -2.0)))):
        theirs = interpolate.CubicSpline(POINTS, VALUES, bc_type=ends)
        ours = spline(POINTS, VALUES, rate)
        for x in np.linspace(0.0, 3.49, 50):
            for order in range(4):
                assert ours.value(x, order) == pytest.approx(float(theirs(x, order)), rel=1e-10, abs=1e-10)


def test_straight_outside():
    s = spline(POINTS, VALUES, (0.5, -1.0))
    assert s.value(-2.0) == pytest.approx(VALUES[0] - 2.0 * 0.5)
    assert s.value(5.5) == pytest.approx(VALUES[-1] - 2.0)
    for x in (-2.0, 5.5):
        assert s.value(x, 2) == s.value(x, 3) == 0.0
    assert s.value(-2.0, 1) == 0.5 and s.value(5.5, 1) == -1.0
    assert s.value(0.3, 4) == 0.0


def test_two_points_are_a_line():
    s = spline([1, 3], [0, 4])
    assert [s.value(x) for x in (0.0, 1.0, 2.0, 3.0, 4.0)] == pytest.approx([-2, 0, 2, 4, 6])


def test_in_expressions():
    cam = spline(POINTS, VALUES, name="cam")
    tree = 2 * cam(Name("t") / 2)
    assert str(tree) == "2*cam(t/2)"
    assert tree.evaluate({"t": 1.0}) == 2 * VALUES[1]
    assert str(tree.diff("t")) == "cam'(t/2)"
    assert parse("x(t)", tables={"x": cam}).evaluate({"t": 0.5}) == VALUES[1]
    assert str(parse("x(t)", tables={"x": cam})) == "x(t)"  # the name in the file counts
    assert parse("x(t)", tables={"x": cam}) == cam(Name("t"))  # but is no part of what it is
    assert cam.named("cam") is cam
    assert pickle.loads(pickle.dumps(cam)) == cam


def test_arrays_and_equality():
    assert spline(np.array(POINTS), np.array(VALUES)) == spline(POINTS, VALUES)
    assert spline(POINTS, VALUES) != spline(POINTS, VALUES, (0, 0))
    assert spline(POINTS, VALUES).name == spline(tuple(POINTS), VALUES).name != spline([0, 1], [0, 1]).name


def test_many_points():
    rng = random.Random(5)
    x = [i + 0.5 * rng.random() for i in range(2000)]
    s = spline(x, [math.sin(0.01 * v) for v in x])
    assert max(abs(s.value(v + 0.3) - math.sin(0.01 * (v + 0.3))) for v in x[10:-10]) < 1e-9  # h^4 f''''/384 = 1e-10


@pytest.mark.parametrize(
    ("x", "y", "rate", "words"),
    [
        ([0, 1], [0], None, "2 values of x and 1 of y"),
        ([0], [0], None, "1 point"),
        ([], [], None, "0 points"),
        ([0, 0], [1, 2], None, r"x\[0\] = 0.0 followed by x\[1\] = 0.0"),
        ([0, 2, 1], [1, 2, 3], None, "must increase"),
        ([0, math.nan], [1, 2], None, r"x\[1\] = nan"),
        ([0, 1], [1, math.inf], None, r"y\[1\] = inf"),
        ([0, 1], [1, "2"], None, r"y\[1\] = '2'"),
        ("01", [1, 2], None, r"x\[0\] = '0'"),
        ([0, 1], [1, True], None, r"y\[1\] = True"),
        ([[0, 1], [1, 2]], [1, 2], None, r"x\[0\]"),
        (3, [1, 2], None, "row of numbers"),
        ([0, 1], [0, 1], 1.0, "two ends"),
        ([0, 1], [0, 1], (1.0,), "two ends"),
        ([0, 1], [0, 1], (1.0, math.nan), "end slope"),
        ([0, 1], [0, 1], ("a", 1.0), "end slope"),
        ([0, 1e-320], [0, 1e300], None, "not finite"),
    ],
)
def test_refusals(x, y, rate, words):
    with pytest.raises(ExpressionError, match=words) as info:
        spline(x, y, rate)
    assert all([info.value.found, info.value.why, info.value.do])


def test_names_of_splines():
    for bad in ("sin", "a b", "pi"):
        with pytest.raises(ExpressionError, match="name of a spline"):
            spline([0, 1], [0, 1], name=bad)
        with pytest.raises(ExpressionError, match="name of a spline"):
            spline([0, 1], [0, 1]).named(bad)
    huge = spline([0, 1], [0, 1e300])
    with pytest.raises(ExpressionError, match="too large"):
        huge(Name("t")).evaluate({"t": 1e30})


def test_docstring():
    results = doctest.testmod(splines)
    assert results.attempted == 4 and results.failed == 0
