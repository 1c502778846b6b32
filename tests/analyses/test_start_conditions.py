"""Initial conditions of any form on positions, of any linear form on rates, as many as are given (PLANAR 6.3.26-27)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.soak import share


def plane(**more):
    return da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", name="point", **more)


def block():
    m = da.Mechanism("block", plane=True)
    m.body("b", da.block(0.1, 0.1, mass=1.0), at=(0.5, 0.2))
    return m


def test_conditions_on_expressions_of_coordinates():
    """x + 2 y = 1 is met where it is nearest to 0, (1/5, 2/5); y x' - x y' = 3 with the smallest rates: 3 (y, -x)/(x^2 + y^2)."""
    m = plane()
    m.start("x + 2*y", 1.0)
    m.start("y*rate(x) - x*rate(y)", rate=3.0)
    run = da.simulate(m, until=0.1)
    assert run.q[0] == pytest.approx([0.2, 0.4], abs=1e-14)
    assert run.v[0] == pytest.approx([6.0, -3.0], abs=1e-12)
    made = da.assemble(m)
    assert made.state.q == pytest.approx(run.q[0]) and made.conditions == ("start of x + 2*y",)
    assert str(made).endswith("rate(x) 6, rate(y) -3")
    with pytest.raises(da.AssemblyError, match="too few conditions: 2 degrees of freedom, 1 condition") as error:
        da.assemble(m, complete=True)
    assert "fixed" not in error.value.do
    m.start("x*y", rate=0.0)  # y x' + x y' = 0 besides: x' = 3/(2 y), y' = -3/(2 x)
    m.start("x - y", 0.1)
    made = da.assemble(m, complete=True)
    x, y = 0.4, 0.3
    assert made.state.q == pytest.approx([x, y], abs=1e-13)
    assert made.state.v == pytest.approx([1.5 / y, -1.5 / x], abs=1e-12)
    assert made.velocities.complete


def test_on_rows():
    """On a circle of radius 2: x + 2 y = 1 at y = (4 + sqrt 76)/10 (the upper of two), and y x' - x y' = 3 is the rate -3/4 of the angle."""
    m = plane(holonomic={"ring": "x**2 + y**2 - 4"})
    m.guess("y", 1.5)
    m.start("x + 2*y", 1.0)
    m.start("y*rate(x) - x*rate(y)", rate=3.0)
    made = da.assemble(m, complete=True)
    y = (4.0 + math.sqrt(16.0 + 4.0 * 5.0 * 3.0)) / 10.0  # 5 y^2 - 4 y - 3 = 0
    x = 1.0 - 2.0 * y
    assert made.state.q == pytest.approx([x, y], abs=1e-12)
    assert made.state.v == pytest.approx([0.75 * y, -0.75 * x], abs=1e-12)
    run = da.simulate(m, until=1.0)
    assert np.arctan2(run["y"], run["x"])[-1] == pytest.approx(math.atan2(y, x) - 0.75, abs=1e-7)


def test_what_contradicts_or_says_nothing_new_is_named():
    m = plane(holonomic={"line": "x + 2*y - 4"})
    m.start("x + 2*y", 1.0)
    with pytest.raises(da.AssemblyError, match="'start of x \\+ 2\\*y'") as error:
        da.simulate(m, until=0.1)
    assert all((error.value.asked, error.value.found, error.value.why, error.value.do))
    m = plane(holonomic={"line": "x + 2*y - 4"})
    m.start("x + 2*y", rate=1.0)
    with pytest.raises(da.AssemblyError, match="'rate of x \\+ 2\\*y'"):
        da.simulate(m, until=0.1)
    m = plane(holonomic={"line": "x + 2*y - 4"})
    m.start("2*x + 4*y", 8.0)
    m.start("x", 1.0)
    made = da.assemble(m)
    assert made.dependent == ("start of 2*x + 4*y",) and made.state.q == pytest.approx([1.0, 1.5])
    with pytest.raises(da.AssemblyError, match="'start of 2\\*x \\+ 4\\*y' follows from"):
        da.assemble(m, complete=True)


@pytest.mark.parametrize(
    ("what", "given", "found"),
    [
        ("3", {"value": 1.0}, "no coordinate"),
        ("rate(x)**2", {"rate": 1.0}, "2*rate(x)"),
        ("x*rate(y)", {"value": 1.0}, "value = 1"),
        ("x + y", {}, "neither value nor rate"),
        ("zz", {"value": 1.0}, "zz"),
    ],
)
def test_refusals(what, given, found):
    with pytest.raises(da.ModelError) as error:
        plane().start(what, **given)
    assert found in error.value.found
    assert all((error.value.asked, error.value.found, error.value.why, error.value.do))


def test_unknown_names_are_told():
    m = plane()
    m.start("x + zz", 1.0)
    with pytest.raises(da.ExpressionError, match="the name 'zz'"):
        da.simulate(m, until=0.1)


def test_rates_of_bodies():
    """cos(b.angle) b.y' - b.x b.angle' = 2 at angle 0 and x = 0.5 with the smallest kinetic energy: (m y', J angle') is along (1, -0.5)."""
    m = block()
    m.start("cos(b.angle)*rate(b.y) - b.x*rate(b.angle)", rate=2)
    inertia = 0.02 / 12.0
    v = da.assemble(m).state.v
    size = 2.0 / (1.0 + 0.25 / inertia)
    assert v == pytest.approx([0.0, size, -0.5 / inertia * size], rel=1e-12, abs=1e-14)
    with pytest.raises(da.ModelError, match="not linear in the rates"):
        block().start("rate(b.x)*rate(b.y)", rate=1.0)
    with pytest.raises(da.ModelError, match="has no value"):
        block().start("b.x*rate(b.y)", 1.0)


def test_conditions_are_called_as_they_were_given():
    m = block()
    m.start("b.x + 2*b.y", 3.0)
    m.start("b.angle", 0.1)
    assert da.assemble(m).conditions == ("start of b.x + 2*b.y", "start of b.angle")
    with pytest.raises(da.ModelError, match="already given"):
        m.start("b.x + 2*b.y", 4.0)
    with pytest.raises(da.AssemblyError, match=r"\(start of b.x \+ 2\*b.y, start of b.angle\)"):
        da.assemble(m, complete=True)


def test_the_same_on_both_kinds_of_models():
    m = block()
    m.start("b.x + 2*b.y", 1.0)
    m.start("b.y*rate(b.x) - b.x*rate(b.y)", rate=3.0)
    twin = plane()
    twin.guess("x", 0.5)
    twin.guess("y", 0.2)
    twin.start("x + 2*y", 1.0)
    twin.start("y*rate(x) - x*rate(y)", rate=3.0)
    a, b = da.assemble(m).state, da.assemble(twin).state
    assert a.q[:2] == pytest.approx(b.q, abs=1e-12) and a.v[:2] == pytest.approx(b.v, abs=1e-12)


@pytest.mark.parametrize("model", ["mechanism", "lagrangian"])
def test_files(model, tmp_path):
    """Conditions are written and read back: the same start."""
    m = block() if model == "mechanism" else plane()
    p = "b." if model == "mechanism" else ""
    m.start(f"{p}x + 2*{p}y", 1.0)
    m.start(f"{p}y*rate({p}x) - {p}x*rate({p}y)", rate=3.0)
    da.write_model(m, tmp_path / "again.toml")
    again = da.read_model(tmp_path / "again.toml")
    a, b = da.assemble(m).state, da.assemble(again).state
    assert a.q == pytest.approx(b.q, abs=1e-15) and a.v == pytest.approx(b.v, abs=1e-14)


@pytest.mark.parametrize("case", range(share(40)))
def test_random_linear_conditions(case):
    """A q = a and B q' = b of full rank decide everything, whatever the rows: linear algebra."""
    rng = np.random.default_rng(case)
    n, h = 4, int(rng.integers(0, 3))
    names = [f"q{k}" for k in range(n)]
    A, B = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    q, v = rng.normal(size=n), rng.normal(size=n)
    form = lambda row, of="{}": " + ".join(f"({float(c)!r})*{of.format(x)}" for c, x in zip(row, names))  # noqa: E731
    rows = {f"row {k}": f"{form(A[k])} - ({float(A[k] @ q)!r})" for k in range(h)}
    m = da.Lagrangian(names, kinetic=" + ".join(f"{k + 1}*rate({x})**2" for k, x in enumerate(names)), holonomic=rows)
    v = v - np.linalg.lstsq(A[:h], A[:h] @ v, rcond=None)[0] if h else v  # what the rows allow
    for k in range(h, n):
        m.start(form(A[k]), float(A[k] @ q))
        m.start(form(B[k], "rate({})"), rate=float(B[k] @ v))
    made = da.assemble(m, complete=True)
    size = np.linalg.cond(A) + np.linalg.cond(np.vstack([A[:h], B[h:]]))
    assert made.state.q == pytest.approx(q, abs=1e-12 * size)
    assert made.state.v == pytest.approx(v, abs=1e-12 * size)
