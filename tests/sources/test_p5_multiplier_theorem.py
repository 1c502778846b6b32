"""P5: Lagrange multiplier theorem and existence theorem, PLANAR Example 6.3.3 and Section 6.3.3.

Multiplier theorem: if b^T x = 0 for all x with A x = 0, there is lam with b + A^T lam = 0.
Example: b = (1, 3, 2), A = [[-1, 0, 1], [2, 3, 1]] gives lam = (-1, -1).

As a mechanism: one body with coordinates x = (x, y, phi), two linear constraints A x = 0 and the applied force Q =
-b.  Then M a + A^T lam = Q is 6.3.15 with b = M a - Q; since b^T x = 0 on A x = 0 the force does no work and a = 0.

Existence theorem: [M Phi_q^T; Phi_q 0] is nonsingular if Phi_q has full row rank and v^T M v > 0 for every v != 0
with Phi_q v = 0.  M itself may be singular.  Independent route: that matrix assembled with NumPy, its null space and
its solution.

Tolerance: 1e-13 for the example (integers); 1e-11 for accelerations of singular mass matrices, solved with a
condition number near 50.
"""

import math

import numpy as np
import pytest

import dalembert as da

A = np.array([[-1.0, 0.0, 1.0], [2.0, 3.0, 1.0]])
B = np.array([1.0, 3.0, 2.0])
G = 9.81


def example(b, mass=1.0, inertia=1.0):
    m = da.Mechanism("theorem", plane=True)
    body = m.body("body", mass=mass, inertia=inertia)
    m.constraint("c1", "-body.x + body.angle")
    m.constraint("c2", "2*body.x + 3*body.y + body.angle")
    m.force("f", body, (-b[0], -b[1]))
    m.torque("n", body, -b[2])
    return m


def multipliers(e):
    return e.lam[[e.row_names.index("c1.value"), e.row_names.index("c2.value")]]


@pytest.mark.parametrize(("mass", "inertia"), [(1.0, 1.0), (7.0, 0.3)])
def test_multipliers_of_the_example(mass, inertia):
    e = da.equations(example(B, mass, inertia))
    order = [e.row_names.index("c1.value"), e.row_names.index("c2.value")]
    assert e.jac[order] == pytest.approx(A, abs=1e-14)
    assert e.Q == pytest.approx(-B, abs=1e-14)
    assert multipliers(e) == pytest.approx([-1, -1], abs=1e-13)
    assert e.a == pytest.approx([0, 0, 0], abs=1e-13)
    # the theorem itself, by linear algebra: b + A^T lam = 0
    lam, residual, *_ = np.linalg.lstsq(A.T, -B, rcond=None)
    assert lam == pytest.approx([-1, -1], abs=1e-14) and residual == pytest.approx([0], abs=1e-28)
    assert B + A.T @ multipliers(e) == pytest.approx([0, 0, 0], abs=1e-13)
    # b^T x = 0 for all x with A x = 0: the null space of A is spanned by (1, -1, 1)
    assert A @ [1, -1, 1] == pytest.approx([0, 0]) and B @ [1, -1, 1] == 0


def test_other_forces_have_no_such_multipliers():
    """Not any b will do (problem 6.3.2): with b off the row space of A the body accelerates along the null space."""
    b = np.array([1.0, 3.0, 5.0])
    direction = np.array([1.0, -1.0, 1.0])
    e = da.equations(example(b))
    # unit mass and inertia: a = -(b . n) n / (n . n)
    assert e.a == pytest.approx(-(b @ direction) / 3 * direction, abs=1e-13)
    assert b + e.a + A.T @ multipliers(e) == pytest.approx([0, 0, 0], abs=1e-13)


def test_the_theorem_itself():
    """`multiplier_theorem`: on the example, on a b that has none, on dependent rows, in any units of the rows."""
    found = da.multiplier_theorem(A, B)
    assert found.holds and found.unique and found.counterexample is None
    assert found.multipliers == pytest.approx([-1, -1], abs=1e-14) and "lam = (-1, -1)" in str(found)
    other = da.multiplier_theorem(A, [1, 3, 5])
    x = other.counterexample
    assert not other.holds and other.multipliers is None and "no multipliers" in str(other)
    # the null space of A, along which b does work: its unit vector by hand
    assert x == pytest.approx(np.array([1, -1, 1]) / math.sqrt(3), abs=1e-14) and np.array([1, 3, 5]) @ x > 1
    several = da.multiplier_theorem(np.vstack([A, A.sum(axis=0)]), B)
    assert several.holds and not several.unique and "several sets" in str(several)
    assert several.multipliers == pytest.approx(np.linalg.pinv(np.vstack([A, A.sum(axis=0)]).T) @ -B, abs=1e-13)
    scaled = da.multiplier_theorem(np.diag([1e-9, 1e9]) @ A, B)
    assert scaled.multipliers == pytest.approx([-1e9, -1e-9], rel=1e-13)
    # M q'' - Q of a mechanism on the rows of its joints (6.3.15)
    e = da.equations(slider_crank(0.4, 0.02))
    assert da.multiplier_theorem(e.J, e.M @ e.a - e.Q).multipliers == pytest.approx(e.lam, rel=1e-9)


@pytest.mark.parametrize(
    ("rows", "b", "match"),
    [
        ([1, 2], [1, 2], r"A = \[1, 2\].*finite rows of numbers"),
        (A, [1, 2], "A with 3 columns, b with 2 numbers"),
        (A, [math.nan, 1, 2], "b is made of finite numbers"),
        (A, ["x", 1, 2], "b is made of finite numbers"),
    ],
)
def test_the_theorem_asks_for_numbers(rows, b, match):
    with pytest.raises(da.MethodError, match=f"(?s){match}"):
        da.multiplier_theorem(rows, b)


# -- existence theorem -------------------------------------------------------------------------------------------------


def dense(e):
    n = len(e.row_names)
    return np.block([[e.M, e.jac.T], [e.jac, np.zeros((n, n))]])


def energy_on_admissible_velocities(e):
    """Smallest eigenvalue of M on the null space of the Jacobian."""
    _, s, vt = np.linalg.svd(e.jac)
    null = vt[int(np.sum(s > 1e-10)) :].T
    return np.linalg.eigvalsh(null.T @ e.M @ null).min()


def slider_crank(rod_mass, rod_inertia):
    """Crank, connecting rod (perhaps massless) and piston, turned from the dead centre and moving."""
    m = da.Mechanism("engine", plane=True, gravity=(0, -G))
    r, l, phi = 0.2, 0.5, 0.7
    theta = -math.asin(r * math.sin(phi) / l)
    pin = (r * math.cos(phi), r * math.sin(phi))
    end = (pin[0] + l * math.cos(theta), 0.0)
    crank = m.body("crank", mass=2.0, inertia=0.05, at=(0, 0), angle=phi)
    rod = m.body("rod", mass=rod_mass, inertia=rod_inertia, at=((pin[0] + end[0]) / 2, pin[1] / 2), angle=theta)
    piston = m.body("piston", mass=0.8, inertia=0.01, at=end)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=pin)
    m.revolute("B", rod, piston, at=end)
    m.prismatic("bore", m.ground, piston, at=end, along=(1, 0))
    m.start(m["O"].angle, rate=6.0)
    return m


@pytest.mark.parametrize(("mass", "inertia"), [(0.0, 0.0), (0.4, 0.0), (0.0, 0.02), (0.4, 0.02)])
def test_singular_mass_matrix_that_is_legal(mass, inertia):
    """A massless connecting rod: M is singular, but kinetic energy is positive on every admissible velocity."""
    e = da.equations(slider_crank(mass, inertia))
    assert (np.linalg.matrix_rank(e.M) < 9) == (mass == 0.0 or inertia == 0.0)
    assert energy_on_admissible_velocities(e) > 1e-3
    matrix = dense(e)
    assert np.linalg.matrix_rank(matrix) == len(matrix)
    solution = np.linalg.solve(matrix, np.concatenate([e.Q, e.gamma]))
    assert e.a == pytest.approx(solution[:9], rel=1e-11, abs=1e-11 * np.abs(solution[:9]).max())
    assert e.lam == pytest.approx(solution[9:], rel=1e-11, abs=1e-11 * np.abs(solution[9:]).max())


def test_massless_rod_is_a_two_force_member():
    """Without mass the rod is a distance link: the same motion, and a force along the rod."""
    m = slider_crank(0.0, 0.0)
    link = da.Mechanism("link", plane=True, gravity=(0, -G))
    crank = link.body("crank", mass=2.0, inertia=0.05, angle=0.7)
    end = m["piston"].at[:2]
    piston = link.body("piston", mass=0.8, inertia=0.01, at=end)
    link.revolute("O", link.ground, crank, at=(0, 0))
    link.prismatic("bore", link.ground, piston, at=end, along=(1, 0))
    link.distance("rod", crank.point(0.2, 0), piston.point(0, 0), length=0.5)
    link.start(link["O"].angle, rate=6.0)
    options = {"until": 0.5, "rtol": 1e-11, "atol": 1e-13, "output": 0.05}
    run, other = da.simulate(m, **options), da.simulate(link, **options)
    assert run["crank"].angle == pytest.approx(other["crank"].angle, abs=1e-8)
    tension = other["rod"].multipliers[:, 0]
    theta = run["rod"].angle
    along = run["A"].force[:, 0] * np.cos(theta) + run["A"].force[:, 1] * np.sin(theta)
    across = -run["A"].force[:, 0] * np.sin(theta) + run["A"].force[:, 1] * np.cos(theta)
    scale = np.abs(tension).max()
    assert scale > 1
    # the force on the rod at its crank end is minus the tension along the rod
    assert along == pytest.approx(-tension, abs=1e-7 * scale)
    assert across == pytest.approx(np.zeros(len(across)), abs=1e-10 * scale)


def test_particle_as_a_body_without_inertia_on_a_pivot():
    """Mass at distance l from a pivot, no inertia: l phi'' = -g cos phi, kinetic energy m l^2 phi'^2/2 > 0."""
    m = da.Mechanism("bob", plane=True, gravity=(0, -G))
    bob = m.body("bob", mass=2.0, inertia=0.0, at=(0.6, 0))
    m.revolute("O", m.ground, bob, at=(0, 0))
    e = da.equations(m)
    assert e.a == pytest.approx([0, -G, -G / 0.6], abs=1e-12)
    assert e.lam == pytest.approx([0, 0], abs=1e-11)


@pytest.mark.parametrize(
    "kind", ["massless bar on a pin", "no inertia about a pin at the centre", "free point mass as a body"]
)
def test_singular_mass_matrix_that_is_refused(kind):
    """A velocity without kinetic energy: no acceleration is defined, and the error names the body that has it."""
    m = da.Mechanism("refused", plane=True, gravity=(0, -G))
    good = m.body("good", mass=1.0, inertia=0.1, at=(1, 1))
    m.revolute("P", m.ground, good, at=(1, 0.5))
    if kind == "massless bar on a pin":
        bad = m.body("bad", mass=0.0, inertia=0.0, at=(0.5, 0))
        m.revolute("O", m.ground, bad, at=(0, 0))
    elif kind == "no inertia about a pin at the centre":
        bad = m.body("bad", mass=3.0, inertia=0.0, at=(0, 0))
        m.revolute("O", m.ground, bad, at=(0, 0))
    else:
        m.body("bad", mass=3.0, inertia=0.0, at=(0, 0))
    for action in (da.equations, lambda x: da.simulate(x, until=0.1)):
        with pytest.raises(da.SingularError, match="'bad'") as caught:
            action(m)
        assert "'good'" not in caught.value.found
        assert all(part for part in (caught.value.asked, caught.value.found, caught.value.why, caught.value.do))


def test_refused_system_really_is_singular():
    """The same with a state given: the dense matrix of the massless bar on a pin has no inverse."""
    mass = np.diag([0.0, 0.0, 0.0])
    jac = np.array([[1, 0, 0.0], [0, 1, -0.5]])
    matrix = np.block([[mass, jac.T], [jac, np.zeros((2, 2))]])
    assert np.linalg.matrix_rank(matrix) == 4 < 5
    _, _, vt = np.linalg.svd(jac)
    assert vt[2] @ mass @ vt[2] == 0.0


def test_dependent_rows_leave_accelerations_unique():
    """Full row rank fails for a doubled pin: accelerations stay unique, the sum of the multipliers too."""
    m = da.Mechanism("doubled", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.revolute("A2", m.ground, bar, at=(0, 0))
    e = da.equations(m)
    assert np.linalg.matrix_rank(e.jac) == 2 < len(e.jac) == 4
    # bar on a pivot, horizontal, at rest: phi'' = -3 g / (2 L), y'' = -3 g/4, pin force m g / 4
    assert e.a == pytest.approx([0, -0.75 * G, -1.5 * G], abs=1e-11)
    assert e.jac.T @ e.lam == pytest.approx([0, -2.0 * G / 4, 2.0 * G / 4 * 0.5], abs=1e-11)
