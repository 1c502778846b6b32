"""Variational equations: δq.(M q'' + h - Q) = 0 for all δq that the rows allow, with δr and δW of every load by its name.

Independent routes: the printed equations of PLANAR 6.3.1-2, 6.1.11 and PRINCIPLES 1.6 (e); differences of the whole force with and without a
load; differential quotients of positions; accelerations of the compiled system in displacements that its joints allow.
"""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.sources import test_p4_slider_crank as p4
from tests.sources import test_s1_spatial_system as s1
from tests.symbolic import machines
from tests.symbolic.machines import same


def coefficients(form, expression=None):
    """Factors of the δq in an expression; by default in the variational equation."""
    x = sp.expand(form.equations[0].lhs if expression is None else expression)
    return [x.coeff(y) for y in form.variations]


# -- Lagrangian systems ----------------------------------------------------------------------------------------------------


def test_bar_on_a_string_as_the_source_writes_it():
    """PRINCIPLES 1.6: δW = F.δr_B = F (L1 cos th1 δth1 + L2 cos th2 δth2), so Q1 = F L1 cos th1, Q2 = F L2 cos th2 (e)."""
    m = da.Lagrangian(
        "th1 th2", gravity=(0, "-g"), parameters={"m": 1.1, "g": 9.81, "L1": 0.5, "L2": 1.2, "F": 3.0}, name="bar"
    )
    at = ("L1*sin(th1) + L2/2*sin(th2)", "-L1*cos(th1) - L2/2*cos(th2)")
    m.body("bar", "m", "m*L2**2/12", at=at, angle="th2")
    m.force("F", "bar", ("F", 0), at=(0, "-L2/2"))
    form = da.equations(m, form="variational")
    F, L1, L2, mass, g, a, b = (form.symbols[x] for x in ("F", "L1", "L2", "m", "g", "th1", "th2"))
    d1, d2 = form.variations
    assert same(form.virtual_displacements["δr_F_x"], L1 * sp.cos(a) * d1 + L2 * sp.cos(b) * d2)
    assert form.virtual_work["F"] == F * sp.Symbol("δr_F_x", real=True)
    assert list(form.generalized("F")) == [F * L1 * sp.cos(a), F * L2 * sp.cos(b)]
    # δV = m g (L1 sin th1 δth1 + L2/2 sin th2 δth2) of the same page
    assert list(form.generalized("weight of bar")) == [-mass * g * L1 * sp.sin(a), -mass * g * L2 * sp.sin(b) / 2]
    lagrange = da.equations(m, form="lagrange")
    assert all(same(x, y) for x, y in zip(coefficients(form), lagrange.residuals))
    assert "δW_F = F*δr_F_x" in str(form) and r"\delta W_{F} = F \delta r_{F,x}" in form.latex()


def everything(along=True):
    m = da.Lagrangian(
        "x phi s", potential="k*x**2/2 + x*s", dissipation="c*rate(s)**2/2 + rate(phi)**2", forces={"s": "3*sin(t)", "x": "rate(s)"}, gravity=(0, "-g"),
        kinetic="rate(s)**2", parameters={"k": 5.0, "c": 0.3, "g": 9.81, "a": 0.4, "P": 2.0}, holonomic={"rope": "x + a*phi - s**2"},
    )  # fmt: skip
    bar = m.body("bar", 2.0, 0.4, at=("x + a*cos(phi)", "a*sin(phi)"), angle="phi")
    m.particle("bead", 0.7, at=("s", "x*s"))
    if along:
        m.force("along", bar, ("P", -1.0), at=("a", 0.1), local=True)
    m.force("fixed", "bead", (0.5, "t"))
    m.force("anywhere", ("x*phi", "s"), (1.0, "P"))
    m.couple("twist", bar, "P*x")
    m.field("tide", ("3*x", "-y"), on="bead")
    return m


def test_all_loads_are_named_and_their_generalized_forces_add_up():
    m = everything()
    form = da.equations(m, form="variational")
    names = [
        "along",
        "fixed",
        "anywhere",
        "twist",
        "weight of bar",
        "weight of bead",
        "given potential",
        "given dissipation",
        "given forces",
    ]
    assert set(names) < set(form.virtual_work) and len(form.virtual_work) == len(names) + len(m.loads) - 4
    total = sum((form.generalized(name) for name in form.virtual_work), sp.zeros(3, 1))
    assert all(same(x, y) for x, y in zip(total, form.active_force)) and form.Q == form.active_force
    # every δW with its δr and δπ inserted is Q.δq
    moved = {sp.Symbol(name, real=True): x for name, x in form.virtual_displacements.items()}
    for name, work in form.virtual_work.items():
        assert all(same(x, y) for x, y in zip(coefficients(form, work.xreplace(moved)), form.generalized(name)))
    # without a load the whole force is less by what it gives
    rest = da.equations(everything(along=False), form="variational").Q
    assert all(same(x - y, z) for x, y, z in zip(form.Q, rest, form.generalized("along")))


def test_work_of_a_load_is_force_times_displacement_of_its_point_in_numbers():
    """The point of `along` moved by small δq, by its position alone."""
    form = da.equations(everything(), form="variational")
    at, h = {"x": 0.3, "phi": 0.8, "s": -0.5}, 1e-6

    def point(q):
        c, s = math.cos(q["phi"]), math.sin(q["phi"])
        return np.array([q["x"] + 0.4 * c + 0.4 * c - 0.1 * s, 0.4 * s + 0.4 * s + 0.1 * c])

    c, s = math.cos(at["phi"]), math.sin(at["phi"])
    force = np.array([2.0 * c + s, 2.0 * s - c])
    found = form.derivation.numbers([*form.generalized("along")])(form.read_state(at))
    for k, name in enumerate(at):
        moved = point(at | {name: at[name] + h}) - point(at | {name: at[name] - h})
        # central differences of step 1e-6 are good to 1e-10
        assert found[k] == pytest.approx(force @ moved / (2 * h), abs=1e-8)


def test_couples_in_space_and_in_body_axes():
    """A couple about a fixed axis and one about a body axis, on z-x turns: n.δπ with δπ from the rates of the angles."""
    m = da.Lagrangian("a b", name="gimbal")
    m.body("top", 1.0, (0.2, 0.2, 0.1), at=(0, 0, 0), turns=[("z", "a"), ("x", "b")])
    m.couple("shaft", "top", (0, 0, 2.0))
    m.couple("own", "top", (0, 3.0, 0), local=True)
    form = da.equations(m, form="variational")
    b = form.symbols["b"]
    # w = a' z + b' x1, and z in body axes is (0, sin b, cos b)
    assert list(form.generalized("shaft")) == [2, 0]
    assert list(form.generalized("own")) == [3 * sp.sin(b), 0]
    assert form.virtual_work["own"] == 3 * sp.Symbol("δπ_own_y", real=True)
    assert r"\delta \pi_{own,y}" in form.latex()


def test_rows_restrict_the_displacements():
    """Rolling disk: rows that cannot be integrated restrict δq as J δq = 0; accelerations and multipliers are those of the other forms."""
    model = machines.rolling_disk()
    form = da.equations(model, form="variational")
    allowed = [x.lhs for x in form.admissible]
    J = sp.Matrix(allowed).jacobian(sp.Matrix(form.variations))
    assert all(same(x, y) for x, y in zip(J, form.J))
    state = {"theta": 0.4, "rate(theta)": 0.3, "rate(phi)": 1.1, "rate(psi)": -0.6}
    other = da.equations(model, form="kane").accelerations(state)
    assert form.accelerations(state).accelerations == pytest.approx(other.accelerations, rel=1e-10, abs=1e-10)


def test_friction_that_slips_is_a_load_with_a_name():
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", forces={"x": 2.0}, parameters={"F": 0.7})
    m.friction("rub", "x - y", force="F")
    form = da.equations(m, form="variational")
    F, x, y = (form.symbols[k] for k in ("F", "x'", "y'"))
    assert list(form.generalized("rub")) == [-F * sp.sign(x - y), F * sp.sign(x - y)]
    assert list(form.generalized("given forces")) == [2, 0]


# -- mechanisms ------------------------------------------------------------------------------------------------------------


def test_simple_pendulum_as_the_source_writes_it():
    """PLANAR 6.3.6 and 6.3.8."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, "-g"))
    mass, ell, g = m.parameter("m", 2.0), m.parameter("l", 0.4), m.parameter("g", 9.81)
    bar = m.body("1", da.rod(length=2 * ell, mass=mass), at=(ell, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    form = da.equations(m, form="variational")
    s = {x.name: x for x in form.equations[0].lhs.free_symbols | form.J.free_symbols}
    mass, ell, g, phi = (s[x] for x in ("m", "l", "g", "phi_1"))
    expected = [mass * s["x_1''"], mass * s["y_1''"] + mass * g, mass * ell**2 / 3 * s["phi_1''"]]
    assert all(same(x, y) for x, y in zip(form.brackets, expected))
    assert [x.name for x in form.variations] == ["δx_1", "δy_1", "δphi_1"]
    assert all(same(x, y) for x, y in zip(coefficients(form), expected))
    rows = sp.Matrix([[1, 0, ell * sp.sin(phi)], [0, 1, -ell * sp.cos(phi)]])
    assert form.J == rows and len(form.admissible) == 2
    assert list(form.generalized("weight of 1")) == [0, -mass * g, 0]
    assert (form.Phi_r, form.Pi) == (rows[:, :2], rows[:, 2]) and form.Phi_q == form.J


def test_slider_crank_as_the_source_writes_it():
    """PLANAR 6.3.9; the rows of 6.3.11 span the same displacements."""
    form = da.equations(p4.slider_crank(), form="variational")
    a, m1, m2, g = form.a, p4.M1, p4.M2, p4.G
    expected = [
        m1 * a[0],
        m1 * (a[1] + g),
        m1 * p4.L1**2 / 3 * a[2],
        m2 * a[3],
        m2 * (a[4] + g),
        m2 * p4.L2**2 / 3 * a[5],
    ]
    for x, y in zip(form.brackets, expected):
        assert max((abs(c) for c in sp.Poly(x - y, *a).coeffs()), default=0) < 1e-12
    p1, p2 = form.q[2], form.q[5]
    s1_, c1, s2, c2 = (f(x) for x in (p1, p2) for f in (sp.sin, sp.cos))
    l1, l2 = p4.L1, p4.L2
    rows = sp.Matrix([
        [1, 0, l1 * s1_, 0, 0, 0], [0, 1, -l1 * c1, 0, 0, 0], [0, 0, 2 * l1 * s1_, 1, 0, l2 * s2],
        [0, 0, -2 * l1 * c1, 0, 1, -l2 * c2], [0, 0, 2 * l1 * c1, 0, 0, 2 * l2 * c2],
    ])  # fmt: skip
    known = {p1: 0.6, p2: -0.35}
    ours, theirs = (np.array(x.subs(known).tolist(), dtype=float) for x in (form.J, rows))
    # signs of single rows are ours
    assert np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-12) == 5 == np.linalg.matrix_rank(ours)


ELEMENTS = ("T", "between", "F", "S", "K", "buffer")


def loaded_crank(elements=ELEMENTS):
    m = da.Mechanism("crank", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0), angle=0.3)
    rod = m.body("rod", da.rod(length=0.8, mass=1.0), at=(1.0, -0.4), angle=-1.2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.revolute("B", bar, rod, at=(1.0, 0))
    make = {
        "T": lambda x: m.torque(x, bar, 0.7),
        "between": lambda x: m.torque(x, rod, "0.2*t + 0.1", against=bar),
        "F": lambda x: m.force(x, rod, (3, -1), at=rod.point(0.4, 0.1), frame="body"),
        "S": lambda x: m.spring(
            x, m.ground.point(0.2, 0.9), rod.point(-0.1, 0), stiffness=5.0, free_length=0.2, damping=0.4
        ),
        "K": lambda x: m.torsion_spring(x, m["B"].angle, stiffness=1.5, free_angle=0.2),
        "buffer": lambda x: m.stop(x, m["A"].angle, lower=0.5, upper=2.0, stiffness=80.0),
    }
    for name in elements:
        make[name](name)
    return m


def numbers(form, state, x):
    """A matrix of SymPy at a state of the compiled system."""
    q, v = state.q[form.source.q_at], state.v[form.source.v_at]
    known = {**dict(zip(form.q, q)), **dict(zip(form.v, v)), form.symbols["t"]: state.t}
    return np.array(sp.Matrix(x).subs(known).tolist(), dtype=float)


def state_of(m, seed):
    rng = np.random.default_rng(seed)
    return da.State(0.37, da.equations(m).state.q + 0.1 * rng.normal(size=6), rng.normal(size=6))


def test_generalized_forces_of_elements_are_what_the_compiled_system_loses_without_them():
    m = loaded_crank()
    form, state = da.equations(m, form="variational"), state_of(m, 3)
    assert list(form.virtual_work) == [*ELEMENTS, "weight of bar", "weight of rod"]
    whole = da.equations(m, state).Q
    for name in ELEMENTS:
        bare = da.equations(loaded_crank([x for x in ELEMENTS if x != name]), state).Q
        assert numbers(form, state, form.generalized(m[name]))[:, 0] == pytest.approx(whole - bare, abs=1e-11), name
        assert np.abs(whole - bare).max() > 0.1, "it acts"
    weights = form.generalized("weight of bar") + form.generalized("weight of rod")
    assert numbers(form, state, weights)[:, 0] == pytest.approx(da.equations(loaded_crank([]), state).Q, abs=1e-12)


def spatial():
    """A top on a ball joint with a particle on a rod, a spring, a force in body axes, a couple."""
    m = da.Mechanism("spatial", plane=False, gravity=(0.3, -0.2, -9.81))
    top = m.body("top", mass=2.0, inertia=((0.3, 0.02, 0), (0.02, 0.4, 0.01), (0, 0.01, 0.2)), at=(0.4, 0.1, 0.2))
    bead = m.particle("bead", mass=0.5, at=(0.8, 0.6, 0.2))
    m.spherical("O", m.ground, top, at=(0, 0, 0))
    m.distance("rod", top.point(0.4, 0, 0), bead)
    m.force("thrust", top, (1.0, -2.0, 3.0), at=top.point(0.1, 0.2, 0), frame="body")
    m.torque("couple", top, (0.5, 0.25, -1.0))
    m.spring("S", m.ground.point(0, 1.0, 0), bead, stiffness=4.0, free_length=0.3)
    return m


def test_accelerations_of_the_compiled_system_do_no_work_in_admissible_displacements():
    """(M a - Q).δ = 0 for δ of the null space of (Phi_r, Pi), in space with a gyroscopic moment; single bodies have work left."""
    m = spatial()
    form, e = da.equations(m, form="variational"), da.equations(m)
    rng = np.random.default_rng(5)
    # velocities that the joints allow
    allowed = np.linalg.svd(e.J)[2][np.linalg.matrix_rank(e.J) :]
    state = da.State(0.0, e.state.q, rng.normal(size=len(allowed)) @ allowed)
    e = da.equations(m, state)
    at = form.source.v_at
    values = dict(zip(form.a, e.a[at]))
    left = numbers(form, state, form.brackets.subs(values))[:, 0]
    J = numbers(form, state, form.J)
    free = np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :]
    size = np.abs(left).max()
    assert size > 1.0 and len(free) == 5
    assert free @ left == pytest.approx(np.zeros(5), abs=1e-11 * size)
    assert max(abs(free[:, :6] @ left[:6])) > 0.01, "the reactions of a single body do work"
    # columns of r and of δπ, and those of (r, p), are those of the compiled system
    order = [e.row_names.index(x) for x in form.row_names]
    v_at, q_at = list(at), list(form.source.q_at)
    r_at, turn_at = [x for x in v_at if x % 6 < 3], [x for x in v_at if x % 6 >= 3]
    assert numbers(form, state, form.Phi_r) == pytest.approx(e.J[np.ix_(order, r_at)], abs=1e-13)
    assert numbers(form, state, form.Pi) == pytest.approx(e.J[np.ix_(order, turn_at)], abs=1e-13)
    assert numbers(form, state, form.Phi_q) == pytest.approx(e.Phi_q[np.ix_(order, q_at)], abs=1e-13)
    assert [x.name for x in form.variations[3:6]] == ["δπ_x_top", "δπ_y_top", "δπ_z_top"]
    assert "they allow Phi_r δr + Pi δπ = 0" in str(form)


def test_stacking_of_the_source_in_numbers():
    """SPATIAL: Phi_r of all bodies, then Pi; and Phi by (r, p), all three against derivatives of the constraints written from the drawing."""
    model, state = s1.mechanism(), s1.random_state(2)
    e = da.equations(model, state)
    order = s1.in_order(e)
    r, A = s1.split(state.q)
    f = lambda r, A: s1.phi(r, A, state.t)  # noqa: E731
    jac = s1.jacobian(f, r, A)[:, s1.stacked()]
    assert np.hstack([e.Phi_r, e.Pi])[order] == pytest.approx(jac, abs=1e-12)
    # along δp with p.δp = 0, which keeps p a unit quaternion; the derivative of A(p) by complex step
    rng = np.random.default_rng(8)
    for _ in range(5):
        step = rng.normal(size=28)
        for k in range(4):
            p = state.q[7 * k + 3 : 7 * k + 7]
            step[7 * k + 3 : 7 * k + 7] -= p * (p @ step[7 * k + 3 : 7 * k + 7])
        moved = f(*s1.split(state.q + 1e-30j * step))
        assert (e.Phi_q @ step)[order] == pytest.approx(np.imag(moved) / 1e-30, abs=1e-12)
    assert e.Phi_q @ e.N == pytest.approx(e.J, abs=1e-14)


def test_columns_in_the_plane():
    e = da.equations(loaded_crank())
    assert (
        np.array_equal(e.Phi_r, e.J[:, [0, 1, 3, 4]])
        and np.array_equal(e.Pi, e.J[:, [2, 5]])
        and np.array_equal(e.Phi_q, e.J)
    )


# -- about any point -------------------------------------------------------------------------------------------------------


def test_variational_equation_about_any_point():
    """PLANAR 6.1.11 by its integrals over a rod: every element has the force dm r'' and the displacement δr + δφ B s'."""
    m = da.Mechanism("bar", plane=True)
    mass, ell = m.parameter("m", 2.0), m.parameter("l", 0.5)
    bar = m.body("1", da.rod(length=2 * ell, mass=mass), at=(0, 0))
    body = da.equations(m, form="noncentroidal", about={bar: bar.start})["1"]
    s = body.symbols
    dx, dy, dphi = body.variations
    x, phi, w, a = (s[k] for k in ("m", "phi_1", "phi_1'", "phi_1''"))
    length, u = s["l"], sp.Symbol("u")
    A, B = sp.Matrix([sp.cos(phi), sp.sin(phi)]), sp.Matrix([-sp.sin(phi), sp.cos(phi)])
    acceleration = sp.Matrix([s["x_1''"], s["y_1''"]]) + u * (a * B - w**2 * A)
    displaced = sp.Matrix([dx, dy]) + u * dphi * B
    inertia = sp.integrate(sp.expand((displaced.T * acceleration)[0] * x / (2 * length)), (u, 0, 2 * length))
    load = s["F_1_x"] * dx + s["F_1_y"] * dy + s["N_1"] * dphi
    assert same(body.variational.left, inertia) and same(body.variational.right, load)
    # 6.1.18: about the mass centre the coupling is gone
    centre = da.equations(m, form="noncentroidal", about={bar: (0, 0)})["1"]
    expected = x * (s["x_1''"] * dx + s["y_1''"] * dy) + x * length**2 / 3 * a * dphi
    assert same(centre.variational.left, expected) and same(centre.variational.right, load)
    assert "δ.(M a + h) = δ.f" in str(da.equations(m, form="noncentroidal"))


@pytest.mark.parametrize("plane", [True, False])
def test_generalized_forces_about_any_point(plane):
    """A force at the point has no moment about it; one elsewhere has arm x force; work over bodies alone is the same about any point."""
    m = da.Mechanism("free", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    at = (0.3, 0.1) if plane else (0.3, 0.1, -0.2)
    inertia = 0.2 if plane else (0.2, 0.3, 0.25)
    bar = m.body("bar", mass=2.0, inertia=inertia, at=(0, 0) if plane else (0, 0, 0))
    force = (1.0, -2.0) if plane else (1.0, -2.0, 3.0)
    m.force("F", bar, force, at=bar.point(*at), frame="body")
    there = da.equations(m, form="noncentroidal", about={bar: at})
    far = da.equations(m, form="noncentroidal", about={bar: tuple(2 * x for x in at)})
    moment = np.cross([*at, 0][:3], [*force, 0][:3])
    if plane:
        (phi,) = (there["bar"].symbols["phi_bar"],)
        c, s = sp.cos(phi), sp.sin(phi)
        expected = [c + 2 * s, s - 2 * c, 0]
        assert all(same(x, sp.nsimplify(y)) for x, y in zip(there.generalized("F"), expected))
        assert float(far.generalized("F")[2]) == pytest.approx(-moment[2])
    else:
        assert np.array(there.generalized("F").tolist(), dtype=float)[:, 0] == pytest.approx([*force, 0, 0, 0])
        assert np.array(far.generalized("F").tolist(), dtype=float)[3:, 0] == pytest.approx(-moment)


def test_generalized_forces_about_a_point_of_a_lagrangian_body():
    """A hanging bar about its pin: the weight has the moment -m g l/2 sin theta, a couple is itself."""
    m = da.Lagrangian("theta", gravity=(0, "-g"), parameters={"m": 2.0, "g": 9.81, "l": 0.5}, name="pendulum")
    m.body("bar", "m", "m*l**2/12", at=("l/2*sin(theta)", "-l/2*cos(theta)"), angle="theta")
    m.particle("bead", 1.0, at=("sin(theta)", 0))
    m.couple("T", "bar", 0.7)
    m.force("F", "bead", (1.0, 0))
    form = da.equations(m, form="noncentroidal", about={"bar": (0, "l/2")})
    mass, g, ell = (sp.Symbol(x, real=True) for x in ("m", "g", "l"))
    theta = sp.Symbol("theta", real=True)
    found = form.generalized("weight of bar")
    assert all(same(x, y) for x, y in zip(found, [0, -mass * g, -mass * g * ell / 2 * sp.sin(theta)]))
    assert list(form.generalized("T")) == [0, 0, sp.Rational(7, 10)]
    with pytest.raises(da.ModelError, match="no load of this name"):
        form.generalized("F")  # it acts on a particle, which is no body


# -- refusals --------------------------------------------------------------------------------------------------------------


def test_what_is_refused():
    form = da.equations(machines.pendulum(), form="variational")
    with pytest.raises(da.ModelError, match="did you mean 'weight of") as caught:
        form.generalized("weight of")
    assert "weight of" in str(caught.value)
    with pytest.raises(da.ModelError, match="no load acts"):
        da.equations(da.Lagrangian("x", kinetic="rate(x)**2"), form="variational").generalized("F")
    for model in (machines.pendulum(), loaded_crank()):
        with pytest.raises(da.MethodError, match="it belongs to"):
            da.equations(model, form="variational", independent=["x"])
    with pytest.raises(da.MethodError, match="no columns of single bodies"):
        da.equations(loaded_crank(), form="minimal").Phi_r  # noqa: B018
    with pytest.raises(da.ModelError, match="did you mean 'S'"):
        da.equations(loaded_crank(), form="variational").generalized("s")


def test_brackets_begin_without_a_minus_sign():
    """J φ'' - 2 φ + …, as books write it, and not -(2 φ - J φ'' - …)."""
    m = da.Mechanism("bar", plane=True)
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.force("F", bar, (3.0, 0), at=bar.end)
    m.torque("T", bar, "2*O.angle")
    text = str(da.equations(m, form="variational"))
    assert "(phi_bar''/6 - 2*phi_bar + 3*sin(phi_bar)/2)*δphi_bar" in text and "-(" not in text.replace(" ", "")
