"""K3: double pendulum of particles, PRINCIPLES (Newton's laws of each solid, with tensions).

    m1 x1'' = -T1 sin th1 + T2 sin th2        m1 y1'' = T1 cos th1 - T2 cos th2 - m1 g
    m2 x2'' = -T2 sin th2                     m2 y2'' = T2 cos th2 - m2 g
    x1 = l1 sin th1, y1 = -l1 cos th1, x2 = x1 + l2 sin th2, y2 = y1 - l2 cos th2

"... replace in equilibrium equations": eliminating T1, T2 gives

    (m1 + m2) l1 th1'' + m2 l2 th2'' cos(th1 - th2) + m2 l2 th2'^2 sin(th1 - th2) + (m1 + m2) g sin th1 = 0
    l2 th2'' + l1 th1'' cos(th1 - th2) - l1 th1'^2 sin(th1 - th2) + g sin th2 = 0

Ours: two particles on two distance links.  A link holds |d| = l (not its square), so its multiplier is the tension
itself.

Tolerances: 1e-11 for single evaluations (numbers up to 100, condition below 100); 1e-7 for the motion over 2 s at
rtol = 1e-11, the motion being mildly chaotic (error growth about e^(2..3 t)), against SciPy's DOP853 at rtol = 1e-12
in (th1, th2).
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from two_ways import TIGHT, agree

import dalembert as da

M1, M2, L1, L2, G = 1.2, 0.7, 0.9, 0.6, 9.81


def positions(th):
    x1, y1 = L1 * np.sin(th[0]), -L1 * np.cos(th[0])
    return np.array([x1, y1, x1 + L2 * np.sin(th[1]), y1 - L2 * np.cos(th[1])])


def velocities(th, w):
    x1, y1 = L1 * w[0] * np.cos(th[0]), L1 * w[0] * np.sin(th[0])
    return np.array([x1, y1, x1 + L2 * w[1] * np.cos(th[1]), y1 + L2 * w[1] * np.sin(th[1])])


def double_pendulum(th, w=(0.0, 0.0)):
    m = da.Mechanism("double pendulum", plane=True, gravity=(0, -G))
    p, v = positions(th), velocities(th, w)
    one = m.particle("one", mass=M1, at=tuple(p[:2]), velocity=tuple(v[:2]))
    two = m.particle("two", mass=M2, at=tuple(p[2:]), velocity=tuple(v[2:]))
    m.distance("upper", m.ground.point(0, 0), one.point(0, 0), length=L1)
    m.distance("lower", one.point(0, 0), two.point(0, 0), length=L2)
    return m


def newton(th, w):
    """(th1'', th2'', T1, T2) of the source's four equations, by one linear solve."""
    s1, c1, s2, c2 = np.sin(th[0]), np.cos(th[0]), np.sin(th[1]), np.cos(th[1])
    # accelerations: x1'' = l1 c1 th1'' - l1 s1 w1^2, y1'' = l1 s1 th1'' + l1 c1 w1^2, and so on
    matrix = np.array(
        [
            [M1 * L1 * c1, 0, s1, -s2],
            [M1 * L1 * s1, 0, -c1, c2],
            [M2 * L1 * c1, M2 * L2 * c2, 0, s2],
            [M2 * L1 * s1, M2 * L2 * s2, 0, -c2],
        ]
    )
    right = np.array(
        [
            M1 * L1 * s1 * w[0] ** 2,
            -M1 * L1 * c1 * w[0] ** 2 - M1 * G,
            M2 * (L1 * s1 * w[0] ** 2 + L2 * s2 * w[1] ** 2),
            -M2 * (L1 * c1 * w[0] ** 2 + L2 * c2 * w[1] ** 2) - M2 * G,
        ]
    )
    return np.linalg.solve(matrix, right)


def accelerations(th, w, turn):
    s, c = np.sin(th), np.cos(th)
    x = [L * (c[k] * turn[k] - s[k] * w[k] ** 2) for k, L in enumerate((L1, L2))]
    y = [L * (s[k] * turn[k] + c[k] * w[k] ** 2) for k, L in enumerate((L1, L2))]
    return np.array([x[0], y[0], x[0] + x[1], y[0] + y[1]])


def random_case(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-3, 3, 2), rng.normal(size=2) * 3


@pytest.mark.parametrize("seed", range(8))
def test_equations_and_tensions(seed):
    th, w = random_case(seed)
    e = da.equations(double_pendulum(th, w))
    assert e.state.v[[0, 1, 3, 4]] == pytest.approx(velocities(th, w), abs=1e-12)
    t1, t2, T1, T2 = newton(th, w)
    assert e.a[[0, 1, 3, 4]] == pytest.approx(accelerations(th, w, (t1, t2)), abs=1e-11)
    order = [e.system.row_parts.index(name) for name in ("upper", "lower")]
    assert e.lam[order] == pytest.approx([T1, T2], abs=1e-11)
    # the eliminated equations hold for the same accelerations
    d = th[0] - th[1]
    first = (
        (M1 + M2) * L1 * t1 + M2 * L2 * t2 * np.cos(d) + M2 * L2 * w[1] ** 2 * np.sin(d) + (M1 + M2) * G * np.sin(th[0])
    )
    second = L2 * t2 + L1 * t1 * np.cos(d) - L1 * w[0] ** 2 * np.sin(d) + G * np.sin(th[1])
    assert [first, second] == pytest.approx([0, 0], abs=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_newton_equations_of_each_mass(seed):
    """The four equations of the source with our accelerations and our tensions."""
    th, w = random_case(100 + seed)
    e = da.equations(double_pendulum(th, w))
    x1, y1, _, x2, y2, _ = e.a
    T1, T2 = (e.lam[e.system.row_parts.index(name)] for name in ("upper", "lower"))
    s1, c1, s2, c2 = np.sin(th[0]), np.cos(th[0]), np.sin(th[1]), np.cos(th[1])
    assert M1 * x1 == pytest.approx(-T1 * s1 + T2 * s2, abs=1e-11)
    assert M1 * y1 == pytest.approx(T1 * c1 - T2 * c2 - M1 * G, abs=1e-11)
    assert M2 * x2 == pytest.approx(-T2 * s2, abs=1e-11)
    assert M2 * y2 == pytest.approx(T2 * c2 - M2 * G, abs=1e-11)


def test_hanging_at_rest():
    """T1 = (m1 + m2) g, T2 = m2 g."""
    e = da.equations(double_pendulum((0.0, 0.0)))
    T1, T2 = (e.lam[e.system.row_parts.index(name)] for name in ("upper", "lower"))
    assert [T1, T2] == pytest.approx([(M1 + M2) * G, M2 * G], rel=1e-13)
    assert e.a == pytest.approx(np.zeros(6), abs=1e-13)


def test_motion_and_tensions():
    th0, w0 = np.array([1.2, -0.4]), np.array([0.5, 1.0])
    run = da.simulate(double_pendulum(th0, w0), until=2.0, output=0.05, rtol=1e-11, atol=1e-13)

    def rate(_, y):
        return [*y[2:], *newton(y[:2], y[2:])[:2]]

    reference = solve_ivp(rate, (0, 2), [*th0, *w0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=run.t)
    assert reference.success
    expected = np.array([positions(y) for y in reference.y[:2].T])
    found = np.column_stack([run["one"].position, run["two"].position])
    assert found == pytest.approx(expected, abs=1e-7)
    tensions = np.array([newton(y[:2], y[2:])[2:] for y in reference.y.T])
    assert run["upper"].multipliers[:, 0] == pytest.approx(tensions[:, 0], abs=1e-5)
    assert run["lower"].multipliers[:, 0] == pytest.approx(tensions[:, 1], abs=1e-5)
    # the lower link pulls "one" towards "two" and "two" towards "one"
    d = found[:, 2:] - found[:, :2]
    pull = tensions[:, 1, None] * d / L2
    assert run["lower"].on("one").force == pytest.approx(pull, abs=1e-5)
    assert run["lower"].on("two").force == pytest.approx(-pull, abs=1e-5)
    assert run.energy.total == pytest.approx(np.full(len(run.t), run.energy.total[0]), abs=1e-8)
    assert run.status == "ok"


def in_angles(th, w):
    m = da.Lagrangian(
        "th1 th2",
        gravity=(0, "-g"),
        parameters={"m1": M1, "m2": M2, "l1": L1, "l2": L2, "g": G},
        name="double pendulum",
    )
    m.particle("one", "m1", ("l1*sin(th1)", "-l1*cos(th1)"))
    m.particle("two", "m2", ("l1*sin(th1) + l2*sin(th2)", "-l1*cos(th1) - l2*cos(th2)"))
    for k in (0, 1):
        m.start(f"th{k + 1}", th[k], rate=w[k])
    return m


def with_rods(th, w):
    """Cartesian coordinates; multipliers of the rods are their tensions."""
    m = da.Lagrangian(
        "x1 y1 x2 y2", gravity=(0, "-g"), parameters={"m1": M1, "m2": M2, "l1": L1, "l2": L2, "g": G}, name="double pendulum",
        holonomic={"upper": "sqrt(x1**2 + y1**2) - l1", "lower": "sqrt((x2 - x1)**2 + (y2 - y1)**2) - l2"},
    )  # fmt: skip
    m.particle("one", "m1", ("x1", "y1"))
    m.particle("two", "m2", ("x2", "y2"))
    p, v = positions(th), velocities(th, w)
    for k, name in enumerate(m.q):
        m.guess(name, p[k])
        m.start(name, rate=v[k])
    m.start("x1", p[0])
    m.start("x2", p[2])
    return m


def test_both_ways():
    """1 s, in which errors grow tenfold: motion, tensions and forces on both masses."""
    th, w = (1.2, -0.4), (0.5, 1.0)
    one, angles, rods = (
        da.simulate(m(th, w), until=1.0, output=0.01, **TIGHT) for m in (double_pendulum, in_angles, with_rods)
    )
    path = np.column_stack([one["one"].position, one["two"].position])
    tensions = np.column_stack([one[name].multipliers[:, 0] for name in ("upper", "lower")])
    assert agree(np.array([positions(x) for x in angles.q]), path)
    assert agree(
        np.array([velocities(x, y) for x, y in zip(angles.q, angles.v)]),
        np.column_stack([one[n].velocity for n in ("one", "two")]),
    )
    assert agree(rods.q, path)
    assert agree(rods.lam, tensions)
    assert agree(np.array([newton(x, y)[2:] for x, y in zip(angles.q, angles.v)]), tensions)
    assert agree(angles.a, np.array([newton(x, y)[:2] for x, y in zip(angles.q, angles.v)]))
    pull = rods.reaction("lower")
    assert agree(pull[:, :2], one["lower"].on("one").force)
    assert agree(pull[:, 2:], one["lower"].on("two").force)
    assert agree(rods.reaction("upper")[:, :2], one["upper"].force)
