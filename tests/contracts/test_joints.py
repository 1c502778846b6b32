"""Contracts of every joint in the registry, in the plane and in space, between two moving bodies and against the ground."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.comparison.plain import Plain
from dalembert.model.joints import JOINTS

from .motion import Observer, at, consistent, derivative, flow, random_velocity
from .samples import case_id, generator, joint_cases, sample

JOINT = pytest.mark.parametrize(("tag", "plane"), joint_cases(), ids=case_id)
GROUND = pytest.mark.parametrize("ground", [False, True], ids=["moving", "ground"])

# differences of the seven-point formula at unit velocities and lengths are right to 1e-12; curvatures may be some hundred
DIFFERENCE = 1e-9


@GROUND
@JOINT
def test_drawn_pose_satisfies_the_joint(tag, plane, ground):
    system = da.compile(sample(tag, plane, ground=ground).model)
    e = at(system, 0.0, system.q0, np.zeros(system.nv))
    # round-off of numbers of size 1
    assert np.max(np.abs(e.phi)) < 1e-14


@GROUND
@JOINT
def test_row_is_derivative_of_value(tag, plane, ground):
    s = sample(tag, plane, ground=ground)
    system, rng = da.compile(s.model), generator("row", tag, plane)
    rows = system.rows_of("part")
    q, admissible = consistent(system, rng)
    on_rates = np.array([system.numbering.rows[r].rate_only for r in rows])
    for v in (admissible, random_velocity(system, rng)):
        e = at(system, 0.0, q, v)
        moved = derivative(lambda h: at(system, h, flow(plane, q, v, h), v).phi)
        assert np.allclose((e.jac @ v - e.nu)[rows][~on_rates], moved[rows][~on_rates], atol=DIFFERENCE)
        # a condition on velocities has no value; that its row is right is for `test_condition_on_velocities_is_that_of_the_plain_twin`
        assert np.all(e.phi[rows][on_rates] == 0.0) and np.all(moved[rows][on_rates] == 0.0)
    assert np.max(np.abs(at(system, 0.0, q, admissible).jac @ admissible)) < 1e-12


CONDITIONS = [c for c in joint_cases() if any(row.is_rate for row in sample(*c).part.rows())]


@GROUND
@pytest.mark.parametrize(("tag", "plane"), CONDITIONS, ids=case_id)
def test_condition_on_velocities_is_that_of_the_plain_twin(tag, plane, ground):
    # rows, right-hand sides and biases from vectors and their rates, off the constraints and at any velocity
    s = sample(tag, plane, ground=ground)
    system, rng = da.compile(s.model), generator("twin", tag, plane)
    twin = Plain(s.model)
    order = [r for part in dict.fromkeys(held.part for held in twin.held) for r in system.rows_of(part)]
    for _ in range(3):
        q, v = flow(plane, system.q0, random_velocity(system, rng), 0.3), random_velocity(system, rng)
        e, plain = at(system, 0.0, q, v), twin.arrays(0.0, q, v, {})
        # sums of a few products of numbers of size 1
        assert e.jac[order] == pytest.approx(plain.jac, abs=1e-12)
        assert e.nu[order] == pytest.approx(plain.nu, abs=1e-12)
        assert e.gamma[order] == pytest.approx(plain.gamma, abs=1e-11)


@GROUND
@pytest.mark.parametrize(("tag", "plane"), CONDITIONS, ids=case_id)
def test_condition_on_velocities_cannot_be_integrated(tag, plane, ground):
    # round a small loop of admissible motions the bodies do not come back: a bracket of two of them is not admissible
    s = sample(tag, plane, ground=ground)
    system, rng = da.compile(s.model), generator("bracket", tag, plane)
    q, _ = consistent(system, rng)

    def admissible(q, w):
        jac = at(system, 0.0, q, np.zeros(system.nv)).jac
        return w - np.linalg.lstsq(jac, jac @ w, rcond=1e-10)[0]

    largest = 0.0
    for _ in range(6):
        one, two = random_velocity(system, rng), random_velocity(system, rng)
        rows = [r for r in system.rows_of("part") if system.numbering.rows[r].rate_only]
        along = [
            derivative(lambda h: at(system, 0.0, flow(plane, q, admissible(q, a), h), np.zeros(system.nv)).jac[rows])  # noqa: B023
            @ admissible(q, b)
            for a, b in ((one, two), (two, one))
        ]
        # d omega (X, Y) for X, Y with omega = 0; in space also the structure constants of rotations in body axes
        bracket = along[0] - along[1]
        if not plane:
            jac = at(system, 0.0, q, np.zeros(system.nv)).jac[rows]
            x, y = admissible(q, one).reshape(-1, 6), admissible(q, two).reshape(-1, 6)
            turning = np.zeros_like(x)
            turning[:, 3:] = np.cross(x[:, 3:], y[:, 3:])
            bracket = bracket - jac @ turning.ravel()
        largest = max(largest, float(np.max(np.abs(bracket))))
    assert largest > 1e-3


@GROUND
@JOINT
def test_bias_is_derivative_of_row_times_velocity(tag, plane, ground):
    # along a path of constant v, d/dt (J v - nu) = J a - gamma with a = 0
    s = sample(tag, plane, ground=ground)
    system, rng = da.compile(s.model), generator("bias", tag, plane)
    rows = system.rows_of("part")
    q, admissible = consistent(system, rng)

    def rates(t, q, v):
        e = at(system, t, q, v)
        return e.jac @ v - e.nu

    for v in (admissible, random_velocity(system, rng)):
        moved = derivative(lambda h: rates(h, flow(plane, q, v, h), v))
        assert np.allclose(-at(system, 0.0, q, v).gamma[rows], moved[rows], atol=DIFFERENCE)
    # along a true motion the constraint is kept: J a = gamma
    e = at(system, 0.0, q, admissible)
    assert np.allclose(e.jac @ e.a, e.gamma, atol=1e-11 * max(1.0, np.max(np.abs(e.a))))


@GROUND
@JOINT
def test_row_count_is_rank(tag, plane, ground):
    s = sample(tag, plane, ground=ground)
    system = da.compile(s.model)
    q, v = consistent(system, generator("rank", tag, plane))
    rows = system.rows_of("part")
    jac = at(system, 0.0, q, v).jac[rows]
    assert len(rows) >= 1
    # singular values of independent rows of unit size are far above 1e-3, dependent ones at 1e-16
    assert np.linalg.matrix_rank(jac, tol=1e-3 * np.linalg.norm(jac, 2)) == len(rows)


def _start(model, rng):
    """Loads on every body, and initial conditions that set the whole mechanism in motion: an admissible random velocity."""
    n = 2 if model.plane else 3
    for body in model.bodies:
        model.force(
            f"push {body.name}", body, rng.uniform(-5, 5, n), at=body.point(*rng.uniform(-1, 1, n)), frame="body"
        )
        model.torque(f"twist {body.name}", body, rng.uniform(1, 2) if model.plane else rng.uniform(1, 2, 3))
    system = da.compile(model)
    e = at(system, 0.0, system.q0, np.zeros(system.nv))
    v = random_velocity(system, rng)
    v = v - np.linalg.lstsq(e.jac, e.jac @ v - e.nu, rcond=1e-10)[0]
    return da.State(0.0, system.q0, v, bodies=tuple(system.body_names))


@GROUND
@JOINT
def test_reactions_balance_and_do_no_work(tag, plane, ground):
    s = sample(tag, plane, ground=ground)
    start = _start(s.model, generator("work", tag, plane))
    run = da.simulate(s.model, until=0.1, start=start, output=0.02, audit=False)
    # random loads lift some rollers off, which makes the run doubtful; balance and work of the joint are the same
    assert run.audit.passed, run.audit
    assert {note.kind for note in run.warnings} <= {"contact pulls"}
    pad = lambda x: np.column_stack([x, np.zeros(len(x))]) if x.shape[-1] == 2 else np.asarray(x)  # noqa: E731
    turn = lambda x: np.column_stack([np.zeros((len(x), 2)), x]) if x.ndim == 1 else np.asarray(x)  # noqa: E731
    power, force, moment, size = 0.0, 0.0, 0.0, 1e-300
    for body in s.part.bodies:
        load = run["part"].on(body)
        f, n = pad(load.force), turn(load.torque)
        k = run.kinematics(body)
        u = k.rotation @ run.marker(s.part, body).point
        velocity = k.velocity + np.cross(k.omega, u)
        power = power + np.einsum("ti,ti->t", f, velocity) + np.einsum("ti,ti->t", n, k.omega)
        force, moment = force + f, moment + n + np.cross(k.position + u, f)
        size = max(size, np.max(np.abs(f)), np.max(np.abs(n)))
    assert size > 1e-3, "the joint carries no load: nothing is tested"
    # action is minus reaction; velocities are of size 1 and satisfy the joint to 1e-13
    assert np.max(np.abs(force)) < 1e-11 * size
    assert np.max(np.abs(moment)) < 1e-11 * size
    assert np.max(np.abs(power)) < 1e-11 * size
    assert np.max(np.abs(run["part"].power)) == 0.0


@GROUND
@pytest.mark.parametrize(("tag", "plane"), [c for c in joint_cases() if JOINTS[c[0]].symmetric], ids=case_id)
def test_swapped_bodies_give_the_same_motion(tag, plane, ground):
    runs = []
    for swap in (False, True):
        s = sample(tag, plane, ground=ground, swap=swap)
        start = _start(s.model, generator("swap", tag, plane))
        runs.append(da.simulate(s.model, until=0.3, start=start, output=0.1, rtol=1e-11, atol=1e-12))
    # two runs with errors of 1e-11 per step each
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-9)
    assert np.allclose(runs[0].v, runs[1].v, atol=1e-8)


@pytest.mark.parametrize(("tag", "plane"), [c for c in joint_cases() if not JOINTS[c[0]].symmetric], ids=case_id)
def test_declared_asymmetric_joints_are(tag, plane):
    # a joint that declares itself asymmetric must not escape the test above without reason
    ends = []
    for swap in (False, True):
        s = sample(tag, plane, swap=swap)
        start = _start(s.model, generator("swap", tag, plane))
        ends.append(da.simulate(s.model, until=0.3, start=start, output=0.3, audit=False).q[-1])
    assert np.max(np.abs(ends[0] - ends[1])) > 1e-6


@GROUND
@JOINT
def test_coordinates_have_rates(tag, plane, ground):
    s = sample(tag, plane, ground=ground)
    rng = generator("coordinates", tag, plane)
    measures = s.part.coordinates()
    system = da.compile(s.model, extra=tuple(measures.values()))
    q, v = consistent(system, rng)
    for name, measure in measures.items():
        assert getattr(s.part, name).name == measure.name == f"part.{name}" or tag == "constraint"
        look = Observer(system, measure)
        value, rate, row, bias = look(0.0, q, v)
        assert np.isfinite(value)
        if not measure.is_rate:
            moved = derivative(lambda h: look(h, flow(plane, q, v, h), v)[0])  # noqa: B023
            assert rate == pytest.approx(moved, abs=DIFFERENCE)
        assert bias == pytest.approx(derivative(lambda h: look(h, flow(plane, q, v, h), v)[1]), abs=DIFFERENCE)  # noqa: B023
        assert row @ v == pytest.approx(rate, abs=1e-12)


@pytest.mark.parametrize("tag", JOINTS)
def test_joint_is_presentable(tag):
    cls = JOINTS[tag]
    assert cls.tag == tag
    assert cls.glyph.isidentifier()
    assert cls.planes and set(cls.planes) <= {True, False}
    method = getattr(da.Mechanism, tag)
    assert cls.__doc__ and method.__doc__ == cls.__doc__
    assert list(inspect.signature(method).parameters)[:2] == ["self", "name"]
    for plane in (True, False):
        m = da.Mechanism("bare", plane=plane)
        m.body("b", mass=1.0, inertia=1.0 if plane else (1.0, 1.0, 1.0))
        # called without arguments it says what is missing; in the wrong dimension it says so
        with pytest.raises(da.ModelError, match=tag):
            getattr(m, tag)("part")
        assert "part" not in m
        if plane not in cls.planes:
            with pytest.raises(da.ModelError, match="exists in"):
                getattr(m, tag)("part")


@JOINT
def test_repr_names_the_bodies(tag, plane):
    s = sample(tag, plane)
    text = repr(s.part)
    assert tag in text and all(body.name in text for body in s.part.bodies)
    assert len({id(b) for b in s.part.bodies}) == len(s.part.bodies) >= 1
