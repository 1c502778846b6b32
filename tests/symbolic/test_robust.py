"""Names that collide, splines and cases in energies, singular places, a missing SymPy: nothing breaks silently."""

import sys

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.soak import share
from tests.symbolic.machines import pendulum, same


def test_names_that_mean_something_else():
    """A parameter p_x, rows whose names become the same symbol, coordinates called like SymPy's constants."""
    m = da.Lagrangian(
        "I E S", kinetic="p_I*(rate(I)**2 + rate(E)**2 + rate(S)**2)/2", potential="lam_a_b*I**2",
        nonholonomic={"a b": "rate(I) - rate(E)", "a_b": "rate(E) - sin(I)*rate(S)"}, parameters={"p_I": 2.0, "lam_a_b": 3.0},
    )  # fmt: skip
    form = da.equations(m, form="hamilton")
    assert [x.name for x in form.p] == ["p_I_", "p_E", "p_S"]
    assert [x.name for x in form.lam] == ["lam_a_b_", "lam_a_b__"]
    assert da.compare(m).agree


def test_energy_with_a_spline():
    """A spline spring keeps the energy, which comes back as an expression with the spline in it."""
    force = da.spline([-2.0, -1.0, 0.0, 1.0, 2.0], [1.5, 0.4, 0.0, 0.6, 2.0], name="well")
    m = da.Lagrangian(
        "x y", "m*(rate(x)**2 + rate(y)**2)/2", force(da.Lagrangian("x").coordinates[0]), parameters={"m": 1.5}
    )
    found = da.conserved(m)
    assert found.ignorable == ("y",)
    value = found["energy"].evaluate({"x": 0.7, "y": 0.0, "rate(x)": 0.4, "rate(y)": 0.2})
    assert value == pytest.approx(1.5 * 0.2 / 2 + force.value(0.7, 0), rel=1e-14)
    form = da.equations(m, form="lagrange")
    assert form.accelerations({"x": 0.7}).accelerations["x"] == pytest.approx(-force.value(0.7, 1) / 1.5, rel=1e-14)


def test_cases():
    """One-sided spring: V = k max(x, 0)^2/2."""
    m = da.Lagrangian("x", "m*rate(x)**2/2", "k*max(x, 0)**2/2", parameters={"m": 1.0, "k": 5.0})
    form = da.equations(m)
    assert form.accelerations({"x": 0.3}).accelerations["x"] == pytest.approx(-1.5)
    assert form.accelerations({"x": -0.3}).accelerations["x"] == 0.0
    assert "energy" in da.conserved(m) and da.compare(m).agree
    limited = da.Lagrangian("x", "rate(x)**2/2", "if_(x > 1, (x - 1)**2, 0)")
    assert da.equations(limited).accelerations({"x": 2.0}).accelerations["x"] == pytest.approx(-2.0)
    assert da.equations(limited).to_html() and da.equations(limited).latex()


def test_dry_friction():
    m = da.Lagrangian("x", "rate(x)**2/2", forces={"x": "-F*sign(rate(x))"}, parameters={"F": 0.4})
    form = da.equations(m)
    assert [form.accelerations({"rate(x)": v}).accelerations["x"] for v in (-2.0, 0.0, 1.0)] == [0.4, 0.0, -0.4]


def test_places_without_value_are_told():
    m = da.Lagrangian("x y", "rate(x)**2/2 + rate(y)**2/2", "-1/sqrt(x**2 + y**2)", name="planet")
    with pytest.raises(da.ExpressionError, match="planet"):
        da.equations(m).accelerations({"x": 0.0, "y": 0.0})
    with pytest.raises(da.ExpressionError, match="planet"):
        da.small_oscillations(m)
    m = da.Lagrangian("x", "rate(x)**2/2", forces={"x": "log(x)"}, name="wall")
    with pytest.raises(da.ExpressionError, match="'wall' in numbers"):
        da.equations(m).accelerations({"x": -1.0})


def test_kinked_potential_is_told_at_the_kink():
    m = da.Lagrangian("x", "rate(x)**2/2", "abs(x)", name="roof")
    assert da.equations(m).accelerations({"x": 0.1}).accelerations["x"] == pytest.approx(-1.0)
    with pytest.raises(da.ExpressionError, match="abs has a kink at 0"):
        da.equations(m).accelerations({"x": 0.0})


def test_without_sympy(monkeypatch):
    model = pendulum()
    monkeypatch.setitem(sys.modules, "sympy", None)
    for call in (
        da.equations,
        da.compare,
        da.conserved,
        da.small_oscillations,
        lambda m: da.expand("x", small={"x": 1}),
    ):
        with pytest.raises(da.MethodError, match="SymPy is not installed"):
            call(model)


def test_chain_of_four_links_in_joint_angles():
    """Readable form of a chain: against the compiled equations of the same model."""
    n = 4
    m = da.Lagrangian(
        [f"q{k}" for k in range(n)], gravity=(0, "-g"), parameters={"m": 1.0, "l": 0.4, "g": 9.81}, name="chain"
    )
    x, y, angle = "0", "0", []
    for k in range(n):
        angle.append(f"q{k}")
        total = " + ".join(angle)
        x, y = f"{x} + l*sin({total})", f"{y} - l*cos({total})"
        m.particle(f"p{k}", "m", at=(x, y))
    form = da.equations(m, form="lagrange")
    rng = np.random.default_rng(2)
    for name in m.q:
        m.start(name, float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1)))
    run = da.simulate(m, until=0.1)
    state = {name: run.q[0, k] for k, name in enumerate(m.q)} | {
        f"rate({name})": run.v[0, k] for k, name in enumerate(m.q)
    }
    found = form.accelerations(state).accelerations
    assert list(found.values()) == pytest.approx(list(run.a[0]), rel=1e-9)


def test_random_systems_agree():
    """Random polynomial and trigonometric energies with one nonholonomic row and dissipation: every form the same."""
    rng = np.random.default_rng(8)
    for trial in range(share(4, 2)):
        c = [f"{x:.3f}" for x in rng.uniform(0.2, 1.0, 12)]
        m = da.Lagrangian(
            "a b s", name=f"random {trial}", parameters={"k": 1.3},
            kinetic=f"{c[0]}*rate(a)**2 + ({c[1]} + 0.1*cos(a))*rate(b)**2 + {c[2]}*rate(s)**2 + 0.2*sin(b)*rate(a)*rate(s) + {c[3]}*s*rate(a)",
            potential=f"k*{c[4]}*a**2 + {c[5]}*cos(b - s)", dissipation=f"{c[6]}*rate(b)**2",
            forces={"s": f"{c[7]}*sin(2*t) - {c[8]}*rate(a)"}, nonholonomic={"w": f"rate(a)*cos(s) + {c[9]}*rate(b) - {c[10]}*t"},
        )  # fmt: skip
        found = da.compare(m, states=3, seed=trial)
        assert found.agree and {"multipliers", "reduced", "hamilton"} <= set(found.forms), found


def test_renamed_and_reordered_coordinates_say_the_same():
    def make(order, names):
        a, b = names
        text = f"{a} {b}" if order else f"{b} {a}"
        return da.Lagrangian(
            text, f"m*(rate({a})**2 + {a}**2*rate({b})**2)/2", f"k*{a}**2/2 - m*g*{a}*cos({b})",
            parameters={"m": 1.0, "k": 3.0, "g": 9.81},
        )  # fmt: skip

    one, two = da.equations(make(True, ("r", "phi"))), da.equations(make(False, ("u", "w")))
    change = {
        sp.Symbol(f"{x}{d}", real=True): sp.Symbol(f"{y}{d}", real=True)
        for x, y in (("u", "r"), ("w", "phi"))
        for d in ("", "'", "''")
    }
    assert same(one.residuals[0], two.residuals[1].subs(change)) and same(
        one.residuals[1], two.residuals[0].subs(change)
    )


def test_rows_that_determine_the_motion():
    """No freedom is left: all forms are written and agree, and nothing is constant."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 2.0, "g": 9.81},
        holonomic={"rod": "x**2 + y**2 - 1", "motor": "x - sin(0.5 + 0.3*t**2)"},
    )  # fmt: skip
    m.guess("y", -0.9)
    assert "independent: none; dependent: x, y" in str(da.equations(m, form="reduced"))
    assert "δx = 0" in str(da.equations(m, form="virtual-work"))
    compared = da.compare(m)
    assert compared.agree and {"reduced", "hamilton"} <= {x.form for x in compared.differences}
    assert not list(da.conserved(m))
