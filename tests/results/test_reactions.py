"""Reactions of redundant constraints: the equations hold, unique ones are untouched, the others are the smallest and follow the model."""

import numpy as np
import pytest

import dalembert as da

G = 9.81


def rotation(seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def door(A, second="revolute", span=2.0):
    """A door of 20 kg, 1 m wide, on two hinges on the z axis at heights 0 and `span`, its mass centre half-way up; all turned by A."""
    m = da.Mechanism("door", plane=False, gravity=tuple(A @ (0, 0, -G)))
    leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=tuple(A @ (0.5, 0, 1)), rotation=A)
    axis = tuple(A[:, 2])
    m.revolute("low", m.ground, leaf, at=(0, 0, 0), axis=axis)
    getattr(m, second)("high", m.ground, leaf, at=tuple(A @ (0, 0, span)), axis=axis)
    m.start(m["low"].angle, rate=3.0)
    return da.simulate(m, until=0.5, output=0.1)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_symmetric_hinges_share_the_weight(seed):
    A = np.eye(3) if seed is None else rotation(seed)
    run = door(A)
    low, high = (run[name].force @ A for name in ("low", "high"))
    # round-off of forces of 200 N through the algebra of some 10 rows
    assert np.allclose(low[:, 2], 20 * G / 2, atol=1e-9) and np.allclose(high[:, 2], 20 * G / 2, atol=1e-9)
    # net force: weight and centripetal force, m w^2 r = 20 * 9 * 0.5
    turned = run["low.angle"]
    inward = np.column_stack([-np.cos(turned), -np.sin(turned)])
    assert np.allclose(low[:, :2] + high[:, :2], 90.0 * inward, atol=1e-7)
    assert run.audit.not_unique == ("high", "low") and run.audit.degrees_of_freedom == 1


def test_the_smallest_of_all_that_fit():
    run = door(rotation(3))
    # any other choice, made by adding a null vector, satisfies the equations too and has larger loads
    state = da.State(float(run.t[2]), run.q[2], run.v[2], run.angles[2])
    jac = da.equations(run.system, state).jac
    null = np.linalg.svd(jac.T)[2][np.linalg.matrix_rank(jac) :].T
    assert null.shape[1] == 5 == len(run.audit.redundant_rows)
    from dalembert.results.reactions import _unit_loads

    loads = _unit_loads(run)[2]
    best = np.linalg.norm(loads @ run.lam[2])
    for n in null.T:
        assert np.linalg.norm(loads @ (run.lam[2] + 0.1 * n)) > best
        assert abs((loads @ n) @ (loads @ run.lam[2])) < 1e-8 * best, "the loads are perpendicular to every dependency"


def test_equations_hold_with_them():
    run = door(rotation(4))
    for k in range(len(run.t)):
        e = da.equations(run.system, da.State(float(run.t[k]), run.q[k], run.v[k], run.angles[k]))
        assert np.allclose(e.M @ run.a[k] + e.jac.T @ run.lam[k], e.Q, atol=1e-9)


def test_what_is_unique_stays():
    # spherical below and cylindrical above: the axial force of the spherical joint is the weight, whatever the rest does
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -G))
    leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=(0.5, 0, 1))
    m.spherical("low", m.ground, leaf, at=(0, 0, 0))
    m.cylindrical("high", m.ground, leaf, at=(0, 0, 2), axis=(0, 0, 1))
    run = da.simulate(m, until=0.2, output=0.1)
    assert np.allclose(run["low"].force[:, 2], 20 * G, atol=1e-9)


def test_without_redundancy_nothing_is_done():
    m = da.Mechanism("bar", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    run = da.simulate(m, until=0.1, output=0.1)
    assert run.lam is run.basic_lam
