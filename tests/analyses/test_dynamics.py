"""One view of every model: a rod on a pin as a mechanism and in coordinates, asked the same questions, gives the same answers."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics.dynamics import Dynamics, view
from dalembert.analyses.dynamics.start import prepare
from dalembert.analyses.lagrangian.point import Point
from dalembert.analyses.pose.pose import Pose

MASS, LENGTH, G = 2.0, 1.2, 9.81
Q, V = (
    np.array([0.6 * np.cos(0.3), 0.6 * np.sin(0.3), 0.3]),
    1.7 * np.array([-0.6 * np.sin(0.3), 0.6 * np.cos(0.3), 1.0]),
)


def bodies(twice: bool = False) -> da.Mechanism:
    m = da.Mechanism("rod", plane=True, gravity=(0, -G))
    rod = m.body("rod", da.rod(length=LENGTH, mass=MASS), at=Q[:2], angle=Q[2])
    m.revolute("A", m.ground, rod, at=(0, 0))
    if twice:
        m.revolute("B", m.ground, rod, at=(0, 0))
    m.start("A.angle", rate=1.7)
    return m


def coordinates(twice: bool = False) -> da.Lagrangian:
    rows = {"x of A": "x - 0.6*cos(th)", "y of A": "y - 0.6*sin(th)"}
    rows |= {name.replace("A", "B"): f"2*({row})" for name, row in rows.items()} if twice else {}
    m = da.Lagrangian("x y th", holonomic=rows, gravity=(0, -G), name="rod")
    m.body("rod", MASS, MASS * LENGTH**2 / 12, at=("x", "y"), angle="th")
    m.start("th", 0.3, rate=1.7)
    m.guess("x", 0.6)
    return m


def seen(twice: bool = False) -> list[Dynamics]:
    both = prepare(bodies(twice), 0.0, None), prepare(coordinates(twice), 0.0, None)
    return [x.at(0.0, x.state.q, x.state.v) for x in both]


def dense(x: object) -> np.ndarray:
    return np.asarray(x.toarray() if hasattr(x, "toarray") else x)


def test_the_view_belongs_to_the_system():
    one, two = seen()
    assert isinstance(one, Pose) and isinstance(two, Point)
    assert type(view(one.system, 0.0, Q)) is Pose and type(view(two.system, 0.0, Q)) is Point
    assert one.system.nv == two.system.nv == one.system.freedom == two.system.freedom == 3
    for x in (one, two):
        assert x.q == pytest.approx(Q, abs=1e-12) and x.v == pytest.approx(V, abs=1e-12)


def test_rows_and_their_rates():
    for x in seen():
        assert np.max(np.abs(x.phi)) < 1e-12 and np.max(np.abs(x.w)) < 1e-12 and not x.dropped.any()
        # the free motion: a turn about the pin
        assert dense(x.jac) @ V == pytest.approx(0.0, abs=1e-12)
        before, step = x.phi, np.array([1e-3, -2e-3, 0.0])
        x.q = x.q + step
        # rows are linear in the place of the mass centre
        assert x.phi - before == pytest.approx(dense(x.jac) @ step, abs=1e-14)
        x.v = x.v + np.array([0.1, 0.0, 0.0])
        assert x.w == pytest.approx(dense(x.jac) @ (0.1 * np.eye(3)[0]), abs=1e-12)


def test_forces_accelerations_and_reactions():
    one, two = seen()
    assert dense(one.mass) == pytest.approx(two.mass, abs=1e-12)
    assert np.diag(two.mass) == pytest.approx([MASS, MASS, MASS * LENGTH**2 / 12])
    assert one.force == pytest.approx(two.force, abs=1e-12)
    # about the pin: (m l^2 / 3) th'' = -m g l/2 cos th
    turn = -1.5 * G / LENGTH * np.cos(0.3)
    for x in (one, two):
        a, lam = x.solve()
        assert a[2] == pytest.approx(turn, rel=1e-12)
        assert dense(x.jac) @ a == pytest.approx(x.gamma, abs=1e-11)
        reaction = -dense(x.jac).T @ lam
        # Newton: m a = m g + reaction
        assert reaction[:2] == pytest.approx(MASS * a[:2] + np.array([0.0, MASS * G]), abs=1e-11)


@pytest.mark.parametrize("twice", [False, True])
def test_onto_the_rows(twice):
    for x in seen(twice):
        x.detect("test")
        assert x.dropped.sum() == (2 if twice else 0)
        x.q, x.v = x.q + 1e-6 * np.array([1.0, -2.0, 0.5]), x.v + 1e-6
        assert x.settle()
        assert np.max(np.abs(x.phi)) < 1e-12 and np.max(np.abs(x.w)) < 1e-12
        assert x.check_positions("test") < 1e-12 and x.mismatch()[0] < 1e-12
        with pytest.raises(da.AssemblyError, match="'A|of A'"):
            x.q = x.q + np.array([0.01, 0.0, 0.0])
            x.check_positions("test")


def test_caught_by_the_rows():
    """A level rod that falls at v, caught at one end: omega = 3 v / (2 l), energy m v^2 / 8 lost of m v^2 / 2."""
    for x in seen():
        x.q, x.v = np.array([0.6, 0.0, 0.0]), np.array([0.0, -2.0, 0.0])
        x.detect("test")
        blow = x.caught("test")
        assert abs(blow.after.v[2]) == pytest.approx(1.5 * 2.0 / LENGTH, rel=1e-12)
        assert blow.energy_change == pytest.approx(-MASS * 4.0 / 8.0, rel=1e-12)


def test_what_has_no_value():
    m = bodies()
    m.force("bad", m["rod"], (0, "1/(t - 1)"))
    x = prepare(m, 0.0, None)
    assert x.at(0.0, Q, V).without_value(0.1) == []
    assert x.at(1.0, Q, V).without_value(0.1) == ["'bad'"]
    other = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="log(x)")
    other.start("x", 1.0)
    y = prepare(other, 0.0, None)
    assert y.at(0.0, np.ones(1), np.zeros(1)).without_value(0.1) == []
    # 0.1 s later x = -1
    assert y.at(0.0, np.ones(1), np.array([-20.0])).without_value(0.1) == ["the potential"]


def test_rows_given_twice_that_drive_and_jump():
    """x = t until 0.5, then at half the rate, prescribed by two rows that say the same: one blow, M dv + J^T L = 0."""
    law = "if_(t < 0.5, t, 0.25 + 0.5*t)"
    m = da.Lagrangian("x", kinetic="3*rate(x)**2/2", holonomic={"one": f"x - {law}", "two": f"2*x - 2*{law}"})
    run = da.simulate(m, until=1.0)
    assert run.status == "ok" and run.at(1.0).q[0] == pytest.approx(0.75, abs=1e-12)
    (blow,) = run.impulses
    assert blow.before.v[0] == pytest.approx(1.0) and blow.after.v[0] == pytest.approx(0.5)
    assert blow.impulse["one"] + 2.0 * blow.impulse["two"] == pytest.approx(3.0 * 0.5, rel=1e-12)
