"""Tapes against trees and graphs: values, jets, gradients; degenerate points; machine code and plain Python."""

import random

import numpy as np
import pytest
from contracts.motion import derivative
from traced.programs import values_of

from dalembert.errors import ExpressionError
from dalembert.kernels import tape_functions as kernels
from dalembert.kernels.compiler import COMPILE, entry
from dalembert.kernels.tape import tape_gradient, tape_jet, tape_value
from dalembert.model.expression import Expr, Name, functions, parse, spline
from dalembert.system.graph import Graph
from dalembert.system.tape import Tape, lower
from tests.soak import share

from .trees import CAM, LIFT, NAMES, any_tree, smooth_tree, value_or_none, values

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # uncompiled, numpy warns where a value is infinite


def value(tape: Tape, k: int, x: np.ndarray):
    return tape_value(*tape.arrays, k, x, np.empty(tape.n_registers))


def jet(tape: Tape, k: int, x: np.ndarray, x1: np.ndarray, x2: np.ndarray):
    return tape_jet(*tape.arrays, k, x, x1, x2, np.empty((tape.n_registers, 3)))


def gradient(tape: Tape, k: int, x: np.ndarray):
    out = np.full_like(x, np.nan)
    scratch = np.full((2, tape.n_registers), np.nan)
    return tape_gradient(*tape.arrays, k, x, scratch[0], scratch[1], out), out


def one(text: str, names: str = "x y") -> Tape:
    return lower([parse(text, tables={"cam": CAM, "lift": LIFT})], names.split())


def vector(at: dict[str, float]) -> np.ndarray:
    return np.array([at[name] for name in NAMES])


def second_derivative(
    tree: Expr, at: dict[str, float], x1: dict[str, float], x2: dict[str, float]
) -> tuple[float, float]:
    """f' and f'' along a path from derivatives of the tree: f_i x_i', f_ij x_i' x_j' + f_i x_i''."""
    first = second = 0.0
    for a in tree.names:
        slope = tree.diff(a)
        first += slope.evaluate(at) * x1[a]
        second += slope.evaluate(at) * x2[a]
        for b in slope.names:
            second += slope.diff(b).evaluate(at) * x1[a] * x1[b]
    return first, second


def by_graph(tree: Expr, at: dict[str, float], x1: dict[str, float], x2: dict[str, float]) -> list[float]:
    """f, f' and f'' along a path by two forward sweeps over the graph of the value alone: each input moves at its rate, and that at its own."""
    inputs = {key + name: x[name] for key, x in (("", at), ("1 ", x1), ("2 ", x2)) for name in at}
    graph = Graph(list(inputs))
    moving = {graph.input[key + name]: graph.input[up + name] for key, up in (("", "1 "), ("1 ", "2 ")) for name in at}
    f = graph.add_expression(tree)
    (first,) = graph.forward([f], moving)
    (second,) = graph.forward([first], moving)
    tables = lower([table(Name("s")) for table in graph.splines], ["s"]).arrays[4:]
    found = values_of(graph, [f, first, second], inputs.__getitem__, tables)
    return [float(found[node]) for node in (f, first, second)]


# ---- random trees ----------------------------------------------------------------------------------------------------


def test_value_is_the_value_of_the_tree():
    """On some hundred trees of the whole grammar, wherever the tree has a value; all in one shared tape."""
    rng = random.Random(20)
    trees = []
    while len(trees) < share(600, 200):
        tree = any_tree(rng, rng.randint(1, 4))
        try:
            lower([tree], NAMES)
        except ExpressionError:  # a part made of numbers has no value
            continue
        trees.append(tree)
    tape = lower(trees, NAMES)
    compared = 0
    for k, tree in enumerate(trees):
        at = values(rng)
        expected = value_or_none(tree, at)
        if expected is None or _near_a_jump(tree, at):
            continue
        compared += 1
        assert value(tape, k, vector(at)) == pytest.approx(expected, rel=1e-9, abs=1e-12), str(tree)
    assert compared > len(trees) / 2


def _near_a_jump(tree: Expr, at: dict[str, float]) -> bool:
    """Whether rounding could decide a comparison, or is magnified: then tree and tape may rightly differ."""
    base = tree.evaluate(at)
    for factor in (1 + 1e-13, 1 - 1e-13):
        moved = value_or_none(tree, {name: v * factor for name, v in at.items()})
        if moved is None or abs(moved - base) > 1e-10 * abs(base) + 1e-12:
            return True
    return False


def test_jets_and_gradients_are_derivatives_of_the_tree():
    rng = random.Random(21)
    trees = [smooth_tree(rng, rng.randint(1, 3)) for _ in range(120)]
    tape = lower(trees, NAMES)
    for k, tree in enumerate(trees):
        at, x1, x2 = values(rng), values(rng), values(rng)
        f = tree.evaluate(at)
        first, second = second_derivative(tree, at, x1, x2)
        scale = max(1.0, abs(first), abs(second))
        # sums of products of moderate numbers: rounding times their size
        assert jet(tape, k, vector(at), vector(x1), vector(x2)) == pytest.approx(
            (f, first, second), rel=1e-9, abs=1e-11 * scale
        )
        got, slopes = gradient(tape, k, vector(at))
        expected = [tree.diff(name).evaluate(at) for name in NAMES]
        assert got == pytest.approx(f, rel=1e-12, abs=1e-13)
        assert slopes == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_derivatives_of_the_value_alone():
    """The graph of the value, differentiated once and twice, gives the rates of the jet, and the gradient and its change."""
    rng = random.Random(22)
    trees = [smooth_tree(rng, rng.randint(1, 3)) for _ in range(80)]
    tape = lower(trees, NAMES)
    for k, tree in enumerate(trees):
        at, along, rest = values(rng), values(rng), dict.fromkeys(NAMES, 0.0)
        x, d = vector(at), vector(along)
        f, first, second = by_graph(tree, at, along, rest)
        got = jet(tape, k, x, d, np.zeros(len(NAMES)))
        assert got[0] == pytest.approx(f, rel=1e-12, abs=1e-13)
        assert got[1] == pytest.approx(first, rel=1e-9, abs=1e-11)
        assert got[2] == pytest.approx(second, rel=1e-8, abs=1e-10)
        assert gradient(tape, k, x)[1] @ d == pytest.approx(first, rel=1e-9, abs=1e-11)
        # without any rule: seven-point differences of numbers of moderate size
        moved = derivative(lambda h: np.array([value(tape, k, x + h * d), gradient(tape, k, x + h * d)[1] @ d]))  # noqa: B023
        assert moved == pytest.approx([first, second], abs=1e-10 * (1.0 + abs(first) + abs(second)))


FUNCTIONS = [
    "x**3", "x**-2", "x**1", "x**0", "x**0.5", "x**2.5", "x**40", "x**y", "2**x", "sqrt(x)", "tan(x)", "asin(x/3)",
    "acos(x/3)",
    "atan(x)", "atan2(x, y)", "hypot(x, y)", "sinh(x)", "cosh(x)", "tanh(x)", "exp(x)", "log(x)", "log10(x)", "sin(x)",
    "cos(x)", "-x", "abs(-x)*x", "sign(x)*x", "floor(x)*x", "(not x)*x", "min(x, y, 3)*x", "max(x, y)**2",
    "(x < y)*x + (x > y)*y",
    "(x == y or x != y)*x", "(x <= y and x >= 0)*y**2", "if_(x > y, x**2, y**2)", "if_(x <= y, x**2, y**2)", "x/y",
    "x*y", "x - y",
    "ramp(x, 0, 3)*y", "step(x, 0, y, 3, 2)", "cam(x)", "cam'(x)", "cam''(x)", "cam'''(x)*x", "lift(x*y)", "lift(-x)*x",
]  # fmt: skip


@pytest.mark.parametrize("text", FUNCTIONS)
def test_each_function(text: str):
    tree, tape = parse(text, tables={"cam": CAM, "lift": LIFT}), one(text)
    at, x1, x2 = {"x": 1.3, "y": 0.6}, {"x": 0.7, "y": -0.4}, {"x": -1.1, "y": 0.3}
    expected = tree.evaluate(at), *second_derivative(tree, at, x1, x2)
    x, d, dd = (np.array(list(v.values())) for v in (at, x1, x2))
    assert value(tape, 0, x) == pytest.approx(expected[0], rel=1e-14)
    assert jet(tape, 0, x, d, dd) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert by_graph(tree, at, x1, x2) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    # without any rule: differences along the path x + x' h + x'' h^2/2; the seventh derivative of x**40 needs a small step
    path = lambda h: (x + h * d + 0.5 * h**2 * dd, d + h * dd, dd)  # noqa: E731
    moved = derivative(lambda h: np.array(jet(tape, 0, *path(h))[:2]), 2e-4)
    assert moved == pytest.approx(expected[1:], rel=1e-10, abs=1e-10)
    assert derivative(lambda h: value(tape, 0, path(h)[0]), 2e-4) == pytest.approx(expected[1], rel=1e-10, abs=1e-10)
    slopes = [tree.diff(name).evaluate(at) for name in ("x", "y")]
    assert gradient(tape, 0, x)[1] == pytest.approx(slopes, rel=1e-12, abs=1e-14)


# ---- degenerate points -----------------------------------------------------------------------------------------------

RESTING = [
    # at the kink with the argument at rest: f, f', f'' all finite, in the middle of both sides
    ("sqrt(x)", (0.0, 0.0, 0.0)),
    ("x**0.5", (0.0, 0.0, 0.0)),
    ("x**1.5", (0.0, 0.0, 0.0)),
    ("x**0.3", (0.0, 0.0, 0.0)),
    ("acos(1 - x)", (0.0, 0.0, 0.0)),
    ("x**2", (0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("text", "expected"), RESTING)
def test_kinks_with_the_argument_at_rest(text, expected):
    zero = np.zeros(1)
    assert jet(one(text, "x"), 0, zero, zero, zero) == pytest.approx(expected)
    if not text.startswith("x**2"):
        assert jet(one(text, "x"), 0, zero, zero, zero + 1.0)[1:] == pytest.approx((0.0, 0.0))


MOVING = [
    ("abs(x)", 0.0, (0.0, 0.0, 0.0)),
    ("sign(x)", 0.0, (0.0, 0.0, 0.0)),
    ("x**2", 0.0, (0.0, 0.0, 8.0)),
    ("x**2", -3.0, (9.0, -12.0, 8.0)),
    ("x**3", -1.0, (-1.0, 6.0, -24.0)),
    ("x**41", -1.0, (-1.0, 82.0, -41 * 40 * 4.0)),
    ("x**-1", -2.0, (-0.5, -0.5, -1.0)),
    ("x**0", 0.0, (1.0, 0.0, 0.0)),
    ("x**1", 0.0, (0.0, 2.0, 0.0)),
    ("sqrt(x**2)", 0.0, (0.0, 0.0, 0.0)),
    ("sqrt(x*x)", 0.0, (0.0, 0.0, 0.0)),
    ("hypot(x, 0*x)", 0.0, (0.0, 0.0, 0.0)),
    ("max(x, 2*x)", 0.0, (0.0, 2.0, 0.0)),
    ("min(2*x, x)", 0.0, (0.0, 4.0, 0.0)),
    ("max(0.1, sqrt(x))", 0.0, (0.1, 0.0, 0.0)),  # the branch not taken has an infinite slope
    ("if_(x > 0, log(x), 3*x)", -1.0, (-3.0, 6.0, 0.0)),  # … or no value at all
    ("0*sqrt(x) + x", 0.0, (0.0, 2.0, 0.0)),
    ("step(x, 0, 1, 2, 3)", 0.0, (1.0, 0.0, 0.0)),
    ("step(x, 0, 1, 2, 3)", 2.0, (3.0, 0.0, 0.0)),
]
TIPS = ("sqrt(x**2)", "sqrt(x*x)", "hypot(x, 0*x)")


@pytest.mark.parametrize(("text", "x", "expected"), MOVING)
def test_kinks_with_the_argument_moving(text, x, expected):
    tape = one(text, "x")
    at = np.array([x])
    assert jet(tape, 0, at, at * 0 + 2.0, at * 0) == pytest.approx(expected)
    assert gradient(tape, 0, at)[1] == pytest.approx([expected[1] / 2.0])
    if text in TIPS:  # 0 times infinity in a graph; differences see both sides
        assert derivative(lambda h: value(tape, 0, at + h)) == pytest.approx(expected[1] / 2.0)
    else:
        assert by_graph(parse(text), {"x": x}, {"x": 2.0}, {"x": 0.0}) == pytest.approx(expected)


def test_vertical_tangents_are_infinite_and_undefined_values_are_nan():
    at, moving = np.zeros(1), np.ones(1)
    assert jet(one("sqrt(x)", "x"), 0, at, moving, at)[1] == np.inf
    assert jet(one("sqrt(x)", "x"), 0, at, -moving, at)[1] == -np.inf
    assert gradient(one("sqrt(x)", "x"), 0, at)[1][0] == np.inf
    for text in ("sqrt(x)", "log(x)", "x**0.5", "x**0.3", "asin(x - 1)", "log10(x)"):
        assert np.isnan(value(one(text, "x"), 0, np.array([-1.0]))), text
    for numerator, found in ((2.0, np.inf), (-2.0, -np.inf)):
        assert value(one("x/y"), 0, np.array([numerator, 0.0])) == found
    assert np.isnan(value(one("x/y"), 0, np.zeros(2)))


def test_exponent_may_be_an_input():
    """x**n with n from outside: right for negative x as long as n is whole and at rest."""
    tape = one("x**n", "x n")
    at, d, zero = np.array([-2.0, 3.0]), np.array([1.0, 0.0]), np.zeros(2)
    assert jet(tape, 0, at, d, zero) == pytest.approx((-8.0, 12.0, -12.0))
    assert gradient(tape, 0, at)[1][0] == pytest.approx(12.0)
    # seven-point differences are exact for a cubic polynomial, but for rounding
    assert derivative(lambda h: value(tape, 0, at + h * d)) == pytest.approx(12.0, rel=1e-12)
    at = np.array([0.0, 3.0])
    assert jet(tape, 0, at, np.array([1.0, 1.0]), zero) == pytest.approx((0.0, 0.0, 0.0))
    assert gradient(tape, 0, at)[1] == pytest.approx([0.0, 0.0])


def test_whole_power():
    for n in (-5, -1, 0, 1, 2, 3, 7, 32):
        assert kernels.whole_power(-1.25, n) == pytest.approx((-1.25) ** n, rel=1e-14)
        f, g = kernels.value1(kernels.POWI, 1.5, n), kernels.slope1(kernels.POWI, 1.5, 1.5**n, n)
        assert (f, g) == pytest.approx((1.5**n, n * 1.5 ** (n - 1)), rel=1e-14)
        assert kernels.curve1(kernels.POWI, 1.5, f, g, n) == pytest.approx(n * (n - 1) * 1.5 ** (n - 2), rel=1e-14)


# ---- lowering --------------------------------------------------------------------------------------------------------


def test_layout():
    tape = lower([parse("2*x + 2"), parse("3"), parse("rate(x) - 2")], ["x", "rate(x)"])
    assert tape.code.shape == (4 + 1 + 3, 4) and tape.code.dtype == np.int64
    assert tape.first.tolist() == [0, 4, 5] and tape.last.tolist() == [4, 5, 8]
    assert tape.const.tolist() == [2.0, 3.0]  # shared by all expressions
    assert tape.n_registers == 4 and tape.n_inputs == 2 and len(tape) == 3
    assert tape.inputs == (("x", "rate(x)"),) * 3
    x = np.array([5.0, 7.0])
    assert [value(tape, k, x) for k in range(3)] == [12.0, 3.0, 5.0]


def test_equal_parts_share_a_register():
    tape = one("sin(x*y)**2 + 3*sin(x*y) + sin(x*y)")
    assert np.count_nonzero(tape.code[:, 0] == kernels.SIN) == 1
    assert np.count_nonzero(tape.code[:, 0] == kernels.MUL) == 2
    shared: Expr = Name("x")
    for _ in range(60):
        shared = shared * shared
    assert len(lower([shared], ["x"]).code) == 61
    wide = lower([functions.max(*[Name("x")] * 5)], ["x"])
    assert len(wide.code) == 5


def test_constants_are_folded():
    tape = one("x*(2*pi/60)*sin(0.5) + if_(1 > 2, log(x), 3)")
    assert len(tape.code) == 7
    assert len(one("x**2 + x**2.0").code) == 3  # whole exponents need no register
    assert len(one("cam(0.7)*x").const) == 1
    assert one("x**0.5").code[-1, 0] == kernels.SQRT


def test_shared_splines_and_long_tables():
    table = spline(np.linspace(0, 10, 101), np.sin(np.linspace(0, 10, 101)))
    tape = lower([table(Name("t")), CAM(Name("t")), table(Name("t") + 1), LIFT(Name("t"))], ["t"])
    assert tape.spline_first.tolist() == [0, 101, 105, 108]
    assert tape.spline_coefficients.shape == (108, 4)
    for t in np.concatenate([np.linspace(-2, 12, 57), table.x[::10]]):
        for k, expected in enumerate([table.value(t), CAM.value(t), table.value(t + 1), LIFT.value(t)]):
            assert value(tape, k, np.array([t])) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_inputs_of_its_own_for_each_expression():
    tape = lower([parse("x - t"), parse("y - t"), parse("7")], [["t", "x"], ["t", "z", "y"], []])
    assert tape.n_inputs == 3 and tape.inputs[1] == ("t", "z", "y")
    assert value(tape, 0, np.array([1.0, 5.0])) == 4.0
    assert value(tape, 1, np.array([1.0, 5.0, 9.0])) == 8.0
    assert value(tape, 2, np.array([1.0])) == 7.0
    with pytest.raises(ExpressionError, match="known: t, z, y"):
        lower([parse("x"), parse("x")], [["x"], ["t", "z", "y"]])


@pytest.mark.parametrize("inputs", [["t"], []])
def test_empty_tape(inputs: list[str]):
    tape = lower([], inputs)
    assert tape.n_inputs == 0
    assert tape.code.shape == (0, 4) and tape.spline_coefficients.shape == (0, 4) and tape.n_registers == 0


def test_refusals():
    with pytest.raises(ExpressionError, match="did you mean 'angle'"):
        lower([parse("2*angel")], ["angle", "t"])
    with pytest.raises(ExpressionError, match=r"rate\(x\)"):
        lower([parse("rate(x)")], ["x"])
    with pytest.raises(ExpressionError, match="twice"):
        lower([parse("x")], ["x", "x"])
    with pytest.raises(ExpressionError, match="1 lists of inputs for 2 expressions"):
        lower([parse("x"), parse("x")], [["x"]])
    for text in ("x + 1/0", "log(-1)*x", "x + (-8)**0.5", "ramp(x, 1, 1)"):
        with pytest.raises(ExpressionError, match="has no value"):
            lower([parse(text)], ["x"])
    huge = spline([0, 1], [0, 1e300])
    with pytest.raises(ExpressionError, match="too large"):
        lower([huge(parse("1e30"))], [])
    assert value(one("if_(2 > 1, x, 1/0)"), 0, np.array([3.0, 0.0])) == 3.0  # never needed


# ---- machine code ----------------------------------------------------------------------------------------------------


@entry
def run_all(
    code, const, first, last, spline_first, knots, coefficients, k, x, x1, x2, reg, adjoint, reg3, gradient, out
):
    """Value, gradient and jet of expression k into `gradient` and `out`."""
    out[0] = tape_value(code, const, first, last, spline_first, knots, coefficients, k, x, reg)
    out[1] = tape_gradient(code, const, first, last, spline_first, knots, coefficients, k, x, reg, adjoint, gradient)
    out[2], out[3], out[4] = tape_jet(code, const, first, last, spline_first, knots, coefficients, k, x, x1, x2, reg3)


POINTS = [
    *((text, {"x": 1.3, "y": 0.6}) for text in FUNCTIONS),
    *((text, {"x": 0.0}) for text, _ in RESTING),
    *((text, {"x": x}) for text, x, _ in MOVING),
    *((text, {"x": -1.0}) for text in ("sqrt(x)", "log(x)", "x**0.3", "asin(x - 1)", "log10(x)", "1/(x + 1)")),
]


@pytest.mark.skipif(not COMPILE, reason="nothing is compiled")
def test_machine_code_gives_the_same_numbers():
    """At smooth points, at kinks, at vertical tangents and where there is no value."""
    unlike = 0
    for text, point in POINTS:
        tape, x = one(text, " ".join(point)), np.array(list(point.values()))
        for rate, bend in ((2.0, -1.0), (0.0, 0.0)):
            n, out, slopes = tape.n_registers, np.zeros(5), np.zeros(len(x))
            x1, x2 = np.full(len(x), rate), np.full(len(x), bend)
            run_all(*tape.arrays, 0, x, x1, x2, np.empty(n), np.empty(n), np.empty((n, 3)), slopes, out)
            f, expected = gradient(tape, 0, x)
            plain = [value(tape, 0, x), f, *jet(tape, 0, x, x1, x2), *expected]
            assert [*out, *slopes] == pytest.approx(plain, rel=1e-12, abs=1e-14, nan_ok=True), text
            unlike += not np.all(np.isfinite(plain))
    assert unlike > 5, "nothing infinite was tried"
