"""P10: reactions of single joints, PLANAR Section 6.6 and problem 6.6.4; element forces, problems 6.2.1 and 6.5.1.

Formulas 6.6.8 and 6.6.9: F_i = -Phi_r^T lam (in space axes) and T_i = (s_i'^T B_i^T Phi_r^T - Phi_phi^T) lam about
the joint point.

    absolute x             F_i = -lam (1, 0),  T_i = 0
    revolute               F_i = -lam,  T_i = 0                                   Phi = P_i - P_j
    translational          F_i = lam_1 R v_i,  T_i = lam_1 d.v_i + lam_2 v_j.v_i  Phi = (R v_i . d,  R v_i . v_j)
    distance               F_i = 2 d lam,  T = 0,  tension 2 C lam                Phi = d.d - C^2
    revolute-translational F_i = lam R v_i,  T_i = lam d.v_i,  F_j = -lam R v_i,  T_j = 0      Phi = R v_i . d - const
    angle driver           T_i = lam,  T_j = -lam                                 Phi = phi_j - phi_i - C(t)

with d = P_j - P_i, v_i = A_i v_i' along the line of i and R a turn by +90 degrees.  The translational Jacobian is
read from the printed reactions (chapter 3 is not supplied): F_i and T_i of the source are those of the two rows
above.

Our rows and theirs: revolute P_j - P_i, so lam_source = -lam; translational (unit vectors; angle phi_j - phi_i for
the second row), so lam_1 = lam / |v_i|, lam_2 = lam / (v_i.v_j); distance |d| - C, so lam_source = lam / (2 C).  The
others are the same.

The loads come from `run[joint].on(body)`; the right sides are computed from the motion and the multipliers by the
formulas above, and the multipliers are checked against Newton's law of one body where that gives them in closed form.

Tolerance: 1e-11 relative to the largest force, rounding of the space-to-body transformations.
"""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def turn(v):
    """R v: by +90 degrees."""
    return np.column_stack([-v[:, 1], v[:, 0]])


def direction(angle, v):
    """A(angle) v' for a vector in body axes."""
    c, s = np.cos(angle), np.sin(angle)
    return np.column_stack([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def cross(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def dot(a, b):
    return np.einsum("ti,ti->t", np.asarray(a), np.asarray(b))


def close(found, expected, scale):
    expected = np.asarray(expected)
    assert np.shape(found) == expected.shape
    assert np.asarray(found) == pytest.approx(expected, abs=1e-11 * max(1.0, np.abs(scale).max()))


def newton(run, name, mass, inertia, forces):
    """Residual of Newton's and Euler's law of one planar body under loads (force, torque, point) beside its weight."""
    body = run[name]
    force = sum(np.asarray(f) for f, _, _ in forces) + mass * np.array([0, -G])
    moment = sum(np.asarray(n) + cross(np.asarray(p) - np.asarray(body.position), np.asarray(f)) for f, n, p in forces)
    return mass * np.asarray(body.acceleration) - force, inertia * np.asarray(body.spin_rate) - moment


def two_bodies(name):
    """Two bodies away from the origin in generic positions."""
    m = da.Mechanism(name, plane=True, gravity=(0, -G))
    i = m.body("i", mass=2.0, inertia=0.3, at=(0.4, 0.3), angle=0.5)
    j = m.body("j", mass=1.5, inertia=0.2, at=(1.1, 0.6), angle=-0.3)
    return m, i, j


# -- absolute x --------------------------------------------------------------------------------------------------------


def test_absolute_x():
    """A point keeps its x; the force on the body there is -lam in x, none in y, no torque about the point."""
    m = da.Mechanism("wall", plane=True, gravity=(0, -G))
    bar = m.body("bar", mass=2.0, inertia=0.3, at=(0.4, 0.3), angle=0.5, spin=3.0)
    m.absolute_x("wall", bar, at=bar.point(-0.3, 0.2))
    run = da.simulate(m, until=0.5, output=0.05)
    lam = run["wall"].multipliers[:, 0]
    load, point = run["wall"].on("bar"), run["bar"].point(-0.3, 0.2).position
    scale = np.abs(lam).max()
    assert scale > 1
    close(load.force, np.column_stack([-lam, 0 * lam]), scale)
    close(load.torque, 0 * lam, scale)
    close(run["wall"].on("ground").force, np.column_stack([lam, 0 * lam]), scale)
    # in the frame of the body: F'' = -C^T A^T (1, 0) lam
    phi = np.asarray(run["bar"].angle)
    close(load.frame("body").force, np.column_stack([-np.cos(phi) * lam, np.sin(phi) * lam]), scale)
    residual = newton(run, "bar", 2.0, 0.3, [(load.force, load.torque, point)])
    assert np.abs(residual[0]).max() < 1e-10 and np.abs(residual[1]).max() < 1e-10
    # the row is x of the point
    assert point[:, 0] == pytest.approx(np.full(len(run.t), point[0, 0]), abs=1e-12)


# -- revolute ----------------------------------------------------------------------------------------------------------


def test_revolute():
    m, i, j = two_bodies("revolute")
    m.revolute("O", m.ground, i, at=(0, 0))
    pin = m.revolute("P", i, j, at=(0.8, 0.5))
    m.start(pin.angle, rate=4.0)
    m.start(m["O"].angle, rate=-2.0)
    run = da.simulate(m, until=0.5, output=0.05)
    source = -np.asarray(run["P"].multipliers)  # rows of the source are P_i - P_j
    scale = np.abs(source).max()
    assert scale > 1
    on_i, on_j = run["P"].on("i"), run["P"].on("j")
    close(on_i.force, -source, scale)
    close(on_j.force, source, scale)
    close(on_i.torque, 0 * source[:, 0], scale)
    close(on_j.torque, 0 * source[:, 0], scale)
    close(run["P"].force, source, scale)  # the second body unless asked otherwise
    point = run["j"].point(*_in_body(m["j"], (0.8, 0.5))).position
    residual = newton(run, "j", 1.5, 0.2, [(on_j.force, on_j.torque, point)])
    assert np.abs(residual[0]).max() < 1e-10 and np.abs(residual[1]).max() < 1e-10


def _in_body(body, space):
    """Coordinates in body axes of a point given in space as drawn."""
    c, s = math.cos(body.drawn_angle), math.sin(body.drawn_angle)
    x, y = space[0] - body.at[0], space[1] - body.at[1]
    return c * x + s * y, -s * x + c * y


# -- translational -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1.0, 0.7])
def test_translational(length):
    """A line of i with v_i of any length; v_j is parallel to it in space.

    For v_i, v_j of length |v| the multipliers of the source are lam_1 = lam / |v| and lam_2 = lam / |v|^2.
    """
    m, i, j = two_bodies("translational")
    m.revolute("O", m.ground, i, at=(0, 0))
    along = (math.cos(0.9), math.sin(0.9))
    m.prismatic("T", i, j, at=(i.point(0.1, -0.05), j.point(-0.2, 0.12)), along=along)
    m.force("push", j, (15.0, 4.0), at=j.point(0.3, 0.1))
    m.start(m["O"].angle, rate=2.5)
    m.start(m["T"].slide, rate=-1.0)
    run = da.simulate(m, until=0.5, output=0.05)
    _, lam_2 = lam = run["T"].multipliers.T
    lam_1, lam_2 = np.asarray(lam[0]) / length, np.asarray(lam_2) / length**2
    c, s = math.cos(0.5), math.sin(0.5)
    v_i = direction(
        np.asarray(run["i"].angle), length * np.array([c * along[0] + s * along[1], -s * along[0] + c * along[1]])
    )
    v_j = v_i  # parallel by the second row
    r_i, r_j = run["i"].point(0.1, -0.05).position, run["j"].point(-0.2, 0.12).position
    d = r_j - r_i
    scale = np.abs(run["T"].multipliers).max()
    assert scale > 1
    force = lam_1[:, None] * turn(v_i)
    torque = lam_1 * dot(d, v_i) + lam_2 * dot(v_j, v_i)
    on_i, on_j = run["T"].on("i"), run["T"].on("j")
    close(on_i.force, force, scale)
    close(on_i.torque, torque, scale)
    close(dot(on_i.force, v_i), 0 * lam_1, scale)  # perpendicular to the line
    # on j: the opposite force; about P_j the couple has no part of d
    close(on_j.force, -force, scale)
    close(on_j.torque, -lam_2 * dot(v_j, v_i), scale)
    # as printed, with centroids and body axes:
    # [(r_j - r_i)^T A_i + s_j'^T A_ij^T - s_i'^T] v_i' lam_1 + v_j'^T A_ij^T v_i' lam_2
    a_i, a_j = np.asarray(run["i"].rotation)[:, :2, :2], np.asarray(run["j"].rotation)[:, :2, :2]
    a_ij = np.einsum("tki,tkj->tij", a_i, a_j)
    v1 = np.einsum("tki,tk->ti", a_i, v_i)
    v2 = np.einsum("tki,tk->ti", a_j, v_j)
    s_i, s_j = np.array([0.1, -0.05]), np.array([-0.2, 0.12])
    centres = np.asarray(run["j"].position) - np.asarray(run["i"].position)
    first = np.einsum("tk,tki->ti", centres, a_i) + np.einsum("tik,k->ti", a_ij, s_j) - s_i
    printed = lam_1 * dot(first, v1) + lam_2 * dot(np.einsum("tik,tk->ti", a_ij, v2), v1)
    close(on_i.torque, printed, scale)
    # Newton's law of j
    push = run["push"].on("j")
    tip = run["j"].point(0.3, 0.1).position
    residual = newton(run, "j", 1.5, 0.2, [(on_j.force, on_j.torque, r_j), (push.force, push.torque, tip)])
    assert np.abs(residual[0]).max() < 1e-10 and np.abs(residual[1]).max() < 1e-10


# -- problem 6.6.4 -----------------------------------------------------------------------------------------------------


def test_distance():
    """lam_source = lam / (2 C): F_i = 2 d lam_source, no torque about the ends, tension 2 C lam_source = lam."""
    m, i, j = two_bodies("distance")
    m.revolute("O", m.ground, i, at=(0, 0))
    link = m.distance("link", i.point(0.2, 0.1), j.point(-0.1, 0.15), length=0.6)
    m.start(m["O"].angle, rate=3.0)
    run = da.simulate(m, until=0.5, output=0.05)
    C = 0.6
    lam = np.asarray(run["link"].multipliers[:, 0])
    source = lam / (2 * C)
    r_i, r_j = run["i"].point(link.a).position, run["j"].point(link.b).position
    d = r_j - r_i
    assert dot(d, d) == pytest.approx(np.full(len(lam), C**2), abs=1e-12)
    scale = np.abs(lam).max()
    assert scale > 1
    on_i, on_j = run["link"].on("i"), run["link"].on("j")
    close(on_i.force, 2 * d * source[:, None], scale)
    close(on_j.force, -2 * d * source[:, None], scale)
    close(on_i.torque, 0 * lam, scale)
    close(on_j.torque, 0 * lam, scale)
    tension = dot(on_i.force, d) / C
    close(tension, 2 * C * source, scale)
    close(tension, lam, scale)
    residual = newton(run, "j", 1.5, 0.2, [(on_j.force, on_j.torque, r_j)])
    assert np.abs(residual[0]).max() < 1e-10 and np.abs(residual[1]).max() < 1e-10


def test_distance_pulls_when_it_hangs():
    """Physical meaning: a mass hanging at rest on a link has the tension m g, a positive multiplier."""
    m = da.Mechanism("hanging", plane=True, gravity=(0, -G))
    ball = m.particle("ball", mass=3.0, at=(0, -1.2))
    m.distance("link", m.ground.point(0, 0), ball.point(0, 0))
    e = da.equations(m)
    assert e.lam == pytest.approx([3.0 * G], rel=1e-14)


@pytest.mark.parametrize("offset", [0.0, 0.25])
def test_revolute_translational(offset):
    m, i, j = two_bodies("coupler")
    m.revolute("O", m.ground, i, at=(0, 0))
    v1 = np.array([math.cos(0.7), math.sin(0.7)])
    m.revolute_translational(
        "slot", i, j, at=(i.point(0.1, 0.05), j.point(-0.2, 0.1)), along=i.axis(*v1), offset=offset
    )
    m.start(m["O"].angle, rate=-3.0)
    m.start(m["slot"].slide, rate=1.5)
    m.start(m["slot"].angle, rate=5.0)
    run = da.simulate(m, until=0.4, output=0.04)
    lam = np.asarray(run["slot"].multipliers[:, 0])
    v_i = direction(np.asarray(run["i"].angle), v1)
    r_i, r_j = run["i"].point(0.1, 0.05).position, run["j"].point(-0.2, 0.1).position
    d = r_j - r_i
    assert dot(turn(v_i), d) == pytest.approx(np.full(len(lam), offset), abs=1e-12)
    scale = np.abs(lam).max()
    assert scale > 1
    on_i, on_j = run["slot"].on("i"), run["slot"].on("j")
    close(on_i.force, lam[:, None] * turn(v_i), scale)
    close(on_i.torque, lam * dot(d, v_i), scale)
    close(on_j.force, -lam[:, None] * turn(v_i), scale)
    close(on_j.torque, 0 * lam, scale)
    residual = newton(run, "j", 1.5, 0.2, [(on_j.force, on_j.torque, r_j)])
    assert np.abs(residual[0]).max() < 1e-10 and np.abs(residual[1]).max() < 1e-10


def test_relative_angle_driver():
    """A driven arm on a driven arm: T_i = lam, T_j = -lam, no force; -lam is the torque of the motor on j."""
    m, i, j = two_bodies("driver")
    m.revolute("O", m.ground, i, at=(0, 0))
    m.revolute("P", i, j, at=(0.8, 0.5))
    motor = m.drive("motor", m["P"].angle, "-0.8 + 1.5*t + 2*t^2")
    run = da.simulate(m, until=0.5, output=0.05)
    lam = np.asarray(run["motor"].multipliers[:, 0])
    scale = np.abs(lam).max()
    assert scale > 1
    on_i, on_j = run["motor"].on("i"), run["motor"].on("j")
    close(on_i.torque, lam, scale)
    close(on_j.torque, -lam, scale)
    for load in (on_i, on_j):
        close(load.force, np.zeros((len(lam), 2)), scale)
    angle = np.asarray(run["j"].angle) - np.asarray(run["i"].angle)
    assert angle == pytest.approx(-0.8 + 1.5 * run.t + 2 * run.t**2, abs=1e-12)
    close(run["motor"].effort, -lam, scale)
    rate = 1.5 + 4 * run.t
    close(run["motor"].power, -lam * rate, scale * rate)
    pin = run["P"].on("j")
    point = run["j"].point(*_in_body(m["j"], (0.8, 0.5))).position
    residual = newton(run, "j", 1.5, 0.2, [(pin.force, pin.torque, point), (on_j.force, on_j.torque, point)])
    assert np.abs(residual[0]).max() < 1e-10 and np.abs(residual[1]).max() < 1e-10
    assert motor.bodies == (i, j)


# -- problem 6.2.1: force element along a direction of body i ----------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_generalized_force_of_an_element_along_a_body_direction(seed):
    """c = w_i.d with w_i fixed on i, dW = +f dc, f = g(c):

    Q_i = f [-w_i; (R w_i)^T (r_j^P - r_i)],  Q_j = f [w_i; w_i^T B_j s_j'].
    An actuator drives its measure upwards, so its force is f itself.
    """
    rng = np.random.default_rng(100 + seed)
    m, i, j = two_bodies("element")
    w1 = np.array([math.cos(1.1), math.sin(1.1)])
    s_i, s_j = rng.normal(size=2) * 0.3, rng.normal(size=2) * 0.3
    m.gravity = (0.0, 0.0, 0.0)
    c = m.measure("c", point=j.point(*s_j), along=i.axis(*w1), relative_to=i.point(*s_i))
    m.actuator("push", c, force="3 + 2*s - s^2")
    q = rng.normal(size=6)
    e = da.equations(m, da.State(0.0, q, rng.normal(size=6)))
    r_i, phi_i, r_j, phi_j = q[:2], q[2], q[3:5], q[5]
    a = lambda x: np.array([[math.cos(x), -math.sin(x)], [math.sin(x), math.cos(x)]])  # noqa: E731
    R = np.array([[0.0, -1.0], [1.0, 0.0]])
    w = a(phi_i) @ w1
    p_i, p_j = r_i + a(phi_i) @ s_i, r_j + a(phi_j) @ s_j
    value = w @ (p_j - p_i)
    f = 3 + 2 * value - value**2
    expected = f * np.concatenate([-w, [(R @ w) @ (p_j - r_i)], w, [w @ (a(phi_j) @ R @ s_j)]])
    assert e.Q == pytest.approx(expected, abs=1e-12)

    # the same by virtual work, complex step of c
    def c_of(q):
        A_i = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
        A_j = np.array([[np.cos(q[5]), -np.sin(q[5])], [np.sin(q[5]), np.cos(q[5])]])
        return (A_i @ w1) @ (q[3:5] + A_j @ s_j - q[:2] - A_i @ s_i)

    gradient = np.array([c_of(q + 1e-30j * u).imag / 1e-30 for u in np.eye(6)])
    assert f * gradient == pytest.approx(expected, abs=1e-13)


# -- problem 6.5.1: spring of free length zero -------------------------------------------------------------------------


def block(y, guided=True, **options):
    m = da.Mechanism("block on a spring", plane=True, gravity=(0, -G))
    body = m.body("block", mass=2.0, inertia=0.1, at=(0, y), **options)
    if guided:
        m.prismatic("guide", m.ground, body, at=(0, y), along=(0, 1))
    m.spring("spring", m.ground.point(0, 0), body.point(0, 0), stiffness=80.0, free_length=0.0)
    return m


def test_equilibrium_of_the_hanging_block():
    """y = -m g / k: no acceleration there, and the total potential energy k y^2/2 + m g y has its minimum there."""
    deflection = 2.0 * G / 80.0
    e = da.equations(block(-deflection))
    assert e.a == pytest.approx([0, 0, 0], abs=1e-13)
    assert e.Q == pytest.approx([0, 80.0 * deflection - 2.0 * G, 0], abs=1e-12)
    for method in ("energy", "force"):
        (rest,) = da.equilibrium(block(0.3), method=method)
        assert rest["block.y"] == pytest.approx(-deflection, rel=1e-9) and rest.verdict == "stable"

    def energy(y):
        run = da.simulate(block(y), until=1e-3, output=[0.0])
        return run.energy.total[0]

    for y in (-0.5, -0.1, 0.2):
        assert energy(y) == pytest.approx(80 * y**2 / 2 + 2 * G * y, rel=1e-12)
    lowest = energy(-deflection)
    assert lowest == pytest.approx(-((2 * G) ** 2) / (2 * 80), rel=1e-12)
    assert energy(-deflection - 0.01) > lowest < energy(-deflection + 0.01)


@pytest.mark.parametrize("d", [(0.0, 0.0), (1e-200, 0.0), (1e-40, -2e-40), (1e-9, 0.0), (0.3, -0.4)])
def test_force_is_finite_at_zero_length(d):
    """The pull is k d whatever the length: zero at l = 0, without division by zero."""
    m = block(-1.0, guided=False)
    e = da.equations(m, da.State(0.0, np.array([*d, 0.3]), np.zeros(3)))
    assert np.all(np.isfinite(e.Q)) and np.all(np.isfinite(e.a))
    assert e.Q == pytest.approx([-80.0 * d[0], -80.0 * d[1] - 2.0 * G, 0], abs=1e-12)


def test_damping_at_zero_length():
    """6.2.15: at l = 0 the line of the element is that of its motion, Q_j = -(f/l') d'; with f = c l' that is -c d'."""
    m = da.Mechanism("damper", plane=True)
    body = m.body("body", mass=2.0, inertia=0.1, at=(1, 0))
    m.spring("damper", m.ground.point(0, 0), body.point(0, 0), damping=3.0)
    for length in (1e-9, 0.0):
        e = da.equations(m, da.State(0.0, np.array([0.8 * length, 0.6 * length, 0.0]), np.array([1.6, 1.2, 0.0])))
        assert e.Q == pytest.approx([-3.0 * 1.6, -3.0 * 1.2, 0], abs=1e-12)


def test_motion_through_zero_length():
    """Released at the hook (l = 0) the block oscillates, y = -(m g/k)(1 - cos w t), back at l = 0 after a period.

    Thrown, it passes near l = 0 with a speed: both are the linear oscillator (rtol 1e-11, error below 1e-9 m).
    """
    w, deflection = math.sqrt(80.0 / 2.0), 2.0 * G / 80.0
    run = da.simulate(block(0.0), until=4.0, rtol=1e-11, atol=1e-13)
    assert run["block"].position[:, 1] == pytest.approx(-deflection * (1 - np.cos(w * run.t)), abs=1e-9)
    assert run["block"].acceleration[:, 1] == pytest.approx(-G * np.cos(w * run.t), abs=1e-7)
    thrown = da.simulate(block(-deflection, guided=False, velocity=(0.2, 3.0)), until=4.0, rtol=1e-11, atol=1e-13)
    expected = np.column_stack([0.2 * np.sin(w * thrown.t) / w, -deflection + 3 * np.sin(w * thrown.t) / w])
    assert thrown["block"].position == pytest.approx(expected, abs=1e-9)
    assert thrown["spring"].length.min() < 0.05 < thrown["spring"].length.max()
