"""P11: PLANAR problem 6.2.2, a spring-damper-actuator along a translational joint, and problem 6.3.1, a double pendulum.

6.2.2   u = A_i u' along the joint, l = u^T d_ij with its sign, f = k (l - l0) + c l' + F:
        Q_i = f [u; u^T B_i s_i'],  Q_j = -f [u; u^T B_j s_j']; dl has the term d^T B_i u' dphi_i too, which is zero as d lies along u.

6.3.1   6.3.3 and 6.3.5 for two bars of half-lengths l1, l2 hanging on each other:
        dq^T (M q'' - Q^A) = 0, M = diag(m1, m1, m1 l1^2/3, m2, m2, m2 l2^2/3), Q^A = (0, -m1 g, 0, 0, -m2 g, 0), for all dq with
        [1 0 l1 s1 0 0 0; 0 1 -l1 c1 0 0 0; 0 0 2 l1 s1 1 0 l2 s2; 0 0 -2 l1 c1 0 1 -l2 c2] dq = 0
"""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da

# -- 6.2.2 -----------------------------------------------------------------------------------------------------------------

K, C, FREE = 120.0, 7.0, 0.15
HEADING = 0.6  # of the joint as drawn


def joined(element, slide=0.2, rate=0.4, turn=0.9):
    """Two free bodies on a translational joint; the points of the element are off both mass centres, on the line of the joint."""
    m = da.Mechanism("telescope", plane=True)
    u = np.array([math.cos(HEADING), math.sin(HEADING)])
    across = np.array([-u[1], u[0]])
    # the line of the joint passes 0.1 beside i and 0.3 beside j
    i = m.body("i", mass=2.0, inertia=0.3, at=(0.2, -0.1), angle=0.35, spin=turn)
    line = np.array([0.2, -0.1]) + 0.1 * across
    j = m.body("j", mass=1.5, inertia=0.2, at=tuple(line + 0.7 * u + 0.3 * across), angle=-0.2)
    joint = m.prismatic("guide", i, j, at=tuple(line), along=tuple(u))
    if element:
        m.spring("element", joint.slide, stiffness=K, damping=C, free_length=FREE, force="3*sin(l) + 0.2*v**2 + t")
    m.start(joint.slide, slide, rate=rate)
    return m


@pytest.mark.parametrize("slide", [0.2, 0.0, -0.35], ids=["positive", "zero length", "negative"])
def test_spring_along_a_translational_joint(slide):
    """Generalized forces of the element alone: those with it less those without, at the same state."""
    m, rate = joined(True, slide), 0.4
    e = da.equations(m)
    state = e.state
    bare = da.equations(joined(False, slide), state)
    f = K * (slide - FREE) + C * rate + 3 * math.sin(slide) + 0.2 * rate**2
    expected = []
    heading = state.q[2] + HEADING - 0.35  # u turns with body i
    u = np.array([math.cos(heading), math.sin(heading)])
    across = np.array([-u[1], u[0]])
    # P_i lies on the line beside i, P_j on the line at l from P_i
    point_i = state.q[:2] + 0.1 * across
    for sign, place, point in ((1, state.q[:2], point_i), (-1, state.q[3:5], point_i + slide * u)):
        arm = point - place  # A s', and B s' is this turned by a right angle
        expected += [*(sign * f * u), sign * f * (u @ [-arm[1], arm[0]])]
    assert e.Q - bare.Q == pytest.approx(np.array(expected), abs=1e-10)
    # virtual work -f dl by the partial velocities of the two points
    i, j = m["i"], m["j"]
    back = [np.array([[math.cos(q), math.sin(q)], [-math.sin(q), math.cos(q)]]) for q in state.q[[2, 5]]]
    at_i = i.point(*(back[0] @ (point_i - state.q[:2])))
    at_j = j.point(*(back[1] @ (point_i + slide * u - state.q[3:5])))
    work = -f * u @ (e.partial_velocity(at_j) - e.partial_velocity(at_i))
    assert e.active_force == pytest.approx(work, abs=1e-10)


# -- 6.3.1 -----------------------------------------------------------------------------------------------------------------

M1, M2, L1, L2, G = 2.0, 1.3, 0.4, 0.7, 9.81


def double_pendulum(first=-1.1, second=0.4):
    m = da.Mechanism("double pendulum", plane=True, gravity=(0, -G))
    elbow = 2 * L1 * np.array([math.cos(first), math.sin(first)])
    one = m.body("one", da.rod(length=2 * L1, mass=M1), at=tuple(elbow / 2), angle=first)
    tip = L2 * np.array([math.cos(second), math.sin(second)])
    two = m.body("two", da.rod(length=2 * L2, mass=M2), at=tuple(elbow + tip), angle=second)
    m.revolute("O", m.ground, one, at=(0, 0))
    m.revolute("A", one, two, at=tuple(elbow))
    m.start("O.angle", rate=1.2)
    m.start("A.angle", rate=-3.0)
    return m


def test_variational_equations_of_the_double_pendulum():
    first, second = -1.1, 0.4
    e = da.equations(double_pendulum(first, second))
    assert e.M == pytest.approx(np.diag([M1, M1, M1 * L1**2 / 3, M2, M2, M2 * L2**2 / 3]), abs=1e-15)
    assert e.active_force == pytest.approx(np.array([0, -M1 * G, 0, 0, -M2 * G, 0]), abs=1e-13)
    s1, c1, s2, c2 = math.sin(first), math.cos(first), math.sin(second), math.cos(second)
    rows = np.array([
        [1, 0, L1 * s1, 0, 0, 0],
        [0, 1, -L1 * c1, 0, 0, 0],
        [0, 0, 2 * L1 * s1, 1, 0, L2 * s2],
        [0, 0, -2 * L1 * c1, 0, 1, -L2 * c2],
    ])  # fmt: skip
    # displacements that the rows of the source allow: turns of either bar
    allowed = np.array([[-L1 * s1, L1 * c1, 1, -2 * L1 * s1, 2 * L1 * c1, 0], [0, 0, 0, -L2 * s2, L2 * c2, 1]])
    assert rows @ allowed.T == pytest.approx(np.zeros((4, 2)), abs=1e-15)
    assert e.jac @ allowed.T == pytest.approx(np.zeros((4, 2)), abs=1e-14), "6.3.5 with the Jacobian of the joints"
    assert np.linalg.matrix_rank(np.vstack([rows, e.jac])) == 4, "both span the same rows"
    unbalanced = e.M @ e.a - e.active_force
    assert allowed @ unbalanced == pytest.approx(np.zeros(2), abs=1e-12), "6.3.3"
    # body by body the work of the constraint forces is not zero, as the source stresses
    assert abs(allowed[0, :3] @ unbalanced[:3]) > 1.0


def test_the_same_by_symbols():
    """d'Alembert's principle in x, y, phi of both bars with the joints as rows, for turns of either bar."""
    m = da.Lagrangian(
        "x1 y1 phi1 x2 y2 phi2", gravity=(0, "-g"), parameters={"m1": M1, "m2": M2, "l1": L1, "l2": L2, "g": G}, name="double",
        holonomic={
            "O x": "x1 - l1*cos(phi1)", "O y": "y1 - l1*sin(phi1)",
            "A x": "x2 - 2*l1*cos(phi1) - l2*cos(phi2)", "A y": "y2 - 2*l1*sin(phi1) - l2*sin(phi2)",
        },
    )  # fmt: skip
    for k in "12":
        m.body(f"bar {k}", f"m{k}", f"m{k}*l{k}**2/3", at=(f"x{k}", f"y{k}"), angle=f"phi{k}")
    form = da.equations(m, form="dalembert", independent=["phi1", "phi2"])
    s = form.symbols
    m1, m2, l1, l2, g, p1, p2 = (s[x] for x in ("m1", "m2", "l1", "l2", "g", "phi1", "phi2"))
    x1, y1, t1, x2, y2, t2 = (s[f"{x}''"] for x in ("x1", "y1", "phi1", "x2", "y2", "phi2"))
    one = (
        -l1 * sp.sin(p1) * (m1 * x1 + 2 * m2 * x2)
        + l1 * sp.cos(p1) * (m1 * (y1 + g) + 2 * m2 * (y2 + g))
        + m1 * l1**2 / 3 * t1
    )
    two = m2 * l2 * (-sp.sin(p2) * x2 + sp.cos(p2) * (y2 + g)) + m2 * l2**2 / 3 * t2
    assert sp.expand(form.residuals[0] - one) == 0 and sp.expand(form.residuals[1] - two) == 0
    assert form.derivation.J[2, 2] == 2 * l1 * sp.sin(p1) and form.derivation.J[3, 5] == -l2 * sp.cos(p2)
