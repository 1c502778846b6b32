"""Loops that close in closed form: PRINCIPLES' piston engine with phi by asin, k_s, k_phi, I(theta); four-bar by Freudenstein; other ways to assemble."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic.machines import ENGINE, four_bar, parameters, piston_engine, same
from tests.symbolic.test_multipliers_and_statics import engine_state


def source_engine():
    """The engine of the source: crank theta, rod phi, piston s, no offset; masses m_A and m_B of the rod at its ends and J_AB."""
    return da.Lagrangian(
        "theta phi s", forces={"theta": "-MT", "s": "-P"},
        kinetic="(J0 + mA*r**2)*rate(theta)**2/2 + JAB*rate(phi)**2/2 + (m3 + mB)*rate(s)**2/2",
        holonomic={"length": "s - r*cos(theta) - l*cos(phi)", "height": "r*sin(theta) - l*sin(phi)"},
        parameters={"J0": 0.02, "mA": 0.5, "mB": 0.3, "JAB": 0.01, "m3": 0.5, "r": 0.1, "l": 0.35, "P": 200.0, "MT": 5.0}, name="engine",
    )  # fmt: skip


def test_piston_engine_as_the_source_writes_it():
    form = da.equations(source_engine(), form="lagrange")
    J0, mA, mB, JAB, m3, r, l, P, MT = parameters(form, "J0", "mA", "mB", "JAB", "m3", "r", "l", "P", "MT")  # noqa: E741
    th, phi = form.symbols["theta"], sp.Symbol("phi", real=True)
    assert form.angles == {"phi": sp.asin(r * sp.sin(th) / l)} and form.derivation.names == ("theta",)
    # k_s = -r (sin th + cos th tan phi), k_phi = lam cos th / cos phi; I = J0 + mA r^2 + (m3 + mB) k_s^2 + JAB k_phi^2
    k_s, k_phi = -r * (sp.sin(th) + sp.cos(th) * sp.tan(phi)), r / l * sp.cos(th) / sp.cos(phi)
    assert set(form.k) == {"phi", "s"} and same(form.k["s"], k_s) and same(form.k["phi"], k_phi)
    assert same(form.I, J0 + mA * r**2 + (m3 + mB) * k_s**2 + JAB * k_phi**2)
    # in theta alone: T = I theta'^2/2, and I theta'' + I'/2 theta'^2 = -(P k_s + M_T)
    there = {phi: form.angles["phi"]}
    v, a = form.symbols["theta'"], form.symbols["theta''"]
    inertia, force = form.I.subs(there), -(P * k_s + MT).subs(there)
    assert not inertia.has(phi)
    values = {
        x: sp.Rational(3, 10) + sp.Rational(k, 7) for k, x in enumerate((J0, mA, mB, JAB, m3, r, P, MT, v, a))
    } | {l: 4}
    for angle in (0.3, 2.4, 5.0):
        for x, y in (
            (form.T, inertia * v**2 / 2),
            (form.M[0], inertia),
            (form.residuals[0], inertia * a + inertia.diff(th) * v**2 / 2 - force),
        ):
            assert not x.has(phi)
            assert float((x - y).subs(values).subs(th, angle)) == pytest.approx(0.0, abs=1e-11)
    # the slope of I as it is printed, by k and dk/dtheta
    printed = {str(x.left): x.right for section in form.sheet.sections for x in section.items}
    slope = printed["dI/dtheta"].subs({x: printed[str(x)] for x in printed["dI/dtheta"].free_symbols if "/d" in str(x)})
    slope = slope.subs({sp.Symbol(f"k_{x}", real=True): y for x, y in form.k.items()}).subs(there)
    assert printed["dI/dtheta"].count_ops() < 20 and float(
        (slope - inertia.diff(th)).subs(values).subs(th, 0.7)
    ) == pytest.approx(0.0, abs=1e-11)
    text = str(form)
    for part in (
        "phi = asin(r*sin(theta)/l)",
        "T = I/2*theta'**2",
        "I*theta'' + dI/dtheta*theta'**2/2 = -(MT + P*k_s)",
        "k_phi = ",
    ):
        assert part in text
    assert "k_phi**2" in text and r"k_{\varphi}" in form.latex()
    assert r"\frac{\partial L}{\partial \dot q}" in form.latex()


def drawn_engine():
    """Crank, rod and piston on joints: angles between bodies, so that the mass matrix is full."""
    m = da.Mechanism("engine", plane=True, gravity=(0, "-g"))
    m.parameter("g", 9.81)
    r, l = m.parameter("r", 0.1), m.parameter("l", 0.35)
    crank = m.body("crank", da.rod(length=r, mass=0.5), at=(r / 2, 0))
    rod = m.body("rod", da.rod(length=l, mass=0.4), at=(r + l / 2, 0))
    piston = m.body("piston", da.rectangle(0.05, 0.05, mass=0.5), at=(r + l, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("S", m.ground, piston, along=(1, 0))
    return m


@pytest.mark.parametrize(("made", "name"), [(source_engine, "theta"), (drawn_engine, "theta_O"), (four_bar, "a")])
def test_what_is_printed_of_one_freedom(made, name):
    """Lines in their order: k and its slope, I and dI/dtheta by differences, and the equation, whose acceleration is that of all rows."""
    model = made()
    if made is four_bar:
        model.guess("a", 1.1)
        model.guess("c", 1.9)
    form = da.equations(model, form="lagrange", **({"independent": ["a"]} if made is four_bar else {}))
    substituted, rates, inertia, _, (equation,) = (section.items for section in form.sheet.sections)
    parameters = form.full.model.parameters

    def at(angle, rate=1.0):
        known = dict(parameters) | {name: angle, f"{name}'": rate}
        for line in (*substituted, *rates, *inertia):
            x = line.sympy
            known[x.lhs.name] = float(x.rhs.subs({y: known[y.name] for y in x.rhs.free_symbols}).evalf())
        return known

    h, angle, rate = 1e-5, 1.15, 3.0
    here, before, after = at(angle, rate), at(angle - h), at(angle + h)
    for x in (*form.k, *(line.sympy.lhs.name for line in rates)):
        slope = {**{y: f"k_{y}" for y in form.k}, **{f"k_{y}": f"dk_{y}/d{name}" for y in form.k}}.get(x)
        if slope is not None:
            assert (after[x] - before[x]) / (2 * h) == pytest.approx(here.get(slope, 0.0), rel=1e-7, abs=1e-8)
    assert (after["I"] - before["I"]) / (2 * h) == pytest.approx(here[f"dI/d{name}"], rel=1e-7)
    a = sp.Symbol(f"{name}''", real=True)
    x = equation.sympy
    (found,) = sp.solve(x.subs({y: here[y.name] for y in x.free_symbols if y != a}), a)
    expected = da.equations(model, form="multipliers")
    state = {y: here[y] for y in form.full.names} | {
        f"rate({y})": rate * here.get(f"k_{y}", 1.0) for y in form.full.names
    }
    assert float(found) == pytest.approx(expected.accelerations(state).accelerations[name], rel=1e-9, abs=1e-9)
    assert max(map(len, str(form).splitlines())) <= 125


def test_time_in_the_kinetic_energy_of_a_loop():
    """With M(q, t) the equation has dM/dt theta', which I and its slope do not: it stands along the rows."""
    model = source_engine()
    again = da.Lagrangian(
        model.q, kinetic="(1 + t)*rate(theta)**2/2 + rate(s)**2/2", holonomic=model.holonomic,
        parameters=model.parameters, name="growing",
    )  # fmt: skip
    form = da.equations(again, form="lagrange")
    state = {"theta": 1.1, "rate(theta)": 20.0, "t": 0.4}
    phi = math.asin(0.1 * math.sin(1.1) / 0.35)
    k_phi = 0.1 * math.cos(1.1) / (0.35 * math.cos(phi))
    k_s = -0.1 * math.sin(1.1 + phi) / math.cos(phi)
    whole = state | {
        "phi": phi,
        "s": 0.1 * math.cos(1.1) + 0.35 * math.cos(phi),
        "rate(phi)": 20 * k_phi,
        "rate(s)": 20 * k_s,
    }
    expected = da.equations(again, form="multipliers").accelerations(whole).accelerations
    assert form.accelerations(state).accelerations == pytest.approx(expected, rel=1e-10)
    assert "along the rows" in str(form) and "dI/d" not in str(form)


def test_a_loop_that_a_drive_holds_has_no_equation_of_lagrange():
    """Three rows for three coordinates: said as such, with the form that has an answer."""
    model = source_engine()
    model.constraint("drive", "theta - 3*t")
    with pytest.raises(da.MethodError, match="3 rows for 3 coordinates") as caught:
        da.equations(model, form="lagrange")
    assert "multipliers" in caught.value.do


@pytest.mark.parametrize("theta", [0.3, 1.9, 4.0])
def test_accelerations_are_those_with_multipliers(theta):
    """Seven coordinates, six rows; the angle may be left out of the state, and must be of the loop as it is written if it is given."""
    model, state = piston_engine(), engine_state(theta, 20.0)
    expected = da.equations(model, form="multipliers").accelerations(state).accelerations
    form = da.equations(model, form="lagrange")
    for given in (state, {"theta": theta, "rate(theta)": 20.0}):
        assert form.accelerations(given).accelerations == pytest.approx(expected, rel=1e-11, abs=1e-9)
    with pytest.raises(da.MethodError, match="the rows are written for phi") as caught:
        form.accelerations({"theta": theta, "phi": math.pi - state["phi"]})
    assert "m.guess" in caught.value.do


def test_the_way_a_loop_is_assembled_is_that_of_the_start():
    """A piston on the other side of the crank: cos phi < 0, phi = pi - asin(…)."""
    model = piston_engine()
    model.guess("phi", 3.0)
    form = da.equations(model, form="lagrange")
    p = ENGINE
    phi = math.pi - math.asin((p["r"] * math.sin(0.8) - p["ecc"]) / p["l"])
    s = form.symbols
    known = {s[x]: p[x] for x in ("r", "l", "ecc")} | {s["theta"]: 0.8}
    assert float(form.substituted["phi"].subs(known)) == pytest.approx(phi, rel=1e-14)
    assert float(form.substituted["s"].subs(known)) == pytest.approx(
        p["r"] * math.cos(0.8) + p["l"] * math.cos(phi), rel=1e-13
    )
    assert p["l"] * math.cos(phi) < -0.3
    assert da.compare(model).agree, "at states of this assembly"


def test_four_bar_by_two_rows():
    """Closed form of the rocker against the geometry of two circles; k are the transmission ratios."""
    model = four_bar()
    model.guess("a", 1.1)
    model.guess("c", 1.9)
    form = da.equations(model, form="lagrange", independent=["a"])
    assert list(form.angles) == ["c", "b"]
    a, l1, l2, l3, d = 1.1, 1.0, 4.0, 3.0, 4.0
    # B on the circle of l2 about A and of l3 about D
    A, D = np.array([l1 * math.cos(a), l1 * math.sin(a)]), np.array([d, 0.0])
    gap = np.linalg.norm(D - A)
    along = (l2**2 - l3**2 + gap**2) / (2 * gap)
    side = np.array([-(D - A)[1], (D - A)[0]]) / gap
    ways = [A + along * (D - A) / gap + sign * math.sqrt(l2**2 - along**2) * side for sign in (1, -1)]
    angles = [(math.atan2(*(B - A)[::-1]), math.atan2(*(B - D)[::-1])) for B in ways]
    b, c = min(angles, key=lambda x: abs(x[1] - 1.9))
    numbers = form.full.numbers([form.substituted["b"], form.substituted["c"]])
    found = numbers(form.read_state({"a": a}))
    assert found == pytest.approx([b, c], rel=1e-13)
    # k_c = dc/da by a central difference of step 1e-5: errors of 1e-10
    h = 1e-5
    lower, upper = (np.array(numbers(form.read_state({"a": a + x}))) for x in (-h, h))
    ratios = form.full.numbers([form.k["b"], form.k["c"]])(form.read_state({"a": a, "b": b, "c": c}))
    assert ratios == pytest.approx((upper - lower) / (2 * h), abs=1e-8)


def test_loops_of_a_mechanism_in_joint_coordinates():
    """The angle of the loop stands beside another: sin(theta_A + theta_O)."""
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
    r, length = 0.2, 0.5
    pin = r * np.array([math.cos(0.5), math.sin(0.5)])
    end = np.array([pin[0] + math.sqrt(length**2 - pin[1] ** 2), 0.0])
    crank = m.body("crank", da.rod(length=r, mass=1.0), at=tuple(pin / 2), angle=0.5)
    turned = math.atan2(*(end - pin)[::-1])
    rod = m.body("rod", da.rod(length=length, mass=2.0), at=tuple((pin + end) / 2), angle=turned)
    slider = m.body("slider", da.block(0.1, 0.1, mass=3.0), at=tuple(end))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=tuple(pin))
    m.revolute("B", rod, slider, at=tuple(end))
    m.prismatic("S", m.ground, slider, at=(m.ground.point(0, 0), slider.point(0, 0)), along="x")
    m.spring("K", m.ground, slider, stiffness=50.0, free_length=0.3)
    m.start("O.angle", 0.5, rate=2.0)
    form = da.equations(m, form="lagrange", independent=["theta_O"])
    assert list(form.angles) == ["theta_A"] and form.derivation.names == ("theta_O",)
    now = da.instant(m)
    found = form.accelerations({"theta_O": 0.5, "rate(theta_O)": 2.0}).accelerations
    assert found["theta_O"] == pytest.approx(now.second_rate("O.angle"), rel=1e-9)
    assert found["s_S"] == pytest.approx(now.second_rate("S.slide"), rel=1e-9)


def test_more_freedoms_and_rows_with_time():
    """An engine whose frame slides on a spring, driven up and down: angles by their names in equations along the rows."""
    m = da.Lagrangian(
        "u theta phi s", kinetic="2*rate(u)**2 + J*rate(theta)**2/2 + J*rate(phi)**2 + rate(s)**2/2", potential="k*u**2/2 + 9.81*s",
        dissipation="rate(s)**2/5", parameters={"J": 0.3, "r": 0.1, "l": 0.4, "k": 20.0},
        holonomic={"length": "s - u - r*cos(theta) - l*cos(phi)", "height": "r*sin(theta) - l*sin(phi) - 0.05*sin(2*t)"},
    )  # fmt: skip
    form = da.equations(m, form="lagrange", independent=["u", "theta"])
    assert form.k == {} and form.I is None and list(form.angles) == ["phi"]
    found = da.compare(m)
    assert found.agree and "lagrange" in found.forms, found


def test_sums_of_sine_and_cosine():
    """a cos phi + b sin phi = x: phi = atan2(b, a) ± acos(x/sqrt(a^2 + b^2)), each of the two where the start is near it."""
    for guess in (2.0, -0.5):
        m = da.Lagrangian(
            "x phi",
            kinetic="rate(x)**2 + rate(phi)**2",
            holonomic={"cam": "a*cos(phi) + b*sin(phi) - x"},
            parameters={"a": 1.0, "b": 2.0},
        )
        m.guess("phi", guess)
        form = da.equations(m, form="lagrange", independent=["x"])
        phi = form.full.numbers([form.substituted["phi"]])(form.read_state({"x": 0.7}))[0]
        assert math.cos(phi) + 2 * math.sin(phi) == pytest.approx(0.7, abs=1e-14) and abs(phi - guess) < 1.2
        assert da.compare(m).agree


def test_rows_without_a_closed_form_are_refused():
    m = da.Lagrangian("x phi", kinetic="rate(x)**2 + rate(phi)**2", holonomic={"odd": "x*sin(phi) + phi*x**2 - 1"})
    with pytest.raises(da.MethodError, match="nor an angle in closed form"):
        da.equations(m, form="lagrange")
