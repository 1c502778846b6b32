"""Errata of SPATIAL, BASICS and PRINCIPLES: test_e_s1_… proves row E-S1 of docs/errata.md, and so on.

Each test derives the formula by its own route, shows that what should be printed agrees with it and what is printed
does not, by simplification and at random points (`same`, `differ`).
"""

import numpy as np
import pytest
from errata_tools import differ, functions, lagrange, same, skew, t
from sympy import (
    Matrix,
    Rational,
    ShapeError,
    asin,
    cos,
    diag,
    eye,
    fourier_series,
    pi,
    series,
    sin,
    solve,
    symbols,
    tan,
    zeros,
)

import dalembert as da

m, g, l, r, lam = symbols("m g l r lam", positive=True)


def turned(angles):
    """A rotation matrix, z-y-z."""
    one, two, three = angles

    def z(angle):
        return Matrix([[cos(angle), -sin(angle), 0], [sin(angle), cos(angle), 0], [0, 0, 1]])

    return z(one) * Matrix([[cos(two), 0, sin(two)], [0, 1, 0], [-sin(two), 0, cos(two)]]) * z(three)


# -- SPATIAL -----------------------------------------------------------------------------------------------------------


def test_e_s1_transposed_rotation_in_the_work_of_inertia():
    """δr_P = δr - A s̃ δπ; the term of δπ with r'' is δπ^T s̃ A^T r''."""
    a = turned(symbols("e1:4"))
    s, acceleration, virtual = (Matrix(symbols(f"{name}1:4")) for name in ("s", "w", "d"))
    small = symbols("epsilon")
    moved = (a * (eye(3) + small * skew(virtual)) * s).diff(small)  # δ(A s) for the rotation δπ in body axes
    assert same(moved, -a * skew(s) * virtual)
    work = moved.dot(acceleration)
    assert same(work, virtual.dot(skew(s) * a.T * acceleration))
    assert differ(work, virtual.dot(skew(s) * a * acceleration))
    # ∫ s dm = 0 removes either form: two equal masses at s and -s
    assert same(skew(s) * a * acceleration + skew(-s) * a * acceleration, zeros(3, 1))


def test_e_s2_sign_of_the_virtual_work():
    """One particle: δW = δr (F - m r''), as in (1); the compact form has the opposite sign."""
    force, acceleration, virtual = symbols("F w dr")
    work = virtual * force + virtual * (-m * acceleration)  # applied force and inertia force, both at dr
    assert same(work, -virtual * (m * acceleration - force)) and differ(work, virtual * (m * acceleration - force))


def test_what_spatial_has_right():
    """The identity under the gyroscopic term: s̃ w̃ w̃ s = -w̃ s̃ s̃ w for every particle."""
    s, w = Matrix(symbols("s1:4")), Matrix(symbols("w1:4"))
    assert same(skew(s) * skew(w) * skew(w) * s, -skew(w) * skew(s) * skew(s) * w)


# -- BASICS ------------------------------------------------------------------------------------------------------------


def test_e_b1_angular_acceleration_in_8_5_b():
    """n' = J' w'' + w' x J' w' for w' = (0, 0, phi'); and the bending moment of a hinge by the package."""
    phi = functions("phi")[0]
    xz, yz, zz = symbols("j_xz j_yz j_zz")
    tensor = Matrix([[1, 0, xz], [0, 2, yz], [xz, yz, zz]])
    spin = Matrix([0, 0, phi.diff(t)])
    moment = tensor * spin.diff(t) + skew(spin) * tensor * spin
    square = phi.diff(t) ** 2
    assert same(
        moment, Matrix([xz * phi.diff(t, 2) - yz * square, yz * phi.diff(t, 2) + xz * square, zz * phi.diff(t, 2)])
    )
    assert differ(moment[1], yz * phi.diff(t) + xz * square)

    inertia = np.array([[0.09, 0.004, -0.013], [0.004, 0.07, 0.021], [-0.013, 0.021, 0.05]])
    mechanism = da.Mechanism("crank", plane=False, gravity=(0, 0, 0))
    body = mechanism.body("crank", mass=2.5, inertia=inertia)
    mechanism.revolute("hinge", mechanism.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    mechanism.drive("motor", mechanism["hinge"].angle, "1.5*t + 4*t**2")
    run = da.simulate(mechanism, until=0.5)
    found = np.asarray(run["hinge"].on("crank").frame("body").torque)[:, 1]
    rate = 1.5 + 8 * np.asarray(run.t)
    assert found == pytest.approx(0.021 * 8 - 0.013 * rate**2, abs=1e-10)
    assert np.abs(found - (0.021 * rate - 0.013 * rate**2)).max() > 1e-2


def test_e_b2_principal_axes_are_not_unique():
    """Two equal moments: any turn about the third axis.  Three different ones: still half and quarter turns."""
    a, b, angle = symbols("a b alpha", positive=True)
    about = Matrix([[cos(angle), -sin(angle), 0], [sin(angle), cos(angle), 0], [0, 0, 1]])
    disk = diag(a, a, b)
    assert same(about.T * disk * about, disk) and differ(about, eye(3))
    quarter = about.subs(angle, pi / 2)
    for products in (
        quarter.T * diag(1, 2, 3) * quarter,
        about.subs(angle, pi).T * diag(1, 2, 3) * about.subs(angle, pi),
    ):
        assert products.is_diagonal()
    assert differ((about.T * diag(1, 2, 3) * about)[0, 1], 0)  # a general turn does not keep them


def test_e_b3_moment_of_a_force_is_bound():
    """Along its own line a moment of a force about a point changes; the force may slide, a couple may go anywhere."""
    s, force, far = (Matrix(symbols(f"{name}1:4")) for name in ("s", "f", "d"))
    c = symbols("c", positive=True)
    moment = s.cross(force)  # about O; s from O to the force
    along = (s - c * moment).cross(force)  # about O + c n, a point of the line of n
    assert differ(along, moment)
    assert same((s + c * force).cross(force), moment)
    assert same((s - far).cross(force) + (-far).cross(-force), moment)  # couple f at s, -f at O, about any point


def test_e_b4_independent_constraints_and_a_singular_block():
    """x^2 + y^2 = l^2 at (0, l): Phi_q has full rank, Phi_u with u = x is zero; u = y would do."""
    x, y = symbols("x y")
    jacobian = Matrix([x**2 + y**2 - l**2]).jacobian([x, y])
    here = jacobian.subs({x: 0, y: l})
    assert here.rank() == 1
    assert same(here[0], 0) and differ(here[1], 0)
    assert differ(jacobian[0], 0)  # elsewhere u = x is fine


def test_e_b5_columns_of_velocities():
    """[h1^T, h2^T] is a row and has no product with M; its transpose is the column of 8.40."""
    one, two = Matrix(symbols("h1:4")), Matrix(symbols("k1:4"))
    row, mass = one.T.row_join(two.T), diag(m, m, m, 2 * m, 2 * m, 2 * m)
    with pytest.raises(ShapeError):
        mass * row
    assert same(mass * row.T, (m * one).col_join(2 * m * two))


def test_e_b6_numbers_of_the_laws():
    """A law with the same first law as 8.1 and another motion; two particles with 8.1 but without action = reaction."""
    force, acceleration = symbols("f w", real=True)
    law, rival = force - m * acceleration, force - m * acceleration**3
    for statement in (law, rival):
        assert solve(statement.subs(force, 0), acceleration) == [0]  # no force, no acceleration: the first law
    assert same(solve(law, acceleration)[0], force / m) and differ(rival.subs(acceleration, force / m), 0)
    m1, m2, f12, f21 = symbols("m1 m2 f12 f21")
    center = (m1 * (f12 / m1) + m2 * (f21 / m2)) / (m1 + m2)  # acceleration of the mass centre by 8.1 of each
    assert same(center.subs(f21, -f12), 0) and differ(center, 0)


# -- PRINCIPLES --------------------------------------------------------------------------------------------------------


def test_e_k1_potential_in_lagranges_equation():
    angle = functions("theta")[0]
    rate = angle.diff(t)
    kinetic, potential = m * l**2 * rate**2 / 2, -m * g * l * cos(angle)
    newton = m * l**2 * angle.diff(t, 2) + m * g * l * sin(angle)  # moment of the weight about the pivot
    start = kinetic.diff(rate).diff(t) - kinetic.diff(angle)
    assert same(start + potential.diff(angle), newton)
    assert differ(start + kinetic.diff(angle), newton)


def test_e_k2_virtual_displacement_of_the_centre():
    theta, virtual, hold = symbols("theta dtheta P", positive=True)
    center, foot = l * Matrix([sin(theta), cos(theta)]) / 2, l * Matrix([sin(theta), 0])
    moved = center.diff(theta) * virtual
    assert same(moved[0], l * cos(theta) * virtual / 2) and differ(moved[0], cos(theta) * virtual / 2)
    work = Matrix([0, -m * g]).dot(moved) + Matrix([-hold, 0]).dot(foot.diff(theta) * virtual)
    assert same(work.subs(hold, m * g * tan(theta) / 2), 0)  # the result does not use it


def bar_on_a_string():
    one, two = functions("theta1 theta2")
    l1, l2 = symbols("L1 L2", positive=True)
    center = Matrix([l1 * sin(one) + l2 / 2 * sin(two), -l1 * cos(one) - l2 / 2 * cos(two)])
    velocity = center.diff(t)
    kinetic = m * velocity.dot(velocity) / 2 + m * l2**2 / 24 * two.diff(t) ** 2
    return one, two, l1, l2, kinetic, m * g * center[1]


def test_e_k3_variation_of_the_kinetic_energy():
    """Coefficient of δθ2' in δT is ∂T/∂θ2'."""
    one, two, l1, l2, kinetic, _ = bar_on_a_string()

    def text(angle):
        return m * l2 * (l1 / 2 * one.diff(t) * cos(angle) + l2 / 3 * two.diff(t))

    found = kinetic.diff(two.diff(t))
    assert same(found, text(two - one)) and differ(found, text(one - one))


def piston():
    """Crank angle, rod angle, the rod's kinetic energy from its motion, and the two point masses with J_AB."""
    theta, phi, s = functions("theta phi s")
    a, b, m2, j2 = symbols("a b m_2 J_2", positive=True)
    crank_pin = r * Matrix([cos(theta), sin(theta)])
    center = crank_pin + a * Matrix([cos(phi), -sin(phi)])
    wrist_pin = crank_pin + (a + b) * Matrix([cos(phi), -sin(phi)])

    def square(point):
        return point.diff(t).dot(point.diff(t))

    exact = m2 * square(center) / 2 + j2 * phi.diff(t) ** 2 / 2
    masses = m2 * b / (a + b) * square(crank_pin) / 2 + m2 * a / (a + b) * square(wrist_pin) / 2
    return exact, masses, (j2 - m2 * a * b) * phi.diff(t) ** 2


def test_e_k4_half_before_the_rod_inertia():
    exact, masses, square = piston()
    assert same(exact, masses + square / 2) and differ(exact, masses + square)


def test_e_k5_first_order_of_the_engine_inertia():
    """I(theta) to first order in lam = r/l: the printed form leaves out (m3 + mB) r^2 (lam/2)(cos th - cos 3 th)."""
    theta = symbols("theta", positive=True)
    moving, rod = symbols("m_BP J_AB", positive=True)  # m3 + mB; crank and mA are constant
    phi = asin(lam * sin(theta))
    position = r * cos(theta) + r / lam * cos(phi)
    slide, swing = position.diff(theta), phi.diff(theta)
    assert same(slide, -r * (sin(theta) + cos(theta) * tan(phi)))
    inertia = moving * slide**2 + rod * swing**2
    first = series(inertia, lam, 0, 2).removeO().expand()
    printed = moving * r**2 * sin(theta) ** 2 + rod * lam**2 * cos(theta) ** 2
    omitted = moving * r**2 * lam / 2 * (cos(theta) - cos(3 * theta))
    assert same(first, moving * r**2 * sin(theta) ** 2 + omitted) and differ(first, printed)
    # what is kept of the rod is of second order, and not all of it
    second = series(inertia, lam, 0, 3).removeO().coeff(lam, 2)
    assert differ(second, rod * cos(theta) ** 2)
    # the omitted term has no part in 2 theta: A - B cos 2 theta cannot hold it
    harmonics = fourier_series(cos(theta) - cos(3 * theta), (theta, -pi, pi)).truncate(6)
    assert same(harmonics, cos(theta) - cos(3 * theta))
    # numbers: the error of the printed form is of first order, that of the corrected one of second
    values = {moving: 1.0, rod: 0.0, r: 1.0, theta: 0.7}
    errors = []
    for ratio in (0.02, 0.01):
        true = float(inertia.subs(values).subs(lam, ratio))
        errors.append([abs(true - float(e.subs(values).subs(lam, ratio))) for e in (printed, printed + omitted)])
    orders = np.log2(np.divide(*errors))
    assert orders == pytest.approx([1, 2], abs=0.05)  # measured at ratios 0.02 and 0.01; the next order adds 2 percent


def test_e_k6_virtual_displacements_take_no_time():
    """A particle held at x = s(t): real dx = s' dt, virtual δx = 0; only then the reaction does no virtual work."""
    x, s = functions("x s")
    step = symbols("dt", positive=True)
    row, free = Matrix([x - s]).jacobian([x])[0], (x - s).diff(t).subs(x.diff(t), 0)
    assert same(row, 1) and same(free, -s.diff(t))
    reaction = m * s.diff(t, 2)  # lam of m x'' = lam
    printed, right = -free * step / row, 0  # solutions δx of a δx + a0 dt = 0 and of a δx = 0
    assert same(reaction * right, 0) and differ(reaction * printed, 0)
    assert same(printed, s.diff(t) * step)  # the real displacement


def test_e_k7_sum_in_the_rate_of_kinetic_energy():
    m1, m2 = symbols("m1 m2", positive=True)
    paths = [Matrix(functions("x1 y1")), Matrix(functions("x2 y2"))]
    energy = sum(mass * p.diff(t).dot(p.diff(t)) / 2 for mass, p in zip((m1, m2), paths))
    powers = [mass * p.diff(t, 2).dot(p.diff(t)) for mass, p in zip((m1, m2), paths)]
    assert same(energy.diff(t), sum(powers)) and differ(energy.diff(t), powers[0])


def closure(fields, names):
    """Rank of the fields with all their brackets: how many coordinates change."""
    fields = [Matrix(f) for f in fields]
    while True:
        brackets = [g.jacobian(names) * f - f.jacobian(names) * g for f in fields for g in fields]
        rank = Matrix.hstack(*fields).rank()
        if Matrix.hstack(*fields, *brackets).rank() == rank:
            return rank
        fields += brackets


def test_e_k8_free_velocities_and_degrees_of_freedom():
    """The text's rolling disk and its bar of two masses: n - m free velocities each, and what they can reach."""
    x, y, theta, phi = disk = symbols("x y theta phi", real=True)
    rows = Matrix([[1, 0, 0, -r * cos(theta)], [0, 1, 0, -r * sin(theta)]])  # x' = r cos(theta) phi', y' alike
    free = rows.nullspace()
    assert len(free) == 4 - 2 and closure(free, disk) == 4
    bar = symbols("x1 y1 x2 y2", real=True)
    row = Matrix([(bar[0] - bar[2]) ** 2 + (bar[1] - bar[3]) ** 2 - l**2]).jacobian(bar)
    free = row.nullspace()
    assert len(free) == 4 - 1 == closure(free, bar)

    system = da.Lagrangian(
        "x y theta phi", kinetic="(rate(x)**2 + rate(y)**2 + rate(theta)**2 + rate(phi)**2)/2",
        nonholonomic=["rate(x) - 0.5*cos(theta)*rate(phi)", "rate(y) - 0.5*sin(theta)*rate(phi)"],
    )  # fmt: skip
    assert not da.classify(system).integrals


def test_moving_point_in_numbers():
    """dM_A/dt = m v_G x v_A + m_A for A that moves as it likes: loads from free-body sheets, M_A from the motion of two bodies."""
    m = da.Mechanism("arms", plane=False, gravity=(0, 0, -9.81))
    arm = m.body("arm", da.box(0.1, 0.2, 0.9, mass=2.0), at=(0, 0, -0.45))
    fork = m.body("fork", mass=1.3, inertia=(0.03, 0.05, 0.04), at=(0.2, 0.1, -1.2))
    m.spherical("ball", m.ground, arm, at=(0, 0, 0))
    m.spherical("elbow", arm, fork, at=(0, 0, -0.9))
    run = da.simulate(m, until=0.6, rtol=1e-12, atol=1e-13)

    def place(t):
        return np.array([np.sin(3 * t), 0.4 - t**2, np.cos(2 * t)])

    def moment(t):
        """M_A of both bodies: (r - r_A) x m v + J w."""
        there, total = run.resample([t]), np.zeros(3)
        e = da.equations(m, run.at(t))
        for body, mass in (("arm", 2.0), ("fork", 1.3)):
            r, v, w = (np.asarray(getattr(there[body], x))[0] for x in ("position", "velocity", "spin"))
            total += np.cross(r - place(t), mass * v) + e.inertia(body) @ w
        return total

    t, h = 0.4, 2e-3
    # fourth order: errors of h^4 times fifth derivatives, here 1e-9
    rate = (moment(t - 2 * h) - 8 * moment(t - h) + 8 * moment(t + h) - moment(t + 2 * h)) / (12 * h)
    outer = np.zeros(3)
    for body in ("arm", "fork"):
        sheet = da.free_body(m, body, run.at(t), about=tuple(place(t)))
        outer += sum(sheet[name].moment for name in sheet.names)
    velocity = np.array([3 * np.cos(3 * t), -2 * t, -2 * np.sin(2 * t)])
    there = run.resample([t])
    momentum = sum(mass * np.asarray(there[body].velocity)[0] for body, mass in (("arm", 2.0), ("fork", 1.3)))
    assert np.linalg.norm(np.cross(momentum, velocity)) > 0.1, "the term of the moving point is there"
    assert rate == pytest.approx(np.cross(momentum, velocity) + outer, abs=1e-7)


def test_what_principles_has_right():
    """The equations (l) of the bar on a string, dM_A/dt about a moving point, and the stiffness of the shaft."""
    one, two, l1, l2, kinetic, potential = bar_on_a_string()
    force = symbols("F")
    found = lagrange(kinetic - potential, [one, two]) - force * Matrix([l1 * cos(one), l2 * cos(two)])
    gap = two - one
    printed = Matrix(
        [
            m * l1**2 * one.diff(t, 2)
            + m * l1 * l2 / 2 * (two.diff(t, 2) * cos(gap) - two.diff(t) ** 2 * sin(gap))
            + m * g * l1 * sin(one)
            - force * l1 * cos(one),
            m * l1 * l2 / 2 * (one.diff(t, 2) * cos(gap) + one.diff(t) ** 2 * sin(gap))
            + m * l2**2 / 3 * two.diff(t, 2)
            + m * g * l2 / 2 * sin(two)
            - force * l2 * cos(two),
        ]
    )
    assert same(found, printed)
    particle, point = Matrix(functions("x y z")), Matrix(functions("u v w"))
    momentum = (particle - point).cross(m * particle.diff(t))
    outer = (particle - point).cross(m * particle.diff(t, 2))
    assert same(momentum.diff(t), m * particle.diff(t).cross(point.diff(t)) + outer)
    young, poisson, radius = symbols("E nu R", positive=True)
    polar = Rational(1, 32) * pi * (2 * radius) ** 4
    assert same(young / (2 * (1 + poisson)) * polar / l, young * pi * radius**4 / (4 * (1 + poisson) * l))
