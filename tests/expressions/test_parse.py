"""Reading expressions: grammar, round trip of the text, limits, and every message with its position."""

import math
import pickle
import random

import numpy as np
import pytest

from dalembert.errors import DalembertError, ExpressionError
from dalembert.model.expression import (
    FUNCTIONS,
    MAX_LENGTH,
    Call,
    Expr,
    Name,
    Number,
    SplineCall,
    as_expression,
    functions,
    parse,
    spline,
)

from .trees import CAM, LIFT, any_tree

x, y, t = Name("x"), Name("y"), Name("t")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1 + 2*x", 1 + 2 * x),
        ("1 - 2 - x", (Number(1) - 2) - x),
        ("8/x/2", (8 / x) / 2),
        ("-x**2", -(x**2)),
        ("(-x)**2", (-x) ** 2),
        ("x**-2", x**-2),
        ("x^y^2", x ** (y**2)),
        ("-2", Number(-2)),
        ("-2**x", -(2**x)),
        ("-(2)", Call("neg", (Number(2),))),
        ("--x", Call("neg", (-x,))),
        ("+x", x),
        ("-x*y", (-x) * y),
        ("2*-x", 2 * (-x)),
        (".5e1 + 5. + 1E-3", Number(5) + 5 + 1e-3),
        ("2*pi*t", Number(2) * math.pi * t),
        ("e**x", Name("e") ** x),
        ("O.angle/2", Name("O.angle") / 2),
        ("rate(O.angle)", functions.rate("O.angle")),
        ("a.b.c", Name("a.b.c")),
        ("x <= y + 1", x <= y + 1),
        ("not x == y", functions.not_(functions.equal(x, y))),
        ("x < 1 and y > 2 or not t", functions.or_(functions.and_(x < 1, y > 2), functions.not_(t))),
        ("x or y and t", functions.or_(x, functions.and_(y, t))),
        ("if_(x != 0, 1/x, 0)", functions.if_(functions.unequal(x, 0), 1 / x, 0)),
        ("max(x, y, 1)", functions.max(x, y, 1)),
        ("step(t, 0, 0, 1, x)", functions.step(t, 0, 0, 1, x)),
        (" \n\tx \r\n+ 1 ", x + 1),
        ("cam(t)", CAM(t)),
        ("cam''(2*t) + 1", CAM(2 * t, 2) + 1),
        ("ω + φ_1", Name("ω") + Name("φ_1")),
    ],
)
def test_text_gives_the_tree_that_python_gives(text: str, tree: Expr):
    assert parse(text, tables={"cam": CAM}) == tree


def test_literals_are_floats():
    assert isinstance(parse("2").value, float)


def test_text_of_random_trees_parses_back():
    rng = random.Random(1)
    for _ in range(1500):
        tree = any_tree(rng, rng.randint(0, 4))
        if tree.size > 400 or len(str(tree)) > MAX_LENGTH:
            continue
        again = parse(str(tree), tables=tree.tables)
        assert again == tree, str(tree)
        assert hash(again) == hash(tree)
        assert str(again) == str(tree)


def test_numbers_read_back_exactly():
    rng = random.Random(2)
    for _ in range(500):
        number = rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300)
        assert parse(str(Number(number))) == Number(number)


def test_splines_without_a_name_read_back():
    tree = spline([0, 1], [0, 1])(t) - spline([0, 1], [0, 2])(t)
    assert len(tree.tables) == 2
    assert parse(str(tree), tables=tree.tables) == tree


# ---- messages --------------------------------------------------------------------------------------------------------

WRONG = [
    # text, column of the mark (from 0), words of the message
    ("2*pi*tt", 5, ["'tt'", "did you mean 't'?"]),
    ("sin(x) + son(x)", 9, ["'son'", "did you mean 'sin'?"]),
    ("1 + sin", 4, ["function", "sin(x)"]),
    ("1 + atan2(x)", 4, ["1 argument", "atan2(y, x)"]),
    ("max(x)", 0, ["max(a, b, …)"]),
    ("sin()", 0, ["0 arguments"]),
    ("0 < x < 1", 6, ["chain", "and"]),
    ("2x", 0, ["2*x"]),
    ("1.2.3", 0, ["1.2."]),
    ("1e", 0, ["1e"]),
    ("1_000", 0, ["1_"]),
    ("200 mmm", 4, ["no unit"]),
    ("x t", 2, ["operator is missing"]),
    ("x neg t", 2, ["operator is missing"]),
    ("x not t", 2, ["operator is missing"]),
    ("(x + 1", 0, ["never closed"]),
    ("sin(x", 3, ["never closed"]),
    ("x + 1)", 5, ["never opened"]),
    ("(x t)", 3, ["operator is missing"]),
    ("0,5", 1, ["0.5"]),
    ("", 0, ["nothing"]),
    ("   ", 0, ["nothing"]),
    ("x +", 3, ["end of the text"]),
    ("x + * t", 4, ["value on both sides"]),
    ("x *** t", 4, ["** for a power"]),
    ("x // t", 3, ["floor"]),
    ("x = 1", 2, ["=="]),
    ("x % 2", 2, ["floor"]),
    ("x && t", 2, ["and"]),
    ("x || t", 2, ["or"]),
    ("!x", 0, ["not"]),
    ("x[0]", 1, ["indexing"]),
    ('"x"', 0, ["text"]),
    ("'x'", 0, ["text"]),
    ("x'", 1, ["derivative of a table"]),
    ("x²", 1, ["**2"]),
    ("x − 1", 2, ["plain minus"]),
    ("x·t", 1, ["*"]),
    ("30°", 2, ["30 deg"]),
    ("π*t", 0, ["pi"]),
    ("x; t", 1, ["no meaning"]),
    ("x..y", 1, ["no meaning"]),
    ("x.", 1, ["no meaning"]),
    ("1e999", 0, ["1.8e308"]),
    ("9" * 400, 0, ["1.8e308"]),
    ("rate(x + 1)", 5, ["named measure"]),
    ("rate(2)", 5, ["named measure"]),
    ("rate(t)", 5, ["named measure"]),
    ("rate()", 5, ["named measure"]),
    ("rate(xx)", 5, ["did you mean 'x'?"]),
    ("rate", 0, ["rate(name)"]),
    ("cam", 0, ["cam(t)"]),
    ("cam(t, x)", 0, ["one argument"]),
    ("cam''''(t)", 0, ["order 3"]),
    ("cam'", 0, ["cam(t)"]),
    ("camm(t)", 0, ["did you mean 'cam'?"]),
    ("-not x", 1, ["(not …)"]),
    ("and x", 0, ["value on both sides"]),
    ("x and or t", 6, ["value on both sides"]),
    ("x if t else 1", 2, ["operator is missing"]),
    ("lambda: 0", 6, ["no meaning"]),
    ("__import__('os')", 0, ["no such function"]),
    ("x.__class__", 0, ["known"]),
    ("(" * 300 + "x" + ")" * 300, 60, ["nested too deeply"]),
    ("-" * 500 + "x", 60, ["nested too deeply"]),
    ("2**" * 300 + "2", 180, ["nested too deeply"]),
    ("sin(" * 100 + "x" + ")" * 100, 240, ["nested too deeply"]),
    ("1" + "+1" * 300, 499, ["too large"]),
]


@pytest.mark.parametrize(("text", "column", "words"), WRONG, ids=[w[0][:20] for w in WRONG])
def test_messages_show_the_position_and_what_to_do(text: str, column: int, words: list[str]):
    with pytest.raises(ExpressionError) as info:
        parse(text, known=["t", "x"], tables={"cam": CAM}, asked="driver 'motor'")
    error = info.value
    message = str(error)
    assert message.startswith("driver 'motor'")
    for word in words:
        assert word in message
    assert all([error.asked, error.found, error.why, error.do])
    # the mark stands under the character that is named in words
    _, shown, marks = error.found.split("\n")
    assert f"at character {column + 1}" in error.found
    at = marks.index("^")
    if column < len(text.rstrip()):
        assert shown[at] == text[column]


def test_mark_in_a_long_text_with_line_breaks():
    text = "x +\n\t" * 100 + "$ + x" + " + x" * 50
    with pytest.raises(ExpressionError) as info:
        parse(text)
    _, shown, marks = info.value.found.split("\n")
    assert shown[marks.index("^")] == "$"
    assert len(shown) < 120


def test_too_long():
    with pytest.raises(ExpressionError, match="at most 2000"):
        parse("x" * (MAX_LENGTH + 1))
    assert parse("x" * MAX_LENGTH) == Name("x" * MAX_LENGTH)


def test_large_but_legal():
    assert parse("1" + "+1" * 249).evaluate() == 250.0
    assert parse("(" * 50 + "x" + ")" * 50) == x


def test_only_text_and_sensible_tables():
    with pytest.raises(ExpressionError, match="only text"):
        parse(3)  # type: ignore[arg-type]
    with pytest.raises(ExpressionError, match="table named 'sin'"):
        parse("1", tables={"sin": CAM})


def test_known_names():
    assert parse("t + x", known=["t", "x"]).names == {"t", "x"}
    assert parse("rate(x)", known=["x"]) == parse("rate(x)", known={"rate(x)"})
    with pytest.raises(ExpressionError, match="'t'"):
        parse("t", known=[])
    assert parse("anything.goes").names == {"anything.goes"}


def garbage(rng: random.Random) -> str:
    pieces = [
        *"+-*/^<>=!()., '\"[]{}%&|~@#$;:\\\n\t_",
        "**",
        "<=",
        "==",
        "!=",
        "and",
        "or",
        "not",
        "x",
        "t",
        "O.angle",
        "pi",
    ]
    pieces += [
        "1",
        "2.5",
        "1e9",
        "1e",
        ".",
        "9",
        "sin",
        "cam",
        "if_",
        "max",
        "rate",
        "step(",
        "cam'",
        "²",
        "∞",
        "é",
        "\0",
        "𝛑",
    ]
    pieces += ["٣", "\u200b", "\ud800", "\u2028"]
    if rng.random() < 0.3:
        return "".join(chr(rng.choice([rng.randrange(128), rng.randrange(0x3000)])) for _ in range(rng.randint(0, 30)))
    if rng.random() < 0.3:  # a good text with one fault
        text = str(any_tree(rng, 3))
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(["", rng.choice(pieces)]) + text[at + rng.randint(0, 2) :]
    return "".join(rng.choice(pieces) for _ in range(rng.randint(0, 40)))


def test_garbage_raises_nothing_but_expression_errors():
    rng = random.Random(3)
    good = 0
    for _ in range(2000):
        text = garbage(rng)
        try:
            tree = parse(text, tables={"cam": CAM, "lift": LIFT})
            assert parse(str(tree), tables={"cam": CAM, "lift": LIFT}) == tree
            tree.evaluate(dict.fromkeys(tree.names, 0.5))
            good += 1
        except ExpressionError as error:
            assert str(error)
    assert good > 20  # the generator does make sense at times


@pytest.mark.parametrize("text", ["9**9**9", "9**9**9**9**9", "exp(exp(exp(9)))", "10**400", "(9**9)**(9**9)"])
def test_no_hang(text: str):
    # exponential cost would never end
    tree = parse(text)
    with pytest.raises(ExpressionError, match="too large"):
        tree.evaluate()
    tree.simplify()


# ---- other sources ---------------------------------------------------------------------------------------------------


def test_as_expression():
    assert as_expression("x + 1") == x + 1
    assert (
        as_expression(2)
        == as_expression(2.0)
        == as_expression(np.float32(2))
        == as_expression(np.int64(2))
        == Number(2)
    )
    assert as_expression(np.array(2.0)) == Number(2)
    assert as_expression(x) is x
    assert as_expression(CAM) == CAM(t)
    assert as_expression(x + 1, known=["x"]) == x + 1
    assert as_expression(functions.rate("x"), known=["x"]) == functions.rate("x")


@pytest.mark.parametrize(
    "bad",
    [True, False, np.True_, math.nan, math.inf, np.nan, 10**400, None, [1], 1j, b"x", np.array([1.0, 2.0]), object()],
)
def test_as_expression_refuses(bad: object):
    with pytest.raises(ExpressionError, match="length of 'rod'"):
        as_expression(bad, asked="length of 'rod'")


def test_as_expression_checks_names():
    with pytest.raises(ExpressionError, match="did you mean 'radius'"):
        as_expression(Name("radus") + 1, known=["radius", "t"])


def test_python_arithmetic():
    r = Name("r")
    assert str(r / 2 + 0.1) == "r/2 + 0.1"
    assert str(-r) == "-r"
    assert str(r**2 - 2**r) == "r**2 - 2**r"
    assert str(1 - r) == "1 - r" and str(3 * r) == "3*r" and str(3 / r) == "3/r" and str(+r) == "r"
    assert np.float64(2) * r == 2 * r
    assert abs(r) == functions.abs(r)
    assert str(r >= 1) == "r >= 1"
    assert str(r + CAM) == "r + cam(t)"
    for bad in ["text", None, [1]]:
        with pytest.raises(TypeError):
            r + bad  # type: ignore[operator]
    with pytest.raises(TypeError):
        np.array([1.0, 2.0]) * r
    with pytest.raises(ExpressionError):
        functions.sin("x")
    with pytest.raises(ExpressionError, match="finite"):
        r * math.nan


def test_expressions_are_values():
    r = Name("r")
    assert {r + 1: "a"}[Name("r") + 1] == "a"
    assert r != "r" and (r == "r") is False
    assert (r + 1) != (1 + r)
    assert pickle.loads(pickle.dumps(r + CAM(t) * functions.rate("x"))) == r + CAM(t) * functions.rate("x")
    with pytest.raises(AttributeError):
        r.name = "s"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del r.name
    with pytest.raises(ExpressionError, match="if_"):
        bool(r > 1)
    with pytest.raises(ExpressionError, match="instead of those of math"):
        math.sin(r)
    assert math.sin(Number(0.0)) == 0.0
    assert repr(r + 1) == "Expr('r + 1')"


def test_names_tables_substitute():
    tree = parse("a*sin(b) + rate(b) + cam(a)", tables={"cam": CAM})
    assert tree.names == {"a", "b", "rate(b)"}
    assert tree.tables == {"cam": CAM}
    assert str(tree.substitute({"b": x + 1, "rate(b)": 3.0})) == "a*sin(x + 1) + 3 + cam(a)"
    assert tree.substitute({"c": 1.0}) == tree
    assert tree.substitute({}) is tree
    with pytest.raises(ExpressionError, match="read text with parse"):
        tree.substitute({"a": "b"})  # type: ignore[dict-item]


def test_nodes_refuse_nonsense():
    for bad in ["", "1x", "a b", "pi", "sin", "and", "a..b", "rate(x)", 3]:
        with pytest.raises(ExpressionError):
            Name(bad)  # type: ignore[arg-type]
    with pytest.raises(ExpressionError):
        Number(math.inf)
    with pytest.raises(ExpressionError, match="no such function"):
        Call("system", (x,))
    with pytest.raises(ExpressionError, match="atan2"):
        Call("atan2", (x,))
    with pytest.raises(ExpressionError, match="named measure"):
        functions.rate(x + 1)
    with pytest.raises(ExpressionError, match="0 to 3"):
        SplineCall(CAM, x, 4)
    assert Number(-0.0) == Number(0.0)


def test_every_function_is_available_in_python():
    for name, function in FUNCTIONS.items():
        make = getattr(functions, name)
        args = [x] * len(function.arguments)
        assert make(*args) == parse(f"{name}({', '.join('x' for _ in args)})")
    assert issubclass(ExpressionError, DalembertError)


def test_shared_and_deep_trees_cost_nothing():
    # written out, none of this would ever end
    shared: Expr = x
    for _ in range(200):
        shared = shared * shared + 1  # 2**200 nodes when written out
    assert "nodes" in str(shared)
    assert shared == shared.substitute({"y": 1.0})
    assert shared.diff("x").names == {"x"}
    assert shared.substitute({"x": Number(0.0)}).names == frozenset()
    deep: Expr = x
    for _ in range(5000):
        deep = functions.sin(deep) + 1
    assert 0.0 < deep.evaluate({"x": 0.1}) <= 2.0
    assert deep.diff("x").evaluate({"x": 0.1}) == pytest.approx(0.0, abs=1.0)
    assert pickle.loads(pickle.dumps(deep)) == deep
    assert len(str(deep)) > 5000
