"""Contracts of every force element in the registry: virtual work, power, potential, Python laws."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.forces import FORCES
from dalembert.system.writing import _LAW_KINDS

from .motion import Observer, at, derivative, flow, matrix, random_velocity
from .samples import Bench, add_body, case_id, force_cases, generator, sample

FORCE = pytest.mark.parametrize(("tag", "plane"), force_cases(), ids=case_id)
GROUND = pytest.mark.parametrize("ground", [False, True], ids=["moving", "ground"])
PLANES = pytest.mark.parametrize("plane", [True, False], ids=case_id)
# seven-point differences of functions of size 1 with derivatives up to some hundred, times forces up to some hundred
DIFFERENCE = 1e-8


def body_forces(system, v):
    """Gravity and gyroscopic terms -omega' x J' omega' of all bodies, in plain numpy."""
    found = []
    g = system.builder.drawing.vector(system.model.gravity)
    for b, body in enumerate(system.builder.bodies):
        p = system.builder.drawing.poses[body].properties
        if system.plane:
            found += [*(p.mass * g[:2]), 0.0]
        else:
            w = v[6 * b + 3 : 6 * b + 6]
            found += [*(p.mass * g), *(-np.cross(w, p.inertia @ w))]
    return np.array(found)


def law_value(law, s, rate, t, values):
    """Twin of `kernels/laws.py`; `values` are what an expression may use."""
    if law.kind == "linear":
        k, s0, c, f0 = law.numbers
        return k * (s - s0) + c * rate + float(f0 if not hasattr(f0, "evaluate") else f0.evaluate({}))
    if law.kind == "stop":
        k, c, limit, side = law.numbers
        depth = side * (s - limit)
        return side * max(k * depth + c * side * rate, 0.0) if depth > 0 else 0.0
    if law.kind == "friction":
        size, speed = law.numbers
        return size * rate / math.sqrt(rate**2 + speed**2)
    if law.kind == "callable":
        return law.function(s, rate, t)
    return law.expression.evaluate({**values, "t": t})


def state_of(system, key):
    """A random state off the drawing."""
    rng = generator("state", key)
    return 0.4, flow(system.plane, system.q0, random_velocity(system, rng), 0.4), random_velocity(system, rng)


def named_values(system, s, t, q, v):
    """Values and rates of all measures that the expressions of samples use."""
    found = {}
    for body in s.model.bodies:
        for name, measure in body.measures().items():
            observed = da.compile(s.model, extra=(measure,))
            value, rate, *_ = Observer(observed, measure)(t, q, v)
            found[f"{body.name}.{name}"], found[f"rate({body.name}.{name})"] = value, rate
    return found


@GROUND
@FORCE
def test_generalized_force_is_virtual_work(tag, plane, ground):
    # Q = -sum f ds/dq: the rows by differences of the measures, the law by its twin
    s = sample(tag, plane, ground=ground)
    system = da.compile(s.model)
    t, q, v = state_of(system, tag)
    e = at(system, t, q, v)
    applied = e.Q - body_forces(system, v)
    expected, power = np.zeros(system.nv), 0.0
    values = named_values(system, s, t, q, v)
    elements = s.part.elements()
    measures = tuple(measure for measure, _ in elements)
    observed = da.compile(s.model, extra=measures)
    for measure in measures:
        # a law may use all measures of its element
        values[measure.name], values[f"rate({measure.name})"] = Observer(observed, measure)(t, q, v)[:2]
    for measure, law in elements:
        look = Observer(observed, measure)
        value, rate, row, _ = look(t, q, v)
        if measure.is_rate:
            row = np.array([look(t, q, unit)[1] for unit in np.eye(system.nv)])
        else:
            row = np.array(
                [derivative(lambda h: look(t, flow(plane, q, unit, h), unit)[0]) for unit in np.eye(system.nv)]
            )  # noqa: B023
        f = law_value(law, value, rate, t, values)
        expected -= f * row
        power -= f * rate
    assert np.max(np.abs(applied)) > 1e-3, "the element does nothing: nothing is tested"
    assert applied == pytest.approx(expected, abs=DIFFERENCE)
    # power: what the element gives to the mechanism is Q v
    assert applied @ v == pytest.approx(power, abs=1e-8)
    # without joints the bodies accelerate by M a = Q
    assert np.linalg.solve(e.M, e.Q) == pytest.approx(e.a, rel=1e-11, abs=1e-11)


@FORCE
def test_power_in_a_run_is_force_times_rate(tag, plane):
    s = sample(tag, plane)
    system = da.compile(s.model)
    start = da.State(0.0, system.q0, random_velocity(system, generator("power", tag)), bodies=tuple(system.body_names))
    run = da.simulate(s.model, until=0.1, start=start, output=0.05)
    assert run.status == "ok", run.audit
    for k, t in enumerate(run.t):
        e = at(system, t, run.q[k], run.v[k])
        applied = e.Q - body_forces(system, run.v[k])
        assert run["part"].power[k] == pytest.approx(applied @ run.v[k], rel=1e-11, abs=1e-11)
        # loads on all bodies of the element are its generalized force, seen from the mass centres
        found = np.zeros(system.nv)
        for b, body in enumerate(system.builder.bodies):
            if body not in s.part.bodies:
                continue
            load = run["part"].on(body)
            kin = run.kinematics(body)
            arm = kin.rotation[k] @ run.marker(s.part, body).point
            if plane:
                f, n = np.array([*load.force[k], 0.0]), np.array([0.0, 0.0, load.torque[k]])
            else:
                f, n = np.asarray(load.force)[k], np.asarray(load.torque)[k]
            n = n + np.cross(arm, f)
            found[system.builder.width * b :][: system.builder.width] = (
                [*f[:2], n[2]] if plane else [*f, *(kin.rotation[k].T @ n)]
            )
        assert found == pytest.approx(applied, abs=1e-10)


POTENTIAL = {
    "spring": {"damping": 0.0},
    "torsion_spring": {"damping": 0.0},
    "stop": {"damping": 0.0},
    "bushing": {"damping": 0.0, "torsion_damping": 0.0},
}


@PLANES
@pytest.mark.parametrize("tag", POTENTIAL)
def test_conservative_elements_have_their_potential(tag, plane):
    # d(potential)/dt along any path is minus the power: both from the results of a run
    s = sample(tag, plane, **POTENTIAL[tag])
    system = da.compile(s.model)
    start = da.State(
        0.0, system.q0, random_velocity(system, generator("potential", tag)), bodies=tuple(system.body_names)
    )
    run = da.simulate(s.model, until=0.2, start=start, output=0.05, rtol=1e-12, atol=1e-13)
    from dalembert.results.work import element_potential

    assert np.ptp(element_potential(run)) > 1e-4, "the element stores nothing: nothing is tested"
    # rtol 1e-12 over some ten steps; a stop begins inside a step, where its force has a kink that no error estimate sees in full
    tolerance = 1e-9 if tag == "stop" else 1e-10
    assert np.ptp(run.energy.total) < tolerance * max(1.0, float(np.max(np.abs(run.energy.total))))


PYTHON = [
    ("spring", "force", "3*l*v - cos(2*t)", lambda l, v, t: 3 * l * v - math.cos(2 * t)),  # noqa: E741
    ("torsion_spring", "torque", "theta**3 - omega*t", lambda theta, omega, t: theta**3 - omega * t),
    ("actuator", "force", "5*sin(s) - v + t", lambda s, v, t: 5 * math.sin(s) - v + t),
    ("force", "value", "2*cos(3*t)", lambda t: 2 * math.cos(3 * t)),
    ("torque", "value", "exp(-t)", lambda t: math.exp(-t)),
]


@PLANES
@pytest.mark.parametrize(("tag", "argument", "text", "function"), PYTHON, ids=[x[0] for x in PYTHON])
def test_python_function_is_the_expression(tag, argument, text, function, plane):
    n = {"force": 2 if plane else 3, "torque": 1 if plane else 3}.get(tag, 1)
    results = []
    for law in (text, function):
        value = law if n == 1 else (law, 1.0, 0.5)[:n]
        s = sample(tag, plane, **{argument: value})
        system = da.compile(s.model)
        t, q, v = state_of(system, tag)
        e = at(system, t, q, v)
        start = da.State(
            0.0, system.q0, random_velocity(system, generator("python", tag)), bodies=tuple(system.body_names)
        )
        # Python functions take no step beyond a hundredth of the run; with the same limit for both the steps are the same
        run = da.simulate(s.model, until=0.1, start=start, output=0.05, method=5, rtol=1e-6, atol=1e-8, max_step=1e-3)
        assert run.status == "ok", run.audit
        results.append((e.Q, e.a, run.q, run["part"].power))
    # the same arithmetic in another order, and the same steps
    for first, second in zip(*results):
        assert np.allclose(first, second, rtol=1e-12, atol=1e-12)


def test_every_potential_and_law_kind_is_covered():
    kinds = set()
    for tag, plane in force_cases():
        kinds |= {law.kind for _, law in sample(tag, plane).part.elements()}
    # friction that slips is known to the time loop alone: tests/friction
    assert kinds | {"callable", "slip"} == set(_LAW_KINDS)


@PLANES
def test_force_and_torque_in_closed_form(plane):
    # force F at the point s' of a body: Q = (F, A^T (u x F)), u = A s'; torque n: Q = (0, A^T n); in body axes F = A F'
    rng = generator("loads", plane)
    n = 2 if plane else 3
    for frame in ("space", "body"):
        m = da.Mechanism("loads", plane=plane)
        body = add_body(m, "b", rng)
        other = add_body(m, "c", rng)
        given, place = rng.uniform(-3, 3, n), rng.uniform(-1, 1, n)
        couple = rng.uniform(1, 2) if plane else rng.uniform(1, 2, 3)
        m.force("push", body, given, at=body.point(*place), frame=frame)
        m.torque("twist", body, couple, frame=frame, against=other)
        system = da.compile(m)
        _, q, v = state_of(system, frame)
        found = at(system, 0.0, q, v).Q - body_forces(system, v)
        pad = lambda x: np.array([*x, 0.0])[:3]  # noqa: E731
        if plane:
            turn = [np.array([[np.cos(p), -np.sin(p), 0], [np.sin(p), np.cos(p), 0], [0, 0, 1]]) for p in (q[2], q[5])]
            twist = np.array([0, 0, couple])
        else:
            turn, twist = [matrix(q[3:7]), matrix(q[10:14])], couple
        centre = system.builder.drawing.poses[body].center
        force = turn[0] @ pad(given) if frame == "body" else pad(given)
        moment = turn[0] @ twist if frame == "body" else twist
        arm = turn[0] @ (pad(place) - centre)
        first = turn[0].T @ (np.cross(arm, force) + moment)
        second = -turn[1].T @ moment
        expected = [*force[:2], first[2], 0, 0, second[2]] if plane else [*force, *first, 0, 0, 0, *second]
        assert found == pytest.approx(np.array(expected), abs=1e-13)


@PLANES
def test_spring_at_zero_length_is_finite(plane):
    # PLANAR problem 6.5.1: free length 0, force k d even at d = 0, never divided by the length
    bench = Bench(plane, generator("zero", plane), ground=True)
    m, body = bench.model, bench.pair[1]
    place = body.point(*bench.point())
    drawn = da.compile(m).builder.drawing
    pose = drawn.poses[body]
    there = (pose.position + pose.rotation @ drawn.place(body, place))[: 2 if plane else 3]
    m.spring("s", m.ground.point(*there), place, stiffness=50.0)
    system = da.compile(m)
    q, v = system.q0, np.zeros(system.nv)
    assert at(system, 0.0, q, v).Q == pytest.approx(body_forces(system, v), abs=1e-12)
    moved = q.copy()
    b = system.body_index("second")
    moved[(3 if plane else 7) * b] += 1e-9
    pull = (at(system, 0.0, moved, v).Q - body_forces(system, v))[system.builder.width * b]
    assert pull == pytest.approx(-50.0 * 1e-9, rel=1e-6)


def test_bushing_moment_is_the_same_for_both_bodies():
    # n sin(theta) is the axial vector of the relative rotation, the same in both bodies: exchanging i and j changes nothing
    results = []
    for swap in (False, True):
        s = sample("bushing", False, swap=swap, torsion=4.0, stiffness=30.0, damping=1.0, torsion_damping=0.5)
        system = da.compile(s.model)
        t, q, v = state_of(system, "bushing")
        # translations are measured along the axes of i; at the common point there is none
        e = at(system, t, system.q0, v)
        turned = system.q0.copy()
        turned[10:14] = flow(False, system.q0, np.eye(12)[9] + 0.5 * np.eye(12)[10], 0.3)[10:14]
        results.append((e.Q, at(system, t, turned, np.zeros(12)).Q[9:12]))
    assert results[0][0] == pytest.approx(results[1][0], abs=1e-12)


@PLANES
def test_stop_never_pulls(plane):
    drawn = sample("stop", plane)
    middle = da.compile(drawn.model).builder.drawing.drawn_value(drawn.part.on)
    lower, upper = middle - 0.1, middle + 0.1
    s = sample("stop", plane, lower=lower, upper=upper, stiffness=50.0, damping=20.0)
    system = da.compile(s.model)
    look = Observer(da.compile(s.model, extra=(s.part.on,)), s.part.on)
    rng = generator("stop", plane)
    seen = set()
    for _ in range(200):
        q = flow(plane, system.q0, random_velocity(system, rng), 0.5)
        v = 3.0 * random_velocity(system, rng)
        value, rate, row, _ = look(0.0, q, v)
        applied = at(system, 0.0, q, v).Q - body_forces(system, v)
        push = applied @ row / (row @ row)
        side = "below" if value < lower else "above" if value > upper else "inside"
        seen.add(side)
        assert push >= -1e-12 if side == "below" else push <= 1e-12 if side == "above" else abs(push) < 1e-12
    assert seen == {"below", "above", "inside"}


@pytest.mark.parametrize("tag", FORCES)
def test_force_is_presentable(tag):
    cls = FORCES[tag]
    assert cls.tag == tag
    assert cls.glyph.isidentifier()
    method = getattr(da.Mechanism, tag)
    assert cls.__doc__ and method.__doc__ == cls.__doc__
    assert list(inspect.signature(method).parameters)[:2] == ["self", "name"]
    for plane in (True, False):
        m = da.Mechanism("bare", plane=plane)
        with pytest.raises(da.ModelError, match=tag):
            getattr(m, tag)("part")
        assert "part" not in m
        part = sample(tag, plane).part
        for name, measure in part.coordinates().items():
            assert getattr(part, name) is not None and measure.name
