"""Forms by the names of their authors, each by its own principle: virtual power, S, Z, M^+ … against closed forms and each other."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic import machines
from tests.symbolic.machines import parameters, pendulum, same

NEW = ("jourdain", "maggi", "kane", "gibbs-appell", "gauss", "udwadia-kalaba")
NEED_PARTS = {"jourdain": "maggi", "kane": "reduced", "gibbs-appell": "maggi"}
SPINS = {"w1": "rate(theta)", "w2": "cos(theta)*rate(phi)", "w3": "sin(theta)*rate(phi) + rate(psi)"}


@pytest.mark.parametrize("form", NEW)
def test_each_gives_the_equation_of_the_pendulum(form):
    """m l^2 theta'' = -m g l sin(theta), whatever the principle."""
    found = da.equations(pendulum(), form=form)
    m, l, g = parameters(found, "m", "l", "g")
    theta, a = found.symbols["theta"], found.symbols["theta''"]
    (line,) = found.residuals
    assert same(sp.solve(line, a)[0], -g * sp.sin(theta) / l)
    assert found.accelerations({"theta": 0.4}).accelerations["theta"] == pytest.approx(-9.81 * np.sin(0.4) / 0.5)


@pytest.mark.parametrize("form", NEW)
def test_forms_that_need_parts_say_which_does_not(form):
    model = machines.upright_disk()
    if form not in NEED_PARTS:
        assert da.equations(model, form=form).accelerations({"rate(theta)": 1.0}).accelerations["theta"] == 0.0
        return
    with pytest.raises(da.MethodError, match="without particles or bodies") as caught:
        da.equations(model, form=form)
    assert NEED_PARTS[form] in caught.value.do
    assert da.equations(model, form=NEED_PARTS[form]).equations


def test_kane_of_the_rolling_disk_in_components_of_the_spin():
    """Kane's classic: partial velocities of the centre are r times unit vectors; the equations are those of LAGRANGE 2.6.1."""
    form = da.equations(machines.rolling_disk(), form="kane", quasi_velocities=SPINS)
    reduced = da.equations(machines.rolling_disk(), form="reduced", quasi_velocities=SPINS)
    for x, y in zip(form.residuals, reduced.residuals):
        assert same(x, -y)
    # v = r (w1 e1 + w3 e3): every partial velocity of the centre has the length 0 or r
    (r,) = parameters(form, "r")
    centre = sp.Matrix.vstack(*[form.partial_velocities[f"v_disk_{x}"] for x in "xyz"])
    assert [same((centre[:, k].T * centre[:, k])[0], r**2 if k != 1 else 0) for k in range(3)] == [True] * 3
    assert same((form.F + form.F_star)[0], form.residuals[0])


def test_gibbs_appell_of_a_top_that_spins_about_its_mass_centre():
    """dS/dw1' = A w1' - (B - C) w2 w3: Euler's equations."""
    m = da.Lagrangian("a b c", parameters={"A": 0.3, "B": 0.4, "C": 0.6}, name="free")
    m.body("block", 1.0, ("A", "B", "C"), at=(0, 0, 0), turns=[("z", "a"), ("x", "b"), ("z", "c")])
    w = {
        "w1": "rate(b)*cos(c) + rate(a)*sin(b)*sin(c)", "w2": "-rate(b)*sin(c) + rate(a)*sin(b)*cos(c)",
        "w3": "rate(c) + rate(a)*cos(b)",
    }  # fmt: skip
    form = da.equations(m, form="gibbs-appell", quasi_velocities=w)
    A, B, C = parameters(form, "A", "B", "C")
    (w1, w2, w3), (d1, d2, d3) = form.u, form.du
    S = (
        (A * d1**2 + B * d2**2 + C * d3**2) / 2
        - (B - C) * w2 * w3 * d1
        - (C - A) * w3 * w1 * d2
        - (A - B) * w1 * w2 * d3
    )
    assert same(form.S, S)
    assert same(form.residuals[0], A * d1 - (B - C) * w2 * w3) and list(form.U) == [0, 0, 0]


def test_gauss_makes_z_least_among_accelerations_that_the_rows_allow():
    """Z at the solution against Z beside it, along the null space of J: it grows by the kinetic energy of the difference."""
    model = machines.double_pendulum_with_rods()
    form = da.equations(model, form="gauss")
    d, state = form.derivation, {"x1": 0.6, "y1": -0.8, "x2": 1.2, "y2": -1.6, "rate(x1)": 0.4, "rate(y1)": 0.3}
    values = form.read_state(state)
    found = form.accelerations(state).accelerations
    Z = d.numbers([form.Z, *form.J, *form.gamma], d.symbols.a)

    def at(a):
        return Z(values | {x.name: y for x, y in zip(d.symbols.a, a)})

    a = np.array([found[x] for x in d.names])
    least, *rest = at(a)
    J, gamma = np.array(rest[:8]).reshape(2, 4), np.array(rest[8:])
    assert J @ a == pytest.approx(gamma, rel=1e-12)
    M = np.array(d.numbers([*d.M])(values)).reshape(4, 4)
    for x in np.linalg.svd(J)[2][2:]:
        for size in (-0.5, 0.1):
            assert at(a + size * x)[0] - least == pytest.approx(size**2 * x @ M @ x / 2, rel=1e-9)


def test_force_of_the_rows_by_udwadia_and_kalaba():
    """The sphere x^2 + y^2 + z^2 = R^2: Q_c = -m (v^2 - g z) r / R^2; where the row holds nothing, it is refused."""

    model = da.Lagrangian(
        "x y z", gravity=(0, 0, "-g"), holonomic={"sphere": "(x**2 + y**2 + z**2 - R**2)/2"},
        parameters={"m": 2.0, "g": 9.81, "R": 1.5}, name="bead",
    )  # fmt: skip
    model.particle("bead", "m", at=("x", "y", "z"))
    form = da.equations(model, form="udwadia-kalaba")
    s, (m, g) = form.symbols, parameters(form, "m", "g")
    r, v = [s[x] for x in "xyz"], [s[f"{x}'"] for x in "xyz"]
    size = sum(x**2 for x in r)
    expected = [-m * (sum(x**2 for x in v) - g * s["z"]) * x / size for x in r]
    assert all(same(x, y) for x, y in zip(form.Q_c, expected))
    state = {"x": 0.9, "z": -1.2, "rate(y)": 1.1}
    known = {s["x"]: 0.9, s["y"]: 0, s["z"]: -1.2, v[0]: 0, v[1]: 1.1, v[2]: 0, m: 2, g: 9.81}
    force = form.constraint_force(state)
    assert [force[x] for x in "xyz"] == pytest.approx([float(x.subs(known)) for x in expected], rel=1e-12)
    with pytest.raises(da.SingularError, match="depend on each other at this state"):
        form.constraint_force({})


def test_udwadia_and_phohomsiri_where_m_is_singular():
    """The manipulator of seven coordinates has no inertia in its angles: M has no inverse, yet the rows leave nothing free."""
    model = machines.manipulator()
    form = da.equations(model, form="udwadia-kalaba")
    assert form.derivation.M.det() == 0
    state = {"th1": 0.2, "th2": 0.5, "th3": -0.4, "rate(th1)": 1.0}
    other = da.equations(model, form="multipliers").accelerations(state)
    assert form.accelerations(state).accelerations == pytest.approx(other.accelerations, rel=1e-9, abs=1e-9)


def test_power_of_jourdain_is_that_of_dalembert():
    """Nonholonomic rows restrict velocities: on the rolling disk the two give the same three equations."""
    model = machines.rolling_disk()
    power, work = da.equations(model, form="jourdain"), da.equations(model, form="dalembert")
    assert all(same(x, y) for x, y in zip(power.residuals, work.residuals))
    assert {str(x) for x in power.virtual_velocities} == {"δtheta'", "δphi'", "δpsi'"}
    text = str(power)
    assert "δx' = " in text and "δP = " in text and r"\delta \dot\theta" in power.latex()


def test_maggi_weighs_the_expressions_of_lagrange():
    form = da.equations(machines.upright_disk(), form="maggi")
    made = form.S.T * form.E
    assert all(same(x, y) for x, y in zip(made, form.residuals))


def test_kinds_of_lagrange():
    second = da.equations(machines.sliding_pendulum(), form="lagrange-2")
    assert str(second).startswith("Lagrange's equations of the second kind of") and second.form == "lagrange"
    with pytest.raises(da.MethodError, match="every row has a multiplier") as caught:
        da.equations(machines.sliding_pendulum(), form="lagrange-1")
    assert "lagrange-2" in caught.value.do
    rods = da.equations(machines.double_pendulum_with_rods(), form="lagrange-1")
    assert "of the first kind" in str(rods) and rods.form == "multipliers"
    with pytest.raises(da.MethodError, match="it is given on rates"):
        da.equations(machines.upright_disk(), form="lagrange-2")


def crank():
    m = da.Mechanism("crank", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    rod = m.body("rod", da.rod(length=0.8, mass=1.0), at=(1.0, -0.4), angle=-np.pi / 2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.revolute("B", bar, rod, at=(1.0, 0))
    m.torque("T", bar, 0.7)
    return m


def starts(m, form):
    return {name: float(x.value) for name, x in da.lagrangian_of(m, form=form).starts.items()}


@pytest.mark.parametrize("form", [*NEW, "lagrange-2"])
def test_forms_of_a_mechanism_in_joint_coordinates(form):
    m = crank()
    found = da.equations(m, form=form).accelerations(starts(m, "minimal"))
    now = da.instant(m)
    assert found.accelerations["theta_A"] == pytest.approx(now.second_rate("A.angle"), rel=1e-10)
    assert found.accelerations["theta_B"] == pytest.approx(now.second_rate("B.angle"), rel=1e-10)


def test_first_kind_of_a_mechanism_has_a_multiplier_for_every_row_of_a_joint():
    m = crank()
    form = da.equations(m, form="lagrange-1")
    assert len(form.lam) == 4 and len(form.derivation.names) == 6
    found = form.accelerations(starts(m, "absolute"))
    now = da.instant(m)
    assert found.accelerations["phi_bar"] == pytest.approx(now.second_rate("A.angle"), rel=1e-10)


def test_names_are_listed_where_one_is_misspelt():
    for model in (pendulum(), crank()):
        with pytest.raises(da.MethodError, match="did you mean 'gibbs-appell'"):
            da.equations(model, form="gibs-appel")
        with pytest.raises(da.MethodError, match="it belongs to"):
            da.equations(model, form="udwadia-kalaba", quasi_velocities={"u": "rate(x)"})


def test_udwadia_kalaba_of_a_loop_with_parameters():
    """A formula of Q_c that would fill pages is not made, only its numbers: M q'' = Q + Q_c, and the rows hold."""
    m = da.Mechanism("loop", plane=True, gravity=(0, -9.81))
    r, b = m.parameter("r", 0.2), m.parameter("b", 0.6)
    crank = m.body("crank", da.rod(length=r, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=b, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    form = da.equations(m, form="udwadia-kalaba")
    assert form.Q_c is None and "in numbers by .constraint_force(state)" in str(form)
    rows = da.equations(m, form="multipliers").accelerations({}).accelerations
    assert form.accelerations({}).accelerations == pytest.approx(rows, rel=1e-9, abs=1e-9)


def test_headings_of_partial_derivatives():
    latex = da.equations(pendulum(), form="maggi").latex()
    assert r"\sum \frac{\partial \dot q}{\partial u}" in latex


def test_small_fractions_are_typeset_as_such():
    """A bar's r^2/24 beside decimals; what has larger numbers is a decimal."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2/24 + 17*rate(y)**2/840", potential="9.81*x")
    latex = da.equations(m, form="multipliers").latex()
    assert r"\frac{1}{24} \dot x^{2}" in latex and r"0.0202381 \dot y^{2}" in latex
