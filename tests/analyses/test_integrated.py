"""Integrable rows given as nonholonomic ones become rows on positions: the motion is the same, and the equations have no such row."""

import numpy as np
import pytest

import dalembert as da


def car():
    """A wheel that rolls straight (exact), and a row that is integrable beside it only: x φ' - r φ φ' + θ' with x - r φ constant."""
    m = da.Lagrangian(
        "x phi theta", kinetic="2*rate(x)**2 + rate(phi)**2/2 + rate(theta)**2", potential="x**2 + 3*theta", parameters={"r": 0.3},
        nonholonomic={"roll": "rate(x) - r*rate(phi)", "turn": "x*rate(phi) - r*phi*rate(phi) + rate(theta)"}, name="car",
    )  # fmt: skip
    m.start("x", 1.0, rate=0.6)
    m.start("phi", 0.5)
    m.start("theta", 0.2)
    return m


def test_motion_is_that_of_the_rows_on_rates():
    m = car()
    found = da.classify(m)
    assert found.verdict == "holonomic"
    made = found.integrated()
    assert not made.nonholonomic and len(made.holonomic) == 2
    assert m.nonholonomic and "c_1" not in m.parameters, "the system that was asked about stays as it is"
    options = {"until": 2.0, "output": 0.1, "rtol": 1e-10, "atol": 1e-12}
    one, two = da.simulate(m, **options), da.simulate(made, **options)
    for name in m.q:
        assert np.asarray(two[name]) == pytest.approx(np.asarray(one[name]), abs=1e-7)
    # x - r phi = 0.85 at the start, and theta' = -(x - r phi) phi'
    assert np.asarray(two["theta"]) - 0.2 == pytest.approx(-0.85 * (np.asarray(two["phi"]) - 0.5), abs=1e-8)
    with pytest.raises(da.MethodError, match="integrated"):
        da.equations(m, form="lagrange")
    assert da.compare(made).agree


def test_constants_are_those_of_conditions_too():
    """x + 2 phi = 3 at the start, beside x - r phi = c."""
    m = da.Lagrangian(
        "x phi", kinetic="rate(x)**2 + rate(phi)**2", parameters={"r": 0.5}, nonholonomic={"roll": "rate(x) - r*rate(phi)"},
    )  # fmt: skip
    m.start("x + 2*phi", 3.0)
    m.start("x", 1.0)
    made = da.classify(m).integrated()
    (row,) = made.holonomic.values()
    assert row.evaluate({**made.parameters, "x": 1.0, "phi": 1.0}) == pytest.approx(0.0, abs=1e-12)
    assert abs(row.evaluate({**made.parameters, "x": 1.0, "phi": 0.0})) > 0.1


def test_rows_that_say_more_stay():
    """An upright disk whose spin is geared to a counter: one integral, two rows stay."""
    m = da.Lagrangian(
        "x y a s n", kinetic="rate(x)**2 + rate(y)**2 + rate(a)**2 + rate(s)**2 + rate(n)**2", name="disk",
        nonholonomic={"along": "rate(x) - cos(a)*rate(s)", "across": "rate(y) - sin(a)*rate(s)", "gear": "rate(n) - 3*rate(s)"},
    )  # fmt: skip
    m.start("n", 2.0)
    made = da.classify(m).integrated()
    assert set(made.nonholonomic) == {"along", "across"} and len(made.holonomic) == 1
    (row,) = made.holonomic.values()
    values = {**made.parameters, **dict.fromkeys(made.q, 0.0)}
    assert row.evaluate(values | {"n": 2.0}) == pytest.approx(0.0, abs=1e-15)
    assert row.evaluate(values | {"s": 1.0, "n": 5.0}) == pytest.approx(0.0, abs=1e-15)


def test_what_is_refused():
    disk = da.Lagrangian(
        "x y a",
        nonholonomic={"blade": "sin(a)*rate(x) - cos(a)*rate(y)"},
        kinetic="rate(x)**2 + rate(y)**2 + rate(a)**2",
    )
    with pytest.raises(da.MethodError, match="none of them has an integral"):
        da.classify(disk).integrated()
    with pytest.raises(da.MethodError, match="Lagrangian system"):
        da.classify(["y*rate(x) - x*rate(y)"], q="x y").integrated()
    far = da.Lagrangian("x y", nonholonomic={"ray": "y*rate(x) - x*rate(y)"}, kinetic="rate(x)**2 + rate(y)**2")
    with pytest.raises(da.MethodError, match=r"m\.start or m\.guess") as caught:
        da.classify(far).integrated()
    assert "at the start" in caught.value.found
