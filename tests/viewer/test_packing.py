"""Numbers and names in a page come out as they went in, and cannot become markup."""

import json

import numpy as np
import pytest

from dalembert.viewer.packing import packed, safe_json, short
from viewer.machines import unpacked

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "@data@",
    "a & b < c > d",
    "\u2028\u2029\x00\x1f",
    "\"'\\`${1}",
    "größe Θ 曲柄",
]


def test_numbers_keep_the_precision_of_32_bits():
    x = np.random.default_rng(1).normal(size=500) * 10.0 ** np.random.default_rng(2).integers(-20, 20, 500)
    back = unpacked(packed(x))
    # rounding to 24 bits of mantissa: 2^-24 relative
    assert np.all(np.abs(back - x) <= 2.0**-24 * np.abs(x))


def test_what_is_not_finite_or_too_large_survives():
    back = unpacked(packed([np.nan, np.inf, -np.inf, 1e300, 0.0]))
    assert np.isnan(back[0]) and back[1] == np.inf and back[2] == -np.inf and back[3] == np.inf and back[4] == 0.0


@pytest.mark.parametrize("name", HOSTILE)
def test_names_survive_and_end_no_script(name):
    text = safe_json({name: [name]})
    assert json.loads(text) == {name: [name]}
    assert not set(text) & set("<>&\u2028\u2029")


def test_half_a_surrogate_pair_can_be_written():
    assert json.loads(safe_json("a\ud800b").encode("utf-8").decode("utf-8")) == "a?b"


def test_single_numbers_are_short():
    assert short({"x": [np.float64(1 / 3), np.nan, np.int64(3), True, None]}) == {"x": [0.3333333, None, 3, True, None]}
