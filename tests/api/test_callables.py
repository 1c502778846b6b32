"""Laws as Python functions, on the slow path: the same motion as the same law as an expression or a number."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import pendulum, spatial_pair

PAIRS = {
    "spring": (
        lambda m: m.spring("F", (m.ground, (0, 1)), ("bar", (0, 0)), stiffness=3, damping=0.2, force=lambda length, v, t: length**2 - v * t),
        lambda m: m.spring("F", (m.ground, (0, 1)), ("bar", (0, 0)), stiffness=3, damping=0.2, force="l**2 - v*t"),
    ),
    "torsion_spring": (
        lambda m: m.torsion_spring("F", "A", stiffness=2, torque=lambda theta, omega, t: math.sin(theta) + 0.1 * omega),
        lambda m: m.torsion_spring("F", "A", stiffness=2, torque="sin(theta) + 0.1*omega"),
    ),
    "actuator": (
        lambda m: m.actuator("F", "A", force=lambda s, v, t: -3 * s - 0.1 * v + t),
        lambda m: m.actuator("F", "A", force="-3*s - 0.1*v + t"),
    ),
    "force": (
        lambda m: m.force("F", "bar", (lambda t: math.cos(t), 2.0), at=(1, 0)),
        lambda m: m.force("F", "bar", ("cos(t)", 2.0), at=(1, 0)),
    ),
    "torque": (
        lambda m: m.torque("F", "bar", lambda t: 3 * t),
        lambda m: m.torque("F", "bar", "3*t"),
    ),
    "method of an object": (
        lambda m: m.torque("F", "bar", Ramp(3.0).value),
        lambda m: m.torque("F", "bar", "3*t"),
    ),
    "numpy result": (
        lambda m: m.torque("F", "bar", lambda t: np.float64(3 * t)),
        lambda m: m.torque("F", "bar", "3*t"),
    ),
    "built-in": (lambda m: m.torque("F", "bar", math.sin), lambda m: m.torque("F", "bar", "sin(t)")),
}  # fmt: skip


class Ramp:
    def __init__(self, slope: float) -> None:
        self.slope = slope

    def value(self, t: float) -> float:
        return self.slope * t


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_as_an_expression(name):
    runs = []
    for make in PAIRS[name]:
        m = pendulum()
        make(m)
        runs.append(da.simulate(m, until=0.3, rtol=1e-9, atol=1e-11, output=0.05))
    slow, fast = runs
    assert slow.status == "ok"
    # the same loop, the same steps: only the order of additions in the law differs
    assert np.abs(slow.q - fast.q).max() < 1e-11
    assert np.abs(slow["A"].force - fast["A"].force).max() < 1e-9
    assert np.abs(slow["F"].power - fast["F"].power).max() < 1e-9


def test_in_space():
    runs = []
    for value in ((lambda t: 0.3 * t, 0.0, lambda t: 1.0), ("0.3*t", 0.0, 1.0)):
        m = spatial_pair()
        m.torque("F", "second", value, against="first", frame="body")
        runs.append(da.simulate(m, until=0.2, output=0.05))
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-11


def test_a_spline_is_an_expression_of_time():
    table = da.spline([0, 1, 2], [0, 1, 0])
    m = pendulum()
    m.torque("F", "bar", table)
    m.actuator("G", "A", force=table)
    assert not any(law.law.function for law in da.compile(m).builder.laws)
    run = da.simulate(m, until=1.0, output=[0.0, 1.0])
    assert run["F"].torque[-1] == pytest.approx(1.0, abs=1e-12)
