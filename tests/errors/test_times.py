"""Arguments of simulate: times, tolerances, outputs, methods, states.  Everything is told before a kernel runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .checks import pendulum, refused, space

pytestmark = pytest.mark.usefixtures("no_kernels")


def test_until_equal_to_the_start():
    with refused(da.MethodError, "simulate('pendulum')", "until = 0.0", "equals the start"):
        da.simulate(pendulum(), until=0)
    state = da.State(2.0, [0.5, 0, 0], [0, 0, 0])
    with refused(da.MethodError, "until = 2.0", "equals the start"):
        da.simulate(pendulum(), until=2.0, start=state)


def test_until_before_the_start():
    with refused(da.MethodError, "until = -1.0", "before the start at 0.0", "backward=True"):
        da.simulate(pendulum(), until=-1)
    with refused(da.MethodError, "until = 1.0", "after the start", "backward=True"):
        da.simulate(pendulum(), until=1, backward=True)


@pytest.mark.parametrize(
    "until",
    [math.nan, math.inf, -math.inf, None, "1", [1.0], 1j, True, 10**400, 1e300, np.array([1.0]), np.float32("inf")],
)
def test_until_is_a_finite_number(until):
    with refused(da.MethodError, "'pendulum'", "until"):
        da.simulate(pendulum(), until=until)


@pytest.mark.parametrize("name", ["rtol", "atol"])
@pytest.mark.parametrize("value", [0, -1e-6, 1.0, 2, math.nan, math.inf, None, "1e-6", True, [1e-6], np.array([1e-6])])
def test_tolerances(name, value):
    with refused(da.MethodError, "'pendulum'", name):
        da.simulate(pendulum(), until=1.0, **{name: value})


def test_rtol_below_rounding():
    with refused(da.MethodError, "rtol = 1e-16"):
        da.simulate(pendulum(), until=1.0, rtol=1e-16)


@pytest.mark.parametrize(
    "output",
    [
        0,
        -0.1,
        math.nan,
        math.inf,
        "step",
        "",
        [],
        [[0.1]],
        [0.1, math.nan],
        ["0.1"],
        [None],
        {0.1},
        {"a": 1},
        object(),
        1j,
        np.array([0.1 + 0j]),
        True,
        [True],
    ],
)
def test_outputs(output):
    with refused(da.MethodError, "'pendulum'", "output"):
        da.simulate(pendulum(), until=1.0, output=output)


def test_outputs_outside_the_run():
    with refused(da.MethodError, "output time 1.5", "0.0 … 1.0"):
        da.simulate(pendulum(), until=1.0, output=[0.5, 1.5])
    with refused(da.MethodError, "output time -0.5"):
        da.simulate(pendulum(), until=1.0, output=[-0.5])


def test_a_number_of_outputs_in_the_place_of_their_step():
    with refused(da.MethodError, "output = 400 in a run of 2 s", "400 outputs are output=0.005", "output=[0, 2]"):
        da.simulate(pendulum(), until=2.0, output=400)
    with refused(da.MethodError, "output = 2.5 in a run of 2 s", "longer than the run") as caught:
        da.simulate(pendulum(), until=-2.0, backward=True, output=2.5)
    assert "outputs are" not in str(caught[0])


def test_more_outputs_than_memory():
    with refused(da.MethodError, "1e-300"):
        da.simulate(pendulum(), until=1.0, output=1e-300)
    with refused(da.MethodError, "outputs", "memory"):
        da.simulate(pendulum(), until=1e9, output=1e-3)
    m = space()
    for k in range(300):
        m.body(f"x{k}", mass=1, inertia=(1, 1, 1))
    with refused(da.MethodError, "outputs of 302 bodies", "memory"):
        da.simulate(m, until=1.0, output=1e-6)


@pytest.mark.parametrize("method", [4, "rk4", None, 8.0, True, "", [8], "dop835"])
def test_methods(method):
    with refused(da.MethodError, "method", "known"):
        da.simulate(pendulum(), until=1.0, method=method)


@pytest.mark.parametrize("step", [0, -1, math.nan, "1", True, [1]])
def test_largest_step(step):
    with refused(da.MethodError, "'pendulum'", "max_step"):
        da.simulate(pendulum(), until=1.0, max_step=step)


@pytest.mark.parametrize("name", ["backward", "audit", "progress"])
@pytest.mark.parametrize("value", [0, 1, "yes", [], np.array([True, False])])
def test_flags(name, value):
    with refused(da.MethodError, "'pendulum'", name):
        da.simulate(pendulum(), until=1.0, **{name: value})


@pytest.mark.parametrize("model", [None, "pendulum", 3, object(), da.Mechanism])
def test_the_first_argument_is_a_mechanism(model):
    with refused(da.MethodError, "a Mechanism or a Lagrangian is needed"):
        da.simulate(model, until=1.0)
    with refused(da.ModelError, "a Mechanism is needed"):
        da.compile(model)


@pytest.mark.parametrize("start", [0.0, "start", (0, 1), [0.5, 0, 0], object()])
def test_a_start_is_a_state(start):
    with refused(da.MethodError, "'pendulum'", "a State is needed", "run.at(t)"):
        da.simulate(pendulum(), until=1.0, start=start)


def test_states_that_do_not_fit():
    q, v = [0.5, 0, 0], [0, 0, 0]
    for t in (math.nan, math.inf, "0", None, [0.0, 1.0]):
        with refused(da.MethodError, "t = "):
            da.State(t, q, v)
    for bad in ("abc", [[1, 2, 3]], [1j, 0, 0], None, object()):
        with refused(da.MethodError, "State"):
            da.State(0.0, bad, v)
    for q1, v1 in (([0.5, 0], v), (q, [0, 0, 0, 0]), ([math.nan, 0, 0], v), (q, [0, math.inf, 0])):
        with refused(da.MethodError, "'pendulum'", "3"):
            da.simulate(pendulum(), until=1.0, start=da.State(0.0, q1, v1))
    with refused(da.MethodError, "'pendulum'", "crank", "bar"):
        da.simulate(pendulum(), until=1.0, start=da.State(0.0, q, v, bodies=("crank",)))
    m = da.Mechanism("one", plane=False)
    m.body("b", mass=1, inertia=(1, 1, 1))
    with refused(da.MethodError, "'b'", "quaternion"):
        da.simulate(m, until=1.0, start=da.State(0.0, [0, 0, 0, 2, 0, 0, 0], np.zeros(6)))
