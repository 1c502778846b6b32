"""Errata of LAGRANGE, sections 1.5 to 2.5: test_e_l1_… proves row E-L1 of docs/errata.md, and so on.

Each test derives the formula by its own route, shows that what should be printed agrees with it and what is printed
does not, by simplification and at random points (`same`, `differ`).
"""

import pytest
from errata_tools import differ, functions, lagrange, same, skew, t
from sympy import Matrix, Rational, cos, diag, eye, pi, sin, symbols, zeros

import dalembert as da

m, g, k, a, b, r = symbols("m g k a b r", positive=True)


def about(axis, angle):
    """Rotation about a coordinate axis."""
    c, s = cos(angle), sin(angle)
    return {
        "y": Matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def euler():
    """Euler angles z-y-z of 1.5: (phi, theta, psi), Q, and omega in space axes from Omega = Q' Q^T."""
    phi, theta, psi = q = functions("phi theta psi")
    turn = about("z", phi) * about("y", theta) * about("z", psi)
    spin = turn.diff(t) * turn.T
    omega = Matrix([spin[2, 1], spin[0, 2], spin[1, 0]]).applyfunc(lambda e: e.trigsimp())
    return q, turn, omega


def by(vector, names):
    """The matrix of derivatives ∂vector/∂names."""
    return Matrix([[entry.diff(name) for name in names] for entry in vector])


def test_e_l1_tip_of_the_manipulator():
    lengths, angles = symbols("l1:4", positive=True), symbols("theta1:4")
    points, at, angle = [], zeros(2, 1), 0
    for length, turn in zip(lengths, angles):
        angle += turn
        at = at + length * Matrix([cos(angle), sin(angle)])
        points.append(at)
    B, C, D = points
    last = lengths[2] * Matrix([cos(sum(angles)), sin(sum(angles))])
    assert same(D, C + last) and differ(D, B + C + last)


def test_e_l2_acceleration_and_velocity_derivatives():
    q, _, omega = euler()
    velocities, accelerations = [c.diff(t) for c in q], [c.diff(t, 2) for c in q]
    rate = omega.diff(t)
    assert same(by(rate, accelerations), by(omega, velocities))
    assert differ(by(rate, velocities), by(omega, velocities))
    # nor is it ∂ω/∂q, another reading of the faint print
    assert differ(by(rate, velocities), by(omega, q))


def test_e_l3_sign_of_the_generalized_momentum():
    """A rod on a pivot, struck by P at distance d: impulse = change of +∂T/∂q'.  And the package's blow."""
    length, blow, d = symbols("L P d", positive=True)
    angle = functions("q")[0]
    speed = angle.diff(t)
    center = length / 2 * Matrix([cos(angle), sin(angle)])
    velocity, spin, inertia = center.diff(t), speed, m * length**2 / 12
    energy = m * velocity.dot(velocity) / 2 + inertia * spin**2 / 2
    printed = -(velocity.diff(speed).dot(m * velocity) + spin.diff(speed) * inertia * spin)
    assert same(printed, -energy.diff(speed)) and differ(printed, energy.diff(speed))
    point = d * Matrix([cos(angle), sin(angle)])
    impulse = point.diff(t).diff(speed).dot(blow * Matrix([-sin(angle), cos(angle)]))  # 1.5.13
    after = 3 * blow * d / (m * length**2)  # moment of momentum about the pivot: m L^2/3 w = P d
    assert same(impulse, energy.diff(speed).subs(speed, after)) and differ(impulse, printed.subs(speed, after))

    mechanism = da.Mechanism("struck rod", plane=True)
    rod = mechanism.body("rod", da.rod(length=1.2, mass=3.0), at=(0.6, 0))
    mechanism.revolute("O", mechanism.ground, rod, at=(0, 0))
    hit = da.strike(mechanism, {"rod": ((0, 2.0), rod.point(0.3, 0))})
    assert hit.after.v[2] == pytest.approx(3 * 2.0 * 0.9 / (3.0 * 1.2**2), rel=1e-12)


def test_e_l4_number_of_remaining_coordinates():
    """The manipulator: n = 7 variables, h = 4 relations between them (m = 4 rows), n - h = 3 are left, not m - h."""
    x_b, y_b, x_c, y_c, *angles = names = symbols("x_B y_B x_C y_C theta1:4")
    l1, l2 = symbols("l1 l2", positive=True)
    one, two = angles[0], angles[0] + angles[1]
    relations = Matrix([x_b - l1 * cos(one), y_b - l1 * sin(one)])
    relations = relations.col_join(Matrix([x_c - x_b - l2 * cos(two), y_c - y_b - l2 * sin(two)]))
    n, h = len(names), relations.jacobian(names).rank()
    rows = relations.rows
    assert (n, h, rows) == (7, 4, 4)
    assert n - h == len(angles) and rows - h != len(angles)


def test_e_l5_symmetry_is_not_necessary():
    """y dx - x dy has an integrating factor; dz - y dx has none, but integrates together with dy."""
    x, y, z = q = symbols("x y z", positive=True)
    row = Matrix([y, -x, 0])
    assert row.jacobian(q) != row.jacobian(q).T
    assert same(Matrix([x / y]).jacobian(q).T, row / y**2)
    first, second = Matrix([-y, 0, 1]), Matrix([0, 1, 0])
    curl = Matrix(
        [first[2].diff(y) - first[1].diff(z), first[0].diff(z) - first[2].diff(x), first[1].diff(x) - first[0].diff(y)]
    )
    assert differ(first.dot(curl), 0)  # a . rot a = 0 would be needed for a factor
    assert first.jacobian(q) != first.jacobian(q).T
    assert same(Matrix([z - x * y]).jacobian(q).T, first - x * second) and same(Matrix([y]).jacobian(q).T, second)


def test_e_l6_integral_of_a_constant_row():
    q, coefficients, right_side = Matrix(symbols("q1:4")), Matrix(symbols("a1:4")), symbols("b")
    right, printed = coefficients.dot(q) - right_side * t, coefficients.dot(q) + right_side
    for f in (right, printed):
        assert same(Matrix([f]).jacobian(q).T, coefficients)
    assert same(-right.diff(t), right_side) and differ(-printed.diff(t), right_side)  # 2.2.8


def test_e_l7_second_row_of_the_gear_train():
    """Velocities of the contact points by w x r; n1 along OB, n2 along AA', n3 = n1 x n2."""
    rates = symbols("w1:5")
    n1, n2, n3 = (eye(3)[:, i] for i in range(3))
    planet = rates[2] * n1 + rates[3] * n2
    upper, lower = a * n1 + b * n2, a * n1 - b * n2
    slips = [
        (planet.cross(upper) - (rates[0] * n2).cross(upper)).dot(n3),
        (planet.cross(lower) - (rates[1] * n2).cross(lower)).dot(n3),
    ]
    rows = -Matrix(slips).jacobian(rates)
    assert same(rows, Matrix([[-a, 0, -b, a], [0, -a, b, a]]))
    assert differ(rows[1, :], Matrix([[0, a, b, a]]))


# -- the rolling disk of 2.2.2 -----------------------------------------------------------------------------------------


def rolling(tilt, course, spin):
    """v - w x c for a disk rolling on z = 0: tangent n1 along the course, n2 from the contact up the disk, axle n3."""
    n1 = Matrix([cos(course), sin(course), 0])
    n2 = Matrix([-sin(tilt) * sin(course), sin(tilt) * cos(course), cos(tilt)])
    n3 = n1.cross(n2)
    omega = course.diff(t) * Matrix([0, 0, 1]) - tilt.diff(t) * n1 + spin.diff(t) * n3
    assert same(omega.cross(n2), n2.diff(t) + (spin.diff(t) * n3).cross(n2))  # n1, n2, n3 turn without the spin
    x, y, z = functions("x y z")
    return Matrix([x, y, z]).diff(t) - omega.cross(r * n2)


def disk():
    theta, phi, psi, x, y, z = q = functions("theta phi psi x y z")
    v = [c.diff(t) for c in q]
    printed = Matrix(
        [
            r * cos(theta) * sin(phi) * v[0] + r * sin(theta) * cos(phi) * v[1] + r * cos(phi) * v[2] + v[3],
            -r * cos(theta) * cos(phi) * v[0] + r * sin(theta) * sin(phi) * v[1] + r * sin(phi) * v[2] + v[4],
            r * sin(theta) * v[0] + v[5],
        ]
    )
    return q, v, printed


def test_e_l8_tilt_and_course_of_the_disk():
    """The printed rows are those of tilt theta and course phi; the prose names them the other way round."""
    (theta, phi, psi, *_), _, rows = disk()
    assert same(rolling(theta, phi, psi), rows)
    assert differ(rolling(phi, theta, psi), rows)


def test_e_l9_radius_multiplies_the_angles_only():
    (theta, phi, *_), v, rows = disk()
    angles = [
        Matrix([cos(theta) * sin(phi), sin(theta) * cos(phi), cos(phi)]),
        Matrix([-cos(theta) * cos(phi), sin(theta) * sin(phi), sin(phi)]),
        Matrix([sin(theta), 0, 0]),
    ]
    for i, row in enumerate(angles):
        unit = eye(3)[:, i]
        right, printed = (r * row).col_join(unit), r * row.col_join(unit)
        assert same(right.dot(Matrix(v)), rows[i]) and differ(printed.dot(Matrix(v)), rows[i])


def test_e_l10_gradient_of_the_first_row():
    (theta, phi, *_), v, rows = disk()
    first = by(rows, v)[0, :].T / r
    gradient = by(first, [theta, phi])
    assert same(gradient[1, 1], -sin(theta) * sin(phi)) and differ(gradient[1, 1], -sin(theta) * cos(phi))
    assert same(gradient[:, 0], Matrix([-sin(theta) * sin(phi), cos(theta) * cos(phi), 0, 0, 0, 0]))
    # no gradient of the first two rows is symmetric, that of the third is: z = r cos(theta)
    assert differ(gradient[2, 1], 0)  # (3, 2) entry; (2, 3) is zero, nothing depends on psi
    integral = functions("z")[0] - r * cos(theta)
    assert same(integral.diff(t), rows[2])


# -- rotation ----------------------------------------------------------------------------------------------------------


def test_e_l11_middle_members_of_2_3_14():
    """d/dt ∂w/∂q' - ∂w/∂q = w x ∂w/∂q', and I turns with the body; the two omissions cancel, 2.3.15 holds."""
    q, turn, omega = euler()
    v = [c.diff(t) for c in q]
    partial = by(omega, v)
    assert same(partial.diff(t) - by(omega, q), skew(omega) * partial)
    assert differ(partial.diff(t), by(omega, q))

    # numbers for the principal moments: the identities are linear in each of them
    tensor = turn * diag(2, 3, 4) * turn.T
    momentum = tensor * omega
    energy = omega.dot(momentum) / 2
    gradient = by([energy], q).T
    assert same(partial.diff(t).T * momentum, gradient)  # first member = last member
    turning = Matrix([omega.dot(tensor.diff(c) * omega) / 2 for c in q])  # by the change of I in space axes
    assert same((skew(omega) * partial).T * momentum, turning)
    for middle in (by(omega.diff(t), q), by(omega.diff(t), v), by(omega, v), by(omega, q)):
        assert differ(middle.T * momentum, gradient)
    assert same(by([energy], v).T, partial.T * momentum)  # 2.3.13, so 2.3.15 follows from the two


# -- the differential gear train of 2.3.1 ------------------------------------------------------------------------------


def gear(inertia):
    """Kinetic energy with the constraints used, B's inertia about AA' given."""
    m_a, m_b = symbols("m_A m_B", positive=True)
    w1, w2 = symbols("w1 w2")
    w3, w4 = a / (2 * b) * (w2 - w1), (w1 + w2) / 2
    energy = m_a * a**2 * (w1**2 + w2**2) / 4 + (m_b * b**2 / 2 * w3**2 + inertia * w4**2) / 2
    return m_a, m_b, (w1, w2), energy


def test_e_l12_lost_factor_of_the_gear_train():
    m_b = symbols("m_B", positive=True)
    m_a, m_b, (w1, w2), energy = gear(m_b * (a**2 + b**2 / 2))  # the source's inertia, to isolate the factor

    def text(factor):
        rest = m_b * (a**2 * (w1 - w2) ** 2 / 2 + (a**2 + b**2 / 2) * (w1 + w2) ** 2)
        return Rational(1, 8) * (factor * m_a * a**2 * (w1**2 + w2**2) + rest)

    assert same(energy, text(2)) and differ(energy, text(1))
    alone = {m_b: 0, w2: 0}  # without B a wheel alone: m_A a^2/4 w1^2, half of which is printed
    assert same(text(2).subs(alone), m_a * a**2 * w1**2 / 4) and same(text(1).subs(alone), m_a * a**2 * w1**2 / 8)


def test_e_l13_inertia_of_the_planet():
    """A thin disk of radius b at distance a: about AA' m (a^2 + b^2/4), by integration; then the equations."""
    rho, angle = symbols("rho alpha", positive=True)
    point = Matrix([a, rho * cos(angle), rho * sin(angle)])  # n1 along OB, n2 along AA'
    density = rho / (pi * b**2)

    def mean(entry):
        return (entry * density).integrate((rho, 0, b)).integrate((angle, 0, 2 * pi))

    square = point.dot(point)
    tensor = Matrix(3, 3, lambda i, j: mean((square if i == j else 0) - point[i] * point[j]))
    assert same(tensor, diag(b**2 / 2, a**2 + b**2 / 4, a**2 + b**2 / 4))
    for printed in (a**2 + b**2, a**2 + b**2 / 2):  # in the matrix, and in the energy after it
        assert differ(tensor[1, 1], printed)
    transverse = symbols("I_t", positive=True)
    m_a, m_b, rates, energy = gear(transverse)
    matrix = 4 * Matrix([energy]).jacobian(rates).jacobian(rates)
    own, other = 2 * m_a * a**2 + transverse + m_b * a**2 / 2, transverse - m_b * a**2 / 2
    assert same(matrix, Matrix([[own, other], [other, own]]))


# -- the bar on a shaft of 2.4.1 and 2.5.1 -----------------------------------------------------------------------------


def bar():
    """Lagrange's equations of a bar of length a by integration along it; theta of the shaft, phi from the vertical."""
    theta, phi = functions("theta phi")
    s = symbols("s", positive=True)
    point = s * Matrix([sin(phi) * cos(theta), sin(phi) * sin(theta), -cos(phi)])
    velocity = point.diff(t)
    kinetic = (velocity.dot(velocity) * m / (2 * a)).integrate((s, 0, a))
    potential = (m / a * g * point[2]).integrate((s, 0, a)) + k * phi**2 / 2
    return theta, phi, lagrange(kinetic - potential, [theta, phi])


def test_e_l14_sign_of_the_spring():
    theta, phi, equations = bar()
    found = equations[1] * 3 / (m * a**2)
    rest = phi.diff(t, 2) - (2 * a * theta.diff(t) ** 2 * cos(phi) - 3 * g) * sin(phi) / (2 * a)
    spring = 3 * k * phi / (m * a**2)
    assert same(found, rest + spring) and differ(found, rest - spring)


def test_e_l15_eliminated_shaft_angle():
    """theta' = alpha/sin^2 phi: the term is alpha^2 cos/sin^3, not alpha cos."""
    theta, phi, equations = bar()
    alpha = symbols("alpha", positive=True)
    found = (equations[1] * 3 / (m * a**2)).subs(theta.diff(t), alpha / sin(phi) ** 2)
    rest = phi.diff(t, 2) + 3 * g * sin(phi) / (2 * a) + 3 * k * phi / (m * a**2)
    assert same(found, rest - alpha**2 * cos(phi) / sin(phi) ** 3) and differ(found, rest - alpha * cos(phi))


def test_e_l16_shaft_rate_in_2_5_1():
    theta, phi, equations = bar()
    found = equations[1] * 3 / (m * a**2)

    def text(rate):
        return phi.diff(t, 2) - (rate**2 * cos(phi) - 3 * g / (2 * a)) * sin(phi) + 3 * k * phi / (m * a**2)

    assert same(found, text(theta.diff(t))) and differ(found, text(phi.diff(t)))


def test_e_l17_cosine_in_2_5_1():
    theta, phi, equations = bar()
    torque = symbols("tau", positive=True)
    found = (equations[0] - torque) * 3 / (m * a**2)
    first, second = theta.diff(t, 2) * sin(phi) ** 2, 2 * theta.diff(t) * phi.diff(t) * sin(phi)
    load = 3 * torque / (m * a**2)
    assert same(found, first + second * cos(phi) - load) and differ(found, first + second - load)


def test_what_lagrange_has_right_in_chapter_1():
    """Q of 1.5 and omega in space axes, and 1.5.2."""
    (phi, theta, psi), turn, omega = euler()
    c, s = cos, sin
    printed = Matrix(
        [
            [
                c(theta) * c(phi) * c(psi) - s(phi) * s(psi),
                -c(theta) * c(phi) * s(psi) - s(phi) * c(psi),
                s(theta) * c(phi),
            ],
            [
                c(theta) * s(phi) * c(psi) + c(phi) * s(psi),
                -c(theta) * s(phi) * s(psi) + c(phi) * c(psi),
                s(theta) * s(phi),
            ],
            [-s(theta) * c(psi), s(theta) * s(psi), c(theta)],
        ]
    )
    assert same(turn, printed)
    dphi, dtheta, dpsi = (angle.diff(t) for angle in (phi, theta, psi))
    expected = Matrix(
        [
            -s(phi) * dtheta + c(phi) * s(theta) * dpsi,
            c(phi) * dtheta + s(phi) * s(theta) * dpsi,
            dphi + c(theta) * dpsi,
        ]
    )
    assert same(omega, expected)


def test_e_l29_angular_momentum_about_any_point():
    """Two particles of a rigid bar, summed, about the origin: O is a point of the body with the velocity v."""
    spin, speed, axis, place = (Matrix(symbols(f"{name}1:4")) for name in ("w", "v", "e", "s"))
    masses, (ahead, behind) = symbols("m1 m2", positive=True), symbols("a b", positive=True)
    arms = [place + ahead * axis, place - behind * axis]
    total, origin = sum(masses), zeros(3, 1)
    center = (masses[0] * arms[0] + masses[1] * arms[1]) / total

    def inertia(about):
        return sum((mass * skew(arm - about).T * skew(arm - about) for mass, arm in zip(masses, arms)), zeros(3, 3))

    def momentum(velocity, about=origin):
        """Moment of momentum, with the velocity of the origin."""
        parts = ((arm - about).cross(mass * (velocity + spin.cross(arm))) for mass, arm in zip(masses, arms))
        return sum(parts, zeros(3, 1))

    at_origin = inertia(origin) * spin
    assert same(momentum(speed), at_origin + total * center.cross(speed)) and differ(momentum(speed), at_origin)
    assert same(momentum(origin), at_origin)  # O at rest
    assert same(momentum(speed, center), inertia(center) * spin)  # O the mass centre, at any speed
