"""Parts of the theory as named results of `equations`: partial velocities, phi and phi*, N(q), J̇ and b, by numbers and symbols."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.symbolic.forms import SINGLE
from tests.symbolic import machines
from tests.symbolic.machines import parameters, same, symbols


def tumbling():
    """Two bodies in space on joints, with springs: everything is there."""
    m = da.Mechanism("tumbling", plane=False, gravity=(0.3, -0.2, -9.81))
    arm = m.body("arm", da.box(0.1, 0.2, 0.9, mass=2.0), at=(0, 0, -0.45))
    fork = m.body(
        "fork", mass=1.3, inertia=[[0.03, 0.004, 0], [0.004, 0.05, 0.006], [0, 0.006, 0.04]], at=(0.2, 0.1, -1.2)
    )
    m.spherical("ball", m.ground, arm, at=(0, 0, 0))
    m.spherical("elbow", arm, fork, at=(0, 0, -0.9))
    m.spring("spring", m.ground.point(1, 0, 0), fork.center, stiffness=40.0, free_length=0.5, damping=2.0)
    run = da.simulate(m, until=0.4)
    return m, run, run.at(0.4)


@pytest.fixture(scope="module")
def space():
    m, run, state = tumbling()
    return m, run, state, da.equations(m, state)


def test_rates_of_the_coordinates(space):
    """q' = N v: against the difference of q over a short time."""
    m, run, state, e = space
    h = 1e-4
    rate = (run.at(0.4 - h).q - 4 * run.at(0.4 - h / 2).q + 3 * state.q) / h
    assert e.N @ state.v == pytest.approx(rate, abs=1e-6)
    assert e.N.shape == (14, 12)


def test_partial_velocities(space):
    """The velocity of a point is dv/dv times v; that of a body's spin likewise."""
    m, run, state, e = space
    for body, at in (("arm", (0.1, -0.2, 0.4)), ("fork", (0.3, 0.0, 0.2))):
        found = e.partial_velocity(m[body].point(*at)) @ state.v
        assert found == pytest.approx(np.asarray(run[body].point(*at).velocity)[-1], abs=1e-12)
        A = np.asarray(run[body].rotation)[-1]
        assert A @ e.partial_spin(body) @ state.v == pytest.approx(np.asarray(run[body].spin)[-1], abs=1e-12)
    assert e.partial_velocity("fork")[:, 6:9] == pytest.approx(np.eye(3), abs=0)


def test_active_and_inertia_force(space):
    """phi = sum (dv/dv)^T f over weights and the spring; phi + phi* = J^T lam; power of phi is that of weights and spring."""
    m, run, state, e = space
    phi = np.zeros(12)
    for body, mass in (("arm", 2.0), ("fork", 1.3)):
        phi += e.partial_velocity(m[body].center).T @ (mass * np.array([0.3, -0.2, -9.81]))
    there = run.resample([0.4])
    pull = np.asarray(there["spring"].on("fork").force)[0]
    phi += e.partial_velocity(m["fork"].center).T @ pull
    assert e.active_force == pytest.approx(phi, abs=1e-10)
    assert e.active_force + e.inertia_force == pytest.approx(e.jac.T @ e.lam, abs=1e-9)
    # joints at rest have no power, so that of phi is the rate of the kinetic energy
    kinetic = run.resample([0.399, 0.3995, 0.4]).energy.kinetic
    assert e.power == pytest.approx((kinetic[0] - 4 * kinetic[1] + 3 * kinetic[2]) / 1e-3, rel=1e-5)


def test_inertia_in_space_axes(space):
    """BASICS 8.29 and 8.38 at a state of a motion: J̇ against differences of J, and n = J ω̇ + J̇ ω in space axes."""
    m, run, state, e = space
    h = 1e-4
    for body in ("arm", "fork"):
        before = [da.equations(m, run.at(0.4 - x)).inertia(body) for x in (h, h / 2)]
        assert e.inertia_rate(body) == pytest.approx((before[0] - 4 * before[1] + 3 * e.inertia(body)) / h, abs=1e-6)
        A, w = np.asarray(run[body].rotation)[-1], np.asarray(run[body].spin)[-1]
        # the rate of J ω is J ω̇ + J̇ ω in space axes, and J' ω̇' + b in body axes
        turn = np.asarray(run[body].spin_rate)[-1]
        own = A @ (A.T @ e.inertia(body) @ A @ A.T @ turn + e.gyroscopic(body))
        assert e.inertia(body) @ turn + e.inertia_rate(body) @ w == pytest.approx(own, abs=1e-12)
        assert A @ e.gyroscopic(body) == pytest.approx(np.cross(w, e.inertia(body) @ w), abs=1e-12)
    assert e.b[3:6] == pytest.approx(e.gyroscopic("arm")) and not e.b[:3].any()


def test_plane():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=3.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.start("A.angle", 0.4, rate=2.0)
    e = da.equations(m)
    across = 0.5 * np.array([-np.sin(0.4), np.cos(0.4)])
    assert e.partial_velocity(bar.end) == pytest.approx(np.column_stack([np.eye(2), across]), abs=1e-12)
    assert e.partial_spin(bar) == pytest.approx(np.array([[0, 0, 1.0]]))
    assert e.inertia("bar") == pytest.approx(0.25) and e.inertia_rate("bar") == 0.0 and e.gyroscopic("bar") == 0.0
    assert (e.N == np.eye(3)).all() and not e.b.any()
    assert e.power == pytest.approx(-3 * 9.81 * 0.5 * np.cos(0.4) * 2.0)
    with pytest.raises(da.ModelError, match="the ground has no velocities"):
        e.partial_velocity(m.ground.point(1, 0))


# -- symbols ---------------------------------------------------------------------------------------------------------------


def test_lagrangian_system():
    """K6: dv/dq' of the mass centre and of the end where F acts, phi and phi* (LAGRANGE 1.5), whatever the form."""
    for name in ("lagrange", "hamilton", "reduced"):
        form = da.equations(machines.bar_on_string(), form=name)
        t1, v1, a1, t2, v2, a2 = symbols(form, "th1", "th2")
        m, L1, L2, g, F = parameters(form, "m", "L1", "L2", "g", "F")
        end = sp.Matrix([[L1 * sp.cos(t1), L2 * sp.cos(t2)], [L1 * sp.sin(t1), L2 * sp.sin(t2)], [0, 0]])
        assert all(same(a, b) for a, b in zip(form.partial_velocity("bar", at=(0, "-L2/2")), end))
        center = form.partial_velocity("bar")
        assert form.partial_spin("bar") == sp.Matrix([[0, 0], [0, 0], [0, 1]])
        phi = end.T * sp.Matrix([F, 0, 0]) + center.T * sp.Matrix([0, -m * g, 0])
        assert all(same(a, b) for a, b in zip(form.active_force, phi))
        assert same(form.power, (phi.T * sp.Matrix([v1, v2]))[0]) and form.N == sp.eye(2)
        # phi* = -sum (dv/dq')^T m a + (dw/dq')^T J w'
        s = form.derivation.symbols
        acceleration = form.velocity("bar").applyfunc(s.total_rate)
        inertia = -m * center.T * acceleration - sp.Matrix([0, m * L2**2 / 12 * a2])
        assert all(same(a, b) for a, b in zip(form.inertia_force, inertia))
        assert same(form.spin("bar")[2], v2)


def test_rolling_disk():
    """phi + phi* = J^T lam with rows; J̇ of a body in space by differentiating J; b and N."""
    form = da.equations(machines.rolling_disk(), form="reduced")
    s, d = form.derivation.symbols, form.derivation
    state = {"theta": 0.3, "phi": 0.4, "rate(theta)": 0.7, "rate(phi)": -0.4, "rate(psi)": 5.0}
    solved = form.accelerations(state)
    known = {x.name: solved.accelerations[name] for x, name in zip(s.a, d.names)}
    known |= {x.name: solved.multipliers[name] for x, name in zip(d.lam, d.row_names)}
    every = da.equations(form.model, form="multipliers")
    rest = d.numbers([*(every.active_force + every.inertia_force - d.J.T * sp.Matrix(d.lam))], [*s.a, *d.lam])
    # the rates of x and y are those that rolling asks for
    speeds = d.numbers(list(form.partition.rates))(form.read_state(state))
    rolling = state | {f"rate({x})": v for x, v in zip(d.names, speeds)}
    assert rest(form.read_state(rolling) | known) == pytest.approx([0.0] * 5, abs=1e-12)
    J = form.inertia("disk")
    assert all(same(a, b) for a, b in zip(form.inertia_rate("disk"), J.applyfunc(s.total_rate)))
    w = form.spin("disk")
    m, r = parameters(form, "m", "r")
    assert same(form.gyroscopic("disk")[0], (m * r**2 / 2 - m * r**2 / 4) * w[1] * w[2])
    assert form.N.shape == (5, 3) and form.N[:3, :] == sp.eye(3)


def test_forms_of_a_mechanism():
    """In absolute coordinates all parts agree with those in numbers."""
    m = da.Mechanism("hanging", plane=False, gravity=(0.3, -0.2, -9.81))
    fork = m.body(
        "fork", mass=1.3, inertia=[[0.03, 0.004, 0], [0.004, 0.05, 0.006], [0, 0.006, 0.04]], at=(0.2, 0.1, -0.5)
    )
    m.spherical("ball", m.ground, fork, at=(0, 0, 0))
    state = da.simulate(m, until=0.4).at(0.4)
    e = da.equations(m, state)
    absolute = da.equations(m, form="absolute")
    places = dict(zip(absolute.q, state.q)) | dict(zip(absolute.v, state.v)) | {absolute.symbols["t"]: 0.4}

    def number(x):
        return np.array(sp.Matrix(x).subs(places).evalf().tolist(), dtype=float)

    point = m["fork"].point(0.3, 0.0, 0.2)
    assert number(absolute.N) == pytest.approx(e.N, abs=1e-12)
    assert number(absolute.b)[:, 0] == pytest.approx(e.b, abs=1e-12)
    assert number(absolute.partial_velocity(point)) == pytest.approx(e.partial_velocity(point), abs=1e-12)
    assert number(absolute.partial_velocity("fork", at=(0.3, 0.0, 0.2))) == pytest.approx(
        e.partial_velocity(point), abs=1e-12
    )
    assert number(absolute.partial_spin("fork")) == pytest.approx(e.partial_spin("fork"), abs=0)
    for name in ("inertia", "inertia_rate"):
        assert number(getattr(absolute, name)("fork")) == pytest.approx(getattr(e, name)("fork"), abs=1e-12)
    assert number(absolute.gyroscopic("fork"))[:, 0] == pytest.approx(e.gyroscopic("fork"), abs=1e-12)
    assert number(absolute.active_force)[:, 0] == pytest.approx(e.active_force, abs=1e-10)
    assert number([absolute.power])[0, 0] == pytest.approx(e.power, rel=1e-10)


def test_minimal_form_of_a_mechanism():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=3.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    form = da.equations(m, form="minimal")
    angle, (rate,) = form.symbols["theta_A"], form.v
    assert [same(x, y) for x, y in zip(form.partial_velocity(bar.end), [-sp.sin(angle), sp.cos(angle), 0])] == [
        True
    ] * 3
    assert same(form.active_force[0], -sp.Rational("14.715") * sp.cos(angle))
    assert same(form.inertia_force[0], -form.a[0]) and same(form.power, form.active_force[0] * rate)
    assert form.N == sp.eye(1) and form.b == sp.zeros(1, 1)
    assert form.inertia("bar")[2, 2] == sp.Rational(1, 4)


def test_what_is_refused():
    form = da.equations(machines.bar_on_string())
    with pytest.raises(da.ModelError, match="no such particle or body"):
        form.partial_velocity("bat")
    with pytest.raises(da.MethodError, match="two or three"):
        form.partial_velocity("bar", at=3)
    with pytest.raises(da.ModelError, match="does not turn"):
        da.equations(machines.sliding_pendulum()).partial_spin("mass")
    with pytest.raises(da.ModelError, match="given by its energies"):
        da.equations(machines.upright_disk()).partial_velocity("disk")


@pytest.mark.parametrize("form", [x for x in SINGLE if x not in ("noncentroidal", "lagrange", "lagrange-2", "routh")])
def test_the_jacobian_has_one_name_in_every_form(form):
    m = machines.double_pendulum_with_rods()
    found = da.equations(m, form=form)
    x1, y1, x2, y2 = (found.symbols[x] for x in ("x1", "y1", "x2", "y2"))
    rods = sp.Matrix([sp.sqrt(x1**2 + y1**2), sp.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)])
    assert found.J is found.jac
    assert (found.J - rods.jacobian([x1, y1, x2, y2])).applyfunc(sp.simplify) == sp.zeros(2, 4)


def test_the_jacobian_has_one_name_of_mechanisms(space):
    m, _, state, e = space
    assert np.array_equal(e.J, e.jac) and e.J.shape == (6, 12)
    written = da.equations(m, form="absolute")
    assert written.J is written.jac and written.latex("jac") == written.latex("J")


# -- forms in velocities of their own ------------------------------------------------------------------------------------


def test_network_vectors_of_forces():
    """[X^T Z^T] phi and phi* (LAGRANGE 2.6.27) against both projected in numbers; their sum is zero (2.6.22), phi.q' the power."""
    form = da.equations(machines.rolling_disk(), form="reduced")
    d, p, s = form.derivation, form.partition, form.derivation.symbols
    every = da.equations(form.model, form="multipliers")
    assert form.active_force.shape == form.inertia_force.shape == (len(p.u), 1)
    state = form.read_state({"theta": 0.3, "phi": 0.4, "rate(theta)": 0.7, "rate(phi)": -0.4, "rate(psi)": 5.0})
    state |= dict(zip([f"rate({x})" for x in d.names], d.numbers(list(p.rates))(state)))
    solved = form.accelerations(state)
    known = state | {x.name: solved.accelerations[name] for x, name in zip(s.a, d.names)}
    N, phi, inertia = (np.array(d.numbers(list(x), s.a)(known)) for x in (p.S, every.active_force, every.inertia_force))
    N = N.reshape(p.S.shape)
    own, moved = (d.numbers(list(x), s.a)(known) for x in (form.active_force, form.inertia_force))
    assert np.max(np.abs(phi)) > 1.0
    assert own == pytest.approx(N.T @ phi, abs=1e-12) and moved == pytest.approx(N.T @ inertia, abs=1e-12)
    assert np.add(own, moved) == pytest.approx(0.0, abs=1e-12)
    rates = np.array([state[f"rate({x})"] for x in d.names])
    assert d.numbers([form.power])(state)[0] == pytest.approx(phi @ rates, rel=1e-13)


def test_eulers_equations():
    """J w' + w x J w = N in the angular velocity: short, and the rate of the angular momentum in the coordinates."""
    m = da.Lagrangian("psi theta phi", parameters={"A": 1.0, "B": 2.0, "C": 3.0})
    turns = [("z", "psi"), ("x", "theta"), ("z", "phi")]
    m.body("b", 1.0, ("A", "B", "C"), at=(0, 0, 0), turns=turns)
    form = da.equations(m, form="newton-euler")
    text = str(form)
    for line in (
        "A*w_b_x' + w_b_y*w_b_z*(C - B) = N_b_x", "B*w_b_y' + w_b_x*w_b_z*(A - C) = N_b_y",
        "C*w_b_z' + w_b_x*w_b_y*(B - A) = N_b_z", "w_b_z = phi' + psi'*cos(theta)", "w: angular velocity, body axes",
    ):  # fmt: skip
        assert line in text
    s = form.derivation.symbols
    spin = form.spin("b")
    w = [sp.Symbol(f"w_b_{axis}", real=True) for axis in "xyz"]
    known = dict(zip(w, spin)) | {sp.Symbol(f"{x.name}'", real=True): s.total_rate(y) for x, y in zip(w, spin)}
    body = form.sheet.sections[0].items
    moments = [x for x in form.directions if x.kind == "moment"]
    assert len(body) == 9 and len(moments) == 3
    for written, x in zip(body[3:6], moments):
        assert same(written.left.subs(known), x.inertia) and same(written.right, x.reaction)
    # a body that turns about one axis has one component
    m = da.Lagrangian("psi")
    m.body("b", 1.0, (0.1, 0.2, 0.3), at=(0, 0, "0.1*sin(psi)"), turns=[("x", "psi")])
    assert "1/10*w_b_x' = N_b_x" in str(da.equations(m, form="newton-euler"))
