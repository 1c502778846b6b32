"""Laws that fail while a simulation runs: the element is named, and the time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .checks import pendulum, refused


def test_a_function_that_raises():
    m = pendulum()
    m.actuator("engine", "A", force=lambda s, v, t: 1.0 / 0.0)
    with refused(da.ModelError, "actuator 'engine'", "ZeroDivisionError", "t = 0") as caught:
        da.simulate(m, until=0.1)
    assert isinstance(caught[0].__cause__, ZeroDivisionError)


@pytest.mark.parametrize("value", [None, "1", [1.0], 1j, True])
def test_a_function_that_returns_no_number(value):
    m = pendulum()
    m.force("wind", "bar", (lambda t: value, 0.0))
    with refused(da.ModelError, "force 'wind'", "returned", "a law must return a number"):
        da.simulate(m, until=0.1)


def test_a_function_that_returns_nan():
    m = pendulum()
    m.force("wind", "bar", (lambda t: math.nan, 0.0))
    with refused(da.ConvergenceError, "'pendulum'", "no longer finite", "'wind'"):
        da.simulate(m, until=0.1)


def test_an_expression_without_value_later():
    m = pendulum()
    m.torque("brake", "bar", "0.1*sqrt(0.05 - t)")
    with refused(da.ConvergenceError, "'brake'", "t = 0.0") as caught:
        da.simulate(m, until=0.1)
    # the law ends at t = 0.05 exactly; the last accepted step lies before it, within the smallest step
    assert caught[0].result.t[-1] <= 0.05


def test_an_expression_without_value_at_the_start():
    m = pendulum()
    m.torque("brake", "bar", "1/t")
    with refused(da.ConvergenceError, "'brake'", "t = 0 s"):
        da.simulate(m, until=0.1)


def test_a_driver_that_ends():
    m = pendulum()
    m.drive("motor", "A.angle", "t/if_(t < 0.05, 1, 0)")
    with refused(da.ConvergenceError, "'pendulum'", "'motor'"):
        da.simulate(m, until=0.1)


def test_a_driver_whose_rate_grows_without_bound():
    m = pendulum()
    m.drive("motor", "A.angle", "sqrt(0.05 - t)")
    with refused(da.ConvergenceError, "'pendulum'", "step size became too small at t = 0.05 s"):
        da.simulate(m, until=0.1)


def raises_after(when):
    def force(s, v, t):
        if t > when:
            raise ZeroDivisionError("too late")
        return -50.0 * s - s**3

    m = da.Mechanism("block", plane=True)
    guide = m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.1), along=(1, 0))
    m.actuator("push", guide, force=force)
    m.start(guide.slide, 0.3, rate=0.0)
    return m


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "radau5"}, {"method": "variational", "step": 1e-3}, {"method": "partitioned"}, {"output": [0.0, 0.31, 0.7, 0.9]}],
    ids=["default", "radau5", "variational", "partitioned", "times"],
)  # fmt: skip
def test_what_was_computed_before_a_function_raised_is_whole(options):
    """All outputs of the steps before it, to the last bit those of a run in which nothing is raised."""
    with refused(da.ModelError, "'push'", "ZeroDivisionError") as caught:
        da.simulate(raises_after(0.735), until=1.0, **options)
    part, whole = caught[0].result, da.simulate(raises_after(2.0), until=1.0, **options)
    n = len(part.t)
    steps = whole.trace.kept.t
    last = float(steps[np.flatnonzero(steps <= 0.735)[-1]])
    assert part.trace.kept.t[-1] == last
    assert np.array_equal(part.t, whole.t[whole.t <= last])
    assert np.array_equal(part.q, whole.q[:n])
    assert np.array_equal(part["push"].force, whole["push"].force[:n])
    assert part.audit.passed


def test_what_was_computed_between_events_before_a_function_raised_is_whole():
    m = raises_after(0.735)
    m.parameter("p", 0.0)
    m.event("at", "t", level=0.5, set={"p": 1.0})
    with refused(da.ModelError, "'push'", "ZeroDivisionError") as caught:
        da.simulate(m, until=1.0)
    assert caught[0].result.t[-1] > 0.7
