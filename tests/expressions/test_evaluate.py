"""Values of trees, and messages where there is none."""

import math

import numpy as np
import pytest

from dalembert.errors import ExpressionError
from dalembert.model.expression import Name, functions, parse

AT = {"x": 0.3, "y": -1.7, "t": 2.0, "rate(O.angle)": 4.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3 - 4/8", 6.5),
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("(-2)**3", -8.0),
        ("0**0", 1.0),
        ("4**0.5", 2.0),
        ("x**-1", 1 / 0.3),
        ("pi + exp(1)", math.pi + math.e),
        ("sin(x) + cos(x) + tan(x)", math.sin(0.3) + math.cos(0.3) + math.tan(0.3)),
        ("asin(x) + acos(x) + atan(x)", math.pi / 2 + math.atan(0.3)),
        ("atan2(y, x)", math.atan2(-1.7, 0.3)),
        ("cosh(x)**2 - sinh(x)**2 + tanh(x) - sinh(x)/cosh(x)", 1.0),
        ("log(exp(x)) + log10(1000) + sqrt(16)", 7.3),
        ("hypot(3, 4)", 5.0),
        ("abs(y) + sign(y) + sign(0) + sign(3)", 1.7),
        ("floor(y) + floor(2.5)", 0.0),
        ("min(3, x, 7) + max(3, x, 7)", 7.3),
        ("x < 1", 1.0),
        ("x >= 1", 0.0),
        ("x == 0.3", 1.0),
        ("x != 0.3 or y <= -1.7", 1.0),
        ("x > 0 and y > 0", 0.0),
        ("not y", 0.0),
        ("if_(x > 0, 10, 20)", 10.0),
        ("ramp(t, 0, 4)", 0.5),
        ("ramp(t, 3, 4) + ramp(t, 0, 1)", 1.0),
        ("ramp(t, 4, 0)", 0.5),
        ("step(t, 1, 10, 3, 20)", 15.0),
        ("step(t, 3, 10, 4, 20)", 10.0),
        ("step(t, 0, 10, 1, 20)", 20.0),
        ("step(0.25, 0, 0, 1, 1)", 0.25**3 * (10 - 15 * 0.25 + 6 * 0.0625)),
        ("2*rate(O.angle)", 8.0),
        # branches that are not taken, operands that are not needed, may have no value
        ("if_(y > 0, log(y), 7)", 7.0),
        ("y > 0 and log(y) > 1", 0.0),
        ("y < 0 or log(y) > 1", 1.0),
    ],
)
def test_values(text: str, value: float):
    assert parse(text).evaluate(AT) == pytest.approx(value, rel=1e-14, abs=1e-14)  # a few roundings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 + log(y + 1)", ["log(y + 1)", "y + 1 = -0.7", "y = -1.7", "positive"]),
        ("1/(x - 0.3)", ["x - 0.3 = 0", "divisor"]),
        ("sqrt(y)", ["y = -1.7", "not negative"]),
        ("asin(t)", ["t = 2", "between -1 and 1"]),
        ("y**0.5", ["positive base"]),
        ("0**-1", ["positive base"]),
        ("exp(1000*t)", ["1000*t = 2000", "too large"]),
        ("1e308*10", ["too large"]),
        ("1e308 + 1e308 - 1e308", ["1e+308 + 1e+308", "too large"]),
        ("ramp(t, 1, 1)", ["x0 and x1"]),
        ("step(t, x, 0, x, 1)", ["x0 and x1"]),
        ("if_(log(y) > 0, 1, 2)", ["log(y)"]),
        ("log(y) > 0 and 1", ["log(y)"]),
        ("max(1, log(y))", ["log(y)"]),
        ("floor(log10(0))", ["log10(0)", "positive"]),
    ],
)
def test_messages_name_the_part_and_its_values(text: str, words: list[str]):
    with pytest.raises(ExpressionError) as info:
        parse(text).evaluate(AT)
    for word in words:
        assert word in str(info.value)
    assert all([info.value.asked, info.value.found, info.value.why, info.value.do])


def test_message_of_a_huge_expression_is_short():
    tree = parse("1" + " + x" * 200) + parse("1/(x - x)")
    with pytest.raises(ExpressionError) as info:
        tree.evaluate({"x": 1.0})
    assert len(str(info.value)) < 800 and "x - x = 0" in str(info.value)
    names = [Name(f"name_{i}") for i in range(20)]
    tree = functions.log(sum(names[1:], names[0]) * 0)
    with pytest.raises(ExpressionError, match="…"):
        tree.evaluate({n.name: 1.0 for n in names})


def test_names_need_numbers():
    with pytest.raises(ExpressionError, match="did you mean 'length'"):
        parse("2*lenght").evaluate({"length": 1.0})
    with pytest.raises(ExpressionError, match="there are none yet"):
        parse("r").evaluate()
    for bad in ["1", None, 1j, True]:
        with pytest.raises(ExpressionError, match="one real number"):
            parse("r + 1").evaluate({"r": bad})  # type: ignore[dict-item]
    for bad in [math.nan, math.inf, 10**400]:
        with pytest.raises(ExpressionError, match="finite"):
            parse("r + 1").evaluate({"r": bad})
    assert parse("r + 1").evaluate({"r": np.float32(0.5)}) == 1.5
    assert type(parse("r + 1").evaluate({"r": np.float64(0.5)})) is float


def test_step_is_smooth():
    """Value, slope and curvature of the step are continuous at both ends."""
    step = parse("step(x, 1, 2, 3, 5)")
    slope, curve = step.diff("x"), step.diff("x").diff("x")
    for end, level in ((1.0, 2.0), (3.0, 5.0)):
        for side in (-1e-9, 0.0, 1e-9):
            assert step.evaluate({"x": end + side}) == pytest.approx(level, abs=1e-12)
            assert slope.evaluate({"x": end + side}) == pytest.approx(0.0, abs=1e-12)
            assert curve.evaluate({"x": end + side}) == pytest.approx(0.0, abs=1e-6)  # of the order of the distance
    assert slope.evaluate({"x": 2.0}) == pytest.approx(3.0 / 2.0 * 15.0 / 8.0)  # largest slope: 15/8 of the chord
