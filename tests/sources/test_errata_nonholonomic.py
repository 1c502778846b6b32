"""Errata of LAGRANGE, section 2.6 (nonholonomic systems): test_e_l18_… proves row E-L18 of docs/errata.md, and so on.

The rolling disk of 2.6.1 is derived twice: by 2.6.32, and by Newton's and Euler's laws with the contact force
eliminated.  Both agree, so 2.6.29 to 2.6.32 stand, and what disagrees with them is wrong.
"""

import numpy as np
import pytest
from errata_tools import differ, functions, lagrange, same, t
from sympy import Function, Matrix, Rational, ShapeError, cos, eye, integrate, sin, solve, symbols, zeros

m, g, r, a, length = symbols("m g r a l", positive=True)


# -- the formalism -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("blocks", "each", "stacked"), [((1, 1, 1, 1), True, False), ((0, 1, 1, 0), False, True)])
def test_e_l18_condition_of_2_6_6(blocks, each, stacked):
    """C = [C_p C_pm; A_mp A_m]: blocks invertible and C singular, and the other way round."""
    c_p, c_pm, a_mp, a_m = blocks
    assert (c_p != 0 and a_m != 0) == each
    assert (Matrix([[c_p, c_pm], [a_mp, a_m]]).det() != 0) == stacked


def test_e_l19_blocks_of_the_inverse():
    """X and Y of 2.6.8 with C_pm invert C; with C_p they do not, and for p != m the products do not even exist."""
    p, n = 2, 1
    c_p, c_pm = Matrix(p, p, symbols("c11 c12 c21 c22")), Matrix(p, n, symbols("d1 d2"))
    a_mp, a_m = Matrix(n, p, symbols("a1 a2")), Matrix([[symbols("e")]])

    def blocks(factor):
        x = (c_p - factor * a_m.inv() * a_mp).inv()
        return x, -x * factor * a_m.inv()

    stacked = c_p.row_join(c_pm).col_join(a_mp.row_join(a_m))
    x, y = blocks(c_pm)
    assert same(x.row_join(y) * stacked, eye(p).row_join(zeros(p, n)))
    with pytest.raises(ShapeError):
        blocks(c_p)
    # one of each, where sizes agree
    c, d, b, e = symbols("c d b e")
    inverse = Matrix([[c, d], [b, e]]).inv()
    assert same(inverse[0, 0], 1 / (c - d * b / e)) and differ(inverse[0, 0], 1 / (c - c * b / e))
    assert same(inverse[0, 1], -inverse[0, 0] * d / e) and differ(inverse[0, 1], -inverse[0, 0] * c / e)


def test_e_l20_sign_in_2_6_12b():
    """A particle on a rail that moves by s(t): T' = -phi* q' + psi with phi* = -m v' and psi = m v' s'."""
    q, s = functions("q s")
    velocity = (q + s).diff(t)
    energy = m * velocity**2 / 2
    inertia_force = -velocity.diff(q.diff(t)) * m * velocity.diff(t)  # 1.5.16
    psi = m * velocity.diff(t) * s.diff(t)
    assert same(energy.diff(t), -inertia_force * q.diff(t) + psi)
    assert differ(energy.diff(t), inertia_force * q.diff(t) + psi)


def test_e_l21_nielsen():
    """∂L'/∂q' = d/dt ∂L/∂q' + ∂L/∂q for any L; so Lagrange's equation is ∂L'/∂q' - 2 ∂L/∂q = 0."""
    q, v, w = symbols("q1 q2"), symbols("v1 v2"), symbols("w1 w2")  # coordinates, velocities, accelerations
    energy = Function("L")(*q, *v, t)

    def rate(e):
        return e.diff(t) + sum(e.diff(x) * u for x, u in zip(q + v, v + w))

    for x, u in zip(q, v):
        equation = rate(energy.diff(u)) - energy.diff(x)
        assert (rate(energy).diff(u) - 2 * energy.diff(x) - equation).expand() == 0
        assert (rate(energy).diff(u) - energy.diff(x) - equation).expand() == energy.diff(x)
    # a pendulum: with the printed factor 1 gravity drops out altogether
    angle = functions("theta")[0]
    pendulum = m * length**2 * angle.diff(t) ** 2 / 2 + m * g * length * cos(angle)
    newton = m * length**2 * angle.diff(t, 2) + m * g * length * sin(angle)
    by_rate, force = pendulum.diff(t).diff(angle.diff(t)), pendulum.diff(angle)
    assert same(by_rate - 2 * force, newton) and differ(by_rate - force, newton)
    assert same(by_rate - force, m * length**2 * angle.diff(t, 2))
    # and the rolling disk: 2.6.34 differs from 2.6.32 by ∂L/∂q_p
    disk = Disk()
    rates = disk.energy.diff(t)
    by_rate = Matrix([rates.diff(c.diff(t)) for c in disk.q])
    printed, right = (disk.reduced(by_rate - factor * disk.gradient) for factor in (1, 2))
    assert same(right, disk.equations) and differ(printed, disk.equations)


def test_e_l28_power_alone_gives_no_equations():
    """A force across the velocity has no power: the first law holds on circles and on straight lines alike."""
    x, y = functions("x y")
    velocity, strength = Matrix([x, y]).diff(t), symbols("B", positive=True)
    residual = strength * Matrix([velocity[1], -velocity[0]])
    assert same(residual.dot(velocity), 0) and differ(residual, zeros(2, 1))
    radius, rate = symbols("R Omega", positive=True)
    circle = radius * Matrix([cos(rate * t), sin(rate * t)])
    energy = m * circle.diff(t).dot(circle.diff(t)) / 2
    assert same(energy.diff(t), 0)  # T' = U = 0, no force acts
    assert differ((m * circle.diff(t, 2)).dot(circle), 0)  # yet m r'' = 0 does not hold
    # with the virtual velocities ∂v/∂q' in place of the actual one nothing is left open: Newton's law, row by row
    assert same(velocity.jacobian([x.diff(t), y.diff(t)]), eye(2))


# -- the rolling disk --------------------------------------------------------------------------------------------------


class Disk:
    """Example 2.6.1 with L formed before the nonholonomic rows are used."""

    def __init__(self):
        theta, phi, psi, x, y = self.q = functions("theta phi psi x y")
        v = [c.diff(t) for c in self.q]
        self.rows = r * Matrix(
            [
                [cos(theta) * sin(phi), sin(theta) * cos(phi), cos(phi)],
                [-cos(theta) * cos(phi), sin(theta) * sin(phi), sin(phi)],
            ]
        )
        spin = (1 + 4 * sin(theta) ** 2) * v[0] ** 2 + (cos(theta) ** 2 + 2 * sin(theta) ** 2) * v[1] ** 2
        spin += 4 * sin(theta) * v[1] * v[2] + 2 * v[2] ** 2
        self.energy = m * (v[3] ** 2 + v[4] ** 2 + r**2 * spin / 4) / 2 - m * g * r * cos(theta)
        self.momenta = Matrix([self.energy.diff(c) for c in v])
        self.gradient = Matrix([self.energy.diff(c) for c in self.q])
        self.equations = self.reduced(self.momenta.diff(t) - self.gradient)

    def rolled(self, expression):
        """The velocity and acceleration of the centre by the rolling rows."""
        velocity = -self.rows * Matrix(self.q[:3]).diff(t)
        x, y = self.q[3:]
        accelerations = dict(zip((x.diff(t, 2), y.diff(t, 2)), velocity.diff(t)))
        return expression.subs(accelerations).subs(dict(zip((x.diff(t), y.diff(t)), velocity)))

    def reduced(self, residual):
        """[X^T Z^T] residual with X = 1, Z = -A_23, in units of m r^2/4."""
        return self.rolled(residual[:3, :] - self.rows.T * residual[3:, :]) * 4 / (m * r**2)

    def published(self):
        """(a), (b) and twice (c) of the source."""
        theta, phi, psi, *_ = self.q
        c, s = cos(theta), sin(theta)
        dt, df, dp = (angle.diff(t) for angle in (theta, phi, psi))
        return Matrix(
            [
                5 * dt.diff(t) - 5 * s * c * df**2 - 6 * c * df * dp - 4 * g * s / r,
                (1 + 5 * s**2) * df.diff(t) + 10 * s * c * dt * df + 6 * s * dp.diff(t) + 2 * c * dp * dt,
                6 * s * df.diff(t) + 6 * dp.diff(t) + 10 * c * dt * df,
            ]
        )


def newton_euler(disk):
    """The same three equations from m v' = F + W and H' = -c x F, H in space axes, F eliminated."""
    theta, phi, psi, *_ = disk.q
    n1 = Matrix([cos(phi), sin(phi), 0])
    n2 = Matrix([-sin(theta) * sin(phi), sin(theta) * cos(phi), cos(theta)])
    n3 = n1.cross(n2)
    omega = phi.diff(t) * Matrix([0, 0, 1]) - theta.diff(t) * n1 + psi.diff(t) * n3
    velocity = omega.cross(r * n2)
    momentum = m * r**2 / 4 * (omega + omega.dot(n3) * n3)
    force = m * velocity.diff(t) + Matrix([0, 0, m * g])
    moment = momentum.diff(t) + (r * n2).cross(force)
    # along the rates of theta, phi and psi: -n1, k, n3
    return Matrix([-moment.dot(n1), moment[2], moment.dot(n3)]) * 4 / (m * r**2)


def test_the_disk_of_2_6_32_is_that_of_newton_and_euler():
    disk = Disk()
    assert same(disk.equations, disk.published())
    assert same(newton_euler(disk), disk.published())
    # (b'): psi'' eliminated
    theta, phi, psi, *_ = disk.q
    b, c = disk.published()[1], disk.published()[2]
    assert same((b - sin(theta) * c) / cos(theta), cos(theta) * phi.diff(t, 2) + 2 * theta.diff(t) * psi.diff(t))


def test_e_l22_no_lagrange_equations_in_the_independent_coordinates():
    """2.6.40 on the disk, in both readings of dL/dq_p; and the function q_m(q_p, t) of 2.6.35 does not exist."""
    disk = Disk()
    theta, phi, psi, *_ = disk.q
    dt, df, dp = (angle.diff(t) for angle in (theta, phi, psi))
    # rows substituted into L first, then Lagrange's equations in theta, phi, psi
    substituted = lagrange(disk.rolled(disk.energy), disk.q[:3]) * 4 / (m * r**2)
    off = Matrix([0, 4 * cos(theta) * dt * dp, -4 * cos(theta) * dt * df])
    assert same(substituted - disk.equations, off) and differ(substituted, disk.equations)
    # the sum by which the page explains it: p_m . (∂A_k/∂q_j - ∂A_j/∂q_k) q'_j
    independent, momentum = disk.q[:3], disk.rolled(disk.momenta[3:, :])
    twist = []
    for k in range(3):
        turning = sum((disk.rows[:, k].diff(q) * q.diff(t) for q in independent), zeros(2, 1))
        turning -= (disk.rows * Matrix([dt, df, dp])).diff(independent[k])
        twist.append(-momentum.dot(turning) * 4 / (m * r**2))
    assert same(Matrix(twist), off)
    # dL/dq'_p by 2.6.36b, dL/dq_p = ∂L/∂q_p as x and y do not occur in L
    total = disk.momenta[:3, :] - disk.rows.T * disk.momenta[3:, :]
    literal = disk.rolled(total.diff(t) - disk.gradient[:3, :]) * 4 / (m * r**2)
    more = Matrix([4 * cos(theta) * (sin(theta) * (df**2 - dt**2) + df * dp), 0, 0])
    assert same(literal - disk.equations, off + more) and differ(literal, disk.equations)
    assert growth(disk) == [3, 4, 5]


def growth(disk):
    """Ranks of the admissible directions and their repeated brackets at a random point, in (theta, phi, psi, x, y)."""
    names = symbols("theta phi psi x y")
    rows = disk.rows.subs(dict(zip(disk.q, names))).subs(r, 1)
    fields = [eye(3)[:, i].col_join(-rows[:, i]) for i in range(3)]
    point = dict(zip(names, (Rational(3, 7), Rational(5, 8), Rational(2, 3), 1, 2)))
    ranks, level = [], list(fields)
    for _ in range(3):
        ranks.append(Matrix.hstack(*fields).subs(point).evalf().rank(iszerofunc=lambda e: abs(e) < 1e-9))
        level = [v.jacobian(names) * w - w.jacobian(names) * v for v in fields[:3] for w in level]
        fields = fields + level
    return ranks


def test_e_l23_rolling_matrix():
    """Against the constraint rows that 2.2.2 prints: the second entry of the first row."""
    disk = Disk()
    theta, phi, psi, *_ = disk.q
    n2 = Matrix([-sin(theta) * sin(phi), sin(theta) * cos(phi), cos(theta)])
    turning = Matrix([0, 0, 1]).cross(r * n2)  # velocity of the centre for phi' = 1
    assert same(disk.rows[:, 1], -turning[:2, :])
    assert differ(r * sin(theta) * sin(phi), -turning[0])


def test_e_l24_line_before_the_equations_of_the_disk():
    """What is printed in front of (a) to (c), term by term, leads to them only with the corrections."""
    disk = Disk()
    theta, phi, psi, x, y = disk.q
    c, s = cos(theta), sin(theta)
    dt, df, dp = (angle.diff(t) for angle in (theta, phi, psi))

    def line(coriolis=dt * df, sign=-1, angle=phi):
        first = Matrix(
            [
                (1 + 4 * s**2) * dt.diff(t) / 4 + 2 * s * c * dt**2,
                (1 + s**2) * df.diff(t) / 4 + s * c * coriolis / 2 + s * dp.diff(t) / 2 + c * dp * dt / 2,
                s * df.diff(t) / 2 + c * df * dt / 2 + dp.diff(t) / 2,
            ]
        )
        second = Matrix([s * c * dt**2 + s * c * df**2 / 4 + c * dp * df / 2 + g * s / r, 0, 0])
        transposed = Matrix([[c * sin(phi), -c * cos(phi)], [s * cos(phi), s * sin(phi)], [cos(angle), sin(angle)]])
        whole = r * first + sign * r * second - transposed * Matrix([x, y]).diff(t, 2)
        return disk.rolled(whole) * 4 / r

    assert same(line(), disk.published())
    for wrong in (line(coriolis=df), line(sign=1), line(angle=psi)):
        assert differ(wrong, disk.published())


# -- the two-wheel axle ------------------------------------------------------------------------------------------------


alpha = a / length


def wheel_rates():
    """q3', q4' from the two integrals (3 + alpha^2) q3' - alpha^2 q4' = w1, -alpha^2 q3' + (3 + alpha^2) q4' = w2."""
    w1, w2, u3, u4 = symbols("w1 w2 u3 u4", positive=True)
    found = solve([(3 + alpha**2) * u3 - alpha**2 * u4 - w1, (3 + alpha**2) * u4 - alpha**2 * u3 - w2], [u3, u4])
    return w1, w2, found[u3], found[u4]


def test_e_l25_wheel_rates_of_the_axle():
    w1, w2, u3, u4 = wheel_rates()
    determinant = 3 + 2 * alpha**2
    for rate, own, other in ((u3, w1, w2), (u4, w2, w1)):
        printed = ((3 + alpha**2) * own + alpha**2 * other) / 3
        assert same(rate, printed / determinant) and differ(rate, printed)


def test_e_l26_turning_of_the_axle():
    """q5' = (a/l)(q4' - q3'), the constraint as printed."""
    w1, w2, u3, u4 = wheel_rates()
    turning = alpha * (u4 - u3)
    assert same(turning, alpha * (w2 - w1) / (3 + 2 * alpha**2))
    for factor in (Rational(1, 3), Rational(1, 6)):  # both are printed, one line after the other
        assert differ(turning, factor * (3 + 2 * alpha**2) * (w1 + w2) * alpha)
    equal = {w2: w1}  # equal wheels run straight on: the printed rate would turn them
    assert same(turning.subs(equal), 0) and differ((3 + 2 * alpha**2) * 2 * w1 * alpha / 3, 0)


def test_e_l27_path_of_the_axle():
    """The centre by integration of the nonholonomic rows, in symbols and by small steps in numbers."""
    w1, w2, u3, u4 = wheel_rates()
    speed = a * (u3 + u4) / 2
    printed = (3 + 2 * alpha**2) / 6 * (w1 + w2)  # times cos q5 in q1', up to the sign: no length in it
    assert same(speed, a * (w1 + w2) / 6) and differ(speed, printed)
    rate, tau = symbols("Omega tau", positive=True)
    q1 = integrate(-speed * cos(rate * tau), (tau, 0, t))
    q2 = integrate(speed * sin(rate * tau), (tau, 0, t))
    radius = speed / rate
    assert same(q1**2 + (q2 - radius) ** 2, radius**2)
    found = radius.subs(rate, alpha * (u4 - u3))
    assert same(found, length / 2 * (u3 + u4) / (u4 - u3))
    assert same(found, length / 6 * (3 + 2 * alpha**2) * (w1 + w2) / (w2 - w1))
    assert differ(found, 1 / (2 * alpha))
    # numbers: rolled by small steps of the constraints, and fitted by the circumscribed circle of three points
    values = {a: 0.3, length: 1.1, w1: 2.0, w2: 3.5}
    u, turn, circle = (float(e.subs(values)) for e in (speed, alpha * (u4 - u3), found))
    times = np.linspace(0, 3, 30001)
    middle = (times[1:] + times[:-1]) / 2 * turn
    path = np.cumsum(np.column_stack([-np.cos(middle), np.sin(middle)]) * u * times[1], axis=0)
    p, q, s = path[0], path[15000], path[-1]
    sides = [np.linalg.norm(d) for d in (p - q, q - s, s - p)]
    area = abs((q - p)[0] * (s - p)[1] - (q - p)[1] * (s - p)[0]) / 2
    assert np.prod(sides) / (4 * area) == pytest.approx(circle, rel=1e-6)  # midpoint rule with 1e-4 s: 1e-10


def test_the_kinetic_energy_of_the_axle_holds():
    """Each wheel: centre a q', spin q' about the axle, q5' about the vertical; disks with m a^2/2 and m a^2/4."""
    u3, u4 = symbols("u3 u4")
    turning = alpha * (u4 - u3)
    energy = sum(m * (a * u) ** 2 / 2 + m * a**2 / 2 * u**2 / 2 + m * a**2 / 4 * turning**2 / 2 for u in (u3, u4))
    assert same(energy, m * a**2 / 4 * ((3 + alpha**2) * u3**2 - 2 * alpha**2 * u3 * u4 + (3 + alpha**2) * u4**2))
