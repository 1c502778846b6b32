"""Time: continuing a run, running backwards, output times."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.by_name import times_of
from dalembert.analyses.simulate import output_times

from .models import pendulum, spatial_pair

MODELS = {"plane": pendulum, "space": spatial_pair}


@pytest.mark.parametrize("name", MODELS)
def test_continuing_equals_the_uninterrupted_run(name):
    m = MODELS[name]()
    whole = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-13, output=[0.4, 0.7, 1.0])
    first = da.simulate(m, until=0.4, rtol=1e-11, atol=1e-13)
    second = da.simulate(m, until=1.0, start=first.at(0.4), rtol=1e-11, atol=1e-13, output=[0.4, 0.7, 1.0])
    # two integrations with a tolerance of 1e-11 differ by about 1e-10
    assert np.abs(whole.q - second.q).max() < 2e-10
    assert np.abs(whole.v - second.v).max() < 2e-9
    assert np.array_equal(second.q[0], first.at(0.4).q)
    # reactions are functions of the state
    assert np.abs(whole["A"].force - second["A"].force).max() < 1e-7


@pytest.mark.parametrize("name", MODELS)
def test_continuing_from_between_two_steps(name):
    m = MODELS[name]()
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-13)
    middle = run.at(0.4321)
    again = da.simulate(m, until=1.0, start=middle, rtol=1e-11, atol=1e-13)
    assert np.abs(again.q[-1] - run.q[-1]).max() < 2e-10
    assert again.t[0] == 0.4321


@pytest.mark.parametrize("name", MODELS)
def test_backwards_returns_to_the_start(name):
    m = MODELS[name]()
    there = da.simulate(m, until=0.8, rtol=1e-11, atol=1e-13)
    back = da.simulate(m, until=0.0, start=there.at(0.8), backward=True, rtol=1e-11, atol=1e-13)
    assert back.t[0] == 0.8 and back.t[-1] == 0.0
    assert np.all(np.diff(back.t) < 0)
    # there and back, each to 1e-11 times the growth of the motion
    assert np.abs(back.q[-1] - there.q[0]).max() < 1e-9
    assert np.abs(back.v[-1] - there.v[0]).max() < 1e-8
    assert back.status == "ok"


def test_backwards_before_the_start():
    m = pendulum()
    m.start("A.angle", rate=1.0)
    run = da.simulate(m, until=-0.5, backward=True)
    assert run.t[0] == 0.0 and run.t[-1] == -0.5
    forward = da.simulate(m, until=0.0, start=run.at(-0.5))
    assert np.abs(forward.q[-1] - run.q[0]).max() < 1e-7  # default tolerance 1e-8


def test_turns_survive_a_continuation():
    """A hinge in space that turns steadily: after 2 s at 5 rad/s the angle is 10 rad, also when the run is cut in two."""
    m = da.Mechanism("wheel", plane=False)
    m.body("w", mass=1, inertia=(1, 1, 1), spin=(0, 0, 5))
    m.revolute("A", m.ground, "w", at=(0, 0, 0), axis="z")
    first = da.simulate(m, until=1.3, rtol=1e-11, atol=1e-13)
    second = da.simulate(m, until=2.0, start=first.at(1.3), rtol=1e-11, atol=1e-13)
    # the quaternion is integrated to 1e-11 per step
    assert first["A.angle"][-1] == pytest.approx(6.5, abs=1e-9)
    assert second["A.angle"][-1] == pytest.approx(10.0, abs=1e-9)


def test_output_step():
    m = pendulum()
    run = da.simulate(m, until=1.0, output=0.25)
    assert run.t.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    run = da.simulate(m, until=1.0, output=0.3)
    assert np.allclose(run.t, [0.0, 0.3, 0.6, 0.9, 1.0], rtol=0, atol=1e-15)
    run = da.simulate(m, until=1.0, output=0.1)
    assert len(run.t) == 11 and run.t[-1] == 1.0
    run = da.simulate(m, until=1.0, output=1.0)
    assert run.t.tolist() == [0.0, 1.0]


def test_output_times():
    m = pendulum()
    dense = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
    for times in (
        [0.1, 0.5, 0.7],
        (0.7, 0.1, 0.5, 0.5),
        np.array([0.1, 0.5, 0.7], dtype=np.float32).astype(float).round(6),
        range(0, 1),
    ):
        run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12, output=times)
        assert run.t.tolist() == sorted({float(x) for x in times})
        for k, t in enumerate(run.t):
            assert np.abs(run.q[k] - dense.at(t).q).max() < 1e-8
    back = da.simulate(m, until=-1.0, backward=True, output=[-0.2, -0.9])
    assert back.t.tolist() == [-0.2, -0.9]


def test_output_at_every_step():
    run = da.simulate(pendulum(), until=1.0, output="steps")
    assert len(run.t) == run.audit.steps + 1
    assert run.t[0] == 0.0 and run.t[-1] == 1.0
    other = da.simulate(pendulum(), until=1.0, output=[float(t) for t in run.t])
    assert np.abs(other.q - run.q).max() < 1e-12
    assert np.abs(other.lam - run.lam).max() < 1e-9


def test_default_output():
    run = da.simulate(pendulum(), until=2.0)
    assert len(run.t) == 201
    assert np.abs(np.diff(run.t) - 0.01).max() < 1e-15


def ends(count, seed):
    """Random starts and ends of runs, forward and backward, over ten powers of ten."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        t0 = float(rng.choice([0.0, 0.0, 1.0, -3.3, 1e6]))
        yield t0, t0 + float(rng.choice([-1.0, 1.0])) * float(10 ** rng.uniform(-5, 5)), rng


def test_the_last_output_is_the_end():
    """t0 + (t1 - t0) 200/200 rounds to another number than t1 for one end in twenty."""
    for t0, end, rng in ends(20_000, 1):
        step = abs(end - t0) / float(rng.choice([1.0, 3.0, 7.0, 10.0, rng.uniform(1.0, 50.0)]))
        default, by_step = output_times("times", None, t0, end), output_times("times", step, t0, end)
        assert len(default) == 201
        for times in (default, by_step):
            # from the start to the end itself, each later than the one before, and none outside
            assert times[0] == t0 and times[-1] == end
            assert np.all(np.diff(times) * np.sign(end - t0) > 0.0)
        # all but the last are steps from the start, the last one is not more than a step away
        assert np.allclose(by_step[:-1], t0 + np.sign(end - t0) * step * np.arange(len(by_step) - 1), rtol=1e-15)
        assert abs(by_step[-1] - by_step[-2]) <= step * (1 + 1e-8) + 1e-15 * abs(end)


def test_many_steps_end_at_the_end():
    """Ten million steps of 1e-7 s are 5e-13 s longer than this run, which is not half a step."""
    end = 0.9999999999995
    times = output_times("times", 1e-7, 0.0, end)
    assert len(times) == 10_000_001 and times[-1] == end and np.all(np.diff(times) > 0.0)
    # a motion that is asked for at one instant
    assert output_times("times", 0.1, 0.0, 0.0).tolist() == times_of({"until": 0.0}) == [0.0]


@pytest.mark.parametrize("kind", ["mechanism", "lagrangian", "events", "variational"])
def test_runs_have_the_output_at_their_end(kind):
    """Ends from which the rounded one differs, so that it would lie outside of the run."""
    late = [x for x in np.random.default_rng(3).uniform(0.5, 2.0, 400) if x * np.arange(201)[-1] / 200 > x][:3]
    model = da.Lagrangian("x", "rate(x)^2/2", "2*x^2") if kind == "lagrangian" else pendulum()
    if kind == "events":
        model.event("low", "A.angle", level=-0.1, action=lambda now: None)
    for end in late:
        more = {"method": "variational", "step": 0.01} if kind == "variational" else {}
        run = da.simulate(model, until=float(end), **more)
        assert kind != "events" or len(run.events)
        assert len(run.t) == 201 and run.t[-1] == end, end


def test_largest_step_and_methods():
    run = da.simulate(pendulum(), until=1.0, max_step=0.01, output="steps")
    assert np.diff(run.t).max() <= 0.01 * (1 + 1e-12)
    five, eight = (da.simulate(pendulum(), until=1.0, method=k, rtol=1e-10, atol=1e-12) for k in (5, 8))
    by_name = da.simulate(pendulum(), until=1.0, method="dormand_prince", rtol=1e-10, atol=1e-12)
    assert np.abs(five.q - eight.q).max() < 1e-8
    assert np.array_equal(five.q, by_name.q)
    assert five.audit.method != eight.audit.method


def test_numpy_numbers_are_numbers():
    run = da.simulate(
        pendulum(), until=np.float32(0.5), output=np.float64(0.25), max_step=np.int64(1), rtol=np.float64(1e-8)
    )
    assert run.t.tolist() == [0.0, 0.25, 0.5]
