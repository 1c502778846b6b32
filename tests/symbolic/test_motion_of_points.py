"""Position, velocity and acceleration of points and bodies with symbols and in numbers, in space and body axes."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic import machines
from tests.symbolic.machines import same, symbols

AT = (0.3, -0.1, 0.2)


def hanging():
    """A body in space on a universal joint, whose inertia has products; a particle beside it."""
    m = da.Mechanism("hanging", plane=False, gravity=(0.3, -0.2, -9.81))
    inertia = [[0.03, 0.004, 0], [0.004, 0.05, 0.006], [0, 0.006, 0.04]]
    fork = m.body("fork", mass=1.3, inertia=inertia, at=(0.2, 0.1, -0.5), center=(0.02, 0.01, -0.03))
    m.universal("cross", m.ground, fork, at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    m.particle("ball", mass=0.4, at=(1, 0, 0))
    m.spring("spring", m["ball"].center, fork.center, stiffness=40.0, free_length=0.5, damping=2.0)
    return m, da.simulate(m, until=0.4, rtol=1e-10, atol=1e-12)


@pytest.fixture(scope="module")
def space():
    return hanging()


def told_by_run(run):
    """Motion of a point of the fork, of the fork and the ball at the end of a run, in space axes."""
    fork, point, ball = run["fork"], run["fork"].point(*AT), run["ball"]
    return {
        "point": [np.asarray(x)[-1] for x in (point.position, point.velocity, point.acceleration)],
        "fork": [np.asarray(x)[-1] for x in (fork.spin, fork.spin_rate)],
        "ball": [np.asarray(x)[-1] for x in (ball.position, ball.velocity, ball.acceleration)],
        "A": np.asarray(fork.rotation)[-1],
    }


def compare_with_run(found, m, run, number, near):
    """What a form or the arrays say about the motion, against the run: in space axes, and turned into those of the body."""
    run, point = told_by_run(run), m["fork"].point(*AT)
    A = run["A"]
    assert number(found.rotation("fork")) == pytest.approx(A, abs=near)
    for verb, in_run, of_ball in zip(("position", "velocity", "acceleration"), run["point"], run["ball"]):
        assert number(getattr(found, verb)(point)) == pytest.approx(in_run, abs=near)
        assert number(getattr(found, verb)(point, frame="body")) == pytest.approx(A.T @ in_run, abs=near)
        assert number(getattr(found, verb)("ball")) == pytest.approx(of_ball, abs=near)
    for verb, in_run in zip(("spin", "spin_rate"), run["fork"]):
        assert number(getattr(found, verb)("fork", frame="space")) == pytest.approx(in_run, abs=near)
        assert number(getattr(found, verb)("fork")) == pytest.approx(A.T @ in_run, abs=near)


def test_in_numbers(space):
    m, run = space
    compare_with_run(da.equations(m, run.at(0.4)), m, run, np.asarray, 1e-9)


def test_in_absolute_coordinates(space):
    """Euler parameters and w as velocities; the ball has no rotation among its coordinates."""
    m, run = space
    form, state = da.equations(m, form="absolute"), run.at(0.4)
    e = da.equations(m, state)
    places = dict(zip(form.q, state.q)) | dict(zip(form.v, state.v)) | dict(zip(form.a, e.a)) | {form.symbols["t"]: 0.4}

    def number(x):
        return np.squeeze(np.array(x.subs(places).evalf().tolist(), dtype=float))

    compare_with_run(form, m, run, number, 1e-9)
    named = form.position("fork", at="cross")  # the joint, which the ground holds at the origin
    assert number(named) == pytest.approx([0, 0, 0], abs=1e-9)


def in_coordinates(m, run):
    """Form in joint coordinates, and a function that gives its expressions as numbers at the end of a run."""
    system = da.lagrangian_of(m)
    same_run = da.simulate(system, until=0.4, rtol=1e-10, atol=1e-12)
    form = da.equations(m, form="minimal")
    places = {form.symbols["t"]: 0.4}
    for name, v, a in zip(form.functions.q, form.v, form.a):
        motion = same_run[name], same_run.rate(name), same_run.acceleration(name)
        places |= {x: float(values[-1]) for x, values in zip((form.symbols[name], v, a), motion)}
    return form, lambda x: np.squeeze(np.array(x.subs(places).evalf().tolist(), dtype=float))


def test_in_joint_coordinates(space):
    m, run = space
    form, number = in_coordinates(m, run)
    compare_with_run(form, m, run, number, 1e-6)


def test_velocity_and_acceleration_are_rates(space):
    """Along any motion q(t): differences of the position are the velocity, and differences of the velocity the acceleration."""
    m, _ = space
    form, point = da.equations(m, form="minimal"), m["fork"].point(*AT)
    rng = np.random.default_rng(2)
    q0, q1, q2 = rng.uniform(-0.5, 0.5, (3, len(form.q)))

    def number(x, t):
        q, v, a = q0 + q1 * t + q2 * t**2, q1 + 2 * q2 * t, 2 * q2
        places = dict(zip(form.q, q)) | dict(zip(form.v, v)) | dict(zip(form.a, a))
        return np.array(x.subs(places).evalf().tolist(), dtype=float)[:, 0]

    h = 1e-4
    for lower, upper in ((form.position, form.velocity), (form.velocity, form.acceleration)):
        x = lower(point)
        difference = (number(x, 0.3 + h) - number(x, 0.3 - h)) / (2 * h)
        assert number(upper(point), 0.3) == pytest.approx(difference, abs=1e-6)
    A, w, wd = form.rotation("fork"), form.spin("fork"), form.spin_rate("fork")
    for column in range(3):  # A' = A w'~
        x = A[:, column]
        own = sp.Matrix([1 if k == column else 0 for k in range(3)])
        difference = (number(x, 0.3 + h) - number(x, 0.3 - h)) / (2 * h)
        assert number(A * w.cross(own), 0.3) == pytest.approx(difference, abs=1e-6)
    assert number(wd, 0.3) == pytest.approx((number(w, 0.3 + h) - number(w, 0.3 - h)) / (2 * h), abs=1e-6)


def test_planar_body():
    """PLANAR 6.1.9 and 6.1.10 in absolute coordinates: r' + phi' B s' and r'' + phi'' B s' - phi'^2 A s'."""
    m = da.Mechanism("bar", plane=True)
    bar = m.body("bar", da.rod(length=1.0, mass=3.0), at=(0.5, 0))
    form = da.equations(m, form="absolute")
    (x, y, phi), (vx, vy, w), (ax, ay, alpha) = form.q, form.v, form.a
    A = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
    B, s = A.diff(phi), sp.Matrix([sp.Rational(1, 2), 0])
    expected = {
        "position": sp.Matrix([x, y]) + A * s,
        "velocity": sp.Matrix([vx, vy]) + w * B * s,
        "acceleration": sp.Matrix([ax, ay]) + alpha * B * s - w**2 * A * s,
    }
    for verb, vector in expected.items():
        for part, at in ((bar.end, None), ("bar", "end"), (bar, bar.end.coordinates[:2])):
            found = getattr(form, verb)(part, at)
            assert [same(a, b) for a, b in zip(found, [*vector, 0])] == [True] * 3
            own = getattr(form, verb)(part, at, frame="body")
            assert [same(a, b) for a, b in zip(own, [*(A.T * vector), 0])] == [True] * 3
    assert form.spin("bar") == form.spin("bar", frame="space") == sp.Matrix([0, 0, w])
    assert form.spin_rate("bar") == sp.Matrix([0, 0, alpha])
    m.start("bar.angle", 0.4, rate=2.0)
    e = da.equations(m)
    across, along = np.array([-np.sin(0.4), np.cos(0.4)]), np.array([np.cos(0.4), np.sin(0.4)])
    assert e.acceleration(bar.end) == pytest.approx(e.acceleration("bar") - 0.5 * 4 * along, abs=1e-12)
    assert e.velocity(bar.end, frame="body") == pytest.approx([0, 1.0], abs=1e-12)
    assert e.velocity(bar.end) == pytest.approx(across, abs=1e-12)
    assert e.spin("bar") == pytest.approx(2.0) and e.spin_rate("bar", frame="space") == 0.0


def test_points_have_the_same_names_in_every_form_and_in_numbers():
    """A bar whose mass centre is not its origin: the joint at (0.2, 0) of its axes rests, its point (0.7, 0.1) turns about it."""
    m = da.Mechanism("bar", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", mass=3.0, inertia=0.25, at=(0.3, 0), center=(0.1, 0.05))
    m.revolute("A", m.ground, bar, at=bar.point(0.2, 0))
    m.start("A.angle", 0.4, rate=2.0)
    e = da.equations(m)
    phi, w, alpha = 0.4, 2.0, e.spin_rate("bar")
    A = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
    arm = np.array([0.5, 0.1])
    expected = alpha * A @ [-0.1, 0.5] - w**2 * A @ arm
    named = [(bar.point(0.7, 0.1), None), ("bar", (0.7, 0.1)), (bar, bar.point(0.7, 0.1))]
    assert all(e.acceleration(*x) == pytest.approx(expected, abs=1e-12) for x in named)
    assert all(e.velocity("bar", at=x) == pytest.approx([0, 0], abs=1e-15) for x in ("A", m["A"], (0.2, 0)))
    for name in ("minimal", "lagrange", "newton-euler", "hamilton", "kane"):
        form = da.equations(m, form=name)
        values = {"theta_A": phi, "theta_A'": w, "theta_A''": alpha}
        for x in named:
            found = form.acceleration(*x)
            found = found.subs({x: values[x.name] for x in found.free_symbols}).evalf()
            assert np.array(found, dtype=float)[:2, 0] == pytest.approx(expected, abs=1e-12)
        assert form.velocity("bar", at="A") == sp.zeros(3, 1)
    for found in (e, form):
        with pytest.raises(da.MethodError, match="the point has its place"):
            found.position(bar.center, at=(0.1, 0))


def test_bar_on_a_string():
    """PRINCIPLES, example of Meirovitch (f): the velocity and acceleration of C in the axes of the bar."""
    for name in ("lagrange", "hamilton"):
        form = da.equations(machines.bar_on_string(), form=name)
        t1, v1, a1, t2, v2, a2 = symbols(form, "th1", "th2")
        L1, L2 = form.symbols["L1"], form.symbols["L2"]
        # u_r2 points down the bar, u_th2 across it; the axes of the bar are turned by th2 from x, y
        down, across = sp.Matrix([sp.sin(t2), -sp.cos(t2), 0]), sp.Matrix([sp.cos(t2), sp.sin(t2), 0])
        between = t2 - t1
        radial = L1 * a1 * sp.sin(between) - L1 * v1**2 * sp.cos(between) - L2 / 2 * v2**2
        turning = L1 * a1 * sp.cos(between) + L1 * v1**2 * sp.sin(between) + L2 / 2 * a2
        a_C = form.acceleration("bar")
        assert same((a_C.T * down)[0], radial) and same((a_C.T * across)[0], turning)
        own = form.acceleration("bar", frame="body")
        A = form.rotation("bar")
        assert [same(x, y) for x, y in zip(own, A.T * (radial * down + turning * across))] == [True] * 3
        s = form.derivation.symbols
        end = form.acceleration("bar", at=(0, "-L2/2"))
        rates = (
            form.position("bar", at=(0, "-L2/2"))
            .applyfunc(s.total_rate)
            .applyfunc(lambda x: s.total_rate(x) + sum(x.diff(a) * 0 for a in s.a))
        )
        assert [same(x, y) for x, y in zip(end, rates)] == [True] * 3


def test_coordinates_that_depend_on_time():
    """A body that is led: its acceleration has the terms of the leading motion."""
    L = da.Lagrangian("q", gravity=(0, -9.81), name="led")
    L.body("b", 1.0, 0.2, at=("t**2 + cos(q)", "sin(q)"), angle="3*t + q")
    form = da.equations(L)
    t, q, v, a = (form.symbols[x] for x in ("t", "q", "q'", "q''"))
    expected = [2 - a * sp.sin(q) - v**2 * sp.cos(q), a * sp.cos(q) - v**2 * sp.sin(q), 0]
    assert [same(x, y) for x, y in zip(form.acceleration("b"), expected)] == [True] * 3
    assert form.spin("b") == sp.Matrix([0, 0, v + 3]) and form.spin_rate("b", frame="space") == sp.Matrix([0, 0, a])


def test_what_is_refused():
    form = da.equations(machines.bar_on_string())
    with pytest.raises(da.ModelError, match="frame = 'joint'"):
        form.acceleration("bar", frame="joint")
    with pytest.raises(da.MethodError, match="th1 is no parameter"):
        form.acceleration("bar", at=("th1", 0))
    with pytest.raises(da.ModelError, match="does not turn"):
        da.equations(machines.sliding_pendulum()).velocity("mass", frame="body")
    m, run = hanging()
    absolute = da.equations(m, form="absolute")
    with pytest.raises(da.MethodError, match="no joint and no point"):
        absolute.position("fork", at="cros")
    with pytest.raises(da.ModelError, match="does not turn"):
        absolute.position("ball", frame="body")
    with pytest.raises(da.ModelError, match="the ground has no velocities"):
        da.equations(m, run.at(0.4)).acceleration(m.ground.point(1, 0, 0))
