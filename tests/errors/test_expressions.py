"""Expressions: unknown names, faults of grammar, drivers that are not functions of time, laws that Python cannot call."""

from __future__ import annotations

import math

import pytest

import dalembert as da

from .checks import pendulum, refused

pytestmark = pytest.mark.usefixtures("no_kernels")


def test_unknown_names_are_suggested():
    m = pendulum()
    m.parameter("omega", 3.0)
    with refused(da.ExpressionError, "driver 'motor'", "'omgea'", "did you mean 'omega'?", "^^^^^"):
        m.drive("motor", "A.angle", "omgea*t")
    with refused(da.ExpressionError, "driver 'motor'", "'A.angel'", "did you mean 'A.angle'?"):
        m.drive("motor", "A.angel", "t")
    with refused(da.ExpressionError, "spring 'S'", "'x'"):
        m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), force="x*l")
    with refused(da.ExpressionError, "body 'b': mass", "'rho'"):
        m.body("b", mass="rho*2", inertia=1.0)
    with refused(da.ExpressionError, "constraint 'c'", "'bar.z'"):
        m.constraint("c", "bar.z - 1")
    with refused(da.ExpressionError, "force 'F'", "'k'"):
        m.force("F", "bar", ("k", 0))
    with refused(da.ExpressionError, "start condition on 'A.angle': value", "'q'"):
        m.start("A.angle", value="q")


def test_what_is_constant_cannot_change_with_time():
    """The message says what to write instead, and that spring can be made."""
    m = pendulum()
    ends = (m.ground, (0, 1)), ("bar", (0, 0))
    with refused(
        da.ExpressionError, "spring 'S': stiffness", "'t'", "cannot change with the time", "force='(100 + 10*t)"
    ):
        m.spring("S", *ends, stiffness="100 + 10*t", free_length=0.5)
    with refused(da.ExpressionError, "spring 'S': stiffness", "'A.angle'", "cannot change with a measure"):
        m.spring("S", *ends, stiffness="100*A.angle", free_length=0.5)
    with refused(da.ExpressionError, "spring 'S': stiffness", "'k'", "m.parameter('k', 1.0)"):
        m.spring("S", *ends, stiffness="k")
    m.spring("S", *ends, force="(100 + 10*t)*(l - 0.5)")
    with refused(da.ExpressionError, "'bar.z'", "known"):
        m.measure("height", "bar.z - 1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2*",
        "sin(",
        "sin()",
        "1 2",
        "a b",
        ")",
        "t t",
        "2**",
        "__import__('os')",
        "lambda: 1",
        "t[0]",
        "1 < t < 2",
        "\x00",
        "é*",
        "x" * 3000,
        "(" * 100,
    ],
)
def test_faults_of_grammar(text):
    m = pendulum()
    for call in (
        lambda: m.drive("new", "A.angle", text),
        lambda: m.torque("new", "bar", text),
        lambda: m.actuator("new", "A", force=text),
        lambda: m.constraint("new", text),
        lambda: m.measure("new", text),
        lambda: m.body("new", mass=text, inertia=1),
    ):
        with refused(da.ModelError, "new"):
            call()


def test_drivers_are_functions_of_time():
    m = pendulum()
    with refused(da.ModelError, "driver 'motor'", "bar.x", "function of time"):
        m.drive("motor", "A.angle", "bar.x")
    for law in (None, math.nan, lambda t: t, [1, 2], object(), "rate(A.angle)"):
        with refused(da.ModelError, "driver 'motor'"):
            m.drive("motor", "A.angle", law)


@pytest.mark.parametrize(
    ("text", "what"),
    [("1/t", "value"), ("log(t)", "value"), ("sqrt(t)", "rate"), ("t**1.5", "acceleration"), ("sqrt(t - 1)", "value")],
)
def test_drivers_without_a_finite_start(text, what):
    m = pendulum()
    m.drive("motor", "A.angle", text)
    with refused(da.ModelError, "driver 'motor'", f"its {what} at t = 0"):
        da.simulate(m, until=1.0)


def test_rates_belong_in_laws():
    m = pendulum()
    with refused(da.ModelError, "measure 'v'", "rate(bar.x)"):
        m.measure("v", "2*rate(bar.x)")
    with refused(da.ModelError, "constraint 'c'", "rate(bar.x)"):
        m.constraint("c", "rate(bar.x)")
    m.actuator("a", "A", force="-2*rate(bar.x)")
    assert da.compile(m).n_rows == 2


def test_a_parameter_named_like_a_quantity_of_the_law():
    m = pendulum()
    v = m.parameter("v", 3.0)
    with refused(da.ModelError, "spring 'S'", "'v'", "rename"):
        m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), force="2*v")
    m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), stiffness=v)


@pytest.mark.parametrize("law", [lambda: 0.0, lambda t: 0.0, lambda a, b: 0.0, lambda a, b, c, d: 0.0, int, math.atan2])
def test_functions_that_cannot_be_called_with_length_rate_and_time(law):
    m = pendulum()
    with refused(da.ModelError, "spring 'S'"):
        m.spring("S", (m.ground, (0, 0)), ("bar", (0, 0)), force=law)
    with refused(da.ModelError, "actuator 'S'"):
        m.actuator("S", "A", force=law)
    with refused(da.ModelError, "torsion_spring 'S'"):
        m.torsion_spring("S", "A", torque=law)


def test_load_functions_take_the_time():
    m = pendulum()
    with refused(da.ModelError, "force 'F'", "(t)"):
        m.force("F", "bar", (lambda a, b: 1.0, 0.0))
    with refused(da.ModelError, "torque 'F'", "(t)"):
        m.torque("F", "bar", lambda: 1.0)
