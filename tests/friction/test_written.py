"""Lagrangian systems with friction in symbols: equations that are solved as printed, constants of the motion, constraints."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def slope():
    """A block on a wedge that rubs by what presses, and against a brake whose size changes."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", holonomic={"floor": "y - s*x"},
        parameters={"m": 2.0, "g": 9.81, "s": 0.3, "c": 0.5}, name="slope",
    )  # fmt: skip
    m.friction("rub", "x", mu=0.2, static=0.3, normal="floor")
    m.friction("brake", "y", force="c*(1 + x**2)*exp(-v)")
    m.start("x", 0.5, rate=1.0)
    return m


STATE = {"x": 0.5, "y": 0.15, "rate(x)": 1.0, "rate(y)": 0.3}


@pytest.mark.parametrize(
    "form", ["multipliers", "reduced", "hamilton", "hamilton-principle", "gauss", "udwadia-kalaba"]
)
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_what_is_printed_is_what_runs(form, way):
    """The equations as they are written, with F = mu |lam| solved for, against the compiled ones."""
    m = slope()
    m.start("x", 0.5, rate=way)
    state = STATE | {"rate(x)": way, "rate(y)": 0.3 * way}
    found, now = da.equations(m, form=form).accelerations(state), da.instant(m)
    assert found.accelerations["x"] == pytest.approx(now.second_rate("x"), rel=1e-12)
    assert found.multipliers["floor"] == pytest.approx(now["floor"], rel=1e-12)


def test_the_forms_agree_whatever_the_size_is():
    found = da.compare(slope())
    assert found.agree and {"lagrange", "reduced", "hamilton"} <= set(found.forms)


def test_the_text_says_what_slips_and_what_sticks():
    text = str(da.equations(slope()))
    assert "m*x'' - s*lam_floor = -F_rub*sign(x')" in text
    assert "F_rub = Abs(lam_floor)/5" in text
    assert "|lam_rub| is at most 3/10 times what presses, Abs(lam_floor)" in text
    assert "|lam_brake| is at most c*(x**2 + 1)" in text


def test_what_has_no_answer_is_refused():
    written = da.equations(slope())
    with pytest.raises(da.MethodError, match="da.instant, which decides it"):
        written.accelerations({"x": 0.5})
    with pytest.raises(da.MethodError, match="without the multipliers that press"):
        da.equations(slope(), form="lagrange").accelerations(STATE)
    size = 0.2 * abs(written.accelerations(STATE).multipliers["floor"])
    one = da.equations(slope(), form="lagrange").accelerations(STATE | {"F_rub": size})
    assert one.accelerations["x"] == pytest.approx(written.accelerations(STATE).accelerations["x"], rel=1e-12)
    for form, told in (("virtual-work", "da.equilibrium"), ("noncentroidal", "single bodies")):
        with pytest.raises(da.MethodError, match=told):
            da.equations(slope(), form=form)


def test_momenta_along_which_no_friction_acts():
    """A puck on a rough turntable axis: phi rubs, y does not; x has a spring."""
    m = da.Lagrangian("x y phi", kinetic="(rate(x)**2 + rate(y)**2)/2 + rate(phi)**2", potential="x**2", name="puck")
    m.friction("rub", "phi", force=0.3)
    m.start("y", 0.0, rate=1.0)
    m.start("phi", 0.0, rate=0.5)
    found = da.conserved(m)
    assert [x.name for x in found] == ["momentum of y"] and "friction 'rub'" in str(found)
    run = da.simulate(m, until=4.0)
    assert [x.text for x in run.events] == ["sticks"]
    assert np.allclose(run.conserved["momentum of y"], 1.0, rtol=0, atol=1e-12)
    # two that rub on each other: their sum stays
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + 2*rate(y)**2", name="two")
    m.friction("rub", "x - y", force=0.3)
    m.start("x", 0.0, rate=1.0)
    assert [x.name for x in da.conserved(m)] == ["momentum along x + y"]
    run = da.simulate(m, until=5.0)
    assert run["x"].rate[-1] == pytest.approx(0.2, rel=1e-9) and run["y"].rate[-1] == pytest.approx(0.2, rel=1e-9)


@pytest.mark.parametrize("held", [False, True])
def test_energy_beside_friction_along_one_coordinate(held):
    """-F phi is no potential of friction, beside a force that has one (-dV/dx, V = x**2 + x*y); friction of what a row holds takes no power."""
    m = da.Lagrangian(
        "x y phi",
        kinetic="(rate(x)**2 + rate(y)**2 + rate(phi)**2)/2",
        forces={"x": "-2*x - y", "y": "-x"},
        name="puck",
    )
    m.friction("rub", "phi", force=0.3)
    m.start("x", 1.0)
    if held:
        m.constraint("stay", "phi")
    else:
        m.start("phi", 0.0, rate=0.5)
    found = da.conserved(m)
    assert ("energy" in [x.name for x in found]) is held and ("forces have power" in str(found)) is not held
    run = da.simulate(m, until=1.0)
    x, y = run["x"][-1], run["y"][-1]
    energy = sum(0.5 * run[name].rate[-1] ** 2 for name in ("x", "y", "phi")) + x**2 + x * y
    # from 1 and 1/8 more; of what slips friction takes 0.3 (1/2 - 0.15) in the first second
    assert energy == pytest.approx(1.0 if held else 1.125 - 0.3 * 0.35, rel=1e-7)


def test_rows_do_not_know_of_friction():
    assert da.classify(slope()).verdict == "holonomic"
    m = da.Mechanism("guide", plane=True)
    way = m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=1.0), along=(1, 0))
    m.friction("rub", way, mu=0.3)
    assert da.classify(m).verdict == "free"
    assert [one.name for one in m.frictions] == ["rub"]
