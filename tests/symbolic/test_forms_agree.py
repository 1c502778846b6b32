"""All forms of one system give the same accelerations and multipliers; Hamilton's equations in closed form; speed."""

import pytest
import sympy as sp

import dalembert as da
from tests.soak import SOAK
from tests.symbolic import machines
from tests.symbolic.machines import parameters, pendulum, same, symbols
from tests.work import calls

MACHINES = [
    machines.differential, machines.rolling_disk, machines.bar_on_shaft, machines.axle, machines.double_pendulum,
    machines.double_pendulum_with_rods, machines.upright_disk, machines.bar_on_string, machines.sliding_pendulum,
    machines.piston_engine, machines.manipulator, machines.four_bar, pendulum,
]  # fmt: skip

# calls of functions for one form, a few seconds; the reduced form of the four-bar takes a third of it
MOST_CALLS = 30_000_000


@pytest.mark.parametrize("make", MACHINES, ids=lambda f: f.__name__)
def test_all_forms_agree(make):
    model = make()
    found = da.compare(model)
    assert found.agree, found
    assert len(found.states) == 5
    assert {"multipliers", "reduced", "virtual-work"} <= set(found.forms)
    # in seven coordinates the manipulator has no inertia of its own in the angles, so momenta do not determine rates
    assert ("hamilton" in found.forms) == (make is not machines.manipulator)
    # whatever is left out is left out with a reason
    assert set(found.forms) | set(found.left_out) == {
        "newton-euler", "dalembert", "virtual-work", "lagrange", "routh", "multipliers", "reduced", "hamilton", "hamilton-principle", "variational",
        "jourdain", "maggi", "kane", "gibbs-appell", "gauss", "udwadia-kalaba",
    }  # fmt: skip
    assert "hamilton-principle" in found.forms and ("routh" in found.forms) == (make is machines.bar_on_shaft)
    assert {"maggi", "gauss", "udwadia-kalaba"} <= set(found.forms)
    for form in ("newton-euler", "jourdain", "kane", "gibbs-appell"):
        assert (form in found.forms) == (bool(model.parts) and make is not machines.manipulator), form
    assert ("lagrange" in found.forms) == (make in LAGRANGE)


LAGRANGE = {
    machines.bar_on_shaft, machines.double_pendulum, machines.bar_on_string, machines.sliding_pendulum, pendulum, machines.manipulator,
    machines.piston_engine, machines.four_bar,
}  # fmt: skip


def test_l5_couple_by_all_forms():
    found = da.equations(machines.bar_on_shaft(torque=True), form="all")
    assert found.agree and {"newton-euler", "dalembert", "lagrange", "hamilton"} <= set(found.forms), found


def test_damping_forces_splines_and_time_by_all_forms():
    """Everything at once: dissipation, a force with rates, a moving pivot, a spline spring, a load at a point of no part."""
    law = da.spline([-4.0, -1.0, 0.0, 1.0, 4.0], [-9.0, -2.0, 0.0, 1.5, 8.0], name="law")
    m = da.Lagrangian(
        "theta z", dissipation="c*rate(theta)**2/2", gravity=(0, "-g"), name="mixed",
        forces={"z": -law(da.Lagrangian("z").coordinates[0])}, parameters={"m": 1.0, "l": 0.5, "g": 9.81, "c": 0.2, "b": 0.3},
    )  # fmt: skip
    bar = m.body("bar", "m", "m*l**2/12", at=("z + b*sin(3*t) + l/2*sin(theta)", "-l/2*cos(theta)"), angle="theta")
    m.force("push", bar, (0, "rate(z)"), at=(0, "-l/2"), local=True)
    m.force("wind", ("z + l*sin(theta)", 0), ("0.3*theta", 0))
    m.particle("slider", 0.4, at=("z + b*sin(3*t)", 0))
    found = da.compare(m)
    assert found.agree, found
    assert {"newton-euler", "dalembert", "lagrange", "hamilton"} <= set(found.forms)


def test_disagreement_is_told():
    """A form whose equations are spoilt on purpose: the comparison must see it and say where."""
    from dalembert.symbolic import comparison, forms
    from dalembert.symbolic.forms.lagrange import lagrange

    def spoilt(model):
        other = da.Lagrangian(
            model.q, model.kinetic, model.potential * 1.001, parameters=model.parameters, name=model.name
        )
        return lagrange(other)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(forms.FORMS, "lagrange", spoilt)
        found = comparison.compare(machines.sliding_pendulum())
    assert not found.agree and "DISAGREE" in str(found)
    (bad,) = [x for x in found.differences if x.accelerations > 1e-9]
    assert bad.form == "lagrange" and "q1 = " in bad.where


def test_hamilton_of_the_pendulum():
    form = da.equations(pendulum(), form="hamilton")
    m, l, g = parameters(form, "m", "l", "g")
    th, (p,) = form.symbols["theta"], form.p
    assert same(form.H, p**2 / (2 * m * l**2) - m * g * l * sp.cos(th))
    assert same(form.rates[0], p / (m * l**2)) and same(form.forces[0], -m * g * l * sp.sin(th))
    assert same(form.momenta[0], m * l**2 * form.symbols["theta'"])


def test_hamilton_of_the_double_pendulum():
    """H = [l2^2 m2 p1^2 + l1^2 (m1+m2) p2^2 - 2 m2 l1 l2 p1 p2 cos(a-b)] / [2 l1^2 l2^2 m2 (m1 + m2 sin^2(a-b))] + V (textbook)."""
    form = da.equations(machines.double_pendulum(), form="hamilton")
    m1, m2, l1, l2, g = parameters(form, "m1", "m2", "l1", "l2", "g")
    a, b, (p1, p2) = form.symbols["th1"], form.symbols["th2"], form.p
    top = l2**2 * m2 * p1**2 + l1**2 * (m1 + m2) * p2**2 - 2 * m2 * l1 * l2 * p1 * p2 * sp.cos(a - b)
    T = top / (2 * l1**2 * l2**2 * m2 * (m1 + m2 * sp.sin(a - b) ** 2))
    assert same(form.H, T - (m1 + m2) * g * l1 * sp.cos(a) - m2 * g * l2 * sp.cos(b))


def test_hamilton_in_a_turning_frame():
    """T with linear terms: p = m(x' - w y, y' + w x), H = p^2/2m - w (x p_y - y p_x)."""
    m = da.Lagrangian(
        "x y", kinetic="m*((rate(x) - w*y)**2 + (rate(y) + w*x)**2)/2", parameters={"m": 1.0, "w": 0.7}, name="turning"
    )
    form = da.equations(m, form="hamilton")
    x, y, (px, py) = form.symbols["x"], form.symbols["y"], form.p
    mass, w = parameters(form, "m", "w")
    assert same(form.H, (px**2 + py**2) / (2 * mass) - w * (x * py - y * px))
    assert da.compare(m).agree


def test_hamilton_of_a_chain_keeps_the_rates():
    """Three coupled links: the inverse of M would fill pages; H is still p q' - L, and the motion the same."""
    m = da.Lagrangian("a b c", gravity=(0, "-g"), parameters={"m": 1.0, "l": 0.4, "g": 9.81}, name="chain")
    x, y = "0", "0"
    for k in m.q:
        x, y = f"{x} + l*sin({k})", f"{y} - l*cos({k})"
        m.particle(f"p_{k}", "m", at=(x, y))
    form = da.equations(m, form="hamilton")
    assert not form.explicit and "their formulas would fill pages" in str(form)
    assert same(form.H, form.derivation.T + form.derivation.V)
    assert da.compare(m).agree
    # three coordinates coupled by constants are no trouble
    m = da.Lagrangian(
        "a b c", "rate(a)**2 + rate(b)**2 + rate(c)**2 + J*rate(a)*rate(b) + J*rate(b)*rate(c)/2", parameters={"J": 0.3}
    )
    assert da.equations(m, form="hamilton").explicit and da.compare(m).agree


def test_newton_euler_needs_parts():
    with pytest.raises(da.MethodError, match="without particles or bodies"):
        da.equations(machines.upright_disk(), form="newton-euler")
    with pytest.raises(da.MethodError, match="belongs to no particle or body"):
        da.equations(machines.manipulator(), form="newton-euler")


def test_newton_euler_of_a_body_in_space():
    """Free heavy body: with three Cartesian coordinates and three turns there are no reactions at all."""
    m = da.Lagrangian(
        "x y z a b c", gravity=(0, 0, "-g"), parameters={"m": 2.0, "A": 0.3, "B": 0.4, "C": 0.6, "g": 9.81}, name="free"
    )
    m.body("block", "m", ("A", "B", "C"), at=("x", "y", "z"), turns=[("z", "a"), ("x", "b"), ("z", "c")])
    form = da.equations(m, form="newton-euler")
    state = {"a": 0.3, "b": 0.8, "c": -0.4, "rate(a)": 1.0, "rate(b)": -0.7, "rate(c)": 2.0}
    reactions = form.solve_reactions(state)
    assert max(abs(x) for x in reactions.values()) < 1e-12
    assert form.accelerations(state).accelerations["z"] == pytest.approx(-9.81)
    # Euler's equations in body axes: A w1' = (B - C) w2 w3
    line = next(x for x in form.equations if x.rhs == sp.Symbol("N_block_x", real=True))
    w = [sp.expand(form.derivation.symbols.of(x)) for x in m.parts["block"].spin]
    A, B, C = parameters(form, "A", "B", "C")
    assert same(line.lhs, A * form.derivation.symbols.total_rate(w[0]) - (B - C) * w[1] * w[2])


def test_loads_on_bodies_in_space():
    """Forces at points and couples, in space axes and in body axes: free-body equations against virtual work."""
    m = da.Lagrangian(
        "a b c s",
        parameters={"m": 1.3, "A": 0.3, "B": 0.5, "C": 0.6, "g": 9.81, "r": 0.2},
        gravity=(0, 0, "-g"),
        name="loaded",
    )
    inertia = (("A", "0.1", 0), ("0.1", "B", "-0.05"), (0, "-0.05", "C"))
    body = m.body("block", "m", inertia, at=("s", "r*sin(a)", "s**2 + t"), turns=[("z", "a"), ("x", "b"), ("y", "c")])
    m.force("fixed", body, (1.0, "2*s", -0.5), at=(0.1, -0.2, 0.3))
    m.force("following", body, ("rate(a)", 0.4, 0.2), at=(0, "r", 0), local=True)
    m.couple("space", body, (0.3, -0.7, "sin(t)"))
    m.couple("local", body, ("0.2*rate(b)", 0.1, 0.6), local=True)
    found = da.compare(m, states=3)
    assert found.agree and {"newton-euler", "dalembert"} <= set(found.forms), found


def test_newton_euler_refuses_changing_masses():
    m = da.Lagrangian("x", parameters={"m": 1.0}, name="rocket")
    m.particle("rocket", "m*(2 - sin(t))", at=("x", 0))
    with pytest.raises(da.MethodError, match="changes with the motion"):
        da.equations(m, form="newton-euler")
    assert da.compare(m).agree


# those that take longest; the others in a soak
LONG = MACHINES if SOAK else [machines.four_bar, machines.rolling_disk]


@pytest.mark.parametrize("make", LONG, ids=lambda f: f.__name__)
def test_each_derivation_is_fast(make):
    """A reader waits; counted in calls, so that a busy machine changes nothing."""
    model = make()
    for name in ("multipliers", "reduced", *(() if make is machines.manipulator else ("hamilton",))):
        assert calls(lambda name=name: str(da.equations(model, form=name))) < MOST_CALLS, name


def test_lagrange_refuses_rows_it_cannot_substitute():
    with pytest.raises(da.MethodError, match="substituting it into L would be wrong"):
        da.equations(machines.upright_disk(), form="lagrange")
    with pytest.raises(da.MethodError, match="gives no coordinate explicitly"):
        da.equations(machines.double_pendulum_with_rods(), form="lagrange")


def test_symbols_of_sympy_in_and_out():
    """A system written in SymPy's dynamic symbols, and its equations back as functions of time."""
    t = sp.Symbol("t", real=True)
    x = sp.Function("x", real=True)(t)
    m, k = sp.symbols("m k", real=True)
    system = da.Lagrangian([x], kinetic=m * x.diff(t) ** 2 / 2, potential=k * x**2 / 2, parameters={"m": 2.0, "k": 3.0})
    (equation,) = da.equations(system, form="lagrange").of_time()
    assert same((equation.lhs - equation.rhs).doit(), m * x.diff(t, 2) + k * x)
    solution = sp.dsolve(equation.subs({m: 2, k: 8}), x)
    assert solution.rhs.has(sp.sin(2 * t))
    assert symbols(da.equations(system), "x")[2].name == "x''"
