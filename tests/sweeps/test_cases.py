"""Which cases a sweep has, and which it refuses."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.sweeps.values import cases_of, fixed_of, unit_text

KNOWN = {"r": "0.2 m", "n": "6.28 rad/s", "z": 20}


def test_products_are_in_order_and_in_si_units():
    axes, cases = cases_of({"r": "100 mm:300 mm:3", "n": ["60 rpm", 7]}, KNOWN)
    assert list(axes) == ["r", "n"]
    assert axes["r"] == pytest.approx((0.1, 0.2, 0.3))
    assert axes["n"] == pytest.approx((2 * math.pi, 7.0))
    assert [list(case) for case in cases] == [["r", "n"]] * 6
    assert cases[1] == {"r": axes["r"][0], "n": 7.0} and cases[2]["r"] == axes["r"][1]


def test_lists_and_arrays():
    assert cases_of({"r": "0.1, 150 mm"}, KNOWN)[0]["r"] == (0.1, 0.15)
    assert cases_of({"z": range(3)}, KNOWN)[0]["z"] == (0.0, 1.0, 2.0)
    assert cases_of({"r": np.array([0.1, 0.2])}, KNOWN)[0]["r"] == (0.1, 0.2)
    assert cases_of({"r": "0.1:0.1:1"}, KNOWN)[0]["r"] == (0.1,)
    axes, cases = cases_of([{"r": 0.1}, {"r": "20 cm", "z": 4}], KNOWN)
    assert axes is None and cases == [{"r": 0.1}, {"r": 0.2, "z": 4.0}]
    # a function that builds models takes what it likes
    assert cases_of({"kind": ["rod", "disk"], "flag": [True, False]}, None)[1][3] == {"kind": "disk", "flag": False}


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "no parameter"), ({"q": [1]}, "known: r, n, z"), ({"r": []}, "no values"), ({"r": "1 kg"}, "a mass"), ({"n": "1:2:3"}, "angle without a unit"),
        ({"r": "1:2"}, "2 numbers"), ({"r": "1:2:0"}, "whole number"), ({"r": "1:2:x"}, "whole number"), ({"r": "1:2:3000000"}, "whole number"),
        ({"r": [0.1, 0.1]}, "twice"), ({"r": [math.nan]}, "finite"), ({"r": ["long"]}, "finite number"), ({"r": [True]}, "finite"),
        ({"r": "1 foot:2 foot:3"}, "unknown unit"), (7, "over = 7"), ([], "over = "), ([{}], "over = "), ([{"q": 1}], "known"),
        ({"r": "0:1:2000", "n": [*range(1, 2000)]}, "cases"),
    ],
)  # fmt: skip
def test_wrong_cases(over, words):
    with pytest.raises(da.MethodError) as caught:
        cases_of(over, KNOWN)
    assert words in str(caught.value)


def test_fixed_values_and_units():
    assert fixed_of({"r": "250 mm"}, KNOWN) == {"r": 0.25}
    assert fixed_of(None, KNOWN) == {}
    with pytest.raises(da.MethodError, match="fixed"):
        fixed_of([1], KNOWN)
    assert [unit_text(x) for x in KNOWN.values()] == ["m", "rad/s", ""]
