"""Programs of expressions against trees and graphs: values, jets, gradients; degenerate points; machine code and plain Python."""

import random
from collections import Counter

import numpy as np
import pytest
from contracts.motion import derivative
from traced.programs import values_of

from dalembert.errors import ExpressionError
from dalembert.kernels import functions as kernels
from dalembert.kernels.compiler import COMPILE
from dalembert.kernels.program import perform_code
from dalembert.model.expression import Expr, Name, functions, parse, spline
from dalembert.system.formulas import Formulas
from dalembert.system.graph import Graph
from dalembert.system.program import Evaluation, spline_tables
from tests.soak import share

from .trees import CAM, LIFT, NAMES, any_tree, smooth_tree, value_or_none, values

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # uncompiled, numpy warns where a value is infinite


class Formula:
    """Value, first and second derivative along a path, and gradient of an expression, by one program."""

    def __init__(self, tree: Expr, names: list[str], plain: bool = False) -> None:
        self.n = len(names)
        self.graph = Formulas([key + name for key in ("", "1 ", "2 ") for name in names])
        at = self.graph.input
        self.node = self.graph.add_formula(tree, {name: at[name] for name in names})
        first = {at[name]: at["1 " + name] for name in names}
        second = {at[name]: at["2 " + name] for name in names}
        jet, gradient = self.graph.jet(self.node, first, second), self.graph.reverse(self.node, names)
        self.run = Evaluation(self.graph, [self.node, *jet, *gradient])
        if plain:
            self.run._run = lambda I, P, F, first, out: perform_code(I, P, F, first, len(I), out)  # noqa: E741

    def all(self, x: np.ndarray, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        return self.run(np.concatenate([x, x1, x2]))

    def value(self, x: np.ndarray) -> float:
        return self.jet(x, 0 * x, 0 * x)[0]

    def jet(self, x: np.ndarray, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        return self.all(x, x1, x2)[:3]

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return self.all(x, 0 * x, 0 * x)[3:]

    def operations(self) -> Counter:
        """How often each code occurs in the value."""
        return Counter(self.graph.rows[k][0] for k in self.graph.needed([self.node]))


def one(text: str, names: str = "x y", plain: bool = False) -> Formula:
    return Formula(parse(text, tables={"cam": CAM, "lift": LIFT}), names.split(), plain)


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
    start, knots, coefficients = spline_tables(graph)
    tables = start, knots, np.array(coefficients).reshape(-1, 4)
    found = values_of(graph, [f, first, second], inputs.__getitem__, tables)
    return [float(found[node]) for node in (f, first, second)]


# ---- random trees ----------------------------------------------------------------------------------------------------


def test_value_is_the_value_of_the_tree():
    """On some hundred trees of the whole grammar, wherever the tree has a value; all in one shared graph."""
    rng = random.Random(20)
    trees, graph, nodes = [], Formulas(NAMES), []
    while len(trees) < share(600, 200):
        tree = any_tree(rng, rng.randint(1, 4))
        try:
            nodes.append(graph.add_formula(tree, graph.input))
        except ExpressionError:  # a part made of numbers has no value
            continue
        trees.append(tree)
    run, compared = Evaluation(graph, nodes), 0
    for k, tree in enumerate(trees):
        at = values(rng)
        expected = value_or_none(tree, at)
        if expected is None or _near_a_jump(tree, at):
            continue
        compared += 1
        assert run(vector(at))[k] == pytest.approx(expected, rel=1e-9, abs=1e-12), str(tree)
    assert compared > len(trees) / 2


def _near_a_jump(tree: Expr, at: dict[str, float]) -> bool:
    """Whether rounding could decide a comparison, or is magnified: then tree and program may rightly differ."""
    base = tree.evaluate(at)
    for factor in (1 + 1e-13, 1 - 1e-13):
        moved = value_or_none(tree, {name: v * factor for name, v in at.items()})
        if moved is None or abs(moved - base) > 1e-10 * abs(base) + 1e-12:
            return True
    return False


def test_jets_and_gradients_are_derivatives_of_the_tree():
    rng = random.Random(21)
    for _ in range(120):
        tree = smooth_tree(rng, rng.randint(1, 3))
        formula = Formula(tree, NAMES)
        at, x1, x2 = values(rng), values(rng), values(rng)
        f = tree.evaluate(at)
        first, second = second_derivative(tree, at, x1, x2)
        scale = max(1.0, abs(first), abs(second))
        # sums of products of moderate numbers: rounding times their size
        assert formula.jet(vector(at), vector(x1), vector(x2)) == pytest.approx(
            (f, first, second), rel=1e-9, abs=1e-11 * scale
        )
        expected = [tree.diff(name).evaluate(at) for name in NAMES]
        assert formula.value(vector(at)) == pytest.approx(f, rel=1e-12, abs=1e-13)
        assert formula.gradient(vector(at)) == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_derivatives_of_the_value_alone():
    """The graph of the value, differentiated once and twice, gives the rates of the jet, and the gradient and its change."""
    rng = random.Random(22)
    for _ in range(80):
        tree = smooth_tree(rng, rng.randint(1, 3))
        formula = Formula(tree, NAMES)
        at, along, rest = values(rng), values(rng), dict.fromkeys(NAMES, 0.0)
        x, d = vector(at), vector(along)
        f, first, second = by_graph(tree, at, along, rest)
        got = formula.jet(x, d, np.zeros(len(NAMES)))
        assert got[0] == pytest.approx(f, rel=1e-12, abs=1e-13)
        assert got[1] == pytest.approx(first, rel=1e-9, abs=1e-11)
        assert got[2] == pytest.approx(second, rel=1e-8, abs=1e-10)
        assert formula.gradient(x) @ d == pytest.approx(first, rel=1e-9, abs=1e-11)
        # without any rule: seven-point differences of numbers of moderate size
        moved = derivative(lambda h: np.array([formula.value(x + h * d), formula.gradient(x + h * d) @ d]))  # noqa: B023
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
    tree, formula = parse(text, tables={"cam": CAM, "lift": LIFT}), one(text)
    at, x1, x2 = {"x": 1.3, "y": 0.6}, {"x": 0.7, "y": -0.4}, {"x": -1.1, "y": 0.3}
    expected = tree.evaluate(at), *second_derivative(tree, at, x1, x2)
    x, d, dd = (np.array(list(v.values())) for v in (at, x1, x2))
    assert formula.value(x) == pytest.approx(expected[0], rel=1e-14)
    assert formula.jet(x, d, dd) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert by_graph(tree, at, x1, x2) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    # without any rule: differences along the path x + x' h + x'' h^2/2; the seventh derivative of x**40 needs a small step
    path = lambda h: (x + h * d + 0.5 * h**2 * dd, d + h * dd, dd)  # noqa: E731
    moved = derivative(lambda h: formula.jet(*path(h))[:2], 2e-4)
    assert moved == pytest.approx(expected[1:], rel=1e-10, abs=1e-10)
    assert derivative(lambda h: formula.value(path(h)[0]), 2e-4) == pytest.approx(expected[1], rel=1e-10, abs=1e-10)
    slopes = [tree.diff(name).evaluate(at) for name in ("x", "y")]
    assert formula.gradient(x) == pytest.approx(slopes, rel=1e-12, abs=1e-14)


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
    assert one(text, "x").jet(zero, zero, zero) == pytest.approx(expected)
    if not text.startswith("x**2"):
        assert one(text, "x").jet(zero, zero, zero + 1.0)[1:] == pytest.approx((0.0, 0.0))


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
    formula = one(text, "x")
    at = np.array([x])
    assert formula.jet(at, at * 0 + 2.0, at * 0) == pytest.approx(expected)
    assert formula.gradient(at) == pytest.approx([expected[1] / 2.0])
    if text in TIPS:  # 0 times infinity in a graph; differences see both sides
        assert derivative(lambda h: formula.value(at + h)) == pytest.approx(expected[1] / 2.0)
    else:
        assert by_graph(parse(text), {"x": x}, {"x": 2.0}, {"x": 0.0}) == pytest.approx(expected)


def test_vertical_tangents_are_infinite_and_undefined_values_are_nan():
    at, moving = np.zeros(1), np.ones(1)
    assert one("sqrt(x)", "x").jet(at, moving, at)[1] == np.inf
    assert one("sqrt(x)", "x").jet(at, -moving, at)[1] == -np.inf
    assert one("sqrt(x)", "x").gradient(at)[0] == np.inf
    for text in ("sqrt(x)", "log(x)", "x**0.5", "x**0.3", "asin(x - 1)", "log10(x)"):
        assert np.isnan(one(text, "x").value(np.array([-1.0]))), text
    for numerator, found in ((2.0, np.inf), (-2.0, -np.inf)):
        assert one("x/y").value(np.array([numerator, 0.0])) == found
    assert np.isnan(one("x/y").value(np.zeros(2)))


def test_exponent_may_be_an_input():
    """x**n with n from outside: right for negative x as long as n is whole and at rest."""
    formula = one("x**n", "x n")
    at, d, zero = np.array([-2.0, 3.0]), np.array([1.0, 0.0]), np.zeros(2)
    assert formula.jet(at, d, zero) == pytest.approx((-8.0, 12.0, -12.0))
    assert formula.gradient(at)[0] == pytest.approx(12.0)
    # seven-point differences are exact for a cubic polynomial, but for rounding
    assert derivative(lambda h: formula.value(at + h * d)) == pytest.approx(12.0, rel=1e-12)
    at = np.array([0.0, 3.0])
    assert formula.jet(at, np.array([1.0, 1.0]), zero) == pytest.approx((0.0, 0.0, 0.0))
    assert formula.gradient(at) == pytest.approx([0.0, 0.0])


def test_whole_power():
    for n in (-5, -1, 0, 1, 2, 3, 7, 32):
        assert kernels.whole_power(-1.25, n) == pytest.approx((-1.25) ** n, rel=1e-14)
        at, one_, zero = np.full(1, 1.5), np.ones(1), np.zeros(1)
        expected = 1.5**n, n * 1.5 ** (n - 1), n * (n - 1) * 1.5 ** (n - 2)
        assert one(f"x**({n})", "x").jet(at, one_, zero) == pytest.approx(expected, rel=1e-14)


# ---- structure -------------------------------------------------------------------------------------------------------


def test_numbers_are_no_part_of_the_structure():
    """Other numbers, zeros and ones among them, give the same program; exponents that are multiplied out another one."""

    def code(text: str) -> list[int]:
        return one(text).run._code.tolist()

    text = "{a}*x**2*sin({b}*y) + {c}/({b} + x) - {a}*({c})**y"
    assert code(text.format(a=2.5, b=3.0, c=7.0)) == code(text.format(a=0.0, b=1.0, c=-1.0))
    assert code("2*x**2") != code("2*x**3")
    assert list(one("2*x + 2").graph.numbers.values()) == [2.0]  # equal numbers are one


def test_equal_parts_are_one_node():
    used = one("sin(x*y)**2 + 3*sin(x*y) + sin(x*y)").operations()
    assert used[kernels.SIN] == 1 and used[kernels.MUL] == 3
    shared: Expr = Name("x")
    for _ in range(60):
        shared = shared * shared
    assert sum(Formula(shared, ["x"]).operations().values()) == 61
    wide = Formula(functions.max(*[Name("x")] * 5), ["x"])
    assert sum(wide.operations().values()) == 5


def test_constants_are_folded():
    assert sum(one("x*(2*pi/60)*sin(0.5) + if_(1 > 2, log(x), 3)").operations().values()) == 7
    assert sum(one("x**2 + x**2.0").operations().values()) == 4  # 2*(x*x)
    assert len(one("cam(0.7)*x").graph.splines) == 0
    assert one("x**0.5").operations()[kernels.SQRT] == 1


def test_shared_splines_and_long_tables():
    table = spline(np.linspace(0, 10, 101), np.sin(np.linspace(0, 10, 101)))
    graph = Formulas(["t"])
    trees = [table(Name("t")), CAM(Name("t")), table(Name("t") + 1), LIFT(Name("t"))]
    run = Evaluation(graph, [graph.add_formula(tree, graph.input) for tree in trees])
    first, _, coefficients = spline_tables(graph)
    assert first == [0, 101, 105, 108] and len(coefficients) == 4 * 108
    for t in np.concatenate([np.linspace(-2, 12, 57), table.x[::10]]):
        expected = [table.value(t), CAM.value(t), table.value(t + 1), LIFT.value(t)]
        assert run(np.array([t])) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_names_of_its_own_for_each_expression():
    graph = Formulas("abc")
    a, b, c = graph.input.values()
    nodes = [
        graph.add_formula(parse("x - t"), {"t": a, "x": b}),
        graph.add_formula(parse("x - t"), {"t": a, "z": b, "x": c}),
        graph.add_formula(parse("7"), {}),
    ]
    assert Evaluation(graph, nodes)(np.array([1.0, 5.0, 9.0])) == pytest.approx([4.0, 8.0, 7.0])
    with pytest.raises(ExpressionError, match="known: t, z, y"):
        graph.add_formula(parse("x"), {"t": a, "z": b, "y": c})


def test_refusals():
    def refused(text: str, *names: str) -> None:
        one(text, " ".join(names))

    with pytest.raises(ExpressionError, match="did you mean 'angle'"):
        refused("2*angel", "angle", "t")
    with pytest.raises(ExpressionError, match=r"rate\(x\)"):
        refused("rate(x)", "x")
    for text in ("x + 1/0", "log(-1)*x", "x + (-8)**0.5", "ramp(x, 1, 1)"):
        with pytest.raises(ExpressionError, match="has no value"):
            refused(text, "x")
    huge = spline([0, 1], [0, 1e300])
    with pytest.raises(ExpressionError, match="too large"):
        Formula(huge(parse("1e30")), [])
    assert one("if_(2 > 1, x, 1/0)").value(np.array([3.0, 0.0])) == 3.0  # never needed


# ---- machine code ----------------------------------------------------------------------------------------------------


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
        x = np.array(list(point.values()))
        machine, python = (one(text, " ".join(point), plain) for plain in (False, True))
        for rate, bend in ((2.0, -1.0), (0.0, 0.0)):
            path = x, np.full(len(x), rate), np.full(len(x), bend)
            plain = python.all(*path)
            assert machine.all(*path) == pytest.approx(plain, rel=1e-12, abs=1e-14, nan_ok=True), text
            unlike += not np.all(np.isfinite(plain))
    assert unlike > 5, "nothing infinite was tried"
