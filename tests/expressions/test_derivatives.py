"""Exact derivatives against central differences, and their light simplification."""

import random

import pytest

from dalembert.model.expression import FUNCTIONS, Number, functions, parse

from .trees import CAM, LIFT, smooth_tree, values


def central(tree, name: str, at: dict[str, float], h: float = 1e-5) -> float:
    """Central difference of fourth order: error h^4 f^(5)/30 + rounding/h."""

    def f(d: float) -> float:
        return tree.evaluate({**at, name: at[name] + d})

    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


@pytest.mark.parametrize(
    "text",
    [
        "3*x - x/7 + 2", "x*x*x", "x/(1 + x**2)", "1/x", "x**3", "x**-2", "x**0.5", "2**x", "x**x", "x**(y*x)",
        "sin(2*x)", "cos(x**2)", "tan(x)", "asin(x/3)", "acos(x/3)", "atan(3*x)", "atan2(x, 1 + x**2)", "atan2(y, x)",
        "sinh(x)", "cosh(x)", "tanh(x)", "exp(-x**2)", "log(x + 1)", "log10(x)", "sqrt(1 + x)", "hypot(x, y*x)",
        "abs(x - 2)", "abs(2 - x)*x", "sign(x)*x", "floor(x) + x", "-x**2", "min(x**2, x)", "max(x**2, x, 0.1)",
        "if_(x > 1, x**2, x**3)", "if_(x < 1, x**2, x**3)", "(x > 1)*x", "(not x) + x", "x*(x > 0 and x < 5)",
        "ramp(x, 1, 4)*x", "ramp(2, 1, x)", "step(x, 1, 2, 4, -3)", "step(2, 1, x, x*3, x**2)", "step(1.5, x, 0, 1, 2)",
        "cam(x)", "cam'(x/2)", "cam''(x)*x", "cam'''(x)*x", "lift(x**2)", "lift(-x)",
    ],
)  # fmt: skip
def test_each_rule_against_differences(text: str):
    tree = parse(text, tables={"cam": CAM, "lift": LIFT})
    at = {"x": 1.3, "y": 0.6}
    assert tree.diff("x").evaluate(at) == pytest.approx(central(tree, "x", at), rel=1e-8, abs=1e-8)


def test_random_smooth_trees_against_differences():
    rng = random.Random(10)
    for _ in range(150):
        tree, at = smooth_tree(rng, 3), values(rng)
        scale = max(1.0, abs(tree.evaluate(at)))
        for name in sorted(tree.names):
            slope = tree.diff(name)
            expected = central(tree, name, at, 1e-4)
            assert slope.evaluate(at) == pytest.approx(expected, rel=1e-6, abs=1e-6 * scale), (str(tree), name)


def test_second_derivatives_commute():
    rng = random.Random(11)
    for _ in range(60):
        tree, at = smooth_tree(rng, 2), values(rng)
        for a in sorted(tree.names):
            for b in sorted(tree.names):
                one, two = tree.diff(a).diff(b).evaluate(at), tree.diff(b).diff(a).evaluate(at)
                assert one == pytest.approx(two, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("3", "0"), ("y", "0"), ("x", "1"), ("2*x", "2"), ("x*2", "2"), ("x + y", "1"), ("y - x", "-1"), ("-x", "-1"),
        ("x**2", "2*x"), ("x**3", "3*x**2"), ("x/2", "0.5"), ("sin(x)", "cos(x)"), ("cos(2*x)", "-2*sin(2*x)"),
        ("exp(x)", "exp(x)"), ("log(x)", "1/x"), ("sqrt(x)", "0.5/sqrt(x)"), ("y*x", "y"), ("sign(x)", "0"),
        ("if_(y, x, x)", "1"), ("if_(y, 1, 2)", "0"), ("x == 1", "0"), ("cam(x)", "cam'(x)"), ("cam'''(x)", "0"),
        ("rate(x)", "0"), ("max(x, y)", "if_(x >= y, 1, 0)"),
    ],
)  # fmt: skip
def test_derivatives_are_readable(text: str, slope: str):
    assert str(parse(text, tables={"cam": CAM}).diff("x")) == slope


def test_rate_is_a_name_of_its_own():
    tree = parse("c*rate(x)**2 + x")
    assert str(tree.diff("rate(x)")) == "c*(2*rate(x))"
    assert tree.diff("x") == Number(1)


def test_simplify():
    assert str(parse("0*x + 1*y - 0").simplify()) == "y"
    assert str(parse("2*(3*x)").simplify()) == "6*x"
    assert str(parse("x*1 + 0/x + x**1 + x**0 - 1").simplify()) == "x + x + 1 - 1"
    assert str(parse("sin(0) + (2 - 2)").simplify()) == "0"
    assert str(parse("x - x").simplify()) == "0"
    assert str(parse("-(-x)").simplify()) == "x"
    assert str(parse("-1*x").simplify()) == "-x"
    assert str(parse("if_(1 > 2, x, y)").simplify()) == "y"
    assert str(parse("1/0 + x").simplify()) == "1/0 + x"  # no value: left alone, the message comes with evaluation
    assert str(parse("0/0").simplify()) == "0/0"
    assert str(CAM(Number(0.7)).simplify()) == "1"


def test_kinks_take_the_branch_that_the_value_takes():
    assert parse("abs(x)").diff("x").evaluate({"x": 0.0}) == 0.0
    assert parse("max(x, 2*x)").diff("x").evaluate({"x": 0.0}) == 1.0
    assert parse("min(2*x, x)").diff("x").evaluate({"x": 0.0}) == 2.0
    assert parse("x**2").diff("x").evaluate({"x": -3.0}) == -6.0


def test_every_function_has_been_differentiated():
    """Each function of the table occurs in the list of rules above (so that a new one is not forgotten)."""
    marks = test_each_rule_against_differences.pytestmark
    texts = " ".join(marks[0].args[1])
    assert [name for name in FUNCTIONS if f"{name}(" not in texts and name != "rate"] == []
    assert functions.rate("x").diff("rate(x)") == Number(1)
