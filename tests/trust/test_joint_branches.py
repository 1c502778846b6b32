"""constant_velocity held r_0 r_z = 0 for r_z = 0: bent through 180 degrees a run could jump to r_0 = 0, its spin by 4 rad/s, status "ok"."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.analyses.comparison.plain import Plain
from dalembert.analyses.driven.newton_euler import FreeBodies
from dalembert.model.reading import quaternion_matrix, quaternion_product
from dalembert.symbolic.export.numpy import evaluators
from dalembert.symbolic.mechanism.written import written

INERTIA = np.array([1.0, 2.0, 3.0])


def bending(spin):
    m = da.Mechanism("bending", plane=False)
    body = m.body("body", mass=1.0, inertia=tuple(INERTIA), spin=spin)
    m.constant_velocity("K", m.ground, body, at=(0, 0, 0), axis="z")
    return m


def table(u):
    """E with omega' = 2 E(u) u' for the quaternion (u_0, u_1, u_2, 0)."""
    a, x, y = u
    return np.array([[-x, a, 0.0], [-y, 0.0, a], [0.0, y, -x]])


def reference(spin, times):
    """The body on the sphere of quaternions without z: Lagrange's equations with E(u) v = -E(v) u, and |u| = 1."""

    def rate(t, s):
        u, v = s[:3], s[3:]
        E, F = table(u), table(v)
        matrix = np.block([[E.T @ (INERTIA[:, None] * E), u[:, None]], [u[None], np.zeros((1, 1))]])
        right = np.concatenate([-2.0 * F.T @ (INERTIA * (E @ v)), [-v @ v]])
        return np.concatenate([v, np.linalg.solve(matrix, right)[:3]])

    start = np.concatenate([[1.0, 0.0, 0.0], np.array([0.0, spin[0], spin[1]]) / 2.0])
    s = solve_ivp(rate, (0.0, times[-1]), start, t_eval=times, rtol=1e-11, atol=1e-12).y.T
    return [(quaternion_matrix(np.array([*x[:3], 0.0])), 2.0 * table(x[:3]) @ x[3:]) for x in s]


@pytest.mark.parametrize("spin", [(2, 2, 0), (3, 1, 0), (1, 2, 0), (2, -1, 0)])
def test_bent_through_half_a_turn(spin):
    m = bending(spin)
    run = da.simulate(m, until=6.0, output=0.05)
    assert run.status == "ok"
    motion = run.kinematics(m["body"])
    # it passes 180 degrees, where both axes are opposite
    assert np.min(motion.rotation[:, 2, 2]) < -0.99
    true = reference(spin, run.t)
    # default tolerances over 6 s
    for k, (rotation, spin_in_body) in enumerate(true):
        assert np.max(np.abs(motion.rotation[k] - rotation)) < 1e-4
        assert np.max(np.abs(motion.rotation[k].T @ motion.omega[k] - spin_in_body)) < 1e-4
    assert np.ptp(run.energy.total) < 1e-5 * run.energy.total[0]


def test_drawn_at_half_a_turn():
    """Axes drawn opposite to each other: the row is as regular there as anywhere."""
    m = da.Mechanism("folded", plane=False)
    body = m.body("body", mass=1.0, inertia=tuple(INERTIA), spin=(1, 0, 0.5))
    m.constant_velocity("K", m.ground, body, at=(0, 0, 0), axis=((0, 0, 1), (0, 0, -1)))
    jac = da.equations(m).jac
    assert np.linalg.matrix_rank(jac, tol=1e-6) == 4
    run = da.simulate(m, until=1.0)
    assert run.status == "ok" and np.ptp(run.energy.total) < 1e-6
    assert da.verify(m).agree


def test_all_ways_of_computing_agree_on_both_sides():
    """Plain numpy, SymPy and Newton-Euler follow the sign of r through 180 degrees, which the run passes at 1.1 s."""
    m = bending((2, 2, 0))
    m.torque("load", m["body"], (0.3, -0.2, 0.5))
    run = da.simulate(m, until=2.0, output=0.25)
    symbols = written(m)
    call = evaluators(symbols.functions, ["phi", "J", "gamma"])
    balance = FreeBodies(run)
    _, efforts, _ = balance.efforts()
    assert efforts == pytest.approx(run.lam, abs=1e-9) or efforts == pytest.approx(-run.lam, abs=1e-9)
    signs = set()
    for t in run.t:
        state = run.at(float(t))
        signs.add(bool(state.q[3] > 0.0))
        e = da.equations(m, state)
        plain = Plain(m).arrays(state.t, state.q, state.v, {})
        for mine, other, symbol in zip(
            (e.phi, e.jac, e.gamma), (plain.phi, plain.jac, plain.gamma), ("phi", "J", "gamma")
        ):
            assert mine == pytest.approx(other, abs=1e-12)
            assert mine == pytest.approx(np.reshape(call[symbol](state.t, state.q, state.v, []), mine.shape), abs=1e-12)
    assert signs == {True, False}


def hinge(**options):
    m = da.Mechanism("hinge", plane=False, gravity=(0, -9.81, 0))
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), center=(0.5, 0, 0), **options)
    return m, arm


@pytest.mark.parametrize(
    "tag, turned", [("revolute", (1, 0, 0)), ("cylindrical", (0, 1, 0)), ("fixed", (0, 0, 1)), ("prismatic", (0, 0, 1))]
)
def test_joints_the_wrong_way_round_are_refused(tag, turned):
    """Rows of parallel axes hold for opposite axes too; a state put together like that was simulated without a word."""
    m, arm = hinge()
    options = {"fixed": {}, "prismatic": {"along": "z"}}.get(tag, {"axis": "z"})
    getattr(m, tag)("A", m.ground, arm, at=(0, 0, 0), **options)
    system = da.compile(m)
    q = np.array(system.q0)
    half = np.array([0.0, *turned], dtype=float)
    q[3:7] = half
    q[:3] = quaternion_matrix(half) @ q[:3]
    state = da.State(0.0, q, np.zeros(6))
    assert np.max(np.abs(da.equations(m, state).phi)) < 1e-14  # its rows hold
    with pytest.raises(da.AssemblyError, match="'A' is the wrong way round"):
        da.simulate(m, until=0.1, start=state)
    with pytest.raises(da.AssemblyError, match="'A' is the wrong way round"):
        da.assemble(m, start=state)


def test_a_run_that_turns_a_hinge_round_is_not_ok():
    """Where a run came out with its hinge the other way round, all rows would hold and its energy too."""
    m, arm = hinge()
    m.revolute("A", m.ground, arm, at=(0, 0, 0), axis="z")
    run = da.simulate(m, until=0.2)
    assert run.status == "ok"
    half = np.array([0.0, 1.0, 0.0, 0.0])
    for k in range(len(run.t) // 2, len(run.t)):
        run.q[k, 3:7] = quaternion_product(half, run.q[k, 3:7])
    run._cache.clear()
    run._audit = None
    assert [note.kind for note in run.warnings] == ["turned round"] and run.warnings[0].parts == ("A",)
