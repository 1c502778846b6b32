"""Time: continuing a run, running backwards, output times."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

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
    run = da.simulate(m, until=1.0, output=5.0)
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
