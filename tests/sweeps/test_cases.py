"""Which cases a sweep has, and which it refuses."""

import math
import threading

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


def _with_table() -> da.Mechanism:
    m = da.Mechanism("mass on a table", plane=True)
    m.parameter("k", 2.0)
    m.parameter("c", 1.0)
    block = m.body("block", mass=1.0, inertia=1.0)
    guide = m.prismatic("guide", m.ground, block, along=(1, 0))
    m.table("push", [0.0, 1.0, 2.0], [3.0, 3.0, 3.0])
    wave = da.spline([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], periodic=True, name="wave")
    t = da.model.expression.Name("t")
    m.actuator("force", guide, force=da.model.expression.parse("k*c") * wave(t))
    m.actuator("more", guide, force="k*push(t)")
    return m


def test_tables_and_splines_in_a_sweep():
    # a constant force k (c + 3) on 1 kg moves it by half of that after one second
    s = da.sweep(_with_table(), over={"k": [1.0, 2.0, 5.0]}, until=1.0, keep="final guide.slide", processes=1)
    assert not s.failures
    assert s["final guide.slide"] == pytest.approx([2.0, 4.0, 10.0], rel=1e-9)


def test_a_sweep_reads_its_model_once(monkeypatch):
    from dalembert.sweeps import case

    read = []
    monkeypatch.setattr(case, "_last", threading.local())
    monkeypatch.setattr(case, "parse_text", lambda *a, parse=case.parse_text: read.append(1) or parse(*a))
    # cases that name different parameters: what one case sets, the next does not inherit
    cases = [{"k": 1.0}, {"c": 5.0}, {"k": 1.0, "c": 0.0}]
    s = da.sweep(_with_table(), over=cases, until=1.0, keep="final guide.slide", processes=1)
    assert [c.kept["final guide.slide"] for c in s.cases] == pytest.approx([2.0, 8.0, 1.5], rel=1e-9)
    assert len(read) == 1
    # a function of the user may change its model: it gets one of its own in every case
    read.clear()

    def ask(model):
        model.gravity = (1.0, 0.0)
        return {"slide": float(da.simulate(model, until=1.0, output=1.0)["guide.slide"][-1])}

    s = da.sweep(_with_table(), over={"k": [1.0, 2.0]}, ask=ask, processes=1)
    assert [c.kept["slide"] for c in s.cases] == pytest.approx([2.5, 4.5], rel=1e-9) and len(read) == 2
