"""Laws that fail while a simulation runs: the element is named, and the time."""

from __future__ import annotations

import math

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
