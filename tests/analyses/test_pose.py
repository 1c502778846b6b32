"""Pose: arrays of a mechanism at one state against finite differences, energy and the definitions they stand for.

Derivatives are seven-point central differences of step 2e-3 (error about 1e-12 for functions of size one, see contracts.motion), so
1e-9 relative to the largest entry is a bound with room; everything else is rounding, 1e-11.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from contracts.motion import derivative, flow
from errors.checks import refused
from identities.random_mechanisms import build, draw
from identities.twin import kinetic_energy

import dalembert as da
from dalembert.analyses.pose.pose import Pose
from dalembert.model.kinds import read_mechanism

from .machines import fb4

NUMERIC, ROUNDING = 1e-9, 1e-11


def driven():
    """FB4 with a driver, a spring and a constraint of measures and time."""
    m = fb4()
    m.drive("motor", m["A"].angle, "1.5707963267948966 + 0.8*t + 0.3*sin(2*t)")
    m.spring(
        "S", m.ground.point(2.0, 3.0), m["coupler"].point(0.5, 0.1), stiffness=700.0, damping=20.0, free_length=1.0
    )
    return m


def arm():
    """Hinge, universal joint, ball and a rod to a particle, in space; the hinge is driven."""
    m = da.Mechanism("arm", plane=False, gravity=(1.0, -2.0, -9.0))
    upper = m.body("upper", mass=2.0, inertia=(0.1, 0.2, 0.25), at=(0.3, 0.1, 0.0), rotation=((1, 1, 0), 0.4))
    lower = m.body("lower", mass=1.0, inertia=(0.05, 0.06, 0.03), at=(0.7, 0.3, 0.2), rotation=((0, 1, 2), 0.9))
    bob = m.particle("bob", mass=0.5, at=(1.0, 0.4, 0.2))
    m.revolute("A", m.ground, upper, at=(0, 0, 0), axis=(1, 2, 0))
    m.universal("B", upper, lower, at=(0.6, 0.2, 0), axes=((0, 1, 1), (2, 0, 0)))
    m.distance("C", lower.point(0.1, 0, 0), bob.point(0, 0, 0))
    m.drive("motor", m["A"].angle, "0.7*t + 0.2*sin(3*t)")
    m.spring("S", m.ground.point(1, 1, 1), bob.point(0, 0, 0), stiffness=30.0, free_length=0.4)
    return m


def door(second="revolute"):
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    leaf = m.body("leaf", mass=20.0, inertia=(1.0, 4.0, 3.0), at=(0.5, 0, 0))
    m.revolute("low", m.ground, leaf, at=(0, 0, -0.8), axis=(0, 0, 1))
    options = {} if second == "spherical" else {"axis": (0, 0, 1)}
    getattr(m, second)("high", m.ground, leaf, at=(0, 0, 0.8), **options)
    return m


MODELS = {
    "FB4": fb4,
    "FB4 driven": driven,
    "FB4 in space": lambda: fb4(plane=False),
    "arm": arm,
    "random plane": lambda: build(draw(4)),
    "random space": lambda: build(draw(11)),
}


@pytest.fixture(params=list(MODELS))
def pose(request):
    """A model at its start, moving at random (not consistently: rows are functions of any state)."""
    m = MODELS[request.param]()
    found = Pose.of(m, asked=request.param)
    rng = np.random.default_rng(3)
    found.v[:] = rng.uniform(-1, 1, found.system.nv)
    width = found.system.builder.width
    for b, body in enumerate(m.bodies):
        if body.particle:
            found.v[width * b + (2 if m.plane else 3) : width * (b + 1)] = 0.0
    return found


def moved(pose, q=None, t=None, v=None):
    """Another pose of the same system, its angles counted from there."""
    found = Pose(pose.system, pose.t if t is None else t, pose.q if q is None else q, pose.v if v is None else v)
    found.work.angle[:], found.work.angle_time[0] = pose.work.angle, found.t
    return found


def close(found, expected, tolerance):
    expected = np.asarray(expected)
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    assert np.max(np.abs(np.asarray(found) - expected), initial=0.0) <= tolerance * size


# -- rows ----------------------------------------------------------------------------------------------------------------


def test_jacobian_is_the_derivative_of_the_residual(pose):
    rng = np.random.default_rng(7)
    for _ in range(3):
        delta = rng.uniform(-1, 1, pose.system.nv)
        slope = derivative(lambda h: moved(pose, pose.shifted(h * delta)).phi)
        close(pose.jac @ delta, slope, NUMERIC)


def test_nu_is_minus_the_rate_of_the_residual_in_time(pose):
    """J v = nu with nu = -Phi_t: the residual changes by itself while nothing moves."""
    close(pose.nu, -derivative(lambda h: moved(pose, t=pose.t + h).phi), NUMERIC)


def test_gamma_is_what_is_left_of_the_second_derivative(pose):
    """d/dt (J v - nu) = J a - gamma: along a motion of constant v it is -gamma."""
    plane = pose.system.plane

    def rate(h):
        there = moved(pose, flow(plane, pose.q, pose.v, h), pose.t + h)
        return there.jac @ there.v - there.nu

    close(pose.gamma, -derivative(rate), NUMERIC)


def test_rows_have_names_units_and_scales(pose):
    m = pose.system.model
    assert [row.name for row in pose.rows] == pose.system.row_names
    assert {row.part for row in pose.rows} == {p.name for p in [*m.parts("joint"), *m.parts("driver")]}
    for row, scale in zip(pose.rows, pose.scale):
        assert scale == pytest.approx(1.0 / pose.system.length if row.unit == "m" else 1.0, rel=1e-14)


# -- forces and solution -------------------------------------------------------------------------------------------------


def test_mass_is_that_of_the_kinetic_energy(pose):
    twice = pose.v @ (pose.mass @ pose.v)
    assert 0.5 * twice == pytest.approx(kinetic_energy(pose.system, pose.q, pose.v), rel=1e-13)


def test_solution_solves(pose):
    pose.velocity_onto()
    a, lam = pose.solve()
    kept = ~pose.dropped
    force, jac = pose.force, pose.jac
    close(pose.mass @ a + jac.T @ lam, force, ROUNDING)
    close((jac @ a)[kept], pose.gamma[kept], ROUNDING)
    assert np.all(lam[~kept] == 0.0)
    # dependent rows hold as well, because the velocities are consistent
    close(jac @ a, pose.gamma, NUMERIC)


@pytest.mark.parametrize("make", [lambda: fb4(), lambda: arm()], ids=["plane", "space"])
def test_force_is_minus_the_slope_of_the_potential(make):
    """At rest: V = -sum m g . r + 1/2 k (l - l0)^2, by hand from positions."""
    pose = Pose.of(make(), asked="x")
    pose.v[:] = 0.0
    m, system = pose.system.model, pose.system
    masses = [system.builder.drawing.poses[b].properties.mass for b in m.bodies]
    n = 2 if m.plane else 3

    def potential(h, delta):
        q = pose.shifted(h * delta).reshape(len(masses), -1)
        V = -sum(mass * np.dot(m.gravity[:n], r[:n]) for mass, r in zip(masses, q))
        if "S" in m:
            V += 0.5 * 30.0 * (np.linalg.norm(q[2, :3] - 1.0) - 0.4) ** 2
        return V

    rng = np.random.default_rng(1)
    for _ in range(3):
        delta = rng.uniform(-1, 1, system.nv)
        if not m.plane:
            delta[-3:] = 0.0  # a particle does not turn
        assert pose.force @ delta == pytest.approx(-derivative(lambda h: potential(h, delta)), rel=1e-9)


# -- dependent rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (fb4, 0),
        (lambda: fb4(plane=False), 3),
        (door, 5),
        (lambda: door("spherical"), 3),
        (lambda: door("cylindrical"), 4),
    ],
    ids=["FB4", "FB4 in space", "door", "door on a ball", "door on a sleeve"],
)
def test_null_vectors(make, count):
    """As many as rows minus rank; each is zero against J and carries its own row with coefficient 1."""
    pose = Pose.of(make(), asked="x")
    n = pose.null_vectors()
    jac = pose.jac.toarray()
    assert n.shape == (len(jac), count) == (len(jac), len(jac) - np.linalg.matrix_rank(jac, tol=1e-9))
    assert np.max(np.abs(jac.T @ n), initial=0.0) < 1e-12
    left = np.flatnonzero(pose.dropped)
    assert np.array_equal(n[left], np.eye(count))


def test_null_vectors_of_a_model_that_the_saddle_point_solver_serves():
    """A massless coupler rules out the range space."""
    m = da.Mechanism("massless", plane=False, gravity=(0, -9.81, 0))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0.5, 0))
    b = m.body("b", mass=0.0, at=(0.5, 1, 0))
    c = m.body("c", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0.5, 0))
    for name, i, j, at in (
        ("A", m.ground, a, (0, 0, 0)), ("B", a, b, (0, 1, 0)), ("C", b, c, (1, 1, 0)), ("D", m.ground, c, (1, 0, 0)),
    ):  # fmt: skip
        m.revolute(name, i, j, at=at, axis=(0, 0, 1))
    pose = Pose.of(m, asked="x")
    assert "saddle point" in repr(pose.system)
    n = pose.null_vectors()
    assert n.shape == (20, 3) and np.max(np.abs(pose.jac.T @ n)) < 1e-11


# -- motion --------------------------------------------------------------------------------------------------------------


def test_shifted_is_the_motion_at_constant_velocity(pose):
    """Exact in the plane; in space a turn w becomes 2 atan(w/2), which differs by w^3/12: right for derivatives up to the second."""
    delta = np.random.default_rng(2).uniform(-1, 1, pose.system.nv)
    before, plane = pose.q.copy(), pose.system.plane
    for h in (0.2, 0.1, 0.05):
        gap = np.max(np.abs(pose.shifted(h * delta) - flow(plane, pose.q, delta, h)))
        # |delta| is at most sqrt(3), and a quaternion changes by half the turn
        assert gap <= (1e-15 * max(1.0, np.max(np.abs(before))) if plane else (math.sqrt(3) * h) ** 3 / 24)
    if not plane:
        assert np.max(np.abs(np.linalg.norm(pose.shifted(delta).reshape(-1, 7)[:, 3:], axis=1) - 1.0)) < 1e-15 * 4
    close(pose.shifted(np.zeros(pose.system.nv)), before, 1e-15)
    assert np.array_equal(pose.q, before), "the pose itself stays"


def free_motions(pose):
    """Null space of J by singular values."""
    jac = pose.jac.toarray()
    jac = jac / np.linalg.norm(jac, axis=1)[:, None]
    _, s, vt = np.linalg.svd(jac)
    return vt[int(np.sum(s > 1e-7)) :].T


def test_onto_reaches_the_constraints(pose):
    start = pose.q.copy()
    pose.q = pose.shifted(0.02 * pose.system.length * np.random.default_rng(5).uniform(-1, 1, pose.system.nv))
    assert np.max(np.abs(pose.phi * pose.scale)) > 1e-3
    assert pose.onto() <= 1e-13
    assert np.max(np.abs(pose.phi * pose.scale)) < 1e-12
    assert np.max(np.abs(pose.q - start)) < 0.5 * max(1.0, pose.system.length)
    if not pose.system.plane:
        quaternions = pose.q.reshape(-1, 7)[:, 3:]
        assert np.max(np.abs(np.linalg.norm(quaternions, axis=1) - 1.0)) < 1e-14


@pytest.mark.parametrize("make", [fb4, lambda: fb4(plane=False)], ids=["plane", "space"])
def test_onto_takes_the_shortest_way_in_the_mass_metric(make):
    """The step is along M^-1 J^T, so free motions do not see it: Z^T M step = 0, up to the square of the step."""
    pose = Pose.of(make(), asked="x")
    size = 1e-5
    delta = size * np.random.default_rng(5).uniform(-1, 1, pose.system.nv)
    free, mass = free_motions(pose), pose.mass
    pose.q = pose.shifted(delta)
    before = pose.q.copy()
    pose.onto()
    if pose.system.plane:
        step = pose.q - before
    else:
        here, there = pose.q.reshape(-1, 7), before.reshape(-1, 7)
        turn = [2.0 * rotation_between(p, q) for p, q in zip(there[:, 3:], here[:, 3:])]
        step = np.hstack([here[:, :3] - there[:, :3], turn]).ravel()
    assert np.max(np.abs(step)) > 0.1 * size
    assert np.max(np.abs(free.T @ (mass @ step))) < 50.0 * 100.0 * size**2


def rotation_between(p, q):
    """Vector part of p* q: half the small turn in body axes."""
    return p[0] * q[1:] - q[0] * p[1:] - np.cross(p[1:], q[1:])


def test_velocity_onto(pose):
    """J v = nu afterwards; the change is a reaction impulse, to which no free motion yields."""
    before, free = pose.v.copy(), free_motions(pose)
    pose.velocity_onto()
    close(pose.jac @ pose.v, pose.nu, ROUNDING)
    close(free.T @ (pose.mass @ (pose.v - before)), np.zeros(free.shape[1]), 1e-10)


# -- measures and turns --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [driven, arm], ids=["plane", "space"])
def test_measure(make):
    m = make()
    measures = [m["S"].length, m["A"].angle]
    pose = Pose.of(m, asked="x", extra=measures)
    pose.v[:] = np.random.default_rng(8).uniform(-1, 1, pose.system.nv)
    delta = np.random.default_rng(9).uniform(-1, 1, pose.system.nv)
    for measure in measures:
        value, row, rate = pose.measure(measure)
        assert row @ pose.v == pytest.approx(rate, abs=1e-12)
        slope = derivative(lambda h: moved(pose, pose.shifted(h * delta)).measure(measure)[0])
        assert row @ delta == pytest.approx(slope, abs=NUMERIC)
        assert np.isfinite(value)
    length = pose.measure(m["S"].length)[0]
    expected = (
        np.linalg.norm(np.array([2.0, 3.0]) - point_of_coupler(pose.q))
        if m.plane
        else np.linalg.norm(pose.q[14:17] - 1.0)
    )
    assert length == pytest.approx(expected, rel=1e-13)


def point_of_coupler(q):
    x, y, angle = q[3:6]
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x + 0.5 * c - 0.1 * s, y + 0.5 * s + 0.1 * c])


def test_follow_counts_turns_in_space():
    """Twenty turns by 60 degrees, then twenty by -120: the count goes through whole turns in either sense."""
    m = door("spherical")
    pose = Pose.of(m, asked="x", extra=[m["low"].angle])
    angle = 0.0
    for step in (math.pi / 3, -2 * math.pi / 3):
        for _ in range(20):
            angle += step
            pose.q[:] = 0.5 * math.cos(angle), 0.5 * math.sin(angle), 0, math.cos(angle / 2), 0, 0, math.sin(angle / 2)
            pose.follow()
            assert pose.measure(m["low"].angle)[0] == pytest.approx(angle, abs=1e-11)
    assert pose.state.angles[0] == pytest.approx(-20 * math.pi / 3, abs=1e-11)


def test_state_goes_round(pose):
    pose.velocity_onto()
    state = pose.state
    assert state.bodies == tuple(pose.system.body_names)
    again = Pose.of(pose.system.model, state, asked="x")
    for name in ("phi", "nu", "gamma", "force"):
        close(getattr(again, name), getattr(pose, name), ROUNDING)
    assert np.array_equal(again.q, pose.q) and np.array_equal(again.v, pose.v) and again.t == pose.t
    # a copy: what happens to the pose does not change the state
    pose.q += 1.0
    assert np.array_equal(state.q, again.q)


def test_time_of_the_start():
    """Without a state the mechanism is assembled at t: the crank is where its driver is then."""
    pose = Pose.of(driven(), asked="x", t=0.5)
    angle = math.pi / 2 + 0.4 + 0.3 * math.sin(1.0)
    assert pose.t == 0.5 and pose.q[2] == pytest.approx(angle, abs=1e-12)
    assert pose.v[2] == pytest.approx(0.8 + 0.6 * math.cos(1.0), abs=1e-12)


# -- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [None, 5, "FB4", da.Mechanism])
def test_not_a_mechanism(model):
    with refused(da.MethodError, "look", "a Mechanism is needed"):
        read_mechanism("look", model)


def test_no_body():
    with refused(da.ModelError, "look", "no moving body"):
        Pose.of(da.Mechanism("empty"), asked="look")


@pytest.mark.parametrize("state", [5, "start", (0.0, [1.0], [1.0]), np.zeros(9)])
def test_not_a_state(state):
    with refused(da.MethodError, "look", "a State is needed"):
        Pose.of(fb4(), state, asked="look")


def test_state_of_another_size():
    with refused(da.MethodError, "look", "9 and 9"):
        Pose.of(fb4(), da.State(0.0, np.zeros(3), np.zeros(3)), asked="look")


def test_state_off_the_constraints():
    good = Pose.of(fb4(), asked="x").state
    off = good.q.copy()
    off[3] += 0.01
    with refused(da.AssemblyError, "look", "'B'", "0.01"):
        Pose.of(fb4(), da.State(0.0, off, good.v), asked="look")
    assert np.max(np.abs(Pose.of(fb4(), da.State(0.0, off, good.v), asked="look", consistent=False).phi)) == pytest.approx(0.01)  # fmt: skip


def test_velocities_that_break_joints():
    good = Pose.of(fb4(), asked="x").state
    v = good.v.copy()
    v[2] = 5.0
    with refused(da.AssemblyError, "look", "'A'"):
        Pose.of(fb4(), da.State(0.0, good.q, v), asked="look")
