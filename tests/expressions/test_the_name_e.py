"""A name like any other: e is a restitution or an eccentricity, and Euler's number is written exp(1)."""

import math
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import Number, parse


def eccentric(e: str) -> da.Mechanism:
    m = da.Mechanism("eccentric", plane=True, gravity=(0, -9.81))
    size = m.parameter(e, 0.1)
    wheel = m.body("wheel", da.disk(2 * size, mass=2.0), at=(size, 0))
    m.revolute("O", m.ground, wheel, at=(0, 0))
    m.torque("brake", wheel, f"-{e}*rate(O.angle) + exp(-{e})")
    m.measure("x", f"{e}*cos(O.angle)")
    return m


def sliding(e: str, q: str) -> da.Lagrangian:
    L = da.Lagrangian(q, gravity=(0, -9.81))
    L.parameter(e, 2.0)
    L.particle("p", 1.0, at=(q, f"exp(-{e}*{q})"))
    L.force("F", "p", (f"-{e}*{q}", 0))
    L.start(q, 0.5)
    return L


def test_a_mechanism_has_a_parameter_e():
    mine, other = (da.simulate(eccentric(name), until=0.5) for name in ("e", "k"))
    assert np.array_equal(mine["x"], other["x"])
    assert mine["x"][0] == 0.1
    assert "exp(-e)" in str(da.equations(da.lagrangian_of(eccentric("e"))))


@pytest.mark.parametrize(("e", "q"), [("e", "q"), ("c", "e")])
def test_a_lagrangian_has_a_parameter_or_coordinate_e(e: str, q: str):
    mine, other = (da.simulate(sliding(*names), until=0.2)[names[1]] for names in ((e, q), ("c", "q")))
    assert np.array_equal(mine, other)
    # upright for the base of exponentials, slanted for the name
    found = da.equations(sliding(e, q)).latex()
    assert rf"\mathrm{{e}}^{{- 2 {' '.join(sorted((e, q)))}}}" in found
    assert "e^{-" not in found.replace(r"\mathrm{e}", "")


@pytest.mark.parametrize(("model", "what"), [(eccentric("e"), "x"), (sliding("e", "q"), "q"), (sliding("c", "e"), "e")])
def test_files_have_a_name_e(tmp_path: Path, model: da.Mechanism | da.Lagrangian, what: str):
    path = tmp_path / "model.toml"
    da.write_model(model, path)
    first = da.simulate(model, until=0.2)[what]
    assert np.array_equal(da.simulate(da.read_model(path), until=0.2)[what], first)
    # and a number that follows from it
    text = path.read_text(encoding="utf-8")
    if "e = 0.1" in text:
        path.write_text(
            text.replace("e = 0.1", 'e = 0.1\nhalf = "e/2"').replace("-e*rate", "-2*half*rate"), encoding="utf-8"
        )
        assert da.simulate(da.read_model(path), until=0.2)[what] == pytest.approx(first, rel=1e-12)


def test_without_a_parameter_e_is_unknown_and_says_what_to_write():
    for law in ("3*e", "e**(-t)"):
        m = da.Mechanism("m", plane=True)
        b = m.body("b", mass=1.0, inertia=0.1)
        with pytest.raises(da.ExpressionError, match=r"exp\(x\)"):
            m.torque("T", b, law)


def test_the_number_is_written_in_digits():
    # "e" would be read again as a parameter of this name
    assert float(str(Number(math.e))) == math.e
    assert parse("exp(1)").evaluate({}) == math.e


def test_beside_a_modulus():
    """In written equations E is the parameter of that name, and Euler's number what it is read from; upright in LaTeX."""
    L = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="E*x + exp(1)*x**2", parameters={"E": 2.0})
    form = da.equations(L)
    assert "x'' + E + 2*exp(1)*x = 0" in str(form)
    assert r"\ddot x + E + 2 \mathrm{e} x = 0" in form.latex()
